//! Two pages side by side, in the form in which a person reads them: blocks of text, and which pieces of them are aligned.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::align::clean::Reason;
use crate::config::Config;
use crate::error::Result;
use crate::site::bitext::{SiteBitext, page_record};
use crate::site::results::Site;
use crate::store::Store;
use crate::store::layout::{BeadRow, StoredPage};
use crate::types::{Block, CanonicalUrl, Lang, tag_name};

/// Two pages side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The pages, in the order they were asked for.
    pub sides: [Side; 2],
    /// The beads. The pieces of the pages refer to them by number. Empty where the pages were not aligned.
    pub beads: Vec<ReadBead>,
}

/// One page to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The language that it counts for, or that of its text if it counts for none.
    pub lang: Lang,
    /// Bytes of its text.
    pub bytes: usize,
    /// Its blocks, up to the requested length.
    pub blocks: Vec<ReadBlock>,
    /// True when the text is longer.
    pub is_cut: bool,
}

impl Reading {
    /// For each side, the text before and after a sentence pair, at most `max_bytes` of each. The place of the pair is that of the bead
    /// with these texts; where there is none, the place where the page has the text, if there is only one. Empty where the place is not
    /// known, or nothing stands there. Spaces do not count, because bitext may have other spaces between sentences than the page.
    pub fn around(&self, texts: [&str; 2], max_bytes: usize) -> [(String, String); 2] {
        let wanted = texts.map(letters);
        let sides = [&self.sides[0], &self.sides[1]].map(Side::text);
        let is_of = |bead: usize, at: usize| {
            let (text, beads) = &sides[at];
            beads.get(&bead).is_some_and(|range| letters(&text[range.clone()]) == wanted[at])
        };
        let bead = (0..self.beads.len()).find(|bead| is_of(*bead, 0) && is_of(*bead, 1));
        [0, 1].map(|at| {
            let (text, beads) = &sides[at];
            let range = bead.map_or_else(|| only_place(text, &wanted[at]), |bead| beads.get(&bead).cloned());
            let Some(range) = range else { return Default::default() };
            let (before, after) = (text[..range.start].trim_end(), text[range.end..].trim_start());
            let from = before.ceil_char_boundary(before.len().saturating_sub(max_bytes));
            let to = after.floor_char_boundary(max_bytes);
            (before[from..].to_owned(), after[..to].to_owned())
        })
    }
}

impl Side {
    /// Its blocks as one text, and where in it each bead lies.
    fn text(&self) -> (String, FxHashMap<usize, Range<usize>>) {
        let (mut text, mut beads) = (String::new(), FxHashMap::default());
        for block in &self.blocks {
            if !text.is_empty() {
                text.push('\n');
            }
            for piece in &block.pieces {
                let start = text.len();
                text.push_str(&piece.text);
                if let Some(bead) = piece.bead {
                    beads.entry(bead).or_insert(start..start).end = text.len();
                }
            }
        }
        (text, beads)
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Where a text has these letters, if it has them in one place only, and not in the middle of words.
fn only_place(text: &str, wanted: &str) -> Option<Range<usize>> {
    let (first, last) = (wanted.chars().next()?, wanted.chars().next_back()?);
    let (mut all, mut places) = (String::new(), Vec::new());
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        all.push(c);
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
    }
    let range = |(at, _): (usize, &str)| {
        let end = at + wanted.len() - last.len_utf8();
        places[at]..places[end] + last.len_utf8()
    };
    let is_in_word = |c: Option<char>, own: char| own.is_alphanumeric() && c.is_some_and(char::is_alphanumeric);
    let is_whole = |range: &Range<usize>| {
        !is_in_word(text[..range.start].chars().next_back(), first)
            && !is_in_word(text[range.end..].chars().next(), last)
    };
    let mut found = all.match_indices(wanted).map(range).filter(is_whole);
    found.next().filter(|_| found.next().is_none())
}

/// A block of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadBlock {
    /// Name of its tag.
    pub tag: &'static str,
    /// Its text, divided where beads begin and end.
    pub pieces: Vec<Piece>,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The bead it belongs to.
    pub bead: Option<usize>,
}

/// A bead: aligned sentences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadBead {
    /// Probability that they are translations, 0..=1.
    pub score: f64,
    /// Reason why they are left out of bitext, if they are.
    pub left_out: Option<&'static str>,
}

