//! Which language each page counts for: copies left out, doubts settled by keys.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::candidate::names_language;
use super::{Evidence, FoundKey, LabelMode, Pages, Params, State, counterpart, host_ranges};
use crate::index::site::{Addresses, NO_LABEL, SKETCH, SiteIndex};
use crate::text::tokens::Anatomy;
use crate::types::{Field, Key, Lang, host_of};

/// The language of each page before keys are known.
pub fn initial<'p>(pages: &'p dyn Pages, params: &Params) -> SiteIndex<'p> {
    let label = |page: u32| {
        let lang = match params.labels {
            LabelMode::Detected => pages.detected(page),
            // Letters of a text that is not there.
            LabelMode::LatinShare if !pages.facts(page).form.has_text() => Lang::UNKNOWN,
            LabelMode::LatinShare if pages.facts(page).latin_share > 0.5 => Lang::EN,
            LabelMode::LatinShare => Lang::ZH,
        };
        (lang.is_known() && is_wanted(lang, params)).then_some(lang)
    };
    let mut site = SiteIndex::collect(pages, label);
    settle_scripts(pages, &mut site);
    super::unlabelled::label(pages, params, &mut site);
    site
}

/// Chinese pages too short to show their script count for the script they declare, else for that of most pages.
fn settle_scripts(pages: &dyn Pages, site: &mut SiteIndex<'_>) {
    let sizes = site.sizes(0..pages.count());
    let count = |script: Lang| site.langs.binary_search(&script).map_or(0, |at| sizes[at]);
    let (simplified, traditional) = (count(Lang::ZH_HANS), count(Lang::ZH_HANT));
    if simplified + traditional == 0 || count(Lang::ZH) == 0 {
        return;
    }
    let usual = if simplified >= traditional { Lang::ZH_HANS } else { Lang::ZH_HANT };
    for page in 0..pages.count() {
        if site.lang(page) == Some(Lang::ZH) {
            let declared = pages.facts(page).declared;
            site.set(page, Some(if [Lang::ZH_HANS, Lang::ZH_HANT].contains(&declared) { declared } else { usual }));
        }
    }
}

pub(super) fn is_wanted(lang: Lang, params: &Params) -> bool {
    params.langs.is_empty() || params.langs.iter().any(|wanted| wanted.agrees(lang))
}

/// Blocks of at least this many bytes are compared, so that language bars and menus do not count.
const LONG_BLOCK_BYTES: usize = 40;

/// The smallest hashes of a page's long blocks (of all its blocks, where fewer than three are long), sorted; zeros first.
///
/// Two pages share about as many of these as their sets of blocks have in common (bottom-k sketch, Broder 1997).
pub fn sketch<'t>(blocks: impl Iterator<Item = &'t str> + Clone) -> [u32; SKETCH] {
    let hashes = |least: usize| -> Vec<u32> {
        let long = blocks.clone().filter(|block| block.len() >= least);
        // Zero stands for "none".
        let mut hashes: Vec<u32> = long.map(|block| (xxh3_64(block.as_bytes()) >> 32) as u32 | 1).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    };
    let mut all = hashes(LONG_BLOCK_BYTES);
    if all.len() < 3 {
        all = hashes(1);
    }
    let mut sketch = [0; SKETCH];
    let kept = all.len().min(SKETCH);
    sketch[SKETCH - kept..].copy_from_slice(&all[..kept]);
    sketch
}

/// Share of the sketch two pages must have in common to be copies.
const COPY_SHARE: f64 = 0.75;
/// The lengths of copies' texts differ by no more than this share.
const COPY_LENGTH: f64 = 0.1;
/// How many pairs of copies must differ by the same edit: one alone may be two short pages that look alike.
const COPY_EDITS: u32 = 3;

