//! Models of a language pair: its own, or those of its languages with a third one.

use std::borrow::Cow;

use super::document::Document;
use super::lengths::Lengths;
use super::model::Model;
use super::scoring::Scoring;
use super::translation;
use crate::lexicon::{Halfway, Kept, Vocabulary, composed};
use crate::types::{Lang, LangPair};

/// What is known of a language pair.
#[derive(Clone, Copy)]
pub enum Known<'m> {
    /// The model that was learnt of it.
    Own(&'m Model),
    /// Models of its languages with a third one.
    Via(Via<'m>),
}

impl<'m> Known<'m> {
    /// How the lengths of translations are related.
    pub fn lengths(&self) -> Lengths {
        match self {
            Known::Own(model) => model.lengths,
            Known::Via(via) => via.lengths(),
        }
    }

    /// How beads are scored.
    pub fn scoring(&self) -> Scoring {
        match self {
            Known::Own(model) => model.scoring.clone(),
            Known::Via(via) => via.scoring(),
        }
    }

    /// The words that are known of the first language, and of the second.
    pub fn words(&self) -> [&'m Vocabulary; 2] {
        match self {
            Known::Own(model) => [&model.a, &model.b],
            Known::Via(via) => via.0.each_ref().map(|from| from.words().own),
        }
    }

    /// The model for two texts. If it comes from models with a third language, it has only what concerns the words of these texts.
    pub fn model(&self, a: &Document<'_>, b: &Document<'_>, params: &translation::Params) -> Cow<'m, Model> {
        match self {
            Known::Own(model) => Cow::Borrowed(model),
            Known::Via(via) => Cow::Owned(via.model(a, b, params)),
        }
    }
}

/// The models of two languages with a third one, each seen from its own language.
#[derive(Clone, Copy)]
pub struct Via<'m>([From<'m>; 2]);

/// A model, from one of its languages on.
#[derive(Clone, Copy)]
struct From<'m> {
    model: &'m Model,
    /// True when the language is the second one.
    is_second: bool,
}

impl<'m> Via<'m> {
    /// The model of a language pair by way of `hub`; `models` are those of its two languages with the hub.
    pub fn new(langs: LangPair, hub: Lang, models: [&'m Model; 2]) -> Via<'m> {
        let from = |model, lang: Lang| From { model, is_second: hub < lang };
        Via([from(models[0], langs.a), from(models[1], langs.b)])
    }

    fn lengths(&self) -> Lengths {
        let [a, b] = self.0.each_ref().map(From::lengths);
        a.then(&b.reversed())
    }

    fn model(&self, a: &Document<'_>, b: &Document<'_>, params: &translation::Params) -> Model {
        let kept = Kept { max_translations: params.max_translations, min_probability: params.min_probability };
        let [from_a, from_b] = &self.0;
        let [of_a, of_b] = composed([from_a.words(), from_b.words()], [&a.words, &b.words], kept);
        Model { a: of_a, b: of_b, lengths: self.lengths(), scoring: self.scoring() }
    }

    fn scoring(&self) -> Scoring {
        let [a, b] = self.0.each_ref().map(From::scoring);
        a.between(&b.reversed())
    }
}

impl<'m> From<'m> {
    fn words(&self) -> Halfway<'m> {
        let Model { a, b, .. } = self.model;
        if self.is_second { Halfway { own: b, hub: a } } else { Halfway { own: a, hub: b } }
    }

    fn lengths(&self) -> Lengths {
        if self.is_second { self.model.lengths.reversed() } else { self.model.lengths }
    }

    fn scoring(&self) -> Scoring {
        if self.is_second { self.model.scoring.reversed() } else { self.model.scoring.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::of_blocks;
    use super::*;
    use crate::text::words::hash;

    /// A vocabulary of one word that is translated by the only word of the other.
    fn of_word(word: &str) -> Vocabulary {
        let mut found = Vocabulary::default();
        found.words.push(hash(word));
        found.shares.push(1.0);
        found.ends.push(1);
        found.targets.push(0);
        found.probabilities.push(1.0);
        found
    }

    #[test]
    fn words_and_lengths_go_from_language_to_language_wherever_the_third_sorts() {
        let lang = |tag: &str| Lang::parse(tag).expect("a tag");
        let langs = LangPair::new(lang("de"), lang("fr")).expect("two");
        let model = |a: &str, b: &str, ratio: f32| Model {
            a: of_word(a),
            b: of_word(b),
            lengths: Lengths { ratio, variance: 2.0 },
            ..Model::default()
        };
        // German has 20 characters where English has 16 and French 24.
        let [de_en, en_fr] = [model("haus", "house", 0.8), model("house", "maison", 1.5)];
        let [de_zu, fr_zu] = [model("haus", "indlu", 0.8), model("maison", "indlu", 1.0 / 1.5)];
        let (de, fr) = (of_blocks(&["Haus".to_owned()]), of_blocks(&["Maison".to_owned()]));
        for (hub, models) in [("en", [&de_en, &en_fr]), ("zu", [&de_zu, &fr_zu])] {
            let known = Known::Via(Via::new(langs, lang(hub), models));
            let found = known.model(&de, &fr, &translation::Params::default());
            assert_eq!((found.a.words[0], found.b.words[0]), (hash("haus"), hash("maison")), "{hub}");
            assert_eq!(found.a.translations(0).collect::<Vec<_>>(), [(0, 1.0)], "{hub}");
            assert_eq!(known.words().map(|words| words.words[0]), [hash("haus"), hash("maison")], "{hub}");
            assert!((known.lengths().ratio - 1.2).abs() < 1e-6 && known.lengths() == found.lengths, "{hub}");
        }
        let own = Known::Own(&de_en);
        assert_eq!(
            (own.model(&de, &fr, &translation::Params::default()).as_ref(), own.lengths()),
            (&de_en, de_en.lengths)
        );
    }

    #[test]
    fn lengths_say_the_same_from_either_side() {
        let lengths = Lengths { ratio: 1.4, variance: 5.0 };
        for (one, other) in [(100, 120), (30, 90), (7, 0)] {
            let (there, back) = (lengths.delta(one, other), lengths.reversed().delta(other, one));
            assert!((there + back).abs() < 1e-3, "{there} {back}");
        }
        let twice = lengths.then(&lengths.reversed());
        assert!((twice.ratio - 1.0).abs() < 1e-6 && twice.variance > lengths.reversed().variance);
    }
}
