//! Curves, calibration and the comparison of presets, on the sample.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::support::{data, diglot, failure, rows, sample_store, stdout};

fn folder(name: &str) -> String {
    data(name).display().to_string()
}

fn number(row: &Map<String, Value>, column: &str) -> f64 {
    row[column].as_f64().unwrap_or_else(|| panic!("{column} of {row:?}"))
}

#[test]
fn a_curve_ends_at_the_scores_of_all_pairs() {
    let place = tempfile::tempdir().expect("a folder");
    let (svg, gold) = (place.path().join("curve.svg"), folder("gold"));
    let picture = svg.display().to_string();
    let points = rows(sample_store(), &["eval", "--gold", &gold, "--curve", "--svg", &picture]);
    let scores = rows(sample_store(), &["eval", "--gold", &gold]);
    let all = scores.iter().find(|row| row["name"] == "micro").expect("a row for all");
    let last = points.last().expect("points");
    // The curve goes on below the least score: pairs that were judged and not accepted are on it.
    assert!(number(last, "right") >= number(all, "right") && number(last, "recall") >= number(all, "recall"));
    let at_least = points.iter().rfind(|point| number(point, "score") >= 0.5).expect("points");
    assert!(number(at_least, "right") >= number(all, "right"), "{at_least:?}");
    // Pairs of one score are one point, and the sample is easy.
    assert!(!points.is_empty() && points.len() <= 200, "{} points", points.len());
    for step in points.windows(2) {
        assert!(number(&step[0], "score") > number(&step[1], "score"), "{step:?}");
        assert!(number(&step[0], "recall") <= number(&step[1], "recall"), "{step:?}");
    }
    // What the listing of pairs says of a threshold.
    let middle = points.iter().rfind(|point| number(point, "score") >= 0.9).expect("points");
    let above = rows(sample_store(), &["pairs"]);
    let above = above.iter().filter(|row| number(row, "score") >= number(middle, "score") - 1e-4).count() as f64;
    assert!(above >= number(middle, "right") + number(middle, "wrong"), "{above} pairs, {middle:?}");

    let drawn = fs::read_to_string(&svg).expect("a picture");
    assert!(drawn.starts_with("<svg") && drawn.contains("recall") && drawn.contains("best F1"), "{drawn}");
    stdout(sample_store(), &["eval", "--gold", &gold, "--curve", "--svg", &picture]);
    assert_eq!(fs::read_to_string(&svg).expect("a picture"), drawn);
}

#[test]
fn calibration_counts_every_pair_that_can_be_judged() {
    let gold = folder("gold");
    let bins = rows(sample_store(), &["eval", "--gold", &gold, "--calibration"]);
    let (all, bins) = bins.split_last().expect("rows");
    let points = rows(sample_store(), &["eval", "--gold", &gold, "--curve"]);
    let last = points.last().expect("points");
    assert_eq!(all["scope"], "all");
    assert_eq!(number(all, "pairs"), number(last, "right") + number(last, "wrong"));
    let mut error = 0.0;
    let mut pairs = 0.0;
    for bin in bins.iter().filter(|bin| number(bin, "pairs") > 0.0) {
        let mean = number(bin, "mean_score");
        assert!(number(bin, "from") <= mean && mean <= number(bin, "to"), "{bin:?}");
        pairs += number(bin, "pairs");
        error += number(bin, "pairs") * (number(bin, "precision") - mean).abs();
    }
    assert_eq!(pairs, number(all, "pairs"));
    assert!((error / pairs - number(all, "error")).abs() < 1e-3, "{error} {all:?}");
}

#[test]
fn a_folder_of_gold_is_all_its_files() {
    let gold = folder("gold");
    let file = |name: &str| format!("{gold}/{name}.tsv");
    let files = [file("packaging.pairs"), file("webserver.pairs"), file("packaging.grey"), file("webserver.grey")];
    let [packaging, webserver, packaging_grey, webserver_grey] = files.each_ref().map(String::as_str);
    let named = ["eval", "--gold", packaging, "--gold", webserver, "--grey", packaging_grey, "--grey", webserver_grey];
    assert_eq!(stdout(sample_store(), &["eval", "--gold", &gold]), stdout(sample_store(), &named));
    let keys = rows(sample_store(), &["eval", "--what", "keys", "--gold", &gold]);
    assert!(keys.iter().any(|row| row["outcome"] == "found"), "{keys:?}");
}

