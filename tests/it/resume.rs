//! Work resumes and adds up: whatever stops a run, and however archives come in, the same comes out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use diglot::config::Config;
use diglot::error::{Error, Result};
use diglot::inputs::Inputs;
use diglot::pipeline::{self, Context, Observer, Silent};
use diglot::query::bitext::Asked;
use diglot::query::{self, KeyState, Scope};
use diglot::store::{Access, Store};
use diglot::types::BitextLine;
use tempfile::TempDir;

use crate::extent::extent;
use crate::format::frames;
use crate::sites::{Dice, SiteBuilder, diglot, html, stdout};

/// Global credibility that rescues here: two sites with the key of [`with_letters`] have it, one has not.
const RESCUE_ABOVE: u64 = 30;

/// Domains of two pages; the whole number is more than index or keys take in one commit.
fn tiny_sites() -> usize {
    extent(20, 300)
}

fn config() -> Config {
    let mut config = Config::preset("default").expect("a preset");
    config.keys.rescue_above = Some(RESCUE_ABOVE as f64);
    // Every portion is a commit.
    config.ingest.portion_records = 60;
    config.ingest.commit_bytes = 1;
    // Enough to tell stores apart, and quickly learnt.
    config.align.train.max_pages = 24;
    config.align.train.words.stop.max_passes = 2;
    config
}

/// Sites with keys of every kind, in three archives.
fn archives(folder: &Path) -> Vec<PathBuf> {
    let mut first = SiteBuilder::default();
    first.pages(&["en", "fr", "de"], 12, |lang, n| format!("https://path.test/{lang}/chapter-{n}.html"));
    first.pages(&["en", "fr"], 10, |lang, n| format!("http://{lang}.host.test/page{n}.html"));
    first.pages(&["en", "fr"], 12, |lang, n| with_letters("one.test", lang, n));
    let mut second = SiteBuilder::default();
    second.pages(&["en", "fr"], 10, |lang, n| {
        format!("http://null.test/doc/p{n}{}.html", if lang == "fr" { ".fr" } else { "" })
    });
    second.pages(&["en", "fr"], 12, |lang, n| with_letters("two.test", lang, n));
    second.pages(&["en", "fr"], 8, |lang, n| format!("http://copies.test/{lang}/p{n}.html"));
    // What stands under /de was never translated.
    for n in 0..8 {
        second.page(format!("http://copies.test/de/p{n}.html"), "en", n);
    }
    unpaired(&mut second, "weak.test", 60);
    second.pages(&["en", "fr"], 3, |lang, n| with_letters("weak.test", lang, n));
    let mut third = SiteBuilder::default();
    for site in 0..tiny_sites() {
        third.page(format!("http://tiny{site}.test/en/"), "en", site);
        third.page(format!("http://tiny{site}.test/fr/"), "fr", site);
    }
    // New pages of known sites, and newer and older captures of known pages.
    third.pages(&["en", "fr"], 4, |lang, n| format!("https://path.test/{lang}/appendix-{n}.html"));
    third.capture("https://path.test/en/chapter-3.html", "2021-01-01T00:00:00Z", &html("en", 77));
    third.capture("https://path.test/fr/chapter-3.html", "2019-01-01T00:00:00Z", &html("en", 78));
    let named = |name: &str| folder.join(name);
    let paths = vec![named("first.warc.gz"), named("second.warc.gz"), named("third.warc.gz")];
    for (site, path) in [first, second, third].iter().zip(&paths) {
        site.write(path);
    }
    paths
}

/// An address with a key that names no languages.
fn with_letters(host: &str, lang: &str, n: usize) -> String {
    format!("http://{host}/news/{n}_{}.html", if lang == "en" { "x" } else { "y" })
}

/// Pages without partners.
fn unpaired(site: &mut SiteBuilder, host: &str, count: usize) {
    for n in 0..count {
        let lang = if n % 2 == 0 { "en" } else { "fr" };
        let name = Dice(n as u64).roll(u64::MAX);
        site.page(format!("http://{host}/misc/{name:x}.html"), lang, 1000 + n);
    }
}

