//! The data that templates are filled with.

use askama::Template;
use diglot::evaluate::Estimate;
use diglot::store::Marks;
use diglot::types::{Marked, Outcome, PairLine};
use url::form_urlencoded;

use super::filters;
use super::state::App;
use super::working::Working;

/// What surrounds the content of each page.
pub struct Frame {
    /// The path with which all addresses begin.
    pub base: String,
    pub title: String,
    /// Name of the store's folder.
    pub store: String,
    pub reviewer: String,
    /// How far the run is that works on the store.
    pub working: Option<Working>,
    /// Links from the widest list down to what holds this page: addresses and texts.
    pub crumbs: Vec<(String, String)>,
    /// True where another store was given to be compared with.
    pub compares: bool,
    /// True where the reviewer is not the one for whom the page was started; addresses then name the reviewer.
    is_other_reviewer: bool,
}

impl Frame {
    /// The views that every page links to: paths and titles.
    pub const VIEWS: &[(&'static str, &'static str)] = &[
        ("/", "Overview"),
        ("/hosts", "Hosts"),
        ("/pairs", "Pairs"),
        ("/sentences", "Sentences"),
        ("/judge", "Judge"),
    ];

    pub fn new(app: &App, reviewer: &str, title: &str) -> Frame {
        let folder = std::fs::canonicalize(&app.folder).unwrap_or_else(|_| app.folder.clone());
        Frame {
            base: app.base(),
            title: title.to_owned(),
            store: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            reviewer: reviewer.to_owned(),
            working: app.working(),
            compares: app.against.is_some(),
            crumbs: Vec::new(),
            is_other_reviewer: reviewer != app.reviewer,
        }
    }

    /// The same, on a page of a host.
    pub fn of_host(mut self, host: &str) -> Frame {
        self.crumbs = vec![(self.to("/hosts"), "Hosts".to_owned()), (self.host(host), plain(host))];
        self
    }

    /// The address of a page without parameters.
    pub fn to(&self, path: &str) -> String {
        self.link(path, &[])
    }

    /// An address with parameters; those without a value are left out.
    pub fn link(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        if self.is_other_reviewer && fields.iter().all(|field| field.0 != "who") {
            query.append_pair("who", &self.reviewer);
        }
        let query = query.finish();
        format!("{}{path}{}{query}", self.base, if query.is_empty() { "" } else { "?" })
    }

    /// The address of a pair.
    pub fn pair(&self, a: &str, b: &str) -> String {
        self.link("/pair", &[("a", a), ("b", b)])
    }

    /// The address of a page.
    pub fn page(&self, url: &str) -> String {
        self.link("/page", &[("url", url)])
    }

    /// The address of a host.
    pub fn host(&self, host: &str) -> String {
        self.link("/host", &[("host", host)])
    }
}

