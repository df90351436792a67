//! Documents in three languages: two versions are aligned with the third, and what that says of each other is what aligning them says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use diglot::config::Config;
use diglot::error::{Error, Result};
use diglot::inputs::Inputs;
use diglot::pipeline::{self, Context, Observer};
use diglot::store::{Access, Store};

use crate::resume::copy;
use crate::sites::{SiteBuilder, diglot, html, stdout};

/// Documents of each site: more page pairs than one thread aligns one after another.
const DOCUMENTS: usize = 60;

fn url(site: &str, lang: &str, document: usize) -> String {
    format!("https://{site}.test/{lang}/page-{document}.html")
}

/// The pages of a site in some languages.
fn pages(site: &str, langs: &[&str]) -> SiteBuilder {
    let mut pages = SiteBuilder::default();
    pages.pages(langs, DOCUMENTS, |lang, document| url(site, lang, document));
    pages
}

fn written(site: &SiteBuilder, folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!("{name}.warc.gz"));
    site.write(&path);
    path
}

/// A page of which the second and the fifth of six paragraphs are missing.
fn shortened(lang: &str, number: usize) -> String {
    let is_there = |(at, _): &(usize, &str)| ![1, 4].contains(at);
    let html = html(lang, number);
    html.split_inclusive("</p>\n").enumerate().filter(is_there).map(|(_, paragraph)| paragraph).collect()
}

/// Two sites of three languages, and a later crawl of one: a version lacks paragraphs, one is of another document, and one is new.
pub fn crawls(folder: &Path) -> Vec<PathBuf> {
    let mut later = SiteBuilder::default();
    const DAY: &str = "2021-05-01T00:00:00Z";
    later.capture(url("one", "en", 3), DAY, &shortened("en", 3));
    later.capture(url("one", "fr", 5), DAY, &html("fr", 500));
    later.page(url("one", "de", 99), "de", 99).page(url("one", "fr", 99), "fr", 99);
    let sites =
        [("one", pages("one", &["en", "fr", "de"])), ("two", pages("two", &["de", "en", "fr"])), ("later", later)];
    sites.iter().map(|(name, site)| written(site, folder, name)).collect()
}

/// A site in English, French and its variant of Canada, whose pages say in words of their own what the last paragraph says.
pub fn with_variant(folder: &Path) -> PathBuf {
    let mut site = SiteBuilder::default();
    for number in 0..DOCUMENTS {
        let declared = |html: &str, tag: &str| html.replacen("<html", &format!("<html lang=\"{tag}\""), 1);
        let [english, french, other] =
            [("en", number), ("fr", number), ("fr", 500 + number)].map(|(lang, number)| html(lang, number));
        let last = |html: &str| html.rfind("<p>").expect("a page has paragraphs");
        let canadian = french[..last(&french)].to_owned() + &other[last(&other)..];
        for (tag, html) in [("en", &english), ("fr", &french), ("fr-CA", &canadian)] {
            let url = url("variants", &tag.to_lowercase(), number);
            site.capture(url, SiteBuilder::DAY, &declared(html, tag));
        }
    }
    written(&site, folder, "variants")
}

/// Notes the language pairs that are learnt, and asks for a stop at every progress of alignment if told so.
struct Watcher {
    is_impatient: bool,
    is_aligning: AtomicBool,
    stop: AtomicBool,
    learnt: Mutex<BTreeSet<String>>,
}

