//! Records that are read together: the page table of a site, its links, the links between sites.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::layout::{
    ArchivedAlternateRow, ArchivedGraphRecord, ArchivedSiteChunk, CHUNK_PAGES, GraphRecord, SiteChunk, WebRecord,
};
use super::records::Mapped;
use crate::index::graph::{Links, SiteLink};
use crate::index::site::{PageFacts, Pages, Urls};
use crate::index::web::Web;
use crate::types::{Lang, Signals};

/// The page table of one site, in mapped memory.
pub struct SitePages {
    pub(super) chunks: Vec<Mapped<SiteChunk>>,
    pub(super) count: u32,
    /// (page, its canonical page), by page; empty where nobody asked for canonical pages.
    pub(super) canonical: Vec<(u32, u32)>,
}

impl SitePages {
    /// The same table, with the canonical pages that the pages name.
    pub fn with_canonical(self, links: Option<&SiteLinks>) -> SitePages {
        SitePages { canonical: links.map(SiteLinks::all_canonical).unwrap_or_default(), ..self }
    }

    /// The chunk that holds a page, and the place of the page in it.
    pub fn chunk(&self, page: u32) -> (&ArchivedSiteChunk, usize) {
        let page = page as usize;
        (self.chunks[page / CHUNK_PAGES].get(), page % CHUNK_PAGES)
    }

    /// The page with a URL (without scheme).
    pub fn find(&self, identity: &str) -> Option<u32> {
        Urls::find(self, identity)
    }

    /// What a page says of itself.
    pub fn signals(&self, page: u32) -> Signals {
        let (chunk, at) = self.chunk(page);
        chunk.signals(at)
    }

    /// The URL of a page, with its scheme.
    pub fn url(&self, page: u32) -> String {
        let (chunk, at) = self.chunk(page);
        format!("{}{}", if chunk.https[at] { "https://" } else { "http://" }, chunk.identity(at))
    }
}

impl Urls for SitePages {
    fn count(&self) -> u32 {
        self.count
    }

    fn identity(&self, page: u32) -> &str {
        let (chunk, at) = self.chunk(page);
        chunk.identity(at)
    }

    fn release(&self) {
        self.chunks.iter().for_each(Mapped::release);
    }
}

impl Pages for SitePages {
    fn facts(&self, page: u32) -> PageFacts {
        let (chunk, at) = self.chunk(page);
        chunk.facts(at)
    }

    fn canonical(&self, page: u32) -> Option<u32> {
        let at = self.canonical.binary_search_by_key(&page, |row| row.0).ok()?;
        Some(self.canonical[at].1)
    }

    fn letters(&self, page: u32) -> &[u8] {
        let (chunk, at) = self.chunk(page);
        chunk.letters(at)
    }

    fn detected(&self, page: u32) -> Lang {
        let (chunk, at) = self.chunk(page);
        chunk.detected(at)
    }
}

/// The graph of links between sites.
pub struct SiteWeb {
    records: Vec<WebRecord>,
}

impl SiteWeb {
    /// The graph in these records, which need not be stored.
    pub fn new(records: Vec<WebRecord>) -> SiteWeb {
        SiteWeb { records }
    }

    /// Its records.
    pub fn records(&self) -> &[WebRecord] {
        &self.records
    }

    /// The name of a site; empty where there is none.
    pub fn name(&self, site: u32) -> &str {
        let Some(first) = self.records.first() else { return "" };
        let end = |at: u32| first.name_ends.get(at as usize).map_or(0, |&end| end as usize);
        let start = site.checked_sub(1).map_or(0, end);
        first.names.get(start..end(site)).unwrap_or("")
    }

    /// C(w) of a site of the store.
    pub fn credibility(&self, site: u32) -> f64 {
        self.records.first().and_then(|first| first.credibility.get(site as usize)).copied().unwrap_or(0.0)
    }

    /// Pairs of a site of the store.
    pub fn pairs(&self, site: u32) -> u64 {
        self.records.first().and_then(|first| first.pairs.get(site as usize)).copied().unwrap_or(0)
    }

