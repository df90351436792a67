//! Languages of pages without text: markers in URLs that swap with one another.
//!
//! An index without languages tells URLs only, so there is no language to keep a key to. In its place a marker has to prove
//! itself by what it joins: of the pages that have it, a good part must exist once more with the other marker in its place. That
//! is demanded of markers that name languages (`/en/`, `.fr.`), and where a domain has none such, more strictly, of any texts
//! ([`UnlabelledParams`](super::params::UnlabelledParams)). Pages then count for the language of their marker, and keys are sought among them as everywhere else.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::least::MIN_PAIRS_NAMED;
use super::params::{LISTED_SHARE, Params};
use super::slots::{Occurrence, Role, Shape, Sink, skeletons};
use crate::index::site::{Pages, SiteIndex};
use crate::index::sorter::Entry;
use crate::text::runs::MAX_RUN;
use crate::text::tokens::{Anatomy, Span};
use crate::types::{Field, Lang};

/// Gives pages that have neither text nor a language the language of their marker.
pub fn label(pages: &dyn Pages, params: &Params, site: &mut SiteIndex<'_>) {
    let is_open = |site: &SiteIndex<'_>, page: u32| {
        site.lang(page).is_none() && {
            let facts = pages.facts(page);
            !facts.form.has_text() && !facts.detected.is_known()
        }
    };
    let open: Vec<u32> = (0..pages.count()).filter(|&page| is_open(site, page)).collect();
    if open.is_empty() {
        return;
    }
    let measured = measure(pages, params);
    let markers = Markers::named(&measured, params).or_else(|| Markers::unnamed(&measured, params, pages.count()));
    let Some(mut markers) = markers else { return };
    markers.learn_unmarked(pages, site);
    let mut anatomy = Anatomy::default();
    for page in open {
        if !anatomy.read(pages.identity(page), params.separators) {
            continue;
        }
        let lang = markers.of(&anatomy, params).or(markers.unmarked).filter(|&lang| params.wants(lang));
        site.set(page, lang);
    }
}

/// A text that may be a marker.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Text {
    field: Field,
    text: String,
}

/// How often texts stand in the place of one another.
struct Measured {
    /// Texts, and the pages that have them (an estimate on large sites).
    texts: Vec<(Text, u32)>,
    /// URLs that exist with either text; `None`: with nothing in its place.
    powers: BTreeMap<(u32, Option<u32>), u32>,
}

/// Longer texts are no markers.
const MAX_MARKER_BYTES: usize = 16;
/// Texts that meet in one skeleton; where more do, they are names.
const MAX_IN_ONE: usize = 64;

/// Counts which values there are.
struct Counting {
    counts: FxHashMap<u64, (u32, bool)>,
}

impl Sink for Counting {
    fn is_marker(&mut self, _: u64) -> bool {
        false
    }

    fn wants(&mut self, anatomy: &Anatomy, occurrence: &Occurrence<'_>) -> bool {
        if let [part] = occurrence.parts
            && let Some(count) = self.counts.get_mut(&occurrence.value)
        {
            // A cut comes up at each of its sides; as texts they are one.
            count.0 += u32::from(!part.cut);
        } else if let [part] = occurrence.parts {
            let text = anatomy.text(part.span);
            if is_candidate(text) {
                self.counts.insert(occurrence.value, (u32::from(!part.cut), language(text).is_some()));
            }
        }
        false
    }

    fn take(&mut self, _: &Anatomy, _: &Occurrence<'_>, _: u64) {}
}

fn is_candidate(text: &str) -> bool {
    text.len() <= MAX_MARKER_BYTES && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Collects who fills which skeleton.
struct Meeting<'k> {
    kept: &'k FxHashMap<u64, u32>,
    texts: Vec<Option<Text>>,
    entries: Vec<Entry>,
    rate: u64,
}

/// The value of URLs with nothing in the place of a marker.
const NOTHING: u32 = u32::MAX;

impl Sink for Meeting<'_> {
    fn is_marker(&mut self, _: u64) -> bool {
        false
    }

