//! The list of hosts.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use diglot::query::{self, HostLine, tag_and_name};
use diglot::types::{Lang, grouped};

use super::answer::{Fields, Request, answer, page};
use super::background::is_older;
use super::counting::{Counted, Host, HostFilter, Lack, Sort};
use super::failure::Failure;
use super::lists::{ROWS, lang, paging};
use super::state::App;
use super::views::*;

/// How many languages of a host a list names.
const LANGS: usize = 6;

/// A host in a list.
struct HostRow {
    name: String,
    link: String,
    pages: String,
    pairs: String,
    credibility: String,
    langs: String,
    /// Why it has few pairs.
    why: String,
}

/// The head of a column that sorts.
struct HeadRow {
    name: &'static str,
    link: String,
    /// `ascending` or `descending` where the list is in its order.
    sorted: &'static str,
}

#[derive(Template)]
#[template(path = "hosts.html", config = "src/review/askama.toml")]
struct HostsPage {
    frame: Frame,
    text: String,
    /// The order, as fields of the form.
    order: Vec<(&'static str, String)>,
    langs: Vec<Choice>,
    lacks: Vec<Choice>,
    heads: Vec<HeadRow>,
    /// `None` while they are counted for the first time.
    hosts: Option<Vec<HostRow>>,
    /// True where the store has changed since it was counted.
    is_older: bool,
    paging: Paging,
}

/// The lacks to which a list may be narrowed.
pub const LACKS: [(&str, &str); 2] = [("few", "with few pairs"), ("none", "in two languages, without a pair")];

pub async fn hosts(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let sort = request.get("sort").and_then(Sort::parse).unwrap_or(Sort::Pairs);
        let is_turned = request.get("turned").is_some();
        let lack = match request.get("show") {
            Some("few") => Lack::Few,
            Some("none") => Lack::All,
            _ => Lack::Nothing,
        };
        let text = request.get("q").unwrap_or("").to_lowercase();
        let filter = HostFilter { text, lang: lang(request, "lang")?, lack };
        let start = request.number("from", 0)?;
        let (counted, frame) = (request.app.counting.known()?, request.frame("Hosts"));
        let is_older = is_older(counted.as_deref(), &request.app.open()?.0);
        let (hosts, paging) = match &counted {
            None => (None, Paging::default()),
            Some(counted) => {
                let (total, found) = counted.hosts(&filter, (sort, is_turned), start, ROWS);
                let rows = rows(request, &frame, counted, &found)?;
                let paging = paging(request, "/hosts", start, rows.len(), total);
                (Some(rows), paging)
            }
        };
        let known = counted.iter().flat_map(|counted| counted.overview.pages_by_lang.keys());
        let known: Vec<(&str, String)> = known.map(|lang| (lang.as_str(), tag_and_name(*lang))).collect();
        let known = known.iter().map(|(tag, name)| (*tag, name.as_str()));
        page(&HostsPage {
            langs: choices("any language", known, request.get("lang").unwrap_or("")),
            lacks: choices("all", LACKS, request.get("show").unwrap_or("")),
            heads: Sort::ALL.map(|known| head(request, &frame, known, (sort, is_turned))).into(),
            order: [("sort", request.get("sort")), ("turned", request.get("turned"))]
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?.to_owned())))
                .collect(),
            text: filter.text,
            hosts,
            is_older,
            paging,
            frame,
        })
    })
    .await
}

fn head(request: &Request, frame: &Frame, of: Sort, (sort, is_turned): (Sort, bool)) -> HeadRow {
    // Names are sorted from the first, numbers from the greatest.
    let is_up = (of == Sort::Name) != is_turned;
    let kept = |name: &'static str| (name, request.get(name).unwrap_or(""));
    let turned = if of == sort && !is_turned { "1" } else { "" };
    HeadRow {
        name: of.name(),
        link: frame.link("/hosts", &[kept("q"), kept("lang"), kept("show"), ("sort", of.name()), ("turned", turned)]),
        sorted: match (of == sort, is_up) {
            (false, _) => "",
            (true, true) => "ascending",
            (true, false) => "descending",
        },
    }
}

fn rows(request: &Request, frame: &Frame, counted: &Counted, found: &[&Host]) -> Result<Vec<HostRow>, Failure> {
    let (store, _) = request.app.open()?;
    let names: Vec<&str> = found.iter().map(|host| &*host.name).collect();
    let lines = query::hosts_named(&store, &names)?;
    let row = |host: &&Host| HostRow {
        link: frame.host(&host.name),
        name: plain(&host.name),
        pages: grouped(u64::from(host.pages)),
        pairs: grouped(u64::from(host.pairs)),
        credibility: format!("{:.3}", host.credibility),
        langs: lines.get(&*host.name).map(langs_of).unwrap_or_default(),
        why: counted.why(&host.name).unwrap_or_default(),
    };
    Ok(found.iter().map(row).collect())
}

/// "en English 12, fr French 10", the most pages first.
pub fn langs_of(line: &HostLine) -> String {
    let mut langs: Vec<(Lang, u32)> = line.langs.iter().map(|(&lang, &pages)| (lang, pages)).collect();
    langs.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    let more = langs.len().saturating_sub(LANGS);
    let mut parts: Vec<String> = langs
        .iter()
        .take(LANGS)
        .map(|(lang, pages)| format!("{} {}", tag_and_name(*lang), grouped(u64::from(*pages))))
        .collect();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    parts.join(", ")
}
