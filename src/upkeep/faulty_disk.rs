//! Tests with a disk that fails at any step: nothing is committed after the failure, and what was committed before is whole.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::extent::extent;
use crate::pipeline::run_all;
use crate::query::{self, Scope};
use crate::store::catalog::Changes;
use crate::store::faults::{self, Failure};
use crate::store::layout::StageRecord;
use crate::store::{Access, Loss, Store};
use crate::types::SiteId;

const SITE: &str = "data/sites/packaging";

fn run(folder: &Path) -> crate::error::Result<()> {
    let mut store = Store::open(folder, Access::Write)?;
    run_all(&mut store, &[], &[SITE])?;
    store.compact(&()).map(drop)
}

fn answers(store: &Store) -> Vec<String> {
    let pairs = query::pairs(store, &Config::default(), &Scope::all()).expect("a whole store");
    let totals = query::totals(store).expect("a whole store");
    let pairs = pairs.iter().map(|pair| format!("{} {} {}", pair.url_a, pair.url_b, pair.score));
    pairs.chain([format!("packaging {totals:?}")]).collect()
}

#[test]
fn what_a_finished_command_made_has_durable_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = folder.path().join("new/deep/s.store");
    faults::watch(folder.path());
    let expect_durable = |what: &str| {
        // The lock and temporary files do not matter, and the token index is made again where it is lost.
        let nothing =
            |path: &Path| path.ends_with("lock") || path.ends_with("tmp") || path.starts_with(store.join("tokens"));
        let mut missing = faults::unsynced(folder.path());
        missing.retain(|path| !nothing(path));
        assert!(missing.is_empty(), "{what}: {missing:?}");
    };
    let open = || Store::open(&store, Access::Write).expect("nobody else has it");
    open().keep_settings(Default::default()).expect("room on disk");
    expect_durable("the first commit");
    run_all(&mut open(), &[], &[SITE]).expect("room on disk");
    expect_durable("a run");
    open().compact(&()).expect("room on disk");
    expect_durable("compaction");
    for lost in ["tokens", "view", "pages", "manifest.json"] {
        let at = |name: &str| {
            std::fs::read_dir(&store)
                .expect("a folder")
                .flatten()
                .map(|entry| entry.path())
                .find(|path| path.file_name().is_some_and(|found| found.to_string_lossy().starts_with(name)))
        };
        let path = at(lost).expect("it is there");
        if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) }.expect("it is ours");
        run_all(&mut open(), &[], &[SITE]).expect("room on disk");
        expect_durable(lost);
    }
}

#[test]
fn a_disk_that_fails_at_any_step_leaves_a_whole_store() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sound = folder.path().join("sound");
    let steps = |failure| {
        faults::plan(&sound, u64::MAX, failure);
        run(&sound).expect("nothing fails");
        let steps = faults::end(&sound).0;
        let answers = answers(&Store::open(&sound, Access::Read).expect("it is there"));
        std::fs::remove_dir_all(&sound).expect("it is there");
        (steps, answers)
    };
    let ((all, expected), (maps, _)) = (steps(Failure::Full), steps(Failure::NoMap));
    assert!(all > 300 && maps > 8, "{all} steps, {maps} maps");
    assert!(expected.len() > 10);
    // How many steps to go on between one failing step and the next, for files and for maps.
    let [stride, map_stride] = extent([59, 11], [3, 1]);
    let failures = [Failure::Full, Failure::Broken, Failure::Short];
    let tried = (0..all).step_by(stride).zip(failures.into_iter().cycle());
    for (nth, failure) in tried.chain((0..maps).step_by(map_stride).map(|nth| (nth, Failure::NoMap))) {
        let store = folder.path().join("s");
        faults::plan(&store, nth, failure);
        let outcome = run(&store);
        let (_, failed) = faults::end(&store);
        let what = format!("step {nth}, {failure:?}: {failed:?}");
        assert!(failed.is_some(), "{what}");
        // Steps that only tidy up may fail.
        if let Err(error) = outcome {
            assert!(!error.to_string().contains("damaged"), "{what}: {error}");
        }
        if store.join("manifest.json").exists() {
            let read = Store::open(&store, Access::Read).expect(&what);
            assert!(read.check(&()).expect(&what).damage.is_none(), "{what}");
            let found = answers(&read);
            assert!(found.is_empty() || found.iter().all(|pair| pair.contains("packaging")), "{what}");
        }
        let again = Store::open(&store, Access::Write).expect(&what);
        assert!(!again.was_rebuilt, "{what}");
        drop(again);
        run(&store).expect(&what);
        assert_eq!(answers(&Store::open(&store, Access::Read).expect(&what)), expected, "{what}");
        std::fs::remove_dir_all(&store).expect("it is there");
    }
}