    fn wants(&mut self, _: &Anatomy, occurrence: &Occurrence<'_>) -> bool {
        occurrence.role == Role::Null || self.kept.contains_key(&occurrence.value)
    }

    fn take(&mut self, anatomy: &Anatomy, occurrence: &Occurrence<'_>, skeleton: u64) {
        if skeleton & (self.rate - 1) != 0 {
            return;
        }
        let mut value = NOTHING;
        if let ([part], Some(&kept)) = (occurrence.parts, self.kept.get(&occurrence.value)) {
            value = kept;
            let text = &mut self.texts[kept as usize];
            text.get_or_insert_with(|| Text { field: part.field, text: anatomy.text(part.span).to_owned() });
        }
        // `page` tells slots from cuts: what is cut meets nothing, and what fills a slot meets what fills it.
        let is_slot = occurrence.role == Role::Plain;
        self.entries.push(Entry { key: skeleton, value, page: u32::from(is_slot) });
    }
}

fn measure(pages: &dyn Pages, params: &Params) -> Measured {
    let count = pages.count();
    let step = (count as usize).div_ceil(params.count_pages.max(1)).max(1);
    let shapes = [Shape::Spans, Shape::HostSpans];
    let mut anatomy = Anatomy::default();
    let mut each = |step: usize, sink: &mut dyn FnMut(&Anatomy)| {
        for page in (0..count).step_by(step) {
            if anatomy.read(pages.identity(page), params.separators) {
                sink(&anatomy);
            }
            if page % (1 << 16) == (1 << 16) - 1 {
                pages.release();
            }
        }
    };
    let mut counting = Counting { counts: FxHashMap::default() };
    each(step, &mut |anatomy| shapes.iter().for_each(|&shape| skeletons(shape, anatomy, params, &mut counting)));
    let looked_at = f64::from(count) / step as f64;
    // Texts of fewer pages are not looked at, and of those that a smaller share of the pages have only those that name a language.
    let min_pages = MIN_PAIRS_NAMED.by_coverage;
    let min_count = min_pages.max((looked_at * LISTED_SHARE) as u32);
    let mut kept: Vec<(u64, u32)> = counting
        .counts
        .into_iter()
        // A cut has no count of its own: the slot of the same text has.
        .filter(|(_, (pages, named))| *pages == 0 || *pages >= if *named { min_pages } else { min_count })
        .map(|(value, (pages, _))| (value, pages * step as u32))
        .collect();
    kept.sort_unstable();
    let numbers: FxHashMap<u64, u32> = kept.iter().zip(0..).map(|(&(value, _), number)| (value, number)).collect();
    let texts = vec![None; kept.len()];
    let mut meeting = Meeting { kept: &numbers, texts, entries: Vec::new(), rate: 1 };
    each(1, &mut |anatomy| {
        shapes.iter().for_each(|&shape| skeletons(shape, anatomy, params, &mut meeting));
        while meeting.entries.len() > params.sample_entries {
            meeting.rate *= 2;
            meeting.entries.retain(|entry| entry.key & (meeting.rate - 1) == 0);
        }
    });
    joined(meeting, &kept)
}

