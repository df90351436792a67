//! The keys that addresses suggest: what fills a hole, and which fillers meet in one skeleton.
//!
//! A *filler* is what stands in a hole (one span, or two for compound keys); a *skeleton* is the rest of the address. Two
//! addresses of different languages with one skeleton suggest the key their fillers make. Instead of comparing
//! addresses with one another (Kit & Ng 2007, §3: O(L²|U|²)), every address names its skeletons, and entries are
//! sorted by skeleton: O(L|U| log(L|U|)). Fillers that cannot reach the least power asked for are left out before
//! that, by counts that are exact on all but large sites, and there may only err upwards.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Params;
use crate::index::site::{NO_LABEL, SiteIndex};
use crate::index::sorter::Entry;
use crate::text::tokens::{Anatomy, Segment, Span, mix};
use crate::types::{Edit, Field, Key, Lang, LangPair};

/// Which kinds of holes are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Spans of path, file and query.
    Spans,
    /// Spans of host labels.
    HostSpans,
    /// Beginnings and ends of tokens in path, file and query (Zhang et al. 2013, §2.1, 1).
    Cores,
    /// Two spans of different segments at once.
    Compound,
}

/// One thing cut out of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The field it stands in.
    pub field: Field,
    /// Where it stands.
    pub span: Span,
    /// True when nothing stands there on the other side: the separator goes with it.
    pub cut: bool,
}

/// What a filler can pair with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Another filler of the same hole.
    Plain,
    /// Only [`Role::Null`]: part of it is (null) on the other side.
    Cut,
    /// Only [`Role::Cut`]: it is the side where something is (null).
    Null,
}

/// One skeleton of one address, and what fills it.
pub struct Emission<'p> {
    /// Hash of the skeleton.
    pub skeleton: u64,
    /// Hash of the filler: field, kind and text of its parts.
    pub filler: u64,
    /// What was cut out, in the order it stands in the address.
    pub parts: &'p [Part],
    /// What it can pair with.
    pub role: Role,
}

const HOLE: u64 = 0x11;
const CUT: u64 = 0x22;
const CORE: u64 = 0x33;
const CORE_CUT: u64 = 0x44;
const HOLE_AND_CUT: u64 = 0x55;
const TWO_HOLES: u64 = 0x66;
const TWO_CUTS: u64 = 0x77;

