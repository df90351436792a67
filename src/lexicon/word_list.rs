//! Word lists: pairs of words of two languages, without weights.

use std::io::{BufRead, BufReader};
use std::path::Path;

use rustc_hash::FxHashMap;

use super::em::KnownPair;
use super::side::Side;
use super::translations::Translations;
use crate::error::{Error, Result};
use crate::files::{self, GivenFile};
use crate::language::names::did_you_mean;
use crate::text::words::Words;
use crate::types::{Lang, LangPair, counted};

/// A bilingual word list. Words are looked up by their hashes, in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexicon {
    langs: LangPair,
    /// The words of A, each with its translations.
    forth: Multimap,
    back: Multimap,
}

/// What was read from a word list, and what was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Pairs of words that were read, each once.
    pub pairs: u64,
    /// Lines left out because an entry is a phrase.
    pub phrases: u64,
    /// Lines left out because they are not two columns with a word in each, or not UTF-8.
    pub bad_lines: u64,
}

impl Reading {
    /// Why a list without a pair of words serves for nothing, and what it should be.
    fn without_pairs(self) -> String {
        let Reading { phrases, bad_lines, .. } = self;
        format!(
            "it has no pair of words: {}, {}; expected text in UTF-8, and on each line a word, a tab and its translation",
            counted(phrases, "phrase"),
            counted(bad_lines, "other line"),
        )
    }
}

/// The most words that one entry in a language without spaces may have.
const MAX_PIECES: usize = 3;

impl Lexicon {
    /// A word list of pairs (word of `langs.a`, word of `langs.b`), in any order, with repetitions or without.
    pub fn new(langs: LangPair, pairs: impl IntoIterator<Item = (u64, u64)>) -> Lexicon {
        let mut pairs: Vec<(u64, u64)> = pairs.into_iter().collect();
        let forth = Multimap::new(&mut pairs);
        for pair in &mut pairs {
            *pair = (pair.1, pair.0);
        }
        let back = Multimap::new(&mut pairs);
        Lexicon { langs, forth, back }
    }

    /// Reads a word list: UTF-8, two columns separated by a tab; further columns are ignored.
    ///
    /// The languages are those of the first line if it has two tags (`en<TAB>fr`), or else those of the file's name (`en-fr.tsv`,
    /// `words.en-fr.tsv`, `en-zh-tw.tsv`). A first line of two tags counts as such only if it agrees with the name, or if the name has no
    /// languages: `ago<TAB>fa` is an entry.
    ///
    /// [`Words`] divides entries into words. One word beside one word is a pair. An entry in Chinese or Japanese may have up to three
    /// words, since texts are divided in the same way: each of them that is longer than a character is paired with the word of the other
    /// entry. Other entries of more than one word are phrases, and are left out.
    ///
    /// # Errors
    /// [`Error::Input`] where the languages are unknown; [`Error::Io`] where reading fails. Bad lines are counted and left out.
    pub fn read(mut reader: impl BufRead, name: &str, words: &Words) -> Result<(Lexicon, Reading)> {
        let mut line = Vec::new();
        let mut columns = languages_of_name(name);
        let mut reading = Reading::default();
        let mut pairs = Vec::new();
        let mut is_first = true;
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(Error::io(name, "reading"))? == 0 {
                break;
            }
            let (x, y) = cells(&line);
            if std::mem::take(&mut is_first)
                && let Some(header) = languages_of_header(x, y, columns)
            {
                columns = Some(header);
                continue;
            }
            let Some((first, second)) = columns else { return Err(Error::input(name, without_languages(name, x, y))) };
            match entry(x, first, y, second, words) {
                Entry::Pairs(found) => pairs.extend(found),
                Entry::Phrase => reading.phrases += 1,
                Entry::Bad => reading.bad_lines += u64::from(!line.trim_ascii().is_empty()),
            }
        }
        let langs = columns.and_then(|(first, second)| Some((LangPair::new(first, second)?, first)));
        let Some((langs, first)) = langs else {
            return Err(Error::input(name, format!("the file is empty; {}", without_languages(name, "", ""))));
        };
        if first != langs.a {
            for pair in &mut pairs {
                *pair = (pair.1, pair.0);
            }
        }
        let lexicon = Lexicon::new(langs, pairs);
        reading.pairs = lexicon.len() as u64;
        Ok((lexicon, reading))
    }

    /// The languages of a word list, by its first line and its name; `None` where these have none.
    ///
    /// # Errors
    /// [`Error::Io`] where reading fails.
    pub fn languages(mut reader: impl BufRead, name: &str) -> Result<Option<LangPair>> {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).map_err(Error::io(name, "reading"))?;
        let (x, y) = cells(&line);
        let by_name = languages_of_name(name);
        let columns = languages_of_header(x, y, by_name).or(by_name);
        Ok(columns.and_then(|(first, second)| LangPair::new(first, second)))
    }

    /// The two languages.
    pub fn langs(&self) -> LangPair {
        self.langs
    }

    /// The translations of a word of language `side`, sorted.
    pub fn translations(&self, side: Side, word: u64) -> &[u64] {
        match side {
            Side::A => self.forth.get(word),
            Side::B => self.back.get(word),
        }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.forth.values.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs, sorted.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        let keys = self.forth.keys.iter().enumerate();
        keys.flat_map(|(at, &word)| self.forth.values_at(at).iter().map(move |&other| (word, other)))
    }
}