/// Untranslated copies: pages of one language with nearly equal text and equal title whose addresses differ by an edit
/// that recurs in their language and no other. Gives (copy, page that stands for it).
///
/// The page that stands for a cluster declares its language, or its address names it, or has nothing where the
/// others have a mark, or its mark is the purest in that language; then the shortest address.
/// Cost: every page is compared with at most 3·32 neighbours that share a block.
pub fn copies(pages: &dyn Pages, site: &SiteIndex<'_>) -> Vec<(u32, u32)> {
    let twins = twins(pages, site);
    let mut edits: FxHashMap<(Field, String, String), BTreeMap<Lang, u32>> = FxHashMap::default();
    let mut known: Vec<(u32, u32, (Field, String, String))> = Vec::new();
    for (a, b) in twins {
        if let Some(edit) = edit_between(pages.identity(a), pages.identity(b)) {
            let (a, b, edit) = if edit.1 <= edit.2 { (a, b, edit) } else { (b, a, (edit.0, edit.2, edit.1)) };
            let lang = site.lang(a).unwrap_or(Lang::UNKNOWN);
            *edits.entry(edit.clone()).or_default().entry(lang).or_default() += 1;
            known.push((a, b, edit));
        }
    }
    known.retain(|(_, _, edit)| edits.get(edit).is_some_and(tells_languages));
    if known.is_empty() {
        return Vec::new();
    }
    let mut clusters = Clusters::default();
    let mut marks: BTreeMap<u32, Vec<(Field, String)>> = BTreeMap::new();
    for (a, b, (field, from, to)) in known {
        clusters.join(a, b);
        marks.entry(a).or_default().push((field, from));
        marks.entry(b).or_default().push((field, to));
    }
    let purity = Purity::new(pages, site, marks.values().flatten());
    let mut found = Vec::new();
    for members in clusters.members() {
        let rank = |&page: &u32| {
            let lang = site.lang(page).unwrap_or(Lang::UNKNOWN);
            let declares = pages.facts(page).declared.agrees(lang);
            let of_mark = |(field, text): &(Field, String)| {
                let kind = if names_language(text, lang) {
                    3
                } else if text.is_empty() {
                    2
                } else if Lang::parse(text).is_none() {
                    1
                } else {
                    0
                };
                (kind, purity.of(*field, text, lang))
            };
            let mark = marks.get(&page).into_iter().flatten().map(of_mark).max().unwrap_or((0, 0));
            let address = pages.identity(page);
            (declares, mark, Reverse(address.len()), Reverse(address))
        };
        let Some(&best) = members.iter().max_by_key(|page| rank(page)) else { continue };
        found.extend(members.iter().filter(|&&page| page != best).map(|&page| (page, best)));
    }
    found.sort_unstable();
    found
}

/// True for an edit that recurs among pages that look like copies, in one language for the most part. One that recurs in
/// several languages alike, `calc` and `writer`, tells subjects apart: such pages are translated, and only look alike.
fn tells_languages(langs: &BTreeMap<Lang, u32>) -> bool {
    let most = langs.values().copied().max().unwrap_or(0);
    let strong = langs.values().filter(|&&count| 2 * count >= most).count();
    langs.values().sum::<u32>() >= COPY_EDITS && strong == 1
}

/// Pairs of pages that look like copies.
fn twins(pages: &dyn Pages, site: &SiteIndex<'_>) -> Vec<(u32, u32)> {
    const NEIGHBOURS: usize = 32;
    let mut buckets: Vec<(Lang, u64, u32, [u32; SKETCH], u32)> = Vec::new();
    for page in 0..pages.count() {
        let Some(lang) = site.lang(page) else { continue };
        let facts = pages.facts(page);
        let least = facts.sketch.iter().copied().filter(|&hash| hash != 0).take(3);
        buckets.extend(least.map(|hash| (lang, facts.title, hash, facts.sketch, page)));
    }
    pages.release();
    buckets.sort_unstable();
    let mut twins = Vec::new();
    for bucket in buckets.chunk_by(|x, y| (x.0, x.1, x.2) == (y.0, y.1, y.2)) {
        for (i, (_, _, _, sketch, a)) in bucket.iter().enumerate() {
            for (_, _, _, other, b) in bucket.iter().skip(i + 1).take(NEIGHBOURS) {
                let length = |page: u32| f64::from(pages.facts(page).text_bytes);
                let (x, y) = (length(*a), length(*b));
                if shared(sketch, other) >= COPY_SHARE && (x - y).abs() <= COPY_LENGTH * x.max(y) {
                    twins.push((*a.min(b), *a.max(b)));
                }
            }
        }
    }
    twins.sort_unstable();
    twins.dedup();
    twins
}

