//! Takes URLs apart into fields, segments and tokens, and hashes what is left of them when something is cut out.
//!
//! ```text
//! fr.example.org/docs/user-guide/index.de.html?lang=fr&id=7
//! ╰──── host ──╯ ╰──── path ───╯ ╰── file ───╯ ╰── query ─╯
//! ```
//! A *segment* is a host label, the public suffix, a directory, the file, or one value of the query; a *token* is a run of letters and
//! digits inside a segment (Kit & Ng 2007, Table 1). A *span* is one token, a run of neighbouring tokens of one segment, or a whole
//! segment. Parameters of the query are sorted by name first, so that their order does not matter.

use crate::types::{Field, public_suffix};

/// URLs that are longer, in bytes, are not used: no language marker stands so far from the beginning.
pub const MAX_URL_BYTES: usize = 2048;

/// Which bytes end a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub enum Separators {
    /// Every ASCII byte that is not a letter, a digit or `%`.
    #[default]
    Punctuation,
    /// `: / . - _` only (Kit & Ng 2007, §2; Zhang et al. 2013, §2.1).
    KitNg,
}

impl Separators {
    fn table(self) -> &'static [bool; 256] {
        const fn build(kit_ng: bool) -> [bool; 256] {
            let mut table = [false; 256];
            let mut byte = 0;
            while byte < 128 {
                let b = byte as u8;
                table[byte] = if kit_ng {
                    matches!(b, b':' | b'/' | b'.' | b'-' | b'_')
                } else {
                    !b.is_ascii_alphanumeric() && b != b'%'
                };
                byte += 1;
            }
            table
        }
        static PUNCTUATION: [bool; 256] = build(false);
        static KIT_NG: [bool; 256] = build(true);
        match self {
            Separators::Punctuation => &PUNCTUATION,
            Separators::KitNg => &KIT_NG,
        }
    }
}

/// A part of a URL: `start..end` in [`Anatomy::bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u16,
    /// One past the last byte.
    pub end: u16,
}

impl Span {
    /// Length in bytes.
    pub(crate) fn len(self) -> usize {
        usize::from(self.end - self.start)
    }
}

/// A host label, the public suffix, a directory, the file, or one value of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The field it belongs to.
    pub field: Field,
    /// The segment itself, without separators around it.
    pub span: Span,
    /// What is cut out with the segment: also the `/`, `.` or `name=` that belongs to it.
    pub cut: Span,
    /// Positions of its tokens, for [`Anatomy::tokens`].
    pub tokens: (u16, u16),
}

/// A URL taken apart. Reuse one for many URLs: [`Anatomy::read`] keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Anatomy {
    bytes: Vec<u8>,
    /// Hash of every prefix, modulo 2⁶¹−1: `prefix[i]` is the hash of `bytes[..i]`.
    prefix: Vec<u64>,
    /// Powers of the hash's base.
    powers: Vec<u64>,
    segments: Vec<Segment>,
    tokens: Vec<Span>,
    /// The host whose public suffix was looked up last, and where that suffix is, since URLs come host by host.
    host: Vec<u8>,
    suffix: Option<(usize, usize)>,
}

const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0c3a_5c85_c97c_b127 % MODULUS;

impl Anatomy {
    /// Takes apart a URL without its scheme ([`crate::types::CanonicalUrl::identity`]).
    ///
    /// Returns `false`, and contains nothing, if the URL is longer than [`MAX_URL_BYTES`].
    pub fn read(&mut self, identity: &str, separators: Separators) -> bool {
        self.bytes.clear();
        self.segments.clear();
        self.tokens.clear();
        self.prefix.clear();
        if identity.len() > MAX_URL_BYTES {
            return false;
        }
        let (before, query) = identity.split_once('?').map_or((identity, None), |(a, b)| (a, Some(b)));
        self.bytes.extend_from_slice(before.as_bytes());
        let table = separators.table();
        self.split_host_and_path(table);
        if let Some(query) = query {
            self.split_query(query, table);
        }
        self.hash_prefixes();
        true
    }