impl Observer for Watcher {
    fn begin(&self, stage: &str, _: &str, _: &str, _: Option<u64>) {
        self.is_aligning.store(stage == "align", Ordering::Relaxed);
    }
    fn progress(&self, _: u64, note: &str) {
        if self.is_aligning.load(Ordering::Relaxed) && !note.is_empty() {
            self.learnt.lock().expect("nobody panics").insert(note.to_owned());
        }
        self.stop.fetch_or(self.is_impatient && self.is_aligning.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}

/// Runs all stages; the language pairs that were learnt.
fn run(store: &Path, inputs: &[PathBuf], is_impatient: bool) -> Result<Vec<String>> {
    let mut store = Store::open(store, Access::Write)?;
    let (is_aligning, stop, learnt) = Default::default();
    let watcher = Watcher { is_impatient, is_aligning, stop, learnt };
    let config = Config::preset("default").expect("a preset");
    let context = Context { config: &config, inputs: &Inputs::from(inputs), observer: &watcher, stop: &watcher.stop };
    pipeline::run(&mut store, &context, "align")?;
    Ok(watcher.learnt.into_inner().expect("nobody panics").into_iter().collect())
}

/// The sentence pairs with all that is said of them, those left out too.
fn bitext(store: &Path, more: &[&str]) -> String {
    let arguments = ["export", "--what", "bitext", "--keep-all", "--format", "jsonl"];
    stdout(diglot(store).args(arguments).args(more))
}

/// Rows, as addresses and texts with the reason for which they are left out.
fn sentences(rows: &str) -> Vec<[String; 5]> {
    let columns = ["url_a", "url_b", "text_a", "text_b", "reason"];
    let row = |line: &str| -> [String; 5] {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        columns.map(|column| row[column].to_string())
    };
    rows.lines().map(row).collect()
}

#[test]
fn versions_that_are_translated_sentence_by_sentence_are_aligned_as_if_each_other_were_all_there_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = |name: &str| folder.path().join(name);
    let of = |name: &str, site: &SiteBuilder| run(&store(name), &[written(site, folder.path(), name)], false);
    assert_eq!(
        of("all", &pages("one", &["de", "en", "fr"])).expect("a sound site"),
        ["de-en", "en-fr"],
        "German and French are not learnt"
    );
    assert_eq!(of("two", &pages("one", &["de", "fr"])).expect("a sound site"), ["de-fr"]);
    let [composed, direct] = ["all", "two"].map(|name| sentences(&bitext(&store(name), &["--langs", "de,fr"])));
    assert!(composed.iter().filter(|row| row[4] == "null").count() > DOCUMENTS, "{:?}", composed.first());
    let odd = composed.iter().zip(&direct).find(|(composed, direct)| composed != direct);
    assert!(composed == direct, "{} {} {odd:?}", composed.len(), direct.len());
}

#[test]
fn versions_of_which_paragraphs_are_missing_are_aligned_with_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = pages("one", &["de", "fr"]);
    for document in 0..DOCUMENTS {
        site.capture(url("one", "en", document), SiteBuilder::DAY, &shortened("en", document));
    }
    let archive = written(&site, folder.path(), "site");
    let learnt = run(&folder.path().join("store"), &[archive], false).expect("a sound site");
    assert_eq!(learnt, ["de-en", "de-fr", "en-fr"]);
}

#[test]
fn a_run_stopped_in_the_midst_of_documents_ends_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let archives = crawls(folder.path());
    let (stopped, undisturbed) = (folder.path().join("stopped"), folder.path().join("undisturbed"));
    stdout(diglot(&stopped).args(["run", "--until", "iterate"]).args(&archives));
    copy(&stopped, &undisturbed);
    run(&undisturbed, &archives, false).expect("sound archives");
    let mut stops = 0;
    while let Err(error) = run(&stopped, &archives, true) {
        assert!(matches!(error, Error::Interrupted) && stops < 100, "{error}");
        stops += 1;
    }
    assert!(stops > 2, "{stops}");
    assert!(bitext(&stopped, &[]) == bitext(&undisturbed, &[]));
}

#[test]
fn what_is_read_later_gives_what_all_at_once_gives() {
    let folder = tempfile::tempdir().expect("a folder");
    let archives = crawls(folder.path());
    let (later, at_once) = (folder.path().join("later"), folder.path().join("at-once"));
    for archive in &archives {
        run(&later, std::slice::from_ref(archive), false).expect("a sound archive");
    }
    run(&at_once, &archives, false).expect("sound archives");
    let [later, at_once] = [later, at_once].map(|store| bitext(&store, &[]));
    assert!(later == at_once && later.lines().count() > 6 * DOCUMENTS);
}
