//! The report: the contents of a store, in one file.

use askama::Template;
use diglot::config::{Config, SETTINGS};
use diglot::pipeline::{self, LAST_STAGE};
use diglot::query::{self, Scope};
use diglot::store::{FORMAT_VERSION, Reviews, Store};

use super::figures::{Figures, Links};
use super::filters;
use super::overview::{archive_rows, stage_rows};
use super::record::{Record, compared, figures};
use super::sample::Sample;
use super::tables::{self, Table};
use super::views::{ArchiveRow, StageRow, StratumRow, plain};
use diglot::types::counted;

/// The format of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Html,
    Markdown,
    /// The figures alone, as data that a later report is compared with.
    Json,
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
    /// Changes since an earlier report, what was left out and why, hosts and keys; those that have rows.
    pub tables: Vec<Table>,
    /// Settings that differ from the default.
    pub settings: Vec<(String, String)>,
    pub judged: Vec<JudgedRow>,
    /// Corrections, and what became of each.
    pub corrections: Vec<(String, String)>,
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
    tables: &'f [Table],
    style: &'static str,
}

#[derive(Template)]
#[template(path = "report.md", escape = "none", config = "src/review/askama.toml")]
struct MarkdownReport {
    facts: Facts,
}

/// How many archives are listed.
const ARCHIVES: usize = 500;

/// Writes a report of a store, with the changes since an earlier one, if it is given.
///
/// # Errors
/// When the store cannot be read.
pub fn write(store: &Store, config: &Config, form: Form, before: Option<&Record>) -> anyhow::Result<String> {
    let (facts, now) = facts(store, config, before)?;
    Ok(match form {
        Form::Html => {
            let Facts { figures, stages, archives, archives_left, tables, .. } = &facts;
            let style = include_str!("assets/review.css");
            let archives_left = *archives_left;
            HtmlReport { facts: &facts, figures, stages, archives, archives_left, tables, style }.render()?
        }
        Form::Markdown => MarkdownReport { facts: in_cells(facts) }.render()?,
        Form::Json => serde_json::to_string_pretty(&now)? + "\n",
    })
}

/// Escapes texts that others chose, so that each stays in its cell of a Markdown table.
fn in_cells(mut facts: Facts) -> Facts {
    let paths = facts.archives.iter_mut().map(|archive| &mut archive.path);
    let values = facts.settings.iter_mut().map(|(_, value)| value);
    let samples = facts.judged.iter_mut().map(|row| &mut row.what);
    let corrections = facts.corrections.iter_mut().flat_map(|(what, effect)| [what, effect]);
    let cells = facts.tables.iter_mut().flat_map(|table| table.rows.iter_mut().flatten());
    for text in paths.chain(values).chain(samples).chain(corrections).chain(cells).chain([&mut facts.name]) {
        *text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    }
    facts
}

/// The facts of a report, and its figures as data.
fn facts(store: &Store, config: &Config, before: Option<&Record>) -> anyhow::Result<(Facts, Record)> {
    let mut hosts = Vec::new();
    let overview = query::overview(store, config, |lines, _| {
        hosts.extend(lines);
        Ok(())
    })?;
    let archives = query::archives(store)?;
    let keys = query::keys(store, config, &Scope::all(), false)?;
    let folder = std::fs::canonicalize(store.folder()).unwrap_or_else(|_| store.folder().to_owned());
    let name = plain(&folder.file_name().unwrap_or_default().to_string_lossy());
    let (version, format) = (env!("CARGO_PKG_VERSION"), FORMAT_VERSION);
    let figures = figures(&overview, &hosts, &keys);
    let now = Record { store: name.clone(), diglot: version.to_owned(), format, figures };
    let changes = before.map(|before| compared(before, &now));
    let lists = [
        tables::left_out(store, &overview, &archives)?,
        tables::hosts(hosts),
        tables::few_pairs(store, config)?,
        tables::keys(keys),
    ];
    let known = |name: &str| SETTINGS.iter().any(|setting| setting.name == name);
    let mut settings = vec![("preset".to_owned(), config.preset.to_string())];
    settings.extend(store.settings().values.iter().filter(|(name, _)| known(name) && name != "preset").cloned());
    let told = |line: query::CorrectionLine| {
        let what = format!("{}. {} {} {}", line.number, line.correction, line.first, line.second);
        (plain(&what), plain(&line.effect))
    };
    let facts = Facts {
        corrections: query::corrections(store, config)?.into_iter().map(told).collect(),
        name,
        figures: Figures::new(&overview, Links(None)),
        stages: stage_rows(&pipeline::progress(store, config, LAST_STAGE)?).collect(),
        archives_left: archives.len().saturating_sub(ARCHIVES),
        archives: archive_rows(archives.into_iter().take(ARCHIVES)),
        tables: changes.into_iter().chain(lists).filter(|table| !table.rows.is_empty()).collect(),
        settings,
        judged: judged(store)?,
        version,
        format,
    };
    Ok((facts, now))
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
