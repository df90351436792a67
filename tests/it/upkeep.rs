//! Upkeep of a store: what is removed is gone, compaction changes no answer, and what was lost is said until it is given again.

use std::fs;
use std::path::{Path, PathBuf};

use diglot::store::{Access, Store};

use crate::resume::copy;
use crate::sites::SiteBuilder;
use crate::support::{Held, diglot, failure, packaging, run, stdout, webserver};

/// All that a store answers, and how many of each thing it has.
fn answers(store: &Path) -> String {
    let mut all = String::new();
    for arguments in [
        &["pairs"][..],
        &["keys"],
        &["hosts"],
        &["bitext"],
        &["export", "--format", "tmx"],
        &["export", "--format", "jsonl"],
    ] {
        // Where a page lies differs between archives that hold the same.
        let listed = stdout(store, arguments);
        let mut parts = listed.split("<prop type=\"x-archive\">");
        all += parts.next().unwrap_or_default();
        parts.for_each(|part| all += part.split_once("</prop>").map_or(part, |(_, rest)| rest));
    }
    let status = stdout(store, &["status"]);
    // How much was read is told of all archives, also of what was removed later.
    let told = ["records", "captures kept", "archives"];
    let totals =
        status.lines().filter(|line| line.starts_with("total") && !told.iter().any(|name| line.contains(name)));
    all + &totals.collect::<Vec<_>>().join("\n")
}

/// Sees that a store answers as expected, and shows the first line that differs.
fn assert_same(store: &Path, expected: &str, what: &str) {
    assert_same_lines(&answers(store), expected, what);
}

fn assert_same_lines(found: &str, expected: &str, what: &str) {
    if let Some((found, expected)) = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected) {
        panic!("{what}: {found:?}, expected {expected:?}");
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{what}");
}

/// The bytes of all files of a store, those of packed records unpacked.
fn content(store: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).expect("a file");
            let magic = [0x28, 0xb5, 0x2f, 0xfd];
            for at in (0..bytes.len().saturating_sub(4)).filter(|&at| bytes[at..at + 4] == magic) {
                let mut decoder = zstd::stream::read::Decoder::new(&bytes[at..]).expect("memory").single_frame();
                let mut unpacked = Vec::new();
                // What only looks like a frame has nothing to say.
                let _ = std::io::Read::read_to_end(&mut decoder, &mut unpacked);
                all.extend(unpacked);
            }
            all.extend(bytes);
        }
    }
    all
}

fn holds(store: &Path, text: &str) -> bool {
    memchr::memmem::find(&content(store), text.as_bytes()).is_some()
}

/// Two archives, each with pages of two domains, and a URL that both have.
fn archives(folder: &Path, without_host: Option<&str>, without_url: Option<&str>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (name, first) in [("first.warc.gz", 0), ("second.warc.gz", 30)] {
        let mut site = SiteBuilder::default();
        for host in ["www.steady.test", "www.fleeting.test"] {
            for number in first..first + 40 {
                for lang in ["en", "fr"] {
                    let url = format!("http://{host}/{lang}/page{number}.html");
                    if Some(host) != without_host && Some(url.as_str()) != without_url {
                        site.page(url, lang, number);
                    }
                }
            }
        }
        let path = folder.join(name);
        site.write(&path);
        paths.push(path);
    }
    paths
}

fn run_all(store: &Path, inputs: &[PathBuf]) {
    run(store, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>());
}

