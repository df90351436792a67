//! The figures of a report as data, and how they differ from those of an earlier report.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use diglot::error::Error;
use diglot::inputs;
use diglot::query::{HostLine, KeyLine, Overview};
use diglot::types::{counted, grouped, pattern};
use serde::{Deserialize, Serialize};

use super::tables::{Column, ROWS, Table};
use super::views::plain;

/// A number of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// What is counted: `total`, `pages by language`, `pairs of a key` …
    pub what: String,
    /// Of which the number is.
    pub name: String,
    pub count: u64,
}

/// A report as data. Later releases may add figures; names stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the store's folder.
    pub store: String,
    /// The release that wrote it.
    pub diglot: String,
    /// The format of the store.
    pub format: u32,
    pub figures: Vec<Figure>,
}

impl Record {
    /// Reads a report that was written as JSON.
    ///
    /// # Errors
    /// When it cannot be read, or is something else.
    pub fn read(path: &Path) -> anyhow::Result<Record> {
        let text = inputs::open(path).and_then(std::io::read_to_string).map_err(Error::io(path, "reading a report"))?;
        let problem = |why: serde_json::Error| {
            Error::input(
                path.display().to_string(),
                format!("no report as JSON ({why}); `diglot report -o FILE.json` writes one"),
            )
        };
        Ok(serde_json::from_str(&text).map_err(problem)?)
    }
}

/// All figures of a store.
pub fn figures(found: &Overview, hosts: &[HostLine], keys: &[KeyLine]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |what: &str, name: String, count: u64| {
        figures.push(Figure { what: what.to_owned(), name, count });
    };
    for (name, count) in [
        ("archives", found.archives),
        ("records read", found.records),
        ("captures taken as pages", found.captures),
        ("pages", found.pages),
        ("pages that take part", found.taking_part),
        ("pages with a partner", found.paired),
        ("domains", found.domains),
        ("hosts", found.hosts),
        ("pairs proposed and judged", found.judged),
        ("page pairs", found.pairs),
        ("sentence pairs", found.sentences),
    ] {
        add("total", name.to_owned(), count);
    }
    for (reason, count) in found.left_out.iter().map(|(reason, count)| (reason, count)).chain(&found.withheld) {
        add("captures left out", reason.name().to_owned(), *count);
    }
    add("captures left out", "other captures of the same URL".to_owned(), found.older);
    for (name, count) in found.outcomes.iter().filter(|(name, _)| **name != "accepted") {
        add("pairs left out", (*name).to_owned(), *count);
    }
    for (reason, count) in &found.sentences_left_out {
        add("sentence pairs left out", reason.name().to_owned(), *count);
    }
    for (langs, count) in &found.langs {
        add("pairs by languages", format!("{}-{}", langs.a, langs.b), *count);
    }
    for (method, count) in &found.methods {
        add("pairs by method", method.name().to_owned(), *count);
    }
    for (lang, count) in &found.pages_by_lang {
        add("pages by language", lang.to_string(), *count);
    }
    for host in hosts {
        add("pages of a host", host.host.clone(), u64::from(host.pages));
        add("pairs of a host", host.host.clone(), host.pairs);
    }
    for key in keys {
        let (first, second) = key.langs();
        add("pairs of a key", format!("{} {first}-{second} {}", key.scope, pattern(&key.edits())), key.accepted);
    }
    figures
}

/// `+12 (+5.0 %)`; the share is left out where there was nothing before.
fn change(before: u64, now: u64) -> String {
    let difference = now.abs_diff(before);
    let sign = match difference {
        0 => return "0".to_owned(),
        _ if now < before => '-',
        _ => '+',
    };
    let share = match before {
        0 => String::new(),
        before => format!(" ({sign}{:.1} %)", 100.0 * difference as f64 / before as f64),
    };
    format!("{sign}{}{share}", grouped(difference))
}

const COLUMNS: [Column; 5] = [("what", false), ("of", false), ("before", true), ("now", true), ("change", true)];

