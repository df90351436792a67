//! A page divided into blocks, sentences and words.

use std::ops::Range;

use super::lists;
use super::span::Span;
use crate::text::sentences::for_each_sentence;
use crate::text::words::Words;
use crate::types::{Block, Lang};

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// First byte in the page's text.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Number of characters that are not white space.
    pub chars: u32,
    /// Its words in [`Document::words`].
    pub words: Range<u32>,
    /// The block it stands in.
    pub block: u32,
}

/// One block that has text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentBlock {
    /// Code of its tag.
    pub tag: u16,
    /// Its position among the blocks of the page.
    pub number: u32,
    /// Its sentences.
    pub sentences: Range<u32>,
    /// True when it stands in an alphabetical list ([`lists`]).
    pub in_list: bool,
}

/// Two pages that are versions of each other.
pub type Pages<'t> = (Document<'t>, Document<'t>);

/// The parts of a page that alignment uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'t> {
    /// The text of the page.
    pub text: &'t str,
    /// Blocks with text, in order.
    pub blocks: Vec<DocumentBlock>,
    /// Sentences, in order.
    pub sentences: Vec<Sentence>,
    /// Hashes of words, in order.
    pub words: Vec<u64>,
    /// The byte range of the text beyond the largest number of sentences that are compared; empty where there is none.
    pub rest: Range<u32>,
}

