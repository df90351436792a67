//! The links of one site as iteration walks them: neighbours inside one language, and links in order for aligning.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::site::SiteView;
use crate::index::graph::{Links, Neighbours};
use crate::index::site::Urls;
use crate::iterate::propose::Link;
use crate::types::Lang;

/// Links inside each language.
pub struct Network {
    by_lang: BTreeMap<Lang, Neighbours>,
    ends: Vec<u32>,
    links: Vec<Link>,
    none: Neighbours,
}

impl Network {
    /// Reads the links of a site. Memory: 16 bytes a link, and 8 a link and language.
    pub fn new(view: &SiteView<'_>) -> Network {
        let count = view.pages.count();
        let mut edges: BTreeMap<Lang, Vec<(u32, u32)>> = BTreeMap::new();
        let (mut ends, mut links) = (Vec::with_capacity(count as usize), Vec::new());
        for page in 0..count {
            let lang = view.langs[page as usize];
            let mut before = 0;
            view.links.for_each_link(page, &mut |link| {
                if lang.is_known() && view.langs[link.to as usize] == lang && link.to != page {
                    edges.entry(lang).or_default().push((page, link.to));
                    // What stands between two links tells a list from a running text.
                    let context = [link.at.saturating_sub(before).min(15), link.kind as u32];
                    let bytes: Vec<u8> = context.iter().flat_map(|part| part.to_le_bytes()).collect();
                    links.push(Link { to: link.to, context: xxh3_64(&bytes) });
                }
                before = link.at;
            });
            ends.push(links.len() as u32);
        }
        let by_lang = edges.into_iter().map(|(lang, edges)| (lang, Neighbours::new(count, edges))).collect();
        Network { by_lang, ends, links, none: Neighbours::new(count, Vec::new()) }
    }

    /// The links of a page to pages of its own language, in order.
    pub fn links(&self, page: u32) -> &[Link] {
        let page = page as usize;
        let start = if page == 0 { 0 } else { self.ends[page - 1] };
        &self.links[start as usize..self.ends[page] as usize]
    }

    /// The neighbours of pages of a language.
    pub fn neighbours(&self, lang: Lang) -> &Neighbours {
        self.by_lang.get(&lang).unwrap_or(&self.none)
    }
}
