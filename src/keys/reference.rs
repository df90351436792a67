//! The reference implementation of key discovery, slow and simple: every URL compared with every other one, straight from the definitions.
//!
//! It shares nothing with [`super::candidate`], [`super::linking_power`], [`super::competition`] or the postings, not even
//! how URLs are taken apart: where they take hashes, it takes strings. Three definitions are the same:
//!
//! - What is *left* of a URL is the URL without what a key takes out of it: u − {t} (Kit & Ng 2007, eq. 1). A
//!   text that the other side replaces leaves a slot; one that is (null) on the other side goes with one separator.
//! - A key matches (u, u′) when the same is left of both. It must not be reducible: where both sides have a text, the
//!   two begin with different tokens and end with different tokens (bytes, for cores).
//! - p(κ) (eq. 2) counts what is left, once for each: pages whose URLs differ in the order of parameters only
//!   count as one, and so do the places where one URL may have had what is (null) in the other. The pair is that of
//!   the first page on either side.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rustc_hash::FxHashSet;

use super::candidate::Scan;
use super::credibility::State;
use super::discover::discover;
use super::found::{Discovery, FoundKey, FoundPair};
use super::language_names::{is_language_name, names_language};
use super::params::{CoreMode, LabelMode, Params, SiteUnit, Strength};
use super::slots::Shape;
use crate::extent::extent;
use crate::index::site::{PageFacts, Pages, SKETCH, SiteIndex, Urls};
use crate::text::tokens::Separators;
use crate::types::{Edit, Field, Key, Lang, LangPair, PagePair};

/// A segment: its text, what goes when it is cut out, its tokens; all as places in [`URL::form`].
struct Segment {
    field: Field,
    text: Range<usize>,
    cut: Range<usize>,
    tokens: Vec<Range<usize>>,
}

/// A URL with its parameters in the order of their names.
struct Address {
    form: String,
    segments: Vec<Segment>,
}

impl Address {
    fn read(identity: &str, separators: Separators) -> Address {
        let (before, query) = identity.split_once('?').unwrap_or((identity, ""));
        let (host, path) = before.split_once('/').map_or((before, None), |(host, path)| (host, Some(path)));
        let mut address = Address { form: String::new(), segments: Vec::new() };
        // A public suffix is one label. Of those with a dot the tests have one.
        let (before_suffix, suffix) = match host.strip_suffix(".co.uk") {
            Some(rest) => (rest, Some("co.uk")),
            None => (host, None),
        };
        let mut labels = before_suffix.split('.').chain(suffix).peekable();
        while let Some(label) = labels.next() {
            let dot = if labels.peek().is_some() { "." } else { "" };
            address.append(Field::Host, ["", label, dot], separators);
        }
        if let Some(path) = path {
            address.form.push('/');
            let mut parts: Vec<&str> = path.split('/').collect();
            let file = parts.pop().unwrap_or("");
            for directory in parts {
                address.append(Field::Path, ["", directory, "/"], separators);
            }
            address.append(Field::File, ["", file, ""], separators);
        }
        let parameters = query.split('&').filter(|p| !p.is_empty());
        let mut parameters: Vec<(&str, Option<&str>)> =
            parameters.map(|p| p.split_once('=').map_or((p, None), |(name, value)| (name, Some(value)))).collect();
        parameters.sort_by_key(|(name, _)| *name);
        for (name, value) in parameters {
            match value {
                Some(value) => address.append(Field::Query, [&format!("&{name}="), value, ""], separators),
                None => address.append(Field::Query, ["&", name, ""], separators),
            }
        }
        address
    }

    fn append(&mut self, field: Field, [before, text, after]: [&str; 3], separators: Separators) {
        let from = self.form.len();
        let start = from + before.len();
        self.form.extend([before, text, after]);
        if text.is_empty() {
            return;
        }
        let separates = |c: char| match separators {
            Separators::Punctuation => !c.is_alphanumeric() && c != '%',
            Separators::KitNg => ":/.-_".contains(c),
        };
        let mut tokens = Vec::new();
        let mut at = start;
        for token in text.split(separates) {
            if !token.is_empty() {
                tokens.push(at..at + token.len());
            }
            at += token.len() + 1;
        }
        self.segments.push(Segment { field, text: start..start + text.len(), cut: from..self.form.len(), tokens });
    }

    /// Tokens, runs of up to `longest` of them, and the whole segment.
    fn spans(&self, segment: &Segment, longest: usize, ignored: &[String]) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        for (i, first) in segment.tokens.iter().enumerate() {
            for last in segment.tokens[i..].iter().take(longest) {
                spans.push(first.start..last.end);
            }
        }
        if !spans.contains(&segment.text) {
            spans.push(segment.text.clone());
        }
        spans.retain(|span| !(segment.tokens.contains(span) && ignored.iter().any(|t| *t == self.form[span.clone()])));
        spans
    }

    /// The ways to cut a span out of its segment.
    fn cuts(&self, segment: &Segment, span: &Range<usize>) -> Vec<Range<usize>> {
        if *span == segment.text {
            let slash = span.start.saturating_sub(1);
            let in_folder = segment.field == Field::File && self.form[..slash].contains('/');
            return [segment.cut.clone()].into_iter().chain(in_folder.then_some(slash..span.end)).collect();
        }
        let mut cuts = Vec::new();
        if span.start > segment.text.start {
            cuts.push(span.start - 1..span.end);
        }
        if span.end < segment.text.end {
            cuts.push(span.start..span.end + 1);
        }
        cuts
    }

    /// The URL with `places` taken out, in rising order; each is replaced by the text beside it.
    fn without(&self, places: &[(&Range<usize>, &str)]) -> String {
        let mut left = String::new();
        let mut at = 0;
        for (place, instead) in places {
            left.extend([&self.form[at..place.start], instead]);
            at = place.end;
        }
        left + &self.form[at..]
    }

    fn part(&self, segment: &Segment, span: &Range<usize>, gone: bool, core: bool) -> Part {
        let text = &self.form[span.clone()];
        let (first, last) = if core {
            (&text[..1], &text[text.len() - 1..])
        } else {
            let first = segment.tokens.iter().find(|token| token.start == span.start);
            let last = segment.tokens.iter().find(|token| token.end == span.end);
            (first.map_or(text, |t| &self.form[t.clone()]), last.map_or(text, |t| &self.form[t.clone()]))
        };
        Part { field: segment.field, text: text.into(), first: first.into(), last: last.into(), gone }
    }
}

