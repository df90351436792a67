//! Pairs of keys that need not be read: where a sample of what a key pairs is right, declarations agree and the pages look alike, words are
//! not compared.
//!
//! A pair is *calm* where nothing speaks of a doubt before a page is read: a key proposes it and nothing else proposes a pair of either
//! page, each text is in the language that the page counts for, both are about as long as translations are, they hold few equal blocks,
//! and what is declared does not contradict. Of the calm pairs of a key a sample is compared as all pairs are. If it is right, only the tags
//! of the others are: what is as alike as nearly all of the sample is taken at its word ([`Measure::Sample`]), and the rest is compared as well.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::prior::{self, share_right};
use super::score::{FitParams, Scorer};
use crate::error::Result;
use crate::index::site::hash_of_pair;
use crate::types::{Candidate, Compared, Lang, LangPair, Measure, Method, PagePair, Similarities};
use crate::verify::{Dictionaries, PageIds, SiteView};

/// Settings of spot checks.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SpotChecks {
    /// Calm pairs of a key in a language pair that are compared in any case. Default 32: where one of fifty is wrong, every second
    /// sample shows it.
    pub sample: usize,
    /// How many times as many there must be for a sample to be worth while. Default 2.
    pub min_times: usize,
    /// Share of right pairs, as the evidence of the sample has it ([`share_right`]), with which a key is not caught. Default 0.97, which a
    /// single pair that is surely wrong falls below.
    pub min_share: f64,
    /// Pairs of the sample that may be less alike in structure than what is not read. Default 3.
    pub outliers: usize,
    /// Least similarity of the tags of such a pair, 0..=1. Default 0.5.
    pub min_structure: f64,
    /// How many times as long as is usual either text of a calm pair may be. Default 1.5.
    pub max_length: f64,
    /// Equal hashes of blocks that calm pages have, at the most. Default 3 of [`SKETCH`](crate::index::site::SKETCH).
    pub max_equal_blocks: usize,
}

impl Default for SpotChecks {
    fn default() -> SpotChecks {
        SpotChecks {
            sample: 32,
            min_times: 2,
            min_share: 0.97,
            outliers: 3,
            min_structure: 0.5,
            max_length: 1.5,
            max_equal_blocks: 3,
        }
    }
}

/// The calm pairs of a key in a language pair: positions among the candidates, those that are compared first.
struct OfKey {
    langs: LangPair,
    places: Vec<usize>,
}

/// Candidates with what the measures say of them, in their order; what `checks` leave unread, with what its key's sample says. Without
/// checks nothing is. `scorer` gives the weights of a language pair.
///
/// # Errors
/// When a page cannot be read.
pub fn compared(
    site: &SiteView<'_>,
    candidates: &[Candidate],
    dictionaries: &dyn Dictionaries,
    scorer: &dyn Fn(LangPair) -> Scorer,
    (checks, fit, prior): (Option<&SpotChecks>, &FitParams, &prior::Params),
) -> Result<Vec<Compared>> {
    let Some(checks) = checks else { return site.compared(candidates, dictionaries) };
    let keys = calm(site, candidates, dictionaries, checks);
    let mut found: Vec<Option<Compared>> = vec![None; candidates.len()];
    let mut is_open = vec![false; candidates.len()];
    keys.iter().flat_map(|key| &key.places[checks.sample..]).for_each(|&at| is_open[at] = true);
    let compare = |found: &mut Vec<Option<Compared>>, places: Vec<usize>| -> Result<()> {
        let chosen: Vec<Candidate> = places.iter().map(|&at| candidates[at]).collect();
        let compared = site.compared(&chosen, dictionaries)?;
        places.into_iter().zip(compared).for_each(|(at, one)| found[at] = Some(one));
        Ok(())
    };
    compare(&mut found, (0..candidates.len()).filter(|&at| !is_open[at]).collect())?;
    let mut trusted: Vec<(usize, Trust)> = Vec::new();
    for OfKey { langs, places } in &keys {
        let (sample, others) = places.split_at(checks.sample);
        let sample: Vec<&Compared> = sample.iter().filter_map(|&at| found[at].as_ref()).collect();
        if let Some(trust) = trust(&sample, &scorer(*langs), (fit, prior), checks) {
            trusted.extend(others.iter().map(|&at| (at, trust)));
        }
    }
    let pairs: Vec<PageIds> = trusted.iter().map(|&(at, _)| (candidates[at].pair.a, candidates[at].pair.b)).collect();
    for ((at, trust), structure) in trusted.into_iter().zip(site.structures(&pairs)?) {
        if let Some(structure) = structure.filter(|&structure| f64::from(structure as f32) >= trust.least_structure) {
            let candidate = candidates[at];
            let mut similarities = Similarities::default();
            similarities.set(Measure::Structure, Some(structure as f32));
            similarities.set(Measure::Hreflang, site.declares(candidate.pair).then_some(1.0));
            similarities.set(Measure::Sample, Some(trust.share as f32));
            found[at] = Some(Compared { candidate, similarities, same_text: false });
        }
    }
    let rest: Vec<usize> = (0..candidates.len()).filter(|&at| found[at].is_none()).collect();
    compare(&mut found, rest)?;
    Ok(found.into_iter().flatten().collect())
}