/// Reads two pages side by side, at most `max_bytes` of the text of each; `None` where the store lacks one of them.
///
/// # Errors
/// When the store cannot be read.
pub fn reading(store: &Store, config: &Config, urls: [&CanonicalUrl; 2], max_bytes: usize) -> Result<Option<Reading>> {
    let [Some(first), Some(second)] = [open(store, urls[0])?, open(store, urls[1])?] else { return Ok(None) };
    let beads = if first.0.id == second.0.id { beads_of(store, &first.0, first.1, second.1)? } else { Vec::new() };
    let ranges = |is_second: bool| -> Vec<(u32, u32)> {
        beads
            .iter()
            .map(|bead| if is_second { (bead.b_start, bead.b_end) } else { (bead.a_start, bead.a_end) })
            .collect()
    };
    let side = |page: &(Site, u32), is_second| side_of((store, config), page, &ranges(is_second), max_bytes);
    let sides = [side(&first, false)?, side(&second, true)?];
    let bead = |bead: &BeadRow| ReadBead {
        score: f64::from(bead.score),
        left_out: Reason::from_code(bead.reason).map(Reason::name),
    };
    Ok(Some(Reading { sides, beads: beads.iter().map(bead).collect() }))
}

/// Reads one page, at most `max_bytes` of its text; `None` where the store lacks it.
///
/// # Errors
/// When the store cannot be read.
pub fn side(store: &Store, config: &Config, url: &CanonicalUrl, max_bytes: usize) -> Result<Option<Side>> {
    open(store, url)?.map(|opened| side_of((store, config), &opened, &[], max_bytes)).transpose()
}

fn open(store: &Store, url: &CanonicalUrl) -> Result<Option<(Site, u32)>> {
    let Some(id) = store.site_of_domain(&url.domain())? else { return Ok(None) };
    let site = Site::open(store, id)?;
    Ok(site.pages.find(url.identity()).map(|page| (site, page)))
}

/// The beads of two pages, with their sides in this order.
fn beads_of(store: &Store, site: &Site, a: u32, b: u32) -> Result<Vec<BeadRow>> {
    let Some(bitext) = SiteBitext::open(store, site)? else { return Ok(Vec::new()) };
    if let Some((_, beads)) = bitext.of_pair(a, b) {
        return Ok(beads);
    }
    let Some((_, beads)) = bitext.of_pair(b, a) else { return Ok(Vec::new()) };
    let turned = |bead: BeadRow| BeadRow {
        a_start: bead.b_start,
        a_end: bead.b_end,
        b_start: bead.a_start,
        b_end: bead.a_end,
        ..bead
    };
    Ok(beads.into_iter().map(turned).collect())
}

fn side_of(
    (store, config): (&Store, &Config),
    (site, page): &(Site, u32),
    beads: &[(u32, u32)],
    max_bytes: usize,
) -> Result<Side> {
    let record: StoredPage = page_record(store, site, *page)?;
    let blocks: Vec<Block> = record.blocks().collect();
    let (blocks, is_cut) = read_blocks(record.text(), &blocks, beads, max_bytes);
    Ok(Side {
        url: record.url().to_owned(),
        title: record.title().to_owned(),
        lang: site.lang_of_text(*page, &config.keys),
        bytes: record.text().len(),
        blocks,
        is_cut,
    })
}

