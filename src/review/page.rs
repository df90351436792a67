//! One page: its text, its candidates, and why it has a partner or has none.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use diglot::query::explain::{CandidateOutcome, PageExplanation, words};
use diglot::query::{self, Nearest, tag_and_name};
use diglot::store::Store;
use diglot::types::CanonicalUrl;
use diglot::{Error, explain};

use super::answer::{Fields, answer, page as render};
use super::correct;
use super::failure::Failure;
use super::filters;
use super::pair::{SHOWN, plain_facts, side_view, url};
use super::state::App;
use super::views::*;

/// A candidate partner of a page.
struct CandidateRow {
    link: String,
    url: String,
    lang: String,
    method: String,
    key: String,
    score: String,
    outcome: String,
}

#[derive(Template)]
#[template(path = "page.html", config = "src/review/askama.toml")]
struct PagePage {
    frame: Frame,
    /// Where the store does not have the page: the nearest thing that it has, as an address and a description.
    nearest: Option<(String, String)>,
    /// Address and URL of the page of which it is a copy.
    original: Option<(String, String)>,
    url: String,
    /// The URL in the form of the store.
    address: String,
    /// The language that it counts for, and corrections of that.
    lang: String,
    corrected: Vec<String>,
    verdict: String,
    facts: Vec<(String, String)>,
    candidates: Vec<CandidateRow>,
    leads: Vec<(String, String, String)>,
    side: Option<SideView>,
}

pub async fn page(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, config) = request.app.open()?;
        let text = request.need("url")?;
        let asked = url(text)?;
        let mut found = explain(&store, &config, &asked, None)?;
        let why = found.pages.pop().ok_or_else(|| Failure::Broken(Error::Interrupted.to_string()))?;
        let frame = request.frame("Page").of_host(asked.host());
        let is_unknown = why.verdict.is_unknown();
        let response = render(&PagePage {
            nearest: if is_unknown { nearest(&store, &frame, &asked)? } else { None },
            original: why.copy_of.as_ref().map(|original| (frame.page(original), plain(original))),
            lang: why.languages.as_ref().map_or_else(String::new, |languages| languages.counts_for.to_string()),
            corrected: correct::of_language(request, &asked)?,
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
            address: asked.as_str().to_owned(),
            side: query::side(&store, &config, &asked, SHOWN)?.map(|side| side_view(&frame, side, &[])),
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
        Nearest::Nothing | Nearest::NotIndexed | Nearest::Removed => None,
    })
}

/// How many candidates of a page are listed.
const CANDIDATES: usize = 100;

fn candidates(frame: &Frame, page: &PageExplanation) -> Vec<CandidateRow> {
    let row = |candidate: &diglot::query::explain::CandidateFacts| CandidateRow {
        link: frame.pair(&page.url, &candidate.url),
        url: plain(&candidate.url),
        lang: tag_and_name(candidate.lang),
        method: candidate.method.to_owned(),
        key: plain(candidate.key.as_deref().unwrap_or("")),
        score: format!("{:.4}", candidate.score),
        outcome: match &candidate.outcome {
            CandidateOutcome::Accepted => "accepted".to_owned(),
            other => other.with_score(candidate.score),
        },
    };
    page.candidates.iter().take(CANDIDATES).map(row).collect()
}
