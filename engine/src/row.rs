//! Rows: short lists of numbers, the data of the dataflow.
//!
//! Up to seven numbers lie in the row itself; only wider rows are allocated. Rows compare, hash and
//! print as the slices they are.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// How many numbers fit without an allocation: with them a row takes 32 bytes.
const INLINE: usize = 7;

/// A list of numbers.
#[derive(Clone)]
pub struct Row(Repr);

#[derive(Clone)]
enum Repr {
    Short(u8, [u32; INLINE]),
    Long(Box<[u32]>),
}

impl Row {
    /// The numbers of all parts, one part after the other.
    pub fn joined(parts: &[&[u32]]) -> Row {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length > INLINE {
            return Row(Repr::Long(parts.concat().into()));
        }
        let mut numbers = [0; INLINE];
        let mut filled = 0;
        for part in parts {
            numbers[filled..filled + part.len()].copy_from_slice(part);
            filled += part.len();
        }
        Row(Repr::Short(length as u8, numbers))
    }
}

impl From<&[u32]> for Row {
    fn from(numbers: &[u32]) -> Row {
        Row::joined(&[numbers])
    }
}

impl Deref for Row {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match &self.0 {
            Repr::Short(length, numbers) => &numbers[..usize::from(*length)],
            Repr::Long(numbers) => numbers,
        }
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        **self == **other
    }
}

impl Eq for Row {}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Row) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Row) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Row {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // As the slice that it is found by.
        (**self).hash(state);
    }
}

impl std::borrow::Borrow<[u32]> for Row {
    fn borrow(&self) -> &[u32] {
        self
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_rows_are_their_numbers() {
        let numbers: Vec<u32> = (0..20).collect();
        for length in 0..20 {
            let row = Row::joined(&[&numbers[..length / 2], &numbers[length / 2..length]]);
            assert_eq!(*row, numbers[..length]);
            assert!(row < Row::from(&numbers[..length + 1]));
        }
    }
}
