//! Judging small made-up sites, with results computed by hand.

use super::*;
use crate::index::parts::{Tree, WHOLE};
use crate::types::{Lang, Measure, Similarities};

const C: Measure = Measure::Content;

/// A site of one part, which has the pages of the candidates.
pub fn whole(compared: &[Compared]) -> Parts {
    let pairs = || compared.iter().map(|one| one.candidate.pair);
    let pages = pairs().map(|pair| pair.a.max(pair.b) + 1).max().unwrap_or(0);
    let mut langs = vec![Lang::UNKNOWN; pages as usize];
    for PagePair { langs: of, a, b } in pairs() {
        (langs[a as usize], langs[b as usize]) = (of.a, of.b);
    }
    Parts::new(&Tree::flat(pages), &langs)
}

fn en_zh() -> LangPair {
    LangPair::new(Lang::EN, Lang::ZH).expect("two")
}

fn one(a: u32, b: u32, method: Method, says: &[(Measure, f32)]) -> Compared {
    let mut similarities = Similarities::default();
    says.iter().for_each(|&(measure, value)| similarities.set(measure, Some(value)));
    let key = (method == Method::Key).then_some(0);
    Compared {
        candidate: Candidate { pair: PagePair { langs: en_zh(), a, b }, method, key },
        similarities,
        same_text: false,
    }
}

fn scorer() -> Scorer {
    let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
    scorer.weights[2 + 2 * Measure::Content as usize] = 8.0;
    scorer.weights[2 + 2 * Measure::Hreflang as usize] = 4.0;
    scorer
}

fn all(compared: &[Compared]) -> JudgedPairs {
    judge(compared, |_| scorer(), &whole(compared), &Params::default())
}

fn of(judged: &JudgedPairs, a: u32, b: u32) -> JudgedPair {
    *judged.pairs.iter().find(|j| (j.pair.a, j.pair.b) == (a, b)).expect("judged")
}

#[test]
fn names_speak_for_pairs_of_words_as_far_as_they_tell_right_from_wrong() {
    let compared: Vec<Compared> = (0..40)
        .map(|i| {
            one(
                i,
                100 + i,
                Method::Words,
                &[(C, if i % 2 == 0 { 0.95 } else { 0.05 }), (Measure::Named, if i % 2 == 0 { 1.0 } else { 0.0 })],
            )
        })
        .chain([
            one(40, 140, Method::Words, &[(C, 0.5), (Measure::Named, 1.0)]),
            one(41, 141, Method::Words, &[(C, 0.5), (Measure::Named, 0.0)]),
        ])
        .chain([one(42, 142, Method::Words, &[(C, 0.5)])])
        .collect();
    let judged = all(&compared);
    let names = |a: u32| of(&judged, a, 100 + a).beliefs.names;
    assert!(names(40) > 1.0 && names(41) < -1.0 && names(42) == 0.0, "{} {} {}", names(40), names(41), names(42));
}

#[test]
fn names_say_nothing_of_pairs_of_keys() {
    let compared: Vec<Compared> =
        (0..20).map(|i| one(i, 100 + i, Method::Key, &[(C, 0.95), (Measure::Named, 1.0)])).collect();
    assert_eq!(of(&all(&compared), 3, 103).beliefs.names, 0.0);
}

#[test]
fn names_that_differ_say_little_where_those_of_keys_differ_too() {
    // If no pair of the keys has a name in common, different names do not speak against the pair that words propose.
    let with = |named: f32| {
        let compared: Vec<Compared> = (0..20)
            .map(|i| one(i, 100 + i, Method::Key, &[(C, 0.95), (Measure::Named, named)]))
            .chain((20..40).map(|i| one(i, 100 + i, Method::Words, &[(C, 0.5), (Measure::Named, 0.0)])))
            .collect();
        of(&all(&compared), 30, 130).beliefs.names
    };
    assert!(with(1.0) < with(0.0) - 1.0 && with(0.0) > -0.5, "{} {}", with(1.0), with(0.0));
}

