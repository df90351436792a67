//! The URLs of a host, for someone looking for one that is not there.

use super::scope::Scope;
use super::site::Site;
use crate::error::Result;
use crate::index::site::Urls;
use crate::store::Store;
use crate::types::{CanonicalUrl, host_of};

/// Pages of a site that are looked at, at the most: a mistyped URL is to be answered at once.
const MAX_PAGES: u32 = 200_000;

/// Calls `each` with the URLs of the pages on the host of `url`, without their schemes: all of them, or those that sort near it.
/// `None` where the store has no page of that host.
///
/// # Errors
/// When the store cannot be read.
pub fn for_each_near(store: &Store, url: &CanonicalUrl, mut each: impl FnMut(&str)) -> Result<Option<Scope>> {
    let Ok(scope) = Scope::of(store, url.host()) else { return Ok(None) };
    let Some(id) = store.site_of_domain(&url.domain())? else { return Ok(None) };
    let site = Site::open(store, id)?;
    let count = site.pages.count();
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if site.pages.identity(middle) < url.identity() { low = middle + 1 } else { high = middle }
    }
    let first = low.saturating_sub(MAX_PAGES / 2);
    for page in first..count.min(first.saturating_add(MAX_PAGES)) {
        let identity = site.pages.identity(page);
        if host_of(identity) == url.host() {
            each(identity);
        }
    }
    Ok(Some(scope))
}
