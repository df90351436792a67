//! Two pages side by side, with the evidence for and against them.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use diglot::config::Config;
use diglot::explain;
use diglot::query::explain::{Explanation, PairExplanation, words};
use diglot::query::{self, PairFilter, PairOrder, Reading, Scope, Side, Spot, Steps, tag_and_name};
use diglot::store::Store;
use diglot::types::{CanonicalUrl, Lang, Marked, PairLine, grouped};

use super::answer::{Fields, Request, answer, page};
use super::correct;
use super::failure::Failure;
use super::lists::{filter, order, place_in_list, spot, written};
use super::state::App;
use super::views::*;

/// How many bytes of each text are shown unless the whole text is asked for.
pub const SHOWN: usize = 100_000;

/// How many parts of a list over all sites are looked through for the next pair.
const PARTS: usize = 5;

/// How many nats a bar of evidence can show on either side.
const MOST_NATS: f64 = 4.0;

/// The URL of a field.
pub fn url(text: &str) -> Result<CanonicalUrl, Failure> {
    CanonicalUrl::parse_typed(text)
        .map_err(|why| Failure::Bad(format!("{text:?}: {why}; expected an http or https URL")))
}

pub async fn pair(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, config) = request.app.open()?;
        let (a, b) = (request.need("a")?, request.need("b")?);
        let urls = [url(a)?, url(b)?];
        let max = if request.get("all").is_some() { usize::MAX } else { SHOWN };
        let reading = query::reading(&store, &config, [&urls[0], &urls[1]], max)?;
        let found = explain(&store, &config, &urls[0], Some(&urls[1]))?;
        let frame = request.frame("Pair").of_host(urls[0].host());
        let (previous, next) = neighbours(request, (&store, &config), [&urls[0], &urls[1]])?;
        let marked = reading.as_ref().map(marked);
        let whole = reading.as_ref().is_some_and(|reading| reading.sides.iter().any(|side| side.is_cut));
        let Explanation { pair: Some(why), .. } = &found else {
            return Err(Failure::Broken("two pages were explained as one".to_owned()));
        };
        let is_there = reading.is_some();
        let response = page(&PairPage {
            verdict: why.verdict.to_string(),
            facts: facts(why),
            evidence: evidence(why),
            marks: match &marked {
                Some(marked) => mark_rows(request, marked)?,
                None => Vec::new(),
            },
            corrected: correct::of_pair(request, a, b)?,
            place: place_in_list(request),
            whole: whole.then(|| {
                let place = place_in_list(request);
                let mut fields = vec![("a", a), ("b", b), ("all", "1")];
                fields.extend(place.iter().map(|(name, value)| (name.as_str(), value.as_str())));
                frame.link("/pair", &fields)
            }),
            sides: reading.map(|reading| sides(&frame, reading)),
            previous,
            next,
            a: a.to_owned(),
            b: b.to_owned(),
            frame,
        })?;
        Ok(if is_there { response } else { (StatusCode::NOT_FOUND, response).into_response() })
    })
    .await
}

/// The address of a pair in the list that a request shows; `place` is the field that says where it stands there.
pub fn link_in_list(request: &Request, frame: &Frame, line: &PairLine, place: (&str, &str)) -> String {
    let kept = place_in_list(request);
    let kept = kept.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut fields = vec![("a", line.url_a.as_str()), ("b", line.url_b.as_str())];
    fields.extend(kept.filter(|(name, _)| !["at", "spot"].contains(name)));
    fields.push(place);
    frame.link("/pair", &fields)
}

