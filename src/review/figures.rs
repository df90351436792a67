//! Figures that the web page and the report share, ready to be drawn.

use std::collections::BTreeMap;

use diglot::query::{BINS, EDGES, Overview, tag_and_name};
use diglot::types::{Lang, LangPair, counted, grouped};

use super::views::Frame;

/// A store at a glance.
#[derive(Default)]
pub struct Figures {
    /// Archives, hosts and domains in words.
    pub scope: String,
    /// From records to pages with a partner; from proposed to accepted pairs; from aligned to kept sentence pairs.
    pub funnels: Vec<Funnel>,
    pub matrix: Matrix,
    pub histograms: Vec<Histogram>,
    /// Accepted pairs by the method that proposed them.
    pub methods: Vec<Bar>,
    /// Pages by language.
    pub langs: Vec<Bar>,
}

/// A funnel: counts of one kind of thing, each a part of the one before.
pub struct Funnel {
    pub name: &'static str,
    pub steps: Vec<Step>,
}

/// One step of a funnel.
pub struct Step {
    pub bar: Bar,
    /// What was left out before this step: reasons with their counts, and the addresses of their lists.
    pub left: Vec<Left>,
}

/// What was left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub reason: String,
    pub count: String,
    /// The address of its list; empty: none.
    pub link: String,
}

/// A bar with its name and count.
pub struct Bar {
    pub name: String,
    pub count: String,
    /// Its length in percent of the longest.
    pub width: String,
    /// The address of the list of what it counts; empty: none.
    pub link: String,
}

/// Numbers of page pairs, by language pair.
#[derive(Default)]
pub struct Matrix {
    pub langs: Vec<String>,
    pub rows: Vec<(String, Vec<Option<Cell>>)>,
}

/// The page pairs of two languages.
pub struct Cell {
    pub count: String,
    /// The address of their list; empty: none.
    pub link: String,
    /// How dark it is, 0..=[`LEVELS`].
    pub level: u32,
}

/// The darkest level of a cell.
const LEVELS: u32 = 6;

/// Counts of scores.
pub struct Histogram {
    pub name: &'static str,
    pub class: &'static str,
    pub total: String,
    /// The greatest count.
    pub top: String,
    pub bins: Vec<HistogramBin>,
}

/// One bin, in units of the picture: [`Histogram::WIDTH`] × [`Histogram::HEIGHT`].
pub struct HistogramBin {
    pub name: String,
    pub count: String,
    /// The address of the list of these pairs; empty: none.
    pub link: String,
    /// The score at which it begins.
    pub edge: String,
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Histogram {
    pub const WIDTH: u32 = 640;
    pub const HEIGHT: u32 = 120;

    /// Bins of equal width, though they are narrower near 1, and heights by the logarithm of the count.
    fn new(name: &'static str, outcome: &'static str, counts: [u64; BINS], to: Links<'_>) -> Histogram {
        let most = counts.into_iter().max().unwrap_or(0).max(1);
        let step = Histogram::WIDTH / BINS as u32;
        let bin = |(at, count): (usize, u64)| {
            // A bin with a single pair must be visible too.
            let height = ((count as f64).ln_1p() / (most as f64).ln_1p() * f64::from(Histogram::HEIGHT)).ceil() as u32;
            let (low, high) = (EDGES[at].to_string(), EDGES[at + 1].to_string());
            let below = if at + 1 < BINS { "1" } else { "" };
            HistogramBin {
                name: format!("{low} to {high}"),
                count: grouped(count),
                link: to.list(
                    "/pairs",
                    count,
                    &[("min", &low), ("max", &high), ("below", below), ("outcome", outcome)],
                ),
                edge: low,
                x: at as u32 * step + 1,
                y: Histogram::HEIGHT - height,
                width: step - 2,
                height,
            }
        };
        Histogram {
            name,
            class: if outcome.is_empty() { "accepted" } else { "rejected" },
            total: grouped(counts.iter().sum()),
            top: grouped(most),
            bins: counts.into_iter().enumerate().map(bin).collect(),
        }
    }
}

impl Bar {
    pub fn new(name: impl Into<String>, count: u64, longest: u64, link: String) -> Bar {
        let width = 100.0 * count as f64 / longest.max(1) as f64;
        Bar { name: name.into(), count: grouped(count), width: format!("{width:.2}%"), link }
    }
}

/// Where figures link to: the lists of the web page, or nothing.
#[derive(Clone, Copy)]
pub struct Links<'f>(pub Option<&'f Frame>);

