//! A program of the user that scores sentence pairs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use diglot::config::{Config, Memory};
use diglot::inputs::Inputs;
use diglot::pipeline::{self, Context, Silent};
use diglot::query::Scope;
use diglot::query::bitext::{self, Asked};
use diglot::store::{Access, Store};
use serde_json::Value;

use crate::program::program;
use crate::support::{Held, diglot, failure, packaging, rows, stdout, webserver, write_warc};

/// Scores a line by its length, and keeps the lines in a log. Before the line in which `$WAIT` stands it waits for more than the time after
/// which a run commits; `$SLOW` seconds before every line; at the line in which `$BAD` stands it ends.
const BY_LENGTH: &str = r#"
while IFS= read -r line; do
  printf '%s\n' "$line" >>LOG
  test -z "$SLOW" || sleep "$SLOW"
  case "$line" in *"${WAIT:-no such line}"*) sleep 1.2 ;; esac
  case "$line" in *"${BAD:-no such line}"*) echo "out of memory" >&2; exit 3 ;; esac
  echo "0.$(( ${#line} % 10 ))"
done"#;

/// The stand-in and its log.
fn by_length(folder: &Path) -> (String, PathBuf) {
    let log = folder.join("log");
    let command = program(folder, "by-length.sh", &BY_LENGTH.replace("LOG", &format!("'{}'", log.display())));
    (command, log)
}

/// A run on both samples with the stand-in.
fn run(store: &Path, command: &str) -> Command {
    let mut run = diglot(store);
    run.args(["run", "-q", "--scorer", command]).arg(packaging()).arg(webserver());
    run
}