/// A way to damage the pages of a store: its name, the damage, and whether pages are lost by it.
type Harm = (&'static str, fn(&Path), bool);

const HARMS: [Harm; 5] = [
    ("the last seal", |pages| change(&last(pages), |length| length - 3), false),
    (
        "the seal of a segment that is not the last",
        |pages| change(&pages.join("000000.rec"), |length| length - 3),
        false,
    ),
    (
        "a page, and the last seal",
        |pages| {
            change(&pages.join("000000.rec"), |length| length / 2);
            change(&last(pages), |length| length - 3);
        },
        true,
    ),
    ("a segment that is cut within its last page", |pages| cut(&pages.join("000000.rec"), 48), true),
    ("a segment that is cut within its seal", |pages| cut(&pages.join("000000.rec"), 8), false),
];

fn last(pages: &Path) -> PathBuf {
    let segments = fs::read_dir(pages).expect("a folder").flatten().map(|entry| entry.path());
    segments.max().expect("it has pages")
}

fn change(path: &Path, at: fn(u64) -> u64) {
    let file = OpenOptions::new().read(true).write(true).open(path).expect("it is there");
    let at = at(file.metadata().expect("it is there").len());
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).expect("it is as long");
    file.write_all_at(&[byte[0] ^ 1], at).expect("room on disk");
}

fn cut(path: &Path, bytes: u64) {
    let file = OpenOptions::new().write(true).open(path).expect("it is there");
    file.set_len(file.metadata().expect("it is there").len() - bytes).expect("a disk");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("room on disk");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("room on disk");
        }
    }
}

/// Makes a store of the site, and closes it.
fn make(folder: &Path) {
    run_all(&mut Store::open(folder, Access::Write).expect("a new store"), &[], &[SITE]).expect("room on disk");
    wait_for_sled(folder);
}

/// Waits for sled, which releases its files a moment after it is closed.
fn wait_for_sled(store: &Path) {
    File::open(store.join("tokens/db")).expect("it was written").lock().expect("sled lets go of it");
}

#[test]
fn a_mend_that_stops_at_any_step_goes_on_and_loses_no_more() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [sound, store] = ["sound", "s"].map(|name| folder.path().join(name));
    make(&sound);
    let before = Store::open(&sound, Access::Read).expect("it is there");
    let (expected, commits, settings) = (answers(&before), before.commit_number(), before.settings().clone());
    assert!(sound.join("pages/000001.rec").exists(), "it has several segments");
    let lay = |harm: fn(&Path)| {
        let _ = fs::remove_dir_all(&store);
        copy(&sound, &store);
        harm(&store.join("pages"));
    };
    for (name, harm, takes_pages) in HARMS {
        lay(harm);
        faults::plan(&store, u64::MAX, Failure::Broken);
        let mended = Store::open(&store, Access::Write).expect(name);
        let steps = faults::end(&store).0;
        assert!(mended.was_rebuilt && steps > 20, "{name}: {steps}");
        let losses = mended.losses().expect(name);
        assert_eq!(losses.is_empty(), !takes_pages, "{name}: {losses:?}");
        drop(mended);
        for nth in (0..steps).step_by(extent(29, 1)) {
            let what = format!("{name}, step {nth}");
            lay(harm);
            if nth % 2 == 1 {
                fs::remove_file(store.join("manifest.json")).expect("it is there");
            }
            faults::plan(&store, nth, Failure::Broken);
            drop(Store::open(&store, Access::Write));
            faults::end(&store);
            let again = Store::open(&store, Access::Write).expect(&what);
            let losses = again.losses().expect(&what);
            assert_eq!(losses.is_empty(), !takes_pages, "{what}: {losses:?}");
            assert!(again.check(&()).expect(&what).damage.is_none(), "{what}");
            assert!(again.commit_number() > commits && again.settings() == &settings, "{what}");
        }
        let given: &[&str] = if takes_pages { &[SITE] } else { &[] };
        run_all(&mut Store::open(&store, Access::Write).expect(name), &[], given).expect(name);
        assert_eq!(answers(&Store::open(&store, Access::Read).expect(name)), expected, "{name}");
    }
}

