//! Learns from the texts of training pairs which words translate each other, and the usual ratio of lengths.

use rustc_hash::FxHashSet;

use super::halves::{Halves, SurePair, half_of};
use super::params::Params;
use crate::error::Result;
use crate::lexicon::Corpus;
use crate::verify::{PageIds, Profile, SiteView, aligned_blocks};

/// What a training pair teaches.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Taught {
    /// Bytes of text of the first page, and of the second.
    bytes: [u32; 2],
    /// The half that the pair belongs to.
    half: u8,
    /// For each pair of aligned blocks, the number of words in the first page's block and in the second's.
    blocks: Vec<(u32, u32)>,
    /// Hashes of the words, block by block, those of the first page first.
    words: Vec<u64>,
}

#[cfg(feature = "exec")]
impl Taught {
    /// True when the blocks have exactly as many words as there are, and the half is 0 or 1.
    pub fn is_sound(&self) -> bool {
        let words: u64 = self.blocks.iter().map(|&(left, right)| u64::from(left) + u64::from(right)).sum();
        self.half < 2 && words == self.words.len() as u64
    }
}

/// Learns one language pair from training pairs.
pub struct Trainer<'p> {
    params: &'p Params,
    /// Words of aligned blocks.
    corpus: Corpus,
    /// For every pair, bytes of text of the second page for one of the first.
    ratios: Vec<f64>,
}

impl<'p> Trainer<'p> {
    /// A trainer that knows nothing yet.
    pub fn new(params: &'p Params) -> Trainer<'p> {
        Trainer { params, corpus: Corpus::default(), ratios: Vec::new() }
    }

    /// Adds a training pair. Once there are [`max_words`](crate::lexicon::LearnParams::max_words), only its lengths count.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn add(&mut self, site: &SiteView<'_>, pages: PageIds) -> Result<()> {
        let taught = self.look_at(site, pages)?;
        self.take(&taught);
        Ok(())
    }

    /// What a training pair would teach; without words, if there are enough already. Two different texts of which one stands on the other
    /// page too teach nothing: they are names, in lists that are shifted against each other.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn look_at(&self, site: &SiteView<'_>, (a, b): PageIds) -> Result<Taught> {
        let mut taught = Taught {
            bytes: [site.facts(a).text_bytes, site.facts(b).text_bytes],
            half: half_of(site.pages().identity(a)) as u8,
            ..Taught::default()
        };
        if self.takes_words() {
            let profiles = site.profiles(&[a, b])?;
            let (first, second) = (&profiles[&a], &profiles[&b]);
            let max = self.params.words.model.max_sentence_words;
            let (texts_a, texts_b) = (texts(first), texts(second));
            for (left, right) in aligned_blocks(&first.layout, &second.layout) {
                let (left, right) = (first.words_of(left), second.words_of(right));
                let is_elsewhere = left != right && (texts_b.contains(left) || texts_a.contains(right));
                if left.is_empty() || right.is_empty() || is_elsewhere {
                    continue;
                }
                let (left, right) = (&left[..left.len().min(max)], &right[..right.len().min(max)]);
                taught.words.extend(left.iter().chain(right));
                taught.blocks.push((left.len() as u32, right.len() as u32));
            }
        }
        Ok(taught)
    }

    /// Adds what a training pair teaches: its lengths, and its words unless there are enough already.
    pub fn take(&mut self, taught: &Taught) {
        let [first, second] = taught.bytes.map(|bytes| f64::from(bytes.max(1)));
        self.ratios.push(second / first);
        if self.takes_words() {
            let mut rest = &taught.words[..];
            for &(left, right) in &taught.blocks {
                let Some((block, tail)) = rest.split_at_checked(left as usize + right as usize) else { return };
                let (left, right) = block.split_at(left as usize);
                rest = tail;
                let max = self.params.words.model.max_sentence_words;
                self.corpus.add(left, right, usize::from(taught.half.min(1)), max);
            }
        }
    }

    fn takes_words(&self) -> bool {
        self.corpus.count() < self.params.words.max_words
    }

    /// The median ratio of the lengths of pages, in bytes of the second language for one of the first; 1 without any pair.
    pub fn length_ratio(&self) -> f64 {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }

    /// For each half, the translations to look up for its pages: those that the other half teaches.
    pub fn halves(&self) -> Halves {
        let (first, second) = rayon::join(|| self.half(1), || self.half(0));
        [first, second]
    }

    /// The translations that one half teaches.
    fn half(&self, half: usize) -> Vec<SurePair> {
        let [first, second] = &self.corpus.sides;
        let min = self.params.min_probability;
        let counts = self.corpus.learn(half, &self.params.words);
        let mut sure = Vec::new();
        counts.for_each(&self.corpus, &self.params.words, min, |a, b, [forth, back]| {
            if forth >= min && back >= min {
                sure.push(SurePair { a: first.hashes()[a as usize], b: second.hashes()[b as usize], forth, back });
            }
        });
        sure.sort_unstable_by_key(|pair| (pair.a, pair.b));
        sure
    }
}