const SLOT: &str = "\0";

/// A text taken out of a URL.
#[derive(Clone)]
struct Part {
    field: Field,
    text: String,
    first: String,
    last: String,
    /// (null) on the other side.
    gone: bool,
}

/// One way to take something out of a URL.
struct Way {
    left: u32,
    parts: Vec<Part>,
}

/// What keys take out.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Spans,
    HostSpans,
    Cores,
    Compound,
}

/// The edits that turn what `u` has into what `v` has, if the two ways fit each other.
fn edits(kind: Kind, u: &Way, v: &Way) -> Option<Vec<Edit>> {
    let wanted = match kind {
        Kind::Compound => 2,
        // A `www` that goes with the public suffix is the second of two.
        Kind::HostSpans => u.parts.len().max(v.parts.len()).clamp(1, 2),
        Kind::Spans | Kind::Cores => 1,
    };
    let slots = |way: &Way| way.parts.iter().filter(|part| !part.gone).cloned().collect::<Vec<Part>>();
    let (hu, hv) = (slots(u), slots(v));
    let one_sided = hu.len() == u.parts.len() || hv.len() == v.parts.len();
    if u.left != v.left || hu.len() != hv.len() || !one_sided || u.parts.len().max(v.parts.len()) != wanted {
        return None;
    }
    if hu.iter().zip(&hv).any(|(t, s)| t.field != s.field || t.first == s.first || t.last == s.last) {
        return None;
    }
    let turned = v.parts.len() > u.parts.len();
    let (long, mut short) = if turned { (v, hu.into_iter()) } else { (u, hv.into_iter()) };
    let edit = |part: &Part| {
        let other = if part.gone { String::new() } else { short.next().expect("as many slots").text };
        let (from, to) = if turned { (other, part.text.clone()) } else { (part.text.clone(), other) };
        Edit { field: part.field, from, to, core: kind == Kind::Cores }
    };
    Some(long.parts.iter().map(edit).collect())
}

/// What a key matches: what is left, and the first page on either side.
type Matches = BTreeMap<Key, BTreeMap<u32, (u32, u32)>>;

struct Reference<'t> {
    identities: &'t [String],
    addresses: Vec<Address>,
    labels: Vec<Option<Lang>>,
    params: &'t Params,
    rescue: &'t FxHashSet<String>,
    paired: BTreeSet<(Option<LangPair>, u32)>,
    keys: Vec<ReferenceKey>,
    pairs: BTreeSet<(PagePair, Key, u32)>,
}

/// A key that the reference implementation finds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ReferenceKey {
    key: Key,
    scope: (u32, u32),
    power: u64,
    state: State,
    assigned: u64,
    pairs: Vec<(u32, u32)>,
}