    /// The site of the store that has a name; sites of the store are sorted by name.
    pub fn find_stored(&self, name: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.stored());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle).cmp(name) {
                Ordering::Equal => return Some(middle),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Hash of its sites, links and pairs: equal for equal graphs, however they are divided into records.
    pub fn content(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for site in 0..self.count() {
            hasher.update(self.name(site).as_bytes());
            hasher.update(&[0]);
        }
        for site in 0..self.stored() {
            hasher.update(&self.credibility(site).to_le_bytes());
            hasher.update(&self.pairs(site).to_le_bytes());
        }
        self.for_each_link(|from, to, links| {
            [from, to, links].iter().for_each(|number| hasher.update(&number.to_le_bytes()));
        });
        hasher.digest()
    }
}

impl Web for SiteWeb {
    fn stored(&self) -> u32 {
        self.records.first().map_or(0, |first| first.credibility.len() as u32)
    }

    fn count(&self) -> u32 {
        self.records.first().map_or(0, |first| first.name_ends.len() as u32)
    }

    fn for_each_link(&self, mut each: impl FnMut(u32, u32, u32)) {
        for record in &self.records {
            let mut start = 0;
            for (&end, from) in record.ends.iter().zip(record.first..) {
                let end = (end as usize).min(record.targets.len()).min(record.links.len());
                let row = start.min(end)..end;
                for (&to, &links) in record.targets[row.clone()].iter().zip(&record.links[row]) {
                    each(from, to, links);
                }
                start = end;
            }
        }
    }
}

/// The links of one site's pages, in mapped memory.
pub struct SiteLinks {
    pub(super) chunks: Vec<Mapped<GraphRecord>>,
    /// For each copy, the page that stands for it, and whether the copy itself says so.
    pub(super) stands: FxHashMap<u32, (u32, bool)>,
}

impl SiteLinks {
    /// The same links, with statements about copies applied to the pages that stand for them: declared versions always, other links only
    /// where the copy itself names that page as canonical. An untranslated copy may stand among other pages than its original does.
    pub fn standing_for(self, copies: impl Iterator<Item = (u32, u32)>) -> SiteLinks {
        let canonical = self.all_canonical();
        let says_so = |copy: u32| {
            let at = canonical.binary_search_by_key(&copy, |row| row.0);
            at.is_ok_and(|at| canonical[at].1 != copy)
        };
        let stands = copies.map(|(copy, of)| (copy, (of, says_so(copy)))).collect();
        SiteLinks { stands, ..self }
    }

    /// (page, its canonical page), by page.
    pub fn all_canonical(&self) -> Vec<(u32, u32)> {
        let rows = self.chunks().flat_map(|chunk| chunk.canonical.iter());
        rows.map(|row| (row.from.to_native(), row.to.to_native())).collect()
    }

    /// The versions of a page among rows that are sorted by page.
    fn for_each_version(&self, rows: &[ArchivedAlternateRow], page: u32, each: &mut dyn FnMut(u32, Lang)) {
        let start = rows.partition_point(|row| row.from.to_native() < page);
        for row in rows[start..].iter().take_while(|row| row.from.to_native() == page) {
            let to = row.to.to_native();
            let to = self.stands.get(&to).map_or(to, |(of, _)| *of);
            if to != page {
                each(to, Lang::from_bytes(row.lang));
            }
        }
    }

    /// The records, in the order of pages.
    pub fn chunks(&self) -> impl Iterator<Item = &ArchivedGraphRecord> {
        self.chunks.iter().map(Mapped::get)
    }
}

impl Links for SiteLinks {
    fn for_each_link(&self, page: u32, each: &mut dyn FnMut(SiteLink)) {
        let Some(chunk) = self.chunks.get(page as usize / CHUNK_PAGES) else { return };
        for link in chunk.links(page as usize % CHUNK_PAGES) {
            let to = self.stands.get(&link.to).filter(|(_, says_so)| *says_so).map_or(link.to, |(of, _)| *of);
            each(SiteLink { to, ..link });
        }
    }

