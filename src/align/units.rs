//! Sentence pairs of all versions of a document → units: sentences of several languages that are translations of each other.
//!
//! Sentence pairs, the most certain first, join sentences into units with one stretch of consecutive sentences in each language. What would
//! break that contradicts more certain sentence pairs, and joins nothing. If sentence pairs of two languages then cover their stretches in part
//! only, the least certain of what made it so is taken out.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

/// Consecutive sentences of one version of a document, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// The version.
    pub version: u32,
    /// The sentences; at least one.
    pub sentences: Range<u32>,
}

/// A sentence pair of two versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its sides.
    pub sides: [Stretch; 2],
    /// The probability that they are translations.
    pub score: f32,
}

/// Why a sentence pair joins nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contradiction {
    /// More certain sentence pairs give its sides other sentences of some language.
    OtherSentences,
    /// It would join sentences of some language that have another sentence between them.
    Apart,
    /// Together with more certain sentence pairs it makes a unit in which some sentences of one language have a translation in another one,
    /// and others do not.
    InPart,
}

/// A unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its sentences in each of two versions or more, by version.
    pub stretches: Vec<Stretch>,
    /// The sentence pairs in it, by their positions, in order.
    pub links: Vec<u32>,
    /// Sentence pairs of at least this score hold it together.
    pub score: f32,
    /// How many sentence pairs contradict it: those that join nothing, and have a side in it.
    pub contradictions: u32,
}

/// The units of a document, and what contradicts them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// The units, by their first stretches.
    pub units: Vec<Unit>,
    /// The position of each sentence pair that joins nothing, in order, with the reason.
    pub contradictions: Vec<(u32, Contradiction)>,
}

/// Joins sentence pairs of a document to units. `sentences` has the number of sentences of each version. Where scores are equal, the order
/// of versions and sentences decides.
pub fn join(sentences: &[u32], links: &[Link]) -> Units {
    let mut order: Vec<u32> = (0..links.len() as u32).collect();
    order.sort_by(|&x, &y| by_certainty(&links[x as usize], &links[y as usize]));
    let mut joining = Joining::new(sentences);
    let mut all = Units::default();
    for order in joining.components(links, &order) {
        let found = joining.join(links, order);
        all.units.extend(found.units);
        all.contradictions.extend(found.contradictions);
    }
    all.units.sort_by_key(|unit| (unit.stretches[0].version, unit.stretches[0].sentences.start));
    all.contradictions.sort_unstable();
    all
}

/// For a unit in which sentence pairs of two versions cover these only in part: the least certain sentence pair among those of the two
/// versions and those that take several sentences together.
fn least_certain_of_part(unit: &Unit, links: &[Link]) -> Option<u32> {
    let versions = |link: &Link| {
        let [a, b] = link.sides.each_ref().map(|side| side.version);
        (a.min(b), a.max(b))
    };
    let mut by_versions: BTreeMap<(u32, u32), Vec<&Link>> = BTreeMap::new();
    for link in unit.links.iter().map(|&at| &links[at as usize]) {
        by_versions.entry(versions(link)).or_default().push(link);
    }
    let covers = |of_two: &[&Link], version: u32| {
        let mut covered: Vec<Range<u32>> = of_two
            .iter()
            .flat_map(|link| &link.sides)
            .filter(|side| side.version == version)
            .map(|side| side.sentences.clone())
            .collect();
        covered.sort_by_key(|sentences| sentences.start);
        let stretch = unit.stretches.iter().find(|stretch| stretch.version == version);
        stretch.is_none_or(|stretch| {
            let reached = |at: u32, next: &Range<u32>| if next.start <= at { at.max(next.end) } else { at };
            covered.iter().fold(stretch.sentences.start, reached) == stretch.sentences.end
        })
    };
    let in_part =
        |(&(a, b), of_two): (&(u32, u32), &Vec<&Link>)| (!covers(of_two, a) || !covers(of_two, b)).then_some((a, b));
    let of_two = by_versions.iter().find_map(in_part)?;
    let is_several = |link: &Link| link.sides.iter().any(|side| side.sentences.len() > 1);
    let is_concerned = |at: &u32| versions(&links[*at as usize]) == of_two || is_several(&links[*at as usize]);
    let concerned = unit.links.iter().copied().filter(is_concerned);
    concerned.max_by(|&x, &y| by_certainty(&links[x as usize], &links[y as usize]))
}

