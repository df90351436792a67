//! All that is learnt of a language pair, and what a site teaches by itself.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::halves::Halves;
use super::misses::near_misses;
use super::models::{Model, Models};
use super::params::Params;
use super::trainer::{Trainer, Translation};
use super::training_pairs::hash_of;
use super::word_weights::WeightsOfSites;
use crate::error::Result;
use crate::index::smallest::Smallest;
use crate::judge::score::{FitParams, Scorer};
use crate::lexicon::LexiconSet;
use crate::types::{LangPair, Similarities};
use crate::verify::{PageIds, SiteView};

/// Settings of learning.
#[derive(Clone, Copy)]
pub struct Settings<'p> {
    /// How much is learnt, and from what.
    pub learn: &'p Params,
    /// Fitting the weights.
    pub fit: &'p FitParams,
}

/// A site with its training pairs of one language pair.
pub struct SitePairs<'s> {
    /// The site.
    pub site: SiteView<'s>,
    /// The pairs.
    pub pairs: Vec<PageIds>,
}

/// What was learnt of one language pair.
#[derive(Clone, Debug, Default)]
pub struct Learnt {
    /// Page pairs it was learnt from.
    pub pairs: usize,
    /// Weights of the score; empty where there were too few pairs to fit them.
    pub weights: Vec<f64>,
    /// Bytes of text of the second language for one of the first.
    pub length_ratio: f64,
    /// Translations, for the pages of each half.
    pub halves: Halves,
    /// The translations in words, the most probable first.
    pub lexicon: Vec<Translation>,
}

/// Learns one language pair from the training pairs of some sites. The outcome depends on the order of sites.
///
/// # Errors
/// When a page cannot be read.
pub fn learn(
    langs: LangPair,
    sites: Vec<SitePairs<'_>>,
    settings: Settings<'_>,
    weights: &WeightsOfSites,
) -> Result<Learnt> {
    let mut trainer = Trainer::new(langs, settings.learn);
    let mut examples = Vec::new();
    for SitePairs { site, mut pairs } in sites {
        pairs.sort_unstable_by_key(|&(a, b)| (site.pages().identity(a).to_owned(), b));
        let (pairs, misses) = sure(&site, pairs, settings.fit, weights)?;
        for &pages in &pairs {
            trainer.add(&site, pages)?;
        }
        examples.push((site, pairs, misses));
    }
    let length_ratio = trainer.length_ratio();
    let (halves, lexicon) = trainer.translations();
    let model = Model::new(langs, &halves, length_ratio, Scorer::default());
    let models = Models::new(LexiconSet::default(), BTreeMap::from([(langs, model)]));
    let (mut good, mut bad): (Vec<Similarities>, Vec<Similarities>) = Default::default();
    for (site, pairs, misses) in &examples {
        let weights = weights.of(site)?;
        good.extend(site.similarities(pairs, &models, &weights)?);
        bad.extend(site.similarities(misses, &models, &weights)?);
    }
    let scorer = Scorer::fit(&good, &bad, &Scorer::default(), settings.fit);
    let is_fitted = good.len() >= settings.fit.min_good && bad.len() >= settings.fit.min_good;
    let weights = if is_fitted { scorer.weights.to_vec() } else { Vec::new() };
    Ok(Learnt { pairs: good.len(), weights, length_ratio, halves, lexicon })
}

/// Pairs, and their near misses.
type Examples = (Vec<PageIds>, Vec<PageIds>);

