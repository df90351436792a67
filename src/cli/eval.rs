//! `diglot eval`.

use std::fs::File;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use diglot::config::Config;
use diglot::error::{Error, Result};
use diglot::evaluate::{
    self, BitextCounts, CalibrationParams, Counts, CurveParams, GoldBitext, GoldKeys, GoldPairs, OutPair, plot,
};
use diglot::query::{self, Scope, bitext, number, realign};
use diglot::store::Store;
use diglot::types::{CanonicalUrl, Lang, LangPair, PairLine};
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use super::filter::HostArg;
use super::freshness::Lists;
use super::global::Global;
use super::gold::{self, read_all};
use super::listing::{FormatArg, Listing};
use super::output;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Pairs,
    Keys,
    Bitext,
}

impl What {
    fn lists(self) -> Lists {
        match self {
            What::Pairs => Lists::Pairs,
            What::Keys => Lists::Keys,
            What::Bitext => Lists::Bitext,
        }
    }
}

/// How sentence pairs are made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Means {
    /// By lengths alone, over whole pages (Gale & Church 1993).
    Lengths,
    /// By lengths and words, over whole pages.
    Words,
    /// By lengths and words, within blocks that are aligned first.
    Blocks,
    /// As in the store: like `blocks`, and then cleaned.
    All,
}

/// Score page pairs, keys or sentence pairs against gold.
///
/// Lists precision, recall and F1 of page pairs for each site and each language pair and in total; or compares the keys found with
/// gold keys; or scores sentence pairs.
///
/// All gold files are tab-separated, without a header line. Gold pairs have the columns url_a, url_b, lang_a, lang_b. Ignored pairs
/// (--grey) have a fifth column with a reason: pairs marked `untranslated` are wrong if they are found, all others are left out of
/// the score. Only language pairs that these files name are scored. Gold keys have the columns key_a, key_b, field. Gold segments
/// (--what bitext) are two texts that are translations of each other, of one or more sentences; the name of the file gives the
/// languages. A folder stands for all NAME.pairs.tsv, NAME.grey.tsv and NAME.keys.tsv in it.
///
/// --curve lists precision and recall at every threshold on the score; --calibration sorts pairs into bins by score and shows how
/// many of each bin are right, and in the last line the expected calibration error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot eval --gold site.pairs.tsv --grey site.grey.tsv
  diglot eval --gold site.pairs.tsv --show-errors example.org
  diglot eval --gold gold/ --curve --svg curve.svg
  diglot eval --what keys --gold site.keys.tsv --pairs site.pairs.tsv
  diglot eval --what bitext --gold site.en-fr.bitext.tsv.gz")]
pub struct Eval {
    #[command(flatten)]
    host: HostArg,
    /// Files of gold pairs, gold keys or gold segments, or folders of them.
    #[arg(long, required = true, value_name = "FILE")]
    gold: Vec<PathBuf>,
    /// Files of ignored pairs: pairs that are not gold, and why.
    #[arg(long = "grey", value_name = "FILE")]
    ignored: Vec<PathBuf>,
    /// The files are a sample that was judged, as `diglot review` writes them: pairs that they do not have are not scored.
    #[arg(long)]
    sample: bool,
    /// What to score: page pairs, the keys with assigned pairs, or sentence pairs.
    #[arg(long, value_enum, default_value = "pairs")]
    what: What,
    /// Gold pairs for `--what keys`: keys of language pairs without gold pairs are not scored.
    #[arg(long, value_name = "FILE")]
    pairs: Vec<PathBuf>,
    /// For `--what bitext`: how sentence pairs are made. Except with `all`, they are aligned anew, and nothing is cleaned.
    #[arg(long, value_enum, default_value = "all", value_name = "MEANS")]
    align: Means,
    /// Also list the wrong and the missed pairs, one per line.
    #[arg(long)]
    show_errors: bool,
    /// List precision, recall and F1 at up to 200 thresholds on the score.
    #[arg(long, conflicts_with_all = ["calibration", "show_errors"])]
    curve: bool,
    /// Compare scores with the share of right pairs, in bins of the score.
    #[arg(long, conflicts_with = "show_errors")]
    calibration: bool,
    /// Draw the curve into this SVG file.
    #[arg(long, value_name = "FILE", requires = "curve")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArg,
}

