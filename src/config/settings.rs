//! The table of settings: what a user may set, each in one entry.
//!
//! An entry defines a setting completely: it is an option of the command line, a store has it under its name, and a setting that a store
//! does not have is at its default. To add one, add a field to the `Params` of its method and an entry here.

use std::path::PathBuf;

use super::{Config, presets};
use crate::archive;
use crate::error::{Error, Result};
use crate::files::GivenFile;
use crate::index::captures;
use crate::keys::SiteUnit;
use crate::language::names::did_you_mean;
use crate::papers::ets::Weights;
use crate::types::{Lang, nearest_name};
use crate::verify::VERIFIERS;

/// What a user may set.
pub struct Setting {
    /// Its name in the store; `min-score` is the option `--min-score`.
    pub name: &'static str,
    /// The heading of `--help` under which it stands.
    pub group: &'static str,
    /// What `--help` calls its value.
    pub value_name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Which values may be given.
    pub takes: Takes,
    /// A value other than the default.
    pub example: &'static str,
    /// True if it is seldom needed, and so left out of `-h`.
    pub is_tuning: bool,
    /// The stages that use it: their commands have the option. Where the setting [changes](Setting::changes) the results of a stage, these
    /// are made again, and so are the results of later stages that depend on them.
    pub stages: &'static [&'static str],
    /// Sets one value; of a list, it is called with each in turn. The error says what was expected.
    pub set: fn(&mut Config, &str) -> std::result::Result<(), String>,
}

impl Setting {
    /// True for a stage whose fingerprint the setting changes.
    pub fn changes(&self, stage: &str) -> bool {
        !matches!(self.takes, Takes::Folder | Takes::Address) && self.group != SCORES && self.stages.contains(&stage)
    }
}

/// What values a setting takes.
#[derive(Clone, Copy)]
pub enum Takes {
    /// One value.
    One,
    /// One of these values, each with its meaning.
    OneOf(fn() -> Vec<Choice>),
    /// Several values, with commas between them.
    Several,
    /// Several of these values, each with its meaning.
    SeveralOf(fn() -> Vec<Choice>),
    /// Paths of files; the option is given once for each.
    Files,
    /// The path of a folder in which something lies. No result depends on it.
    Folder,
    /// The address of a page. It counts for what is read from now on; no result of what was read before depends on it.
    Address,
    /// `yes` or `no`; without a value, `yes`.
    YesNo,
}

/// A value that can be chosen, and what it means.
pub type Choice = (&'static str, &'static str);

/// Which method pairs pages.
pub const METHOD: &str = "Method";
/// The group of settings for what is read.
pub const INPUT: &str = "Input";
/// Which pages are paired with each other.
pub const SITES: &str = "Languages and sites";
/// The group of settings for which pages are left out because of what they, or their owners, say.
pub const OWNERS: &str = "What pages say of themselves";
/// The group of settings for what counts as evidence for a pair, and how much of it is enough.
pub const EVIDENCE: &str = "Evidence";
/// The method of Liu et al. 2014.
pub const LINK_2014: &str = "Preset link-2014";

/// The group of settings for a program that scores sentence pairs. Its scores are kept beside the results of the stage, and change none of
/// them.
pub const SCORES: &str = "Scores of one's own";

/// The setting for folders of pages that do not say from where they were saved.
pub const BASE_URL: &str = "base-url";
/// The setting that names the program that tells languages. A program that only a store names is never started.
pub const LANGUAGE_PROGRAM: &str = "language-program";
/// The setting that names the program that scores sentence pairs.
pub const SCORER: &str = "scorer";
/// The values that a setting of languages expects, for messages.
pub const LANGUAGE_TAGS: &str = "languages of ISO 639, such as en, fr, zh-Hans";

/// What a setting of languages expects instead of a text that is no tag, with the tag that is meant by a name.
pub fn language_tags(text: &str) -> String {
    format!("{LANGUAGE_TAGS}{}", did_you_mean(text))
}

/// Why a language that nothing names cannot be asked for by its tag before a run.
fn of_no_name(lang: Lang) -> String {
    format!(
        "{lang} is a language that nothing names, numbered by its size on each site, so that the next run may mean another one by it: give und for all \
         of these, or name it first by `diglot correct language PLACE TAG`"
    )
}

/// How many processes of a program there may be: more than any machine has memory for.
const MAX_PROCESSES: u32 = 1024;

