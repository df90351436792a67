//! The layout keeps its rules: who imports whom, how long a file is, what stands in none.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::modules::Modules;
use crate::support::root;

/// What every file may import.
const FOUNDATIONS: &[&str] =
    &["types", "error", "text", "language", "index", "sequence", "panics", "files", "logistic", "corrections"];

/// Which folders and files of `src` may be imported by one of them, beside [`FOUNDATIONS`]. Methods stand in layers: borrowed
/// data in, values out, and never the shell.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    // Foundations, of one another without circles.
    ("types", &[]),
    ("error", &[]),
    ("text", &[]),
    ("language", &[]),
    ("index", &[]),
    ("sequence", &[]),
    ("panics", &[]),
    ("files", &[]),
    ("logistic", &[]),
    ("corrections", &[]),
    // Methods that know no other.
    ("archive", &[]),
    ("extract", &[]),
    ("labels", &[]),
    ("copies", &[]),
    ("keys", &["labels", "copies"]),
    ("lexicon", &[]),
    ("verify", &["lexicon"]),
    ("align", &["lexicon"]),
    ("recover", &[]),
    ("explore", &[]),
    ("evaluate", &[]),
    ("export", &[]),
    // Methods on methods.
    ("judge", &["verify", "lexicon"]),
    ("propose", &["judge", "verify", "keys", "lexicon"]),
    ("learn", &["judge", "verify", "keys", "lexicon"]),
    ("iterate", &["propose", "learn", "judge", "verify", "lexicon"]),
    ("papers", &["propose", "judge", "verify", "lexicon"]),
    // Shell. Page tables are looked at by key discovery as they lie on disk, so `store` implements traits of `index`.
    ("store", &[]),
    ("config", METHODS),
    (
        "site",
        &[
            "align", "config", "extract", "judge", "keys", "labels", "learn", "lexicon", "papers", "recover", "store",
            "verify",
        ],
    ),
    ("upkeep", &["config", "keys", "store"]),
    ("program", &["config"]),
    ("intake", &["archive", "extract", "copies", "config", "program", "store"]),
    (
        "pipeline",
        &[
            "align", "archive", "config", "explore", "extract", "intake", "iterate", "judge", "keys", "learn",
            "lexicon", "papers", "program", "propose", "recover", "site", "store", "upkeep", "verify",
        ],
    ),
    // Answers of the store, in the words of the methods that left them there.
    ("query", &["*"]),
    ("exec", &["*"]),
    ("rebuild", &["align", "archive", "config", "export", "intake", "query", "site", "store"]),
    // The back door: what the laboratory sees.
    ("laboratory", &["*"]),
    // The faces see the library as every other program does, by its name.
    ("cli", &["review"]),
    ("review", &[]),
    ("main", &[]),
    ("allocator", &[]),
    ("lib", &["*"]),
];

/// Folders that do the work.
const METHODS: &[&str] = &[
    "archive", "extract", "labels", "copies", "keys", "lexicon", "verify", "align", "recover", "explore", "evaluate",
    "export", "judge", "propose", "learn", "iterate", "papers",
];

/// Files of a folder and below, of these kinds.
pub fn files(folder: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            // What is built, and what others have written.
            if !matches!(name.as_str(), "target" | ".git" | "sites") {
                waiting.extend(fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
            }
        } else if kinds.iter().any(|kind| name.ends_with(kind)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<(String, String)> {
    let src = root().join("src");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&src).expect("below src").display().to_string();
        (name, fs::read_to_string(&path).expect("UTF-8"))
    };
    files(&src, &[".rs"]).into_iter().map(read).collect()
}

/// The code of a line: without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