fn run_with(store: &Path, inputs: &[PathBuf], observer: &dyn Observer, stop: &AtomicBool) -> Result<()> {
    let mut store = Store::open(store, Access::Write)?;
    let config = config();
    pipeline::run(&mut store, &Context { config: &config, inputs: &Inputs::from(inputs), observer, stop }, "align")
}

fn run(store: &Path, inputs: &[PathBuf]) {
    run_with(store, inputs, &Silent, &AtomicBool::new(false)).expect("a sound store");
}

/// Everything a store answers.
fn answers(store: &Path) -> String {
    let store = Store::open(store, Access::Read).expect("a sound store");
    let config = config();
    let mut text = String::new();
    query::for_each_pair(&store, &config, &Scope::all(), |pair| {
        text.push_str(&format!("{pair:?}\n"));
        Ok(())
    })
    .expect("a sound store");
    for key in query::keys(&store, &config, &Scope::all(), true).expect("a sound store") {
        text.push_str(&format!("{key:?}\n"));
    }
    for host in query::hosts(&store).expect("a sound store") {
        text.push_str(&format!("{host:?}\n"));
    }
    let asked = Asked { all: true, alternatives: true, records: true, pages: false, totals: true };
    query::bitext::for_each_bead(&store, &config, &Scope::all(), asked, |line| {
        // Which archive a page came from may differ where two hold the same.
        let BitextLine { text_a, text_b, score, page_score, reason, others, targets, sources, .. } = &line;
        text.push_str(&format!(
            "{} {} {score} {page_score} {reason:?} {others:?} {targets:?} {sources:?}\n",
            line.a.url, line.b.url
        ));
        text.push_str(&format!("{text_a} | {text_b}\n"));
        Ok(())
    })
    .expect("a sound store");
    for pattern in query::patterns(&store).expect("a sound store") {
        text.push_str(&format!("{pattern:?}\n"));
    }
    text
}

/// The answers of a store that takes in archives in portions, one run each.
fn answers_of(portions: &[&[PathBuf]]) -> String {
    let folder = tempdir();
    for portion in portions {
        run(folder.path(), portion);
    }
    answers(folder.path())
}

fn tempdir() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn assert_same(found: &str, expected: &str, what: &str) {
    let line = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    let counts = (found.lines().count(), expected.lines().count());
    assert!(found == expected, "{what}: {counts:?} lines; first that differs: {line:#?}");
}

/// Asks for a stop at every progress event.
struct Impatient<'s>(&'s AtomicBool);

impl Observer for Impatient<'_> {
    fn begin(&self, _: &str, _: &str, _: &str, _: Option<u64>) {}
    fn progress(&self, _: u64, _: &str) {
        self.0.store(true, Ordering::Relaxed);
    }
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}

/// Asks for a stop at the first progress of one stage.
struct ImpatientIn<'s> {
    stage: &'static str,
    is_there: AtomicBool,
    stop: &'s AtomicBool,
}

