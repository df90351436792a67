//! Copies: pages that say that they are another page, and untranslated pages that stand under the URL of another language once more.
//!
//! [`copies()`] finds them; `canonical` follows what pages declare; `alike` tells whether two pages have nearly the same text, by their
//! sketches, which [`sketch`] makes when a page is read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::index::clusters::Clusters;
use crate::index::site::{PageFacts, Pages, SKETCH, SiteIndex};
use crate::language::codes::{is_language_name, names_language};
use crate::text::runs::for_each_text;
use crate::text::tokens::Anatomy;
use crate::types::{Field, Lang, Step, Watch};

mod alike;
mod canonical;

use alike::nearly_same;
use canonical::Canonical;

/// Blocks of at least this many bytes are compared, so that language bars and menus do not count.
const LONG_BLOCK_BYTES: usize = 40;

/// Pages with fewer long blocks are compared by all their blocks.
const MIN_LONG_BLOCKS: usize = 3;

/// The smallest hashes of a page's long blocks (of all its blocks, where fewer than [`MIN_LONG_BLOCKS`] are long), sorted; zeros first.
///
/// Two pages share about as many of these as their sets of blocks have in common (bottom-k sketch, Broder 1997).
pub fn sketch<'t>(blocks: impl Iterator<Item = &'t str> + Clone) -> [u32; SKETCH] {
    let hashes = |min_bytes: usize| -> Vec<u32> {
        let long = blocks.clone().filter(|block| block.len() >= min_bytes);
        // Zero stands for "none".
        let mut hashes: Vec<u32> = long.map(|block| (xxh3_64(block.as_bytes()) >> 32) as u32 | 1).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    };
    let mut all = hashes(LONG_BLOCK_BYTES);
    if all.len() < MIN_LONG_BLOCKS {
        all = hashes(1);
    }
    let mut sketch = [0; SKETCH];
    let kept = all.len().min(SKETCH);
    sketch[SKETCH - kept..].copy_from_slice(&all[..kept]);
    sketch
}

/// How many pairs of copies must differ by the same edit: one alone may be two short pages that look alike.
const COPY_EDITS: usize = 3;

/// All copies, by page: (copy, page that stands for it). Pages that name another page as the one they are come first; the others are
/// told by [`untranslated`].
pub fn copies(pages: &dyn Pages, site: &SiteIndex<'_>, watch: &dyn Watch) -> Vec<(u32, u32)> {
    let canonical = Canonical::new(pages, site);
    let mut copies: BTreeMap<u32, u32> = untranslated(pages, site, &canonical, watch).into_iter().collect();
    copies.extend(&canonical.stands);
    // The page that a copy names may be an untranslated copy itself; then the original of that one stands for both.
    copies.iter().map(|(&copy, &of)| (copy, copies.get(&of).copied().unwrap_or(of))).collect()
}

