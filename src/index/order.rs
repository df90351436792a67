//! Pages in the order of their URLs.

use std::cmp::Ordering;

/// Sorts pages by URL without scheme, then by `tie`. The two numbers before each page are working space.
///
/// URLs lie in mapped memory in no order, so each is accessed as seldom as possible: the prefix common to all is skipped, the next 16 bytes
/// are sorted as numbers, and runs of equal numbers are sorted in the same way by what follows.
pub fn sort_by_url<'i, T: Copy + Ord>(
    order: &mut [([u64; 2], T)],
    identity: &dyn Fn(T) -> &'i str,
    tie: &dyn Fn(T, T) -> Ordering,
) {
    if order.len() <= SHORT_RUN {
        order.sort_by(|(_, a), (_, b)| identity(*a).cmp(identity(*b)).then_with(|| tie(*a, *b)));
        return;
    }
    let shared = common_prefix(order.iter().map(|(_, page)| identity(*page)));
    for (key, page) in order.iter_mut() {
        *key = sort_key(identity(*page), shared);
    }
    order.sort_unstable();
    for run in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        let first = identity(run[0].1);
        if run.iter().all(|(_, page)| identity(*page) == first) {
            run.sort_by(|(_, a), (_, b)| tie(*a, *b));
        } else {
            sort_by_url(run, identity, tie);
        }
    }
}

/// Runs of this many URLs or fewer are compared whole.
const SHORT_RUN: usize = 16;

/// The 16 bytes of a URL after the first `shared`, as two numbers that sort in the same order.
fn sort_key(identity: &str, shared: usize) -> [u64; 2] {
    let tail = identity.as_bytes().get(shared..).unwrap_or(&[]);
    let mut bytes = [0; 16];
    let length = tail.len().min(16);
    bytes[..length].copy_from_slice(&tail[..length]);
    let number = u128::from_be_bytes(bytes);
    [(number >> 64) as u64, number as u64]
}

fn common_prefix<'s>(mut texts: impl Iterator<Item = &'s str>) -> usize {
    let Some(first) = texts.next() else { return 0 };
    texts.fold(first.len(), |shared, text| {
        first.bytes().zip(text.bytes()).take(shared).take_while(|(a, b)| a == b).count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorting_by_parts_is_sorting_by_url(texts in proptest::collection::vec("[ab/]{0,40}", 0..200)) {
            let identity = |page: u32| texts[page as usize].as_str();
            let mut order: Vec<([u64; 2], u32)> = (0..texts.len() as u32).map(|at| ([0; 2], at)).collect();
            sort_by_url(&mut order, &identity, &|a, b| b.cmp(&a));
            let mut expected: Vec<u32> = (0..texts.len() as u32).collect();
            expected.sort_by(|&a, &b| texts[a as usize].cmp(&texts[b as usize]).then_with(|| b.cmp(&a)));
            prop_assert_eq!(order.iter().map(|(_, page)| *page).collect::<Vec<_>>(), expected);
        }
    }
}
