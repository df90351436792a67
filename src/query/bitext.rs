//! Sentence pairs: which page pairs they are made from, and the pairs themselves.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::alternatives::{Alternatives, Texts};
use super::archives::ArchiveNames;
use crate::align::clean::Reason;
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::site::bitext::{SiteBitext, accepted_pairs, are_compared, is_translation, page_record, rounded};
use crate::site::frequency::Frequency;
use crate::site::paragraphs::Paragraphs;
use crate::site::repetitions::Cursor;
use crate::site::scores::{SiteScores, UserScorer};
use crate::site::{Scope, Site, sites};
use crate::store::Store;
use crate::store::layout::{ArchivedBitextPairRow, BeadRow, StoredPage};
use crate::store::records::RecordRef;
use crate::text::scored;
use crate::types::{BitextLine, Lang, LangPair, Place, Provenance, Told};

/// The columns that say how many translations a text has; counting them takes a pass over all sentence pairs of a site.
pub const ALTERNATIVES: &[&str] = &["targets", "sources"];

/// The columns with the names and digests of the pages' records.
pub const RECORDS: &[&str] = &["record_id_a", "record_id_b", "payload_digest_a", "payload_digest_b"];

/// What is asked for of sentence pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// True where sentence pairs that were left out are asked for too, each with its reason.
    pub all: bool,
    /// True where the translations that their texts have must be counted.
    pub alternatives: bool,
    /// True where the names and digests of the pages' records are wanted.
    pub records: bool,
    /// True where hashes of the pages' texts are wanted.
    pub pages: bool,
    /// True where it is asked for how many paragraphs the pages have, and how many sentences the paragraphs of the pair have.
    pub totals: bool,
}

/// How many URLs of pages of other sites are kept in memory, at most: some 10 MB.
const KNOWN_URLS: usize = 1 << 16;

/// Calls `each` with every sentence pair of a scope: by domain, languages, URLs, then in the order of the page. A sentence pair that several sites have is left out of all but the first, but only if the
/// scope is the whole store.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_bead(
    store: &Store,
    config: &Config,
    scope: &Scope,
    asked: Asked,
    mut each: impl FnMut(BitextLine) -> Result<()>,
) -> Result<()> {
    let scorer = UserScorer::of(store);
    let mut caches = Caches::default();
    // Until all sites are aligned, repetitions across sites are unknown, or were found among other sites.
    let are_compared = scope.is_all() && are_compared(store)?;
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(bitext) = SiteBitext::open(store, &site)? else { continue };
        let wanted = Wanted { scope, asked, scorer: Some(&scorer), are_compared, from: 0 };
        wanted.for_each(store, config, (&site, &bitext), &mut caches, |_, line| each(line).map(|()| true))?;
    }
    Ok(())
}

/// Caches that are kept from site to site.
#[derive(Default)]
struct Caches {
    archives: ArchiveNames,
    urls: KnownUrls,
}

/// Which sentence pairs of a site are wanted.
struct Wanted<'w> {
    scope: &'w Scope,
    asked: Asked,
    /// Whose scores are looked up, if anyone's.
    scorer: Option<&'w UserScorer>,
    /// Repetitions across sites are known and count.
    are_compared: bool,
    /// From the page pair at this position on.
    from: u32,
}