impl Observer for ImpatientIn<'_> {
    fn begin(&self, stage: &str, _: &str, _: &str, _: Option<u64>) {
        self.is_there.store(stage == self.stage, Ordering::Relaxed);
    }
    fn progress(&self, _: u64, _: &str) {
        self.stop.fetch_or(self.is_there.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}

#[test]
fn sites_that_a_stopped_run_made_by_another_setting_are_made_again() {
    const NAMES: usize = 4_100;
    let folder = tempdir();
    let mut site = SiteBuilder::default();
    for n in 0..NAMES {
        site.page(format!("http://name{n}.de/"), "en", n);
        site.page(format!("http://name{n}.fr/"), "fr", n);
    }
    let archive = folder.path().join("names.warc.gz");
    site.write(&archive);
    for across_suffixes in [false, true] {
        let path = folder.path().join(across_suffixes.to_string());
        let index = |across_suffixes: bool, observer: &dyn Observer, stop: &AtomicBool| {
            let mut store = Store::open(&path, Access::Write)?;
            let mut config = config();
            config.keys.across_suffixes = across_suffixes;
            let context =
                Context { config: &config, inputs: &Inputs::from(std::slice::from_ref(&archive)), observer, stop };
            pipeline::run(&mut store, &context, "index")
        };
        let stop = AtomicBool::new(false);
        let impatient = ImpatientIn { stage: "index", is_there: AtomicBool::new(false), stop: &stop };
        let stopped = index(!across_suffixes, &impatient, &stop);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        index(across_suffixes, &Silent, &AtomicBool::new(false)).expect("a sound store");
        let store = Store::open(&path, Access::Read).expect("a sound store");
        assert_eq!(query::totals(&store).expect("a sound store").pages as usize, 2 * NAMES);
    }
}

#[test]
fn a_run_stopped_after_every_commit_ends_the_same() {
    let inputs = tempdir();
    let inputs = archives(inputs.path());
    let expected = answers_of(&[&inputs]);
    let folder = tempdir();
    let mut stops = 0;
    loop {
        let stop = AtomicBool::new(false);
        match run_with(folder.path(), &inputs, &Impatient(&stop), &stop) {
            Ok(()) => break,
            Err(Error::Interrupted) => stops += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(stops < 1000, "a stopped run gets nowhere");
    }
    assert!(stops > 10, "{stops} stops");
    assert_same(&answers(folder.path()), &expected, "after every commit");
}

/// Copies the store now and then, as a power cut would leave it.
struct Copier {
    store: PathBuf,
    copies: PathBuf,
    events: AtomicUsize,
    stages: Mutex<Vec<String>>,
    stage: Mutex<String>,
}

impl Observer for Copier {
    fn begin(&self, stage: &str, what: &str, _: &str, _: Option<u64>) {
        *self.stage.lock().expect("no panic") = format!("{stage}, {what}");
    }
    fn progress(&self, _: u64, _: &str) {
        if self.events.fetch_add(1, Ordering::Relaxed).is_multiple_of(extent(9, 3)) {
            let mut stages = self.stages.lock().expect("no panic");
            let stage = self.stage.lock().expect("no panic").clone();
            if stages.iter().filter(|known| **known == stage).count() < extent(1, 3) {
                copy(&self.store, &self.copies.join(stages.len().to_string()));
                stages.push(stage);
            }
        }
    }
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}

/// Copies a store as it lies there.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("room on disk");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("room on disk");
        }
    }
}

#[test]
fn a_store_copied_in_the_middle_of_a_run_goes_on_to_the_same_end() {
    let inputs = tempdir();
    let inputs = archives(inputs.path());
    let (folder, copies) = (tempdir(), tempdir());
    let copier = Copier {
        store: folder.path().to_owned(),
        copies: copies.path().to_owned(),
        events: AtomicUsize::new(0),
        stages: Mutex::default(),
        stage: Mutex::default(),
    };
    run_with(folder.path(), &inputs, &copier, &AtomicBool::new(false)).expect("a sound store");
    let expected = answers(folder.path());
    let stages = copier.stages.into_inner().expect("no panic");
    assert!(stages.iter().any(|stage| stage.starts_with("ingest")) && stages.len() > 5, "{stages:?}");
    for (number, stage) in stages.iter().enumerate() {
        let copy = copies.path().join(number.to_string());
        run(&copy, &inputs);
        assert_same(&answers(&copy), &expected, stage);
    }
}