impl<'t> Document<'t> {
    /// Divides a page. Blocks outside the text are ignored. Blocks after `max_sentences` become the [`rest`](Document::rest).
    pub fn new(
        text: &'t str,
        blocks: impl Iterator<Item = Block>,
        lang: Lang,
        words: &Words,
        max_sentences: u32,
    ) -> Document<'t> {
        let mut document = Document { text, blocks: Vec::new(), sentences: Vec::new(), words: Vec::new(), rest: 0..0 };
        for (block, number) in blocks.zip(0u32..) {
            let Some(inside) = text.get(block.start as usize..block.end as usize) else { continue };
            if document.sentences.len() >= max_sentences as usize {
                let first = if document.rest.is_empty() { block.start } else { document.rest.start };
                document.rest = first..block.end.max(document.rest.end);
                continue;
            }
            let first = document.sentences.len() as u32;
            let at = document.blocks.len() as u32;
            for_each_sentence(inside, lang, |range| {
                let sentence = &inside[range.clone()];
                let from = document.words.len() as u32;
                words.for_each(sentence, |_, word| document.words.push(word));
                document.sentences.push(Sentence {
                    start: block.start + range.start as u32,
                    end: block.start + range.end as u32,
                    chars: visible_chars(sentence),
                    words: from..document.words.len() as u32,
                    block: at,
                });
            });
            let last = document.sentences.len() as u32;
            if last > first {
                document.blocks.push(DocumentBlock { tag: block.tag, number, sentences: first..last, in_list: false });
            }
        }
        let first_text = |block: &DocumentBlock| document.text_of(block.sentences.start..block.sentences.start + 1);
        let initials: Vec<(u16, Option<char>)> =
            document.blocks.iter().map(|block| (block.tag, lists::initial(first_text(block)))).collect();
        for (block, in_list) in document.blocks.iter_mut().zip(lists::in_lists(&initials)) {
            block.in_list = in_list;
        }
        document
    }

    /// The same page without some blocks, with the place that each sentence had before.
    pub fn without(&self, is_dropped: impl Fn(u32) -> bool) -> (Document<'t>, Vec<u32>) {
        self.of_these((0..self.blocks.len() as u32).filter(|&block| !is_dropped(block)))
    }

    /// The same page with its blocks in another order, with the place that each sentence had before.
    pub fn in_order(&self, blocks: &[u32]) -> (Document<'t>, Vec<u32>) {
        self.of_these(blocks.iter().copied())
    }

    fn of_these(&self, blocks: impl Iterator<Item = u32>) -> (Document<'t>, Vec<u32>) {
        let mut left =
            Document { text: self.text, blocks: Vec::new(), sentences: Vec::new(), words: Vec::new(), rest: 0..0 };
        let mut places = Vec::new();
        for block in blocks.map(|at| &self.blocks[at as usize]) {
            let first = left.sentences.len() as u32;
            for at in block.sentences.clone() {
                let sentence = &self.sentences[at as usize];
                let from = left.words.len() as u32;
                left.words.extend_from_slice(self.words_in(sentence.words.clone()));
                let words = from..left.words.len() as u32;
                left.sentences.push(Sentence { words, block: left.blocks.len() as u32, ..sentence.clone() });
                places.push(at);
            }
            left.blocks.push(DocumentBlock { sentences: first..left.sentences.len() as u32, ..block.clone() });
        }
        (left, places)
    }

    /// Consecutive sentences of the page, with their words, as a page of its own.
    pub fn part(&self, sentences: Range<u32>) -> Document<'t> {
        let mut part =
            Document { text: self.text, blocks: Vec::new(), sentences: Vec::new(), words: Vec::new(), rest: 0..0 };
        let mut last = None;
        for sentence in &self.sentences[sentences.start as usize..sentences.end as usize] {
            if last.replace(sentence.block) != Some(sentence.block) {
                let at = part.sentences.len() as u32;
                part.blocks.push(DocumentBlock { sentences: at..at, ..self.blocks[sentence.block as usize].clone() });
            }
            let from = part.words.len() as u32;
            part.words.extend_from_slice(self.words_in(sentence.words.clone()));
            let (words, block) = (from..part.words.len() as u32, part.blocks.len() as u32 - 1);
            part.sentences.push(Sentence { words, block, ..sentence.clone() });
            part.blocks[block as usize].sentences.end += 1;
        }
        part
    }

    /// The same text as a single block, for comparison with methods that do not use blocks.
    pub fn without_blocks(mut self) -> Document<'t> {
        for sentence in &mut self.sentences {
            sentence.block = 0;
        }
        self.blocks.truncate(1);
        if let Some(block) = self.blocks.first_mut() {
            block.sentences = 0..self.sentences.len() as u32;
            block.in_list = false;
        }
        self
    }

    /// A span of consecutive sentences.
    pub fn span(&self, sentences: Range<u32>) -> Span {
        let inside = &self.sentences[sentences.start as usize..sentences.end as usize];
        match (inside.first(), inside.last()) {
            (Some(first), Some(last)) => Span {
                chars: inside.iter().map(|sentence| sentence.chars).sum(),
                words: first.words.start..last.words.end,
            },
            _ => Span { chars: 0, words: 0..0 },
        }
    }

    /// The words in a range.
    pub fn words_in(&self, range: Range<u32>) -> &[u64] {
        &self.words[range.start as usize..range.end as usize]
    }

    /// Each sentence as a span.
    pub fn sentence_spans(&self) -> Vec<Span> {
        let span = |sentence: &Sentence| Span { chars: sentence.chars, words: sentence.words.clone() };
        self.sentences.iter().map(span).collect()
    }

    /// Each block as a span.
    pub fn block_spans(&self) -> Vec<Span> {
        self.blocks.iter().map(|block| self.span(block.sentences.clone())).collect()
    }

    /// The sentences of consecutive blocks; for an empty range, the place between the sentences of the neighbouring blocks.
    pub fn sentences_of(&self, blocks: Range<u32>) -> Range<u32> {
        let first = |block: u32| {
            self.blocks.get(block as usize).map_or(self.sentences.len() as u32, |block| block.sentences.start)
        };
        first(blocks.start)..first(blocks.end)
    }

    /// The text of some consecutive sentences of one block.
    pub fn text_of(&self, sentences: Range<u32>) -> &'t str {
        let range = self.bytes_of(sentences);
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    /// The byte range of consecutive sentences in the text.
    pub fn bytes_of(&self, sentences: Range<u32>) -> Range<u32> {
        let inside = &self.sentences[sentences.start as usize..sentences.end as usize];
        match (inside.first(), inside.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }
}

/// The number of characters that are not white space.
fn visible_chars(text: &str) -> u32 {
    // White space beyond ASCII begins with one of these bytes.
    let may_be_space = |first: u8| matches!(first, 0xc2 | 0xe1..=0xe3);
    let visible = |(at, &byte): (usize, &u8)| match byte {
        0..0x80 => !matches!(byte, b' ' | b'\t'..=b'\r'),
        0x80..0xc0 => false,
        _ => !(may_be_space(byte) && text[at..].starts_with(char::is_whitespace)),
    };
    text.as_bytes().iter().enumerate().filter(|&at| visible(at)).count() as u32
}

