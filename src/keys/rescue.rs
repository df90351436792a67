//! Weak keys that are credible across sites (Zhang, Yao & Kit 2013, §2.1): what each site adds to the credibility of a pattern,
//! and which patterns are looked for once more in which sites.

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::credibility::{self, GlobalSum, State};
use super::found::FoundKey;
use super::params::Params;
use crate::error::Result;
use crate::types::{Counted, LangPair, NULL, SiteId, unescape};

/// What a site adds to the global credibility of a pattern, as found without help from other sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The pattern ([`Key::pattern`](crate::types::Key::pattern)).
    pub pattern: String,
    /// What is added.
    pub sum: GlobalSum,
    /// The pattern is strong in the site.
    pub is_strong: bool,
}

/// What the keys of a site add, by pattern. The same key may be found in a domain and in folders within it: of scopes that share pages, the one
/// in which it adds most counts. Cost: n log n, n being the ranges of the scopes.
pub fn contributions(keys: &[FoundKey], params: &Params) -> Vec<Contribution> {
    let mut by_pattern: BTreeMap<String, Vec<(GlobalSum, &FoundKey)>> = BTreeMap::new();
    for found in keys {
        let added = credibility::contribution(&found.evidence, params);
        by_pattern.entry(found.key.pattern()).or_default().push((added, found));
    }
    let of_pattern = |(pattern, mut found): (String, Vec<(GlobalSum, &FoundKey)>)| {
        found.sort_by(|x, y| y.0.cmp(&x.0).then_with(|| x.1.scope.cmp(&y.1.scope)));
        // What a person names on one site is no evidence on others.
        let is_strong = found.iter().any(|(_, key)| !key.state.is_out() && key.state != State::Named);
        let mut counted: BTreeMap<LangPair, Counted> = BTreeMap::new();
        let counts = found.iter().filter(|(_, key)| counted.entry(key.key.langs).or_default().count(&key.scope));
        Contribution { pattern, sum: counts.map(|(added, _)| added).sum(), is_strong }
    };
    by_pattern.into_iter().map(of_pattern).collect()
}

/// How the global credibility of patterns changes when results of sites take the place of older ones.
#[derive(Debug, Default)]
pub struct Changes {
    /// What is added to the sum, and to the number of sites.
    by_pattern: BTreeMap<String, (i128, i64)>,
}

impl Changes {
    /// A site now adds this to a pattern.
    pub fn add(&mut self, pattern: &str, sum: GlobalSum) {
        let change = self.of(pattern);
        *change = (change.0 + i128::from(sum), change.1 + 1);
    }

    /// A site no longer adds this to a pattern.
    pub fn take_back(&mut self, pattern: &str, sum: GlobalSum) {
        let change = self.of(pattern);
        *change = (change.0 - i128::from(sum), change.1 - 1);
    }

    fn of(&mut self, pattern: &str) -> &mut (i128, i64) {
        if !self.by_pattern.contains_key(pattern) {
            self.by_pattern.insert(pattern.to_owned(), (0, 0));
        }
        self.by_pattern.get_mut(pattern).expect("it was put in above")
    }

    /// Gives each pattern that changes, sorted, with its sum and its number of sites; `known` gives both as they were.
    ///
    /// # Errors
    /// What `known` and `each` return.
    pub fn for_each(
        self,
        mut known: impl FnMut(&str) -> Result<(GlobalSum, u32)>,
        mut each: impl FnMut(&str, GlobalSum, u32) -> Result<()>,
    ) -> Result<()> {
        for (pattern, change) in self.by_pattern.into_iter().filter(|(_, change)| *change != (0, 0)) {
            let (sum, sites) = known(&pattern)?;
            let sum = GlobalSum::try_from(i128::from(sum) + change.0).unwrap_or(0);
            let sites = u32::try_from(i64::from(sites) + change.1).unwrap_or(0);
            each(&pattern, sum, sites)?;
        }
        Ok(())
    }
}

/// What rescuing asks of the sites of an archive.
pub trait Sites {
    /// How many there are, numbered from 0.
    fn count(&self) -> Result<u32>;

    /// The sites a URL of which has this token.
    fn with_token(&self, token: &str) -> Result<RoaringBitmap>;

    /// [`hash_of`] the patterns that were looked for when the results of a site were made.
    fn considered(&self, site: SiteId) -> Result<u64>;

    /// Calls `each` with what a site adds to each pattern, and whether the pattern is strong there.
    fn for_each_contribution(&self, site: SiteId, each: &mut dyn FnMut(&str, GlobalSum, bool)) -> Result<()>;
}

