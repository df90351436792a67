//! Alphabetical lists: indexes and glossaries. Each language sorts its own list, so entries at the same place are not translations of each
//! other.

use rustc_hash::{FxHashMap, FxHashSet};

/// How many different initials a list must have: an estimate.
const MIN_INITIALS: usize = 8;
/// The share of a list that must be in order: in many an index, entries are nested below others. An estimate; the indexes of the manual of
/// GIMP, where half the entries are nested, have .41 to .50.
const MIN_SORTED: f64 = 0.4;
/// … and the ordered part must be this many times as long as in a random list, where it has about 2·√n of n entries.
const TIMES_CHANCE: f64 = 2.0;
/// The share of a list that is in order if a language has sorted it by itself, and entries are not nested. An estimate: letters with marks have other
/// places in alphabets than here. Of lists that keep the order of the original, half may be in order, where words are alike.
const MIN_OWN: f64 = 0.9;

/// Which blocks stand in alphabetical lists, given the tag and the [`initial`] of each. For each tag, these are the blocks from the first
/// to the last of the longest subsequence with ordered initials, if it is longer than chance explains. Time n·log n.
pub fn in_lists(blocks: &[(u16, Option<char>)]) -> Vec<bool> {
    let mut by_tag: FxHashMap<u16, (Vec<usize>, Vec<char>)> = FxHashMap::default();
    for (at, &(tag, initial)) in blocks.iter().enumerate() {
        if let Some(initial) = initial {
            let (places, initials) = by_tag.entry(tag).or_default();
            places.push(at);
            initials.push(initial);
        }
    }
    let mut found = vec![false; blocks.len()];
    for (tag, (places, initials)) in by_tag {
        let Some((first, last)) = sorted_part(&initials) else { continue };
        for at in places[first]..=places[last] {
            found[at] |= blocks[at].0 == tag;
        }
    }
    found
}

/// For each block of the first page, the block of the second that stands at the same place of a list: between two anchors, which are words
/// that occur once on each page, with as many blocks between them on both pages. Where languages sort their lists themselves, such
/// stretches are rare, but for anchors beside each other. `blocks` are the words of each block. Time grows with the words.
pub fn in_place(blocks: [&[&[u64]]; 2]) -> Vec<Option<u32>> {
    let mut once: FxHashMap<u64, [Option<u32>; 2]> = FxHashMap::default();
    let mut often: FxHashSet<u64> = FxHashSet::default();
    for (side, blocks) in blocks.iter().enumerate() {
        for (block, words) in (0u32..).zip(*blocks) {
            for &word in *words {
                if once.entry(word).or_default()[side].replace(block).is_some() {
                    often.insert(word);
                }
            }
        }
    }
    let anchor = |(word, at): (&u64, &[Option<u32>; 2])| Some((at[0]?, at[1]?)).filter(|_| !often.contains(word));
    let mut anchors: Vec<(u32, u32)> = once.iter().filter_map(anchor).collect();
    anchors.sort_unstable();
    anchors.dedup();
    let mut places = vec![None; blocks[0].len()];
    for pair in anchors.windows(2) {
        let ((i, j), (next_i, next_j)) = (pair[0], pair[1]);
        if i < next_i && j < next_j && next_i - i == next_j - j {
            (0..=next_i - i).for_each(|step| places[(i + step) as usize] = Some(j + step));
        }
    }
    places
}

/// The first letter of a text, in lower case.
pub fn initial(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphabetic()).and_then(|c| c.to_lowercase().next())
}

/// True for entries that a language has sorted by itself, given the initials of those of each tag.
pub fn are_sorted<'i>(by_tag: impl Iterator<Item = &'i Vec<char>>) -> bool {
    let counts = by_tag.map(|initials| (longest_sorted(initials).0.len(), initials.len()));
    let (sorted, all) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    sorted as f64 >= MIN_OWN * all as f64
}

/// For each length, the position that ends an ordered subsequence of that length with the smallest initial; for each position, the one before it.
fn longest_sorted(initials: &[char]) -> (Vec<usize>, Vec<usize>) {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = Vec::with_capacity(initials.len());
    for (at, &initial) in initials.iter().enumerate() {
        let length = ends.partition_point(|&end| initials[end] <= initial);
        before.push(if length == 0 { at } else { ends[length - 1] });
        ends.splice(length..(length + 1).min(ends.len()), [at]);
    }
    (ends, before)
}

