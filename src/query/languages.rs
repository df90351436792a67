//! The languages of the pages of a store.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::files::{self, GivenFile};
use crate::language::names::in_english;
use crate::lexicon::Lexicon;
use crate::site::hosts::hosts_of;
use crate::site::languages::learnt_languages;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::{Lang, LangPair};

/// A language that pages of a store count for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLanguage {
    /// The language; [`Lang::UNKNOWN`] for pages that count for none, and [`Lang::unnamed`] for one that nothing names.
    pub lang: Lang,
    /// Of a language that nothing names, the domain of its site: the same tag is another language elsewhere.
    pub of_site: Option<String>,
    /// What it is called in English, if that is known.
    pub name: Option<String>,
    /// Pages.
    pub pages: u64,
    /// Of these, at least so many that words and models did not take for this language. They were named by what their site calls them, or
    /// by their letters. Counted host by host.
    pub named: u64,
    /// True where the store has learnt what texts in the language look like.
    pub is_learnt: bool,
}

/// A word list that serves no pages of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleList {
    /// Where it is.
    pub path: PathBuf,
    /// Those of its languages that no page is in.
    pub missing: Vec<Lang>,
}

/// The word lists of the settings with a language that no page counts for.
///
/// # Errors
/// When the store or a list cannot be read.
pub fn idle_lists(store: &Store, config: &Config) -> Result<Vec<IdleList>> {
    if config.lexicons.is_empty() {
        return Ok(Vec::new());
    }
    let found = languages(store, config)?;
    let mut idle = Vec::new();
    for GivenFile { path, .. } in &config.lexicons {
        let file = files::open(path).map_err(Error::io(path, "opening"))?;
        let langs = Lexicon::languages(BufReader::new(files::text(file)), &path.display().to_string())?;
        let missing = langs.map_or_else(Vec::new, |langs| missing_of(langs, &found));
        if !missing.is_empty() {
            idle.push(IdleList { path: path.clone(), missing });
        }
    }
    Ok(idle)
}

/// Those of two languages that no page counts for.
///
/// # Errors
/// When the store cannot be read.
pub fn missing_langs(store: &Store, config: &Config, langs: LangPair) -> Result<Vec<Lang>> {
    Ok(missing_of(langs, &languages(store, config)?))
}

fn missing_of(langs: LangPair, found: &[FoundLanguage]) -> Vec<Lang> {
    let is_there = |lang: Lang| found.iter().any(|found| found.lang.is_known() && found.lang.agrees(lang));
    [langs.a, langs.b].into_iter().filter(|&lang| !is_there(lang)).collect()
}

/// The languages of the pages of a store, those with the most pages first, and last those that nothing names and pages of no language. Cost:
/// hosts and their languages, and the copies of sites that have any.
///
/// # Errors
/// When the store cannot be read.
pub fn languages(store: &Store, config: &Config) -> Result<Vec<FoundLanguage>> {
    // For each language, the number of its pages, and of those that are not in it according to their texts. One without a name is one of a site.
    let mut counts: BTreeMap<(Lang, Option<String>), (u64, u64)> = BTreeMap::new();
    for id in sites(store, &Scope::all())? {
        let head = store.site(id)?.unwrap_or_default();
        let detected: FxHashMap<&str, _> = head.hosts.iter().map(|host| (host.host.as_str(), &host.langs)).collect();
        for host in hosts_of(store, id, |_| true)? {
            let detected = detected.get(host.host.as_str());
            for (lang, pages) in host.langs {
                let is_of = |bytes: [u8; 8]| Lang::from_bytes(bytes).agrees(lang);
                let by_text: u32 =
                    detected.iter().flat_map(|langs| langs.iter()).filter(|of| is_of(of.0)).map(|of| of.1).sum();
                let of_site = lang.is_unnamed().then(|| head.domain.clone());
                let count = counts.entry((lang, of_site)).or_default();
                *count = (count.0 + u64::from(pages), count.1 + u64::from(pages.saturating_sub(by_text)));
            }
        }
    }
    let (learnt, _) = learnt_languages(store, config)?;
    let line = |((lang, of_site), (pages, named)): ((Lang, Option<String>), (u64, u64))| FoundLanguage {
        lang,
        of_site,
        name: in_english(lang),
        pages,
        named: if lang.is_named() { named } else { 0 },
        is_learnt: learnt.contains(&lang.base()),
    };
    let mut found: Vec<FoundLanguage> = counts.into_iter().map(line).collect();
    // Those of sites before pages of no language.
    let rank = |lang: Lang| if lang.is_named() { 0 } else { 1 + u8::from(!lang.is_known()) };
    found.sort_by(|x, y| {
        let order = |of: &FoundLanguage| (rank(of.lang), Reverse(of.pages), of.lang);
        order(x).cmp(&order(y)).then_with(|| x.of_site.cmp(&y.of_site))
    });
    Ok(found)
}
