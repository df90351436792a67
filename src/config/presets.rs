//! Presets: methods that are chosen by name.

use super::{Config, Strategy};
use crate::keys;

/// A method with a name.
pub struct Preset {
    /// Its name on the command line and in stores.
    pub name: &'static str,
    /// What the preset is, in one line.
    pub about: &'static str,
    /// Turns the default configuration into that of the preset.
    make: fn(&mut Config),
}

/// All presets, the default first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "keys of every kind, copies left out, doubtful languages resolved by keys; pairs verified, more found by links",
        make: |_| {},
    },
    Preset {
        name: "kit-ng-2007",
        about: "Kit & Ng 2007: token keys in path and file, linking power above |U|/10, English by its letters",
        make: |config| keys_alone(config, keys::Params::kit_ng_2007()),
    },
    Preset {
        name: "pupsniffer-2013",
        about: "Zhang, Yao & Kit 2013: character cores too, local and global credibility, rescue of weak keys",
        make: |config| keys_alone(config, keys::Params::pupsniffer_2013()),
    },
    Preset {
        name: "webmining-2008",
        about: "Tomás et al. 2008: all pages of a site against each other, by structure, then by content; no URLs",
        make: |config| {
            all_pages(config, Strategy::Webmining);
            // In the paper the filters alone decide. A minimum score is added only if the user gives one.
            config.judge.min_score = 0.0;
        },
    },
    Preset {
        name: "link-2014",
        about: "Liu et al. 2014: all pages of a site against each other, in rounds over links; no URLs",
        make: |config| all_pages(config, Strategy::Links),
    },
];

impl Config {
    /// The configuration of a preset; `None` when there is no preset of that name.
    pub fn preset(name: &str) -> Option<Config> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        let mut config = Config { preset: name.to_owned(), ..Config::default() };
        (preset.make)(&mut config);
        Some(config)
    }
}

/// The names of all presets, for messages.
pub fn names() -> String {
    PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
}

/// The pairs of keys are the result.
fn keys_alone(config: &mut Config, keys: keys::Params) {
    (config.keys, config.strategy) = (keys, Strategy::Keys);
}

/// Languages are those of the texts: URLs do not change them, and set no page aside as a copy. The whole text of a page is compared.
fn all_pages(config: &mut Config, strategy: Strategy) {
    (config.keys.copies, config.keys.resolve_labels, config.keys.variants) = (false, false, false);
    config.strategy = strategy;
    config.verify.own_text = None;
}
