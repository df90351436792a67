//! Quotations, parentheses and e-mail addresses in a line of text: no sentence ends inside them.

use std::collections::VecDeque;

use regex_syntax::is_word_character;

/// A pair of quotation marks.
#[derive(Debug)]
pub(super) struct Pair {
    open: &'static str,
    /// The closing mark; of [`Kind::Sided`] and [`Kind::Turned`] pairs each character is one.
    close: &'static str,
    kind: Kind,
}

/// What is required of the text around the marks of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    Sure,
    /// The marks also stand for other things, as `'` does for apostrophes: they touch a word.
    Ambiguous,
    /// A mark that opens quotations in one language closes them in another, so the spaces around it decide ([`Place`]).
    Sided,
    /// The same; but such a mark opens a quotation only where nothing else can be meant, since elsewhere it closes one or is a comma.
    Turned,
}

const fn pair(open: &'static str, close: &'static str, kind: Kind) -> Pair {
    Pair { open, close, kind }
}

/// Of pairs that begin alike, the first that fits counts.
static PAIRS: [Pair; 20] = [
    pair("``", "''", Kind::Sure),
    pair("``", "``", Kind::Sure),
    pair("''", "''", Kind::Sure),
    pair("`", "'", Kind::Ambiguous),
    pair("`", "`", Kind::Ambiguous),
    pair("'", "'", Kind::Ambiguous),
    pair("\"", "\"", Kind::Sided),
    pair("«", "»", Kind::Sided),
    pair("‘", "’", Kind::Sided),
    pair("‚", "‘’", Kind::Turned),
    pair("“", "”", Kind::Sided),
    pair("‛", "‛", Kind::Sure),
    pair("„", "“”", Kind::Sided),
    pair("”", "“”", Kind::Turned),
    pair("»", "«»", Kind::Turned),
    pair("‟", "‟", Kind::Sure),
    pair("‹", "›", Kind::Sided),
    pair("《", "》", Kind::Sure),
    pair("「", "」", Kind::Sure),
    pair("『", "』", Kind::Sure),
];

/// Where a quotation mark stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a word and not behind one.
    Opening,
    /// Behind something and before a space.
    Closing,
    /// Between the letters of a word, as an apostrophe or in Hebrew abbreviations: `צה"ל`.
    Inside,
    /// A place where it may open or close, as in scripts that are written without spaces.
    Either,
}

/// Where the mark `text[start..end]` stands.
fn place(text: &str, start: usize, end: usize) -> Place {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    let is_behind_space = before.is_none_or(|c| c.is_whitespace() || OPEN_BRACKETS.contains(&c));
    let is_spaced_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && is_spaced(c));
    match after {
        Some(c) if is_behind_space && is_word_char(c) => Place::Opening,
        _ if is_spaced_letter(before) && is_spaced_letter(after) => Place::Inside,
        after if !is_behind_space && after.is_none_or(char::is_whitespace) => Place::Closing,
        _ => Place::Either,
    }
}

const OPEN_BRACKETS: [char; 4] = ['(', '[', '{', '（'];

/// True for characters of scripts that have spaces between words: those before Hangul, but for the ones of South East Asia and Tibet.
pub(super) fn is_spaced(c: char) -> bool {
    c < '\u{1100}' && !matches!(c, '\u{e00}'..='\u{109f}')
}

/// Closing marks. Of those that stand at a place, the first one counts.
const CLOSERS: [&str; 18] =
    ["’", "‘", "‚", "”", "‛", "“", "‟", "›", "》", "」", "』", "''", "``", "»", "«", "'", "`", "\""];

/// In longer lines, in bytes, quotations in `'` and `` ` `` with spaces inside are not sought, since the time grows with the square of the
/// number of these marks.
const MAX_PADDED_BYTES: usize = 1 << 16;

/// True for letters, marks, digits and characters that join them, as `\w` of regular expressions.
pub(super) fn is_word_char(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { is_word_character(c) }
}

/// True for a closing mark and nothing else.
pub(super) fn is_closer(text: &str) -> bool {
    CLOSERS.contains(&text)
}

/// Marks that both open and close.
pub(super) fn symmetric_marks() -> impl Iterator<Item = &'static str> {
    PAIRS.iter().filter(|pair| pair.open == pair.close).map(|pair| pair.open)
}

