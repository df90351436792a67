//! Judging: marks, samples, what samples show, and gold files made of marks.

use std::sync::Arc;

use axum::extract::{Form, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use diglot::evaluate::{MarkedGold, agreement, estimate};
use diglot::query::{self, tag_and_name};
use diglot::store::{Marks, Standing};
use diglot::types::{Lang, Mark, Marked, Verdict, counted, grouped};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::answer::{Fields, Request, answer, file, page};
use super::failure::Failure;
use super::lists::{lang_pair, place_in_list};
use super::pair::{SHOWN, marked, sides, url};
use super::sample::{By, Design, Item, Said, Sample, What};
use super::state::{App, check_untouched};
use super::views::*;

/// The largest sample.
const MOST: u64 = 10_000;

/// Now, as RFC 3339 in UTC, to the millisecond.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// A new seed each time, short enough to be passed on.
fn new_seed() -> u64 {
    xxh3_64(now().as_bytes()) % 1_000_000
}

fn read(request: &Request, name: &str) -> Result<Sample, Failure> {
    let missing = |_| Failure::Missing(format!("there is no sample {name:?}"));
    let text = request.app.reviews().sample(name).map_err(missing)?;
    Sample::parse(&text).map_err(|why| Failure::Broken(format!("the sample {name} cannot be read: {why}")))
}

pub async fn samples(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| form(request, None)).await
}

/// The page with the form for a new sample and the list of samples. `problem` says what was wrong with the form that was sent, whose values
/// are kept.
fn form(request: &Request, problem: Option<String>) -> Result<Response, Failure> {
    let frame = request.frame("Judge");
    let reviews = request.app.reviews();
    let marks = reviews.marks()?;
    let (mut samples, mut unreadable) = (Vec::new(), Vec::new());
    let mut names = reviews.samples()?;
    // The name of a sample is the time when it was drawn.
    names.sort_by(|x, y| y.cmp(x));
    for name in names {
        // An unreadable sample gives an error when it is opened.
        let Ok(sample) = read(request, &name) else {
            unreadable.push(name);
            continue;
        };
        let judged: u64 = sample.said(&marks).iter().map(|said| said.stratum.judged() + said.unsure).sum();
        samples.push(SampleRow {
            link: frame.link(&format!("/judge/{name}"), &[("who", request.reviewer())]),
            result: frame.link(&format!("/judge/{name}/result"), &[]),
            what: plain(&sample.design.describe()),
            drawn: grouped(sample.items.len() as u64),
            judged: grouped(judged),
            at: to_the_minute(&sample.at),
        });
    }
    let counted_langs = request.app.counting.last();
    let known = counted_langs.iter().flat_map(|counted| counted.overview.langs.keys());
    let known: Vec<String> = known.map(|langs| format!("{} {}", langs.a, langs.b)).collect();
    let mut bad = marks.bad_lines().map_or(String::new(), |lines| format!("; no marks, and left out: {lines}"));
    if !unreadable.is_empty() {
        bad += &format!("; samples that cannot be read: {}", unreadable.join(", "));
    }
    let sent = |name: &str| request.get(name).unwrap_or("");
    page(&JudgePage {
        langs: choices("all", known.iter().map(|langs| (langs.as_str(), langs.as_str())), sent("langs")),
        strata: choices("none: a simple sample", STRATA, sent("by")),
        whats: WHATS.map(|(value, name)| Choice::new(value, name, sent("what"))).into(),
        size: request.get("size").map_or_else(|| USUAL_SIZE.to_string(), str::to_owned),
        host: sent("host").to_owned(),
        seed: request.get("seed").map_or_else(|| new_seed().to_string(), str::to_owned),
        problem,
        marks: format!("{}{bad}", counted(marks.standing().len() as u64, "judged pair")),
        samples,
        frame,
    })
}

/// The newest sample, and how far it is judged.
pub struct Newest {
    pub name: String,
    pub judged: u64,
    pub drawn: u64,
    /// The precision of all pairs with its interval, once every stratum has been judged.
    pub precision: Option<String>,
}

