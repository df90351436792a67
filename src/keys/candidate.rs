//! The keys that URLs suggest: what fills a slot, and which values meet in one skeleton.
//!
//! A *value* is what stands in a slot (one span, or two for compound keys); a *skeleton* is the rest of the URL. Two
//! URLs of different languages with one skeleton suggest the key their values make. Instead of comparing
//! URLs with one another (Kit & Ng 2007, §3: O(L²|U|²)), every URL names its skeletons, and entries are
//! sorted by skeleton: O(L|U| log(L|U|)). Values that cannot reach the minimum power are left out before
//! that, by counts that are exact on all but large sites, and there may only err upwards.

use rustc_hash::{FxHashMap, FxHashSet};

use super::params::Params;
use super::slots::{Cutting, Occurrence, Role, Shape, Sink, for_each_span, skeletons, span_marker};
use crate::index::site::{NO_LABEL, SiteIndex};
use crate::index::sorter::Entry;
use crate::language::codes::names_language;
use crate::text::tokens::{Anatomy, Span, mix};
use crate::types::{Edit, Key, LangPair, Step, Watch};

/// How often each value occurs in each language: exact up to `max_exact` of them, then upper bounds in a hashed table, so
/// that memory does not depend on how many there are. Two values may share a counter of the table.
pub struct ValueCounts {
    exact: FxHashMap<(u64, u16), u32>,
    max_exact: usize,
    /// Empty while counts are exact.
    counters: Vec<u32>,
    pages: usize,
}

impl ValueCounts {
    fn new(pages: usize, max_exact: usize) -> ValueCounts {
        ValueCounts { exact: FxHashMap::default(), max_exact, counters: Vec::new(), pages }
    }

    fn counter(&self, value: u64, label: u16) -> usize {
        // A power of two.
        let mask = self.counters.len() - 1;
        (value ^ u64::from(label).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as usize & mask
    }

    fn add(&mut self, value: u64, label: u16) {
        if !self.counters.is_empty() {
            return self.add_to_table(value, label, 1);
        }
        *self.exact.entry((value, label)).or_default() += 1;
        if self.exact.len() > self.max_exact {
            let size = (self.pages * 16).next_power_of_two().clamp(1 << 10, 1 << 22);
            self.counters = vec![0; size];
            for ((value, label), count) in std::mem::take(&mut self.exact) {
                self.add_to_table(value, label, count);
            }
        }
    }

    fn add_to_table(&mut self, value: u64, label: u16, count: u32) {
        let at = self.counter(value, label);
        self.counters[at] = self.counters[at].saturating_add(count);
    }

    fn get(&self, value: u64, label: u16) -> u32 {
        if self.counters.is_empty() {
            return self.exact.get(&(value, label)).copied().unwrap_or(0);
        }
        self.counters[self.counter(value, label)]
    }
}

/// Which values are frequent enough in a language: small, so that lookups are quick.
struct Frequent {
    counts: ValueCounts,
    min_counts: Vec<u32>,
    /// While counts are exact: all (value, label) that are frequent enough.
    exact: FxHashSet<(u64, u16)>,
    /// Otherwise a bit for each counter: it reaches the minimum count of some language.
    reached: Vec<u64>,
}

impl Frequent {
    fn new(counts: ValueCounts, min_counts: Vec<u32>, shape: Shape) -> Frequent {
        let mut frequent = Frequent { counts, min_counts, exact: FxHashSet::default(), reached: Vec::new() };
        let enough =
            |label: u16, count: u32| frequent.min_counts.get(usize::from(label)).is_some_and(|&min| count >= min);
        let counts = &frequent.counts;
        if counts.counters.is_empty() {
            let of = |(value, label): (u64, u16), count: u32| {
                enough(label, count) && (shape != Shape::Compound || is_mostly_of(count, counts.get(value, NO_LABEL)))
            };
            frequent.exact =
                counts.exact.iter().filter(|(key, count)| of(**key, **count)).map(|(key, _)| *key).collect();
            frequent.counts.exact = FxHashMap::default();
            return frequent;
        }
        let lowest = frequent.min_counts.iter().copied().min().unwrap_or(0);
        frequent.reached = vec![0; counts.counters.len().div_ceil(64)];
        for (at, _) in frequent.counts.counters.iter().enumerate().filter(|(_, count)| **count >= lowest) {
            frequent.reached[at / 64] |= 1 << (at % 64);
        }
        frequent
    }

