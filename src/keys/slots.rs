//! What is cut out of a URL, and what is left: the skeletons of one URL and what fills them.

use super::params::Params;
use crate::language::codes::is_language_name;
use crate::text::tokens::{Anatomy, Segment, Span, mix};
use crate::types::Field;

/// Which kinds of slots are cut.
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

/// One thing cut out of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// The field it stands in.
    pub field: Field,
    /// Where it stands.
    pub span: Span,
    /// True when nothing stands there on the other side: the separator goes with it.
    pub cut: bool,
}

/// What a value can pair with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Another value of the same slot.
    Plain,
    /// Only [`Role::Null`]: part of it is (null) on the other side.
    Cut,
    /// Only [`Role::Cut`]: it is the side where something is (null).
    Null,
}

/// What fills one skeleton of a URL.
#[derive(Clone, Copy)]
pub struct Occurrence<'p> {
    /// Hash of the value: field, kind and text of its parts.
    pub value: u64,
    /// What was cut out, in the order it stands in the URL.
    pub parts: &'p [Cutting],
    /// What it can pair with.
    pub role: Role,
}

/// Receives the skeletons of a URL.
pub trait Sink {
    /// True when a span may be part of a compound key; `marker` is its [`span_marker`].
    fn is_marker(&mut self, marker: u64) -> bool;

