//! Divides scripts into tokens, as far as is needed to tell code from strings, comments and regular expressions.

/// A token of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// The text between the quotes of a string, or that of a template up to its first `${`.
    Text(&'a str),
    /// A number or a regular expression.
    Value,
    /// One sign; `⇒` is the sign of arrow functions.
    Sign(char),
}

/// The sign of arrow functions, `=>`.
pub const ARROW: char = '⇒';

/// Words after which a `/` begins a regular expression.
const BEFORE_VALUES: &[&str] =
    &["return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "await", "yield"];

/// The tokens of a script, each with whether a line begins before it. Linear in the length of the script.
pub fn tokens(script: &str) -> Vec<(Token<'_>, bool)> {
    let mut found: Vec<(Token<'_>, bool)> = Vec::new();
    let (mut at, mut on_new_line) = (0, true);
    while let Some(first) = script[at..].chars().next() {
        let rest = &script[at..];
        let len = match first {
            '\n' | '\r' => {
                on_new_line = true;
                at += 1;
                continue;
            }
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            _ => comment_len(rest, on_new_line),
        };
        if let Some(len) = len {
            on_new_line |= rest[..len].contains('\n');
            at += len;
            continue;
        }
        let before = found.last().map(|&(token, _)| token);
        let (token, len) = token(rest, first, before);
        found.push((token, on_new_line));
        (at, on_new_line) = (at + len, false);
    }
    found
}

/// The token with which a text begins, and its length.
fn token<'a>(rest: &'a str, first: char, before: Option<Token<'_>>) -> (Token<'a>, usize) {
    match first {
        '"' | '\'' => {
            let end = string_len(rest);
            (Token::Text(inside(rest, end, first)), end)
        }
        '`' => {
            let (end, first_code) = template_len(rest);
            (Token::Text(first_code.map_or_else(|| inside(rest, end, '`'), |code| &rest[1..code])), end)
        }
        '/' if begins_value(before) => regex_len(rest).map_or((Token::Sign('/'), 1), |len| (Token::Value, len)),
        '=' if rest.starts_with("=>") => (Token::Sign(ARROW), 2),
        _ if is_of_word(first) => {
            let len = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let word = &rest[..len];
            (if first.is_ascii_digit() { Token::Value } else { Token::Word(word) }, len)
        }
        _ => (Token::Sign(first), first.len_utf8()),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// True where a value may begin after a token, so that a `/` does not mean division.
fn begins_value(before: Option<Token<'_>>) -> bool {
    match before {
        None => true,
        Some(Token::Word(word)) => BEFORE_VALUES.contains(&word),
        Some(Token::Sign(sign)) => !matches!(sign, ')' | ']'),
        Some(Token::Text(_) | Token::Value) => false,
    }
}

/// The length of the comment with which a text begins: `//`, `/* */`, and comments of HTML, which end with their line.
fn comment_len(rest: &str, on_new_line: bool) -> Option<usize> {
    if let Some(inside) = rest.strip_prefix("/*") {
        return Some(inside.find("*/").map_or(rest.len(), |end| end + "/**/".len()));
    }
    let is_line = rest.starts_with("//") || rest.starts_with("<!--") || (on_new_line && rest.starts_with("-->"));
    is_line.then(|| line_len(rest))
}

fn line_len(rest: &str) -> usize {
    rest.find(['\n', '\r']).unwrap_or(rest.len())
}

/// The text between two quotes, the second of which may be missing.
fn inside(text: &str, end: usize, quote: char) -> &str {
    let text = &text[1..end];
    text.strip_suffix(quote).unwrap_or(text)
}

/// The length of a string with its quotes. A string that is not closed ends with its line.
fn string_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' | b'\r' => return at,
            byte if byte == bytes[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The length of a template with its quotes, and the position of the first `${` in it.
fn template_len(rest: &str) -> (usize, Option<usize>) {
    let bytes = rest.as_bytes();
    let mut first_code = None;
    // For each open template, the number of open braces in the code inside it; `None` while its text is read.
    let mut open: Vec<Option<u32>> = vec![None];
    let mut at = 1;
    while let (Some(top), true) = (open.last_mut(), at < bytes.len()) {
        match (top, bytes[at]) {
            (None, b'\\') => at += 1,
            (None, b'`') => _ = open.pop(),
            (top @ None, b'$') if bytes.get(at + 1) == Some(&b'{') => {
                first_code.get_or_insert(at);
                *top = Some(0);
                at += 1;
            }
            (Some(_), b'`') => open.push(None),
            (Some(_), b'"' | b'\'') => at += string_len(&rest[at..]) - 1,
            (Some(braces), b'{') => *braces += 1,
            (top @ Some(0), b'}') => *top = None,
            (Some(braces), b'}') => *braces -= 1,
            _ => {}
        }
        at += 1;
    }
    // An escape at the end may lead beyond the text.
    (at.min(bytes.len()), first_code)
}

/// The length of a regular expression without its flags; `None` where the line ends before it does.
fn regex_len(rest: &str) -> Option<usize> {
    let line = &rest.as_bytes()[..line_len(rest)];
    let (mut at, mut in_class) = (1, false);
    while at < line.len() {
        match line[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(script: &str) -> String {
        let token = |token| match token {
            Token::Word(word) => word.to_owned(),
            Token::Text(text) => format!("<{text}>"),
            Token::Value => "#".to_owned(),
            Token::Sign(sign) => sign.to_string(),
        };
        let found = tokens(script);
        found.into_iter().map(|(one, _)| token(one)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn strings_comments_and_regular_expressions_are_no_code() {
        for (script, expected) in [
            (r#"a.b = "c\"d" + 'e'"#, r#"a . b = <c\"d> + <e>"#),
            ("a // b\nc /* d\ne */ f", "a c f"),
            ("<!-- a\nb\n--> c", "b"),
            ("a = /[/'\"]\\//g; b / c / d", "a = # g ; b / c / d"),
            ("return /a'/", "return #"),
            ("`a${b + `c${'}'}` + {}}d` e", "<a> e"),
            ("`a\\`b`", "<a\\`b>"),
            ("() => 1.5", "( ) ⇒ # . #"),
            ("'a\nb", "<a> b"),
            ("é$_1", "é$_1"),
            ("`a", "<a>"),
            ("'a\\", "<a\\>"),
        ] {
            assert_eq!(written(script), expected, "{script}");
        }
    }

    #[test]
    fn lines_are_told_apart() {
        let lines: Vec<bool> = tokens("a b\nc /*\n*/ d").into_iter().map(|(_, new)| new).collect();
        assert_eq!(lines, [true, false, true, true]);
    }

    proptest! {
        #[test]
        fn any_text_has_tokens(script: String) {
            tokens(&script);
        }

        #[test]
        fn any_text_like_a_script_has_tokens(script in "(`|\\$\\{|\\}|'|\"|\\\\|/|\\*|\n|é|a|\\[|<!--|-->){0,24}") {
            tokens(&script);
        }
    }
}
