//! Finds where sentences may end in a line of text, by the rules of the library sentencex, in time that is linear in the length of the
//! text.
//!
//! The library knows abbreviations, initials, quotations, parentheses and lists, in some 30 languages. Its abbreviations are used directly.
//! What it searches for by regular expressions, in each line or at each full stop, is done by hand here, and only where a sentence may end
//! inside the line. Tests compare the two.

use std::cell::Cell;

use sentencex::languages as library;

use super::lists::list_items;
use super::quotes::{Enclosed, is_closer, is_spaced, is_word_char, symmetric_marks};
use crate::types::Lang;

/// The library's rules of a language.
type Library = &'static (dyn library::Language + Sync);

/// The rules of a language.
pub(super) struct Rules {
    code: &'static str,
    library: Library,
    follows: Follows,
    words: LastWord,
    ends: Ends,
}

/// The kinds of text that may follow a full stop which ends no sentence.
#[derive(Clone, Copy)]
enum Follows {
    /// A small ASCII letter, a digit, or a comma.
    Plain,
    /// A small ASCII letter or a digit.
    Letter,
    /// The same, or a small letter of a script.
    Letters(fn(char) -> bool),
    /// The same, even if other signs stand before it.
    BehindSigns(fn(char) -> bool),
    /// The same, or the name of a month.
    Months(&'static [&'static str]),
}

/// Where the word before a full stop begins.
#[derive(Clone, Copy, PartialEq)]
enum LastWord {
    /// After white space, a point or `/`.
    Plain,
    /// After white space or a point, or after the article `l'`.
    Italian,
    /// After white space or a point; points at the end of the word itself are left out.
    Kazakh,
}