/// Each figure beside that of an earlier report. Within a kind, the largest changes come first. Totals keep their order, and are there even
/// where they have not changed.
pub fn compared(before: &Record, now: &Record) -> Table {
    let key = |figure: &Figure| (figure.what.clone(), figure.name.clone());
    let mut old: HashMap<(String, String), u64> =
        before.figures.iter().map(|figure| (key(figure), figure.count)).collect();
    // A figure that an earlier release did not count was not 0.
    let counted_kinds: HashSet<&str> = before.figures.iter().map(|figure| figure.what.as_str()).collect();
    let nothing = |what: &str| (what != "total" && counted_kinds.contains(what)).then_some(0);
    let mut figures: Vec<(String, String, Option<u64>, u64)> = Vec::new();
    for figure in &now.figures {
        let was = old.remove(&key(figure)).or_else(|| nothing(&figure.what));
        figures.push((figure.what.clone(), figure.name.clone(), was, figure.count));
    }
    // Figures that were there before, and are missing now.
    let gone = before.figures.iter().filter(|figure| old.contains_key(&key(figure)));
    figures.extend(gone.map(|figure| (figure.what.clone(), figure.name.clone(), Some(figure.count), 0)));
    let mut kinds: Vec<&str> = Vec::new();
    for (what, ..) in &figures {
        if !kinds.contains(&what.as_str()) {
            kinds.push(what);
        }
    }
    let (mut rows, mut same, mut more) = (Vec::new(), 0, 0);
    for kind in kinds {
        let mut of_kind: Vec<_> = figures.iter().filter(|(what, ..)| what == kind).collect();
        if kind != "total" {
            let count = of_kind.len();
            of_kind.retain(|(.., was, is)| *was != Some(*is));
            same += count - of_kind.len();
            of_kind.sort_by_key(|(_, name, was, is)| (Reverse(is.abs_diff(was.unwrap_or(0))), name));
            more += of_kind.len().saturating_sub(ROWS);
            of_kind.truncate(ROWS);
        }
        rows.extend(of_kind.into_iter().map(|(what, name, was, is)| {
            let unknown = || "-".to_owned();
            let change = was.map_or_else(unknown, |was| change(was, *is));
            vec![what.clone(), plain(name), was.map_or_else(unknown, grouped), grouped(*is), change]
        }));
    }
    let mut rest = format!(
        "before: the store {} of format {}, by diglot {}; as they were: {}",
        plain(&before.store),
        before.format,
        plain(&before.diglot),
        counted(same as u64, "other figure")
    );
    if more > 0 {
        rest += &format!("; only in the reports as JSON: {}", counted(more as u64, "smaller change"));
    }
    Table { id: "changes", title: "Changes since the report before", columns: COLUMNS.to_vec(), rows, rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(figures: &[(&str, &str, u64)]) -> Record {
        let figure = |&(what, name, count): &(&str, &str, u64)| Figure { what: what.into(), name: name.into(), count };
        Record { store: "s".into(), diglot: "0.1.0".into(), format: 1, figures: figures.iter().map(figure).collect() }
    }

    #[test]
    fn each_figure_stands_beside_what_it_was() {
        let before =
            record(&[("total", "pairs", 1_000), ("pairs of a host", "a.test", 7), ("pairs of a host", "b.test", 5)]);
        let now = record(&[
            ("total", "pages", 3),
            ("total", "pairs", 1_200),
            ("pairs of a host", "c.test", 1),
            ("pairs of a host", "b.test", 5),
            ("pairs of a key", "k", 2),
        ]);
        let table = compared(&before, &now);
        let expected = [
            ["total", "pages", "-", "3", "-"],
            ["total", "pairs", "1,000", "1,200", "+200 (+20.0 %)"],
            ["pairs of a host", "a.test", "7", "0", "-7 (-100.0 %)"],
            ["pairs of a host", "c.test", "0", "1", "+1"],
            ["pairs of a key", "k", "-", "2", "-"],
        ];
        assert_eq!(table.rows, expected);
        assert_eq!(table.rest, "before: the store s of format 1, by diglot 0.1.0; as they were: 1 other figure");
        assert_eq!(change(5, 5), "0");
    }

    #[test]
    fn what_is_no_report_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.json");
        std::fs::write(&path, "[1, 2]").expect("room on the disk");
        let told = Record::read(&path).expect_err("no report").to_string();
        assert!(
            told.contains("old.json: no report as JSON") && told.contains("`diglot report -o FILE.json`"),
            "{told}"
        );
    }
}
