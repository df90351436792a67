//! Collects what the sitemaps of a site declare of its pages, within limits.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Result;
use crate::extract::sitemap;
use crate::index::addresses::Addresses;
use crate::store::Store;
use crate::store::layout::{AlternateRow, SiteHead};
use crate::store::records::RecordRef;
use crate::types::Lang;

/// How many versions of a page in one language are kept at most: as many as a page may have candidates in a language.
const MAX_IN_LANG: usize = 16;
/// How many versions of a page in all languages are kept at most: as many as a group of a sitemap may have.
const MAX_OF_PAGE: usize = 250;
/// Hashes of groups that are kept at a time.
const MAX_KNOWN: usize = 1 << 20;

/// Versions of pages that sitemaps declare.
#[derive(Default)]
pub(super) struct Listed {
    /// The versions of each page: their languages and their pages, sorted.
    of_page: BTreeMap<u32, Vec<([u8; 8], u32)>>,
    /// Hashes of the groups that were taken last.
    known: FxHashSet<u64>,
    /// How many declarations were dropped because of the limits.
    pub dropped: u64,
}

impl Listed {
    /// What the sitemaps of a site declare: each page of a group with each other page of which the sitemap gives the language. Each sitemap
    /// is taken once, however many captures of it there are, in an order that depends on their contents only. One of them is unpacked at a
    /// time in each thread. `stop` is called before each group.
    ///
    /// # Errors
    /// When the store cannot be read, or what `stop` returns.
    pub fn of(
        store: &Store,
        head: &SiteHead,
        addresses: &Addresses<'_>,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<Listed> {
        // Long records are mapped, not copied.
        let read = |&at: &u64| store.skips.read(RecordRef(at));
        let chunks = head.skipped.iter().map(read).collect::<Result<Vec<_>>>()?;
        let entries = chunks.iter().flat_map(|chunk| chunk.entries.iter());
        let sitemaps: BTreeMap<u64, _> =
            entries.filter(|entry| !entry.declared.is_empty()).map(|entry| (xxh3_64(&entry.declared), entry)).collect();
        let mut listed = Listed::default();
        for entry in sitemaps.into_values() {
            let Some(text) = entry.to_owned().declared() else { continue };
            for group in sitemap::groups(&text) {
                stop()?;
                let pages = group.into_iter().filter_map(|(lang, identity)| Some((addresses.page(identity)?, lang)));
                listed.take(pages.collect());
            }
        }
        Ok(listed)
    }

    /// Takes a group of pages, each with the language that the sitemap gives.
    fn take(&mut self, mut group: Vec<(u32, Option<Lang>)>) {
        group.sort_unstable();
        group.dedup();
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let bytes: Vec<u8> = group
            .iter()
            .flat_map(|(page, lang)| page.to_le_bytes().into_iter().chain(lang.unwrap_or_default().to_bytes()))
            .collect();
        if !self.known.insert(xxh3_64(&bytes)) {
            return;
        }
        for &(from, _) in &group {
            let versions = group.iter().filter(|(to, _)| *to != from);
            let versions = versions.filter_map(|(to, lang)| Some((lang.as_ref()?.to_bytes(), *to)));
            let known = self.of_page.entry(from).or_default();
            for (lang, to) in versions {
                let Err(at) = known.binary_search(&(lang, to)) else { continue };
                let in_lang = known.partition_point(|row| row.0 <= lang) - known.partition_point(|row| row.0 < lang);
                if known.len() < MAX_OF_PAGE && in_lang < MAX_IN_LANG {
                    known.insert(at, (lang, to));
                } else {
                    self.dropped += 1;
                }
            }
        }
    }

    /// The versions, by page, then by the other page.
    pub fn into_rows(self) -> impl Iterator<Item = AlternateRow> {
        self.of_page.into_iter().flat_map(|(from, mut versions)| {
            versions.sort_unstable_by_key(|&(lang, to)| (to, lang));
            versions.into_iter().map(move |(lang, to)| AlternateRow { from, to, lang })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(tag: &str) -> Option<Lang> {
        Lang::parse(tag)
    }

    fn rows(listed: Listed) -> Vec<(u32, u32, String)> {
        listed.into_rows().map(|row| (row.from, row.to, Lang::from_bytes(row.lang).to_string())).collect()
    }

    #[test]
    fn each_page_of_a_group_has_each_other_whose_language_is_given() {
        let mut listed = Listed::default();
        listed.take(vec![(2, lang("fr")), (1, lang("en")), (3, None), (1, lang("en"))]);
        listed.take(vec![(1, lang("en")), (2, lang("fr")), (3, None)]);
        let expected = [(1, 2, "fr"), (2, 1, "en"), (3, 1, "en"), (3, 2, "fr")];
        assert_eq!(rows(listed), expected.map(|(from, to, lang)| (from, to, lang.to_owned())));
    }

    #[test]
    fn a_page_has_no_more_versions_than_the_limits_allow_and_the_rest_is_counted() {
        let many = MAX_IN_LANG as u32 + 4;
        let group: Vec<_> = (1..=many).map(|page| (page, lang("fr"))).chain([(0, lang("en"))]).collect();
        let mut listed = Listed::default();
        listed.take(group.clone());
        // Of the English page four are left out, of each French one three.
        assert_eq!(listed.dropped, 4 + u64::from(many) * 3);
        listed.take(group);
        assert_eq!(listed.dropped, 4 + u64::from(many) * 3, "the same group counts once");
        let of_first: Vec<_> = rows(listed).into_iter().filter(|row| row.0 == 0).collect();
        assert_eq!(of_first.len(), MAX_IN_LANG);
        assert_eq!(of_first.last().map(|row| row.1), Some(MAX_IN_LANG as u32));

        let mut listed = Listed::default();
        for tag in (b'a'..=b'z').flat_map(|a| (b'a'..=b'z').map(move |b| [a, b])) {
            let tag = String::from_utf8(tag.to_vec()).expect("letters");
            let group = lang(&tag).map(|lang| (1..=9).map(|page| (page, Some(lang))).chain([(0, None)]).collect());
            listed.take(group.unwrap_or_default());
        }
        assert!(listed.dropped > 0);
        assert_eq!(rows(listed).iter().filter(|row| row.0 == 0).count(), MAX_OF_PAGE);
    }
}
