//! The scores of the sentence pairs of a site, while a scorer of the user gives them.

use rustc_hash::FxHashMap;

use super::Store;
use super::catalog::{Changes, Keyspace};
use super::layout::{ScoreHead, ScoreRecord};
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};
use crate::types::SiteId;

/// Scores in one record.
const RECORD_ROWS: usize = 1 << 16;
/// Bytes of memory that a sentence pair takes here.
const LINE_BYTES: u64 = 64;

/// The scores of a site. Where they take more memory than allowed, they are worked on in slices, by the hashes of the lines that the scorer
/// is asked about.
pub struct Scoring {
    /// The site.
    pub site: SiteId,
    /// How many slices there are.
    pub slices: u64,
    /// True when all of the slice was asked about and answered.
    pub is_whole: bool,
    head: ScoreHead,
    slice: u64,
    /// The lines of the slice: those of which the store has a score, and those that the site asks about.
    lines: FxHashMap<u64, Line>,
    /// The lines that the site asks about, each as often as it is asked about and with the position of its page pair.
    places: Vec<(u32, u64)>,
    /// The lines of the slice that were answered since the last commit.
    fresh: Vec<u64>,
    /// The records of the slices before.
    records: Vec<u64>,
    /// The scores of the slices before, by page pair.
    of_pairs: Sorter,
}

/// What is known of a line.
#[derive(Clone, Copy)]
struct Line {
    /// Not a number as long as there is none.
    score: f32,
    /// True for a line that the site asks.
    is_asked: bool,
}

impl Scoring {
    /// Begins with a site that keeps `kept` sentence pairs. Takes over the scores that the store has from the same scorer. Uses at most
    /// twice `budget_bytes` of memory.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(store: &Store, (site, kept): (SiteId, u64), head: ScoreHead, budget_bytes: usize) -> Result<Scoring> {
        let known = store.score_head(site)?.filter(|known| known.scorer == head.scorer).unwrap_or_default();
        let head = ScoreHead { chunks: known.chunks, finished: false, ..head };
        let slices = kept.saturating_mul(LINE_BYTES).div_ceil(budget_bytes.max(1) as u64).max(1);
        let of_pairs = Sorter::new(budget_bytes, &store.temporary()?);
        let (lines, places, fresh, records) = Default::default();
        Ok(Scoring { site, slices, is_whole: false, head, slice: 0, lines, places, fresh, records, of_pairs })
    }

    /// True when all slices are written.
    pub fn is_finished(&self) -> bool {
        self.head.finished
    }

    /// Begins a slice, with those scores of its lines that the store has.
    pub fn begin(&mut self, slice: u64, known: impl IntoIterator<Item = (u64, f32)>) {
        self.slice = slice;
        self.lines = known.into_iter().map(|(line, score)| (line, Line { score, is_asked: false })).collect();
    }

    /// True for a line in the slice, by its hash.
    pub fn has(&self, line: u64) -> bool {
        slice_of(line, self.slices) == self.slice
    }

    /// Notes that the page pair at a position has this line, which is in the slice. Returns true when the scorer must be asked about it.
    pub fn asks(&mut self, place: u32, line: u64) -> bool {
        self.places.push((place, line));
        let is_new = !self.lines.contains_key(&line);
        self.lines.entry(line).or_insert(Line { score: f32::NAN, is_asked: true }).is_asked = true;
        is_new
    }

    /// The scorer has answered a line.
    pub fn answered(&mut self, line: u64, score: f32) {
        self.lines.insert(line, Line { score, is_asked: true });
        self.fresh.push(line);
    }

    /// Appends the scores that were given since the last commit. When a slice is whole, its scores are written anew as records of their
    /// own. After the last slice only these records are left, together with the mean scores of the page pairs.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn write(&mut self, store: &mut Store, changes: &mut Changes) -> Result<()> {
        if self.is_whole {
            self.fresh = self.lines.iter().filter(|(_, line)| line.is_asked).map(|(hash, _)| *hash).collect();
        }
        self.fresh.sort_unstable();
        let start = self.head.chunks.len();
        for lines in self.fresh.chunks(RECORD_ROWS) {
            let scores = lines.iter().map(|line| self.lines[line].score).collect();
            let record = ScoreRecord { lines: lines.to_vec(), scores, pages: Vec::new() };
            self.head.chunks.push(store.scores.append_short_or_packed(&record)?.0);
        }
        self.fresh.clear();
        if std::mem::take(&mut self.is_whole) {
            self.records.extend(&self.head.chunks[start..]);
            for (place, line) in self.places.drain(..) {
                let value = self.lines[&line].score.to_bits();
                self.of_pairs.push(Entry { key: place.into(), value, page: 0 })?;
            }
            if self.slice + 1 == self.slices {
                self.finish(store)?;
            }
        }
        changes.put(Keyspace::Score, &self.site.0.to_be_bytes(), &self.head);
        Ok(())
    }

    fn finish(&mut self, store: &mut Store) -> Result<()> {
        let mut pages = Vec::new();
        std::mem::replace(&mut self.of_pairs, Sorter::new(0, store.folder())).for_each_group(|scores| {
            let sum: f64 = scores.iter().map(|entry| f64::from(f32::from_bits(entry.value))).sum();
            pages.resize(scores[0].key as usize, f32::NAN);
            pages.push((sum / scores.len() as f64) as f32);
            Ok(())
        })?;
        self.head.chunks.clear();
        if !pages.is_empty() {
            let record = ScoreRecord { pages, ..ScoreRecord::default() };
            self.head.chunks.push(store.scores.append_short_or_packed(&record)?.0);
        }
        self.head.chunks.append(&mut self.records);
        self.head.finished = true;
        Ok(())
    }
}

/// The slice in which a line is, by its hash: a higher hash is in the same slice or a later one.
pub fn slice_of(line: u64, slices: u64) -> u64 {
    ((u128::from(line) * u128::from(slices)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::slice_of;

    #[test]
    fn slices_are_as_many_as_there_are_to_be_and_rise_with_the_hashes() {
        for slices in [1, 2, 3, 1000] {
            assert_eq!((slice_of(0, slices), slice_of(u64::MAX, slices)), (0, slices - 1));
        }
        assert_eq!([1 << 62, 1 << 63, 3 << 62].map(|line| slice_of(line, 4)), [1, 2, 3]);
        assert_eq!(slice_of((1 << 63) - 1, 2), 0);
    }
}