/// What a sample says of the other pairs of its key.
#[derive(Clone, Copy)]
struct Trust {
    /// Share of right pairs, as estimated.
    share: f64,
    /// Similarity of tags that nearly all of the sample has; what is less alike is compared.
    least_structure: f64,
}

/// `None` where the key is caught.
fn trust(
    sample: &[&Compared],
    scorer: &Scorer,
    (fit, prior): (&FitParams, &prior::Params),
    checks: &SpotChecks,
) -> Option<Trust> {
    let evidence = |one: &&Compared| match one.same_text {
        true => -fit.max_evidence,
        false => fit.counted(scorer.evidence(&one.similarities)),
    };
    let evidence: Vec<f64> = sample.iter().map(evidence).collect();
    let share = share_right(&evidence, prior.strong);
    let structure = |one: &&Compared| one.similarities.get(Measure::Structure).map_or(0.0, f64::from);
    let mut structures: Vec<f64> = sample.iter().map(structure).collect();
    structures.sort_unstable_by(f64::total_cmp);
    let nearly_all = structures.get(checks.outliers.min(structures.len().saturating_sub(1)))?;
    (share >= checks.min_share).then_some(Trust { share, least_structure: nearly_all.max(checks.min_structure) })
}

/// The calm pairs of each key that has enough of them.
fn calm(
    site: &SiteView<'_>,
    candidates: &[Candidate],
    dictionaries: &dyn Dictionaries,
    checks: &SpotChecks,
) -> Vec<OfKey> {
    let mut proposed: FxHashMap<(LangPair, u32), u32> = FxHashMap::default();
    for PagePair { langs, a, b } in candidates.iter().map(|candidate| candidate.pair) {
        [a, b].into_iter().for_each(|page| *proposed.entry((langs, page)).or_default() += 1);
    }
    let mut by_key: BTreeMap<(LangPair, u32), Vec<usize>> = BTreeMap::new();
    for (at, Candidate { pair, method, key }) in candidates.iter().enumerate() {
        let is_alone = [pair.a, pair.b].iter().all(|&page| proposed[&(pair.langs, page)] == 1);
        if let (Method::Key, Some(key)) = (method, key)
            && is_alone
            && let Some(ratio) = dictionaries.length_ratio(pair.langs)
            && is_calm(site, *pair, ratio, checks)
        {
            by_key.entry((pair.langs, *key)).or_default().push(at);
        }
    }
    by_key.retain(|_, places| places.len() >= checks.sample.max(1) * checks.min_times.max(1));
    let identity = |page: u32| site.pages().identity(page);
    let hash = |&at: &usize| hash_of_pair(identity(candidates[at].pair.a), identity(candidates[at].pair.b));
    by_key.values_mut().for_each(|places| places.sort_by_cached_key(hash));
    by_key.into_iter().map(|((langs, _), places)| OfKey { langs, places }).collect()
}

