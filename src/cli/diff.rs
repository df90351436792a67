//! `diglot diff`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use diglot::config::Config;
use diglot::query::diff::{Change, PairChange, SentenceChange, Side, for_each_pair_change, for_each_sentence_change};
use diglot::query::{Scope, number};
use diglot::store::Store;
use diglot::types::{CanonicalUrl, Lang, PairLine};
use serde_json::{Value, json};

use super::freshness::Lists;
use super::global::Global;
use super::listing::{ListArgs, Listing, WhereArg};
use super::say::say;

/// Say what differs between two stores: pairs and sentence pairs gained, lost and changed, and why.
///
/// Without --what, a summary: for each two languages, and for each host on which something differs, how many BEFORE has and AFTER has, and
/// how many were gained, lost and changed; the host `*` stands for all. A pair of pages on two hosts counts for each. With --what, the rows themselves.
///
/// Pairs are the same if their URLs are, but for http and https; they changed if their score, method, key or languages did. STATUS is
/// `accepted`, or the reason that `diglot explain` gives in the store without the pair, which is also WHY a pair was gained or lost.
/// Sentence pairs are the same if their pages and texts are, but for white space; they changed if their score did. Those that a store leaves
/// out since another site has them too are none of its sentence pairs, where both stores have compared their sites; with --host they are.
///
/// Neither store is changed, and --store is ignored.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot diff old.store new.store
  diglot diff old.store new.store --what pairs --where change=lost
  diglot diff old.store new.store --what bitext --host example.org --format tsv
  diglot diff old.store new.store --exit-code -q > /dev/null || echo they differ")]
pub struct Diff {
    /// The store before.
    before: PathBuf,
    /// The store after.
    after: PathBuf,
    /// List these, in place of the summary.
    #[arg(long, value_enum)]
    what: Option<What>,
    /// Only this host, registrable domain or host of a URL.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Exit code 1 if the stores differ in what is listed or counted, whether it is shown or not.
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    rows: WhereArg,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum What {
    /// Pairs of pages.
    Pairs,
    /// Sentence pairs.
    Bitext,
}

const SUMMARY: [&str; 9] = ["what", "lang_a", "lang_b", "host", "before", "after", "gained", "lost", "changed"];
const PAIRS: [&str; 14] = [
    "change",
    "url_a",
    "url_b",
    "lang_a",
    "lang_b",
    "score_before",
    "score_after",
    "method_before",
    "method_after",
    "key_before",
    "key_after",
    "status_before",
    "status_after",
    "why",
];
const BITEXT: [&str; 10] =
    ["change", "text_a", "text_b", "lang_a", "lang_b", "url_a", "url_b", "score_before", "score_after", "why"];
/// Stands for all hosts.
const ALL: &str = "*";

/// True once stores differ for which `--exit-code` was given.
static DIFFER: AtomicBool = AtomicBool::new(false);

/// True where the exit code must say that the stores differ.
pub fn do_differ() -> bool {
    DIFFER.load(Ordering::Relaxed)
}

/// How many rows of one kind the two stores have.
#[derive(Clone, Copy, Default)]
struct Counts {
    before: u64,
    after: u64,
    gained: u64,
    lost: u64,
    changed: u64,
}

impl Counts {
    fn add(&mut self, change: Change) {
        self.before += u64::from(change != Change::Gained);
        self.after += u64::from(change != Change::Lost);
        match change {
            Change::Same => {}
            Change::Gained => self.gained += 1,
            Change::Lost => self.lost += 1,
            Change::Changed => self.changed += 1,
        }
    }
}

/// The counts of the summary, by languages and host. Hosts on which nothing differs are not kept.
#[derive(Default)]
struct Summary(BTreeMap<(What, [Lang; 2], String), Counts>);

impl Summary {
    fn add(&mut self, what: What, langs: [Lang; 2], urls: [&str; 2], change: Change) {
        self.0.entry((what, langs, ALL.to_owned())).or_default().add(change);
        if change != Change::Same {
            let host = |url| CanonicalUrl::parse(url).map(|url| url.host().to_owned()).unwrap_or_default();
            let [a, b] = urls.map(host);
            if a != b {
                self.0.entry((what, langs, b)).or_default().add(change);
            }
            self.0.entry((what, langs, a)).or_default().add(change);
        }
    }

