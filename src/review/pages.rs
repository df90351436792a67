//! The pages for the overview, the list of hosts, one host, and the pages without a partner.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use diglot::pipeline::StageStatus;
use diglot::query::{self, HostLine, KeyLine, Scope, Shortage};
use diglot::store::Marks;
use diglot::types::{Lang, LangPair, Marked, Method, Outcome, PairLine, counted as count_of, grouped, pattern};

use super::answer::{Fields, Request, answer, not_found, page};
use super::counting::Sort;
use super::failure::Failure;
use super::figures::Figures;
use super::lists::{filter, order};
use super::pair::link_in_list;
use super::state::App;
use super::views::*;

/// How many rows of a list are shown at a time.
const ROWS: usize = 50;

/// How many archives the overview lists.
const ARCHIVES: usize = 50;

/// How many keys of a host are listed.
const KEYS: usize = 100;

/// How many hosts with few pairs a page lists.
const LACKING: usize = 10;

/// How many languages of a host a list names.
const LANGS: usize = 6;

pub async fn overview(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, _) = request.app.open()?;
        let counted = request.app.counting.last();
        let archives = query::archives(&store)?;
        let frame = request.frame("Overview");
        let lacking = counted.as_ref().map_or(&[][..], |counted| &counted.lacking);
        page(&OverviewPage {
            lacking: lacking_rows(&frame, lacking),
            lacking_left: lacking.len().saturating_sub(LACKING),
            frame,
            is_older: counted.as_ref().is_some_and(|counted| !counted.is_of(&store)),
            stages: counted.iter().flat_map(|counted| stage_rows(&counted.stages)).collect(),
            figures: counted.map(|counted| Figures::new(&counted.overview)),
            archives_left: archives.len().saturating_sub(ARCHIVES),
            archives: archive_rows(archives.into_iter().take(ARCHIVES)),
        })
    })
    .await
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
        let is_there = request.app.counting.last().is_some();
        Ok((if is_there { "counted" } else { "counting" }).into_response())
    })
    .await
}

/// The position at which a list starts, from the field `from`.
fn start(request: &Request) -> Result<usize, Failure> {
    request.number("from", 0)
}

/// Links to the other parts of a list, with the same fields except for the start.
fn paging(request: &Request, path: &str, start: usize, shown: usize, total: usize) -> Paging {
    let frame = request.frame("");
    let at = |from: usize| {
        let from = if from == 0 { String::new() } else { from.to_string() };
        let mut fields: Vec<(&str, &str)> =
            request.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        fields.retain(|(name, _)| *name != "from");
        fields.push(("from", &from));
        frame.link(path, &fields)
    };
    Paging {
        shown: match (total, shown) {
            (0, _) => "none".to_owned(),
            (total, 0) => format!("none of {} from here on", grouped(total as u64)),
            (total, shown) => {
                format!(
                    "{} to {} of {}",
                    grouped(start as u64 + 1),
                    grouped((start + shown) as u64),
                    grouped(total as u64)
                )
            }
        },
        previous: (start > 0).then(|| at(start.saturating_sub(ROWS))),
        next: (start + shown < total).then(|| at(start + shown)),
    }
}

pub async fn hosts(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let text = request.get("q").unwrap_or("").to_lowercase();
        let sort = request.get("sort").and_then(Sort::parse).unwrap_or(Sort::Pairs);
        let start = start(request)?;
        let frame = request.frame("Hosts");
        let sorts = Sort::ALL.map(|known| Choice::new(known.name(), known.name(), sort.name())).into();
        let Some(counted) = request.app.counting.last() else {
            let paging = Paging { shown: String::new(), previous: None, next: None };
            return page(&HostsPage { frame, text, sorts, hosts: None, paging });
        };
        let (store, _) = request.app.open()?;
        let (total, found) = counted.hosts(&text, sort, start, ROWS);
        let names: Vec<&str> = found.iter().map(|host| &*host.name).collect();
        let lines = query::hosts_named(&store, &names)?;
        let row = |host: &&super::counting::Host| HostRow {
            link: frame.host(&host.name),
            name: host.name.to_string(),
            pages: grouped(u64::from(host.pages)),
            pairs: grouped(u64::from(host.pairs)),
            credibility: format!("{:.3}", host.credibility),
            langs: lines.get(&*host.name).map(langs_of).unwrap_or_default(),
        };
        let rows: Vec<HostRow> = found.iter().map(row).collect();
        let paging = paging(request, "/hosts", start, rows.len(), total);
        page(&HostsPage { hosts: Some(rows), frame, text, sorts, paging })
    })
    .await
}

/// "en 12, fr 10", the most pages first.
fn langs_of(line: &HostLine) -> String {
    let mut langs: Vec<(Lang, u32)> = line.langs.iter().map(|(&lang, &pages)| (lang, pages)).collect();
    langs.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    listed(&langs)
}

/// The first few languages, each with its pages.
fn listed(langs: &[(Lang, u32)]) -> String {
    let more = langs.len().saturating_sub(LANGS);
    let mut parts: Vec<String> =
        langs.iter().take(LANGS).map(|(lang, pages)| format!("{lang} {}", grouped(u64::from(*pages)))).collect();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    parts.join(", ")
}

/// The first few of the hosts with few pairs.
fn lacking_rows(frame: &Frame, lacking: &[Shortage]) -> Vec<LackingRow> {
    let row = |host: &Shortage| LackingRow {
        link: frame.host(&host.host),
        name: host.host.clone(),
        langs: listed(&host.langs),
        pages: grouped(u64::from(host.pages)),
        pairs: grouped(host.pairs),
        why: host.reason.to_string(),
    };
    lacking.iter().take(LACKING).map(row).collect()
}

