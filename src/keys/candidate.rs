//! The keys that addresses suggest: what fills a hole, and which fillers meet in one skeleton.
//!
//! A *filler* is what stands in a hole (one span, or two for compound keys); a *skeleton* is the rest of the address. Two
//! addresses of different languages with one skeleton suggest the key their fillers make. Instead of comparing
//! addresses with one another (Kit & Ng 2007, §3: O(L²|U|²)), every address names its skeletons, and entries are
//! sorted by skeleton: O(L|U| log(L|U|)). Fillers that cannot reach the least power asked for are left out before
//! that, by counts that are exact on all but large sites, and there may only err upwards.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::language_names::names_language;
use super::params::Params;
use super::slots::{Filling, Part, Role, Shape, Sink, for_each_span, skeletons, span_mark};
use crate::index::site::{NO_LABEL, SiteIndex};
use crate::index::sorter::Entry;
use crate::text::tokens::{Anatomy, Span, mix};
use crate::types::{Edit, Key, LangPair};

/// How often each filler occurs in each language: exact up to `most_exact` of them, then upper bounds in a hashed table, so
/// that memory does not depend on how many there are. Two fillers may share a counter of the table.
pub struct Counts {
    exact: FxHashMap<(u64, u16), u32>,
    most_exact: usize,
    /// Empty while counts are exact.
    counters: Vec<u32>,
    pages: usize,
}

impl Counts {
    fn new(pages: usize, most_exact: usize) -> Counts {
        Counts { exact: FxHashMap::default(), most_exact, counters: Vec::new(), pages }
    }

    fn slot(&self, filler: u64, label: u16) -> usize {
        // A power of two.
        let mask = self.counters.len() - 1;
        (filler ^ u64::from(label).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as usize & mask
    }

    fn add(&mut self, filler: u64, label: u16) {
        if !self.counters.is_empty() {
            return self.add_to_table(filler, label, 1);
        }
        *self.exact.entry((filler, label)).or_default() += 1;
        if self.exact.len() > self.most_exact {
            let size = (self.pages * 16).next_power_of_two().clamp(1 << 10, 1 << 22);
            self.counters = vec![0; size];
            for ((filler, label), count) in std::mem::take(&mut self.exact) {
                self.add_to_table(filler, label, count);
            }
        }
    }

    fn add_to_table(&mut self, filler: u64, label: u16, count: u32) {
        let slot = self.slot(filler, label);
        self.counters[slot] = self.counters[slot].saturating_add(count);
    }

    fn get(&self, filler: u64, label: u16) -> u32 {
        if self.counters.is_empty() {
            return self.exact.get(&(filler, label)).copied().unwrap_or(0);
        }
        self.counters[self.slot(filler, label)]
    }
}

/// Which fillers are frequent enough in a language: small, so that asking is quick.
struct Frequent {
    counts: Counts,
    least: Vec<u32>,
    /// While counts are exact: all (filler, label) that are frequent enough.
    exact: FxHashSet<(u64, u16)>,
    /// Otherwise a bit for each counter: it reaches the least count of some language.
    slots: Vec<u64>,
}

impl Frequent {
    fn new(counts: Counts, least: Vec<u32>, shape: Shape) -> Frequent {
        let mut frequent = Frequent { counts, least, exact: FxHashSet::default(), slots: Vec::new() };
        let enough =
            |label: u16, count: u32| frequent.least.get(usize::from(label)).is_some_and(|&least| count >= least);
        let counts = &frequent.counts;
        if counts.counters.is_empty() {
            let of = |(filler, label): (u64, u16), count: u32| {
                enough(label, count) && (shape != Shape::Compound || is_mark(count, counts.get(filler, NO_LABEL)))
            };
            frequent.exact =
                counts.exact.iter().filter(|(key, count)| of(**key, **count)).map(|(key, _)| *key).collect();
            frequent.counts.exact = FxHashMap::default();
            return frequent;
        }
        let lowest = frequent.least.iter().copied().min().unwrap_or(0);
        frequent.slots = vec![0; counts.counters.len().div_ceil(64)];
        for (slot, _) in frequent.counts.counters.iter().enumerate().filter(|(_, count)| **count >= lowest) {
            frequent.slots[slot / 64] |= 1 << (slot % 64);
        }
        frequent
    }