    fn list(self, mut listing: Listing) -> anyhow::Result<()> {
        for ((what, [lang_a, lang_b], host), counts) in self.0 {
            let what = if what == What::Pairs { "pairs" } else { "bitext" };
            // What is the same in both stores is not counted for each host, so only the total has these numbers.
            let all = |count: u64| if host == ALL { json!(count) } else { Value::Null };
            let row = vec![
                json!(what),
                json!(lang_a.as_str()),
                json!(lang_b.as_str()),
                json!(host),
                all(counts.before),
                all(counts.after),
                json!(counts.gained),
                json!(counts.lost),
                json!(counts.changed),
            ];
            listing.row(row)?;
        }
        Ok(listing.finish()?)
    }
}

impl Diff {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let before = self.open(global, &self.before)?;
        let after = self.open(global, &self.after)?;
        if let Some(host) = &self.host
            && Scope::of_host(&before.0, &host_of(host))?.is_none()
        {
            // Where neither store has the host, this gives an error that says so.
            Scope::of(&after.0, host)?;
        }
        match self.what {
            None => self.summary(&before, &after),
            Some(What::Pairs) => self.pairs(&before, &after),
            Some(What::Bitext) => self.bitext(&before, &after),
        }
    }

    fn open(&self, global: &Global, path: &Path) -> anyhow::Result<(Store, Config)> {
        let (store, config) = global.read_too(path)?;
        let lists = if self.what == Some(What::Pairs) { Lists::Pairs } else { Lists::Bitext };
        global.note_stale(lists, &store, &config)?;
        Ok((store, config))
    }

    fn side<'s>(&self, (store, config): &'s (Store, Config)) -> diglot::Result<Side<'s>> {
        Side::of(store, config, self.host.as_deref().map(host_of).as_deref())
    }

    /// Tells the user when only one of the stores has compared its sites with each other.
    fn note_comparison(&self, before: &(Store, Config), after: &(Store, Config)) -> diglot::Result<()> {
        let place = match [self.side(before)?.is_compared()?, self.side(after)?.is_compared()?] {
            [true, false] if self.host.is_none() => &self.after,
            [false, true] if self.host.is_none() => &self.before,
            _ => return Ok(()),
        };
        say(format!(
            "sentence pairs that several sites have count on each of them, since the sites of {} have not been compared",
            place.display()
        ));
        Ok(())
    }

    fn note(&self, change: Change) {
        if self.exit_code && change != Change::Same {
            DIFFER.store(true, Ordering::Relaxed);
        }
    }

    fn summary(&self, before: &(Store, Config), after: &(Store, Config)) -> anyhow::Result<()> {
        let listing = self.rows.listing(&self.list, &SUMMARY, None)?;
        let mut summary = Summary::default();
        for_each_pair_change(self.side(before)?, self.side(after)?, |found| {
            super::stop::check_stop()?;
            self.note(found.change);
            let mut add = |line: &PairLine, change| {
                summary.add(What::Pairs, [line.lang_a, line.lang_b], [&line.url_a, &line.url_b], change);
            };
            match (&found.lines, found.change) {
                // A pair that has other languages now counts as lost in the languages that it had before.
                ([Some(before), Some(after)], Change::Changed) if langs_of(before) != langs_of(after) => {
                    add(before, Change::Lost);
                    add(after, Change::Gained);
                }
                (_, change) => found.line().into_iter().for_each(|line| add(line, change)),
            }
            Ok(())
        })?;
        self.note_comparison(before, after)?;
        for_each_sentence_change(self.side(before)?, self.side(after)?, false, &mut |found| {
            super::stop::check_stop()?;
            self.note(found.change);
            summary.add(What::Bitext, found.langs, found.urls, found.change);
            Ok(())
        })?;
        if summary.0.is_empty() {
            say("neither store has pairs or sentence pairs of this");
        }
        summary.list(listing)
    }

    fn pairs(&self, before: &(Store, Config), after: &(Store, Config)) -> anyhow::Result<()> {
        let mut listing = self.rows.listing(&self.list, &PAIRS, None)?;
        let asked = for_each_pair_change(self.side(before)?, self.side(after)?, |found| {
            super::stop::check_stop()?;
            self.note(found.change);
            let row = pair_row(&found).filter(|_| found.change != Change::Same);
            row.map_or(Ok(()), |row| listing.next(row))
        });
        listing.end(asked)?;
        Ok(())
    }

    fn bitext(&self, before: &(Store, Config), after: &(Store, Config)) -> anyhow::Result<()> {
        let mut listing = self.rows.listing(&self.list, &BITEXT, None)?;
        self.note_comparison(before, after)?;
        let asked = for_each_sentence_change(self.side(before)?, self.side(after)?, true, &mut |found| {
            super::stop::check_stop()?;
            self.note(found.change);
            if found.change == Change::Same { Ok(()) } else { listing.next(sentence_row(&found)) }
        });
        listing.end(asked)?;
        Ok(())
    }
}

