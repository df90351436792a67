//! Figures that the web page and the report share, ready to be drawn.

use std::collections::BTreeMap;

use diglot::query::{BINS, Overview};
use diglot::types::{Lang, LangPair, counted, grouped};

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
    /// What was left out before this step, with the reasons.
    pub left: Vec<(String, String)>,
}

/// A bar with its name and count.
pub struct Bar {
    pub name: String,
    pub count: String,
    /// Its length in percent of the longest.
    pub width: String,
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
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Histogram {
    pub const WIDTH: u32 = 400;
    pub const HEIGHT: u32 = 80;

    fn new(name: &'static str, class: &'static str, counts: [u64; BINS]) -> Histogram {
        let most = counts.into_iter().max().unwrap_or(0).max(1);
        let step = Histogram::WIDTH / BINS as u32;
        let bin = |(at, count): (usize, u64)| {
            // A bin with a single pair must be visible too.
            let height = (count as f64 / most as f64 * f64::from(Histogram::HEIGHT)).ceil() as u32;
            let edge = |at: usize| format!("{:.2}", at as f64 / BINS as f64);
            HistogramBin {
                name: format!("{}–{}", edge(at), edge(at + 1)),
                count: grouped(count),
                x: at as u32 * step + 1,
                y: Histogram::HEIGHT - height,
                width: step - 2,
                height,
            }
        };
        Histogram {
            name,
            class,
            total: grouped(counts.iter().sum()),
            top: grouped(most),
            bins: counts.into_iter().enumerate().map(bin).collect(),
        }
    }
}

impl Bar {
    pub fn new(name: impl Into<String>, count: u64, longest: u64) -> Bar {
        let width = 100.0 * count as f64 / longest.max(1) as f64;
        Bar { name: name.into(), count: grouped(count), width: format!("{width:.2}%") }
    }
}

/// Reasons with their counts, without those of count 0.
fn reasons<'n>(left: impl IntoIterator<Item = (&'n str, u64)>) -> Vec<(String, String)> {
    let left = left.into_iter().filter(|&(_, count)| count > 0);
    left.map(|(name, count)| (name.to_owned(), grouped(count))).collect()
}

/// The name of a step, its count, and what was left out before it.
type Counted<'n> = (&'n str, u64, Vec<(String, String)>);

fn funnel(name: &'static str, steps: Vec<Counted<'_>>) -> Funnel {
    let longest = steps.iter().map(|step| step.1).max().unwrap_or(0);
    let steps = steps.into_iter().map(|(name, count, left)| Step { bar: Bar::new(name, count, longest), left });
    Funnel { name, steps: steps.collect() }
}

impl Figures {
    pub fn new(found: &Overview) -> Figures {
        Figures {
            scope: format!(
                "{}, {}, {}",
                counted(found.archives, "archive"),
                counted(found.domains, "domain"),
                counted(found.hosts, "host")
            ),
            funnels: funnels(found),
            matrix: matrix(&found.langs),
            histograms: histograms(found),
            methods: bars(found.methods.iter().map(|(method, &count)| (method.name().to_owned(), count))),
            langs: {
                let mut langs: Vec<(String, u64)> =
                    found.pages_by_lang.iter().map(|(lang, &pages)| (lang.as_str().to_owned(), pages)).collect();
                langs.sort_by_key(|lang| std::cmp::Reverse(lang.1));
                bars(langs.into_iter())
            },
        }
    }
}

fn bars(counts: impl Iterator<Item = (String, u64)>) -> Vec<Bar> {
    let counts: Vec<(String, u64)> = counts.collect();
    let longest = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.into_iter().map(|(name, count)| Bar::new(name, count, longest)).collect()
}

fn funnels(found: &Overview) -> Vec<Funnel> {
    let left_out = reasons(found.left_out.iter().map(|&(reason, count)| (reason.name(), count)));
    let withheld = found.withheld.iter().map(|(reason, &count)| (reason.name(), count));
    let other = reasons(std::iter::once(("other captures of the same URL", found.older)).chain(withheld));
    let out = found.pages.saturating_sub(found.taking_part);
    let lone = found.taking_part.saturating_sub(found.paired);
    let mut funnels = vec![funnel(
        "Pages",
        vec![
            ("records read", found.records, Vec::new()),
            ("captures taken as pages", found.captures, left_out),
            ("pages, one for each URL", found.pages, other),
            (
                "pages that take part",
                found.taking_part,
                reasons([("of unknown language, or untranslated copies", out)]),
            ),
            ("pages with a partner", found.paired, reasons([("without a partner", lone)])),
        ],
    )];
    let rejected = found.outcomes.iter().map(|(name, &count)| (*name, count)).filter(|(name, _)| *name != "accepted");
    let mut pairs = vec![("page pairs", found.pairs, reasons(rejected))];
    if found.judged > 0 {
        pairs.insert(0, ("pairs proposed and judged", found.judged, Vec::new()));
    }
    funnels.push(funnel("Page pairs", pairs));
    let dropped = found.sentences_left_out.values().sum::<u64>();
    if found.sentences + dropped > 0 {
        let left = reasons(found.sentences_left_out.iter().map(|(reason, &count)| (reason.name(), count)));
        let steps = vec![
            ("sentences compared: pairs, and those without one", found.sentences + dropped, Vec::new()),
            ("sentence pairs kept", found.sentences, left),
        ];
        funnels.push(funnel("Sentence pairs", steps));
    }
    funnels
}

fn histograms(found: &Overview) -> Vec<Histogram> {
    if found.judged == 0 {
        return Vec::new();
    }
    let counts = |at: usize| found.scores.map(|bin| bin[at]);
    [("accepted pairs", "accepted", counts(0)), ("pairs that were judged and not accepted", "rejected", counts(1))]
        .into_iter()
        .filter(|(_, _, counts)| counts.iter().any(|&count| count > 0))
        .map(|(name, class, counts)| Histogram::new(name, class, counts))
        .collect()
}

fn matrix(pairs: &BTreeMap<LangPair, u64>) -> Matrix {
    let mut langs: Vec<Lang> = pairs.keys().flat_map(|langs| [langs.a, langs.b]).collect();
    langs.sort_unstable();
    langs.dedup();
    let most = pairs.values().copied().max().unwrap_or(0).max(1) as f64;
    let cell = |a: Lang, b: Lang| {
        let count = *pairs.get(&LangPair::new(a, b)?)?;
        let level = ((count as f64).ln_1p() / most.ln_1p() * f64::from(LEVELS)).round() as u32;
        Some(Cell { count: grouped(count), level })
    };
    let rows = langs.iter().map(|&a| (a.as_str().to_owned(), langs.iter().map(|&b| cell(a, b)).collect()));
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
        let figures = Figures::new(&found);
        assert_eq!(figures.funnels[1].steps[1].left, [("low score".to_owned(), "1".to_owned())]);
        assert_eq!(figures.funnels[1].steps[1].bar.width, "66.67%");
        let last = &figures.histograms[0].bins[BINS - 1];
        assert_eq!((last.height, last.y, last.count.as_str()), (Histogram::HEIGHT, 0, "2"));
        assert_eq!(figures.matrix.langs, ["en", "zh"]);
        assert!(figures.matrix.rows[0].1[0].is_none());
        assert_eq!(figures.matrix.rows[0].1[1].as_ref().map(|cell| cell.level), Some(LEVELS));
    }
}