/// All settings, in the order of `--help`. They are set in this order, so the preset is first, since it sets all others.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "preset",
        group: METHOD,
        value_name: "NAME",
        help: "The method: `default`, or the method of a paper",
        takes: Takes::OneOf(|| presets::PRESETS.iter().map(|preset| (preset.name, preset.about)).collect()),
        example: "pupsniffer-2013",
        is_tuning: false,
        stages: &["keys", "verify", "iterate"],
        set: |config, name| {
            *config = Config::preset(name).ok_or_else(|| format!("one of {}", presets::names()))?;
            Ok(())
        },
    },
    Setting {
        name: "max-record-bytes",
        group: INPUT,
        value_name: "SIZE",
        help: "Maximum length of a record and of a decoded body, in bytes or such as 64M [16M]",
        takes: Takes::One,
        example: "64M",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| put(&mut config.archive.max_record_bytes, record_bytes(text)),
    },
    Setting {
        name: "max-window-bytes",
        group: INPUT,
        value_name: "SIZE",
        help: "Maximum window of zstd archives, which is held in memory [128M]",
        takes: Takes::One,
        example: "2G",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| put(&mut config.archive.max_window_bytes, size(text).ok_or(SIZE)),
    },
    Setting {
        name: "archives",
        group: INPUT,
        value_name: "DIR",
        help: "Folder of the archives that lists of ranges name [that of the list]",
        takes: Takes::Folder,
        example: "/crawl",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| give(&mut config.archive.archives, Some(PathBuf::from(text))),
    },
    Setting {
        name: BASE_URL,
        group: INPUT,
        value_name: "URL",
        help: "Address from which folders of pages were saved, where no folder in them has the name of a host",
        takes: Takes::Address,
        example: "https://example.org/",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| {
            let is_address = archive::is_base_url(text);
            config.archive.base_url = Some(text.to_owned()).filter(|_| is_address);
            if is_address { Ok(()) } else { Err("the address of a page, such as https://example.org/".to_owned()) }
        },
    },
    Setting {
        name: LANGUAGE_PROGRAM,
        group: INPUT,
        value_name: "COMMAND",
        help: "Program that names the language of each page: a line of text in, a label and its probability out",
        takes: Takes::One,
        example: "fasttext predict-prob /models/glotlid.bin -",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| put(&mut config.ingest.program.command, words(text)),
    },
    Setting {
        name: "language-min-probability",
        group: INPUT,
        value_name: "0..1",
        help: "Minimum probability at which that program is believed; below, it guesses [0.5]",
        takes: Takes::One,
        example: "0.75",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| put(&mut config.ingest.min_probability, share(text)),
    },
    Setting {
        name: "language-timeout",
        group: INPUT,
        value_name: "SECONDS",
        help: "For how long that program may be silent while an answer is due [120]",
        takes: Takes::One,
        example: "600",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| put(&mut config.ingest.program.timeout_seconds, from_one(text)),
    },
    Setting {
        name: "language-processes",
        group: INPUT,
        value_name: "N",
        help: "How many of that program run side by side, each with its own model in memory [1]",
        takes: Takes::One,
        example: "2",
        is_tuning: true,
        stages: &["ingest"],
        set: |config, text| put(&mut config.ingest.program.processes, from_one(text).and_then(few)),
    },
    Setting {
        name: "langs",
        group: SITES,
        value_name: "LANG,…",
        help: "Only these languages, in this order: en,fr; `zh` is both scripts",
        takes: Takes::Several,
        example: "fr",
        is_tuning: false,
        stages: &["keys"],
        set: |config, text| {
            let lang = Lang::parse_wanted(text).ok_or_else(|| language_tags(text))?;
            if lang.is_unnamed() {
                return Err(format!("{LANGUAGE_TAGS}; {}", of_no_name(lang)));
            }
            config.keys.langs.push(lang);
            Ok(())
        },
    },
    Setting {
        name: "site",
        group: SITES,
        value_name: "UNIT",
        help: "What counts as one site",
        takes: Takes::OneOf(|| {
            vec![
                ("host", "a host, with its sister hosts by keys in their names [default]"),
                ("domain", "a whole domain"),
            ]
        }),
        example: "domain",
        is_tuning: false,
        stages: &["keys"],
        set: |config, text| match text {
            "host" => give(&mut config.keys.site, SiteUnit::Host),
            "domain" => give(&mut config.keys.site, SiteUnit::Domain),
            _ => Err("host or domain".into()),
        },
    },
    Setting {
        name: "across-suffixes",
        group: SITES,
        value_name: "yes|no",
        help: "Domains that differ only in their public suffix are one site",
        takes: Takes::YesNo,
        example: "yes",
        is_tuning: false,
        stages: &["index", "keys"],
        set: |config, text| put(&mut config.keys.across_suffixes, yes_or_no(text)),
    },
    Setting {
        name: "captures",
        group: SITES,
        value_name: "WHICH",
        help: "Which of several full captures of a URL becomes its page [newest]",
        takes: Takes::OneOf(|| {
            vec![
                ("newest", "the newest"),
                ("nearest", "the one nearest to the time in which most pages of its domain were captured"),
            ]
        }),
        example: "nearest",
        is_tuning: true,
        stages: &["index"],
        set: |config, text| match text {
            "newest" => give(&mut config.captures, captures::Choice::Newest),
            "nearest" => give(&mut config.captures, captures::Choice::Nearest),
            _ => Err("newest or nearest".into()),
        },
    },
    Setting {
        name: "respect-robots",
        group: OWNERS,
        value_name: "yes|no",
        help: "Leave out pages whose owners opt out: robots.txt, tdmrep.json, noai, noindex, noarchive, nosnippet, TDM reservation",
        takes: Takes::YesNo,
        example: "yes",
        is_tuning: true,
        stages: &["index"],
        set: |config, text| put(&mut config.index.respect_robots, yes_or_no(text)),
    },
    Setting {
        name: "robots-agent",
        group: OWNERS,
        value_name: "NAME",
        help: "Crawler whose rules in robots.txt count, such as CCBot [*, the rules for all]",
        takes: Takes::One,
        example: "CCBot",
        is_tuning: true,
        stages: &["index"],
        set: |config, text| {
            let is_name = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_*".contains(&b));
            put(&mut config.index.robots_agent, is_name.then(|| text.to_owned()).ok_or("a name such as CCBot, or *"))
        },
    },
    Setting {
        name: "skip-machine-translated",
        group: OWNERS,
        value_name: "yes|no",
        help: "Leave out pages with a mark of machine translation",
        takes: Takes::YesNo,
        example: "yes",
        is_tuning: true,
        stages: &["index"],
        set: |config, text| put(&mut config.index.skip_machine_translated, yes_or_no(text)),
    },
    Setting {
        name: "min-score",
        group: EVIDENCE,
        value_name: "0..1",
        help: "Minimum probability of a pair [0.5]",
        takes: Takes::One,
        example: "0.75",
        is_tuning: false,
        stages: &["verify", "iterate"],
        set: |config, text| put(&mut config.judge.min_score, share(text)),
    },
    Setting {
        name: "lexicon",
        group: EVIDENCE,
        value_name: "FILE",
        help: "Word list of two columns, headed by its languages or named `en-fr.tsv`",
        takes: Takes::Files,
        example: "/words.en-fr.tsv",
        is_tuning: false,
        stages: &["verify", "iterate", "align"],
        set: |config, text| {
            config.lexicons.push(GivenFile::new(text));
            Ok(())
        },
    },
    Setting {
        name: "languages",
        group: EVIDENCE,
        value_name: "FILE",
        help: "Profiles of languages, as `export --what languages` of another store writes them",
        takes: Takes::Files,
        example: "/seen.languages.tsv",
        is_tuning: true,
        stages: &["keys"],
        set: |config, text| {
            config.keys.profiles.push(GivenFile::new(text));
            Ok(())
        },
    },
    Setting {
        name: "without",
        group: EVIDENCE,
        value_name: "KIND,…",
        help: "Leave out kinds of evidence",
        takes: Takes::SeveralOf(|| vec![("keys", "the URLs"), ("content", "the translations of words")]),
        example: "content",
        is_tuning: false,
        stages: &["verify", "iterate"],
        set: |config, text| match text {
            "keys" => give(&mut config.without_keys, true),
            "content" => give(&mut config.without_content, true),
            _ => Err("keys or content".into()),
        },
    },
    Setting {
        name: "verifier",
        group: EVIDENCE,
        value_name: "NAME",
        help: "Judge the pairs that keys propose by this measure alone",
        takes: Takes::OneOf(|| VERIFIERS.iter().map(|verifier| (verifier.name(), "")).collect()),
        example: "strand",
        is_tuning: true,
        stages: &["verify", "iterate"],
        set: |config, text| {
            let names: Vec<&str> = VERIFIERS.iter().map(|verifier| verifier.name()).collect();
            if !names.contains(&text) {
                return Err(format!("one of {}", names.join(", ")));
            }
            give(&mut config.verifier, Some(text.to_owned()))
        },
    },
    Setting {
        name: "rescue-above",
        group: EVIDENCE,
        value_name: "PAGES",
        help: "Global credibility, in pages, above which a weak key is rescued [500; kit-ng-2007: none]",
        takes: Takes::One,
        example: "20",
        is_tuning: true,
        stages: &["keys"],
        set: |config, text| put(&mut config.keys.rescue_above, whole(text).map(|pages: u64| Some(pages as f64))),
    },
    Setting {
        name: "rounds",
        group: EVIDENCE,
        value_name: "N",
        help: "Maximum number of rounds over links [6; link-2014: 3]",
        takes: Takes::One,
        example: "1",
        is_tuning: true,
        stages: &["iterate"],
        set: |config, text| {
            let rounds: u32 = whole(text)?;
            config.iterate.rounds = rounds as usize;
            config.ets.rounds = rounds as usize;
            Ok(())
        },
    },
    Setting {
        name: SCORER,
        group: SCORES,
        value_name: "COMMAND",
        help: "Program that scores each sentence pair: a line of two languages and texts in, a number out",
        takes: Takes::One,
        example: "python3 /models/score.py",
        is_tuning: true,
        stages: &["align"],
        set: |config, text| put(&mut config.scorer.command, words(text)),
    },
    Setting {
        name: "scorer-timeout",
        group: SCORES,
        value_name: "SECONDS",
        help: "For how long that program may be silent while an answer is due [120]",
        takes: Takes::One,
        example: "600",
        is_tuning: true,
        stages: &["align"],
        set: |config, text| put(&mut config.scorer.timeout_seconds, from_one(text)),
    },
    Setting {
        name: "scorer-processes",
        group: SCORES,
        value_name: "N",
        help: "How many of that program run side by side, each with its own model in memory [1]",
        takes: Takes::One,
        example: "2",
        is_tuning: true,
        stages: &["align"],
        set: |config, text| put(&mut config.scorer.processes, from_one(text).and_then(few)),
    },
    Setting {
        name: "alpha",
        group: LINK_2014,
        value_name: "0..1",
        help: "Weight of the links in the similarity of two pages [0.6]",
        takes: Takes::One,
        example: "0.25",
        is_tuning: true,
        stages: &["iterate"],
        set: |config, text| put(&mut config.ets.alpha, share(text)),
    },
    Setting {
        name: "beta",
        group: LINK_2014,
        value_name: "0..1",
        help: "Weight of the words, against the structure [0.6]",
        takes: Takes::One,
        example: "0.25",
        is_tuning: true,
        stages: &["iterate"],
        set: |config, text| put(&mut config.ets.beta, share(text)),
    },
    Setting {
        name: "weights",
        group: LINK_2014,
        value_name: "HOW",
        help: "How pages to which many pages link are weighted as neighbours",
        takes: Takes::OneOf(|| {
            vec![("none", "like all others [default]"), ("first", "less, by their weight"), ("second", "not at all")]
        }),
        example: "first",
        is_tuning: true,
        stages: &["iterate"],
        set: |config, text| put(&mut config.ets.weights, Weights::of_name(text).ok_or("none, first or second")),
    },
    Setting {
        name: "min-sim",
        group: LINK_2014,
        value_name: "0..1",
        help: "Minimum similarity of a pair [as many pairs as the smaller language has pages]",
        takes: Takes::One,
        example: "0.25",
        is_tuning: true,
        stages: &["iterate"],
        set: |config, text| put(&mut config.ets.min_sim, share(text).map(Some)),
    },
];

