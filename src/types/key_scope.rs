//! The pages that a key acts on.

use std::collections::BTreeMap;
use std::ops::Range;

/// Pages of a site, as ranges in ascending order that do not touch: all of it, a host, a folder, or the same folder of several hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyScope(Vec<(u32, u32)>);

impl KeyScope {
    /// The pages of some ranges, which are in ascending order. Each range goes from its first page to the page after its last one.
    pub fn new(ranges: impl IntoIterator<Item = Range<u32>>) -> KeyScope {
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for Range { start, end } in ranges.into_iter().filter(|range| !range.is_empty()) {
            match joined.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        KeyScope(joined)
    }

    /// The ranges, in ascending order.
    pub fn ranges(&self) -> impl DoubleEndedIterator<Item = Range<u32>> + '_ {
        self.0.iter().map(|&(start, end)| start..end)
    }

    /// Its pages, in ascending order.
    pub fn pages(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges().flatten()
    }

    /// True for its pages.
    pub fn contains(&self, page: u32) -> bool {
        let after = self.0.partition_point(|range| range.0 <= page);
        after > 0 && page < self.0[after - 1].1
    }

    /// True if any of its pages is in a range.
    pub fn meets(&self, range: &Range<u32>) -> bool {
        let first = self.0.partition_point(|own| own.1 <= range.start);
        !range.is_empty() && self.0.get(first).is_some_and(|own| own.0 < range.end)
    }
}

/// A single range.
impl From<Range<u32>> for KeyScope {
    fn from(range: Range<u32>) -> KeyScope {
        KeyScope::new([range])
    }
}

/// Pages that have been counted, so that none of them counts twice.
#[derive(Debug, Default)]
pub struct Counted {
    /// The end of each range, by its start.
    ranges: BTreeMap<u32, u32>,
}

impl Counted {
    /// Counts the pages of a scope; `false`, and nothing is counted, if any of them has been counted before. Cost: log n for each range.
    pub fn count(&mut self, scope: &KeyScope) -> bool {
        let is_counted =
            |&(start, end): &(u32, u32)| self.ranges.range(..end).next_back().is_some_and(|range| *range.1 > start);
        let is_new = !scope.0.iter().any(is_counted);
        if is_new {
            self.ranges.extend(scope.0.iter().copied());
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn ranges() -> impl Strategy<Value = Vec<Range<u32>>> {
        prop::collection::vec(0u32..40, 0..12).prop_map(|mut ends| {
            ends.sort_unstable();
            ends.chunks_exact(2).map(|two| two[0]..two[1]).collect()
        })
    }

    proptest! {
        #[test]
        fn a_scope_has_the_pages_of_its_ranges(of_first in ranges(), of_second in ranges(), start in 0u32..40, length in 0u32..10) {
            let pages = |ranges: &[Range<u32>]| ranges.iter().cloned().flatten().collect::<BTreeSet<u32>>();
            let (first, second) = (KeyScope::new(of_first.clone()), KeyScope::new(of_second.clone()));
            prop_assert_eq!(first.pages().collect::<BTreeSet<u32>>(), pages(&of_first));
            prop_assert!((0..41).all(|page| first.contains(page) == pages(&of_first).contains(&page)));
            let range = start..start + length;
            prop_assert_eq!(first.meets(&range), range.clone().any(|page| first.contains(page)));
            let mut counted = Counted::default();
            prop_assert!(counted.count(&first));
            prop_assert_eq!(counted.count(&second), pages(&of_first).is_disjoint(&pages(&of_second)));
        }
    }
}
