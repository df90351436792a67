//! Alphabetical lists: indexes and glossaries. Each language sorts its own, so what stands side by side is no translation for that.

use rustc_hash::FxHashMap;

/// A list has at least so many different initials: an estimate.
const MIN_INITIALS: usize = 8;
/// So much of a list is in order, at the least: entries stand below others in many an index. An estimate; the indexes of the manual of
/// GIMP, where half the entries do, have .41 to .50.
const MIN_SORTED: f64 = 0.4;
/// … and the part in order is so many times as long as in a list without order, where it has some 2·√n of n.
const TIMES_CHANCE: f64 = 2.0;

/// Which blocks stand in alphabetical lists, given the tag and the [`initial`] of each: for each tag, those from the first to the last of
/// the longest part whose initials are in order, where that is longer than chance would have it. Time n·log n.
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

/// The first letter, in lower case.
pub fn initial(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphabetic()).and_then(|c| c.to_lowercase().next())
}

/// The first and the last place of the longest part in order, if that is longer than chance would have it.
fn sorted_part(initials: &[char]) -> Option<(usize, usize)> {
    // For each length, the place that ends a part of that length with the smallest initial; for each place the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = Vec::with_capacity(initials.len());
    for (at, &initial) in initials.iter().enumerate() {
        let length = ends.partition_point(|&end| initials[end] <= initial);
        before.push(if length == 0 { at } else { ends[length - 1] });
        ends.splice(length..(length + 1).min(ends.len()), [at]);
    }
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
        // Three of an initial, and one below each that begins with z: 78 of 104 are in order, by chance 20.
        let index: String = ('a'..='z').map(|c| format!("{c}{c}{c}z")).collect();
        assert_eq!(part(&index), Some((0, 103)));
        let reversed: String = index.chars().rev().collect();
        assert_eq!(part(&reversed), None);
        assert_eq!(part(&format!("x{index}ba")), Some((1, 104)));
        // In order, but seven letters only; or too few entries to tell.
        assert_eq!(part(&"abcdefg".chars().flat_map(|c| [c; 20]).collect::<String>()), None);
        assert_eq!(part("abcdefghijklmno"), None);
        assert_eq!(part(""), None);
        assert_eq!((initial("12. Énd"), initial("12")), (Some('é'), None));
        // Only blocks of that tag, those without a letter among them.
        let mut blocks: Vec<(u16, Option<char>)> = index.chars().flat_map(|c| [(7, Some(c)), (9, Some('x'))]).collect();
        blocks[2] = (7, None);
        let found = in_lists(&blocks);
        assert!(found.iter().enumerate().all(|(at, &is_found)| is_found == (at % 2 == 0)));
    }

    proptest! {
        #[test]
        fn the_part_in_order_is_the_longest(initials in prop::collection::vec(prop::char::range('a', 'z'), 0..80)) {
            // Of each place, the longest part that ends there, and how many letters the first such has.
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