/// The pairs before and after it, in the list from which it was opened; where it was opened from none, in that of its host.
fn neighbours(
    request: &Request,
    (store, config): (&Store, &Config),
    urls: [&CanonicalUrl; 2],
) -> Result<(Option<String>, Option<String>), Failure> {
    let frame = request.frame("");
    if let (Some(from), Some(counted)) = (spot(request, "spot")?, request.app.counting.last()) {
        let filter = PairFilter { key: None, ..filter(request)? };
        let link = |is_back, from| -> Result<Option<String>, Failure> {
            let mut next = Some(from);
            // Of a list with few items, most parts are empty.
            for _ in 0..PARTS {
                let part = query::pairs_from(
                    store,
                    config,
                    &counted.digests,
                    &filter,
                    Steps { from: next, is_back, count: 1 },
                )?;
                if let Some((at, (line, _))) = part.items.first() {
                    return Ok(Some(link_in_list(request, &frame, line, ("spot", &written(*at)))));
                }
                next = part.next;
                if next.is_none() {
                    break;
                }
            }
            Ok(None)
        };
        let after = Spot { at: from.at.saturating_add(1), ..from };
        return Ok((link(true, from)?, link(false, after)?));
    }
    let host = request.get("host").unwrap_or_else(|| urls[0].host());
    let Some(scope) = Scope::of_host(store, host)? else { return Ok((None, None)) };
    let (at, filter, order) = match request.get("at") {
        Some(_) => (request.number("at", 0)?, filter(request)?, order(request)),
        None => match query::place_of(store, &scope, urls)? {
            Some(at) => (at, PairFilter { scores: (0.0, 1.0), ..PairFilter::default() }, PairOrder::Url),
            None => return Ok((None, None)),
        },
    };
    let start = at.saturating_sub(1);
    let found = query::pairs_page(store, config, &scope, &filter, order, start..at.saturating_add(2))?;
    let link = |at: usize| {
        let (line, _) = found.lines.get(at.checked_sub(start)?)?;
        let of_list = request.get("at").is_some();
        let in_list = || link_in_list(request, &frame, line, ("at", &at.to_string()));
        Some(if of_list { in_list() } else { frame.pair(&line.url_a, &line.url_b) })
    };
    Ok((at.checked_sub(1).and_then(link), link(at + 1)))
}

/// The subject of a mark that is made while two pages are read side by side.
pub fn marked(reading: &Reading) -> Marked {
    let [a, b] = &reading.sides;
    Marked::pages((&a.url, a.lang), (&b.url, b.lang))
}

fn mark_rows(request: &Request, marked: &Marked) -> Result<Vec<MarkRow>, Failure> {
    let marks = request.app.reviews().marks()?;
    let row = |mark: &diglot::types::Mark| {
        Some(MarkRow { verdict: mark.verdict?.name(), reviewer: plain(&mark.reviewer), at: to_the_minute(&mark.at) })
    };
    Ok(marks.of(marked).into_iter().filter_map(row).collect())
}

/// Both pages, ready to be shown.
pub fn sides(frame: &Frame, reading: Reading) -> [SideView; 2] {
    let Reading { sides, beads } = reading;
    let is_out: Vec<bool> = beads.iter().map(|bead| bead.left_out.is_some()).collect();
    sides.map(|side| side_view(frame, side, &is_out))
}

/// One page, ready to be shown; `is_out` tells which beads are left out.
pub fn side_view(frame: &Frame, side: Side, is_out: &[bool]) -> SideView {
    let piece = |piece: query::Piece| PieceView {
        is_out: piece.bead.and_then(|bead| is_out.get(bead)).is_some_and(|out| *out),
        bead: piece.bead,
        text: plain(&piece.text),
    };
    let blocks = side.blocks.into_iter().map(|block| (block.tag, block.pieces.into_iter().map(piece).collect()));
    SideView {
        page: frame.page(&side.url),
        url: plain(&side.url),
        lang: if side.lang.is_known() { side.lang.as_str().to_owned() } else { Lang::UNKNOWN.as_str().to_owned() },
        language: tag_and_name(side.lang),
        title: plain(&side.title),
        blocks: blocks.collect(),
        rest: if side.is_cut {
            format!("The text has {} bytes; the rest is not shown.", grouped(side.bytes as u64))
        } else {
            String::new()
        },
    }
}

/// The facts about the pair, without its texts and measures, which are shown elsewhere.
fn facts(pair: &PairExplanation) -> Vec<(String, String)> {
    plain_facts(words::pair_but_measures(pair))
}

/// The facts but for the verdict, which stands at the head of the page.
pub fn plain_facts(facts: Vec<words::Fact>) -> Vec<(String, String)> {
    facts.into_iter().filter(|(name, _)| name != "verdict").map(|(name, text)| (name, plain(&text))).collect()
}

fn evidence(pair: &PairExplanation) -> Vec<EvidenceRow> {
    let row = |measure: &diglot::query::explain::MeasureFacts| {
        let share = (measure.nats / MOST_NATS).clamp(-1.0, 1.0) * 50.0;
        EvidenceRow {
            name: measure.measure.name().to_owned(),
            value: format!("{:.3}", measure.value),
            nats: format!("{:+.2}", measure.nats),
            start: format!("{:.2}%", 50.0 + share.min(0.0)),
            width: format!("{:.2}%", share.abs()),
            is_for: measure.nats >= 0.0,
        }
    };
    pair.measures.iter().map(row).collect()
}
