//! What is known of language pairs, for comparing pages: what the store has, and what the user gave.

use std::collections::BTreeMap;

use super::learnt::learnt_halves;
use crate::config::Config;
use crate::error::Result;
use crate::judge::score::Scorer;
use crate::learn::{Model, Models};
use crate::lexicon::LexiconSet;
use crate::papers::ets;
use crate::store::Store;
use crate::store::records::RecordRef;
use crate::types::{Lang, LangPair};
use crate::verify::SiteView;

/// What is needed to judge pairs: what the user gave, and what was learnt if the settings use it.
///
/// # Errors
/// When the store, or a word list, cannot be read.
pub fn for_judging(store: &Store, config: &Config) -> Result<Models> {
    if config.learns() { read(store, config) } else { given(config) }
}

/// What the user gave, without anything learnt.
///
/// # Errors
/// When a word list cannot be read.
pub fn given(config: &Config) -> Result<Models> {
    with(config, BTreeMap::new())
}

/// What the user gave, and what was learnt, of all language pairs.
///
/// # Errors
/// When the store, or a word list, cannot be read.
pub fn read(store: &Store, config: &Config) -> Result<Models> {
    let mut learnt = BTreeMap::new();
    for head in store.learnt_heads()? {
        let record = store.learnt.read(RecordRef(head.record))?;
        let pair = LangPair::new(Lang::from_bytes(record.lang_a), Lang::from_bytes(record.lang_b));
        let Some(langs) = pair else { continue };
        let halves = learnt_halves(&record);
        let weights: Vec<f64> = record.weights.iter().map(|weight| weight.to_native()).collect();
        let scorer = Scorer::of_weights(&weights).unwrap_or_else(|| config.judge.fit.shipped.clone());
        learnt.insert(langs, Model::new(langs, &halves, record.length_ratio.to_native(), scorer));
    }
    with(config, learnt)
}

fn with(config: &Config, learnt: BTreeMap<LangPair, Model>) -> Result<Models> {
    Ok(Models::new(LexiconSet::read(&config.lexicons)?, learnt, config.judge.fit.shipped.clone()))
}

/// The inputs with which preset link-2014 compares the pages of a site.
pub fn ets_inputs<'v, 's>(site: &'v SiteView<'s>, models: &'v Models, config: &'v Config) -> ets::Inputs<'v, 's> {
    ets::Inputs {
        site,
        dictionaries: models,
        params: &config.ets,
        retrieval: &config.retrieval,
        requested: &config.keys.langs,
    }
}
