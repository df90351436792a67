//! The addresses and languages of one site, as key discovery sees them.

use crate::types::Lang;

/// Addresses by page ordinal. Implemented by the mapped page table, and by a plain slice for tests.
pub trait Addresses: Sync {
    /// How many there are.
    fn count(&self) -> u32;

    /// The address of a page without its scheme. Panics when `page` is not below [`Addresses::count`].
    fn identity(&self, page: u32) -> &str;

    /// Lets go of memory that was only read: mapped pages come back when they are read again.
    fn release(&self) {}
}

impl<S: AsRef<str> + Sync> Addresses for [S] {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        self[page as usize].as_ref()
    }
}

/// Hashes of blocks kept of a page.
pub const SKETCH: usize = 8;

/// What is known of a page before its partner is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageFacts {
    /// Language of its text, or unknown.
    pub detected: Lang,
    /// How sure that is, 0..=1.
    pub confidence: f32,
    /// Language it declares, or unknown.
    pub declared: Lang,
    /// Share of A–Z in its letters, 0..=1.
    pub latin_share: f32,
    /// Bytes of text.
    pub text_bytes: u32,
    /// Hash of its title.
    pub title: u64,
    /// The smallest hashes of its blocks ([`crate::keys::labels::sketch`]); zeros where there are fewer.
    pub sketch: [u32; SKETCH],
}

/// The pages of a registrable domain, in the order of their addresses.
pub trait Pages: Addresses {
    /// What is known of a page. Panics when `page` is not below [`Addresses::count`].
    fn facts(&self, page: u32) -> PageFacts;

    /// [`PageFacts::detected`] alone, which is asked more often than the rest.
    fn detected(&self, page: u32) -> Lang {
        self.facts(page).detected
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