    fn split_host_and_path(&mut self, table: &[bool; 256]) {
        let end = self.bytes.len();
        let host_end = memchr::memchr(b'/', &self.bytes).unwrap_or(end);
        self.find_suffix(host_end);
        let suffix = self.suffix.unwrap_or((host_end, host_end));
        let mut start = 0;
        for at in 0..=host_end {
            if at == host_end || (self.bytes[at] == b'.' && at < suffix.0) {
                let stop = if start == suffix.0 { suffix.1 } else { at };
                self.add_segment(Field::Host, (start, stop), (start, (at + 1).min(host_end)), table);
                start = at + 1;
            }
        }
        let mut start = host_end + 1;
        while start < end {
            match memchr::memchr(b'/', &self.bytes[start..end]) {
                Some(length) => {
                    let stop = start + length;
                    self.add_segment(Field::Path, (start, stop), (start, stop + 1), table);
                    start = stop + 1;
                }
                None => {
                    self.add_segment(Field::File, (start, end), (start, end), table);
                    start = end;
                }
            }
        }
    }

    /// Finds the public suffix of the host, which is one segment, so that `co.uk` can stand where `fr` does.
    fn find_suffix(&mut self, host_end: usize) {
        if self.host != self.bytes[..host_end] {
            self.host.clear();
            self.host.extend_from_slice(&self.bytes[..host_end]);
            let suffix = std::str::from_utf8(&self.host).ok().and_then(public_suffix);
            self.suffix = suffix.map(|suffix| (suffix.start, suffix.end));
        }
    }

    fn split_query(&mut self, query: &str, table: &[bool; 256]) {
        let mut parameters: Vec<&str> = query.split('&').filter(|p| !p.is_empty()).collect();
        parameters.sort_by_key(|p| p.split('=').next().unwrap_or(""));
        for parameter in parameters {
            // Every parameter has the same separator, even the first one, so that the query is well formed when any of them is cut out.
            let from = self.bytes.len();
            self.bytes.push(PARAMETER);
            self.bytes.extend_from_slice(parameter.as_bytes());
            let value = from + 1 + parameter.find('=').map_or(0, |at| at + 1);
            let end = self.bytes.len();
            self.add_segment(Field::Query, (value, end), (from, end), table);
        }
    }

    fn add_segment(&mut self, field: Field, span: (usize, usize), cut: (usize, usize), table: &[bool; 256]) {
        if span.0 >= span.1 {
            return;
        }
        let first = self.tokens.len() as u16;
        let mut start = span.0;
        for at in span.0..=span.1 {
            if at == span.1 || table[usize::from(self.bytes[at])] {
                if start < at {
                    self.tokens.push(to_span((start, at)));
                }
                start = at + 1;
            }
        }
        let tokens = (first, self.tokens.len() as u16);
        self.segments.push(Segment { field, span: to_span(span), cut: to_span(cut), tokens });
    }

    fn hash_prefixes(&mut self) {
        while self.powers.len() <= self.bytes.len() {
            let next = self.powers.last().map_or(1, |&p| mul(p, BASE));
            self.powers.push(next);
        }
        let mut hash = 0;
        self.prefix.push(0);
        for &byte in &self.bytes {
            hash = add(mul(hash, BASE), u64::from(byte) + 1);
            self.prefix.push(hash);
        }
    }

    /// The URL as it was taken apart: without scheme, and with a byte 1 before each of the sorted parameters.
    #[cfg(test)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The tokens of a segment, in order.
    pub fn tokens(&self, segment: &Segment) -> &[Span] {
        &self.tokens[usize::from(segment.tokens.0)..usize::from(segment.tokens.1)]
    }

    /// The spans of a segment: every token, every run of up to `longest` tokens, and the whole segment, each once.
    pub fn spans(&self, segment: &Segment, longest: usize) -> impl Iterator<Item = Span> {
        let tokens = self.tokens(segment);
        let whole = segment.span;
        let is_run = match tokens {
            [first, .., last] => tokens.len() <= longest && first.start == whole.start && last.end == whole.end,
            [token] => longest > 0 && *token == whole,
            [] => false,
        };
        let runs = tokens.iter().enumerate().flat_map(move |(first, token)| {
            let lasts = tokens.iter().skip(first).take(longest);
            lasts.map(|last| Span { start: token.start, end: last.end })
        });
        runs.chain((!is_run).then_some(whole))
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        std::str::from_utf8(&self.bytes[usize::from(span.start)..usize::from(span.end)]).unwrap_or("")
    }

    /// The whole URL as a span.
    pub fn whole(&self) -> Span {
        to_span((0, self.bytes.len()))
    }

    /// Hash of a span's text, which does not depend on where it stands. It is not mixed: pass it through [`mix`].
    pub fn hash(&self, span: Span) -> u64 {
        let (start, end) = (usize::from(span.start), usize::from(span.end));
        sub(self.prefix[end], mul(self.prefix[start], self.powers[end - start]))
    }