    fn has(&self, filler: u64, label: u16) -> bool {
        if self.slots.is_empty() {
            return self.exact.contains(&(filler, label));
        }
        let slot = self.counts.slot(filler, label);
        self.slots[slot / 64] >> (slot % 64) & 1 == 1 && self.counts.counters[slot] >= self.least[usize::from(label)]
    }

    /// As [`Frequent::has`], of a part of a compound key: it must be mostly in one language besides.
    fn has_mark(&self, mark: u64, label: u16) -> bool {
        let mostly = || is_mark(self.counts.get(mark, label), self.counts.get(mark, NO_LABEL));
        self.has(mark, label) && (self.slots.is_empty() || mostly())
    }
}

fn is_mark(count: u32, of_all: u32) -> bool {
    f64::from(count) >= MARK_SHARE * f64::from(of_all)
}

struct Counting {
    counts: Counts,
    label: u16,
}

impl Sink for Counting {
    fn marks(&mut self, _: u64) -> bool {
        false
    }

    fn wants(&mut self, _: &Anatomy, filling: &Filling<'_>) -> bool {
        if filling.role != Role::Null {
            self.counts.add(filling.filler, self.label);
        }
        false
    }

    fn take(&mut self, _: &Anatomy, _: &Filling<'_>, _: u64) {}
}

struct Sampling<'w, 's, 'a> {
    scan: &'w Scan<'s, 'a>,
    frequent: &'w Frequent,
    fillers: Fillers,
    entries: Vec<Entry>,
    rate: u64,
    page: u32,
    label: u16,
}

impl Sampling<'_, '_, '_> {
    fn is_exempt(&self, anatomy: &Anatomy, filling: &Filling<'_>) -> bool {
        let lang = self.scan.site.langs[usize::from(self.label)];
        filling.parts.iter().any(|part| {
            let text = anatomy.text(part.span);
            names_language(text, lang) || (!self.scan.exempt.is_empty() && self.scan.exempt.contains(text))
        })
    }

    /// Keeps every second skeleton while there are too many entries.
    fn thin_out(&mut self) {
        while self.entries.len() > self.scan.params.sample_entries {
            self.rate *= 2;
            self.entries.retain(|entry| entry.key & (self.rate - 1) == 0);
        }
    }
}

impl Sink for Sampling<'_, '_, '_> {
    fn marks(&mut self, mark: u64) -> bool {
        self.frequent.has_mark(mark, self.label)
    }

    fn wants(&mut self, anatomy: &Anatomy, filling: &Filling<'_>) -> bool {
        self.scan.shape == Shape::Compound
            || filling.role == Role::Null
            || self.frequent.has(filling.filler, self.label)
            || self.is_exempt(anatomy, filling)
    }

    fn take(&mut self, anatomy: &Anatomy, filling: &Filling<'_>, skeleton: u64) {
        if skeleton & (self.rate - 1) == 0 {
            let filler = self.fillers.number(self.page, anatomy, filling, self.scan.shape);
            if self.entries.len() == self.entries.capacity() {
                // Doubles, but not beyond what the sample may hold and what one address may add.
                let most = self.scan.params.sample_entries + (1 << 16);
                let room = most.saturating_sub(self.entries.len()).clamp(64, self.entries.len().max(64));
                self.entries.reserve_exact(room);
            }
            self.entries.push(Entry { key: skeleton, filler, page: self.page });
        }
    }
}

struct Exact<E> {
    numbers: FxHashMap<u64, u32>,
    marks: FxHashSet<u64>,
    each: E,
    outcome: crate::error::Result<()>,
    page: u32,
}

impl<E: FnMut(Entry) -> crate::error::Result<()>> Sink for Exact<E> {
    fn marks(&mut self, mark: u64) -> bool {
        self.marks.contains(&mark)
    }

    fn wants(&mut self, _: &Anatomy, filling: &Filling<'_>) -> bool {
        self.numbers.contains_key(&filling.filler)
    }

