//! A signal that ends a search: given by another thread, or by a moment in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Shared between a search and whoever may stop it; a search asks [`Interrupt::is_raised`] often.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Interrupt {
    /// A signal that raises itself at a moment.
    pub fn at(deadline: Instant) -> Interrupt {
        Interrupt { deadline: Some(deadline), ..Interrupt::default() }
    }

    /// Ends the search soon.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Release);
    }

    /// Makes the signal ready for the next search.
    pub fn clear(&self) {
        self.raised.store(false, Ordering::Release);
    }

    /// Whether the search must end.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
