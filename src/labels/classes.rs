//! Which pages of a site are in one language, by the [letters](crate::language::letters) of their texts.
//!
//! Pages whose language is told, and those that the site names, show what texts in it look like. Other pages belong to the language that they are
//! most alike, or to none of them; those that are alike each other then are in a language that nothing names.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::language::letters::{ALIKE, Letters};
use crate::types::Lang;

/// Texts that are farther from each other than this are taken for texts of two languages (estimated as [`ALIKE`] is).
pub const APART: f64 = 0.5;
/// A text is clearly more like one class than like another if it is nearer by this, in nats a pair of letters (an estimate: as where a text is compared with
/// the profile of a language that it was taken for).
const CLEARLY: f64 = 0.1;
/// So many pages are called by a name before what it names is kept apart from others, and so many show that there are texts in a language (an estimate).
pub const MIN_NAMED: u32 = 3;
/// So many pages that are alike, and so many pairs of letters in them, are a language, and not a few pages of names and numbers (estimates).
const MIN_PAGES: usize = 5;
pub const MIN_LETTERS: u64 = 600;
/// Texts with so many pairs of letters contain those that are usual in their language (an estimate).
const ENOUGH: u64 = 2000;
/// Languages of one site that nothing names, at most.
const MAX_UNNAMED: usize = 26;

/// Texts in a language that are alike: those in Latin letters, for which the second is true, or those in others. A language may be written in both.
pub type Written = (Lang, bool);

/// The letters of the languages of a site.
#[derive(Default)]
pub struct Classes {
    of: BTreeMap<Written, Letters>,
}

impl Classes {
    /// Adds a text in a language.
    pub fn add(&mut self, written: Written, letters: &Letters) {
        self.of.entry(written).or_default().add(letters);
    }

    /// Takes a text away that was added.
    pub fn take(&mut self, written: Written, letters: &Letters) {
        if let Some(class) = self.of.get_mut(&written) {
            class.take(letters);
        }
    }

    /// Adds the texts of other classes to those that have few of their own.
    pub fn complete(&mut self, others: Classes) {
        for (written, letters) in others.of {
            let own = self.of.entry(written).or_default();
            if own.total() < ENOUGH {
                own.add(&letters);
            }
        }
    }

    /// The texts in a language that are written as one is, or else its other ones.
    fn own(&self, (lang, is_latin): Written) -> Option<&Letters> {
        let class = |is_latin: bool| self.of.get(&(lang, is_latin)).filter(|class| class.total() > 0);
        class(is_latin).or_else(|| class(!is_latin))
    }

    /// How far a text is from those in a language; `None` where there are none.
    pub fn distance(&self, written: Written, letters: &Letters) -> Option<f64> {
        self.own(written).map(|class| class.distance(letters)).filter(|distance| distance.is_finite())
    }

    /// True for a text that is clearly more like those in another language than those in its own, where these two are not taken for each other.
    pub fn is_in_another(&self, written: Written, letters: &Letters) -> bool {
        let (Some(own), Some(own_class)) = (self.distance(written, letters), self.own(written)) else { return false };
        let others = self.of.iter().filter(|(other, class)| other.0 != written.0 && class.total() >= MIN_LETTERS);
        let mut near = others.filter(|(_, class)| {
            let distance = class.distance(letters);
            distance <= ALIKE && own - distance >= CLEARLY && own_class.distance(class) > ALIKE
        });
        near.next().is_some()
    }

    /// The language whose texts a text is most alike, among those that it may be in, if it is alike any.
    pub fn nearest(&self, letters: &Letters, may_be: impl Fn(Lang) -> bool) -> Option<Lang> {
        let large = self.of.iter().filter(|((lang, _), class)| class.total() >= MIN_LETTERS && may_be(*lang));
        nearest(large.map(|((lang, _), class)| (*lang, class)), letters)
    }
}

/// The nearest of several classes that is near enough; of equally near ones the first.
fn nearest<'c, C>(classes: impl Iterator<Item = (C, &'c Letters)>, letters: &Letters) -> Option<C> {
    let near = classes.map(|(class, of)| (of.distance(letters), class)).filter(|near| near.0 <= ALIKE);
    near.reduce(|best, near| if near.0 < best.0 { near } else { best }).map(|near| near.1)
}

