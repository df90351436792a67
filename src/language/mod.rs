//! Text blocks → the language they are in.
//!
//! Three means, cheapest first, each used only where the one before gives no answer: the script, which is enough for
//! Japanese, Korean, Chinese, Greek and all who write alone; function words, which decide running text in the larger
//! languages; and two models, whatlang and langid, for the rest: texts without sentences, other languages, near
//! relatives. The [letters] of a text, compared with [profiles], show where these guess, and [posterior] weighs both where they differ about a
//! relative. Only a sample of the prose is looked at. [`names`] are what languages are called, and [`codes`] the tags that
//! name them in URLs. A program of the user may be [`asked`] instead.

pub mod asked;
mod chinese;
pub mod codes;
pub mod foreign;
pub mod learnt;
pub mod letters;
pub mod names;
mod params;
mod posterior;
pub mod profiles;
mod scripts;
mod withheld;
mod words;

use std::borrow::Cow;
use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::types::Lang;
use letters::Letters;
use profiles::{Distances, Profiles};
use scripts::{Script, Scripts};
use withheld::{is_none_withheld, is_withheld};

pub use params::Params;
pub use scripts::{is_alone, latin_share, other_script};

/// The number of the way in which languages are detected. It changes with what is found.
pub const DETECTION: u32 = 4;

/// A stretch of text of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins in the text, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What it is.
    pub kind: RunKind,
}

/// What a stretch of text is to the language of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Text outside links.
    Prose,
    /// Text of links.
    Linked,
    /// Program text, formulas, choices of a form: in no language, or in many.
    Listing,
}

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detected {
    /// The language most of the text is in; [`Lang::UNKNOWN`] where there is too little text, or no answer to trust.
    pub lang: Lang,
    /// How sure that is, 0..=1; where the text is in two languages, the share of this one.
    pub confidence: f32,
    /// True where words and models guess among the languages that they know, and the text may be in another one: it has few of the function
    /// words of the language, or the letters of another one.
    pub is_guess: bool,
    /// Share of A–Z and a–z in the letters of the whole text, 0..=1; 0 without letters.
    pub latin_share: f32,
}

/// Detects the language of a text. `runs` are its stretches, in order.
pub fn detect(text: &str, runs: &[Run], params: &Params) -> Detected {
    let sample = sample(text, runs, params);
    let (lang, confidence, is_guess) = language(&composed(&sample), params);
    Detected { lang, confidence, is_guess, latin_share: scripts::latin_share(text) }
}

/// Counts the [`letters`] of a text, as much of it as [`detect`] looks at. Menus are often left untranslated, and a little prose is enough.
pub fn count_letters(text: &str, runs: &[Run], params: &Params) -> Vec<u8> {
    let prose: Vec<Run> = runs.iter().filter(|run| run.kind == RunKind::Prose).copied().collect();
    let bytes: u32 = prose.iter().map(|run| run.end - run.start).sum();
    let runs = if bytes >= params.min_letters { &prose } else { runs };
    letters::count(&composed(&sample(text, runs, params)))
}

/// What makes a sentence be in a language for sure: function words that no other language has, their share among those of the two
/// likeliest languages, and how many there are, compared with running text (estimates).
const SURE_WORDS: usize = 3;
const SURE_SHARE: f32 = 0.9;
const SURE_COVERAGE: f32 = 0.6;

/// The language of a sentence where its function words leave no doubt, or most of its letters are of a script that one language has for
/// itself, Han being Chinese; [`Lang::UNKNOWN`] otherwise, as for most short ones and for languages without a list of such words. What is quoted or
/// stands in brackets may be in another language, such as the name of a chapter, so a sentence that is in doubt is told by what stands around it.
pub fn of_sentence(text: &str) -> Lang {
    let told = sure(text).or_else(|| sure(&without_inserts(text)?));
    told.map_or(Lang::UNKNOWN, |(lang, _)| lang)
}

/// True for a text that has more function words of one language than of another, by as many as leave no doubt. Nothing is known of languages without a
/// list of such words.
pub fn is_rather_in(text: &str, lang: Lang, than: Lang) -> bool {
    let words = words::read(text);
    let [own, other] = [lang, than].map(|lang| words.hits_of(lang));
    own.zip(other).is_some_and(|(own, other)| own >= other + SURE_WORDS)
}

