//! Messages: lines on stderr that `--quiet` silences. Errors, damage and losses are no messages.

use std::fmt::Display;
use std::io::{Write, stderr};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::freshness::place;

static QUIET: AtomicBool = AtomicBool::new(false);

/// What names the store in a command, where it is not the one that commands take by themselves.
static STORE_OPTION: OnceLock<String> = OnceLock::new();

/// From here on the commands that are told name this store.
pub fn name_store(store: &Path) {
    let _ = STORE_OPTION.set(place(store));
}

/// Commands that take no store.
const WITHOUT_STORE: [&str; 4] = ["compare", "completions", "exec", "man"];

/// A text with a store named in each command of it (`` `diglot run` ``) that takes one and names none.
fn with_store(text: &str, option: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let command = part.strip_prefix("diglot ").and_then(|rest| rest.split(' ').next());
        let is_without =
            at % 2 == 1 && !part.contains("--store") && command.is_some_and(|name| !WITHOUT_STORE.contains(&name));
        format!("{part}{}", if is_without { option } else { "" })
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Silences what follows.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// True when nothing is to be said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says a line.
pub fn say(text: impl Display) {
    if !is_quiet() {
        tell(format_args!("diglot: {text}"));
    }
}

/// Writes a line, quiet or not. Where nobody reads it, that is no failure of the command.
pub fn tell(text: impl Display) {
    let option = STORE_OPTION.get().map_or("", String::as_str);
    let _ = writeln!(stderr(), "{}", with_store(&text.to_string(), option));
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