    /// True when the skeletons of this value are wanted. Called before they are hashed, as most are not.
    fn wants(&mut self, anatomy: &Anatomy, occurrence: &Occurrence<'_>) -> bool;

    /// One skeleton, by its hash.
    fn take(&mut self, anatomy: &Anatomy, occurrence: &Occurrence<'_>, skeleton: u64);
}

const SLOT: u64 = 0x11;
const CUT: u64 = 0x22;
const CORE: u64 = 0x33;
const CORE_CUT: u64 = 0x44;
const SLOT_AND_CUT: u64 = 0x55;
const TWO_SLOTS: u64 = 0x66;
const TWO_CUTS: u64 = 0x77;

/// Gives every skeleton of a URL to `sink`.
pub fn skeletons<S: Sink>(shape: Shape, anatomy: &Anatomy, params: &Params, sink: &mut S) {
    let (nothing, send) = match shape {
        Shape::Spans | Shape::HostSpans => (CUT, spans as fn(Shape, &Anatomy, &Params, &mut S)),
        Shape::Cores => (CORE_CUT, cores as fn(Shape, &Anatomy, &Params, &mut S)),
        Shape::Compound => (TWO_CUTS, compounds as fn(Shape, &Anatomy, &Params, &mut S)),
    };
    let occurrence = Occurrence { value: nothing, parts: &[], role: Role::Null };
    if sink.wants(anatomy, &occurrence) {
        sink.take(anatomy, &occurrence, mix(anatomy.hash(anatomy.whole()), nothing));
    }
    send(shape, anatomy, params, sink);
}

fn spans<S: Sink>(shape: Shape, anatomy: &Anatomy, params: &Params, sink: &mut S) {
    for_each_span(shape, anatomy, params, |segment, span| {
        slot_and_cuts(anatomy, segment.field, span, (SLOT, CUT), sink, || anatomy.cuts(segment, span));
    });
    if shape == Shape::HostSpans && params.across_suffixes && params.fields.contains(&Field::Host) {
        suffix_without_www(anatomy, sink);
    }
}

/// The public suffix as a slot, with a `www` before the domain cut out: `www.x.de` and `x.fr` have one skeleton.
fn suffix_without_www<S: Sink>(anatomy: &Anatomy, sink: &mut S) {
    let hosts = anatomy.segments().iter().take_while(|segment| segment.field == Field::Host);
    let (Some(first), Some(last)) = (hosts.clone().next(), hosts.last()) else { return };
    let slot = Cutting { field: Field::Host, span: last.span, cut: false };
    let mut send = |parts: &[Cutting], role: Role, skeleton: u64| {
        let occurrence = Occurrence { value: value_hash(anatomy, parts, SLOT_AND_CUT), parts, role };
        if sink.wants(anatomy, &occurrence) {
            sink.take(anatomy, &occurrence, mix(skeleton, SLOT_AND_CUT));
        }
    };
    if anatomy.text(first.span) == "www" && first.cut.end < last.span.start {
        let www = Cutting { field: Field::Host, span: first.span, cut: true };
        send(&[www, slot], Role::Cut, anatomy.slot_and_cut_hash(last.span, first.cut));
    } else {
        send(&[slot], Role::Null, anatomy.slot_hash(last.span));
    }
}

fn cores<S: Sink>(_: Shape, anatomy: &Anatomy, params: &Params, sink: &mut S) {
    for segment in anatomy.segments().iter().filter(|s| s.field != Field::Host && params.fields.contains(&s.field)) {
        for token in anatomy.tokens(segment) {
            let longest = params.max_core_bytes.min(token.len().saturating_sub(1)) as u16;
            for length in 1..=longest {
                let head = Span { start: token.start, end: token.start + length };
                let tail = Span { start: token.end - length, end: token.end };
                for span in [head, tail] {
                    if !anatomy.text(span).bytes().all(|b| b.is_ascii_digit()) {
                        slot_and_cuts(anatomy, segment.field, span, (CORE, CORE_CUT), sink, || [Some(span), None]);
                    }
                }
            }
        }
    }
}

/// One span, as a slot and cut out.
fn slot_and_cuts<S: Sink>(
    anatomy: &Anatomy,
    field: Field,
    span: Span,
    (slot_tag, cut_tag): (u64, u64),
    sink: &mut S,
    cuts: impl FnOnce() -> [Option<Span>; 2],
) {
    let tag = slot_tag | u64::from(field as u8) << 8;
    let parts = [Cutting { field, span, cut: false }];
    let occurrence = Occurrence { value: value_hash(anatomy, &parts, tag), parts: &parts, role: Role::Plain };
    if sink.wants(anatomy, &occurrence) {
        sink.take(anatomy, &occurrence, mix(anatomy.slot_hash(span), tag));
    }
    let parts = [Cutting { field, span, cut: true }];
    let occurrence = Occurrence { value: value_hash(anatomy, &parts, cut_tag), parts: &parts, role: Role::Cut };
    // Asked for every way to cut: each is a skeleton that counts.
    for cut in cuts().into_iter().flatten() {
        if sink.wants(anatomy, &occurrence) {
            sink.take(anatomy, &occurrence, mix(anatomy.cut_hash(cut), cut_tag));
        }
    }
}

/// Calls `each` with every span that may be a side of a key.
pub fn for_each_span(shape: Shape, anatomy: &Anatomy, params: &Params, mut each: impl FnMut(&Segment, Span)) {
    for segment in anatomy.segments() {
        if !params.fields.contains(&segment.field) || (segment.field == Field::Host) != (shape == Shape::HostSpans) {
            continue;
        }
        for span in anatomy.spans(segment, params.max_span_tokens) {
            // Of compound keys, longer runs only where they name a language: `/ZH-CN/kernel_zh-cn.html`.
            let fits = |span| span == segment.span || anatomy.tokens(segment).contains(&span);
            if shape == Shape::Compound && !fits(span) && !is_language_name(anatomy.text(span)) {
                continue;
            }
            if !params.ignored_tokens.iter().any(|t| t == anatomy.text(span)) {
                each(segment, span);
            }
        }
    }
}

fn value_hash(anatomy: &Anatomy, parts: &[Cutting], tag: u64) -> u64 {
    parts.iter().fold(tag, |hash, part| {
        mix(hash, anatomy.hash(part.span) ^ (u64::from(part.field as u8) << 61 | u64::from(part.cut) << 63))
    })
}

/// Spans of one URL that compound keys are made of, at the most.
const MAX_MARKERS: usize = 6;

fn compounds<S: Sink>(_: Shape, anatomy: &Anatomy, params: &Params, sink: &mut S) {
    let mut spans: Vec<(Segment, Span)> = Vec::new();
    for_each_span(Shape::Compound, anatomy, params, |segment, span| {
        let part = Cutting { field: segment.field, span, cut: false };
        if spans.len() < MAX_MARKERS && sink.is_marker(span_marker(anatomy, &part)) {
            spans.push((*segment, span));
        }
    });
    let mut send = |skeleton: u64, tag: u64, parts: &[Cutting], role: Role| {
        let occurrence = Occurrence { value: value_hash(anatomy, parts, tag), parts, role };
        if sink.wants(anatomy, &occurrence) {
            sink.take(anatomy, &occurrence, mix(skeleton, tag));
        }
    };
    // The `/` before a file stays: without it, a slot in the last folder is one at the end, where the other side has its file.
    let cuts = |segment: &Segment, span: Span| {
        let first = segment.cut.start;
        anatomy.cuts(segment, span).into_iter().flatten().filter(move |gone| gone.start >= first)
    };
    let slot = |segment: &Segment, span: Span| Cutting { field: segment.field, span, cut: false };
    let cut = |segment: &Segment, span: Span| Cutting { field: segment.field, span, cut: true };
    for (segment, span) in &spans {
        send(anatomy.slot_hash(*span), SLOT_AND_CUT, &[slot(segment, *span)], Role::Null);
    }
    for (i, (s1, first)) in spans.iter().enumerate() {
        for (s2, second) in spans.iter().skip(i + 1).filter(|(s2, _)| s2.span != s1.span) {
            let both = [slot(s1, *first), slot(s2, *second)];
            send(anatomy.two_slot_hash(*first, *second), TWO_SLOTS, &both, Role::Plain);
            for gone in cuts(s2, *second) {
                let parts = [slot(s1, *first), cut(s2, *second)];
                send(anatomy.slot_and_cut_hash(*first, gone), SLOT_AND_CUT, &parts, Role::Cut);
            }
            for gone in cuts(s1, *first) {
                let parts = [cut(s1, *first), slot(s2, *second)];
                send(anatomy.slot_and_cut_hash(*second, gone), SLOT_AND_CUT, &parts, Role::Cut);
                for other in cuts(s2, *second).filter(|other| other.start >= gone.end) {
                    let parts = [cut(s1, *first), cut(s2, *second)];
                    send(anatomy.two_cut_hash(gone, other), TWO_CUTS, &parts, Role::Cut);
                }
            }
        }
    }
}

/// What a sink decides on for compound keys: the same for one text in one field, wherever it stands.
pub fn span_marker(anatomy: &Anatomy, part: &Cutting) -> u64 {
    value_hash(anatomy, &[*part], SLOT)
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::index::site::Urls;
    use crate::keys::small_sites::{any_params, config, small_site};

    pub const SHAPES: [Shape; 4] = [Shape::Spans, Shape::HostSpans, Shape::Cores, Shape::Compound];

    /// One way to take something out of a URL: the texts, each with its field and whether the other side has nothing there.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Way {
        pub role: Role,
        pub parts: Vec<(Field, String, bool)>,
    }

    fn way(url: &Anatomy, role: Role, parts: impl Iterator<Item = Cutting>) -> Way {
        Way { role, parts: parts.map(|part| (part.field, url.text(part.span).to_owned(), part.cut)).collect() }
    }

    struct Recorder<'t> {
        is_marker: &'t dyn Fn(u64) -> bool,
        /// Skeleton, value and way.
        taken: Vec<(u64, u64, Way)>,
    }

