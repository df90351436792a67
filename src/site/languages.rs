//! What the sites of a store show of languages: the letters of texts that a site calls by the same name.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::config::Config;
use crate::error::{Error, Result};
use crate::language::learnt::{self, DOMAINS, Learnt};
use crate::language::letters::Letters;
use crate::language::profiles::{self, Profiles};
use crate::store::Store;
use crate::types::{Lang, LanguageLine, family};

/// What domains show of each language: the letters of the first domains in the order of the hashes of the names of their [family].
pub type Shown = BTreeMap<Lang, Vec<(u64, Letters)>>;

/// The hash that makes one witness of all sites whose domains have the same name.
pub fn witness(domain: &str) -> u64 {
    xxh3_64(family(domain).as_bytes())
}

/// What the sites of a store show of languages.
///
/// # Errors
/// When the catalog cannot be read.
pub fn shown(store: &Store) -> Result<Shown> {
    let mut found = Shown::new();
    // In order of the languages, then of the witnesses.
    for key in store.taught_keys()? {
        let (of_lang, witness) = (found.entry(key.lang).or_default(), key.witness);
        let is_next = of_lang.last().is_none_or(|last| last.0 != witness);
        if is_next && of_lang.len() == DOMAINS {
            continue;
        }
        let Some(letters) = store.taught(key)?.and_then(|taught| Letters::from_counts(&taught.letters)) else {
            continue;
        };
        match of_lang.last_mut() {
            Some(last) if !is_next => last.1.add(&letters),
            _ => of_lang.push((witness, letters)),
        }
    }
    Ok(found)
}

/// The languages that are learnt from what was shown, by tag.
pub fn learnt(shown: Shown) -> Vec<Learnt> {
    let of = |(lang, domains): (Lang, Vec<(u64, Letters)>)| {
        let domains: Vec<Letters> = domains.into_iter().map(|domain| domain.1).collect();
        learnt::learn(lang, &domains)
    };
    shown.into_iter().flat_map(of).collect()
}

/// The profiles of languages in a store: those that are part of the program, those that the user gave, as far as they are still there, and those
/// that were learnt.
///
/// # Errors
/// When the store cannot be read.
pub fn profiles(store: &Store, config: &Config) -> Result<Profiles> {
    let learnt = learnt(shown(store)?);
    let given = config.keys.given_profiles().unwrap_or_else(|_| Profiles::shipped().clone());
    Ok(given.with(learnt.iter().map(|learnt| &learnt.line)))
}

/// What tells languages without a list of words in a store, besides the profiles that are part of the program: the learnt languages, by
/// tag, and the number of profiles that the user gave, as far as the files are still there.
///
/// # Errors
/// When the store cannot be read.
pub fn learnt_languages(store: &Store, config: &Config) -> Result<(Vec<Lang>, usize)> {
    let mut langs: Vec<Lang> = learnt(shown(store)?).into_iter().map(|learnt| learnt.line.lang).collect();
    langs.dedup();
    let given = config.keys.given_profiles().map_or(0, |all| all.count() - Profiles::shipped().count());
    Ok((langs, given))
}

/// What the sites of a store show of languages, as it is exported, by tag. A language with two learnt profiles has two lines.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_language<E: From<Error>>(
    store: &Store,
    mut each: impl FnMut(LanguageLine) -> Result<(), E>,
) -> Result<(), E> {
    learnt(shown(store)?).into_iter().try_for_each(|Learnt { line, domains }| {
        each(LanguageLine { lang: line.lang, domains, letters: profiles::written(&line.letters) })
    })
}

/// A hash of what was learnt; 0 for nothing.
pub fn hash_of(learnt: &[Learnt]) -> u64 {
    if learnt.is_empty() {
        return 0;
    }
    let mut hasher = Xxh3::new();
    for Learnt { line, .. } in learnt {
        hasher.update(&line.lang.to_bytes());
        line.letters.counts().iter().for_each(|count| hasher.update(&count.to_le_bytes()));
    }
    hasher.digest() | 1
}