/// A text without what is quoted or stands in brackets in it; `None` where nothing does. Time grows with the text.
fn without_inserts(text: &str) -> Option<String> {
    /// Each with what ends it.
    const MARKS: &[(char, &[char])] = &[
        ('(', &[')']),
        ('[', &[']']),
        ('"', &['"']),
        ('“', &['”']),
        ('„', &['“', '”']),
        ('«', &['»']),
        ('»', &['«']),
        ('「', &['」']),
        ('『', &['』']),
        ('（', &['）']),
    ];
    let mut left = String::new();
    let mut rest = text;
    // Marks that nothing ends in the rest of the text.
    let mut unended = [false; MARKS.len()];
    loop {
        let opening = |c: char| MARKS.iter().position(|marks| marks.0 == c).filter(|&mark| !unended[mark]);
        let found = rest.char_indices().find_map(|(at, c)| Some((at, at + c.len_utf8(), opening(c)?)));
        let Some((at, behind, mark)) = found else { break };
        match rest[behind..].char_indices().find(|(_, c)| MARKS[mark].1.contains(c)) {
            Some((end, closing)) => {
                left.push_str(&rest[..at]);
                left.push(' ');
                rest = &rest[behind + end + closing.len_utf8()..];
            }
            None => unended[mark] = true,
        }
    }
    left.push_str(rest);
    (rest.len() < text.len()).then_some(left)
}

/// The language of a text by itself, of whatever length, and how sure that is, as in [`Detected`]; `None` where the text is too short to tell,
/// or gives no answer to trust. A text that is too short for [`detect`] is in a language only as [`of_sentence`] says, and not by Han
/// characters, which Japanese names and headings may have alone.
pub fn of_text(text: &str) -> Option<(Lang, f32)> {
    let whole = Run { start: 0, end: text.len() as u32, kind: RunKind::Prose };
    let found = detect(text, &[whole], &Params::default());
    if found.lang.is_known() {
        return Some((found.lang, found.confidence));
    }
    sure(text).filter(|(lang, _)| lang.base().as_str() != "zh")
}

/// The language that a sentence is in for sure, and its share of the function words or of the letters.
fn sure(text: &str) -> Option<(Lang, f32)> {
    let is_sure = |words: &words::Verdict| {
        words.own >= SURE_WORDS && words.share >= SURE_SHARE && words.coverage >= SURE_COVERAGE
    };
    let words = words::read(text);
    // Most short texts have too few words for a verdict.
    let verdict = if words.hits() >= SURE_WORDS { words.verdict() } else { None };
    if let Some(words) = verdict.filter(is_sure) {
        return Some((words.lang, words.share));
    }
    if text.is_ascii() {
        return None;
    }
    match Scripts::count(text).main(&Params::default()) {
        (Script::Alone(tag), share) if share > 0.5 => Some((Lang::parse(tag)?, share)),
        (Script::Han, share) if share > 0.5 => Some((Lang::parse("zh")?, share)),
        _ => None,
    }
}

/// True for a language whose sentences [`of_sentence`] takes for no other one: its own function words are known, or it has a script of its
/// own. Those of Asturian would be Spanish.
pub fn is_told(lang: Lang) -> bool {
    words::is_listed(lang) || scripts::is_alone(lang)
}

/// The same for a text of which `latin_share` of the letters are A–Z: Serbian in Latin letters is not told from Croatian.
pub fn is_told_as(lang: Lang, latin_share: f32) -> bool {
    is_told_in(lang, latin_share) && (latin_share <= 0.5 || writes_latin(lang))
}

/// The same for a text that may be in any language as far as its letters say: nothing tells Uzbek in Cyrillic letters, whose known words are in Latin ones,
/// or Serbian in Latin letters.
pub fn is_told_in(lang: Lang, latin_share: f32) -> bool {
    is_told(lang)
        && (latin_share > LEAST_LATIN || !words::writes_only_latin(lang))
        && (latin_share <= 0.5 || writes_latin(lang) || other_script(lang.base()).is_none())
}

/// True for a language of whose words some are known in the script of this code; false for one without a list of words.
pub fn has_words_in(lang: Lang, script: &str) -> bool {
    words::are_in_script(lang, script)
}

/// Texts in Latin letters have at least this share of A–Z (an estimate; Vietnamese has two thirds).
const LEAST_LATIN: f32 = 0.3;

/// True for a language that is known to be written in letters of A–Z.
pub fn writes_latin(lang: Lang) -> bool {
    words::writes_latin(lang)
}

/// True for a language that is known to be written in other letters than A–Z, and in no second script, as Arabic and Russian are.
pub fn has_one_other_script(lang: Lang) -> bool {
    words::is_listed(lang) && !words::writes_latin(lang) && other_script(lang.base()).is_none()
}

/// Languages that short texts are taken for in place of each other.
const RELATIVES: &[&[&str]] = &[
    &["gl", "pt", "es"],
    &["ca", "oc", "es"],
    &["bs", "hr", "sr", "sl"],
    &["da", "no", "nn", "sv"],
    &["id", "ms"],
    &["cs", "sk"],
    &["be", "ru", "uk", "bg", "mk"],
    &["ga", "gd"],
    &["af", "nl"],
    &["az", "tr", "tk", "uz"],
    &["zu", "xh", "nr", "nd", "ss"],
    &["et", "fi"],
];