/// The newest sample; `None` where there is none that can be read.
pub fn newest(request: &Request) -> Result<Option<Newest>, Failure> {
    let Some(name) = request.app.reviews().samples()?.into_iter().max() else { return Ok(None) };
    let Ok(sample) = read(request, &name) else { return Ok(None) };
    let said = sample.said(&request.app.reviews().marks()?);
    let strata: Vec<_> = said.iter().map(|said| said.stratum).collect();
    Ok(Some(Newest {
        name,
        judged: said.iter().map(|said| said.stratum.judged() + said.unsure).sum(),
        drawn: sample.items.len() as u64,
        precision: estimate(&strata).map(|found| StratumRow::interval(Some(found)).0),
    }))
}

/// The kinds of things that can be judged.
const WHATS: [(&str, &str); 2] = [("pairs", "page pairs"), ("sentences", "sentence pairs")];

/// The ways to form strata.
const STRATA: [(&str, &str); 3] = [("score", "bins of scores"), ("key", "keys"), ("host", "hosts")];

/// How many things are drawn unless the form says otherwise.
const USUAL_SIZE: u64 = 100;

pub async fn draw(State(app): State<Arc<App>>, Form(fields): Form<Fields>) -> Response {
    answer(State(app), Query(fields), |request| match drawn(request) {
        Ok(path) => Ok(Redirect::to(&path).into_response()),
        Err(Failure::Bad(problem)) => Ok((StatusCode::BAD_REQUEST, form(request, Some(problem))?).into_response()),
        Err(Failure::Missing(problem)) => Ok((StatusCode::NOT_FOUND, form(request, Some(problem))?).into_response()),
        Err(broken) => Err(broken),
    })
    .await
}

/// Draws the sample that a form asks for; returns its address.
fn drawn(request: &Request) -> Result<String, Failure> {
    let size = request.number("size", USUAL_SIZE)?;
    if !(1..=MOST).contains(&size) {
        return Err(Failure::Bad(format!("a sample has 1 to {} pairs", grouped(MOST))));
    }
    let what = if request.get("what") == Some("sentences") { What::Sentences } else { What::Pairs };
    let by = match request.get("by") {
        Some("score") => By::Score,
        Some("key") if what == What::Pairs => By::Key,
        Some("key") => return Err(Failure::Bad("sentence pairs have no keys: choose other strata".to_owned())),
        Some("host") => By::Host,
        _ => By::Nothing,
    };
    let host = request.get("host").map(str::to_owned);
    let langs = request.get("langs").map(lang_pair).transpose()?;
    let design =
        Design { what, by, seed: request.number("seed", new_seed())?, size, langs: None, host }.with_langs(langs);
    let (store, config) = request.app.open()?;
    let at = now();
    let sample = design.draw(&store, &config, at.clone())?;
    if sample.items.is_empty() {
        return Err(Failure::Missing("the store has no such pairs".to_owned()));
    }
    let name: String = at.chars().filter(char::is_ascii_digit).collect();
    let text = serde_json::to_string(&sample).map_err(|why| Failure::Broken(why.to_string()))?;
    check_untouched()?;
    request.app.reviews().keep_sample(&name, &text)?;
    Ok(request.frame("").link(&format!("/judge/{name}"), &[("who", request.reviewer())]))
}

/// The verdict of a reviewer on something.
fn said_by(standing: &Standing<'_>, marked: &Marked, reviewer: &str) -> Option<Verdict> {
    standing.get(marked)?.iter().find(|mark| mark.reviewer == reviewer)?.verdict
}

pub async fn next(state: State<Arc<App>>, Path(name): Path<String>, fields: Query<Fields>) -> Response {
    answer(state, fields, move |request| next_item(request, &name)).await
}