impl Wanted<'_> {
    /// Calls `each` with these sentence pairs and the positions of their page pairs, until it returns false.
    fn for_each(
        &self,
        store: &Store,
        config: &Config,
        (site, bitext): (&Site, &SiteBitext),
        caches: &mut Caches,
        mut each: impl FnMut(u32, BitextLine) -> Result<bool>,
    ) -> Result<()> {
        let &Wanted { scope, asked: Asked { all, .. }, are_compared, from, .. } = self;
        let frequency = Frequency::new(bitext.pairs());
        let frequency = if all { frequency.with_repeated(bitext.aligned(), bitext.repeats()) } else { frequency };
        let mut known = Known::default();
        let mut repeats = Cursor::new(bitext.repeats());
        let mut shared = Cursor::new(bitext.shared().filter(|_| are_compared));
        for (place, row, beads) in bitext.aligned_from(from) {
            if place >= known.end {
                known = self.known(store, config, (site, bitext), place)?;
            }
            let is_wanted = |page: u32| page < site.pages.count() && scope.has_host(site.pages.identity(page));
            let wanted = place >= from && (is_wanted(row.a.to_native()) || is_wanted(row.b.to_native()));
            let pair = if wanted {
                Some(OpenPair::new(store, config, site, row, (&mut caches.archives, self.asked))?)
            } else {
                None
            };
            // The sentence pair before, if it was kept.
            let mut before: Option<&BeadRow> = None;
            for (bead, number) in beads.iter().zip(0u32..) {
                let (repeat, share) = (repeats.of(place, number), shared.of(place, number));
                let Some(pair) = &pair else { continue };
                let reasons = [Some(bead.reason), repeat.map(|row| row.reason), share.map(|row| row.reason)];
                let code = reasons.into_iter().flatten().find(|&code| code != 0).unwrap_or(0);
                if all || code == 0 {
                    let mut line = pair.line(bead, code);
                    for other in repeat.iter().filter(|row| row.reason == 0).flat_map(|row| row.others.iter()) {
                        line.others.extend(bitext.pair(other.to_native()).map(|other| pair.urls(other)));
                    }
                    for other in share.iter().flat_map(|row| row.elsewhere.iter()) {
                        let mut url = |at: u64| caches.urls.of(store, at);
                        line.others.push(pair.turned(url(other.a.to_native())?, url(other.b.to_native())?));
                    }
                    line.page_pairs = frequency.of(row, bead, repeat);
                    line.is_furniture = frequency.is_furniture(row, line.page_pairs);
                    if let Some(found) = known.alternatives.as_ref().filter(|_| is_translation(bead, repeat)) {
                        let [targets, sources] = found.of(([row.lang_a, row.lang_b], bead.texts));
                        (line.targets, line.sources) = pair.turned(Some(targets), Some(sources));
                    }
                    line.joint = before.filter(|_| code == 0).and_then(|before| pair.joint(before, bead));
                    line.scorer = self.scorer.and_then(|scorer| known.scores.of(scorer, &line));
                    if !each(place, line)? {
                        return Ok(());
                    }
                } else {
                    pair.pages.0.pass((bead.a_start, bead.a_end), bead.m);
                    pair.pages.1.pass((bead.b_start, bead.b_end), bead.n);
                }
                before = Some(bead).filter(|_| code == 0);
            }
        }
        Ok(())
    }

    /// What is known of the page pair at a position and of the following ones, as many as the memory allows.
    fn known(&self, store: &Store, config: &Config, of: (&Site, &SiteBitext), from: u32) -> Result<Known> {
        let (site, bitext) = of;
        let scorer = self.scorer.filter(|scorer| scorer.command().is_some());
        if scorer.is_none() && !self.asked.alternatives {
            return Ok(Known { end: u32::MAX, ..Known::default() });
        }
        let budget = config.memory.sorted_beads();
        let mut beads = 0;
        let rows = bitext.pairs_from(from).take_while(|row| {
            let is_first = beads == 0;
            beads += row.beads.to_native() as usize;
            is_first || beads <= budget / KNOWN_BYTES
        });
        let places = from..from.saturating_add(rows.count() as u32);
        let is_all = places.start == 0 && bitext.pair(places.end).is_none();
        let translations = |places: &Range<u32>, each: &mut dyn FnMut(Texts)| {
            bitext.for_each_translation(places, &mut |row, bead| each(([row.lang_a, row.lang_b], bead.texts)));
        };
        let these = |each: &mut dyn FnMut(Texts)| translations(&places, each);
        let alternatives = self.asked.alternatives.then(|| {
            Alternatives::new((!is_all).then_some(&these), budget, &|each| translations(&(0..u32::MAX), each))
        });
        let scores = match scorer {
            None => SiteScores::default(),
            Some(scorer) if is_all => scorer.of_site(store, site.id, |_| true)?,
            Some(scorer) => {
                let lines = self.lines(store, config, of, (scorer, &places))?;
                scorer.of_site(store, site.id, |line| lines.contains(&line))?
            }
        };
        Ok(Known { end: places.end, alternatives, scores })
    }

    /// The lines that a scorer would be asked about for some page pairs, as hashes.
    fn lines(
        &self,
        store: &Store,
        config: &Config,
        of: (&Site, &SiteBitext),
        (scorer, places): (&UserScorer, &Range<u32>),
    ) -> Result<FxHashSet<u64>> {
        let mut lines = FxHashSet::default();
        let asked = Asked { alternatives: false, ..self.asked };
        let wanted = Wanted { asked, scorer: None, from: places.start, ..*self };
        wanted.for_each(store, config, of, &mut Caches::default(), |place, line| {
            lines.extend(
                scorer.question(line.texts()).map(|question| scored::hash(&question)).filter(|_| place < places.end),
            );
            Ok(place < places.end)
        })?;
        Ok(lines)
    }
}

