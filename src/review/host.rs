//! One host: its keys, and its pairs.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use diglot::config::Config;
use diglot::query::{self, HostLine, KeyLine, LoneFilter, LonePages, LoneReason, Scope};
use diglot::store::Store;
use diglot::types::{Lang, LangPair, Outcome, PairLine, counted, grouped, pattern};

use super::answer::{Fields, Request, answer, page};
use super::failure::Failure;
use super::filters;
use super::hosts::langs_of;
use super::lists::{ROWS, filter, methods, order, outcomes, paging, pair_of};
use super::pair::link_in_list;
use super::state::App;
use super::views::*;

/// How many keys of a host are listed.
const KEYS: usize = 100;

/// Up to this many pages, the reasons why pages have no partner are shown at once; where a host has more, only their own list shows them.
const MOST_PAGES: u64 = 100_000;

/// How many hosts with few pairs a page lists.
const LACKING: usize = 10;

/// A key of a host.
struct KeyRow {
    key: String,
    langs: String,
    /// The smallest part of the domain that contains its pages.
    scope: String,
    state: &'static str,
    credibility: String,
    global: String,
    power: String,
    accepted: String,
    precision: String,
    pairs: String,
    /// A pair of this key: its address and its URLs.
    example: Option<(String, String, String)>,
}

#[derive(Template)]
#[template(path = "host.html", config = "src/review/askama.toml")]
struct HostPage {
    frame: Frame,
    host: String,
    facts: String,
    /// Hosts with few pairs: address, name, and why.
    lacking: Vec<(String, String, String)>,
    keys: Vec<KeyRow>,
    keys_left: usize,
    /// Address of the list with the weak keys too, if they are not shown.
    weak: Option<String>,
    langs: Vec<Choice>,
    methods: Vec<Choice>,
    orders: Vec<Choice>,
    outcomes: Vec<Choice>,
    key: String,
    min: String,
    max: String,
    pairs: Vec<PairRow>,
    paging: Paging,
    lone: String,
    /// Pages without a partner: address of the list, reason, how many.
    reasons: Vec<(String, &'static str, String)>,
}

/// Only the list of pairs, for a page on which the filter was changed.
#[derive(Template)]
#[template(path = "host_pairs.html", config = "src/review/askama.toml")]
struct PairList {
    pairs: Vec<PairRow>,
    paging: Paging,
}

pub async fn host(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, config) = request.app.open()?;
        let host = request.need("host")?;
        let scope = Scope::of(&store, host)?;
        let mut frame = request.frame(host).of_host(host);
        frame.crumbs.truncate(1);
        let (pairs, paging) = pair_list(request, &frame, (&store, &config), &scope)?;
        if request.get("part") == Some("results") {
            return page(&PairList { pairs, paging });
        }
        let with_weak = request.get("weak").is_some();
        let mut keys = query::keys(&store, &config, &scope, with_weak)?;
        keys.sort_by(|x, y| y.credibility.total_cmp(&x.credibility));
        let keys_left = keys.len().saturating_sub(KEYS);
        keys.truncate(KEYS);
        let examples = query::key_examples(&store, &config, &scope)?;
        let keys = keys.iter().map(|line| key_row(&frame, host, line, &examples)).collect();
        let lines = query::hosts_in(&store, &scope)?;
        let lacking = query::shortages(&store, &config, &scope)?;
        let lacking = lacking.iter().take(LACKING);
        let pages: u64 = lines.iter().map(|line| u64::from(line.pages)).sum();
        let lone = match pages {
            0..=MOST_PAGES => query::lone_pages(&store, &config, &scope, LoneFilter::default(), 0..0)?,
            _ => LonePages::default(),
        };
        let reason = |(reason, &pages): (&LoneReason, &usize)| {
            let link = frame.link("/lone", &[("host", host), ("reason", reason.name())]);
            (link, reason.name(), grouped(pages as u64))
        };
        let chosen = |name: &str| request.get(name).unwrap_or("").to_owned();
        page(&HostPage {
            facts: facts(&lines),
            lacking: lacking.map(|at| (frame.host(&at.host), plain(&at.host), at.reason.to_string())).collect(),
            langs: lang_choices(&lines, &chosen("langs")),
            methods: methods(&chosen("method")),
            orders: choices(
                "by URL",
                [("low", "lowest score first"), ("high", "highest score first")],
                &chosen("order"),
            ),
            outcomes: outcomes(&chosen("outcome")),
            key: chosen("key"),
            min: chosen("min"),
            max: chosen("max"),
            lone: frame.link("/lone", &[("host", host)]),
            reasons: lone.reasons.iter().map(reason).collect(),
            weak: (!with_weak).then(|| frame.link("/host", &[("host", host), ("weak", "1")])),
            host: plain(host),
            pairs,
            paging,
            keys,
            keys_left,
            frame,
        })
    })
    .await
}

