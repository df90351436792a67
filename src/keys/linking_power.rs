//! Linking power: how many URL pairs a key matches (Kit & Ng 2007, eq. 2), exactly.

use std::path::Path;

use super::candidate::{KeyCandidate, Scan, Values, count_candidates};
use crate::error::Result;
use crate::index::postings::Postings;
use crate::index::site::SiteIndex;
use crate::index::sorter::{Entry, Sorter};

/// Candidates with their linking power, and the postings that hold their pairs.
pub struct Ranked {
    /// What the candidates' numbers mean.
    pub values: Values,
    /// Candidates and their linking power, in the order of [`KeyCandidate`].
    pub candidates: Vec<(KeyCandidate, u64)>,
    /// Token → skeletons.
    pub postings: Postings,
}

/// Finds the candidates of a scan and counts their pairs.
///
/// `keep` tells from an estimate of the linking power whether a candidate is worth an exact count; the estimate is
/// exact on all but large sites. Memory: the sample ([`super::params::Params::sample_entries`]), the sorter's budget, then a bit and
/// four bytes for each (kept value, skeleton).
///
/// # Errors
/// When entries beyond the memory budget cannot be written to `folder`.
pub fn rank(scan: &Scan<'_, '_>, folder: &Path, keep: &dyn Fn(&KeyCandidate, &Values, u64) -> bool) -> Result<Ranked> {
    let (values, entries, rate) = scan.sample();
    let mut counts = count_candidates(scan.site, &values, &entries);
    // An estimate errs both ways: what seems to have half the minimum power is counted exactly.
    let doubt = if rate == 1 { 1 } else { 2 };
    counts.retain(|(candidate, count)| keep(candidate, &values, u64::from(*count) * rate * doubt));
    let mut wanted = vec![false; values.list.len()];
    for (candidate, _) in &counts {
        wanted[candidate.from as usize] = true;
        wanted[candidate.to as usize] = true;
    }
    let mut builder = Builder::default();
    if rate == 1 {
        for group in entries.chunk_by(|a, b| a.key == b.key) {
            builder.add(scan.site, group.iter().filter(|entry| wanted[entry.value as usize]));
        }
    } else {
        let expected = entries.iter().filter(|entry| wanted[entry.value as usize]).count() as u64 * rate;
        drop(entries);
        let mut sorter = Sorter::new(scan.params.memory_bytes, folder);
        sorter.expect(usize::try_from(expected + expected / 8).unwrap_or(usize::MAX));
        scan.entries_of(&values, &wanted, |entry| sorter.push(entry))?;
        sorter.for_each_group(|group| {
            builder.add(scan.site, group.iter());
            Ok(())
        })?;
    }
    let postings = builder.postings;
    let power = |c: &KeyCandidate| postings.linking_power((c.from, c.label_a), (c.to, c.label_b));
    let candidates = counts.into_iter().map(|(candidate, _)| (candidate, power(&candidate))).collect();
    Ok(Ranked { values, candidates, postings })
}

#[derive(Default)]
struct Builder {
    postings: Postings,
    skeletons: u32,
}

impl Builder {
    /// Adds one skeleton, unless all that fills it is in one language.
    fn add<'e>(&mut self, site: &SiteIndex<'_>, group: impl Iterator<Item = &'e Entry> + Clone) {
        let label = |entry: &Entry| site.labels[entry.page as usize];
        let mut labels = group.clone().map(label);
        let Some(first) = labels.next() else { return };
        if labels.all(|other| other == first) {
            return;
        }
        for entry in group {
            self.postings.push(entry.value, label(entry), self.skeletons, entry.page);
        }
        self.skeletons += 1;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::index::site::{NO_LABEL, Urls};
    use crate::keys::credibility::names_languages;
    use crate::keys::params::Params;
    use crate::keys::rescue;
    use crate::keys::slots::tests::{SHAPES, Way, ways};
    use crate::keys::slots::{Cutting, Role, Shape, for_each_span, span_marker};
    use crate::keys::small_sites::{any_params, any_rescue, config, labelled, small_site};
    use crate::text::tokens::{Anatomy, Separators};
    use crate::types::{Edit, Field, Key, LangPair};