/// The most certain first.
fn by_certainty(x: &Link, y: &Link) -> Ordering {
    let place = |link: &Link| link.sides.clone().map(|side| (side.version, side.sentences.start, side.sentences.end));
    y.score.total_cmp(&x.score).then_with(|| place(x).cmp(&place(y)))
}

/// Units while they are joined.
struct Joining {
    /// The number of the first sentence of each version among those of all.
    first: Vec<u32>,
    /// The group of each sentence.
    group: Vec<u32>,
    /// The stretches of each group, by version; empty where the group was joined to another one.
    groups: Vec<Vec<Stretch>>,
    /// The least score of what joined each group.
    scores: Vec<f32>,
}

impl Joining {
    fn new(sentences: &[u32]) -> Joining {
        let (mut first, mut groups) = (Vec::new(), Vec::new());
        for (&count, version) in sentences.iter().zip(0u32..) {
            first.push(groups.len() as u32);
            groups.extend((0..count).map(|number| vec![Stretch { version, sentences: number..number + 1 }]));
        }
        let group = (0..groups.len() as u32).collect();
        Joining { first, group, scores: vec![f32::INFINITY; groups.len()], groups }
    }

    /// Divides sentence pairs into those that have no sentences in common, even by way of others, each in the given order.
    fn components(&self, links: &[Link], order: &[u32]) -> Vec<Vec<u32>> {
        let mut parent: Vec<u32> = (0..self.group.len() as u32).collect();
        fn top(parent: &mut [u32], mut at: u32) -> u32 {
            while parent[at as usize] != at {
                parent[at as usize] = parent[parent[at as usize] as usize];
                at = parent[at as usize];
            }
            at
        }
        for link in links {
            let mut numbers = link.sides.iter().flat_map(|side| self.numbers(side));
            let Some(first) = numbers.next() else { continue };
            for other in numbers {
                let (x, y) = (top(&mut parent, first as u32), top(&mut parent, other as u32));
                parent[x.max(y) as usize] = x.min(y);
            }
        }
        let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &at in order {
            if let Some(first) = self.numbers(&links[at as usize].sides[0]).next() {
                found.entry(top(&mut parent, first as u32)).or_default().push(at);
            }
        }
        found.into_values().collect()
    }

    /// Joins the sentence pairs of a component to units. As long as a unit is covered only in part, the least certain of the sentence pairs
    /// that cause this is taken out.
    fn join(&mut self, links: &[Link], mut order: Vec<u32>) -> Units {
        let mut taken_out: Vec<(u32, Contradiction)> = Vec::new();
        let all: Vec<usize> =
            order.iter().flat_map(|&at| &links[at as usize].sides).flat_map(|side| self.numbers(side)).collect();
        let alone: Vec<Vec<Stretch>> = all.iter().map(|&number| self.groups[number].clone()).collect();
        loop {
            let (joined, mut contradictions) = self.add_all(links, &order);
            contradictions.extend(&taken_out);
            let found = self.units(links, joined, contradictions);
            let mut worst: Vec<u32> =
                found.units.iter().filter_map(|unit| least_certain_of_part(unit, links)).collect();
            if worst.is_empty() {
                return found;
            }
            worst.sort_unstable();
            order.retain(|at| worst.binary_search(at).is_err());
            taken_out.extend(worst.into_iter().map(|at| (at, Contradiction::InPart)));
            for (&number, alone) in all.iter().zip(&alone) {
                self.group[number] = number as u32;
                self.groups[number].clone_from(alone);
                self.scores[number] = f32::INFINITY;
            }
        }
    }

    /// Joins sentence pairs in their order; returns those that were joined, and those that contradict.
    fn add_all(&mut self, links: &[Link], order: &[u32]) -> (Vec<u32>, Vec<(u32, Contradiction)>) {
        let (mut joined, mut refused) = (Vec::new(), Vec::new());
        let mut waiting = order.to_vec();
        // A sentence pair that contradicted at first may fit after more were joined.
        loop {
            refused.clear();
            for &at in &waiting {
                match self.add(&links[at as usize]) {
                    Ok(()) => joined.push(at),
                    Err(reason) => refused.push((at, reason)),
                }
            }
            if refused.len() == waiting.len() {
                return (joined, refused);
            }
            waiting = refused.iter().map(|(at, _)| *at).collect();
        }
    }