impl<'t> Reference<'t> {
    fn discover(
        identities: &'t [String],
        labels: Vec<Option<Lang>>,
        params: &'t Params,
        rescue: &'t FxHashSet<String>,
    ) -> Reference<'t> {
        let addresses = identities.iter().map(|identity| Address::read(identity, params.separators)).collect();
        let mut reference = Reference {
            identities,
            addresses,
            labels,
            params,
            rescue,
            paired: BTreeSet::new(),
            keys: Vec::new(),
            pairs: BTreeSet::new(),
        };
        let everything = 0..identities.len() as u32;
        let mut first = Vec::new();
        for scope in reference.scopes() {
            first.extend(reference.keys_of(Kind::Spans, &scope, None));
            if params.cores == CoreMode::Joint {
                first.extend(reference.keys_of(Kind::Cores, &scope, None));
            }
        }
        first.extend(reference.keys_of(Kind::HostSpans, &everything, None));
        reference.compete(first);
        if params.cores == CoreMode::Leftover {
            let left = reference.left();
            let scopes = reference.scopes();
            let keys = scopes.iter().flat_map(|scope| reference.keys_of(Kind::Cores, scope, Some(&left))).collect();
            reference.compete(keys);
        }
        if params.compound {
            let left = reference.left();
            let scopes = reference.scopes();
            let keys = scopes.iter().flat_map(|scope| reference.keys_of(Kind::Compound, scope, Some(&left))).collect();
            reference.compete(keys);
        }
        reference
    }

    fn host(&self, page: u32) -> &'t str {
        self.identities[page as usize].split('/').next().unwrap_or("")
    }

    fn scopes(&self) -> Vec<Range<u32>> {
        let count = self.identities.len() as u32;
        if self.params.site == SiteUnit::Domain {
            return std::iter::once(0..count).collect();
        }
        let hosts: BTreeSet<&str> = (0..count).map(|page| self.host(page)).collect();
        let range = |host| {
            let pages: Vec<u32> = (0..count).filter(|&page| self.host(page) == host).collect();
            pages[0]..pages[pages.len() - 1] + 1
        };
        hosts.into_iter().map(range).collect()
    }

    /// The pages that lack a partner in some language.
    fn left(&self) -> Vec<Option<Lang>> {
        let langs: BTreeSet<Lang> = self.labels.iter().copied().flatten().collect();
        let lacks = |page: u32, lang: Lang| {
            langs.iter().any(|&o| LangPair::new(lang, o).is_some_and(|p| !self.paired.contains(&(Some(p), page))))
        };
        (0..).zip(&self.labels).map(|(page, label)| label.filter(|&lang| lacks(page, lang))).collect()
    }

    fn size(&self, labels: &[Option<Lang>], scope: &Range<u32>, lang: Lang) -> u32 {
        labels[scope.start as usize..scope.end as usize].iter().filter(|&&label| label == Some(lang)).count() as u32
    }

    /// All keys of a kind that match anything between pages with a label in `labels`.
    fn matches(&self, kind: Kind, scope: &Range<u32>, labels: &[Option<Lang>]) -> Matches {
        let mut numbers = HashMap::new();
        let markers = self.markers(scope, labels);
        let pages: Vec<(u32, Lang, Vec<Way>)> = scope
            .clone()
            .filter_map(|page| {
                let lang = labels[page as usize]?;
                let ways = self.ways(kind, page, &|field, text| markers.contains(&(field, text.to_owned(), lang)));
                let mut number = |left: String| {
                    let next = numbers.len() as u32;
                    *numbers.entry(left).or_insert(next)
                };
                Some((page, lang, ways.into_iter().map(|(left, parts)| Way { left: number(left), parts }).collect()))
            })
            .collect();
        let mut matches = Matches::new();
        for (u, lang_u, ways_u) in &pages {
            for (v, _, ways_v) in pages.iter().filter(|(_, lang_v, _)| lang_u < lang_v) {
                let langs = LangPair::new(*lang_u, self.labels[*v as usize].expect("it has a label"));
                let langs = langs.expect("two languages");
                for (x, y) in ways_u.iter().flat_map(|x| ways_v.iter().map(move |y| (x, y))) {
                    if x.left == y.left
                        && let Some(edits) = edits(kind, x, y)
                    {
                        let pair = matches.entry(Key { langs, edits }).or_default().entry(x.left).or_insert((*u, *v));
                        *pair = (pair.0.min(*u), pair.1.min(*v));
                    }
                }
            }
        }
        matches
    }

    /// Spans that may be part of compound keys: frequent, and in one language in seven cases of ten.
    fn markers(&self, scope: &Range<u32>, labels: &[Option<Lang>]) -> BTreeSet<(Field, String, Lang)> {
        let mut counts: BTreeMap<(Field, String), BTreeMap<Lang, u32>> = BTreeMap::new();
        for page in scope.clone() {
            let Some(lang) = labels[page as usize] else { continue };
            for (segment, span) in self.compound_spans(page) {
                let text = self.addresses[page as usize].form[span].to_owned();
                *counts.entry((segment.field, text)).or_default().entry(lang).or_default() += 1;
            }
        }
        let mut markers = BTreeSet::new();
        for ((field, text), langs) in counts {
            let all: u32 = langs.values().sum();
            for (lang, count) in langs {
                let enough = count >= self.params.min_count(self.size(labels, scope, lang));
                if enough && 10 * count >= 7 * all {
                    markers.insert((field, text.clone(), lang));
                }
            }
        }
        markers
    }

    fn spans(&self, page: u32, fields: impl Fn(Field) -> bool, longest: usize) -> Vec<(&Segment, Range<usize>)> {
        let address = &self.addresses[page as usize];
        let of = |segment| address.spans(segment, longest, &self.params.ignored_tokens).into_iter();
        let wanted = |s: &&Segment| self.params.fields.contains(&s.field) && fields(s.field);
        address.segments.iter().filter(wanted).flat_map(|s| of(s).map(move |span| (s, span))).collect()
    }

    /// What compound keys are made of: tokens, whole segments, and runs of tokens that name a language.
    fn compound_spans(&self, page: u32) -> Vec<(&Segment, Range<usize>)> {
        let address = &self.addresses[page as usize];
        let mut spans = self.spans(page, |field| field != Field::Host, self.params.max_span_tokens);
        spans.retain(|(segment, span)| {
            let text = &address.form[span.clone()];
            *span == segment.text || segment.tokens.contains(span) || is_language_name(text)
        });
        spans
    }

    /// All ways to take something out of a URL, each with what is left.
    fn ways(&self, kind: Kind, page: u32, markers: &dyn Fn(Field, &str) -> bool) -> Vec<(String, Vec<Part>)> {
        let address = &self.addresses[page as usize];
        let mut ways = vec![(address.form.clone(), Vec::new())];
        let longest = self.params.max_span_tokens;
        match kind {
            Kind::Spans | Kind::HostSpans => {
                for (segment, span) in self.spans(page, |f| (f == Field::Host) == (kind == Kind::HostSpans), longest) {
                    ways.push((address.without(&[(&span, SLOT)]), vec![address.part(segment, &span, false, false)]));
                    for cut in address.cuts(segment, &span) {
                        ways.push((address.without(&[(&cut, "")]), vec![address.part(segment, &span, true, false)]));
                    }
                }
                ways.extend(self.suffix_without_www(address).filter(|_| kind == Kind::HostSpans));
            }
            Kind::Cores => {
                let wanted = |s: &&Segment| s.field != Field::Host && self.params.fields.contains(&s.field);
                for segment in address.segments.iter().filter(wanted) {
                    for token in &segment.tokens {
                        let places = (1..token.len()).filter(|length| *length <= self.params.max_core_bytes);
                        let places = places.flat_map(|n| [token.start..token.start + n, token.end - n..token.end]);
                        for core in places.filter(|c| address.form[c.clone()].contains(|c: char| !c.is_ascii_digit())) {
                            for (instead, gone) in [(SLOT, false), ("", true)] {
                                let part = address.part(segment, &core, gone, true);
                                ways.push((address.without(&[(&core, instead)]), vec![part]));
                            }
                        }
                    }
                }
            }
            Kind::Compound => {
                let mut spans = self.compound_spans(page);
                spans.retain(|(segment, span)| markers(segment.field, &address.form[span.clone()]));
                // Six at the most, as in the fast path.
                spans.truncate(6);
                // Each span may leave a slot or go.
                let options = |(segment, span): &(&Segment, Range<usize>)| {
                    let slot = (span.clone(), SLOT, address.part(segment, span, false, false));
                    let gone = address.part(segment, span, true, false);
                    let cuts = address.cuts(segment, span).into_iter().filter(|cut| cut.start >= segment.cut.start);
                    let cuts = cuts.map(move |cut| (cut, "", gone.clone()));
                    [slot].into_iter().chain(cuts).collect::<Vec<_>>()
                };
                for (i, x) in spans.iter().enumerate() {
                    ways.push((address.without(&[(&x.1, SLOT)]), vec![address.part(x.0, &x.1, false, false)]));
                    for y in spans[i + 1..].iter().filter(|y| y.0.text != x.0.text) {
                        for (p, instead, first) in options(x) {
                            for (q, other, second) in options(y) {
                                let left = address.without(&[(&p, instead), (&q, other)]);
                                ways.push((left, vec![first.clone(), second]));
                            }
                        }
                    }
                }
            }
        }
        ways
    }

    /// The public suffix and a `www` before the domain, taken out at once: where domains of one name may be one site.
    fn suffix_without_www(&self, address: &Address) -> Option<(String, Vec<Part>)> {
        let labels: Vec<&Segment> = address.segments.iter().filter(|segment| segment.field == Field::Host).collect();
        let is_on = self.params.across_suffixes && self.params.fields.contains(&Field::Host);
        // `www.de` is the domain itself.
        let [www, _, .., suffix] = labels[..] else { return None };
        if !is_on || address.form[www.text.clone()] != *"www" {
            return None;
        }
        let parts = vec![address.part(www, &www.text, true, false), address.part(suffix, &suffix.text, false, false)];
        Some((address.without(&[(&www.cut, ""), (&suffix.text, SLOT)]), parts))
    }

    /// The keys of a scope that are listed; with `left`, those of pages that lack a partner.
    fn keys_of(&self, kind: Kind, scope: &Range<u32>, left: Option<&[Option<Lang>]>) -> Vec<ReferenceKey> {
        let mut keys = Vec::new();
        for (key, matches) in self.matches(kind, scope, left.unwrap_or(&self.labels)) {
            let sizes = [key.langs.a, key.langs.b].map(|lang| self.size(&self.labels, scope, lang));
            let least = u64::from(self.params.min_count(sizes[0].min(sizes[1])));
            let rescued = self.rescue.contains(&key.pattern());
            let all = matches.len() as u64;
            if all < least && !names_languages(&key) && !rescued {
                continue;
            }
            let weight = match kind {
                Kind::HostSpans => self.host_weight(&key),
                _ => (sizes[0], sizes[1], scope.end - scope.start),
            };
            let state = |power| match (self.is_strong(&key, power, weight), rescued) {
                (true, _) => State::Strong,
                (false, true) => State::Rescued,
                (false, false) => State::Weak,
            };
            let mut pairs: Vec<(u32, u32)> = matches.into_values().collect();
            pairs.sort_unstable();
            pairs.retain(|&(a, b)| left.is_none() || self.is_free(PagePair { langs: key.langs, a, b }));
            let is_key = state(all) != State::Weak && (kind != Kind::Cores || self.token_keys(&pairs) > 1);
            let power = if is_key { pairs.len() as u64 } else { all };
            let state = if is_key { state(power) } else { State::Weak };
            if state == State::Weak {
                pairs.clear();
            }
            if state != State::Weak || power >= least {
                keys.push(ReferenceKey { key, scope: (scope.start, scope.end), power, state, assigned: 0, pairs });
            }
        }
        keys
    }

    /// How many token keys the pairs of a core come from.
    fn token_keys(&self, pairs: &[(u32, u32)]) -> usize {
        let tokens = |page: u32| {
            let address = &self.addresses[page as usize];
            let all = address.segments.iter().flat_map(|segment| &segment.tokens);
            all.map(|token| address.form[token.clone()].to_owned()).collect::<Vec<String>>()
        };
        let differing = |&(a, b): &(u32, u32)| tokens(a).into_iter().zip(tokens(b)).find(|(x, y)| x != y);
        pairs.iter().filter_map(differing).collect::<BTreeSet<_>>().len()
    }

    /// Pages in the first language, in the second, and in all, of the hosts that a key turns into one another.
    fn host_weight(&self, key: &Key) -> (u32, u32, u32) {
        let (edit, count) = (&key.edits[key.edits.len() - 1], self.identities.len() as u32);
        let hosts: BTreeSet<&str> = (0..count).map(|page| self.host(page)).collect();
        let take_out = |host: &str, text: &str, other: &str| -> BTreeSet<String> {
            if let [www, suffix] = &key.edits[..] {
                // A `www` goes on the side that has it, and the suffix of that side with it.
                let of_side = if suffix.from == text { &www.from } else { &www.to };
                let label = if of_side.is_empty() { "" } else { "www." };
                let left = host.strip_prefix(label).and_then(|host| host.strip_suffix(&format!(".{text}")));
                return left.map(str::to_owned).into_iter().collect();
            }
            let address = Address::read(host, self.params.separators);
            if text.is_empty() {
                return BTreeSet::from([address.form]);
            }
            let mut left = BTreeSet::new();
            for segment in &address.segments {
                for span in address.spans(segment, self.params.max_span_tokens, &[]) {
                    if address.form[span.clone()] != *text {
                        continue;
                    }
                    if other.is_empty() {
                        left.extend(address.cuts(segment, &span).iter().map(|cut| address.without(&[(cut, "")])));
                    } else {
                        left.insert(address.without(&[(&span, SLOT)]));
                    }
                }
            }
            left
        };
        let mut touched: BTreeSet<&str> = BTreeSet::new();
        for (x, y) in hosts.iter().flat_map(|x| hosts.iter().map(move |y| (x, y))) {
            if !take_out(x, &edit.from, &edit.to).is_disjoint(&take_out(y, &edit.to, &edit.from)) {
                touched.extend([x, y]);
            }
        }
        let pages: Vec<u32> = (0..count).filter(|&page| touched.contains(self.host(page))).collect();
        let of = |lang| pages.iter().filter(|&&page| self.labels[page as usize] == Some(lang)).count() as u32;
        (of(key.langs.a), of(key.langs.b), pages.len() as u32)
    }

    fn is_strong(&self, key: &Key, power: u64, (first, second, all): (u32, u32, u32)) -> bool {
        let power_f = power as f64;
        let share = |of: u32| if of == 0 { 0.0 } else { 2.0 * power_f / f64::from(of) };
        match self.params.strength {
            Strength::PairsOfUrls { min_share } => power_f > min_share * f64::from(all),
            Strength::PagesOfSite { min_credibility } => share(all).min(1.0) > min_credibility,
            Strength::PagesOfLanguages { min_credibility, min_coverage, number_credibility } => {
                let credibility = share(first + second).min(1.0);
                let letters = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
                if key.edits.iter().any(|edit| !letters(&edit.from) && !letters(&edit.to)) {
                    return credibility > number_credibility && power >= 3;
                }
                let (alone, few) = if names_languages(key) { (1, 2) } else { (2, 5) };
                let coverage = share(first.min(second)) / 2.0;
                (credibility > min_credibility && power >= alone) || (coverage > min_coverage && power >= few)
            }
        }
    }

    fn is_free(&self, pair: PagePair) -> bool {
        let free = |page| {
            let partner = |of| self.paired.contains(&(of, page));
            !partner(Some(pair.langs)) && (!self.params.one_partner || !partner(None))
        };
        free(pair.a) && free(pair.b)
    }

    /// ⊔ (eq. 3): the strongest first, and those whose markers name no other language; single before compound, tokens before
    /// cores, the key itself.
    fn compete(&mut self, mut keys: Vec<ReferenceKey>) {
        let names_first = matches!(self.params.strength, Strength::PagesOfLanguages { .. });
        keys.sort_by_key(|k| {
            let core = k.key.edits.iter().any(|edit| edit.core);
            let lies = |text: &str, lang: Lang| {
                let other = Lang::parse(text).is_some_and(Lang::has_short_code);
                is_language_name(text) && !names_language(text, lang) && other
            };
            let from = k.key.edits.iter().any(|e| lies(&e.from, k.key.langs.a));
            let lies = usize::from(from) + usize::from(k.key.edits.iter().any(|e| lies(&e.to, k.key.langs.b)));
            let power = std::cmp::Reverse(k.power);
            let first = if names_first { (lies, power, 0) } else { (0, power, lies) };
            (first, k.key.edits.len(), core, k.key.clone())
        });
        for key in keys.iter_mut().filter(|key| key.state != State::Weak) {
            for (a, b) in std::mem::take(&mut key.pairs) {
                let pair = PagePair { langs: key.key.langs, a, b };
                if self.is_free(pair) {
                    key.assigned += 1;
                    self.pairs.insert((pair, key.key.clone(), key.scope.0));
                    for page in [a, b] {
                        self.paired.extend([(Some(pair.langs), page), (None, page)]);
                    }
                }
            }
            if key.assigned == 0 {
                key.state = State::Lost;
            }
        }
        self.keys.extend(keys);
    }
}