fn is_symmetric(mark: &str) -> bool {
    symmetric_marks().any(|other| other == mark)
}

/// A range of text that is enclosed by something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub start: usize,
    pub end: usize,
    /// The marks, if it is a quotation.
    pair: Option<&'static Pair>,
}

impl Range {
    pub fn is_quotation(&self) -> bool {
        self.pair.is_some()
    }

    /// The mark of a quotation in which one mark both opens and closes.
    fn symmetric(&self) -> Option<&'static str> {
        self.pair.filter(|pair| pair.open == pair.close).map(|pair| pair.open)
    }
}

/// The range that holds the byte `at`, of ranges in order that do not overlap.
fn holding(ranges: &[Range], at: usize) -> Option<Range> {
    let known = ranges.partition_point(|range| range.start <= at);
    ranges[..known].last().copied().filter(|range| at < range.end)
}

/// The same, but none that begins at `at`.
fn around(ranges: &[Range], at: usize) -> Option<Range> {
    holding(ranges, at).filter(|range| range.start < at)
}

/// What a line has of a mark that both opens and closes quotations.
struct Mark {
    mark: &'static str,
    /// True if the mark stands in the line an odd number of times.
    is_odd: bool,
    /// The places where it may be a quotation mark.
    places: Vec<usize>,
    /// Where the first quotation ends that begins with the mark.
    first_end: Option<usize>,
}

/// All enclosed ranges of a line. Those of one list are in order and do not overlap.
#[derive(Default)]
pub(super) struct Enclosed {
    /// Quotations, and lists of those that [`add_padded`] finds.
    quotations: Vec<Vec<Range>>,
    brackets: Vec<Range>,
    addresses: Vec<Range>,
    /// The marks that were asked about.
    marks: Vec<Mark>,
}

impl Enclosed {
    /// Reads a line; `boundaries`, in order, are the places in it where sentences may begin.
    pub fn read(&mut self, text: &str, is_line_start: bool, boundaries: impl Iterator<Item = usize>) {
        self.quotations.clear();
        self.brackets.clear();
        self.addresses.clear();
        self.marks.clear();
        let quotations = Quotations { text, is_line_start, missing: [false; PAIRS.len()], out: Vec::new() };
        self.quotations.push(quotations.read());
        if text.len() <= MAX_PADDED_BYTES && memchr::memchr2(b'\'', b'`', text.as_bytes()).is_some() {
            add_padded(text, &mut self.quotations);
        }
        let quotations = &self.quotations;
        let free = boundaries.filter(|&at| quotations.iter().all(|ranges| around(ranges, at).is_none()));
        read_brackets(text, free, &mut self.brackets);
        read_mail(text, &mut self.addresses);
    }

    fn lists(&self) -> impl Iterator<Item = &Vec<Range>> {
        self.quotations.iter().chain([&self.brackets, &self.addresses])
    }

    /// The first range around a place. Quotations in marks that both open and close may have been read wrongly, from a closing mark to an
    /// opening one. So they do not count where they cross brackets, nor where the line has an odd number of the mark and `is_strong` is
    /// true.
    pub fn around(&mut self, at: usize, text: &str, is_strong: impl Fn() -> bool) -> Option<Range> {
        let mut found: Vec<Range> = self.lists().filter_map(|ranges| around(ranges, at)).collect();
        found.sort_unstable_by_key(|range| range.start);
        found.into_iter().find(|range| !self.is_misread(range, text, &is_strong))
    }

    fn is_misread(&mut self, range: &Range, text: &str, is_strong: impl Fn() -> bool) -> bool {
        let Some(mark) = range.symmetric() else { return false };
        crosses(range, &self.brackets) || self.mark(text, mark).is_odd && is_strong()
    }

    /// What the line has of a mark; it is looked for once.
    fn mark(&mut self, text: &str, mark: &'static str) -> &Mark {
        let known = self.marks.iter().position(|known| known.mark == mark);
        let place = known.unwrap_or_else(|| {
            let all = || text.match_indices(mark).map(|(place, _)| place);
            let begins = |range: &&Range| range.symmetric().is_some() && text[range.start..].starts_with(mark);
            let firsts = self.quotations.iter().filter_map(|ranges| ranges.iter().find(begins));
            self.marks.push(Mark {
                mark,
                is_odd: all().count() % 2 == 1,
                places: all().filter(|&place| may_quote(text, place, mark, &self.quotations)).collect(),
                first_end: firsts.map(|range| range.end).min(),
            });
            self.marks.len() - 1
        });
        &self.marks[place]
    }

