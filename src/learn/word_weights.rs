//! The weights of words of each site, counted once, whatever the number of its language pairs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::types::SiteId;
use crate::verify::{SiteView, WordWeights};

/// Weights of words, by site.
#[derive(Default)]
pub struct WeightsOfSites {
    known: Mutex<FxHashMap<SiteId, Arc<WordWeights>>>,
}

/// Sites whose words stay counted: a few large ones are what most language pairs need.
const MAX_KEPT: usize = 64;

impl WeightsOfSites {
    /// Those of a site.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn of(&self, site: &SiteView<'_>) -> Result<Arc<WordWeights>> {
        if let Some(weights) = self.known().get(&site.id) {
            return Ok(weights.clone());
        }
        let weights = Arc::new(site.word_weights()?);
        let mut known = self.known();
        if known.len() >= MAX_KEPT {
            known.clear();
        }
        known.insert(site.id, weights.clone());
        Ok(weights)
    }

    fn known(&self) -> MutexGuard<'_, FxHashMap<SiteId, Arc<WordWeights>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn words_of_a_site_are_counted_once() {
        let site = ListedSite::new(&[("x.org/a", "en", "word other"), ("x.org/b", "fr", "word")]);
        let weights = WeightsOfSites::default();
        let first = weights.of(&site.view()).expect("pages in memory");
        assert!(Arc::ptr_eq(&first, &weights.of(&site.view()).expect("pages in memory")));
    }
}