/// The evidence of names for a wrong pair that words propose, in English and Chinese, without a common name, beside pairs in English and
/// French.
fn names_beside(others: impl Iterator<Item = Compared>) -> f32 {
    let french = Lang::parse("fr").expect("a tag");
    let langs = LangPair::new(Lang::EN, french).expect("two");
    let in_french = |mut one: Compared| {
        one.candidate.pair.langs = langs;
        one
    };
    let pair = one(0, 1, Method::Words, &[(C, 0.02), (Measure::Named, 0.0)]);
    let compared: Vec<Compared> = std::iter::once(pair).chain(others.map(in_french)).collect();
    of(&all(&compared), 0, 1).beliefs.names
}

/// `count` pairs with this value of the measure of names: 1 for a name in common, 0 for none.
fn named(count: u32, method: Method, named: f32) -> impl Iterator<Item = Compared> {
    (0..count).map(move |i| one(10 + i, 110 + i, method, &[(C, 0.95), (Measure::Named, named)]))
}

#[test]
fn names_that_keys_keep_in_another_language_are_expected_in_this_one() {
    // Right pairs: a belief of 2 in 4, and 20 or 0 of 20 pairs. Wrong pairs: 0.2 in 4 are believed to share a name, and one pair does not.
    let by_chance: f64 = 0.2 / 5.0;
    for (named_alike, right) in [(1.0, 22.0 / 24.0), (0.0, 2.0 / 24.0)] {
        let found = f64::from(names_beside(named(20, Method::Key, named_alike)));
        let wanted = ((1.0 - right) / (1.0 - by_chance)).ln();
        assert!((found - wanted).abs() < 0.01, "{found} {wanted}");
    }
}

#[test]
fn pairs_of_words_and_copies_in_another_language_tell_nothing_of_names() {
    let alone = names_beside(std::iter::empty());
    assert_eq!(names_beside(named(20, Method::Words, 1.0)), alone);
    let copy = |one: Compared| Compared { same_text: true, ..one };
    assert_eq!(names_beside(named(20, Method::Key, 1.0).map(copy)), alone);
}

#[test]
fn names_of_copies_tell_nothing() {
    let names = |copies: u32| {
        let copy = |i| one(200 + i, 300 + i, Method::Words, &[(C, 0.95), (Measure::Named, 0.0)]);
        let copies = (0..copies).map(|i| Compared { same_text: true, ..copy(i) });
        let compared: Vec<Compared> = named(10, Method::Words, 1.0).chain(copies).collect();
        of(&all(&compared), 13, 113).beliefs.names
    };
    assert_eq!(names(20), names(0));
}

#[test]
fn beside_many_keys_pairs_of_words_tell_what_names_wrong_pairs_have() {
    let compared: Vec<Compared> = (0..40)
        .map(|i| one(i, 100 + i, Method::Key, &[(C, 0.95)]))
        .chain((40..50).map(|i| one(i, 100 + i, Method::Words, &[(C, 0.95), (Measure::Named, 1.0)])))
        .collect();
    // All ten pairs count as wrong, beside a belief of 0.2 in 4. No right pair is seen, so the belief of 2 in 4 stays.
    let found = f64::from(of(&all(&compared), 45, 145).beliefs.names);
    assert!((found - (0.5 / (10.2 / 14.0f64)).ln()).abs() < 1e-6, "{found}");
}

#[test]
fn contents_that_differ_where_a_key_is_right_are_expected_less_to_agree() {
    let agree = |odd: u32| {
        let compared: Vec<Compared> =
            (0..40).map(|i| one(i, 100 + i, Method::Key, &[(C, if i < odd { 0.3 } else { 0.95 })])).collect();
        of(&all(&compared), 20, 120).beliefs.agree
    };
    // A belief of 3.8 in 4, and 40 or 37 of 40 pairs, roughly, since contents leave some doubt.
    for (odd, wanted) in [(0, 43.8 / 44.0), (3, 40.8 / 44.0)] {
        assert!((agree(odd) - wanted).abs() < 0.02, "{odd} {} {wanted}", agree(odd));
    }
}

