//! Counts what a store has that could be paired: for a store without pairs, this shows what is missing.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::State;
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::Lang;

/// Counts of what could be paired.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scarcity {
    /// Pages, one a URL.
    pub pages: u64,
    /// Pages in each language, requested or not, without copies.
    pub langs: BTreeMap<Lang, u64>,
    /// Pages whose language is not known, or only guessed.
    pub unknown: u64,
    /// Untranslated copies of other pages.
    pub copies: u64,
    /// Sites with pages in at least two of the requested languages.
    pub bilingual_sites: u64,
    /// Keys that are strong enough to be assigned pairs.
    pub keys: u64,
    /// Candidates that were judged and rejected.
    pub rejected: u64,
    /// The best score among the rejected candidates.
    pub best: Option<f64>,
}

/// Counts page by page; meant for a store without pairs.
///
/// # Errors
/// When the store cannot be read.
pub fn scarcity(store: &Store, config: &Config) -> Result<Scarcity> {
    let mut found = Scarcity::default();
    let wanted = |lang: Lang| config.keys.wants(lang);
    for id in sites(store, &Scope::all())? {
        let site = Site::open(store, id)?;
        let mut langs: BTreeMap<Lang, u64> = BTreeMap::new();
        for page in 0..site.pages.count() {
            if site.copy_of(page).is_some() {
                found.copies += 1;
                continue;
            }
            // For a page in a language that was not requested, `Site::lang` is unknown; so the language of its text is taken.
            let lang = site.lang_of_text(page, &config.keys);
            if lang.is_known() {
                *langs.entry(lang).or_default() += 1;
            } else {
                found.unknown += 1;
            }
        }
        found.pages += u64::from(site.pages.count());
        found.bilingual_sites += u64::from(langs.keys().filter(|lang| wanted(**lang)).count() > 1);
        for (lang, pages) in langs {
            *found.langs.entry(lang).or_default() += pages;
        }
        if let Some(result) = &site.result {
            let states = result.keys.iter().filter_map(|key| State::from_code(key.state));
            found.keys += states.filter(|state| !state.is_out()).count() as u64;
        }
        for judged in site.judged.iter().flat_map(|judged| judged.pairs()).filter(|judged| !judged.is_accepted()) {
            found.rejected += 1;
            let score = f64::from(judged.score);
            found.best = Some(found.best.map_or(score, |best| best.max(score)));
        }
    }
    Ok(found)
}