/// Languages, each with some that are taken for it even in long texts, by the words that they share, or by a script that both write. Most of
/// these cannot be told.
const TAKEN_FOR: &[(&str, &[&str])] = &[
    ("es", &["ast", "ext", "lad"]),
    ("it", &["co", "scn", "sc", "rm", "fur", "lmo", "vec", "lij", "pms", "nap", "rgn", "eml"]),
    ("fr", &["wa", "pcd", "frp"]),
    ("hr", &["bs", "cnr", "sr"]),
    ("sr", &["bs", "cnr"]),
    ("id", &["min", "bjn"]),
    ("pl", &["szl", "csb", "hsb", "dsb"]),
    ("ru", &["rue"]),
    ("uk", &["rue"]),
    ("en", &["sco", "pcm"]),
    ("nl", &["fy", "li", "nds"]),
    ("de", &["gsw", "nds", "bar", "ksh"]),
    ("tr", &["crh", "gag"]),
    ("az", &["azb"]),
    ("fi", &["krl", "fkv", "vep", "vro"]),
    ("et", &["vro"]),
    ("hi", &["mai", "bho", "awa", "mag", "sa"]),
    ("ne", &["mai"]),
    ("jv", &["su"]),
    ("tl", &["ceb", "hil", "ilo", "war", "pam", "bik"]),
    ("am", &["ti", "tig", "gez"]),
    ("he", &["yi", "lad"]),
    ("bo", &["dz"]),
    ("ur", &["pnb", "skr"]),
    ("zh", &["hak", "gan", "wuu", "nan", "hsn", "cjy", "cdo", "lzh"]),
    ("bn", &["as"]),
    ("my", &["mnw", "shn", "ksw"]),
    ("ka", &["xmf"]),
    ("rw", &["rn", "nyn"]),
    ("zu", &["nd", "nr", "ss"]),
    ("xh", &["nr", "ss"]),
    ("ku", &["zza"]),
];

/// True for a language whose texts are taken for another one.
pub fn is_taken_for(lang: Lang, told: Lang) -> bool {
    let (lang, told) = (lang.base(), if told.agrees(Lang::ZH) { Lang::ZH } else { told.base() });
    !is_withheld(lang)
        && TAKEN_FOR.iter().any(|(known, others)| *known == told.as_str() && others.contains(&lang.as_str()))
}

/// True for a language of which it is known that its texts are taken for some other one.
pub fn is_like_another(lang: Lang) -> bool {
    let lang = lang.base();
    !is_withheld(lang) && TAKEN_FOR.iter().any(|(_, others)| others.contains(&lang.as_str()))
}

/// Languages of whose letters nothing is known, each with those whose texts may be called by its name, or are like its own: members of a macrolanguage, and
/// neighbours.
const LIKE: &[(&str, &[&str])] = &[
    ("ak", &["tw", "fat"]),
    ("ff", &["fuf", "fuv"]),
    ("hz", &["ng"]),
    ("kj", &["ng"]),
    ("kv", &["koi"]),
    ("lu", &["lua"]),
];

/// True for a language of whose letters nothing is known, but that texts in it are like those in the other one, or are those.
pub fn is_known_to_be_like(lang: Lang, other: Lang) -> bool {
    let (lang, other) = (lang.base(), other.base());
    LIKE.iter().any(|(known, others)| *known == lang.as_str() && others.contains(&other.as_str()))
}

/// True for near relatives, which detection takes for each other in short texts.
pub fn are_relatives(a: Lang, b: Lang) -> bool {
    let (a, b) = (a.base(), b.base());
    a != b
        && !is_withheld(a)
        && !is_withheld(b)
        && RELATIVES.iter().any(|group| group.contains(&a.as_str()) && group.contains(&b.as_str()))
}

fn language(sample: &str, params: &Params) -> (Lang, f32, bool) {
    let scripts = Scripts::count(sample);
    if scripts.letters(params) < params.min_letters {
        return (Lang::UNKNOWN, 0.0, false);
    }
    let (script, share) = scripts.main(params);
    match script {
        Script::Alone(tag) => {
            let lang = Lang::parse(tag).unwrap_or(Lang::UNKNOWN);
            if words::is_listed(lang) {
                by_words_of_a_script(sample, lang, share, params)
            } else {
                by_letters_of_a_script(sample, lang, share, params)
            }
        }
        Script::Han => {
            let (lang, _) = chinese::script(sample);
            (lang, share, false)
        }
        // Nothing here reads it: what words or models find are quotations.
        Script::Unread => (Lang::UNKNOWN, 0.0, true),
        Script::Shared => by_words_or_models(sample, &scripts, params),
    }
}

