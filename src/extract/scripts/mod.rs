//! Scripts that go to another page while theirs is loaded.
//!
//! [`targets`] gives the URLs that code assigns to `location` when it runs by itself. Such code is statements outside functions, and those
//! of functions that are called where they stand (`(function () { … })()`), by a timer, when the page is ready, or by name from such code.
//! A function that is only defined does not run, nor does one that waits for a click. Conditions count as true.

mod tokens;

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use tokens::{ARROW, Token, tokens};

/// Names that may stand before `location` and a dot.
const OWNERS: &[&str] = &["window", "document", "self", "top", "parent", "this", "globalThis"];
/// Functions that soon call the functions which they are given.
const RUNNERS: &[&str] =
    &["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback", "ready", "$", "jQuery"];
/// Functions that call the functions which they are given at an event; the name of the event comes first.
const LISTENERS: &[&str] = &["addEventListener", "attachEvent", "on", "one", "bind"];
/// The names of events of a page that is loaded.
const LOAD_EVENTS: &[&str] = &["load", "DOMContentLoaded", "pageshow", "ready", "readystatechange"];
/// Words before a parenthesis that are not names of functions.
const NO_FUNCTIONS: &[&str] = &["if", "for", "while", "switch", "catch", "with", "function", "await", "return"];
/// How deep strings of code inside strings of code are read.
const MAX_DEPTH: u32 = 2;

/// The URLs to which the scripts of a page go when it is loaded, as they are written there and in their order. Linear in the length of the
/// scripts. If no script contains `location`, it costs hardly anything.
pub fn targets<'a>(scripts: &[&'a str]) -> Vec<&'a str> {
    if !scripts.iter().any(|script| memmem::find(script.as_bytes(), b"location").is_some()) {
        return Vec::new();
    }
    let mut seen = Seen::default();
    scripts.iter().for_each(|script| seen.read(script, When::Load, 0));
    let runs = seen.called();
    let runs = |when| match when {
        When::Load => true,
        When::Called(name) => runs.contains(name),
        When::Later => false,
    };
    seen.goes.into_iter().filter(|&(when, _)| runs(when)).map(|(_, url)| url).collect()
}

/// When code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum When<'a> {
    /// While the page is loaded.
    Load,
    /// When the function of that name is called.
    Called(&'a str),
    /// When something else happens, or never.
    Later,
}

/// What scripts do, and when they do it.
#[derive(Default)]
struct Seen<'a> {
    /// The URLs to which they go.
    goes: Vec<(When<'a>, &'a str)>,
    /// The functions that they call.
    calls: Vec<(When<'a>, &'a str)>,
}

impl<'a> Seen<'a> {
    /// Reads code that runs at a given time.
    fn read(&mut self, code: &'a str, when: When<'a>, depth: u32) {
        let code = Code::new(code);
        // The open functions, each with the token after its last one, and when it runs.
        let mut open: Vec<(usize, When<'a>)> = vec![(usize::MAX, when)];
        for at in 0..code.tokens.len() {
            while open.last().is_some_and(|&(end, _)| end <= at) {
                open.pop();
            }
            let now = open.last().map_or(When::Later, |&(_, when)| when);
            if let Some(function) = code.function(at) {
                open.push((function.end, code.when(function, now)));
                continue;
            }
            match code.token(at) {
                Some(Token::Word("location")) => self.goes.extend(code.target(at).map(|url| (now, url))),
                Some(Token::Word(name)) if code.is_called(at) => self.calls.push((now, name)),
                Some(Token::Text(text)) if depth < MAX_DEPTH && code.is_code(at) => self.read(text, now, depth + 1),
                _ => {}
            }
        }
    }

    /// The functions that are called while the page is loaded, directly or by other such functions.
    fn called(&self) -> FxHashSet<&'a str> {
        let mut by_caller: FxHashMap<When<'a>, Vec<&'a str>> = FxHashMap::default();
        for &(when, name) in &self.calls {
            by_caller.entry(when).or_default().push(name);
        }
        let mut called = FxHashSet::default();
        let mut waiting = vec![When::Load];
        while let Some(caller) = waiting.pop() {
            for name in by_caller.remove(&caller).into_iter().flatten() {
                if called.insert(name) {
                    waiting.push(When::Called(name));
                }
            }
        }
        called
    }
}

/// A function: its first token, the first token after it, and its name if it has one.
#[derive(Clone, Copy)]
struct Function<'a> {
    start: usize,
    end: usize,
    name: Option<&'a str>,
}