    fn take(&mut self, _: &Anatomy, filling: &Filling<'_>, skeleton: u64) {
        if let (Some(&filler), true) = (self.numbers.get(&filling.filler), self.outcome.is_ok()) {
            self.outcome = (self.each)(Entry { key: skeleton, filler, page: self.page });
        }
    }
}

/// A filler that is worth looking at.
#[derive(Clone, Debug)]
pub struct Filler {
    /// What it can pair with.
    pub role: Role,
    /// A page it stands in, and where: its text is read from there.
    page: u32,
    parts: Vec<Part>,
    /// Hashes of the first and last token (or byte, for cores) of each part that is a hole: two parts that share one
    /// make no key, as a shorter part makes the same pairs and more.
    ends: Vec<(u64, u64)>,
}

/// The fillers of one scope, and the entries that name them.
pub struct Fillers {
    /// All fillers, by their number.
    pub list: Vec<Filler>,
    numbers: FxHashMap<u64, u32>,
}

/// A pair of fillers in a pair of languages (positions in [`SiteIndex::langs`], first below second).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    /// Language of `from`.
    pub label_a: u16,
    /// Language of `to`.
    pub label_b: u16,
    /// Filler in pages of the first language.
    pub from: u32,
    /// Filler in pages of the second.
    pub to: u32,
}

/// What a scan of the pages of one scope works on.
pub struct Scan<'s, 'a> {
    /// The site.
    pub site: &'s SiteIndex<'a>,
    /// The pages looked at.
    pub pages: Range<u32>,
    /// The holes cut.
    pub shape: Shape,
    /// The settings.
    pub params: &'s Params,
    /// Texts that are looked at however rare they are: the sides of rescued keys.
    pub exempt: &'s FxHashSet<String>,
}

impl Scan<'_, '_> {
    /// Calls `each` with every page that has a label, its address taken apart.
    fn for_each_page(&self, step: usize, mut each: impl FnMut(u32, u16, &Anatomy)) {
        let mut anatomy = Anatomy::default();
        let mut released = self.pages.start;
        for page in self.pages.clone().step_by(step) {
            let label = self.site.labels[page as usize];
            if label != NO_LABEL && anatomy.read(self.site.addresses.identity(page), self.params.separators) {
                each(page, label, &anatomy);
            }
            if page - released >= RELEASE_PAGES {
                self.site.addresses.release();
                released = page;
            }
        }
    }

    /// The least number of skeletons a filler must fill in each language to be looked at.
    fn least_counts(&self) -> Vec<u32> {
        let sizes = self.site.sizes(self.pages.clone());
        sizes.iter().map(|&size| self.params.least_count(size)).collect()
    }

    /// Collects fillers that reach the least count, and a sample of their entries.
    ///
    /// Returns the entries sorted and the rate m of the sample: skeletons whose hash is a multiple of m, a power of 2. All
    /// entries of such a skeleton are there, so that m times a count estimates the linking power; with m = 1 it is
    /// the linking power.
    pub fn sample(&self) -> (Fillers, Vec<Entry>, u64) {
        let frequent = self.count();
        let mut sink = Sampling {
            scan: self,
            frequent: &frequent,
            fillers: Fillers { list: Vec::new(), numbers: FxHashMap::default() },
            entries: Vec::new(),
            rate: 1,
            page: 0,
            label: 0,
        };
        self.for_each_page(1, |page, label, anatomy| {
            (sink.page, sink.label) = (page, label);
            skeletons(self.shape, anatomy, self.params, &mut sink);
            sink.thin_out();
        });
        sink.entries.sort_unstable();
        (sink.fillers, sink.entries, sink.rate)
    }