/// The marks that end sentences, besides characters for which [`is_terminator`] is true.
#[derive(Clone, Copy)]
enum Ends {
    /// Nothing else. Points, or other marks, with spaces between them are one end: `. . .`, `! !`.
    Spaced,
    /// These characters.
    With(&'static [char]),
    /// These characters; but neither the point, nor U+2024, which is often typed in its place.
    WithoutPoint(&'static [char]),
}

const fn rules(code: &'static str, library: Library) -> Rules {
    Rules { code, library, follows: Follows::Plain, words: LastWord::Plain, ends: Ends::Spaced }
}

const fn no_letter(_: char) -> bool {
    false
}

const fn russian(c: char) -> bool {
    matches!(c, 'а'..='я')
}

const fn ukrainian(c: char) -> bool {
    matches!(c, 'а'..='я' | 'і' | 'ї' | 'є' | 'ґ')
}

static RULES: &[Rules] = &[
    rules("en", &library::English {}),
    rules("am", &library::Amharic {}),
    rules("ar", &library::Arabic {}),
    rules("bg", &library::Bulgarian {}),
    rules("bn", &library::Bengali {}),
    Rules { follows: Follows::BehindSigns(no_letter), ..rules("ca", &library::Catalan {}) },
    Rules { follows: Follows::BehindSigns(no_letter), ..rules("da", &library::Danish {}) },
    Rules { follows: Follows::Months(GERMAN_MONTHS), ..rules("de", &library::German {}) },
    Rules { ends: Ends::With(&[';']), ..rules("el", &library::Greek {}) },
    rules("es", &library::Spanish {}),
    Rules { follows: Follows::Months(FINNISH_MONTHS), ..rules("fi", &library::Finnish {}) },
    rules("fr", &library::French {}),
    rules("gu", &library::Gujarati {}),
    rules("hi", &library::Hindi {}),
    Rules { ends: Ends::WithoutPoint(&[';', ':', '՜']), ..rules("hy", &library::Armenian {}) },
    Rules { follows: Follows::Letter, words: LastWord::Italian, ..rules("it", &library::Italian {}) },
    rules("ja", &library::Japanese {}),
    Rules { follows: Follows::BehindSigns(russian), words: LastWord::Kazakh, ..rules("kk", &library::Kazakh {}) },
    rules("kn", &library::Kannada {}),
    rules("ml", &library::Malayalam {}),
    rules("mr", &library::Marathi {}),
    // The library also ends sentences after `၏`; but this is the mark of the genitive, and at the end of a sentence `။` follows it.
    Rules { ends: Ends::With(&[]), ..rules("my", &library::Burmese {}) },
    rules("nl", &library::Dutch {}),
    rules("pa", &library::Punjabi {}),
    rules("pl", &library::Polish {}),
    rules("pt", &library::Portuguese {}),
    Rules { follows: Follows::Letters(russian), ..rules("ru", &library::Russian {}) },
    Rules { follows: Follows::Months(SLOVAK_MONTHS), ..rules("sk", &library::Slovak {}) },
    rules("ta", &library::Tamil {}),
    rules("te", &library::Telugu {}),
    Rules { follows: Follows::Letters(ukrainian), ..rules("uk", &library::Ukrainian {}) },
];

const GERMAN_MONTHS: &[&str] = &[
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

const FINNISH_MONTHS: &[&str] = &[
    "tammikuu",
    "helmikuu",
    "maaliskuu",
    "huhtikuu",
    "toukokuu",
    "kesäkuu",
    "heinäkuu",
    "elokuu",
    "syyskuu",
    "lokakuu",
    "marraskuu",
    "joulukuu",
];

const SLOVAK_MONTHS: &[&str] = &[
    "Január",
    "Február",
    "Marec",
    "Apríl",
    "Máj",
    "Jún",
    "Júl",
    "August",
    "September",
    "Október",
    "November",
    "December",
    "Januára",
    "Februára",
    "Marca",
    "Apríla",
    "Mája",
    "Júna",
    "Júla",
    "Augusta",
    "Septembra",
    "Októbra",
    "Novembra",
    "Decembra",
];

/// The rules of a language, or of its nearest relative; those of English where there is none.
pub(super) fn rules_of(lang: Lang) -> &'static Rules {
    thread_local! {
        static LAST: Cell<(Lang, &'static Rules)> = const { Cell::new((Lang::EN, &RULES[0])) };
    }
    let (last, rules) = LAST.get();
    if last == lang {
        return rules;
    }
    let rules = find_rules(lang.base().as_str());
    LAST.set((lang, rules));
    rules
}

fn find_rules(code: &str) -> &'static Rules {
    let mut visited: Vec<&str> = Vec::new();
    let mut code = code;
    loop {
        if visited.contains(&code) {
            return &RULES[0];
        }
        visited.push(code);
        if let Some(found) = RULES.iter().find(|rules| rules.code == code) {
            return found;
        }
        let Some(relatives) = library::get_fallbacks(code) else { return &RULES[0] };
        match relatives.iter().find(|relative| !visited.contains(relative)) {
            Some(relative) => code = relative,
            None => return &RULES[0],
        }
    }
}

/// Longer lines are read in pieces of about so many bytes, so that time is linear in the length of a line.
const PIECE_BYTES: usize = 8192;
/// Boundaries this close to the end of a piece are sought again in the next piece.
const OVERLAP_BYTES: usize = 1024;
/// How far the rules look back from a full stop, in bytes; in English they look farther, because of its phrases for times.
const HEAD_BYTES: usize = 512;
const ENGLISH_HEAD_BYTES: usize = 4096;
/// How far the rules look ahead, in bytes.
const NEXT_BYTES: usize = 30;
/// All abbreviations are shorter than this.
const MAX_WORD_BYTES: usize = 160;

/// Finds boundaries. It keeps its memory from line to line.
#[derive(Default)]
pub(super) struct Boundaries {
    matches: Vec<(usize, usize)>,
    /// For each match that may end a sentence: its range, and where the next sentence begins.
    ends: Vec<(usize, usize, usize)>,
    enclosed: Enclosed,
    found: Vec<usize>,
}

impl Boundaries {
    /// Where sentences end inside a line, in order. The line has no line feed; its own end may be missing from the result. Empty if
    /// `is_end` accepts no character of the line.
    pub fn find(&mut self, rules: &Rules, line: &str, is_end: fn(char) -> bool) -> &[usize] {
        self.found.clear();
        let (mut start, mut size) = (0, PIECE_BYTES);
        loop {
            let rest = &line[start..];
            let piece = &rest[..rest.floor_char_boundary(size)];
            let is_last = piece.len() == rest.len();
            let known = self.found.len();
            self.look_at(rules, piece, start, is_end);
            if is_last {
                return &self.found;
            }
            let is_sure = |end: &usize| *end < start + piece.len() - OVERLAP_BYTES;
            let sure = self.found[known..].partition_point(is_sure);
            self.found.truncate(known + sure);
            match self.found.last().filter(|_| sure > 0) {
                Some(&end) => (start, size) = (end, PIECE_BYTES),
                None => size *= 2,
            }
        }
    }

    /// Adds the boundaries inside a piece that begins at `offset` of its line.
    fn look_at(&mut self, rules: &Rules, text: &str, offset: usize, is_end: fn(char) -> bool) {
        let has_end = rules.terminators(text, is_end, &mut self.matches);
        if !has_end {
            return;
        }
        let first = self.found.len();
        let items = list_items(text, offset == 0);
        let length = text.trim_end().len();
        self.ends.clear();
        let inner = self.matches.iter().take_while(|&&(_, end)| end < length);
        self.ends.extend(inner.filter_map(|&(start, end)| Some((start, end, rules.boundary(text, start, end)?))));
        if !self.ends.is_empty() {
            self.enclosed.read(text, offset == 0, self.ends.iter().map(|&(_, _, boundary)| boundary));
        }
        let mut last = 0;
        for &(start, end, boundary) in &self.ends {
            let around = self.enclosed.around(boundary, text, || rules.is_strong_break(text, start, end));
            let boundary = match around {
                Some(range) if range.is_quotation() => rules.behind_quotation(text, range.end, boundary),
                Some(range) if range.start == last => rules.behind_brackets(text, range.end, boundary),
                Some(_) => None,
                None if items.binary_search(&boundary).is_ok() => Some(boundary),
                None => Some(rules.behind_closer(text, boundary, &mut self.enclosed)),
            };
            if let Some(boundary) = boundary.filter(|&boundary| boundary > last) {
                self.found.push(offset + boundary);
                last = boundary;
            }
        }
        if items.iter().any(|&start| start > 0) {
            self.found.extend(items.iter().filter(|&&start| start > 0).map(|start| offset + start));
            self.found[first..].sort_unstable();
            self.found.dedup();
        }
    }
}

impl Rules {
    /// Lists all runs of terminators; true if the text has a character that `is_end` accepts.
    fn terminators(&self, text: &str, is_end: fn(char) -> bool, out: &mut Vec<(usize, usize)>) -> bool {
        out.clear();
        let bytes = text.as_bytes();
        let (mut has_end, mut at) = (false, 0);
        while at < bytes.len() {
            if !MAY_END[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            let (character, next) = char_at(text, at);
            let end = self.terminator(text, at);
            let next = end.unwrap_or(next);
            has_end = has_end || is_end(character) || end.is_some_and(|end| text[at..end].contains(is_end));
            if let Some(end) = end {
                match out.last_mut() {
                    Some(last) if is_same_end(text, *last, (at, end)) => last.1 = end,
                    _ => out.push((at, end)),
                }
            }
            at = next;
        }
        has_end
    }

    /// Where the run of terminators that begins at `at` ends; `None` if none does.
    fn terminator(&self, text: &str, at: usize) -> Option<usize> {
        let (first, _) = char_at(text, at);
        if matches!(self.ends, Ends::Spaced) {
            let spaced = match first {
                '.' => spaced_run(text, at, |c| c == '.', 3),
                '!' | '?' | '…' => spaced_run(text, at, |c| matches!(c, '!' | '?' | '…'), 2),
                '།' => spaced_run(text, at, |c| c == '།', 2),
                _ => None,
            };
            if spaced.is_some() {
                return spaced;
            }
        }
        let is_member = |c: char| match self.ends {
            Ends::Spaced => is_terminator(c),
            Ends::With(others) => is_terminator(c) || others.contains(&c),
            Ends::WithoutPoint(others) => (!matches!(c, '.' | '․') && is_terminator(c)) || others.contains(&c),
        };
        let rest = &text[at..];
        let length = rest.find(|c| !is_member(c)).unwrap_or(rest.len());
        (length > 0).then_some(at + length)
    }

    /// The boundary that the terminators `start..end` make, after the white space that follows them; `None` when they end no sentence.
    fn boundary(&self, text: &str, start: usize, end: usize) -> Option<usize> {
        let next = next_words(text, end);
        if memchr::memchr(b'[', next.as_bytes()).is_some() {
            match references(next) {
                Some(0) => {}
                Some(length) => return Some(end + length),
                None => return self.asked_boundary(text, start, end),
            }
        }
        let (head, matched) = (&text[..start], &text[start..end]);
        if self.continues(matched, head, next) {
            return None;
        }
        let last_word = self.last_word(head);
        if matched == "." {
            // `built on the .NET platform`
            let begins_word = head.ends_with(|c: char| c.is_whitespace() || OPENERS.contains(&c));
            if begins_word && next.starts_with(char::is_alphabetic) {
                return None;
            }
            // `7.Bg5`
            let is_code = head.as_bytes().last().is_some_and(u8::is_ascii_digit)
                && next.starts_with(char::is_alphabetic)
                && next.bytes().any(|b| b.is_ascii_digit());
            // The library knows the initials of ASCII alone: `А. Золотухін`
            let is_initial = !last_word.is_ascii()
                && last_word.chars().nth(1).is_none()
                && last_word.starts_with(char::is_uppercase)
                && next.trim_start().starts_with(char::is_uppercase);
            if is_code
                || is_initial
                || is_in_identifier(head, next)
                || self.library.period_suppresses_boundary(self.head(head), last_word, next)
            {
                return None;
            }
        }
        if matches!(last_word, "Yahoo" | "Yum") {
            return None;
        }
        Some(end + next.len() - next.trim_start().len())
    }

    /// Does the same as [`Rules::boundary`], by the library.
    fn asked_boundary(&self, text: &str, start: usize, end: usize) -> Option<usize> {
        let (from, window) = window(text, start, end);
        self.library.find_boundary(window, start - from, end - from).map(|found| found + from)
    }

    /// True for a point after something that can end a sentence, and before a capital letter. Two quotation marks around such a point are
    /// not a pair, even if they look like one.
    fn is_strong_break(&self, text: &str, start: usize, end: usize) -> bool {
        let (from, window) = window(text, start, end);
        self.library.has_strong_sentence_break(window, start - from, end - from)
    }

    /// As much of the text before a full stop as the rules look at.
    fn head<'t>(&self, head: &'t str) -> &'t str {
        let most = if self.code == "en" { ENGLISH_HEAD_BYTES } else { HEAD_BYTES };
        &head[head.ceil_char_boundary(head.len().saturating_sub(most))..]
    }

    /// The word at the end of `head`; empty if it is longer than any abbreviation.
    fn last_word<'t>(&self, head: &'t str) -> &'t str {
        let head = match self.words {
            LastWord::Plain => head.trim_end(),
            LastWord::Italian => head,
            LastWord::Kazakh => head.trim_end_matches(|c: char| c.is_whitespace() || c == '.'),
        };
        let near = &head[head.ceil_char_boundary(head.len().saturating_sub(MAX_WORD_BYTES))..];
        let is_edge = |c: char| c.is_whitespace() || c == '.' || (c == '/' && self.words == LastWord::Plain);
        let word = match near.char_indices().rev().find(|(_, c)| is_edge(*c)) {
            Some((at, edge)) => &near[at + edge.len_utf8()..],
            None if near.len() == head.len() => near,
            None => "",
        };
        match self.words {
            LastWord::Italian => word.rsplit("l'").next().unwrap_or(word),
            _ => word,
        }
    }

    /// True when the text `next` shows that the sentence goes on after the terminators.
    fn continues(&self, matched: &str, head: &str, next: &str) -> bool {
        if matched.ends_with(WIDE_ENDS) && starts_plain(next) {
            return false;
        }
        if matched.chars().nth(1).is_some() {
            let (spaced, is_spaced) = (next.trim_start(), next.starts_with(char::is_whitespace));
            let goes_on = is_spaced && (starts_plain(spaced) || (self.code == "en" && starts_with_i(spaced)));
            return goes_on || (head.ends_with(|c: char| !c.is_whitespace()) && starts_plain(next));
        }
        let is_sign = || starts_behind_signs(next, no_letter) || self.code != "fr" && is_alone(next);
        self.goes_on(next) || (matches!(matched, "!" | "?") && head.ends_with([' ', '\t']) && is_sign())
    }

    /// True when text that begins like this continues a sentence.
    fn goes_on(&self, next: &str) -> bool {
        match self.follows {
            Follows::Plain => starts_plain(next) || behind_symmetric(next).starts_with(','),
            Follows::Letter => starts_plain(next),
            Follows::Letters(is_letter) => starts_plain(next) || next.starts_with(is_letter),
            Follows::BehindSigns(is_letter) => starts_behind_signs(next, is_letter),
            Follows::Months(months) => starts_behind_signs(next, no_letter) || starts_with_month(next, months),
        }
    }

    /// The boundary after a quotation that ends at `end`, if its closing mark stands directly after `boundary`.
    fn behind_quotation(&self, text: &str, end: usize, boundary: usize) -> Option<usize> {
        if !is_closer(&text[boundary..end]) {
            return None;
        }
        let next = next_words(text, end);
        let is_inside = self.goes_on(next.trim()) || starts_behind_signs(next, no_letter);
        if is_inside || is_joined(&text[..boundary], next) {
            return None;
        }
        let skipped = next.trim_start_matches(|c: char| c.is_whitespace() || is_terminator(c));
        Some(end + next.len() - skipped.len())
    }

    /// The boundary after a sentence in brackets that ends at `end`, if nothing but the closing one stands behind `boundary`.
    fn behind_brackets(&self, text: &str, end: usize, boundary: usize) -> Option<usize> {
        let next = next_words(text, end);
        let is_last = text[boundary..end].chars().nth(1).is_none();
        let is_free = next.starts_with(|c: char| c.is_whitespace() || c.is_alphanumeric());
        (is_last && is_free && !self.goes_on(next.trim())).then(|| end + next.len() - next.trim_start().len())
    }

    /// A boundary, moved to after a closing quotation mark that closes nothing, and after the terminators that follow it.
    fn behind_closer(&self, text: &str, boundary: usize, enclosed: &mut Enclosed) -> usize {
        let Some(closer) = enclosed.stray_closer(text, boundary) else { return boundary };
        let behind_space = |at: usize| text.len() - text[at..].trim_start().len();
        let mut boundary = behind_space(boundary + closer);
        while boundary < text.len()
            && let Some(end) = self.terminator(text, boundary)
        {
            boundary = behind_space(end);
        }
        boundary
    }
}

