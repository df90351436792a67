//! Messages: lines on stderr, which `--quiet` suppresses. Errors, damage and losses are always printed.

use std::fmt::Display;
use std::io::{Write, stderr};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::json;

use super::color::Style;
use super::freshness::place;

static QUIET: AtomicBool = AtomicBool::new(false);

/// True when a program reads the messages: each is then an object of JSON, on a line of its own.
static FOR_PROGRAMS: AtomicBool = AtomicBool::new(false);

/// The option that names the store in suggested commands, where it is not the default store.
static STORE_OPTION: OnceLock<String> = OnceLock::new();

/// Makes suggested commands name this store from now on.
pub fn name_store(store: &Path) {
    let _ = STORE_OPTION.set(place(store));
}

/// Commands that do not use a store.
const WITHOUT_STORE: [&str; 9] = ["cat", "compare", "completions", "diff", "exec", "index", "man", "merge", "rebuild"];

/// A text in which each command (`` `diglot run` ``) that uses a store and does not name one names this store.
fn with_store(text: &str, option: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let command = part.strip_prefix("diglot ").and_then(|rest| rest.split(' ').next());
        let is_without =
            at % 2 == 1 && !part.contains("--store") && command.is_some_and(|name| !WITHOUT_STORE.contains(&name));
        format!("{part}{}", if is_without { option } else { "" })
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Suppresses messages from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// True when messages are suppressed.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a message.
pub fn say(text: impl Display) {
    if !is_quiet() {
        tell(format_args!("diglot: {text}"));
    }
}

/// Prints a line, even if messages are suppressed. If stderr cannot be written, the command does not fail.
pub fn tell(text: impl Display) {
    tell_as("message", &text.to_string());
}

/// Prints why the command has failed.
pub fn tell_failure(text: impl Display) {
    tell_as("error", &format!("diglot: {text}"));
}

fn tell_as(event: &str, text: &str) {
    let option = STORE_OPTION.get().map_or("", String::as_str);
    let text = with_store(text, option);
    if FOR_PROGRAMS.load(Ordering::Relaxed) {
        tell_program(&json!({ "event": event, "text": text.strip_prefix("diglot: ").unwrap_or(&text) }));
    } else {
        let painted = text.strip_prefix("diglot: ").filter(|_| event == "error");
        let text = painted.map_or(text.clone(), |rest| format!("{} {rest}", Style::Red.err("diglot:")));
        let _ = writeln!(stderr(), "{text}");
    }
}

/// Makes every later message an object of JSON.
pub fn speak_to_programs() {
    FOR_PROGRAMS.store(true, Ordering::Relaxed);
}

/// Prints an object of JSON on a line.
pub fn tell_program(object: &impl Serialize) {
    if let Ok(line) = serde_json::to_string(object) {
        let _ = writeln!(stderr(), "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_are_told_name_the_store() {
        let text = "x`y is damaged; `diglot run` mends it, see `diglot check --store a` and `diglot man`, `diglot check --repair`";
        let told = with_store(&text[2..], " --store s");
        let expected = "y is damaged; `diglot run --store s` mends it, see `diglot check --store a` and `diglot man`, \
                        `diglot check --repair --store s`";
        assert_eq!(told, expected);
        assert_eq!(with_store("an odd ` here", " --store s"), "an odd ` here");
    }
}
