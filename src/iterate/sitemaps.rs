//! Tells which of the pairs that sitemaps declare are borne out by the pages.
//!
//! A sitemap is made by a program, and what is wrong in it nobody sees: it may be of another age than the pages, or pair them by their numbers.
//! So its pairs are compared with near misses: the same pages with other pages of the same language. The contents of right pairs are nearly
//! always more alike than those of their near misses; those of wrong pairs are so half of the time. Words are learnt from the pairs
//! themselves, each half of them for the other half: right pairs have words that translate each other on other pages too, wrong ones have not.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::index::parts::{WHOLE, WORTH};
use crate::judge::odds::EVEN;
use crate::judge::unique;
use crate::learn::{self, ByPart, Model, Models, WithOwn, learn_from_site};
use crate::propose::of_sitemaps;
use crate::types::{Candidate, Compared, LangPair, PagePair};
use crate::verify::{Dictionaries, PageIds, SiteView};

/// How many pairs of a part of the site are compared with their near misses at most. So many suffice to tell a share to within a twentieth.
const SAMPLE: usize = 100;
/// How many comparisons a part of the site needs to be judged by itself; with fewer, it is judged together with the part around it (an
/// estimate).
const MIN_COMPARED: f64 = 12.0;
/// Evidence that differs by less, in nats, is a draw.
const TIE: f64 = 0.05;

/// The pairs that sitemaps declare and that the pages bear out.
#[derive(Default)]
pub struct Believed {
    /// The pairs, sorted.
    pub listed: Vec<Candidate>,
    /// The models that were learnt from these pairs, for languages of which the run knows nothing.
    pub models: ByPart<Model>,
}

