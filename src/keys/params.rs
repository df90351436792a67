//! Settings of key discovery.

use std::io::Read;

use super::least::{MIN_COVERAGE, MIN_CREDIBILITY, MIN_PAIRS_NAMED, MIN_PAIRS_OTHER};
use super::suffixes;
use crate::error::{Error, Result};
use crate::files::{self, GivenFile};
use crate::labels::{self, LabelMode};
use crate::language::is_told;
use crate::language::profiles::{self, Profiles};
use crate::text::tokens::Separators;
use crate::types::{Field, Lang};

/// When keys below the token (Zhang et al. 2013, §2.1, 1) are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum CoreMode {
    /// Never.
    Off,
    /// Beside token keys, in one competition.
    Joint,
    /// Among the pages that token keys left alone.
    Leftover,
}

/// What comes first in the competition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Markers that name no other language than they stand for; then linking power.
    Names,
    /// Linking power, as in the papers; then markers.
    Power,
}

/// What makes a key strong.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub enum Strength {
    /// p(κ) > share·|U| (Kit & Ng 2007: 1/10).
    PairsOfUrls {
        /// Share of the site's URLs.
        min_share: f64,
    },
    /// C(p, w) > least, |w| being all pages of the site (Zhang et al. 2013: 0.1).
    PagesOfSite {
        /// Least local credibility.
        min_credibility: f64,
    },
    /// C(p, w) > least, |w| being the pages of the key's two languages; or a good
    /// share of the smaller language matched.
    PagesOfLanguages {
        /// Least local credibility (Zhang et al. 2013: 0.1).
        min_credibility: f64,
        /// Least share of the smaller language's pages that makes a key strong on its own: partly translated sites.
        min_coverage: f64,
        /// Least local credibility of keys that only tell numbers apart.
        number_credibility: f64,
    },
}

/// Which pages may be paired with which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum SiteUnit {
    /// Those of one host, and across hosts of one registrable domain by keys in host labels.
    Host,
    /// Those of one registrable domain.
    Domain,
}

/// The default of [`Params::min_share`].
pub const LISTED_SHARE: f64 = MIN_CREDIBILITY / 20.0;

