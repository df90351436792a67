//! Sentence pairs through a chain of filters: how many each leaves, examples of what it leaves out, and the command that exports the rest.
//!
//! The filters are tried on sentence pairs that are drawn at random in the background; where all of them were drawn, the counts are exact.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use diglot::export::{Condition, Content, Row, rounded};
use diglot::types::{BitextLine, Lang, LangPair, grouped};

use super::answer::{Fields, Request, answer, page};
use super::background::is_older;
use super::failure::Failure;
use super::lists::{lang_pair, lang_pairs};
use super::state::App;
use super::views::*;

/// How many conditions a chain may have.
const CONDITIONS: usize = 12;

/// How many empty conditions the form has, beside those that are given.
const EMPTY: usize = 2;

/// How many examples are shown of the sentence pairs that a filter leaves out, and of those that are left in the end.
const EXAMPLES: (usize, usize) = (5, 20);

/// How many characters of a text are shown.
const CHARS: usize = 400;

/// The columns that conditions may be on: those that every export has, and that a reader can judge.
const COLUMNS: [&str; 20] = [
    "score",
    "page_score",
    "chars_a",
    "chars_b",
    "count_a",
    "count_b",
    "text_a",
    "text_b",
    "url_a",
    "url_b",
    "domain",
    "kind_a",
    "kind_b",
    "furniture",
    "email",
    "phone",
    "page_pairs",
    "targets",
    "sources",
    "scorer",
];

/// The comparisons that conditions may make, and how they are shown.
const SIGNS: [(&str, &str); 8] = [
    (">=", "at least"),
    ("<=", "at most"),
    (">", "more than"),
    ("<", "less than"),
    ("=", "is"),
    ("!=", "is not"),
    ("~", "contains"),
    ("=~", "matches"),
];

/// One filter of a chain.
enum Link {
    Langs(LangPair),
    MinScore(f64),
    Where(Condition),
}

impl Link {
    fn takes(&self, line: &BitextLine) -> bool {
        match self {
            Link::Langs(langs) => LangPair::new(line.lang_a, line.lang_b) == Some(*langs),
            // The score is compared as `export` compares it.
            Link::MinScore(least) => rounded(line.score) >= *least,
            Link::Where(condition) => condition.holds(Row::Sentences(line)),
        }
    }

    /// The option of `export` that does the same, and its value.
    fn option(&self) -> (&'static str, String) {
        match self {
            Link::Langs(langs) => ("--langs", format!("{},{}", langs.a, langs.b)),
            Link::MinScore(least) => ("--min-score", least.to_string()),
            Link::Where(condition) => ("--where", condition.to_string()),
        }
    }
}

/// A sentence pair, shown.
struct Example {
    text_a: String,
    text_b: String,
    lang_a: Lang,
    lang_b: Lang,
    score: String,
    link: String,
}

/// A filter of the chain with its effect.
struct StepRow {
    option: String,
    left: String,
    out: String,
    width: String,
    examples: Vec<Example>,
}

/// A condition of the form.
struct ConditionRow {
    at: usize,
    columns: Vec<Choice>,
    signs: Vec<Choice>,
    value: String,
}

#[derive(Template)]
#[template(path = "sentences.html", config = "src/review/askama.toml")]
struct SentencesPage {
    frame: Frame,
    langs: Vec<Choice>,
    min: String,
    conditions: Vec<ConditionRow>,
    /// What is wrong with a condition.
    problem: Option<String>,
    /// True while sentence pairs are drawn for the first time.
    is_drawing: bool,
    /// True where the store has changed since it was counted.
    is_older: bool,
    /// How many sentence pairs there are, and how many of them the filters are tried on, if not on all.
    total: String,
    tried_on: Option<String>,
    steps: Vec<StepRow>,
    kept: Vec<Example>,
    command: String,
}

pub async fn sentences(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let frame = request.frame("Sentences");
        let (chain, problem) = match chain(request) {
            Ok(chain) => (chain, None),
            Err(Failure::Bad(problem)) => (Vec::new(), Some(problem)),
            Err(other) => return Err(other),
        };
        let drawn = request.app.drawing.known()?;
        let counted = request.app.counting.last();
        let known = counted.iter().flat_map(|counted| counted.overview.langs.keys());
        let (total, lines) = drawn.as_ref().map_or((0, &[][..]), |drawn| (drawn.total, &drawn.lines[..]));
        let (steps, kept) = through(&frame, &chain, total, lines);
        page(&SentencesPage {
            langs: lang_pairs(known, request.get("langs").unwrap_or("")),
            min: request.get("min").unwrap_or("").to_owned(),
            conditions: condition_rows(request),
            is_drawing: drawn.is_none(),
            is_older: is_older(drawn.as_deref(), &request.app.open()?.0),
            total: grouped(total),
            tried_on: ((lines.len() as u64) < total).then(|| grouped(lines.len() as u64)),
            command: command(&request.app.folder.to_string_lossy(), &chain),
            problem,
            steps,
            kept,
            frame,
        })
    })
    .await
}

/// The names of the fields of a condition.
fn names(at: usize) -> [String; 3] {
    ["c", "s", "v"].map(|name| format!("{name}{at}"))
}