/// The first and last position of the longest ordered subsequence, if it is longer than chance explains.
fn sorted_part(initials: &[char]) -> Option<(usize, usize)> {
    let (ends, before) = longest_sorted(initials);
    let (&last, sorted, all) = (ends.last()?, ends.len() as f64, initials.len() as f64);
    let (mut first, mut letters) = (last, 1);
    while before[first] != first {
        letters += usize::from(initials[before[first]] != initials[first]);
        first = before[first];
    }
    let is_list = letters >= MIN_INITIALS && sorted >= MIN_SORTED * all && sorted >= TIMES_CHANCE * 2.0 * all.sqrt();
    is_list.then_some((first, last))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_index_is_a_list_and_other_pages_are_none() {
        let part = |text: &str| sorted_part(&text.chars().collect::<Vec<char>>());
        // Three entries for each initial, and one nested below each that begins with z: 78 of 104 are in order; by chance it would be 20.
        let index: String = ('a'..='z').map(|c| format!("{c}{c}{c}z")).collect();
        assert_eq!(part(&index), Some((0, 103)));
        let reversed: String = index.chars().rev().collect();
        assert_eq!(part(&reversed), None);
        assert_eq!(part(&format!("x{index}ba")), Some((1, 104)));
        // Ordered, but with only seven letters; or too few entries.
        assert_eq!(part(&"abcdefg".chars().flat_map(|c| [c; 20]).collect::<String>()), None);
        assert_eq!(part("abcdefghijklmno"), None);
        assert_eq!(part(""), None);
        let own = |text: &str| are_sorted([text.chars().collect()].iter());
        assert!(own("aaabbccddäeffgg") && own("") && !own(&index), "an index has nested entries");
        assert_eq!((initial("12. Énd"), initial("12")), (Some('é'), None));
        // Only blocks of that tag count, including those without a letter.
        let mut blocks: Vec<(u16, Option<char>)> = index.chars().flat_map(|c| [(7, Some(c)), (9, Some('x'))]).collect();
        blocks[2] = (7, None);
        let found = in_lists(&blocks);
        assert!(found.iter().enumerate().all(|(at, &is_found)| is_found == (at % 2 == 0)));
    }

    #[test]
    fn anchors_with_as_much_between_them_on_both_pages_are_at_their_place() {
        let blocks = |words: &[&'static [u64]]| words.to_vec();
        // 1, 2 and 3 stand once on each page; 9 stands twice on one. Between 1 and 2 there is as much on both pages, between 2 and 3 not.
        let a = blocks(&[&[9], &[1, 9], &[7], &[2], &[3], &[8]]);
        let b = blocks(&[&[1], &[70], &[2], &[90], &[3], &[9]]);
        assert_eq!(in_place([&a, &b]), [None, Some(0), Some(1), Some(2), None, None]);
        // In another order, nothing is at its place.
        let c = blocks(&[&[3], &[2], &[70], &[1]]);
        assert_eq!(in_place([&a, &c]), [None; 6]);
        assert_eq!(in_place([&[], &b]), []);
    }

    proptest! {
        #[test]
        fn the_part_in_order_is_the_longest(initials in prop::collection::vec(prop::char::range('a', 'z'), 0..80)) {
            // For each position, the longest ordered subsequence that ends there.
            let mut longest = vec![1usize; initials.len()];
            for at in 0..initials.len() {
                for earlier in 0..at {
                    if initials[earlier] <= initials[at] {
                        longest[at] = longest[at].max(longest[earlier] + 1);
                    }
                }
            }
            let sorted = longest.iter().copied().max().unwrap_or(0) as f64;
            let all = initials.len() as f64;
            if let Some((first, last)) = sorted_part(&initials) {
                prop_assert!(first < last && initials[first] <= initials[last]);
                prop_assert_eq!(longest[last] as f64, sorted);
                prop_assert!(sorted >= MIN_SORTED * all && sorted >= 4.0 * all.sqrt());
            }
        }
    }
}
