//! The report: the contents of a store, in one file.

use askama::Template;
use diglot::config::{Config, SETTINGS};
use diglot::pipeline::{self, LAST_STAGE};
use diglot::query;
use diglot::store::{FORMAT_VERSION, Reviews, Store};

use super::figures::{Figures, Links};
use super::filters;
use super::overview::{archive_rows, stage_rows};
use super::sample::Sample;
use super::views::{ArchiveRow, StageRow, StratumRow, plain};
use diglot::types::counted;

/// The format of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Html,
    Markdown,
}

/// The estimate that a sample gives.
pub struct JudgedRow {
    pub what: String,
    pub judged: String,
    pub precision: String,
}

/// The facts of a report.
pub struct Facts {
    pub name: String,
    pub figures: Figures,
    pub stages: Vec<StageRow>,
    pub archives: Vec<ArchiveRow>,
    pub archives_left: usize,
    /// Settings that differ from the default.
    pub settings: Vec<(String, String)>,
    pub judged: Vec<JudgedRow>,
    pub version: &'static str,
    pub format: u32,
}

#[derive(Template)]
#[template(path = "report.html", config = "src/review/askama.toml")]
struct HtmlReport<'f> {
    facts: &'f Facts,
    figures: &'f Figures,
    stages: &'f [StageRow],
    archives: &'f [ArchiveRow],
    archives_left: usize,
    style: &'static str,
}

#[derive(Template)]
#[template(path = "report.md", escape = "none", config = "src/review/askama.toml")]
struct MarkdownReport {
    facts: Facts,
}

/// How many archives are listed.
const ARCHIVES: usize = 500;

/// Writes a report of a store.
///
/// # Errors
/// When the store cannot be read.
pub fn write(store: &Store, config: &Config, form: Form) -> anyhow::Result<String> {
    let facts = facts(store, config)?;
    Ok(match form {
        Form::Html => {
            let Facts { figures, stages, archives, archives_left, .. } = &facts;
            let style = include_str!("assets/review.css");
            let archives_left = *archives_left;
            HtmlReport { facts: &facts, figures, stages, archives, archives_left, style }.render()?
        }
        Form::Markdown => MarkdownReport { facts: in_cells(facts) }.render()?,
    })
}

/// Escapes texts that others chose, so that each stays in its cell of a Markdown table.
fn in_cells(mut facts: Facts) -> Facts {
    let paths = facts.archives.iter_mut().map(|archive| &mut archive.path);
    let values = facts.settings.iter_mut().map(|(_, value)| value);
    let samples = facts.judged.iter_mut().map(|row| &mut row.what);
    for text in paths.chain(values).chain(samples).chain([&mut facts.name]) {
        *text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    }
    facts
}

fn facts(store: &Store, config: &Config) -> anyhow::Result<Facts> {
    let overview = query::overview(store, config, |_, _| Ok(()))?;
    let archives = query::archives(store)?;
    let folder = std::fs::canonicalize(store.folder()).unwrap_or_else(|_| store.folder().to_owned());
    let known = |name: &str| SETTINGS.iter().any(|setting| setting.name == name);
    let mut settings = vec![("preset".to_owned(), config.preset.to_string())];
    settings.extend(store.settings().values.iter().filter(|(name, _)| known(name) && name != "preset").cloned());
    Ok(Facts {
        name: plain(&folder.file_name().unwrap_or_default().to_string_lossy()),
        figures: Figures::new(&overview, Links(None)),
        stages: stage_rows(&pipeline::progress(store, config, LAST_STAGE)?).collect(),
        archives_left: archives.len().saturating_sub(ARCHIVES),
        archives: archive_rows(archives.into_iter().take(ARCHIVES)),
        settings,
        judged: judged(store)?,
        version: env!("CARGO_PKG_VERSION"),
        format: FORMAT_VERSION,
    })
}

/// The estimates of the samples that have marks.
fn judged(store: &Store) -> anyhow::Result<Vec<JudgedRow>> {
    let reviews = Reviews::of(store.folder());
    let marks = reviews.marks()?;
    let mut rows = Vec::new();
    for name in reviews.samples()? {
        let Ok(sample) = Sample::parse(&reviews.sample(&name)?) else { continue };
        let strata: Vec<_> = sample.said(&marks).iter().map(|said| said.stratum).collect();
        let judged: u64 = strata.iter().map(|stratum| stratum.judged()).sum();
        if judged > 0 {
            rows.push(JudgedRow {
                what: plain(&sample.design.describe()),
                judged: counted(judged, "pair"),
                precision: StratumRow::interval(diglot::evaluate::estimate(&strata)).0,
            });
        }
    }
    Ok(rows)
}
