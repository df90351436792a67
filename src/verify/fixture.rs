//! A site given as a list of pages, for tests of methods that work on a site.

use xxhash_rust::xxh3::xxh3_64;

use super::params::Params;
use super::site::{PageText, SiteData, SiteView};
use super::with::Dictionaries;
use crate::error::Result;
use crate::index::graph::{Links, SiteLink};
use crate::index::parts::Tree;
use crate::index::site::{PageFacts, Pages, Urls};
use crate::lexicon::Translations;
use crate::types::{Block, Lang, LangPair, LinkKind, Page, SiteId};

/// Dictionaries without words.
pub struct NoWords;

impl Dictionaries for NoWords {
    fn translations(&self, _: LangPair, _: &str) -> Option<Box<dyn Translations + '_>> {
        None
    }

    fn length_ratio(&self, _: LangPair) -> Option<f64> {
        None
    }
}

/// Pages of one site, in the order of their URLs.
#[derive(Default)]
pub struct ListedSite {
    urls: Vec<String>,
    facts: Vec<PageFacts>,
    pages: Vec<Page>,
    links: Vec<Vec<SiteLink>>,
    alternates: Vec<Vec<(u32, Lang)>>,
    listed: Vec<Vec<(u32, Lang)>>,
    canonical: Vec<Option<u32>>,
    params: Params,
    has_folders: bool,
}

impl ListedSite {
    /// Makes a site from the URL (without scheme), the language and the text of each page. Each line of a text is a block. URLs must be
    /// sorted.
    pub fn new(pages: &[(&str, &str, &str)]) -> ListedSite {
        assert!(pages.is_sorted_by_key(|page| page.0), "pages stand in the order of their URLs");
        let mut site = ListedSite::default();
        for (url, lang, text) in pages {
            let detected = Lang::parse(lang).unwrap_or(Lang::UNKNOWN);
            site.urls.push((*url).to_owned());
            site.facts.push(PageFacts { detected, text_bytes: text.len() as u32, ..PageFacts::default() });
            site.pages.push(page(text));
        }
        site.links = vec![Vec::new(); pages.len()];
        site.alternates = vec![Vec::new(); pages.len()];
        site.listed = vec![Vec::new(); pages.len()];
        site.canonical = vec![None; pages.len()];
        site
    }

    /// Adds a link.
    pub fn link(mut self, from: u32, to: u32) -> ListedSite {
        let links = &mut self.links[from as usize];
        links.push(SiteLink { to, at: links.len() as u32, kind: LinkKind::Anchor });
        self
    }

    /// Makes a page declare another one as its version in the other page's language.
    pub fn alternate(mut self, from: u32, to: u32) -> ListedSite {
        let lang = self.facts[to as usize].detected;
        self.alternates[from as usize].push((to, lang));
        self
    }

    /// Makes a page name another one, or itself, as its own address.
    pub fn canonical(mut self, page: u32, named: u32) -> ListedSite {
        self.canonical[page as usize] = Some(named);
        self
    }

    /// Makes a sitemap declare a page as the version of another one in a language.
    pub fn listed(mut self, from: u32, to: u32, lang: Lang) -> ListedSite {
        self.listed[from as usize].push((to, lang));
        self
    }

    /// Makes folders from the parts of URLs between slashes, leaving out the language of the page.
    pub fn in_folders(mut self) -> ListedSite {
        self.has_folders = true;
        self
    }

    /// The site in the form that methods use, with the default settings.
    pub fn view(&self) -> SiteView<'_> {
        let langs = self.facts.iter().map(|facts| facts.detected).collect();
        SiteView::new(SiteId(0), self, langs, &self.params, false)
    }
}

/// A page with a block for each line.
fn page(text: &str) -> Page {
    let (mut blocks, mut start) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches('\n').len() as u32;
        blocks.push(Block { start, end, tag: crate::types::tag_code("p"), at: blocks.len() as u32 });
        start += line.len() as u32;
    }
    Page { text: text.to_owned(), blocks, body_bytes: text.len() as u32, ..Page::default() }
}

impl Urls for ListedSite {
    fn count(&self) -> u32 {
        self.urls.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        &self.urls[page as usize]
    }
}

impl Pages for ListedSite {
    fn facts(&self, page: u32) -> PageFacts {
        self.facts[page as usize]
    }
}

impl Links for ListedSite {
    fn for_each_link(&self, page: u32, each: &mut dyn FnMut(SiteLink)) {
        self.links[page as usize].iter().copied().for_each(each);
    }

    fn for_each_alternate(&self, page: u32, each: &mut dyn FnMut(u32, Lang)) {
        self.alternates[page as usize].iter().for_each(|&(to, lang)| each(to, lang));
    }

    fn canonical(&self, page: u32) -> Option<u32> {
        self.canonical[page as usize]
    }

    fn for_each_listed(&self, page: u32, each: &mut dyn FnMut(u32, Lang)) {
        self.listed[page as usize].iter().for_each(|&(to, lang)| each(to, lang));
    }
}

impl SiteData for ListedSite {
    fn pages(&self) -> &dyn Pages {
        self
    }

    fn links(&self) -> &dyn Links {
        self
    }

    fn folders(&self, _: &[Lang], _: bool) -> Tree {
        let path = |(url, facts): (&String, &PageFacts)| -> Vec<u64> {
            let folders = url.rsplit_once('/').map_or("", |(folders, _)| folders);
            let is_folder = |name: &&str| Lang::parse(name).is_none_or(|lang| lang != facts.detected);
            folders.split('/').filter(is_folder).map(|name| xxh3_64(name.as_bytes())).collect()
        };
        if self.has_folders { Tree::new(self.urls.iter().zip(&self.facts).map(path)) } else { Tree::flat(self.count()) }
    }

    fn read(&self, page: u32) -> Result<PageText> {
        let url = format!("http://{}", self.urls[page as usize]);
        Ok(PageText { url, page: self.pages[page as usize].clone() })
    }
}
