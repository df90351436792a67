//! What became of each correction.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::explain::in_parentheses;
use super::keys::accepted_by_key;
use super::nearest::nearest;
use crate::config::{Config, settings};
use crate::corrections::{Correction, Corrections, Line, Place, Said};
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::site::open::OpenSite;
use crate::site::results::Site;
use crate::site::scope::{NOT_INDEXED, Scope, is_indexed, sites};
use crate::store::Store;
use crate::types::{
    CanonicalUrl, Lang, LangPair, Method, Outcome, PagePair, SiteId, counted, grouped, host_of, registrable_domain,
};

/// A correction, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CorrectionLine {
    /// Its number, from 1, in the order of the file.
    pub number: usize,
    /// `pin`, `forbid`, `language`, `name-key`, `forbid-key` or `together`.
    pub correction: &'static str,
    /// Its first field.
    pub first: String,
    /// Its second field.
    pub second: String,
    /// What became of the correction, in words.
    pub effect: String,
    /// True where the store has nothing that the correction is about, or where the correction cannot act.
    pub is_idle: bool,
    /// When it was made.
    pub date: String,
    /// Why.
    pub note: String,
}

/// What became of a correction: words, and whether it did nothing.
type Effect = (String, bool);

/// All corrections of a store, in the order of the file, each with what became of it.
///
/// # Errors
/// When the store cannot be read.
pub fn corrections(store: &Store, config: &Config) -> Result<Vec<CorrectionLine>> {
    let mut effects = Effects { store, config, last: None };
    let all: Vec<&Line> = store.corrections().lines().iter().collect();
    effects.lines(&all.into_iter().zip(1..).collect::<Vec<_>>())
}

/// One correction of a store, with what became of it; `None` where the store does not have it.
///
/// # Errors
/// When the store cannot be read.
pub fn correction(store: &Store, config: &Config, asked: &Correction) -> Result<Option<CorrectionLine>> {
    let mut lines = store.corrections().lines().iter().zip(1..);
    let Some(found) = lines.find(|(line, _)| line.correction == *asked) else { return Ok(None) };
    Ok(Effects { store, config, last: None }.lines(&[found])?.pop())
}

/// An error where two pins give one page two partners in one language, and one of the pins, or the statement of the language, is new.
/// `stores` give the languages of pages: the first store that has a page counts. Pages with only one pin are not looked up.
///
/// # Errors
/// [`Error::Config`], which names both; or when a store cannot be read.
pub fn check_pins(stores: &[Store], corrections: &Corrections, new: &[Line]) -> Result<()> {
    let states_languages = new.iter().any(|line| matches!(line.correction, Correction::Language(..)));
    let pinned = |line: &'_ Line| match &line.correction {
        Correction::Pin(pages) => Some(pages.clone()),
        _ => None,
    };
    let concerned: FxHashSet<String> = new.iter().filter_map(pinned).flatten().collect();
    let mut partners: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for (line, [a, b]) in corrections.lines().iter().filter_map(|line| Some((line.line, pinned(line)?))) {
        for (page, other) in [(&a, &b), (&b, &a)] {
            if states_languages || concerned.contains(page) {
                partners.entry(page.clone()).or_default().push((other.clone(), line));
            }
        }
    }
    let mut last = None;
    for (page, others) in partners.iter().filter(|(_, others)| others.len() > 1) {
        let mut known: BTreeMap<Lang, &(String, usize)> = BTreeMap::new();
        for found @ (other, line) in others {
            let lang = match corrections.of_site([host_of(other)].into_iter()).language(other) {
                Some(lang) => lang,
                None => lang_of_text(stores, &mut last, other)?,
            };
            if let Some((known, at)) = known.insert(lang, found).filter(|_| lang.is_known()) {
                return Err(Error::Config(format!(
                    "line {line}: pin http://{page} http://{other}: line {at} pins it to http://{known}, which is in the same language \
                     ({lang}); take one of them out, or say the language of one of the two"
                )));
            }
        }
    }
    Ok(())
}

/// The language of the text of a page; unknown where no store has it. `last` is the site that was opened last, with the position and
/// the settings of its store.
fn lang_of_text(stores: &[Store], last: &mut Option<(usize, Config, Site)>, identity: &str) -> Result<Lang> {
    for (at, store) in stores.iter().enumerate() {
        let Some(id) = store.site_of_domain(&registrable_domain(host_of(identity)))? else { continue };
        let (config, site) = match last.take().filter(|(of, _, site)| (*of, site.id) == (at, id)) {
            Some((_, config, site)) => (config, site),
            None => (settings::configuration(&store.settings().values).0, Site::open(store, id)?),
        };
        let lang = site.pages.find(identity).map(|page| site.lang_of_text(page, &config.keys));
        *last = Some((at, config, site));
        if let Some(lang) = lang {
            return Ok(lang);
        }
    }
    Ok(Lang::UNKNOWN)
}

