//! Turns the features of beads into the probability that their sides are translations.

use std::ops::Range;

use crate::logistic::{Example, fit};

/// How many numbers describe a bead.
pub const FEATURES: usize = 6;
/// How many beads that were found, and how many wrong ones, are needed at least to learn scoring.
pub const MIN_SAMPLES: usize = 50;
/// How many beads of either sort are needed at least to learn the weights of one kind (an estimate).
const MIN_OF_KIND: usize = 20;

/// How many kinds of beads there are: labels and sentences. Labels have few words that could speak for them or against them, so wrong
/// sentences say nothing of what wrong labels look like.
pub const KINDS: usize = 2;
/// How many classes of beads there are, by their kind and by their neighbours.
pub const CLASSES: usize = KINDS * LEVELS;
/// How many beads before and behind a bead are its neighbours.
const NEIGHBOURS: usize = 4;
/// Into how many classes beads are divided by the share of sure beads among their neighbours.
const LEVELS: usize = 4;
/// Beads with fewer words on a side are labels.
const SENTENCE_WORDS: usize = 4;
/// The odds from which a bead is sure enough to vouch for its neighbours: 9 to 1.
const SURE_ODDS: f32 = 9.0;
/// This many beads are added to those found on two pages, because a page with few beads may have a sentence that was left alone by chance
/// (an estimate).
const FEW: usize = 8;

/// What scoring needs to know of a bead with two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// What [`scored`](super::features::scored) says.
    pub features: [f32; FEATURES],
    /// The number of words of the side that has fewer.
    pub words: usize,
}

impl Scored {
    fn kind(&self) -> usize {
        kind_of(self.words)
    }
}

/// 0 for a label, 1 for a sentence.
fn kind_of(words: usize) -> usize {
    usize::from(words >= SENTENCE_WORDS)
}

/// What is known of a bead of two pages before it is judged.
#[derive(Clone, Copy, Debug)]
pub enum Seen {
    /// It has one side.
    Alone,
    /// What the words and lengths of its sides say.
    Words(Scored),
    /// The probability that follows from the beads with a third page of which it was composed.
    Composed(f32),
}

impl Seen {
    /// True when it is sure enough to vouch for its neighbours.
    fn is_sure(&self, scoring: &Scoring) -> bool {
        let odds = match self {
            Seen::Alone => return false,
            Seen::Words(scored) => scoring.log_odds(scored).exp(),
            Seen::Composed(probability) => probability / (1.0 - probability),
        };
        odds >= SURE_ODDS
    }

    /// The kind of a bead whose words were compared; composed beads have none, since they were found in another way.
    fn kind(&self) -> Option<usize> {
        if let Seen::Words(scored) = self { Some(scored.kind()) } else { None }
    }
}

/// The class of each bead of two pages: whether it is a sentence, and how many of its neighbours are sure.
pub fn classes(scoring: &Scoring, beads: &[Seen]) -> Vec<usize> {
    // For each bead and for the end, how many beads before it are sure.
    let mut sure_before = vec![0usize];
    for bead in beads {
        sure_before.push(sure_before[sure_before.len() - 1] + usize::from(bead.is_sure(scoring)));
    }
    let class = |at: usize| {
        let (start, end) = (at.saturating_sub(NEIGHBOURS), (at + 1 + NEIGHBOURS).min(beads.len()));
        let own = sure_before[at + 1] - sure_before[at];
        let (sure, all) = (sure_before[end] - sure_before[start] - own, end - start - 1);
        let level = (sure * LEVELS).checked_div(all).map_or(LEVELS - 1, |level| level.min(LEVELS - 1));
        LEVELS * beads[at].kind().unwrap_or(0) + level
    };
    (0..beads.len()).map(class).collect()
}

/// The share of wrong beads to be expected of a bead.
#[derive(Clone, Copy, Debug)]
pub struct WrongShare {
    /// The share of its class, or that of its kind on the two pages if this is larger.
    on_pages: f32,
    /// True when too few of its neighbours are sure to show that both sides are at the same place.
    is_alone: bool,
}

impl WrongShare {
    /// The share of a bead outside such lists (`None`), or in [lists that each language sorts itself](Self::in_list).
    pub fn at(self, entries: Option<u32>) -> f32 {
        entries.map_or(self.on_pages, |entries| self.in_list(entries))
    }