#[test]
fn what_unlikely_pairs_show_is_not_usual() {
    let usual = |unlikely: u32| {
        let compared: Vec<Compared> = (0..20)
            .map(|i| one(i, 100 + i, Method::Key, &[(C, if i == 3 { 0.45 } else { 0.95 })]))
            .chain((20..20 + unlikely).map(|i| one(i, 100 + i, Method::Order, &[(C, 0.45)])))
            .collect();
        of(&all(&compared), 3, 103).beliefs.usual
    };
    assert!(usual(0) < -2.0 && usual(20) < -2.0, "{} {}", usual(0), usual(20));
}

#[test]
fn copies_are_no_pairs_and_teach_nothing() {
    let mut compared: Vec<Compared> = (0..10).map(|i| one(i, 100 + i, Method::Key, &[(C, 0.95)])).collect();
    let alone = all(&compared[1..]);
    compared[0].same_text = true;
    let judged = all(&compared);
    assert_eq!(of(&judged, 0, 100).score, 0.0);
    let sum: f64 = (1..10).map(|i| f64::from(of(&judged, i, 100 + i).score)).sum();
    assert!((f64::from(judged.sources[0].precision) - (3.6 + sum) / 13.0).abs() < 1e-6, "{:?}", judged.sources);
    assert_eq!(of(&judged, 3, 103).score, of(&alone, 3, 103).score);
    let mut only = compared[..1].to_vec();
    only[0].same_text = true;
    assert_eq!(all(&only).sources[0].precision, 0.0);
}

#[test]
fn a_low_pair_has_lost_only_where_its_page_is_taken() {
    let compared = [
        one(0, 10, Method::Words, &[(C, 0.98)]),
        one(0, 11, Method::Words, &[(C, 0.05)]),
        one(1, 12, Method::Words, &[(C, 0.05)]),
    ];
    let judged = all(&compared);
    assert_eq!(
        [(0, 10), (0, 11), (1, 12)].map(|(a, b)| of(&judged, a, b).outcome),
        [Outcome::Accepted, Outcome::LostToBetter, Outcome::LowScore]
    );
}

#[test]
fn a_declared_pair_that_lost_is_an_edition_where_it_is_rather_wrong_than_right() {
    let lost = |content: f32| {
        let compared = [one(0, 10, Method::Key, &[(C, 0.95)]), one(0, 11, Method::Hreflang, &[(C, content)])];
        of(&all(&compared), 0, 11)
    };
    let (rather_right, rather_wrong) = (lost(0.58), lost(0.56));
    assert!((0.0..1.0).contains(&rather_right.beliefs.log_odds), "{rather_right:?}");
    assert!((-1.0..0.0).contains(&rather_wrong.beliefs.log_odds), "{rather_wrong:?}");
    assert_eq!([rather_right, rather_wrong].map(|pair| pair.outcome), [Outcome::LostToBetter, Outcome::Edition]);
}

#[test]
fn a_source_is_doubtful_where_its_contents_often_disagree() {
    let good: Vec<Compared> = (0..40).map(|i| one(i, 100 + i, Method::Key, &[(C, 0.95)])).collect();
    let bad: Vec<Compared> =
        (0..40).map(|i| one(i, 100 + i, Method::Key, &[(C, if i % 2 == 0 { 0.95 } else { 0.05 })])).collect();
    assert!(!all(&good).is_doubtful(&good[0].candidate, &whole(&good)));
    assert!(all(&bad).is_doubtful(&bad[0].candidate, &whole(&bad)));
    assert!(!all(&good).is_doubtful(&one(0, 100, Method::Words, &[]).candidate, &whole(&good)));
}

#[test]
fn what_near_misses_say_counts_for_a_pair_that_addresses_propose_and_not_for_its_source() {
    let with = |method, near: f32| {
        let pairs = (0..10).map(|i| one(i, 100 + i, method, &[(C, 0.9)]));
        let last = one(10, 110, method, &[(C, 0.9), (Measure::Near, near)]);
        let pair = of(&all(&pairs.chain([last]).collect::<Vec<_>>()), 10, 110);
        (f64::from(pair.beliefs.log_odds), pair.beliefs.source, pair.beliefs.agree)
    };
    let [none, some] = [1.0, (-4f32).exp()].map(|near| with(Method::Key, near));
    assert!((none.0 - some.0 - 4.0).abs() < 0.3, "{none:?} {some:?}");
    assert!((none.1 - some.1).abs() < 1e-3 && (none.2 - some.2).abs() < 1e-3, "{none:?} {some:?}");
    assert_eq!(with(Method::Words, 1.0), with(Method::Words, (-4f32).exp()));
}

