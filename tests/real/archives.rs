//! Archives as others have written them, through the command.

use std::fs;

use crate::real;
use crate::support::{diglot, root, rows, run, stdout};

#[test]
fn real_wat_and_wet_files_go_in() {
    let samples = real("warc-samples");
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    for (name, lang) in
        [("cc-whirlwind.warc.wat.gz", ""), ("cc-whirlwind.warc.wet.gz", "an es"), ("cc-whirlwind.warc.gz", "an es")]
    {
        run(&store, &[&samples.join(name)]);
        // Of a page that the store does not have, explaining ends with exit code 1.
        let explained =
            diglot(&store).args(["explain", "https://an.wikipedia.org/wiki/Escopete"]).output().expect("it starts");
        assert_eq!(
            explained.status.success(),
            !lang.is_empty(),
            "{name}: {}",
            String::from_utf8_lossy(&explained.stdout)
        );
        let pages = rows(&store, &["hosts"]).len();
        // This WAT tells of the request only.
        assert_eq!(pages, usize::from(!lang.is_empty()), "{name}");
    }
    let status = stdout(&store, &["status"]);
    for reason in ["request record", "warcinfo record"] {
        assert!(status.contains(reason), "{status}");
    }
}

#[test]
fn odd_archives_are_read_as_far_as_they_go() {
    let samples = real("warc-samples");
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let table = fs::read_to_string(samples.join("counts.tsv")).expect("the counts");
    let names: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    assert!(names.len() > 30, "{}", names.len());
    for name in &names {
        let output = diglot(&store).arg("run").arg(samples.join(name)).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {:?} {stderr}", output.status);
        // What is damaged within an archive is no fault of the run; only what became of the input is said.
        assert!(stderr.starts_with("diglot: inputs: 1 read") && stderr.lines().count() == 1, "{name}: {stderr}");
    }
    // Every record is a page or counted under a reason; damage is told with its place.
    let status = rows(&store, &["status", "--archives"]);
    let count = |name: &str| {
        let row = status.iter().find(|row| row["what"] == "total" && row["name"] == name).expect(name);
        row["count"].as_u64().expect("a count")
    };
    let older = |row: &serde_json::Map<String, serde_json::Value>| row["name"] == "older capture of the same URL";
    let left_out: u64 = status
        .iter()
        .filter(|row| row["what"] == "left out" && !older(row))
        .map(|row| row["count"].as_u64().expect("a count"))
        .sum();
    assert_eq!(count("records"), count("captures kept") + left_out);
    assert!(count("captures kept") >= 60, "{}", count("captures kept"));
    assert_eq!(count("archives"), names.len() as u64);
    let told = |name: &str| {
        let is_of = |row: &&serde_json::Map<String, serde_json::Value>| {
            row["what"] != "archive"
                && row["name"].as_str().is_some_and(|place| place.contains(&format!("/{name} at ")))
        };
        status.iter().filter(is_of).map(|row| row["what"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for (name, reason) in [
        ("resiliparse-clipped.warc.gz", "record cut off"),
        ("gen-truncated.warc.gz", "record cut off"),
        ("warcio-bad.arc", "record header malformed"),
        ("gen-revisit.warc.gz", "revisit record"),
        ("warcio-post-test.warc.gz", "request record"),
    ] {
        assert!(told(name).iter().any(|told| told == reason), "{name}: {:?}", told(name));
    }
    assert!(!root().join("diglot.store").exists(), "a store beside the sources");
}