#[test]
fn presets_are_compared_as_each_would_score_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let (svg, kept) = (place.path().join("f1.svg"), place.path().join("stores"));
    let (inputs, gold) = (folder("sites"), folder("gold"));
    let (picture, stores) = (svg.display().to_string(), kept.display().to_string());
    let presets = "default,pupsniffer-2013";
    let command =
        ["--quiet", "compare", &inputs, "--gold", &gold, "--presets", presets, "--svg", &picture, "--keep", &stores];
    let unused = place.path().join("unused.store");
    let table = rows(&unused, &command);
    assert!(!unused.exists());
    let sites: Vec<_> = table.iter().map(|row| format!("{} {}", row["preset"], row["site"]).replace('"', "")).collect();
    let expected = ["default", "pupsniffer-2013"]
        .map(|preset| ["packaging", "webserver", "macro"].map(|site| format!("{preset} {site}")));
    assert_eq!(sites, expected.concat());
    for three in table.chunks(3) {
        assert!(three[0]["seconds"].is_null() && three[2]["seconds"].is_number(), "{three:?}");
        assert!((number(&three[2], "f1") - (number(&three[0], "f1") + number(&three[1], "f1")) / 2.0).abs() < 1e-3);
        let preset = three[0]["preset"].as_str().expect("a name");
        let store = kept.join(format!("{preset}.store"));
        for row in &three[..2] {
            let site = row["site"].as_str().expect("a name");
            let (pairs, grey) = (format!("{gold}/{site}.pairs.tsv"), format!("{gold}/{site}.grey.tsv"));
            let scores = rows(&store, &["eval", "--gold", &pairs, "--grey", &grey]);
            let alone = scores.iter().find(|row| row["name"] == "micro").expect("a row for all");
            assert_eq!((&row["recall"], &row["f1"]), (&alone["recall"], &alone["f1"]), "{preset} {site}");
        }
    }
    // The same pairs as of a store made by itself.
    assert_eq!(stdout(&kept.join("default.store"), &["pairs"]), stdout(sample_store(), &["pairs"]));
    let drawn = fs::read_to_string(&svg).expect("a picture");
    for says in ["packaging", "webserver", "default", "pupsniffer-2013", "F1"] {
        assert!(drawn.contains(says), "{says} is not in the picture");
    }
    let (code, stderr) = failure(diglot(&unused).args(command));
    assert!(code == 1 && stderr.contains("default.store: it exists already"), "{stderr}");
}

#[test]
fn comparing_tells_what_is_wrong_with_the_gold() {
    let place = tempfile::tempdir().expect("a folder");
    let elsewhere = place.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    fs::write(elsewhere.join("y.pairs.tsv"), "http://y.test/en\thttp://y.test/fr\ten\tfr\n").expect("room");
    let inputs = data("sites/packaging");
    let cases: [(&Path, &str, i32, &str); 4] = [
        (place.path(), "default", 1, "no gold in this folder, expected NAME.pairs.tsv"),
        (&place.path().join("nope"), "default", 1, "not a folder, expected one with NAME.pairs.tsv of each site"),
        (&elsewhere, "default", 1, "the archives have none of the hosts that its pairs name"),
        (&elsewhere, "default,best", 2, "--presets has best, expected some of default"),
    ];
    for (gold, presets, code, message) in cases {
        let mut command = diglot(&place.path().join("unused.store"));
        command.args(["--quiet", "compare"]).arg(&inputs).arg("--gold").arg(gold).args(["--presets", presets]);
        let (found, stderr) = failure(&mut command);
        assert!(found == code && stderr.contains(message), "{presets}: {found} {stderr}");
    }
}
