//! Pages without a partner, each with the reason: those of a host, or of all sites.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use diglot::query::{self, LoneFilter, LonePage, LoneReason, Scope, Steps, tag_and_name};
use diglot::types::{Lang, grouped};

use super::answer::{Fields, Request, answer, page};
use super::background::is_older;
use super::failure::Failure;
use super::filters;
use super::lists::{ROWS, lang, paging, paging_of_walk, spot};
use super::state::App;
use super::views::*;

/// A page without a partner.
struct LoneRow {
    link: String,
    url: String,
    lang: String,
    reason: &'static str,
}

#[derive(Template)]
#[template(path = "lone.html", config = "src/review/askama.toml")]
struct LonePages {
    frame: Frame,
    /// The host; empty for all sites.
    host: String,
    langs: Vec<Choice>,
    reasons: Vec<Choice>,
    pages: Vec<LoneRow>,
    paging: Paging,
    /// True while the store is counted for the first time.
    is_counting: bool,
    /// True where the store has changed since it was counted.
    is_older: bool,
}

pub async fn lone(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let reason = request.get("reason").map(|name| {
            LoneReason::parse(name).ok_or_else(|| Failure::Bad(format!("{name:?} is no reason for having no partner")))
        });
        let filter = LoneFilter { lang: lang(request, "lang")?, reason: reason.transpose()? };
        page(&match request.get("host") {
            Some(host) => of_host(request, host, filter)?,
            None => of_all(request, filter)?,
        })
    })
    .await
}

fn of_host(request: &Request, host: &str, filter: LoneFilter) -> Result<LonePages, Failure> {
    let (store, config) = request.app.open()?;
    let scope = Scope::of(&store, host)?;
    let start: usize = request.number("from", 0)?;
    let found = query::lone_pages(&store, &config, &scope, filter, start..start.saturating_add(ROWS))?;
    let langs = found.langs.iter().map(|(&lang, &pages)| (lang, pages as u64));
    let reasons = found.reasons.iter().map(|(&reason, &pages)| (reason, pages as u64));
    let frame = request.frame(&format!("Pages of {host} without a partner")).of_host(host);
    Ok(LonePages {
        paging: paging(request, "/lone", start, found.lines.len(), found.total),
        host: plain(host),
        langs: lang_choices(langs, filter),
        reasons: reason_choices(reasons, filter),
        pages: found.lines.iter().map(|line| row(&frame, line)).collect(),
        is_counting: false,
        is_older: false,
        frame,
    })
}

fn of_all(request: &Request, filter: LoneFilter) -> Result<LonePages, Failure> {
    let frame = request.frame("Pages without a partner");
    let mut found = LonePages {
        frame,
        host: String::new(),
        langs: Vec::new(),
        reasons: Vec::new(),
        pages: Vec::new(),
        paging: Paging::default(),
        is_counting: true,
        is_older: false,
    };
    let Some(counted) = request.app.counting.known()? else { return Ok(found) };
    let (store, config) = request.app.open()?;
    found.is_older = is_older(Some(&*counted), &store);
    let from = spot(request, "from")?;
    let part =
        |is_back| query::lone_from(&store, &config, &counted.digests, filter, Steps { from, is_back, count: ROWS });
    let (before, after) = (part(true)?, part(false)?);
    let overview = &counted.overview;
    let total = match (filter.lang, filter.reason) {
        (None, None) => Some(overview.lone.values().sum()),
        (None, Some(reason)) => overview.lone.get(&reason).copied(),
        _ => None,
    };
    found.is_counting = false;
    found.paging = paging_of_walk(request, "/lone", (&before, &after), total);
    found.langs = lang_choices(overview.pages_by_lang.keys().map(|&lang| (lang, 0)), filter);
    found.reasons = reason_choices(overview.lone.iter().map(|(&reason, &pages)| (reason, pages)), filter);
    found.pages = after.items.iter().map(|(_, line)| row(&found.frame, line)).collect();
    Ok(found)
}

fn row(frame: &Frame, line: &LonePage) -> LoneRow {
    let lang = if line.lang.is_known() { tag_and_name(line.lang) } else { String::new() };
    LoneRow { link: frame.page(&line.url), url: plain(&line.url), lang, reason: line.reason.name() }
}

/// A name with a number of pages, where that is known.
fn counted(name: &str, pages: u64) -> String {
    if pages == 0 { name.to_owned() } else { format!("{name} ({})", grouped(pages)) }
}

fn lang_choices(langs: impl Iterator<Item = (Lang, u64)>, filter: LoneFilter) -> Vec<Choice> {
    let chosen = filter.lang.map(|lang| lang.to_string()).unwrap_or_default();
    let choice = |(lang, pages): (Lang, u64)| {
        let name = if lang.is_known() { tag_and_name(lang) } else { "none: takes no part".to_owned() };
        Choice::new(lang.as_str(), &counted(&name, pages), &chosen)
    };
    with_chosen(std::iter::once(Choice::new("", "all", &chosen)).chain(langs.map(choice)), &chosen, &chosen)
}

fn reason_choices(reasons: impl Iterator<Item = (LoneReason, u64)>, filter: LoneFilter) -> Vec<Choice> {
    let chosen = filter.reason.map_or("", LoneReason::name);
    let choice =
        |(reason, pages): (LoneReason, u64)| Choice::new(reason.name(), &counted(reason.name(), pages), chosen);
    with_chosen(std::iter::once(Choice::new("", "any", chosen)).chain(reasons.map(choice)), chosen, chosen)
}
