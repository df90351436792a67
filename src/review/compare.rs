//! What differs from another store: pairs gained, lost and changed.

use std::path::Path;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use diglot::query::diff::PairChange;
use diglot::types::{PairLine, grouped};

use super::answer::{Fields, answer, page};
use super::background::is_older;
use super::comparing::KINDS;
use super::failure::Failure;
use super::filters;
use super::lists::{ROWS, paging};
use super::state::App;
use super::views::*;

/// A kind of difference: its name, how many there are, the address of their list, and whether that is shown.
struct KindRow {
    name: &'static str,
    count: String,
    link: String,
    is_shown: bool,
}

struct ChangeRow {
    link: String,
    url_a: String,
    url_b: String,
    langs: String,
    /// What it was, and what it is: score, method, key.
    before: String,
    after: String,
    why: String,
}

#[derive(Template)]
#[template(path = "compare.html", config = "src/review/askama.toml")]
struct ComparePage {
    frame: Frame,
    other: String,
    is_counting: bool,
    /// True where a store has changed since they were compared.
    is_older: bool,
    same: String,
    kinds: Vec<KindRow>,
    /// By language pair how many there are of each kind.
    langs: Vec<(String, [String; 3])>,
    rows: Vec<ChangeRow>,
    /// How many pairs of the kind are not listed.
    left: u64,
    paging: Paging,
}

pub async fn differences(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let Some(comparing) = &request.app.comparing else {
            return Err(Failure::Missing("no other store was given: `diglot review --against STORE`".to_owned()));
        };
        let kind = match request.get("kind") {
            None => 0,
            Some(name) => KINDS
                .iter()
                .position(|kind| kind.name() == name)
                .ok_or_else(|| Failure::Bad(format!("{name:?} is no kind of difference")))?,
        };
        let frame = request.frame("Compare");
        let start: usize = request.number("from", 0)?;
        let last = comparing.known()?;
        let compared = last.as_deref();
        let totals = |at: usize| compared.map_or(0, |found| found.langs.values().map(|counts| counts[at]).sum::<u64>());
        let kept = compared.map_or(&[][..], |found| &found.rows[kind]);
        let rows: Vec<ChangeRow> =
            kept.iter().skip(start).take(ROWS).filter_map(|change| row(&frame, change)).collect();
        let other = request.app.against.as_deref().map(Path::to_string_lossy).unwrap_or_default();
        page(&ComparePage {
            other: plain(&other),
            is_counting: compared.is_none(),
            is_older: is_older(compared, &request.app.open()?.0),
            same: grouped(compared.map_or(0, |found| found.same)),
            kinds: (0..)
                .zip(KINDS)
                .map(|(at, of)| KindRow {
                    name: of.name(),
                    count: grouped(totals(at)),
                    link: frame.link("/compare", &[("kind", of.name())]),
                    is_shown: at == kind,
                })
                .collect(),
            langs: compared
                .iter()
                .flat_map(|found| &found.langs)
                .map(|(langs, counts)| (langs.clone(), counts.map(grouped)))
                .collect(),
            left: totals(kind).saturating_sub(kept.len() as u64),
            paging: paging(request, "/compare", start, rows.len(), kept.len()),
            rows,
            frame,
        })
    })
    .await
}

fn row(frame: &Frame, change: &PairChange) -> Option<ChangeRow> {
    let line = change.line()?;
    let told = |line: &Option<PairLine>| {
        line.as_ref().map_or_else(String::new, |line| plain(&format!("{:.4} {} {}", line.score, line.method, line.key)))
    };
    Some(ChangeRow {
        link: frame.pair(&line.url_a, &line.url_b),
        url_a: plain(&line.url_a),
        url_b: plain(&line.url_b),
        langs: format!("{}-{}", line.lang_a, line.lang_b),
        before: told(&change.lines[0]),
        after: told(&change.lines[1]),
        why: plain(&change.why),
    })
}