/// Text of an archive, with control characters made visible, except tab and line feed, so that they cannot affect the terminal or the page.
pub fn plain(text: &str) -> String {
    let is_control = |c: char| c.is_control() && c != '\t' && c != '\n';
    text.chars().map(|c| if is_control(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// "2024-05-01 10:00" of a time as RFC 3339.
pub fn to_the_minute(time: &str) -> String {
    time.chars().take("2024-05-01T10:00".len()).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

#[derive(Template)]
#[template(path = "problem.html", config = "src/review/askama.toml")]
pub struct Problem {
    pub frame: Frame,
    pub problem: String,
}

/// A stage, and its progress.
pub struct StageRow {
    pub name: &'static str,
    pub state: &'static str,
    pub remaining: String,
}

/// An archive.
pub struct ArchiveRow {
    pub path: String,
    pub format: String,
    pub bytes: String,
    pub pages: String,
    pub records: String,
    pub state: String,
    pub left_out: String,
}

/// Links to the other parts of a long list.
#[derive(Default)]
pub struct Paging {
    pub shown: String,
    pub previous: Option<String>,
    pub next: Option<String>,
}

/// An option of a form.
pub struct Choice {
    pub value: String,
    pub name: String,
    pub is_chosen: bool,
}

impl Choice {
    pub fn new(value: &str, name: &str, chosen: &str) -> Choice {
        Choice { value: value.to_owned(), name: name.to_owned(), is_chosen: value == chosen }
    }
}

/// The options of a form; the first one means "none of them".
pub fn choices<'c>(none: &'c str, all: impl IntoIterator<Item = (&'c str, &'c str)>, chosen: &str) -> Vec<Choice> {
    std::iter::once(("", none)).chain(all).map(|(value, name)| Choice::new(value, name, chosen)).collect()
}

/// The options of a form, including the chosen one. If that is none of them, it gets this name: the list is filtered by it all the same.
pub fn with_chosen(all: impl Iterator<Item = Choice>, name: &str, chosen: &str) -> Vec<Choice> {
    let mut all: Vec<Choice> = all.collect();
    if all.iter().all(|choice| !choice.is_chosen) {
        all.push(Choice::new(chosen, name, chosen));
    }
    all
}

/// A pair in a list.
pub struct PairRow {
    pub link: String,
    pub url_a: String,
    pub url_b: String,
    pub langs: String,
    pub score: String,
    pub method: &'static str,
    pub key: String,
    pub outcome: &'static str,
    /// The marks on it.
    pub marks: String,
}

impl PairRow {
    pub fn new(link: String, line: &PairLine, outcome: Option<Outcome>, marks: &Marks) -> PairRow {
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
            outcome: outcome.filter(|outcome| *outcome != Outcome::Accepted).map_or("", Outcome::name),
            marks: said.join(", "),
        }
    }
}

/// A piece of text, which may be part of a bead.
pub struct PieceView {
    pub text: String,
    pub bead: Option<usize>,
    /// True when its bead is left out of bitext.
    pub is_out: bool,
}

impl PieceView {
    /// A piece that is part of no bead.
    pub fn bare(text: &str) -> PieceView {
        PieceView { text: plain(text), bead: None, is_out: false }
    }
}

/// One of two pages that are shown side by side.
#[derive(Default)]
pub struct SideView {
    pub url: String,
    /// Address of the explanation of the page; empty: none.
    pub page: String,
    pub lang: String,
    /// The language as people read it: its tag and its name.
    pub language: String,
    pub title: String,
    pub blocks: Vec<(&'static str, Vec<PieceView>)>,
    /// A note on text that is not shown.
    pub rest: String,
}

impl SideView {
    /// The same without the program's opinion, so that reviewers judge by the texts.
    pub fn blind(mut self) -> SideView {
        self.page.clear();
        for piece in self.blocks.iter_mut().flat_map(|block| &mut block.1) {
            piece.bead = None;
        }
        self
    }
}

/// One piece of evidence.
pub struct EvidenceRow {
    pub name: String,
    pub value: String,
    pub nats: String,
    /// Position and length of its bar, in percent of the picture; 0 nats is in the middle.
    pub start: String,
    pub width: String,
    pub is_for: bool,
}

/// A mark that counts.
pub struct MarkRow {
    pub verdict: &'static str,
    pub reviewer: String,
    pub at: String,
}

#[derive(Template)]
#[template(path = "pair.html", config = "src/review/askama.toml")]
pub struct PairPage {
    pub frame: Frame,
    pub sides: Option<[SideView; 2]>,
    pub verdict: String,
    pub facts: Vec<(String, String)>,
    pub evidence: Vec<EvidenceRow>,
    pub marks: Vec<MarkRow>,
    /// Corrections of the pair.
    pub corrected: Vec<String>,
    /// Its position in the list from which it was opened, as fields of a form.
    pub place: Vec<(String, String)>,
    pub a: String,
    pub b: String,
    /// Address of the whole text, if the text is cut.
    pub whole: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

/// A sample in the list.
pub struct SampleRow {
    pub link: String,
    pub result: String,
    pub what: String,
    pub drawn: String,
    pub judged: String,
    pub at: String,
}

#[derive(Template)]
#[template(path = "judge.html", config = "src/review/askama.toml")]
pub struct JudgePage {
    pub frame: Frame,
    pub samples: Vec<SampleRow>,
    pub langs: Vec<Choice>,
    pub strata: Vec<Choice>,
    pub whats: Vec<Choice>,
    pub size: String,
    pub host: String,
    pub seed: String,
    /// What was wrong with the form as it was sent.
    pub problem: Option<String>,
    pub marks: String,
}

#[derive(Template)]
#[template(path = "item.html", config = "src/review/askama.toml")]
pub struct ItemPage {
    pub frame: Frame,
    pub name: String,
    pub at: usize,
    pub of: usize,
    pub judged: usize,
    pub sides: Option<[SideView; 2]>,
    pub is_sentences: bool,
    pub verdict: &'static str,
    pub previous: Option<String>,
    pub next: Option<String>,
    pub result: String,
    /// The item that was marked last, whose mark can be taken back.
    pub last: Option<usize>,
}

/// A stratum with its verdicts.
pub struct StratumRow {
    pub name: String,
    pub population: String,
    pub drawn: String,
    pub right: u64,
    pub wrong: u64,
    pub unsure: u64,
    pub precision: String,
    /// Position and length of the interval in the picture, in percent.
    pub low: String,
    pub width: String,
    pub middle: String,
}

impl StratumRow {
    /// An interval, as text and as a picture.
    pub fn interval(estimate: Option<Estimate>) -> (String, String, String, String) {
        let Some(found) = estimate else { return Default::default() };
        let percent = |share: f64| format!("{:.2}%", 100.0 * share);
        (
            format!("{:.1} % ({:.1} to {:.1})", 100.0 * found.precision, 100.0 * found.low, 100.0 * found.high),
            percent(found.low),
            percent((found.high - found.low).max(0.002)),
            percent(found.precision),
        )
    }
}

/// The agreement of two reviewers.
pub struct AgreementRow {
    pub names: String,
    pub both: u64,
    pub observed: String,
    pub kappa: String,
}

#[derive(Template)]
#[template(path = "result.html", config = "src/review/askama.toml")]
pub struct ResultPage {
    pub frame: Frame,
    pub what: String,
    pub whole: StratumRow,
    /// The reason why there is no estimate for the whole yet.
    pub missing: String,
    pub strata: Vec<StratumRow>,
    pub agreements: Vec<AgreementRow>,
    pub judge: String,
    pub unsure: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_always_among_the_options() {
        let names = |chosen| -> Vec<(String, bool)> {
            let all = with_chosen(
                [Choice::new("", "all", chosen), Choice::new("en", "en", chosen)].into_iter(),
                "fr",
                chosen,
            );
            all.into_iter().map(|choice| (choice.name, choice.is_chosen)).collect()
        };
        assert_eq!(names("en"), [("all".to_owned(), false), ("en".to_owned(), true)]);
        assert_eq!(names("fr").last(), Some(&("fr".to_owned(), true)));
    }

    #[test]
    fn control_characters_are_made_visible() {
        assert_eq!(plain("a\u{1b}[31m\tb\n\u{0}"), "a\u{fffd}[31m\tb\n\u{fffd}");
    }
}