/// The languages of a pair, in one order whichever page is listed first.
fn langs_of(line: &PairLine) -> [Lang; 2] {
    let mut langs = [line.lang_a, line.lang_b];
    langs.sort_unstable();
    langs
}

/// The host that `--host` names.
fn host_of(text: &str) -> String {
    let url = CanonicalUrl::parse(text).or_else(|_| CanonicalUrl::parse(&format!("http://{text}/")));
    url.map_or_else(|_| text.to_owned(), |url| url.host().to_owned())
}

fn pair_row(found: &PairChange) -> Option<Vec<Value>> {
    let line = found.line()?;
    let both =
        |value: fn(&PairLine) -> Value| found.lines.each_ref().map(|line| line.as_ref().map_or(Value::Null, value));
    let [score_before, score_after] = both(|line| number(line.score, 4));
    let [method_before, method_after] = both(|line| json!(line.method));
    let [key_before, key_after] = both(|line| json!(line.key));
    let [status_before, status_after] = &found.status;
    Some(vec![
        json!(found.change.name()),
        json!(line.url_a),
        json!(line.url_b),
        json!(line.lang_a.as_str()),
        json!(line.lang_b.as_str()),
        score_before,
        score_after,
        method_before,
        method_after,
        key_before,
        key_after,
        json!(status_before),
        json!(status_after),
        json!(found.why),
    ])
}

fn sentence_row(found: &SentenceChange<'_>) -> Vec<Value> {
    let score = |score: Option<f64>| score.map_or(Value::Null, |score| number(score, 4));
    vec![
        json!(found.change.name()),
        json!(found.texts[0]),
        json!(found.texts[1]),
        json!(found.langs[0].as_str()),
        json!(found.langs[1].as_str()),
        json!(found.urls[0]),
        json!(found.urls[1]),
        score(found.scores[0]),
        score(found.scores[1]),
        json!(found.why),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_counted_where_something_differs() {
        let mut summary = Summary::default();
        let langs = [Lang::EN, Lang::ZH];
        let urls = [["http://a.org/1", "http://a.org/2"], ["http://b.org/1", "http://c.org/1"]];
        for (urls, change) in urls.into_iter().zip([Change::Same, Change::Lost]) {
            summary.add(What::Pairs, langs, urls, change);
        }
        let hosts = summary.0.iter().map(|((_, _, host), counts)| (host.as_str(), counts.before, counts.lost));
        assert_eq!(hosts.collect::<Vec<_>>(), [("*", 2, 1), ("b.org", 1, 1), ("c.org", 1, 1)]);
    }

    #[test]
    fn a_host_is_given_by_its_name_or_by_a_url() {
        assert_eq!(["http://FR.ex.org/a", "ex.org"].map(host_of), ["fr.ex.org", "ex.org"]);
    }
}
