//! Settings as command-line options, made from the table of settings.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use diglot::config::settings::{BASE_URL, Choice, LANGUAGE_PROGRAM, SCORER, Takes, configuration, setting};
use diglot::config::{SETTINGS, Setting};
use diglot::store::{Store, StoredSettings};
use diglot::upkeep::Given;

use super::freshness::place;

/// The stages that a command runs; the command has the options that affect these.
pub trait Runs {
    /// True for a stage that the command runs.
    fn runs(stage: &str) -> bool;

    /// True for a setting that the command has as an option.
    fn takes(setting: &Setting) -> bool {
        setting.stages.iter().any(|stage| Self::runs(stage))
    }

    /// True where a store keeps the settings.
    const KEEPS: bool = true;
}

/// Every stage.
pub struct AllStages;
/// Ingestion alone.
pub struct OnlyIngest;
/// Runs all stages after ingestion.
pub struct AfterIngest;

/// Runs no stage: it takes the texts of pages out of archives, without a store.
pub struct OnlyTexts;

impl Runs for OnlyTexts {
    fn runs(_: &str) -> bool {
        false
    }

    fn takes(setting: &Setting) -> bool {
        ["max-record-bytes", "max-window-bytes", "archives", BASE_URL].contains(&setting.name)
    }

    const KEEPS: bool = false;
}

impl Runs for AllStages {
    fn runs(_: &str) -> bool {
        true
    }
}

impl Runs for OnlyIngest {
    fn runs(stage: &str) -> bool {
        stage == "ingest"
    }
}

impl Runs for AfterIngest {
    fn runs(stage: &str) -> bool {
        stage != "ingest"
    }
}

/// The settings that affect the stages of a command, as its options.
pub struct Settings<R> {
    given: Given,
    of: PhantomData<R>,
}

impl<R> std::ops::Deref for Settings<R> {
    type Target = Given;

    fn deref(&self) -> &Given {
        &self.given
    }
}

/// The settings whose values differ between `a` and `b`.
pub fn differing(a: &StoredSettings, b: &StoredSettings) -> Vec<&'static str> {
    SETTINGS.iter().map(|setting| setting.name).filter(|name| !a.of(name).eq(b.of(name))).collect()
}

/// The settings of a store that are not at their defaults. Each run uses them without being given them again.
pub struct Differing {
    /// Names and values; lists with commas.
    pub settings: Vec<(&'static str, String)>,
    place: String,
}

impl Differing {
    /// The changed settings of a store.
    pub fn of(store: &Store) -> Differing {
        let kept = store.settings();
        let (config, _) = configuration(&kept.values);
        let differs = |name: &str| {
            let mut without = kept.clone();
            without.reset(name) && configuration(&without.values).0 != config
        };
        let names = SETTINGS.iter().map(|setting| setting.name).filter(|name| differs(name));
        let settings = names.map(|name| (name, kept.of(name).collect::<Vec<_>>().join(",")));
        Differing { settings: settings.collect(), place: place(store.folder()) }
    }

    /// The changed settings of a store in a form that strangers may read: a program without its options and its folder, and a file by its
    /// name alone.
    pub fn published(store: &Store) -> Vec<(String, String)> {
        let kept = store.settings();
        let names = Differing::of(store).settings.into_iter().map(|(name, _)| name);
        names
            .map(|name| {
                (name.to_owned(), kept.of(name).map(|value| published(name, value)).collect::<Vec<_>>().join(","))
            })
            .collect()
    }

    /// True when all are at their defaults.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// True when the setting of this name is changed.
    pub fn has(&self, name: &str) -> bool {
        self.settings.iter().any(|(known, _)| *known == name)
    }