    fn has(&self, value: u64, label: u16) -> bool {
        if self.reached.is_empty() {
            return self.exact.contains(&(value, label));
        }
        let at = self.counts.counter(value, label);
        self.reached[at / 64] >> (at % 64) & 1 == 1 && self.counts.counters[at] >= self.min_counts[usize::from(label)]
    }

    /// As [`Frequent::has`], of a part of a compound key: it must be mostly in one language besides.
    fn has_marker(&self, marker: u64, label: u16) -> bool {
        let mostly = || is_mostly_of(self.counts.get(marker, label), self.counts.get(marker, NO_LABEL));
        self.has(marker, label) && (self.reached.is_empty() || mostly())
    }
}

fn is_mostly_of(count: u32, of_all: u32) -> bool {
    f64::from(count) >= MARKER_SHARE * f64::from(of_all)
}

struct Counting {
    counts: ValueCounts,
    label: u16,
}

impl Sink for Counting {
    fn is_marker(&mut self, _: u64) -> bool {
        false
    }

    fn wants(&mut self, _: &Anatomy, occurrence: &Occurrence<'_>) -> bool {
        if occurrence.role != Role::Null {
            self.counts.add(occurrence.value, self.label);
        }
        false
    }

    fn take(&mut self, _: &Anatomy, _: &Occurrence<'_>, _: u64) {}
}

struct Sampling<'w, 's, 'a> {
    scan: &'w Scan<'s, 'a>,
    frequent: &'w Frequent,
    values: Values,
    entries: Vec<Entry>,
    rate: u64,
    page: u32,
    label: u16,
}

impl Sampling<'_, '_, '_> {
    fn is_exempt(&self, anatomy: &Anatomy, occurrence: &Occurrence<'_>) -> bool {
        let lang = self.scan.site.langs[usize::from(self.label)];
        occurrence.parts.iter().any(|part| {
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
    fn is_marker(&mut self, marker: u64) -> bool {
        self.frequent.has_marker(marker, self.label)
    }

    fn wants(&mut self, anatomy: &Anatomy, occurrence: &Occurrence<'_>) -> bool {
        self.scan.shape == Shape::Compound
            || occurrence.role == Role::Null
            || self.frequent.has(occurrence.value, self.label)
            || self.is_exempt(anatomy, occurrence)
    }

    fn take(&mut self, anatomy: &Anatomy, occurrence: &Occurrence<'_>, skeleton: u64) {
        if skeleton & (self.rate - 1) == 0 {
            let value = self.values.number(self.page, anatomy, occurrence, self.scan.shape);
            if self.entries.len() == self.entries.capacity() {
                // Doubles, but not beyond what the sample may hold and what one URL may add.
                let max = self.scan.params.sample_entries + (1 << 16);
                let room = max.saturating_sub(self.entries.len()).clamp(64, self.entries.len().max(64));
                self.entries.reserve_exact(room);
            }
            self.entries.push(Entry { key: skeleton, value, page: self.page });
        }
    }
}

struct Exact<E> {
    numbers: FxHashMap<u64, u32>,
    markers: FxHashSet<u64>,
    each: E,
    outcome: crate::error::Result<()>,
    page: u32,
}

impl<E: FnMut(Entry) -> crate::error::Result<()>> Sink for Exact<E> {
    fn is_marker(&mut self, marker: u64) -> bool {
        self.markers.contains(&marker)
    }

    fn wants(&mut self, _: &Anatomy, occurrence: &Occurrence<'_>) -> bool {
        self.numbers.contains_key(&occurrence.value)
    }

    fn take(&mut self, _: &Anatomy, occurrence: &Occurrence<'_>, skeleton: u64) {
        if let (Some(&value), true) = (self.numbers.get(&occurrence.value), self.outcome.is_ok()) {
            self.outcome = (self.each)(Entry { key: skeleton, value, page: self.page });
        }
    }
}

/// A value that is worth looking at.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it can pair with.
    pub role: Role,
    /// A page it stands in, and where: its text is read from there.
    page: u32,
    parts: Vec<Cutting>,
    /// Hashes of the first and last token (or byte, for cores) of each part that is a slot: two parts that share one
    /// make no key, as a shorter part makes the same pairs and more.
    ends: Vec<(u64, u64)>,
}

/// The values of one scope, and the entries that name them.
pub struct Values {
    /// All values, by their number.
    pub list: Vec<Value>,
    numbers: FxHashMap<u64, u32>,
}

/// A pair of values in a pair of languages (positions in [`SiteIndex::langs`], first below second).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyCandidate {
    /// Language of `from`.
    pub label_a: u16,
    /// Language of `to`.
    pub label_b: u16,
    /// Value in pages of the first language.
    pub from: u32,
    /// Value in pages of the second.
    pub to: u32,
}

/// What a scan of the pages of one scope works on.
pub struct Scan<'s, 'a> {
    /// The site.
    pub site: &'s SiteIndex<'a>,
    /// The pages looked at, in order.
    pub pages: &'s [u32],
    /// The slots cut.
    pub shape: Shape,
    /// The settings.
    pub params: &'s Params,
    /// Texts that are looked at however rare they are: the sides of rescued keys.
    pub exempt: &'s FxHashSet<String>,
    /// Who is told how far a scan is.
    pub watch: &'s dyn Watch,
}

impl Scan<'_, '_> {
    /// Calls `each` with every page that has a label, its URL taken apart.
    fn for_each_page(&self, step: usize, mut each: impl FnMut(u32, u16, &Anatomy)) {
        let mut anatomy = Anatomy::default();
        let mut released = self.pages.first().copied().unwrap_or(0);
        let told = Step::new(self.watch, "taking URLs apart", self.pages.len() / step);
        for &page in self.pages.iter().step_by(step) {
            let label = self.site.labels[page as usize];
            if label != NO_LABEL && anatomy.read(self.site.urls.identity(page), self.params.separators) {
                each(page, label, &anatomy);
            }
            if page - released >= RELEASE_PAGES {
                self.site.urls.release();
                released = page;
            }
            told.did(1);
        }
    }