/// The text around a full stop, as far as the rules look, and where it begins.
fn window(text: &str, start: usize, end: usize) -> (usize, &str) {
    let from = text.ceil_char_boundary(start.saturating_sub(ENGLISH_HEAD_BYTES)).min(start);
    (from, &text[from..text.floor_char_boundary(end + 2 * NEXT_BYTES)])
}

/// The text after a terminator, as far as the rules look.
fn next_words(text: &str, end: usize) -> &str {
    &text[end..text.ceil_char_boundary((end + NEXT_BYTES).min(text.len()))]
}

/// The length of numbers in brackets, `[1] [2]`; `None` where one of them may be written in digits of another script.
fn references(next: &str) -> Option<usize> {
    let mut length = 0;
    loop {
        let rest = &next[length..];
        let Some(inside) = rest.trim_start().strip_prefix('[') else { return Some(length) };
        let behind = inside.trim_start_matches(|c: char| c.is_ascii_digit());
        if behind.starts_with(|c: char| !c.is_ascii()) {
            return None;
        }
        match behind.strip_prefix(']') {
            Some(behind) if inside.len() > behind.len() + 1 => length = next.len() - behind.len(),
            _ => return Some(length),
        }
    }
}

fn starts_plain(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'a'..=b'z' | b'0'..=b'9'))
}

