//! Tells which beads stand in lists that each language has sorted for itself.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::document::Document;
use super::lists;
use crate::types::Bead;

/// The alphabetical lists of two pages.
pub struct Resorted<'d, 't> {
    a: &'d Document<'t>,
    b: &'d Document<'t>,
    /// For each block of the first page, the block at the same place of a list of the second ([`lists::in_place`]); empty where a page has
    /// no list.
    places: Vec<Option<u32>>,
}

impl<'d, 't> Resorted<'d, 't> {
    /// Looks for anchors in the lists. Time grows with the words of the pages, where both have lists.
    pub fn new(a: &'d Document<'t>, b: &'d Document<'t>) -> Resorted<'d, 't> {
        let has_list = |document: &Document<'_>| document.blocks.iter().any(|block| block.in_list);
        let mut resorted = Resorted { a, b, places: Vec::new() };
        if has_list(a) && has_list(b) {
            let words = |document: &'d Document<'t>| -> Vec<&'d [u64]> {
                let of_block = |sentences: &Range<u32>| document.words_in(document.span(sentences.clone()).words);
                document.blocks.iter().map(|block| of_block(&block.sentences)).collect()
            };
            resorted.places = lists::in_place([&words(a), &words(b)]);
        }
        resorted
    }

    /// How many entries the lists have, those of the page that has fewer; 1 if it is not clear that each language has sorted its own.
    pub fn entries(&self) -> u32 {
        let of = |document: &Document<'_>| {
            let mut by_tag: FxHashMap<u16, Vec<char>> = FxHashMap::default();
            for block in document.blocks.iter().filter(|block| block.in_list) {
                let first = document.text_of(block.sentences.start..block.sentences.start + 1);
                by_tag.entry(block.tag).or_default().extend(lists::initial(first));
            }
            let entries = by_tag.values().map(Vec::len).sum::<usize>() as u32;
            if lists::are_sorted(by_tag.values()) { entries } else { 1 }
        };
        of(self.a).min(of(self.b))
    }

    /// True for a bead in alphabetical lists on both sides, unless anchors show that it stands at the same place of both.
    pub fn has(&self, bead: &Bead) -> bool {
        let block = |document: &Document<'_>, sentence: u32| {
            document.sentences.get(sentence as usize).map_or(u32::MAX, |sentence| sentence.block)
        };
        let (a, b) = (block(self.a, bead.a_start), block(self.b, bead.b_start));
        let in_list = |document: &Document<'_>, block: u32| {
            document.blocks.get(block as usize).is_some_and(|block| block.in_list)
        };
        let is_in_place = self.places.get(a as usize).is_some_and(|place| *place == Some(b));
        in_list(self.a, a) && in_list(self.b, b) && !is_in_place
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::of_blocks;
    use super::*;

    #[test]
    fn a_list_that_keeps_the_order_of_the_original_is_not_sorted_anew() {
        // Each third entry names something that is the same in both languages.
        let entries = |word: &str, shift: usize| -> Vec<String> {
            let initial = |at: usize| char::from(b'a' + (at / 3) as u8);
            let entry = |at: usize| match at % 3 {
                0 => format!("{}option{}. ", initial(at), at + shift),
                _ => format!("{}{word}{at}{word} {word}. ", initial(at)),
            };
            (0..78).map(entry).collect()
        };
        let bead = |at: u32| Bead { a_start: at, a_end: at + 1, b_start: at, b_end: at + 1 };
        let (a, b) = (of_blocks(&entries("wort", 0)), of_blocks(&entries("mot", 0)));
        let in_place = Resorted::new(&a, &b);
        assert!((0..75).all(|at| !in_place.has(&bead(at))));
        assert!(in_place.has(&Bead { b_start: 5, b_end: 6, ..bead(4) }), "not its own place");
        // Nothing vouches for the entries of lists without anything in common.
        let other = of_blocks(&entries("mot", 1000));
        assert!((0..75).all(|at| Resorted::new(&a, &other).has(&bead(at))));
        assert_eq!(in_place.entries(), 78);
        let plain = of_blocks(&["Ein Satz.".to_owned()]);
        assert!(!Resorted::new(&plain, &plain).has(&bead(0)));
    }
}
