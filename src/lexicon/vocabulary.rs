//! How words are written.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::{Side, TranslationModel};
use crate::text::words::{hash, normal_form};

/// The normal forms of words, by hash.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    names: FxHashMap<u64, Box<str>>,
}

impl Vocabulary {
    /// Remembers a word as it stands in a text, with its hash.
    pub fn note(&mut self, surface: &str, word: u64) {
        debug_assert_eq!(hash(surface), word);
        self.names.entry(word).or_insert_with(|| normal_form(surface).into());
    }

    /// The normal form of a word that was noted.
    pub fn name(&self, word: u64) -> Option<&str> {
        self.names.get(&word).map(|name| &**name)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Forgets the words that are not asked for.
    pub fn retain(&mut self, mut is_kept: impl FnMut(u64) -> bool) {
        self.names.retain(|&word, _| is_kept(word));
    }
}

/// Writes what a model has learnt as a word list that [`Lexicon::read`](super::Lexicon::read) reads, and returns how
/// many pairs it has.
///
/// The first line has the two languages. Then, sorted: word of A, word of B, t(B|A), t(A|B), parted by tabs; the pairs
/// with at least `min_p` both ways, and with both words in the vocabulary.
///
/// # Errors
/// Those of the writer.
pub fn export(model: &TranslationModel, names: &Vocabulary, min_p: f64, out: &mut impl Write) -> io::Result<u64> {
    let lexicon = model.to_lexicon(min_p);
    let named = lexicon.pairs().filter_map(|(a, b)| Some((names.name(a)?, names.name(b)?, a, b)));
    let mut lines: Vec<_> = named.collect();
    lines.sort_unstable();
    writeln!(out, "{}\t{}", model.langs().a, model.langs().b)?;
    for (name_a, name_b, a, b) in &lines {
        writeln!(out, "{name_a}\t{name_b}\t{:.4}\t{:.4}", model.p(Side::A, *b, *a), model.p(Side::B, *a, *b))?;
    }
    Ok(lines.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::{Lexicon, ModelParams};
    use super::*;
    use crate::text::words::Words;
    use crate::types::{Lang, LangPair};

    #[test]
    fn what_was_learnt_can_be_read_again_as_a_word_list() {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let mut names = Vocabulary::default();
        let mut sentence = |text: &str| {
            let mut found = Vec::new();
            Words::new().for_each(text, |surface, word| {
                names.note(surface, word);
                found.push(word);
            });
            found
        };
        let texts = [("The house", "La maison"), ("the cat", "la chatte"), ("a house", "une maison")];
        let sentences: Vec<_> = texts.iter().map(|(a, b)| (sentence(a), sentence(b))).collect();
        let pairs: Vec<_> = sentences.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        let mut model = TranslationModel::new(langs, ModelParams::default());
        model.train(&pairs, 10);
        let mut out = Vec::new();
        let count = export(&model, &names, 0.3, &mut out).expect("a buffer");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.starts_with("en\tfr\n") && text.contains("\nhouse\tmaison\t0."), "{text}");
        let (read, reading) = Lexicon::read(text.as_bytes(), "learnt.tsv", &Words::new()).expect("a word list");
        assert_eq!(reading.pairs, count);
        assert_eq!(read, model.to_lexicon(0.3));
        names.retain(|word| word == hash("house"));
        assert_eq!((names.len(), names.name(hash("HOUSE"))), (1, Some("house")));
    }
}