fn names_languages(key: &Key) -> bool {
    let names = |text: &str, lang: Lang| {
        let short = text.is_empty() || (2..=8).contains(&text.len());
        short && (text.is_empty() || Lang::parse(text).is_some_and(|named| named.agrees(lang)))
    };
    key.edits.iter().all(|e| !e.core && names(&e.from, key.langs.a) && names(&e.to, key.langs.b))
}

/// Pages of which only URL and language are known.
#[derive(Debug)]
struct Site {
    identities: Vec<String>,
    langs: Vec<Lang>,
}

impl Site {
    fn new(mut pages: Vec<(String, Lang)>) -> Site {
        pages.sort();
        pages.dedup_by(|x, y| x.0 == y.0);
        let (identities, langs) = pages.into_iter().unzip();
        Site { identities, langs }
    }

    fn of(pages: &[(&str, Lang)]) -> Site {
        Site::new(pages.iter().map(|&(identity, lang)| (identity.to_owned(), lang)).collect())
    }

    fn labels(&self, params: &Params) -> Vec<Option<Lang>> {
        let label = |&lang: &Lang| match params.labels {
            LabelMode::Detected => lang.is_known().then_some(lang),
            LabelMode::LatinShare => Some(if lang == Lang::EN { Lang::EN } else { Lang::ZH }),
        };
        self.langs.iter().map(label).collect()
    }

