//! A bad environment stops a run with one clear line and loses nothing; bad archives do not stop it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use diglot::query::Scope;
use diglot::store::FORMAT_VERSION;
use diglot::store::{Access, Store};

use crate::extent::extent;
use crate::resume::copy;
use crate::support::{Held, diglot, failure, rows, run, sample_store, stdout, tiny_site, webserver};

/// A store of the tiny site, in a folder of its own.
fn tiny_store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("tiny.warc"), folder.path().join("s"));
    tiny_site(&archive);
    run(&store, &[&archive]);
    (folder, store)
}

/// Every file below a folder, with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
        } else {
            files.insert(path.clone(), fs::read(&path).expect("a file"));
        }
    }
    files
}

#[test]
fn a_store_of_another_version_is_left_alone() {
    let (folder, store) = tiny_store();
    let manifest = store.join("manifest.json");
    let sound = fs::read_to_string(&manifest).expect("a manifest");
    let mut value: serde_json::Value = serde_json::from_str(&sound).expect("JSON");
    for (format, advice) in [
        (99, "use a newer release"),
        (4, "make another one of its archives with `diglot run ARCHIVE... --store NEW`, then delete this one"),
    ] {
        value["format"] = format.into();
        fs::write(&manifest, value.to_string()).expect("room on the disk");
        let before = contents(&store);
        for arguments in [vec!["pairs"], vec!["status"], vec!["run"], vec!["keys"], vec!["export"]] {
            let (code, stderr) = failure(diglot(&store).args(&arguments));
            assert_eq!(code, 1, "{stderr}");
            let expected = format!("written in format {format}, this program reads {FORMAT_VERSION}; {advice}");
            assert!(stderr.contains(&expected) && stderr.contains(&store.display().to_string()), "{stderr}");
        }
        assert!(contents(&store) == before, "the store was changed");
    }
    // Without a manifest, the record files tell.
    fs::remove_file(&manifest).expect("it is there");
    let batches = store.join("batches/000000.rec");
    let bytes = fs::read(&batches).expect("they are there");
    let mut header = bytes[..60].to_vec();
    header[8..12].copy_from_slice(&12u32.to_le_bytes());
    header.extend(crc32c::crc32c(&header).to_le_bytes());
    fs::write(&batches, [&header[..], &bytes[64..]].concat()).expect("room on the disk");
    // It may have files that this version does not know.
    fs::create_dir(store.join("catalog")).expect("room on the disk");
    let before = contents(&store);
    let (code, stderr) = failure(diglot(&store).arg("run").arg(folder.path().join("tiny.warc")));
    assert!(code == 1 && stderr.contains("written in format 12, this program reads"), "{stderr}");
    assert!(contents(&store) == before, "the store was changed");
    fs::remove_dir(store.join("catalog")).expect("it is there");
    fs::write(&batches, &bytes).expect("room on the disk");
    fs::write(&manifest, &sound).expect("room on the disk");
    assert_eq!(rows(&store, &["pairs"]).len(), 5);

    // Not by a release, but by hand: told apart, and the way out works.
    fs::write(&manifest, sound.replacen("\"commit\": ", "\"commit\": 1", 1)).expect("room on the disk");
    let (code, stderr) = failure(diglot(&store).arg("pairs"));
    assert!(code == 1 && stderr.contains("manifest.json is damaged (its checksum does not fit)"), "{stderr}");
    assert!(stderr.contains("delete that file and run again"), "{stderr}");
    fs::remove_file(&manifest).expect("it is there");
    // Compaction and a run were killed.
    fs::create_dir(store.join("tokens.new")).expect("room on the disk");
    fs::write(store.join("progress.new"), "").expect("room on the disk");
    run(&store, &[&folder.path().join("tiny.warc")]);
    assert_eq!(rows(&store, &["pairs"]).len(), 5);
}

/// What a store lists.
fn answers(store: &Path) -> Vec<String> {
    [&["pairs"][..], &["keys"], &["hosts"], &["bitext"]].iter().map(|arguments| stdout(store, arguments)).collect()
}

