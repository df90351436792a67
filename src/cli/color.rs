//! Colour is used where a terminal takes it, or where it is asked for.

use std::io::{IsTerminal, stderr, stdout};
use std::sync::OnceLock;

use clap::{ColorChoice, ValueEnum};

/// What `--color` asks for.
static ASKED: OnceLock<ColorChoice> = OnceLock::new();

/// What `--color` asks for, looked up before the command line is parsed: help and usage errors are coloured too.
pub fn asked() -> ColorChoice {
    *ASKED.get_or_init(|| {
        in_arguments(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()))
    })
}

fn in_arguments(mut arguments: impl Iterator<Item = String>) -> ColorChoice {
    let mut asked = ColorChoice::Auto;
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None if argument == "--" => break,
            None => None,
        };
        asked = value.and_then(|value| ColorChoice::from_str(&value, false).ok()).unwrap_or(asked);
    }
    asked
}

/// True where a terminal takes colour: nobody has said otherwise by `NO_COLOR`, and it is not a dumb one.
fn is_taken() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn is_on(is_terminal: bool) -> bool {
    match asked() {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && is_taken(),
    }
}

/// True where stdout is coloured.
pub fn is_on_stdout() -> bool {
    is_on(stdout().is_terminal())
}

/// A style of text.
#[derive(Clone, Copy)]
pub enum Style {
    /// Headings.
    Bold,
    /// Errors.
    Red,
}

impl Style {
    fn paint(self, text: &str, is_on: bool) -> String {
        let code = match self {
            Style::Bold => "1",
            Style::Red => "1;31",
        };
        if is_on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// The text in this style, for stdout.
    pub fn out(self, text: &str) -> String {
        self.paint(text, is_on_stdout())
    }

    /// The text in this style, for stderr.
    pub fn err(self, text: &str) -> String {
        self.paint(text, is_on(stderr().is_terminal()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_found_wherever_it_stands() {
        let asked = |line: &str| in_arguments(line.split(' ').map(str::to_owned));
        assert_eq!(asked("pairs --color always ex.org"), ColorChoice::Always);
        assert_eq!(asked("--color=never pairs --color"), ColorChoice::Never);
        assert_eq!(asked("pairs -- --color always"), ColorChoice::Auto);
        assert_eq!(asked("pairs --color pink --colors=never"), ColorChoice::Auto);
    }

    #[test]
    fn text_is_painted_only_where_colour_is_on() {
        assert_eq!(Style::Bold.paint("pairs:", true), "\x1b[1mpairs:\x1b[0m");
        assert_eq!(Style::Bold.paint("pairs:", false), "pairs:");
    }
}