/// Untranslated copies: pages of one language with nearly equal text and equal title whose URLs differ by an edit
/// that recurs in their language and no other. Gives (copy, page that stands for it).
///
/// One page of each cluster of copies stands for the others. These count, in this order: it names no other page as its own URL; other pages name
/// it; it declares its language; its URL names its language, or has nothing where the others have a marker; most pages with its marker are in
/// its language; its URL is the shortest.
/// Cost: every page is compared with at most [`BUCKETS`]·[`NEIGHBOURS`] others that share a block.
fn untranslated(pages: &dyn Pages, site: &SiteIndex<'_>, canonical: &Canonical, watch: &dyn Watch) -> Vec<(u32, u32)> {
    let look_alikes = look_alikes(pages, site, watch);
    // Where many pages are alike, nearly every pair of them differs by another edit. To save memory, hashes of edits are counted first, and the
    // edits whose hashes recur are computed once more.
    let edits = || {
        look_alikes.iter().filter_map(|&(a, b, alike)| {
            let edit = edit_between(pages.identity(a), pages.identity(b)).filter(|edit| is_enough(alike, edit))?;
            Some(if edit.1 <= edit.2 { (a, b, edit) } else { (b, a, (edit.0, edit.2, edit.1)) })
        })
    };
    let lang_of = |page: u32| site.lang(page).unwrap_or(Lang::UNKNOWN);
    let mut counted: Vec<(u64, Lang)> = edits().map(|(a, _, edit)| (hash_of(edit), lang_of(a))).collect();
    counted.sort_unstable();
    let telling: FxHashSet<u64> = counted
        .chunk_by(|x, y| x.0 == y.0)
        .filter(|of_edit| tells_languages(of_edit))
        .map(|of_edit| of_edit[0].0)
        .collect();
    if telling.is_empty() {
        return Vec::new();
    }
    let mut clusters = Clusters::new(pages.count());
    let mut markers: BTreeMap<u32, Vec<(Field, String)>> = BTreeMap::new();
    for (a, b, (field, from, to)) in edits().filter(|(_, _, edit)| telling.contains(&hash_of(*edit))) {
        clusters.join(a, b);
        markers.entry(a).or_default().push((field, from.to_owned()));
        markers.entry(b).or_default().push((field, to.to_owned()));
    }
    let purity = Purity::new(pages, site, markers.values().flatten());
    let mut found = Vec::new();
    for members in clusters.members() {
        let rank = |&page: &u32| {
            let lang = site.lang(page).unwrap_or(Lang::UNKNOWN);
            let declares = pages.facts(page).declared.agrees(lang);
            let of_marker = |(field, text): &(Field, String)| {
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
            let marker = markers.get(&page).into_iter().flatten().map(of_marker).max().unwrap_or((0, 0));
            let address = pages.identity(page);
            let says = (!canonical.stands.contains_key(&page), canonical.is_named(page));
            (says, declares, marker, Reverse(address.len()), Reverse(address))
        };
        let Some(&best) = members.iter().max_by_key(|page| rank(page)) else { continue };
        found.extend(members.iter().filter(|&&page| page != best).map(|&page| (page, best)));
    }
    found.sort_unstable();
    found
}

/// How much two pages have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    /// Their titles are equal.
    title: bool,
    /// So are all hashes of their blocks.
    all: bool,
}

/// True where two pages that differ by an edit have enough in common to be copies. Titles are what is translated first: where the edit
/// names a language, they may differ. Where it names none, the pages may come from one template, so all of their hashes must be equal.
fn is_enough(alike: Alike, (_, from, to): &Edit<'_>) -> bool {
    let names = is_language_name(from) || is_language_name(to);
    if names { true } else { alike.title && (alike.all || from.is_empty() || to.is_empty()) }
}

/// An edit as a number.
fn hash_of((field, from, to): Edit<'_>) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&[field as u8]);
    hasher.update(&(from.len() as u64).to_le_bytes());
    hasher.update(from.as_bytes());
    hasher.update(to.as_bytes());
    hasher.digest()
}

/// True for an edit that recurs among pages that look like copies, mostly in one language. `of_edit` has one entry for each time the edit
/// occurs, sorted by language. An edit that recurs equally in several languages, such as `calc` and `writer`, separates subjects: such
/// pages are translated, and only look alike.
fn tells_languages(of_edit: &[(u64, Lang)]) -> bool {
    let counts = || of_edit.chunk_by(|x, y| x.1 == y.1).map(<[_]>::len);
    let most = counts().max().unwrap_or(0);
    let strong = counts().filter(|&count| 2 * count >= most).count();
    of_edit.len() >= COPY_EDITS && strong == 1
}

/// By this many hashes of its sketch a page is put into buckets. It is compared with pages in the same buckets.
const BUCKETS: usize = 3;
/// A page is compared with this many pages of each bucket.
const NEIGHBOURS: usize = 32;

/// Repeated pairs of pages are removed from the list only when it is twice as long as this.
const LEAST_DISTINCT: usize = 1 << 16;

/// A page under one hash of its sketch. Those of one language and hash are compared, the most alike first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Bucketed {
    lang: Lang,
    hash: u32,
    sketch: [u32; SKETCH],
    title: u64,
    page: u32,
}