/// True for the English word `I`.
fn starts_with_i(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('I') else { return false };
    rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '\'' | '\u{2019}'))
}

/// True where Chinese or Japanese goes on after a quotation: before a comma or a particle, or if the quotation, such as `「...」`, does not
/// end as sentences in these languages do.
fn is_joined(quoted: &str, next: &str) -> bool {
    let is_wide = |c: char| matches!(c, '\u{2e80}'..='\u{a4cf}') && c.is_alphabetic();
    next.starts_with(JOINERS)
        || quoted.ends_with(|c: char| !WIDE_ENDS.contains(&c)) && next.trim_start().starts_with(is_wide)
}

/// Commas of Chinese and Japanese, and particles of Japanese, which stand after the word that they belong to.
const JOINERS: [char; 13] = ['，', '、', '；', 'と', 'で', 'を', 'は', 'に', 'の', 'や', 'が', 'も', 'へ'];

/// True for text which shows that a mark between spaces is a sign that is spoken of, or a part of a program: no sentence begins after it.
/// Only French writes spaces before the marks that end sentences.
fn is_alone(next: &str) -> bool {
    let begun = next.trim_start_matches(|c: char| c.is_whitespace() || "¿¡\"'“«„‘(-–—".contains(c));
    next.starts_with(char::is_whitespace) && !begun.starts_with(char::is_uppercase)
}

