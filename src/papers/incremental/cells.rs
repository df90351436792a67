//! Counts of pairs of words, half a cache line (32 bytes) a pair, and an open hash table of their numbers.

/// The counts of one pair of words. In each array, the first value is for B's word given A's, and the second for A's word given B's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The two words' numbers, A's in the upper half.
    pub key: u64,
    /// Counts from earlier updates.
    pub kept: [f32; 2],
    /// Counts of the present update, from the pass before.
    pub fitted: [f32; 2],
    /// Counts of the present update that this pass is adding up.
    pub next: [f32; 2],
}

impl Cell {
    const EMPTY: Cell = Cell { key: 0, kept: [0.0; 2], fitted: [0.0; 2], next: [0.0; 2] };

    /// The numbers of the two words.
    pub fn words(&self) -> (u32, u32) {
        ((self.key >> 32) as u32, self.key as u32)
    }

    /// The counts that the present parameters come from.
    pub fn counts(&self) -> [f32; 2] {
        [self.kept[0] + self.fitted[0], self.kept[1] + self.fitted[1]]
    }
}

/// The key of two words.
pub(super) fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Cells by key, in the order in which they were made, so that cells of words that occur together lie together. Their numbers are valid
/// until cells are dropped.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// The hash table; its length is a power of two, at most three quarters in use. A slot has the upper half of the mixed key, and one
    /// more than the number of the cell; 0 for a free slot.
    slots: Vec<(u32, u32)>,
}

impl Cells {
    /// An empty table with room for so many cells.
    pub fn with_room(cells: usize) -> Cells {
        let slots = (cells * 4 / 3 + 1).next_power_of_two().max(16);
        Cells { cells: Vec::with_capacity(cells), slots: vec![(0, 0); slots] }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Makes room for so many more cells.
    pub fn reserve(&mut self, more: usize) {
        let all = self.cells.len() + more;
        if all * 4 <= self.slots.len() * 3 {
            return;
        }
        let larger = Cells::with_room(all.max(self.cells.len() * 2)).slots.len();
        self.slots.clear();
        self.slots.resize(larger, (0, 0));
        let mask = larger - 1;
        for (cell, number) in self.cells.iter().zip(1..) {
            let tag = mix(cell.key);
            let mut at = tag as usize & mask;
            while self.slots[at].1 != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = (tag, number);
        }
    }

    /// The number of the cell of a key, which is made if need be. There must be room.
    pub fn number(&mut self, key: u64) -> usize {
        match self.find(key) {
            Ok(number) => number,
            Err(slot) => {
                self.cells.push(Cell { key, ..Cell::EMPTY });
                self.slots[slot] = (mix(key), self.cells.len() as u32);
                self.cells.len() - 1
            }
        }
    }

    /// The cell of a number.
    pub fn at(&mut self, number: usize) -> &mut Cell {
        &mut self.cells[number]
    }

    /// The cell of a key.
    pub fn get(&self, key: u64) -> Option<&Cell> {
        self.find(key).ok().map(|number| &self.cells[number])
    }

    /// Adds a cell whose key is not there yet. There must be room.
    pub fn put(&mut self, cell: Cell) {
        let number = self.number(cell.key);
        self.cells[number] = cell;
    }

    /// All cells, in the order in which they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Cell> {
        self.cells.iter()
    }

    /// The same, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Cell> {
        self.cells.iter_mut()
    }

    /// The number of the cell of a key, or as an error the free slot for it.
    fn find(&self, key: u64) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let tag = mix(key);
        let mut at = tag as usize & mask;
        loop {
            let (found, number) = self.slots[at];
            if number == 0 {
                return Err(at);
            }
            let number = number as usize - 1;
            if found == tag && self.cells[number].key == key {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
    }
}

fn mix(key: u64) -> u32 {
    ((key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_key_is_its_two_words() {
        let cell = Cell { key: key(3, 7), kept: [1.0, 2.0], fitted: [0.5, 0.25], ..Cell::EMPTY };
        assert_eq!((cell.words(), cell.counts()), ((3, 7), [1.5, 2.25]));
    }

    proptest! {
        #[test]
        fn cells_are_a_map_in_the_order_of_making(keys in prop::collection::vec((0u32..40, 0u32..40), 0..300)) {
            let mut cells = Cells::with_room(0);
            let mut expected: BTreeMap<u64, f32> = BTreeMap::new();
            let mut order = Vec::new();
            for (a, b) in keys {
                let key = key(a, b);
                cells.reserve(1);
                let number = cells.number(key);
                cells.at(number).next[0] += 1.0;
                *expected.entry(key).or_insert_with(|| { order.push(key); 0.0 }) += 1.0;
            }
            prop_assert_eq!(cells.len(), expected.len());
            prop_assert_eq!(cells.iter().map(|cell| cell.key).collect::<Vec<_>>(), order);
            for (&key, &count) in &expected {
                prop_assert_eq!(cells.get(key).map(|cell| cell.next[0]), Some(count));
            }
            prop_assert!(cells.get(key(40, 40)).is_none());
        }
    }
}