    /// The length of a closing mark at `at` that neither closes nor opens anything.
    pub fn stray_closer(&mut self, text: &str, at: usize) -> Option<usize> {
        let rest = &text[at..];
        if !matches!(rest.as_bytes().first(), Some(b'\'' | b'`' | b'"' | 0xc2 | 0xe2 | 0xe3)) {
            return None;
        }
        if self.lists().any(|ranges| holding(ranges, at).is_some_and(|range| range.start == at)) {
            return None;
        }
        let closer = CLOSERS.into_iter().find(|closer| rest.starts_with(closer) && self.is_stray(text, at, closer))?;
        let may_open = PAIRS.iter().any(|pair| pair.open == closer && matches!(pair.kind, Kind::Sided | Kind::Turned));
        if may_open && place(text, at, at + closer.len()) == Place::Opening {
            return None;
        }
        (!self.opens_next(text, at, closer)).then_some(closer.len())
    }

    /// True for a closing mark without an opening one.
    fn is_stray(&mut self, text: &str, at: usize, closer: &'static str) -> bool {
        if !is_symmetric(closer) {
            return true;
        }
        let places = &self.mark(text, closer).places;
        let before = places.partition_point(|&place| place < at);
        before % 2 == 1 || (before == 0 && places.len() == 1)
    }

    /// True when the mark opens the next sentence, as it has opened a quotation before.
    fn opens_next(&mut self, text: &str, at: usize, closer: &'static str) -> bool {
        is_symmetric(closer)
            && text[..at].chars().next_back().is_none_or(char::is_whitespace)
            && starts_sentence(text, at + closer.len())
            && self.mark(text, closer).first_end.is_some_and(|end| end <= at)
    }
}

/// Reads the quotations of a text.
struct Quotations<'t> {
    text: &'t str,
    /// True if the text begins at the beginning of a line.
    is_line_start: bool,
    /// For each pair, true once it is known that its closing mark does not occur in the rest of the text.
    missing: [bool; PAIRS.len()],
    out: Vec<Range>,
}

impl Quotations<'_> {
    fn read(mut self) -> Vec<Range> {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !matches!(bytes[at], b'"' | b'\'' | b'`' | 0xc2 | 0xe2 | 0xe3) {
                at += 1;
                continue;
            }
            match self.quotation(at) {
                Some((end, pair)) => {
                    self.out.push(Range { start: at, end, pair: Some(pair) });
                    at = end;
                }
                None => at += 1,
            }
        }
        self.out
    }

    /// Where the quotation that begins at `at` ends, and its marks.
    fn quotation(&mut self, at: usize) -> Option<(usize, &'static Pair)> {
        let rest = self.text.as_bytes().get(at..)?;
        let mut fitting = PAIRS.iter().enumerate().filter(|(_, pair)| rest.starts_with(pair.open.as_bytes()));
        let found = fitting.clone().find_map(|(place, pair)| Some((self.closed(at, place, pair)?, pair)));
        found.or_else(|| fitting.find_map(|(_, pair)| Some((self.line(at, pair)?, pair))))
    }

    fn closed(&mut self, at: usize, place: usize, pair: &Pair) -> Option<usize> {
        if self.missing[place] {
            return None;
        }
        let inside = at + pair.open.len();
        let found = match pair.kind {
            Kind::Ambiguous => return self.closed_ambiguous(at, place, pair),
            Kind::Sure => self.text[inside..].find(pair.close).map(|length| inside + length + pair.close.len()),
            Kind::Sided | Kind::Turned => {
                if !may_open(self.text, at, inside, pair.kind) {
                    return None;
                }
                let marks = self.text[inside..].match_indices(|c| pair.close.contains(c));
                let mut ends = marks.map(|(length, mark)| (inside + length, inside + length + mark.len()));
                ends.find(|&(at, end)| may_close(self.text, at, end)).map(|(_, end)| end)
            }
        };
        self.missing[place] = found.is_none();
        found
    }

    fn closed_ambiguous(&mut self, at: usize, place: usize, pair: &Pair) -> Option<usize> {
        let inside = at + pair.open.len();
        let is_opening = !self.text[..at].chars().next_back().is_some_and(is_word_char)
            && self.text[inside..].chars().next().is_some_and(is_word_char);
        if !is_opening {
            return None;
        }
        let close = pair.close.as_bytes()[0];
        let closes = |&at: &usize| {
            let before = self.text[..at].chars().next_back();
            before.is_some_and(|c| !c.is_whitespace() && c != char::from(close))
                && !self.text[at + 1..].chars().next().is_some_and(is_word_char)
        };
        let found =
            memchr::memchr_iter(close, &self.text.as_bytes()[inside..]).map(|length| inside + length).find(closes);
        self.missing[place] = found.is_none();
        found.map(|at| at + 1)
    }

    /// The end of the line, if the whole line stands between ambiguous marks.
    fn line(&self, at: usize, pair: &Pair) -> Option<usize> {
        let length = self.text.len();
        let is_line = at == 0
            && self.is_line_start
            && pair.kind == Kind::Ambiguous
            && length > 2
            && self.text.ends_with(pair.close);
        is_line.then_some(length)
    }
}

