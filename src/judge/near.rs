//! What the contents of near misses say of a pair.
//!
//! The evidence of contents says how much likelier they are in a translation than in any wrong pair. But where a page holds the text of
//! another one, that is mostly of a page beside it; and where pages of one template have little text, those beside it are nearly as much alike
//! as its translation. So contents speak for a pair that addresses propose as much as they say more of it than of its near misses.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::judging::is_by_address;
use super::params::Params;
use super::score::Scorer;
use crate::error::Result;
use crate::types::{Compared, LangPair, Measure, PagePair, Similarities};
use crate::verify::misses::{Reach, near_misses};
use crate::verify::{Dictionaries, PageIds, SiteView};

/// The pages beside a page, and no others: a comparison takes as long as that of the pair.
const REACH: Reach = Reach { near: 1, far: false };

/// What is added to the evidence of a pair's contents because near misses have such contents too, in nats; 0 at most.
pub fn evidence(similarities: &Similarities) -> f64 {
    similarities.get(Measure::Near).map_or(0.0, |near| f64::from(near).ln())
}

/// Compares the near misses of the wanted pairs, and sets [`Measure::Near`] of these pairs. Asked are those that addresses propose, and of whose
/// contents no more evidence [counts](super::score::FitParams::counted) than is [usual](super::prior::Params::usual). `knows` has the word
/// translations and the weights of each language pair.
///
/// If the pair is wrong, one of its near misses may be right. Which one is not known, so all of them count alike; and one that is no more like a
/// translation than any wrong pair makes the contents no less surprising than such pairs do. So for either page, contents are as many times as likely
/// in a wrong pair as the mean of max(1, e^m) over the page's near misses says, m being what counts of the evidence of their contents, and for the pair the
/// mean of both. Other candidates are no near misses, since they are [rivals](super::rivals). Cost: a comparison for each near miss, some eight a pair.
///
/// # Errors
/// When a page cannot be read.
pub fn compare_near_misses(
    site: &SiteView<'_>,
    compared: &mut [Compared],
    is_wanted: &dyn Fn(&Compared) -> bool,
    (dictionaries, scorer): (&dyn Dictionaries, &dyn Fn(LangPair) -> Scorer),
    params: &Params,
) -> Result<()> {
    let mut by_langs: BTreeMap<LangPair, Vec<usize>> = BTreeMap::new();
    for (at, one) in compared.iter().enumerate() {
        if is_by_address(one.candidate.method) && !one.same_text {
            by_langs.entry(one.candidate.pair.langs).or_default().push(at);
        }
    }
    let candidates: FxHashSet<PagePair> = compared.iter().map(|one| one.candidate.pair).collect();
    for (langs, places) in by_langs {
        let scorer = scorer(langs);
        let counted = |one: &Similarities| params.fit.counted(scorer.contents(one));
        let is_asked = |one: &Compared| is_wanted(one) && counted(&one.similarities) < params.prior.usual;
        let is_asked: Vec<bool> = places.iter().map(|&at| is_asked(&compared[at])).collect();
        let pairs: Vec<PageIds> =
            places.iter().map(|&at| (compared[at].candidate.pair.a, compared[at].candidate.pair.b)).collect();
        let is_miss = |&(a, b): &PageIds| !candidates.contains(&PagePair { langs, a, b });
        let of_first = near_misses(site, &pairs, &is_asked, REACH).into_iter().filter(is_miss);
        let turned: Vec<PageIds> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        let of_second = near_misses(site, &turned, &is_asked, REACH).into_iter().map(|(b, a)| (a, b)).filter(is_miss);
        let sides: [Vec<PageIds>; 2] = [of_first.collect(), of_second.collect()];
        let mut misses: Vec<PageIds> = sides.concat();
        misses.sort_unstable();
        misses.dedup();
        let said: Vec<f64> = site.similarities(&misses, dictionaries)?.iter().map(counted).collect();
        let said: FxHashMap<PageIds, f64> = misses.into_iter().zip(said).collect();
        let means = [means(&sides[0], &said, |miss| miss.0), means(&sides[1], &said, |miss| miss.1)];
        let mean = |side: usize, page: u32| means[side].get(&page).copied().unwrap_or(1.0);
        let near = |(a, b): PageIds| (2.0 / (mean(0, a) + mean(1, b))) as f32;
        for (at, (pages, is_asked)) in places.into_iter().zip(pairs.into_iter().zip(is_asked)) {
            if is_wanted(&compared[at]) {
                compared[at].similarities.set(Measure::Near, is_asked.then(|| near(pages)));
            }
        }
    }
    Ok(())
}

