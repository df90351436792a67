//! Learns all that a run learns of language pairs.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::halves::{Halves, half_of};
use super::models::{Example, Model, Models};
use super::params::Params;
#[cfg(feature = "exec")]
use super::trainer::Taught;
use super::trainer::Trainer;
use crate::error::Result;
use crate::judge::score::{FitParams, Scorer};
use crate::lexicon::LexiconSet;
use crate::types::{LangPair, Similarities};
use crate::verify::misses::{Reach, near_misses, undoubted};
use crate::verify::{self, PageIds, Profile, SiteView};

/// Settings of learning.
#[derive(Clone, Copy)]
pub struct Settings<'p> {
    /// How much is learnt, and from what.
    pub learn: &'p Params,
    /// How weights are fitted.
    pub fit: &'p FitParams,
}

/// A training pair on its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Training {
    /// The pages.
    pub pages: PageIds,
    /// The key that pairs them.
    pub key: u32,
    /// True for the pairs that are compared with their near misses.
    pub is_tested: bool,
}

/// What was learnt of one language pair.
#[derive(Clone, Debug, Default)]
pub struct Learnt {
    /// The number of page pairs it was learnt from.
    pub pairs: usize,
    /// Weights of the score; empty where reviewers judged too few pairs to fit them.
    pub weights: Vec<f64>,
    /// Bytes of text of the second language for one of the first.
    pub length_ratio: f64,
    /// Words that translate each other.
    pub halves: Halves,
}

/// What a site teaches of a language pair, in a form that can be sent elsewhere. Learning from lessons gives the same as learning from their
/// sites.
#[cfg(feature = "exec")]
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lesson {
    /// What each sure pair teaches, in order.
    taught: Vec<Taught>,
}

#[cfg(feature = "exec")]
impl Lesson {
    /// True when all positions lead to something and all lists are in order.
    pub fn is_sound(&self) -> bool {
        self.taught.iter().all(Taught::is_sound)
    }
}

/// Learns language pairs from the training pairs of sites, which are given one by one. The result depends on the order of the sites.
pub struct Learner<'p> {
    settings: Settings<'p>,
    courses: BTreeMap<LangPair, Course<'p>>,
}

/// What was gathered of one language pair so far.
struct Course<'p> {
    trainer: Trainer<'p>,
    pairs: usize,
    /// What reviewers judged, and whether it is right.
    judged: Vec<(Example, bool)>,
}

impl<'p> Learner<'p> {
    /// A learner that has seen no site.
    pub fn new(settings: Settings<'p>) -> Learner<'p> {
        Learner { settings, courses: BTreeMap::new() }
    }

    /// Adds what a site teaches of a language pair, as [`lessons`] gives it.
    #[cfg(feature = "exec")]
    pub fn take(&mut self, langs: LangPair, lesson: Lesson) {
        let course = self.course(langs);
        course.pairs += lesson.taught.len();
        lesson.taught.iter().for_each(|taught| course.trainer.take(taught));
    }

    fn course(&mut self, langs: LangPair) -> &mut Course<'p> {
        let new = || Course { trainer: Trainer::new(self.settings.learn), pairs: 0, judged: Vec::new() };
        self.courses.entry(langs).or_insert_with(new)
    }