impl Eval {
    pub fn run(mut self, global: &Global) -> anyhow::Result<()> {
        if self.what == What::Keys && (self.curve || self.calibration) {
            let problem = "--curve and --calibration need page pairs, --what is keys";
            return Err(Error::Config(problem.into()).into());
        }
        self.open_folders()?;
        let (store, config) = global.query(self.what.lists())?;
        let scope = self.host.scope(&store)?;
        match self.what {
            What::Pairs => {
                let mut gold = GoldPairs::default();
                gold.is_sample = self.sample;
                read_all(&self.gold, |place, file| gold.read_pairs(place, file))?;
                read_all(&self.ignored, |place, file| gold.read_ignored(place, file))?;
                let out = if self.curve || self.calibration {
                    judged_pairs(&store, &config, &scope)?
                } else {
                    scored_pairs(&store, &config, &scope)?
                };
                match (self.curve, self.calibration) {
                    (true, _) => self.print_curve(&evaluate::scored(out, &gold)),
                    (_, true) => self.print_calibration(&evaluate::scored(out, &gold)),
                    _ => self.print_pairs(&evaluate::pairs(out.into_iter().map(|(pair, _)| pair), &gold)),
                }
            }
            What::Bitext => self.bitext(&store, &config, &scope),
            What::Keys => {
                let mut gold = GoldKeys::default();
                read_all(&self.gold, |place, file| gold.read(place, file))?;
                let mut pairs = GoldPairs::default();
                read_all(&self.pairs, |place, file| pairs.read_pairs(place, file))?;
                let found = query::keys(&store, &config, &scope, false)?;
                let found = found.iter().filter(|line| line.assigned > 0).map(|line| &line.key);
                let report = evaluate::keys(found, &gold, (!self.pairs.is_empty()).then_some(&pairs));
                let mut listing = Listing::new(self.format.get(), &["outcome", "key", "precision", "recall", "f1"])?;
                let none = || json!(null);
                for (outcome, keys) in [
                    ("found", report.found.iter().map(ToString::to_string).collect::<Vec<_>>()),
                    ("missed", report.missed.iter().map(ToString::to_string).collect()),
                    ("extra", report.extra.clone()),
                ] {
                    for key in keys {
                        listing.row(vec![json!(outcome), json!(key), none(), none(), none()])?;
                    }
                }
                let scores = [report.precision(), report.recall(), report.f1()].map(share);
                listing.row([json!("all"), none()].into_iter().chain(scores).collect())?;
                Ok(listing.finish()?)
            }
        }
    }

    /// Replaces each folder by the files in it.
    fn open_folders(&mut self) -> Result<()> {
        let mut files = Vec::new();
        for path in std::mem::take(&mut self.gold) {
            if !path.is_dir() {
                files.push(path);
                continue;
            }
            for site in gold::in_folder(&path)? {
                match self.what {
                    What::Pairs => {
                        files.push(site.pairs);
                        self.ignored.extend(site.ignored);
                    }
                    What::Keys => {
                        files.extend(site.keys);
                        self.pairs.push(site.pairs);
                    }
                    What::Bitext => {
                        let problem =
                            "is a folder, which stands for gold of pairs and keys; name the files of sentence pairs";
                        return Err(Error::Config(format!("--gold {} {problem}", path.display())));
                    }
                }
            }
        }
        self.gold = files;
        Ok(())
    }