/// Pairs of pages that look like copies.
fn look_alikes(pages: &dyn Pages, site: &SiteIndex<'_>, watch: &dyn Watch) -> Vec<(u32, u32, Alike)> {
    let mut buckets: Vec<Bucketed> = Vec::new();
    for page in 0..pages.count() {
        let Some(lang) = site.lang(page) else { continue };
        let PageFacts { title, sketch, .. } = pages.facts(page);
        let smallest = sketch.iter().copied().filter(|&hash| hash != 0).take(BUCKETS);
        buckets.extend(smallest.map(|hash| Bucketed { lang, hash, sketch, title, page }));
    }
    pages.release();
    buckets.sort_unstable();
    let mut look_alikes = Vec::new();
    let mut distinct = 0;
    let told = Step::new(watch, "looking for copies", buckets.len());
    for bucket in buckets.chunk_by(|x, y| (x.lang, x.hash) == (y.lang, y.hash)) {
        for (i, one) in bucket.iter().enumerate() {
            for other in bucket.iter().skip(i + 1).take(NEIGHBOURS) {
                let (x, y) = (pages.facts(one.page), pages.facts(other.page));
                if nearly_same(&x, &y) {
                    let alike = Alike { title: one.title == other.title, all: one.sketch == other.sketch };
                    look_alikes.push((one.page.min(other.page), one.page.max(other.page), alike));
                }
            }
            told.did(1);
            // Pages that share one hash mostly share others, and meet under each.
            if look_alikes.len() >= 2 * distinct.max(LEAST_DISTINCT) {
                look_alikes.sort_unstable();
                look_alikes.dedup();
                distinct = look_alikes.len();
            }
        }
    }
    look_alikes.sort_unstable();
    look_alikes.dedup();
    look_alikes
}

/// What differs between two URLs: its field, its text in the first, in the second.
type Edit<'u> = (Field, &'u str, &'u str);

/// The one span by which two URLs differ, if they differ by one: its field, its text in the first, in the second.
pub fn edit_between<'u>(a: &'u str, b: &'u str) -> Option<Edit<'u>> {
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
    let middle =
        |text: &'u str| text[head..text.len() - tail].trim_matches(|c: char| c.is_ascii_punctuation() && c != '%');
    let (from, to) = (middle(a), middle(b));
    let one_segment = |text: &str| !text.contains(['/', '?', '&']);
    if !one_segment(from) || !one_segment(to) || (from.is_empty() && to.is_empty()) {
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

/// How much of the pages with a marker is in each language.
struct Purity {
    counts: FxHashMap<(Field, String), FxHashMap<Lang, u32>>,
}

impl Purity {
    fn new<'m>(pages: &dyn Pages, site: &SiteIndex<'_>, markers: impl Iterator<Item = &'m (Field, String)>) -> Purity {
        let mut counts: FxHashMap<(Field, String), FxHashMap<Lang, u32>> =
            markers.filter(|(_, text)| !text.is_empty()).map(|marker| (marker.clone(), FxHashMap::default())).collect();
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

    /// Thousandths of the marker's pages that are in `lang`; 500 for (null), which has no pages of its own.
    fn of(&self, field: Field, text: &str, lang: Lang) -> u32 {
        let Some(langs) = self.counts.get(&(field, text.to_owned())) else { return 500 };
        let all: u32 = langs.values().sum();
        let of_lang = langs.get(&lang).copied().unwrap_or(0);
        (u64::from(of_lang) * 1000).checked_div(u64::from(all)).unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::alike::shared;

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
        let langs = |counts: &[(&str, usize)]| -> Vec<(u64, Lang)> {
            counts.iter().flat_map(|(l, n)| vec![(1, Lang::parse(l).expect("a tag")); *n]).collect()
        };
        assert!(tells_languages(&langs(&[("en", 40), ("de", 2)])));
        assert!(!tells_languages(&langs(&[("en", 9), ("de", 8), ("fr", 9)])));
        assert!(!tells_languages(&langs(&[("en", 2)])));
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