/// The tokens of a script, and which of its brackets belong together.
struct Code<'a> {
    tokens: Vec<(Token<'a>, bool)>,
    /// For each bracket, the position of the other one of its pair; for all other tokens, and for single brackets, their own position.
    partners: Vec<usize>,
    /// For each token, the last bracket that was opened before it and is still open; a position beyond all tokens if there is none.
    around: Vec<usize>,
    /// For each token, the end of an expression that contains it: the first token after that expression. There is one more entry than there
    /// are tokens.
    ends: Vec<usize>,
}

impl<'a> Code<'a> {
    fn new(code: &'a str) -> Code<'a> {
        let tokens = tokens(code);
        let mut partners: Vec<usize> = (0..tokens.len()).collect();
        let mut around = Vec::with_capacity(tokens.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, &(token, _)) in tokens.iter().enumerate() {
            if let Token::Sign(')' | ']' | '}') = token
                && let Some(opened) = open.pop()
            {
                (partners[at], partners[opened]) = (opened, at);
            }
            around.push(open.last().copied().unwrap_or(usize::MAX));
            if let Token::Sign('(' | '[' | '{') = token {
                open.push(at);
            }
        }
        let mut code = Code { tokens, partners, around, ends: Vec::new() };
        code.ends = vec![code.tokens.len(); code.tokens.len() + 1];
        for at in (0..code.tokens.len()).rev() {
            code.ends[at] = match code.token(at) {
                Some(Token::Sign(',' | ';' | ')' | ']' | '}')) => at,
                _ if code.begins_statement(at) => at,
                Some(Token::Sign('(' | '[' | '{')) => code.ends[code.behind(at)],
                _ => code.ends[at + 1],
            };
        }
        code
    }

    fn token(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).map(|&(token, _)| token)
    }

    fn is(&self, at: usize, sign: char) -> bool {
        self.token(at) == Some(Token::Sign(sign))
    }

    fn word(&self, at: usize) -> Option<&'a str> {
        match self.token(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// The token after the bracket that closes the one at `open`.
    fn behind(&self, open: usize) -> usize {
        match self.partners[open] {
            close if close == open => self.tokens.len(),
            close => close + 1,
        }
    }

    /// The function whose body begins at a token: at a brace, or at the arrow before an expression.
    fn function(&self, at: usize) -> Option<Function<'a>> {
        let before = at.checked_sub(1)?;
        let is_body = self.is(at, '{');
        if is_body && self.is(before, ARROW) {
            return Some(self.arrow(before, self.behind(at)));
        }
        if self.is(at, ARROW) && !self.is(at + 1, '{') {
            return Some(self.arrow(at, self.ends[at + 1]));
        }
        if !is_body || !self.is(before, ')') || self.partners[before] == before {
            return None;
        }
        let end = self.behind(at);
        let head = self.partners[before].checked_sub(1)?;
        let keyword = |at: usize| {
            let at = if self.is(at, '*') { at.checked_sub(1)? } else { at };
            (self.word(at) == Some("function")).then_some(at)
        };
        if let Some(start) = keyword(head) {
            return Some(Function { start: self.with_async(start), end, name: None });
        }
        let name = self.word(head)?;
        match head.checked_sub(1).and_then(keyword) {
            Some(start) => Some(Function { start: self.with_async(start), end, name: Some(name) }),
            // This is a method, since no other word stands before a parenthesis and a brace.
            None if !NO_FUNCTIONS.contains(&name) => Some(Function { start: head, end, name: Some(name) }),
            None => None,
        }
    }