    /// The numbers of the sentences of a stretch among those of all versions.
    fn numbers(&self, stretch: &Stretch) -> Range<usize> {
        let first = self.first[stretch.version as usize];
        (first + stretch.sentences.start) as usize..(first + stretch.sentences.end) as usize
    }

    /// The groups of the sentences of a stretch, each once.
    fn groups_of(&self, stretch: &Stretch) -> Vec<u32> {
        let mut found: Vec<u32> = self.group[self.numbers(stretch)].to_vec();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The stretches of several groups together; `None` where sentences of a version do not follow one another.
    fn together(&self, groups: &[u32]) -> Option<Vec<Stretch>> {
        let mut all: Vec<&Stretch> = groups.iter().flat_map(|&group| &self.groups[group as usize]).collect();
        all.sort_unstable_by_key(|stretch| (stretch.version, stretch.sentences.start));
        let mut joined: Vec<Stretch> = Vec::new();
        for stretch in all {
            match joined.last_mut().filter(|last| last.version == stretch.version) {
                Some(last) if last.sentences.end == stretch.sentences.start => {
                    last.sentences.end = stretch.sentences.end
                }
                Some(_) => return None,
                None => joined.push(stretch.clone()),
            }
        }
        Some(joined)
    }

    /// Joins what a sentence pair says to be one. Each of its sides may join several groups, which it takes for one; but it must not give a
    /// group other sentences of a version than the group has.
    fn add(&mut self, link: &Link) -> Result<(), Contradiction> {
        let [a, b] = link.sides.each_ref().map(|side| self.groups_of(side));
        let (Some(of_a), Some(of_b)) = (self.together(&a), self.together(&b)) else { return Err(Contradiction::Apart) };
        let is_common = a.iter().any(|group| b.contains(group));
        let has = |version: u32| of_b.iter().any(|stretch| stretch.version == version);
        if !is_common && of_a.iter().any(|stretch| has(stretch.version)) {
            return Err(Contradiction::OtherSentences);
        }
        let mut groups = [a, b].concat();
        groups.sort_unstable();
        groups.dedup();
        let stretches = self.together(&groups).ok_or(Contradiction::Apart)?;
        let Some((&kept, joined)) = groups.split_first().filter(|(_, joined)| !joined.is_empty()) else {
            return Ok(());
        };
        for stretch in &stretches {
            let numbers = self.numbers(stretch);
            self.group[numbers].fill(kept);
        }
        for &group in joined {
            self.groups[group as usize].clear();
        }
        self.groups[kept as usize] = stretches;
        let least = groups.iter().map(|&group| self.scores[group as usize]).fold(link.score, f32::min);
        self.scores[kept as usize] = least;
        Ok(())
    }

    /// What was joined.
    fn units(&self, links: &[Link], mut joined: Vec<u32>, mut contradictions: Vec<(u32, Contradiction)>) -> Units {
        joined.sort_unstable();
        contradictions.sort_unstable();
        let of = |at: u32| links[at as usize].sides.each_ref().map(|side| self.groups_of(side));
        let mut of_group: BTreeMap<u32, Unit> = BTreeMap::new();
        for at in joined {
            let group = of(at)[0][0];
            let unit = of_group.entry(group).or_insert_with(|| Unit {
                stretches: self.groups[group as usize].clone(),
                links: Vec::new(),
                score: self.scores[group as usize],
                contradictions: 0,
            });
            unit.links.push(at);
        }
        for &(at, _) in &contradictions {
            let mut sides = of(at).concat();
            sides.sort_unstable();
            sides.dedup();
            for group in sides {
                if let Some(unit) = of_group.get_mut(&group) {
                    unit.contradictions += 1;
                }
            }
        }
        Units { units: of_group.into_values().collect(), contradictions }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn link(a: (u32, Range<u32>), b: (u32, Range<u32>), score: f32) -> Link {
        let side = |(version, sentences)| Stretch { version, sentences };
        Link { sides: [side(a), side(b)], score }
    }

    /// Sentences: (version, number).
    type Sentences = BTreeSet<(u32, u32)>;

    fn sentences(stretch: &Stretch) -> Sentences {
        stretch.sentences.clone().map(|number| (stretch.version, number)).collect()
    }

    fn versions(sentences: &Sentences) -> BTreeSet<u32> {
        sentences.iter().map(|(version, _)| *version).collect()
    }

    /// Whether the sentences of each version follow one another.
    fn is_consistent(all: &Sentences) -> bool {
        versions(all).into_iter().all(|version| {
            let numbers: Vec<u32> =
                all.iter().filter(|sentence| sentence.0 == version).map(|sentence| sentence.1).collect();
            numbers.windows(2).all(|two| two[0] + 1 == two[1])
        })
    }

    /// The partition that a sentence pair makes of another one, or the reason why it contradicts it.
    fn tried(partition: &[Sentences], link: &Link) -> Result<Vec<Sentences>, Contradiction> {
        let [a, b] = link.sides.each_ref().map(|side| {
            let side = sentences(side);
            partition.iter().filter(|part| !part.is_disjoint(&side)).flatten().copied().collect::<Sentences>()
        });
        if !is_consistent(&a) || !is_consistent(&b) {
            return Err(Contradiction::Apart);
        }
        if a.is_disjoint(&b) && !versions(&a).is_disjoint(&versions(&b)) {
            return Err(Contradiction::OtherSentences);
        }
        let all: Sentences = a.union(&b).copied().collect();
        if !is_consistent(&all) {
            return Err(Contradiction::Apart);
        }
        let rest = partition.iter().filter(|part| part.is_disjoint(&all)).cloned();
        Ok(rest.chain([all.clone()]).collect())
    }

    /// What sentence pairs join, tried in their order, again and again until all that are left contradict; and those that are left.
    fn joined_by_definition(counts: &[u32], links: &[Link], order: &[usize]) -> (Vec<Sentences>, Vec<usize>) {
        let all = counts.iter().zip(0..).flat_map(|(count, version)| (0..*count).map(move |number| (version, number)));
        let mut partition: Vec<Sentences> = all.map(|sentence| Sentences::from([sentence])).collect();
        let mut left = order.to_vec();
        loop {
            let before = left.len();
            left.retain(|&at| match tried(&partition, &links[at]) {
                Ok(next) => {
                    partition = next;
                    false
                }
                Err(_) => true,
            });
            if left.len() == before {
                return (partition, left);
            }
        }
    }

    /// The first two versions of a unit of which the sentence pairs of these two cover some sentences, but not all.
    fn in_part(unit: &Sentences, inside: &[&Link]) -> Option<[u32; 2]> {
        let of = versions(unit);
        let two = of.iter().flat_map(|&a| of.iter().filter(move |&&b| a < b).map(move |&b| [a, b]));
        two.into_iter().find(|two| {
            let theirs: Vec<&&Link> = inside
                .iter()
                .filter(|link| two.iter().all(|version| link.sides.iter().any(|side| side.version == *version)))
                .collect();
            let covered: Sentences = theirs.iter().flat_map(|link| link.sides.iter().flat_map(sentences)).collect();
            let all: Sentences = unit.iter().filter(|sentence| two.contains(&sentence.0)).copied().collect();
            !theirs.is_empty() && covered != all
        })
    }

    /// The definition of units, and of what contradicts them.
    fn reference(counts: &[u32], links: &[Link]) -> (BTreeSet<Sentences>, BTreeMap<u32, Contradiction>) {
        let mut order: Vec<usize> = (0..links.len()).collect();
        order.sort_by_key(|&at| {
            let sides = links[at].sides.clone().map(|side| (side.version, side.sentences.start, side.sentences.end));
            (std::cmp::Reverse((links[at].score * 1e4) as u32), sides)
        });
        let mut found = BTreeMap::new();
        loop {
            let (partition, left) = joined_by_definition(counts, links, &order);
            let mut worst = Vec::new();
            for unit in &partition {
                let is_inside = |at: &&usize| {
                    !left.contains(at) && links[**at].sides.iter().all(|side| sentences(side).is_subset(unit))
                };
                let inside: Vec<usize> = order.iter().filter(is_inside).copied().collect();
                let two = in_part(unit, &inside.iter().map(|&at| &links[at]).collect::<Vec<_>>());
                // The last in the order, among the sentence pairs of the two versions and those of several sentences.
                worst.extend(two.and_then(|two| {
                    inside.into_iter().rev().find(|&at| {
                        let [a, b] = &links[at].sides;
                        two.contains(&a.version) && two.contains(&b.version)
                            || a.sentences.len() > 1
                            || b.sentences.len() > 1
                    })
                }));
            }
            if worst.is_empty() {
                let reason = |at: usize| tried(&partition, &links[at]).expect_err("it contradicts");
                found.extend(left.into_iter().map(|at| (at as u32, reason(at))));
                return (partition.into_iter().filter(|part| versions(part).len() > 1).collect(), found);
            }
            order.retain(|at| !worst.contains(at));
            found.extend(worst.into_iter().map(|at| (at as u32, Contradiction::InPart)));
        }
    }

    fn spans(unit: &Unit) -> Vec<(u32, Range<u32>)> {
        unit.stretches.iter().map(|stretch| (stretch.version, stretch.sentences.clone())).collect()
    }

    #[test]
    fn sentences_of_all_languages_are_joined_and_taken_together_where_one_language_takes_them_so() {
        // English 2 and 3 are one sentence in version 1, and two in version 2.
        let links = [
            link((0, 0..1), (1, 0..1), 0.9),
            link((0, 0..1), (2, 0..1), 0.8),
            link((1, 0..1), (2, 0..1), 0.1),
            link((0, 1..3), (1, 1..2), 0.7),
            link((0, 1..2), (2, 1..2), 0.9),
            link((0, 2..3), (2, 2..3), 0.9),
        ];
        let found = join(&[3, 2, 3], &links);
        assert_eq!(found.contradictions, []);
        assert_eq!(spans(&found.units[0]), [(0, 0..1), (1, 0..1), (2, 0..1)]);
        assert_eq!(spans(&found.units[1]), [(0, 1..3), (1, 1..2), (2, 1..3)]);
        // The least certain sentence pair is not needed to hold the first unit together.
        assert_eq!((found.units[0].score, found.units[1].score), (0.8, 0.7));
        assert_eq!((&*found.units[0].links, &*found.units[1].links), (&[0, 1, 2][..], &[3, 4, 5][..]));
    }

    #[test]
    fn the_least_certain_of_what_contradicts_joins_nothing() {
        // A sentence pair that is not certain shifts version 2 against version 1 by one sentence.
        let wrong = link((1, 0..1), (2, 1..2), 0.4);
        let links = [
            link((0, 0..1), (1, 0..1), 0.9),
            link((0, 0..1), (2, 0..1), 0.8),
            wrong.clone(),
            link((0, 1..2), (2, 1..2), 0.9),
        ];
        let found = join(&[2, 2, 2], &links);
        assert_eq!(found.contradictions, [(2, Contradiction::OtherSentences)]);
        assert_eq!(found.units.iter().map(|unit| unit.contradictions).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(spans(&found.units[1]), [(0, 1..2), (2, 1..2)]);
        // If it were the most certain one, others would be taken out.
        let links = links.map(|link| if link == wrong { Link { score: 1.0, ..link } } else { link });
        let others = Contradiction::OtherSentences;
        assert_eq!(join(&[2, 2, 2], &links).contradictions, [(1, others), (3, others)]);
    }

    #[test]
    fn sentences_with_another_one_between_them_are_not_taken_together() {
        // Version 1 takes two sentences for one, whose translations in version 2 do not follow one another.
        let links = [link((0, 0..1), (2, 0..1), 0.9), link((0, 1..2), (2, 2..3), 0.9), link((0, 0..2), (1, 0..1), 0.5)];
        let found = join(&[2, 1, 3], &links);
        assert_eq!(found.contradictions, [(2, Contradiction::Apart)]);
        assert_eq!(found.units.len(), 2);
    }

    #[test]
    fn languages_that_translate_a_part_are_no_unit_with_the_whole() {
        // Version 1 takes two sentences for one; version 2 has the first of them only.
        let links = |score| [link((0, 0..2), (1, 0..1), 0.9), link((0, 0..1), (2, 0..1), score)];
        let found = join(&[2, 1, 1], &links(0.8));
        assert_eq!(found.contradictions, [(1, Contradiction::InPart)]);
        assert_eq!(found.units.iter().map(spans).collect::<Vec<_>>(), [[(0, 0..2), (1, 0..1)]]);
        let found = join(&[2, 1, 1], &links(1.0));
        assert_eq!(found.contradictions, [(0, Contradiction::InPart)]);
        assert_eq!(found.units.iter().map(spans).collect::<Vec<_>>(), [[(0, 0..1), (2, 0..1)]]);
    }

    #[test]
    fn what_contradicted_at_first_is_tried_again() {
        // The first one has other sentences, until the last one takes both for one.
        let links = [
            link((0, 0..1), (1, 0..1), 0.9),
            link((0, 1..2), (1, 1..2), 0.9),
            link((0, 0..1), (1, 1..2), 0.8),
            link((0, 0..2), (2, 0..1), 0.5),
        ];
        let found = join(&[2, 2, 1], &links);
        assert_eq!((found.contradictions.len(), found.units.len()), (0, 1));
        assert_eq!(spans(&found.units[0]), [(0, 0..2), (1, 0..2), (2, 0..1)]);
    }

    prop_compose! {
        fn any_link(counts: Vec<u32>)(
            versions in (0..counts.len(), 1..counts.len()),
            (from, score) in ((0u32..8, 0u32..8), 1u16..6),
            lengths in (1u32..4, 1u32..4),
            counts in Just(counts),
        ) -> Link {
            let (a, b) = (versions.0, (versions.0 + versions.1) % counts.len());
            let side = |version: usize, from: u32, length: u32| {
                let from = from % counts[version];
                (version as u32, from..(from + length).min(counts[version]))
            };
            link(side(a, from.0, lengths.0), side(b, from.1, lengths.1), f32::from(score) / 8.0)
        }
    }

    fn documents() -> impl Strategy<Value = (Vec<u32>, Vec<Link>)> {
        prop::collection::vec(1u32..7, 2..5)
            .prop_flat_map(|counts| (Just(counts.clone()), prop::collection::vec(any_link(counts), 0..25)))
    }

    proptest! {
        #[test]
        fn units_are_those_of_the_definition((counts, links) in documents()) {
            let found = join(&counts, &links);
            let (units, contradictions) = reference(&counts, &links);
            let sets: BTreeSet<Sentences> = found.units.iter().map(|unit| unit.stretches.iter().flat_map(sentences).collect()).collect();
            prop_assert_eq!(&sets, &units);
            prop_assert_eq!(found.contradictions.iter().copied().collect::<BTreeMap<_, _>>(), contradictions);
            // Each sentence pair is in one unit, whole, or contradicts.
            let mut all: Vec<u32> = found.units.iter().flat_map(|unit| unit.links.iter().copied()).collect();
            all.extend(found.contradictions.iter().map(|(at, _)| *at));
            all.sort_unstable();
            prop_assert_eq!(all, (0..links.len() as u32).collect::<Vec<_>>());
            for unit in &found.units {
                let mut versions: Vec<u32> = unit.stretches.iter().map(|stretch| stretch.version).collect();
                versions.dedup();
                prop_assert_eq!(versions.len(), unit.stretches.len(), "one stretch of a version");
                let inside: Sentences = unit.stretches.iter().flat_map(sentences).collect();
                let is_inside = |at: &u32| links[*at as usize].sides.iter().all(|side| sentences(side).is_subset(&inside));
                prop_assert!(unit.links.iter().all(is_inside));
                let touches = |at: u32| links[at as usize].sides.iter().any(|side| !sentences(side).is_disjoint(&inside));
                let count = found.contradictions.iter().filter(|(at, _)| touches(*at)).count();
                prop_assert_eq!(unit.contradictions as usize, count);
                let inside: Vec<&Link> = unit.links.iter().map(|at| &links[*at as usize]).collect();
                prop_assert_eq!(in_part(&unit.stretches.iter().flat_map(sentences).collect(), &inside), None);
                prop_assert!(unit.score >= unit.links.iter().map(|at| links[*at as usize].score).fold(1.0, f32::min));
            }
        }

        #[test]
        fn the_order_in_which_sentence_pairs_come_changes_nothing((counts, mut links) in documents()) {
            let stretches = |units: &Units| units.units.iter().map(|unit| (unit.stretches.clone(), unit.contradictions)).collect::<Vec<_>>();
            let one = join(&counts, &links);
            links.reverse();
            prop_assert_eq!(stretches(&one), stretches(&join(&counts, &links)));
        }
    }
}