/// A page of blocks with these texts, for tests.
#[cfg(test)]
pub fn of_blocks(texts: &[String]) -> Document<'static> {
    let mut text = String::new();
    let mut blocks = Vec::new();
    for block in texts {
        let start = text.len() as u32;
        text.push_str(block);
        blocks.push(Block { start, end: text.len() as u32, tag: 7, at: 0 });
    }
    Document::new(text.leak(), blocks.into_iter(), Lang::EN, &Words::new(), 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_white_space_is_known() {
        for c in (0..0x1_1000).filter_map(char::from_u32) {
            assert_eq!(visible_chars(&format!("a{c}é")), 2 + u32::from(!c.is_whitespace()), "{c:?}");
        }
    }

    const TEXT: &str = "One two. Three!\n\nVier fünf.";

    fn document(max_sentences: u32) -> Document<'static> {
        let block = |start: u32, end: u32| Block { start, end, tag: 7, at: 0 };
        // The last block lies outside the text.
        let blocks = [block(0, 15), block(16, 16), block(17, TEXT.len() as u32), block(17, 99)];
        Document::new(TEXT, blocks.into_iter(), Lang::EN, &Words::new(), max_sentences)
    }

    #[test]
    fn a_page_is_cut_into_blocks_sentences_and_words() {
        let document = document(100);
        let blocks: Vec<_> = document.blocks.iter().map(|block| (block.number, block.sentences.clone())).collect();
        assert_eq!(blocks, [(0, 0..2), (2, 2..3)]);
        let texts: Vec<&str> = (0..3).map(|at| document.text_of(at..at + 1).trim()).collect();
        assert_eq!(texts, ["One two.", "Three!", "Vier fünf."]);
        assert_eq!(document.sentences.iter().map(|s| s.chars).collect::<Vec<_>>(), [7, 6, 9]);
        assert_eq!(document.sentence_spans()[2], Span { chars: 9, words: 3..5 });
        assert_eq!(document.block_spans(), [Span { chars: 13, words: 0..3 }, Span { chars: 9, words: 3..5 }]);
        assert_eq!(
            (document.sentences_of(1..2), document.sentences_of(1..1), document.sentences_of(2..2)),
            (2..3, 2..2, 3..3)
        );
    }

    #[test]
    fn what_stands_behind_the_most_sentences_is_left_out() {
        let document = document(1);
        assert_eq!((document.blocks.len(), document.sentences.len()), (1, 2));
        assert_eq!(&TEXT[document.rest.start as usize..document.rest.end as usize], "Vier fünf.");
        assert!(self::document(100).rest.is_empty());
    }

    #[test]
    fn what_is_left_of_a_page_keeps_its_sentences_and_words() {
        let (left, places) = document(100).without(|block| block == 0);
        let all = document(100);
        assert_eq!((left.blocks.len(), left.blocks[0].sentences.clone(), places), (1, 0..1, vec![2]));
        assert_eq!(left.text_of(0..1), "Vier fünf.");
        assert_eq!((left.words.clone(), left.sentences[0].block), (all.words[3..].to_vec(), 0));
        assert_eq!(all.without(|_| false), (document(100), vec![0, 1, 2]));
    }

    #[test]
    fn a_part_of_a_page_has_parts_of_its_blocks() {
        let all = document(100);
        assert_eq!(all.part(0..3), all);
        let part = all.part(1..3);
        let blocks: Vec<_> = part.blocks.iter().map(|block| (block.number, block.sentences.clone())).collect();
        assert_eq!(blocks, [(0, 0..1), (2, 1..2)]);
        assert_eq!((part.text_of(0..1), part.words.as_slice()), ("Three!", &all.words[2..]));
        assert_eq!(part.sentence_spans()[1], Span { chars: 9, words: 1..3 });
        assert_eq!(all.part(1..1).blocks, []);
    }

    #[test]
    fn without_blocks_a_page_is_one() {
        let document = document(100).without_blocks();
        assert_eq!(document.blocks.len(), 1);
        assert_eq!(document.blocks[0].sentences, 0..3);
        assert!(document.sentences.iter().all(|sentence| sentence.block == 0));
    }
}