#[test]
fn imports_follow_the_layout() {
    let mut wrong = Vec::new();
    let modules = Modules::new(&sources());
    for (place, module) in &modules.0 {
        let name = &module.file;
        let part = place.first().map_or("lib", String::as_str);
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(known, _)| *known == part) else {
            wrong.push(format!("{name}: {part} has no line in MAY_IMPORT"));
            continue;
        };
        for reference in modules.references(place) {
            let import = reference.written.first().map_or("lib", String::as_str);
            let is_fine = import == part
                || allowed.iter().any(|allowed| ["*", import].contains(allowed))
                || FOUNDATIONS.contains(&import);
            if !is_fine {
                wrong.push(format!("{name} imports {}", reference.written.join("::")));
            }
        }
    }
    for (name, text) in sources() {
        let part = name.split('/').next().expect("a name").trim_end_matches(".rs");
        let is_face = ["cli", "main", "review"].contains(&part);
        for line in text.lines().map(code) {
            // What the binary is made with, and what only the store may touch.
            let faces = ["clap", "anyhow", "comfy_table", "indicatif", "ctrlc"];
            let has = |name: &&str| line.contains(&format!("{name}::")) || line.contains(&format!("use {name}"));
            if let Some(face) = faces.iter().filter(|_| !is_face).find(|face| has(face)) {
                wrong.push(format!("{name} uses {face}"));
            }
            if let Some(shell) = ["sled", "memmap2"].iter().filter(|_| part != "store").find(|shell| has(shell)) {
                wrong.push(format!("{name} uses {shell}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each file can be read with what it stands on, and without what stands on it.
#[test]
fn no_files_or_folders_import_each_other_in_a_circle() {
    let circles = Modules::new(&sources()).circles();
    assert!(circles.is_empty(), "{} circles:\n{}", circles.len(), circles.join("\n"));
}

/// What is public is not found by the compiler when nobody uses it any more; and the program uses the doors that every other program has.
#[test]
fn the_back_door_shows_what_the_laboratory_names_and_is_used_by_nobody_else() {
    let read = |path: &Path| fs::read_to_string(path).expect("UTF-8");
    let words = |text: String| text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect();
    let named: Vec<Vec<String>> =
        files(&root().join("tests/lab"), &[".rs"]).iter().map(|path| words(read(path))).collect();
    let named: BTreeSet<String> = named.into_iter().flatten().collect();
    let door = read(&root().join("src/laboratory.rs"));
    let shown = door.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = shown.flat_map(|tree| {
        let leaves = tree.split_once('{').map_or(tree, |(_, leaves)| leaves.trim_end_matches('}'));
        leaves.split(',').map(|leaf| leaf.rsplit("::").next().unwrap_or(leaf).trim())
    });
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let unused: Vec<&&str> = names.iter().filter(|name| !named.contains(**name)).collect();
    assert!(names.len() > 50 && unused.is_empty(), "{unused:?}");
    for (name, text) in sources() {
        assert!(!text.contains("diglot::laboratory"), "{name} goes by the back door");
    }
}

#[test]
fn methods_do_not_print_or_look_at_the_clock() {
    for (name, text) in sources() {
        let part = name.split('/').next().unwrap_or_default();
        let body = text.split("mod tests {").next().unwrap_or_default();
        for (at, line) in body.lines().map(code).enumerate() {
            let place = format!("{name}:{}", at + 1);
            let is_face = ["cli", "review", "main.rs"].contains(&part);
            let prints = ["println!", "eprint", concat!("dbg", "!(")].iter().any(|print| line.contains(print));
            assert!(is_face || !prints || name.ends_with("tests.rs"), "{place}: the library never prints");
            let part = part.trim_end_matches(".rs");
            let is_method = METHODS.contains(&part) || FOUNDATIONS.contains(&part);
            let clock = ["Instant::now", "SystemTime", "thread::spawn"].iter().find(|word| line.contains(**word));
            assert!(!is_method || clock.is_none(), "{place}: {clock:?} in a method");
        }
    }
}

/// Source files that are no tests, and their text up to the unit tests at their end.
fn without_tests() -> Vec<(String, String)> {
    let all = sources();
    let modules = Modules::new(&all);
    let is_source = |name: &String| modules.0.values().any(|module| module.file == *name);
    let body = |text: &str| text.split("mod tests {").next().unwrap_or_default().to_owned();
    all.into_iter().filter(|(name, _)| is_source(name)).map(|(name, text)| (name, body(&text))).collect()
}

/// Whether a file has functions besides defaults, which are values, and printing.
fn has_methods(body: &str) -> bool {
    let functions = body.lines().map(code).filter_map(|line| line.split("fn ").nth(1));
    let mut names = functions.map(|rest| rest.split(['(', '<']).next().unwrap_or_default());
    names.any(|name| !["default", "fmt"].contains(&name))
}

/// Whether a file has unit tests: in itself, in its folder's own file, or in tests beside it that name the module.
fn is_tested(name: &str, sources: &[(String, String)]) -> bool {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let module = file.trim_end_matches(".rs");
    sources.iter().any(|(other, text)| match other.strip_prefix(folder) {
        _ if other == name => text.contains("#[cfg(test)]"),
        Some("/mod.rs") => text.contains("#[cfg(test)]\nmod tests {") && text.contains(&format!("mod {module};")),
        Some("/tests.rs" | "/reference.rs" | "/twin.rs") => {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == module)
        }
        _ => false,
    })
}

#[test]
fn every_method_has_a_unit_test() {
    let all = sources();
    let is_method = |name: &str| METHODS.contains(&name.split('/').next().unwrap_or_default().trim_end_matches(".rs"));
    let methods = without_tests().into_iter().filter(|(name, body)| is_method(name) && has_methods(body));
    let untested: Vec<String> = methods.map(|(name, _)| name).filter(|name| !is_tested(name, &all)).collect();
    assert!(untested.is_empty(), "no unit test in or beside:\n{}", untested.join("\n"));
}

#[test]
fn no_source_file_is_longer_than_800_lines() {
    let lines = sources().into_iter().map(|(name, text)| (name, text.lines().count()));
    let long: Vec<_> = lines.filter(|(_, lines)| *lines > 800).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn every_folder_begins_with_a_tour() {
    for (name, text) in sources() {
        if name.ends_with("mod.rs") || ["lib.rs", "main.rs"].contains(&name.as_str()) {
            assert!(text.starts_with("//! "), "{name} does not begin with //!");
        }
    }
    for path in files(&root().join("tests"), &[".rs"]) {
        let text = fs::read_to_string(&path).expect("UTF-8");
        assert!(text.starts_with("//!"), "{} does not begin with //!", path.display());
    }
}

#[test]
fn unsafe_stands_where_memory_is_mapped_or_allocated_and_signals_are_caught() {
    const PLACES: [&str; 4] = ["store/maps.rs", "store/mapped.rs", "allocator.rs", "cli/bus.rs"];
    for (name, text) in sources() {
        for (at, line) in text.lines().map(code).enumerate() {
            let is_unsafe = line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
            assert!(!is_unsafe || PLACES.contains(&name.as_str()), "{name}:{}: {line}", at + 1);
        }
    }
}

#[test]
fn nothing_is_left_to_be_done_later() {
    // In pieces, so that this list does not find itself.
    let marks = [["todo", "!("], ["unimplemented", "!("], ["#[igno", "re"], ["FIX", "ME"], ["XX", "X"]];
    for path in files(root(), &[".rs"]) {
        let text = fs::read_to_string(&path).expect("UTF-8");
        for mark in marks.map(|pieces| pieces.concat()) {
            assert!(!text.contains(&mark), "{} holds {mark}", path.display());
        }
    }
}

#[test]
fn no_path_of_the_machine_is_in_the_sources() {
    // Where this copy happens to lie, and whose it is; as a word of its own, for addresses have such folders too.
    let home = std::env::var("HOME").unwrap_or_default();
    let parent = root().parent().unwrap_or(root()).display().to_string();
    // A copy may lie in the folder of temporary files, which has the same name everywhere.
    let tells = |path: &String| path.len() > 1 && Path::new(path) != std::env::temp_dir();
    let folders = [home, parent].into_iter().filter(tells).map(|path| format!("{path}/"));
    let marks: Vec<String> =
        folders.flat_map(|path| [" ", "\"", "`", "(", "="].map(|before| format!("{before}{path}"))).collect();
    let issues = [["issue ", "#"].concat(), ["/iss", "ues/"].concat(), ["/pu", "ll/"].concat()];
    for path in files(root(), &[".rs", ".md", ".toml", ".py", ".sh", ".yml", ".tsv", ".txt"]) {
        let text = fs::read_to_string(&path).expect("UTF-8");
        for mark in marks.iter().chain(&issues) {
            let line = text.lines().find(|line| line.contains(mark.as_str()));
            assert!(line.is_none(), "{} holds {mark}: {line:?}", path.display());
        }
    }
}