    fn discover(&self, params: &Params, rescue: &FxHashSet<String>) -> Discovery {
        discover(self, params, rescue, &std::env::temp_dir(), &()).expect("a writable folder for temporary files")
    }
}

impl Urls for Site {
    fn count(&self) -> u32 {
        self.identities.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        &self.identities[page as usize]
    }
}

impl Pages for Site {
    fn facts(&self, page: u32) -> PageFacts {
        let lang = self.langs[page as usize];
        PageFacts {
            form: Default::default(),
            detected: lang,
            confidence: 1.0,
            declared: lang,
            latin_share: if lang == Lang::EN { 0.9 } else { 0.1 },
            text_bytes: 1000,
            title: u64::from(page),
            sketch: [0; SKETCH],
        }
    }
}

/// What both sides found, in one form.
type Listed = (Vec<(Key, (u32, u32), u64, State, u64)>, BTreeSet<(PagePair, Key, u32)>);

fn fast(site: &Site, params: &Params, rescue: &FxHashSet<String>) -> Listed {
    let found = site.discover(params, rescue);
    let of = |k: &FoundKey| (k.key.clone(), (k.scope.start, k.scope.end), k.evidence.power, k.state, k.assigned);
    let mut keys: Vec<_> = found.keys.iter().map(of).collect();
    keys.sort();
    let pair = |pair: &FoundPair| {
        let key = &found.keys[pair.key as usize];
        (PagePair { langs: key.key.langs, a: pair.a, b: pair.b }, key.key.clone(), key.scope.start)
    };
    (keys, found.pairs.iter().map(pair).collect())
}

fn slow(site: &Site, params: &Params, rescue: &FxHashSet<String>) -> Listed {
    let reference = Reference::discover(&site.identities, site.labels(params), params, rescue);
    let mut keys: Vec<_> =
        reference.keys.iter().map(|k| (k.key.clone(), k.scope, k.power, k.state, k.assigned)).collect();
    keys.sort();
    (keys, reference.pairs)
}