/// The words of each block of a page.
fn texts(page: &Profile) -> FxHashSet<&[u64]> {
    (0..page.layout.len()).map(|block| page.words_of(block)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::LearnParams;
    use crate::text::words::hash;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn words_that_always_stand_together_are_translations_and_lengths_have_a_ratio() {
        let (en, fr) = (["house", "tree", "river", "road"], ["maison", "arbre", "fleuve", "route"]);
        let text = |words: &[&str; 4], page: usize| {
            (0..4).map(|line| format!("{} {}\n", words[line], words[(line + page) % 4])).collect::<String>()
        };
        let mut pages = Vec::new();
        for (lang, words) in [("en", &en), ("fr", &fr)] {
            pages.extend((0..8).map(|page| (format!("{lang}/{page}"), lang, text(words, page))));
        }
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let site = ListedSite::new(&listed);
        let params = Params::default();
        let mut trainer = Trainer::new(&params);
        for page in 0..8 {
            trainer.add(&site.view(), (page, page + 8)).expect("pages in memory");
        }
        let halves = trainer.halves();
        for (first, second) in en.iter().zip(fr) {
            let (a, b) = (hash(first), hash(second));
            assert!(halves.iter().all(|half| half.iter().any(|pair| (pair.a, pair.b) == (a, b))), "{first} {second}");
        }
        assert!((1.1..1.6).contains(&trainer.length_ratio()), "{}", trainer.length_ratio());
    }

    #[test]
    fn names_that_stand_elsewhere_on_the_other_page_teach_nothing() {
        // Menus of languages, each without the page's own.
        let menu = |own: &str| -> String {
            let names = ["Deutsch", "English", "Français", "Italiano", "Suomi"];
            names.iter().filter(|name| **name != own).map(|name| format!("{name}\n")).collect()
        };
        let (en, fr) = (menu("English") + "house\n", menu("Français") + "maison\n");
        let site = ListedSite::new(&[("en/a", "en", &en), ("fr/a", "fr", &fr)]);
        let params = Params::default();
        let taught = Trainer::new(&params).look_at(&site.view(), (0, 1)).expect("pages in memory");
        // Deutsch, Italiano and Suomi are equal, and house is maison. Français stands beside English, and neither elsewhere.
        assert_eq!(taught.words.len(), 10, "{taught:?}");
        let (en, fr) = (menu("Suomi") + "house\n", menu("Deutsch") + "maison\n");
        let site = ListedSite::new(&[("en/a", "en", &en), ("fr/a", "fr", &fr)]);
        let taught = Trainer::new(&params).look_at(&site.view(), (0, 1)).expect("pages in memory");
        assert_eq!(taught.words, ["house", "maison"].map(hash), "all other names are shifted");
    }

    #[test]
    fn beyond_the_limit_only_lengths_count() {
        let site = ListedSite::new(&[("en/a", "en", "one two"), ("fr/a", "fr", "un deux")]);
        let words = LearnParams { max_words: 0, ..LearnParams::of_pages() };
        let params = Params { words, ..Params::default() };
        let mut trainer = Trainer::new(&params);
        assert_eq!(trainer.length_ratio(), 1.0);
        trainer.add(&site.view(), (0, 1)).expect("pages in memory");
        assert_eq!(trainer.length_ratio(), 1.0);
        assert!(trainer.halves().iter().all(Vec::is_empty));
    }
}
