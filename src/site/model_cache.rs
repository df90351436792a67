//! A cache of the models of language pairs that are being aligned.

use std::collections::{BTreeMap, BTreeSet};

use super::bitext::model;
use crate::align::routes::{Route, Routes};
use crate::align::{Known, Model, Via};
use crate::error::Result;
use crate::store::Store;
use crate::types::LangPair;

/// Memory for models, in bytes.
const MODEL_BYTES: usize = 256 << 20;

fn bytes_of(model: &Model) -> usize {
    [&model.a, &model.b].map(|side| 20 * side.words.len() + 8 * side.targets.len()).iter().sum()
}

/// Models of some language pairs.
pub struct ModelCache {
    routes: Routes,
    by_langs: BTreeMap<LangPair, Model>,
    bytes: usize,
    /// The bytes of each model that was ever read.
    sizes: BTreeMap<LangPair, usize>,
}

impl ModelCache {
    /// An empty one.
    pub fn new(routes: Routes) -> ModelCache {
        ModelCache { routes, by_langs: BTreeMap::new(), bytes: 0, sizes: BTreeMap::new() }
    }

    /// True when there is room for all models that some language pairs need, in an empty cache.
    ///
    /// # Errors
    /// When a model cannot be read.
    pub fn holds(&mut self, store: &Store, langs: impl Iterator<Item = LangPair>) -> Result<bool> {
        let needed: BTreeSet<LangPair> = langs.collect();
        let needed: BTreeSet<LangPair> = needed.into_iter().flat_map(|langs| self.routes.needed(langs)).collect();
        let mut bytes = 0;
        for langs in needed {
            bytes += match self.sizes.get(&langs) {
                Some(&size) => size,
                None => {
                    let is_full = self.bytes >= MODEL_BYTES;
                    let size = self.load(store, langs)?;
                    if is_full {
                        self.by_langs.remove(&langs);
                        self.bytes -= size;
                    }
                    size
                }
            };
            if bytes >= MODEL_BYTES {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True when the models for a language pair are in the cache, or there is room for them.
    pub fn has_room(&self, langs: LangPair) -> bool {
        self.bytes < MODEL_BYTES || self.routes.needed(langs).iter().all(|langs| self.by_langs.contains_key(langs))
    }

    /// Drops all models that a language pair does not need, if the cache is full and lacks one that it needs.
    pub fn make_room(&mut self, langs: LangPair) {
        if !self.has_room(langs) {
            let needed = self.routes.needed(langs);
            self.by_langs.retain(|langs, _| needed.contains(langs));
            self.bytes = self.by_langs.values().map(bytes_of).sum();
        }
    }

    /// By which language each language pair goes.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Reads the models for a language pair, unless they are in the cache.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(&mut self, store: &Store, langs: LangPair) -> Result<()> {
        for langs in self.routes.needed(langs) {
            if !self.by_langs.contains_key(&langs) {
                self.load(store, langs)?;
            }
        }
        Ok(())
    }

    /// Reads a model that is not in the cache; how many bytes it takes.
    fn load(&mut self, store: &Store, langs: LangPair) -> Result<usize> {
        let model = model(store, langs)?.unwrap_or_default();
        let size = bytes_of(&model);
        self.by_langs.insert(langs, model);
        self.sizes.insert(langs, size);
        self.bytes += size;
        Ok(size)
    }

    /// The model of a language pair whose models were read. Panics when they were not.
    pub fn of(&self, langs: LangPair) -> Known<'_> {
        match (self.routes.of(langs), &self.routes.needed(langs)[..]) {
            (Route::Via(hub), [a, b]) => Known::Via(Via::new(langs, hub, [&self.by_langs[a], &self.by_langs[b]])),
            _ => Known::Own(&self.by_langs[&langs]),
        }
    }
}
