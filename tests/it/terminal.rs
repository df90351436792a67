//! Sessions on a terminal, as wide as people have them: what is on the screen when each command has ended.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::pty::{Winsize, openpty};
use unicode_width::UnicodeWidthStr;
use vt100::Parser;

use crate::support::{golden, run, sample_store, webserver, write_warc};

/// Lines of the terminal: more than any command prints.
const LINES: u16 = 200;

/// What a command left on a terminal.
struct Screen {
    /// Its lines, up to the last that is not empty.
    lines: Vec<String>,
    /// All bytes that it was sent, also those that were written over.
    sent: String,
    code: Option<i32>,
}

/// Runs a command on a terminal of so many columns, in a folder.
fn on_terminal(columns: u16, folder: &Path, store: Option<&Path>, arguments: &[&str]) -> Screen {
    let size = Winsize { ws_row: LINES, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).expect("the system has terminals");
    let end = || Stdio::from(terminal.slave.try_clone().expect("a file"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_diglot"));
    command.current_dir(folder).env("TERM", "xterm").env_remove("DIGLOT_STORE").env_remove("COLUMNS");
    if let Some(store) = store {
        command.env("DIGLOT_STORE", store);
    }
    let mut child = command.args(arguments).stdin(end()).stdout(end()).stderr(end()).spawn().expect("it starts");
    drop(command);
    drop(terminal.slave);
    let mut sent = Vec::new();
    let mut buffer = [0; 4096];
    let mut screen = File::from(terminal.master);
    // When the last of the other ends is closed, reading fails.
    while let Ok(count) = screen.read(&mut buffer) {
        if count == 0 {
            break;
        }
        sent.extend_from_slice(&buffer[..count]);
    }
    let code = child.wait().expect("it ends").code();
    let mut parser = Parser::new(LINES.try_into().expect("some"), columns.try_into().expect("some"), 0);
    parser.process(&sent);
    let mut lines: Vec<String> = parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
    let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(used);
    Screen { lines, sent: String::from_utf8_lossy(&sent).into_owned(), code }
}

/// Seconds, which differ from run to run, as T.
fn without_times(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_time = |at: usize| words.get(at + 1).is_some_and(|unit| unit.trim_end_matches(',') == "s");
    let word = |(at, word): (usize, &&str)| {
        if is_time(at) && word.parse::<f64>().is_ok() { "T".to_owned() } else { (*word).to_owned() }
    };
    words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// The lines of several commands, each below itself.
fn session(columns: u16, folder: &Path, store: Option<&Path>, commands: &[&str]) -> String {
    let mut text = String::new();
    for command in commands {
        let screen = on_terminal(columns, folder, store, &command.split(' ').collect::<Vec<_>>());
        text += &format!("$ diglot {command}\n");
        for line in &screen.lines {
            text += &(without_times(line) + "\n");
        }
        if screen.code != Some(0) {
            text += &format!("[exit code {:?}]\n", screen.code.unwrap_or(-1));
        }
        text.push('\n');
    }
    text
}

#[test]
fn tables_fit_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let listings = [
        "pairs --limit 6",
        "keys",
        "hosts",
        "bitext webserver.site.test --langs en,fr --limit 4",
        "bitext webserver.site.test --langs zh,en --limit 4",
        "recover --min-chance 0 --limit 6",
        "status",
    ];
    for columns in [80, 120] {
        let text = session(columns, folder.path(), Some(sample_store()), &listings);
        // Messages may be longer than a line; tables are not.
        let is_table = |line: &&str| !line.starts_with("diglot: ") && !line.starts_with("$ ");
        let widest = text.lines().filter(is_table).map(UnicodeWidthStr::width).max();
        assert!(widest.is_some_and(|widest| widest <= usize::from(columns)), "{widest:?}");
        golden(&format!("tables-{columns}.txt"), &text);
    }
}

#[test]
fn a_table_shows_what_every_script_says_in_the_room_it_takes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a.warc"), folder.path().join("s"));
    let he = "המוזיאון נפתח בכל בוקר בשעה תשע ומציג את עבודותיהם של הציירים שחיו בעמק לפני שנים רבות מאוד";
    let ja = "美術館は毎朝九時に開館し、かつて谷に住んでいた画家たちの作品を展示しています。入場は無料です。子供も大人も歓迎します。";
    let mut responses = Vec::new();
    for at in 0..6 {
        for (lang, text) in [("he", he), ("ja", ja)] {
            let html = format!("<html lang={lang}><title>{at}</title><p>{at} {text}</p><p>{text}</p>");
            responses.push((format!("http://wide.test/{lang}/page-{at}.html"), "200 OK", html));
        }
    }
    let borrowed: Vec<_> = responses.iter().map(|(url, status, html)| (url.as_str(), *status, html.as_str())).collect();
    write_warc(&archive, &borrowed);
    run(&store, &[&archive]);
    let screen = on_terminal(80, folder.path(), Some(&store), &["bitext", "--keep-all", "--limit", "3"]);
    let rows: Vec<&String> = screen.lines.iter().filter(|line| !line.starts_with("diglot: ")).collect();
    assert!(rows.len() > 4, "{:#?}", screen.lines);
    assert!(rows.iter().all(|line| line.width() <= 80), "{:#?}", screen.lines);
    // Nothing of the texts is lost, and Hebrew is broken at its spaces.
    let shown: String = rows.iter().map(|line| format!("{line} ")).collect();
    assert!(he.split(' ').all(|word| shown.contains(word)), "{shown}");
    assert!(ja.chars().all(|c| shown.contains(c)), "{shown}");
}

#[test]
fn a_first_session_has_no_surprises() {
    let commands = [
        "run --dry-run webserver.warc.gz",
        "ingest webserver.warc.gz",
        "pairs",
        "keys",
        "bitext",
        "run --until index",
        "run -v",
        "run --dry-run webserver.warc.gz --langs en,fr",
        "run webserver.warc.gz --until ingest",
        "run --langs en",
        "run --langs en,ja",
        "status",
        "run -q --reset langs",
        "pairs --langs fr",
        "explain webserver.site.test/manual/en/mpn.html",
        "explain webserver.site.test",
    ];
    for columns in [80, 120] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::copy(webserver(), folder.path().join("webserver.warc.gz")).expect("room on the disk");
        golden(&format!("session-{columns}.txt"), &session(columns, folder.path(), None, &commands));
    }
}