/// Styles of URLs: `<d>` and `<f>` are folder and file of a document, `<m>` markers the language, `<n>` numbers it.
const STYLES: [&str; 28] = [
    PLAIN,
    DIRECTORY,
    DIRECTORY_AFTER,
    BOTH,
    QUERY,
    QUERY_TURNED,
    HOST,
    INSIDE,
    "ex.org/<d><f>-<m>.html",
    "ex.org/<d><f>.<m>.html",
    "ex.org/<d><f>_<m>.html",
    "ex.org/<d><f>~<m>.html",
    "ex.org/<d><m>-<f>.html",
    "ex.org/<d><m>_<f>.html",
    "ex.org/<d><f><m>.html",
    "ex.org/<d><m><f>.html",
    "ex.org/<d><f><n>.html",
    "ex.org/<d><f>/<n>/x",
    "ex.org/<m>/<m>/<d><f>.html",
    "ex.org/<d>v?id=<f>",
    "ex.org/v?b=1&id=<d><f><m>&s",
    "ex.org/v?s&id=<d><f><m>&b=1",
    "www-<m>.ex.org/<d><f>.html",
    "ex.org/<d>p-<f>.html",
    "ex.org/<d>p.<f>.html",
    "ex.org/<m>/<d>p.<m>-<f>.html",
    "ex.org//<d><m>-/<f>,<m>?u=<d><m>/%20",
    "ex.org/<d>.<m>/-<f>+<m>:.html?<f>",
];
const PLAIN: &str = "ex.org/<d><f>.html";
const DIRECTORY: &str = "ex.org/<m>/<d><f>.html";
const DIRECTORY_AFTER: &str = "ex.org/<d><m>/<f>.html";
const BOTH: &str = "ex.org/<m>/<d><f>-<m>.html";
const QUERY: &str = "ex.org/<d>v?lang=<m>&id=<f>";
const QUERY_TURNED: &str = "ex.org/<d>v?id=<f>&lang=<m>";
const HOST: &str = "<m>.ex.org/<d><f>.html";
const INSIDE: &str = "ex.org/<d>p.<m>-<f>.html";
/// Styles that stand beside each other: that of the first language, that of the others.
const BESIDE: [(&str, &str); 14] = [
    (PLAIN, DIRECTORY),
    (PLAIN, DIRECTORY_AFTER),
    (PLAIN, BOTH),
    (PLAIN, HOST),
    (PLAIN, "ex.org/<d><f>.htm"),
    (PLAIN, "ex.org/<d><f>"),
    (PLAIN, "ex.org/<d><m><f>.html"),
    ("ex.org/<d><f>", "ex.org/<d><f>/<m>"),
    (DIRECTORY, BOTH),
    (QUERY, QUERY_TURNED),
    ("ex.org/<d>v?id=<f>", QUERY),
    ("ex.org/<d>p-<f>.html", INSIDE),
    ("ex.org/<d>p.<f>.html", INSIDE),
    ("ex.org/<d>p-<f>.html", "ex.org/<m>/<d>p.<m>-<f>.html"),
];
/// Names of documents; some are markers of the first two languages, some are numbers, some share tokens.
const DOCUMENTS: [&str; 14] =
    ["a", "<0>", "news/1", "news/2", "<1>", "06", "07", "news/<1>", "x-1", "", "news/a_b.x", "b", "c", "d"];
/// How the four languages are written.
const MARKS: [[&str; 4]; 4] = [
    ["en", "de", "fr", "zh_CN"],
    ["english", "deutsch", "fr-CA", "chinese"],
    ["e", "d", "f", "c"],
    ["1", "2", "en", "de-x"],
];

fn address(document: usize, style: &str, lang: usize, words: usize) -> String {
    let markers = MARKS[words];
    let name = DOCUMENTS[document].replace("<0>", markers[0]).replace("<1>", markers[1]);
    let (folder, file) = name.split_at(name.rfind('/').map_or(0, |at| at + 1));
    let address = style.replace("<d>", folder).replace("<f>", file).replace("<m>", markers[lang]);
    let address = address.replace("<n>", &(lang + 1).to_string()).replace("/.html", "/");
    let (host, rest) = address.split_once('/').expect("a host");
    format!("{}/{rest}", host.replace('_', "-"))
}

/// Documents in up to four languages, in one of two pairs of styles; some pages stray from it, some are there twice.
fn small_site() -> impl Strategy<Value = Site> {
    let langs = ["en", "de", "fr", "zh"].map(|tag| Lang::parse(tag).expect("a tag"));
    let style = || proptest::sample::select(STYLES.to_vec());
    let styles = || {
        prop_oneof![
            4 => style().prop_map(|style| (style, style)),
            4 => proptest::sample::select(BESIDE.to_vec()),
            1 => (style(), style()),
        ]
    };
    let page = (0u8..20, style(), 0usize..4, 0u8..25);
    let pages = proptest::collection::vec(page, 40);
    let site = (styles(), styles(), 0usize..=DOCUMENTS.len(), 0usize..4, 2usize..=4, 1..=DOCUMENTS.len());
    (site, pages).prop_map(move |((styles, other_styles, split, words, count, documents), pages)| {
        let mut site = Vec::new();
        for (n, (stray, stray_style, stray_words, noise)) in pages.into_iter().enumerate() {
            let (document, lang) = (n / count, n % count);
            if document >= documents {
                continue;
            }
            let (usual, other) = if document < split { (styles, other_styles) } else { (other_styles, styles) };
            let of = |(first, others)| if lang == 0 { first } else { others };
            let label = match noise {
                0 => Lang::UNKNOWN,
                1 => langs[(lang + 1) % count],
                _ => langs[lang],
            };
            let mut add = |style, words| site.push((address(document, style, lang, words), label));
            match stray {
                0 | 1 => {}
                2 => add(stray_style, stray_words),
                3 => add(stray_style, words),
                4 => [of(usual), of(other)].iter().for_each(|style| add(style, words)),
                5 => [usual.0, usual.1].iter().for_each(|style| add(style, words)),
                6 => [of(usual), stray_style].iter().for_each(|style| add(style, words)),
                _ => add(of(usual), words),
            }
        }
        Site::new(site)
    })
}

/// Documents in up to four languages, each on a domain of its own that differs from the others in its suffix, and perhaps in a
/// `www`; some pages stray from it.
fn site_of_suffixes() -> impl Strategy<Value = Site> {
    const SUFFIXES: [&str; 4] = ["org", "de", "fr", "co.uk"];
    let langs = ["en", "de", "fr", "zh"].map(|tag| Lang::parse(tag).expect("a tag"));
    let path = proptest::sample::select(vec!["<d><f>.html", "<m>/<d><f>.html", "<d>v?id=<f>"]);
    let pages = proptest::collection::vec((0u8..14, 0usize..4), 40);
    let hosts = proptest::collection::vec(proptest::sample::select(vec!["", "www.", "shop.", "www.shop."]), 4);
    (path, hosts, 0usize..4, 2usize..=4, 1..=DOCUMENTS.len(), pages).prop_map(
        move |(path, hosts, words, count, documents, pages)| {
            let mut site = Vec::new();
            for (n, (stray, other)) in pages.into_iter().enumerate().take(count * documents) {
                let (document, lang) = (n / count, n % count);
                let mut add = |before: &str, suffix: &str, lang: usize| {
                    let style = format!("{before}ex.{suffix}/{path}");
                    site.push((address(document, &style, lang, words), langs[lang]));
                };
                match stray {
                    0 => {}
                    1 => add("", SUFFIXES[lang], lang),
                    2 => add("www.", SUFFIXES[lang], lang),
                    3 => add(hosts[lang], SUFFIXES[other], lang),
                    _ => add(hosts[lang], SUFFIXES[lang], lang),
                }
            }
            Site::new(site)
        },
    )
}

