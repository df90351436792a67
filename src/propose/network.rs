//! The links of one site inside each language, for iteration: neighbours, and links in order for aligning.

use xxhash_rust::xxh3::xxh3_64;

use super::aligned_links::Link;
use crate::index::graph::Neighbours;
use crate::verify::SiteView;

/// The links of one site between pages of one language.
pub struct Network {
    neighbours: Neighbours,
    ends: Vec<u32>,
    links: Vec<Link>,
}

impl Network {
    /// Reads the links of a site. Memory: 32 bytes a link, and 8 a page.
    pub fn new(site: &SiteView<'_>) -> Network {
        let count = site.pages().count();
        let (mut edges, mut ends, mut links) = (Vec::new(), Vec::with_capacity(count as usize), Vec::new());
        for page in 0..count {
            let lang = site.langs[page as usize];
            let mut before = 0;
            site.links().for_each_link(page, &mut |link| {
                if lang.is_known() && site.langs[link.to as usize] == lang && link.to != page {
                    edges.push((page, link.to));
                    // How far apart two links are tells a list from running text.
                    let context = [link.at.saturating_sub(before).min(15), link.kind as u32];
                    let bytes: Vec<u8> = context.iter().flat_map(|part| part.to_le_bytes()).collect();
                    links.push(Link { to: link.to, context: xxh3_64(&bytes) });
                }
                before = link.at;
            });
            ends.push(links.len() as u32);
        }
        Network { neighbours: Neighbours::new(count, edges), ends, links }
    }

    /// The links of a page to pages of its own language, in order.
    pub fn links(&self, page: u32) -> &[Link] {
        let page = page as usize;
        let start = if page == 0 { 0 } else { self.ends[page - 1] };
        &self.links[start as usize..self.ends[page] as usize]
    }

    /// For each page, the pages of its own language that it links to or that link to it.
    pub fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn links_between_languages_and_to_the_page_itself_are_left_out() {
        let pages = [("a", "en", ""), ("b", "en", ""), ("c", "fr", "")];
        let site = ListedSite::new(&pages).link(0, 1).link(0, 2).link(0, 0).link(2, 1);
        let network = Network::new(&site.view());
        assert_eq!(network.links(0).iter().map(|link| link.to).collect::<Vec<_>>(), [1]);
        assert_eq!((network.links(1), network.links(2)), (&[][..], &[][..]));
        assert_eq!((network.neighbours().of(1), network.neighbours().of(2)), (&[0][..], &[][..]));
    }
}
