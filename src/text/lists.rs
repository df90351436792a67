//! Items of lists: those that stand on one line, `1) one 2) two`, and lines that begin with a bullet.

/// Characters that begin items.
const BULLETS: &[char] =
    &['•', '◦', '▪', '▫', '■', '□', '●', '○', '⁃', '⁌', '⁍', '◆', '◇', '★', '☆', '➤', '➢', '➣', '▶', '▸', '►'];

/// Signs that stand for bullets at the beginning of a line, if a blank follows.
const DASHES: &[char] = &['-', '–', '—', '*', '·', '‣', '∙', '・'];

/// Items of one kind begin at least so many bytes apart, since there is text between them, unlike in `e. e. cummings`.
const MIN_GAP_BYTES: usize = 4;

/// Kinds of marks of items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A bullet, or something in parentheses: `(a)`, `(12)`, `(iv)`. One is enough if it stands at the beginning of a line.
    Sure,
    /// `*`, `+`, `-`
    Sign,
    /// `1.`, `1)`, `1.)`
    Number,
    /// `a)`, `a.)`
    Letter,
    /// `a.`
    LetterPoint,
    /// `ii.`, `ii)`, `ii.)`
    Roman,
}

const KINDS: [Kind; 6] = [Kind::Sure, Kind::Sign, Kind::Number, Kind::Letter, Kind::LetterPoint, Kind::Roman];

/// A mark that may begin an item.
struct Mark {
    at: usize,
    kind: Kind,
    first: u8,
}

/// Where the items of the list in a line begin, in order; empty where there is no list.
pub(super) fn list_items(text: &str, is_line_start: bool) -> Vec<usize> {
    let mut marks: Vec<Mark> = Vec::new();
    let content = blanks(text.as_bytes(), 0);
    let leading = if is_line_start { mark(&text[content..]) } else { None };
    let starts_sure = leading.is_some_and(|(kind, _)| kind == Kind::Sure);
    if let Some((kind, _)) = leading {
        marks.push(Mark { at: 0, kind, first: text.as_bytes()[content] });
    }
    if may_have_marks(&text[content..]) {
        add_inner_marks(text, content, &mut marks);
    }
    if marks.len() < 2 && !starts_sure {
        return Vec::new();
    }
    if marks.iter().any(|mark| mark.kind == Kind::Roman) {
        let is_letter = |mark: &Mark| matches!(mark.kind, Kind::Letter | Kind::LetterPoint);
        marks
            .iter_mut()
            .filter(|mark| is_letter(mark) && is_roman(mark.first))
            .for_each(|mark| mark.kind = Kind::Roman);
    }
    let mut last = [None; KINDS.len()];
    marks.retain(|mark| {
        let last = &mut last[mark.kind as usize];
        let is_far = last.is_none_or(|last| mark.at - last >= MIN_GAP_BYTES);
        if is_far {
            *last = Some(mark.at);
        }
        is_far
    });
    let Some(kind) = kind_of_list(&marks, starts_sure) else { return Vec::new() };
    marks.into_iter().filter(|mark| mark.kind == kind).map(|mark| mark.at).collect()
}

/// True for a line that begins with a bullet, or with a sign that stands for one.
pub fn is_item(line: &str) -> bool {
    line.starts_with(BULLETS) || line.strip_prefix(DASHES).is_some_and(|rest| rest.starts_with([' ', '\t', '\u{a0}']))
}

/// The kind with most marks; of several kinds with as many, the one that comes first in the line. `None` if no kind has enough marks.
fn kind_of_list(marks: &[Mark], starts_sure: bool) -> Option<Kind> {
    let count = |kind: Kind| marks.iter().filter(|mark| mark.kind == kind).count();
    if starts_sure || count(Kind::Sure) >= 2 {
        return Some(Kind::Sure);
    }
    let first = |kind: Kind| marks.iter().position(|mark| mark.kind == kind);
    let kinds = KINDS[1..].iter().copied().filter(|&kind| count(kind) >= 2);
    kinds.max_by_key(|&kind| (count(kind), std::cmp::Reverse(first(kind))))
}

/// True when the text has a bullet, or a closing parenthesis before a blank.
fn may_have_marks(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b')', bytes).any(|at| matches!(bytes.get(at + 1), Some(b' ' | b'\t')))
        || memchr::memchr_iter(0xe2, bytes).any(|at| text[at..].starts_with(BULLETS))
}