#[test]
fn what_is_removed_is_as_if_it_had_never_been_read_and_leaves_no_trace_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let all = archives(folder.path(), None, None);
    let sound = at("sound");
    run_all(&sound, &all);
    let url = "http://www.steady.test/fr/page35.html";
    ["no host", "no url"].iter().for_each(|name| fs::create_dir_all(at(name)).expect("a folder"));
    let cases: [(&[&str], Vec<PathBuf>, &str); 3] = [
        (&["--archive", "second.warc.gz"], vec![all[0].clone()], "page60.html"),
        (&["--host", "fleeting.test"], archives(&at("no host"), Some("www.fleeting.test"), None), "fleeting.test"),
        (&["--url", url], archives(&at("no url"), None, Some(url)), "www.steady.test/fr/page35.html"),
    ];
    for (number, (arguments, rest, trace)) in cases.into_iter().enumerate() {
        let expected = at(&format!("expected{number}"));
        run_all(&expected, &rest);
        let store = at(&format!("store{number}"));
        copy(&sound, &store);
        assert!(holds(&store, trace), "{arguments:?}: the search finds what is there");
        stdout(&store, &[&["remove"], arguments].concat());
        for command in ["pairs", "bitext", "hosts", "keys"] {
            assert!(!listed(&store, command).contains(trace), "{arguments:?}: gone at once");
        }
        stdout(&store, &["--quiet", "run"]);
        assert_same(&store, &answers(&expected), &format!("{arguments:?}"));
        stdout(&store, &["compact"]);
        assert_same(&store, &answers(&expected), &format!("{arguments:?} after compaction"));
        assert!(!holds(&store, trace), "{arguments:?}: it is on disk");
        stdout(&store, &["check"]);
        // And the catalog can still be made again from what is left.
        lose_catalog(&store);
        assert_eq!(told(&store, &["run"]).0, Some(0));
        assert_same(&store, &answers(&expected), &format!("{arguments:?} after a rebuild"));
    }
}

#[test]
fn what_was_removed_can_be_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = archives(folder.path(), None, None);
    let (store, sound) = (folder.path().join("s"), folder.path().join("sound"));
    run_all(&sound, &all);
    run_all(&store, &all);
    stdout(&store, &["remove", "--archive", "first.warc.gz", "--archive", "second.warc.gz"]);
    let summary = stdout(&store, &["run"]);
    assert!(summary.contains("why: the store has no archive\n"), "{summary}");
    let asked = told(&store, &["pairs"]).1;
    assert!(asked.contains("the store has no archive; `diglot run INPUT..."), "{asked}");
    assert_eq!(stdout(&store, &["pairs", "-q"]).lines().count(), 1, "a head alone");
    run_all(&store, &all);
    assert_same(&store, &answers(&sound), "");
}

#[test]
fn a_removed_archive_comes_back_if_it_is_named_and_not_with_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, crawls) = (folder.path().join("s"), folder.path().join("crawls"));
    fs::create_dir(&crawls).expect("room on the disk");
    let all = archives(&crawls, None, None);
    let within = crawls.display().to_string();
    run_all(&store, &all);
    stdout(&store, &["remove", "--archive", "first.warc.gz"]);
    let pattern = format!("{within}/*.gz");
    for input in [&within, &pattern] {
        for arguments in [&["run", "--dry-run", input][..], &["run", input]] {
            let output = diglot(&store).args(arguments).assert().success().output;
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(
                said.contains("first.warc.gz: an archive of this path was removed from the store; give this very path"),
                "{said}"
            );
        }
        let archives = stdout(&store, &["status", "--archives", "--format", "jsonl"]);
        let is_there = |line: &str| line.contains("\"archive\"") && line.contains("first.warc.gz");
        assert!(!archives.lines().any(is_there), "{archives}");
    }
    let read =
        || stdout(&store, &["status"]).lines().find(|line| line.starts_with("total\tarchives")).map(str::to_owned);
    let count = read().expect("a total");
    run_all(&store, &all[..1]);
    assert_ne!(read().expect("a total"), count);
    let told = told(&store, &["run", &within]).1;
    assert!(!told.contains("was removed"), "{told}");
}

#[test]
fn after_a_removal_a_pair_is_known_as_its_pages_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run_all(&store, &archives(folder.path(), None, None));
    let page = |lang: &str, number: usize| format!("http://www.steady.test/{lang}/page{number}.html");
    stdout(&store, &["remove", "--url", &page("fr", 35)]);
    let explain =
        |a: String, b: String| diglot(&store).args(["explain", "--json", &a, &b]).output().expect("it starts");
    let kind = |output: &std::process::Output| {
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        found["pair"]["verdict"]["kind"].as_str().map(str::to_owned)
    };
    let gone = explain(page("en", 35), page("fr", 35));
    assert_eq!((gone.status.code(), kind(&gone).as_deref()), (Some(1), Some("not-both-pages")));
    let said = String::from_utf8_lossy(&gone.stderr).into_owned();
    assert!(said.contains("/fr/page35.html: removed: ") && !said.contains("not known yet"), "{said}");
    let waiting = explain(page("en", 34), page("fr", 34));
    assert_eq!((waiting.status.code(), kind(&waiting).as_deref()), (Some(0), Some("not-indexed")));
}