    /// Adds pairs of a site that reviewers judged right or wrong.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn add_verdicts(&mut self, site: &SiteView<'_>, langs: LangPair, judged: &[(PageIds, bool)]) -> Result<()> {
        let mut slim: FxHashMap<u32, Arc<Profile>> = FxHashMap::default();
        let pairs: Vec<PageIds> = judged.iter().map(|judged| judged.0).collect();
        for (similarities, (pages, is_right)) in site.similarities(&pairs, &Models::default())?.into_iter().zip(judged)
        {
            let example = example(site, &mut slim, (*pages, similarities))?;
            self.course(langs).judged.push((example, *is_right));
        }
        Ok(())
    }

    /// Adds the training pairs of a site.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn add_site(&mut self, site: &SiteView<'_>, pairs: BTreeMap<LangPair, Vec<Training>>) -> Result<()> {
        let shipped = &self.settings.fit.shipped;
        for (langs, pairs) in pairs {
            let sure = sure_pairs(site, pairs, shipped)?;
            let course = self.course(langs);
            course.pairs += sure.len();
            for pages in sure {
                course.trainer.add(site, pages)?;
            }
        }
        Ok(())
    }

    /// What was learnt of each language pair. `params` are the settings of the measures.
    pub fn finish(self, params: &verify::Params, without_content: bool) -> BTreeMap<LangPair, Learnt> {
        let fit = self.settings.fit;
        let learn = |(langs, course): (LangPair, Course<'_>)| {
            let Course { trainer, pairs, judged } = course;
            let (halves, length_ratio) = (trainer.halves(), trainer.length_ratio());
            let fitted = || {
                let model = Model::new(langs, &halves, length_ratio, Scorer::default());
                let models = Models::new(LexiconSet::default(), BTreeMap::from([(langs, model)]), Scorer::default());
                let with = |example: &Example| example.with(langs, &models, params, without_content);
                let judged: Vec<_> = judged.iter().map(|(example, is_right)| (with(example), *is_right)).collect();
                Scorer::fit(&judged, &fit.shipped, fit)
            };
            // Without verdicts enough, no model is made.
            let scorer = (judged.len() >= 2 * fit.min_verdicts).then(fitted).flatten();
            let weights = scorer.map_or_else(Vec::new, |scorer| scorer.weights.to_vec());
            (langs, Learnt { pairs, weights, length_ratio, halves })
        };
        let courses: Vec<_> = self.courses.into_iter().collect();
        courses.into_par_iter().map(learn).collect()
    }
}

/// What a site teaches of each language pair by its training pairs, so that a [`Learner`] elsewhere can learn from it.
///
/// # Errors
/// When a page cannot be read.
#[cfg(feature = "exec")]
pub fn lessons(
    site: &SiteView<'_>,
    pairs: BTreeMap<LangPair, Vec<Training>>,
    Settings { learn: params, fit }: Settings<'_>,
) -> Result<BTreeMap<LangPair, Lesson>> {
    let mut found = BTreeMap::new();
    for (langs, pairs) in pairs {
        // A trainer that has seen only this site takes at least as many of its words as one that has seen other sites before.
        let mut trainer = Trainer::new(params);
        let mut taught = Vec::new();
        for pages in sure_pairs(site, pairs, &fit.shipped)? {
            let one = trainer.look_at(site, pages)?;
            trainer.take(&one);
            taught.push(one);
        }
        found.insert(langs, Lesson { taught });
    }
    Ok(found)
}

/// Two pages with what the measures say of them, and their words.
fn example(
    site: &SiteView<'_>,
    slim: &mut FxHashMap<u32, Arc<Profile>>,
    ((a, b), similarities): (PageIds, Similarities),
) -> Result<Example> {
    let half = half_of(site.pages().identity(a));
    let pages = [words_of(site, slim, a)?, words_of(site, slim, b)?];
    let weights = site.word_weights(site.parts().common(a, b))?;
    Ok(Example { similarities, pages, weights, half })
}

/// The profile of a page with its words only.
fn words_of(site: &SiteView<'_>, known: &mut FxHashMap<u32, Arc<Profile>>, page: u32) -> Result<Arc<Profile>> {
    if let Some(known) = known.get(&page) {
        return Ok(Arc::clone(known));
    }
    let profile = Arc::new(site.profiles(&[page])?[&page].words_alone());
    known.insert(page, Arc::clone(&profile));
    Ok(profile)
}

/// The training pairs that are sure even if their key is unreliable: those of which no near miss is clearly better, by the shipped weights and
/// without learnt words. Some pairs are compared with their near misses, among them the first few of each key. The other pairs of a key are
/// taken if most of its compared pairs are sure.
fn sure_pairs(site: &SiteView<'_>, mut pairs: Vec<Training>, shipped: &Scorer) -> Result<Vec<PageIds>> {
    pairs.sort_unstable_by_key(|pair| (site.pages().identity(pair.pages.0).to_owned(), pair.pages.1));
    let mut of_key: FxHashMap<u32, usize> = FxHashMap::default();
    let mut is_tested = |pair: &Training| {
        let count = of_key.entry(pair.key).or_default();
        *count += 1;
        pair.is_tested || *count <= TESTED_OF_KEY
    };
    let tested: Vec<bool> = pairs.iter().map(&mut is_tested).collect();
    let pages: Vec<PageIds> = pairs.iter().map(|pair| pair.pages).collect();
    let misses = near_misses(site, &pages, &tested, REACH);
    let nothing = Models::default();
    let asked: Vec<PageIds> =
        pages.iter().zip(&tested).filter(|(_, tested)| **tested).map(|(pages, _)| *pages).collect();
    let of_misses = site.similarities(&misses, &nothing)?;
    let of_asked = site.similarities(&asked, &nothing)?;
    let asked = asked.into_iter().zip(of_asked).collect();
    let misses = misses.into_iter().zip(of_misses).collect();
    let undoubted = undoubted(asked, misses, |one| shipped.contents(one));
    let is_sure = |(pair, tested): (&Training, &bool)| tested.then(|| undoubted.contains(&pair.pages));
    let are_sure: Vec<Option<bool>> = pairs.iter().zip(&tested).map(is_sure).collect();
    let mut shares: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for (pair, is_sure) in pairs.iter().zip(&are_sure) {
        if let Some(is_sure) = *is_sure {
            let share = shares.entry(pair.key).or_default();
            *share = (share.0 + usize::from(is_sure), share.1 + 1);
        }
    }
    let is_reliable = |key: u32| shares.get(&key).is_some_and(|&(sure, all)| sure as f64 >= SURE_SHARE * all as f64);
    let is_taken = |(pair, is_sure): &(&Training, Option<bool>)| is_sure.unwrap_or_else(|| is_reliable(pair.key));
    Ok(pairs.iter().zip(are_sure).filter(is_taken).map(|(pair, _)| pair.pages).collect())
}

