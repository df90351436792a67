//! A cache of the models of language pairs that are being aligned.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::bitext::model;
use crate::align::Model;
use crate::error::Result;
use crate::store::Store;
use crate::types::LangPair;

/// Memory for models, in bytes.
const MODEL_BYTES: usize = 256 << 20;

/// Models of some language pairs.
#[derive(Default)]
pub(crate) struct ModelCache {
    by_langs: BTreeMap<LangPair, Model>,
    bytes: usize,
}

impl ModelCache {
    /// True when the model of a language pair is in the cache, or there is room for it.
    pub fn has_room(&self, langs: LangPair) -> bool {
        self.bytes < MODEL_BYTES || self.by_langs.contains_key(&langs)
    }

    /// Empties the cache if it is full.
    pub fn make_room(&mut self) {
        if self.bytes >= MODEL_BYTES {
            *self = ModelCache::default();
        }
    }

    /// Reads the model of a language pair unless it is in the cache.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self, store: &Store, langs: LangPair) -> Result<()> {
        if let Entry::Vacant(entry) = self.by_langs.entry(langs) {
            let model = entry.insert(model(store, langs)?.unwrap_or_default());
            self.bytes +=
                [&model.a, &model.b].map(|side| 20 * side.words.len() + 8 * side.targets.len()).iter().sum::<usize>();
        }
        Ok(())
    }

    /// The model of a language pair that was read. Panics when it was not.
    pub fn of(&self, langs: LangPair) -> &Model {
        &self.by_langs[&langs]
    }
}
