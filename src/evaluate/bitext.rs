//! Compares sentence pairs with gold segments.
//!
//! Gold segments are paragraphs, items or headings that are known to be translations. A segment may have several sentences, and not every
//! paragraph of the pages is a segment. Texts are compared without white space and in lower case.

use std::io::Read;
use std::ops::Range;

use memchr::memmem::Finder;
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::files;

/// A segment is found if right pairs contain at least this share of the characters on each side.
pub const FOUND_SHARE: f64 = 0.8;

/// Gold segments of one language pair.
pub struct GoldBitext {
    a: Texts,
    b: Texts,
    /// The parts of each segment that right pairs contain, as bytes of its two texts.
    held: Vec<Held>,
    on_pages: Vec<bool>,
    /// Sentence pairs that were judged wrong.
    wrong: FxHashSet<(String, String)>,
    /// True for a judged sample: only pairs that it contains exactly are judged.
    is_sample: bool,
    counts: BitextCounts,
}

/// Parts of both sides of a segment.
type Held = (Vec<Range<u32>>, Vec<Range<u32>>);

/// The texts of one side in a row, each followed by a line feed.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<u32>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.all.push('\n');
        self.ends.push(self.all.len() as u32);
    }

    fn start(&self, segment: usize) -> u32 {
        if segment == 0 { 0 } else { self.ends[segment - 1] }
    }

    fn text(&self, segment: usize) -> &str {
        &self.all[self.start(segment) as usize..self.ends[segment] as usize - 1]
    }

    /// The segments that contain a text, and where in them; each segment once.
    fn holding(&self, text: &str) -> Vec<(usize, Range<u32>)> {
        let mut found: Vec<(usize, Range<u32>)> = Vec::new();
        for at in Finder::new(text).find_iter(self.all.as_bytes()) {
            let segment = self.ends.partition_point(|&end| end as usize <= at);
            if found.last().is_none_or(|last| last.0 != segment) {
                let start = at as u32 - self.start(segment);
                found.push((segment, start..start + text.len() as u32));
            }
        }
        found
    }
}

/// How many sentence pairs are right, and how many segments are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitextCounts {
    /// Pairs whose two sides lie in one segment.
    pub right: u64,
    /// Pairs of which one side lies in a segment and the other does not lie in it, and pairs that were judged wrong.
    pub wrong: u64,
    /// Pairs of which neither side lies in a segment; for a sample, all pairs that it does not contain.
    pub unjudged: u64,
    /// Segments whose two sides are on the two pages of a page pair.
    pub segments: u64,
    /// Segments among these of which right pairs contain `FOUND_SHARE` or more.
    pub found: u64,
}

impl BitextCounts {
    /// right / (right + wrong).
    pub fn precision(&self) -> Option<f64> {
        let judged = self.right + self.wrong;
        (judged > 0).then(|| self.right as f64 / judged as f64)
    }

    /// found / segments.
    pub fn recall(&self) -> Option<f64> {
        (self.segments > 0).then(|| self.found as f64 / self.segments as f64)
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &BitextCounts) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.unjudged += other.unjudged;
        self.segments += other.segments;
        self.found += other.found;
    }
}