/// Share of the smallest hashes of both sketches that both have.
fn shared(a: &[u32; SKETCH], b: &[u32; SKETCH]) -> f64 {
    let mut union: Vec<u32> = a.iter().chain(b).copied().filter(|&hash| hash != 0).collect();
    union.sort_unstable();
    union.dedup();
    union.truncate(SKETCH);
    let both = union.iter().filter(|hash| a.contains(hash) && b.contains(hash)).count();
    if union.is_empty() { 0.0 } else { both as f64 / union.len() as f64 }
}

/// The one span by which two addresses differ, if they differ by one: its field, its text in the first, in the second.
pub fn edit_between(a: &str, b: &str) -> Option<(Field, String, String)> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'%';
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let mut head = x.iter().zip(y).take_while(|(p, q)| p == q).count();
    let mut tail =
        x.iter().rev().zip(y.iter().rev()).take(x.len().min(y.len()) - head).take_while(|(p, q)| p == q).count();
    // Whole tokens only.
    let inside = |bytes: &[u8], at: usize| at > 0 && at < bytes.len() && is_token(bytes[at - 1]) && is_token(bytes[at]);
    while inside(x, head) || inside(y, head) {
        head -= 1;
    }
    while tail > 0 && (inside(x, x.len() - tail) || inside(y, y.len() - tail)) {
        tail -= 1;
    }
    let middle = |text: &str| {
        text[head..text.len() - tail].trim_matches(|c: char| c.is_ascii_punctuation() && c != '%').to_owned()
    };
    let (from, to) = (middle(a), middle(b));
    let one_segment = |text: &str| !text.contains(['/', '?', '&']);
    if !one_segment(&from) || !one_segment(&to) || (from.is_empty() && to.is_empty()) {
        return None;
    }
    let longer = if x.len() >= y.len() { a } else { b };
    let query = longer.find('?').unwrap_or(longer.len());
    let field = if head < longer.find('/').unwrap_or(longer.len()) {
        Field::Host
    } else if head > query {
        Field::Query
    } else if longer[head.min(query)..query].trim_start_matches('/').contains('/') {
        Field::Path
    } else {
        Field::File
    };
    Some((field, from, to))
}

/// How much of the pages with a mark is in each language.
struct Purity {
    counts: FxHashMap<(Field, String), FxHashMap<Lang, u32>>,
}

impl Purity {
    fn new<'m>(pages: &dyn Pages, site: &SiteIndex<'_>, marks: impl Iterator<Item = &'m (Field, String)>) -> Purity {
        let mut counts: FxHashMap<(Field, String), FxHashMap<Lang, u32>> =
            marks.filter(|(_, text)| !text.is_empty()).map(|mark| (mark.clone(), FxHashMap::default())).collect();
        let mut anatomy = Anatomy::default();
        for page in 0..pages.count() {
            let Some(lang) = site.lang(page) else { continue };
            for_each_text(&mut anatomy, pages.identity(page), &mut |field, text| {
                if let Some(langs) = counts.get_mut(&(field, text.to_owned())) {
                    *langs.entry(lang).or_default() += 1;
                }
            });
        }
        Purity { counts }
    }

    /// Thousandths of the mark's pages that are in `lang`; 500 for (null), which has no pages of its own.
    fn of(&self, field: Field, text: &str, lang: Lang) -> u32 {
        let Some(langs) = self.counts.get(&(field, text.to_owned())) else { return 500 };
        let all: u32 = langs.values().sum();
        let of_lang = langs.get(&lang).copied().unwrap_or(0);
        (u64::from(of_lang) * 1000).checked_div(u64::from(all)).unwrap_or(0) as u32
    }
}

/// Calls `each` with the field and text of every token, run of up to four tokens and segment of an address.
fn for_each_text(anatomy: &mut Anatomy, identity: &str, each: &mut dyn FnMut(Field, &str)) {
    if !anatomy.read(identity, Default::default()) {
        return;
    }
    for segment in anatomy.segments() {
        anatomy.spans(segment, 4).for_each(|span| each(segment.field, anatomy.text(span)));
    }
}