    /// The share in lists that each language sorts itself, where `entries` may stand at the place of the bead: ½ where its neighbours are sure; where they
    /// are not, its place says nothing, and any of the entries might be the partner.
    fn in_list(self, entries: u32) -> f32 {
        if self.is_alone { (1.0 - 1.0 / entries.max(1) as f32).max(0.5) } else { 0.5 }
    }
}

/// The share of wrong beads to be expected for each bead of two pages.
pub fn wrong_shares(scoring: &Scoring, beads: &[Seen]) -> Vec<WrongShare> {
    let on_pages = scoring.wrong_on(beads);
    let share = |class: usize| WrongShare {
        on_pages: scoring.wrong[class].max(on_pages[class / LEVELS]),
        is_alone: class.is_multiple_of(LEVELS),
    };
    classes(scoring, beads).into_iter().map(share).collect()
}

/// How beads are scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoring {
    /// Weights of the features, for each kind of beads.
    pub weights: [[f32; FEATURES]; KINDS],
    /// The share of wrong beads in each class, 0..=1.
    pub wrong: [f32; CLASSES],
    /// For each kind, how many wrong beads there are for each sentence that is left alone.
    pub by_alone: [f32; KINDS],
}

impl Default for Scoring {
    /// An estimate, for where there is too little data to learn: words count in favour in both directions, differences of length and numbers
    /// that one side lacks against, and one bead in twenty is wrong.
    fn default() -> Scoring {
        Scoring { weights: [[0.5, 1.0, 1.0, 1.0, -0.5, -1.0]; KINDS], wrong: [0.05; CLASSES], by_alone: [0.05; KINDS] }
    }
}

impl Scoring {
    /// All its numbers in one list.
    pub fn to_numbers(&self) -> Vec<f32> {
        [self.weights.as_flattened(), &self.wrong, &self.by_alone].concat()
    }

    /// From what [`Scoring::to_numbers`] gives; `None` for anything else.
    pub fn from_numbers(numbers: &[f32]) -> Option<Scoring> {
        let (weights, shares) = numbers.split_at_checked(KINDS * FEATURES)?;
        let (wrong, by_alone) = shares.split_at_checked(CLASSES)?;
        let is_sound = weights.iter().all(|weight| weight.is_finite())
            && wrong.iter().all(|share| (1e-9..1.0).contains(share))
            && by_alone.iter().all(|share| (0.0..=1.0).contains(share));
        let (wrong, by_alone) = (wrong.try_into().ok()?, by_alone.try_into().ok()?);
        let mut scoring = Scoring { wrong, by_alone, ..Scoring::default() };
        scoring.weights.as_flattened_mut().copy_from_slice(weights);
        is_sound.then_some(scoring)
    }

    /// The same with the languages in the other order.
    pub(super) fn reversed(&self) -> Scoring {
        let turned = |[constant, forth, back, rest @ ..]: [f32; FEATURES]| {
            let mut weights = [constant, back, forth, 0.0, 0.0, 0.0];
            weights[3..].copy_from_slice(&rest);
            weights
        };
        Scoring { weights: self.weights.map(turned), ..self.clone() }
    }

    /// The scoring of two languages, from their scorings with a third one: the mean of the weights, and for each class and kind the larger
    /// share of wrong beads.
    pub(super) fn between(&self, other: &Scoring) -> Scoring {
        let mut scoring = self.clone();
        let weights = scoring.weights.as_flattened_mut().iter_mut();
        weights.zip(other.weights.as_flattened()).for_each(|(mean, other)| *mean = (*mean + other) / 2.0);
        scoring.wrong.iter_mut().zip(other.wrong).for_each(|(wrong, other)| *wrong = wrong.max(other));
        scoring.by_alone.iter_mut().zip(other.by_alone).for_each(|(wrong, other)| *wrong = wrong.max(other));
        scoring
    }

    /// ln of how much likelier the features are for a bead that was found than for a wrong one of its kind.
    fn log_odds(&self, bead: &Scored) -> f32 {
        self.weights[bead.kind()].iter().zip(&bead.features).map(|(w, x)| w * x).sum()
    }