fn exported(store: &Path, what: &str) -> Vec<Value> {
    let text = stdout(store, &["export", "-q", "--what", what, "--format", "jsonl", "-o", "-"]);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn logged(log: &Path) -> Vec<String> {
    fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// What is asked of a row of an export.
fn question(row: &Value) -> String {
    ["lang_a", "text_a", "lang_b", "text_b"].map(|name| row[name].as_str().expect("a text")).join("\t")
}

#[test]
fn each_sentence_pair_is_asked_about_once_and_has_its_score_in_exports() {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, log) = by_length(folder.path());
    let [plain, one, three] = ["plain", "one", "three"].map(|name| folder.path().join(name));
    diglot(&plain).args(["run", "-q"]).arg(packaging()).arg(webserver()).assert().success();
    run(&one, &command).assert().success();
    let rows = exported(&one, "bitext");
    let asked = logged(&log);
    let questions: BTreeSet<String> = rows.iter().map(question).collect();
    assert_eq!(asked.len(), questions.len(), "equal pairs of texts are asked about once");
    assert_eq!(asked.iter().cloned().collect::<BTreeSet<_>>(), questions);
    assert!(rows.len() > 2000 && rows.iter().all(|row| row["scorer"].is_f64()));
    let high = rows.iter().filter(|row| row["scorer"].as_f64() >= Some(0.5)).count();
    let listed = stdout(&one, &["bitext", "-q", "--where", "scorer>=0.5", "--format", "jsonl"]);
    assert!(high > 500 && high < rows.len() - 500 && listed.lines().count() == high);

    // Page pairs have the means of their sentence pairs.
    let pairs = exported(&one, "pairs");
    for pair in &pairs {
        let scores: Vec<f64> = rows
            .iter()
            .filter(|row| row["url_a"] == pair["url_a"] && row["url_b"] == pair["url_b"])
            .filter_map(|row| row["scorer"].as_f64())
            .collect();
        let mean = (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
        let is_mean = pair["scorer"].as_f64().zip(mean).map(|(told, mean)| (told - mean).abs() < 1e-4);
        assert_eq!(is_mean, mean.map(|_| true), "{pair} {mean:?}");
    }
    let scored = pairs.iter().filter(|pair| pair["scorer"].is_f64()).count();
    assert!(scored * 10 > pairs.len() * 9, "{scored} of {}", pairs.len());
    assert!(exported(&plain, "pairs").iter().all(|pair| pair["scorer"].is_null()));

    // By any number of processes and threads.
    run(&three, &command).args(["--scorer-processes", "3", "--threads", "1"]).assert().success();
    assert_eq!(exported(&three, "pairs"), pairs);
    assert_eq!(exported(&three, "bitext"), rows);
    // Without it, there is the same but the scores.
    let without = |mut row: Value| {
        row["scorer"] = Value::Null;
        row
    };
    assert_eq!(exported(&plain, "bitext"), rows.into_iter().map(without).collect::<Vec<_>>());
    diglot(&one).arg("check").assert().success();
}

#[test]
fn the_first_text_is_in_the_language_that_is_listed_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, log) = by_length(folder.path());
    let store = folder.path().join("s");
    let of = |langs: &str| {
        let _ = fs::remove_file(&log);
        diglot(&store).args(["run", "-q", "--langs", langs, "--scorer", &command]).arg(packaging()).assert().success();
        let first: BTreeSet<String> =
            logged(&log).iter().filter_map(|line| line.split('\t').next().map(str::to_owned)).collect();
        assert!(exported(&store, "bitext").iter().all(|row| row["scorer"].is_f64()));
        first.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!((of("fr,en"), of("en,fr")), ("fr".to_owned(), "en".to_owned()));
    // A query that lists them in another order finds the same scores.
    let turned = stdout(&store, &["bitext", "-q", "--langs", "fr,en", "--where", "scorer>=0", "--format", "jsonl"]);
    assert_eq!(turned.lines().count(), exported(&store, "bitext").len());
}

#[test]
fn what_was_answered_before_a_failure_or_a_kill_is_not_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, log) = by_length(folder.path());
    let whole = folder.path().join("whole");
    run(&whole, &command).assert().success();
    let expected = exported(&whole, "bitext");
    let all = logged(&log);
    assert!(all.len() > 2200, "{}", all.len());
    let text = |at: usize| all[at].split('\t').nth(1).expect("a text").to_owned();
    let (wait, bad) = (all[1000].clone(), all[all.len() - 100].clone());
    let store = folder.path().join("s");
    fs::remove_file(&log).expect("it was asked");
    let (code, stderr) = failure(run(&store, &command).env("WAIT", &wait).env("BAD", &bad));
    assert!(code == 1 && stderr.contains("scorer sh "), "{stderr}");
    assert!(
        stderr.contains("ended (exit status: 3) after ") && stderr.contains("ends with: out of memory"),
        "{stderr}"
    );
    let start: String = text(all.len() - 100).chars().take(20).collect();
    assert!(stderr.contains(&format!("the line is of \"{start}")) && stderr.contains("http://"), "{stderr}");
    diglot(&store).arg("check").assert().success();
    // The sentence pairs are there, and those that were answered have their scores.
    let answered: BTreeSet<String> = logged(&log).into_iter().filter(|line| *line != bad).collect();
    assert_eq!(scored(&store), answered);
    assert!(answered.len() > 1000 && answered.len() < all.len());
    assert!(stdout(&store, &["status", "-q"]).contains("1 site to be scored"));

    // Killed in the middle.
    fs::remove_file(&log).expect("it was asked");
    let mut child = run(&store, &command).env("WAIT", &bad).spawn().expect("it starts");
    while !logged(&log).contains(&bad) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let again = logged(&log).len();
    assert!(again < all.len() - 1000, "{again} of {} were asked again", all.len());
    run(&store, &command).assert().success();
    assert_eq!(exported(&store, "bitext"), expected);
    diglot(&store).arg("check").assert().success();
}

/// What was asked of the sentence pairs that have scores.
fn scored(store: &Path) -> BTreeSet<String> {
    exported(store, "bitext").iter().filter(|row| row["scorer"].is_f64()).map(question).collect()
}

#[test]
fn a_slow_scorer_is_stopped_soon_and_what_it_has_answered_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, log) = by_length(folder.path());
    let store = folder.path().join("s");
    diglot(&store).args(["run", "-q"]).arg(packaging()).assert().success();
    let ended = |signal: &str, more: usize| {
        let before = logged(&log).len();
        let mut child =
            diglot(&store).args(["run", "-q", "--scorer", &command]).env("SLOW", "0.3").spawn().expect("it starts");
        while logged(&log).len() < before + more {
            std::thread::sleep(Duration::from_millis(10));
        }
        let start = Instant::now();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("it starts").success());
        (child.wait().expect("it ends").code(), start.elapsed())
    };
    // Asked to stop, it stops, although the scorer goes on answering.
    let (code, took) = ended("-TERM", 5);
    assert!(code == Some(130) && took < Duration::from_secs(5), "{took:?}");
    let listing = diglot(&store).arg("bitext").assert().success();
    let said = String::from_utf8_lossy(&listing.output.stderr).into_owned();
    assert!(said.contains(", with --scorer as before, brings it up to date"), "{said}");
    let first = scored(&store).len();
    assert!(logged(&log).len() - first <= 1, "{first} of {}", logged(&log).len());
    // Killed, it loses what was answered in the last seconds.
    ended("-KILL", 30);
    let (second, asked) = (scored(&store).len(), logged(&log).len());
    assert!(second > first + 15 && asked - second < 15, "{second} of {asked} after {first}");
    diglot(&store).arg("check").assert().success();
}