pub async fn host(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, config) = request.app.open()?;
        let host = request.need("host")?;
        let scope = Scope::of(&store, host)?;
        let frame = request.frame(host);
        let start = start(request)?;
        let found = query::pairs_page(
            &store,
            &config,
            &scope,
            &filter(request)?,
            order(request),
            start..start.saturating_add(ROWS),
        )?;
        let marks = request.app.reviews().marks()?;
        let row = |(at, (line, outcome)): (usize, &(PairLine, Option<Outcome>))| {
            let link = link_in_list(request, &frame, line, start + at);
            pair_row(link, line, outcome.map(Outcome::name), &marks)
        };
        let rows: Vec<PairRow> = found.lines.iter().enumerate().map(row).collect();
        let with_weak = request.get("weak").is_some();
        let mut keys = query::keys(&store, &config, &scope, with_weak)?;
        keys.sort_by(|x, y| y.credibility.total_cmp(&x.credibility));
        let keys_left = keys.len().saturating_sub(KEYS);
        keys.truncate(KEYS);
        let examples = query::key_examples(&store, &config, &scope)?;
        let keys = keys.iter().map(|line| key_row(&frame, host, line, &examples)).collect();
        let lines = query::hosts_in(&store, &scope)?;
        let lacking = query::shortages(&store, &config, &scope)?;
        let chosen = |name: &str| request.get(name).unwrap_or("").to_owned();
        page(&HostPage {
            facts: facts(&lines),
            lacking: lacking_rows(&frame, &lacking),
            lacking_left: lacking.len().saturating_sub(LACKING),
            langs: lang_choices(&lines, &chosen("langs")),
            methods: choices("any method", Method::ALL.map(|method| (method.name(), method.name())), &chosen("method")),
            orders: choices(
                "by URL",
                [("low", "lowest score first"), ("high", "highest score first")],
                &chosen("order"),
            ),
            outcomes: choices("accepted", [("rejected", "not accepted")], &chosen("outcome")),
            key: chosen("key"),
            min: chosen("min"),
            max: chosen("max"),
            paging: paging(request, "/host", start, rows.len(), found.total),
            lone: frame.link("/lone", &[("host", host)]),
            weak: (!with_weak).then(|| frame.link("/host", &[("host", host), ("weak", "1")])),
            host: host.to_owned(),
            pairs: rows,
            keys,
            keys_left,
            frame,
        })
    })
    .await
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
            let name = format!("{a}-{b}");
            found.push(Choice::new(&format!("{a} {b}"), &name, chosen));
        }
    }
    found
}

fn facts(lines: &[HostLine]) -> String {
    let sum = |count: fn(&HostLine) -> u64| lines.iter().map(count).sum::<u64>();
    let pages = count_of(sum(|line| u64::from(line.pages)), "page");
    match lines {
        [one] => format!("{pages} ({}), {}", langs_of(one), count_of(one.pairs, "pair")),
        several => format!("{}, {pages}", count_of(several.len() as u64, "host")),
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

fn pair_row(link: String, line: &PairLine, outcome: Option<&'static str>, marks: &Marks) -> PairRow {
    let marked = Marked::pages((&line.url_a, line.lang_a), (&line.url_b, line.lang_b));
    let said = marks.of(&marked).into_iter();
    let said: Vec<String> =
        said.filter_map(|mark| Some(format!("{}: {}", plain(&mark.reviewer), mark.verdict?.name()))).collect();
    PairRow {
        link,
        url_a: plain(&line.url_a),
        url_b: plain(&line.url_b),
        langs: format!("{}-{}", line.lang_a, line.lang_b),
        score: format!("{:.4}", line.score),
        method: line.method,
        key: plain(&line.key),
        outcome: outcome.filter(|outcome| *outcome != "accepted").unwrap_or(""),
        marks: said.join(", "),
    }
}

pub async fn lone(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let (store, _) = request.app.open()?;
        let host = request.need("host")?;
        let scope = Scope::of(&store, host)?;
        let start = start(request)?;
        let chosen = request.get("lang").unwrap_or("");
        let lang = match chosen {
            "" => None,
            name => Some(Lang::parse(name).ok_or_else(|| Failure::Bad(format!("{name:?} is no language")))?),
        };
        let found = query::lone_pages(&store, &scope, lang, start..start.saturating_add(ROWS))?;
        let total =
            lang.map_or_else(|| found.langs.values().sum(), |lang| found.langs.get(&lang).copied().unwrap_or(0));
        let name = |lang: Lang, pages: usize| {
            let what = if lang.is_known() { lang.as_str() } else { "takes no part" };
            format!("{what} ({})", grouped(pages as u64))
        };
        let mut langs = vec![Choice::new("", "all", chosen)];
        langs.extend(found.langs.iter().map(|(&lang, &pages)| Choice::new(lang.as_str(), &name(lang, pages), chosen)));
        let frame = request.frame(host);
        let rows = found.lines.iter().map(|(url, lang)| (frame.page(url), plain(url), lang.as_str().to_owned()));
        page(&LonePage {
            pages: rows.collect(),
            paging: paging(request, "/lone", start, found.lines.len(), total),
            host: host.to_owned(),
            langs,
            frame,
        })
    })
    .await
}

/// The style and the script of the page, which are part of the binary.
pub async fn asset(Path(file): Path<String>) -> Response {
    let (kind, content) = match file.as_str() {
        "review.css" => ("text/css; charset=utf-8", include_str!("assets/review.css")),
        "icon.svg" => ("image/svg+xml", include_str!("assets/icon.svg")),
        "review.js" => ("text/javascript; charset=utf-8", include_str!("assets/review.js")),
        _ => return not_found().await,
    };
    ([(header::CONTENT_TYPE, kind)], content).into_response()
}
