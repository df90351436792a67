//! Whose code the program contains, and under which licences: docs/third-party.md, which is checked against the packages that cargo builds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences of which one must be given, or all of several. Under MPL-2.0 are only files of packages that are used as they were published.
const ALLOWED: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
    "BSL-1.0",
    "MPL-2.0",
    // That of bzip2, which is as BSD licences are.
    "bzip2-1.0.6",
];

/// The packages that are built into the program for Linux, as (name, version) → licence.
fn packages() -> BTreeMap<(String, String), String> {
    let made = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs the tests");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let metadata: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let known: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let own = known.iter().find(|(_, package)| package["name"] == "diglot").expect("this one").0;
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![own.clone()]);
    while let Some(id) = waiting.pop() {
        for dependency in list(&nodes[&id]["deps"]) {
            // Those without a kind are built in, or write its code (procedural macros); others serve tests, or building.
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
                && seen.insert(text(&dependency["pkg"]))
            {
                waiting.push(text(&dependency["pkg"]));
            }
        }
    }
    let row = |id: &String| {
        let package = &known[id];
        (
            (text(&package["name"]), text(&package["version"])),
            text(&package["license"]).replace('/', " OR ").replace("  ", " "),
        )
    };
    seen.iter().map(row).collect()
}

/// True where one of the alternatives has only licences that are allowed.
fn is_allowed(licence: &str) -> bool {
    let licence = licence.replace(['(', ')'], "");
    let is_known = |name: &str| ALLOWED.contains(&name.split(" WITH ").next().unwrap_or_default().trim());
    if licence.contains(" AND ") {
        return licence.split(" AND ").all(|part| part.split(" OR ").any(is_known));
    }
    licence.split(" OR ").any(is_known)
}

#[test]
fn the_list_of_third_parties_is_that_of_the_packages_and_all_licences_are_ones_that_we_may_use() {
    let packages = packages();
    let refused: Vec<_> = packages.iter().filter(|(_, licence)| !is_allowed(licence)).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let rows: String = packages
        .iter()
        .map(|((name, version), licence)| {
            format!("| [{name}](https://crates.io/crates/{name}/{version}) | {version} | {licence} |\n")
        })
        .collect();
    // Whoever gets the program must be told where the source of these is.
    let sources: String = packages
        .iter()
        .filter(|(_, licence)| licence.contains("MPL"))
        .map(|((name, version), _)| {
            format!("| {name} | {version} | <https://crates.io/api/v1/crates/{name}/{version}/download> |\n")
        })
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/third-party.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let rule = "|---|---|---|\n";
    let [mpl, all] =
        ["under the MPL | version | source", "package | version | licence"].map(|head| format!("| {head} |\n{rule}"));
    let (head, rest) = page.split_once(&mpl).expect("a table of packages under the MPL");
    let (rest, _) = rest.split_once(&all).expect("a table of packages");
    let (_, between) = rest.split_once("\n\n").or(rest.split_once('\n')).expect("text between the tables");
    let expected = format!("{head}{mpl}{sources}\n{between}{all}{rows}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &expected).expect("room on disk");
    } else {
        assert!(page == expected, "docs/third-party.md is not as cargo says: run this test with UPDATE_GOLDEN=1");
    }
}
