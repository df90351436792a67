//! Puts page pairs with common pages together, so that each page is divided into sentences once and not once for each pair.

use rustc_hash::FxHashMap;

/// Divides page pairs into batches: positions in `pairs`, each once. Pairs that are connected by common pages follow one another, and are
/// separated only where a batch is full (`max`). Pages are any numbers. Time grows with the pairs.
pub fn batches(pairs: &[(u64, u64)], max: usize) -> Vec<Vec<u32>> {
    let mut first_pair: FxHashMap<u64, u32> = FxHashMap::default();
    // For each pair, an earlier pair with which it is connected, or itself.
    let mut parents: Vec<u32> = Vec::with_capacity(pairs.len());
    for (&(a, b), number) in pairs.iter().zip(0u32..) {
        parents.push(number);
        for page in [a, b] {
            let first = *first_pair.entry(page).or_insert(number);
            let (one, other) = (root(&mut parents, first), root(&mut parents, number));
            parents[one.max(other) as usize] = one.min(other);
        }
    }
    let mut order: Vec<(u32, u32)> = (0..pairs.len() as u32).map(|pair| (root(&mut parents, pair), pair)).collect();
    order.sort_unstable();
    let mut batches: Vec<Vec<u32>> = Vec::new();
    for component in order.chunk_by(|x, y| x.0 == y.0) {
        for part in component.chunks(max.max(1)) {
            match batches.last_mut() {
                Some(batch) if batch.len() + part.len() <= max => batch.extend(part.iter().map(|pair| pair.1)),
                _ => batches.push(part.iter().map(|pair| pair.1).collect()),
            }
        }
    }
    batches
}

/// The first pair of the connected group; shortens the paths on the way.
fn root(parents: &mut [u32], mut pair: u32) -> u32 {
    while parents[pair as usize] != pair {
        let above = parents[parents[pair as usize] as usize];
        parents[pair as usize] = above;
        pair = above;
    }
    pair
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_of_the_same_pages_come_together() {
        // Pages 1, 2, 3 are versions in three languages, and so are 4, 5, 6; pairs are sorted by languages.
        let pairs = [(1, 2), (4, 5), (1, 3), (4, 6), (2, 3), (5, 6), (8, 9)];
        assert_eq!(batches(&pairs, 4), [vec![0, 2, 4], vec![1, 3, 5, 6]]);
        assert_eq!(batches(&pairs, 2), [vec![0, 2], vec![4], vec![1, 3], vec![5, 6]]);
        assert_eq!(batches(&[], 2), Vec::<Vec<u32>>::new());
    }

    proptest! {
        #[test]
        fn each_pair_stands_in_one_batch(
            pairs in prop::collection::vec((0u64..20, 20u64..40), 0..60), max in 1usize..9,
        ) {
            let batches = batches(&pairs, max);
            prop_assert!(batches.iter().all(|batch| (1..=max).contains(&batch.len())));
            let mut all = batches.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..pairs.len() as u32).collect::<Vec<_>>());
        }
    }
}