/// True when the first letter, digit or mark is an ASCII digit or a small letter.
fn starts_behind_signs(text: &str, is_letter: fn(char) -> bool) -> bool {
    let first = text.chars().find(|&c| is_word_char(c));
    first.is_some_and(|c| matches!(c, 'a'..='z' | '0'..='9') || is_letter(c))
}

fn starts_with_month(text: &str, months: &[&str]) -> bool {
    let word = text.split_whitespace().next().unwrap_or("").trim_matches(['.', '!', '?']);
    let Some(first) = word.chars().next() else { return false };
    let is_capital =
        |month: &str| first.to_uppercase().eq(month.chars().take(1)) && month.chars().skip(1).eq(word.chars().skip(1));
    months.iter().any(|&month| month == word || is_capital(month))
}

/// The text after white space, after one mark that both opens and closes quotations, and after white space again.
fn behind_symmetric(text: &str) -> &str {
    let text = text.trim_start();
    let rest = symmetric_marks().find_map(|mark| text.strip_prefix(mark));
    rest.map_or(text, str::trim_start)
}

/// True for a point inside the name of a program, a path, or initials: `com.example.Page`, `Page.Kind`, `LOG.NORM`, `A.B. Smith`. A word in
/// small letters before it and a capital after it (`the end.Next comes`) are two sentences without a space between them, unless something
/// else shows a name.
pub(super) fn is_in_identifier(head: &str, next: &str) -> bool {
    let is_part = |c: char| is_word_char(c) && is_spaced(c);
    let begun = head.trim_end_matches(is_part);
    let behind = next.trim_start_matches(is_part);
    let (left, right) = (&head[begun.len()..], &next[..next.len() - behind.len()]);
    let is_name = |part: &str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !is_name(left) || !is_name(right) {
        return false;
    }
    let is_part_before = begun.strip_suffix('.').is_some_and(|rest| rest.ends_with(is_part));
    let is_part_behind =
        behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(is_part) || right.chars().nth(1).is_none());
    let is_capital = |part: &str| part.contains(char::is_uppercase) && !part.contains(char::is_lowercase);
    let is_camel = |part: &str| {
        part.chars().zip(part.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
    };
    let near = &head[head.ceil_char_boundary(head.len().saturating_sub(MAX_WORD_BYTES))..];
    let is_path = || near.rsplit(char::is_whitespace).next().unwrap_or("").matches('/').count() > 1;
    is_part_before
        || is_part_behind
        || left.contains('_')
        || right.contains('_')
        || behind.starts_with('(')
        || is_capital(right) && (is_capital(left) || left.contains(char::is_numeric))
        || is_camel(left)
        || left.starts_with(char::is_uppercase) && is_camel(right)
        || is_path()
}

