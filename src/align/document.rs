//! A page cut into blocks, sentences and words.

use std::ops::Range;

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
    /// Characters that are no white space.
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
    /// Its place among the blocks of the page.
    pub number: u32,
    /// Its sentences.
    pub sentences: Range<u32>,
}

/// What alignment looks at of one page.
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
}

impl<'t> Document<'t> {
    /// Cuts a page. Blocks that do not lie in the text are left out, and so is what stands behind `max_sentences`.
    pub fn new(
        text: &'t str,
        blocks: impl Iterator<Item = Block>,
        lang: Lang,
        words: &Words,
        max_sentences: u32,
    ) -> Document<'t> {
        let mut document = Document { text, blocks: Vec::new(), sentences: Vec::new(), words: Vec::new() };
        for (block, number) in blocks.zip(0u32..) {
            let Some(inside) = text.get(block.start as usize..block.end as usize) else { continue };
            if document.sentences.len() >= max_sentences as usize {
                break;
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
                    chars: sentence.chars().filter(|c| !c.is_whitespace()).count() as u32,
                    words: from..document.words.len() as u32,
                    block: at,
                });
            });
            let last = document.sentences.len() as u32;
            if last > first {
                document.blocks.push(DocumentBlock { tag: block.tag, number, sentences: first..last });
            }
        }
        document
    }

    /// The same text as one block, for the comparison with methods that know no blocks.
    pub fn without_blocks(mut self) -> Document<'t> {
        for sentence in &mut self.sentences {
            sentence.block = 0;
        }
        self.blocks.truncate(1);
        if let Some(block) = self.blocks.first_mut() {
            block.sentences = 0..self.sentences.len() as u32;
        }
        self
    }

    /// Some consecutive sentences together.
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

    /// All sentences.
    pub fn sentence_spans(&self) -> Vec<Span> {
        let span = |sentence: &Sentence| Span { chars: sentence.chars, words: sentence.words.clone() };
        self.sentences.iter().map(span).collect()
    }

    /// All blocks.
    pub fn block_spans(&self) -> Vec<Span> {
        self.blocks.iter().map(|block| self.span(block.sentences.clone())).collect()
    }

    /// The sentences of some consecutive blocks; of no block, the place between the sentences of its neighbours.
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

    /// Where some consecutive sentences lie in the text.
    pub fn bytes_of(&self, sentences: Range<u32>) -> Range<u32> {
        let inside = &self.sentences[sentences.start as usize..sentences.end as usize];
        match (inside.first(), inside.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }
}