/// True where a mark may open a quotation, for pairs whose marks are told apart by spaces.
fn may_open(text: &str, start: usize, end: usize, kind: Kind) -> bool {
    let place = place(text, start, end);
    place == Place::Opening || kind == Kind::Sided && place == Place::Either
}

/// True where a mark may close a quotation, for pairs whose marks are told apart by spaces.
fn may_close(text: &str, start: usize, end: usize) -> bool {
    matches!(place(text, start, end), Place::Closing | Place::Either)
}

/// Adds quotations in `'` or `` ` `` with spaces inside, `' so '`: a list for each of the two marks.
fn add_padded(text: &str, quotations: &mut Vec<Vec<Range>>) {
    for pair in PAIRS.iter().filter(|pair| pair.kind == Kind::Ambiguous && pair.open == pair.close) {
        let mark = pair.close;
        let mut pending: Option<usize> = None;
        let mut padded = Vec::new();
        for (at, _) in text.match_indices(mark) {
            if !may_quote(text, at, mark, quotations) {
                continue;
            }
            match pending {
                Some(opener) if is_padded(text, opener, at, mark, quotations) => {
                    padded.push(Range { start: opener, end: at + mark.len(), pair: Some(pair) });
                    pending = None;
                }
                _ => pending = Some(at),
            }
        }
        quotations.push(padded);
    }
}

/// True for marks outside quotations that are not apostrophes between letters.
fn may_quote(text: &str, at: usize, mark: &str, quotations: &[Vec<Range>]) -> bool {
    let is_inside = quotations.iter().any(|ranges| holding(ranges, at).is_some());
    let before = text[..at].chars().next_back();
    let after = text[at + mark.len()..].chars().next();
    let is_apostrophe = before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
    !is_inside && !is_apostrophe
}

/// True for a mark with white space, or the beginning of the text, before it and white space after it.
fn is_free(text: &str, at: usize, mark: &str) -> bool {
    text[..at].chars().next_back().is_none_or(char::is_whitespace)
        && text[at + mark.len()..].starts_with(char::is_whitespace)
}

/// True when two marks are a pair. They are not if a sentence ends between them, another one begins after them, and the second mark itself
/// opens a quotation.
fn is_padded(text: &str, opener: usize, closer: usize, mark: &str, quotations: &[Vec<Range>]) -> bool {
    if !is_free(text, opener, mark) {
        return false;
    }
    let are_two = starts_sentence(text, closer + mark.len()) && has_break(&text[opener + mark.len()..closer]);
    !are_two || !opens_clean(text, closer, mark, quotations)
}

/// True when the mark opens a quotation inside which no sentence ends.
fn opens_clean(text: &str, at: usize, mark: &str, quotations: &[Vec<Range>]) -> bool {
    if !is_free(text, at, mark) {
        return false;
    }
    let inside = at + mark.len();
    let mut places = text[inside..].match_indices(mark).map(|(length, _)| inside + length);
    places.find(|&place| may_quote(text, place, mark, quotations)).is_some_and(|place| !has_break(&text[inside..place]))
}