/// The setting of a name.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

impl Setting {
    /// Checks a value by itself.
    ///
    /// # Errors
    /// When the value is not possible; the message names the option and what it expects.
    pub fn check(&self, value: &str) -> Result<()> {
        (self.set)(&mut Config::default(), value).map_err(|expected| {
            let verb = if self.takes_several() { "has" } else { "is" };
            let choices = match self.takes {
                Takes::OneOf(choices) | Takes::SeveralOf(choices) => choices(),
                _ => Vec::new(),
            };
            let meant = nearest_name(value, choices.iter().map(|(name, _)| *name));
            Error::Config(format!("--{} {verb} {value}, expected {expected}{meant}", self.name))
        })
    }

    /// True when it is a list.
    pub fn takes_several(&self) -> bool {
        matches!(self.takes, Takes::Several | Takes::SeveralOf(_) | Takes::Files)
    }
}

/// A stored setting that this release cannot use, because it does not know the name or the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What this release expects; empty if it has no setting of that name.
    pub expected: String,
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Unusable { name, value, expected } = self;
        if expected.is_empty() {
            write!(f, "the store has a setting {name} ({value}) that this release does not know")?;
        } else {
            write!(f, "the store has the setting {name} at {value}, and this release expects {expected}")?;
        }
        write!(f, "; use a newer release, or take it back with `diglot run --reset {name}`")
    }
}

