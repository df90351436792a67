//! `diglot explain`.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use diglot::error::Error;
use diglot::explain;
use diglot::export::rows::{json_line, printable};
use diglot::query;
use diglot::query::explain::{Explanation, PairExplanation, words};
use diglot::types::CanonicalUrl;

use super::color::Style;
use super::freshness::Lists;
use super::global::Global;

/// Explain why a page, or two pages, were or were not paired.
///
/// With one URL: a verdict, and the page's partners with their keys; or, if it has none, the pairs that were rejected, the URL to which
/// each key leads, and why no page there is its partner; then the source of the page, and its languages. With two URLs: why they are a pair
/// or not, then each of them, then their aligned sentences. Exit code 1 if the store does not have the page; a message then names the
/// nearest URL that it has.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot explain http://example.org/fr/about.html
  diglot explain example.org/fr/about.html example.org/en/about.html
  diglot explain --format json example.org/")]
pub struct Explain {
    /// The URL of a page, with or without `http://`.
    url: String,
    /// The URL of another page: explain this pair.
    other: Option<String>,
    /// text, json, or jsonl (on one line).
    #[arg(long, value_enum, default_value = "text", hide_possible_values = true)]
    format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines, for people.
    #[value(alias = "table")]
    Text,
    /// A JSON object.
    Json,
    /// The same on one line.
    Jsonl,
}

impl Explain {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Pairs)?;
        let url = parse(&self.url)?;
        let other = self.other.as_deref().map(parse).transpose()?;
        let explanation = explain(&store, &config, &url, other.as_ref())?;
        let mut out = io::stdout().lock();
        match if self.json { Format::Json } else { self.format } {
            Format::Text => out.write_all(text(&explanation).as_bytes())?,
            Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(&explanation)?)?,
            Format::Jsonl => json_line(&mut out, &explanation)?,
        }
        out.flush()?;
        match explanation.pages.iter().find(|page| page.verdict.is_unknown()) {
            Some(page) => Err(Error::input(&page.url, query::nearest(&store, &parse(&page.url)?)?.to_string()).into()),
            None => Ok(()),
        }
    }
}

pub fn parse(text: &str) -> anyhow::Result<CanonicalUrl> {
    Ok(CanonicalUrl::parse_typed(text)
        .map_err(|why| Error::input(text, format!("{why}; expected an http or https URL")))?)
}

/// An explanation as lines: the relation of two pages, each page, and their sentences side by side; below each title its facts.
fn text(explanation: &Explanation) -> String {
    let both = |title, facts: fn(&PairExplanation) -> Vec<words::Fact>| {
        explanation.pair.iter().map(move |pair| (title, facts(pair)))
    };
    let pages = explanation.pages.iter().map(|page| (page.url.as_str(), words::page(page)));
    let parts = both("the two pages", words::pair).chain(pages).chain(both("their sentences", words::sentences));
    let mut text = String::new();
    for (title, facts) in parts.filter(|(_, facts)| !facts.is_empty()) {
        text += &format!("{}\n", Style::Bold.out(&printable(title)));
        for (name, fact) in facts {
            text += format!("  {name:<14} {}", printable(&fact)).trim_end();
            text.push('\n');
        }
    }
    text
}
