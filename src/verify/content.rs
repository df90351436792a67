//! Compares two texts by the shares of words that have a translation in the other text: with a source of translations (Liu et al. 2014,
//! STRAND, BITS), or without one (cognates).

use super::overlap::{dice, estimate};
use super::profile::{Bag, Profile};
use super::with::With;
use crate::lexicon::{Side, Translations};
use crate::types::Lang;

/// Two pages, with the source that translates the words of one into words of the other.
struct Crossing<'a> {
    a: &'a Profile,
    b: &'a Profile,
    /// The side of the first page's language.
    side: Side,
    source: &'a dyn Translations,
    /// True when a word counts as a translation of itself.
    equal_words: bool,
}

impl<'a> Crossing<'a> {
    /// `None` where there is no source for the two languages, or no text.
    fn new(a: &'a Profile, b: &'a Profile, with: &With<'a>) -> Option<Crossing<'a>> {
        let source = with.translations?;
        let side = Side::of(source.langs(), a.lang)?;
        let is_other = Side::of(source.langs(), b.lang)? == side.other();
        let has_text = a.bag.total() > 0 && b.bag.total() > 0;
        let equal_words = with.params.equal_words;
        (is_other && has_text).then_some(Crossing { a, b, side, source, equal_words })
    }

    /// The same, with the pages exchanged.
    fn turned(&self) -> Crossing<'a> {
        Crossing { a: self.b, b: self.a, side: self.side.other(), ..*self }
    }

    /// With the English page first, as in the papers; unchanged where neither is in English.
    fn english_first(self) -> Crossing<'a> {
        if self.b.lang == Lang::EN && self.a.lang != Lang::EN { self.turned() } else { self }
    }

    /// Calls `each` with the positions, in the second page's bag, of the words that may translate a word of the first page.
    fn for_each_partner(&self, word: u64, mut each: impl FnMut(usize)) {
        if self.equal_words
            && let Some(place) = self.b.bag.find(word)
        {
            each(place);
        }
        self.source.for_each_translation(self.side, word, &mut |other| {
            if let Some(place) = self.b.bag.find(other) {
                each(place);
            }
        });
    }

    /// How many words of the first page have a translation in the second, counting repetitions.
    fn translated(&self) -> u64 {
        let mut translated = 0;
        for &(word, count) in self.a.bag.entries() {
            let mut is_there = false;
            self.for_each_partner(word, |_| is_there = true);
            translated += if is_there { u64::from(count) } else { 0 };
        }
        translated
    }

    /// How many words can be paired one to one with their translations.
    ///
    /// Greedy: the words of the first page with the fewest different partners choose first, and choose the partner that is wanted by the
    /// fewest words; ties are decided by hash. The result is exact where each word has one partner, and otherwise near the optimum.
    fn aligned(&self) -> u64 {
        // (word of the first page, its partner), as positions in the bags.
        let mut links: Vec<(u32, u32)> = Vec::new();
        for (at, &(word, _)) in self.a.bag.entries().iter().enumerate() {
            self.for_each_partner(word, |place| links.push((at as u32, place as u32)));
        }
        links.sort_unstable();
        links.dedup();
        let mut partners = vec![0u32; self.a.bag.entries().len()];
        let mut suitors = vec![0u32; self.b.bag.entries().len()];
        for &(from, to) in &links {
            partners[from as usize] += 1;
            suitors[to as usize] += 1;
        }
        links.sort_unstable_by_key(|&(from, to)| (partners[from as usize], from, suitors[to as usize], to));
        let left = |bag: &Bag| bag.entries().iter().map(|&(_, count)| count).collect::<Vec<u32>>();
        let (mut left_a, mut left_b) = (left(&self.a.bag), left(&self.b.bag));
        let mut aligned = 0;
        for (from, to) in links {
            let taken = left_a[from as usize].min(left_b[to as usize]);
            left_a[from as usize] -= taken;
            left_b[to as usize] -= taken;
            aligned += u64::from(taken);
        }
        aligned
    }

    /// How many of the different words of the first page the source knows, their weight, and the weight of those that are translated.
    fn weights(&self, weight: &dyn Fn(u64) -> f32) -> (u32, f64, f64) {
        let (mut known, mut all, mut translated) = (0, 0.0, 0.0);
        for &(word, _) in self.a.bag.entries() {
            let (mut is_known, mut is_there) = (false, false);
            self.source.for_each_translation(self.side, word, &mut |other| {
                is_known = true;
                is_there |= self.b.bag.has(other);
            });
            if is_known {
                let weight = f64::from(weight(word));
                known += 1;
                all += weight;
                translated += if is_there { weight } else { 0.0 };
            }
        }
        (known, all, translated)
    }
}