#[test]
fn a_removal_that_is_given_again_says_that_all_is_removed_already() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let all = archives(folder.path(), None, None);
    run_all(&store, &all);
    let first = all[0].display().to_string();
    let url = "http://www.steady.test/fr/page35.html";
    let cases = [["--host", "www.fleeting.test"], ["--url", url], ["--archive", &first]];
    let already = |name: &str| format!("removed already: {}\n", name.trim_start_matches("http://"));
    for [what, name] in cases {
        let begun = stdout(&store, &["remove", what, name]);
        assert!(begun.starts_with("removed: "), "{begun}");
        let again = || stdout(&store, &["remove", what, name]);
        assert_eq!(again(), already(name));
        stdout(&store, &["--quiet", "run"]);
        assert_eq!(again(), already(name));
    }
    let why = diglot(&store).args(["explain", url]).assert().code(1).output.stdout;
    let why = String::from_utf8_lossy(&why).into_owned();
    assert!(why.contains("  verdict        removed: `diglot remove` took this URL, its host or its domain"), "{why}");
    stdout(&store, &["compact"]);
    let manifest = || fs::read(store.join("manifest.json")).expect("a store");
    let before = manifest();
    for [what, name] in cases {
        assert_eq!(stdout(&store, &["remove", what, name]), already(name));
    }
    assert_eq!(stdout(&store, &["remove", "--archive", "first.warc.gz"]), "removed already: first.warc.gz\n");
    assert_eq!(manifest(), before, "nothing was committed");
    // What is still there goes, beside what is gone.
    let both = stdout(&store, &["remove", "--host", "www.fleeting.test", "--archive", "second.warc.gz"]);
    assert!(both.starts_with("removed already: www.fleeting.test\nremoved: 1 archive, "), "{both}");
    let (code, stderr) =
        failure(diglot(&store).args(["remove", "--host", "www.fleeting.test", "--host", "nobody.test"]));
    assert!(code == 2 && stderr.contains("the store has nothing of nobody.test"), "{code} {stderr}");
}

#[test]
fn a_name_that_the_store_does_not_have_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run(&store, &[&packaging()]);
    for (arguments, said) in [
        (&["--host", "nobody.test"][..], "the store has nothing of nobody.test"),
        (&["--archive", "gone.warc"], "the store has no archive gone.warc"),
        (&["--url", "http://packaging.site.test/none"], "the store has nothing of"),
        (&[], "nothing is named"),
    ] {
        let (code, stderr) = failure(diglot(&store).arg("remove").args(arguments));
        assert!(code == 2 && stderr.contains(said), "{code} {stderr}");
    }
}

#[test]
fn compaction_takes_replaced_results_away_and_changes_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run(&store, &[&webserver(), &packaging()]);
    let expected = answers(&store);
    for preset in ["kit-ng-2007", "default"] {
        stdout(&store, &["run", "--preset", preset, "--no-compact"]);
    }
    assert_same(&store, &expected, "");
    let said = stdout(&store, &["compact"]);
    let freed = said.split_ascii_whitespace().nth(1).expect("a number").replace(',', "");
    let freed: u64 = freed.parse().expect("a number");
    assert!(freed > 50_000, "{said}");
    assert_same(&store, &expected, "");
    assert!(stdout(&store, &["compact"]).starts_with("freed: 0 bytes"));
    stdout(&store, &["-q", "run"]);
    assert_same(&store, &expected, "");
}