/// Sets joined pairwise.
#[derive(Default)]
struct Clusters {
    parent: BTreeMap<u32, u32>,
}

impl Clusters {
    fn root(&mut self, page: u32) -> u32 {
        let parent = *self.parent.entry(page).or_insert(page);
        if parent == page {
            return page;
        }
        let root = self.root(parent);
        self.parent.insert(page, root);
        root
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent.insert(a.max(b), a.min(b));
    }

    fn members(&mut self) -> Vec<Vec<u32>> {
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for page in self.parent.keys().copied().collect::<Vec<_>>() {
            members.entry(self.root(page)).or_default().push(page);
        }
        members.into_values().collect()
    }
}

/// Settles doubtful languages by the marks of strong keys; `true` when anything changed.
///
/// Doubtful is a page whose language is unknown, or takes part in no strong key (noise of detection), or that is in two
/// languages of different letters (`Letters`). When its address carries marks of one language only, it counts for that language, unless
/// it declares another one. A page without marks counts for the language it declares where (null) stands for that language,
/// if it has no other.
pub fn settle(
    pages: &dyn Pages,
    params: &Params,
    site: &mut SiteIndex<'_>,
    copies: &[(u32, u32)],
    keys: &[FoundKey],
) -> bool {
    let mut established: FxHashSet<Lang> = FxHashSet::default();
    let mut unmarked: FxHashSet<Lang> = FxHashSet::default();
    let mut votes: FxHashMap<(Field, String), FxHashMap<Lang, u64>> = FxHashMap::default();
    for found in keys.iter().filter(|key| key.state != State::Weak) {
        for edit in found.key.edits.iter().filter(|edit| !edit.core) {
            for (lang, text) in [(found.key.langs.a, &edit.from), (found.key.langs.b, &edit.to)] {
                established.insert(lang);
                if text.is_empty() {
                    unmarked.insert(lang);
                } else {
                    *votes.entry((edit.field, text.clone())).or_default().entry(lang).or_default() +=
                        found.evidence.power;
                }
            }
        }
    }
    let winner =
        |langs: &FxHashMap<Lang, u64>| langs.iter().map(|(&lang, &power)| (power, lang)).max().map(|(_, lang)| lang);
    let marks: FxHashMap<(Field, String), Lang> =
        votes.iter().filter_map(|(mark, langs)| Some((mark.clone(), winner(langs)?))).collect();
    let copied: FxHashSet<u32> = copies.iter().map(|&(copy, _)| copy).collect();
    let mut changed = false;
    let mut letters = None;
    let mut anatomy = Anatomy::default();
    for page in 0..pages.count() {
        let label = site.lang(page);
        if established.is_empty() || copied.contains(&page) {
            continue;
        }
        let facts = pages.facts(page);
        let is_established = label.is_some_and(|lang| established.contains(&lang));
        let in_two = facts.form.has_text() && f64::from(facts.confidence) < params.least_confidence;
        if (is_established && !in_two) || (label.is_none() && facts.detected.is_known()) {
            continue;
        }
        let mut found: Vec<Lang> = Vec::new();
        for_each_text(&mut anatomy, pages.identity(page), &mut |field, text| {
            found.extend(marks.get(&(field, text.to_owned())));
        });
        found.sort_unstable();
        found.dedup();
        let shown = |lang: Lang, letters: &mut Option<Letters>| {
            let letters = letters.get_or_insert_with(|| Letters::new(pages, site, params));
            label.is_none_or(|label| letters.way(label, lang, facts.latin_share) >= params.least_way)
        };
        let settled = match found[..] {
            [lang] if is_established && !shown(lang, &mut letters) => None,
            [lang] if !facts.declared.is_known() || facts.declared.agrees(lang) => Some(lang),
            [] if !is_established => unmarked.iter().copied().find(|lang| facts.declared == *lang),
            _ => None,
        };
        if let Some(lang) = settled.filter(|&lang| is_wanted(lang, params) && label != Some(lang)) {
            site.set(page, Some(lang));
            changed = true;
        }
    }
    changed
}