impl Translations for Lexicon {
    fn langs(&self) -> LangPair {
        self.langs
    }

    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
        self.translations(side, word).iter().for_each(|&other| each(other));
    }

    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
        self.translations(side, word).binary_search(&other).is_ok()
    }
}

/// What a line of a word list holds.
enum Entry {
    Pairs(Vec<(u64, u64)>),
    Phrase,
    Bad,
}

fn entry(x: &str, first: Lang, y: &str, second: Lang, words: &Words) -> Entry {
    let (Some(x), Some(y)) = (pieces(x, first, words), pieces(y, second, words)) else { return Entry::Bad };
    match (x.as_slice(), y.as_slice()) {
        (&[word], others) if !others.is_empty() => Entry::Pairs(others.iter().map(|&other| (word, other)).collect()),
        (others, &[word]) if !others.is_empty() => Entry::Pairs(others.iter().map(|&other| (other, word)).collect()),
        _ => Entry::Phrase,
    }
}

/// The words that stand for an entry; empty for a phrase. `None` where there is no word at all.
fn pieces(cell: &str, lang: Lang, words: &Words) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    words.for_each(cell, |surface, word| found.push((word, surface.chars().nth(1).is_some())));
    match found.len() {
        0 => None,
        1 => Some(vec![found[0].0]),
        2..=MAX_PIECES if has_no_spaces(lang) && !cell.trim().contains(char::is_whitespace) => {
            Some(found.into_iter().filter_map(|(word, is_long)| is_long.then_some(word)).collect())
        }
        _ => Some(Vec::new()),
    }
}

fn has_no_spaces(lang: Lang) -> bool {
    lang.agrees(Lang::ZH) || lang.as_str() == "ja"
}

/// The languages of the columns, if the first line is two tags that agree with those of the name.
fn languages_of_header(x: &str, y: &str, by_name: Option<(Lang, Lang)>) -> Option<(Lang, Lang)> {
    let (first, second) = (Lang::parse_asked(x)?, Lang::parse_asked(y)?);
    LangPair::new(first, second)?;
    let agrees = |(a, b): (Lang, Lang)| (a.agrees(first) && b.agrees(second)) || (a.agrees(second) && b.agrees(first));
    by_name.is_none_or(agrees).then_some((first, second))
}

/// The first two cells of a line, empty where it has none.
fn cells(line: &[u8]) -> (&str, &str) {
    let text = std::str::from_utf8(line).unwrap_or_default().trim_start_matches('\u{feff}').trim_end();
    let mut cells = text.split('\t');
    (cells.next().unwrap_or_default(), cells.next().unwrap_or_default())
}