#[test]
fn a_run_shows_which_stage_it_is_in_and_leaves_no_bar_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = webserver().display().to_string();
    let screen = on_terminal(80, folder.path(), None, &["run", &archive]);
    assert_eq!(screen.code, Some(0));
    for stage in ["stage 1 of 7, ingest: ", "stage 7 of 7, align: "] {
        assert!(screen.sent.contains(stage), "{stage}");
    }
    assert!(screen.sent.contains("language pairs, 0s"), "amounts have one unit, and then the time so far");
    assert!(screen.lines[0].starts_with("keys with pairs: "), "{:?}", screen.lines);
    assert!(!screen.lines.iter().any(|line| line.contains("stage ")), "{:?}", screen.lines);
    // Headings are bold.
    assert!(screen.sent.contains("\x1b[1mpairs:\x1b[0m 68"), "{}", screen.sent);
    let plain = on_terminal(80, folder.path(), None, &["keys", "--color", "never"]);
    assert!(!plain.sent.contains('\x1b') && plain.lines.len() > 6, "{}", plain.sent);
    let quiet = on_terminal(80, folder.path(), None, &["run", "-q", "--preset", "kit-ng-2007"]);
    assert_eq!((quiet.sent.as_str(), quiet.code), ("", Some(0)));
}

#[test]
fn whoever_watches_sees_the_time_on_a_line_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let mut run = Command::new(env!("CARGO_BIN_EXE_diglot"));
    run.args(["-q", "run", "-", "--store"]).arg(&store).stdin(Stdio::piped());
    let mut run = run.spawn().expect("it starts");
    let mut given = run.stdin.take().expect("a pipe");
    given.write_all(&fs::read(webserver()).expect("the sample")).expect("it reads");
    while !store.join("progress.json").exists() {
        assert!(run.try_wait().expect("a child").is_none(), "it ended too early");
        thread::sleep(Duration::from_millis(10));
    }
    // The run ends once its input does.
    let end = thread::spawn(move || {
        thread::sleep(Duration::from_secs(2));
        drop(given);
    });
    let screen = on_terminal(40, folder.path(), Some(&store), &["status", "--watch"]);
    end.join().expect("a thread that sleeps");
    assert!(run.wait().expect("it ends").success() && screen.code == Some(0));
    let lines: Vec<&str> = screen.sent.split(['\n', '\r', '\x1b']).collect();
    assert!(lines.iter().any(|line| line.contains("stage 1 of 7, ingest: ")), "{lines:#?}");
    // The first line is filled up to the width of the terminal, which then goes on with the second.
    let is_second = |line: &&str| line.chars().skip(40).collect::<String>().contains(" after ");
    assert!(lines.iter().any(is_second), "{lines:#?}");
}

#[test]
fn what_an_archive_holds_does_not_command_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("a.warc");
    write_warc(&archive, &[("http://ex.test/\x1b[31ma", "200 OK", "<p>A page")]);
    for format in ["table", "tsv", "csv", "jsonl", "json"] {
        let screen =
            on_terminal(120, folder.path(), None, &["index", "a.warc", "--format", format, "--color", "never"]);
        assert!(!screen.sent.contains('\x1b') && screen.sent.contains("[31ma"), "{format}: {}", screen.sent);
    }
}
