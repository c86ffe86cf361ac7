//! The one place that names `fxhash`, which is no longer maintained: to change it, change this.

/// A hash map with a fast hash; its order is never shown.
pub type HashMap<K, V> = fxhash::FxHashMap<K, V>;
/// A hash set with a fast hash; its order is never shown.
pub type HashSet<K> = fxhash::FxHashSet<K>;