/// Why nothing says what languages a list is of, and what would: `x` and `y` begin its first line.
fn without_languages(name: &str, x: &str, y: &str) -> String {
    let is_tag = |text: &&str| Lang::parse(text).is_some();
    let of_line = [x, y].into_iter().filter(|_| is_tag(&x) && is_tag(&y));
    let of_name = tags_of_name(name).into_iter().flatten();
    let unknown = of_name.chain(of_line.map(str::to_owned)).find(|tag| Lang::parse_asked(tag).is_none());
    let why = match unknown {
        Some(tag) => format!("{tag} is the code of no language{}", did_you_mean(&tag)),
        None => "the first line is not two language tags, and the name has none".to_owned(),
    };
    format!("{why}; begin it with a line such as en<TAB>fr, or name it such as en-fr.tsv")
}

/// The languages in the name of a file, that of the first column first.
fn languages_of_name(name: &str) -> Option<(Lang, Lang)> {
    let [first, second] = tags_of_name(name)?;
    Some((Lang::parse_asked(&first)?, Lang::parse_asked(&second)?))
}

/// What looks like the tags of two languages in the name of a file.
fn tags_of_name(name: &str) -> Option<[String; 2]> {
    let file = Path::new(name).file_name()?.to_str()?;
    file.split('.').rev().find_map(|part| {
        let subtags: Vec<&str> = part.split(['-', '_']).collect();
        // The first tag ends before the first subtag that is neither a region nor a script of its language.
        let end = 1 + subtags.iter().skip(1).take_while(|subtag| belongs_to(subtags[0], subtag)).count();
        let second = subtags.get(end..).filter(|rest| !rest.is_empty() && rest.len() <= 3)?;
        let is_tail = second.iter().skip(1).all(|subtag| belongs_to(second[0], subtag));
        let tags = [subtags[..end].join("-"), second.join("-")];
        (is_tail && Lang::parse(&tags[0])? != Lang::parse(&tags[1])?).then_some(tags)
    })
}

/// True for a subtag that is a script or a region of the language before it, and not a language.
fn belongs_to(language: &str, subtag: &str) -> bool {
    let is_chinese = language.eq_ignore_ascii_case("zh");
    subtag.len() == 4
        || (subtag.len() == 2 && subtag.bytes().all(|b| b.is_ascii_uppercase()))
        || (is_chinese && ["cn", "tw", "hk", "sg", "mo"].contains(&subtag.to_ascii_lowercase().as_str()))
}

/// A map from hashes to sorted lists of hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Multimap {
    /// The keys, sorted.
    keys: Vec<u64>,
    /// Where the values of each key begin; one more at the end.
    starts: Vec<u32>,
    /// The values, sorted for each key.
    values: Vec<u64>,
    /// For each value of a key's first `bits` bits, where the keys with it begin; one more at the end.
    tops: Vec<u32>,
    bits: u32,
}

impl Multimap {
    /// Sorts the pairs and drops repetitions.
    fn new(pairs: &mut Vec<(u64, u64)>) -> Multimap {
        pairs.sort_unstable();
        pairs.dedup();
        let mut map = Multimap::default();
        for &(key, value) in pairs.iter() {
            if map.keys.last() != Some(&key) {
                map.keys.push(key);
                map.starts.push(map.values.len() as u32);
            }
            map.values.push(value);
        }
        map.starts.push(map.values.len() as u32);
        // Each has about one key. As hashes are spread evenly, a search looks at one or two keys.
        map.bits = (map.keys.len().max(2) as u64).ilog2();
        map.tops = (0..=1u64 << map.bits)
            .map(|top| map.keys.partition_point(|key| (key >> (64 - map.bits)) < top) as u32)
            .collect();
        map
    }

