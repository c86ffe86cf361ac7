//! The history of moves (MAST): what each move of each role was worth on average, wherever it was
//! made. It orders moves that were not tried yet and guides playouts.

use engine::{Random, TermId};

#[derive(Clone, Copy, Default)]
struct Record {
    count: f32,
    total: f32,
}

/// Averages by role and move.
#[derive(Default)]
pub(crate) struct History {
    records: Vec<Vec<Record>>,
}

impl History {
    /// A move was made, and this came of it, between 0 and 1.
    pub(crate) fn add(&mut self, role: usize, action: TermId, value: f64) {
        if self.records.len() <= role {
            self.records.resize_with(role + 1, Vec::new);
        }
        let records = &mut self.records[role];
        if records.len() <= action.index() {
            records.resize(action.index() + 1, Record::default());
        }
        let record = &mut records[action.index()];
        record.count += 1.0;
        record.total += value as f32;
    }

    /// The average of a move, if it was ever made.
    pub(crate) fn mean(&self, role: usize, action: TermId) -> Option<f64> {
        let record = self.records.get(role)?.get(action.index())?;
        (record.count > 0.0).then(|| f64::from(record.total / record.count))
    }

    /// The place of the best of so many moves (at least one), chance deciding between equals; what
    /// was never made is tried first.
    pub(crate) fn best(
        &self,
        role: usize,
        count: usize,
        action: impl Fn(usize) -> TermId,
        random: &mut Random,
    ) -> usize {
        let start = random.below(count);
        let mut best = start;
        let mut most = f64::NEG_INFINITY;
        for index in (start..count).chain(0..start) {
            let mean = self.mean(role, action(index)).unwrap_or(1.0);
            if mean > most {
                (best, most) = (index, mean);
            }
        }
        best
    }

    /// Lets the past count less, as the match goes on.
    pub(crate) fn age(&mut self) {
        for record in self.records.iter_mut().flatten() {
            record.count *= 0.2;
            record.total *= 0.2;
        }
    }
}