    fn print_curve(&self, scored: &evaluate::ScoredPairs) -> anyhow::Result<()> {
        let points = evaluate::curve(scored, &CurveParams::default());
        if let Some(path) = &self.svg {
            let title = format!("Precision and recall of {} pairs", scored.pairs.len());
            output::write(path, plot::curve_svg(&title, &points)?.as_bytes())?;
        }
        let columns = ["score", "precision", "recall", "f1", "right", "wrong", "missed"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        for point in points {
            let shares = [point.precision(), point.recall(), point.f1()].map(share);
            let counts = [point.right, point.wrong, point.gold - point.right].map(|count| json!(count));
            // Six digits, to tell near scores apart.
            listing.row([number(point.threshold, 6)].into_iter().chain(shares).chain(counts).collect())?;
        }
        Ok(listing.finish()?)
    }

    fn print_calibration(&self, scored: &evaluate::ScoredPairs) -> anyhow::Result<()> {
        let found = evaluate::calibration(scored, &CalibrationParams::default());
        let columns = ["scope", "from", "to", "pairs", "right", "mean_score", "precision", "error"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        let bins = found.bins.iter().map(|bin| ("bin", bin, bin.gap()));
        for (scope, bin, error) in bins.chain([("all", &found.total, found.error)]) {
            let edges = [bin.from, bin.to].map(|edge| number(edge, 4));
            let counts = [bin.pairs, bin.right].map(|count| json!(count));
            let shares = [bin.mean_score(), bin.precision(), error].map(share);
            listing.row([json!(scope)].into_iter().chain(edges).chain(counts).chain(shares).collect())?;
        }
        Ok(listing.finish()?)
    }

    fn bitext(&self, store: &Store, config: &Config, scope: &Scope) -> anyhow::Result<()> {
        let columns = ["scope", "name", "precision", "recall", "f1", "right", "wrong", "unjudged", "found", "segments"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        let mut row = |scope: &str, name: &str, counts: &BitextCounts| {
            let (precision, recall) = (counts.precision(), counts.recall());
            let f1 = precision.zip(recall).map(|(p, r)| if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) });
            let share = |share: Option<f64>| share.map_or(Value::Null, |share| number(share, 4));
            let mut values = vec![json!(scope), json!(name), share(precision), share(recall), share(f1)];
            let counts = [counts.right, counts.wrong, counts.unjudged, counts.found, counts.segments];
            values.extend(counts.map(|count| json!(count)));
            listing.row(values)
        };
        let mut total = BitextCounts::default();
        let mut errors = Vec::new();
        for path in &self.gold {
            let place = path.display().to_string();
            let (lang_a, lang_b) = langs_of_name(&place).ok_or_else(|| {
                Error::input(&place, "its name has no languages, expected one such as site.en-fr.bitext.tsv")
            })?;
            let file = File::open(path).map_err(Error::io(path, "opening"))?;
            let mut gold = if place.ends_with(".gz") {
                GoldBitext::read(&place, MultiGzDecoder::new(file))?
            } else {
                GoldBitext::read(&place, file)?
            };
            if self.sample {
                gold = gold.as_sample();
            }
            // Whether the languages are listed in this order or the other; `None` for other languages.
            let turn = |a: Lang, b: Lang| {
                let is_same = a.agrees(lang_a) && b.agrees(lang_b);
                (is_same || (a.agrees(lang_b) && b.agrees(lang_a))).then_some(!is_same)
            };
            bitext::for_each_page_pair(store, scope, |langs, a, b| {
                match turn(langs.a, langs.b) {
                    Some(false) => gold.pages(a, b),
                    Some(true) => gold.pages(b, a),
                    None => {}
                }
                Ok(())
            })?;
            let mut judge = |langs: (Lang, Lang), a: &str, b: &str| {
                let Some(turned) = turn(langs.0, langs.1) else { return };
                let (a, b) = if turned { (b, a) } else { (a, b) };
                if gold.judge(a, b) == Some(false) && self.show_errors {
                    errors.push(("wrong", format!("{a} | {b}")));
                }
            };
            let means = match self.align {
                Means::Lengths => Some(realign::Means::Lengths),
                Means::Words => Some(realign::Means::Words),
                Means::Blocks => Some(realign::Means::Blocks),
                Means::All => None,
            };
            if let Some(means) = means {
                let is_wanted = |langs: LangPair| turn(langs.a, langs.b).is_some();
                realign::for_each_bead(store, scope, means, is_wanted, |langs, a, b| {
                    judge((langs.a, langs.b), a, b);
                    Ok(())
                })?;
            } else {
                bitext::for_each_bead(store, config, scope, bitext::Asked::default(), |line| {
                    judge((line.lang_a, line.lang_b), &line.text_a, &line.text_b);
                    Ok(())
                })?;
            }
            if self.show_errors {
                errors.extend(gold.missed().map(|(a, b)| ("missed", format!("{a} | {b}"))));
            }
            let counts = gold.counts();
            row("langs", &format!("{lang_a}-{lang_b}"), &counts)?;
            total.add(&counts);
        }
        row("all", "micro", &total)?;
        for (scope, text) in errors {
            let mut values = vec![json!(scope), json!(text)];
            values.resize(columns.len(), json!(null));
            listing.row(values)?;
        }
        Ok(listing.finish()?)
    }

    fn print_pairs(&self, report: &evaluate::Report) -> anyhow::Result<()> {
        let columns = [
            "scope",
            "name",
            "precision",
            "recall",
            "f1",
            "right",
            "untranslated",
            "wrong",
            "missed",
            "gold",
            "ignored",
            "unscored",
        ];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        let mut row = |scope: &str, name: String, counts: &Counts| {
            listing.row(vec![
                json!(scope),
                json!(name),
                share(counts.precision()),
                share(counts.recall()),
                share(counts.f1()),
                json!(counts.right),
                json!(counts.wrong_untranslated),
                json!(counts.wrong_other),
                json!(counts.missed()),
                json!(counts.gold),
                json!(counts.ignored),
                json!(counts.unscored),
            ])
        };
        for (site, counts) in &report.sites {
            row("site", site.clone(), counts)?;
        }
        for (langs, counts) in &report.langs {
            row("langs", format!("{}-{}", langs.a, langs.b), counts)?;
        }
        row("all", "micro".into(), &report.total)?;
        let mut last = vec![json!("all"), json!("macro"), json!(null), json!(null), share(report.macro_f1())];
        last.resize(columns.len(), json!(null));
        listing.row(last)?;
        if self.show_errors {
            let mut row = |scope: &str, a: &str, b: &str| {
                let mut values = vec![json!(scope), json!(format!("{a} {b}"))];
                values.resize(columns.len(), json!(null));
                listing.row(values)
            };
            for pair in &report.false_pairs {
                row("wrong", pair.pair.url_a.as_str(), pair.pair.url_b.as_str())?;
            }
            for pair in &report.missed {
                row("missed", pair.url_a.as_str(), pair.url_b.as_str())?;
            }
        }
        Ok(listing.finish()?)
    }
}

/// A share as listings show it: four digits.
pub fn share(share: Option<f64>) -> Value {
    share.map_or(Value::Null, |share| number(share, 4))
}

/// The accepted pairs of a scope, with their scores.
pub fn scored_pairs(store: &Store, config: &Config, scope: &Scope) -> Result<Vec<(OutPair, f64)>> {
    let mut out = Vec::new();
    query::for_each_pair(store, config, scope, |pair| {
        out.push(scored(pair)?);
        Ok(())
    })?;
    Ok(out)
}

/// The same, with the pairs that were judged and rejected.
fn judged_pairs(store: &Store, config: &Config, scope: &Scope) -> Result<Vec<(OutPair, f64)>> {
    let mut out = Vec::new();
    query::for_each_judged(store, config, scope, |pair, _| {
        out.push(scored(pair)?);
        Ok(())
    })?;
    Ok(out)
}

fn scored(pair: PairLine) -> Result<(OutPair, f64)> {
    let parse = |url: &str| CanonicalUrl::parse(url).map_err(|why| Error::input(url, why.to_string()));
    let (url_a, url_b) = (parse(&pair.url_a)?, parse(&pair.url_b)?);
    Ok((OutPair { url_a, url_b, lang_a: pair.lang_a, lang_b: pair.lang_b }, pair.score))
}

/// The languages in the name of a file: `site.en-zh-cn.bitext.tsv.gz`.
fn langs_of_name(name: &str) -> Option<(Lang, Lang)> {
    let name = name.rsplit('/').next()?;
    let lang = |tag: &str| Lang::parse_wanted(tag).or_else(|| Lang::parse(tag));
    name.split('.')
        .find_map(|part| part.match_indices('-').find_map(|(at, _)| Some((lang(&part[..at])?, lang(&part[at + 1..])?))))
}