    fn get(&self, key: u64) -> &[u64] {
        let top = (key >> (64 - self.bits)) as usize;
        let (start, end) = (self.tops[top] as usize, self.tops[top + 1] as usize);
        self.keys[start..end].binary_search(&key).map_or(&[], |at| self.values_at(start + at))
    }

    fn values_at(&self, at: usize) -> &[u64] {
        &self.values[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Word lists of several language pairs.
#[derive(Clone, Debug, Default)]
pub struct LexiconSet {
    lexicons: Vec<Lexicon>,
}

impl LexiconSet {
    /// Reads the word lists of some files.
    ///
    /// # Errors
    /// As [`Lexicon::read`], and where a file cannot be opened.
    pub fn read(lists: &[GivenFile]) -> Result<LexiconSet> {
        let mut set = LexiconSet::default();
        let words = Words::new();
        for GivenFile { path, .. } in lists {
            let file = files::open(path).map_err(Error::io(path, "opening"))?;
            let name = path.display().to_string();
            let (lexicon, reading) = Lexicon::read(BufReader::new(files::text(file)), &name, &words)?;
            if lexicon.is_empty() {
                return Err(Error::input(&name, reading.without_pairs()));
            }
            set.add(lexicon);
        }
        Ok(set)
    }

    /// Adds a word list. Several of one language pair are used together.
    pub fn add(&mut self, lexicon: Lexicon) {
        self.lexicons.push(lexicon);
    }

    /// What all word lists of two languages know together; `None` where there is no list.
    ///
    /// A list of `zh` serves simplified and traditional Chinese, and lists of either serve `zh`.
    pub fn between(&self, langs: LangPair) -> Option<Between<'_>> {
        let serves = |lexicon: &&Lexicon| lexicon.langs.a.agrees(langs.a) && lexicon.langs.b.agrees(langs.b);
        let turned = |lexicon: &&Lexicon| lexicon.langs.a.agrees(langs.b) && lexicon.langs.b.agrees(langs.a);
        let forth = self.lexicons.iter().filter(serves).map(|lexicon| (lexicon, false));
        let back = self.lexicons.iter().filter(turned).map(|lexicon| (lexicon, true));
        let lexicons: Vec<_> = forth.chain(back).collect();
        (!lexicons.is_empty()).then_some(Between { langs, lexicons })
    }
}

/// The word lists of a [`LexiconSet`] that serve one pair of languages.
#[derive(Clone, Debug)]
pub struct Between<'s> {
    langs: LangPair,
    /// The lists, and for each whether its sides are the other way round.
    lexicons: Vec<(&'s Lexicon, bool)>,
}

impl Between<'_> {
    /// All pairs of words, each once, sorted, with the probability of either word for one of the translations of the other, each of which is as likely.
    pub fn pairs(&self) -> Vec<KnownPair> {
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        for (lexicon, turned) in &self.lexicons {
            let entries = lexicon.pairs();
            pairs.extend(entries.map(|(a, b)| if *turned { (b, a) } else { (a, b) }));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut counts: [FxHashMap<u64, f32>; 2] = Default::default();
        for &(a, b) in &pairs {
            *counts[0].entry(a).or_default() += 1.0;
            *counts[1].entry(b).or_default() += 1.0;
        }
        pairs.into_iter().map(|(a, b)| (a, b, 1.0 / counts[0][&a], 1.0 / counts[1][&b])).collect()
    }
}

impl Translations for Between<'_> {
    fn langs(&self) -> LangPair {
        self.langs
    }

    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
        for (lexicon, turned) in &self.lexicons {
            lexicon.for_each_translation(if *turned { side.other() } else { side }, word, each);
        }
    }

    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
        self.lexicons
            .iter()
            .any(|(lexicon, turned)| lexicon.is_translation(if *turned { side.other() } else { side }, word, other))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::words::hash;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    fn read(text: &str, name: &str) -> Result<(Lexicon, Reading)> {
        Lexicon::read(text.as_bytes(), name, &Words::new())
    }