fn said(addresses: f64, names: f64) -> Said {
    Said {
        all: 0.0,
        all_contents: 0.0,
        counted: 1.0,
        usual: -0.5,
        near: 0.0,
        addresses,
        names,
        rivals: 0.0,
        part: WHOLE,
        is_own: true,
    }
}

#[test]
fn what_addresses_and_contents_say_of_each_other_by_hand() {
    let params = Params::default();
    let found = said(2.0, 1.0).of_addresses(0.9, &params);
    assert!((found - params.fit.counted(3.0 + (0.9 * 0.5f64.exp() + 0.1).ln())).abs() < 1e-12);
    assert!((expected(0.5, &said(2.0, 1.0), 0.9) - logit(0.9 * sigmoid(3.5))).abs() < 1e-12);
}

#[test]
fn a_page_in_the_wrong_place_is_believed_less() {
    let compared: Vec<Compared> = (0..40)
        .map(|i| {
            if i == 7 {
                one(i, 100 + i, Method::Key, &[(C, 0.95), (Measure::Place, 0.0)])
            } else {
                one(i, 100 + i, Method::Key, &[(C, 0.95)])
            }
        })
        .collect();
    let judged = all(&compared);
    assert!(of(&judged, 7, 107).beliefs.log_odds < of(&judged, 8, 108).beliefs.log_odds - 2.0);
}

fn paired(right: usize) -> Paired {
    let compared = [one(0, 1, Method::Key, &[])];
    let pair = OfKeys { part: WHOLE, is_own: true, right: 1.0 };
    Paired::new(std::iter::repeat_n(pair, right), &whole(&compared), |_| [50, 50], 4.0)
}

#[test]
fn what_is_believed_beside_keys_by_hand() {
    let prior = prior::Params::default();
    let found = |right: usize| beside_keys(&paired(right), &said(0.0, 0.0), &prior);
    assert_eq!((found(10), found(25)), (1.0, prior.beside_keys(25.0, 50.0)));
    assert!((found(40) - 0.5 * 0.2 / 42.0).abs() < 1e-12);
    let pair = OfKeys { part: WHOLE, is_own: true, right: 0.0 };
    let none = Paired::new([pair].into_iter(), &whole(&[one(0, 1, Method::Key, &[])]), |_| [50, 50], 4.0);
    assert_eq!(beside_keys(&none, &said(0.0, 0.0), &prior::Params { min_share: 0.0, ..prior }), 1.0);
}

#[test]
fn pages_that_keys_pair_by_hand() {
    let mut compared: Vec<Compared> =
        (0..10).map(|i| one(i, 100 + i, if i < 6 { Method::Key } else { Method::Words }, &[(C, 0.95)])).collect();
    compared[0].same_text = true;
    let list: Vec<&Compared> = compared.iter().collect();
    let says: Vec<Said> = list.iter().map(|_| said(0.0, 0.0)).collect();
    let parts = whole(&compared);
    let pages = |prior: &prior::Params| {
        paired_by_keys(&list, &says, &BTreeMap::new(), (en_zh(), &parts), prior).at(WHOLE, true).paired
    };
    assert!((pages(&prior::Params::default()) - 6.0 * 0.9).abs() < 1e-9);
    assert_eq!(pages(&prior::Params { strong: 0.5, ..prior::Params::default() }), 0.0);
}

#[test]
fn pairs_are_ranked_by_all_that_contents_say() {
    let compared: Vec<Compared> =
        (0..20).map(|i| one(i, 100 + i, Method::Key, &[(C, if i == 3 { 0.7 } else { 0.95 })])).collect();
    let (list, parts, params) = (compared.iter().collect::<Vec<_>>(), whole(&compared), Params::default());
    let weighed = weigh(en_zh(), list, &scorer(), (&parts, &NameCounts::default()), &params);
    assert!(weighed.beliefs[3].usual < -0.1, "{:?}", weighed.beliefs[3]);
    for at in [0, 3] {
        let contents = scorer().contents(&compared[at].similarities);
        let more = weighed.log_odds[at] - f64::from(weighed.beliefs[at].log_odds);
        assert!((more - (contents - params.fit.counted(contents))).abs() < 1e-5, "{more}");
    }
}