#[test]
fn a_run_killed_at_any_instant_and_started_again_ends_the_same() {
    let inputs = tempdir();
    let mut inputs = archives(inputs.path());
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sites");
    inputs.extend(extent(vec![], vec![sites.join("webserver.warc.gz"), sites.join("packaging")]));
    let seed = 42;
    let mut dice = Dice(seed);
    let command = |store: &Path| {
        let mut command = diglot(store);
        command.args(["run", "--rescue-above", &RESCUE_ABOVE.to_string()]).args(&inputs);
        command
    };
    let outputs = |store: &Path| -> Vec<String> {
        let listings = [
            ["export", "--format=tsv", "-q"],
            ["bitext", "--keep-all", "--format=tsv"],
            ["keys", "--weak", "--format=tsv"],
        ];
        listings.iter().map(|args| stdout(diglot(store).args(args))).collect()
    };
    let folder = tempdir();
    let began = Instant::now();
    stdout(&mut command(folder.path()));
    let duration = began.elapsed();
    let expected = outputs(folder.path());
    // A store is hit a few times, at first in ingestion, index or keys, and then wherever it is.
    for done in [None, Some("ingest"), Some("index")] {
        let killed = tempdir();
        if let Some(stage) = done {
            stdout(command(killed.path()).args(["--until", stage]));
        }
        for _ in 0..extent(2, 4) {
            let delay = duration.mul_f64(dice.roll(50) as f64 / 100.0);
            println!("seed {seed}: killed after {delay:.1?} of {duration:.1?}, begun after {done:?}");
            let mut run =
                command(killed.path()).stdout(std::process::Stdio::null()).spawn().expect("the program starts");
            std::thread::sleep(delay);
            run.kill().expect("it is ours");
            let status = run.wait().expect("it is ours");
            assert!(status.code().is_none_or(|code| code == 0), "{status}");
        }
        stdout(&mut command(killed.path()));
        for (found, expected) in outputs(killed.path()).iter().zip(&expected) {
            assert_same(found, expected, "after kills");
        }
    }
}

#[test]
fn archives_one_by_one_in_any_order_give_what_all_at_once_give() {
    let inputs = tempdir();
    let inputs = archives(inputs.path());
    let [first, second, third] = [&inputs[0..1], &inputs[1..2], &inputs[2..3]];
    let expected = answers_of(&[&inputs]);
    assert!(expected.contains("https://path.test/en/chapter-3.html"));
    assert_same(&answers_of(&[first, second, third]), &expected, "in order");
    assert_same(&answers_of(&[third, second, first]), &expected, "backwards");
    assert_same(&answers_of(&[second, third, second, first, third]), &expected, "some twice");
    let backwards: Vec<PathBuf> = inputs.iter().rev().cloned().collect();
    assert_same(&answers_of(&[&backwards]), &expected, "at once, backwards");
}