/// Texts by their names, and how often they meet.
fn joined(meeting: Meeting<'_>, kept: &[(u64, u32)]) -> Measured {
    let Meeting { texts: named, mut entries, rate, .. } = meeting;
    let mut counts: BTreeMap<Text, u32> = BTreeMap::new();
    for (text, (_, pages)) in named.iter().zip(kept) {
        if let Some(text) = text {
            *counts.entry(text.clone()).or_default() += pages;
        }
    }
    let texts: Vec<(Text, u32)> = counts.into_iter().filter(|(_, pages)| *pages > 0).collect();
    let number = |value: u32| -> Option<u32> {
        let text = named.get(value as usize)?.as_ref()?;
        texts.binary_search_by(|(known, _)| known.cmp(text)).ok().map(|at| at as u32)
    };
    let mut powers: BTreeMap<(u32, Option<u32>), u32> = BTreeMap::new();
    entries.sort_unstable_by_key(|entry| (entry.key, entry.page, entry.value));
    for group in entries.chunk_by(|a, b| (a.key, a.page) == (b.key, b.page)) {
        let is_slot = group[0].page == 1;
        let has_nothing = group.iter().any(|entry| entry.value == NOTHING);
        let mut here: Vec<u32> = group.iter().filter_map(|entry| number(entry.value)).collect();
        here.sort_unstable();
        here.dedup();
        if here.len() > MAX_IN_ONE {
            continue;
        }
        for (at, &text) in here.iter().enumerate() {
            if is_slot {
                for &other in &here[at + 1..] {
                    *powers.entry((text, Some(other))).or_default() += 1;
                }
            } else if has_nothing {
                *powers.entry((text, None)).or_default() += 1;
            }
        }
    }
    let rate = u32::try_from(rate).unwrap_or(u32::MAX);
    powers.values_mut().for_each(|power| *power = power.saturating_mul(rate));
    Measured { texts, powers }
}

/// Texts that stand in the place of one another; the first in this order is the best.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Family {
    /// URLs that exist with either of them.
    power: Reverse<u32>,
    /// Bytes of all texts.
    length: usize,
    texts: Vec<Text>,
    /// Nothing is one of them.
    has_unmarked: bool,
}

/// Markers that were accepted.
struct Markers {
    /// Language of each, and its power: of two markers in one URL the stronger holds.
    langs: BTreeMap<Text, (u32, Lang)>,
    /// What pages without a marker are in, where markers stand against nothing.
    unmarked: Option<Lang>,
    has_unmarked: bool,
}

impl Markers {
    /// Markers that name languages.
    fn named(measured: &Measured, params: &Params) -> Option<Markers> {
        let rule = &params.unlabelled;
        let mut markers = Markers { langs: BTreeMap::new(), unmarked: None, has_unmarked: false };
        for (&(text, other), &power) in &measured.powers {
            let (marker, pages) = &measured.texts[text as usize];
            let Some(lang) = language(&marker.text) else { continue };
            match other {
                Some(other) => {
                    let (mate, mates) = &measured.texts[other as usize];
                    let Some(its) = language(&mate.text).filter(|its| !its.agrees(lang)) else { continue };
                    let enough = f64::from(power) >= rule.named_share * f64::from(*pages.min(mates));
                    if power >= rule.named_power && enough {
                        markers.add(marker, lang, power);
                        markers.add(mate, its, power);
                    }
                }
                None if power >= rule.other_power && f64::from(power) >= rule.named_share * f64::from(*pages) => {
                    markers.add(marker, lang, power);
                    markers.has_unmarked = true;
                }
                None => {}
            }
        }
        (!markers.langs.is_empty()).then_some(markers)
    }