/// Where the near misses of training pairs are taken from.
const REACH: Reach = Reach { near: 3, far: true };
/// Pairs of each key that are compared with their near misses, at least.
const TESTED_OF_KEY: usize = 5;
/// Least share of a key's compared pairs that must be sure for its other pairs to be taken.
const SURE_SHARE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::super::own::learn_from_site;
    use super::*;
    use crate::index::parts::WHOLE;
    use crate::types::Lang;
    use crate::verify::fixture::ListedSite;

    /// Pages of one language, each with three lines of words that depend on its number.
    fn pages(lang: &'static str, count: usize) -> Vec<(String, &'static str, String)> {
        let word = |page: usize, line: usize| format!("{lang}word{}x", (page * 3 + line) % 40);
        let line = |page: usize, line: usize| format!("{} {} {}\n", word(page, line), word(page, line + 7), page * 37);
        (0..count).map(|page| (format!("{lang}/{page:02}"), lang, (0..3).map(|at| line(page, at)).collect())).collect()
    }

    #[test]
    fn words_are_learnt_where_pairs_are_many() {
        let all: Vec<_> = pages("en", 40).into_iter().chain(pages("fr", 40)).collect();
        let listed: Vec<_> = all.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let site = ListedSite::new(&listed);
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let pairs: Vec<PageIds> = (0..40).map(|page| (page, page + 40)).collect();
        let (params, fit) = (Params::default(), FitParams::default());
        let settings = Settings { learn: &params, fit: &fit };
        let learn = |pairs: &[PageIds]| {
            let mut learner = Learner::new(settings);
            let training = |&pages: &PageIds| Training { pages, key: 0, is_tested: true };
            let pairs = BTreeMap::from([(langs, pairs.iter().map(training).collect())]);
            learner.add_site(&site.view(), pairs).expect("pages in memory");
            learner.finish(&verify::Params::default(), false).remove(&langs).expect("it was taught")
        };
        let learnt = learn(&pairs);
        assert_eq!(learnt.pairs, 40);
        assert!(learnt.weights.is_empty() && learnt.halves.iter().all(|half| !half.is_empty()));
        #[cfg(feature = "exec")]
        {
            let training = |&pages: &PageIds| Training { pages, key: 0, is_tested: true };
            let taught = BTreeMap::from([(langs, pairs.iter().map(training).collect())]);
            let lesson = lessons(&site.view(), taught, settings).expect("pages in memory").remove(&langs);
            let sent = serde_json::to_string(&lesson.expect("it teaches")).expect("it is data");
            let mut elsewhere = Learner::new(settings);
            elsewhere.take(langs, serde_json::from_str(&sent).expect("the same"));
            let found = elsewhere.finish(&verify::Params::default(), false).remove(&langs).expect("it was taught");
            assert_eq!(format!("{found:?}"), format!("{learnt:?}"), "from lessons the same is learnt");
        }
        let few = learn(&pairs[..5]);
        assert!(few.weights.is_empty() && few.pairs <= 5);
        let surest = BTreeMap::from([((langs, WHOLE), pairs)]);
        let own = learn_from_site(&site.view(), &surest, &params).expect("pages in memory");
        assert!(own[&(langs, WHOLE)].halves.iter().all(|half| !half.is_empty()));
    }
}