/// The configuration that results from stored settings, given as pairs of name and value, and the settings that this release cannot use,
/// which are left at their defaults.
pub fn configuration(stored: &[(String, String)]) -> (Config, Vec<Unusable>) {
    let mut config = Config::preset("default").expect("there is a default");
    let mut unusable = Vec::new();
    let mut note = |name: &str, value: &str, expected: String| {
        unusable.push(Unusable { name: name.to_owned(), value: value.to_owned(), expected });
    };
    for setting in SETTINGS {
        for (name, value) in stored.iter().filter(|(name, _)| name == setting.name) {
            if let Err(expected) = (setting.set)(&mut config, value) {
                note(name, value, expected);
            }
        }
    }
    for (name, value) in stored.iter().filter(|(name, _)| setting(name).is_none()) {
        note(name, value, String::new());
    }
    (config, unusable)
}

fn give<T>(field: &mut T, value: T) -> std::result::Result<(), String> {
    *field = value;
    Ok(())
}

fn put<T>(field: &mut T, value: std::result::Result<T, &'static str>) -> std::result::Result<(), String> {
    give(field, value?)
}

fn share(text: &str) -> std::result::Result<f64, &'static str> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("0 to 1")
}

fn record_bytes(text: &str) -> std::result::Result<u64, &'static str> {
    size(text).filter(|bytes| archive::RECORD_BYTES.contains(bytes)).ok_or("1024 to 1073741824 bytes, such as 16M")
}