    /// The probability that the sides of a bead are translations, 0..=1.
    ///
    /// By Bayes' rule: a share w, `wrong`, of beads of this class is wrong, and the features are o times as likely for a right bead as for
    /// a wrong one. (The odds are fitted to beads that were found, of which few are wrong.)
    pub fn probability(&self, bead: &Scored, wrong: f32) -> f32 {
        (1.0 - wrong) / (1.0 - wrong + wrong * (-self.log_odds(bead)).exp())
    }

    /// The share of wrong beads of each kind that follows from the sentences that are left alone on two pages, as in [`Scoring::fit`]:
    /// where the pages differ, more beads are wrong than where they do not. Of a long run of such sentences only a few count, because the
    /// run says nothing of beads that are far from it. Composed beads do not count as found here, because the sentences that are left alone
    /// were not compared with them.
    fn wrong_on(&self, beads: &[Seen]) -> [f32; KINDS] {
        let is_alone = |bead: &Seen| matches!(bead, Seen::Alone);
        let runs = beads.chunk_by(|one, next| is_alone(one) == is_alone(next)).filter(|run| is_alone(&run[0]));
        let alone: usize = runs.map(|run| run.len().min(NEIGHBOURS)).sum();
        std::array::from_fn(|kind| {
            let found = beads.iter().filter(|bead| bead.kind() == Some(kind)).count();
            (self.by_alone[kind] * alone as f32 / (found + FEW) as f32).min(most_wrong(found))
        })
    }

    /// Fits the weights to beads that were found and to wrong ones, and estimates the share of wrong beads in each class. The larger one of
    /// two estimates is taken, since the errors of a page show now in the odds, now in sentences that are left alone.
    ///
    /// `alone` has the number of sentences that are paired with nothing on whole pages, and the number of those whose partner was taken
    /// away. `classes` gives the classes of the beads that were found, and of the wrong beads that sentences without their partner were
    /// paired in. Returns `None` for fewer than [`MIN_SAMPLES`] of either.
    pub fn fit(
        found: &[Scored],
        wrong: &[Scored],
        alone: [usize; 2],
        classes: impl FnOnce(&Scoring) -> [Vec<usize>; 2],
    ) -> Option<Scoring> {
        if found.len() < MIN_SAMPLES || wrong.len() < MIN_SAMPLES {
            return None;
        }
        let of_all = weights(found, wrong, &[0.0; FEATURES]);
        let weights_of = |kind: usize| {
            let [found, wrong] = [found, wrong].map(|beads| of_kind(beads, kind));
            let is_enough = found.len().min(wrong.len()) >= MIN_OF_KIND;
            if is_enough { weights(&found, &wrong, &of_all) } else { of_all }
        };
        let weights = std::array::from_fn(|kind| weights_of(kind).map(|w| w as f32));
        let mut scoring = Scoring { weights, ..Scoring::default() };
        if scoring.weights.as_flattened().iter().any(|weight| !weight.is_finite()) {
            return None;
        }
        let [of_found, of_wrong] = classes(&scoring);
        let by_odds = shares_by_odds(&scoring, found.iter().zip(of_found.iter().copied()), wrong);
        let by_orphans = shares_by_orphans(&of_found, &of_wrong, alone);
        let most = |class: usize| most_wrong(of_found.iter().filter(|&&one| one == class).count());
        scoring.by_alone = std::array::from_fn(|kind| {
            let wrong = of_wrong.iter().filter(|&class| class / LEVELS == kind).count();
            ((wrong + 1) as f32 / (alone[1] as f32 + 1.0 / Scoring::default().by_alone[kind])).min(1.0)
        });
        scoring.wrong = std::array::from_fn(|class| by_odds[class].max(by_orphans[class]).min(most(class)));
        Some(scoring)
    }
}

/// The largest share of wrong beads among `found` ones: it is assumed that one more bead was seen, and that at least one is right.
fn most_wrong(found: usize) -> f32 {
    (found as f32 + 1.0) / (found as f32 + 2.0)
}

fn of_kind(beads: &[Scored], kind: usize) -> Vec<Scored> {
    beads.iter().filter(|bead| bead.kind() == kind).copied().collect()
}