#[test]
fn a_file_that_lies_in_the_place_of_another_is_told_and_mended() {
    let (folder, sound) = tiny_store();
    let archive = folder.path().join("tiny.warc");
    let expected = answers(&sound);
    let kinds = [
        "pages", "batches", "sites", "results", "skips", "graphs", "verified", "resolved", "learnt", "bitexts",
        "models", "requests", "removals",
    ];
    let file = |store: &Path, kind: &str| store.join(kind).join("000000.rec");
    // Each kind in the place of the next and of the one after the next: pairs of one layout are among them.
    let swaps = (1..3).flat_map(|step| (0..kinds.len()).map(move |at| (kinds[at], kinds[(at + step) % kinds.len()])));
    let longest = kinds.into_iter().max_by_key(|kind| fs::metadata(file(&sound, kind)).map_or(0, |file| file.len()));
    let of_longest = kinds.into_iter().filter_map(|to| Some((longest?, to))).filter(|(from, to)| from != to);
    for (at, (from, to)) in swaps.chain(of_longest).enumerate().step_by(extent(3, 1)) {
        let store = folder.path().join(format!("{from}-{to}-{at}"));
        copy(&sound, &store);
        fs::copy(file(&sound, from), file(&store, to)).expect("room on the disk");
        let output = diglot(&store).arg("pairs").output().expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr);
        // A file of which nothing was committed is not looked at.
        let is_told = told.contains(&format!("{to}/000000.rec")) && told.contains("`diglot run --store ");
        let is_empty = fs::metadata(file(&sound, to)).is_ok_and(|file| file.len() == 64);
        assert!(is_told || (is_empty && told.is_empty()), "{from} as {to}: {told}");
        if at % 2 == 0 {
            let repaired = diglot(&store).args(["check", "--repair"]).output().expect("it starts");
            let told = String::from_utf8_lossy(&repaired.stderr);
            assert!(repaired.status.success() || told.contains("the store lost "), "{from} as {to}: {told}");
        }
        run(&store, &[&archive]);
        assert_eq!(answers(&store), expected, "{from} as {to}");
        diglot(&store).arg("check").assert().success();
        fs::remove_dir_all(&store).expect("it is ours");
    }
}

#[test]
fn a_file_whose_end_is_damaged_is_told_and_mended() {
    let (folder, sound) = tiny_store();
    let archive = folder.path().join("tiny.warc");
    let expected = answers(&sound);
    let files = contents(&sound)
        .into_iter()
        .filter(|(path, bytes)| path.extension().is_some_and(|ending| ending == "rec") && bytes.len() > 64);
    let cases = files.flat_map(|(path, bytes)| [16, 40].map(|lost| (path.clone(), bytes.clone(), lost)));
    for (path, mut bytes, lost) in cases.step_by(extent(3, 1)) {
        let name = path.strip_prefix(&sound).expect("it lies there");
        let store = folder.path().join("damaged");
        copy(&sound, &store);
        let end = bytes.len() - lost..;
        bytes[end].fill(0xa5);
        fs::write(store.join(name), bytes).expect("room on the disk");
        let (code, told) = failure(diglot(&store).arg("pairs"));
        assert!(code == 1 && told.contains(&format!("{}: its end is damaged", name.display())), "{told}");
        let output = diglot(&store).args(["run", "-q"]).output().expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr);
        // What ends a commit holds nothing; of what stands before, sources cannot be made again without their archives.
        assert!(output.status.success() || lost > 16 && told.contains("the store lost "), "{name:?}, {lost}: {told}");
        run(&store, &[&archive]);
        assert_eq!(answers(&store), expected, "{name:?}, {lost}");
        diglot(&store).arg("check").assert().success();
        fs::remove_dir_all(&store).expect("it is ours");
    }
}