/// What is looked up for the sentence pairs of consecutive page pairs before these are read.
#[derive(Default)]
struct Known {
    /// One past the position of the last page pair.
    end: u32,
    alternatives: Option<Alternatives>,
    scores: SiteScores,
}

/// Bytes of what is known of a sentence pair and its two texts, at most.
const KNOWN_BYTES: usize = 128;

/// URLs of pages of other sites, by the places of the pages. They are kept because repetitions come from the same pages again and again.
#[derive(Default)]
struct KnownUrls(FxHashMap<u64, String>);

impl KnownUrls {
    fn of(&mut self, store: &Store, at: u64) -> Result<String> {
        if let Some(url) = self.0.get(&at) {
            return Ok(url.clone());
        }
        if self.0.len() >= KNOWN_URLS {
            self.0.clear();
        }
        let url = store.page_url(RecordRef(at))?;
        self.0.insert(at, url.clone());
        Ok(url)
    }
}

/// An aligned page pair with both of its pages.
struct OpenPair<'s> {
    site: &'s Site,
    row: &'s ArchivedBitextPairRow,
    langs: (Lang, Lang),
    is_turned: bool,
    pages: (Paragraphs, Paragraphs),
    archives: (String, String),
    provenance: (Provenance, Provenance),
    hashes: (u64, u64),
    asked: Asked,
}