/// The weights that tell beads that were found from wrong ones, as if there were as many of either. All but that of the constant are near
/// their `prior`, with a ridge of 1.
fn weights(found: &[Scored], wrong: &[Scored], prior: &[f64; FEATURES]) -> [f64; FEATURES] {
    let row = |bead: &Scored, truth: f64| Example { inputs: bead.features.map(f64::from), truth, weight: 1.0 };
    let rows: Vec<Example<FEATURES>> =
        found.iter().map(|one| row(one, 1.0)).chain(wrong.iter().map(|one| row(one, 0.0))).collect();
    let mut stiffness = [1.0; FEATURES];
    stiffness[0] = 1e-6;
    let mut weights = fit(&rows, prior, &stiffness, &[f64::NEG_INFINITY; FEATURES]);
    weights[0] -= (found.len() as f64 / wrong.len() as f64).ln();
    weights
}

/// Estimates the share of wrong beads of each class by their odds: `found` are beads with their classes, `wrong` sides that do not belong
/// together.
///
/// A tenth of the wrong beads of a kind have odds below some limit, so at most ten times as many beads are wrong as were found below it; and
/// at most four times as many as were found below the limit of a quarter. The least of such bounds is taken. What was found below a limit is
/// one more than was counted: where none was, the share may still be as large as hides from so few beads. The share of a class is believed
/// to be near that of its kind, and that of a kind near the default (an exponential distribution, of which the mean of the posterior is
/// taken).
fn shares_by_odds<'f>(
    scoring: &Scoring,
    found: impl Iterator<Item = (&'f Scored, usize)>,
    wrong: &[Scored],
) -> [f32; CLASSES] {
    /// Shares of the wrong beads.
    const QUANTILES: [f32; 3] = [0.1, 0.25, 0.5];
    let limits: [_; KINDS] = std::array::from_fn(|kind| {
        let own = of_kind(wrong, kind);
        let wrong = if own.len() >= MIN_OF_KIND { &own } else { wrong };
        let mut odds: Vec<f32> = wrong.iter().map(|bead| scoring.log_odds(bead)).collect();
        odds.sort_by(f32::total_cmp);
        QUANTILES.map(|quantile| odds[(odds.len() as f32 * quantile) as usize])
    });
    let mut all = [0u32; CLASSES];
    let mut low = [[0u32; QUANTILES.len()]; CLASSES];
    for (bead, class) in found {
        all[class] += 1;
        let odds = scoring.log_odds(bead);
        low[class].iter_mut().zip(limits[class / LEVELS]).for_each(|(low, limit)| *low += u32::from(odds <= limit));
    }
    // The least of the bounds by the limits.
    shares(|classes, certainty| {
        let all: u32 = all[classes.clone()].iter().sum();
        let bound = |(at, quantile): (usize, f32)| {
            let low: u32 = low[classes.clone()].iter().map(|low| low[at]).sum();
            believed(low as f32, quantile * all as f32, certainty)
        };
        QUANTILES.into_iter().enumerate().map(bound).fold(1.0, f32::min)
    })
}

/// The share of wrong beads that is believed after `wrong` of `all` were counted. Before anything is counted, an exponential distribution
/// with the mean 1 / `certainty` is believed.
fn believed(wrong: f32, all: f32, certainty: f32) -> f32 {
    (wrong + 1.0) / (certainty + all)
}

/// The share of wrong beads in each class. It is believed to be near that of its kind, and that of the kind near the default. `share` gives
/// the share of a range of classes together, for a certainty.
fn shares(share: impl Fn(Range<usize>, f32) -> f32) -> [f32; CLASSES] {
    let of_kind = |kind: usize| share(LEVELS * kind..LEVELS * (kind + 1), 1.0 / Scoring::default().wrong[0]);
    let of_kinds: [f32; KINDS] = std::array::from_fn(of_kind);
    std::array::from_fn(|class| share(class..class + 1, 1.0 / of_kinds[class / LEVELS]))
}