/// Adds the marks that follow blanks. Those that end with a point are left out, since they look like the ends of sentences.
fn add_inner_marks(text: &str, content: usize, marks: &mut Vec<Mark>) {
    let bytes = text.as_bytes();
    let mut at = content;
    while let Some(length) = memchr::memchr2(b' ', b'\t', &bytes[at..]) {
        at = blanks(bytes, at + length);
        if at >= bytes.len() || bytes[at] == b'\r' {
            break;
        }
        let Some((kind, length)) = mark(&text[at..]) else { continue };
        let has_point =
            bytes[at + length - 1] == b'.' && matches!(kind, Kind::Number | Kind::LetterPoint | Kind::Roman);
        let is_small = text[at + length..].trim_start_matches([' ', '\t']).starts_with(char::is_lowercase);
        if !has_point && !is_small && kind != Kind::Sign {
            marks.push(Mark { at, kind, first: bytes[at] });
        }
    }
}

/// Where the blanks that begin at `at` end.
fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The kind and length of the mark with which a text begins, if blanks and more text follow it.
fn mark(text: &str) -> Option<(Kind, usize)> {
    let (kind, length) = bare_mark(text)?;
    let behind = blanks(text.as_bytes(), length);
    let is_followed = behind > length && text.as_bytes().get(behind).is_some_and(|&b| b != b'\r');
    is_followed.then_some((kind, length))
}

fn bare_mark(text: &str) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let count = |is_part: fn(&u8) -> bool| bytes.iter().take_while(|b| is_part(b)).count();
    let close = |at: usize| match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'.'), Some(b')')) => Some(at + 2),
        (Some(b'.' | b')'), _) => Some(at + 1),
        _ => None,
    };
    match first {
        0xe2 => text.chars().next().filter(|c| BULLETS.contains(c)).map(|c| (Kind::Sure, c.len_utf8())),
        b'(' => in_parentheses(bytes).map(|length| (Kind::Sure, length)),
        b'*' | b'+' | b'-' => Some((Kind::Sign, 1)),
        b'0'..=b'9' => close(count(u8::is_ascii_digit)).map(|length| (Kind::Number, length)),
        b'a'..=b'z' | b'A'..=b'Z' => {
            let roman = count(|b| is_roman(*b));
            let roman = if roman < 2 { None } else { close(roman) };
            if let Some(length) = roman {
                return Some((Kind::Roman, length));
            }
            match (bytes.get(1), bytes.get(2)) {
                (Some(b')'), _) => Some((Kind::Letter, 2)),
                (Some(b'.'), Some(b')')) => Some((Kind::Letter, 3)),
                (Some(b'.'), _) if first.is_ascii_lowercase() => Some((Kind::LetterPoint, 2)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The length of `(12)`, `(a)`, `(iv)`.
fn in_parentheses(bytes: &[u8]) -> Option<usize> {
    let inside = &bytes[1..];
    let (inside, behind) = inside.split_at(inside.iter().take_while(|b| b.is_ascii_alphanumeric()).count());
    if !behind.starts_with(b")") {
        return None;
    }
    let is_mark = match inside.len() {
        0 => false,
        1 if inside[0].is_ascii_alphabetic() => true,
        1 | 2 if inside.iter().all(u8::is_ascii_digit) => true,
        _ => inside.iter().all(|&b| is_roman(b)),
    };
    is_mark.then_some(inside.len() + 2)
}

fn is_roman(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'i' | b'v' | b'x' | b'l' | b'c' | b'd' | b'm')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_bullets_are_items() {
        for line in ["• One", "▪One", "- one", "–\u{a0}one", "* one", "· one"] {
            assert!(is_item(line), "{line}");
        }
        for line in ["-v", "*.rs", "–", "one - two", "+ one", ""] {
            assert!(!is_item(line), "{line}");
        }
    }

    #[test]
    fn items_are_a_sequence_of_one_kind() {
        assert_eq!(list_items("1) One thing 2) Two things", true), [0, 13]);
        assert_eq!(list_items("We have a) One, b.) Two and • Three", true), [8, 16]);
        assert_eq!(list_items("• One. Two", true), [0]);
        assert!(list_items("• One. Two", false).is_empty());
        for text in
            ["1. One. 2. Two.", "e. e. cummings", "Works (1894), (1896) and (1900)", "", "A) b c", "- one - two"]
        {
            assert!(list_items(text, true).is_empty(), "{text}");
        }
    }
}