#[test]
fn an_old_manifest_loses_nothing_of_a_compacted_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run(&store, &[&packaging()]);
    let manifest = fs::read(store.join("manifest.json")).expect("it is there");
    run(&store, &[&webserver()]);
    let expected = answers(&store);
    stdout(&store, &["compact"]);
    fs::write(store.join("manifest.json"), manifest).expect("room on disk");
    let (code, stderr) = told(&store, &["pairs"]);
    assert!(code == Some(1) && stderr.contains("`diglot check --repair --store "), "{stderr}");
    stdout(&store, &["check", "--repair"]);
    assert_same(&store, &expected, "");
}

/// What a query lists, whatever its exit code.
fn listed(store: &Path, command: &str) -> String {
    let output = diglot(store).arg(command).output().expect("the program starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Cuts a record file to a share of its bytes.
fn cut(store: &Path, kind: &str, share: f64) {
    let path = store.join(kind).join("000000.rec");
    let bytes = fs::read(&path).expect("it is there");
    fs::write(&path, &bytes[..(bytes.len() as f64 * share) as usize]).expect("room on disk");
}

/// Changes one bit of a file, in the byte that `place` finds for its length.
fn flip(path: &Path, place: impl Fn(usize) -> usize) {
    let mut bytes = fs::read(path).expect("it is there");
    let at = place(bytes.len());
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("room on disk");
}

fn full_name(path: &Path) -> String {
    fs::canonicalize(path).expect("it is there").display().to_string()
}

/// What a query says on stderr, and its exit code.
fn told(store: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = diglot(store).args(arguments).output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_store_that_lost_pages_says_so_until_their_archive_is_given_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = archives(folder.path(), None, None);
    let sound = folder.path().join("sound");
    run_all(&sound, &all);
    let expected = answers(&sound);
    let names: Vec<String> = all.iter().map(|path| full_name(path)).collect();
    for (number, (file, share)) in
        [("pages", 0.99), ("pages", 0.2), ("batches", 0.9), ("batches", 0.4)].into_iter().enumerate()
    {
        let store = folder.path().join(format!("s{number}"));
        copy(&sound, &store);
        cut(&store, file, share);
        // Nobody answers as if nothing had happened.
        let (code, stderr) = told(&store, &["pairs"]);
        assert!(code == Some(1) && stderr.contains("were committed"), "{stderr}");
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir_all(&elsewhere).expect("a folder");
        let away: Vec<PathBuf> = all.iter().map(|path| elsewhere.join(path.file_name().expect("a name"))).collect();
        all.iter().zip(&away).for_each(|(from, to)| fs::rename(from, to).expect("one disk"));
        for _ in 0..2 {
            for command in ["run", "pairs", "keys", "hosts", "status", "bitext", "export"] {
                let (code, stderr) = told(&store, &[command]);
                let says = stderr.contains("the store lost ") && stderr.contains(".warc.gz; answers lack them until");
                assert!(code == Some(1) && says, "{file} {command}: {code:?} {stderr}");
            }
        }
        assert!(listed(&store, "status").contains("\nlost\t"));
        // Under any name, by which it is then known.
        run_all(&store, &away);
        // One that lost nothing keeps its name.
        let under = |text: &str| {
            names.iter().zip(&away).fold(text.to_owned(), |text, (name, away)| text.replace(&full_name(away), name))
        };
        assert_same_lines(&under(&answers(&store)), &expected, &format!("{file} {share}"));
        away.iter().zip(&all).for_each(|(from, to)| fs::rename(from, to).expect("one disk"));
    }
}

#[test]
fn what_was_removed_stays_so_after_compaction_and_damage_and_is_not_requested() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = "http://www.steady.test/fr/page35.html";
    let all = archives(folder.path(), None, None);
    let store = folder.path().join("s");
    run_all(&store, &all);
    stdout(&store, &["remove", "--url", url]);
    stdout(&store, &["--quiet", "run"]);
    let expected = answers(&store);
    let requested = || stdout(&store, &["--quiet", "recover", "--min-chance", "0"]);
    assert!(!requested().contains(url), "{}", requested());
    stdout(&store, &["compact"]);
    assert!(!requested().contains(url), "{}", requested());
    for share in [0.9, 0.3] {
        cut(&store, "pages", share);
        run_all(&store, &all);
        assert_same(&store, &expected, "given again");
        assert!(!requested().contains(url), "{}", requested());
        stdout(&store, &["compact"]);
        assert!(!holds(&store, "www.steady.test/fr/page35.html"), "it is on disk");
        assert_same(&store, &expected, "compacted again");
    }
    // What comes with another archive is another capture.
    let mut again = SiteBuilder::default();
    again.page(url.to_owned(), "fr", 35);
    let path = folder.path().join("third.warc.gz");
    again.write(&path);
    run(&store, &[&path]);
    assert!(stdout(&store, &["pairs"]).contains(url));
}

/// Three archives of a host each, read one after the other.
fn three(folder: &Path, store: &Path) -> Vec<PathBuf> {
    let archives: Vec<PathBuf> = ["one", "two", "three"].map(|name| folder.join(format!("{name}.warc.gz"))).to_vec();
    for (path, first) in archives.iter().zip([0, 100, 200]) {
        of_host(path, &format!("www.{}.test", path.file_stem().expect("a name").display()).replace(".warc", ""), first);
        diglot(store).args(["-q", "run"]).arg(path).assert().success();
    }
    archives
}

fn of_host(path: &Path, host: &str, first: usize) {
    let mut site = SiteBuilder::default();
    for number in first..first + 20 {
        for lang in ["en", "fr"] {
            site.page(format!("http://{host}/{lang}/page{number}.html"), lang, number);
        }
    }
    site.write(path);
}

/// Loses the catalog and the token index.
fn lose_catalog(store: &Path) {
    ["tokens", "view"].iter().for_each(|name| fs::remove_dir_all(store.join(name)).expect("it is there"));
}

fn hosts(store: &Path) -> Vec<String> {
    let listed = listed(store, "hosts");
    let mut hosts: Vec<String> =
        listed.lines().skip(1).filter_map(|line| line.split('\t').next()).map(str::to_owned).collect();
    hosts.sort();
    hosts
}

/// The bytes of all record files.
fn records(store: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(store).expect("a folder").flatten().map(|entry| entry.path().join("000000.rec"));
    let mut records: Vec<_> = files.filter_map(|path| fs::read(&path).ok().map(|bytes| (path, bytes))).collect();
    records.sort();
    records
}

#[test]
fn hosts_with_a_token_are_the_same_with_and_without_the_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    three(folder.path(), &store);
    let all = hosts(&store);
    let with = |text: &str| stdout(&store, &["hosts", "--with-token", text, "--format", "tsv"]);
    let rows = |text: &str| with(text).lines().count() - 1;
    let texts = ["fr", "page1", "two", "none", "fr/page1.html"];
    assert_eq!((all.len(), texts.map(rows)), (3, [3, 1, 1, 0, 0]));
    let expected = texts.map(with);
    let writer = Store::open(&store, Access::Write).expect("nobody else has it");
    assert_eq!(texts.map(with), expected, "beside a writer");
    drop(writer);
    assert_eq!(texts.map(with), expected);
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    assert_eq!(texts.map(with), expected, "without the index");
    assert!(!store.join("tokens").exists(), "a query makes none");
}