    /// The fillers frequent enough, counted on every n-th page of large scopes.
    fn count(&self) -> Frequent {
        let step = self.pages.len().div_ceil(self.params.count_pages.max(1)).max(1);
        let mut least = self.least_counts();
        for least in &mut least {
            // Half, as a count on some pages errs both ways.
            *least = if step == 1 { *least } else { (*least / (2 * step as u32)).max(self.params.min_power) };
        }
        let counts = Counts::new(self.pages.len() / step, self.params.sample_entries / 16);
        let mut sink = Counting { counts, label: 0 };
        self.for_each_page(step, |_, label, anatomy| match self.shape {
            // What counts for a compound key are its parts.
            Shape::Compound => for_each_span(self.shape, anatomy, self.params, |segment, span| {
                let mark = span_mark(anatomy, &Part { field: segment.field, span, cut: false });
                sink.counts.add(mark, label);
                sink.counts.add(mark, NO_LABEL);
            }),
            shape => {
                sink.label = label;
                skeletons(shape, anatomy, self.params, &mut sink);
            }
        });
        Frequent::new(sink.counts, least, self.shape)
    }

    /// Sends every entry of the wanted fillers to `each`: the exact pass behind a sampled one.
    ///
    /// # Errors
    /// What `each` returns.
    pub fn entries_of(
        &self,
        fillers: &Fillers,
        wanted: &[bool],
        each: impl FnMut(Entry) -> crate::error::Result<()>,
    ) -> crate::error::Result<()> {
        let numbers = fillers.numbers.iter().filter(|(_, number)| wanted[**number as usize]);
        let mut sink = Exact {
            numbers: numbers.map(|(&hash, &number)| (hash, number)).collect(),
            marks: if self.shape == Shape::Compound {
                self.wanted_marks(fillers, wanted)
            } else {
                FxHashSet::default()
            },
            each,
            outcome: Ok(()),
            page: 0,
        };
        self.for_each_page(1, |page, _, anatomy| {
            sink.page = page;
            skeletons(self.shape, anatomy, self.params, &mut sink);
        });
        sink.outcome
    }

    fn wanted_marks(&self, fillers: &Fillers, wanted: &[bool]) -> FxHashSet<u64> {
        let mut marks = FxHashSet::default();
        let mut anatomy = Anatomy::default();
        for (filler, _) in fillers.list.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
            if anatomy.read(self.site.addresses.identity(filler.page), self.params.separators) {
                marks.extend(filler.parts.iter().map(|part| span_mark(&anatomy, &Part { cut: false, ..*part })));
            }
        }
        marks
    }

    /// The key that a candidate stands for.
    pub fn key(&self, candidate: &Candidate, fillers: &Fillers) -> Option<Key> {
        let langs = LangPair::new(
            self.site.langs[usize::from(candidate.label_a)],
            self.site.langs[usize::from(candidate.label_b)],
        )?;
        let texts = |number: u32| -> Vec<(Part, String)> {
            let filler = &fillers.list[number as usize];
            let mut anatomy = Anatomy::default();
            anatomy.read(self.site.addresses.identity(filler.page), self.params.separators);
            filler.parts.iter().map(|&part| (part, anatomy.text(part.span).to_owned())).collect()
        };
        let core = self.shape == Shape::Cores;
        let (from, to) = (texts(candidate.from), texts(candidate.to));
        // The side with cut parts tells the fields: the other has nothing there.
        let turned = to.iter().any(|(part, _)| part.cut);
        let (long, short) = if turned { (to, from) } else { (from, to) };
        let mut short = short.into_iter();
        let edits = long.into_iter().map(|(part, text)| {
            let other = if part.cut { String::new() } else { short.next().map(|(_, text)| text).unwrap_or_default() };
            let (from, to) = if turned { (other, text) } else { (text, other) };
            Edit { field: part.field, from, to, core }
        });
        Some(Key { langs, edits: edits.collect() })
    }
}

/// Pages after which mapped memory that was read is given back.
const RELEASE_PAGES: u32 = 1 << 16;

/// Share of a span's occurrences that must be in one language for it to be part of a compound key.
const MARK_SHARE: f64 = 0.7;