/// True for a run of points that follows `!`, `?` or `…` and a space: the two are one end.
fn is_same_end(text: &str, last: (usize, usize), next: (usize, usize)) -> bool {
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t');
    let (gap, next) = (&text.as_bytes()[last.1..next.0], &text[next.0..next.1]);
    !gap.is_empty()
        && gap.iter().all(is_blank)
        && next.starts_with('.')
        && next.bytes().all(|b| b == b'.' || is_blank(&b))
        && text[last.0..last.1].ends_with(['!', '?', '…'])
}

/// Where a run of at least `least` members with blanks between them ends.
fn spaced_run(text: &str, start: usize, is_member: impl Fn(char) -> bool, least: usize) -> Option<usize> {
    let mut count = 1;
    let (_, mut end) = char_at(text, start);
    loop {
        let rest = text[end..].trim_start_matches([' ', '\t']);
        let at = text.len() - rest.len();
        match rest.chars().next() {
            Some(c) if at > end && is_member(c) => (count, end) = (count + 1, at + c.len_utf8()),
            _ => return (count >= least).then_some(end),
        }
    }
}

/// The character at `at`, and where the next one begins.
fn char_at(text: &str, at: usize) -> (char, usize) {
    let character = text[at..].chars().next().unwrap_or('\0');
    (character, at + character.len_utf8().max(1))
}