/// The sites where credible patterns may match more than was found, with these patterns; and the sites where patterns were looked
/// for that are no longer credible, with those that still are. `credible` has the patterns above
/// [`Params::rescue_above`], with their global sums.
///
/// # Errors
/// What `sites` returns.
pub fn tasks(
    credible: &BTreeMap<String, GlobalSum>,
    sites: &dyn Sites,
    params: &Params,
) -> Result<Vec<(SiteId, BTreeSet<String>)>> {
    let min_credibility = params.rescue_above.unwrap_or(f64::INFINITY);
    let by_others = |pattern: &str, own: GlobalSum| {
        let sum = credible.get(pattern).copied().unwrap_or(0);
        !params.rescue_by_others || credibility::global(sum.saturating_sub(own)) > min_credibility
    };
    let mut candidates = sites_of_patterns(credible.keys(), sites)?;
    let mut tasks = Vec::new();
    for site in (0..sites.count()?).map(SiteId) {
        let mut patterns = candidates.remove(&site).unwrap_or_default();
        let considered = sites.considered(site)?;
        if patterns.is_empty() && considered == 0 {
            continue;
        }
        sites.for_each_contribution(site, &mut |pattern, sum, is_strong| {
            if is_strong || !by_others(pattern, sum) {
                patterns.remove(pattern);
            }
        })?;
        if hash_of(&patterns) != considered {
            tasks.push((site, patterns));
        }
    }
    Ok(tasks)
}

/// The patterns whose texts all stand in URLs of a site, of each site that has any.
fn sites_of_patterns<'p>(
    patterns: impl Iterator<Item = &'p String>,
    sites: &dyn Sites,
) -> Result<BTreeMap<SiteId, BTreeSet<String>>> {
    let mut found: BTreeMap<SiteId, BTreeSet<String>> = BTreeMap::new();
    for pattern in patterns {
        let mut matching: Option<RoaringBitmap> = None;
        for token in tokens_of(pattern) {
            let with_token = sites.with_token(&token)?;
            matching = Some(match matching {
                Some(matching) => matching & with_token,
                None => with_token,
            });
        }
        // Cores are no tokens: any site may have them.
        let matching = match matching {
            Some(matching) => matching,
            None => (0..sites.count()?).collect(),
        };
        for site in matching.iter().map(SiteId) {
            found.entry(site).or_default().insert(pattern.clone());
        }
    }
    Ok(found)
}

/// The texts that a URL must have for a pattern to apply: tokens, and no (null) or core.
fn tokens_of(pattern: &str) -> impl Iterator<Item = String> {
    let sides = pattern.split('+').flat_map(|edit| edit.split(':').skip(1));
    sides.filter(|text| *text != NULL && !text.starts_with('~')).map(unescape)
}

/// The texts on either side of some patterns.
pub(super) fn sides(patterns: &FxHashSet<String>) -> FxHashSet<String> {
    let sides = patterns.iter().flat_map(|pattern| pattern.split(['+', ':']));
    sides.map(|text| unescape(text.trim_start_matches('~'))).collect()
}

