//! Languages detected by their function words.
//!
//! In running text every third word or so is an article, preposition, conjunction, pronoun or auxiliary, and these differ
//! even between close relatives. Counting them costs little and shows how much of a text is in which language, but it says nothing of texts without sentences.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::params::Params;
use super::withheld::is_withheld;
use crate::types::Lang;

/// The function words of a text.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// How many words the text has.
    pub count: usize,
    /// Its function words: the hash of each, and its languages, a bit each in the order of [`LISTS`].
    hits: Vec<(u64, u128)>,
    /// A bit for each word that the text has, by its hash.
    seen: Seen,
}

/// The words of a text, as far as a few thousand bits tell them apart.
#[derive(Clone, Debug, PartialEq)]
struct Seen([u64; SEEN / 64]);

const SEEN: usize = 1 << 12;

impl Default for Seen {
    fn default() -> Seen {
        Seen([0; SEEN / 64])
    }
}

impl Seen {
    fn add(&mut self, hash: u64) {
        let bit = (hash >> 52) as usize;
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// How many different words were added, less those that share a bit with another.
    fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }
}

/// Words of a text of some hundred words, to two different ones (an estimate).
const WORDS_PER_TWO: usize = 3;

/// What the function words say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The language that most of the text is in.
    pub lang: Lang,
    /// Its share of the text that is in one of the two likeliest languages, 0..=1, by the words only one of them has.
    pub share: f32,
    /// How many of those words are its own.
    pub own: usize,
    /// Its function words, compared with how many a text of sentences in it would have: 0 for none, 1 for as many.
    pub coverage: f32,
    /// True when the runner-up is a near relative, so that its words may be this language's with another spelling.
    pub close: bool,
}

/// True for a language with a list of function words.
pub fn is_listed(lang: Lang) -> bool {
    list_of(lang).is_some()
}

/// True for near relatives with lists of function words, which look alike.
pub fn are_family(one: Lang, other: Lang) -> bool {
    let family = |lang: Lang| list_of(lang).map(|at| LISTS[at].family).filter(|family| *family != ALONE);
    family(one).is_some_and(|of_one| family(other) == Some(of_one))
}

/// True for a language whose function words are known and have letters of A–Z.
pub fn writes_latin(lang: Lang) -> bool {
    let has_latin = |word: &str| word.bytes().any(|byte| byte.is_ascii_alphabetic());
    list_of(lang).is_some_and(|at| LISTS[at].words.iter().any(|word| has_latin(word)))
}

/// True for a language whose known function words are all in Latin letters.
pub fn writes_only_latin(lang: Lang) -> bool {
    let is_latin = |c: char| matches!(c as u32, 0..=0x36f | 0x1e00..=0x1eff | 0x2000..=0x206f | 0xa720..=0xa7ff);
    list_of(lang).is_some_and(|at| LISTS[at].words.iter().all(|word| word.chars().all(is_latin)))
}

/// True for a language of whose known function words some are in the script of this code; also where that is not known of the script.
pub fn are_in_script(lang: Lang, script: &str) -> bool {
    let is_of = |c: char| match script {
        "Latn" => c.is_ascii_alphabetic(),
        "Cyrl" => matches!(c as u32, 0x400..=0x52f),
        "Arab" => matches!(c as u32, 0x600..=0x6ff | 0x750..=0x77f),
        "Hebr" => matches!(c as u32, 0x590..=0x5ff),
        "Deva" => matches!(c as u32, 0x900..=0x97f),
        _ => true,
    };
    list_of(lang).is_some_and(|at| LISTS[at].words.iter().any(|word| word.contains(is_of)))
}

/// The place of a language in [`LISTS`].
fn list_of(lang: Lang) -> Option<usize> {
    let base = lang.base();
    LISTS.iter().position(|list| list.tag == base.as_str())
}

/// Reads the words of a text: runs of letters, in any case.
pub fn read(text: &str) -> Words {
    let mut words = Words::default();
    let (table, lower) = (&*TABLE, &*LOWER);
    let mut packed = Packed::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            at += 1;
            if byte.is_ascii_alphabetic() {
                packed.push(u32::from(byte.to_ascii_lowercase()));
                packed.capital = byte.is_ascii_uppercase();
                continue;
            }
        } else {
            let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            at += c.len_utf8();
            match lower.get(c as usize).copied().unwrap_or(RARE) {
                NO_LETTER => {}
                RARE => {
                    if is_letter(c) {
                        c.to_lowercase().for_each(|c| packed.push(c as u32));
                        continue;
                    }
                }
                letter => {
                    packed.push(letter.into());
                    continue;
                }
            }
        }
        words.add(&mut packed, table);
    }
    words.add(&mut packed, table);
    words
}

