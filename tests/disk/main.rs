//! A run on a disk that fills up: `cargo test --test disk`, on a Linux that lets a test mount a disk of its own.
//!
//! It fails where the machine does not permit that.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the tests of the repository use the rest")]
mod support;

use support::{run, stdout, webserver};

/// Runs a shell script where it may mount.
fn in_own_mounts(script: &str, environment: &[(&str, &Path)]) -> String {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).envs(environment.iter().copied());
        command.env_remove("DIGLOT_STORE").output()
    };
    let mount = r#"mount -t tmpfs -o size=1m tmpfs "$PLACE""#;
    let mounted = unshare(mount).expect("unshare, of util-linux");
    assert!(mounted.status.success(), "this machine does not let a test mount a small disk: {mounted:?}");
    let output = unshare(script).expect("it started before");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_full_disk_stops_a_run_that_goes_on_once_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("disk");
    fs::create_dir(&place).expect("a folder");
    let whole = folder.path().join("whole");
    run(&whole, &[&webserver()]);
    let expected = stdout(&whole, &["export"]);
    // Each size stops it somewhere else: records of each kind, the manifest.
    let mut stops = BTreeMap::new();
    for size_kib in [4, 8, 16, 24, 40, 200, 560, 580, 588] {
        let script = format!(
            r#"
            mount -t tmpfs -o size={size_kib}k tmpfs "$PLACE"
            d="$DIGLOT --store $PLACE/s"
            $d run "$INPUT" >"$OUT/first.out" 2>"$OUT/first.err"; echo $?
            mount -o remount,size=200m "$PLACE"
            $d --quiet run "$INPUT" 2>"$OUT/second.err"; echo $?
            $d export 2>>"$OUT/second.err" >"$OUT/pairs.tsv"; echo $?
            "#
        );
        let input = webserver();
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_diglot"));
        let environment =
            [("PLACE", place.as_path()), ("INPUT", &input), ("OUT", folder.path()), ("DIGLOT", binary.as_path())];
        let codes = in_own_mounts(&script, &environment);
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
        let (first, second) = (text("first.err"), text("second.err"));
        let codes: Vec<&str> = codes.split_whitespace().collect();
        println!("{size_kib} KiB: {codes:?} {first}");
        assert_eq!(codes[1..], ["0", "0"], "{size_kib} KiB: {first}, then {second}");
        // The larger ones may be enough.
        if codes[0] != "0" || size_kib < 500 {
            assert_eq!(codes[0], "1", "{size_kib} KiB: {first}");
            assert!(first.starts_with("diglot: ") && first.lines().count() == 1, "{size_kib} KiB: {first}");
            assert!(first.contains("No space left on device"), "{size_kib} KiB: {first}");
            let there = format!("{}/s/", place.display());
            let stopped = first.split(&there).nth(1).and_then(|rest| rest.split(':').next());
            *stops.entry(stopped.unwrap_or_else(|| panic!("no place in {first}")).to_owned()).or_insert(0) += 1;
            assert_eq!(text("first.out"), "");
        }
        assert_eq!(text("pairs.tsv"), expected, "{size_kib} KiB");
    }
    assert!(stops.len() >= 3, "always at one place: {stops:?}");
}