/// The pairs that the sitemaps of the site declare and that are not among the `surer` ones, which are sorted, in those parts in which the
/// contents of the pages bear them out. `evidence` is that of contents, in nats.
///
/// If a share s of the pairs is right, these win all their comparisons, and the wrong pairs win half of theirs: together the share s + (1 −
/// s)/2 is won. So s is estimated as the comparisons won less those lost, divided by all comparisons.
///
/// # Errors
/// When a page cannot be read.
pub fn believed(
    (site, surer): (&SiteView<'_>, &[PagePair]),
    run: &Models,
    params: &learn::Params,
    evidence: &(dyn Fn(&Compared) -> f64 + Sync),
) -> Result<Believed> {
    let mut by_part = ByPart::<Vec<Candidate>>::new();
    let mut by_langs = ByPart::<Vec<PageIds>>::new();
    for one in unique(of_sitemaps(site)).into_iter().filter(|one| surer.binary_search(&one.pair).is_err()) {
        let PagePair { langs, a, b } = one.pair;
        by_part.entry((langs, site.parts().common(a, b))).or_default().push(one);
        by_langs.entry((langs, WHOLE)).or_default().push((a, b));
    }
    let mut own = learn_from_site(site, &by_langs, params)?;
    let dictionaries = WithOwn { run, own: &own, site };
    let misses = Misses::new(site, surer);
    let mut counts = ByPart::<Won>::new();
    for (&(langs, part), listed) in &by_part {
        let won = misses.compare(listed, &dictionaries, evidence)?;
        for part in site.parts().chain(part) {
            let sum = counts.entry((langs, part)).or_default();
            *sum = Won { compared: sum.compared + won.compared, won: sum.won + won.won, lost: sum.lost + won.lost };
        }
    }
    let is_believed = |langs: LangPair, part: u32| {
        let around = || site.parts().chain(part).map(|part| counts[&(langs, part)]);
        let speaks = around().find(|won| won.compared >= MIN_COMPARED).or_else(|| around().last());
        speaks.is_some_and(|won| won.share() >= EVEN)
    };
    by_part.retain(|of, _| is_believed(of.0, of.1));
    own.retain(|of, _| !run.knows(of.0) && by_part.keys().any(|(langs, _)| *langs == of.0));
    let mut listed: Vec<Candidate> = by_part.into_values().flatten().collect();
    listed.sort_unstable();
    Ok(Believed { listed, models: own })
}

/// How many comparisons with near misses there were, how many were won, and how many were lost.
#[derive(Clone, Copy, Default)]
struct Won {
    compared: f64,
    won: f64,
    lost: f64,
}

impl Won {
    /// The share of right pairs.
    fn share(self) -> f64 {
        (self.won - self.lost) / (self.compared + WORTH)
    }
}

/// Near misses of pairs that sitemaps declare.
struct Misses<'v, 's> {
    site: &'v SiteView<'s>,
    /// The partners that surer methods have proposed.
    partners: FxHashMap<(LangPair, u32), Vec<u32>>,
}

impl<'v, 's> Misses<'v, 's> {
    fn new(site: &'v SiteView<'s>, surer: &[PagePair]) -> Misses<'v, 's> {
        let mut partners: FxHashMap<(LangPair, u32), Vec<u32>> = FxHashMap::default();
        surer.iter().for_each(|&PagePair { langs, a, b }| partners.entry((langs, a)).or_default().push(b));
        Misses { site, partners }
    }

    /// Compares pairs of one part of the site with their near misses: a sample, spread evenly.
    fn compare(
        &self,
        listed: &[Candidate],
        dictionaries: &dyn Dictionaries,
        evidence: &(dyn Fn(&Compared) -> f64 + Sync),
    ) -> Result<Won> {
        let known: FxHashSet<PagePair> = listed.iter().map(|one| one.pair).collect();
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut ends = Vec::new();
        for at in sampled(listed.len()) {
            candidates.push(listed[at]);
            let pairs = self.of(listed, at).into_iter().filter(|pair| !known.contains(pair));
            candidates.extend(pairs.map(|pair| Candidate { pair, ..listed[at] }));
            ends.push(candidates.len());
        }
        let compared = self.site.compared(&candidates, dictionaries)?;
        let (mut sum, mut start) = (Won::default(), 0);
        for end in ends {
            if let Some((pair, misses)) = compared[start..end].split_first().filter(|(pair, _)| !pair.same_text) {
                for miss in misses.iter().filter(|miss| !miss.same_text) {
                    let better = evidence(pair) - evidence(miss);
                    sum.compared += 1.0;
                    sum.won += f64::from(u8::from(better > TIE));
                    sum.lost += f64::from(u8::from(better < -TIE));
                }
            }
            start = end;
        }
        Ok(sum)
    }

    /// The near misses of a pair: its first page with the second pages of the pairs beside it, with pages beside its own second page, and
    /// with the pages that surer methods have proposed.
    fn of(&self, listed: &[Candidate], at: usize) -> Vec<PagePair> {
        let PagePair { langs, a, b } = listed[at].pair;
        let beside = [at.checked_sub(1), Some(at + 1), Some((at + listed.len() / 2) % listed.len())];
        let mut pages: Vec<u32> =
            beside.into_iter().flatten().filter_map(|at| listed.get(at)).map(|one| one.pair.b).collect();
        let is_of_lang =
            |page: &u32| self.site.ordered(a, *page).is_some_and(|pair| pair.langs == langs && pair.b == *page);
        pages.extend(
            [b.checked_sub(1), Some(b + 1)].into_iter().flatten().filter(|page| *page < self.site.pages().count()),
        );
        pages.extend(self.partners.get(&(langs, a)).into_iter().flatten());
        pages.sort_unstable();
        pages.dedup();
        pages.retain(|page| *page != b && is_of_lang(page));
        pages.into_iter().map(|b| PagePair { langs, a, b }).collect()
    }
}

/// The places of a sample of so many pairs, spread evenly.
fn sampled(pairs: usize) -> impl Iterator<Item = usize> {
    let taken = pairs.min(SAMPLE);
    (0..taken).map(move |at| at * pairs / taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, Measure};
    use crate::verify::fixture::ListedSite;

    const PAGES: u32 = 20;

    /// English and French pages, each with a number of its own; the sitemap gives the partner of each English page.
    fn listed(partner: impl Fn(u32) -> u32) -> Believed {
        let pages: Vec<_> = ["en", "fr"]
            .into_iter()
            .flat_map(|lang| (0..PAGES).map(move |page| (format!("x.org/{lang}{page:02}"), lang, page)))
            .map(|(url, lang, page)| (url, lang, format!("{lang} {} {}\n", 1000 + 37 * page, 5000 + 91 * page)))
            .collect();
        let pages: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let fr = Lang::parse("fr").expect("a tag");
        let site =
            (0..PAGES).fold(ListedSite::new(&pages), |site, page| site.listed(page, PAGES + partner(page) % PAGES, fr));
        let view = site.view();
        let evidence = |one: &Compared| f64::from(one.similarities.get(Measure::Numbers).unwrap_or(0.0));
        let surer = [view.ordered(3, PAGES + 3).expect("two languages")];
        believed((&view, &surer), &Models::default(), &learn::Params::default(), &evidence).expect("pages in memory")
    }

    #[test]
    fn pairs_are_believed_where_they_are_more_alike_than_their_near_misses() {
        let found = listed(|page| page);
        let pairs: Vec<(u32, u32)> = found.listed.iter().map(|one| (one.pair.a, one.pair.b)).collect();
        let others: Vec<u32> = (0..PAGES).filter(|page| *page != 3).collect();
        assert_eq!(pairs, others.iter().map(|page| (*page, PAGES + page)).collect::<Vec<_>>(), "3 is paired already");
        assert_eq!(found.models.len(), 1);
        // A tenth of them may be wrong.
        assert_eq!(listed(|page| if page < 2 { 1 - page } else { page }).listed.len(), 19);
    }

    #[test]
    fn pairs_that_are_shifted_or_mixed_are_not_believed() {
        assert!(listed(|page| page + 1).listed.is_empty());
        let mixed = listed(|page| page * 7 + 3);
        assert!(mixed.listed.is_empty() && mixed.models.is_empty());
        assert!(
            listed(|page| if page < 12 { (page + 5) % 12 } else { page }).listed.is_empty(),
            "more than half are wrong"
        );
    }

    #[test]
    fn a_sample_has_as_many_pairs_as_it_may_and_lies_over_all() {
        for pairs in [0, 1, 99, 100, 101, 150, 199, 200, 12_345] {
            let places: Vec<usize> = sampled(pairs).collect();
            assert_eq!(places.len(), pairs.min(SAMPLE), "{pairs}");
            assert!(places.is_sorted_by(|a, b| a < b) && places.iter().all(|at| *at < pairs), "{pairs}");
            assert!(places.last().is_none_or(|last| last + pairs / SAMPLE + 1 >= pairs), "{pairs}");
        }
    }

    #[test]
    fn few_comparisons_say_little() {
        let share = |compared, won, lost| Won { compared, won, lost }.share();
        assert_eq!((share(0.0, 0.0, 0.0), share(4.0, 4.0, 0.0), share(16.0, 12.0, 4.0)), (0.0, 0.5, 0.4));
        assert_eq!(share(12.0, 4.0, 0.0), 0.25, "draws are no wins");
    }
}