#[test]
fn sites_with_more_sentence_pairs_than_fit_into_memory_have_the_same_scores() {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, log) = by_length(folder.path());
    let [whole, sliced] = ["whole", "sliced"].map(|name| folder.path().join(name));
    run(&whole, &command).assert().success();
    let (asked, expected) = (logged(&log), exported(&whole, "bitext"));
    run(&sliced, &command).env("BAD", &asked[0]).assert().code(1);
    fs::remove_file(&log).expect("it was asked");
    // A few hundred sentence pairs at a time.
    let mut config = Config { memory: Memory { bytes: 1 << 18 }, ..Config::default() };
    config.scorer.command = shlex::split(&command).expect("words");
    config.scorer.is_given = true;
    let mut store = Store::open(&sliced, Access::Write).expect("a sound store");
    let (inputs, stop) = (Inputs::default(), AtomicBool::new(false));
    let context = Context { config: &config, inputs: &inputs, observer: &Silent, stop: &stop };
    pipeline::run(&mut store, &context, "align").expect("a run");
    let lines = |config: &Config| {
        let (mut lines, asked) =
            (Vec::new(), Asked { all: true, alternatives: true, records: true, pages: false, totals: true });
        let scope = Scope::all();
        bitext::for_each_bead(&store, config, &scope, asked, |line| {
            lines.push((line.text_a, line.text_b, line.targets, line.sources, line.scorer));
            Ok(())
        })
        .map(|()| lines)
        .expect("a sound store")
    };
    assert_eq!(lines(&config), lines(&Config::default()));
    drop(store);
    let again = logged(&log);
    assert!(again != asked && again.len() == asked.len(), "they are asked in another order, each once");
    assert_eq!(exported(&sliced, "bitext"), expected);
    assert_eq!(exported(&sliced, "pairs"), exported(&whole, "pairs"));
    diglot(&sliced).arg("check").assert().success();
}