impl Links<'_> {
    /// The address of a list; empty where nothing is in it.
    fn list(self, path: &str, count: u64, fields: &[(&str, &str)]) -> String {
        self.0.filter(|_| count > 0).map_or_else(String::new, |frame| frame.link(path, fields))
    }
}

/// Reasons with their counts, without those of count 0; `link` makes the address of their list.
fn reasons<'n>(left: impl IntoIterator<Item = (&'n str, u64)>, link: impl Fn(&'n str, u64) -> String) -> Vec<Left> {
    let left = left.into_iter().filter(|&(_, count)| count > 0);
    left.map(|(name, count)| Left { reason: name.to_owned(), count: grouped(count), link: link(name, count) }).collect()
}

/// A step: its name, its count, the address of its list, and what was left out before it.
type Counted<'n> = (&'n str, u64, String, Vec<Left>);

fn funnel(name: &'static str, steps: Vec<Counted<'_>>) -> Funnel {
    let longest = steps.iter().map(|step| step.1).max().unwrap_or(0);
    let step = |(name, count, link, left)| Step { bar: Bar::new(name, count, longest, link), left };
    Funnel { name, steps: steps.into_iter().map(step).collect() }
}

impl Figures {
    pub fn new(found: &Overview, to: Links<'_>) -> Figures {
        let mut langs: Vec<(Lang, u64)> = found.pages_by_lang.iter().map(|(&lang, &pages)| (lang, pages)).collect();
        langs.sort_by_key(|lang| std::cmp::Reverse(lang.1));
        let most = langs.first().map_or(0, |lang| lang.1);
        let of_lang = |(lang, pages): (Lang, u64)| {
            let link = to.list("/hosts", pages, &[("lang", lang.as_str())]);
            Bar::new(tag_and_name(lang), pages, most, link)
        };
        let methods = found.methods.iter().map(|(method, &count)| (method.name(), count));
        Figures {
            scope: format!(
                "{}, {}, {}",
                counted(found.archives, "archive"),
                counted(found.domains, "domain"),
                counted(found.hosts, "host")
            ),
            funnels: funnels(found, to),
            matrix: matrix(&found.langs, to),
            histograms: histograms(found, to),
            methods: bars(methods.collect(), |name, count| to.list("/pairs", count, &[("method", name)])),
            langs: langs.into_iter().map(of_lang).collect(),
        }
    }
}

fn bars(counts: Vec<(&str, u64)>, link: impl Fn(&str, u64) -> String) -> Vec<Bar> {
    let longest = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.into_iter().map(|(name, count)| Bar::new(name, count, longest, link(name, count))).collect()
}