    fn sorted<const N: usize>(words: [&str; N]) -> Vec<u64> {
        let mut hashes = words.map(hash).to_vec();
        hashes.sort_unstable();
        hashes
    }

    #[test]
    fn a_list_is_looked_up_both_ways() {
        let (lexicon, reading) =
            read("cat\tchat\nCat\tchatte\tnoun\ndog\tchien\ncat\tchat\nbad line\na\tau milieu\n\n", "d/en-fr.tsv")
                .expect("a list");
        assert_eq!(lexicon.translations(Side::A, hash("CAT")), sorted(["chat", "chatte"]));
        assert_eq!(lexicon.translations(Side::B, hash("chien")), [hash("dog")]);
        assert_eq!(lexicon.translations(Side::B, hash("dog")), [0u64; 0]);
        assert_eq!(reading, Reading { pairs: 3, phrases: 1, bad_lines: 1 });
        assert!(lexicon.is_translation(Side::B, hash("chatte"), hash("cat")));
        assert_eq!(lexicon.pairs().count(), lexicon.len());
    }

    #[test]
    fn entries_without_spaces_are_segmented_as_texts_are() {
        let (lexicon, reading) =
            read("observatory\t天文台\nexcursion\t香港天文台\nof cats\t猫\n", "en-zh.tsv").expect("a list");
        assert_eq!(lexicon.translations(Side::A, hash("observatory")), [hash("天文台")]);
        assert_eq!(lexicon.translations(Side::A, hash("excursion")), sorted(["香港", "天文台"]));
        assert_eq!(reading.phrases, 1);
    }

    #[test]
    fn languages_are_those_of_header_or_name() {
        let cases = [
            ("en-fr.tsv", ("en", "fr")),
            ("words.fr-en.tsv", ("fr", "en")),
            ("some/en-zh-tw.tsv", ("en", "zh-tw")),
            ("zh-tw-en.txt", ("zh-tw", "en")),
            ("pt-BR-en", ("pt", "en")),
            ("en_de", ("en", "de")),
        ];
        for (name, (first, second)) in cases {
            assert_eq!(languages_of_name(name), Some((lang(first), lang(second))), "{name}");
        }
        for name in ["words.tsv", "en.tsv", "en-en.tsv", "a-b-c.tsv", "x-dictionary.tsv"] {
            assert_eq!(languages_of_name(name), None, "{name}");
        }
        let (lexicon, _) = read("fr\ten\nchat\tcat\n", "words.tsv").expect("a list");
        assert_eq!(lexicon.langs(), LangPair::new(Lang::EN, lang("fr")).expect("two"));
        assert_eq!(lexicon.translations(Side::A, hash("cat")), [hash("chat")]);
        // The first line may exchange the columns. It may also be an entry that looks like two tags.
        assert_eq!(read("fr\ten\nchat\tcat\n", "en-fr.tsv").expect("a list").0, lexicon);
        assert_eq!(read("ago\tfa\n", "en-it.tsv").expect("a list").1.pairs, 1);
        for (text, name) in [("cat\tchat\n", "words.tsv"), ("", "words.tsv")] {
            let error = read(text, name).expect_err("no languages").to_string();
            assert!(error.starts_with("words.tsv: ") && error.contains("en-fr.tsv"), "{error}");
        }
        // There is no language with these codes. A first line may say what the name does not.
        for (text, name, code) in
            [("cat\tchat\n", "en-xx.tsv", "xx"), ("", "en-xx.tsv", "xx"), ("en\tweb\n", "words.tsv", "web")]
        {
            let error = read(text, name).expect_err("no language").to_string();
            assert!(
                error.contains(&format!("{code} is the code of no language")) && error.contains("en-fr.tsv"),
                "{error}"
            );
        }
        assert_eq!(read("fr\ten\nchat\tcat\n", "my-xx.tsv").expect("a list").0, lexicon);
        let languages = |text: &str, name: &str| Lexicon::languages(text.as_bytes(), name).expect("a text");
        assert_eq!(languages("fr\ten\nchat\tcat\n", "words.tsv"), Some(lexicon.langs()));
        assert_eq!(languages("chat\tcat\n", "fr-en.tsv"), Some(lexicon.langs()));
        assert_eq!((languages("chat\tcat\n", "en-xx.tsv"), languages("", "words.tsv")), (None, None));
    }