fn next_item(request: &Request, name: &str) -> Result<Response, Failure> {
    let frame = request.frame("Judge");
    let sample = read(request, name)?;
    let marks = request.app.reviews().marks()?;
    let reviewer = request.reviewer();
    let standing = marks.standing();
    let verdict = |item: &Item| said_by(&standing, &item.marked, reviewer);
    let verdicts: Vec<Option<Verdict>> = sample.items.iter().map(verdict).collect();
    let path = format!("/judge/{name}");
    let result = frame.link(&format!("{path}/result"), &[("who", reviewer)]);
    let at = match request.get("item") {
        Some(_) => request.number("item", 1usize)?.saturating_sub(1),
        None => match verdicts.iter().position(Option::is_none) {
            Some(at) => at,
            None => return Ok(Redirect::to(&result).into_response()),
        },
    };
    let item = sample.items.get(at).ok_or_else(|| Failure::Missing("the sample has no such item".to_owned()))?;
    let to = |at: usize| frame.link(&path, &[("item", &(at + 1).to_string()), ("who", reviewer)]);
    let places: FxHashMap<&Marked, usize> = sample.items.iter().map(|item| &item.marked).zip(0..).collect();
    let place = |mark: &Mark| places.get(&mark.marked).copied().filter(|&at| verdicts[at].is_some());
    let last = marks.all.iter().rev().filter(|mark| mark.reviewer == reviewer).find_map(place);
    page(&ItemPage {
        sides: item_sides(request, &frame, &item.marked)?,
        is_sentences: item.marked.texts.is_some(),
        verdict: verdicts[at].map_or("", Verdict::name),
        previous: (at > 0).then(|| to(at - 1)),
        next: (at + 1 < sample.items.len()).then(|| to(at + 1)),
        judged: verdicts.iter().flatten().count(),
        last: last.map(|at| at + 1),
        at: at + 1,
        of: sample.items.len(),
        name: name.to_owned(),
        result,
        frame,
    })
}

/// How many bytes of the text before and after a sentence are shown with it.
const AROUND: usize = 300;

/// Both sides of an item to be judged; `None` where the store no longer has the pages.
fn item_sides(request: &Request, frame: &Frame, marked: &Marked) -> Result<Option<[SideView; 2]>, Failure> {
    let (store, config) = request.app.open()?;
    let urls = [url(&marked.url_a)?, url(&marked.url_b)?];
    if let Some((a, b)) = &marked.texts {
        let reading = query::reading(&store, &config, [&urls[0], &urls[1]], usize::MAX)?;
        let around = reading.map(|reading| reading.around([a, b], AROUND)).unwrap_or_default();
        let side = |(before, after): (String, String), text: &str, url: &str, lang: &str| {
            let parts = [(before, "around"), (text.to_owned(), ""), (after, "around")];
            let parts = parts.into_iter().filter(|part| !part.0.is_empty());
            SideView {
                url: plain(url),
                lang: lang.to_owned(),
                language: Lang::from_tag(lang).map_or_else(|| lang.to_owned(), tag_and_name),
                blocks: parts.map(|(text, class)| (class, vec![PieceView::bare(&text)])).collect(),
                ..SideView::default()
            }
        };
        let [first, second] = around;
        return Ok(Some([
            side(first, a, &marked.url_a, &marked.lang_a),
            side(second, b, &marked.url_b, &marked.lang_b),
        ]));
    }
    let reading = query::reading(&store, &config, [&urls[0], &urls[1]], SHOWN)?;
    Ok(reading.map(|reading| sides(frame, reading).map(SideView::blind)))
}

pub async fn mark(State(app): State<Arc<App>>, Form(fields): Form<Fields>) -> Response {
    answer(State(app), Query(fields), |request| {
        let verdict = match request.get("verdict") {
            None => return Err(Failure::Bad("verdict is missing".to_owned())),
            Some("back") => None,
            Some(name) => {
                let bad =
                    || Failure::Bad(format!("{name:?} is no verdict: right, wrong, unsure, or back to take it back"));
                Some(Verdict::parse(name).ok_or_else(bad)?)
            }
        };
        let frame = request.frame("");
        let reviewer = request.reviewer().to_owned();
        let (about, to) = match request.get("sample") {
            Some(name) => {
                let sample = read(request, name)?;
                let number = request.number("item", 0usize)?;
                let item = number.checked_sub(1).and_then(|at| sample.items.get(at));
                let item = item.ok_or_else(|| Failure::Missing("the sample has no such item".to_owned()))?;
                let number = number.to_string();
                let here = [("item", number.as_str()), ("who", &reviewer)];
                let fields = if verdict.is_some() { &here[1..] } else { &here[..] };
                (item.marked.clone(), frame.link(&format!("/judge/{name}"), fields))
            }
            None => {
                let (a, b) = (request.need("a")?, request.need("b")?);
                let (store, config) = request.app.open()?;
                let reading = query::reading(&store, &config, [&url(a)?, &url(b)?], 0)?;
                let reading = reading.ok_or_else(|| Failure::Missing("the store has no such pages".to_owned()))?;
                let place = place_in_list(request);
                let mut fields = vec![("a", a), ("b", b), ("who", reviewer.as_str())];
                fields.extend(place.iter().map(|(name, value)| (name.as_str(), value.as_str())));
                (marked(&reading), frame.link("/pair", &fields))
            }
        };
        check_untouched()?;
        request.app.reviews().add(&Mark { marked: about, verdict, reviewer, at: now() })?;
        Ok(Redirect::to(&to).into_response())
    })
    .await
}

