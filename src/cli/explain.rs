//! `diglot explain`.

use std::io::{self, Write};

use clap::Args;
use diglot::error::Error;
use diglot::explain;
use diglot::export::rows::printable;
use diglot::query::explain::{Explanation, words};
use diglot::types::CanonicalUrl;

use super::freshness::Lists;
use super::global::Global;

/// Explain why a page was or was not paired, or why two pages are or are not a pair.
///
/// With one URL: where the page comes from, its languages, and its partners with their keys; or, if it has none, the pairs that
/// were rejected, the URL to which each key leads, and why no page there is its partner. With two URLs: why they are a pair, or
/// why not.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot explain http://example.org/fr/about.html
  diglot explain example.org/fr/about.html example.org/en/about.html
  diglot explain --json example.org/")]
pub struct Explain {
    /// The URL of a page, with or without `http://`.
    url: String,
    /// The URL of another page: explain this pair.
    other: Option<String>,
    /// Print a JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Pairs)?;
        let url = parse(&self.url)?;
        let other = self.other.as_deref().map(parse).transpose()?;
        let explanation = explain(&store, &config, &url, other.as_ref())?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&explanation)?)?;
            return Ok(());
        }
        out.write_all(text(&explanation).as_bytes())?;
        Ok(())
    }
}

fn parse(text: &str) -> anyhow::Result<CanonicalUrl> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    Ok(CanonicalUrl::parse(&text)
        .map_err(|why| Error::input(&text, format!("{why}; expected an http or https URL")))?)
}

/// An explanation as lines: a title for each page and one for the two, below each its facts.
fn text(explanation: &Explanation) -> String {
    let pages = explanation.pages.iter().map(|page| (page.url.as_str(), words::page(page)));
    let pair = explanation.pair.iter().map(|pair| ("the two", words::pair(pair)));
    let mut text = String::new();
    for (title, facts) in pages.chain(pair) {
        text += &format!("{}\n", printable(title));
        for (name, fact) in facts {
            text += &format!("  {name:<14} {}\n", printable(&fact));
        }
    }
    text
}
