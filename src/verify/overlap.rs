//! What two pages have in common: numbers, links, images, and blocks of text.

/// Dice's coefficient of two sorted multisets: 2·|A ∩ B| / (|A| + |B|), 0..=1. `None` when both are empty.
///
/// By hand: A = {1, 1, 2}, B = {1, 2, 2, 3}. A ∩ B = {1, 2}, so 2·2/(3 + 4) = 4/7.
///
/// Linear in the lengths.
pub fn dice(a: &[u64], b: &[u64]) -> Option<f64> {
    let whole = a.len() + b.len();
    (whole > 0).then(|| 2.0 * common(a, b) as f64 / whole as f64)
}

/// What two sorted multisets have in common, as an [`estimate`] from the mean number of their elements, 0..=1. `None` when both are
/// empty.
///
/// By hand: A = {1, 1, 2}, B = {1, 2, 2, 3}: (4/7·3.5 + ½)/(3.5 + 1) = 5/9.
pub fn in_common(a: &[u64], b: &[u64]) -> Option<f64> {
    dice(a, b).map(|share| estimate(share, (a.len() + b.len()) as f64 / 2.0))
}

/// The share to expect where `count` words were seen with this share: (share·count + ½)/(count + 1), the mean under Jeffreys' prior. One
/// number in common, and no other, is little evidence: 3/4; a hundred of them are much: 0.995. Where none was seen, a measure says nothing, as
/// ½ says nothing.
pub fn estimate(share: f64, count: f64) -> f64 {
    (share * count + 0.5) / (count + 1.0)
}

/// How many elements two sorted multisets share.
pub fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_by_hand_is_four_sevenths() {
        assert_eq!(dice(&[1, 1, 2], &[1, 2, 2, 3]), Some(4.0 / 7.0));
        assert_eq!(dice(&[], &[]), None);
        assert_eq!(dice(&[], &[1]), Some(0.0));
    }

    #[test]
    fn the_fewer_there_are_the_less_it_says_that_all_or_none_are_in_common() {
        assert_eq!(in_common(&[1, 1, 2], &[1, 2, 2, 3]), Some(5.0 / 9.0));
        assert_eq!(in_common(&[1], &[1]), Some(0.75));
        assert_eq!(in_common(&[1], &[2]), Some(0.25));
        assert_eq!(in_common(&[], &[]), None);
        let many: Vec<u64> = (0..100).collect();
        assert!(in_common(&many, &many).is_some_and(|share| (share - 0.995).abs() < 1e-3));
        assert_eq!(estimate(0.9, 0.0), 0.5);
    }

    proptest! {
        #[test]
        fn what_is_shared_can_be_crossed_out_one_by_one(
            mut a in prop::collection::vec(0u64..8, 0..20),
            mut b in prop::collection::vec(0u64..8, 0..20),
        ) {
            let mut left = b.clone();
            let crossed = a.iter().filter(|x| left.iter().position(|y| y == *x).map(|at| left.remove(at)).is_some()).count();
            a.sort_unstable();
            b.sort_unstable();
            prop_assert_eq!(common(&a, &b), crossed);
        }
    }
}