#[test]
fn readers_answer_from_the_last_commit_beside_a_writer() {
    let (folder, store) = tiny_store();
    let archive = folder.path().join("tiny.warc");
    let input = archive.display().to_string();
    let expected = stdout(&store, &["pairs"]);
    let writer = Store::open(&store, Access::Write).expect("nobody else has it");
    for _ in 0..3 {
        assert_eq!(stdout(&store, &["pairs"]), expected);
    }
    let (code, stderr) = failure(diglot(&store).args(["run", &input]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.ends_with("another process writes it; wait until that ends (queries need not wait)\n"), "{stderr}");
    drop(writer);
    // What a reader has opened it keeps, whatever is written.
    let reader = Store::open(&store, Access::Read).expect("there is a store");
    run(&store, &[&archive]);
    Scope::of(&reader, "tiny.test").expect("it is there");
}

#[test]
fn queries_need_no_right_to_write() {
    let (_folder, store) = tiny_store();
    let expected = stdout(&store, &["pairs"]);
    let before = contents(&store);
    for command in ["pairs", "keys", "hosts", "status", "bitext", "export"] {
        stdout(&store, &[command]);
    }
    assert!(contents(&store) == before, "a query wrote");
    assert_eq!(stdout(&store, &["pairs"]), expected);
}

#[test]
fn readers_do_not_shut_one_another_out() {
    let (_folder, store) = tiny_store();
    // One that holds the store for long, as a listing does whose reader is slow.
    let long = Store::open(&store, Access::Read).expect("nobody else has it");
    let expected = stdout(&store, &["pairs"]);
    let spawn =
        || diglot(&store).arg("pairs").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let readers: Vec<_> = (0..4).map(|_| spawn()).collect();
    // And what it asks for meanwhile is answered.
    assert_eq!(long.site_count().expect("readable"), 1);
    for reader in readers {
        let output = reader.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
    Scope::of(&long, "tiny.test").expect("it is there");
}

#[test]
fn inputs_that_are_no_archives_are_told_before_work_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("notes.txt"), "These are notes, not an archive.\n").expect("room on the disk");
    fs::write(at("empty.warc.gz"), "").expect("room on the disk");
    fs::create_dir_all(at("photos/2024")).expect("a folder");
    fs::write(at("photos/2024/list.txt"), "none").expect("room on the disk");
    fs::write(at("bad.gz"), [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).expect("room on the disk");
    fs::write(at("inputs.txt"), "notes.txt\n").expect("room on the disk");
    let list = format!("@{}", at("inputs.txt").display());
    let pattern = at("*.nothing").display().to_string();
    let path = |name: &str| at(name).display().to_string();
    let cases = [
        (path("gone.warc"), "gone.warc: no such file or folder"),
        (path("notes.txt"), "notes.txt: found a file that begins with \"These are notes, not an \", which is none of"),
        (path("empty.warc.gz"), "empty.warc.gz: found an empty file, which is none of"),
        (path("bad.gz"), "bad.gz: found Gzip data that cannot be decompressed or is empty, which is none of"),
        (path("photos"), "photos: the folder holds neither an archive nor pages"),
        (list, "notes.txt: found a file that begins with"),
        (pattern, "no such file or folder, and nothing matches it as a pattern"),
        ("@gone.txt".to_owned(), "@gone.txt: no such list"),
    ];
    let store = at("s");
    for (input, message) in cases {
        for command in ["run", "ingest"] {
            // After a sound input: nothing is read when one of them is wrong.
            let (code, stderr) = failure(diglot(&store).arg(command).arg(webserver()).arg(&input));
            assert!(code == 1 && stderr.contains(message), "{code} {stderr}");
            assert!(!store.exists(), "{input}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_archive_that_cannot_be_read_is_named_with_the_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    // The system lets this file be opened, and fails to read its first byte.
    let (code, stderr) = failure(diglot(&store).args(["run", "/proc/self/mem"]));
    assert!(code == 1 && stderr.contains("/proc/self/mem: reading failed: "), "{stderr}");

    // A file that nobody may read, root neither.
    let (code, stderr) = failure(diglot(&store).args(["run", "/proc/sys/vm/drop_caches"]));
    assert!(code == 1 && stderr.contains("drop_caches: reading failed: Permission denied"), "{stderr}");
}

#[test]
fn a_place_that_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, other) = (folder.path().join("file"), folder.path().join("other"));
    fs::write(&file, "mine").expect("room on the disk");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("thesis.tex"), "mine too").expect("room on the disk");
    let before = contents(folder.path());
    let input = webserver().display().to_string();
    for (store, message) in [(&file, "not a folder"), (&other, "holds thesis.tex and is no store")] {
        let (code, stderr) = failure(diglot(store).args(["run", &input]));
        assert!(code == 1 && stderr.contains(message), "{stderr}");
        let (code, stderr) = failure(diglot(store).arg("pairs"));
        assert!(code == 1 && stderr.contains("there is no store here"), "{stderr}");
    }
    let (code, stderr) = failure(diglot(&file.join("below")).args(["run", &input]));
    assert!(code == 1 && stderr.contains("file/below"), "{stderr}");
    assert!(contents(folder.path()) == before, "something was changed");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_told() {
    let store = sample_store();
    let (code, stderr) = failure(diglot(store).args(["export", "-o", "/dev/full"]));
    assert!(code == 1 && stderr.contains("/dev/full: writing failed: No space left on device"), "{stderr}");
    let page = "http://webserver.site.test/manual/en/mpm.html";
    for arguments in [vec!["pairs"], vec!["keys"], vec!["status"], vec!["hosts"], vec!["export"], vec!["explain", page]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let output = diglot(store).args(&arguments).stdout(full).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(
            stderr.starts_with("diglot: ") && stderr.contains("No space left on device"),
            "{arguments:?}: {stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

/// Puts a part of a store in the place of another store's: a file, or a folder with all that is in it.
fn put_part(from: &Path, to: &Path, part: &str) {
    let (from, to) = (from.join(part), to.join(part));
    if from.is_file() {
        fs::copy(from, to).expect("room on the disk");
    } else {
        let _ = fs::remove_dir_all(&to);
        copy(&from, &to);
    }
}

#[test]
fn a_store_whose_parts_are_of_several_states_answers_as_one_of_them_or_tells() {
    let (folder, before) = tiny_store();
    let state = |name: &str| folder.path().join(name);
    let archive = folder.path().join("tiny.warc");
    // Two stores that went on from one, as after a copy was put back.
    let states: Vec<PathBuf> = [("one", "keys"), ("other", "content")]
        .map(|(name, without)| {
            copy(&before, &state(name));
            diglot(&state(name)).args(["run", "--no-compact", "--without", without]).arg(&archive).assert().success();
            state(name)
        })
        .into_iter()
        .chain([before.clone()])
        .collect();
    let expected: Vec<Vec<String>> = states.iter().map(|state| answers(state)).collect();
    let parts: Vec<String> = fs::read_dir(&before)
        .expect("it is there")
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        // There are no scores in it.
        .filter(|name| !["lock", "tmp", "review", "scores"].contains(&name.as_str()))
        .collect();
    let (mut dice, mut refused) = (7u64, 0);
    let mut roll = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % sides
    };
    let store = state("mixed");
    for round in 0..extent(20, 60) {
        let _ = fs::remove_dir_all(&store);
        let whole = roll(3);
        copy(&states[whole], &store);
        let other = (whole + 1 + roll(2)) % 3;
        // One part of another state, and then more of them.
        for _ in 0..=round % 4 {
            put_part(&states[other], &store, &parts[roll(parts.len())]);
        }
        let mut told = String::new();
        let found: Vec<Option<String>> = [&["pairs"][..], &["keys"], &["hosts"], &["bitext"]]
            .iter()
            .map(|arguments| {
                let output = diglot(&store).args(*arguments).output().expect("it starts");
                told.push_str(&String::from_utf8_lossy(&output.stderr));
                output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
            })
            .collect();
        let is_of = |state: &Vec<String>| found.iter().zip(state).all(|(a, b)| a.as_ref().is_none_or(|a| a == b));
        assert!(expected.iter().any(is_of), "round {round}: {found:?}\n{told}");
        if found.iter().any(Option::is_none) {
            refused += 1;
            assert!(told.contains(&store.display().to_string()), "round {round}: {told}");
        }
        // Who goes on writes no state that never was.
        if diglot(&store).args(["run", "-q", "--no-compact"]).output().expect("it starts").status.success() {
            let after = answers(&store);
            assert!(expected.contains(&after), "round {round}: {after:?}");
        }
    }
    assert!(refused > extent(5, 20), "{refused}");
}

#[test]
fn a_file_of_a_later_compacted_state_is_told_and_mended() {
    let (folder, before) = tiny_store();
    let archive = folder.path().join("tiny.warc");
    let expected = answers(&before);
    let after = folder.path().join("after");
    copy(&before, &after);
    let url = rows(&before, &["pairs"])[0]["url_a"].as_str().expect("a URL").to_owned();
    diglot(&after).args(["remove", "--url", &url]).assert().success();
    diglot(&after).arg("run").assert().success();
    diglot(&after).arg("compact").assert().success();
    let store = folder.path().join("mixed");
    let kinds = fs::read_dir(&before).expect("a folder").flatten().map(|entry| entry.file_name());
    let kinds = kinds.filter(|name| before.join(name).join("000000.rec").exists());
    let mut failed = 0;
    for kind in kinds {
        let file = Path::new(&kind).join("000000.rec");
        if fs::read(before.join(&file)).expect("it is there") == fs::read(after.join(&file)).expect("it is there") {
            continue;
        }
        let _ = fs::remove_dir_all(&store);
        copy(&before, &store);
        fs::copy(after.join(&file), store.join(&file)).expect("room on the disk");
        let query = |arguments: &[&str]| diglot(&store).args(arguments).output().expect("it starts");
        let mut found = [&["pairs"][..], &["keys"], &["hosts"], &["bitext"]].map(query).to_vec();
        for (found, expected) in found.iter().zip(&expected) {
            assert!(!found.status.success() || String::from_utf8_lossy(&found.stdout) == *expected, "{kind:?}");
        }
        found.push(query(&["explain", &url]));
        let has_failed = found.iter().any(|found| !found.status.success());
        failed += u32::from(has_failed);
        let check = query(&["check"]);
        assert!(!has_failed || !check.status.success(), "{kind:?}: {}", String::from_utf8_lossy(&check.stdout));
        query(&["check", "--repair"]);
        run(&store, &[&archive]);
        assert_eq!(answers(&store), expected, "{kind:?}");
        diglot(&store).arg("check").assert().success();
    }
    assert!(failed > 4, "{failed}");
    // The token index alone is of the later state: it is made again.
    let _ = fs::remove_dir_all(&store);
    copy(&before, &store);
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    let later = fs::read_dir(&after).expect("a folder").flatten().map(|entry| entry.path());
    let later = later.filter(|path| path.join("db").exists()).max().expect("an index");
    copy(&later, &store.join("tokens"));
    let check = diglot(&store).arg("check").output().expect("it starts");
    let told = String::from_utf8_lossy(&check.stdout);
    assert!(check.status.success() && told.contains("is of another state of the store; the next run"), "{check:?}");
    assert!(!Store::open(&store, Access::Write).expect("it is sound").was_rebuilt);
    assert_eq!(answers(&store), expected);
    // The manifest alone is of an earlier store: record files and view agree on the later one.
    let _ = fs::remove_dir_all(&after);
    run(&after, &[&webserver(), &archive]);
    let expected = answers(&after);
    for mend in [&["run", "-q"][..], &["check", "--repair"]] {
        let _ = fs::remove_dir_all(&store);
        copy(&after, &store);
        fs::copy(before.join("manifest.json"), store.join("manifest.json")).expect("room on the disk");
        let query = diglot(&store).arg("pairs").output().expect("it starts");
        let told = String::from_utf8_lossy(&query.stderr);
        assert!(told.contains("goes on where manifest.json alone is older"), "{told}");
        diglot(&store).args(mend).assert().success();
        assert_eq!(answers(&store), expected, "{mend:?}");
        diglot(&store).arg("check").assert().success();
    }
}

#[test]
fn what_is_checked_is_left_as_it_was() {
    let (_folder, store) = tiny_store();
    diglot(&store).arg("check").assert().success();
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    let before = contents(&store);
    let told = stdout(&store, &["check"]);
    assert!(told.contains("not looked at\ttokens\t-\tis missing; the next run makes it again"), "{told}");
    assert!(contents(&store) == before);
}

#[cfg(unix)]
#[test]
fn a_store_whose_files_are_taken_away_under_a_writer_is_not_committed() {
    let (folder, store) = tiny_store();
    let before = stdout(&store, &["pairs"]);
    for (name, is_replaced) in [("pages/000000.rec", false), ("verified/000000.rec", true), ("lock", false)] {
        let (path, away) = (store.join(name), folder.path().join("away"));
        let mut writer = Store::open(&store, Access::Write).expect("nobody else has it");
        fs::rename(&path, &away).expect("a disk");
        if is_replaced {
            fs::copy(&away, &path).expect("room on the disk");
        }
        let settings = writer.settings().clone();
        let told = writer.keep_settings(settings).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains(name) && told.contains("another program has removed it"), "{told}");
        drop(writer);
        fs::rename(&away, &path).expect("a disk");
        assert_eq!(stdout(&store, &["pairs"]), before, "{name}");
    }
}