struct Effects<'s> {
    store: &'s Store,
    config: &'s Config,
    /// The site that was opened last.
    last: Option<Site>,
}

impl Effects<'_> {
    /// Lines with their numbers, each with what became of it, in their order.
    fn lines(&mut self, lines: &[(&Line, usize)]) -> Result<Vec<CorrectionLine>> {
        let mut of_keys = self.of_keys(lines.iter().map(|(line, _)| &line.correction))?;
        // Corrections of one site are examined together, so that each site is opened once.
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|&at| lines[at].0.correction.domains());
        let mut found: Vec<(usize, CorrectionLine)> = Vec::with_capacity(lines.len());
        for at in order {
            let (Line { correction, date, note, .. }, number) = lines[at];
            let (effect, is_idle) = match correction {
                Correction::Pin(pages) => self.of_pages(pages, true)?,
                Correction::Forbid(pages) => self.of_pages(pages, false)?,
                Correction::Language(place, lang) => self.of_language(place, *lang)?,
                Correction::Key(said, ..) => of_keys.remove(&at).unwrap_or_default().effect(*said),
                Correction::Together(domains) => self.of_domains(domains)?,
            };
            let ([first, second], correction) = (correction.fields(), correction.kind());
            let (date, note) = (date.clone(), note.clone());
            found.push((at, CorrectionLine { number, correction, first, second, effect, is_idle, date, note }));
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(found.into_iter().map(|(_, line)| line).collect())
    }

    /// True where the languages or keys of a site were found with other corrections than it has now.
    fn is_behind(&self, id: SiteId) -> Result<bool> {
        let stage = self.store.stage("keys")?.fingerprint;
        let corrections = match self.store.site(id)? {
            Some(head) => self.store.corrections_of(&head)?.hash_of_keys(),
            None => 0,
        };
        Ok(self.store.result_head(id)?.is_none_or(|head| head.params != stage ^ corrections))
    }

    fn open(&mut self, id: SiteId) -> Result<&Site> {
        let site = match self.last.take().filter(|site| site.id == id) {
            Some(site) => site,
            None => Site::open(self.store, id)?,
        };
        Ok(self.last.insert(site))
    }

    /// Calls `ask` with the page of a URL; `None` where the store has no such page.
    fn with_page<T>(&mut self, identity: &str, ask: impl FnOnce(&Site, u32) -> T) -> Result<Option<T>> {
        let Some(id) = self.store.site_of_domain(&registrable_domain(host_of(identity)))? else { return Ok(None) };
        let site = self.open(id)?;
        Ok(site.pages.find(identity).map(|page| ask(site, page)))
    }

    fn of_pages(&mut self, pages: &[String; 2], is_pin: bool) -> Result<Effect> {
        let mut found = Vec::new();
        for page in pages {
            match self.with_page(page, |site, at| (site.id, at, site.lang(at)))? {
                Some(page) => found.push(page),
                None => return self.missing(page),
            }
        }
        let [(one, a, lang_a), (other, b, lang_b)] = found[..] else { return Ok(Default::default()) };
        if one != other {
            let why = "matched nothing: its pages are of two sites; `diglot correct together` joins these";
            return Ok((why.to_owned(), true));
        }
        if self.is_behind(one)? {
            return Ok((NOT_YET.to_owned(), false));
        }
        if !is_pin && lang_a == lang_b {
            return Ok(("both pages count for one language, so they are no pair anyway".to_owned(), false));
        }
        for (page, lang) in pages.iter().zip([lang_a, lang_b]) {
            if is_pin && (!lang.is_known() || lang_a == lang_b) {
                let counts = if lang.is_known() { lang.as_str() } else { "none" };
                let why = format!(
                    "cannot act: http://{page} counts for {} ({counts}); `diglot correct language` says another",
                    if lang.is_known() { "the language of the other page" } else { "no language" }
                );
                return Ok((why, true));
            }
        }
        let pair = LangPair::new(lang_a, lang_b).map(|langs| {
            let (a, b) = if langs.a == lang_a { (a, b) } else { (b, a) };
            PagePair { langs, a, b }
        });
        let Some(pair) = pair else { return Ok(Default::default()) };
        let site = self.open(one)?;
        let is_judged = site.judged.is_some();
        let row = site.judged.as_ref().and_then(|judged| judged.pairs().find(|row| row.pair == pair));
        Ok(match (is_pin, row) {
            _ if !self.config.verifies() && !self.config.iterates() => {
                ("cannot act: with this --preset, keys alone decide on pairs".to_owned(), true)
            }
            (true, Some(row)) if row.method == Method::Pinned && row.is_accepted() => ("a pair".to_owned(), false),
            (true, Some(row)) if row.method == Method::Pinned => {
                ("cannot act: one of its pages has another pinned partner in that language".to_owned(), true)
            }
            (false, Some(row)) if row.outcome == Outcome::Forbidden => ("no pair".to_owned(), false),
            (false, None) if is_judged => ("no pair; nothing proposes it".to_owned(), false),
            _ => (NOT_YET.to_owned(), false),
        })
    }

    /// What became of a correction that is about a URL of which the store has no page.
    fn missing(&self, identity: &str) -> Result<Effect> {
        let url = CanonicalUrl::parse_typed(identity).map_err(|why| Error::input(identity, why.to_string()))?;
        if !is_indexed(self.store)? {
            return Ok((NOT_INDEXED.to_owned(), false));
        }
        Ok((format!("matched nothing: {}", nearest(self.store, &url)?), true))
    }

    fn of_language(&mut self, place: &Place, lang: Lang) -> Result<Effect> {
        let url = place.to_string();
        let host = host_of(url.trim_start_matches("http://")).to_owned();
        let Some(id) = self.store.site_of_domain(&registrable_domain(&host))? else {
            return self.missing(&host);
        };
        let said = self.store.corrections().of_site([host.as_str()].into_iter());
        let (is_behind, is_indexed) = (self.is_behind(id)?, is_indexed(self.store)?);
        let site = self.open(id)?;
        let (mut pages, mut others, mut none) = (0u64, 0u64, 0u64);
        let of_place = match place {
            Place::Page(url) => site.pages.find(url).map_or(0..0, |page| page..page + 1),
            _ => 0..site.pages.count(),
        };
        for page in of_place {
            let identity = site.pages.identity(page);
            if place.covers(identity) {
                pages += 1;
                let is_said = said.language(identity) == Some(lang);
                others += u64::from(!is_said);
                none += u64::from(is_said && site.lang(page) != lang);
            }
        }
        Ok(match pages {
            0 if !is_indexed => (NOT_INDEXED.to_owned(), false),
            0 => ("matched nothing: the store has no page there".to_owned(), true),
            _ if is_behind => (NOT_YET.to_owned(), false),
            _ => {
                let narrower = (others > 0).then(|| format!("{others} of them said otherwise"));
                // A page has no language here if it is an untranslated copy, or in a language that is not among the wanted ones.
                let none =
                    (none > 0).then(|| format!("{none} of them untranslated copies, or in no language that is wanted"));
                let but: Vec<String> = narrower.into_iter().chain(none).collect();
                (counted(pages, "page") + &in_parentheses(&but.join("; ")), false)
            }
        })
    }

    /// What became of those corrections that are about keys, by their positions. Each site is opened once.
    fn of_keys<'c>(&self, corrections: impl Iterator<Item = &'c Correction>) -> Result<BTreeMap<usize, OfKey>> {
        let mut found: BTreeMap<usize, OfKey> = BTreeMap::new();
        let mut are_unknown = !is_indexed(self.store)?;
        let mut by_pattern: FxHashMap<&str, Vec<(usize, Option<SiteId>)>> = FxHashMap::default();
        let (mut scope, mut is_everywhere) = (BTreeSet::new(), false);
        for (at, correction) in corrections.enumerate() {
            let Correction::Key(_, pattern, place) = correction else { continue };
            found.insert(at, OfKey::default());
            let domain = place.domain();
            let site = domain.as_ref().map_or(Ok(None), |domain| self.store.site_of_domain(domain))?;
            is_everywhere |= domain.is_none();
            if domain.is_none() || site.is_some() {
                scope.extend(site);
                by_pattern.entry(pattern).or_default().push((at, site));
            }
        }
        if is_everywhere {
            scope.extend(sites(self.store, &Scope::all())?);
        }
        for id in scope {
            let Some(open) = OpenSite::open(self.store, id)? else {
                are_unknown = true;
                continue;
            };
            let is_behind = self.is_behind(id)?;
            // Read where a key matches: most sites have none.
            let mut accepted = None;
            for (number, row) in open.result.keys.iter().enumerate() {
                let Some(key) = row.key() else { continue };
                let patterns = BTreeSet::from([key.pattern(), crate::types::pattern(&key.turned())]);
                let said = patterns.iter().filter_map(|pattern| by_pattern.get(pattern.as_str())).flatten();
                for (at, _) in said.filter(|(_, site)| site.is_none_or(|site| site == id)) {
                    let of_key = found.entry(*at).or_default();
                    of_key.keys += 1;
                    let assigned = row.assigned.to_native();
                    of_key.pairs += assigned;
                    let by = match &mut accepted {
                        Some(by) => by,
                        none => {
                            let judged = Site::open(self.store, id)?.judged;
                            none.insert(judged.map(|judged| accepted_by_key(judged.accepted())))
                        }
                    };
                    // What is not judged is not refused.
                    let kept = by.as_ref().map_or(assigned, |by| by.get(&(number as u32)).copied().unwrap_or(0));
                    of_key.refused += assigned.saturating_sub(kept);
                    of_key.is_behind |= is_behind;
                }
            }
        }
        found.values_mut().for_each(|of_key| of_key.is_behind |= of_key.keys == 0 && are_unknown);
        Ok(found)
    }

    fn of_domains(&mut self, domains: &[String; 2]) -> Result<Effect> {
        let mut ids = Vec::new();
        for domain in domains {
            match self.store.site_of_domain(domain)? {
                Some(id) => ids.push(id),
                None => return self.missing(domain),
            }
        }
        Ok((if ids[0] == ids[1] { "one site" } else { NOT_YET }.to_owned(), false))
    }
}

