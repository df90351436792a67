//! Counts of pairs of words: one open table, one cache line's half a pair.

/// What is known of one pair of words. In each couple: of the word of B given that of A, and the other way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The two words' numbers, A's in the upper half.
    pub key: u64,
    /// Counts of what was learnt before.
    pub kept: [f32; 2],
    /// Counts of the corpus at hand, from the pass before.
    pub fitted: [f32; 2],
    /// Counts of the corpus at hand that this pass is adding up.
    pub next: [f32; 2],
}

impl Cell {
    const EMPTY: Cell = Cell { key: u64::MAX, kept: [0.0; 2], fitted: [0.0; 2], next: [0.0; 2] };

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

/// Cells by key. Slots are valid until the table grows.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// A power of two of them, at most three quarters in use.
    slots: Vec<Cell>,
    used: usize,
}

impl Cells {
    /// A table with room for so many cells.
    pub fn with_room(cells: usize) -> Cells {
        let slots = (cells * 4 / 3 + 1).next_power_of_two().max(16);
        Cells { slots: vec![Cell::EMPTY; slots], used: 0 }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Makes room for so many more cells; true when slots have changed by it.
    pub fn reserve(&mut self, more: usize) -> bool {
        if (self.used + more) * 4 <= self.slots.len() * 3 {
            return false;
        }
        let mut larger = Cells::with_room((self.used + more).max(self.used * 2));
        self.iter().for_each(|cell| larger.put(*cell));
        *self = larger;
        true
    }

    /// The slot of a key, made if need be; there must be room.
    pub fn slot(&mut self, key: u64) -> usize {
        let at = self.probe(key);
        if self.slots[at].key != key {
            self.slots[at] = Cell { key, ..Cell::EMPTY };
            self.used += 1;
        }
        at
    }

    /// The cell of a slot.
    pub fn at(&mut self, slot: usize) -> &mut Cell {
        &mut self.slots[slot]
    }

    /// The cell of a key.
    pub fn get(&self, key: u64) -> Option<&Cell> {
        Some(&self.slots[self.probe(key)]).filter(|cell| cell.key == key)
    }

    /// Takes in a cell whose key is not there yet; there must be room.
    pub fn put(&mut self, cell: Cell) {
        let slot = self.slot(cell.key);
        self.slots[slot] = cell;
    }

    /// All cells, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = &Cell> {
        self.slots.iter().filter(|cell| cell.key != u64::MAX)
    }

    /// As [`Cells::iter`], to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.slots.iter_mut().filter(|cell| cell.key != u64::MAX)
    }

    /// Where the key is, or the empty slot where it would be.
    fn probe(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].key != key && self.slots[at].key != u64::MAX {
            at = (at + 1) & mask;
        }
        at
    }
}
