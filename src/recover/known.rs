//! What is known of a site when its deep pages are looked for.

use crate::index::site::Urls;
use crate::types::Lang;

/// The pages of one site, and what is known of other URLs. Implemented on the store, and by a list for tests.
pub trait KnownSite: Urls {
    /// The page with a URL, given without scheme.
    fn page_of(&self, identity: &str) -> Option<u32>;

    /// The language that a page counts for; unknown where it has none.
    fn lang(&self, page: u32) -> Lang;

    /// The page that an untranslated copy repeats.
    fn copy_of(&self, page: u32) -> Option<u32>;

    /// The URL of a page, with scheme.
    fn url(&self, page: u32) -> String;

    /// True when the page was requested because of a key, and that key pairs it.
    fn is_recovered(&self, page: u32) -> bool;

    /// Why a URL that the archives have is not a page; `None` for other URLs.
    fn skip_reason(&self, identity: &str) -> Option<&str>;

    /// The language for which a page needs partners in others; `None` for copies, and where it is unknown.
    fn lang_of_original(&self, page: u32) -> Option<Lang> {
        Some(self.lang(page)).filter(|lang| lang.is_known() && self.copy_of(page).is_none())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A site as a sorted list of URLs without scheme, and their languages. Nothing else is known of it.
    #[derive(Default)]
    pub struct ListedSite {
        pub urls: Vec<&'static str>,
        pub langs: Vec<Lang>,
        pub copies: Vec<(u32, u32)>,
        pub recovered: Vec<u32>,
        pub skipped: Vec<(&'static str, &'static str)>,
    }

    impl ListedSite {
        pub fn new(pages: &[(&'static str, &str)]) -> ListedSite {
            ListedSite {
                urls: pages.iter().map(|page| page.0).collect(),
                langs: pages.iter().map(|page| Lang::parse(page.1).expect("a tag")).collect(),
                ..ListedSite::default()
            }
        }
    }

    impl Urls for ListedSite {
        fn count(&self) -> u32 {
            self.urls.len() as u32
        }

        fn identity(&self, page: u32) -> &str {
            self.urls[page as usize]
        }
    }

    impl KnownSite for ListedSite {
        fn page_of(&self, identity: &str) -> Option<u32> {
            self.urls.iter().zip(0..).find(|(url, _)| **url == identity).map(|(_, page)| page)
        }

        fn lang(&self, page: u32) -> Lang {
            self.langs[page as usize]
        }

        fn copy_of(&self, page: u32) -> Option<u32> {
            self.copies.iter().find(|copy| copy.0 == page).map(|copy| copy.1)
        }

        fn url(&self, page: u32) -> String {
            format!("https://{}", self.urls[page as usize])
        }

        fn is_recovered(&self, page: u32) -> bool {
            self.recovered.contains(&page)
        }

        fn skip_reason(&self, identity: &str) -> Option<&str> {
            self.skipped.iter().find(|skip| skip.0 == identity).map(|skip| skip.1)
        }
    }
}