/// Characters with the property `Sentence_Break` `STerm` or `ATerm`, but for U+104A, which is a comma in Burmese.
#[rustfmt::skip]
const TERMINATORS: &[(u32, u32)] = &[
    (0x21, 0x21), (0x2e, 0x2e), (0x3f, 0x3f), (0x589, 0x589), (0x61d, 0x61f), (0x6d4, 0x6d4), (0x700, 0x702),
    (0x7f9, 0x7f9), (0x837, 0x837), (0x839, 0x839), (0x83d, 0x83e), (0x964, 0x965), (0x104b, 0x104b), (0x1362, 0x1362),
    (0x1367, 0x1368), (0x166e, 0x166e), (0x1735, 0x1736), (0x1803, 0x1803), (0x1809, 0x1809), (0x1944, 0x1945),
    (0x1aa8, 0x1aab), (0x1b5a, 0x1b5b), (0x1b5e, 0x1b5f), (0x1b7d, 0x1b7e), (0x1c3b, 0x1c3c), (0x1c7e, 0x1c7f),
    (0x2024, 0x2024), (0x203c, 0x203d), (0x2047, 0x2049), (0x2e2e, 0x2e2e), (0x2e3c, 0x2e3c), (0x2e53, 0x2e54),
    (0x3002, 0x3002), (0xa4ff, 0xa4ff), (0xa60e, 0xa60f), (0xa6f3, 0xa6f3), (0xa6f7, 0xa6f7), (0xa876, 0xa877),
    (0xa8ce, 0xa8cf), (0xa92f, 0xa92f), (0xa9c8, 0xa9c9), (0xaa5d, 0xaa5f), (0xaaf0, 0xaaf1), (0xabeb, 0xabeb),
    (0xfe52, 0xfe52), (0xfe56, 0xfe57), (0xff01, 0xff01), (0xff0e, 0xff0e), (0xff1f, 0xff1f), (0xff61, 0xff61),
    (0x10a56, 0x10a57), (0x10f55, 0x10f59), (0x10f86, 0x10f89), (0x11047, 0x11048), (0x110be, 0x110c1),
    (0x11141, 0x11143), (0x111c5, 0x111c6), (0x111cd, 0x111cd), (0x111de, 0x111df), (0x11238, 0x11239),
    (0x1123b, 0x1123c), (0x112a9, 0x112a9), (0x1144b, 0x1144c), (0x115c2, 0x115c3), (0x115c9, 0x115d7),
    (0x11641, 0x11642), (0x1173c, 0x1173e), (0x11944, 0x11944), (0x11946, 0x11946), (0x11a42, 0x11a43),
    (0x11a9b, 0x11a9c), (0x11c41, 0x11c42), (0x11ef7, 0x11ef8), (0x11f43, 0x11f44), (0x16a6e, 0x16a6f),
    (0x16af5, 0x16af5), (0x16b37, 0x16b38), (0x16b44, 0x16b44), (0x16e98, 0x16e98), (0x1bc9f, 0x1bc9f),
    (0x1da88, 0x1da88),
];

/// Number of Unicode planes that have terminators.
const PLANES: usize = 2;

static IS_TERMINATOR: [u64; PLANES * 1024] = {
    let mut bits = [0; PLANES * 1024];
    let mut at = 0;
    while at < ADDED_TERMINATORS.len() {
        let code = ADDED_TERMINATORS[at] as usize;
        bits[code / 64] |= 1 << (code % 64);
        at += 1;
    }
    at = 0;
    while at < TERMINATORS.len() {
        let (mut code, last) = TERMINATORS[at];
        while code <= last {
            bits[code as usize / 64] |= 1 << (code % 64);
            code += 1;
        }
        at += 1;
    }
    bits
};