#[test]
fn a_commit_that_stops_at_any_step_is_there_or_not_and_so_is_opening_after_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [sound, stopped, store] = ["sound", "stopped", "s"].map(|name| folder.path().join(name));
    make(&sound);
    let before = Store::open(&sound, Access::Read).expect("it is there");
    let expected = answers(&before);
    let lay = |from: &Path, to: &Path| {
        let _ = fs::remove_dir_all(to);
        copy(from, to);
    };
    let ask = |what: &str| assert_eq!(answers(&Store::open(&store, Access::Read).expect(what)), expected, "{what}");
    let (mut done, mut undone, mut faults_of_opening) = (0, 0, 0);
    for nth in 0.. {
        lay(&sound, &stopped);
        let mut writing = Store::open(&stopped, Access::Write).expect("it is sound");
        let mut changes = Changes::default();
        writing.change_tokens(&mut vec![(1 << 60, SiteId(0), true)], &mut changes).expect("it is sound");
        faults::plan(&stopped, nth, Failure::Broken);
        let outcome = writing.commit(changes);
        drop(writing);
        if faults::end(&stopped).1.is_none() || outcome.is_ok() {
            break;
        }
        wait_for_sled(&stopped);
        // Opening fails at any of its steps, and then not.
        for step in (nth % 3..).step_by(extent(3, 1)) {
            let what = format!("step {nth}, then step {step} of opening");
            lay(&stopped, &store);
            ask(&what);
            faults::plan(&store, step, Failure::Broken);
            let opened = Store::open(&store, Access::Write).map(drop);
            let failed = faults::end(&store).1;
            wait_for_sled(&store);
            ask(&format!("{what}: {failed:?}"));
            if failed.is_none() {
                opened.expect(&what);
                break;
            }
            faults_of_opening += 1;
            drop(Store::open(&store, Access::Write).expect(&what));
            ask(&what);
            wait_for_sled(&store);
        }
        let what = format!("step {nth}");
        let again = Store::open(&store, Access::Write).expect(&what);
        let is_undone = again.commit_number() == before.commit_number();
        assert!(!again.has_no_tokens().expect(&what), "{what}");
        assert!(!again.was_rebuilt && again.losses().expect(&what).is_empty(), "{what}");
        drop(again);
        wait_for_sled(&store);
        let report = Store::open(&store, Access::Read).expect(&what).check(&()).expect(&what);
        assert!(report.damage.is_none() && report.token_blocks.is_ok(), "{what}: {:?}", report.token_blocks);
        let [files, named] = [fs::read_dir(store.join("view")).expect("a folder").count(), runs_named(&store)];
        assert_eq!(files, named, "{what}");
        if is_undone { undone += 1 } else { done += 1 }
    }
    assert!(undone > 3 && done > 0 && faults_of_opening > 5, "{undone} undone, {done} not, {faults_of_opening} faults");
}

#[test]
fn a_commit_that_was_reported_stays_though_the_manifest_is_older_and_the_token_index_is_gone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = folder.path().join("s");
    make(&store);
    let old = fs::read(store.join("manifest.json")).expect("it is there");
    let mut writing = Store::open(&store, Access::Write).expect("it is sound");
    let mut changes = Changes::default();
    writing.change_tokens(&mut vec![(1 << 60, SiteId(0), true)], &mut changes).expect("it is sound");
    writing.commit(changes).expect("room on disk");
    let commit = writing.commit_number();
    drop(writing);
    wait_for_sled(&store);
    fs::write(store.join("manifest.json"), old).expect("room on disk");
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    let again = Store::open(&store, Access::Write).expect("the runs tell");
    assert!(again.commit_number() == commit && !again.was_rebuilt, "{} {commit}", again.commit_number());
}

#[test]
fn a_commit_that_was_reported_stays_though_opening_stops_where_the_manifest_is_gone_or_old() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [sound, store] = ["sound", "s"].map(|name| folder.path().join(name));
    make(&sound);
    let old = fs::read(sound.join("manifest.json")).expect("it is there");
    let mut writing = Store::open(&sound, Access::Write).expect("it is sound");
    let settings = writing.settings().clone();
    writing.keep_settings(settings).expect("room on disk");
    let commit = writing.commit_number();
    drop(writing);
    wait_for_sled(&sound);
    let failures = [Failure::Broken, Failure::Short, Failure::Full];
    for (has_manifest, failure) in failures.into_iter().flat_map(|failure| [(false, failure), (true, failure)]) {
        let mut torn = 0;
        for step in 0.. {
            let what = format!("step {step}, {failure:?}, with a manifest: {has_manifest}");
            let _ = fs::remove_dir_all(&store);
            copy(&sound, &store);
            let manifest = store.join("manifest.json");
            if has_manifest { fs::write(&manifest, &old) } else { fs::remove_file(&manifest) }.expect("a disk");
            faults::plan(&store, step, failure);
            drop(Store::open(&store, Access::Write));
            let failed = faults::end(&store).1;
            wait_for_sled(&store);
            torn += u32::from(failed.as_ref().is_some_and(|(_, path)| path.starts_with(store.join("view"))));
            let again = Store::open(&store, Access::Write).expect(&what);
            assert!(!again.was_rebuilt && again.commit_number() == commit, "{what}: {}", again.commit_number());
            assert!(again.losses().expect(&what).is_empty(), "{what}");
            drop(again);
            wait_for_sled(&store);
            let files = fs::read_dir(store.join("view")).expect("a folder").count();
            assert_eq!(files, runs_named(&store), "{what}");
            if failed.is_none() {
                break;
            }
        }
        assert!(torn > 3, "{torn} steps in the view");
    }
}