    #[test]
    fn a_list_of_chinese_serves_both_scripts() {
        let mut set = LexiconSet::default();
        set.add(read("cat\t猫\n", "en-zh.tsv").expect("a list").0);
        set.add(read("cat\t貓\n", "en-zh-tw.tsv").expect("a list").0);
        let known = |tag| {
            let mut found = Vec::new();
            let langs = LangPair::new(Lang::EN, lang(tag)).expect("two");
            let between = set.between(langs)?;
            between.for_each_translation(Side::A, hash("cat"), &mut |word| found.push(word));
            assert!(between.is_translation(Side::A, hash("cat"), hash("猫")));
            Some(found)
        };
        assert_eq!(known("zh-Hans"), Some(vec![hash("猫")]));
        assert_eq!(known("zh-Hant"), Some(vec![hash("猫"), hash("貓")]));
        assert_eq!(known("zh"), known("zh-Hant"));
        assert_eq!(known("fr"), None);
    }

    #[test]
    fn a_list_without_a_pair_of_words_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = |text: &str| {
            let path = folder.path().join("words.en-fr.tsv");
            std::fs::write(&path, text).expect("a file");
            LexiconSet::read(&[GivenFile::new(path.to_str().expect("a name"))])
        };
        assert!(read("house\tmaison\n").is_ok());
        for (text, lines) in
            [("", "0 other lines"), ("house,maison\n", "1 other line"), ("a big house\tmaison\n", "1 phrase")]
        {
            let error = read(text).expect_err("nothing to use").to_string();
            assert!(error.contains(lines) && error.contains("a tab"), "{error}");
        }
    }

    #[test]
    fn all_lists_of_two_languages_together_have_each_pair_once() {
        let mut set = LexiconSet::default();
        let (en, fr) = (lang("en"), lang("fr"));
        let langs = LangPair::new(en, fr).expect("two languages");
        set.add(Lexicon::new(langs, [(1, 11), (1, 12), (2, 12)]));
        set.add(Lexicon::new(langs, [(1, 11)]));
        let pairs = set.between(langs).expect("two lists").pairs();
        assert_eq!(pairs, [(1, 11, 0.5, 1.0), (1, 12, 0.5, 0.5), (2, 12, 1.0, 0.5)]);
    }

    proptest! {
        #[test]
        fn every_pair_is_found_and_no_other(
            pairs in prop::collection::btree_set((any::<u64>().prop_map(|x| x & 0xf000_0000_0000_0007), 0u64..6), 0..60),
            word in any::<u64>().prop_map(|x| x & 0xf000_0000_0000_0007),
        ) {
            let langs = LangPair::new(Lang::EN, lang("fr")).expect("two");
            let lexicon = Lexicon::new(langs, pairs.iter().copied());
            prop_assert_eq!(lexicon.pairs().collect::<BTreeSet<_>>(), pairs.clone());
            let of: Vec<u64> = pairs.iter().filter(|(a, _)| *a == word).map(|(_, b)| *b).collect();
            prop_assert_eq!(lexicon.translations(Side::A, word), of);
            for b in 0..6 {
                let of: Vec<u64> = pairs.iter().filter(|(_, y)| *y == b).map(|(a, _)| *a).collect();
                prop_assert_eq!(lexicon.translations(Side::B, b), of);
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let (_, reading) = Lexicon::read(bytes.as_slice(), "en-fr.tsv", &Words::new()).expect("languages by name");
            prop_assert!(reading.bad_lines + reading.phrases <= bytes.len() as u64);
        }
    }
}