/// S_cb of Liu et al. (2014, §3.2): the share of the words of the English page that have a translation in the other.
///
/// By hand: `the cat the dog` and `le chat`, with the, le and cat, chat in the lexicon: 3/4. Departure: where neither page is in English,
/// the first one takes the place of the English one.
pub fn s_cb(a: &Profile, b: &Profile, with: &With<'_>) -> Option<f64> {
    let crossing = Crossing::new(a, b, with)?.english_first();
    Some(crossing.translated() as f64 / f64::from(crossing.a.bag.total()))
}

/// STRAND's similarity (Tomás et al. 2008, eq. 2): n/(n + words not aligned), of n words aligned one to one.
///
/// By hand: `the cat the dog` and `le chat`: the–le, cat–chat are aligned, `the` and `dog` are left: 2/(2 + 2) = 1/2. Departure: the best
/// alignment is approximated greedily.
pub fn strand(a: &Profile, b: &Profile, with: &With<'_>) -> Option<f64> {
    let aligned = Crossing::new(a, b, with)?.english_first().aligned() as f64;
    let words = f64::from(a.bag.total()) + f64::from(b.bag.total());
    // Each aligned pair uses two of the words: n + (words − 2n).
    Some(aligned / (words - aligned))
}

/// BITS's similarity (Tomás et al. 2008, eq. 3): the number of words aligned one to one, divided by the number of words in A, the English
/// page.
///
/// By hand: `the cat the dog` and `le chat`: 2/4. Departures: those of [`s_cb`] and [`strand`].
pub fn bits(a: &Profile, b: &Profile, with: &With<'_>) -> Option<f64> {
    let crossing = Crossing::new(a, b, with)?.english_first();
    Some(crossing.aligned() as f64 / f64::from(crossing.a.bag.total()))
}

/// The weighted share of words that have a translation in the other page, among the different words of both pages that the source knows.
///
/// (Σ_{w ∈ A known, translated} weight(w) + the same of B) / (Σ_{w ∈ A known} weight(w) + the same of B), as an [`estimate`] from
/// half as many words as are known, 0..=1. `None` where none is known.
///
/// Unlike [`s_cb`], it is not lower for a small source, and does not depend on the order of the pages. With weights that grow with the
/// rarity of a word on the site, it is not raised by words that all pages share.
///
/// By hand: `the cat dog` and `le chat`, with the, le; cat, chat; dog, chien known, weights 1 of `the` and `le` and 3
/// of the others: (1 + 3 + 1 + 3)/(1 + 3 + 3 + 1 + 3) = 8/11 of five words, (8/11·2.5 + ½)/(2.5 + 1) = 51/77.
pub fn content(a: &Profile, b: &Profile, with: &With<'_>) -> Option<f64> {
    let crossing = Crossing::new(a, b, with)?;
    let even = |_| 1.0;
    let weight: &dyn Fn(u64) -> f32 = with.weights.map_or(&even, |weights| weights);
    let (known_a, all_a, translated_a) = crossing.weights(weight);
    let (known_b, all_b, translated_b) = crossing.turned().weights(weight);
    let all = all_a + all_b;
    let known = f64::from(known_a + known_b);
    (all > 0.0).then(|| estimate((translated_a + translated_b) / all, known / 2.0))
}

