//! Keeps the smallest few of many items.

use std::collections::BinaryHeap;

/// The `max` smallest of all items that are offered; memory is bounded by `max` items.
///
/// Where items begin with a hash, this is a random sample that depends neither on the order of the items nor on threads.
#[derive(Clone, Debug)]
pub struct Smallest<T> {
    max: usize,
    /// The kept items, the largest on top.
    kept: BinaryHeap<T>,
}

impl<T: Ord> Smallest<T> {
    /// Keeps at most `max` items.
    pub fn new(max: usize) -> Smallest<T> {
        Smallest { max, kept: BinaryHeap::new() }
    }

    /// Keeps an item if it is among the smallest so far. Cost: a comparison for most items of a long list.
    pub fn offer(&mut self, item: T) {
        if self.kept.len() < self.max {
            self.kept.push(item);
        } else if let Some(mut largest) = self.kept.peek_mut()
            && item < *largest
        {
            *largest = item;
        }
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// True when none is kept.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The kept items, the smallest first.
    pub fn into_sorted(self) -> Vec<T> {
        self.kept.into_sorted_vec()
    }
}

impl<T: Ord> Extend<T> for Smallest<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.offer(item));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_smallest_are_those_of_sorting_and_truncating(
            mut items in proptest::collection::vec(0u8..50, 0..60),
            max in 0usize..40,
        ) {
            let mut smallest = Smallest::new(max);
            smallest.extend(items.iter().copied());
            items.sort_unstable();
            items.truncate(max);
            prop_assert_eq!((smallest.len(), smallest.is_empty()), (items.len(), items.is_empty()));
            prop_assert_eq!(smallest.into_sorted(), items);
        }
    }
}