/// The pairs that are sure even if their key is unreliable, and their near misses: without what is learnt of words, and with the
/// shipped weights, no near miss of the page is clearly better.
fn sure(site: &SiteView<'_>, pairs: Vec<PageIds>, fit: &FitParams, weights: &WeightsOfSites) -> Result<Examples> {
    let (misses, weights) = (near_misses(site, &pairs), weights.of(site)?);
    let (nothing, shipped) = (Models::default(), Scorer::default());
    let evidence = |pairs: &[PageIds]| -> Result<Vec<f64>> {
        let found = site.similarities(pairs, &nothing, &weights)?;
        Ok(found.iter().map(|similarities| shipped.evidence(similarities, fit)).collect())
    };
    let mut best: FxHashMap<u32, f64> = FxHashMap::default();
    for (&(a, _), evidence) in misses.iter().zip(evidence(&misses)?) {
        let best = best.entry(a).or_insert(f64::NEG_INFINITY);
        *best = best.max(evidence);
    }
    let is_sure = |a: u32, evidence: f64| best.get(&a).is_none_or(|best| *best <= evidence + DOUBT);
    let of_pairs = evidence(&pairs)?;
    let sure: Vec<PageIds> = pairs
        .into_iter()
        .zip(of_pairs)
        .filter(|&((a, _), evidence)| is_sure(a, evidence))
        .map(|(pair, _)| pair)
        .collect();
    let pages: BTreeSet<u32> = sure.iter().map(|pair| pair.0).collect();
    let misses = misses.into_iter().filter(|(a, _)| pages.contains(a)).collect();
    Ok((sure, misses))
}

/// How much better a near miss must be for a pair to be in doubt, in nats.
const DOUBT: f64 = 0.5;

/// What a site teaches of language pairs by the pairs that are surest: words and lengths. The weights are the shipped ones.
///
/// # Errors
/// When a page cannot be read.
pub fn learn_from_site(
    site: &SiteView<'_>,
    surest: &BTreeMap<LangPair, Vec<PageIds>>,
    params: &Params,
) -> Result<Models> {
    let learn = |(&langs, pairs): (&LangPair, &Vec<PageIds>)| -> Result<(LangPair, Model)> {
        let mut sample = Smallest::new(params.max_pairs);
        let hash = |a: u32, b: u32| hash_of(site.pages().identity(a), site.pages().identity(b));
        sample.extend(pairs.iter().map(|&(a, b)| (hash(a, b), (a, b))));
        let mut trainer = Trainer::new(langs, params);
        for (_, pages) in sample.into_sorted() {
            trainer.add(site, pages)?;
        }
        Ok((langs, Model::new(langs, &trainer.halves(), trainer.length_ratio(), Scorer::default())))
    };
    let learnt: Vec<(LangPair, Model)> = surest.par_iter().map(learn).collect::<Result<_>>()?;
    Ok(Models::new(LexiconSet::default(), learnt.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;
    use crate::verify::Dictionaries as _;
    use crate::verify::fixture::ListedSite;

    /// Pages of one language, each with three lines of words that belong to its number.
    fn pages(lang: &'static str, count: usize) -> Vec<(String, &'static str, String)> {
        let word = |page: usize, line: usize| format!("{lang}word{}x", (page * 3 + line) % 40);
        let line = |page: usize, line: usize| format!("{} {} {}\n", word(page, line), word(page, line + 7), page * 37);
        (0..count).map(|page| (format!("{lang}/{page:02}"), lang, (0..3).map(|at| line(page, at)).collect())).collect()
    }

    #[test]
    fn weights_are_fitted_and_words_learnt_where_pairs_are_many() {
        let all: Vec<_> = pages("en", 40).into_iter().chain(pages("fr", 40)).collect();
        let listed: Vec<_> = all.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let site = ListedSite::new(&listed);
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let pairs: Vec<PageIds> = (0..40).map(|page| (page, page + 40)).collect();
        let (params, fit) = (Params::default(), FitParams::default());
        let settings = Settings { learn: &params, fit: &fit };
        let one = |pairs: &[PageIds]| vec![SitePairs { site: site.view(), pairs: pairs.to_vec() }];
        let learnt = learn(langs, one(&pairs), settings, &WeightsOfSites::default()).expect("pages in memory");
        assert_eq!(learnt.pairs, 40);
        assert!(!learnt.weights.is_empty() && !learnt.lexicon.is_empty());
        let few = learn(langs, one(&pairs[..5]), settings, &WeightsOfSites::default()).expect("pages in memory");
        assert!(few.weights.is_empty() && few.pairs <= 5);
        let surest = BTreeMap::from([(langs, pairs)]);
        let models = learn_from_site(&site.view(), &surest, &params).expect("pages in memory");
        assert!(models.has_learnt(langs) && models.length_ratio(langs) == Some(1.0));
    }
}
