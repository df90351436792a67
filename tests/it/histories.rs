//! Any history equals a fresh start: whatever settings, archives, removals, damages, repairs, compactions and kills led to a store, it
//! answers as one that was made at once of the same archives and settings.
//!
//! `cargo test` plays a few histories, and [those that once failed](kept). More are played by
//! `DIGLOT_LONG=1 cargo test --test it histories -- --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::Value;

use crate::extent::extent;
use crate::sites::{SiteBuilder, html};
use crate::support::diglot;

/// Settings that a store may have. The presets come first.
const SETTINGS: [&[&str]; 18] = [
    &[],
    &["--preset", "kit-ng-2007"],
    &["--preset", "pupsniffer-2013"],
    &["--preset", "webmining-2008"],
    &["--preset", "link-2014"],
    &["--langs", "en,fr"],
    &["--min-score", "0.9"],
    &["--across-suffixes"],
    &["--site", "domain"],
    &["--without", "keys"],
    &["--without", "content"],
    &["--verifier", "lcs"],
    &["--rescue-above", "30"],
    &["--preset", "pupsniffer-2013", "--rescue-above", "20"],
    &["--preset", "link-2014", "--alpha", "0.25"],
    &["--captures", "nearest"],
    &["--lexicon", "words.en-fr.tsv"],
    &["--lexicon", "words.en-fr.tsv", "--preset", "link-2014"],
];
const PRESETS: usize = 5;
/// From here on they have a word list.
const WORDS: usize = 16;

/// What can be removed besides archives.
const HOSTS: [&str; 2] = ["host.test", "www.suffix.test"];
const URLS: [&str; 2] = ["http://path.test/fr/chapter-3.html", "http://letters.test/news/5_x.html"];

/// Files of a store that can be damaged: what follows from the pages; the pages themselves; what names all of it.
const DERIVED: [&str; 9] =
    ["sites", "results", "graphs", "verified", "resolved", "learnt", "bitexts", "repeats", "models"];
const SOURCES: [&str; 2] = ["pages", "batches"];