/// The usual share of A–Z in the letters of a site's pages, by language.
struct Letters(BTreeMap<Lang, (f64, u32)>);

impl Letters {
    /// From the pages that are in one language.
    fn new(pages: &dyn Pages, site: &SiteIndex<'_>, params: &Params) -> Letters {
        let mut sums: BTreeMap<Lang, (f64, u32)> = BTreeMap::new();
        for page in 0..pages.count() {
            let Some(lang) = site.lang(page) else { continue };
            let facts = pages.facts(page);
            if facts.form.has_text() && f64::from(facts.confidence) >= params.least_confidence {
                let sum = sums.entry(lang).or_default();
                *sum = (sum.0 + f64::from(facts.latin_share), sum.1 + 1);
            }
        }
        Letters(sums)
    }

    /// How far a text has come from the letters usual in one language to those usual in another: 0 none of the way, 1 all of it.
    /// 0 too where the letters of both are alike, and tell nothing, and where the site has more of the other language: pages are
    /// partly in what the site was translated from, which it has most of, and not the other way round.
    fn way(&self, from: Lang, to: Lang, share: f32) -> f64 {
        let usual = |lang: Lang| self.0.get(&lang).map(|(sum, pages)| (sum / f64::from(*pages), *pages));
        match (usual(from), usual(to)) {
            (Some((from, most)), Some((to, fewer))) if (from - to).abs() >= LEAST_DIFFERENCE && fewer <= most => {
                (from - f64::from(share)) / (from - to)
            }
            _ => 0.0,
        }
    }
}

/// Languages differ in letters when their usual shares of A–Z are so far apart: those of one alphabet differ by 0.25 at the most
/// (English and Vietnamese), those of two by half and more.
const LEAST_DIFFERENCE: f64 = 0.3;

/// How many pages of each language each host of a domain has.
pub struct HostSizes {
    langs: Vec<Lang>,
    hosts: FxHashMap<String, Vec<u32>>,
}

impl HostSizes {
    /// Counts the pages of every host.
    pub fn new(site: &SiteIndex<'_>) -> HostSizes {
        let count = |range: Range<u32>| {
            let mut sizes = vec![0; site.langs.len() + 1];
            for page in range {
                let label = site.labels[page as usize];
                let at = if label == NO_LABEL { site.langs.len() } else { usize::from(label) };
                sizes[at] += 1;
            }
            sizes
        };
        let host = |page: u32| host_of(site.addresses.identity(page)).to_owned();
        let addresses: &dyn Addresses = site.addresses;
        let hosts = host_ranges(addresses).into_iter().map(|range| (host(range.start), count(range))).collect();
        HostSizes { langs: site.langs.clone(), hosts }
    }