/// What the store has of the key that a correction is about.
#[derive(Default)]
struct OfKey {
    keys: u64,
    pairs: u64,
    /// How many of these pairs verification refused.
    refused: u64,
    /// True where a site with such a key was searched before the correction was made, or no key is found and not all sites were searched.
    is_behind: bool,
}

impl OfKey {
    fn effect(self, said: Said) -> Effect {
        let OfKey { keys, pairs, refused, is_behind } = self;
        match said {
            _ if is_behind => (NOT_YET.to_owned(), false),
            _ if keys == 0 => ("matched nothing: no key has this pattern there".to_owned(), true),
            Said::Named if refused > 0 => {
                let refused = format!(" ({} of them not accepted)", grouped(refused));
                (counted(pairs, "pair") + " by " + &counted(keys, "key") + &refused, false)
            }
            Said::Named => (format!("{} by {}", counted(pairs, "pair"), counted(keys, "key")), false),
            Said::Forbidden => (format!("{} held back", counted(keys, "key")), false),
        }
    }
}

/// The answer for a correction that the next run will apply.
const NOT_YET: &str = "not applied yet; `diglot run` applies it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Access, CorrectionFile};

    #[test]
    fn pairs_of_a_key_that_contents_refuse_are_not_said_to_be_its_own() {
        let of_key = |refused, is_behind| OfKey { keys: 1, pairs: 3, refused, is_behind }.effect(Said::Named).0;
        assert_eq!(of_key(0, false), "3 pairs by 1 key");
        assert_eq!(of_key(2, false), "3 pairs by 1 key (2 of them not accepted)");
        assert_eq!(of_key(2, true), NOT_YET);
        let unknown = OfKey { is_behind: true, ..OfKey::default() }.effect(Said::Named);
        assert_eq!(unknown, (NOT_YET.to_owned(), false), "no key was looked for");
        assert!(OfKey::default().effect(Said::Forbidden).1);
    }

    #[test]
    fn a_correction_of_what_the_store_does_not_have_matches_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Store::open(folder.path(), Access::Write).expect("an empty folder"));
        let line = |kind, a, b| Line::new(Correction::parse(kind, a, b).expect("a correction"), "", "");
        let all = [
            line("pin", "x.org/a", "x.org/b"),
            line("language", "x.org/a/*", "fr"),
            line("name-key", "path:a:b", "x.org"),
            line("together", "x.org", "y.com"),
        ];
        CorrectionFile::of(folder.path()).add(&all, |_| Ok(())).expect("room on disk");
        let store = Store::open(folder.path(), Access::Write).expect("the store");
        let config = Config::default();
        let found = corrections(&store, &config).expect("a sound store");
        assert!(found.iter().all(|line| line.is_idle && line.effect.starts_with("matched nothing")), "{found:?}");
        assert!(check_pins(std::slice::from_ref(&store), store.corrections(), &all).is_ok());
        let text = "language\tx.org/b\tfr\nlanguage\tx.org/c\tfr\npin\tx.org/a\tx.org/b\npin\tx.org/a\tx.org/c\n";
        let twice = Corrections::parse(text).expect("no two lines about the same");
        let problem = check_pins(std::slice::from_ref(&store), &twice, &twice.lines()[3..])
            .expect_err("two partners")
            .to_string();
        assert!(problem.contains("line 4") && problem.contains("line 3 pins it to http://x.org/b"), "{problem}");
        // They are as they were before.
        assert!(check_pins(&[], &twice, &[line("pin", "x.org/d", "x.org/e")]).is_ok());
    }
}
