//! What became of each correction.

use super::explain::in_parentheses;
use super::nearest::nearest;
use super::open::OpenSite;
use super::scope::Scope;
use super::scope::sites;
use super::site::Site;
use crate::config::Config;
use crate::corrections::{Correction, Corrections, Place, Said};
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::keys::State;
use crate::store::Store;
use crate::types::{
    CanonicalUrl, Lang, LangPair, Method, Outcome, PagePair, SiteId, counted, host_of, registrable_domain,
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
    /// What became of it, in words.
    pub effect: String,
    /// True where the store has nothing that it is about, or where it cannot act.
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
    let lines = store.corrections().lines().iter().zip(1..);
    lines
        .map(|(line, number)| {
            let (effect, is_idle) = effects.of(&line.correction)?;
            let [first, second] = line.correction.fields();
            let (date, note) = (line.date.clone(), line.note.clone());
            Ok(CorrectionLine {
                number,
                correction: line.correction.kind(),
                first,
                second,
                effect,
                is_idle,
                date,
                note,
            })
        })
        .collect()
}

/// An error where two pins give one page two partners in one language.
///
/// # Errors
/// [`Error::Config`], which names both; or when the store cannot be read.
pub fn check_pins(store: &Store, config: &Config, corrections: &Corrections) -> Result<()> {
    let mut effects = Effects { store, config, last: None };
    let mut partners: std::collections::BTreeMap<(String, Lang), (String, usize)> = Default::default();
    for line in corrections.lines() {
        let Correction::Pin(pages) = &line.correction else { continue };
        for [page, other] in [[&pages[0], &pages[1]], [&pages[1], &pages[0]]] {
            let stated = corrections.of_site([host_of(other)].into_iter()).language(other);
            let lang = match stated {
                Some(lang) => lang,
                None => effects.with_page(other, |site, page| site.lang_of_text(page))?.unwrap_or(Lang::UNKNOWN),
            };
            let known = partners.insert((page.clone(), lang), (other.clone(), line.line));
            if let Some((known, at)) = known.filter(|_| lang.is_known()) {
                return Err(Error::Config(format!(
                    "line {}: pin http://{page} http://{other}: line {at} pins it to http://{known}, which is in the same language \
                     ({lang}); take one of them out, or say the language of one of the two",
                    line.line
                )));
            }
        }
    }
    Ok(())
}

struct Effects<'s> {
    store: &'s Store,
    config: &'s Config,
    /// The site that was opened last.
    last: Option<Site>,
}