#[test]
fn the_newest_capture_of_an_address_wins_whatever_its_scheme() {
    let folder = tempdir();
    let mut old = SiteBuilder::default();
    old.pages(&["en", "fr"], 6, |lang, n| format!("http://site.test/{lang}/p{n}.html"));
    let mut new = SiteBuilder::default();
    new.capture("https://site.test/en/p0.html", "2022-01-01T00:00:00Z", &html("de", 0));
    new.capture("http://site.test/fr/p1.html", "2018-01-01T00:00:00Z", &html("de", 1));
    // Of one instant, and not the same.
    new.capture("http://site.test/fr/p2.html", SiteBuilder::DAY, &html("de", 2));
    let paths = [folder.path().join("old.warc.gz"), folder.path().join("new.warc.gz")];
    old.write(&paths[0]);
    new.write(&paths[1]);
    let expected = answers_of(&[&paths]);
    assert_same(&answers_of(&[&paths[1..], &paths[..1]]), &expected, "new before old");
    assert_same(&answers_of(&[&paths[..1], &paths[1..]]), &expected, "old before new");
    assert!(expected.contains("https://site.test/en/p0.html"), "{expected}");
    assert!(!expected.contains("http://site.test/en/p0.html"), "{expected}");
    assert!(
        expected.contains(r#"url_a: "http://site.test/en/p1.html", url_b: "http://site.test/fr/p1.html""#),
        "{expected}"
    );
}

#[test]
fn an_archive_under_two_names_counts_once() {
    let folder = tempdir();
    let inputs = archives(folder.path());
    let expected = answers_of(&[&inputs]);
    let again = folder.path().join("again.warc.gz");
    fs::copy(&inputs[0], &again).expect("room on disk");
    let store = tempdir();
    run(store.path(), &inputs);
    run(store.path(), &[again]);
    assert_same(&answers(store.path()), &expected, "copied archive");
    let store = Store::open(store.path(), Access::Read).expect("a sound store");
    assert_eq!(store.archive_count().expect("a sound store"), 3);
}

#[test]
fn one_thread_gives_what_two_give() {
    let inputs = tempdir();
    let inputs = archives(inputs.path());
    let of = |threads: &str| {
        let store = tempdir();
        stdout(diglot(store.path()).args(["run", "--threads", threads, "--rescue-above", "30"]).args(&inputs));
        let export = stdout(diglot(store.path()).arg("export"));
        let bitext = stdout(diglot(store.path()).args(["bitext", "--keep-all", "--format", "tsv"]));
        assert!(bitext.lines().count() > 100);
        export + &bitext + &stdout(diglot(store.path()).args(["keys", "--weak", "--format", "tsv"]))
    };
    assert_same(&of("1"), &of("2"), "threads");
}

/// The results of sites, one after another as they were made.
fn results(store: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(store.join("results/000000.rec")).expect("a sound store");
    frames(&bytes, 4)
}

#[test]
fn sites_without_new_pages_keep_their_results() {
    let folder = tempdir();
    let inputs = archives(folder.path());
    let store = tempdir();
    run(store.path(), &inputs);
    let before = results(store.path());
    let more = folder.path().join("more.warc.gz");
    let mut site_of_more = SiteBuilder::default();
    site_of_more.pages(&["en", "fr"], 2, |lang, n| {
        format!("http://null.test/doc/q{n}{}.html", if lang == "fr" { ".fr" } else { "" })
    });
    // An older capture changes nothing.
    site_of_more.capture("https://path.test/en/chapter-1.html", "2001-01-01T00:00:00Z", &html("fr", 5));
    site_of_more.write(&more);
    run(store.path(), &[more]);
    let after = results(store.path());
    let (kept, made) = after.split_at(before.len());
    assert!(kept == before && made.len() == 1, "{} results made", made.len());
    assert!(String::from_utf8_lossy(&made[0]).contains("null.test"));
}

/// States of the keys of weak.test, and its pairs.
fn weak_site(store: &Path) -> (Vec<KeyState>, usize) {
    let store = Store::open(store, Access::Read).expect("a sound store");
    let scope = Scope::of(&store, "weak.test").expect("it was ingested");
    let keys = query::keys(&store, &config(), &scope, true).expect("a sound store");
    let mut pairs = 0;
    query::for_each_pair(&store, &config(), &scope, |pair| {
        // Verification may believe a pair of a weak key.
        pairs += usize::from(pair.method == "key");
        Ok(())
    })
    .expect("a sound store");
    let of_letters = keys.iter().filter(|key| key.key.pattern().ends_with("x:y") || key.key.pattern().ends_with("y:x"));
    (of_letters.map(|key| key.state).collect(), pairs)
}

#[test]
fn rescue_follows_global_credibility_up_and_down_as_from_scratch() {
    rescue_follows_credibility(|_| ());
}

#[test]
fn rescue_follows_global_credibility_though_the_token_index_is_lost_before_each_run() {
    rescue_follows_credibility(|store| fs::remove_dir_all(store.join("tokens")).expect("it is there"));
}

fn rescue_follows_credibility(before_run: impl Fn(&Path)) {
    let run = |store: &Path, inputs: &[PathBuf]| {
        if store.join("manifest.json").exists() {
            before_run(store);
        }
        run(store, inputs);
    };
    let folder = tempdir();
    let inputs = archives(folder.path());
    // Pages without partners: the key is worth less there.
    let less = folder.path().join("less.warc.gz");
    let mut site = SiteBuilder::default();
    unpaired(&mut site, "two.test", 100);
    site.write(&less);
    // One more site with the key.
    let more = folder.path().join("more.warc.gz");
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 9, |lang, n| with_letters("three.test", lang, n));
    site.write(&more);

    let store = tempdir();
    let rescued = (vec![KeyState::Rescued], 3);
    run(store.path(), &inputs[..1]);
    run(store.path(), &inputs);
    assert_eq!(weak_site(store.path()), rescued);
    run(store.path(), std::slice::from_ref(&less));
    let (states, pairs) = weak_site(store.path());
    assert!(states.iter().all(|state| *state == KeyState::Weak) && pairs == 0, "{states:?}, {pairs} pairs");
    let mut all = inputs.clone();
    all.push(less);
    assert_same(&answers(store.path()), &answers_of(&[&all]), "credibility fell");
    run(store.path(), std::slice::from_ref(&more));
    assert_eq!(weak_site(store.path()), rescued);
    all.insert(0, more);
    assert_same(&answers(store.path()), &answers_of(&[&all]), "credibility rose");
}

