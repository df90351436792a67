//! The page for two pages side by side, with the evidence for and against them; and the page for one page, with its candidates.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use diglot::config::Config;
use diglot::query::explain::{Explanation, PageExplanation, PairExplanation, words};
use diglot::query::{self, Nearest, Reading, Scope, Side};
use diglot::store::Store;
use diglot::types::{CanonicalUrl, Lang, Marked, PairLine, grouped};
use diglot::{Error, explain};

use super::answer::{Fields, Request, answer, page as render};
use super::failure::Failure;
use super::lists::{filter, order};
use super::state::App;
use super::views::*;

/// How many bytes of each text are shown unless the whole text is asked for.
pub const SHOWN: usize = 100_000;

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
        let reading = query::reading(&store, [&urls[0], &urls[1]], max)?;
        let found = explain(&store, &config, &urls[0], Some(&urls[1]))?;
        let frame = request.frame("Pair");
        let (previous, next) = neighbours(request, &store, &config)?;
        let marked = reading.as_ref().map(marked);
        let whole = reading.as_ref().is_some_and(|reading| reading.sides.iter().any(|side| side.is_cut));
        let Explanation { pair: Some(why), .. } = &found else {
            return Err(Failure::Broken("two pages were explained as one".to_owned()));
        };
        let is_there = reading.is_some();
        let response = render(&PairPage {
            verdict: why.verdict.to_string(),
            facts: facts(why),
            evidence: evidence(why),
            marks: match &marked {
                Some(marked) => mark_rows(request, marked)?,
                None => Vec::new(),
            },
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

/// The fields that give the position of a pair in the list from which it was opened.
const PLACE: [&str; 9] = ["host", "at", "langs", "method", "key", "min", "max", "order", "outcome"];

/// Those of these fields that a request has.
pub fn place_in_list(request: &Request) -> Vec<(String, String)> {
    let field = |name: &&str| Some(((*name).to_owned(), request.get(name)?.to_owned()));
    PLACE.iter().filter_map(field).collect()
}

/// The address of a pair at a position in the list that a request shows.
pub fn link_in_list(request: &Request, frame: &Frame, line: &PairLine, at: usize) -> String {
    let (place, at) = (place_in_list(request), at.to_string());
    let mut fields = vec![("a", line.url_a.as_str()), ("b", line.url_b.as_str())];
    fields.extend(place.iter().map(|(name, value)| (name.as_str(), value.as_str())).filter(|field| field.0 != "at"));
    fields.push(("at", &at));
    frame.link("/pair", &fields)
}

/// The pairs before and after it, in the list from which it was opened.
fn neighbours(request: &Request, store: &Store, config: &Config) -> Result<(Option<String>, Option<String>), Failure> {
    let (Some(host), Some(_)) = (request.get("host"), request.get("at")) else { return Ok((None, None)) };
    let at: usize = request.number("at", 0)?;
    let scope = Scope::of(store, host)?;
    let start = at.saturating_sub(1);
    let (filter, order) = (filter(request)?, order(request));
    let found = query::pairs_page(store, config, &scope, &filter, order, start..at.saturating_add(2))?;
    let frame = request.frame("");
    let link = |at: usize| {
        let (line, _) = found.lines.get(at - start)?;
        Some(link_in_list(request, &frame, line, at))
    };
    Ok((if at > 0 { link(at - 1) } else { None }, link(at + 1)))
}

/// What a mark is about when two pages are read side by side.
pub fn marked(reading: &Reading) -> Marked {
    let [a, b] = &reading.sides;
    Marked::pages((&a.url, a.lang), (&b.url, b.lang))
}

fn mark_rows(request: &Request, marked: &Marked) -> Result<Vec<MarkRow>, Failure> {
    let marks = request.app.reviews().marks()?;
    let row = |mark: &diglot::types::Mark| {
        Some(MarkRow { verdict: mark.verdict?.name(), reviewer: plain(&mark.reviewer), at: mark.at.clone() })
    };
    Ok(marks.of(marked).into_iter().filter_map(row).collect())
}

/// Both pages, ready to be shown.
pub fn sides(frame: &Frame, reading: Reading) -> [SideView; 2] {
    let Reading { sides, beads } = reading;
    let is_out: Vec<bool> = beads.iter().map(|bead| bead.left_out.is_some()).collect();
    sides.map(|side| side_view(frame, side, &is_out))
}

fn side_view(frame: &Frame, side: Side, is_out: &[bool]) -> SideView {
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
    let mut bare = pair.clone();
    bare.measures.clear();
    if let Some(alignment) = &mut bare.alignment {
        alignment.sentences.clear();
    }
    plain_facts(words::pair(&bare))
}

fn plain_facts(facts: Vec<words::Fact>) -> Vec<(String, String)> {
    facts.into_iter().map(|(name, text)| (name, plain(&text))).collect()
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

pub async fn page(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, config) = request.app.open()?;
        let text = request.need("url")?;
        let asked = url(text)?;
        let mut found = explain(&store, &config, &asked, None)?;
        let why = found.pages.pop().ok_or_else(|| Failure::Broken(Error::Interrupted.to_string()))?;
        let frame = request.frame("Page");
        let is_unknown = why.verdict.is_unknown();
        let response = render(&PagePage {
            nearest: if is_unknown { nearest(&store, &frame, &asked)? } else { None },
            original: why.copy_of.as_ref().map(|original| (frame.page(original), plain(original))),
            host: frame.host(asked.host()),
            verdict: why.verdict.to_string(),
            facts: plain_facts(words::page(&PageExplanation {
                candidates: Vec::new(),
                leads: Vec::new(),
                ..why.clone()
            })),
            candidates: candidates(&frame, &why),
            leads: why
                .leads
                .iter()
                .map(|lead| (plain(&lead.url), plain(&lead.key), lead.outcome.to_string()))
                .collect(),
            url: plain(text),
            frame,
        })?;
        Ok(if is_unknown { (StatusCode::NOT_FOUND, response).into_response() } else { response })
    })
    .await
}

/// A link to what the store has in place of a URL, and a description of it.
fn nearest(store: &Store, frame: &Frame, url: &CanonicalUrl) -> Result<Option<(String, String)>, Failure> {
    Ok(match query::nearest(store, url)? {
        Nearest::Page(page) => Some((frame.page(&format!("http://{page}")), plain(&page))),
        Nearest::Host(host) => Some((frame.host(&host), plain(&host))),
        Nearest::Domain(domain) => Some((frame.link("/hosts", &[("q", &domain)]), plain(&domain))),
        Nearest::Nothing | Nearest::NotIndexed => None,
    })
}

/// How many candidates of a page are listed.
const CANDIDATES: usize = 100;

fn candidates(frame: &Frame, page: &PageExplanation) -> Vec<CandidateRow> {
    let row = |candidate: &diglot::query::explain::CandidateFacts| CandidateRow {
        link: frame.pair(&page.url, &candidate.url),
        url: plain(&candidate.url),
        lang: candidate.lang.as_str().to_owned(),
        method: candidate.method.to_owned(),
        key: plain(candidate.key.as_deref().unwrap_or("")),
        score: format!("{:.4}", candidate.score),
        outcome: candidate.outcome.with_score(candidate.score),
    };
    page.candidates.iter().take(CANDIDATES).map(row).collect()
}
