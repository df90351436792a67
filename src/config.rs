//! Settings: one section for each method, with the presets of the papers.

use crate::index::retrieval;
use crate::types::Lang;
use crate::{align, archive, explore, extract, iterate, judge, keys, learn, recover, verify};
use std::path::PathBuf;

/// Names of the presets, and what each is.
pub const PRESETS: &[(&str, &str)] = &[
    ("default", "keys of every kind, copies left out, doubtful languages settled by keys"),
    ("kit-ng-2007", "Kit & Ng 2007: token keys in path and file, linking power above |U|/10, English by its letters"),
    (
        "pupsniffer-2013",
        "Zhang, Yao & Kit 2013: character cores too, local and global credibility, rescue of weak keys",
    ),
    (
        "webmining-2008",
        "Tomás et al. 2008: all pages of a site against each other, by structure, then by content; no addresses",
    ),
    ("link-2014", "Liu et al. 2014: all pages of a site against each other, in rounds over links; no addresses"),
];

/// What is done with the pairs of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// They are the outcome.
    Keys,
    /// They are verified, and iteration adds to them.
    #[default]
    All,
    /// WebMining: all pages of a site against all others (Tomás et al. 2008).
    Webmining,
    /// ETS over all pages of a site (Liu et al. 2014).
    Links,
}

impl Method {
    /// True when pairs are verified.
    pub fn verifies(self) -> bool {
        matches!(self, Method::All | Method::Webmining)
    }

    /// True when rounds over links follow.
    pub fn iterates(self) -> bool {
        matches!(self, Method::All | Method::Links)
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Config {
    /// True when pairs are verified.
    pub fn verifies(&self) -> bool {
        self.verifier.is_some() || self.method.verifies()
    }

    /// True when rounds over links follow.
    pub fn iterates(&self) -> bool {
        self.verifier.is_none() && self.method.iterates()
    }

    /// True when the run learns from the pairs of strong keys.
    pub fn learns(&self) -> bool {
        self.verifier.is_some() || self.method == Method::All
    }
}

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
    /// Comparing pages.
    pub verify: verify::Params,
    /// Judging pairs.
    pub judge: judge::Params,
    /// Learning from pairs of strong keys.
    pub learn: learn::Params,
    /// Iteration over links.
    pub iterate: iterate::Params,
    /// What is done with the pairs of keys.
    pub method: Method,
    /// The one measure that judges the pairs of keys; `None`: all measures together.
    pub verifier: Option<String>,
    /// Urls propose nothing.
    pub without_keys: bool,
    /// Translations of words say nothing.
    pub without_content: bool,
    /// All pages against all others.
    pub webmining: judge::webmining::Params,
    /// Word lists that the user gave.
    pub lexicons: Vec<PathBuf>,
    /// Candidates that no address reveals.
    pub retrieval: retrieval::Params,
    /// Deep pages.
    pub recover: recover::Params,
    /// Exploring.
    pub explore: explore::Params,
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
            // Languages are those of the texts; no address has a say in them, and none hides a page.
            "webmining-2008" | "link-2014" => {
                keys::Params { copies: false, resolve_labels: false, ..keys::Params::default() }
            }
            _ => return None,
        };
        let method = match name {
            "default" => Method::All,
            "webmining-2008" => Method::Webmining,
            "link-2014" => Method::Links,
            _ => Method::Keys,
        };
        let mut config = Config { preset: name.to_owned(), keys, method, ..Config::default() };
        if method == Method::Webmining {
            // The paper's filters are its thresholds; a least score comes on top where it is asked for.
            config.judge.min_score = 0.0;
        }
        Some(config)
    }

    /// The position of a language in the order of listing: that of `--langs`, then that of the tags.
    pub fn lang_rank(&self, lang: Lang) -> (usize, Lang) {
        let given = self.keys.langs.iter().position(|wanted| wanted.agrees(lang));
        (given.unwrap_or(usize::MAX), lang)
    }
}