#[test]
fn scores_are_taken_over_when_a_site_is_aligned_again_and_go_with_its_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, log) = by_length(folder.path());
    let store = folder.path().join("s");
    let some = |args: &[&str]| {
        let mut run = diglot(&store);
        run.args(["run", "-q"]).args(args);
        run
    };
    some(&["--scorer", &command]).arg(packaging()).assert().success();
    let first = logged(&log).len();
    let before = exported(&store, "bitext");
    // One more page makes other page pairs, and all of the site is aligned anew.
    let page = |lang: &str, text: &str| {
        let url = format!("http://{lang}.packaging.site.test/libraries-new.html");
        (
            url,
            format!("<html lang={lang}><title>{text}</title><p>{text} 1 2 3 4 5 6 7 8 9.</p><p>{}</p>", text.repeat(9)),
        )
    };
    let pages = [
        page("en", "The house of the new library is big"),
        page("fr", "La maison de la nouvelle bibliothèque est grande"),
    ];
    let responses: Vec<_> = pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    let more = folder.path().join("more.warc");
    write_warc(&more, &responses);

    // A program that only the store names is not started; everything but the scores is made.
    let (code, stderr) = failure(some(&[]).arg(&more));
    assert!(code == 2 && stderr.contains("give --scorer again, or --reset scorer"), "{stderr}");
    let after = exported(&store, "bitext");
    assert!(after.len() > before.len() && after.iter().any(|row| row["scorer"].is_null()));
    some(&["--scorer", &command]).assert().success();
    let asked = logged(&log).len() - first;
    assert!(asked > 0 && asked < first / 4, "{asked} after {first}");
    assert!(exported(&store, "bitext").iter().all(|row| row["scorer"].is_f64()));
    // Nothing is left to ask, so that nothing is started.
    some(&[]).arg(&more).assert().success();
    assert_eq!(logged(&log).len(), first + asked);

    // Another command is another scorer. Its numbers are on a scale of its own, and none of their digits is lost.
    let small = program(folder.path(), "small.sh", "while read -r line; do echo 0.0000123; done");
    some(&["--scorer", &small]).assert().success();
    for what in ["bitext", "pairs"] {
        assert!(exported(&store, what).iter().all(|row| row["scorer"] == 0.0000123 || row["scorer"].is_null()));
        let tsv = stdout(&store, &["export", "-q", "--what", what, "--where", "scorer=0.0000123", "-o", "-"]);
        assert!(tsv.lines().count() > 10 && tsv.lines().skip(1).all(|line| line.contains("\t1.23e-5")), "{what}");
    }
    let other = program(folder.path(), "other.sh", "while read -r line; do echo -17.25; done");
    some(&["--scorer", &other]).assert().success();
    assert!(exported(&store, "bitext").iter().all(|row| row["scorer"] == -17.25));
    diglot(&store).args(["compact", "-q"]).assert().success();
    assert!(exported(&store, "bitext").iter().all(|row| row["scorer"] == -17.25));
    diglot(&store).args(["remove", "-q", "--host", "fr.packaging.site.test"]).assert().success();
    some(&["--scorer", &other]).assert().success();
    let left = exported(&store, "bitext");
    assert!(!left.is_empty() && left.len() < after.len() && left.iter().all(|row| row["scorer"] == -17.25));
    diglot(&store).args(["compact", "-q"]).assert().success();
    diglot(&store).arg("check").assert().success();
    some(&["--reset", "scorer"]).assert().success();
    assert!(exported(&store, "bitext").iter().all(|row| row["scorer"].is_null()));
    assert_eq!(rows(&store, &["status"]).iter().filter(|row| row["what"] == "setting").count(), 0);
}

#[test]
fn what_a_scorer_does_wrong_is_an_error_with_the_sentence_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    diglot(&store).args(["run", "-q"]).arg(packaging()).assert().success();
    let problem = |command: &str| {
        let (code, stderr) = failure(diglot(&store).args(["run", "-q", "--scorer-timeout", "1", "--scorer", command]));
        assert_eq!(code, 1, "{stderr}");
        assert!(exported(&store, "bitext").iter().all(|row| row["scorer"].is_null()), "{stderr}");
        stderr
    };
    for (command, told) in [
        ("no-such-program -x", "scorer no-such-program -x: there is no such program; give its path, or install it"),
        ("sh -c 'exit 5'", "ended (exit status: 5) after 0 answers to "),
        (
            "sh -c 'cat >/dev/null'",
            "it must answer each line at once, and flush what it writes; --scorer-timeout gives it more time",
        ),
        ("sh -c 'while read -r l; do echo 1; echo 2; done'", "wrote a line more than it was asked"),
        (
            "sh -c 'while read -r l; do echo Loading; done'",
            "wrote \"Loading\": Loading is no number, expected one such as 0.73; the line is of \"",
        ),
        ("sh -c 'while read -r l; do echo nan; done'", "nan is no number"),
    ] {
        let found = problem(command);
        assert!(found.contains(told), "{command}: {found}");
    }
    // What is not there is told before any work.
    let other = folder.path().join("other");
    let (code, stderr) = failure(diglot(&other).args(["run", "-q", "--scorer", "no-such-program"]).arg(packaging()));
    assert!(code == 1 && stderr.contains("there is no such program") && rows(&other, &["hosts", "-q"]).is_empty());
    let (code, stderr) = failure(diglot(&store).args(["run", "--scorer", "sh 'x"]));
    assert!(code == 2 && stderr.contains("expected a program and its arguments, with quotes in pairs"), "{stderr}");
    #[cfg(feature = "exec")]
    {
        let mut exec = diglot(&store);
        let ended = exec.args(["exec", "inputs", "--scorer", "sh x"]).arg(packaging()).assert().code(2);
        let stderr = String::from_utf8_lossy(&ended.output.stderr).into_owned();
        assert!(stderr.contains("--scorer is for runs on a store"), "{stderr}");
    }
    diglot(&store).arg("check").assert().success();
}
