//! What the contents of near misses say of a pair.
//!
//! The evidence of contents says how much likelier they are in a translation than in any wrong pair. But where a page holds the text of
//! another one, that is mostly of a page beside it; and where pages of one template have little text, those beside it are nearly as much alike
//! as its translation. So contents speak for a pair that addresses propose as much as they say more of it than of its near misses.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::params::Params;
use super::score::Scorer;
use crate::error::Result;
use crate::types::{Compared, LangPair, Measure, PagePair, Similarities};
use crate::verify::misses::{Reach, near_misses};
use crate::verify::{Dictionaries, PageIds, SiteView};

/// Where near misses are taken from: each costs one more comparison, some eight a pair.
const REACH: Reach = Reach { near: 1, far: false };
/// Near misses that are compared at once, which bounds the memory for what the measures say of them.
const AT_ONCE: usize = 1 << 16;

/// What is added to the evidence of a pair's contents because near misses have such contents too, in nats; 0 at most.
pub fn evidence(similarities: &Similarities) -> f64 {
    similarities.get(Measure::Near).map_or(0.0, |near| f64::from(near).ln())
}

/// Compares the near misses of the wanted pairs, and sets [`Measure::Near`] of these pairs. Only pairs are asked about that addresses
/// propose, and of whose contents less evidence [counts](super::score::FitParams::counted) than is
/// [usual](super::prior::Params::usual). `knows` has the word translations and the weights of each language pair.
///
/// If the pair is wrong, one of its near misses may be right. Which one is not known, so all of them count alike; and one that is no more
/// like a translation than any wrong pair makes the contents no less surprising than such pairs do. So for either page, contents are as
/// many times as likely in a wrong pair as the mean of max(1, e^m) over the near misses of the page says, m being what counts of the
/// evidence of their contents; for the pair, as the mean of both. A page that stands in several such pairs has the near misses of all of
/// them. Other pairs that addresses propose are no near misses, nor is what people forbid, or know to belong elsewhere. Cost: a comparison
/// for each near miss.
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
        if one.candidate.method.is_by_address() && !one.same_text {
            by_langs.entry(one.candidate.pair.langs).or_default().push(at);
        }
    }
    let taken = Taken::new(site, compared);
    for (langs, mut places) in by_langs {
        // The pairs before and after a pair are those of the pages before and after, whatever was proposed first.
        places.sort_unstable_by_key(|&at| compared[at].candidate.pair);
        let scorer = scorer(langs);
        let counted = |one: &Similarities| params.fit.counted(scorer.contents(one));
        let is_asked = |one: &Compared| is_wanted(one) && counted(&one.similarities) < params.prior.usual;
        let is_asked: Vec<bool> = places.iter().map(|&at| is_asked(&compared[at])).collect();
        let pair_at = |&at: &usize| (compared[at].candidate.pair.a, compared[at].candidate.pair.b);
        let pairs: Vec<PageIds> = places.iter().map(pair_at).collect();
        let sides = misses_of(site, &pairs, &is_asked, &|(a, b)| !taken.has(PagePair { langs, a, b }));
        let mut misses: Vec<PageIds> = sides.concat();
        misses.sort_unstable();
        misses.dedup();
        let mut said: FxHashMap<PageIds, f64> = FxHashMap::default();
        for misses in misses.chunks(AT_ONCE) {
            let found = site.similarities(misses, dictionaries)?;
            said.extend(misses.iter().copied().zip(found.iter().map(counted)));
        }
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

/// Pairs that are no near misses.
struct Taken {
    pairs: FxHashSet<PagePair>,
    /// Pages that people gave a partner.
    pinned: FxHashSet<u32>,
}

impl Taken {
    fn new(site: &SiteView<'_>, compared: &[Compared]) -> Taken {
        let by_address = compared.iter().map(|one| one.candidate).filter(|one| one.method.is_by_address());
        let pairs = by_address.map(|one| one.pair).chain(site.forbidden()).collect();
        Taken { pairs, pinned: site.pins().into_iter().flat_map(|pair| [pair.a, pair.b]).collect() }
    }

    fn has(&self, pair: PagePair) -> bool {
        self.pairs.contains(&pair) || self.pinned.contains(&pair.a) || self.pinned.contains(&pair.b)
    }
}

/// The near misses of the pairs that are asked about: for each first page with pages beside the second, and the other way round.
fn misses_of(
    site: &SiteView<'_>,
    pairs: &[PageIds],
    is_asked: &[bool],
    is_miss: &dyn Fn(PageIds) -> bool,
) -> [Vec<PageIds>; 2] {
    let turned: Vec<PageIds> = pairs.iter().map(|&(a, b)| (b, a)).collect();
    let of_first = near_misses(site, pairs, is_asked, REACH).into_iter();
    let of_second = near_misses(site, &turned, is_asked, REACH).into_iter().map(|(b, a)| (a, b));
    [of_first.filter(|&miss| is_miss(miss)).collect(), of_second.filter(|&miss| is_miss(miss)).collect()]
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

    /// What near misses leave of pairs of a method, where French pages have the contents of these English ones. All but the last are
    /// wanted. Pairs are asked about whose evidence is below `usual`.
    fn near(method: Method, contents: [usize; 6], usual: f64) -> Vec<Option<f32>> {
        let text = |page: usize| (0..12).map(|at| format!("{} ", 1000 * (page + 1) + 7 * at * at)).collect::<String>();
        let urls: Vec<String> =
            ["en", "fr"].iter().flat_map(|lang| (0..6).map(move |at| format!("{lang}/{at}"))).collect();
        let texts: Vec<String> = (0..6).map(text).chain(contents.map(text)).collect();
        let pages: Vec<_> =
            urls.iter().zip(&texts).map(|(url, text)| (url.as_str(), &url[..2], text.as_str())).collect();
        let site = ListedSite::new(&pages);
        let view = site.view();
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let candidate = |at: u32| Candidate { pair: PagePair { langs, a: at, b: at + 6 }, method, key: None };
        let candidates: Vec<Candidate> = (0..6).map(candidate).collect();
        let mut compared = view.compared(&candidates, &NoWords).expect("pages in memory");
        // Equal numbers are equal texts.
        compared.iter_mut().for_each(|one| one.same_text = false);
        let mut params = Params::default();
        params.prior.usual = usual;
        let knows: (&dyn Dictionaries, &dyn Fn(LangPair) -> Scorer) = (&NoWords, &|_| Scorer::default());
        let is_wanted = |one: &Compared| one.candidate.pair.a != 5;
        compare_near_misses(&view, &mut compared, &is_wanted, knows, &params).expect("pages in memory");
        compared.iter().map(|one| one.similarities.get(Measure::Near)).collect()
    }

    #[test]
    fn a_page_with_the_contents_of_its_neighbour_is_doubted_and_its_neighbour_too() {
        let all = f64::INFINITY;
        let right = near(Method::Key, [0, 1, 2, 3, 4, 5], all);
        assert!(right[..5].iter().all(|near| near.is_some_and(|near| near > 0.5)), "{right:?}");
        assert_eq!(right[5], None, "it was not wanted");
        let exchanged = near(Method::Key, [0, 2, 1, 3, 4, 5], all);
        assert!([1, 2].iter().all(|&at| exchanged[at].is_some_and(|near| near < 0.1)), "{exchanged:?}");
        assert!(exchanged[4].is_some_and(|near| near > 0.5), "{exchanged:?}");
        // The contents of one page stand at the next address as well, so that one page of the pair is as good elsewhere.
        let twice = near(Method::Key, [0, 1, 1, 3, 4, 5], all);
        assert!(twice[1].is_some_and(|near| near < 0.1) && twice[4].is_some_and(|near| near > 0.5), "{twice:?}");
    }

    #[test]
    fn nothing_is_asked_of_pairs_with_much_evidence_and_of_pairs_that_no_address_proposes() {
        let exchanged = [0, 2, 1, 3, 4, 5];
        assert_eq!(near(Method::Words, exchanged, f64::INFINITY), [None; 6]);
        let found = near(Method::Key, exchanged, Params::default().prior.usual.min(3.0));
        assert!([1, 2].iter().all(|&at| found[at].is_some()) && found[0].is_none() && found[3].is_none(), "{found:?}");
    }
}
