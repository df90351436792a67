//! The corrections that concern one site, in the form in which methods ask for them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::correction::{Correction, Place, Said, covers_host, hash_of, turned};
use crate::types::{Key, Lang, host_of};

/// The corrections that concern one site.
#[derive(Clone, Debug, Default)]
pub struct OfSite {
    /// Two pages that are a pair, in order.
    pub pins: Vec<[String; 2]>,
    /// The pages of these.
    pinned: FxHashSet<String>,
    /// Two pages that are none.
    pub forbidden: Vec<[String; 2]>,
    /// Languages of pages and folders.
    stated: FxHashMap<String, Lang>,
    /// Languages of hosts and domains.
    of_hosts: Vec<(String, Lang)>,
    /// What is said of keys, by their patterns in both directions.
    keys: FxHashMap<String, Vec<(Place, Said)>>,
    /// Of languages and keys, and of all.
    hashes: (u64, u64),
}

impl OfSite {
    /// From the corrections that concern a site.
    pub fn new<'c>(corrections: impl Iterator<Item = &'c Correction> + Clone) -> OfSite {
        let is_of_keys = |one: &&Correction| matches!(one, Correction::Language(..) | Correction::Key(..));
        // Which domains are joined is visible in the pages of the site itself.
        let is_of_pages = |one: &&Correction| !matches!(one, Correction::Together(_));
        let hashes =
            (hash_of(corrections.clone().filter(is_of_keys)), hash_of(corrections.clone().filter(is_of_pages)));
        let mut found = OfSite { hashes, ..OfSite::default() };
        for correction in corrections {
            match correction.clone() {
                Correction::Pin(pages) => {
                    found.pinned.extend(pages.clone());
                    found.pins.push(pages);
                }
                Correction::Forbid(pages) => found.forbidden.push(pages),
                Correction::Language(Place::Host(host), lang) => found.of_hosts.push((host, lang)),
                Correction::Language(Place::Folder(url) | Place::Page(url), lang) => {
                    found.stated.insert(url_key(correction, url), lang);
                }
                Correction::Key(said, pattern, place) => {
                    found.keys.entry(turned(&pattern)).or_default().push((place.clone(), said));
                    if turned(&pattern) != pattern {
                        found.keys.entry(pattern).or_default().push((place, said));
                    }
                }
                Correction::Language(Place::Everywhere, _) | Correction::Together(_) => {}
            }
        }
        found.pins.sort();
        // The narrowest comes last.
        found.of_hosts.sort_by_key(|(host, _)| host.len());
        found
    }

    /// A hash of all that changes how its pages are paired; 0 where nothing is said.
    pub fn hash(&self) -> u64 {
        self.hashes.1
    }

    /// A hash of what is said of languages and keys; 0 where nothing is said.
    pub fn hash_of_keys(&self) -> u64 {
        self.hashes.0
    }

    /// True for a page that is pinned to another.
    pub fn is_pinned(&self, identity: &str) -> bool {
        self.pinned.contains(identity)
    }

    /// True where languages are stated.
    pub fn states_languages(&self) -> bool {
        !self.stated.is_empty() || !self.of_hosts.is_empty()
    }

    /// The language that is stated for a page: by a correction of the page itself, or else of the innermost folder, or else of the host.
    pub fn language(&self, identity: &str) -> Option<Lang> {
        if !self.states_languages() {
            return None;
        }
        if let Some(lang) = self.stated.get(&format!("={identity}")) {
            return Some(*lang);
        }
        let folders = identity.match_indices('/').rev().map(|(at, _)| &identity[..=at]);
        let of_folder = folders.take(MAX_DEPTH).find_map(|folder| self.stated.get(folder));
        let host = host_of(identity);
        of_folder.copied().or_else(|| {
            let of_host = self.of_hosts.iter().rev().find(|(name, _)| covers_host(name, host));
            of_host.map(|(_, lang)| *lang)
        })
    }

    /// The patterns of keys that are named anywhere on the site, in both directions.
    pub fn named_patterns(&self) -> impl Iterator<Item = &String> {
        let is_named = |said: &[(Place, Said)]| said.iter().any(|(_, said)| *said == Said::Named);
        self.keys.iter().filter(move |(_, said)| is_named(said)).map(|(pattern, _)| pattern)
    }

    /// What is said of a key in places of the site; empty for most keys.
    pub fn of_key(&self, key: &Key) -> &[(Place, Said)] {
        if self.keys.is_empty() { &[] } else { self.keys.get(&key.pattern()).map_or(&[], Vec::as_slice) }
    }

    /// What is said of a key where it pairs two pages.
    pub fn of_key_at(&self, key: &Key, pages: [&str; 2]) -> Option<Said> {
        narrowest(self.of_key(key).iter().map(|(place, said)| (place, *said)), &pages)
    }
}