impl<'s> OpenPair<'s> {
    fn new(
        store: &Store,
        config: &Config,
        site: &'s Site,
        row: &'s ArchivedBitextPairRow,
        (archives, asked): (&mut ArchiveNames, Asked),
    ) -> Result<OpenPair<'s>> {
        let langs = (Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b));
        let pages = (page_record(store, site, row.a.to_native())?, page_record(store, site, row.b.to_native())?);
        let archives = (archives.of(store, &pages.0)?, archives.of(store, &pages.1)?);
        let provenance = |page: u32, record: &StoredPage| {
            if asked.records { site.provenance_in(page, record) } else { site.provenance(page) }
        };
        let provenance = (provenance(row.a.to_native(), &pages.0), provenance(row.b.to_native(), &pages.1));
        let hash = |record: &StoredPage| if asked.pages { xxh3_64(record.text().as_bytes()) } else { 0 };
        let hashes = (hash(&pages.0), hash(&pages.1));
        let is_turned = config.lang_rank(langs.1) < config.lang_rank(langs.0);
        let pages = (Paragraphs::new(pages.0, langs.0), Paragraphs::new(pages.1, langs.1));
        Ok(OpenPair { site, row, langs, is_turned, pages, archives, provenance, hashes, asked })
    }

    /// The URLs of another page pair of the site.
    fn urls(&self, other: &ArchivedBitextPairRow) -> (String, String) {
        self.turned(self.site.pages.url(other.a.to_native()), self.site.pages.url(other.b.to_native()))
    }

    /// Two values, of the first and the second language, in the order of listing.
    fn turned<T>(&self, a: T, b: T) -> (T, T) {
        if self.is_turned { (b, a) } else { (a, b) }
    }

    /// What stands between two consecutive beads on each page, in the order of listing; `None` where they cannot be joined.
    fn joint(&self, before: &BeadRow, bead: &BeadRow) -> Option<[&'static str; 2]> {
        let a = self.pages.0.joint(before.a_end, bead.a_start, before.a_start)?;
        let b = self.pages.1.joint(before.b_end, bead.b_start, before.b_start)?;
        Some(self.turned(a, b).into())
    }

    /// A bead as a line, without what is known of it from other page pairs.
    fn line(&self, bead: &BeadRow, code: u8) -> BitextLine {
        let side =
            |side: &Paragraphs, (archive, provenance, page): (&str, &Provenance, u64), range: (u32, u32), count| {
                let found = side.place(range, count);
                let paragraph = found.as_ref().map(|found| found.paragraph);
                let block = paragraph.map(|paragraph| format!("{paragraph}:{}", side.tag(paragraph)));
                let place = Place {
                    url: side.page.url().to_owned(),
                    archive: archive.to_owned(),
                    offset: side.page.offset,
                    block: block.unwrap_or_default(),
                    kind: paragraph.map(|paragraph| side.kind(paragraph)),
                    paragraph,
                    sentence: found.as_ref().map(|found| found.sentence),
                    count: u32::from(count),
                    provenance: provenance.clone(),
                    span: if found.is_some() { range } else { (0, 0) },
                    page,
                    totals: paragraph.filter(|_| self.asked.totals).map(|paragraph| side.totals(paragraph)),
                };
                (found.map_or(String::new(), |found| found.text), place)
            };
        let a = side(
            &self.pages.0,
            (&self.archives.0, &self.provenance.0, self.hashes.0),
            (bead.a_start, bead.a_end),
            bead.m,
        );
        let b = side(
            &self.pages.1,
            (&self.archives.1, &self.provenance.1, self.hashes.1),
            (bead.b_start, bead.b_end),
            bead.n,
        );
        let ((text_a, place_a), (text_b, place_b)) = self.turned(a, b);
        let (lang_a, lang_b) = self.turned(self.langs.0, self.langs.1);
        BitextLine {
            text_a,
            text_b,
            lang_a,
            lang_b,
            // The stored score, without the digits that converting it to a longer number adds.
            score: rounded(bead.score),
            page_score: f64::from(self.row.score.to_native()),
            reason: Reason::from_code(code).map(Reason::name),
            a: place_a,
            b: place_b,
            others: Vec::new(),
            page_pairs: None,
            is_furniture: false,
            targets: None,
            sources: None,
            told: <[Told; 2]>::default(),
            scorer: None,
            joint: None,
        }
    }
}

/// The languages of the accepted page pairs of a scope.
///
/// # Errors
/// When the store cannot be read.
pub fn langs_of_page_pairs(store: &Store, scope: &Scope) -> Result<BTreeSet<LangPair>> {
    let mut found = BTreeSet::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let is_here = |page: u32| scope.has_host(site.pages.identity(page));
        let pairs = accepted_pairs(&site);
        found.extend(pairs.iter().filter(|pair| is_here(pair.a) || is_here(pair.b)).map(|pair| pair.langs));
    }
    Ok(found)
}

/// Calls `each` with the texts of every accepted page pair of a scope.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_page_pair(
    store: &Store,
    scope: &Scope,
    mut each: impl FnMut(LangPair, &str, &str) -> Result<()>,
) -> Result<()> {
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        for pair in accepted_pairs(&site) {
            if scope.has_host(site.pages.identity(pair.a)) || scope.has_host(site.pages.identity(pair.b)) {
                let (a, b) = (page_record(store, &site, pair.a)?, page_record(store, &site, pair.b)?);
                each(pair.langs, a.text(), b.text())?;
            }
        }
    }
    Ok(())
}