/// How sure the language of a text is at least that its words or script tell (an estimate: as for markers of keys, .95, after it was rounded to a 255th).
pub const TOLD: f32 = 0.945;
/// How sure a language is at most that two of four means agree on: words, two models, and letters (an estimate).
const MAX_AGREED: f32 = 0.9;
/// How sure a language is more than that is likely, though another one may be meant: more than what is doubted, after both were rounded to a 255th.
pub const LIKELY: f32 = 0.51;
/// How sure a language is at most of which the text lacks most function words: it may be in one that is not known here, which words and
/// models take for something that they know (an estimate).
const DOUBTED: f32 = 0.5;
/// How sure a language is that few function words alone speak for, times their share (an estimate).
const WEAK_WORDS: f32 = 0.5;

/// For a script that one language writes for the most part, and others too, as Hebrew and Yiddish: the one whose function words the text has.
fn by_words_of_a_script(sample: &str, main: Lang, share: f32, params: &Params) -> (Lang, f32, bool) {
    let read = words::read(sample);
    let likeliest = read.verdict().filter(|words| {
        words.lang == main
            || TAKEN_FOR.iter().any(|(told, others)| *told == main.as_str() && others.contains(&words.lang.as_str()))
    });
    match likeliest {
        Some(words) if words.lang != main && !read.exclude(words.lang, params) => {
            (words.lang, share.min(words.share), false)
        }
        _ => (main, share, false),
    }
}

/// For a script that one language writes for the most part, and others too, where the words of none are known, as Tibetan and Dzongkha: the one whose
/// letters the text has.
fn by_letters_of_a_script(sample: &str, main: Lang, share: f32, params: &Params) -> (Lang, f32, bool) {
    let letters = distances(sample);
    let (lang, sure) = posterior::weigh(&words::Words::default(), &letters, main, share, params);
    let is_guess = lang != main || have_letters_of_another(&letters, main);
    (lang, if is_guess { sure.min(DOUBTED) } else { sure }, is_guess)
}

fn by_words_or_models(sample: &str, scripts: &Scripts, params: &Params) -> (Lang, f32, bool) {
    let read = words::read(sample);
    // A text without a letter of a language with a script of its own is not in it: models take Canadian syllables for Georgian.
    let can_be = |lang: Lang| !is_alone(lang) || scripts.has_letters_of(lang);
    let letters = distances(sample);
    let likeliest = Some(most_likely(sample, &read, &letters, params)).filter(|(lang, _)| can_be(*lang));
    let (lang, confidence) = likeliest
        .map_or((Lang::UNKNOWN, 0.0), |(lang, confidence)| posterior::weigh(&read, &letters, lang, confidence, params));
    // Where no language was found, the text may be in several that are known.
    let likeliest = if lang.is_known() { Some(lang) } else { read.verdict().map(|words| words.lang) };
    let is_guess = likeliest.is_none_or(|lang| read.exclude(lang, params) || have_letters_of_another(&letters, lang));
    (lang, if is_guess { confidence.min(DOUBTED) } else { confidence }, is_guess)
}

/// So much of a sample shows its letters, in bytes (an estimate).
const LETTERS_BYTES: usize = 700;

/// How far the letters of a sample are from all profiles.
fn distances(sample: &str) -> Distances {
    let beginning = &sample[..sample.floor_char_boundary(LETTERS_BYTES)];
    Profiles::shipped().distances(&Letters::of(&letters::count(beginning)).unwrap_or_default())
}

/// True for a text whose letters tell a language that has no list of words, as Friulian, which has many of those of Italian.
fn have_letters_of_another(letters: &Distances, lang: Lang) -> bool {
    letters.tell(lang, |other| !is_told(other)).is_some()
}

fn most_likely(sample: &str, read: &words::Words, letters: &Distances, params: &Params) -> (Lang, f32) {
    let Some(words) = read.verdict() else { return by_model_twice(sample, params) };
    let min_share = if words.close { params.min_close_share } else { params.min_share };
    let one_sided = words.share >= min_share;
    if one_sided && words.own >= params.min_own_words as usize && words.coverage >= params.min_coverage {
        return (words.lang, words.share);
    }
    let quick = QUICK_MODEL.detect(sample).and_then(|info| Lang::parse(info.lang().code())).unwrap_or(Lang::UNKNOWN);
    if quick == words.lang {
        return (quick, words.share.min(MAX_AGREED));
    }
    let (lang, confidence) = by_model(sample);
    if (lang == words.lang || lang == quick) && confidence >= params.min_model_confidence {
        // The model is sure of mixed texts too; the words show the share.
        return (lang, confidence.min(if lang == words.lang { words.share } else { MAX_AGREED }));
    }
    // The model calls lists of titles and names Latin, Quechua or Luxembourgish, and is sure of it.
    if one_sided && words.own >= params.min_own_words as usize / 2 && words.coverage >= params.min_weak_coverage {
        return (words.lang, words.share * WEAK_WORDS);
    }
    // Models do not know all languages that have a list of words, as Romansh.
    if letters.tell(Lang::UNKNOWN, |_| true) == Some(words.lang) {
        return (words.lang, words.share.min(MAX_AGREED));
    }
    by_model_twice(sample, params)
}

