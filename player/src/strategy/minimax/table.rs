//! What the search found out about states before (transposition table), and which moves cut other
//! searches short (history), to try them first. The table has a fixed number of slots.

use engine::TermId;
use gdl_front::hash::HashMap;

use super::search::Value;

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

impl Bound {
    /// The bound that a value is, found within a window.
    pub(super) fn of(goal: i32, alpha: i32, beta: i32) -> Bound {
        if goal >= beta {
            Bound::AtLeast
        } else if goal <= alpha {
            Bound::AtMost
        } else {
            Bound::Exact
        }
    }
}

/// What is known of a state.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) bound: Bound,
    /// How far the search looked ahead; a proved value holds for any depth.
    pub(super) depth: u16,
    /// The moves to try first, ours first.
    pub(super) best: Box<[TermId]>,
}

impl Entry {
    /// The value, if it settles a search of that depth in that window.
    pub(super) fn answers(&self, depth: usize, alpha: i32, beta: i32) -> Option<Value> {
        let deep = self.value.proved || usize::from(self.depth) >= depth;
        let fits = match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => self.value.goal >= beta,
            Bound::AtMost => self.value.goal <= alpha,
        };
        (deep && fits).then_some(self.value)
    }
}

struct Slot {
    key: u64,
    entry: Entry,
}

/// Remembered states and moves.
pub(super) struct Table {
    slots: Vec<Option<Slot>>,
    /// The table grows to this many slots as it is used.
    most: usize,
    used: usize,
    cuts: HashMap<TermId, u64>,
}

const FIRST_SIZE: usize = 1 << 12;

impl Table {
    pub(super) fn new(memory: usize) -> Table {
        let fits = (memory / (size_of::<Option<Slot>>() + 24)).max(2);
        let most = if fits.is_power_of_two() { fits } else { fits.next_power_of_two() / 2 };
        let mut slots = Vec::new();
        slots.resize_with(FIRST_SIZE.min(most), || None);
        Table { slots, most, used: 0, cuts: HashMap::default() }
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let slot = self.slots[self.place(key)].as_ref()?;
        (slot.key == key).then(|| slot.entry.clone())
    }

    /// Remembers a state; where two compete for a slot, the deeper search stays.
    pub(super) fn put(&mut self, key: u64, entry: Entry) {
        if self.used * 2 > self.slots.len() && self.slots.len() < self.most {
            self.grow();
        }
        let place = self.place(key);
        match &self.slots[place] {
            Some(old) if old.key == key && old.entry.value.proved && !entry.value.proved => return,
            Some(old) if old.key != key && old.entry.depth > entry.depth + 4 => return,
            Some(_) => {}
            None => self.used += 1,
        }
        self.slots[place] = Some(Slot { key, entry });
    }

    /// The slot of a key; the low bits are as good as any.
    fn place(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let old = std::mem::take(&mut self.slots);
        self.slots.resize_with(size.min(self.most), || None);
        self.used = 0;
        for slot in old.into_iter().flatten() {
            let place = self.place(slot.key);
            self.used += usize::from(self.slots[place].is_none());
            self.slots[place] = Some(slot);
        }
    }

    /// A move cut a search short.
    pub(super) fn reward(&mut self, action: TermId, depth: usize) {
        *self.cuts.entry(action).or_default() += (depth * depth) as u64;
    }

    /// A reply of the others did.
    pub(super) fn reward_all(&mut self, role: usize, moves: &[TermId], depth: usize) {
        for (other, &action) in moves.iter().enumerate() {
            if other != role {
                self.reward(action, depth);
            }
        }
    }

    /// Puts the moves that are likely to decide first.
    pub(super) fn order(&self, lists: &mut [Vec<TermId>], known: Option<&Entry>) {
        let best = known.map_or(&[][..], |entry| &entry.best);
        for list in lists.iter_mut().filter(|list| list.len() > 1) {
            list.sort_by_cached_key(|action| {
                let rank = self.cuts.get(action).copied().unwrap_or(0);
                (!best.contains(action), std::cmp::Reverse(rank))
            });
        }
    }

    /// The match goes on: old cuts count less.
    pub(super) fn age(&mut self) {
        self.cuts.values_mut().for_each(|rank| *rank /= 8);
    }
}