    /// Hash of the URL with `span` cut out and the ends joined. It equals [`Anatomy::hash`] of the whole URL that is left.
    pub fn cut_hash(&self, span: Span) -> u64 {
        let tail = Span { start: span.end, end: self.bytes.len() as u16 };
        add(mul(self.prefix[usize::from(span.start)], self.powers[tail.len()]), self.hash(tail))
    }

    /// Hash of the URL with a slot in place of `span`: of what stands before the slot and of what stands after it.
    pub fn slot_hash(&self, span: Span) -> u64 {
        let tail = Span { start: span.end, end: self.bytes.len() as u16 };
        mix(self.prefix[usize::from(span.start)], self.hash(tail))
    }

    /// [`Anatomy::slot_hash`] of `slot`, with `cut` cut out besides. The two must not overlap.
    pub fn slot_and_cut_hash(&self, slot: Span, cut: Span) -> u64 {
        let end = self.bytes.len() as u16;
        let join = |a: Span, b: Span| add(mul(self.hash(a), self.powers[b.len()]), self.hash(b));
        let span = |start, end| Span { start, end };
        if cut.end <= slot.start {
            mix(join(span(0, cut.start), span(cut.end, slot.start)), self.hash(span(slot.end, end)))
        } else {
            mix(self.prefix[usize::from(slot.start)], join(span(slot.end, cut.start), span(cut.end, end)))
        }
    }

    /// Hash of the URL with two slots; `first` stands before `second`.
    pub fn two_slot_hash(&self, first: Span, second: Span) -> u64 {
        let end = self.bytes.len() as u16;
        let middle = self.hash(Span { start: first.end, end: second.start });
        let tail = self.hash(Span { start: second.end, end });
        mix(mix(self.prefix[usize::from(first.start)], middle), tail)
    }

    /// Hash of the URL with two spans cut out; `first` stands before `second`.
    pub fn two_cut_hash(&self, first: Span, second: Span) -> u64 {
        let end = self.bytes.len() as u16;
        let middle = Span { start: first.end, end: second.start };
        let tail = Span { start: second.end, end };
        let head = add(mul(self.prefix[usize::from(first.start)], self.powers[middle.len()]), self.hash(middle));
        add(mul(head, self.powers[tail.len()]), self.hash(tail))
    }

    /// The ways to cut `span` out of its segment: with the separator before it, or with the one after it. A whole segment goes with the
    /// separator of segments; a file in a folder goes alone or with the `/` before it, since the page may be `/wiki/Page/` or `/wiki/Page`
    /// where its translation is `/wiki/Page/fr`. If there is any way, the first place has one.
    pub fn cuts(&self, segment: &Segment, span: Span) -> [Option<Span>; 2] {
        if span == segment.span {
            let slash = usize::from(span.start).saturating_sub(1);
            let in_folder = segment.field == Field::File && memchr::memchr(b'/', &self.bytes[..slash]).is_some();
            return [Some(segment.cut), in_folder.then(|| Span { start: span.start - 1, end: span.end })];
        }
        let before = (span.start > segment.span.start).then(|| Span { start: span.start - 1, end: span.end });
        let after = (span.end < segment.span.end).then(|| Span { start: span.start, end: span.end + 1 });
        // In `a.de.b`, cutting out `.de` and `de.` leave the same.
        match (before, after) {
            (Some(b), Some(a)) if self.bytes[usize::from(b.start)] == self.bytes[usize::from(a.end) - 1] => {
                [before, None]
            }
            (None, after) => [after, None],
            both => [both.0, both.1],
        }
    }
}

/// Stands before every parameter of the query in [`Anatomy::bytes`]; no URL contains it.
const PARAMETER: u8 = 1;

fn to_span((start, end): (usize, usize)) -> Span {
    // A `u16` can hold MAX_URL_BYTES.
    Span { start: start as u16, end: end as u16 }
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

fn sub(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + MODULUS - b }
}

fn mul(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & MODULUS) + (product >> 61) as u64;
    if folded >= MODULUS { folded - MODULUS } else { folded }
}