fn by_model(sample: &str) -> (Lang, f32) {
    let (code, confidence) = MODEL.classify(sample).unwrap_or(("und", 0.0));
    (Lang::parse(code).unwrap_or(Lang::UNKNOWN), confidence)
}

/// What the accurate model says where it says the same of both halves: it is as sure of nonsense as of sentences, but
/// not in the same way twice.
fn by_model_twice(sample: &str, params: &Params) -> (Lang, f32) {
    let (first, second) = sample.split_at(sample.floor_char_boundary(sample.len() / 2));
    let (lang, sure) = by_model(first);
    if sure < params.min_model_confidence {
        return (Lang::UNKNOWN, 0.0);
    }
    let (again, confidence) = by_model(second);
    let confidence = confidence.min(sure);
    if lang == again && confidence >= params.min_model_confidence { (lang, confidence) } else { (Lang::UNKNOWN, 0.0) }
}

/// The accurate model. A call costs 0.4 to 0.6 ms, and most of that is the same for any length.
static MODEL: LazyLock<langid_rs::Model> = LazyLock::new(|| {
    let mut model = langid_rs::Model::load(true).expect("the model is part of the program");
    if !is_none_withheld() {
        let is_left = |code: &&str| Lang::parse(code).is_none_or(|lang| !is_withheld(lang));
        let left = model.rank("").into_iter().map(|(code, _)| code).filter(is_left).map(str::to_owned).collect();
        assert!(model.set_langs(Some(left)).is_ok(), "the model knows two languages or more that are not withheld");
    }
    model
});

/// The quick model.
static QUICK_MODEL: LazyLock<whatlang::Detector> = LazyLock::new(|| {
    let is_out = |lang: &&whatlang::Lang| Lang::parse(lang.code()).is_some_and(is_withheld);
    whatlang::Detector::with_denylist(whatlang::Lang::all().iter().filter(is_out).copied().collect())
});

/// A text with one character for a letter and its accents, as words and models have them.
fn composed(text: &str) -> Cow<'_, str> {
    // First bytes of U+0300 to U+037F.
    let has_accents = text.bytes().any(|byte| matches!(byte, 0xcc | 0xcd));
    if has_accents { ComposingNormalizerBorrowed::new_nfc().normalize(text) } else { Cow::Borrowed(text) }
}

/// The prose of a page, or as much of it as is looked at; text of links and listings where there is no other.
fn sample(text: &str, runs: &[Run], params: &Params) -> String {
    let of = |kinds: &[RunKind]| -> Vec<&str> {
        let runs = runs.iter().filter(|run| kinds.contains(&run.kind));
        runs.filter_map(|run| text.get(run.start as usize..run.end as usize)).collect()
    };
    let bytes = |pieces: &[&str]| pieces.iter().map(|piece| piece.len()).sum::<usize>();
    let mut chosen = of(&[RunKind::Prose]);
    let (prose, linked) = (bytes(&chosen), bytes(&of(&[RunKind::Linked])));
    if prose < params.enough_prose_bytes as usize || linked > prose * params.links_per_prose as usize {
        chosen = of(&[RunKind::Prose, RunKind::Linked]);
    }
    if bytes(&chosen) < params.min_letters as usize {
        chosen = of(&[RunKind::Prose, RunKind::Linked, RunKind::Listing]);
    }
    spread(&chosen, bytes(&chosen), params)
}

/// Evenly spread pieces of the runs, `params.sample_bytes` in all.
fn spread(runs: &[&str], total: usize, params: &Params) -> String {
    let budget = params.sample_bytes as usize;
    let mut sample = String::with_capacity(budget.min(total) + 256);
    if total <= budget {
        for run in runs {
            sample.push_str(run);
            sample.push(' ');
        }
        return sample;
    }
    let pieces = params.sample_pieces.max(2) as usize;
    let length = budget / pieces;
    let mut runs = runs.iter();
    let mut run = runs.next();
    // Where the current run begins among all runs.
    let mut run_start = 0;
    for piece in 0..pieces {
        let (mut from, to) =
            ((total - length) * piece / (pieces - 1), (total - length) * piece / (pieces - 1) + length);
        while let Some(text) = run {
            let run_end = run_start + text.len();
            if from < run_end {
                sample.push_str(whole_words(text, from - run_start, to.min(run_end) - run_start));
                sample.push(' ');
                from = run_end;
            }
            if run_end >= to {
                break;
            }
            run_start = run_end;
            run = runs.next();
        }
    }
    sample
}