pub async fn result(state: State<Arc<App>>, Path(name): Path<String>, fields: Query<Fields>) -> Response {
    answer(state, fields, move |request| {
        let sample = read(request, &name)?;
        let marks = request.app.reviews().marks()?;
        let said = sample.said(&marks);
        let frame = request.frame("Result");
        let strata: Vec<_> = said.iter().map(|said| said.stratum).collect();
        let whole = estimate(&strata);
        let total = said.iter().fold(Said::default(), |mut total, said| {
            total.stratum.population += said.stratum.population;
            total.stratum.right += said.stratum.right;
            total.stratum.wrong += said.stratum.wrong;
            total.unsure += said.unsure;
            total
        });
        let row = |name: &str, drawn: u64, said: &Said, found| {
            let (precision, low, width, middle) = StratumRow::interval(found);
            StratumRow {
                name: plain(name),
                population: grouped(said.stratum.population),
                drawn: grouped(drawn),
                right: said.stratum.right,
                wrong: said.stratum.wrong,
                unsure: said.unsure,
                precision,
                low,
                width,
                middle,
            }
        };
        let drawn = sample.parts.iter().map(|part| part.drawn).sum();
        let parts = sample.parts.iter().zip(&said);
        let agreements = sample.said_by_two(&marks).into_iter().filter_map(|((x, y), said)| {
            let found = agreement(said)?;
            Some(AgreementRow {
                names: format!("{} and {}", plain(x), plain(y)),
                both: found.both,
                observed: format!("{:.1} %", 100.0 * found.observed),
                kappa: found
                    .kappa
                    .map_or_else(|| "undefined: both always say the same".to_owned(), |kappa| format!("{kappa:.3}")),
            })
        });
        page(&ResultPage {
            what: plain(&sample.design.describe()),
            missing: if whole.is_none() {
                "Every stratum needs a pair that is judged right or wrong.".to_owned()
            } else {
                String::new()
            },
            whole: row("all", drawn, &total, whole),
            strata: parts.map(|(part, said)| row(&part.name, part.drawn, said, estimate(&[said.stratum]))).collect(),
            agreements: agreements.collect(),
            judge: frame.link(&format!("/judge/{name}"), &[("who", request.reviewer())]),
            unsure: if total.unsure == 0 { String::new() } else { counted(total.unsure, "pair") },
            frame,
        })
    })
    .await
}

/// The verdict of the last mark on each thing, by any reviewer; the newest last.
fn last_verdicts(marks: &Marks) -> Vec<(&Marked, Verdict)> {
    let standing = marks.standing();
    let mut found: Vec<(&str, &Marked, Verdict)> = standing
        .into_iter()
        .filter_map(|(marked, said)| {
            let last = said.last()?;
            Some((last.at.as_str(), marked, last.verdict?))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, marked, verdict)| (marked, verdict)).collect()
}

/// Names of the files that gold is written to, with their content.
pub fn gold_files(marks: &Marks) -> Vec<(String, String)> {
    let gold = MarkedGold::new(last_verdicts(marks));
    let mut files = vec![("review.pairs.tsv".to_owned(), gold.pairs), ("review.grey.tsv".to_owned(), gold.grey)];
    files.extend(gold.bitext.into_iter().map(|((a, b), text)| (format!("review.{a}-{b}.bitext.tsv"), text)));
    files
}

pub async fn gold(state: State<Arc<App>>, Path(wanted): Path<String>, fields: Query<Fields>) -> Response {
    answer(state, fields, move |request| {
        let files = gold_files(&request.app.reviews().marks()?);
        let found = files.into_iter().find(|(name, _)| *name == wanted);
        let (name, content) = found.ok_or_else(|| Failure::Missing(format!("there is no file {wanted}")))?;
        Ok(file(&name, content))
    })
    .await
}