#[test]
fn a_site_of_many_tokens_is_rescued_alike_whatever_came_first() {
    let folder = tempdir();
    let mut inputs = archives(folder.path());
    // More tokens than are indexed of a site, and all before those of its key.
    let many = folder.path().join("many.warc.gz");
    let mut site = SiteBuilder::default();
    for n in 0..2200 {
        site.page(format!("http://weak.test/item/a{n}-b{n}-c{n}-d{n}-e{n}-f{n}.html"), "en", 5000 + n);
    }
    site.write(&many);
    let at_once = {
        inputs.push(many);
        answers_of(&[&inputs])
    };
    assert_same(&answers_of(&[&inputs[..3], &inputs[3..]]), &at_once, "the many later");
    assert_same(&answers_of(&[&inputs[3..], &inputs[..3]]), &at_once, "the many first");
}

/// What happens to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Delete,
    Cut(f64),
    Flip(f64),
    Append,
}

impl Damage {
    fn inflict(self, path: &Path) {
        let mut bytes = fs::read(path).unwrap_or_default();
        let at = |share: f64| ((bytes.len() as f64 * share) as usize).min(bytes.len().saturating_sub(1));
        match self {
            Damage::Delete if path.is_dir() => return fs::remove_dir_all(path).expect("it is there"),
            Damage::Delete => return fs::remove_file(path).expect("it is there"),
            Damage::Cut(share) => bytes.truncate(at(share)),
            Damage::Flip(share) => {
                let at = at(share);
                bytes[at] ^= 16;
            }
            Damage::Append => bytes.extend_from_slice(b"FRAMwhat no commit wrote"),
        }
        fs::write(path, bytes).expect("room on disk");
    }
}

/// Damages a sound store; opening repairs, and after the same command everything is as it was.
fn repaired(sound: &Path, inputs: &[PathBuf], expected: &str, damages: &[(&str, Damage)]) {
    let store = tempdir();
    copy(sound, store.path());
    for (name, damage) in damages {
        damage.inflict(&store.path().join(name));
    }
    let what = format!("{damages:?}");
    if let Err(error) = Store::open(store.path(), Access::Write) {
        panic!("{what}: {error}");
    }
    let again = || run_with(store.path(), inputs, &Silent, &AtomicBool::new(false));
    if let Err(error) = again() {
        // Damage inside the token index shows when it is read, and the message says what to do.
        assert!(what.contains("tokens/db") && error.to_string().contains("give the command again"), "{what}: {error}");
        again().expect("as told");
    }
    assert_same(&answers(store.path()), expected, &what);
}

/// Kinds of records that are damaged. Nothing is skipped here.
fn kinds() -> &'static [&'static str] {
    extent(&["pages", "results"], &["pages", "batches", "sites", "results"])
}

#[test]
fn a_store_with_damaged_ends_is_repaired() {
    use Damage::*;
    let folder = tempdir();
    let inputs = archives(folder.path());
    let sound = tempdir();
    run(sound.path(), &inputs);
    let expected = answers(sound.path());
    let check = |damages: &[(&str, Damage)]| repaired(sound.path(), &inputs, &expected, damages);
    check(&[("manifest.json", Delete)]);
    check(&[("tokens", Delete)]);
    check(&[("tokens", Delete), ("manifest.json", Delete)]);
    check(&[("tokens/db", Delete)]);
    check(&[("tokens/conf", Delete)]);
    for &share in extent(&[0.02, 0.3][..], &[0.0, 0.02, 0.1, 0.3]) {
        check(&[("tokens/db", Cut(share))]);
        check(&[("tokens/db", Flip(share))]);
    }
    for kind in kinds() {
        let file = format!("{kind}/000000.rec");
        check(&[(&file, Append)]);
        check(&[(&file, Cut(0.999))]);
        check(&[(&file, Cut(0.4))]);
    }
    check(&[("batches/000000.rec", Cut(0.5)), ("pages/000000.rec", Cut(0.3)), ("tokens", Delete)]);
}