#[test]
fn beside_many_keys_words_are_believed_little() {
    let compared: Vec<Compared> = (0..40)
        .map(|i| one(i, 100 + i, Method::Key, &[(C, 0.95)]))
        .chain([one(40, 140, Method::Words, &[(C, 0.95)])])
        .collect();
    let judged = all(&compared);
    let source = of(&judged, 40, 140).beliefs.source;
    assert!(source < 0.005, "{source}");
    assert!(of(&judged, 1, 101).beliefs.source > 0.9);
}

#[test]
fn addresses_speak_for_their_pairs() {
    let compared: Vec<Compared> = (0..20)
        .map(|i| one(i, 100 + i, Method::Words, &[(C, 0.6), (Measure::Hreflang, if i < 10 { 0.95 } else { 0.05 })]))
        .collect();
    let judged = all(&compared);
    assert!(of(&judged, 3, 103).beliefs.log_odds > of(&judged, 13, 113).beliefs.log_odds + 2.0);
}

#[test]
fn links_do_not_tell_what_is_usual() {
    let compared: Vec<Compared> = (0..40)
        .map(|i| {
            one(i, 100 + i, if i < 39 { Method::Link } else { Method::Key }, &[(C, if i < 39 { 0.95 } else { 0.7 })])
        })
        .collect();
    assert_eq!(of(&all(&compared), 39, 139).beliefs.usual, 0.0);
    assert_eq!(of(&all(&compared), 3, 103).outcome, Outcome::Accepted);
}

#[test]
fn accepted_pairs_keep_their_scores_whatever_contradicts() {
    let [en, fr, de] = ["en", "fr", "de"].map(|tag| Lang::parse(tag).expect("a tag"));
    let row = |x: (Lang, u32), y: (Lang, u32), outcome| {
        let langs = LangPair::new(x.0, y.0).expect("two");
        let (a, b) = if langs.a == x.0 { (x.1, y.1) } else { (y.1, x.1) };
        JudgedPair::new(
            Candidate { pair: PagePair { langs, a, b }, method: Method::Key, key: Some(0) },
            0.75,
            Similarities::default(),
            outcome,
        )
    };
    let mut rows = [
        row((en, 1), (de, 11), Outcome::Accepted),
        row((en, 2), (de, 12), Outcome::Accepted),
        row((en, 1), (fr, 21), Outcome::Accepted),
        row((de, 12), (fr, 21), Outcome::Accepted),
    ];
    beside_versions(&mut rows, &prior::Params::default());
    assert_eq!(rows.map(|row| row.score), [0.75; 4]);
}

#[test]
fn contents_of_a_folder_without_keys_are_believed_as_those_of_the_site() {
    let parts = crate::index::parts::two_folders(20);
    let compared: Vec<Compared> = (0..8)
        .map(|i| one(2 * i, 21 + 2 * i, Method::Key, &[(C, 0.95)]))
        .chain([one(16, 17, Method::Words, &[(C, 0.95)])])
        .collect();
    let judged = judge(&compared, |_| scorer(), &parts, &Params::default());
    assert!(of(&judged, 16, 17).beliefs.agree > 0.9);
}

#[test]
fn a_key_that_is_wrong_in_one_folder_is_believed_in_the_other() {
    // Ten pairs in each of two folders; those of the second folder are wrong.
    let compared: Vec<Compared> =
        (0..20).map(|i| one(2 * i, 2 * i + 1, Method::Key, &[(C, if i < 10 { 0.95 } else { 0.05 })])).collect();
    let judged = judge(&compared, |_| scorer(), &crate::index::parts::two_folders(0), &Params::default());
    let [first, second] = [0, 38].map(|a| of(&judged, a, a + 1).beliefs.source);
    assert!(first > 0.8 && second < 0.4, "{first} {second}");
}