impl Effects<'_> {
    fn of(&mut self, correction: &Correction) -> Result<Effect> {
        match correction {
            Correction::Pin(pages) => self.of_pages(pages, true),
            Correction::Forbid(pages) => self.of_pages(pages, false),
            Correction::Language(place, lang) => self.of_language(place, *lang),
            Correction::Key(said, pattern, place) => self.of_key(*said, pattern, place),
            Correction::Together(domains) => self.of_domains(domains),
        }
    }

    fn open(&mut self, id: SiteId) -> Result<&Site> {
        let site = match self.last.take().filter(|site| site.id == id) {
            Some(site) => site,
            None => Site::open(self.store, id)?,
        };
        Ok(self.last.insert(site))
    }

    /// Asks about a page of the store; `None` where it has none of that URL.
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
                None => return Ok((format!("matched nothing: {}", self.missing(page)?), true)),
            }
        }
        let [(one, a, lang_a), (other, b, lang_b)] = found[..] else { return Ok(Default::default()) };
        if one != other {
            let why = "matched nothing: its pages are of two sites; `diglot correct together` joins these";
            return Ok((why.to_owned(), true));
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
            (false, None) => ("no pair; nothing proposes it".to_owned(), false),
            _ => (NOT_YET.to_owned(), false),
        })
    }

    /// What the store has in place of a page that it does not have.
    fn missing(&self, identity: &str) -> Result<String> {
        let url = CanonicalUrl::parse_typed(identity).map_err(|why| Error::input(identity, why.to_string()))?;
        Ok(nearest(self.store, &url)?.to_string())
    }

    fn of_language(&mut self, place: &Place, lang: Lang) -> Result<Effect> {
        let url = place.to_string();
        let host = host_of(url.trim_start_matches("http://")).to_owned();
        let Some(id) = self.store.site_of_domain(&registrable_domain(&host))? else {
            return Ok((format!("matched nothing: {}", self.missing(&host)?), true));
        };
        let said = self.store.corrections().of_site([host.as_str()].into_iter());
        let site = self.open(id)?;
        let (mut pages, mut others, mut behind) = (0u64, 0u64, 0u64);
        for page in 0..site.pages.count() {
            let identity = site.pages.identity(page);
            if place.covers(identity) {
                pages += 1;
                others += u64::from(said.language(identity) != Some(lang));
                let counts = site.lang(page);
                behind += u64::from(said.language(identity) == Some(lang) && counts != lang && counts.is_known());
            }
        }
        Ok(match (pages, behind) {
            (0, _) => ("matched nothing: the store has no page there".to_owned(), true),
            (_, 1..) => (NOT_YET.to_owned(), false),
            _ => {
                let narrower = if others > 0 { format!("{others} of them said otherwise") } else { String::new() };
                (counted(pages, "page") + &in_parentheses(&narrower), false)
            }
        })
    }

    fn of_key(&mut self, said: Said, pattern: &str, place: &Place) -> Result<Effect> {
        let scope = match place.domain() {
            None => sites(self.store, &Scope::all())?,
            Some(domain) => self.store.site_of_domain(&domain)?.into_iter().collect(),
        };
        let (mut keys, mut pairs, mut behind) = (0u64, 0u64, 0u64);
        for id in scope {
            let Some(open) = OpenSite::open(self.store, id)? else { continue };
            let corrections = self.store.corrections_of(&open.head);
            for row in open.result.keys.iter() {
                let Some(key) = row.key() else { continue };
                let is_said = corrections.of_key(&key).iter().any(|(at, what)| at == place && *what == said);
                if !is_said || (key.pattern() != pattern && crate::types::pattern(&key.turned()) != pattern) {
                    continue;
                }
                let state = State::from_code(row.state);
                keys += 1;
                pairs += row.assigned.to_native();
                let is_behind = match said {
                    Said::Named => state == Some(State::Weak),
                    Said::Forbidden => *place == Place::Everywhere && state.is_some_and(State::takes_pairs),
                };
                behind += u64::from(is_behind);
            }
        }
        Ok(match said {
            _ if keys == 0 => ("matched nothing: no key has this pattern there".to_owned(), true),
            _ if behind > 0 => (NOT_YET.to_owned(), false),
            Said::Named => (format!("{} by {}", counted(pairs, "pair"), counted(keys, "key")), false),
            Said::Forbidden => (format!("{} held back", counted(keys, "key")), false),
        })
    }

    fn of_domains(&mut self, domains: &[String; 2]) -> Result<Effect> {
        let mut ids = Vec::new();
        for domain in domains {
            match self.store.site_of_domain(domain)? {
                Some(id) => ids.push(id),
                None => return Ok((format!("matched nothing: {}", self.missing(domain)?), true)),
            }
        }
        Ok((if ids[0] == ids[1] { "one site" } else { NOT_YET }.to_owned(), false))
    }
}

/// What is told of a correction that the next run applies.
const NOT_YET: &str = "not applied yet; `diglot run` applies it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::Line;
    use crate::store::{Access, CorrectionFile};

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
        assert!(check_pins(&store, &config, store.corrections()).is_ok());
        let text = "language\tx.org/b\tfr\nlanguage\tx.org/c\tfr\npin\tx.org/a\tx.org/b\npin\tx.org/a\tx.org/c\n";
        let twice = Corrections::parse(text).expect("no two lines about the same");
        let problem = check_pins(&store, &config, &twice).expect_err("two partners").to_string();
        assert!(problem.contains("line 4") && problem.contains("line 3 pins it to http://x.org/b"), "{problem}");
    }
}
