//! Settings: one section for each method, with the presets of the papers.

use crate::types::Lang;
use crate::{align, archive, extract, keys};

/// Names of the presets, and what each is.
pub const PRESETS: &[(&str, &str)] = &[
    ("default", "keys of every kind, copies left out, doubtful languages settled by keys"),
    ("kit-ng-2007", "Kit & Ng 2007: token keys in path and file, linking power above |U|/10, English by its letters"),
    (
        "pupsniffer-2013",
        "Zhang, Yao & Kit 2013: character cores too, local and global credibility, rescue of weak keys",
    ),
];

/// All settings of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Name of the preset.
    pub preset: String,
    /// Reading archives.
    pub archive: archive::Params,
    /// Extracting pages.
    pub extract: extract::Params,
    /// Key discovery.
    pub keys: keys::Params,
    /// Alignment.
    pub align: align::Params,
    /// Ingestion.
    pub ingest: IngestParams,
}

/// How ingestion cuts its work.
#[derive(Clone, Debug, PartialEq)]
pub struct IngestParams {
    /// Bytes of records that are extracted at once, in parallel. Three such portions are in memory. Default 8 MiB.
    pub portion_bytes: usize,
    /// Records that are extracted at once, at the most.
    pub portion_records: usize,
    /// Bytes of records after which the work is committed. Default 64 MiB: a second of work, lost at the most.
    pub commit_bytes: usize,
}

impl Default for IngestParams {
    fn default() -> IngestParams {
        IngestParams { portion_bytes: 8 << 20, portion_records: 1024, commit_bytes: 64 << 20 }
    }
}

impl Config {
    /// The settings of a preset; `None` when there is no preset of that name.
    pub fn preset(name: &str) -> Option<Config> {
        let keys = match name {
            "default" => keys::Params::default(),
            "kit-ng-2007" => keys::Params::kit_ng_2007(),
            "pupsniffer-2013" => keys::Params::pupsniffer_2013(),
            _ => return None,
        };
        Some(Config { preset: name.to_owned(), keys, ..Config::default() })
    }

    /// The position of a language in the order of listing: that of `--langs`, then that of the tags.
    pub fn lang_rank(&self, lang: Lang) -> (usize, Lang) {
        let given = self.keys.langs.iter().position(|wanted| wanted.agrees(lang));
        (given.unwrap_or(usize::MAX), lang)
    }
}
