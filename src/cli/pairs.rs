//! `diglot pairs`.

use clap::Args;
use diglot::query::{self, Scope};
use diglot::types::Lang;
use serde_json::json;

use super::listing::{Listing, number};
use super::{FormatArg, Global};

#[derive(Args)]
pub struct Pairs {
    /// A host, a registrable domain or an address; none: all.
    host: Option<String>,
    /// Only pairs of these two languages, listed in this order.
    #[arg(long, value_delimiter = ',', value_name = "LANG,LANG", num_args = 1)]
    langs: Vec<String>,
    /// Only pairs of at least this score.
    #[arg(long, default_value_t = 0.0, value_name = "0..1")]
    min_score: f64,
    #[command(flatten)]
    format: FormatArg,
}

impl Pairs {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, mut config) = global.read()?;
        let wanted = parse_langs(&self.langs)?;
        if !wanted.is_empty() {
            config.keys.langs.clone_from(&wanted);
        }
        let scope = self.host.as_deref().map_or(Ok(Scope::all()), |host| Scope::of(&store, host))?;
        let columns = ["url_a", "url_b", "lang_a", "lang_b", "score", "method", "key"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        let mut outcome = Ok(());
        query::for_each_pair(&store, &config, &scope, |pair| {
            let is_wanted = |lang: Lang| wanted.is_empty() || wanted.iter().any(|w| w.agrees(lang));
            if pair.score >= self.min_score && is_wanted(pair.lang_a) && is_wanted(pair.lang_b) && outcome.is_ok() {
                outcome = listing.row(vec![
                    json!(pair.url_a),
                    json!(pair.url_b),
                    json!(pair.lang_a.as_str()),
                    json!(pair.lang_b.as_str()),
                    number(pair.score, 4),
                    json!(pair.method),
                    json!(pair.key),
                ]);
            }
            Ok(())
        })?;
        outcome?;
        Ok(listing.finish()?)
    }
}

/// Languages of an option.
pub fn parse_langs(langs: &[String]) -> anyhow::Result<Vec<Lang>> {
    let parse = |text: &String| {
        let problem =
            || diglot::error::Error::Config(format!("--langs has {text}, expected tags such as en, fr, zh-Hans"));
        Ok(Lang::parse(text).ok_or_else(problem)?)
    };
    langs.iter().map(parse).collect()
}