/// Groups texts that are alike, by their [counts](crate::language::letters::count): for each text the number of its group, if it is in one. Groups are numbered by their size, the largest first.
///
/// The longest text begins a group; each one that follows joins the group that it is most alike, or begins another. When all have been seen, each
/// joins the group that it is most alike once more, which is the first to which it would go with all texts known.
pub fn groups(texts: &[&[u8]]) -> Vec<Option<usize>> {
    let read = |at: usize| Letters::of(texts[at]).unwrap_or_default();
    let totals: Vec<u64> = (0..texts.len()).map(|at| read(at).total()).collect();
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&at| (Reverse(totals[at]), at));
    // How many texts each has, and their letters.
    let mut groups: Vec<(u32, Letters)> = Vec::new();
    for &at in &order {
        let letters = read(at);
        match nearest(groups.iter().map(|group| &group.1).enumerate(), &letters) {
            Some(group) => {
                groups[group].0 += 1;
                groups[group].1.add(&letters);
            }
            None if groups.len() < MAX_GROUPS => groups.push((1, letters)),
            // More groups would make this quadratic: one takes the place of a text that none has been like.
            None => {
                if let Some(group) = groups.iter_mut().find(|group| group.0 == 1) {
                    *group = (1, letters);
                }
            }
        }
    }
    let groups: Vec<Letters> = groups.into_iter().map(|group| group.1).collect();
    let of: Vec<Option<usize>> = (0..texts.len()).map(|at| nearest(groups.iter().enumerate(), &read(at))).collect();
    let mut sizes: Vec<(usize, u64)> = vec![(0, 0); groups.len()];
    for (total, group) in totals.iter().zip(&of) {
        if let Some(group) = *group {
            sizes[group] = (sizes[group].0 + 1, sizes[group].1 + total);
        }
    }
    let mut large: Vec<usize> =
        (0..groups.len()).filter(|&group| sizes[group].0 >= MIN_PAGES && sizes[group].1 >= MIN_LETTERS).collect();
    large.sort_by_key(|&group| Reverse(sizes[group]));
    large.truncate(MAX_UNNAMED);
    of.into_iter().map(|group| large.iter().position(|&large| Some(large) == group)).collect()
}

/// So many groups are kept while texts are compared.
const MAX_GROUPS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::letters::count;

    /// A text of words that are made of some letters.
    fn counts(letters: &str, seed: usize) -> Vec<u8> {
        let letters: Vec<char> = letters.chars().collect();
        let mut state = seed as u64 * 7919 + 1;
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut text = String::new();
        for _ in 0..120 {
            // One letter leads to the next but one or two.
            let mut at = next(letters.len());
            for _ in 0..4 {
                text.push(letters[at]);
                at = (at + 1 + next(2)) % letters.len();
            }
            text.push(' ');
        }
        count(&text)
    }

    fn text(letters: &str, seed: usize) -> Letters {
        Letters::of(&counts(letters, seed)).expect("as many as there are kinds")
    }

    #[test]
    fn a_text_is_in_the_language_that_it_is_most_alike_or_in_none() {
        let lang = |tag: &str| (Lang::parse(tag).expect("a tag"), true);
        let mut classes = Classes::default();
        for seed in 0..3 {
            classes.add(lang("aa"), &text("abcdefgh", seed));
            classes.add(lang("bb"), &text("hgfedcba", seed));
        }
        assert_eq!(classes.nearest(&text("abcdefgh", 9), |_| true), Some(lang("aa").0));
        assert_eq!(classes.nearest(&text("hgfedcba", 9), |_| true), Some(lang("bb").0));
        assert_eq!(classes.nearest(&text("klmnopqr", 9), |_| true), None);
        assert!(classes.distance(lang("aa"), &text("hgfedcba", 9)).is_some_and(|distance| distance > APART));
        assert_eq!(classes.distance(lang("cc"), &text("abcdefgh", 9)), None);
        classes.take(lang("aa"), &text("abcdefgh", 0));
        assert!(classes.distance(lang("aa"), &text("abcdefgh", 0)).is_some_and(|distance| distance < ALIKE));
    }

    #[test]
    fn texts_of_a_language_in_two_scripts_are_compared_with_those_in_their_own() {
        let lang = Lang::parse("ff").expect("a tag");
        let (latin, other) = ((lang, true), (lang, false));
        let mut classes = Classes::default();
        (0..9).for_each(|seed| classes.add(other, &text("klmnopqr", seed)));
        // The other script is all that there is.
        assert!(classes.distance(latin, &text("abcdefgh", 9)).is_some_and(|distance| distance > APART));
        (0..2).for_each(|seed| classes.add(latin, &text("abcdefgh", seed)));
        assert!(classes.distance(latin, &text("abcdefgh", 9)).is_some_and(|distance| distance < ALIKE));
        assert!(classes.distance(other, &text("klmnopqr", 9)).is_some_and(|distance| distance < ALIKE));
        assert!(!classes.is_in_another(latin, &text("klmnopqr", 9)));
        assert_eq!(classes.nearest(&text("klmnopqr", 9), |_| true), Some(lang));
    }

    #[test]
    fn texts_that_are_alike_make_a_group_unless_they_are_few() {
        let counted: Vec<Vec<u8>> = [("abcdefgh", 5), ("klmnopqr", 6), ("stuvwxyz", 4)]
            .into_iter()
            .flat_map(|(letters, texts)| (0..texts).map(move |seed| counts(letters, seed)))
            .collect();
        let mut texts: Vec<&[u8]> = counted.iter().map(Vec::as_slice).collect();
        let expected: Vec<Option<usize>> = [vec![Some(1); 5], vec![Some(0); 6], vec![None; 4]].concat();
        assert_eq!(groups(&texts), expected);
        texts.reverse();
        let mut reversed = groups(&texts);
        reversed.reverse();
        assert_eq!(reversed, expected);
        assert_eq!(groups(&[]), []);
    }
}