/// One thing that happens to a store.
#[derive(Clone, Debug)]
enum Step {
    /// A run with other settings, up to a stage.
    Set(usize, &'static str),
    /// A run with one more archive.
    Add(usize),
    /// A removal.
    Remove(Removed),
    /// A file is damaged, at a share of its length, and repaired; archives are given again where pages were lost.
    Damage(Damaged, u16),
    /// Compaction.
    Compact,
    /// The word list is another one.
    Words(bool),
    /// A step that is killed, after a share of the time it may take, before it is done; of settings perhaps instead of it.
    Kill(Box<Step>, u16, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Removed {
    Archive(usize),
    Host(usize),
    Url(usize),
}

#[derive(Clone, Copy, Debug)]
enum Damaged {
    Flipped(&'static str),
    Cut(&'static str),
    Tokens,
    View,
    Manifest,
}

impl Step {
    /// What kinds of steps it is, for counting.
    fn kinds(&self) -> Vec<&'static str> {
        match self {
            Step::Set(..) => vec!["settings"],
            Step::Add(_) => vec!["archive added"],
            Step::Remove(_) => vec!["removal"],
            Step::Damage(..) => vec!["repair"],
            Step::Compact => vec!["compaction"],
            Step::Words(_) => vec!["word list changed"],
            Step::Kill(step, ..) => [vec!["kill"], step.kinds()].concat(),
        }
    }
}

fn settings() -> impl Strategy<Value = Step> {
    let stage = prop_oneof![6 => Just("align"), 1 => Just("keys"), 1 => Just("verify"), 1 => Just("iterate")];
    (prop_oneof![0..PRESETS, 0..SETTINGS.len()], stage).prop_map(|(settings, until)| Step::Set(settings, until))
}

fn plain_step() -> impl Strategy<Value = Step> {
    let removed = prop_oneof![
        (0..3usize).prop_map(Removed::Archive),
        (0..2usize).prop_map(Removed::Host),
        (0..2usize).prop_map(Removed::Url)
    ];
    let damaged = prop_oneof![
        3 => prop::sample::select(&DERIVED[..]).prop_map(Damaged::Flipped),
        3 => prop::sample::select(&DERIVED[..]).prop_map(Damaged::Cut),
        1 => prop::sample::select(&SOURCES[..]).prop_map(Damaged::Flipped),
        1 => prop::sample::select(&SOURCES[..]).prop_map(Damaged::Cut),
        1 => Just(Damaged::Tokens),
        1 => Just(Damaged::View),
        1 => Just(Damaged::Manifest),
    ];
    prop_oneof![
        4 => settings(),
        2 => (0..3usize).prop_map(Step::Add),
        2 => removed.prop_map(Step::Remove),
        2 => (damaged, 0..1000u16).prop_map(|(damaged, share)| Step::Damage(damaged, share)),
        1 => Just(Step::Compact),
        1 => any::<bool>().prop_map(Step::Words),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => plain_step(),
        1 => (plain_step(), 0..1000u16, any::<bool>()).prop_map(|(step, share, again)| Step::Kill(Box::new(step), share, again)),
    ]
}

/// A history: an archive under a preset, some steps, another preset or other settings.
fn history() -> impl Strategy<Value = Vec<Step>> {
    let first = (0..PRESETS).prop_map(|preset| Step::Set(preset, "align"));
    let archive = (0..3usize).prop_map(Step::Add);
    let last = prop_oneof![1 => (WORDS..SETTINGS.len()).prop_map(|settings| Step::Set(settings, "align")), 4 => (0..PRESETS).prop_map(|preset| Step::Set(preset, "align")), 1 => settings()];
    (first, archive, prop::collection::vec(step(), 0..5), last).prop_map(|(first, archive, steps, last)| {
        let mut all = vec![first, archive];
        all.extend(steps);
        all.push(last);
        all
    })
}

/// What a store has to answer for: its settings, its word list, and its archives, each with what was removed of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Expected {
    settings: usize,
    words: bool,
    archives: BTreeMap<usize, BTreeSet<Removed>>,
}

/// Archives and word lists, and what fresh stores of them answer.
struct World {
    folder: tempfile::TempDir,
    fresh: Mutex<BTreeMap<Expected, Arc<Answers>>>,
}

type Answers = Vec<(&'static str, Vec<String>)>;

/// Pages of the given archive, but for what was removed.
fn archive(number: usize, removed: &BTreeSet<Removed>) -> SiteBuilder {
    let mut site = SiteBuilder::default();
    let is_there = |url: &str| {
        let host = url.split('/').nth(2).unwrap_or_default();
        !removed.iter().any(|removed| match removed {
            Removed::Archive(_) => false,
            Removed::Host(at) => host == HOSTS[*at] || host.ends_with(&format!(".{}", HOSTS[*at])),
            Removed::Url(at) => url == URLS[*at],
        })
    };
    let mut add = |url: String, lang: &str, text: usize| {
        if is_there(&url) {
            site.page(url, lang, text);
        }
    };
    let langs = ["en", "fr"];
    for n in 0..24 {
        for lang in langs {
            let letter = if lang == "en" { "x" } else { "y" };
            match number {
                0 => {
                    add(format!("http://path.test/{lang}/chapter-{n}.html"), lang, n);
                    if n < 8 {
                        add(format!("http://{lang}.host.test/page{n}.html"), lang, n + 30);
                        add(format!("http://suffix.test/a{n}_{letter}.html"), lang, n + 60);
                    }
                }
                1 => {
                    add(format!("http://letters.test/news/{n}_{letter}.html"), lang, n + 100);
                    if n < 6 {
                        add(format!("http://www.suffix.test/{lang}/b{n}.html"), lang, n + 130);
                        add(format!("http://suffix.example/{lang}/b{n}.html"), lang, n + 160);
                    }
                }
                _ => {
                    if n < 10 {
                        add(format!("http://path.test/{lang}/appendix-{n}.html"), lang, n + 200);
                        add(plain(lang, n), lang, n + 230);
                        add(
                            format!("http://de.host.test/{lang}{n}.html"),
                            if lang == "en" { "de" } else { "fr" },
                            n + 30,
                        );
                        // What another archive has too.
                        add(format!("http://path.test/{lang}/chapter-{n}.html"), lang, n);
                    }
                }
            }
        }
    }
    if number == 1 {
        // Of pages that are in another archive.
        site.capture("http://plain.test/sitemap.xml", SiteBuilder::DAY, &sitemap());
    }
    if number == 2 {
        // Later captures, with other texts, of pages that another archive has.
        for (n, url) in (10..14).map(|n| (n, format!("http://path.test/en/chapter-{n}.html"))) {
            if is_there(&url) {
                site.capture(url, "2022-05-01T00:00:00Z", &html("en", n + 300));
            }
        }
    }
    site
}

/// The address of a page that shows no language.
fn plain(lang: &str, n: usize) -> String {
    format!("http://plain.test/{}.html", (n * 7 + lang.len()) ^ usize::from(lang == "fr") << 9)
}

/// What says which of these pages are versions of each other.
fn sitemap() -> String {
    let link = |lang, n| format!("<link rel='alternate' hreflang='{lang}' href='{}'/>", plain(lang, n));
    let url = |n| format!("<url><loc>{}</loc>{}{}</url>", plain("en", n), link("en", n), link("fr", n));
    format!("<urlset>{}</urlset>", (0..10).map(url).collect::<String>())
}

impl World {
    fn new() -> World {
        let world = World { folder: tempfile::tempdir().expect("a folder"), fresh: Mutex::default() };
        for number in 0..3 {
            archive(number, &BTreeSet::new()).write(&world.archive(number));
        }
        world
    }

    fn archive(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("archive{number}.warc.gz"))
    }

    /// What a fresh store answers.
    fn answers(&self, expected: &Expected) -> Result<Arc<Answers>, String> {
        let known = self.fresh.lock().unwrap_or_else(PoisonError::into_inner).get(expected).cloned();
        if let Some(answers) = known {
            return Ok(answers);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let store = Played::new(self, folder.path(), expected.words);
        let mut inputs = Vec::new();
        for (number, removed) in &expected.archives {
            let path = folder.path().join(format!("archive{number}.warc.gz"));
            archive(*number, removed).write(&path);
            inputs.push(path);
        }
        store.succeeds(&store.run(expected.settings, "align", &inputs))?;
        let answers = Arc::new(store.answers()?);
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).insert(expected.clone(), answers.clone());
        Ok(answers)
    }
}

/// A store in a folder of its own, with the word list beside it.
struct Played<'w> {
    world: &'w World,
    folder: &'w Path,
}

impl<'w> Played<'w> {
    fn new(world: &'w World, folder: &'w Path, words: bool) -> Played<'w> {
        let played = Played { world, folder };
        played.write_words(words);
        played
    }

    fn write_words(&self, others: bool) {
        let words = if others {
            "house\tgarçon\nletter\tmontagne\n"
        } else {
            "house\tmaison\nletter\tlettre\nclock\thorloge\n"
        };
        fs::write(self.folder.join("words.en-fr.tsv"), words).expect("room on the disk");
    }

    fn store(&self) -> PathBuf {
        self.folder.join("s")
    }

    /// The words of a run with settings, and no others.
    fn run(&self, settings: usize, until: &str, inputs: &[PathBuf]) -> Vec<String> {
        let words = [&["run", "--reset", "all"], SETTINGS[settings], &["--until", until]].concat();
        words.into_iter().map(str::to_owned).chain(inputs.iter().map(|path| path.display().to_string())).collect()
    }

    fn command(&self, arguments: &[String]) -> std::process::Command {
        let mut command = diglot(&self.store());
        command.current_dir(self.folder).args(["--quiet", "--threads", "1"]).args(arguments);
        command
    }

    /// Exit code, stdout and stderr of a command.
    fn outcome(&self, arguments: &[String]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn succeeds(&self, arguments: &[String]) -> Result<String, String> {
        let (code, stdout, stderr) = self.outcome(arguments);
        if code == Some(0) { Ok(stdout) } else { Err(format!("{arguments:?}: {code:?} {stderr}")) }
    }

    /// Everything that is asked of a store. Where a page lies differs between archives that hold the same.
    fn answers(&self) -> Result<Answers, String> {
        const ASKED: [&str; 6] = [
            "export --format jsonl",
            "keys --weak --format tsv",
            "hosts --format tsv",
            "export --what bitext --keep-all --format jsonl",
            "export --what lexicon --langs en,fr --format tsv",
            "status",
        ];
        let mut answers = Answers::new();
        for asked in ASKED {
            let arguments: Vec<String> = asked.split(' ').map(str::to_owned).collect();
            // Of languages that were not met there are no words.
            let text = if asked.contains("lexicon") { self.outcome(&arguments).1 } else { self.succeeds(&arguments)? };
            let lines: Vec<String> = match asked {
                "status" => text.lines().filter(|line| is_of_results(line)).map(str::to_owned).collect(),
                _ if asked.contains("bitext") => text.lines().map(without_places).collect(),
                _ => text.lines().map(str::to_owned).collect(),
            };
            answers.push((asked, lines));
        }
        Ok(answers)
    }

    /// Starts a command and kills it after a share of 600 ms; true when it was done before.
    fn kill(&self, arguments: &[String], share: u16) -> bool {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        std::thread::sleep(Duration::from_micros(u64::from(share) * 600));
        let is_done = child.try_wait().expect("it is ours").is_some_and(|status| status.success());
        let _ = child.kill();
        child.wait().expect("it is ours");
        is_done
    }

    /// Lets a step happen; false where there is nothing to do, or nobody could.
    fn step(&self, step: &Step, expected: &mut Expected) -> Result<bool, String> {
        match step {
            // A store is made with its first archive.
            Step::Set(settings, _) if expected.archives.is_empty() => {
                expected.settings = *settings;
                Ok(true)
            }
            Step::Kill(inner, share, again) => {
                let Some(arguments) = self.arguments(inner, expected) else { return Ok(false) };
                if let Step::Damage(damaged, at) = **inner {
                    self.damage(damaged, at);
                }
                if self.kill(&arguments, *share) {
                    happened(inner, expected);
                }
                match &**inner {
                    Step::Damage(..) => self.repair(expected).map(|()| true),
                    // The next run has its own settings.
                    Step::Set(..) if !again => Ok(true),
                    _ => self.step(inner, expected).map(|_| true),
                }
            }
            Step::Words(others) => {
                self.write_words(*others);
                expected.words = *others;
                Ok(true)
            }
            _ => {
                let Some(arguments) = self.arguments(step, expected) else { return Ok(false) };
                if let Step::Damage(damaged, at) = *step {
                    self.damage(damaged, at);
                    return self.repair(expected).map(|()| true);
                }
                let (code, _, stderr) = self.outcome(&arguments);
                if code != Some(0) {
                    return Err(format!("{step:?}: {code:?} {stderr}"));
                }
                happened(step, expected);
                Ok(true)
            }
        }
    }

    /// The words of the command that does a step; `None` where there is nothing to do, or nobody could.
    fn arguments(&self, step: &Step, expected: &Expected) -> Option<Vec<String>> {
        let has_archives = !expected.archives.is_empty();
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        match step {
            Step::Set(settings, until) => has_archives.then(|| self.run(*settings, until, &[])),
            Step::Add(number) => Some(self.run(expected.settings, "align", &[self.world.archive(*number)])),
            Step::Remove(Removed::Archive(number)) => {
                let path = self.world.archive(*number).display().to_string();
                let is_there = expected.archives.contains_key(number) && expected.archives.len() > 1;
                if is_there { words(&["remove", "--archive", &path]) } else { None }
            }
            Step::Remove(removed) => {
                // What the store never had is not removed.
                let has = |number: usize| {
                    let [all, left] =
                        [BTreeSet::new(), BTreeSet::from([*removed])].map(|taken| archive(number, &taken));
                    left.page_count() < all.page_count()
                };
                let is_new = |(&number, taken): (&usize, &BTreeSet<Removed>)| !taken.contains(removed) && has(number);
                let (option, name) = match *removed {
                    Removed::Host(at) => ("--host", HOSTS[at]),
                    Removed::Url(at) => ("--url", URLS[at]),
                    Removed::Archive(_) => unreachable!("seen above"),
                };
                if expected.archives.iter().any(is_new) { words(&["remove", option, name]) } else { None }
            }
            Step::Damage(..) if has_archives => words(&["check", "--repair"]),
            Step::Compact if has_archives => words(&["compact"]),
            _ => None,
        }
    }

    /// Repairs the store, and gives its archives again: pages may have been lost.
    fn repair(&self, expected: &Expected) -> Result<(), String> {
        let (code, _, stderr) = self.outcome(&["check".into(), "--repair".into()]);
        if code.is_none_or(|code| code > 1) {
            return Err(format!("repair: {code:?} {stderr}"));
        }
        let given: Vec<PathBuf> = expected.archives.keys().map(|number| self.world.archive(*number)).collect();
        self.succeeds(&self.run(expected.settings, "align", &given)).map(drop)
    }

    fn damage(&self, damaged: Damaged, at: u16) {
        let change = |path: &Path, change: &dyn Fn(&mut Vec<u8>, usize)| {
            if let Ok(mut bytes) = fs::read(path)
                && !bytes.is_empty()
            {
                let place = bytes.len() * usize::from(at) / 1000;
                change(&mut bytes, place);
                fs::write(path, bytes).expect("room on the disk");
            }
        };
        let of_kind = |kind: &str| self.store().join(kind).join("000000.rec");
        match damaged {
            Damaged::Flipped(kind) => change(&of_kind(kind), &|bytes, at| bytes[at] ^= 0x55),
            Damaged::Cut(kind) => change(&of_kind(kind), &|bytes, at| bytes.truncate(at)),
            Damaged::View => {
                let files = fs::read_dir(self.store().join("view")).into_iter().flatten().flatten();
                files.for_each(|file| change(&file.path(), &|bytes, at| bytes[at] ^= 0x55));
            }
            Damaged::Manifest => drop(fs::remove_file(self.store().join("manifest.json"))),
            Damaged::Tokens => {
                let _ = fs::remove_dir_all(self.store().join("tokens"));
            }
        }
    }
}

/// Notes what a step that is done changes in what is expected.
fn happened(step: &Step, expected: &mut Expected) {
    match step {
        Step::Set(settings, _) => expected.settings = *settings,
        Step::Add(number) => {
            expected.archives.entry(*number).or_default();
        }
        Step::Remove(Removed::Archive(number)) => {
            expected.archives.remove(number);
        }
        Step::Remove(removed) => {
            expected.archives.values_mut().for_each(|taken| {
                taken.insert(*removed);
            });
        }
        _ => {}
    }
}

/// True of the lines of `status` that tell of results: not how much was read, also of what was removed later, nor from where.
fn is_of_results(line: &str) -> bool {
    let told = ["records", "captures kept", "archives"];
    (line.starts_with("total") && !told.iter().any(|name| line.contains(name)))
        || line.starts_with("sentences left out")
        || line.starts_with("stage")
}

/// A sentence pair without the archives it lies in.
fn without_places(line: &str) -> String {
    let Ok(mut row) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    if let Some(columns) = row.as_object_mut() {
        columns.retain(|name, _| !name.starts_with("archive_") && !name.starts_with("offset_"));
    }
    row.to_string()
}

/// Plays a history, and compares what comes out with a fresh store; gives the steps that were done.
fn play(world: &World, history: &[Step]) -> Result<Vec<Step>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let played = Played::new(world, folder.path(), false);
    let mut expected = Expected::default();
    let mut done = Vec::new();
    for step in history {
        if played.step(step, &mut expected)? {
            done.push(step.clone());
        }
    }
    if expected.archives.is_empty() {
        return Ok(done);
    }
    played.succeeds(&played.run(expected.settings, "align", &[]))?;
    let (found, fresh) = (played.answers()?, world.answers(&expected)?);
    for ((asked, found), (_, fresh)) in found.iter().zip(fresh.iter()) {
        if found != fresh {
            let differing = found.iter().zip(fresh).filter(|(found, fresh)| found != fresh).count();
            let first = found.iter().zip(fresh).find(|(found, fresh)| found != fresh);
            return Err(format!(
                "{asked}: {} lines, expected {}; {differing} differ; the first: {first:#?}",
                found.len(),
                fresh.len()
            ));
        }
    }
    Ok(done)
}

/// Plays so many histories on two threads, and gives how many have each kind of step.
fn play_some(world: &World, count: u32) -> BTreeMap<String, u32> {
    let kinds: Mutex<BTreeMap<String, u32>> = Mutex::default();
    std::thread::scope(|scope| {
        for thread in 0..2u8 {
            let kinds = &kinds;
            scope.spawn(move || {
                let config =
                    Config { cases: count / 2, max_shrink_iters: 40, failure_persistence: None, ..Config::default() };
                let seed = [thread + 1; 32];
                let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
                let played = runner.run(&history(), |history| {
                    let done = play(world, &history).map_err(TestCaseError::fail)?;
                    let met: BTreeSet<String> =
                        done.iter().flat_map(Step::kinds).map(str::to_owned).chain(preset_pairs(&done)).collect();
                    let mut kinds = kinds.lock().unwrap_or_else(PoisonError::into_inner);
                    met.into_iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
                    Ok(())
                });
                if let Err(failure) = played {
                    panic!("a history that a fresh store does not equal: {failure}");
                }
            });
        }
    });
    kinds.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The presets that follow one another.
fn preset_pairs(history: &[Step]) -> impl Iterator<Item = String> {
    let set = |step: &Step| match step {
        Step::Set(settings, _) => Some(*settings),
        _ => None,
    };
    let all: Vec<usize> = history.iter().filter_map(set).collect();
    let pairs: Vec<_> = all
        .windows(2)
        .filter(|pair| pair[0] != pair[1] && pair.iter().all(|at| *at < PRESETS))
        .map(|pair| format!("presets {} to {}", pair[0], pair[1]))
        .collect();
    pairs.into_iter()
}

#[test]
fn a_store_of_any_history_answers_as_a_fresh_one() {
    let count = extent(4, 300);
    let world = World::new();
    let kinds = play_some(&world, count);
    kinds.iter().for_each(|(kind, count)| println!("{count}\t{kind}"));
    if count >= 300 {
        let plain: Vec<_> = kinds.iter().filter(|(kind, _)| !kind.starts_with("presets")).collect();
        assert_eq!(plain.len(), 7, "{kinds:?}");
        assert!(plain.iter().all(|(_, count)| **count >= 20), "{kinds:?}");
        assert_eq!(kinds.len() - plain.len(), PRESETS * (PRESETS - 1), "{kinds:?}");
    }
}

/// Histories that once failed, shrunk.
fn kept() -> [Vec<Step>; 4] {
    let set = |settings| Step::Set(settings, "align");
    [
        // Words and weights that another preset had learnt were taken up.
        vec![Step::Add(0), set(3)],
        vec![Step::Add(0), set(2), set(4)],
        // Domains that keys across suffixes had joined stayed joined where that was taken back after a kill.
        vec![Step::Add(1), Step::Kill(Box::new(set(7)), 500, false), set(0)],
        // What a removal that was killed had taken out was asked for again, and refused.
        vec![Step::Add(0), Step::Kill(Box::new(Step::Remove(Removed::Host(0))), 900, true), set(0)],
    ]
}

#[test]
fn histories_that_once_failed_end_as_a_fresh_store() {
    let world = World::new();
    for history in kept() {
        play(&world, &history).unwrap_or_else(|problem| panic!("{history:?}: {problem}"));
    }
}

#[test]
fn a_preset_leaves_nothing_to_the_next() {
    let world = World::new();
    for from in 0..PRESETS {
        for to in (1..extent(2, PRESETS)).map(|more| (from + more) % PRESETS) {
            let history = [Step::Set(from, "align"), Step::Add(0), Step::Set(to, "align")];
            play(&world, &history).unwrap_or_else(|problem| panic!("{from} to {to}: {problem}"));
        }
    }
}

#[test]
fn a_word_list_that_was_edited_is_read_again() {
    let world = World::new();
    for (settings, words) in SETTINGS.iter().enumerate().skip(WORDS) {
        let history = [Step::Add(0), Step::Set(settings, "align"), Step::Words(true), Step::Set(settings, "align")];
        play(&world, &history).unwrap_or_else(|problem| panic!("{words:?}: {problem}"));
    }
}