/// True when the text has a point followed by blanks and a capital letter.
fn has_break(text: &str) -> bool {
    memchr::memchr_iter(b'.', text.as_bytes()).any(|point| starts_sentence(text, point + 1))
}

/// True when blanks and then a capital letter stand at `at`.
fn starts_sentence(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..];
    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    blanks > 0 && rest.get(blanks).is_some_and(u8::is_ascii_uppercase)
}

/// True when one end of the range lies inside brackets and the other end outside them.
fn crosses(range: &Range, brackets: &[Range]) -> bool {
    around(brackets, range.start).is_some_and(|bracket| bracket.end < range.end)
        || around(brackets, range.end).is_some_and(|bracket| bracket.start > range.start)
}

/// Opening brackets, and those that close them. Brackets of full width and others count as the same, as people mix them.
const BRACKETS: [(&str, &str); 4] = [("(（", ")）"), ("[［", "]］"), ("{", "}"), ("<", ">")];

/// An opening bracket that no other one has closed yet.
struct Opener {
    at: usize,
    /// Its place in [`BRACKETS`].
    kind: usize,
    /// Where the last sentence after it begins, apart from sentences inside other brackets; `at` if none does.
    from: usize,
}

/// At most this many brackets are held open, so that a line of opening brackets costs no memory. Beyond that, the outermost are forgotten.
const MAX_DEPTH: usize = 64;

/// Lists all ranges in brackets that are not inside others. A bracket that is never closed, or that a bracket of another kind closes, does
/// not count. A sign that only looks like an opening bracket, as in `:(` and `a < b`, may find a closing one far behind, with other
/// brackets between the two. So a range around others counts from the last sentence in it: `(See gpg(1). Then go.)` ends after the bracket,
/// but the sentence ending in `gpg(1).` ends too.
fn read_brackets(text: &str, boundaries: impl Iterator<Item = usize>, out: &mut Vec<Range>) {
    let mut boundaries = boundaries.peekable();
    let mut open: VecDeque<Opener> = VecDeque::new();
    let mut counts = [0; BRACKETS.len()];
    let begin = |open: &mut VecDeque<Opener>, from: usize| {
        if let Some(last) = open.back_mut() {
            last.from = last.from.max(from);
        }
    };
    for (at, mark) in text.match_indices(['(', '（', '[', '［', '{', '<', ')', '）', ']', '］', '}', '>']) {
        let opening = BRACKETS.iter().position(|(opening, _)| opening.contains(mark));
        while let Some(from) = boundaries.next_if(|&from| from < at || from == at && opening.is_some()) {
            begin(&mut open, from);
        }
        if let Some(kind) = opening {
            if open.len() == MAX_DEPTH
                && let Some(outermost) = open.pop_front()
            {
                counts[outermost.kind] -= 1;
            }
            open.push_back(Opener { at, kind, from: at });
            counts[kind] += 1;
            continue;
        }
        let Some(kind) = BRACKETS.iter().position(|(_, closing)| closing.contains(mark)) else { continue };
        while counts[kind] > 0
            && let Some(Opener { at: start, kind: last, mut from }) = open.pop_back()
        {
            counts[last] -= 1;
            if last == kind {
                let end = at + mark.len();
                if out.last().is_none_or(|other| other.start < start) {
                    from = start;
                }
                out.truncate(out.partition_point(|other| other.start < from));
                out.push(Range { start: from, end, pair: None });
                while boundaries.next_if(|&inside| inside < end).is_some() {}
            }
            if from > start {
                begin(&mut open, from);
            }
            if last == kind {
                break;
            }
        }
    }
}