/// How many runs the manifest of a store names.
fn runs_named(store: &Path) -> usize {
    let manifest = fs::read_to_string(store.join("manifest.json")).expect("it is there");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("it is sound");
    manifest["view"].as_array().expect("a list").len()
}

#[test]
fn what_is_left_of_a_store_is_not_taken_for_a_new_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [sound, store] = ["sound", "s"].map(|name| folder.path().join(name));
    make(&sound);
    for rest in ["pages", "view"] {
        let _ = fs::remove_dir_all(&store);
        copy(&sound.join(rest), &store.join(rest));
        let opened = Store::open(&store, Access::Write).expect(rest);
        let losses = opened.losses().expect(rest);
        assert!(opened.was_rebuilt && !losses.is_empty(), "{rest}");
    }
    // A new store whose first commit was stopped.
    let _ = fs::remove_dir_all(&store);
    fs::create_dir_all(store.join("view"))
        .and_then(|()| fs::write(store.join("view/000000000001.run"), "D"))
        .expect("room");
    let opened = Store::open(&store, Access::Write).expect("it is new");
    assert!(!opened.was_rebuilt && opened.losses().expect("sound").is_empty());
}

#[test]
fn a_loss_is_told_whatever_block_of_the_view_is_damaged_later() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [sound, store] = ["sound", "s"].map(|name| folder.path().join(name));
    make(&sound);
    change(&sound.join("pages/000000.rec"), |length| length / 2);
    change(&last(&sound.join("pages")), |length| length - 3);
    let mut mended = Store::open(&sound, Access::Write).expect("a disk");
    let mut changes = Changes::default();
    // Between the archives and the losses.
    (0..1000).for_each(|nth| changes.put_stage(&format!("stage {nth}"), &StageRecord::default()));
    mended.commit(changes).expect("room on disk");
    drop(mended);
    let before = Store::open(&sound, Access::Read).expect("it is sound");
    let lost = before.losses().expect("it is sound");
    assert!(matches!(&lost[..], [Loss::Archive { .. }]), "{lost:?}");
    let runs = || fs::read_dir(sound.join("view")).expect("a folder").flatten().map(|entry| entry.path());
    let (mut same, mut less) = (0, 0);
    for run in runs() {
        let bytes = fs::read(&run).expect("it is there");
        for (nth, at) in (30..bytes.len()).step_by(bytes.len() / extent(30, 90)).enumerate() {
            let what = format!("byte {at} of {} of {}", bytes.len(), run.display());
            let _ = fs::remove_dir_all(&store);
            copy(&sound, &store);
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            fs::write(store.join("view").join(run.file_name().expect("a name")), &bytes).expect("room on disk");
            let has_manifest = nth % 3 < 2;
            if !has_manifest {
                fs::remove_file(store.join("manifest.json")).expect("it is there");
            }
            let again = Store::open(&store, Access::Write).expect(&what);
            let losses = again.losses().expect(&what);
            assert!(again.was_rebuilt, "{what}");
            assert!(!has_manifest || again.settings() == before.settings(), "{what}");
            match &losses[..] {
                // If the manifest is gone and the index of the view's blocks is cut off, the view shows nothing.
                [] => assert!(!has_manifest && at + 2000 > bytes.len(), "{what}"),
                [Loss::Nameless { .. } | Loss::Archive { pages: 0, .. }] => less += 1,
                told => {
                    assert_eq!(told, lost, "{what}");
                    same += 1;
                }
            }
        }
    }
    assert!(same > 0 && less > 0, "{same} {less}");
}

#[test]
fn check_tells_the_pages_that_a_mend_loses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path());
    let first = folder.path().join("pages/000000.rec");
    for at in [|length: u64| length / 3, |length| length / 2] {
        change(&first, at);
    }
    let report = Store::open(folder.path(), Access::Read).expect("its ends are whole").check(&()).expect("a disk");
    let told: Vec<_> = report.damage.archives.clone().into_iter().collect();
    let mended = Store::open(folder.path(), Access::Write).expect("a disk").repair(&report.damage).expect("a disk");
    let lost = mended.losses().expect("a disk").into_iter();
    let lost: Vec<_> = lost
        .map(|loss| if let Loss::Archive { path, pages } = loss { (path, pages) } else { panic!("{loss:?}") })
        .collect();
    assert_eq!(told, lost);
    assert!(matches!(&lost[..], [(_, pages)] if *pages > 0), "{lost:?}");
}