/// False where what is known of two pages without reading them speaks of a doubt. `ratio` is the usual one of the lengths of their texts.
fn is_calm(site: &SiteView<'_>, pair: PagePair, ratio: f64, checks: &SpotChecks) -> bool {
    let [a, b] = [pair.a, pair.b].map(|page| site.facts(page));
    let is_plain = |page: u32, detected: Lang| detected.is_known() && detected.agrees(site.langs[page as usize]);
    let longer = f64::from(b.text_bytes.max(1)) / (f64::from(a.text_bytes.max(1)) * ratio);
    let equal_blocks = a.sketch.iter().filter(|&&hash| hash != 0 && b.sketch.contains(&hash)).count();
    a.form.has_text()
        && b.form.has_text()
        && is_plain(pair.a, a.detected)
        && is_plain(pair.b, b.detected)
        && longer.max(1.0 / longer) <= checks.max_length
        && equal_blocks <= checks.max_equal_blocks
        && !site.declared_otherwise(pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::{ListedSite, NoWords};

    const PAGES: u32 = 70;

    /// English pages and French ones of the same numbers, all of like tags but the French of page 5.
    fn site_of_pages() -> ListedSite {
        let text =
            |lang: &str, page: u32| format!("{lang}word {} {} {}\n", page * 37 + 1000, page * 91 + 5000, page * 7);
        let pages: Vec<_> = ["en", "fr"]
            .into_iter()
            .flat_map(|lang| (0..PAGES).map(move |page| (format!("{lang}/{page:02}"), lang, text(lang, page))))
            .collect();
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let tags: Vec<u16> = (0..40).map(|at| at % 7).collect();
        let site = (0..2 * PAGES).fold(ListedSite::new(&listed), |site, page| site.tagged(page, &tags));
        site.tagged(PAGES + 5, &[1; 90])
    }

    /// Pairs of a key that leads `shift` pages too far.
    fn candidates(site: &SiteView<'_>, shift: u32) -> Vec<Candidate> {
        let pair = |page: u32| site.ordered(page, PAGES + (page + shift) % PAGES).expect("two languages");
        (0..PAGES).map(|page| Candidate { pair: pair(page), method: Method::Key, key: Some(0) }).collect()
    }

    fn ask(candidates: &dyn Fn(&SiteView<'_>) -> Vec<Candidate>, spot_checks: Option<SpotChecks>) -> Vec<Compared> {
        let site = site_of_pages();
        let view = site.view();
        compared(
            &view,
            &candidates(&view),
            &NoWords(Some(1.0)),
            &|_| scorer(),
            (spot_checks.as_ref(), &FitParams::default(), &prior::Params::default()),
        )
        .expect("pages in memory")
    }

    /// Fitted to pages that are alike in all but numbers.
    fn scorer() -> Scorer {
        let mut scorer = Scorer::default();
        scorer.weights[2 + 2 * Measure::Numbers as usize] = 12.0;
        scorer
    }

    fn is_unread(one: &Compared) -> bool {
        one.similarities.get(Measure::Sample).is_some()
    }

    #[test]
    fn pairs_of_a_key_whose_sample_is_right_go_unread_where_pages_look_alike() {
        let checks = SpotChecks::default();
        let all = ask(&|site| candidates(site, 0), Some(checks.clone()));
        assert_eq!(all.iter().map(|one| one.candidate.pair.a).collect::<Vec<_>>(), (0..PAGES).collect::<Vec<_>>());
        let unread: Vec<&Compared> = all.iter().filter(|one| is_unread(one)).collect();
        let sample = checks.sample;
        assert!((PAGES as usize - sample - 1..=PAGES as usize - sample).contains(&unread.len()), "{}", unread.len());
        for one in unread {
            let said: Vec<_> = crate::types::MEASURES.iter().filter(|&&m| one.similarities.get(m).is_some()).collect();
            assert_eq!(said, [&Measure::Structure, &Measure::Sample]);
            assert!(one.similarities.get(Measure::Sample).is_some_and(|share| share > 0.98 && share < 1.0));
            assert!(scorer().evidence(&one.similarities) > 4.0);
        }
        // Its tags are others.
        assert!(!is_unread(&all[5]) && all[5].similarities.get(Measure::Numbers) == Some(1.0));
        assert!(!ask(&|site| candidates(site, 0), None).iter().any(is_unread));
    }

    #[test]
    fn a_key_that_is_caught_is_compared_in_all() {
        assert!(!ask(&|site| candidates(site, 1), Some(SpotChecks::default())).iter().any(is_unread));
    }

    #[test]
    fn a_pair_that_something_speaks_against_is_compared() {
        let rivals = |site: &SiteView<'_>| {
            let rival = |page: u32| {
                let pair = site.ordered(page, PAGES + page + 1).expect("two languages");
                Candidate { pair, method: Method::Link, key: None }
            };
            let mut all = candidates(site, 0);
            all.extend((0..PAGES / 2).map(rival));
            all.sort_unstable();
            all
        };
        // Too few are left without a rival for a sample.
        assert!(!ask(&rivals, Some(SpotChecks::default())).iter().any(is_unread));
        let site = site_of_pages();
        let view = site.view();
        let checks = SpotChecks::default();
        let pair = view.ordered(3, PAGES + 3).expect("two languages");
        assert!(is_calm(&view, pair, 1.0, &checks) && !is_calm(&view, pair, 2.0, &checks));
        let declared = site_of_pages().alternate(3, PAGES + 4);
        assert!(!is_calm(&declared.view(), pair, 1.0, &checks));
        let agreed = site_of_pages().alternate(3, PAGES + 3);
        assert!(is_calm(&agreed.view(), pair, 1.0, &checks) && agreed.view().declares(pair));
        let mut view = view;
        view.langs[3] = Lang::ZH;
        assert!(!is_calm(&view, pair, 1.0, &checks), "its text is English");
    }
}