    /// Skeletons of one URL, and the ways it fills each.
    type Filled = BTreeMap<u64, Vec<Way>>;

    pub fn filled(shape: Shape, identity: &str, params: &Params, is_marker: &dyn Fn(u64) -> bool) -> Filled {
        let (mut url, mut filled) = (Anatomy::default(), Filled::new());
        assert!(url.read(identity, params.separators));
        for (skeleton, _, way) in ways(shape, &url, params, is_marker) {
            filled.entry(skeleton).or_default().push(way);
        }
        filled
    }

    /// What turns one URL into another, and in which skeletons.
    pub fn shared<'t>(shape: Shape, u: &'t Filled, v: &'t Filled, params: &Params) -> Vec<(u64, Vec<Edit>)> {
        let both = u.iter().filter_map(|(skeleton, ways)| Some((*skeleton, ways, v.get(skeleton)?)));
        let pairs = both.flat_map(|(s, us, vs)| us.iter().flat_map(move |x| vs.iter().map(move |y| (s, x, y))));
        pairs.filter_map(|(skeleton, x, y)| Some((skeleton, edits(shape, x, y, params.separators)?))).collect()
    }

    /// A key must not be reducible: where both sides have a text, the two begin with different tokens and end with different
    /// tokens (bytes, for cores).
    fn edits(shape: Shape, x: &Way, y: &Way, separators: Separators) -> Option<Vec<Edit>> {
        let separates = |c: char| match separators {
            Separators::Punctuation => !c.is_alphanumeric() && c != '%',
            Separators::KitNg => ":/.-_".contains(c),
        };
        let ends = |text: &str| {
            let (first, last) = match shape {
                Shape::Cores => (&text[..1], &text[text.len() - 1..]),
                _ => (text.split(separates).next()?, text.rsplit(separates).next()?),
            };
            Some([first, last].map(|end| if end.is_empty() { text.to_owned() } else { end.to_owned() }))
        };
        let (long, short, turned) = match (x.role, y.role) {
            (Role::Plain, Role::Plain) | (Role::Cut, Role::Null) => (x, y, false),
            (Role::Null, Role::Cut) => (y, x, true),
            _ => return None,
        };
        let mut others = short.parts.iter();
        let edit = |(field, text, cut): &(Field, String, bool)| {
            let other = if *cut { "" } else { &others.next()?.1 };
            if !cut && ends(text)?.into_iter().zip(ends(other)?).any(|(one, other)| one == other) {
                return None;
            }
            let (from, to) = if turned { (other, text.as_str()) } else { (text.as_str(), other) };
            Some(Edit { field: *field, from: from.into(), to: to.into(), core: shape == Shape::Cores })
        };
        long.parts.iter().map(edit).collect()
    }

    /// Spans that may be part of compound keys, with their languages: frequent, and in one language in seven cases of ten.
    fn markers(scan: &Scan<'_, '_>) -> BTreeMap<u64, FxHashSet<u16>> {
        let mut counts: BTreeMap<u64, BTreeMap<u16, u32>> = BTreeMap::new();
        let labels = || scan.pages.iter().map(|&page| (page, scan.site.labels[page as usize]));
        for (page, label) in labels().filter(|(_, label)| *label != NO_LABEL) {
            let mut url = Anatomy::default();
            assert!(url.read(scan.site.urls.identity(page), scan.params.separators));
            for_each_span(Shape::Compound, &url, scan.params, |segment, span| {
                let marker = span_marker(&url, &Cutting { field: segment.field, span, cut: false });
                *counts.entry(marker).or_default().entry(label).or_default() += 1;
            });
        }
        let size = |of: u16| labels().filter(|(_, label)| *label == of).count() as u32;
        let often = |(langs, label, count): (&BTreeMap<u16, u32>, u16, u32)| {
            count >= scan.params.min_count(size(label)) && 10 * count >= 7 * langs.values().sum::<u32>()
        };
        let of = |langs: &BTreeMap<u16, u32>| {
            langs.iter().map(|(&l, &n)| (langs, l, n)).filter(|x| often(*x)).map(|x| x.1).collect()
        };
        counts.into_iter().map(|(marker, langs)| (marker, of(&langs))).collect()
    }

    /// What each key matches, from every two pages: p(κ) (Kit & Ng 2007, eq. 2) counts skeletons, once for each, as pages whose
    /// URLs differ in the order of parameters only count as one, and so do the places where one URL may have had what is (null)
    /// in the other. The pair is that of the first page on either side.
    pub fn by_definition(scan: &Scan<'_, '_>) -> BTreeMap<Key, BTreeMap<u64, (u32, u32)>> {
        let markers = markers(scan);
        let pages = scan.pages.iter().map(|&page| (page, scan.site.labels[page as usize]));
        let pages = pages.filter(|(_, label)| *label != NO_LABEL).map(|(page, label)| {
            let is_marker = |marker| markers.get(&marker).is_some_and(|labels| labels.contains(&label));
            (page, label, filled(scan.shape, scan.site.urls.identity(page), scan.params, &is_marker))
        });
        let pages: Vec<(u32, u16, Filled)> = pages.collect();
        let mut matches: BTreeMap<Key, BTreeMap<u64, (u32, u32)>> = BTreeMap::new();
        for (u, label_u, filled_u) in &pages {
            for (v, label_v, filled_v) in pages.iter().filter(|(_, label_v, _)| label_u < label_v) {
                let lang = |label: &u16| scan.site.langs[usize::from(*label)];
                let langs = LangPair::new(lang(label_u), lang(label_v)).expect("two languages");
                for (skeleton, edits) in shared(scan.shape, filled_u, filled_v, scan.params) {
                    let pair = matches.entry(Key { langs, edits }).or_default().entry(skeleton).or_insert((*u, *v));
                    *pair = (pair.0.min(*u), pair.1.min(*v));
                }
            }
        }
        matches
    }

    proptest! {
        #![proptest_config(config(300, 2000))]
        /// Where all is counted, all keys must be there that are frequent, name their languages or are rescued; a sample may
        /// miss some, but what it leads to must be counted as exactly.
        #[test]
        fn keys_powers_and_pairs_are_those_of_every_two_urls(
            (site, params, rescue, is_sample) in (small_site(), any_params(), any_rescue(), any::<bool>()),
        ) {
            let index = labelled(&site, &params);
            let (pages, exempt): (Vec<u32>, _) = ((0..site.count()).collect(), rescue::sides(&rescue));
            let sizes = index.sizes(0..site.count());
            let size = |lang| index.langs.binary_search(&lang).map_or(0, |label| sizes[label]);
            let few = Params { sample_entries: 64, memory_bytes: 0, ..params.clone() };
            let params = if is_sample { few } else { params };
            // Counts of a sample are upper bounds: some spans are markers by mistake.
            for shape in SHAPES.into_iter().filter(|shape| !is_sample || *shape != Shape::Compound) {
                let scan = Scan { site: &index, pages: &pages, shape, params: &params, exempt: &exempt, watch: &() };
                let ranked = rank(&scan, &std::env::temp_dir(), &|_, _, _| true).expect("a folder for temporary files");
                let mut expected = by_definition(&scan);
                for (c, power) in &ranked.candidates {
                    let key = scan.key(c, &ranked.values).expect("two languages");
                    let mut pairs = ranked.postings.pairs((c.from, c.label_a), (c.to, c.label_b));
                    let mut matches: Vec<_> = expected.remove(&key).into_iter().flat_map(BTreeMap::into_values).collect();
                    pairs.sort_unstable();
                    matches.sort_unstable();
                    prop_assert_eq!((*power, pairs), (matches.len() as u64, matches), "{:?}", key);
                }
                for (key, matches) in expected.into_iter().filter(|_| !is_sample) {
                    let least = params.min_count(size(key.langs.a).min(size(key.langs.b))) as usize;
                    let is_kept = matches.len() >= least || names_languages(&key) || rescue.contains(&key.pattern());
                    prop_assert!(!is_kept, "{:?} is missing", key);
                }
            }
        }
    }
}