/// A text in the form in which it is compared.
pub fn normal(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

impl GoldBitext {
    /// Reads segments: two columns with a tab between them, without a header line. A segment that occurs twice counts once. A third column
    /// `wrong` marks two texts that are not translations.
    ///
    /// # Errors
    /// When the file cannot be read, or a line does not have two columns.
    pub fn read(place: &str, file: impl Read) -> Result<GoldBitext> {
        let mut text = String::new();
        files::text(file).read_to_string(&mut text).map_err(Error::io(place, "reading"))?;
        let (mut pairs, mut wrong) = (Vec::new(), FxHashSet::default());
        for (line, number) in text.lines().zip(1..) {
            let (a, b) = line.split_once('\t').ok_or_else(|| {
                Error::input(place, format!("line {number} has one column, expected two with a tab between"))
            })?;
            let (b, is_wrong) = b.strip_suffix("\twrong").map_or((b, false), |b| (b, true));
            let pair = (normal(a), normal(b));
            if is_wrong {
                wrong.insert(pair);
            } else if !pair.0.is_empty() && !pair.1.is_empty() {
                pairs.push(pair);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut gold = GoldBitext {
            a: Texts::default(),
            b: Texts::default(),
            held: vec![(Vec::new(), Vec::new()); pairs.len()],
            on_pages: vec![false; pairs.len()],
            wrong,
            is_sample: false,
            counts: BitextCounts::default(),
        };
        for (a, b) in &pairs {
            gold.a.push(a);
            gold.b.push(b);
        }
        Ok(gold)
    }

    /// The same segments as a judged sample: sentence pairs that it does not contain are not judged.
    pub fn as_sample(self) -> GoldBitext {
        GoldBitext { is_sample: true, ..self }
    }

    /// Tells which texts a page pair has, in the order of the columns.
    pub fn pages(&mut self, a: &str, b: &str) {
        let (a, b) = (normal(a), normal(b));
        for segment in 0..self.on_pages.len() {
            let has = |page: &str, text: &str| memchr::memmem::find(page.as_bytes(), text.as_bytes()).is_some();
            if !self.on_pages[segment] && has(&a, self.a.text(segment)) && has(&b, self.b.text(segment)) {
                self.on_pages[segment] = true;
            }
        }
    }

    /// Judges a sentence pair: `Some(true)` right, `Some(false)` wrong, `None` not judged.
    pub fn judge(&mut self, a: &str, b: &str) -> Option<bool> {
        let (a, b) = (normal(a), normal(b));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        if self.wrong.contains(&(a.clone(), b.clone())) {
            self.counts.wrong += 1;
            return Some(false);
        }
        let (mut in_a, mut in_b) = (self.a.holding(&a), self.b.holding(&b));
        if self.is_sample {
            in_a.retain(|(segment, _)| self.a.text(*segment) == a);
            in_b.retain(|(segment, _)| self.b.text(*segment) == b);
        }
        if in_a.is_empty() && in_b.is_empty() {
            self.counts.unjudged += 1;
            return None;
        }
        let mut is_right = false;
        for (segment, range_a) in in_a {
            if let Ok(at) = in_b.binary_search_by_key(&segment, |found| found.0) {
                is_right = true;
                self.held[segment].0.push(range_a);
                self.held[segment].1.push(in_b[at].1.clone());
            }
        }
        if is_right {
            self.counts.right += 1;
        } else if self.is_sample {
            self.counts.unjudged += 1;
            return None;
        } else {
            self.counts.wrong += 1;
        }
        Some(is_right)
    }

    /// The counts.
    pub fn counts(&self) -> BitextCounts {
        let mut counts = self.counts;
        for segment in (0..self.on_pages.len()).filter(|&segment| self.on_pages[segment]) {
            counts.segments += 1;
            let share = |held: &[Range<u32>], text: &str| covered(held) as f64 / text.len() as f64;
            let (a, b) = &self.held[segment];
            if share(a, self.a.text(segment)) >= FOUND_SHARE && share(b, self.b.text(segment)) >= FOUND_SHARE {
                counts.found += 1;
            }
        }
        counts
    }

    /// The segments on the pages that were not found.
    pub fn missed(&self) -> impl Iterator<Item = (&str, &str)> {
        (0..self.on_pages.len()).filter_map(|segment| {
            let (a, b) = (self.a.text(segment), self.b.text(segment));
            let share = |held: &[Range<u32>], text: &str| covered(held) as f64 / text.len() as f64;
            let held = &self.held[segment];
            let is_found = share(&held.0, a) >= FOUND_SHARE && share(&held.1, b) >= FOUND_SHARE;
            (self.on_pages[segment] && !is_found).then_some((a, b))
        })
    }
}

/// Length of the union of ranges.
fn covered(ranges: &[Range<u32>]) -> u32 {
    let mut ranges: Vec<&Range<u32>> = ranges.iter().collect();
    ranges.sort_by_key(|range| range.start);
    let (mut sum, mut end) = (0, 0);
    for range in ranges {
        sum += range.end.saturating_sub(range.start.max(end));
        end = end.max(range.end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLD: &str = "One house. Two cats.\tUne maison. Deux chats.\nBye now\tAu revoir\nElsewhere\tAilleurs\n";

    #[test]
    fn pairs_are_right_inside_a_segment_and_segments_found_when_they_are_held() {
        let mut gold = GoldBitext::read("gold", GOLD.as_bytes()).expect("two columns");
        gold.pages("x One  house. two cats. bye NOW y", "Une maison.\nDeux chats. Au revoir");
        assert_eq!(gold.judge("One house.", "Une maison."), Some(true));
        assert_eq!(gold.counts().found, 0, "half of it is not enough");
        assert_eq!(gold.judge("Two cats.", "Deux chats."), Some(true));
        assert_eq!(gold.judge("Bye now", "Deux chats."), Some(false));
        assert_eq!(gold.judge("Bye now", "Adieu"), Some(false));
        assert_eq!(gold.judge("Hello", "Bonjour"), None);
        let expected = BitextCounts { right: 2, wrong: 2, unjudged: 1, segments: 2, found: 1 };
        assert_eq!(gold.counts(), expected);
        assert_eq!((expected.precision(), expected.recall()), (Some(0.5), Some(0.5)));
        assert_eq!(gold.missed().collect::<Vec<_>>(), [("byenow", "aurevoir")]);
    }

    #[test]
    fn a_line_of_one_column_is_told_of() {
        let error = GoldBitext::read("g.tsv", "a\tb\nc\n".as_bytes()).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("g.tsv: line 2 has one column, expected two with a tab between"));
    }

    #[test]
    fn a_sample_judges_the_very_pairs_that_it_has() {
        let read = || GoldBitext::read("gold", "Yes.\tOui.\nNo, thanks.\tNon, merci.\nYes.\tNon.\twrong\n".as_bytes());
        let mut gold = read().expect("gold").as_sample();
        gold.pages("Yes. No, thanks.", "Oui. Non, merci.");
        assert_eq!(gold.judge("Yes.", "Oui."), Some(true));
        assert_eq!(gold.judge("Yes.", "Non."), Some(false));
        assert_eq!(gold.judge("No", "Non"), None);
        assert_eq!(gold.judge("Yes.", "Peut-être."), None);
        assert_eq!(gold.counts(), BitextCounts { right: 1, wrong: 1, unjudged: 2, segments: 2, found: 1 });
        let mut gold = read().expect("gold");
        assert_eq!(gold.judge("No", "Non"), Some(true));
        assert_eq!(gold.judge("Yes.", "Peut-être."), Some(false));
    }

    #[test]
    fn overlapping_parts_are_counted_once() {
        assert_eq!(covered(&[0..4, 2..6, 8..9]), 7);
        assert_eq!(covered(&[]), 0);
    }
}
