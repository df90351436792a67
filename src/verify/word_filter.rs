//! Which words are surely not in a set.

/// Bits set by the hashes of words: most words that are not among them are ruled out without a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordFilter(Vec<u64>);

impl WordFilter {
    /// A filter of words, given by their hashes. It has at least eight bits for each, so that at most one in eight absent words is not ruled out.
    pub fn new(words: impl Iterator<Item = u64> + Clone) -> WordFilter {
        let mut cells = vec![0; (words.clone().count() / 8 + 1).next_power_of_two()];
        for word in words {
            let (cell, bit) = place(word, cells.len());
            cells[cell] |= bit;
        }
        WordFilter(cells)
    }

    /// False for a word that is surely not among the words of the filter. The default filter has no words.
    pub fn may_have(&self, word: u64) -> bool {
        let (cell, bit) = place(word, self.0.len());
        self.0.get(cell).is_some_and(|bits| bits & bit != 0)
    }

    /// Bytes that it takes in memory, besides its own.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u64>()
    }
}

/// Cell and bit of a word in a filter with `cells` cells, a power of two.
fn place(word: u64, cells: usize) -> (usize, u64) {
    ((word >> 6) as usize & cells.wrapping_sub(1), 1 << (word & 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_word_is_ruled_out_that_is_there_and_most_others_are(
            words in proptest::collection::hash_set(any::<u64>(), 0..200), others in proptest::collection::vec(any::<u64>(), 400)
        ) {
            let filter = WordFilter::new(words.iter().copied());
            prop_assert!(words.iter().all(|&word| filter.may_have(word)));
            let left = others.iter().filter(|word| !words.contains(word) && filter.may_have(**word)).count();
            prop_assert!(left <= others.len() / 4, "{left}");
            prop_assert!(!others.iter().any(|&word| WordFilter::default().may_have(word)));
        }
    }
}