/// What is said of the narrowest of the places that cover one of the pages, with that place.
fn narrowest<'p, T: Copy + 'p>(said: impl Iterator<Item = (&'p Place, T)>, pages: &[&str]) -> Option<T> {
    let covering = said.filter(|(place, _)| pages.iter().any(|page| place.covers(page)));
    covering.max_by_key(|(place, _)| place.narrowness()).map(|(_, said)| said)
}

/// Folders of a URL that are looked up, at most.
const MAX_DEPTH: usize = 64;

/// The key under which the language of a page or folder is kept. A page may have the URL of a folder.
fn url_key(correction: &Correction, url: String) -> String {
    match correction {
        Correction::Language(Place::Page(_), _) => format!("={url}"),
        _ => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Edit, Field, LangPair};

    fn of_site(all: &[(&str, &str, &str)]) -> OfSite {
        let read = |(kind, a, b): &(&str, &str, &str)| Correction::parse(kind, a, b).expect("a correction");
        let all: Vec<Correction> = all.iter().map(read).collect();
        OfSite::new(all.iter())
    }

    #[test]
    fn the_narrowest_statement_of_a_language_counts() {
        let said = of_site(&[
            ("language", "x.org", "en"),
            ("language", "fr.x.org", "fr"),
            ("language", "x.org/de/*", "de"),
            ("language", "x.org/de/a/*", "it"),
            ("language", "x.org/de/", "es"),
        ]);
        for (page, lang) in [
            ("x.org/a", "en"),
            ("www.x.org/a", "en"),
            ("fr.x.org/a", "fr"),
            ("x.org/de/b", "de"),
            ("x.org/de/a/b?c=/d", "it"),
            ("x.org/de/", "es"),
        ] {
            assert_eq!(said.language(page), Lang::parse(lang), "{page}");
        }
        assert_eq!(of_site(&[]).language("x.org/a"), None);
    }

    #[test]
    fn a_key_is_named_or_forbidden_where_one_of_its_pages_is() {
        let said = of_site(&[("forbid-key", "path:fr:en", "*"), ("name-key", "path:en:fr", "x.org/docs/*")]);
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let edit = Edit { field: Field::Path, from: "en".into(), to: "fr".into(), core: false };
        let key = Key { langs, edits: vec![edit] };
        assert_eq!(said.of_key_at(&key, ["x.org/en/a", "x.org/fr/a"]), Some(Said::Forbidden));
        assert_eq!(said.of_key_at(&key, ["x.org/docs/en/a", "x.org/docs/fr/a"]), Some(Said::Named));
        assert_eq!(said.named_patterns().count(), 2);
        let other = Key { edits: vec![Edit { to: "de".into(), ..key.edits[0].clone() }], ..key };
        assert_eq!(said.of_key_at(&other, ["x.org/en/a", "x.org/de/a"]), None);
    }

    #[test]
    fn what_is_said_of_pairs_leaves_keys_as_they_are() {
        let pairs = of_site(&[("pin", "x.org/a", "x.org/b"), ("forbid", "x.org/a", "x.org/c")]);
        assert_eq!(pairs.hash_of_keys(), 0);
        assert_ne!(pairs.hash(), 0);
        assert_eq!((pairs.pins.len(), pairs.forbidden.len()), (1, 1));
        let together = of_site(&[("together", "x.org", "y.com")]);
        assert_eq!((together.hash(), together.hash_of_keys()), (0, 0));
    }
}
