//! `diglot show`.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use diglot::error::Error;
use diglot::export::rows::{one_line, printable};
use diglot::query::{self, ShownPage};
use diglot::types::{counted, grouped};

use super::color::Style;
use super::explain::parse;
use super::freshness::Lists;
use super::global::Global;

/// Show a page: its text and links, or its record.
///
/// The text stands in blocks, each with the tag around it. With --raw, the record as it lies in its archive, which must still be there.
/// `diglot explain` says why the page has a partner or none.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot show http://example.org/fr/about.html
  diglot show example.org/fr/about.html --only text
  diglot show example.org/ --raw > record.http")]
pub struct Show {
    /// The URL of a page, with or without `http://`.
    url: String,
    /// Only the text, or only the links, each on a line of its own.
    #[arg(long, value_enum, value_name = "PART")]
    only: Option<Part>,
    /// The record as it lies in its archive.
    #[arg(long, conflicts_with = "only")]
    raw: bool,
    /// A JSON object.
    #[arg(long, conflicts_with_all = ["only", "raw"])]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Blocks of text.
    Text,
    /// Addresses of links.
    Links,
}

impl Show {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Pages)?;
        let url = parse(&self.url)?;
        let unknown =
            || -> anyhow::Result<Error> { Ok(Error::input(url.as_str(), query::nearest(&store, &url)?.to_string())) };
        let mut out = io::stdout().lock();
        if self.raw {
            let Some(record) = query::shown_record(&store, &config, &url)? else { return Err(unknown()?.into()) };
            out.write_all(&record)?;
            return Ok(out.flush()?);
        }
        let Some(page) = query::shown_page(&store, &config, &url)? else { return Err(unknown()?.into()) };
        match self.only {
            _ if self.json => writeln!(out, "{}", serde_json::to_string_pretty(&page)?)?,
            Some(Part::Text) => page.blocks.iter().try_for_each(|block| writeln!(out, "{}", one_line(&block.text)))?,
            Some(Part::Links) => page.links.iter().try_for_each(|link| writeln!(out, "{}", printable(&link.url)))?,
            None => print(&page, &mut out)?,
        }
        Ok(out.flush()?)
    }
}

fn print(page: &ShownPage, out: &mut impl Write) -> io::Result<()> {
    let place = &page.place;
    let length = if place.length > 0 { format!(", length {}", place.length) } else { String::new() };
    writeln!(out, "{}", Style::Bold.out(&printable(&page.url)))?;
    writeln!(out, "  title     {}", printable(&page.title))?;
    writeln!(out, "  language  {}", page.lang)?;
    writeln!(out, "  captured  {}", page.captured.as_deref().unwrap_or("-"))?;
    writeln!(out, "  archive   {}, offset {}{length}", printable(&place.archive), place.offset)?;
    writeln!(out, "{}", Style::Bold.out(&format!("text: {}", counted(page.blocks.len() as u64, "block"))))?;
    for block in &page.blocks {
        writeln!(out, "  {:<10}  {}", block.tag, printable(&block.text))?;
    }
    writeln!(out, "{}", Style::Bold.out(&format!("links: {}", grouped(page.links.len() as u64))))?;
    for link in &page.links {
        let lang = link.hreflang.map(|lang| format!(" ({lang})")).unwrap_or_default();
        writeln!(out, "  {}{lang}  {}", printable(&link.url), printable(&link.anchor))?;
    }
    Ok(())
}
