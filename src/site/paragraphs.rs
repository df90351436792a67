//! Where sentences stand on their page.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use crate::extract::is_unspaced;
use crate::store::layout::StoredPage;
use crate::text::sentences::for_each_sentence;
use crate::types::{Block, BlockKind, Lang, LinkKind, SentencePlace, tag_name};

/// A page with its paragraphs (blocks), and where sentences begin in them.
pub struct Paragraphs {
    /// The page.
    pub page: StoredPage,
    lang: Lang,
    blocks: Vec<Block>,
    /// The paragraphs that are one link and nothing else.
    links: FxHashSet<u32>,
    /// The sentences that were asked for last, if they end in the paragraph in which they begin.
    before: Cell<Option<Before>>,
    /// The paragraph whose sentences were counted last, and how many it has.
    counted: Cell<Option<(u32, u32)>>,
}

/// Some sentences of one paragraph.
#[derive(Clone, Copy)]
struct Before {
    paragraph: u32,
    /// Where they end in the text.
    end: u32,
    /// The number of the sentence that follows.
    next: u32,
}

impl Paragraphs {
    /// Of a page whose text is in a language.
    pub fn new(page: StoredPage, lang: Lang) -> Paragraphs {
        let blocks: Vec<Block> = page.blocks().collect();
        let links = links(&page, &blocks);
        Paragraphs { page, lang, blocks, links, before: Cell::default(), counted: Cell::default() }
    }

    /// The place of the sentences in a range of bytes, of which there are `count`; `None` for an empty range.
    pub fn place(&self, range: (u32, u32), count: u8) -> Option<SentencePlace> {
        let text = Some(sentence_text(&self.page, range)).filter(|text| !text.is_empty())?;
        let (paragraph, sentence) = self.number(range, count);
        Some(SentencePlace { text, paragraph, sentence, count: u32::from(count) })
    }

    /// Passes over sentences that nobody asks about, so that the sentences after them are numbered without dividing the paragraph again.
    pub fn pass(&self, range: (u32, u32), count: u8) {
        if range.1 > range.0 {
            self.number(range, count);
        }
    }

    /// The number of the paragraph in which a byte of the text lies.
    pub fn paragraph(&self, byte: u32) -> u32 {
        self.blocks.partition_point(|block| block.end <= byte) as u32
    }

    /// How many paragraphs the page has, and how many sentences this paragraph has.
    pub fn totals(&self, paragraph: u32) -> (u32, u32) {
        let block = self.blocks.get(paragraph as usize).copied().unwrap_or_default();
        let count = match self.counted.get().filter(|(counted, _)| *counted == paragraph) {
            Some((_, count)) => count,
            None => self.count(block, u32::MAX),
        };
        self.counted.set(Some((paragraph, count)));
        (self.blocks.len() as u32, count)
    }

    /// The tag of a paragraph.
    pub fn tag(&self, paragraph: u32) -> &'static str {
        self.blocks.get(paragraph as usize).map_or("?", |block| tag_name(block.tag))
    }

    /// The kind of a paragraph.
    pub fn kind(&self, paragraph: u32) -> BlockKind {
        let kind = self.blocks.get(paragraph as usize).map_or(BlockKind::Other, |block| BlockKind::of_tag(block.tag));
        if self.links.contains(&paragraph) && kind != BlockKind::Heading { BlockKind::Link } else { kind }
    }

    /// The text between the sentences up to `end`, the first of which begins at `first`, and those that begin at `start`, if the two can be
    /// joined. They can if nothing else stands between them, and they are in the same paragraph, or both in paragraphs of running text.
    pub fn joint(&self, end: u32, start: u32, first: u32) -> Option<&'static str> {
        let text = self.page.text();
        let between = text.get(end as usize..start as usize).filter(|between| between.trim().is_empty())?;
        let (last, next) = (self.paragraph(end.max(first + 1) - 1), self.paragraph(start));
        if last == next {
            return Some(if between.is_empty() { "" } else { " " });
        }
        let is_text = |paragraph| self.kind(paragraph) == BlockKind::Paragraph;
        let are_texts = (self.paragraph(first)..=next).all(is_text);
        are_texts.then(|| if is_unspaced(&text[..end as usize], &text[start as usize..]) { "" } else { " " })
    }

    /// The paragraph of the first of some sentences, and its number there.
    fn number(&self, (start, end): (u32, u32), count: u8) -> (u32, u32) {
        let paragraph = self.paragraph(start);
        let block = self.blocks.get(paragraph as usize).copied().unwrap_or_default();
        let is_blank = |from: u32| {
            let before = self.page.text().get(from as usize..start as usize);
            before.is_some_and(|before| before.trim().is_empty())
        };
        let before = self.before.get().filter(|before| before.paragraph == paragraph && is_blank(before.end));
        let sentence = match before {
            _ if is_blank(block.start) => 0,
            Some(before) => before.next,
            None => self.count(block, start).saturating_sub(1),
        };
        let is_inside = end > start && end <= block.end;
        self.before.set(is_inside.then_some(Before { paragraph, end, next: sentence + u32::from(count) }));
        (paragraph, sentence)
    }

    /// How many sentences of a block begin at a byte of the text or before; the block is divided as alignment did.
    fn count(&self, block: Block, byte: u32) -> u32 {
        let inside = self.page.text().get(block.start as usize..block.end as usize).unwrap_or("");
        let mut count = 0u32;
        for_each_sentence(inside, self.lang, |range| count += u32::from(block.start + range.start as u32 <= byte));
        count
    }
}

/// The text of some sentences of a page, on one line; empty where the range lies outside its text.
pub fn sentence_text(page: &StoredPage, (start, end): (u32, u32)) -> String {
    page.text().get(start as usize..end as usize).unwrap_or("").replace('\n', " ")
}

/// The numbers of the blocks whose whole text is that of a link in them.
fn links(page: &StoredPage, blocks: &[Block]) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    page.for_each_link(|_, link| {
        if link.kind != LinkKind::Anchor || link.anchor.is_empty() {
            return;
        }
        // The tag of a link stands before the text of its block, or within it.
        let next = blocks.partition_point(|block| block.at <= link.at);
        for number in [next.checked_sub(1), Some(next)].into_iter().flatten() {
            let text = blocks.get(number).and_then(|block| page.text().get(block.start as usize..block.end as usize));
            if text.is_some_and(|text| text.trim() == link.anchor) {
                found.insert(number as u32);
            }
        }
    });
    found
}