/// Settings of key discovery.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Languages looked at, in the order of listing; empty: all.
    pub langs: Vec<Lang>,
    /// Files of profiles of languages, beside those that are part of the program.
    pub profiles: Vec<GivenFile>,
    /// What ends a token.
    pub separators: Separators,
    /// Tokens of the longest span beside the whole segment. Default 4: `pt-BR.utf8` and one to spare.
    pub max_span_tokens: usize,
    /// Tokens that mark nothing (Kit & Ng 2007, §3: htm, html).
    pub ignored_tokens: Vec<String>,
    /// Fields keys may work in.
    pub fields: Vec<Field>,
    /// Keys below the token.
    pub cores: CoreMode,
    /// Longest core, in bytes. Default 8: `francais`, `japanese`.
    pub max_core_bytes: usize,
    /// Whether compound keys are sought among the pages that single keys left alone.
    pub compound: bool,
    /// What tells a page's language.
    pub labels: LabelMode,
    /// Whether variants of a language that a site has side by side (`pt` and `pt-BR`) are languages of their own.
    pub variants: bool,
    /// Whether untranslated copies are found and left out.
    pub copies: bool,
    /// Whether doubtful languages are those that the site names, and are resolved by the markers of strong keys.
    pub resolve_labels: bool,
    /// Confidence of a language, 0..=1, below which a text may be in two, and its letters decide. Default 0.75: where the
    /// alphabets differ it is the share of the language's letters, so that a quarter is in other ones.
    pub min_confidence: f64,
    /// How much of the way from the letters of its language to those of the language of its URL a text must have come, 0..=1, to
    /// count for that one. Default ⅓, an estimate: a third is translated.
    pub min_shift: f64,
    /// What markers must show where there are neither text nor languages.
    pub unlabelled: UnlabelledParams,
    /// What makes a key strong.
    pub strength: Strength,
    /// Global credibility that rescues a weak key, in pages; `None`: no rescue. Zhang et al. 2013: 500, for 12,800 sites:
    /// scale it to the archive.
    pub rescue_above: Option<f64>,
    /// A site's own part of the sum does not count when its weak keys are judged: a large site would rescue them itself.
    pub rescue_by_others: bool,
    /// What a site is.
    pub site: SiteUnit,
    /// Whether keys are sought in folders too, among the pages that those of their hosts leave alone.
    pub folders: bool,
    /// Whether domains that differ in their public suffix only may be one site, and keys turn one into the other.
    pub across_suffixes: bool,
    /// What such domains must show to be one site.
    pub suffixes: suffixes::Thresholds,
    /// A page has one partner in all (Kit & Ng 2007), not one a language.
    pub one_partner: bool,
    /// Least linking power of a key that is listed, unless it names its languages or is rescued.
    pub min_power: u32,
    /// The same as a share of a language's pages. Default 0.005: a twentieth of what a strong key matches at least, where
    /// both languages have as many pages.
    pub min_share: f64,
    /// Weak keys kept for listing and for global credibility, of each host and of those between hosts, the strongest first. Default 256.
    pub max_weak_keys: usize,
    /// Pages on which the frequency of values is counted; larger sites are counted on every n-th page. Default 131,072.
    pub count_pages: usize,
    /// Entries of 16 bytes that the search for candidates holds; beyond it skeletons are sampled. Default 2 M (32 MiB).
    pub sample_entries: usize,
    /// Bytes of entries that exact counting holds; beyond it they are sorted on disk. Default 192 MiB.
    pub memory_bytes: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            langs: Vec::new(),
            profiles: Vec::new(),
            separators: Separators::Punctuation,
            max_span_tokens: 4,
            ignored_tokens: Vec::new(),
            fields: Field::ALL.to_vec(),
            cores: CoreMode::Leftover,
            max_core_bytes: 8,
            compound: true,
            labels: LabelMode::Detected,
            variants: true,
            copies: true,
            resolve_labels: true,
            min_confidence: 0.75,
            min_shift: 1.0 / 3.0,
            unlabelled: UnlabelledParams::default(),
            strength: Strength::PagesOfLanguages {
                min_credibility: MIN_CREDIBILITY,
                min_coverage: MIN_COVERAGE,
                number_credibility: 0.5,
            },
            rescue_above: Some(500.0),
            rescue_by_others: true,
            site: SiteUnit::Host,
            folders: true,
            across_suffixes: false,
            suffixes: suffixes::Thresholds::default(),
            one_partner: false,
            min_power: 2,
            min_share: LISTED_SHARE,
            max_weak_keys: 256,
            count_pages: 1 << 17,
            sample_entries: 2 << 20,
            memory_bytes: 192 << 20,
        }
    }
}

/// What is expected where profiles of languages are given.
const PROFILE_FILE: &str =
    "a file of profiles, as `export --what languages --format tsv` writes it (to choose languages, use --langs)";

