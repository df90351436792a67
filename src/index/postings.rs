//! Token → the skeletons in which it fills the slot, as roaring bitmaps, and the pages.

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

/// One posting list: the skeletons that are filled by a value, in pages of one language.
#[derive(Clone, Debug, Default)]
pub struct Posting {
    /// Dense numbers of the skeletons.
    pub skeletons: RoaringBitmap,
    /// The page for each skeleton, in the order of the bitmap.
    pub pages: Vec<u32>,
}

/// All posting lists of one pass: (value, label) → [`Posting`].
///
/// With dense skeleton numbers, a bitmap takes at most one bit for each skeleton; the pages take four bytes for each posting.
#[derive(Debug, Default)]
pub struct Postings {
    lists: FxHashMap<(u32, u16), Posting>,
}

impl Postings {
    /// Notes that `page`, of language `label`, has `value` in `skeleton`. Skeletons must come in ascending order; a second page with the
    /// same value, label and skeleton is ignored.
    pub fn push(&mut self, value: u32, label: u16, skeleton: u32, page: u32) {
        let posting = self.lists.entry((value, label)).or_default();
        if posting.skeletons.max() != Some(skeleton) {
            posting.skeletons.insert(skeleton);
            posting.pages.push(page);
        }
    }

    /// How many skeletons are filled by both: the linking power of the key that the two form.
    pub fn linking_power(&self, from: (u32, u16), to: (u32, u16)) -> u64 {
        match (self.lists.get(&from), self.lists.get(&to)) {
            (Some(a), Some(b)) => a.skeletons.intersection_len(&b.skeletons),
            _ => 0,
        }
    }

    /// The pairs of the key: one pair for each common skeleton, in the order of skeletons.
    pub fn pairs(&self, from: (u32, u16), to: (u32, u16)) -> Vec<(u32, u32)> {
        let (Some(a), Some(b)) = (self.lists.get(&from), self.lists.get(&to)) else { return Vec::new() };
        let mut pairs = Vec::with_capacity(a.skeletons.intersection_len(&b.skeletons) as usize);
        let mut right = b.skeletons.iter().zip(&b.pages).peekable();
        for (skeleton, &page) in a.skeletons.iter().zip(&a.pages) {
            while right.next_if(|(other, _)| *other < skeleton).is_some() {}
            if let Some((_, &other)) = right.next_if(|(other, _)| *other == skeleton) {
                pairs.push((page, other));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_the_intersection_with_the_pages_behind_it() {
        let mut postings = Postings::default();
        for (skeleton, page) in [(0, 10), (2, 12), (5, 15), (5, 99)] {
            postings.push(1, 0, skeleton, page);
        }
        for (skeleton, page) in [(1, 21), (2, 22), (5, 25)] {
            postings.push(2, 1, skeleton, page);
        }
        assert_eq!(postings.linking_power((1, 0), (2, 1)), 2);
        assert_eq!(postings.pairs((1, 0), (2, 1)), [(12, 22), (15, 25)]);
        assert_eq!(postings.linking_power((1, 0), (2, 0)), 0);
    }
}