    /// How many skeletons a value must fill in each language to be looked at.
    fn min_counts(&self) -> Vec<u32> {
        let sizes = self.site.sizes(self.pages.iter().copied());
        sizes.iter().map(|&size| self.params.min_count(size)).collect()
    }

    /// Collects values that reach the minimum count, and a sample of their entries.
    ///
    /// Returns the entries sorted and the rate m of the sample: skeletons whose hash is a multiple of m, a power of 2. All
    /// entries of such a skeleton are there, so that m times a count estimates the linking power; with m = 1 it is
    /// the linking power.
    pub fn sample(&self) -> (Values, Vec<Entry>, u64) {
        let frequent = self.count();
        let mut sink = Sampling {
            scan: self,
            frequent: &frequent,
            values: Values { list: Vec::new(), numbers: FxHashMap::default() },
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
        (sink.values, sink.entries, sink.rate)
    }

    /// The values frequent enough, counted on every n-th page of large scopes.
    fn count(&self) -> Frequent {
        let step = self.pages.len().div_ceil(self.params.count_pages.max(1)).max(1);
        let mut min_counts = self.min_counts();
        for min in &mut min_counts {
            // Half, as a count on some pages errs both ways.
            *min = if step == 1 { *min } else { (*min / (2 * step as u32)).max(self.params.min_power) };
        }
        let counts = ValueCounts::new(self.pages.len() / step, self.params.sample_entries / 16);
        let mut sink = Counting { counts, label: 0 };
        self.for_each_page(step, |_, label, anatomy| match self.shape {
            // What counts for a compound key are its parts.
            Shape::Compound => for_each_span(self.shape, anatomy, self.params, |segment, span| {
                let marker = span_marker(anatomy, &Cutting { field: segment.field, span, cut: false });
                sink.counts.add(marker, label);
                sink.counts.add(marker, NO_LABEL);
            }),
            shape => {
                sink.label = label;
                skeletons(shape, anatomy, self.params, &mut sink);
            }
        });
        Frequent::new(sink.counts, min_counts, self.shape)
    }

    /// Sends every entry of the wanted values to `each`: the exact pass behind a sampled one.
    ///
    /// # Errors
    /// What `each` returns.
    pub fn entries_of(
        &self,
        values: &Values,
        wanted: &[bool],
        each: impl FnMut(Entry) -> crate::error::Result<()>,
    ) -> crate::error::Result<()> {
        let numbers = values.numbers.iter().filter(|(_, number)| wanted[**number as usize]);
        let mut sink = Exact {
            numbers: numbers.map(|(&hash, &number)| (hash, number)).collect(),
            markers: if self.shape == Shape::Compound {
                self.wanted_markers(values, wanted)
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

    fn wanted_markers(&self, values: &Values, wanted: &[bool]) -> FxHashSet<u64> {
        let mut markers = FxHashSet::default();
        let mut anatomy = Anatomy::default();
        for (value, _) in values.list.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
            if anatomy.read(self.site.urls.identity(value.page), self.params.separators) {
                markers.extend(value.parts.iter().map(|part| span_marker(&anatomy, &Cutting { cut: false, ..*part })));
            }
        }
        markers
    }

    /// The key that a candidate stands for.
    pub fn key(&self, candidate: &KeyCandidate, values: &Values) -> Option<Key> {
        let langs = LangPair::new(
            self.site.langs[usize::from(candidate.label_a)],
            self.site.langs[usize::from(candidate.label_b)],
        )?;
        let texts = |number: u32| -> Vec<(Cutting, String)> {
            let value = &values.list[number as usize];
            let mut anatomy = Anatomy::default();
            anatomy.read(self.site.urls.identity(value.page), self.params.separators);
            value.parts.iter().map(|&part| (part, anatomy.text(part.span).to_owned())).collect()
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
const MARKER_SHARE: f64 = 0.7;

impl Values {
    fn number(&mut self, page: u32, anatomy: &Anatomy, occurrence: &Occurrence<'_>, shape: Shape) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(occurrence.value).or_insert_with(|| {
            let ends = occurrence.parts.iter().filter(|p| !p.cut).map(|part| ends(anatomy, part.span, shape)).collect();
            list.push(Value { role: occurrence.role, page, parts: occurrence.parts.to_vec(), ends });
            list.len() as u32 - 1
        })
    }

    /// True when two values of one skeleton make a key: roles fit, and no part can be made shorter.
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

/// Values of one language in one skeleton that are paired, at the most: the most frequent ones. A true marker fills at
/// least as many skeletons as its key has pairs; what is left out has hundreds of stronger rivals in the same place.
const MAX_VALUES_OF_SKELETON: usize = 256;

/// Counts, for every pair of values that meet in a skeleton in different languages, in how many skeletons they do.
pub fn count_candidates(site: &SiteIndex<'_>, values: &Values, entries: &[Entry]) -> Vec<(KeyCandidate, u32)> {
    let mut frequency = vec![0u32; values.list.len()];
    for entry in entries {
        frequency[entry.value as usize] += 1;
    }
    let mut counts: FxHashMap<KeyCandidate, u32> = FxHashMap::default();
    let mut members: Vec<(u16, u32)> = Vec::new();
    for group in entries.chunk_by(|a, b| a.key == b.key).filter(|group| group.len() > 1) {
        members.clear();
        members.extend(group.iter().map(|entry| (site.labels[entry.page as usize], entry.value)));
        members.sort_unstable();
        members.dedup();
        if members.first().map(|m| m.0) == members.last().map(|m| m.0) {
            continue;
        }
        cap_by_frequency(&mut members, &frequency);
        for (i, &(label_a, from)) in members.iter().enumerate() {
            for &(label_b, to) in members[i + 1..].iter().filter(|m| m.0 != label_a) {
                if from != to && values.fit(from, to) {
                    *counts.entry(KeyCandidate { label_a, label_b, from, to }).or_default() += 1;
                }
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable();
    counts
}

fn cap_by_frequency(members: &mut Vec<(u16, u32)>, frequency: &[u32]) {
    if members.len() <= MAX_VALUES_OF_SKELETON {
        return;
    }
    members.sort_unstable_by_key(|&(label, value)| (label, std::cmp::Reverse(frequency[value as usize]), value));
    let mut kept = 0;
    let mut previous = None;
    members.retain(|&(label, _)| {
        kept = if previous == Some(label) { kept + 1 } else { 0 };
        previous = Some(label);
        kept < MAX_VALUES_OF_SKELETON
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_a_small_site_is_not_lost_to_another_that_shares_its_counter() {
        let values: Vec<u64> = (0..10).map(|n| n << 32).collect();
        for (max_exact, expected) in [(10, 1), (9, 10)] {
            let mut counts = ValueCounts::new(1, max_exact);
            values.iter().for_each(|&value| counts.add(value, 0));
            assert!(values.iter().all(|&value| counts.get(value, 0) == expected), "{max_exact}");
        }
    }
}
