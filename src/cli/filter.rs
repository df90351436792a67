//! What a listing or a file is to have: of which host, which pairs of it.

use clap::Args;
use diglot::config::{Config, two_languages};
use diglot::error::Error;
use diglot::query::Scope;
use diglot::store::Store;
use diglot::types::Lang;

/// Which part of the store a command is about: `HOST`, or `--host HOST`, which is the same.
#[derive(Args)]
pub struct HostArg {
    /// A host, a registrable domain or a URL; by default all.
    #[arg(value_name = "HOST")]
    host: Option<String>,
    /// The same as HOST.
    #[arg(long = "host", value_name = "HOST", conflicts_with = "host")]
    host_option: Option<String>,
}

impl HostArg {
    /// The host as it was given.
    pub fn given(&self) -> Option<&str> {
        self.host.as_deref().or(self.host_option.as_deref())
    }

    /// What the store has of it.
    ///
    /// # Errors
    /// When the store has no page of it.
    pub fn scope(&self, store: &Store) -> Result<Scope, Error> {
        self.given().map_or(Ok(Scope::all()), |host| Scope::of(store, host))
    }
}

/// What is asked of pairs, of pages or of sentences.
#[derive(Args)]
pub struct Filter {
    /// Only pairs of these two languages, listed in this order.
    #[arg(long, value_delimiter = ',', value_name = "LANG,LANG", num_args = 1)]
    langs: Vec<String>,
    /// Only pairs of at least this score.
    #[arg(long, default_value_t = 0.0, value_name = "0..1", allow_negative_numbers = true)]
    min_score: f64,
}

/// The same, understood.
pub struct Wanted {
    /// The languages in the order they were given; empty: all.
    pub langs: Vec<Lang>,
    min_score: f64,
}

impl Filter {
    /// As [`Filter::wanted`], of pairs: one language alone has none.
    pub fn wanted_pairs(&self, config: &mut Config) -> anyhow::Result<Wanted> {
        let wanted = self.wanted(config)?;
        two_languages(&wanted.langs)?;
        Ok(wanted)
    }

    /// Reads the names of languages, and has `config` list them in this order.
    pub fn wanted(&self, config: &mut Config) -> anyhow::Result<Wanted> {
        let langs = parse_langs(&self.langs)?;
        if !(0.0..=1.0).contains(&self.min_score) {
            return Err(Error::Config(format!("--min-score is {}, expected 0 to 1", self.min_score)).into());
        }
        if !langs.is_empty() {
            config.keys.langs.clone_from(&langs);
        }
        Ok(Wanted { langs, min_score: self.min_score })
    }
}

impl Wanted {
    /// True where a minimum of the score was asked for.
    pub fn has_min_score(&self) -> bool {
        self.min_score > 0.0
    }

    /// True for this language.
    pub fn takes_lang(&self, lang: Lang) -> bool {
        self.langs.is_empty() || self.langs.iter().any(|wanted| wanted.agrees(lang))
    }

    /// True for a pair of these languages with this score.
    pub fn takes(&self, score: f64, langs: [Lang; 2]) -> bool {
        score >= self.min_score && self.takes_langs(langs)
    }

    /// True for these languages.
    pub fn takes_langs(&self, langs: [Lang; 2]) -> bool {
        langs.into_iter().all(|lang| self.takes_lang(lang))
    }
}

fn parse_langs(langs: &[String]) -> anyhow::Result<Vec<Lang>> {
    let parse = |text: &String| {
        let problem = || Error::Config(format!("--langs has {text}, expected tags such as en, fr, zh-Hans"));
        Ok(Lang::parse(text).ok_or_else(problem)?)
    };
    langs.iter().map(parse).collect()
}
