//! The captures whose text is missing for pairs.

use crate::error::Result;
use crate::index::site::Urls;
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::{FetchLine, Lang};

/// The captures that must be fetched so that the pairs of a scope in requested languages get their texts: by file and offset, each once.
///
/// # Errors
/// When the store cannot be read.
pub fn fetch(store: &Store, scope: &Scope, is_requested: &dyn Fn([Lang; 2]) -> bool) -> Result<Vec<FetchLine>> {
    let mut lines = Vec::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        let in_scope = |page: u32| scope.has_host(site.pages.identity(page));
        let pairs = result.pairs.iter().map(|pair| [pair.a.to_native(), pair.b.to_native()]);
        let is_wanted = |pair: &[u32; 2]| {
            pair.iter().any(|page| in_scope(*page)) && is_requested(pair.map(|page| site.lang_by_keys(page)))
        };
        let mut pages: Vec<u32> = pairs.filter(is_wanted).flatten().collect();
        pages.sort_unstable();
        pages.dedup();
        for page in pages {
            let (chunk, at) = site.pages.chunk(page);
            if chunk.form(at).has_text() {
                continue;
            }
            let record = store.page(chunk.page(at))?;
            if !record.file().is_empty() {
                let (offset, length) = (record.offset, record.length);
                lines.push(FetchLine { file: record.file().to_owned(), offset, length, url: site.pages.url(page) });
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines)
}