/// Lower case of the letters of Latin, Cyrillic, Arabic and the like, by their codes.
static LOWER: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            _ if !is_letter(c) => NO_LETTER,
            (Some(lower), None) => u16::try_from(lower as u32).unwrap_or(RARE),
            _ => RARE,
        }
    };
    ('\0'..'\u{e00}').map(lower).collect()
});

/// In [`LOWER`]: no letter.
const NO_LETTER: u16 = 0;
/// In [`LOWER`]: a letter whose lower case is more than one.
const RARE: u16 = 1;

/// Letters and the signs above and below them, which `char::is_alphabetic` leaves out in Indic scripts.
pub fn is_letter(c: char) -> bool {
    c.is_alphabetic() || matches!(c as u32, 0x300..=0x36f | 0x591..=0x5c7 | 0x64b..=0x65f | 0x900..=0xdff)
}

/// A word as a number: a shift and an exclusive or a letter, which is as good as its letters for words this short.
#[derive(Default)]
struct Packed {
    hash: u64,
    len: u32,
    /// True when the last letter is a capital of ASCII.
    capital: bool,
}

impl Packed {
    fn push(&mut self, letter: u32) {
        self.hash = (self.hash.rotate_left(7) ^ u64::from(letter)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.len += 1;
    }
}

impl Words {
    fn add(&mut self, packed: &mut Packed, table: &Table) {
        let Packed { hash, len, capital } = std::mem::take(packed);
        // Single capitals are marks of lists and indexes (`A | B | C`), not the words of one letter that many
        // languages have.
        if len == 0 || len == 1 && capital {
            return;
        }
        self.count += 1;
        self.seen.add(hash);
        if table.may_have(hash)
            && let Some(word) = table.words.get(&hash)
        {
            self.hits.push((hash, word.langs));
        }
    }

    /// How many function words the text has, of whatever languages.
    pub fn hits(&self) -> usize {
        self.hits.len()
    }

    /// How many function words of a language the text has; `None` for a language without a list.
    pub fn hits_of(&self, lang: Lang) -> Option<usize> {
        let at = list_of(lang)?;
        Some(self.hits.iter().filter(|hit| hit.1 & 1 << at != 0).count())
    }

    /// The likeliest language; `None` without any function word. Ties go to the language listed first.
    pub fn verdict(&self) -> Option<Verdict> {
        let amounts = self.amounts(|_| true);
        let best = most(&amounts, None)?;
        let second = most(&amounts, Some(best));
        // In a text of two languages the other one need not be the runner-up: a relative of the first one may be.
        let rival = most(&self.amounts(|mask| mask & 1 << best == 0), Some(best));
        let (own, share) = self.compare(best, second);
        let (_, share_of_two) = self.compare(best, rival);
        Some(Verdict {
            lang: Lang::parse(LISTS[best].tag)?,
            share: share.min(share_of_two),
            own,
            coverage: amounts[best] * 100.0 / self.count.max(1) as f32,
            close: LISTS[best].family != ALONE
                && second.is_some_and(|second| LISTS[second].family == LISTS[best].family),
        })
    }

    /// True for a text that is not in a language, as far as its function words show: it has few *different* ones, compared with what as many
    /// words of that language would have, or the language has no list. A language that is not known here has the short words of many others,
    /// a few of them again and again.
    pub fn exclude(&self, lang: Lang, params: &Params) -> bool {
        self.variety(lang).is_none_or(|variety| variety < params.min_variety)
    }

    /// How many different function words of a language the text has, compared with what as many words of it would have: 1 for as many; `None` for
    /// a language without a list.
    pub fn variety(&self, lang: Lang) -> Option<f32> {
        let at = list_of(lang)?;
        let mut found: Vec<u64> = self.hits.iter().filter(|hit| hit.1 & 1 << at != 0).map(|hit| hit.0).collect();
        found.sort_unstable();
        found.dedup();
        // What a text says again and again has no more words than at first.
        let count = self.count.min(self.seen.count() * WORDS_PER_TWO / 2);
        let expected = LISTS[at].variety(count);
        Some(if expected > 0.0 { found.into_iter().map(weight_of).sum::<f32>() / expected } else { 1.0 })
    }

    /// The function words of a language that the text has, each as much as its length says ([`weight`]); `None` for a language without a list.
    pub fn weight_of(&self, lang: Lang) -> Option<f32> {
        let at = list_of(lang)?;
        Some(self.hits.iter().filter(|hit| hit.1 & 1 << at != 0).map(|hit| weight_of(hit.0)).sum())
    }