/// The pairs that a request asks for, and the links to the others.
fn pair_list(
    request: &Request,
    frame: &Frame,
    (store, config): (&Store, &Config),
    scope: &Scope,
) -> Result<(Vec<PairRow>, Paging), Failure> {
    let start: usize = request.number("from", 0)?;
    let range = start..start.saturating_add(ROWS);
    let found = query::pairs_page(store, config, scope, &filter(request)?, order(request), range)?;
    let marks = request.app.reviews().marks()?;
    let row = |(at, (line, outcome)): (usize, &(PairLine, Option<Outcome>))| {
        let link = link_in_list(request, frame, line, ("at", &at.to_string()));
        PairRow::new(link, line, *outcome, &marks)
    };
    let rows: Vec<PairRow> = (start..).zip(&found.lines).map(row).collect();
    let paging = paging(request, "/host", start, rows.len(), found.total);
    Ok((rows, paging))
}

/// All pairs of the languages that these hosts have.
fn lang_choices(lines: &[HostLine], chosen: &str) -> Vec<Choice> {
    let mut langs: Vec<Lang> =
        lines.iter().flat_map(|line| line.langs.keys().copied()).filter(|lang| lang.is_known()).collect();
    langs.sort_unstable();
    langs.dedup();
    let mut found = vec![Choice::new("", "all languages", chosen)];
    for (at, a) in langs.iter().enumerate() {
        for b in &langs[at + 1..] {
            found.push(Choice::new(&format!("{a} {b}"), &pair_of(*a, *b), chosen));
        }
    }
    found
}

fn facts(lines: &[HostLine]) -> String {
    let sum = |count: fn(&HostLine) -> u64| lines.iter().map(count).sum::<u64>();
    let pages = counted(sum(|line| u64::from(line.pages)), "page");
    match lines {
        [one] => format!("{pages} ({}), {}", langs_of(one), counted(one.pairs, "pair")),
        several => format!("{}, {pages}", counted(several.len() as u64, "host")),
    }
}

fn key_row(frame: &Frame, host: &str, line: &KeyLine, examples: &BTreeMap<(String, LangPair), PairLine>) -> KeyRow {
    let key = pattern(&line.edits());
    let example = examples.get(&(key.clone(), line.key.langs));
    let (lang_a, lang_b) = line.langs();
    KeyRow {
        langs: format!("{lang_a}-{lang_b}"),
        scope: plain(&line.scope),
        state: line.state_name(),
        credibility: format!("{:.3}", line.credibility),
        global: format!("{:.1}", line.global),
        power: grouped(line.power),
        accepted: format!("{} of {}", grouped(line.accepted), grouped(line.assigned)),
        precision: line.est_precision.map_or_else(String::new, |precision| format!("{precision:.3}")),
        pairs: frame.link("/host", &[("host", host), ("key", &key)]),
        example: example.map(|pair| (frame.pair(&pair.url_a, &pair.url_b), plain(&pair.url_a), plain(&pair.url_b))),
        key: plain(&key),
    }
}
