//! Rows of numbers, each stored once: a row's id is its place, found again by its content.
//!
//! All rows of a table have the same width. Rows lie one behind the other in one vector and the
//! hash table holds ids only, so that neither adding nor finding a row allocates one by one.

const EMPTY: u32 = u32::MAX;

/// A set of rows of equal width.
#[derive(Clone, Debug)]
pub(crate) struct RowTable {
    width: usize,
    count: usize,
    rows: Vec<u32>,
    slots: Vec<u32>,
}

impl RowTable {
    pub(crate) fn new(width: usize) -> RowTable {
        RowTable { width, count: 0, rows: Vec::new(), slots: vec![EMPTY; 8] }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn row(&self, id: u32) -> &[u32] {
        let start = id as usize * self.width;
        &self.rows[start..start + self.width]
    }

    /// The id of a row and whether it is new.
    pub(crate) fn insert(&mut self, row: &[u32]) -> (u32, bool) {
        let slot = match self.locate(row) {
            Ok(id) => return (id, false),
            Err(slot) => slot,
        };
        let id = self.count as u32;
        self.slots[slot] = id;
        self.rows.extend_from_slice(row);
        self.count += 1;
        if self.count * 2 > self.slots.len() {
            self.grow();
        }
        (id, true)
    }

    pub(crate) fn find(&self, row: &[u32]) -> Option<u32> {
        self.locate(row).ok()
    }

    /// How many bytes it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.rows.capacity() + self.slots.capacity())
    }

    /// Where the row is, or the free slot where it belongs.
    fn locate(&self, row: &[u32]) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(row) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                id if self.row(id) == row => return Ok(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        let mut slots = vec![EMPTY; mask + 1];
        for id in 0..self.count as u32 {
            let mut slot = hash(self.row(id)) as usize & mask;
            while slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            slots[slot] = id;
        }
        self.slots = slots;
    }
}

/// A hash whose low bits are good: ids are dense, so the last step must mix downwards.
pub(crate) fn hash(row: &[u32]) -> u64 {
    let mut hash: u64 = 0x9e37_79b9_7f4a_7c15;
    for &value in row {
        hash = (hash ^ u64::from(value)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 32;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_have_one_id() {
        let mut table = RowTable::new(2);
        for number in 0..1000 {
            assert_eq!(table.insert(&[number, number / 2]), (number, true));
        }
        assert_eq!(table.insert(&[7, 3]), (7, false));
        assert_eq!(table.find(&[7, 4]), None);
        assert_eq!(table.row(9), [9, 4]);
    }

    #[test]
    fn rows_without_columns_are_all_the_same() {
        let mut table = RowTable::new(0);
        assert_eq!(table.insert(&[]), (0, true));
        assert_eq!(table.insert(&[]), (0, false));
    }
}