/// Dice coefficient of the multisets of word beginnings and numbers: cognates, for language pairs without a lexicon (Tomás et al. 2008,
/// §3.4, on BITS). `None` when neither page has any.
///
/// By hand, with 5 letters: `functional tests 2026` and `funktionale tests 2026`: `tests` and `2026` are common, of 3 + 3: 2/3. Departure:
/// only common beginnings are recognized, so `functional` and `funktional` are not cognates here.
pub fn cognates(a: &Profile, b: &Profile) -> Option<f64> {
    dice(&a.stems, &b.stems)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::words::{Words, hash};
    use crate::types::LangPair;
    use crate::verify::{Params, stem};

    /// Pairs of English and French words.
    struct Pairs(Vec<(u64, u64)>);

    fn fr() -> Lang {
        Lang::parse("fr").expect("a tag")
    }

    impl Translations for Pairs {
        fn langs(&self) -> LangPair {
            LangPair::new(Lang::EN, fr()).expect("two languages")
        }

        fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
            for &(a, b) in &self.0 {
                match side {
                    Side::A if a == word => each(b),
                    Side::B if b == word => each(a),
                    _ => {}
                }
            }
        }

        fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
            self.0.iter().any(|&(a, b)| if side == Side::A { (a, b) == (word, other) } else { (b, a) == (word, other) })
        }
    }

    fn page(lang: Lang, text: &str) -> Profile {
        let (mut words, mut stems) = (Vec::new(), Vec::new());
        Words::new().for_each(text, |surface, word| {
            words.push(word);
            stems.extend(crate::text::words::number(surface).or_else(|| stem(surface, 5)));
        });
        stems.sort_unstable();
        Profile { lang, bag: Bag::new(&words).into(), words, stems, ..Profile::default() }
    }

    fn lexicon() -> Pairs {
        Pairs([("the", "le"), ("cat", "chat"), ("dog", "chien")].map(|(a, b)| (hash(a), hash(b))).to_vec())
    }

    #[test]
    fn the_examples_by_hand() {
        let params = Params::default();
        let lexicon = lexicon();
        let with = With { translations: Some(&lexicon), ..With::new(&params) };
        let (en, french) = (page(Lang::EN, "the cat the dog"), page(fr(), "le chat"));
        for (a, b) in [(&en, &french), (&french, &en)] {
            assert_eq!(s_cb(a, b, &with), Some(0.75));
            assert_eq!(strand(a, b, &with), Some(0.5));
            assert_eq!(bits(a, b, &with), Some(0.5));
        }
        let weights = |word| if word == hash("the") || word == hash("le") { 1.0 } else { 3.0 };
        let with = With { weights: Some(&weights), ..with };
        assert_eq!(content(&page(Lang::EN, "the cat dog"), &french, &with), Some(51.0 / 77.0));
        let (a, b) = (page(Lang::EN, "functional tests 2026"), page(fr(), "funktionale tests 2026"));
        assert_eq!(cognates(&a, &b), Some(2.0 / 3.0));
    }

    #[test]
    fn without_a_source_for_the_languages_nothing_can_be_told() {
        let params = Params::default();
        let lexicon = lexicon();
        let with = With { translations: Some(&lexicon), ..With::new(&params) };
        let (en, de) = (page(Lang::EN, "the cat"), page(Lang::parse("de").expect("a tag"), "der kater"));
        let french = page(fr(), "le");
        for measure in [s_cb, strand, bits, content] {
            assert_eq!(measure(&en, &de, &with), None);
            assert_eq!(measure(&en, &en, &with), None);
            assert_eq!(measure(&en, &french, &With::new(&params)), None);
            assert_eq!(measure(&en, &page(fr(), ""), &with), None);
            assert!(measure(&en, &french, &with).is_some());
        }
        assert_eq!(content(&page(Lang::EN, "dingo"), &page(fr(), "minou"), &with), None);
    }

    #[test]
    fn words_count_as_their_own_translations_where_that_is_asked_for() {
        let lexicon = lexicon();
        let (en, french) = (page(Lang::EN, "the Linux cat 42"), page(fr(), "chat Linux 42"));
        for (equal_words, expected) in [(false, 0.25), (true, 0.75)] {
            let params = Params { equal_words, ..Params::default() };
            let with = With { translations: Some(&lexicon), ..With::new(&params) };
            assert_eq!(s_cb(&en, &french, &with), Some(expected));
        }
    }

    /// The largest number of words that can be paired, found by trying all ways.
    fn best(a: &[u64], b: &[u64], pairs: &Pairs) -> u64 {
        let Some((first, rest)) = a.split_first() else { return 0 };
        let mut most = best(rest, b, pairs);
        for (at, other) in b.iter().enumerate() {
            if pairs.is_translation(Side::A, *first, *other) {
                let left = [&b[..at], &b[at + 1..]].concat();
                most = most.max(1 + best(rest, &left, pairs));
            }
        }
        most
    }

    proptest! {
        #[test]
        fn greedy_alignment_is_near_the_best(
            a in prop::collection::vec(0u64..5, 1..6),
            b in prop::collection::vec(10u64..15, 1..6),
            pairs in prop::collection::vec((0u64..5, 10u64..15), 0..8),
        ) {
            let pairs = Pairs(pairs);
            let params = Params { equal_words: false, ..Params::default() };
            let with = With { translations: Some(&pairs), ..With::new(&params) };
            let side = |lang, words: &[u64]| Profile { lang, words: words.to_vec(), bag: Bag::new(words).into(), ..Profile::default() };
            let (en, french) = (side(Lang::EN, &a), side(fr(), &b));
            let aligned = Crossing::new(&en, &french, &with).expect("a source").aligned();
            let most = best(&a, &b, &pairs);
            // A maximal matching has at least half the pairs of a maximum one.
            prop_assert!(aligned <= most && 2 * aligned >= most, "{aligned} of {most}");
            prop_assert!(strand(&en, &french, &with).is_some_and(|alike| (0.0..=1.0).contains(&alike)));
        }
    }
}