/// What is done to the token index of a store.
type Harm = fn(&Path);

#[test]
fn a_store_that_lost_its_token_index_answers_the_same_and_makes_that_alone_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let sound = at("sound");
    three(folder.path(), &sound);
    stdout(&sound, &["remove", "--host", "two.test"]);
    stdout(&sound, &["-q", "run"]);
    let expected = answers(&sound);
    let tokens = |store: &Path| {
        let listed = listed(store, "check");
        let line = listed.lines().find(|line| line.contains("\ttokens\t")).expect("a line");
        line.to_owned()
    };
    let blocks = tokens(&sound);
    assert!(blocks.starts_with("sound\ttokens\t"), "{blocks}");
    let harms: [(&str, Harm); 4] = [
        ("lost", |store| fs::remove_dir_all(store.join("tokens")).expect("it is there")),
        ("empty", |store| fs::remove_file(store.join("tokens/db")).expect("it is there")),
        ("cut", |store| {
            let file = fs::OpenOptions::new().write(true).open(store.join("tokens/db")).expect("it is there");
            file.set_len(1000).expect("a disk");
        }),
        ("torn", |store| fs::write(store.join("tokens/conf"), "no configuration").expect("room on disk")),
    ];
    for (name, harm) in harms {
        let store = at(name);
        copy(&sound, &store);
        harm(&store);
        assert_same(&store, &expected, "queries need no token index");
        assert!(tokens(&store).starts_with("not looked at\ttokens\t"), "{name}");
        let (code, stderr) = told(&store, &["run"]);
        assert!(code == Some(0) && !stderr.contains("made again"), "{name}: {stderr}");
        assert_same(&store, &expected, name);
        assert!(
            records(&store).into_iter().map(|(_, bytes)| bytes).eq(records(&sound).into_iter().map(|(_, bytes)| bytes)),
            "{name}: results were made again"
        );
        assert_eq!(tokens(&store), blocks, "{name}");
    }
}