    /// The texts that most pages are joined by; languages get the codes that ISO 639 leaves to everybody, `qaa` and on.
    fn unnamed(measured: &Measured, params: &Params, pages: u32) -> Option<Markers> {
        let rule = &params.unlabelled;
        let credible = |power: u32| 2.0 * f64::from(power) > rule.other_credibility * f64::from(pages);
        let mut best: Option<Family> = None;
        for (&(text, other), &power) in &measured.powers {
            let (marker, count) = &measured.texts[text as usize];
            let (mut texts, mut pages_of_commoner, mut share) = (vec![marker.clone()], *count, rule.other_share);
            match other {
                Some(other) => {
                    let (mate, mates) = &measured.texts[other as usize];
                    texts.push(mate.clone());
                    pages_of_commoner = pages_of_commoner.max(*mates);
                }
                None => share = (2.0 * share).min(1.0),
            }
            if power < rule.other_power || !credible(power) || f64::from(power) < share * f64::from(pages_of_commoner) {
                continue;
            }
            let length = texts.iter().map(|text| text.text.len()).sum();
            let found = Family { power: Reverse(power), length, texts, has_unmarked: other.is_none() };
            if best.as_ref().is_none_or(|best| found < *best) {
                best = Some(found);
            }
        }
        let Family { power: Reverse(power), mut texts, has_unmarked, .. } = best?;
        // Others that stand in the place of the two are of their family.
        let first = measured.texts.binary_search_by(|(text, _)| text.cmp(&texts[0])).ok()? as u32;
        for (&(a, b), &joins) in &measured.powers {
            let other = match (a == first, b) {
                (true, Some(b)) => b,
                (false, Some(b)) if b == first => a,
                _ => continue,
            };
            let (text, count) = &measured.texts[other as usize];
            let share = f64::from(joins) >= rule.other_share * f64::from(*count);
            if joins >= rule.other_power && credible(joins) && share && !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        texts.sort();
        let mut markers = Markers { langs: BTreeMap::new(), unmarked: None, has_unmarked };
        let codes = (b'b'..=b'z').map(|last| Lang::from_bytes([b'q', b'a', last, 0, 0, 0, 0, 0]));
        for (text, lang) in texts.iter().zip(codes) {
            markers.add(text, lang, power);
        }
        Some(markers)
    }

    fn add(&mut self, marker: &Text, lang: Lang, power: u32) {
        let known = self.langs.entry(marker.clone()).or_insert((power, lang));
        known.0 = known.0.max(power);
    }

    /// What pages without a marker are in: what those of them are in that have text; else English, unless a marker says that;
    /// else `qaa`, which ISO 639 leaves to everybody.
    fn learn_unmarked(&mut self, pages: &dyn Pages, site: &SiteIndex<'_>) {
        if !self.has_unmarked {
            return;
        }
        let mut votes: BTreeMap<Lang, u32> = BTreeMap::new();
        let mut anatomy = Anatomy::default();
        for page in 0..pages.count() {
            let Some(lang) = site.lang(page) else { continue };
            if anatomy.read(pages.identity(page), Default::default()) && self.strongest(&anatomy, MAX_RUN).is_none() {
                *votes.entry(lang).or_default() += 1;
            }
        }
        let voted = votes.into_iter().max_by_key(|&(lang, count)| (count, Reverse(lang))).map(|(lang, _)| lang);
        let says_english = self.langs.values().any(|(_, lang)| *lang == Lang::EN || !is_real(*lang));
        let unnamed = Lang::from_bytes(*b"qaa\0\0\0\0\0");
        self.unmarked = Some(voted.unwrap_or(if says_english { unnamed } else { Lang::EN }));
    }

    fn of(&self, anatomy: &Anatomy, params: &Params) -> Option<Lang> {
        self.strongest(anatomy, params.max_span_tokens).map(|(_, lang)| lang)
    }

    /// The strongest marker of a URL that is not part of a longer one.
    fn strongest(&self, anatomy: &Anatomy, longest: usize) -> Option<(u32, Lang)> {
        let mut found: Vec<(Span, u32, Lang)> = Vec::new();
        for segment in anatomy.segments() {
            for span in anatomy.spans(segment, longest) {
                let text = anatomy.text(span);
                if !is_candidate(text) {
                    continue;
                }
                let text = Text { field: segment.field, text: text.to_owned() };
                if let Some(&(power, lang)) = self.langs.get(&text) {
                    found.push((span, power, lang));
                }
            }
        }
        let within = |a: Span, b: Span| a != b && b.start <= a.start && a.end <= b.end;
        let whole = found.iter().filter(|(span, ..)| !found.iter().any(|(other, ..)| within(*span, *other)));
        whole.max_by_key(|(span, power, _)| (*power, Reverse(span.start))).map(|&(_, power, lang)| (power, lang))
    }
}

/// The language a text names: a code of ISO 639-1 or its longer form, with a region or without.
fn language(text: &str) -> Option<Lang> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if !(2..=3).contains(&letters) || text.len() > 8 {
        return None;
    }
    let rest = &text[letters..];
    let region = rest.strip_prefix(['-', '_']).unwrap_or(rest);
    let is_region = rest.is_empty()
        || (rest.len() > 1 && (2..=4).contains(&region.len()) && region.bytes().all(|b| b.is_ascii_alphanumeric()));
    Lang::parse(text).filter(|&lang| is_region && is_real(lang))
}