    /// How much text in each language the function words stand for, those that `counts` lets through. Languages with
    /// many endings have few function words, and each stands for more.
    fn amounts(&self, counts: impl Fn(u128) -> bool) -> [f32; MAX_LISTS] {
        let mut hits = [0u32; MAX_LISTS];
        for mask in self.hits.iter().map(|hit| hit.1).filter(|&mask| counts(mask)) {
            let mut left = mask;
            while left != 0 {
                hits[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
        std::array::from_fn(|i| LISTS.get(i).map_or(0.0, |list| hits[i] as f32 / list.per_hundred as f32))
    }

    /// How many words only the first of two languages has, and its share of the text by the words only one of them has.
    fn compare(&self, best: usize, other: Option<usize>) -> (usize, f32) {
        let bit = 1u128 << best;
        let other_bit = other.map_or(0, |other| 1u128 << other);
        let own = self.hits.iter().filter(|(_, mask)| mask & bit != 0 && mask & other_bit == 0).count();
        let others = self.hits.iter().filter(|(_, mask)| mask & bit == 0 && mask & other_bit != 0).count();
        let (own_amount, other_amount) =
            (own * other.map_or(1, |other| LISTS[other].per_hundred), others * LISTS[best].per_hundred);
        (own, own_amount as f32 / (own_amount + other_amount).max(1) as f32)
    }
}

fn most(amounts: &[f32], but: Option<usize>) -> Option<usize> {
    let candidates = (0..amounts.len()).filter(|&i| Some(i) != but && amounts[i] > 0.0);
    candidates.max_by(|&i, &j| amounts[i].total_cmp(&amounts[j]).then(j.cmp(&i)))
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { marks: [0; MARKS / 64], words: FxHashMap::default() };
    for (bit, list) in LISTS.iter().enumerate() {
        for word in &list.words {
            let mut packed = Packed::default();
            word.chars().for_each(|c| packed.push(c as u32));
            let known =
                table.words.entry(packed.hash).or_insert(Known { langs: 0, weight: weight(packed.len as usize) });
            known.langs |= 1 << bit;
            let mark = mark_of(packed.hash);
            table.marks[mark / 64] |= 1 << (mark % 64);
        }
    }
    table
});

/// The function words of all languages.
struct Table {
    /// A bit for each [`mark_of`] a word: most words of a text are none, and a look here shows it.
    marks: [u64; MARKS / 64],
    /// By the hash of each word.
    words: FxHashMap<u64, Known>,
}

/// A function word.
struct Known {
    /// The languages that have it, a bit each in the order of [`LISTS`].
    langs: u128,
    /// [`weight`].
    weight: f32,
}

/// About thirty for each word of the lists.
const MARKS: usize = 1 << 16;

/// The place of a hash among [`Table::marks`]: its best bits.
fn mark_of(hash: u64) -> usize {
    (hash >> 48) as usize
}

impl Table {
    fn may_have(&self, hash: u64) -> bool {
        let mark = mark_of(hash);
        self.marks[mark / 64] >> (mark % 64) & 1 == 1
    }
}

/// The family of a language without near relatives in the lists.
const ALONE: &str = "Alone";

/// The function words of a language.
struct List {
    tag: &'static str,
    /// It and its near relatives, whose words look alike, or [`ALONE`].
    family: &'static str,
    /// How many of a hundred words of running text they are.
    per_hundred: usize,
    /// In lower case, the commonest first.
    words: Vec<&'static str>,
}

impl List {
    /// Reads a line of [`WORDS`].
    fn read(line: &'static str) -> Option<List> {
        let mut fields = line.split('\t');
        let (tag, family, per_hundred, words) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        Some(List { tag, family, per_hundred: per_hundred.parse().ok()?, words: words.split(' ').collect() })
    }

    /// How many different words of the list so many words of text are expected to have, each as much as its length says ([`weight`]), where the
    /// word of rank r, from 0, is as frequent as 1 / (r + 2) says, and all together are as frequent as `per_hundred`.
    fn variety(&self, count: usize) -> f32 {
        let ranked = || self.words.iter().enumerate().map(|(rank, word)| (1.0 / (rank as f32 + 2.0), word));
        let sum: f32 = ranked().map(|(frequency, _)| frequency).sum();
        let per_frequency = count as f32 * self.per_hundred as f32 / 100.0 / sum;
        ranked()
            .map(|(frequency, word)| weight(word.chars().count()) * (1.0 - (-per_frequency * frequency).exp()))
            .sum()
    }
}

/// The [`weight`] of a function word, by its hash.
fn weight_of(hash: u64) -> f32 {
    TABLE.words.get(&hash).map_or(0.0, |word| word.weight)
}

/// How much a function word says of the language of a text, by its letters: those of one or two letters are words of many languages (estimates).
fn weight(letters: usize) -> f32 {
    match letters {
        0 | 1 => 0.2,
        2 => 0.6,
        3 => 0.9,
        _ => 1.0,
    }
}

/// The commonest function words of each language: its tag, its family, how many of a hundred words of running text they are, and the
/// words, in lower case, the commonest first. Written by hand from general knowledge of the languages, the numbers estimated (at least 20, so
/// that a few of them are not taken for much text). Counted in a translated manual, those of Czech, English, French, German, Russian and
/// Spanish were right within 4; the others have not been checked. What the models know and has no list, as Quechua, is no more than a guess.
const WORDS: &str = include_str!("words.tsv");

static LISTS: LazyLock<Vec<List>> = LazyLock::new(|| {
    let is_known = |list: &List| Lang::parse(list.tag).is_some_and(|lang| !is_withheld(lang));
    WORDS.lines().filter_map(List::read).filter(is_known).collect()
});

/// There are at most so many lists: a bit each.
const MAX_LISTS: usize = u128::BITS as usize;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn languages_are_written_in_the_letters_of_their_function_words() {
        let writes = |tag: &str| writes_latin(Lang::parse(tag).expect("a tag"));
        assert!(["en", "vi", "tr", "pl", "sw"].into_iter().all(writes));
        assert!(!["ru", "sr", "fa", "hi", "ja", "th", "und"].into_iter().any(writes));
        let in_script = |tag: &str, script: &str| are_in_script(Lang::parse(tag).expect("a tag"), script);
        assert!(
            in_script("kk", "Cyrl")
                && in_script("ug", "Arab")
                && in_script("uz", "Latn")
                && in_script("zh", "Hant") == is_listed(Lang::ZH)
        );
        assert!(
            !in_script("kk", "Arab")
                && !in_script("ug", "Cyrl")
                && !in_script("uz", "Cyrl")
                && !in_script("wo", "Latn")
        );
    }

    /// The words of a text, character by character.
    fn read_slowly(text: &str) -> Words {
        let (mut words, mut packed) = (Words::default(), Packed::default());
        for c in text.chars().chain([' ']) {
            if is_letter(c) {
                c.to_lowercase().for_each(|c| packed.push(c as u32));
                packed.capital = c.is_ascii_uppercase();
            } else {
                words.add(&mut packed, &TABLE);
            }
        }
        words
    }

    proptest! {
        #[test]
        fn words_are_those_read_character_by_character(text in r"([a-zA-Z]|the|The|à| |ÉTÉ|Ünd|İ|в|И|है|في|日|\.|[\u{1}-\u{1000}]){0,40}") {
            let (words, slow) = (read(&text), read_slowly(&text));
            prop_assert_eq!((words.count, words.hits), (slow.count, slow.hits));
        }
    }

    #[test]
    fn lists_fit_a_mask_and_name_languages() {
        assert!(LISTS.len() == WORDS.lines().count() && LISTS.len() <= MAX_LISTS);
        for List { tag, family, words, per_hundred } in LISTS.iter() {
            let relatives = LISTS.iter().filter(|list| list.family == *family).count();
            assert!(relatives > 1, "{tag} has no relative in the family {family}");
            assert!(Lang::parse(tag).is_some_and(Lang::is_known) && *per_hundred >= 20, "{tag}");
            let is_word = |word: &&str| !word.is_empty() && word.to_lowercase() == *word && word.chars().all(is_letter);
            assert_eq!(words.iter().find(|word| !is_word(word)), None, "{tag}");
        }
    }

    #[test]
    fn no_two_words_share_a_hash() {
        let words: std::collections::BTreeSet<&str> =
            LISTS.iter().flat_map(|list| list.words.iter().copied()).collect();
        assert_eq!(TABLE.words.len(), words.len());
    }

    #[test]
    fn shares_say_how_much_is_in_which_language() {
        let german = "Das ist der Text, den man nicht mit dem anderen verwechseln kann. ".repeat(3);
        let english = "This is the text that one should not confuse with the other.";
        let verdict = read(&(german + english)).verdict().expect("function words");
        assert_eq!(verdict.lang.as_str(), "de");
        assert!(verdict.share > 0.6 && verdict.share < 0.95 && !verdict.close, "{verdict:?}");
        assert_eq!(read("1 2 3 xyzzy").verdict(), None);
    }
}
