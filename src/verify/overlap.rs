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