fn is_real(lang: Lang) -> bool {
    let code = lang.as_str();
    code.starts_with("zh") || CODES.split_ascii_whitespace().any(|known| known == code)
}

/// ISO 639-1.
const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz \
    ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja \
    jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng \
    nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw \
    ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, PageFacts, Urls};
    use crate::types::Form;

    fn labels(addresses: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
        let mut addresses: Vec<String> = addresses.into_iter().collect();
        addresses.sort();
        let facts = PageFacts { form: Form::Index, ..PageFacts::default() };
        let pages = ListedPages(addresses.into_iter().map(|url| (url, facts)).collect());
        let none = vec![None; pages.0.len()];
        let mut site = SiteIndex::new(&pages, &none);
        label(&pages, &Params::default(), &mut site);
        let name = |page: u32| site.lang(page).map_or("-".to_owned(), |lang| lang.to_string());
        (0..pages.count()).map(|page| (pages.identity(page).to_owned(), name(page))).collect()
    }

    fn of<'l>(labels: &'l [(String, String)], address: &str) -> &'l str {
        labels.iter().find(|(known, _)| known == address).map_or("?", |(_, lang)| lang)
    }

    const NAMES: [&str; 8] = ["art", "book", "city", "deer", "earth", "fox", "garden", "hill"];

    #[test]
    fn marks_that_swap_name_the_languages() {
        let found = labels(NAMES.iter().flat_map(|n| ["en", "fr", "pt-BR"].map(|l| format!("x.org/{l}/{n}.html"))));
        for (address, lang) in
            [("x.org/en/art.html", "en"), ("x.org/fr/fox.html", "fr"), ("x.org/pt-BR/fox.html", "pt")]
        {
            assert_eq!(of(&found, address), lang, "{address}");
        }
    }

    #[test]
    fn nothing_is_a_mark_where_others_stand_against_it() {
        let found = labels(NAMES.iter().flat_map(|n| [format!("x.org/{n}.html"), format!("x.org/{n}.de.html")]));
        assert_eq!((of(&found, "x.org/fox.html"), of(&found, "x.org/fox.de.html")), ("en", "de"));
    }

    #[test]
    fn marks_that_name_nothing_get_codes_of_nobody() {
        let found = labels(NAMES.iter().flat_map(|n| ["chi", "eng"].map(|l| format!("x.org/tc_{l}/{n}.html"))));
        assert_eq!((of(&found, "x.org/tc_chi/fox.html"), of(&found, "x.org/tc_eng/fox.html")), ("zh", "en"));
        let found = labels(NAMES.iter().flat_map(|n| ["c", "e"].map(|l| format!("x.org/{l}/{n}.html"))));
        assert_eq!((of(&found, "x.org/c/fox.html"), of(&found, "x.org/e/fox.html")), ("qab", "qac"));
    }

    /// Four chapters in each of ten books: any two books share four names, any two chapters ten.
    #[test]
    fn subjects_are_no_languages() {
        let books = ["ant", "bee", "cow", "dog", "elk", "fish", "goat", "hen", "ibis", "jay"];
        let found = labels(books.iter().flat_map(|b| (0..4).map(move |c| format!("x.org/{b}/chapter{c}{b}.html"))));
        assert!(found.iter().all(|(_, lang)| lang == "-"), "{found:?}");
    }

    #[test]
    fn words_that_are_no_codes_name_no_language() {
        for (text, lang) in [
            ("fr", Some("fr")),
            ("deu", Some("de")),
            ("zh_TW", Some("zh-Hant")),
            ("www", None),
            ("htm", None),
            ("fr.x", None),
        ] {
            assert_eq!(language(text).map(|lang| lang.to_string()).as_deref(), lang, "{text}");
        }
    }
}
