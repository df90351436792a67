//! Finds the page of a site to which an address leads, in whichever way the address is written.

use std::hash::Hasher;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::site::Urls;
use crate::text::addresses::{form, is_same, stem};

/// Pages of a site by their addresses.
pub struct Addresses<'u> {
    urls: &'u dyn Urls,
    /// By hash of the address, 64 bits. If two addresses of a site have the same hash, comparing them tells them apart.
    exact: FxHashMap<u64, u32>,
    /// By hash of what all spellings of an address have in common; of several pages, the one with the most usual spelling.
    stems: FxHashMap<u64, u32>,
}

impl<'u> Addresses<'u> {
    /// Indexes all pages: about 32 bytes for each.
    pub fn new(urls: &'u dyn Urls) -> Addresses<'u> {
        let mut exact = FxHashMap::with_capacity_and_hasher(urls.count() as usize, rustc_hash::FxBuildHasher);
        let mut stems = exact.clone();
        for page in 0..urls.count() {
            let identity = urls.identity(page);
            exact.insert(xxh3_64(identity.as_bytes()), page);
            let known = stems.entry(hash_of_stem(identity)).or_insert(page);
            if form(identity) < form(urls.identity(*known)) {
                *known = page;
            }
        }
        Addresses { urls, exact, stems }
    }

    /// The page of an address without its scheme.
    pub fn exact(&self, identity: &str) -> Option<u32> {
        let page = *self.exact.get(&xxh3_64(identity.as_bytes()))?;
        (self.urls.identity(page) == identity).then_some(page)
    }

    /// The page with an address (without scheme), or else the page with the same address in another spelling ([`stem`]); of several, the
    /// one with the most usual spelling.
    pub fn page(&self, identity: &str) -> Option<u32> {
        self.exact(identity).or_else(|| {
            let page = *self.stems.get(&hash_of_stem(identity))?;
            is_same(self.urls.identity(page), identity).then_some(page)
        })
    }
}

fn hash_of_stem(identity: &str) -> u64 {
    let (path, query) = stem(identity);
    let mut hasher = Xxh3::new();
    hasher.write(path.as_bytes());
    hasher.write(query.as_bytes());
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::super::site::{ListedPages, PageFacts};
    use super::*;

    #[test]
    fn a_page_is_found_by_its_own_address_and_else_by_another() {
        let urls = ["ex.org/a.html", "ex.org/a/", "ex.org/b.html", "ex.org/index.html", "www.ex.org/c?d"];
        let listed = ListedPages(urls.iter().map(|&url| (url.to_owned(), PageFacts::default())).collect());
        let addresses = Addresses::new(&listed);
        for (identity, expected) in [
            ("ex.org/a.html", Some(0)),
            // Both would do; the folder is more usual.
            ("ex.org/a", Some(1)),
            ("ex.org/b", Some(2)),
            ("www.ex.org/b/index.html", Some(2)),
            ("ex.org/", Some(3)),
            ("ex.org/c?d", Some(4)),
            ("ex.org/c", None),
            ("ex.org/d", None),
        ] {
            assert_eq!(addresses.page(identity), expected, "{identity}");
            assert_eq!(addresses.exact(identity), expected.filter(|&page| urls[page as usize] == identity));
        }
    }
}
