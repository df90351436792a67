//! The overview: what there is, and what to do next.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use diglot::pipeline::{StageState, StageStatus};
use diglot::query;
use diglot::types::{counted as count_of, grouped};

use super::answer::{Fields, Request, answer, page};
use super::background::is_older;
use super::counting::{Counted, Lack};
use super::failure::Failure;
use super::figures::{Figures, Links};
use super::filters;
use super::judge::newest;
use super::lists::pair_of;
use super::state::App;
use super::views::*;

/// How many archives the overview lists.
const ARCHIVES: usize = 50;

/// How many lines a card has.
const LINES: usize = 3;

/// A figure with the list of what it counts, and what it consists of.
struct Card {
    name: String,
    count: String,
    link: String,
    /// Addresses, names and counts.
    lines: Vec<(String, String, String)>,
    /// True where there is something to be done.
    is_to_do: bool,
}

/// What is to be judged next.
struct JudgeCard {
    /// The newest sample that is not completely judged: its address, how many items are judged, and how many there are.
    sample: Option<(String, String, String)>,
    /// The precision that samples give, the newest first: address and text.
    precision: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "overview.html", config = "src/review/askama.toml")]
struct OverviewPage {
    frame: Frame,
    cards: Vec<Card>,
    judge: JudgeCard,
    /// The stages that are not done.
    unfinished: Vec<&'static str>,
    /// `None` while they are counted for the first time.
    figures: Option<Figures>,
    /// True where the store has changed since the figures were counted.
    is_older: bool,
    stages: Vec<StageRow>,
    archives: Vec<ArchiveRow>,
    archives_left: usize,
}

pub async fn overview(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, _) = request.app.open()?;
        let counted = request.app.counting.known()?;
        let archives = query::archives(&store)?;
        let frame = request.frame("Overview");
        let stages = counted.as_ref().map_or(&[][..], |counted| &counted.stages);
        page(&OverviewPage {
            cards: counted.iter().flat_map(|counted| cards(&frame, counted)).collect(),
            judge: judge_card(request, &frame)?,
            unfinished: stages
                .iter()
                .filter(|stage| stage.state != StageState::Fresh)
                .map(|stage| stage.name)
                .collect(),
            is_older: is_older(counted.as_deref(), &store),
            stages: stage_rows(stages).collect(),
            figures: counted.as_ref().map(|counted| Figures::new(&counted.overview, Links(Some(&frame)))),
            archives_left: archives.len().saturating_sub(ARCHIVES),
            archives: archive_rows(archives.into_iter().take(ARCHIVES)),
            frame,
        })
    })
    .await
}

fn cards(frame: &Frame, counted: &Counted) -> Vec<Card> {
    let found = &counted.overview;
    let card = |name: &str, count: u64, link: String| Card {
        name: name.to_owned(),
        count: grouped(count),
        link,
        lines: Vec::new(),
        is_to_do: false,
    };
    let first = |mut lines: Vec<(String, String, u64)>| {
        lines.sort_by_key(|line| std::cmp::Reverse(line.2));
        let lines = lines.into_iter().take(LINES);
        lines.map(|(link, name, count)| (link, name, grouped(count))).collect::<Vec<_>>()
    };
    let langs = found.langs.iter().map(|(of, &count)| {
        let link = frame.link("/pairs", &[("langs", &format!("{} {}", of.a, of.b))]);
        (link, pair_of(of.a, of.b), count)
    });
    let lone = found
        .lone
        .iter()
        .map(|(reason, &count)| (frame.link("/lone", &[("reason", reason.name())]), reason.name().to_owned(), count));
    let hosts = |lack: Lack, show: &str| {
        let count = counted.lacking(lack);
        (frame.link("/hosts", &[("show", show), ("sort", "pages")]), count as u64)
    };
    let ((none, without), (few, lacking)) = (hosts(Lack::All, "none"), hosts(Lack::Few, "few"));
    let of_few = [(few, "with few pairs or none".to_owned(), lacking)].into_iter().filter(|line| line.2 > 0);
    let percent = 100.0 * found.paired as f64 / found.taking_part.max(1) as f64;
    let share = format!("{percent:.0} % of {} that take part", count_of(found.taking_part, "page"));
    let pairs = Card {
        lines: vec![(frame.to("/pairs"), share, String::new())],
        ..card("page pairs", found.pairs, frame.to("/pairs"))
    };
    let mut cards = vec![
        pairs,
        Card {
            lines: first(langs.collect()),
            ..card("languages", found.pages_by_lang.len() as u64, format!("{}#languages", frame.to("/")))
        },
        Card {
            is_to_do: without > 0,
            lines: first(of_few.collect()),
            ..card("hosts in two languages without a pair", without, none)
        },
        Card {
            lines: first(lone.collect()),
            ..card("pages without a partner", found.lone.values().sum(), frame.to("/lone"))
        },
    ];
    if found.sentences > 0 {
        let link = frame.to("/sentences");
        let lines = vec![(link.clone(), "filter and export them".to_owned(), String::new())];
        cards.insert(1, Card { lines, ..card("sentence pairs", found.sentences, link) });
    }
    cards
}

fn judge_card(request: &Request, frame: &Frame) -> Result<JudgeCard, Failure> {
    let Some(last) = newest(request)? else { return Ok(JudgeCard { sample: None, precision: None }) };
    let link = |path: &str| frame.link(&format!("/judge/{}{path}", last.name), &[("who", request.reviewer())]);
    let is_open = last.judged < last.drawn;
    Ok(JudgeCard {
        sample: is_open.then(|| (link(""), grouped(last.judged), grouped(last.drawn))),
        precision: last.precision.map(|precision| (link("/result"), precision)),
    })
}

/// The progress of each stage.
pub fn stage_rows(stages: &[StageStatus]) -> impl Iterator<Item = StageRow> {
    let row = |stage: &StageStatus| StageRow {
        name: stage.name,
        state: stage.state.name(),
        remaining: stage.remaining.clone(),
    };
    stages.iter().map(row)
}

/// The rows of a table of archives.
pub fn archive_rows(archives: impl Iterator<Item = query::ArchiveLine>) -> Vec<ArchiveRow> {
    let left_out = |archive: &query::ArchiveLine| {
        let parts = archive.left_out.iter().map(|(reason, count)| format!("{} {}", grouped(*count), reason.name()));
        parts.collect::<Vec<_>>().join(", ")
    };
    archives
        .map(|archive| ArchiveRow {
            left_out: left_out(&archive),
            bytes: grouped(archive.bytes),
            pages: grouped(archive.pages),
            records: grouped(archive.records),
            state: if archive.is_read {
                "read".to_owned()
            } else {
                format!("read up to {}", grouped(archive.position))
            },
            path: plain(&archive.path),
            format: archive.format,
        })
        .collect()
}

/// Answers the script, which asks while the first count is running.
pub async fn counted(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let app = &request.app;
        let is_there = match request.get("what") {
            Some("compare") => app
                .comparing
                .as_ref()
                .map_or(Ok(false), |comparing| comparing.known().map(|compared| compared.is_some())),
            Some("sentences") => app.drawing.known().map(|drawn| drawn.is_some()),
            _ => app.counting.known().map(|counted| counted.is_some()),
        };
        let state = match is_there {
            Ok(true) => "counted",
            Ok(false) => "counting",
            Err(_) => "failed",
        };
        Ok(state.into_response())
    })
    .await
}
