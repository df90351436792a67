//! Reads text without markup, as WET files have it; each line is a block.

use super::fold;
use super::read::{Read, Signs};
use super::signals::Collector;
use crate::language::{Run, RunKind};
use crate::types::{Block, Page};

/// Length of a title, in characters, at most: WET files begin with the title, but a first line may be a whole text.
const MAX_TITLE_CHARS: usize = 500;

/// A page that has only text: no tags, no links, and blocks with the code of unknown tags.
pub fn read(body: &[u8]) -> Read {
    // A `u32` can hold positions in the text, since bodies are far shorter than 4 GiB.
    let source = String::from_utf8_lossy(body);
    let mut page = Page { charset: "utf-8".to_owned(), ..Page::default() };
    let mut runs = Vec::new();
    for line in source.lines() {
        let line = fold::folded(line);
        if line.is_empty() {
            continue;
        }
        let start = page.text.len() as u32;
        page.text.push_str(&line);
        let end = page.text.len() as u32;
        page.text.push('\n');
        page.blocks.push(Block { start, end, ..Block::default() });
        runs.push(Run { start, end, kind: RunKind::Prose });
    }
    if let Some(first) = page.blocks.first() {
        page.title = page.text[first.start as usize..first.end as usize].chars().take(MAX_TITLE_CHARS).collect();
    }
    Read { page, runs, signs: Signs::default(), signals: Collector::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_blocks() {
        let body = "Ein Titel\n\n  Ein kurzer  Text, der auf Deutsch geschrieben wurde,\r\nund lang genug ist, um eine \
                    ganze Seite zu sein.";
        let Read { page, runs, .. } = read(body.as_bytes());
        let blocks: Vec<&str> = page.blocks.iter().map(|b| &page.text[b.start as usize..b.end as usize]).collect();
        assert_eq!(blocks[..2], ["Ein Titel", "Ein kurzer Text, der auf Deutsch geschrieben wurde,"]);
        assert_eq!((page.title.as_str(), runs.len(), blocks.len()), ("Ein Titel", 3, 3));
    }

    proptest! {
        #[test]
        fn any_bytes_are_text(body: Vec<u8>) {
            let page = read(&body).page;
            prop_assert!(page.blocks.iter().all(|b| page.text.get(b.start as usize..b.end as usize).is_some()));
        }
    }
}