impl Params {
    /// How pages get their languages before keys are known.
    pub fn labelling(&self) -> labels::Labelling<'_> {
        labels::Labelling {
            mode: self.labels,
            langs: &self.langs,
            is_named: self.resolve_labels,
            variants: self.variants,
        }
    }

    /// The profiles of languages that are part of the program, and those that the user gave.
    ///
    /// # Errors
    /// When a file cannot be read, or has a line that is no profile.
    pub fn given_profiles(&self) -> Result<Profiles> {
        let mut lines = Vec::new();
        for file in &self.profiles {
            let path = &file.path;
            let mut text = String::new();
            let read = files::open(path).and_then(|file| files::text(file).read_to_string(&mut text));
            read.map_err(|error| {
                let problem = format!("{error}; --languages takes {PROFILE_FILE}; `--reset languages` does without");
                Error::input(path.display().to_string(), problem)
            })?;
            let read = profiles::read(&text).map_err(|(line, why)| {
                let place = format!("{}, line {line}", path.display());
                Error::input(
                    place,
                    format!("{why}; --languages takes {PROFILE_FILE}; `--reset languages` does without"),
                )
            })?;
            if let Some(line) = read.iter().find(|line| is_told(line.lang)) {
                let problem =
                    format!("words or script tell {}, and no profile is used for it; leave its line out", line.lang);
                return Err(Error::input(path.display().to_string(), problem));
            }
            lines.extend(read);
        }
        Ok(Profiles::shipped().with(&lines))
    }

    /// What comes first in the competition.
    pub fn order(&self) -> Order {
        match self.strength {
            Strength::PagesOfLanguages { .. } => Order::Names,
            Strength::PairsOfUrls { .. } | Strength::PagesOfSite { .. } => Order::Power,
        }
    }

    /// The method of Kit & Ng 2007; departures in docs/methods.md.
    pub fn kit_ng_2007() -> Params {
        Params {
            separators: Separators::KitNg,
            max_span_tokens: 1,
            ignored_tokens: vec!["htm".into(), "html".into()],
            fields: vec![Field::Path, Field::File],
            cores: CoreMode::Off,
            compound: false,
            folders: false,
            labels: LabelMode::LatinShare,
            copies: false,
            resolve_labels: false,
            variants: false,
            strength: Strength::PairsOfUrls { min_share: MIN_CREDIBILITY },
            rescue_above: None,
            rescue_by_others: false,
            one_partner: true,
            min_power: 1,
            ..Params::default()
        }
    }

    /// The method of Zhang, Yao & Kit 2013 up to pairs; departures in docs/methods.md.
    pub fn pupsniffer_2013() -> Params {
        Params {
            cores: CoreMode::Joint,
            labels: LabelMode::Detected,
            strength: Strength::PagesOfSite { min_credibility: MIN_CREDIBILITY },
            rescue_above: Some(500.0),
            one_partner: false,
            ignored_tokens: Vec::new(),
            ..Params::kit_ng_2007()
        }
    }

    /// True for a language that is looked at.
    pub fn wants(&self, lang: Lang) -> bool {
        self.labelling().wants(lang)
    }

    /// The least linking power of a listed key in a language of `size` pages.
    pub fn min_count(&self, size: u32) -> u32 {
        self.min_power.max((f64::from(size) * self.min_share).ceil() as u32)
    }
}

/// What a marker must show where no language is known. Power is the number of URLs that exist with either marker.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct UnlabelledParams {
    /// Markers that name languages: least power. Default 2, as for keys that name their languages.
    pub named_power: u32,
    /// Markers that name languages: least share of the pages of the rarer one that exist with the other marker. Default 0.3, the
    /// coverage that keys need where languages are known.
    pub named_share: f64,
    /// Other markers: least power. Default 5, as for keys that are judged by coverage.
    pub other_power: u32,
    /// Other markers: least share of the pages of the *commoner* one that exist with the other marker; twice that of (null).
    /// Default 0.4 (an estimate): names of subjects or numbers share fewer.
    pub other_share: f64,
    /// Other markers: least share of all pages of the domain that the two join. Default 0.1 (Zhang et al. 2013).
    pub other_credibility: f64,
}

impl Default for UnlabelledParams {
    fn default() -> UnlabelledParams {
        UnlabelledParams {
            named_power: MIN_PAIRS_NAMED.by_coverage,
            named_share: MIN_COVERAGE,
            other_power: MIN_PAIRS_OTHER.by_coverage,
            other_share: 0.4,
            other_credibility: MIN_CREDIBILITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_power_is_a_share_of_a_language_of_many_pages() {
        let params = Params { min_power: 2, min_share: 0.005, ..Params::default() };
        assert_eq!([0, 400, 401, 1001].map(|size| params.min_count(size)), [2, 2, 3, 6]);
    }

    #[test]
    fn languages_are_wanted_that_are_named_or_all() {
        assert!(Params::default().wants(Lang::EN));
        let params = Params { langs: vec![Lang::ZH], ..Params::default() };
        assert!(params.wants(Lang::ZH) && !params.wants(Lang::EN));
    }
}
