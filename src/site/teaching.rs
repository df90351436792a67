//! Goes through the sites from whose pairs language pairs may be learnt, in a fixed order.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::open::OpenSite;
use crate::config::Config;
use crate::error::Result;
use crate::learn::{TrainingPair, TrainingPairs};
use crate::store::Store;
use crate::types::{LangPair, SiteId};

/// The rank of a site in this order, which depends on its domain alone.
///
/// # Errors
/// When the store cannot be read.
pub fn order_of(store: &Store, site: SiteId) -> Result<u64> {
    Ok(xxh3_64(store.site(site)?.unwrap_or_default().domain.as_bytes()))
}

/// A site that has training pairs.
#[cfg_attr(not(feature = "exec"), expect(dead_code, reason = "within one store its pairs are all that is asked for"))]
pub struct Teaching {
    /// The hash of its domain; sites are used in the order of these hashes.
    pub order: u64,
    /// The site.
    pub site: SiteId,
    /// The language pairs of its keys.
    pub langs: Vec<LangPair>,
    /// Its training pairs, for the language pairs that did not get enough from the sites before it.
    pub pairs: BTreeMap<LangPair, Vec<TrainingPair>>,
}

/// Calls `each` with every site that adds training pairs to `pairs`, in order, until there are enough.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_teaching(
    store: &Store,
    config: &Config,
    pairs: &mut TrainingPairs<'_>,
    mut each: impl FnMut(Teaching) -> Result<()>,
) -> Result<()> {
    // Without keys, no pair is certain enough to learn from.
    let count = if config.without_keys { 0 } else { store.site_count()? };
    let mut sites = Vec::new();
    for id in (0..count).map(SiteId) {
        if store.result_head(id)?.is_some_and(|head| head.pairs > 0) {
            sites.push((order_of(store, id)?, id));
        }
    }
    sites.sort_unstable();
    for (order, id) in sites {
        if let Some(site) = OpenSite::open(store, id)? {
            let langs = site.langs_of_pairs();
            if !pairs.are_enough(&langs) {
                let found = pairs.of_site(&site.view(config), &site.known_keys()?);
                pairs.take(&found);
                each(Teaching { order, site: id, langs, pairs: found })?;
            }
        }
        store.results.unmap();
        store.sites.unmap();
    }
    Ok(())
}
