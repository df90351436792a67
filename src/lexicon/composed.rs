//! Word translations by way of a third language.

use super::vocabulary::{Kept, Vocabulary};

/// The words of a language, and those of a third language into which they are translated.
#[derive(Clone, Copy)]
pub struct Halfway<'v> {
    /// The words of the language, with translations into the third.
    pub own: &'v Vocabulary,
    /// The words of the third language, with translations back.
    pub hub: &'v Vocabulary,
}

/// The vocabularies of two languages, with p(b|a) = Σ_h p(h|a)·p(b|h), and p(a|b) likewise, for two texts. They have those of the given
/// `words` that are known, and their translations. Both have the words of both texts, because the shares of a word in the two languages
/// show whether a text is in the other one; but words of the other text have no translations. Time grows with the words, for each with the
/// square of [`Kept::max_translations`].
pub fn composed(sides: [Halfway<'_>; 2], words: [&[u64]; 2], kept: Kept) -> [Vocabulary; 2] {
    let found = |side: usize, text: usize| {
        let find = |&word: &u64| sides[side].own.find(word).map(|at| at as u32);
        sorted(words[text].iter().filter_map(find).collect())
    };
    let places = [0, 1].map(|side: usize| found(side, side));
    let links = [0, 1].map(|side: usize| {
        let translations = |&at: &u32| translations(at, sides[side], sides[1 - side], kept);
        places[side].iter().map(translations).collect::<Vec<_>>()
    });
    // What the vocabularies contain: the words, and the translations of the words of the other side.
    let all = [0, 1].map(|side: usize| {
        let mut all = found(side, 1 - side);
        all.extend(&places[side]);
        all.extend(links[1 - side].iter().flatten().map(|link| link.0));
        sorted(all)
    });
    [0, 1].map(|side: usize| {
        let own = sides[side].own;
        let mut found = Vocabulary::default();
        found.words.extend(all[side].iter().map(|&at| own.words[at as usize]));
        found.shares.extend(all[side].iter().map(|&at| own.shares[at as usize]));
        let mut linked = places[side].iter().zip(&links[side]).peekable();
        for at in &all[side] {
            if let Some((_, links)) = linked.next_if(|(place, _)| *place == at) {
                for &(target, p) in links {
                    // Both lists are sorted, and this one has all targets.
                    found.targets.push(all[1 - side].partition_point(|&other| other < target) as u32);
                    found.probabilities.push(p);
                }
            }
            found.ends.push(found.targets.len() as u32);
        }
        found.index();
        found
    })
}

/// The different numbers, in order.
fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The translations of the word at a place into the words of the other side, the most probable first.
fn translations(at: u32, from: Halfway<'_>, to: Halfway<'_>, kept: Kept) -> Vec<(u32, f32)> {
    let mut found: Vec<(u32, f32)> = Vec::new();
    for (word, p) in from.own.translations(at as usize) {
        if let Some(in_other) = to.hub.find(from.hub.words[word as usize]) {
            found.extend(to.hub.translations(in_other).map(|(target, q)| (target, p * q)));
        }
    }
    found.sort_by_key(|link| link.0);
    found.dedup_by(|next, sum| {
        let is_same = next.0 == sum.0;
        sum.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    found.retain(|link| link.1 >= kept.min_probability);
    found.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
    found.truncate(kept.max_translations);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vocabulary of words with the places and probabilities of their translations.
    fn vocabulary(words: &[(u64, &[(u32, f32)])]) -> Vocabulary {
        let mut found = Vocabulary::default();
        for &(word, translations) in words {
            found.words.push(word);
            found.shares.push(1.0 / words.len() as f32);
            found.targets.extend(translations.iter().map(|link| link.0));
            found.probabilities.extend(translations.iter().map(|link| link.1));
            found.ends.push(found.targets.len() as u32);
        }
        found
    }

    #[test]
    fn a_word_is_translated_by_all_words_of_the_third_language_between_them() {
        // 10 is 1 or 2, which are 71 and 72 (or 73), or 72; the two models number 1 and 2 differently.
        let a = vocabulary(&[(10, &[(0, 0.5), (1, 0.5)]), (11, &[])]);
        let hub_of_a = vocabulary(&[(1, &[(0, 1.0)]), (2, &[(0, 1.0)])]);
        let hub_of_b = vocabulary(&[(0, &[]), (1, &[(0, 0.5), (1, 0.48), (2, 0.02)]), (2, &[(1, 1.0)])]);
        let b = vocabulary(&[(71, &[(1, 1.0)]), (72, &[(1, 0.5), (2, 0.25)]), (73, &[(1, 1.0)])]);
        let sides = [Halfway { own: &a, hub: &hub_of_a }, Halfway { own: &b, hub: &hub_of_b }];
        let kept = Kept { max_translations: 12, min_probability: 0.02 };
        let [of_a, of_b] = composed(sides, [&[11, 10, 99], &[72, 72]], kept);
        assert_eq!((of_a.words.clone(), of_b.words.clone()), (vec![10, 11], vec![71, 72]));
        let found: Vec<_> = of_a.translations(0).collect();
        assert_eq!(found, [(1, 0.74), (0, 0.25)], "73 is too improbable");
        assert_eq!(of_b.translations(1).collect::<Vec<_>>(), [(0, 0.75)]);
        assert_eq!(of_b.translations(0).count(), 0, "nobody asked for it");
        assert!(of_a.is_sound(2) && of_b.is_sound(2) && of_b.find(72) == Some(1));
        let in_both = composed(sides, [&[10, 72], &[71]], kept);
        assert_eq!(in_both[1].words, [71, 72], "the second has the words of the first text");
        let strange = composed(sides, [&[10], &[11, 72]], kept);
        assert_eq!((strange[0].words.clone(), strange[0].translations(1).count()), (vec![10, 11], 0));
        assert!(strange[0].is_sound(strange[1].words.len()));
        let fewer = composed(sides, [&[10], &[]], Kept { max_translations: 1, ..kept });
        assert_eq!((fewer[0].targets.len(), fewer[1].words.clone()), (1, vec![72]));
    }
}
