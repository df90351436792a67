//! Links of the pages of one site.

use rkyv::{Archive, Deserialize, Serialize};

use crate::index::graph::{SiteLink, answered};

/// Links of up to [`super::CHUNK_PAGES`] pages of one site, in the order of the pages, then of the links. Kind 6.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct GraphRecord {
    /// Number of the site.
    pub site: u32,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Ordinal of the first page.
    pub first: u32,
    /// End of each page's links in the three columns that follow.
    pub ends: Vec<u32>,
    /// The page a link leads to; only links to pages of the site.
    pub targets: Vec<u32>,
    /// Number of tags of the page before the link.
    pub at: Vec<u32>,
    /// [`crate::types::LinkKind`].
    pub kinds: Vec<u8>,
    /// Statements that a page is a version of another page in another language (`hreflang`).
    pub alternates: Vec<AlternateRow>,
    /// Pages that name a page of the site as their canonical URL, by page.
    pub canonical: Vec<CanonicalRow>,
    /// Links to hosts of other sites, counted; ordered by linking host, then by linked host.
    pub outside: Vec<OutsideRow>,
    /// Statements of sitemaps that two pages are versions of each other, by page; the languages are those that the sitemaps give.
    pub listed: Vec<AlternateRow>,
}

impl GraphRecord {
    /// The records of a site, each with those label-only versions of it that are answered ([`answered`]).
    pub fn with_answered(chunks: Vec<(GraphRecord, Vec<AlternateRow>)>) -> Vec<GraphRecord> {
        let ends = |rows: &[AlternateRow]| rows.iter().map(|row| (row.from, row.to)).collect::<Vec<_>>();
        let declared: Vec<_> = chunks.iter().flat_map(|(graph, _)| ends(&graph.alternates)).collect();
        let labelled: Vec<_> = chunks.iter().flat_map(|(_, labels)| ends(labels)).collect();
        let answered = answered(&declared, &labelled);
        let with = |(mut graph, labels): (GraphRecord, Vec<AlternateRow>)| {
            graph.alternates.extend(labels.into_iter().filter(|row| answered.contains(&(row.from, row.to))));
            graph.alternates.sort_by_key(|row| row.from);
            graph
        };
        chunks.into_iter().map(with).collect()
    }
}

impl ArchivedGraphRecord {
    /// True when all pages that it names are among the first `pages`, and the columns of the links have equal lengths.
    pub fn is_of(&self, pages: u32) -> bool {
        let links = self.targets.len();
        self.at.len() == links
            && self.kinds.len() == links
            && self.ends.iter().all(|&end| end.to_native() as usize <= links)
            && self.targets.iter().all(|&to| to < pages)
            && self.alternates.iter().all(|row| row.from < pages && row.to < pages)
            && self.listed.iter().all(|row| row.from < pages && row.to < pages)
            && self.canonical.iter().all(|row| row.from < pages && row.to < pages)
    }

    /// The links of the page at a place of the record.
    pub fn links(&self, place: usize) -> impl Iterator<Item = SiteLink> {
        let end = self.ends.get(place).map_or(0, |end| end.to_native() as usize);
        let start = if place == 0 { 0 } else { self.ends.get(place - 1).map_or(end, |end| end.to_native() as usize) };
        let of = |from: usize, to: usize| from.min(to)..to;
        let (targets, at) = (&self.targets[of(start, end)], &self.at[of(start, end)]);
        targets.iter().zip(at).zip(&self.kinds[of(start, end)]).map(|((to, at), &kind)| SiteLink {
            to: to.to_native(),
            at: at.to_native(),
            kind: crate::types::LinkKind::from_code(kind),
        })
    }
}

/// One `hreflang` link between pages of the site.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlternateRow {
    /// The page with the `hreflang` link.
    pub from: u32,
    /// The page it links to.
    pub to: u32,
    /// The language of that page according to the link.
    pub lang: [u8; 8],
}

/// The canonical URL that a page names, where it is a page of the site.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanonicalRow {
    /// The page that names the canonical URL.
    pub from: u32,
    /// The canonical page; may be the same page.
    pub to: u32,
}

/// Links from one host of the site to a host of another site.
#[derive(Archive, Serialize, Clone, Debug, PartialEq, Eq)]
pub struct OutsideRow {
    /// Host with the links.
    pub from: String,
    /// Host that they lead to.
    pub host: String,
    /// How many links; two links on one page count twice.
    pub links: u32,
}

/// Where the link graph of a site is. Key `l` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphHead {
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Fingerprint of the stage's settings.
    pub params: u64,
    /// Its records, in order.
    pub chunks: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labelled_versions_join_the_declared_ones_where_they_are_answered_from_any_record() {
        let row = |from, to| AlternateRow { from, to, lang: *b"fr\0\0\0\0\0\0" };
        let first = GraphRecord { alternates: vec![row(1, 9)], ..GraphRecord::default() };
        let chunks = vec![(first, vec![row(0, 8), row(2, 8)]), (GraphRecord::default(), vec![row(8, 0), row(9, 1)])];
        let found: Vec<_> = GraphRecord::with_answered(chunks).into_iter().map(|graph| graph.alternates).collect();
        assert_eq!(found, [vec![row(0, 8), row(1, 9)], vec![row(8, 0), row(9, 1)]]);
    }
}