/// Mixes two hashes into one, in which every bit depends on all bits.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.rotate_left(32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;
    use crate::extent::extent;

    fn read(identity: &str) -> Anatomy {
        let mut anatomy = Anatomy::default();
        assert!(anatomy.read(identity, Separators::Punctuation));
        anatomy
    }

    fn parts(identity: &str) -> Vec<(Field, String, Vec<String>)> {
        let a = read(identity);
        let tokens = |s: &Segment| a.tokens(s).iter().map(|&t| a.text(t).to_owned()).collect();
        a.segments().iter().map(|s| (s.field, a.text(s.span).to_owned(), tokens(s))).collect()
    }

    #[test]
    fn a_url_falls_into_fields_segments_and_tokens() {
        let strings = |t: &[&str]| t.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        assert_eq!(
            parts("www.aud.gov.hk/chi/home/home_c.htm?b=2&a=x-y"),
            [
                (Field::Host, "www".into(), strings(&["www"])),
                (Field::Host, "aud".into(), strings(&["aud"])),
                (Field::Host, "gov.hk".into(), strings(&["gov", "hk"])),
                (Field::Path, "chi".into(), strings(&["chi"])),
                (Field::Path, "home".into(), strings(&["home"])),
                (Field::File, "home_c.htm".into(), strings(&["home", "c", "htm"])),
                (Field::Query, "x-y".into(), strings(&["x", "y"])),
                (Field::Query, "2".into(), strings(&["2"])),
            ]
        );
    }

    #[test]
    fn cutting_leaves_the_hash_of_the_url_that_is_left() {
        for (full, left, cut_text) in [
            ("ex.org/de/x.html", "ex.org/x.html", "de"),
            ("ex.org/index.de.html", "ex.org/index.html", "de"),
            ("ex.org/about-nl.html", "ex.org/about.html", "nl"),
            ("ex.org/nl_about.html", "ex.org/about.html", "nl"),
            ("ex.org/wiki/Page/de", "ex.org/wiki/Page", "de"),
            ("ex.org/wiki/Page/de", "ex.org/wiki/Page/", "de"),
            ("ex.org/de", "ex.org/", "de"),
            ("de.ex.org/x", "ex.org/x", "de"),
            ("ex.org/v?id=7&lang=fr", "ex.org/v?id=7", "fr"),
            ("ex.org/v?a=fr&id=7", "ex.org/v?id=7", "fr"),
        ] {
            let a = read(full);
            let left = read(left);
            let hit = a.segments().iter().any(|segment| {
                let spans = a.tokens(segment).iter().copied().chain([segment.span]);
                spans.filter(|&s| a.text(s) == cut_text).any(|span| {
                    a.cuts(segment, span).into_iter().flatten().any(|cut| a.cut_hash(cut) == left.hash(left.whole()))
                })
            });
            assert!(hit, "{full}");
        }
    }

    #[test]
    fn slots_at_one_place_leave_one_skeleton() {
        let span = |a: &Anatomy, text: &str| {
            let at = a.bytes().windows(text.len()).position(|w| w == text.as_bytes()).expect("it is there");
            to_span((at, at + text.len()))
        };
        let (x, y) = (read("ex.org/en-US/about-en.html"), read("ex.org/nl/about-dutch.html"));
        let (x1, x2) = (span(&x, "en-US"), span(&x, "en.html"));
        let x2 = Span { start: x2.start, end: x2.start + 2 };
        let (y1, y2) = (span(&y, "nl"), span(&y, "dutch"));
        assert_eq!(x.two_slot_hash(x1, x2), y.two_slot_hash(y1, y2));
        assert_ne!(x.slot_hash(x1), y.slot_hash(y1));
        let z = read("ex.org/nl/about.html");
        let y_cut = Span { start: y2.start - 1, end: y2.end };
        assert_eq!(y.slot_and_cut_hash(y1, y_cut), z.slot_hash(span(&z, "nl")));
        let plain = read("ex.org/about.html");
        let nl = Span { start: y1.start, end: y1.end + 1 };
        assert_eq!(y.two_cut_hash(nl, y_cut), plain.hash(plain.whole()));
    }

    /// A segment by its definition, as places in the URL: its text, what is cut out with it, and its tokens.
    type Plain = (Field, Range<usize>, Range<usize>, Vec<Range<usize>>);

    /// A URL with sorted parameters, and its segments.
    fn by_definition(identity: &str, separators: Separators) -> (String, Vec<Plain>) {
        let separates = |c: char| match separators {
            Separators::Punctuation => !c.is_alphanumeric() && c != '%',
            Separators::KitNg => ":/.-_".contains(c),
        };
        let (before, query) = identity.split_once('?').unwrap_or((identity, ""));
        let (host, path) = before.split_once('/').unwrap_or((before, ""));
        // A public suffix is one label. The only one with a dot in these tests is `co.uk`.
        let (names, suffix) = host.strip_suffix(".co.uk").map_or((host, None), |names| (names, Some("co.uk")));
        let labels: Vec<&str> = names.split('.').chain(suffix).collect();
        let (last, labels) = labels.split_last().expect("a host");
        let (folders, file) = path.rsplit_once('/').map_or((None, path), |(folders, file)| (Some(folders), file));
        let mut parameters: Vec<&str> = query.split('&').filter(|parameter| !parameter.is_empty()).collect();
        parameters.sort_by_key(|parameter| parameter.split('=').next());
        // The separator before a text that goes with it, the text, and the separator after it.
        let mut pieces: Vec<(Field, String, &str, &str)> = Vec::new();
        pieces.extend(labels.iter().map(|label| (Field::Host, String::new(), *label, ".")));
        pieces.extend([(Field::Host, String::new(), *last, ""), (Field::Path, String::new(), "", "/")]);
        let folders = folders.into_iter().flat_map(|folders| folders.split('/'));
        pieces.extend(folders.map(|folder| (Field::Path, String::new(), folder, "/")));
        pieces.push((Field::File, String::new(), file, ""));
        pieces.extend(parameters.into_iter().map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (Field::Query, format!("\u{1}{name}="), value, ""),
            None => (Field::Query, "\u{1}".to_owned(), parameter, ""),
        }));
        let (mut form, mut segments) = (String::new(), Vec::new());
        for (field, before, text, after) in pieces {
            let (from, start) = (form.len(), form.len() + before.len());
            form.extend([&before, text, after]);
            let mut at = start;
            let token = |token: &str| {
                at += token.len() + 1;
                at - token.len() - 1..at - 1
            };
            let tokens = text.split(separates).map(token).filter(|token| !token.is_empty()).collect();
            if !text.is_empty() {
                segments.push((field, start..start + text.len(), from..form.len(), tokens));
            }
        }
        (form, segments)
    }

    /// The ways to cut a span out of its segment, by their definition.
    fn cuts_by_definition(form: &str, (field, text, cut, _): &Plain, span: &Range<usize>) -> Vec<Range<usize>> {
        let slash = span.start.saturating_sub(1);
        if span == text {
            let in_folder = *field == Field::File && form[..slash].contains('/');
            return [cut.clone()].into_iter().chain(in_folder.then_some(slash..span.end)).collect();
        }
        let before = (span.start > text.start).then_some(slash..span.end);
        before.into_iter().chain((span.end < text.end).then_some(span.start..span.end + 1)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: extent(800, 4000), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn segments_tokens_spans_and_cuts_are_those_of_their_definitions(
            identity in "(www\\.)?[a-c]{1,2}(-a)?\\.(org|co\\.uk)/([ab~]?[ab%2._-]{0,3}/){0,2}[a-c._-]{0,5}(\\?([ab]=?[a-c.+-]{0,3}&?){0,3})?",
            kit_ng in any::<bool>(),
            longest in 1usize..4,
        ) {
            let separators = if kit_ng { Separators::KitNg } else { Separators::Punctuation };
            let mut url = Anatomy::default();
            prop_assert!(url.read(&identity, separators));
            let (form, expected) = by_definition(&identity, separators);
            prop_assert_eq!(url.text(url.whole()), &form);
            let range = |span: Span| usize::from(span.start)..usize::from(span.end);
            let tokens = |s: &Segment| url.tokens(s).iter().map(|&token| range(token)).collect();
            let plain = |s: &Segment| (s.field, range(s.span), range(s.cut), tokens(s));
            let found: Vec<Plain> = url.segments().iter().map(plain).collect();
            prop_assert_eq!(&found, &expected);
            for (segment, plain) in url.segments().iter().zip(&expected) {
                let (_, text, _, tokens) = plain;
                let runs = |first: usize| tokens[first..].iter().take(longest).map(move |last| tokens[first].start..last.end);
                let mut spans: Vec<Range<usize>> = (0..tokens.len()).flat_map(runs).collect();
                if !spans.contains(text) {
                    spans.push(text.clone());
                }
                prop_assert_eq!(url.spans(segment, longest).map(range).collect::<Vec<_>>(), spans);
                for span in url.spans(segment, longest) {
                    let left = |cut: Range<usize>| format!("{}{}", &form[..cut.start], &form[cut.end..]);
                    let found: Vec<String> = url.cuts(segment, span).into_iter().flatten().map(range).map(left).collect();
                    let expected = cuts_by_definition(&form, plain, &range(span)).into_iter().map(left);
                    let expected: BTreeSet<String> = expected.collect();
                    prop_assert_eq!(found.len(), expected.len());
                    prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
                }
            }
        }
    }
}