/// Calls `emit` for every skeleton of an address. `marks` is asked, for [`Shape::Compound`], which spans may be part of one.
pub fn emissions(
    shape: Shape,
    anatomy: &Anatomy,
    params: &Params,
    marks: &dyn Fn(u64) -> bool,
    emit: &mut dyn FnMut(Emission<'_>),
) {
    match shape {
        Shape::Spans | Shape::HostSpans => {
            let nothing = Emission {
                skeleton: mix(anatomy.hash(anatomy.whole()), CUT),
                filler: CUT,
                parts: &[],
                role: Role::Null,
            };
            emit(nothing);
            for_each_span(shape, anatomy, params, &mut |segment, span| {
                let part = Part { field: segment.field, span, cut: false };
                let tag = HOLE | u64::from(segment.field as u8) << 8;
                emit(Emission {
                    skeleton: mix(anatomy.hole_hash(span), tag),
                    filler: filler_hash(anatomy, &[part], tag),
                    parts: &[part],
                    role: Role::Plain,
                });
                let part = Part { cut: true, ..part };
                for cut in anatomy.cuts(segment, span).into_iter().flatten() {
                    emit(Emission {
                        skeleton: mix(anatomy.cut_hash(cut), CUT),
                        filler: filler_hash(anatomy, &[part], CUT),
                        parts: &[part],
                        role: Role::Cut,
                    });
                }
            });
        }
        Shape::Cores => cores(anatomy, params, emit),
        Shape::Compound => compounds(anatomy, params, marks, emit),
    }
}

fn for_each_span(shape: Shape, anatomy: &Anatomy, params: &Params, each: &mut dyn FnMut(&Segment, Span)) {
    for segment in anatomy.segments() {
        if !params.fields.contains(&segment.field) || (segment.field == Field::Host) != (shape == Shape::HostSpans) {
            continue;
        }
        let tokens = anatomy.tokens(segment);
        let runs = if shape == Shape::Compound { 1 } else { params.max_span_tokens };
        let mut whole_seen = false;
        for (first, token) in tokens.iter().enumerate() {
            for last in tokens.iter().skip(first).take(runs) {
                let span = Span { start: token.start, end: last.end };
                whole_seen |= span == segment.span;
                if token == last && params.ignored_tokens.iter().any(|t| t == anatomy.text(span)) {
                    continue;
                }
                each(segment, span);
            }
        }
        if !whole_seen {
            each(segment, segment.span);
        }
    }
}

fn filler_hash(anatomy: &Anatomy, parts: &[Part], tag: u64) -> u64 {
    parts.iter().fold(tag, |hash, part| {
        mix(hash, anatomy.hash(part.span) ^ (u64::from(part.field as u8) << 61 | u64::from(part.cut) << 63))
    })
}

fn cores(anatomy: &Anatomy, params: &Params, emit: &mut dyn FnMut(Emission<'_>)) {
    emit(Emission {
        skeleton: mix(anatomy.hash(anatomy.whole()), CORE_CUT),
        filler: CORE_CUT,
        parts: &[],
        role: Role::Null,
    });
    for segment in anatomy.segments().iter().filter(|s| s.field != Field::Host && params.fields.contains(&s.field)) {
        for token in anatomy.tokens(segment) {
            let longest = params.max_core_bytes.min(token.len().saturating_sub(1)) as u16;
            for length in 1..=longest {
                let head = Span { start: token.start, end: token.start + length };
                let tail = Span { start: token.end - length, end: token.end };
                for span in [head, tail] {
                    if anatomy.text(span).bytes().all(|b| b.is_ascii_digit()) {
                        continue;
                    }
                    let tag = CORE | u64::from(segment.field as u8) << 8;
                    let part = Part { field: segment.field, span, cut: false };
                    emit(Emission {
                        skeleton: mix(anatomy.hole_hash(span), tag),
                        filler: filler_hash(anatomy, &[part], tag),
                        parts: &[part],
                        role: Role::Plain,
                    });
                    let part = Part { cut: true, ..part };
                    emit(Emission {
                        skeleton: mix(anatomy.cut_hash(span), CORE_CUT),
                        filler: filler_hash(anatomy, &[part], CORE_CUT),
                        parts: &[part],
                        role: Role::Cut,
                    });
                }
            }
        }
    }
}

/// Spans of one address that compound keys are made of, at the most.
const MAX_MARKS: usize = 6;

fn compounds(anatomy: &Anatomy, params: &Params, marks: &dyn Fn(u64) -> bool, emit: &mut dyn FnMut(Emission<'_>)) {
    emit(Emission {
        skeleton: mix(anatomy.hash(anatomy.whole()), TWO_CUTS),
        filler: TWO_CUTS,
        parts: &[],
        role: Role::Null,
    });
    let mut spans: Vec<(Segment, Span)> = Vec::new();
    for_each_span(Shape::Compound, anatomy, params, &mut |segment, span| {
        let part = Part { field: segment.field, span, cut: false };
        if spans.len() < MAX_MARKS && marks(span_mark(anatomy, &part)) {
            spans.push((*segment, span));
        }
    });
    let hole = |segment: &Segment, span: Span| Part { field: segment.field, span, cut: false };
    let cut = |segment: &Segment, span: Span| Part { field: segment.field, span, cut: true };
    for (segment, span) in &spans {
        let part = hole(segment, *span);
        emit(Emission {
            skeleton: mix(anatomy.hole_hash(*span), HOLE_AND_CUT),
            filler: filler_hash(anatomy, &[part], HOLE_AND_CUT),
            parts: &[part],
            role: Role::Null,
        });
    }
    for (i, (s1, first)) in spans.iter().enumerate() {
        for (s2, second) in spans.iter().skip(i + 1).filter(|(s2, _)| s2.span != s1.span) {
            let mut send = |skeleton: u64, tag: u64, parts: [Part; 2], role: Role| {
                let filler = filler_hash(anatomy, &parts, tag);
                emit(Emission { skeleton: mix(skeleton, tag), filler, parts: &parts, role });
            };
            let both = [hole(s1, *first), hole(s2, *second)];
            send(anatomy.two_hole_hash(*first, *second), TWO_HOLES, both, Role::Plain);
            for gone in anatomy.cuts(s2, *second).into_iter().flatten() {
                let parts = [hole(s1, *first), cut(s2, *second)];
                send(anatomy.hole_and_cut_hash(*first, gone), HOLE_AND_CUT, parts, Role::Cut);
            }
            for gone in anatomy.cuts(s1, *first).into_iter().flatten() {
                let parts = [cut(s1, *first), hole(s2, *second)];
                send(anatomy.hole_and_cut_hash(*second, gone), HOLE_AND_CUT, parts, Role::Cut);
                for other in anatomy.cuts(s2, *second).into_iter().flatten().filter(|other| other.start >= gone.end) {
                    let parts = [cut(s1, *first), cut(s2, *second)];
                    send(anatomy.two_cut_hash(gone, other), TWO_CUTS, parts, Role::Cut);
                }
            }
        }
    }
}

/// What [`emissions`] asks `marks` about: the same for one text in one field, wherever it stands.
pub fn span_mark(anatomy: &Anatomy, part: &Part) -> u64 {
    filler_hash(anatomy, &[*part], HOLE)
}

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
    fn for_each_page(&self, mut each: impl FnMut(u32, u16, &Anatomy)) {
        let mut anatomy = Anatomy::default();
        for page in self.pages.clone() {
            let label = self.site.labels[page as usize];
            if label != NO_LABEL && anatomy.read(self.site.addresses.identity(page), self.params.separators) {
                each(page, label, &anatomy);
            }
        }
    }

    /// The least number of skeletons a filler must fill in each language to be looked at.
    fn least_counts(&self) -> Vec<u32> {
        let mut sizes = vec![0u32; self.site.langs.len()];
        for page in self.pages.clone() {
            if let Some(size) = sizes.get_mut(usize::from(self.site.labels[page as usize])) {
                *size += 1;
            }
        }
        sizes.iter().map(|&size| self.params.least_count(size)).collect()
    }

    fn is_exempt(&self, anatomy: &Anatomy, emission: &Emission<'_>, lang: Lang) -> bool {
        emission.parts.iter().any(|part| {
            let text = anatomy.text(part.span);
            names_language(text, lang) || (!self.exempt.is_empty() && self.exempt.contains(text))
        })
    }

    /// Collects fillers that reach the least count, and a sample of their entries.
    ///
    /// Returns the entries sorted and the rate m of the sample: skeletons whose hash is a multiple of m, a power of 2. All
    /// entries of such a skeleton are there, so that m times a count estimates the linking power; with m = 1 it is
    /// the linking power.
    pub fn sample(&self) -> (Fillers, Vec<Entry>, u64) {
        let least = self.least_counts();
        let counts = self.count();
        let marks = self.marks(&counts, &least);
        let mut fillers = Fillers { list: Vec::new(), numbers: FxHashMap::default() };
        let mut entries: Vec<Entry> = Vec::new();
        let mut rate: u64 = 1;
        self.for_each_page(|page, label, anatomy| {
            let lang = self.site.langs[usize::from(label)];
            emissions(self.shape, anatomy, self.params, &|mark| marks(mark, label), &mut |emission| {
                if emission.skeleton & (rate - 1) != 0 {
                    return;
                }
                let enough = self.shape == Shape::Compound
                    || emission.role == Role::Null
                    || counts.get(emission.filler, label) >= least[usize::from(label)]
                    || self.is_exempt(anatomy, &emission, lang);
                if enough {
                    let filler = fillers.number(page, anatomy, &emission, self.shape);
                    entries.push(Entry { key: emission.skeleton, filler, page });
                }
            });
            while entries.len() > self.params.sample_entries {
                rate *= 2;
                entries.retain(|entry| entry.key & (rate - 1) == 0);
            }
        });
        entries.sort_unstable();
        (fillers, entries, rate)
    }

    fn count(&self) -> Counts {
        let mut counts = Counts::new(self.pages.len(), self.params.sample_entries / 16);
        self.for_each_page(|_, label, anatomy| match self.shape {
            // What counts for a compound key are its parts.
            Shape::Compound => for_each_span(self.shape, anatomy, self.params, &mut |segment, span| {
                let mark = span_mark(anatomy, &Part { field: segment.field, span, cut: false });
                counts.add(mark, label);
                counts.add(mark, NO_LABEL);
            }),
            shape => emissions(shape, anatomy, self.params, &|_| false, &mut |emission| {
                if emission.role != Role::Null {
                    counts.add(emission.filler, label);
                }
            }),
        });
        counts
    }

    /// Which spans mark a language well enough to be part of a compound key: frequent, and mostly in one language.
    fn marks<'c>(&self, counts: &'c Counts, least: &'c [u32]) -> impl Fn(u64, u16) -> bool + 'c {
        |mark, label| {
            let count = counts.get(mark, label);
            count >= least[usize::from(label)] && f64::from(count) >= MARK_SHARE * f64::from(counts.get(mark, NO_LABEL))
        }
    }

    /// Sends every entry of the wanted fillers to `each`: the exact pass behind a sampled one.
    ///
    /// # Errors
    /// What `each` returns.
    pub fn entries_of(
        &self,
        fillers: &Fillers,
        wanted: &[bool],
        mut each: impl FnMut(Entry) -> crate::error::Result<()>,
    ) -> crate::error::Result<()> {
        let mut outcome = Ok(());
        let marks: FxHashSet<u64> =
            if self.shape == Shape::Compound { self.wanted_marks(fillers, wanted) } else { FxHashSet::default() };
        self.for_each_page(|page, _, anatomy| {
            emissions(self.shape, anatomy, self.params, &|mark| marks.contains(&mark), &mut |emission| {
                if let Some(&filler) = fillers.numbers.get(&emission.filler)
                    && wanted[filler as usize]
                    && outcome.is_ok()
                {
                    outcome = each(Entry { key: emission.skeleton, filler, page });
                }
            });
        });
        outcome
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

/// Share of a span's occurrences that must be in one language for it to be part of a compound key.
const MARK_SHARE: f64 = 0.7;

/// True when `text` is a tag or code of `lang`: `fr`, `fra`, `fr-CA`, `zh_TW`.
pub fn names_language(text: &str, lang: Lang) -> bool {
    (2..=8).contains(&text.len()) && Lang::parse(text).is_some_and(|named| named.agrees(lang))
}

impl Fillers {
    fn number(&mut self, page: u32, anatomy: &Anatomy, emission: &Emission<'_>, shape: Shape) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(emission.filler).or_insert_with(|| {
            let ends = emission.parts.iter().filter(|p| !p.cut).map(|part| ends(anatomy, part.span, shape)).collect();
            list.push(Filler { role: emission.role, page, parts: emission.parts.to_vec(), ends });
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
