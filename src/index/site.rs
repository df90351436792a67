//! The URLs and languages of one site, in the form in which key discovery uses them.

use xxhash_rust::xxh3::Xxh3;

use crate::types::{Form, Lang};

/// URLs by page ordinal. Implemented by the mapped page table, and by a plain slice for tests.
pub trait Urls: Sync {
    /// How many there are.
    fn count(&self) -> u32;

    /// The URL of a page without its scheme. Panics when `page` is not below [`Urls::count`].
    fn identity(&self, page: u32) -> &str;

    /// The first page whose identity does not sort before the given one, by binary search: pages are in the order of their URLs.
    fn first_from(&self, identity: &str) -> u32 {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.identity(middle) < identity { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The page with an identity.
    fn find(&self, identity: &str) -> Option<u32> {
        let page = self.first_from(identity);
        (page < self.count() && self.identity(page) == identity).then_some(page)
    }

    /// Releases memory that was only read; mapped pages are read again when they are needed.
    fn release(&self) {}
}

impl<S: AsRef<str> + Sync> Urls for [S] {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        self[page as usize].as_ref()
    }
}

/// A hash of two URLs without their schemes, and of nothing else. The pairs with the smallest hashes are a sample that depends neither on
/// the order of archives nor on threads.
pub fn hash_of_pair(identity_a: &str, identity_b: &str) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(identity_a.as_bytes());
    hasher.update(&[0]);
    hasher.update(identity_b.as_bytes());
    hasher.digest()
}

/// How many hashes of blocks are kept of a page.
pub const SKETCH: usize = 8;

/// Facts about a page that are known before its partner is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageFacts {
    /// Language of its text, or unknown.
    pub detected: Lang,
    /// Confidence of that detection, 0..=1.
    pub confidence: f32,
    /// True where that language was guessed among those that are known: the text may be in another one.
    pub is_guess: bool,
    /// Language it declares, or unknown.
    pub declared: Lang,
    /// Share of the letters A–Z among its letters, 0..=1.
    pub latin_share: f32,
    /// Bytes of text.
    pub text_bytes: u32,
    /// Hash of its title.
    pub title: u64,
    /// The smallest hashes of its blocks (`crate::copies::sketch`); zeros where there are fewer.
    pub sketch: [u32; SKETCH],
    /// The form in which the page is there.
    pub form: Form,
}

/// The pages of a registrable domain, in the order of their URLs.
pub trait Pages: Urls {
    /// The facts about a page. Panics when `page` is not below [`Urls::count`].
    fn facts(&self, page: u32) -> PageFacts;

    /// The canonical page that a page names (`rel=canonical` and the like), which may be itself.
    fn canonical(&self, _page: u32) -> Option<u32> {
        None
    }

    /// Which letters stand beside each other in the text of a page ([`crate::language::letters::count`]); empty where that is not known.
    fn letters(&self, _page: u32) -> &[u8] {
        &[]
    }

    /// [`PageFacts::detected`] alone, which is needed more often than the other facts.
    fn detected(&self, page: u32) -> Lang {
        self.facts(page).detected
    }
}

/// Marks a page that takes no part in the competition: its language is unknown or not requested, or it is a copy.
pub const NO_LABEL: u16 = u16::MAX;

/// The pages of one site with the language each counts for.
#[derive(Clone)]
pub struct SiteIndex<'a> {
    /// Their URLs.
    pub urls: &'a dyn Urls,
    /// The languages of the site, sorted.
    pub langs: Vec<Lang>,
    /// Language of each page as a position in `langs`, or [`NO_LABEL`].
    pub labels: Vec<u16>,
}