/// Where no space comes within so many bytes, words are taken to have none between them.
const MAX_WORD_BYTES: usize = 40;

/// The words that begin in a range of bytes, the last one whole.
fn whole_words(text: &str, from: usize, to: usize) -> &str {
    let bytes = text.as_bytes();
    // A word here is anything between spaces; where none is near, as in Chinese, any character will do.
    let next_space = |at: usize| {
        let near = &bytes[at..bytes.len().min(at + MAX_WORD_BYTES)];
        near.iter().position(|b| b.is_ascii_whitespace()).map_or(at, |i| at + i)
    };
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    let from = if from == 0 { 0 } else { boundary(next_space(from)) };
    let to = boundary(next_space(to));
    &text[from.min(to)..to]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sentence_is_in_a_language_only_where_there_is_no_doubt() {
        let of = |text: &str| of_sentence(text).as_str().to_owned();
        assert_eq!(
            of("For these scenarios you have two options: either you upload to a PPA or prepare a backport."),
            "en"
        );
        assert_eq!(of("Pour cela, vous devez être sur la même machine que celle qui est dans le réseau."), "fr");
        for text in ["Software RAID", "Copyright 2024 the authors", "", "apt-get install debian-installer", "Failed"] {
            assert_eq!(of_sentence(text), Lang::UNKNOWN, "{text}");
        }
        let mixed = "Le paquet this is not what you want if you are on it est dans la section qui est pour vous.";
        assert_eq!(of_sentence(mixed), Lang::UNKNOWN);
    }

    #[test]
    fn what_is_quoted_does_not_tell_in_what_language_a_sentence_is() {
        let of = |text: &str| of_sentence(text).as_str().to_owned();
        let mixed = "Le paquet « this is not what you want if you are on it » est dans la section qui est pour vous.";
        assert_eq!(of(mixed), "fr");
        let reference =
            "Many of them have been used for this (see Tabela 11.2, “Lista de valores e de como são usados na rede”).";
        assert_eq!((of(reference), sure(reference)), ("en".to_owned(), None));
        assert_eq!(without_inserts("a (b [c) d] e \"f\" g").as_deref(), Some("a   d] e   g"));
        assert_eq!(without_inserts("a »b« c „d” e «f» ( g").as_deref(), Some("a   c   e   ( g"));
        assert!(["nothing", "one \" mark", ":( :( (", ""].into_iter().all(|text| without_inserts(text).is_none()));
        let many = "(「".repeat(200_000);
        assert_eq!(without_inserts(&many), None, "in time that grows with the text");
    }

    #[test]
    fn a_text_by_itself_is_in_a_language_if_it_is_long_enough_or_leaves_no_doubt() {
        let of = |text: &str| of_text(text).map(|(lang, _)| lang.to_string());
        let told = |lang: &str| Some(lang.to_owned());
        assert_eq!(of("Select the disks that are to be used for the installation of the system."), told("en"));
        assert_eq!(of("Elle est dans la même que celle qui est sur le."), told("fr"), "few words, and no doubt");
        assert_eq!(of("설치"), told("ko"));
        assert_eq!(of("请选择用于安装系统的磁盘，然后继续下一步操作以完成安装过程。"), told("zh-Hans"));
        for text in ["", "Software RAID", "管理者設定", "12.5.3", "Debian"] {
            assert_eq!(of_text(text), None, "{text}");
        }
        let sure = of_text("The members of the committee have asked for more time before they decide what to do.");
        assert!(sure.is_some_and(|(_, confidence)| confidence > 0.9), "{sure:?}");
    }

    fn prose(text: &str) -> Vec<Run> {
        vec![Run { start: 0, end: text.len() as u32, kind: RunKind::Prose }]
    }

    fn detected_in(text: &str) -> String {
        detect(text, &prose(text), &Params::default()).lang.to_string()
    }

    #[test]
    fn a_text_is_in_no_language_with_another_script() {
        let cree = "ᑳᑫᓇᐤ ᐊᔨᓯᔨᓂᐤ ᑎᐱᓯᐣ ᓂᐦᑖᐃᐧᑭᐤ ᐁᐊᐧᑯ ᐯᔭᑲᐧᐣ ᑮᐢᑌᐧᓕᒥᑯᓯᐏᐣ ᐁᑲᐧ ᒥᓇ ᒥᓂᑯᐏᓯᐏᓇ".repeat(3);
        let found = detect(&cree, &prose(&cree), &Params::default());
        assert!(found.is_guess && !is_alone(found.lang), "{found:?}");
    }

    #[test]
    fn one_sentence_is_enough() {
        let sentences = [
            ("en", "The members of the committee have asked for more time before they decide what to do."),
            ("de", "Die Mitglieder des Ausschusses haben um mehr Zeit gebeten, bevor sie sich entscheiden."),
            ("fr", "Les membres de la commission ont demandé plus de temps avant de prendre une décision."),
            ("es", "Los miembros de la comisión han pedido más tiempo antes de tomar una decisión sobre esto."),
            ("pt", "Os membros da comissão pediram mais tempo antes de tomar uma decisão sobre o assunto."),
            ("it", "I membri della commissione hanno chiesto più tempo prima di prendere una decisione."),
            ("nl", "De leden van de commissie hebben om meer tijd gevraagd voordat zij een besluit nemen."),
            ("sv", "Kommitténs medlemmar har bett om mer tid innan de bestämmer sig för vad som ska göras."),
            ("pl", "Członkowie komisji poprosili o więcej czasu, zanim zdecydują, co należy zrobić w tej sprawie."),
            ("cs", "Členové výboru požádali o více času, než se rozhodnou, co je třeba v této věci udělat."),
            ("hu", "A bizottság tagjai több időt kértek, mielőtt eldöntik, hogy mit kell tenni ebben az ügyben."),
            ("tr", "Komisyon üyeleri bu konuda ne yapılacağına karar vermeden önce daha fazla zaman istediler."),
            ("fi", "Valiokunnan jäsenet ovat pyytäneet lisää aikaa ennen kuin he päättävät, mitä on tehtävä."),
            ("vi", "Các thành viên của ủy ban đã yêu cầu thêm thời gian trước khi họ quyết định phải làm gì."),
            ("ru", "Члены комиссии попросили больше времени, прежде чем они решат, что делать в этом случае."),
            ("uk", "Члени комісії попросили більше часу, перш ніж вони вирішать, що робити в цьому випадку."),
            ("bg", "Членовете на комисията поискаха повече време, преди да решат какво да се прави по въпроса."),
            ("el", "Τα μέλη της επιτροπής ζήτησαν περισσότερο χρόνο πριν αποφασίσουν τι πρέπει να γίνει."),
            ("ar", "طلب أعضاء اللجنة مزيدا من الوقت قبل أن يقرروا ما يجب القيام به في هذا الموضوع."),
            ("fa", "اعضای کمیسیون پیش از آن که تصمیم بگیرند چه باید کرد زمان بیشتری را درخواست کردند."),
            ("he", "חברי הוועדה ביקשו זמן נוסף לפני שיחליטו מה יש לעשות בעניין הזה."),
            ("hi", "समिति के सदस्यों ने यह तय करने से पहले और समय मांगा है कि इस मामले में क्या किया जाए।"),
            ("th", "สมาชิกคณะกรรมการขอเวลาเพิ่มก่อนที่จะตัดสินใจว่าจะทำอย่างไรต่อไป"),
            ("ko", "위원회 위원들은 무엇을 할지 결정하기 전에 더 많은 시간을 요청했다."),
            ("ja", "委員会の委員は、何をすべきかを決める前に、もっと時間が必要だと述べました。"),
            ("zh-Hans", "委员会的成员要求有更多的时间，然后再决定应该怎么处理这个问题。"),
            ("zh-Hant", "委員會的成員要求有更多的時間，然後再決定應該怎麼處理這個問題。"),
        ];
        for (expected, sentence) in sentences {
            assert_eq!(detected_in(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn too_little_text_and_numbers_are_in_no_language() {
        for text in
            ["", "Home", "The end", "12 345.67 89 ".repeat(50).as_str(), "图片", "→ ✓ © | » ".repeat(50).as_str()]
        {
            let detected = detect(text, &prose(text), &Params::default());
            assert_eq!(detected.lang, Lang::UNKNOWN, "{text}");
            assert!(detected.confidence < 0.5);
        }
    }

    #[test]
    fn words_and_letters_that_agree_tell_a_language_that_no_model_knows() {
        // Articles 20 and 1 of the Universal Declaration of Human Rights in Romansh.
        let romansh = "Mintga persuna ha il dretg da la libertad da reuniun e d’associaziun paschaivla. Nagin na dastga vegnir obligà da far part d’ina \
                       associaziun. Tut ils umans naschan libers ed eguals en dignitad ed en dretgs. Els èn dotads cun raschun e conscienza e duain agir in \
                       vers l’auter en spiert da fraternitad.";
        assert_eq!(detected_in(romansh), "rm");
    }

    #[test]
    fn listings_count_only_where_there_is_nothing_else() {
        let german = "Der Befehl zeigt, wie viele Dateien in dem Verzeichnis sind, und welche davon leer sind. ";
        let code = "This is the help of the program and it is not in the language that the page is in. ".repeat(9);
        let text = format!("{german}{code}");
        let runs = [
            Run { start: 0, end: german.len() as u32, kind: RunKind::Prose },
            Run { start: german.len() as u32, end: text.len() as u32, kind: RunKind::Listing },
        ];
        assert_eq!(detect(&text, &runs, &Params::default()).lang.as_str(), "de");
        assert_eq!(detect(&text, &runs[1..], &Params::default()).lang.as_str(), "en");
    }

    #[test]
    fn menus_do_not_outvote_prose() {
        let menu = "Home About us Contact the team Where to buy What is new in this release ".repeat(5);
        let french = "La page explique comment installer le programme et ce qu'il faut faire ensuite. ".repeat(5);
        let text = format!("{menu}{french}");
        let runs = [
            Run { start: 0, end: menu.len() as u32, kind: RunKind::Linked },
            Run { start: menu.len() as u32, end: text.len() as u32, kind: RunKind::Prose },
        ];
        assert_eq!(detect(&text, &runs, &Params::default()).lang.as_str(), "fr");
    }

    #[test]
    fn the_language_of_most_text_wins_with_its_share() {
        let german = "Die Seite erklärt, wie man das Programm einrichtet und was danach zu tun ist. ".repeat(50);
        let english = "The page explains how to set up the program and what is to be done after that. ".repeat(12);
        let text = format!("{english}{german}");
        let detected = detect(&text, &prose(&text), &Params::default());
        assert_eq!(detected.lang.as_str(), "de");
        assert!((0.5..0.9).contains(&detected.confidence), "{detected:?}");
    }

    #[test]
    fn samples_are_spread_and_bounded() {
        let params = Params { sample_bytes: 200, sample_pieces: 4, ..Params::default() };
        let text: String = (0..1000).map(|i| format!("w{i} ")).collect();
        let sample = sample(&text, &prose(&text), &params);
        assert!(sample.len() < 300, "{}", sample.len());
        for word in ["w0 ", "w34", "w67", "w999"] {
            assert!(sample.contains(word), "{word} in {sample}");
        }
    }

    proptest! {
        #[test]
        fn any_text_and_runs_can_be_told(text in "([a-z]{0,9}|é|日本|🦀| |\n){0,60}", cuts in proptest::collection::vec(0u32..200, 0..9), bytes in 0u32..100) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let kinds = [RunKind::Prose, RunKind::Linked, RunKind::Listing];
            let runs: Vec<Run> = cuts.windows(2).zip(kinds.iter().cycle()).map(|(c, &kind)| Run { start: c[0], end: c[1], kind }).collect();
            let params = Params { sample_bytes: bytes, min_letters: 5, ..Params::default() };
            let detected = detect(&text, &runs, &params);
            prop_assert!((0.0..=1.0).contains(&detected.confidence) && (0.0..=1.0).contains(&detected.latin_share));
        }
    }

    proptest! {
        /// So that a language that is no guess and cannot be told here has been told by a program of the user.
        #[test]
        fn what_is_no_guess_is_in_a_language_that_can_be_told(
            words in proptest::collection::vec("the|of|and|is|le|de|que|nga|ak|ko|na|[a-z]{1,7}|и|на|в|[а-я]{2,5}|של|את|[א-ת]{3}|ነው|日本|の|한국|[ก-ฮ]{3}", 5..60),
        ) {
            let text = words.join(" ");
            let whole = Run { start: 0, end: text.len() as u32, kind: RunKind::Prose };
            let found = detect(&text, &[whole], &Params { min_letters: 5, ..Params::default() });
            prop_assert!(found.is_guess || !found.lang.is_known() || is_told(found.lang), "{found:?}");
        }
    }

    #[test]
    fn a_text_without_the_words_of_its_language_is_a_guess() {
        let guess = |text: &str| {
            let found = detect(text, &prose(text), &Params::default());
            (found.lang.to_string(), found.is_guess)
        };
        let tongan = "Ko e kotoa 'o e fa'ahinga 'o e tangata 'oku fanau'i mai 'oku tau'ataina pea tatau 'i he ngeia mo e ngaahi totonu. \
                      Na'e fakanaunau'i kinautolu 'aki 'a e 'uhinga mo e konisenisi pea 'oku totonu ke nau feohi.";
        assert!(guess(tongan).1, "{:?}", guess(tongan));
        assert_eq!(
            guess("The members of the committee have asked for more time before they decide."),
            ("en".into(), false)
        );
        // Two languages of one script.
        assert_eq!(
            guess(
                "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה, וכל אדם זכאי לזכויות אלה ללא הבדל של כל מין, כי הוא אדם."
            ),
            ("he".into(), false)
        );
        assert_eq!(
            guess(
                "יעדער מענטש װערט געבױרן פֿרײַ און גלײַך אין כּבֿוד און רעכט. יעדער װערט באַשאָנקן מיט פֿאַרשטאַנד און געװיסן; יעדער זאָל זיך פֿירן מיט אַ צװײטן אין אַ געמיט פֿון ברודערשאַפֿט."
            ),
            ("yi".into(), false)
        );
    }
}
