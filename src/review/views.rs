//! The data that templates are filled with.

use askama::Template;
use diglot::evaluate::Estimate;
use url::form_urlencoded;

use super::figures::Figures;
use super::state::App;

/// What surrounds the content of each page.
pub struct Frame {
    /// The path with which all addresses begin.
    pub base: String,
    pub title: String,
    /// Name of the store's folder.
    pub store: String,
    pub reviewer: String,
    /// True where the reviewer is not the one for whom the page was started; addresses then name the reviewer.
    is_other_reviewer: bool,
}

impl Frame {
    pub fn new(app: &App, reviewer: &str, title: &str) -> Frame {
        let folder = std::fs::canonicalize(&app.folder).unwrap_or_else(|_| app.folder.clone());
        Frame {
            base: app.base(),
            title: title.to_owned(),
            store: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            reviewer: reviewer.to_owned(),
            is_other_reviewer: reviewer != app.reviewer,
        }
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

/// A host with few pairs.
pub struct LackingRow {
    pub name: String,
    pub link: String,
    pub langs: String,
    pub pages: String,
    pub pairs: String,
    pub why: String,
}

#[derive(Template)]
#[template(path = "overview.html", config = "src/review/askama.toml")]
pub struct OverviewPage {
    pub frame: Frame,
    /// `None` while they are counted for the first time.
    pub figures: Option<Figures>,
    /// True where the store has changed since the figures were counted.
    pub is_older: bool,
    pub lacking: Vec<LackingRow>,
    pub lacking_left: usize,
    pub stages: Vec<StageRow>,
    pub archives: Vec<ArchiveRow>,
    pub archives_left: usize,
}

/// Links to the other parts of a long list.
pub struct Paging {
    pub shown: String,
    pub previous: Option<String>,
    pub next: Option<String>,
}

/// A host in a list.
pub struct HostRow {
    pub name: String,
    pub link: String,
    pub pages: String,
    pub pairs: String,
    pub credibility: String,
    pub langs: String,
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

/// Options of a form, of which the first means "none of them".
pub fn choices<'c>(none: &'c str, all: impl IntoIterator<Item = (&'c str, &'c str)>, chosen: &str) -> Vec<Choice> {
    std::iter::once(("", none)).chain(all).map(|(value, name)| Choice::new(value, name, chosen)).collect()
}

#[derive(Template)]
#[template(path = "hosts.html", config = "src/review/askama.toml")]
pub struct HostsPage {
    pub frame: Frame,
    pub text: String,
    pub sorts: Vec<Choice>,
    /// `None` while they are counted for the first time.
    pub hosts: Option<Vec<HostRow>>,
    pub paging: Paging,
}

/// A key of a host.
pub struct KeyRow {
    pub key: String,
    pub langs: String,
    /// The smallest part of the domain that contains its pages.
    pub scope: String,
    pub state: &'static str,
    pub credibility: String,
    pub global: String,
    pub power: String,
    pub accepted: String,
    pub precision: String,
    pub pairs: String,
    /// A pair of this key: its address and its URLs.
    pub example: Option<(String, String, String)>,
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

#[derive(Template)]
#[template(path = "host.html", config = "src/review/askama.toml")]
pub struct HostPage {
    pub frame: Frame,
    pub host: String,
    pub facts: String,
    pub lacking: Vec<LackingRow>,
    pub lacking_left: usize,
    pub keys: Vec<KeyRow>,
    pub keys_left: usize,
    /// Address of the list with the weak keys too, if they are not shown.
    pub weak: Option<String>,
    pub langs: Vec<Choice>,
    pub methods: Vec<Choice>,
    pub orders: Vec<Choice>,
    pub outcomes: Vec<Choice>,
    pub key: String,
    pub min: String,
    pub max: String,
    pub pairs: Vec<PairRow>,
    pub paging: Paging,
    pub lone: String,
}

#[derive(Template)]
#[template(path = "lone.html", config = "src/review/askama.toml")]
pub struct LonePage {
    pub frame: Frame,
    pub host: String,
    pub langs: Vec<Choice>,
    /// Address, URL and language of each page.
    pub pages: Vec<(String, String, String)>,
    pub paging: Paging,
}

/// A piece of text, which may be part of a bead.
pub struct PieceView {
    pub text: String,
    pub bead: Option<usize>,
    /// True when its bead is left out of bitext.
    pub is_out: bool,
}

/// One of two pages that are shown side by side.
pub struct SideView {
    pub url: String,
    /// Address of the explanation of the page; empty: none.
    pub page: String,
    pub lang: String,
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
    /// Its position in the list from which it was opened, as fields of a form.
    pub place: Vec<(String, String)>,
    pub a: String,
    pub b: String,
    /// Address of the whole text, if the text is cut.
    pub whole: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

/// A candidate partner of a page.
pub struct CandidateRow {
    pub link: String,
    pub url: String,
    pub lang: String,
    pub method: String,
    pub key: String,
    pub score: String,
    pub outcome: String,
}

#[derive(Template)]
#[template(path = "page.html", config = "src/review/askama.toml")]
pub struct PagePage {
    pub frame: Frame,
    /// Where the store does not have the page: the nearest thing that it has, as an address and a description.
    pub nearest: Option<(String, String)>,
    /// Address and URL of the page of which it is a copy.
    pub original: Option<(String, String)>,
    pub url: String,
    pub host: String,
    pub verdict: String,
    pub facts: Vec<(String, String)>,
    pub candidates: Vec<CandidateRow>,
    pub leads: Vec<(String, String, String)>,
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
    fn control_characters_are_made_visible() {
        assert_eq!(plain("a\u{1b}[31m\tb\n\u{0}"), "a\u{fffd}[31m\tb\n\u{fffd}");
    }
}
