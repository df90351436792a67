//! All candidates that can be proposed without comparing pages.

use rustc_hash::FxHashSet;

use super::hreflang::of_hreflang;
use super::keys::{of_keys, of_marks, of_weak_keys};
use super::links::of_mutual_links;
use super::order;
use super::partners::Partners;
use super::signs::Signs;
use crate::error::Result;
use crate::judge::score::Scorer;
use crate::judge::{self, JudgedPairs, beside_versions, near, unique};
use crate::keys::KnownKeys;
use crate::types::{Candidate, Compared, LangPair, Method};
use crate::verify::{Dictionaries, SiteView};

/// All candidates that URLs, declarations and language bars propose. Without `known` keys, URLs propose none.
pub fn direct(site: &SiteView<'_>, known: Option<(&KnownKeys, &Signs)>) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some((known, signs)) = known {
        found = of_keys(site, known);
        let paired = Partners::of(found.iter().map(|candidate| candidate.pair));
        found.extend(of_marks(site, signs.marks(), &paired));
        found.extend(of_weak_keys(site, known, &paired));
    }
    found.extend(site.pins().into_iter().map(|pair| Candidate { pair, method: Method::Pinned, key: None }));
    found.extend(of_hreflang(site));
    found.extend(of_mutual_links(site));
    // A page that has strayed was found at the address of another page, so declarations about that address, and about the address that it
    // names, are about other pages.
    let has_strayed = |one: &Candidate| [one.pair.a, one.pair.b].iter().any(|&page| site.has_strayed(page));
    found.retain(|one| one.method == Method::Pinned || !has_strayed(one));
    unique(found)
}

/// Judges all candidates that URLs, declarations and language bars propose on a site, and also pairs of numbered pages where equal numbers
/// do not go together, or near misses speak against it. `knows` has the word translations and the weights of each language pair.
///
/// # Errors
/// When a page cannot be read.
pub fn judge_direct(
    site: &SiteView<'_>,
    known: Option<&KnownKeys>,
    knows: (&dyn Dictionaries, &dyn Fn(LangPair) -> Scorer),
    params: &judge::Params,
) -> Result<JudgedPairs> {
    let (dictionaries, scorer) = knows;
    let signs = known.map_or_else(|| Signs::without_keys(site), |known| Signs::of(site, known));
    let candidates = direct(site, known.map(|known| (known, &signs)));
    let forbidden = site.forbidden();
    let is_allowed = |candidate: &Candidate| !forbidden.contains(&candidate.pair);
    let (candidates, refused): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_allowed);
    if candidates.is_empty() && refused.is_empty() {
        return Ok(JudgedPairs::default());
    }
    let mut compared = site.compared(&candidates, dictionaries)?;
    compared.iter_mut().for_each(|one| signs.set(site, one));
    near::compare_near_misses(site, &mut compared, &|_| true, knows, params)?;
    let decide = |compared: &[Compared]| judge::judge(compared, scorer, site.parts(), params);
    let mut judged = decide(&compared);
    let is_doubtful = |one: &Compared| {
        let near = near::evidence(&one.similarities);
        let contents = || params.fit.counted(scorer(one.candidate.pair.langs).contents(&one.similarities));
        (near < 0.0 && contents() + near < 0.0) || judged.is_doubtful(&one.candidate, site.parts())
    };
    let mut series = order::series(site, &compared, is_doubtful);
    if !series.is_empty() {
        let mut more = order::of_series(site, &mut series, &compared);
        more.retain(is_allowed);
        let mut more = site.compared(&more, dictionaries)?;
        more.iter_mut().for_each(|one| signs.set(site, one));
        compared.extend(more);
        let evidence = |one: &Compared| scorer(one.candidate.pair.langs).contents(&one.similarities);
        order::set_order(site, &series, &mut compared, evidence);
        let of_series: FxHashSet<LangPair> = series.iter().map(|series| series.langs).collect();
        let is_of_series = |one: &Compared| of_series.contains(&one.candidate.pair.langs);
        near::compare_near_misses(site, &mut compared, &is_of_series, knows, params)?;
        judged = decide(&compared);
    }
    beside_versions(&mut judged.pairs, &params.prior);
    judged.pairs.extend(refused.into_iter().map(judge::refused));
    judged.pairs.sort_unstable_by_key(|judged| judged.pair);
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::FoundPair;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn no_address_proposes_a_page_that_has_strayed() {
        let pages = ["en/a", "en/b", "en/c", "fr/a", "fr/b", "fr/c"].map(|url| (url, &url[..2], ""));
        let versions = [(0, 3), (1, 4), (2, 5), (3, 1), (4, 0), (5, 2)];
        let own = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 3), (5, 5)];
        let site =
            versions.into_iter().fold(ListedSite::new(&pages), |site, (page, other)| site.alternate(page, other));
        let site = own.into_iter().fold(site, |site, (page, named)| site.canonical(page, named));
        let keys = [(0, 3), (1, 4), (2, 5)].map(|(a, b)| FoundPair { a, b, key: 0 });
        let known = KnownKeys { keys: Vec::new(), pairs: keys.to_vec() };
        let signs = Signs::of(&site.view(), &known);
        let found = direct(&site.view(), Some((&known, &signs)));
        assert_eq!(found.iter().map(|one| (one.pair.a, one.pair.b)).collect::<Vec<_>>(), [(2, 5)]);
    }

    #[test]
    fn what_two_methods_propose_is_one_candidate_of_the_more_trusted() {
        let site = ListedSite::new(&[("a", "en", ""), ("b", "fr", "")]).alternate(0, 1);
        let known = KnownKeys { keys: Vec::new(), pairs: vec![FoundPair { a: 0, b: 1, key: 0 }] };
        let signs = Signs::of(&site.view(), &known);
        let method = |known| direct(&site.view(), known).iter().map(|one| one.method).collect::<Vec<_>>();
        assert_eq!((method(Some((&known, &signs))), method(None)), (vec![Method::Key], vec![Method::Hreflang]));
    }
}