/// The chain that the fields of a request describe.
fn chain(request: &Request) -> Result<Vec<Link>, Failure> {
    let mut found = Vec::new();
    if let Some(text) = request.get("langs") {
        found.push(Link::Langs(lang_pair(text)?));
    }
    if request.get("min").is_some() {
        let least: f64 = request.number("min", 0.0)?;
        if !(0.0..=1.0).contains(&least) {
            return Err(Failure::Bad("a score is 0 to 1".to_owned()));
        }
        found.push(Link::MinScore(least));
    }
    for [column, sign, value] in (1..=CONDITIONS).map(names) {
        let (Some(column), Some(value)) = (request.get(&column), request.get(&value)) else { continue };
        let sign = request.get(&sign).unwrap_or(SIGNS[0].0);
        if !COLUMNS.contains(&column) || SIGNS.iter().all(|known| known.0 != sign) {
            return Err(Failure::Bad(format!("{column} {sign} is no condition that this page knows")));
        }
        found.push(Link::Where(condition(column, sign, value)?));
    }
    Ok(found)
}

/// A condition of the form. The space keeps the sign apart from a value that begins like one.
fn condition(column: &str, sign: &str, value: &str) -> Result<Condition, Failure> {
    Condition::parse(Content::Bitext, &format!("{column}{sign} {value}")).map_err(Failure::Bad)
}

fn condition_rows(request: &Request) -> Vec<ConditionRow> {
    let is_given =
        |at: &usize| names(*at).iter().any(|name| name.starts_with(['c', 'v']) && request.get(name).is_some());
    let given = (1..=CONDITIONS).filter(is_given).max().unwrap_or(0);
    let row = |at| {
        let [column, sign, value] = names(at).map(|name| request.get(&name).unwrap_or("").to_owned());
        ConditionRow {
            at,
            columns: choices("no condition", COLUMNS.map(|name| (name, name)), &column),
            signs: SIGNS.map(|(sign_of, name)| Choice::new(sign_of, name, &sign)).into(),
            value,
        }
    };
    (1..=(given + EMPTY).min(CONDITIONS)).map(row).collect()
}

/// The number of sentence pairs that each filter leaves, and examples of those left in the end. The counts are for all sentence pairs,
/// estimated from the drawn ones.
fn through(frame: &Frame, chain: &[Link], total: u64, lines: &[BitextLine]) -> (Vec<StepRow>, Vec<Example>) {
    let whole = |count: usize| (count as f64 * total as f64 / lines.len().max(1) as f64).round() as u64;
    let mut left: Vec<&BitextLine> = lines.iter().collect();
    let steps = chain.iter().map(|link| {
        let (kept, out): (Vec<&BitextLine>, Vec<&BitextLine>) = left.iter().partition(|line| link.takes(line));
        left = kept;
        let (option, value) = link.option();
        StepRow {
            option: format!("{option} {value}"),
            left: grouped(whole(left.len())),
            out: grouped(whole(out.len())),
            width: format!("{:.2}%", 100.0 * left.len() as f64 / lines.len().max(1) as f64),
            examples: out.into_iter().take(EXAMPLES.0).map(|line| example(frame, line)).collect(),
        }
    });
    let steps = steps.collect();
    (steps, left.into_iter().take(EXAMPLES.1).map(|line| example(frame, line)).collect())
}

fn example(frame: &Frame, line: &BitextLine) -> Example {
    let shown = |text: &str| plain(&text.chars().take(CHARS).collect::<String>());
    Example {
        text_a: shown(&line.text_a),
        text_b: shown(&line.text_b),
        lang_a: line.lang_a,
        lang_b: line.lang_b,
        score: format!("{:.4}", line.score),
        link: frame.pair(&line.a.url, &line.b.url),
    }
}

/// The command that exports what passes a chain.
fn command(store: &str, chain: &[Link]) -> String {
    let mut parts = vec!["diglot export --what bitext".to_owned()];
    for (option, value) in chain.iter().map(Link::option) {
        parts.push(format!("{option} {}", quoted(&value)));
    }
    parts.push(format!("--store {} -o bitext.tsv", quoted(store)));
    parts.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_./,-=:".contains(c);
    if !word.is_empty() && word.chars().all(is_bare) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_written_as_options_that_a_shell_reads() {
        let condition = |text| Link::Where(Condition::parse(Content::Bitext, text).expect("a condition"));
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let chain = [Link::Langs(langs), Link::MinScore(0.9), condition("chars_a>=20"), condition("text_b!=it's")];
        let langs = format!("{},{}", langs.a, langs.b);
        assert_eq!(
            command("my store", &chain),
            format!(
                "diglot export --what bitext --langs {langs} --min-score 0.9 --where 'chars_a>=20' --where 'text_b!=it'\\''s' \
                 --store 'my store' -o bitext.tsv"
            )
        );
    }

    #[test]
    fn a_value_that_begins_with_a_sign_stays_a_value() {
        for (sign, value, written) in
            [("=", "~draft", "text_a==~draft"), (">", "=20", "text_a> =20"), ("~", "=x", "text_a~=x")]
        {
            let (found, expected) =
                (condition("text_a", sign, value).ok(), Condition::parse(Content::Bitext, written).ok());
            assert!(expected.is_some() && found == expected, "{sign} {value}: {found:?}");
        }
    }

    #[test]
    fn every_column_that_is_offered_is_one_of_bitext() {
        for column in COLUMNS {
            let values = ["1", "x", "yes", "true"];
            let parsed = values.map(|value| Condition::parse(Content::Bitext, &format!("{column}={value}")));
            assert!(parsed.iter().any(Result::is_ok), "{column}: {parsed:?}");
        }
    }
}