fn any_params() -> impl Strategy<Value = Params> {
    let presets = vec![Params::kit_ng_2007(), Params::pupsniffer_2013(), Params::default()];
    let preset = proptest::sample::select(presets);
    (preset, 0u8..8, 1u32..4, any::<bool>()).prop_map(|(preset, variant, min_power, domain)| {
        // Labels are resolved by another method, and the reference keeps all weak keys.
        let params = Params { resolve_labels: false, variants: false, max_weak_keys: 1 << 20, ..preset };
        match variant {
            0 => Params { min_power, ..params },
            1 => Params { site: if domain { SiteUnit::Domain } else { SiteUnit::Host }, ..params },
            2 => Params { cores: CoreMode::Joint, compound: domain, ..params },
            3 => Params { cores: CoreMode::Leftover, compound: true, min_power, ..params },
            4 => Params { one_partner: domain, max_span_tokens: min_power as usize, ..params },
            // Strict, so that |w| decides on small sites too.
            5 => Params {
                strength: Strength::PagesOfLanguages {
                    min_credibility: 0.2 * f64::from(min_power),
                    min_coverage: 0.9,
                    number_credibility: 0.7,
                },
                ..params
            },
            _ => params,
        }
    })
}

fn any_rescue() -> impl Strategy<Value = FxHashSet<String>> {
    let patterns = [
        "path:en:de",
        "path:de:en",
        "path:deutsch:english",
        "path:d:e",
        "file:de:en",
        "file:(null):e",
        "file:~d:~e",
        "file:%7Ed:%7Ee",
        "path:d:e+file:d:e",
        "query:de:en",
        "host:d:e",
        "file:b:a",
        "file:06:07",
        "path:(null):news",
    ];
    let some = proptest::sample::subsequence(patterns.to_vec(), 0..8);
    some.prop_map(|patterns| patterns.into_iter().map(str::to_owned).collect())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(extent(800, 4000)))]
    #[test]
    fn keys_powers_and_pairs_are_those_of_brute_force(
        site in small_site(),
        params in any_params(),
        rescue in any_rescue(),
    ) {
        let (fast, slow) = (fast(&site, &params, &rescue), slow(&site, &params, &rescue));
        prop_assert_eq!(fast.0, slow.0, "keys");
        prop_assert_eq!(fast.1, slow.1, "pairs");
    }
}

proptest! {
    #![proptest_config(config(extent(250, 1000)))]
    #[test]
    fn keys_between_domains_of_one_name_are_those_of_brute_force(
        site in site_of_suffixes(),
        params in any_params(),
        rescue in any_rescue(),
    ) {
        let params = Params { across_suffixes: true, ..params };
        let (fast, slow) = (fast(&site, &params, &rescue), slow(&site, &params, &rescue));
        prop_assert_eq!(fast.0, slow.0, "keys");
        prop_assert_eq!(fast.1, slow.1, "pairs");
    }
}

/// Guards the test above.
#[test]
fn domains_of_one_name_hold_keys_with_and_without_www() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let params = Params { across_suffixes: true, resolve_labels: false, variants: false, ..Params::default() };
    let (mut plain, mut with_www) = (0, 0);
    for _ in 0..200 {
        let site = site_of_suffixes().new_tree(&mut runner).expect("a case").current();
        for (key, _, _, state, _) in fast(&site, &params, &FxHashSet::default()).0 {
            let strong = state == State::Strong && key.edits.iter().all(|edit| edit.field == Field::Host);
            plain += u32::from(strong && key.pattern().ends_with(":co.uk"));
            with_www += u32::from(strong && key.edits.len() == 2);
        }
    }
    assert!(plain >= 20 && with_www >= 20, "{plain} {with_www}");
}

/// Guards the tests above: sites on which nothing is found would agree too.
#[test]
fn small_sites_hold_strong_keys_of_every_kind() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let cases = (small_site(), any_params(), any_rescue());
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..1000 {
        let (site, params, rescue) = cases.new_tree(&mut runner).expect("a case").current();
        let mut kinds: BTreeSet<&str> = BTreeSet::new();
        for (key, _, power, state, _) in fast(&site, &params, &rescue).0 {
            let one = key.edits.len() == 1;
            let null = key.edits.iter().filter(|edit| edit.from.is_empty() || edit.to.is_empty()).count();
            kinds.insert(match state {
                State::Strong if power < 2 => continue,
                State::Strong => match (one, null, key.edits[0].core, key.edits[0].field) {
                    (true, 0, true, _) => "core",
                    (true, _, true, _) => "core beside nothing",
                    (true, 0, _, Field::Host) => "host",
                    (true, _, _, Field::Host) => "host beside nothing",
                    (true, 0, _, Field::Path) => "path",
                    (true, 0, _, Field::File) => "file",
                    (true, 0, _, Field::Query) => "query",
                    (true, _, _, Field::Query) => "query beside nothing",
                    (true, _, _, _) => "beside nothing",
                    (false, 0, _, _) => "two slots",
                    (false, 1, _, _) => "slot and cut",
                    (false, _, _, _) => "two cuts",
                },
                State::Rescued => "rescued",
                State::Lost => "lost",
                State::Weak => "weak",
            });
        }
        kinds.into_iter().for_each(|kind| *seen.entry(kind).or_default() += 1);
    }
    assert_eq!(seen.len(), 15, "{seen:?}");
    assert!(seen.values().all(|&sites| sites >= 5), "{seen:?}");
}

/// The pairs of a site as URLs, with the patterns of their keys; both sides must agree on them.
fn pairs_of(pages: &[(&str, Lang)], params: &Params) -> Vec<(String, String, String)> {
    let site = Site::of(pages);
    let none = FxHashSet::default();
    let (fast, slow) = (fast(&site, params, &none), slow(&site, params, &none));
    assert_eq!(fast, slow);
    let text = |page: u32| site.identity(page).to_owned();
    fast.1.into_iter().map(|(pair, key, _)| (text(pair.a), text(pair.b), key.pattern())).collect()
}

fn expected(pairs: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    pairs.iter().map(|&(a, b, key)| (a.to_owned(), b.to_owned(), key.to_owned())).collect()
}