impl Fillers {
    fn number(&mut self, page: u32, anatomy: &Anatomy, filling: &Filling<'_>, shape: Shape) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(filling.filler).or_insert_with(|| {
            let ends = filling.parts.iter().filter(|p| !p.cut).map(|part| ends(anatomy, part.span, shape)).collect();
            list.push(Filler { role: filling.role, page, parts: filling.parts.to_vec(), ends });
            list.len() as u32 - 1
        })
    }

    /// True when two fillers of one skeleton make a key: roles fit, and no part can be made shorter.
    pub fn fit(&self, from: u32, to: u32) -> bool {
        let (a, b) = (&self.list[from as usize], &self.list[to as usize]);
        let roles =
            matches!((a.role, b.role), (Role::Plain, Role::Plain) | (Role::Cut, Role::Null) | (Role::Null, Role::Cut));
        roles && a.ends.len() == b.ends.len() && a.ends.iter().zip(&b.ends).all(|(x, y)| x.0 != y.0 && x.1 != y.1)
    }
}

fn ends(anatomy: &Anatomy, span: Span, shape: Shape) -> (u64, u64) {
    let text = anatomy.text(span).as_bytes();
    if shape == Shape::Cores {
        return (text.first().copied().map_or(0, u64::from), text.last().copied().map_or(0, u64::from));
    }
    let tokens: Vec<Span> = anatomy
        .segments()
        .iter()
        .flat_map(|segment| anatomy.tokens(segment))
        .copied()
        .filter(|token| token.start >= span.start && token.end <= span.end)
        .collect();
    let hash =
        |token: Option<&Span>, salt: u64| token.map_or(mix(anatomy.hash(span), salt), |&token| anatomy.hash(token));
    // A span that begins with punctuation begins with no token, and shares none.
    let first = tokens.first().filter(|token| token.start == span.start);
    let last = tokens.last().filter(|token| token.end == span.end);
    (hash(first, 1), hash(last, 2))
}

/// Fillers of one language in one skeleton that are paired, at the most: the most frequent ones. A true mark fills at
/// least as many skeletons as its key has pairs; what is left out has hundreds of stronger rivals in the same place.
const MAX_FILLERS_OF_SKELETON: usize = 256;

/// Counts, for every pair of fillers that meet in a skeleton in different languages, in how many skeletons they do.
pub fn count_candidates(site: &SiteIndex<'_>, fillers: &Fillers, entries: &[Entry]) -> Vec<(Candidate, u32)> {
    let mut frequency = vec![0u32; fillers.list.len()];
    for entry in entries {
        frequency[entry.filler as usize] += 1;
    }
    let mut counts: FxHashMap<Candidate, u32> = FxHashMap::default();
    let mut members: Vec<(u16, u32)> = Vec::new();
    for group in entries.chunk_by(|a, b| a.key == b.key).filter(|group| group.len() > 1) {
        members.clear();
        members.extend(group.iter().map(|entry| (site.labels[entry.page as usize], entry.filler)));
        members.sort_unstable();
        members.dedup();
        if members.first().map(|m| m.0) == members.last().map(|m| m.0) {
            continue;
        }
        cap_by_frequency(&mut members, &frequency);
        for (i, &(label_a, from)) in members.iter().enumerate() {
            for &(label_b, to) in members[i + 1..].iter().filter(|m| m.0 != label_a) {
                if from != to && fillers.fit(from, to) {
                    *counts.entry(Candidate { label_a, label_b, from, to }).or_default() += 1;
                }
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable();
    counts
}

fn cap_by_frequency(members: &mut Vec<(u16, u32)>, frequency: &[u32]) {
    if members.len() <= MAX_FILLERS_OF_SKELETON {
        return;
    }
    members.sort_unstable_by_key(|&(label, filler)| (label, std::cmp::Reverse(frequency[filler as usize]), filler));
    let mut kept = 0;
    let mut previous = None;
    members.retain(|&(label, _)| {
        kept = if previous == Some(label) { kept + 1 } else { 0 };
        previous = Some(label);
        kept < MAX_FILLERS_OF_SKELETON
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_a_small_site_is_not_lost_to_another_that_shares_its_counter() {
        let fillers: Vec<u64> = (0..10).map(|n| n << 32).collect();
        for (most_exact, expected) in [(10, 1), (9, 10)] {
            let mut counts = Counts::new(1, most_exact);
            fillers.iter().for_each(|&filler| counts.add(filler, 0));
            assert!(fillers.iter().all(|&filler| counts.get(filler, 0) == expected), "{most_exact}");
        }
    }
}