/// A hash that tells one set of patterns from another; 0 for none.
pub fn hash_of<'s>(patterns: impl IntoIterator<Item = &'s String>) -> u64 {
    patterns.into_iter().fold(0, |hash, pattern| xxh3_64(format!("{hash} {pattern}").as_bytes()) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::credibility::{KeyEvidence, State};
    use crate::types::{Edit, Field, Key, KeyScope, Lang};

    fn found(from: &str, to: &str, power: u64, state: State) -> FoundKey {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let edits = vec![Edit { field: Field::Path, from: from.into(), to: to.into(), core: false }];
        let evidence = KeyEvidence { power, pages: (50, 50), all_pages: 100 };
        FoundKey { key: Key { langs, edits }, evidence, state, assigned: 0, scope: (0..100).into(), pairs: Vec::new() }
    }

    #[test]
    fn keys_of_one_pattern_add_up_and_are_strong_if_one_is() {
        let mut keys = [
            found("en", "zh", 30, State::Weak),
            found("en", "zh", 5, State::Strong),
            found("a", "b", 5, State::Weak),
            found("en", "zh", 20, State::Weak),
        ];
        keys[1].scope = (100..200).into();
        // Pages that have been counted, beside others.
        keys[3].scope = KeyScope::new([50..60, 300..400]);
        let added = contributions(&keys, &Params::default());
        // By hand: 60·60/100 + 10·10/100 = 37, and 1.
        let expected = [("path:a:b", 1.0, false), ("path:en:zh", 37.0, true)];
        assert_eq!(added.len(), 2);
        for (found, (pattern, sum, is_strong)) in added.iter().zip(expected) {
            assert_eq!((found.pattern.as_str(), found.is_strong), (pattern, is_strong));
            assert!((credibility::global(found.sum) - sum).abs() < 1e-5);
        }
    }

    #[test]
    fn a_site_that_is_done_again_counts_once() {
        let mut changes = Changes::default();
        changes.take_back("p", 40);
        changes.add("p", 50);
        changes.add("q", 7);
        changes.take_back("r", 3);
        changes.take_back("same", 5);
        changes.add("same", 5);
        let mut seen = Vec::new();
        let known = |pattern: &str| Ok(if pattern == "q" { (0, 0) } else { (100, 2) });
        let each = |pattern: &str, sum: GlobalSum, sites: u32| {
            seen.push((pattern.to_owned(), sum, sites));
            Ok(())
        };
        changes.for_each(known, each).expect("nothing fails");
        assert_eq!(seen, [("p".into(), 110, 2), ("q".into(), 7, 1), ("r".into(), 97, 1)]);
    }

    #[derive(Default)]
    struct Site {
        tokens: &'static [&'static str],
        considered: Vec<String>,
        contributions: Vec<(&'static str, f64, bool)>,
    }

    fn sum(pages: f64) -> GlobalSum {
        (pages * f64::from(1 << 20)) as GlobalSum
    }

    struct Archive(Vec<Site>);

    impl Sites for Archive {
        fn count(&self) -> Result<u32> {
            Ok(self.0.len() as u32)
        }

        fn with_token(&self, token: &str) -> Result<RoaringBitmap> {
            Ok((0..self.0.len() as u32).filter(|&site| self.0[site as usize].tokens.contains(&token)).collect())
        }

        fn considered(&self, site: SiteId) -> Result<u64> {
            Ok(hash_of(&self.0[site.0 as usize].considered))
        }

        fn for_each_contribution(&self, site: SiteId, each: &mut dyn FnMut(&str, GlobalSum, bool)) -> Result<()> {
            let contributions = &self.0[site.0 as usize].contributions;
            contributions.iter().for_each(|(pattern, pages, is_strong)| each(pattern, sum(*pages), *is_strong));
            Ok(())
        }
    }

    #[test]
    fn sites_are_looked_at_again_where_a_credible_pattern_may_match() {
        let pattern = || "path:en:zh".to_owned();
        let sites = Archive(vec![
            // Strong here: nothing to rescue.
            Site { tokens: &["en", "zh"], contributions: vec![("path:en:zh", 900.0, true)], ..Site::default() },
            // Weak here, credible elsewhere.
            Site { tokens: &["en", "zh"], contributions: vec![("path:en:zh", 1.0, false)], ..Site::default() },
            // Not both texts.
            Site { tokens: &["en"], ..Site::default() },
            // Looked for already.
            Site { tokens: &["en", "zh"], considered: vec![pattern()], ..Site::default() },
            // Looked for a pattern that is no longer credible.
            Site { tokens: &[], considered: vec!["path:x:y".into()], ..Site::default() },
        ]);
        let credible = BTreeMap::from([(pattern(), sum(901.0))]);
        let found = tasks(&credible, &sites, &Params::default()).expect("nothing fails");
        assert_eq!(found, [(SiteId(1), BTreeSet::from([pattern()])), (SiteId(4), BTreeSet::new())]);
    }

    #[test]
    fn the_own_part_of_a_site_does_not_rescue_its_weak_keys() {
        let sites = Archive(vec![
            Site { tokens: &["en", "zh"], contributions: vec![("path:en:zh", 600.0, false)], ..Site::default() },
            Site { tokens: &["en", "zh"], contributions: vec![("path:en:zh", 10.0, false)], ..Site::default() },
        ]);
        let credible = BTreeMap::from([("path:en:zh".to_owned(), sum(610.0))]);
        let of = |rescue_by_others| {
            let params = Params { rescue_by_others, ..Params::default() };
            tasks(&credible, &sites, &params)
                .expect("nothing fails")
                .into_iter()
                .map(|task| task.0.0)
                .collect::<Vec<_>>()
        };
        assert_eq!((of(true), of(false)), (vec![1], vec![0, 1]));
    }

    #[test]
    fn tokens_are_texts_that_are_neither_null_nor_cores() {
        let tokens = |pattern: &str| tokens_of(pattern).collect::<Vec<_>>();
        assert_eq!(tokens("path:en:fr+file:(null):fr"), ["en", "fr", "fr"]);
        assert_eq!(tokens("file:~e:~f"), [""; 0]);
    }

    #[test]
    fn sides_are_texts_without_the_mark_of_cores_and_with_their_own_tildes() {
        let patterns = FxHashSet::from_iter(["file:%7Ed:%7Ee".to_owned(), "file:~x:~y".to_owned()]);
        let sides = sides(&patterns);
        assert!(["~d", "~e", "x", "y"].iter().all(|side| sides.contains(*side)), "{sides:?}");
    }
}