#[test]
fn a_token_index_of_an_earlier_commit_is_made_again_and_results_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let archives = three(folder.path(), &store);
    let early = folder.path().join("early");
    copy(&store.join("tokens"), &early);
    let more = folder.path().join("more.warc.gz");
    of_host(&more, "www.four.test", 300);
    run(&store, &[&more]);
    let (expected, sound) = (answers(&store), records(&store));
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    copy(&early, &store.join("tokens"));
    let told = stdout(&store, &["check"]);
    assert!(told.contains("is of another state of the store; the next run makes it again"), "{told}");
    diglot(&store).args(["check", "--repair"]).assert().success();
    assert!(records(&store) == sound);
    run_all(&store, &archives);
    assert_same(&store, &expected, "repaired");
    assert!(records(&store) == sound);
}

#[test]
fn a_store_of_reviewers_without_a_manifest_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run(&store, &[&packaging()]);
    let expected = answers(&store);
    fs::create_dir(store.join("review")).expect("a folder");
    fs::write(store.join("review/marks.jsonl"), "").expect("room on disk");
    fs::remove_file(store.join("manifest.json")).expect("it is there");
    let (code, stderr) = told(&store, &["pairs"]);
    let advice = format!("`diglot run --store {}` makes it again", store.display());
    assert!(code == Some(1) && stderr.contains(&advice), "{stderr}");
    diglot(&store).args(["-q", "run"]).assert().success();
    assert_same(&store, &expected, "as told");
}

#[test]
fn archives_keep_their_numbers_when_the_catalog_is_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let archives = three(folder.path(), &store);
    stdout(&store, &["remove", "--archive", "one.warc.gz"]);
    stdout(&store, &["-q", "run"]);
    lose_catalog(&store);
    diglot(&store).args(["-q", "run"]).assert().success();
    assert_eq!(hosts(&store), ["www.three.test", "www.two.test"]);
    stdout(&store, &["remove", "--archive", "three.warc.gz"]);
    stdout(&store, &["-q", "run"]);
    assert_eq!(hosts(&store), ["www.two.test"]);
    // Nor is the number of the last one given to another.
    lose_catalog(&store);
    diglot(&store).args(["-q", "run"]).arg(&archives[0]).assert().success();
    assert_eq!(hosts(&store), ["www.one.test", "www.two.test"]);
    stdout(&store, &["check"]);
}

#[test]
fn what_came_after_a_removal_stays_when_the_catalog_is_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    three(folder.path(), &store);
    stdout(&store, &["remove", "--host", "two.test"]);
    stdout(&store, &["-q", "run"]);
    let again = folder.path().join("again.warc.gz");
    of_host(&again, "www.two.test", 500);
    run(&store, &[&again]);
    let expected = answers(&store);
    assert!(expected.contains("page500.html") && !expected.contains("page100.html"));
    for compacted in [false, true] {
        if compacted {
            stdout(&store, &["compact"]);
        }
        lose_catalog(&store);
        diglot(&store).args(["-q", "run"]).assert().success();
        assert_same(&store, &expected, "after a rebuild");
    }
}