fn funnels(found: &Overview, to: Links<'_>) -> Vec<Funnel> {
    let to_archives = |count| to.list("/", count, &[]) + if to.0.is_some() { "#archives" } else { "" };
    let of_archives = |_: &str, count| to_archives(count);
    let left_out = reasons(found.left_out.iter().map(|&(reason, count)| (reason.name(), count)), of_archives);
    let withheld = found.withheld.iter().map(|(reason, &count)| (reason.name(), count));
    let other = std::iter::once(("other captures of the same URL", found.older)).chain(withheld);
    let lone = |takes_part: bool| {
        let of_kind = found.lone.iter().filter(move |(reason, _)| reason.takes_part() == takes_part);
        let counts = of_kind.map(|(reason, &count)| (reason.name(), count));
        reasons(counts, |name, count| to.list("/lone", count, &[("reason", name)]))
    };
    let mut funnels = vec![funnel(
        "Pages",
        vec![
            ("records read", found.records, to_archives(found.records), Vec::new()),
            ("captures taken as pages", found.captures, to_archives(found.captures), left_out),
            (
                "pages, one for each URL",
                found.pages,
                to.list("/hosts", found.pages, &[]),
                reasons(other, |_, _| String::new()),
            ),
            ("pages that take part", found.taking_part, to.list("/hosts", found.taking_part, &[]), lone(false)),
            ("pages with a partner", found.paired, to.list("/pairs", found.paired, &[]), lone(true)),
        ],
    )];
    let rejected = found.outcomes.iter().map(|(name, &count)| (*name, count)).filter(|(name, _)| *name != "accepted");
    let rejected = reasons(rejected, |name, count| to.list("/pairs", count, &[("outcome", name)]));
    let mut pairs = vec![("page pairs", found.pairs, to.list("/pairs", found.pairs, &[]), rejected)];
    if found.judged > 0 {
        pairs.insert(0, ("pairs proposed and judged", found.judged, String::new(), Vec::new()));
    }
    funnels.push(funnel("Page pairs", pairs));
    let dropped = found.sentences_left_out.values().sum::<u64>();
    if found.sentences + dropped > 0 {
        let left = found.sentences_left_out.iter().map(|(reason, &count)| (reason.name(), count));
        let left = reasons(left, |_, _| String::new());
        let steps = vec![
            ("sentences compared", found.sentences + dropped, String::new(), Vec::new()),
            ("sentence pairs kept", found.sentences, to.list("/sentences", found.sentences, &[]), left),
        ];
        funnels.push(funnel("Sentence pairs", steps));
    }
    funnels
}

fn histograms(found: &Overview, to: Links<'_>) -> Vec<Histogram> {
    if found.judged == 0 {
        return Vec::new();
    }
    let counts = |at: usize| found.scores.map(|bin| bin[at]);
    [("accepted pairs", "", counts(0)), ("pairs that were judged and not accepted", "rejected", counts(1))]
        .into_iter()
        .filter(|(_, _, counts)| counts.iter().any(|&count| count > 0))
        .map(|(name, outcome, counts)| Histogram::new(name, outcome, counts, to))
        .collect()
}

fn matrix(pairs: &BTreeMap<LangPair, u64>, to: Links<'_>) -> Matrix {
    let mut langs: Vec<Lang> = pairs.keys().flat_map(|langs| [langs.a, langs.b]).collect();
    langs.sort_unstable();
    langs.dedup();
    let most = pairs.values().copied().max().unwrap_or(0).max(1) as f64;
    let cell = |a: Lang, b: Lang| {
        let count = *pairs.get(&LangPair::new(a, b)?)?;
        let level = ((count as f64).ln_1p() / most.ln_1p() * f64::from(LEVELS)).round() as u32;
        let link = to.list("/pairs", count, &[("langs", &format!("{a} {b}"))]);
        Some(Cell { count: grouped(count), link, level })
    };
    let rows = langs.iter().map(|&a| (tag_and_name(a), langs.iter().map(|&b| cell(a, b)).collect()));
    Matrix { rows: rows.collect(), langs: langs.iter().map(|lang| lang.as_str().to_owned()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1u64, "host"), counted(2u64, "host")], ["1 host", "2 hosts"]);
    }

    #[test]
    fn every_pair_is_in_a_bar_and_a_cell() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let mut found = Overview { judged: 3, pairs: 2, ..Overview::default() };
        found.langs.insert(langs, 2);
        found.scores[BINS - 1] = [2, 0];
        found.scores[0] = [0, 1];
        found.outcomes.insert("accepted", 2);
        found.outcomes.insert("low score", 1);
        let figures = Figures::new(&found, Links(None));
        let left = Left { reason: "low score".to_owned(), count: "1".to_owned(), link: String::new() };
        assert_eq!(figures.funnels[1].steps[1].left, [left]);
        assert_eq!(figures.funnels[1].steps[1].bar.width, "66.67%");
        let last = &figures.histograms[0].bins[BINS - 1];
        assert_eq!((last.height, last.y, last.count.as_str()), (Histogram::HEIGHT, 0, "2"));
        assert_eq!(figures.matrix.langs, ["en", "zh"]);
        assert_eq!(figures.matrix.rows[0].0, "en English");
        assert!(figures.matrix.rows[0].1[0].is_none());
        assert_eq!(figures.matrix.rows[0].1[1].as_ref().map(|cell| cell.level), Some(LEVELS));
    }
}
