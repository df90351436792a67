//! Deep pages and exploring: killed at any instant and started again, with any number of threads, and after the catalog was
//! made again, they ask for the same.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::extent::extent;
use crate::resume::copy;
use crate::sites::Dice;
use crate::support::{Held, diglot, write_warc};

const EN: &str = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
const FR: &str =
    "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée";
const SITES: usize = 40;
/// Pages of each language of a site, of which every third lacks its partner.
const PAGES: usize = 30;

/// A store of bilingual sites with lone pages and links to one another and elsewhere.
fn store_of_sites(folder: &Path) {
    let mut pages: Vec<(String, String)> = Vec::new();
    for site in 0..SITES {
        let links: String = [site + 1, site * 7 + 3, site * 3 + 11]
            .iter()
            .map(|other| {
                format!(
                    "<a href='http://site{}.test/'>x</a><a href='http://out{}.example.net/'>y</a>",
                    other % SITES,
                    other % 50
                )
            })
            .collect();
        for page in 0..PAGES {
            for (lang, text) in [("en", EN), ("fr", FR)] {
                if page % 3 == 0 && (page % 2 == 0) == (lang == "en") {
                    continue;
                }
                let body = format!("<p>{text}, {page}.</p><p>{text}.</p>{links}");
                pages.push((
                    format!("http://site{site}.test/{lang}/page-{page}.html"),
                    format!("<html lang={lang}><title>{page}</title><body>{body}</body>"),
                ));
            }
        }
    }
    let archive = folder.join("all.warc");
    let responses: Vec<(&str, &str, &str)> =
        pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    write_warc(&archive, &responses);
    diglot(&folder.join("s")).args(["--quiet", "run", "--until", "keys"]).arg(&archive).assert().success();
}

fn copied(store: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy(store, &folder.path().join("s"));
    folder
}

/// What is asked for: the commands that ask, in order.
const ASKING: [&[&str]; 3] = [
    &["recover", "-o", "list.txt"],
    &["explore", "--top", "20"],
    &["explore", "--by-domain", "--by", "linkout", "--top", "5"],
];

fn finish(folder: &Path, threads: &str, arguments: &[&str]) -> String {
    let mut command = diglot(&folder.join("s"));
    command.current_dir(folder).args(["--quiet", "--threads", threads]).args(arguments).args(["--format", "tsv"]);
    let output = command.assert().success().output.stdout;
    String::from_utf8(output).expect("UTF-8")
}

/// The list, what is known of each address, the rounds, and what the next ones would be.
fn outcome(folder: &Path) -> Vec<String> {
    let list = fs::read_to_string(folder.join("list.txt")).expect("a list");
    let again: Vec<String> = ASKING[1..].iter().map(|asking| finish(folder, "2", asking)).collect();
    let rounds = finish(folder, "2", &["explore", "--rounds"]);
    [vec![list, finish(folder, "2", &["recover"]), rounds], again].concat()
}

fn undisturbed(store: &Path, threads: &str) -> (TempDir, Vec<String>) {
    let folder = copied(store);
    for asking in ASKING {
        finish(folder.path(), threads, asking);
    }
    let outcome = outcome(folder.path());
    (folder, outcome)
}

#[test]
fn recover_and_explore_killed_at_any_instant_ask_for_the_same() {
    let kills = extent(3, 12);
    let made = tempfile::tempdir().expect("a folder");
    store_of_sites(made.path());
    let store = made.path().join("s");
    let (_, expected) = undisturbed(&store, "2");
    assert_eq!(expected[0].lines().count(), SITES * PAGES / 3, "every lone page asks for its partner");
    assert_eq!(expected[2].lines().count(), 3, "two rounds: {}", expected[2]);
    assert!(expected[3].lines().count() == 21 && expected[4].lines().count() == 2);
    assert_eq!(undisturbed(&store, "1").1, expected, "one thread");
    let seed = 7;
    let mut dice = Dice(seed);
    for round in 0..3 {
        let folder = copied(&store);
        for asking in ASKING {
            let began = Instant::now();
            // How long it takes is told by a copy, which is thrown away.
            finish(copied(&folder.path().join("s")).path(), "2", asking);
            let longest = began.elapsed().as_micros() as u64;
            for _ in 0..kills / 3 {
                let delay = Duration::from_micros(dice.roll(longest));
                println!("seed {seed}, store {round}: {asking:?} killed after {delay:?}");
                let mut command = diglot(&folder.path().join("s"));
                command.current_dir(folder.path()).arg("--quiet").args(asking);
                let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
                std::thread::sleep(delay);
                child.kill().expect("it is ours");
                child.wait().expect("it is ours");
            }
            finish(folder.path(), "2", asking);
        }
        assert_eq!(outcome(folder.path()), expected, "store {round}");
    }
}

#[test]
fn what_was_asked_for_outlives_the_catalog() {
    let made = tempfile::tempdir().expect("a folder");
    store_of_sites(made.path());
    let (folder, expected) = undisturbed(&made.path().join("s"), "2");
    let store = folder.path().join("s");
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    diglot(&store).args(["--quiet", "run", "--until", "keys"]).assert().success();
    assert_eq!(outcome(folder.path()), expected);
    // Another setting of what a site is makes sites anew, and forgets no request.
    diglot(&store).args(["--quiet", "run", "--across-suffixes", "--until", "keys"]).assert().success();
    assert_eq!(outcome(folder.path()), expected);
}
