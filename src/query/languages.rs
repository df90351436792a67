//! What the sites of a store show of languages: the letters of texts that they call by one name.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::language::learnt::{self, DOMAINS, Learnt};
use crate::language::letters::Letters;
use crate::language::profiles::{self, Profiles};
use crate::store::Store;
use crate::store::catalog::Keyspace;
use crate::store::layout::Taught;
use crate::types::{Lang, LanguageLine};

/// What each language is learnt from, by its tag: the first domains that show it, by the hash of their names, each with its letters.
pub(crate) type Lessons = BTreeMap<Lang, Vec<(u64, Letters)>>;

/// The key of what a domain shows of a language.
pub(crate) fn taught_key(lang: [u8; 8], domain: u64) -> Vec<u8> {
    [lang, domain.to_be_bytes()].concat()
}

/// What the languages of a store are learnt from.
///
/// # Errors
/// When the catalog cannot be read.
pub(crate) fn lessons(store: &Store) -> Result<Lessons> {
    let mut found = Lessons::new();
    store.catalog().for_each(Keyspace::Taught, |key, taught: Taught| {
        let parts = key.split_first_chunk::<8>().and_then(|(lang, domain)| Some((lang, domain.try_into().ok()?)));
        if let (Some((lang, domain)), Some(letters)) = (parts, Letters::from_counts(&taught.letters)) {
            let of_lang = found.entry(Lang::from_bytes(*lang)).or_default();
            // Keys are in order.
            if of_lang.len() < DOMAINS {
                of_lang.push((u64::from_be_bytes(domain), letters));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// What the sites of a store show of languages together, by tag; `known` are the profiles that are there without them.
///
/// # Errors
/// When the catalog cannot be read.
pub fn learnt_languages(store: &Store, known: &Profiles) -> Result<Vec<Learnt>> {
    let of = |(lang, domains): (Lang, Vec<(u64, Letters)>)| {
        let domains: Vec<Letters> = domains.into_iter().map(|domain| domain.1).collect();
        learnt::learn(lang, &domains, known)
    };
    Ok(lessons(store)?.into_iter().flat_map(of).collect())
}

/// What the sites of a store show of languages, as it is exported, by tag. A language that is learnt twice has two lines.
///
/// # Errors
/// When the store or a file of profiles that the user gave cannot be read.
pub fn for_each_language<E: From<Error>>(
    store: &Store,
    config: &Config,
    mut each: impl FnMut(LanguageLine) -> Result<(), E>,
) -> Result<(), E> {
    let learnt = learnt_languages(store, &config.keys.given_profiles()?)?;
    learnt.into_iter().try_for_each(|Learnt { line, domains }| {
        each(LanguageLine { lang: line.lang, domains, letters: profiles::written(&line.letters) })
    })
}

/// A hash that tells what was learnt from other such; 0 for nothing.
pub(crate) fn hash_of(learnt: &[Learnt]) -> u64 {
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
