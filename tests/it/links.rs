//! Links between the pages of the documentation: the file is there, and in it the heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;
use crate::tidy::files;

/// Addresses that links of a page lead to, outside of code.
fn targets(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        // What stands between two signs of code is every second part.
        let text: Vec<&str> = line.split('`').collect();
        let text: String = text.iter().enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "" }).collect();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        found.extend(links.map(|(target, _)| target.to_owned()));
    }
    found
}

/// The names of the headings of a page, as GitHub and mdBook make them, and of places that are named.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_code = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let named = line.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        found.extend(named.map(str::to_owned));
        let Some((marks, heading)) = line.split_once(' ').filter(|_| !is_code) else { continue };
        if marks.is_empty() || !marks.bytes().all(|byte| byte == b'#') {
            continue;
        }
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let name: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let number = (0..).find(|number| !found.contains(&numbered(&name, *number))).unwrap_or(0);
        found.insert(numbered(&name, number));
    }
    found
}

/// The name of a heading of which there are several.
fn numbered(name: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}-{number}") }
}

/// What is wrong with a link of a page.
fn problem(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file: PathBuf = if path.is_empty() { page.to_owned() } else { page.parent()?.join(path) };
    if !file.exists() {
        return Some("no such file".to_owned());
    }
    let is_page = file.extension().is_some_and(|ending| ending == "md");
    let has = |text: String| anchors(&text).contains(anchor);
    let is_there = anchor.is_empty() || is_page && fs::read_to_string(&file).is_ok_and(has);
    (!is_there).then(|| format!("no heading {anchor}"))
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let pages = files(root(), &[".md"]).into_iter().filter(|page| !page.ends_with("templates/report.md"));
    for page in pages {
        let text = fs::read_to_string(&page).expect("UTF-8");
        for target in targets(&text) {
            count += 1;
            wrong.extend(problem(&page, &target).map(|why| format!("{}: {target}: {why}", page.display())));
        }
    }
    assert!(count > 100, "{count} links");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_page_is_in_the_book() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("it is there");
    let listed: BTreeSet<String> = targets(&summary).into_iter().collect();
    for page in fs::read_dir(root().join("docs")).expect("a folder").flatten() {
        let name = page.file_name().to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || !name.ends_with(".md") || listed.contains(&name), "{name} is not in the book");
    }
}

#[test]
fn wrong_links_are_seen() {
    let page = root().join("docs/guide.md");
    assert_eq!(problem(&page, "methods.md#kit--ng-2007"), None);
    assert_eq!(problem(&page, "#inputs"), None);
    assert!(problem(&page, "nothing.md").is_some_and(|why| why == "no such file"));
    assert!(problem(&page, "methods.md#nothing").is_some_and(|why| why == "no heading nothing"));
    assert_eq!(targets("[a](b.md#c) and `[d](e)`\n```\n[f](g)\n```\n"), ["b.md#c"]);
    assert!(anchors("# A *b*, c\n## A b c\n").contains("a-b-c-1"));
}