#[test]
fn no_place_is_given_twice_where_the_end_of_a_file_was_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let archives = three(folder.path(), &store);
    for kind in ["batches", "pages"] {
        stdout(&store, &["remove", "--archive", "three.warc.gz"]);
        stdout(&store, &["-q", "run"]);
        cut(&store, kind, 0.99);
        diglot(&store).args(["-q", "run"]).args(&archives).assert().success();
        assert_eq!(hosts(&store), ["www.one.test", "www.three.test", "www.two.test"], "{kind}");
        assert_eq!(stdout(&store, &["pairs"]).lines().count(), 61, "{kind}");
        stdout(&store, &["compact"]);
        stdout(&store, &["check"]);
        lose_catalog(&store);
        diglot(&store).args(["-q", "run"]).assert().success();
        assert_eq!(stdout(&store, &["pairs"]).lines().count(), 61, "{kind}");
    }
}

#[test]
fn compaction_hides_no_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let archives = three(folder.path(), &store);
    for kind in ["bitexts", "sites", "pages"] {
        stdout(&store, &["run", "--preset", "kit-ng-2007", "--no-compact", "-q"]);
        stdout(&store, &["run", "--preset", "default", "--no-compact", "-q"]);
        let expected = answers(&store);
        flip(&store.join(kind).join("000000.rec"), |length| length - 40);
        // It may refuse, or leave it where it is.
        let _ = diglot(&store).arg("compact").output().expect("the program starts");
        let (code, _) = told(&store, &["check"]);
        assert_eq!(code, Some(1), "{kind}");
        let _ = diglot(&store).args(["check", "--repair"]).output().expect("the program starts");
        diglot(&store).args(["-q", "run"]).args(&archives).assert().success();
        assert_same(&store, &expected, kind);
        stdout(&store, &["check"]);
    }
}

#[test]
fn a_damaged_header_of_a_segment_is_found_and_costs_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    three(folder.path(), &store);
    let expected = answers(&store);
    for kind in ["pages", "batches", "results", "bitexts"] {
        flip(&store.join(kind).join("000000.rec"), |_| 30);
        assert_eq!(told(&store, &["check"]).0, Some(1), "{kind}");
        let (code, stderr) = told(&store, &["check", "--repair"]);
        assert!(code == Some(0) && !stderr.contains("lost"), "{kind}: {stderr}");
        diglot(&store).args(["-q", "run"]).assert().success();
        assert_same(&store, &expected, kind);
        stdout(&store, &["check"]);
    }
}

#[test]
fn what_a_damaged_view_held_is_made_again_by_what_the_message_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    three(folder.path(), &store);
    let expected = answers(&store);
    let largest = || {
        let runs = fs::read_dir(store.join("view")).expect("a folder").flatten().map(|entry| entry.path());
        runs.max_by_key(|path| fs::metadata(path).map_or(0, |metadata| metadata.len())).expect("a run")
    };
    for is_gone in [false, true] {
        if is_gone {
            fs::remove_file(largest()).expect("it is there")
        } else {
            flip(&largest(), |length| length / 4)
        }
        let (code, stderr) = told(&store, &["pairs"]);
        assert!(code == Some(1) && stderr.contains("`diglot check --repair --store "), "{stderr}");
        let (code, stderr) = told(&store, &["check", "--repair"]);
        assert!(code == Some(0) && stderr.contains("was made again of the rest; `diglot run"), "{stderr}");
        stdout(&store, &["-q", "run"]);
        assert_same(&store, &expected, "");
    }
}

#[test]
fn losses_can_be_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = archives(folder.path(), None, None);
    let store = folder.path().join("s");
    run_all(&store, &all);
    cut(&store, "pages", 0.5);
    all.iter().for_each(|path| fs::remove_file(path).expect("it is there"));
    assert_eq!(told(&store, &["run"]).0, Some(1));
    stdout(&store, &["remove", "--lost"]);
    stdout(&store, &["pairs"]);
}