/// What is expected where [`size`] gives `None`.
pub const SIZE: &str = "bytes, or a number with K, M, G or T (by 1024), such as 512M or 1.5G";

/// Bytes as a user gives them: a whole number, or a number followed by K, M, G or T, which count by 1024 and may be followed by B or iB. A
/// number with such a unit may have a fraction.
pub fn size(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit {
        "" | "b" => return number.parse().ok(),
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(1 << shift);
    }
    // A fraction of a byte is dropped.
    let bytes = number.parse::<f64>().ok()? * (1_u64 << shift) as f64;
    (bytes < u64::MAX as f64).then_some(bytes as u64)
}

fn whole<T: std::str::FromStr>(text: &str) -> std::result::Result<T, &'static str> {
    text.parse().map_err(|_| "a whole number")
}

/// Divides a command into words as a shell does, leaving aside features that only a shell has.
fn words(text: &str) -> std::result::Result<Vec<String>, &'static str> {
    let words = shlex::split(text).filter(|words| words.first().is_some_and(|program| !program.is_empty()));
    words.ok_or("a program and its arguments, with quotes in pairs")
}

fn from_one(text: &str) -> std::result::Result<u32, &'static str> {
    whole(text).ok().filter(|&number| number > 0).ok_or("a whole number, 1 or more")
}

fn few(number: u32) -> std::result::Result<u32, &'static str> {
    if number <= MAX_PROCESSES { Ok(number) } else { Err("1 to 1024") }
}