impl<'a> SiteIndex<'a> {
    /// A site from the language of each page; `None` leaves a page out of every competition.
    #[cfg(test)]
    pub fn new(urls: &'a dyn Urls, languages: &[Option<Lang>]) -> SiteIndex<'a> {
        SiteIndex::collect(urls, |page| languages[page as usize])
    }

    /// A site whose pages are given one by one.
    pub fn collect(urls: &'a dyn Urls, language: impl Fn(u32) -> Option<Lang>) -> SiteIndex<'a> {
        let mut site = SiteIndex { urls, langs: Vec::new(), labels: Vec::with_capacity(urls.count() as usize) };
        // Languages are numbered in the order in which they occur; sites have few.
        let mut met: Vec<Lang> = Vec::new();
        for page in 0..urls.count() {
            let number = |lang: Lang, met: &mut Vec<Lang>| {
                met.iter().position(|&known| known == lang).unwrap_or_else(|| {
                    met.push(lang);
                    met.len() - 1
                })
            };
            site.labels.push(language(page).map_or(NO_LABEL, |lang| number(lang, &mut met) as u16));
        }
        site.langs.clone_from(&met);
        site.langs.sort_unstable();
        let order: Vec<u16> = met.iter().map(|lang| site.langs.binary_search(lang).unwrap_or(0) as u16).collect();
        for label in site.labels.iter_mut().filter(|label| **label != NO_LABEL) {
            *label = order[usize::from(*label)];
        }
        site
    }

    /// The language a page counts for, if any.
    pub fn lang(&self, page: u32) -> Option<Lang> {
        self.langs.get(usize::from(self.labels[page as usize])).copied()
    }

    /// Changes the language that a page counts for; `None`: no language.
    pub fn set(&mut self, page: u32, lang: Option<Lang>) {
        let label = lang.map_or(NO_LABEL, |lang| self.label_of(lang));
        self.labels[page as usize] = label;
    }

    fn label_of(&mut self, lang: Lang) -> u16 {
        match self.langs.binary_search(&lang) {
            Ok(at) => at as u16,
            Err(at) => {
                self.langs.insert(at, lang);
                for label in self.labels.iter_mut().filter(|label| **label != NO_LABEL && usize::from(**label) >= at) {
                    *label += 1;
                }
                at as u16
            }
        }
    }

    /// How many of the given pages count for each language.
    pub fn sizes(&self, pages: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut sizes = vec![0; self.langs.len()];
        for page in pages {
            if let Some(size) = sizes.get_mut(usize::from(self.labels[page as usize])) {
                *size += 1;
            }
        }
        sizes
    }
}

/// Pages in a list, for tests: URLs without scheme, in order, and what is known of each.
#[cfg(test)]
#[derive(Clone, Debug)]
pub struct ListedPages(pub Vec<(String, PageFacts)>);

#[cfg(test)]
impl Urls for ListedPages {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        &self.0[page as usize].0
    }
}

#[cfg(test)]
impl Pages for ListedPages {
    fn facts(&self, page: u32) -> PageFacts {
        self.0[page as usize].1
    }
}

/// Pages given one by one for tests, with the letters of their texts.
#[cfg(test)]
pub struct LetteredPages(pub Vec<(String, Vec<u8>, PageFacts)>);

#[cfg(test)]
impl Urls for LetteredPages {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        &self.0[page as usize].0
    }
}

#[cfg(test)]
impl Pages for LetteredPages {
    fn facts(&self, page: u32) -> PageFacts {
        self.0[page as usize].2
    }

    fn letters(&self, page: u32) -> &[u8] {
        &self.0[page as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: Option<Lang> = Some(Lang::EN);
    const ZH: Option<Lang> = Some(Lang::ZH);

    /// A number of pages of which only the languages matter.
    struct Pages(u32);

    impl Urls for Pages {
        fn count(&self) -> u32 {
            self.0
        }

        fn identity(&self, _: u32) -> &str {
            ""
        }
    }

    #[test]
    fn labels_are_places_in_the_sorted_languages() {
        let site = SiteIndex::new(&Pages(4), &[ZH, None, EN, ZH]);
        assert_eq!(
            (site.langs.as_slice(), site.labels.as_slice()),
            (&[Lang::EN, Lang::ZH][..], &[1, NO_LABEL, 0, 1][..])
        );
        assert_eq!([site.lang(0), site.lang(1), site.lang(2)], [ZH, None, EN]);
        assert_eq!((site.sizes(0..4), site.sizes(1..3)), (vec![1, 2], vec![1, 0]));
    }

    #[test]
    fn a_language_that_is_new_moves_those_behind_it() {
        let mut site = SiteIndex::new(&Pages(3), &[ZH, None, ZH]);
        site.set(1, EN);
        assert_eq!([site.lang(0), site.lang(1), site.lang(2)], [ZH, EN, ZH]);
        site.set(0, None);
        assert_eq!([site.lang(0), site.lang(1), site.lang(2)], [None, EN, ZH]);
    }
}