/// The first blocks of a text, up to `max_bytes`, divided where beads begin and end; and whether there is more. Beads are given by first
/// byte and one past the last; empty ones have no text on this side.
fn read_blocks(text: &str, blocks: &[Block], beads: &[(u32, u32)], max_bytes: usize) -> (Vec<ReadBlock>, bool) {
    let max = text.floor_char_boundary(max_bytes);
    let mut found = Vec::new();
    // Where lists have another order on each page, beads do not ascend on both.
    let mut order: Vec<usize> = (0..beads.len()).filter(|&bead| beads[bead].0 < beads[bead].1).collect();
    order.sort_by_key(|&bead| beads[bead]);
    let mut next = 0;
    for block in blocks {
        let (start, end) = (block.start as usize, (block.end as usize).min(max));
        if start >= max {
            return (found, true);
        }
        let mut pieces = Vec::new();
        let mut at = start;
        while at < end {
            while order.get(next).is_some_and(|&bead| beads[bead].1 as usize <= at) {
                next += 1;
            }
            let (until, bead) = match order.get(next).map(|&bead| (beads[bead], bead)) {
                Some(((from, to), bead)) if from as usize <= at => ((to as usize).min(end), Some(bead)),
                Some(((from, _), _)) => ((from as usize).min(end), None),
                None => (end, None),
            };
            match text.get(at..until) {
                Some(text) => pieces.push(Piece { text: text.to_owned(), bead }),
                None => break,
            }
            at = until;
        }
        found.push(ReadBlock { tag: tag_name(block.tag), pieces });
    }
    (found, max < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u32, end: u32) -> Block {
        Block { start, end, tag: 0, at: 0 }
    }

    fn shown(found: &[ReadBlock]) -> Vec<Vec<(&str, Option<usize>)>> {
        found.iter().map(|block| block.pieces.iter().map(|piece| (piece.text.as_str(), piece.bead)).collect()).collect()
    }

    /// Two pages, each of one block, with as many beads as either has.
    fn read(pages: [(&str, &[(u32, u32)]); 2]) -> Reading {
        let sides = pages.map(|(text, beads)| {
            let (blocks, is_cut) = read_blocks(text, &[block(0, text.len() as u32)], beads, 1000);
            Side { url: String::new(), title: String::new(), lang: Lang::EN, bytes: 0, blocks, is_cut }
        });
        let count = pages.map(|(_, beads)| beads.len()).into_iter().max().unwrap_or(0);
        Reading { sides, beads: vec![ReadBead { score: 1.0, left_out: None }; count] }
    }

    #[test]
    fn what_stands_around_a_sentence_is_found_whatever_the_spaces() {
        let page = ("One. Two,\u{a0}\nthree.Vier\u{e9}. Five", &[(0, 4), (5, 9)][..]);
        let reading = read([page, ("", &[])]);
        let around = |sentence, max| reading.around([sentence, ""], max)[0].clone();
        assert_eq!(around("Two, three.", 100), ("One.".to_owned(), "Vier\u{e9}. Five".to_owned()));
        assert_eq!(around("Two, three.", 5), ("One.".to_owned(), "Vier".to_owned()));
        assert_eq!(around("One.", 2), (String::new(), "Tw".to_owned()));
        assert_eq!(around("Six", 9), Default::default());
        assert_eq!(around(" ", 9), Default::default());
    }

    #[test]
    fn what_stands_around_a_sentence_is_that_of_its_bead_or_of_its_only_place() {
        let (here, there) = ("A casino. no. B", "Ein Kasino. nein. B");
        let around = |reading: &Reading, a, b| reading.around([a, b], 100);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        // No word ends or begins within "casino".
        let found = around(&read([(here, &[]), (there, &[])]), "no.", "nein.");
        assert_eq!(found, [pair("A casino.", "B"), pair("Ein Kasino.", "B")]);
        // "Read more" stands there twice. If there is a bead, it tells which of the two is meant.
        let (here, there) = ("Tea. Read more Milk. Read more Oil.", "Tee. Mehr Milch. Weiter");
        let beads: [&[(u32, u32)]; 2] = [&[(0, 4), (5, 14), (21, 30)], &[(0, 4), (5, 9), (17, 23)]];
        let found = around(&read([(here, beads[0]), (there, beads[1])]), "Read more", "Weiter");
        assert_eq!(found, [pair("Tea. Read more Milk.", "Oil."), pair("Tee. Mehr Milch.", "")]);
        let found = around(&read([(here, &[]), (there, &[])]), "Read more", "Weiter");
        assert_eq!(found, [pair("", ""), pair("Tee. Mehr Milch.", "")]);
    }

    #[test]
    fn blocks_are_cut_where_beads_begin_and_end() {
        let text = "One. Two.\nThree. Vier\u{e9}.";
        let blocks = [block(0, 9), block(10, 24)];
        let (found, is_cut) = read_blocks(text, &blocks, &[(0, 4), (4, 4), (5, 16)], 1000);
        assert_eq!(
            shown(&found),
            [vec![("One.", Some(0)), (" ", None), ("Two.", Some(2))], vec![("Three.", Some(2)), (" Vieré.", None)]]
        );
        assert!(!is_cut);
        let (crossed, _) = read_blocks(text, &blocks, &[(5, 16), (4, 4), (0, 4)], 1000);
        assert_eq!(shown(&crossed)[0], [("One.", Some(2)), (" ", None), ("Two.", Some(0))]);
        // The limit lies inside a character.
        let (found, is_cut) = read_blocks(text, &blocks, &[], 22);
        assert_eq!(shown(&found), [vec![("One. Two.", None)], vec![("Three. Vier", None)]]);
        assert!(is_cut);
    }
}