/// For each page, the mean over its near misses of how many times as likely their contents are in a translation as in any wrong pair, each
/// taken as 1 at least.
fn means(misses: &[PageIds], said: &FxHashMap<PageIds, f64>, page: impl Fn(PageIds) -> u32) -> FxHashMap<u32, f64> {
    let mut sums: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
    for &miss in misses {
        let sum = sums.entry(page(miss)).or_default();
        *sum = (sum.0 + said[&miss].max(0.0).exp(), sum.1 + 1.0);
    }
    sums.into_iter().map(|(page, (sum, count))| (page, sum / count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Candidate, Lang, Method};
    use crate::verify::fixture::{ListedSite, NoWords};

    #[test]
    fn evidence_by_hand() {
        let mut one = Similarities::default();
        assert_eq!(evidence(&one), 0.0);
        one.set(Measure::Near, Some(0.25));
        assert!((evidence(&one) + 4f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn means_by_hand() {
        let said = FxHashMap::from_iter([((0, 11), 2f64.ln()), ((0, 12), -7.0), ((1, 10), 0.0)]);
        let found = means(&[(0, 11), (0, 12), (1, 10)], &said, |miss| miss.0);
        assert!((found[&0] - 1.5).abs() < 1e-12 && found[&1] == 1.0);
    }

    /// How probable the pairs of a key are beside their near misses, where French pages have the contents of these English ones.
    fn near(contents: [usize; 6]) -> Vec<Option<f32>> {
        let text = |page: usize| (0..12).map(|at| format!("{} ", 1000 * (page + 1) + 7 * at * at)).collect::<String>();
        let urls: Vec<String> =
            ["en", "fr"].iter().flat_map(|lang| (0..6).map(move |at| format!("{lang}/{at}"))).collect();
        let texts: Vec<String> = (0..6).map(text).chain(contents.map(text)).collect();
        let pages: Vec<_> =
            urls.iter().zip(&texts).map(|(url, text)| (url.as_str(), &url[..2], text.as_str())).collect();
        let site = ListedSite::new(&pages);
        let view = site.view();
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let candidate =
            |at: u32| Candidate { pair: PagePair { langs, a: at, b: at + 6 }, method: Method::Key, key: Some(0) };
        let mut compared =
            view.compared(&(0..6).map(candidate).collect::<Vec<_>>(), &NoWords).expect("pages in memory");
        compared.iter_mut().for_each(|one| one.same_text = false);
        // All pairs are asked about.
        let mut params = Params::default();
        params.prior.usual = f64::INFINITY;
        let knows: (&dyn Dictionaries, &dyn Fn(LangPair) -> Scorer) = (&NoWords, &|_| Scorer::default());
        compare_near_misses(&view, &mut compared, &|one| one.candidate.pair.a != 5, knows, &params)
            .expect("pages in memory");
        compared.iter().map(|one| one.similarities.get(Measure::Near)).collect()
    }

    #[test]
    fn a_page_with_the_contents_of_its_neighbour_is_doubted_and_its_neighbour_too() {
        let right = near([0, 1, 2, 3, 4, 5]);
        assert!(right[..5].iter().all(|near| near.is_some_and(|near| near > 0.5)), "{right:?}");
        assert_eq!(right[5], None, "it was not wanted");
        let exchanged = near([0, 2, 1, 3, 4, 5]);
        assert!([1, 2].iter().all(|&at| exchanged[at].is_some_and(|near| near < 0.1)), "{exchanged:?}");
        assert!(exchanged[4].is_some_and(|near| near > 0.5), "{exchanged:?}");
    }
}