    fn arrow(&self, arrow: usize, end: usize) -> Function<'a> {
        let before = arrow.saturating_sub(1);
        let start = if self.is(before, ')') { self.partners[before] } else { before };
        Function { start: self.with_async(start), end, name: None }
    }

    fn with_async(&self, start: usize) -> usize {
        start.checked_sub(1).filter(|&before| self.word(before) == Some("async")).unwrap_or(start)
    }

    /// True for a word on a new line, unless the sign before it must be followed by something.
    fn begins_statement(&self, at: usize) -> bool {
        let wants_more =
            |before: usize| matches!(self.token(before), Some(Token::Sign(sign)) if !matches!(sign, ')' | ']' | '}'));
        matches!(self.tokens[at], (Token::Word(_), true)) && !at.checked_sub(1).is_some_and(wants_more)
    }

    /// When a function runs that stands in code which itself runs at `now`.
    fn when(&self, function: Function<'a>, now: When<'a>) -> When<'a> {
        if self.is_called_where_it_stands(function) {
            return now;
        }
        let named = function.name.map_or(When::Later, When::Called);
        let Some(before) = function.start.checked_sub(1) else { return named };
        match self.token(before) {
            Some(Token::Sign('(' | ',')) if self.is_given_to_runner(function.start) => now,
            Some(Token::Sign('=')) if self.is_load_handler(before) => now,
            Some(Token::Sign('=' | ':')) => match before.checked_sub(1).and_then(|at| self.token(at)) {
                Some(Token::Word(name) | Token::Text(name)) => When::Called(name),
                _ => named,
            },
            _ => named,
        }
    }

    /// True for `(function () { … })()` and similar calls.
    fn is_called_where_it_stands(&self, function: Function<'_>) -> bool {
        let Function { mut start, mut end, .. } = function;
        let mut is_value = start.checked_sub(1).is_some_and(|before| match self.token(before) {
            Some(Token::Sign(sign)) => !matches!(sign, ';' | '{' | '}' | ')'),
            Some(Token::Word(word)) => matches!(word, "void" | "new" | "return" | "await" | "typeof"),
            _ => false,
        });
        // The parentheses around the function, and those around them.
        while let Some(open) = start.checked_sub(1)
            && self.is(open, '(')
            && self.partners[open] == end
            && !open.checked_sub(1).is_some_and(|before| self.is_callee(before))
        {
            (start, end, is_value) = (open, end + 1, true);
        }
        let calls = |at| self.is(at, '(');
        let by_method = || self.is(end, '.') && matches!(self.word(end + 1), Some("call" | "apply")) && calls(end + 2);
        is_value && (calls(end) || by_method())
    }

    /// True for the last token of something that a parenthesis after it would call.
    fn is_callee(&self, at: usize) -> bool {
        match self.token(at) {
            Some(Token::Word(word)) => !matches!(word, "void" | "return" | "await" | "typeof" | "if" | "while"),
            Some(Token::Sign(sign)) => matches!(sign, ')' | ']'),
            _ => false,
        }
    }

    /// True for an argument of a function that calls this argument soon or when the page is loaded.
    fn is_given_to_runner(&self, argument: usize) -> bool {
        let open = self.around[argument];
        if !self.is(open, '(') {
            return false;
        }
        let Some(callee) = open.checked_sub(1).and_then(|at| self.word(at)) else { return false };
        let listens = || match self.token(open + 1) {
            Some(Token::Text(event)) => LOAD_EVENTS.contains(&event.strip_prefix("on").unwrap_or(event)),
            _ => false,
        };
        RUNNERS.contains(&callee) || (LISTENERS.contains(&callee) && listens())
    }

    /// True for the `=` of `window.onload = …` and similar assignments.
    fn is_load_handler(&self, equals: usize) -> bool {
        let handler = equals.checked_sub(1).and_then(|at| self.word(at));
        handler.and_then(|name| name.strip_prefix("on")).is_some_and(|event| LOAD_EVENTS.contains(&event))
    }

    /// True for the name of a function that is called here, or given to a function that calls it.
    fn is_called(&self, at: usize) -> bool {
        if self.is(at + 1, '(') {
            // In a definition the name is not called.
            return !self.is(self.behind(at + 1), '{')
                || self.tokens.get(self.behind(at + 1)).is_some_and(|next| next.1);
        }
        let Some(before) = at.checked_sub(1) else { return false };
        let is_alone = || self.is(at + 1, ',') || self.is(at + 1, ')');
        match self.token(before) {
            Some(Token::Sign('(' | ',')) => is_alone() && self.is_given_to_runner(at),
            Some(Token::Sign('=')) => self.is_load_handler(before),
            _ => false,
        }
    }

    /// True for a string that a timer runs as code.
    fn is_code(&self, at: usize) -> bool {
        let callee = at.checked_sub(2).and_then(|callee| self.word(callee));
        self.is(at.saturating_sub(1), '(') && matches!(callee, Some("setTimeout" | "setInterval"))
    }

    /// The text that is assigned to the `location` at a token.
    fn target(&self, at: usize) -> Option<&'a str> {
        let owner = at.checked_sub(1).filter(|&dot| self.is(dot, '.'));
        if let Some(dot) = owner
            && !dot.checked_sub(1).and_then(|at| self.word(at)).is_some_and(|owner| OWNERS.contains(&owner))
        {
            return None;
        }
        let method = if self.is(at + 1, '.') { self.word(at + 2) } else { None };
        let value = match method {
            None if self.is(at + 1, '=') => at + 2,
            Some("href") if self.is(at + 3, '=') => at + 4,
            Some("replace" | "assign") if self.is(at + 3, '(') => at + 4,
            _ => return None,
        };
        match self.token(value) {
            Some(Token::Text(url)) => Some(url),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_url_is_the_text_that_location_is_given() {
        for (script, expected) in [
            ("window.location.href = \"/a\"", Some("/a")),
            ("var x = location.href; location.replace('b' + x)", Some("b")),
            ("window.top.location='c'", Some("c")),
            ("top['location']='c'", None),
            ("x.location = 'c'", None),
            ("é.location = 'c'; location=d", None),
            ("location =", None),
            ("location == 'c'", None),
            ("'geolocation=\"c\"'", None),
            ("geolocation = 'c'", None),
            ("location = /* there */ `c${d}`", Some("c")),
        ] {
            assert_eq!(targets(&[script]), Vec::from_iter(expected), "{script}");
        }
    }

    #[test]
    fn what_runs_while_the_page_is_loaded_counts() {
        for script in [
            "if (a) { GO } else f()",
            "try { GO } catch (e) { }",
            "for (;;) { { GO } }",
            "(function () { GO })()",
            "(function () { GO }())",
            "(function () { GO }).call(this)",
            "!function () { GO }()",
            "void function f() { GO }()",
            "(() => { GO })()",
            "(async () => GO)();",
            "((function () { (x => { GO })(1) }))()",
            "setTimeout(function () { GO }, 10)",
            "window.setTimeout(() => GO, 0)",
            "setTimeout(\"location = 'c'\", 0)",
            "window.onload = function () { GO }",
            "onload = async () => { GO }",
            "$(function () { GO })",
            "jQuery(document).ready(function ($) { GO })",
            "window.addEventListener('load', function () { GO })",
            "document.addEventListener(\"DOMContentLoaded\", () => { GO }, false)",
            "attachEvent('onload', function () { GO })",
            "function f() { GO } f()",
            "g(); function g() { f() } function* f() { GO }",
            "window.onload = f\nfunction f() { GO }",
            "var f = function () { GO }; setTimeout(f, 5)",
            "const f = () => GO\nf()",
            "var page = { go: function () { GO } }; page.go()",
            "var page = { go() { GO } }; page.go()",
            "class Page { constructor() { this.go() } go() { GO } } new Page(); constructor()",
            "function f() { GO } addEventListener('load', f)",
            "var a = /'/; GO // '",
            "function f() { } GO",
        ] {
            let script = script.replace("GO", "location = 'c'");
            assert_eq!(targets(&[script.as_str()]), ["c"], "{script}");
        }
    }

    #[test]
    fn what_is_only_defined_or_waits_for_the_reader_does_not_count() {
        for script in [
            "function f() { GO }",
            "var f = function () { if (a) { GO } }",
            "const f = () => GO, g = 1\ng",
            "const f = x => { GO }",
            "function f() { g() } function g() { GO }",
            "function f() { (function () { GO })() }",
            "function f() { setTimeout(function () { GO }) }",
            "x.onclick = function () { GO }",
            "x.addEventListener('click', function () { GO })",
            "$('a').on('change', function () { GO })",
            "x.addEventListener('click', f); function f() { GO }",
            "a.then(function () { GO })",
            "var page = { go: function () { GO }, stay() { GO } }",
            "class Page { go() { GO } }",
            "// GO",
            "/* GO */",
            "a = \"GO\"",
            "a = `GO`",
        ] {
            let script = script.replace("GO", "location = 'c'");
            assert_eq!(targets(&[script.as_str()]), Vec::<&str>::new(), "{script}");
        }
    }

    #[test]
    fn a_function_may_be_called_by_another_script() {
        assert_eq!(targets(&["function f() { location = 'c' }", "location = 'd'; f()"]), ["c", "d"]);
        assert_eq!(targets(&["function f() { location = 'c' }", "g()"]), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn any_script_is_read(script: String) {
            targets(&["location", &script]);
        }

        #[test]
        fn anything_like_a_script_is_read(
            script in "(\\(|\\)|\\{|\\}|=>|=|function|async|f|location|\\.|,|:|'c'|setTimeout|\n|\\*|;| ){0,24}"
        ) {
            targets(&["location", &script]);
        }
    }
}