    impl Sink for Recorder<'_> {
        fn is_marker(&mut self, marker: u64) -> bool {
            (self.is_marker)(marker)
        }

        fn wants(&mut self, _: &Anatomy, _: &Occurrence<'_>) -> bool {
            true
        }

        fn take(&mut self, url: &Anatomy, occurrence: &Occurrence<'_>, skeleton: u64) {
            let way = way(url, occurrence.role, occurrence.parts.iter().copied());
            self.taken.push((skeleton, occurrence.value, way));
        }
    }

    /// All ways to take something out of a URL, each with its skeleton and its value.
    pub fn ways(shape: Shape, url: &Anatomy, params: &Params, is_marker: &dyn Fn(u64) -> bool) -> Vec<(u64, u64, Way)> {
        let mut recorder = Recorder { is_marker, taken: Vec::new() };
        skeletons(shape, url, params, &mut recorder);
        recorder.taken
    }

    /// All ways to take something out of a URL, each with what is left: u − {t} (Kit & Ng 2007, eq. 1). A text that the other
    /// side replaces leaves a byte 0; one that is (null) there goes with one separator.
    fn ways_by_definition(
        shape: Shape,
        url: &Anatomy,
        params: &Params,
        is_marker: &dyn Fn(u64) -> bool,
    ) -> Vec<(String, Way)> {
        let (form, mut ways) = (url.text(url.whole()), Vec::new());
        let mut add = |role: Role, parts: &[(Cutting, Span)]| {
            let (mut left, mut at) = (String::new(), 0);
            for (part, gone) in parts {
                left.extend([&form[at..usize::from(gone.start)], if part.cut { "" } else { "\0" }]);
                at = usize::from(gone.end);
            }
            ways.push((left + &form[at..], way(url, role, parts.iter().map(|(part, _)| *part))));
        };
        let slot = |field, span| (Cutting { field, span, cut: false }, span);
        let cut = |field, span, gone| (Cutting { field, span, cut: true }, gone);
        let options = |segment: &Segment, span: Span| -> Vec<(Cutting, Span)> {
            let cuts = url.cuts(segment, span).into_iter().flatten().map(|gone| cut(segment.field, span, gone));
            [slot(segment.field, span)].into_iter().chain(cuts).collect()
        };
        let role = |cut: bool| if cut { Role::Cut } else { Role::Plain };
        let wanted =
            |s: &Segment| params.fields.contains(&s.field) && (s.field == Field::Host) == (shape == Shape::HostSpans);
        let segments: Vec<Segment> = url.segments().iter().copied().filter(wanted).collect();
        let spans = segments.iter().flat_map(|s| url.spans(s, params.max_span_tokens).map(move |span| (s, span)));
        let spans = spans.filter(|(_, span)| !params.ignored_tokens.iter().any(|token| token == url.text(*span)));
        add(Role::Null, &[]);
        match shape {
            Shape::Spans | Shape::HostSpans => {
                for option in spans.flat_map(|(segment, span)| options(segment, span)) {
                    add(role(option.0.cut), &[option]);
                }
                if params.across_suffixes && shape == Shape::HostSpans {
                    match segments[..] {
                        // `www.de` is the domain itself.
                        [www, _, .., suffix] if url.text(www.span) == "www" => {
                            add(Role::Cut, &[cut(Field::Host, www.span, www.cut), slot(Field::Host, suffix.span)]);
                        }
                        [.., suffix] => add(Role::Null, &[slot(Field::Host, suffix.span)]),
                        [] => {}
                    }
                }
            }
            Shape::Cores => {
                for (segment, token) in segments.iter().flat_map(|s| url.tokens(s).iter().map(move |token| (s, token)))
                {
                    let lengths = (1..token.end - token.start).filter(|n| usize::from(*n) <= params.max_core_bytes);
                    let ends = lengths.flat_map(|n| [(token.start, token.start + n), (token.end - n, token.end)]);
                    for core in ends.map(|(start, end)| Span { start, end }) {
                        if url.text(core).contains(|c: char| !c.is_ascii_digit()) {
                            add(Role::Plain, &[slot(segment.field, core)]);
                            add(Role::Cut, &[cut(segment.field, core, core)]);
                        }
                    }
                }
            }
            Shape::Compound => {
                let is_short = |(segment, span): &(&Segment, Span)| {
                    *span == segment.span || url.tokens(segment).contains(span) || is_language_name(url.text(*span))
                };
                let marker = |field, span| span_marker(url, &Cutting { field, span, cut: false });
                let spans = spans.filter(is_short).filter(|(segment, span)| is_marker(marker(segment.field, *span)));
                let spans: Vec<(&Segment, Span)> = spans.take(6).collect();
                // The `/` before a file stays.
                let options = |(segment, span): (&Segment, Span)| {
                    let mut options = options(segment, span);
                    options.retain(|(_, gone)| gone.start >= segment.cut.start);
                    options
                };
                for (i, &x) in spans.iter().enumerate() {
                    add(Role::Null, &[slot(x.0.field, x.1)]);
                    for &y in spans[i + 1..].iter().filter(|y| y.0.span != x.0.span) {
                        for (first, second) in
                            options(x).into_iter().flat_map(|f| options(y).into_iter().map(move |s| (f, s)))
                        {
                            add(role(first.0.cut || second.0.cut), &[first, second]);
                        }
                    }
                }
            }
        }
        ways
    }

    proptest! {
        #![proptest_config(config(300, 2000))]
        #[test]
        fn urls_share_a_skeleton_where_the_same_is_left_of_them(
            (site, params, rare) in (small_site(), any_params(), 1u64..4),
        ) {
            let is_marker = |marker: u64| marker.is_multiple_of(rare);
            for shape in SHAPES {
                let (mut found, mut expected) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::<_, BTreeSet<_>>::new());
                let mut values = BTreeSet::new();
                for page in 0..site.count() {
                    let mut url = Anatomy::default();
                    prop_assert!(url.read(site.identity(page), params.separators));
                    for (skeleton, value, way) in ways(shape, &url, &params, &is_marker) {
                        values.insert((value, way.clone()));
                        found.entry(skeleton).or_default().insert((page, way));
                    }
                    for (left, way) in ways_by_definition(shape, &url, &params, &is_marker) {
                        expected.entry((left, way.role == Role::Plain)).or_default().insert((page, way));
                    }
                    for_each_span(shape, &url, &params, |segment, span| {
                        let part = Cutting { field: segment.field, span, cut: false };
                        values.insert((span_marker(&url, &part), way(&url, Role::Plain, [part].into_iter())));
                    });
                }
                let found: BTreeSet<_> = found.into_values().collect();
                prop_assert_eq!(found, expected.into_values().collect::<BTreeSet<_>>(), "{:?}", shape);
                // One value, and one marker, is one text.
                let hashes: BTreeSet<u64> = values.iter().map(|(hash, _)| *hash).collect();
                prop_assert_eq!(hashes.len(), values.len(), "{:?}", shape);
            }
        }
    }
}
