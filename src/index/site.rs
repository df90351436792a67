//! The addresses and languages of one site, as key discovery sees them.

use crate::types::Lang;

/// Addresses by page ordinal. Implemented by the mapped page table, and by a plain slice for tests.
pub trait Addresses: Sync {
    /// How many there are.
    fn count(&self) -> u32;

    /// The address of a page without its scheme. Panics when `page` is not below [`Addresses::count`].
    fn identity(&self, page: u32) -> &str;
}

impl<S: AsRef<str> + Sync> Addresses for [S] {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        self[page as usize].as_ref()
    }
}

/// A page that is in no language of the competition: unknown, a copy, or not asked for.
pub const NO_LABEL: u16 = u16::MAX;

/// The pages of one site with the language each counts for.
#[derive(Clone)]
pub struct SiteIndex<'a> {
    /// Their addresses.
    pub addresses: &'a dyn Addresses,
    /// The languages of the site, sorted.
    pub langs: Vec<Lang>,
    /// Language of each page as a position in `langs`, or [`NO_LABEL`].
    pub labels: Vec<u16>,
}

impl<'a> SiteIndex<'a> {
    /// A site from the language of each page; `None` leaves a page out of every competition.
    pub fn new(addresses: &'a dyn Addresses, languages: &[Option<Lang>]) -> SiteIndex<'a> {
        let mut langs: Vec<Lang> = languages.iter().copied().flatten().collect();
        langs.sort_unstable();
        langs.dedup();
        let label =
            |lang: &Option<Lang>| lang.and_then(|l| langs.binary_search(&l).ok()).map_or(NO_LABEL, |at| at as u16);
        let labels = languages.iter().map(label).collect();
        SiteIndex { addresses, langs, labels }
    }

    /// How many pages count for each language.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.langs.len()];
        for &label in self.labels.iter().filter(|&&l| l != NO_LABEL) {
            sizes[usize::from(label)] += 1;
        }
        sizes
    }
}