fn yes_or_no(text: &str) -> std::result::Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("yes or no"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(values: &[(&str, &str)]) -> Vec<(String, String)> {
        values.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn names_are_unique_and_a_preset_is_set_first() {
        let mut names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        assert_eq!(names[0], "preset");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SETTINGS.len());
    }

    #[test]
    fn every_example_is_a_value_other_than_the_default() {
        for setting in SETTINGS {
            setting.check(setting.example).expect("an example is valid");
            let (config, unusable) = configuration(&stored(&[(setting.name, setting.example)]));
            assert_eq!(unusable, [], "{}", setting.name);
            assert_ne!(config, configuration(&[]).0, "{}", setting.name);
        }
    }

    #[test]
    fn choices_are_all_valid() {
        for setting in SETTINGS {
            if let Takes::OneOf(choices) | Takes::SeveralOf(choices) = setting.takes {
                choices().iter().for_each(|(name, _)| setting.check(name).expect("a choice is valid"));
            }
        }
    }

    #[test]
    fn the_order_in_the_store_does_not_matter_between_settings_and_matters_in_a_list() {
        let (config, _) =
            configuration(&stored(&[("min-score", "0.25"), ("langs", "fr"), ("preset", "link-2014"), ("langs", "en")]));
        assert_eq!((config.preset.as_str(), config.judge.min_score), ("link-2014", 0.25));
        assert_eq!(config.keys.langs.iter().map(Lang::as_str).collect::<Vec<_>>(), ["fr", "en"]);
    }

    #[test]
    fn settings_of_other_releases_are_named_and_left_at_their_default() {
        let (config, unusable) = configuration(&stored(&[("colour", "blue"), ("weights", "third"), ("alpha", "0.5")]));
        assert_eq!(config.ets.weights, Weights::None);
        assert_eq!(config.ets.alpha, 0.5);
        let told: Vec<String> = unusable.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "the store has the setting weights at third, and this release expects none, first or second; use a newer \
                 release, or take it back with `diglot run --reset weights`",
                "the store has a setting colour (blue) that this release does not know; use a newer release, or take it \
                 back with `diglot run --reset colour`",
            ]
        );
    }

    #[test]
    fn sizes_are_bytes_or_have_a_unit() {
        assert_eq!(
            ["100000000", "512M", "2g", "3k", "512MB", "2T", "1.5GiB", "9b"].map(size),
            [100_000_000, 512 << 20, 2 << 30, 3 << 10, 512 << 20, 2 << 40, 3 << 29, 9].map(Some)
        );
        let unreadable =
            ["", "M", "1.5", ".", "1.2.3G", "99999999999G", "99999999999.5T", "1é", "-1", "1e3M", "1 G", "1X"];
        assert_eq!(unreadable.map(size), [None; 12]);
        let (config, _) = configuration(&stored(&[("max-record-bytes", "64M"), ("max-window-bytes", "2G")]));
        assert_eq!((config.archive.max_record_bytes, config.archive.max_window_bytes), (64 << 20, 2 << 30));
    }

    #[test]
    fn a_command_is_divided_into_words_and_not_given_to_a_shell() {
        let words = |text: &str| {
            let (config, unusable) = configuration(&stored(&[(LANGUAGE_PROGRAM, text)]));
            (config.ingest.program.command, unusable.len())
        };
        assert_eq!(
            words("sh -c 'a | b' \"x y\" $HOME"),
            (["sh", "-c", "a | b", "x y", "$HOME"].map(String::from).to_vec(), 0)
        );
        for wrong in ["", " ", "a 'b", "'' a"] {
            assert_eq!(words(wrong), (Vec::new(), 1), "{wrong}");
        }
    }

    #[test]
    fn a_value_that_makes_no_sense_is_told_with_what_was_expected() {
        let problem = |name: &str, value: &str| {
            setting(name).expect("a setting").check(value).expect_err("a mistake").to_string()
        };
        assert!(problem("alpha", "2").ends_with("--alpha is 2, expected 0 to 1"));
        assert!(problem("alpha", "nan").ends_with("--alpha is nan, expected 0 to 1"));
        for wrong in ["0", "1023", "1073741825", "-1", "1e6"] {
            assert!(
                problem("max-record-bytes", wrong).ends_with("expected 1024 to 1073741824 bytes, such as 16M"),
                "{wrong}"
            );
        }
        for wrong in ["x-default", "xx"] {
            let told = problem("langs", wrong);
            assert!(told.ends_with(&format!("--langs has {wrong}, expected {LANGUAGE_TAGS}")), "{told}");
        }
        // The next run may number them otherwise.
        let told = problem("langs", "und-x-b");
        assert!(
            told.contains("und-x-b is a language that nothing names") && told.contains("give und for all"),
            "{told}"
        );
        assert!(configuration(&stored(&[("langs", "und")])).1.is_empty());
        let told = problem("langs", "yoruba");
        assert!(
            told.ends_with(&format!("--langs has yoruba, expected {LANGUAGE_TAGS}; did you mean yo (Yoruba)?")),
            "{told}"
        );
        assert!(problem("verifier", "x").contains("--verifier is x, expected one of "));
    }
}