#[test]
fn a_store_that_lost_a_record_file_is_repaired() {
    let folder = tempdir();
    let inputs = archives(folder.path());
    let sound = tempdir();
    run(sound.path(), &inputs);
    let expected = answers(sound.path());
    for kind in kinds() {
        repaired(sound.path(), &inputs, &expected, &[(kind, Damage::Delete)]);
        repaired(sound.path(), &inputs, &expected, &[(&format!("{kind}/000000.rec"), Damage::Delete)]);
    }
}

#[test]
fn a_store_stopped_before_its_first_commit_is_not_called_damaged() {
    let store = tempdir();
    for _ in 0..2 {
        let opened = Store::open(store.path(), Access::Write).expect("nothing to lose");
        assert!(!opened.was_rebuilt);
    }
}

#[test]
fn a_store_damaged_in_the_middle_says_what_to_do() {
    let folder = tempdir();
    let inputs = archives(folder.path());
    let sound = tempdir();
    run(sound.path(), &inputs);
    let expected = answers(sound.path());
    for file in ["sites/000000.rec", "results/000000.rec", "batches/000000.rec", "pages/000000.rec"] {
        let store = tempdir();
        copy(sound.path(), store.path());
        Damage::Flip(0.5).inflict(&store.path().join(file));
        let output = diglot(store.path()).arg("export").output().expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        // Pages and batches are not asked for pairs.
        if file.starts_with("sites") || file.starts_with("results") {
            assert_eq!(output.status.code(), Some(1), "{message}");
            assert!(message.contains("`diglot check --repair --store "), "{message}");
        }
        // As told.
        let check = diglot(store.path()).arg("check").output().expect("the program starts");
        assert_eq!(check.status.code(), Some(1), "{file}");
        let told = String::from_utf8_lossy(&check.stdout).into_owned();
        assert!(told.contains(&format!("damaged\t{}", &file[..5])), "{told}");
        diglot(store.path()).args(["check", "--repair"]).output().expect("the program starts");
        run(store.path(), &inputs);
        assert_same(&answers(store.path()), &expected, file);
    }
    let store = tempdir();
    copy(sound.path(), store.path());
    Damage::Flip(0.1).inflict(&store.path().join("manifest.json"));
    let message = Store::open(store.path(), Access::Write).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("delete that file"), "{message}");
}

#[test]
fn a_token_index_damaged_anywhere_is_repaired_or_says_what_to_do() {
    let folder = tempdir();
    let inputs = archives(folder.path());
    let sound = tempdir();
    run(sound.path(), &inputs);
    let expected = answers(sound.path());
    let db = fs::read(sound.path().join("tokens/db")).expect("it is there");
    let used = db.iter().rposition(|&byte| byte != 0).expect("it is not empty");
    let seed = 5;
    let mut dice = Dice(seed);
    let (mut told, places) = (0, extent(8, 40));
    for _ in 0..places {
        let store = tempdir();
        copy(sound.path(), store.path());
        let at = dice.roll(used as u64 - 64) as usize;
        let mut bytes = db.clone();
        bytes[at..at + 64].fill(0);
        fs::write(store.path().join("tokens/db"), bytes).expect("room on disk");
        let again = |store: &Path| run_with(store, &inputs, &Silent, &AtomicBool::new(false));
        if let Err(error) = again(store.path()) {
            assert!(error.to_string().contains("give the command again"), "seed {seed}, byte {at}: {error}");
            told += 1;
            again(store.path()).expect("as told");
        }
        // What a run does not look at shows when it is asked for.
        let asked = std::panic::catch_unwind(|| answers(store.path()));
        let found = asked.unwrap_or_else(|_| {
            told += 1;
            fs::remove_dir_all(store.path().join("tokens")).expect("it is there");
            again(store.path()).expect("as told");
            answers(store.path())
        });
        assert_same(&found, &expected, &format!("seed {seed}, byte {at}"));
    }
    println!("{told} of {places} said what to do, the others were repaired");
}