/// Estimates the share of wrong beads in each class from sentences without a partner. Of the sentences whose partner was taken away, some
/// are paired with something wrong, others with nothing. So for each sentence that is paired with nothing on whole pages, as many beads are
/// taken to be wrong as there were for each such sentence. `found` and `wrong` are classes of beads. The shares are believed as in
/// [`shares_by_odds`].
fn shares_by_orphans(found: &[usize], wrong: &[usize], [alone, orphans]: [usize; 2]) -> [f32; CLASSES] {
    let rate = alone as f32 / (orphans + 1) as f32;
    let count = |of: &[usize], class: usize| of.iter().filter(|&&one| one == class).count() as f32;
    let counts: [[f32; 2]; CLASSES] = std::array::from_fn(|class| [rate * count(wrong, class), count(found, class)]);
    shares(|classes, certainty| {
        let [wrong, found] = counts[classes].iter().fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        believed(wrong, found, certainty).min(1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE_ONE: [f32; FEATURES] = [1.0, 5.0, 5.0, 2.0, 0.0, 0.0];
    const POOR_ONE: [f32; FEATURES] = [1.0, -1.0, -1.0, -1.0, 1.0, 0.0];

    fn sentence(x: f32) -> Scored {
        Scored { features: [1.0, x, 0.0, 0.0, 0.0, 0.0], words: SENTENCE_WORDS }
    }

    #[test]
    fn a_bead_is_as_good_as_its_words_and_its_class() {
        let mut scoring = Scoring::default();
        scoring.weights[1] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        (scoring.wrong[0], scoring.wrong[1]) = (0.4, 0.02);
        let p = |x: f32, class: usize| scoring.probability(&sentence(x), scoring.wrong[class]);
        assert_eq!((p(0.0, 0), p(0.0, 1)), (0.6, 0.98));
        assert!((p(1.0, 0) - 0.6 / (0.6 + 0.4 / std::f32::consts::E)).abs() < 1e-6);
        assert!((0.0..0.01).contains(&p(-9.0, 1)));
        let numbers = scoring.to_numbers();
        assert_eq!(Scoring::from_numbers(&numbers), Some(scoring.clone()));
        let spoilt = |at: usize, number: f32| {
            let mut numbers = numbers.clone();
            numbers[at] = number;
            numbers
        };
        let bad = [
            numbers[1..].to_vec(),
            numbers[..numbers.len() - KINDS].to_vec(),
            spoilt(0, f32::NAN),
            spoilt(KINDS * FEATURES, 1.5),
            spoilt(KINDS * FEATURES + CLASSES, -0.5),
            [&numbers[..], &[0.0]].concat(),
        ];
        assert!(bad.iter().all(|numbers| Scoring::from_numbers(numbers).is_none()));
    }

    #[test]
    fn neighbours_make_the_class() {
        let scoring = Scoring::default();
        let bead = |features, words| Seen::Words(Scored { features, words });
        let beads = |one: Seen, count: usize| vec![one; count];
        let all_sure = classes(&scoring, &beads(bead(SURE_ONE, 9), 12));
        assert!(all_sure.iter().all(|&class| class == CLASSES - 1), "{all_sure:?}");
        let labels = classes(&scoring, &beads(bead(SURE_ONE, 1), 12));
        assert!(labels.iter().all(|&class| class == LEVELS - 1), "{labels:?}");
        let alone = classes(
            &scoring,
            &[beads(Seen::Alone, 5), beads(bead(SURE_ONE, 9), 1), beads(bead(POOR_ONE, 9), 5)].concat(),
        );
        assert_eq!(alone[5], LEVELS);
        assert_eq!(classes(&scoring, &beads(bead(POOR_ONE, 9), 1)), [CLASSES - 1], "the only bead of a page");
        let beside = |probability| {
            let composed = beads(Seen::Composed(probability), 4);
            classes(&scoring, &[composed.clone(), beads(bead(POOR_ONE, 9), 1), composed].concat())[4]
        };
        assert_eq!((beside(0.95), beside(1.0), beside(0.85)), (CLASSES - 1, CLASSES - 1, LEVELS));
    }

    #[test]
    fn in_lists_that_each_language_sorts_a_bead_without_sure_neighbours_may_be_any_of_the_entries() {
        let bead = |features, words| Seen::Words(Scored { features, words });
        let shares = |around: Seen| {
            let beads = [vec![around; 4], vec![bead(POOR_ONE, 1)], vec![around; 4]].concat();
            let share = wrong_shares(&Scoring::default(), &beads)[4];
            [1, 2, 50].map(|entries| share.in_list(entries))
        };
        assert_eq!(shares(bead(POOR_ONE, 1)), [0.5, 0.5, 0.98]);
        assert_eq!(shares(bead(SURE_ONE, 9)), [0.5; 3]);
    }

    fn on_pages(scoring: &Scoring, beads: &[Seen]) -> Vec<f32> {
        wrong_shares(scoring, beads).into_iter().map(|share| share.on_pages).collect()
    }

    #[test]
    fn pages_with_many_sentences_left_alone_have_more_wrong_beads() {
        let mut scoring = Scoring { by_alone: [0.4, 0.1], ..Scoring::default() };
        scoring.wrong = [0.01; CLASSES];
        let bead = |words| Seen::Words(Scored { features: SURE_ONE, words });
        let pages = |alone: usize, times: usize| {
            let part = [vec![bead(9); 2], vec![Seen::Alone; alone], vec![bead(1); 2]].concat();
            on_pages(&scoring, &part.repeat(times))
        };
        assert!(pages(0, 10).iter().all(|&share| share == 0.01), "the share of the class");
        // There are 20 sentences and 20 labels. Beside 40 sentences that were left alone, 4 and 16 of 28 are wrong.
        let shares = pages(4, 10);
        assert!((shares[0] - 4.0 / 28.0).abs() < 1e-6 && (shares[7] - 16.0 / 28.0).abs() < 1e-6, "{shares:?}");
        assert_eq!(pages(400, 10)[0], shares[0], "a long part that is left alone tells nothing of the others");
        // A composed bead is neither more nor less right because of sentences that are left alone, and says nothing of the beads beside it.
        let part = [vec![bead(9); 2], vec![Seen::Alone; 4], vec![bead(1); 2], vec![Seen::Composed(0.99); 9]].concat();
        assert_eq!(on_pages(&scoring, &part.repeat(10))[..8], shares[..8]);
        // Never all.
        let scoring = Scoring { by_alone: [1.0; KINDS], wrong: [0.01; CLASSES], ..Scoring::default() };
        let around = |other: Seen| [vec![other; 4], vec![bead(9)], vec![other; 40]].concat();
        assert_eq!(on_pages(&scoring, &around(Seen::Alone))[4], 2.0 / 3.0);
        assert_eq!(on_pages(&scoring, &around(Seen::Composed(0.6)))[4], 0.01, "what was composed is not alone");
    }

    #[test]
    fn sentences_left_alone_tell_how_many_others_are_paired_with_something_wrong() {
        // Of the sentences whose partner was taken away 50 were left alone, and 10 were paired in class 7.
        let (found, wrong) = (vec![7; 1000], vec![7; 10]);
        let share = |alone: usize| shares_by_orphans(&found, &wrong, [alone, 50])[7];
        assert!((share(500) - 0.1).abs() < 0.02, "{}", share(500));
        assert!((share(50) - 0.01).abs() < 0.002 && share(0) < 0.002, "{} {}", share(50), share(0));
        assert_eq!(share(1_000_000), 1.0);
    }

    #[test]
    fn the_share_of_wrong_beads_is_found_without_knowing_which_they_are() {
        // Right beads have features from 0 to 9 and wrong ones from −6 to 3. In class 7 one bead in ten is wrong, in class 4 one in two.
        let right = |n: usize| sentence((n % 90) as f32 / 10.0);
        let wrong = |n: usize| sentence((n * 7 % 90) as f32 / 10.0 - 6.0);
        let mut found: Vec<(Scored, usize)> = Vec::new();
        for (class, one_in) in [(7, 10), (4, 2)] {
            found.extend((0..900).map(|n| (if n % one_in == 0 { wrong(n / one_in) } else { right(n) }, class)));
        }
        let random: Vec<_> = (0..900).map(wrong).collect();
        let (all, classes): (Vec<_>, Vec<usize>) = found.into_iter().unzip();
        let scoring = Scoring::fit(&all, &random, [0, 0], |_| [classes, Vec::new()]).expect("enough");
        assert!((scoring.wrong[7] - 0.1).abs() < 0.03 && (scoring.wrong[4] - 0.5).abs() < 0.08, "{:?}", scoring.wrong);
        // A class without beads has the share of its kind, and a kind without beads that of the default.
        assert!((scoring.wrong[5] - 0.3).abs() < 0.05 && (scoring.wrong[0] - 0.05).abs() < 1e-6, "{:?}", scoring.wrong);
        assert_eq!(Scoring::fit(&all[..49], &random, [0, 0], |_| Default::default()), None);
    }
}