    /// The command that resets some of them.
    pub fn reset(&self, names: &str) -> String {
        format!("`diglot run --reset {names}{}`", self.place)
    }
}

impl std::fmt::Display for Differing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<String> = self.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let names: Vec<&str> = self.settings.iter().map(|(name, _)| *name).collect();
        let them = if names.len() == 1 { "it" } else { "them" };
        write!(f, "{}; {} takes {them} back", texts.join("; "), self.reset(&names.join(",")))
    }
}

/// The part of a setting's value that strangers may read.
fn published(name: &str, value: &str) -> String {
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    match setting(name) {
        Some(setting) if matches!(setting.takes, Takes::Files | Takes::Folder) => last(value),
        Some(_) if [LANGUAGE_PROGRAM, SCORER].contains(&name) => {
            last(&shlex::split(value).and_then(|words| words.into_iter().next()).unwrap_or_default())
        }
        _ => value.to_owned(),
    }
}

impl<R: Runs> clap::Args for Settings<R> {
    fn augment_args(command: Command) -> Command {
        let reset = Arg::new("reset")
            .long("reset")
            .value_name("NAME,…")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .help("Return settings to their defaults, such as langs,min-score; or `all`");
        let command = if R::KEEPS { command.arg(reset) } else { command };
        SETTINGS.iter().filter(|setting| R::takes(setting)).map(argument).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<R: Runs> FromArgMatches for Settings<R> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let values = |name: &str| -> Result<Option<Vec<String>>, clap::Error> {
            let values = matches.try_get_many::<String>(name);
            let values = values.map_err(|error| clap::Error::raw(ErrorKind::InvalidValue, error))?;
            Ok(values.map(|values| values.cloned().collect()))
        };
        let reset = if R::KEEPS { values("reset")? } else { None };
        let mut given = Given::reset(reset.unwrap_or_default());
        for setting in SETTINGS.iter().filter(|setting| R::takes(setting)) {
            if let Some(values) = values(setting.name)? {
                given.set(setting, values);
            }
        }
        Ok(Settings { given, of: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The option of a setting.
fn argument(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.name)
        .long(setting.name)
        .value_name(setting.value_name)
        .help(setting.help)
        .help_heading(setting.group)
        .hide_short_help(setting.is_tuning);
    match setting.takes {
        Takes::One => arg.allow_negative_numbers(true),
        Takes::OneOf(choices) => arg.value_parser(shown(choices())),
        Takes::Several => arg.value_delimiter(',').action(ArgAction::Append),
        Takes::SeveralOf(choices) => arg.value_delimiter(',').action(ArgAction::Append).value_parser(shown(choices())),
        Takes::Files => arg.action(ArgAction::Append).value_hint(clap::ValueHint::FilePath),
        Takes::Folder => arg.value_hint(clap::ValueHint::DirPath),
        Takes::Address => arg.value_hint(clap::ValueHint::Url),
        Takes::YesNo => arg.num_args(0..=1).require_equals(true).default_missing_value("yes"),
    }
}

/// Accepts any text, and shows the choices in the help; the table of settings checks the value, with the same message everywhere.
fn shown(choices: Vec<Choice>) -> ValueParser {
    let value = |(name, about): Choice| {
        let value = PossibleValue::new(name);
        if about.is_empty() { value } else { value.help(about) }
    };
    ValueParser::new(Shown(choices.into_iter().map(value).collect()))
}

#[derive(Clone)]
struct Shown(Vec<PossibleValue>);

impl TypedValueParser for Shown {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &std::ffi::OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_of_settings_says_nothing_of_this_machine() {
        for (name, value, told) in [
            (SCORER, "'/home/My User/labse' --model=/home/me/m.bin --key s3cret", "labse"),
            (LANGUAGE_PROGRAM, "fasttext predict-prob /models/glotlid.bin -", "fasttext"),
            ("lexicon", "/home/me, myself/en-fr.tsv", "en-fr.tsv"),
            ("archives", "/srv/crawls", "crawls"),
            ("robots-agent", "bot/1.0", "bot/1.0"),
        ] {
            assert_eq!(published(name, value), told);
        }
    }
}