/// Kit & Ng 2007, §2.
#[test]
fn a_directory_that_is_null_on_the_other_side_makes_a_key() {
    let (text, chinese) = ("www.logisticshk.gov.hk/text.html", "www.logisticshk.gov.hk/chinese/text.html");
    for params in [Params::kit_ng_2007(), Params::pupsniffer_2013()] {
        let found = pairs_of(&[(text, Lang::EN), (chinese, Lang::ZH)], &params);
        assert_eq!(found, expected(&[(text, chinese, "path:(null):chinese")]));
    }
}

/// Kit & Ng 2007, §4: 06e:06c, 07e:07c and 08e:08c are lost one by one; the core ⟨e, c⟩ they share is not (Zhang et al.
/// 2013, §2.1, 1).
#[test]
fn a_core_unites_keys_that_are_too_weak_one_by_one() {
    let pages: Vec<(String, Lang)> = (1..=12)
        .flat_map(|n| {
            [("e", Lang::EN), ("c", Lang::ZH)].map(|(marker, lang)| (format!("ex.org/{n:02}{marker}.htm"), lang))
        })
        .collect();
    let pages: Vec<(&str, Lang)> = pages.iter().map(|(identity, lang)| (identity.as_str(), *lang)).collect();
    assert_eq!(pairs_of(&pages, &Params::kit_ng_2007()), []);
    let united = pairs_of(&pages, &Params::pupsniffer_2013());
    assert_eq!(united.len(), 12);
    for (a, b, key) in united {
        assert_eq!((a.replace("e.", "c."), key.as_str()), (b, "file:~e:~c"));
    }
}

/// Kit & Ng 2007, eq. 3.
#[test]
fn a_weaker_key_keeps_only_pairs_that_share_no_page_with_a_stronger_one() {
    let (en, tc) = (Lang::EN, Lang::ZH);
    let pages = [
        ("ex.org/en/a.htm", en),
        ("ex.org/en/b.htm", en),
        ("ex.org/en/c.htm", en),
        ("ex.org/chi/a.htm", tc),
        ("ex.org/chi/b.htm", tc),
        ("ex.org/chi/c.htm", tc),
        ("ex.org/tc/a.htm", tc),
        ("ex.org/en/d.htm", en),
        ("ex.org/tc/d.htm", tc),
    ];
    let of_both = [
        ("ex.org/en/a.htm", "ex.org/chi/a.htm", "path:en:chi"),
        ("ex.org/en/b.htm", "ex.org/chi/b.htm", "path:en:chi"),
        ("ex.org/en/c.htm", "ex.org/chi/c.htm", "path:en:chi"),
        ("ex.org/en/d.htm", "ex.org/tc/d.htm", "path:en:tc"),
    ];
    for params in [Params::kit_ng_2007(), Params::pupsniffer_2013()] {
        assert_eq!(pairs_of(&pages, &params), expected(&of_both));
    }
}

#[test]
fn a_sample_and_spilled_entries_lead_to_the_strong_keys_and_pairs_that_all_entries_lead_to() {
    let langs = ["en", "de", "fr"].map(|tag| Lang::parse(tag).expect("a tag"));
    let mut pages = Vec::new();
    for (n, lang) in (0..640).flat_map(|n| (0..3).map(move |lang| (n, lang))) {
        let marker = MARKS[0][lang];
        let address = match n {
            0..200 => format!("ex.org/{marker}/news/{n}.html"),
            200..380 => format!("ex.org/about/{n}-{}.html", MARKS[1][lang]),
            380..480 if lang == 0 => format!("ex.org/shop/item{n}"),
            380..480 => format!("ex.org/{marker}/shop/item{n}"),
            480..560 => format!("{marker}.ex.org/blog/{n}.html"),
            560..640 => format!("ex.org/{}/list/{n}-{marker}.html", MARKS[1][lang]),
            _ => format!("ex.org/v?id={n}&lang={marker}"),
        };
        pages.push((address, langs[lang]));
    }
    let site = Site::new(pages);
    let none = FxHashSet::default();
    let strong = |params: &Params| {
        let (keys, pairs) = fast(&site, params, &none);
        let strong: Vec<_> = keys.into_iter().filter(|key| key.3 == State::Strong).collect();
        (strong, pairs)
    };
    let all = strong(&Params::default());
    assert_eq!(all.1.len(), 640 * 3);
    let index = SiteIndex::new(&site, &site.labels(&Params::default()));
    for sample_entries in [4096, 1024] {
        let params = Params { sample_entries, memory_bytes: 0, ..Params::default() };
        let scan = Scan {
            site: &index,
            pages: &(0..site.count()).collect::<Vec<u32>>(),
            shape: Shape::Spans,
            params: &params,
            exempt: &none,
            watch: &(),
        };
        let (_, _, rate) = scan.sample();
        assert!(rate > 1, "nothing is left out of a sample of {sample_entries}");
        assert_eq!(strong(&params), all);
    }
}

#[test]
fn of_two_keys_of_equal_power_the_one_of_tokens_comes_before_the_core() {
    let (en, zh) = (Lang::EN, Lang::ZH);
    let pages = [
        ("ex.org/1e/x", en),
        ("ex.org/2e/x", en),
        ("ex.org/1c/x", zh),
        ("ex.org/2c/x", zh),
        ("ex.org/1e/y", zh),
        ("ex.org/2e/y", zh),
    ];
    let of_tokens = [("ex.org/1e/x", "ex.org/1e/y", "file:x:y"), ("ex.org/2e/x", "ex.org/2e/y", "file:x:y")];
    assert_eq!(pairs_of(&pages, &Params::pupsniffer_2013()), expected(&of_tokens));
}

#[test]
fn a_rescued_key_of_tokens_that_begin_with_a_tilde_is_not_pruned() {
    let (de, en) = (Lang::parse("de").expect("a tag"), Lang::EN);
    let site = Site::of(&[("ex.org/~d.html", de), ("ex.org/~e.html", en)]);
    let rescue = FxHashSet::from_iter(["file:%7Ed:%7Ee".to_owned()]);
    let (keys, pairs) = fast(&site, &Params { min_power: 2, ..Params::pupsniffer_2013() }, &rescue);
    assert_eq!((keys.len(), pairs.len()), (1, 1), "{keys:?}");
}