    fn for_each_alternate(&self, page: u32, each: &mut dyn FnMut(u32, Lang)) {
        let Some(chunk) = self.chunks.get(page as usize / CHUNK_PAGES) else { return };
        self.for_each_version(&chunk.alternates, page, each);
    }

    fn canonical(&self, page: u32) -> Option<u32> {
        let rows = &self.chunks.get(page as usize / CHUNK_PAGES)?.get().canonical;
        let at = rows.partition_point(|row| row.from.to_native() < page);
        rows.get(at).filter(|row| row.from.to_native() == page).map(|row| row.to.to_native())
    }

    fn for_each_listed(&self, page: u32, each: &mut dyn FnMut(u32, Lang)) {
        let Some(chunk) = self.chunks.get(page as usize / CHUNK_PAGES) else { return };
        self.for_each_version(&chunk.listed, page, each);
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::{Changes, Keyspace};
    use super::super::layout::{
        CanonicalRow, ChunkBuilder, GraphHead, PageEntry, PairRow, ResultHead, ResultRecord, SiteHead,
    };
    use super::super::{Access, Store};
    use super::*;
    use crate::types::SiteId;

    /// A site of two pages: its table, its keys and pairs, and its links.
    fn told(table: &SiteChunk, result: &ResultRecord, graph: &GraphRecord) -> [Option<String>; 3] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("an empty folder");
        let mut changes = Changes::default();
        let (key, id, generation) = (0u32.to_be_bytes(), SiteId(0), 1);
        let chunks = vec![store.sites.append(table).expect("room on disk").0];
        let head = SiteHead { domain: "ex.org".to_owned(), chunks, pages: 2, generation, ..SiteHead::default() };
        changes.put(Keyspace::Site, &key, &head);
        let record = store.results.append(result).expect("room on disk").0;
        changes.put(Keyspace::Result, &key, &ResultHead { record, generation, ..ResultHead::default() });
        let chunks = vec![store.graphs.append(graph).expect("room on disk").0];
        changes.put(Keyspace::Graph, &key, &GraphHead { generation, chunks, ..GraphHead::default() });
        store.commit(changes).expect("room on disk");
        [
            store.site_pages(&head).err().map(|error| error.to_string()),
            store.result(id).err().map(|error| error.to_string()),
            store.site_links(id, generation).err().map(|error| error.to_string()),
        ]
    }

    #[test]
    fn records_that_name_pages_which_a_site_lacks_are_errors() {
        let mut builder = ChunkBuilder::default();
        for identity in ["ex.org/a", "ex.org/b"] {
            builder.push(&PageEntry { identity: identity.to_owned(), ..PageEntry::default() });
        }
        let table = builder.finish().expect("two pages");
        let pair = |a, b| ResultRecord { pairs: vec![PairRow { a, b, key: 0 }], ..ResultRecord::default() };
        let link = |to| GraphRecord {
            ends: vec![1, 1],
            targets: vec![to],
            at: vec![0],
            kinds: vec![0],
            ..GraphRecord::default()
        };
        assert_eq!(told(&table, &pair(0, 1), &link(1)), [None, None, None]);
        let fewer = SiteChunk { titles: vec![0], ..table.clone() };
        let canonical = GraphRecord { canonical: vec![CanonicalRow { from: 0, to: 7 }], ..link(0) };
        let beyond = GraphRecord { ends: vec![1, 2], ..link(0) };
        for graph in [link(2), canonical, beyond] {
            let [pages, keys, links] = told(&fewer, &pair(0, 2), &graph).map(Option::unwrap_or_default);
            assert!(pages.contains("the pages of ex.org makes no sense"), "{pages}");
            assert!(keys.contains("the keys of ex.org makes no sense"), "{keys}");
            assert!(links.contains("the links of ex.org makes no sense"), "{links}");
        }
    }
}