/// Ends of sentences in Khmer and Tibetan, which lack the property since they end clauses and verses too.
const ADDED_TERMINATORS: [char; 4] = ['។', '៕', '།', '༎'];
/// Ends of sentences behind which no space is needed, also before Latin letters and digits.
const WIDE_ENDS: [char; 4] = ['。', '！', '？', '｡'];
/// Signs with which a word may begin before its point: `(.NET)`.
const OPENERS: [char; 7] = ['(', '[', '{', '«', '“', '‘', '/'];

fn is_terminator(c: char) -> bool {
    IS_TERMINATOR.get(c as usize / 64).is_some_and(|bits| bits >> (c as u32 % 64) & 1 == 1)
}

/// The first bytes, in UTF-8, of all characters that may end a sentence in some language.
static MAY_END: [bool; 256] = {
    let mut firsts = [false; 256];
    let mut at = 0;
    while at < TERMINATORS.len() {
        let (mut code, last) = TERMINATORS[at];
        while code <= last {
            firsts[first_byte(code) as usize] = true;
            code += 1;
        }
        at += 1;
    }
    let others = [';', ':', '՜', '…'];
    let mut at = 0;
    while at < others.len() {
        firsts[first_byte(others[at] as u32) as usize] = true;
        at += 1;
    }
    let mut at = 0;
    while at < ADDED_TERMINATORS.len() {
        firsts[first_byte(ADDED_TERMINATORS[at] as u32) as usize] = true;
        at += 1;
    }
    firsts
};

/// The first byte of a character in UTF-8.
const fn first_byte(code: u32) -> u8 {
    match code {
        0..0x80 => code as u8,
        0x80..0x800 => 0xc0 | (code >> 6) as u8,
        0x800..0x1_0000 => 0xe0 | (code >> 12) as u8,
        _ => 0xf0 | (code >> 18) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminators_are_those_of_the_library() {
        let usual = RULES[0].library.get_sentence_break_regex();
        for rules in RULES {
            let regex = rules.library.get_sentence_break_regex();
            assert_eq!(matches!(rules.ends, Ends::Spaced), std::ptr::eq(regex, usual), "{}", rules.code);
            if std::ptr::eq(regex, usual) && rules.code != "en" {
                continue;
            }
            for c in (0..0x2_0000).filter_map(char::from_u32) {
                if ADDED_TERMINATORS.contains(&c) || c == '၊' || matches!((rules.code, c), ("my", '၏') | ("hy", '․'))
                {
                    continue;
                }
                let text = c.to_string();
                assert_eq!(rules.terminator(&text, 0).is_some(), regex.is_match(&text), "{} {c:?}", rules.code);
                assert!(MAY_END[usize::from(text.as_bytes()[0])] || rules.terminator(&text, 0).is_none(), "{c:?}");
            }
        }
    }

    #[test]
    fn a_language_has_the_rules_of_its_relative() {
        for code in ["en", "cs", "oc", "ca", "no", "fur", "zh-Hans", "und", "gl", "be", "ckb", "mr", "hy", "my"] {
            let (ours, theirs) = (find_rules(code).library, sentencex::language_factory(code));
            assert!(std::ptr::eq(ours.get_abbreviations(), theirs.get_abbreviations()), "{code}");
        }
        assert_eq!((find_rules("cs").code, find_rules("fur").code, find_rules("th").code), ("sk", "it", "en"));
    }

    #[test]
    fn a_line_of_any_length_is_cut_alike() {
        let line = "He said: \"It is so. I know.\" Dr. Smith (a cat. or so) went. ".repeat(1000);
        let mut boundaries = Boundaries::default();
        let found = boundaries.find(rules_of(Lang::EN), &line, is_terminator);
        let length = line.len() / 1000;
        let expected: Vec<usize> = (0..1000).flat_map(|at| [at * length + 29, (at + 1) * length]).collect();
        assert!(found == &expected[..expected.len() - 1]);
    }
}