    /// What a host key is judged by: |w| are the pages of the hosts that it turns into one another.
    pub fn evidence(&self, key: &Key, power: u64) -> Evidence {
        let mut touched: FxHashSet<&str> = FxHashSet::default();
        for host in self.hosts.keys() {
            for other in counterpart::counterparts(host, key, true) {
                if let Some((other, _)) = self.hosts.get_key_value(&other) {
                    touched.extend([host.as_str(), other.as_str()]);
                }
            }
        }
        let sum = |lang: Lang| -> u32 {
            let Ok(label) = self.langs.binary_search(&lang) else { return 0 };
            touched.iter().filter_map(|host| self.hosts.get(*host)).map(|sizes| sizes[label]).sum()
        };
        let all_pages = touched.iter().filter_map(|host| self.hosts.get(*host)).flatten().sum();
        Evidence { power, pages: (sum(key.langs.a), sum(key.langs.b)), all_pages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::PageFacts;

    #[test]
    fn one_edit_between_two_addresses() {
        let edit = |a, b| edit_between(a, b).map(|(field, x, y)| (field, x.to_string(), y.to_string()));
        let expect = |field, x: &str, y: &str| Some((field, x.to_owned(), y.to_owned()));
        assert_eq!(edit("x.org/en/a.html", "x.org/de/a.html"), expect(Field::Path, "en", "de"));
        assert_eq!(edit("x.org/a.html", "x.org/a.de.html"), expect(Field::File, "", "de"));
        assert_eq!(edit("x.org/a.html", "x.org/de/a.html"), expect(Field::Path, "", "de"));
        assert_eq!(edit("en.x.org/a", "de.x.org/a"), expect(Field::Host, "en", "de"));
        assert_eq!(edit("x.org/v?l=en&i=1", "x.org/v?l=fr&i=1"), expect(Field::Query, "en", "fr"));
        assert_eq!(edit("x.org/en/a.html", "x.org/de/b.html"), None);
    }

    #[test]
    fn an_edit_that_recurs_in_several_languages_alike_tells_no_languages() {
        let langs = |counts: &[(&str, u32)]| counts.iter().map(|(l, n)| (Lang::parse(l).expect("a tag"), *n)).collect();
        assert!(tells_languages(&langs(&[("en", 40), ("de", 2)])));
        assert!(!tells_languages(&langs(&[("en", 9), ("de", 8), ("fr", 9)])));
        assert!(!tells_languages(&langs(&[("en", 2)])));
    }

    /// Pages with their address, the language of their text, and its share of A–Z.
    struct Site(Vec<(String, Lang, f32)>);

    impl Addresses for Site {
        fn count(&self) -> u32 {
            self.0.len() as u32
        }

        fn identity(&self, page: u32) -> &str {
            &self.0[page as usize].0
        }
    }

    impl Pages for Site {
        fn facts(&self, page: u32) -> PageFacts {
            let (_, detected, latin_share) = self.0[page as usize];
            // Mixed pages are told as such, whatever they are mixed of.
            let confidence = if [0.1, 0.95].contains(&latin_share) { 0.95 } else { 0.6 };
            PageFacts { detected, confidence, latin_share, ..PageFacts::default() }
        }
    }

    #[test]
    fn a_page_half_translated_counts_for_the_language_of_its_address() {
        let [en, ar] = ["en", "ar"].map(|tag| Lang::parse(tag).expect("a tag"));
        let page = |folder: &str, n: u32, lang, latin_share| (format!("x.org/{folder}/{n}"), lang, latin_share);
        let mut pages: Vec<_> = (0..20).map(|n| page("arabic", n, ar, 0.1)).collect();
        // Half in Arabic letters; a few of them, in a menu.
        pages.extend([page("arabic", 20, en, 0.55), page("arabic", 21, en, 0.85)]);
        pages.extend((0..22).map(|n| page("english", n, en, 0.95)));
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = Site(pages);
        let found = crate::keys::discover(&pages, &Params::default(), &FxHashSet::default(), &std::env::temp_dir());
        let found = found.expect("a writable folder for temporary files");
        let at = |address: &str| (0..pages.count()).find(|&page| pages.identity(page) == address).expect("it is there");
        let paired = |n: u32| {
            let wanted = (at(&format!("x.org/arabic/{n}")), at(&format!("x.org/english/{n}")));
            found.pairs.iter().any(|pair| (pair.a, pair.b) == wanted)
        };
        assert!(paired(3) && paired(20));
        assert!(!paired(21));
        // Never to the language that the site has more of, though most pages at the address were not translated.
        let letters = Letters(BTreeMap::from([(en, (19.0, 20)), (ar, (1.0, 10))]));
        assert!((letters.way(en, ar, 0.525) - 0.5).abs() < 1e-6);
        assert_eq!(letters.way(ar, en, 0.525), 0.0);
    }

    #[test]
    fn sketches_of_copies_are_alike() {
        let text: Vec<String> =
            (0..30).map(|i| format!("paragraph number {i} of a page that is long enough")).collect();
        let mut copy = text.clone();
        copy.push("de | en | fr".into());
        let other: Vec<String> =
            (0..30).map(|i| format!("absatz nummer {i} einer seite, die lang genug ist")).collect();
        let sketch = |text: &[String]| super::sketch(text.iter().map(String::as_str));
        assert_eq!(shared(&sketch(&text), &sketch(&copy)), 1.0);
        assert_eq!(shared(&sketch(&text), &sketch(&other)), 0.0);
    }
}