/// Lists all e-mail addresses.
fn read_mail(text: &str, out: &mut Vec<Range>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for at in memchr::memchr_iter(b'@', bytes) {
        if at < from {
            continue;
        }
        let is_local = |b: &&u8| b.is_ascii_alphanumeric() || b"._%+-".contains(b);
        let is_domain = |b: &&u8| b.is_ascii_alphanumeric() || b".-".contains(b);
        let is_top = |b: &&u8| b.is_ascii_alphabetic() || **b == b'|';
        let local = bytes[from..at].iter().rev().take_while(is_local).count();
        let domain = bytes[at + 1..].iter().take_while(is_domain).count();
        let top = |point: usize| bytes[point + 1..].iter().take(MAX_TOP_LETTERS).take_while(is_top).count();
        let points = (at + 2..at + 1 + domain).rev().filter(|&point| bytes[point] == b'.');
        let end = points.map(|point| (point, top(point))).find(|&(_, letters)| letters >= 2);
        if let Some((point, letters)) = end.filter(|_| local > 0) {
            from = point + 1 + letters;
            out.push(Range { start: at - local, end: from, pair: None });
        }
    }
}

/// Letters of a top-level domain that are read, at most.
const MAX_TOP_LETTERS: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Enclosed {
        let mut enclosed = Enclosed::default();
        enclosed.read(text, true, text.match_indices(". ").map(|(at, end)| at + end.len()));
        enclosed
    }

    fn enclosed(text: &str) -> Vec<&str> {
        let enclosed = read(text);
        let mut ranges: Vec<&Range> = enclosed.lists().flatten().collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.into_iter().map(|range| &text[range.start..range.end]).collect()
    }

    #[test]
    fn quotations_parentheses_and_mail_are_found() {
        assert_eq!(enclosed("Er sagt: „Nein.“ (Er [geht.) Das war's, it's"), ["„Nein.“", "(Er [geht.)"]);
        assert_eq!(enclosed("the ' small ' and 'big' ones'"), ["' small '", "'big'"]);
        assert_eq!(enclosed("``a'' “b” «c» 「d」『e』 \"f"), ["``a''", "“b”", "«c»", "「d」", "『e』"]);
        assert_eq!(enclosed("(see gpg(1). (a])) <b] {c（d)} (e"), ["(1)", "(a]))", "{c（d)}"]);
        assert_eq!(enclosed("ask a.b@c.example.org. Now"), ["a.b@c.example.org"]);
        assert_eq!(enclosed("'It's. All.'"), ["'It's. All.'"]);
        assert_eq!(enclosed("”a“ ”b” „c” »d» »e« ‚f‘ g“ it’s”"), ["”a“", "”b”", "„c”", "»d»", "»e«", "‚f‘"]);
        assert_eq!(enclosed("他说“你”和\"我\"。a\"b c\"d"), ["“你”", "\"我\""]);
    }

    #[test]
    fn a_mark_without_an_opening_one_is_stray() {
        let stray = |text: &str, at: usize| read(text).stray_closer(text, at);
        assert_eq!(stray("It ends.” Or", 8), Some("”".len()));
        assert_eq!(stray("It ends. “Or” not", 9), None);
        assert_eq!(stray("It ends. ”Or not", 9), None);
        assert_eq!(stray("It ends. “Or not", 9), None);
    }

    #[test]
    fn brackets_around_others_hold_no_more_than_a_sentence() {
        assert_eq!(enclosed(":( so. We (all) go. It is :) Then."), ["(all)", "It is :)"]);
        assert_eq!(enclosed("a < b. Then (x). So p->q."), ["(x)", "So p->"]);
        assert_eq!(enclosed("(a [b. (c) d] e) f"), ["(a [b. (c) d] e)"].map(|all| &all[all.len() - 9..]));
        assert_eq!(enclosed("(a \"b. c\" d(1).) e"), ["(a \"b. c\" d(1).)", "\"b. c\""]);
        assert_eq!(enclosed(&("(".repeat(1000) + "a)")), ["(a)"]);
    }

    #[test]
    fn quotations_are_in_the_marks_that_closed_them_and_hide_marks_inside_alone() {
        let mark = |text: &str| read(text).quotations[0][0].symmetric();
        assert_eq!((mark("``a``"), mark("`a`")), (Some("``"), Some("`")));
        assert_eq!((mark("``a''"), mark("`a'")), (None, None));
        let text = "\"a\" ` it 's b ` \"c\" \"d\"";
        assert!(read(text).mark(text, "'").places.is_empty(), "inside the second list");
        let text = "` a ` 's \"c\" \"d\"";
        assert_eq!(read(text).mark(text, "'").places, [6]);
    }
}
