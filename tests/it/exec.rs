//! The steps of `diglot exec`: together they give what `run` gives, however the sites are divided.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use diglot::exec::{EngineRow, Input};
use serde_json::Value;

use crate::captures;
use crate::engine::{Call, Engine, lines_of, of_kind, written};
use crate::extent::extent;
use crate::languages::site;
use crate::sitemaps;
use crate::sites::Dice;
use crate::support::{Held, data, diglot, fed, packaging, root, stdout, webserver};
use crate::versions;

/// What is read where the sample as a whole is not needed.
fn archives() -> Vec<PathBuf> {
    extent(vec![packaging()], vec![webserver(), packaging()])
}

/// What the papers describe.
const PRESETS: [&str; 4] = ["kit-ng-2007", "pupsniffer-2013", "webmining-2008", "link-2014"];

/// The tables that `run` and `export` give, each as its lines, sorted.
fn by_run(archives: &[PathBuf], settings: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("run.store");
    let settings = settings.iter().map(|(name, value)| format!("--{name}={value}"));
    diglot(&store).arg("run").args(archives).args(settings).arg("-q").assert().success();
    let mut found = BTreeMap::new();
    for what in ["pairs", "bitext", "documents", "units", "pages", "fetch"] {
        let path = folder.path().join(format!("{what}.arrows"));
        diglot(&store).args(["export", "-q", "--what", what, "-o"]).arg(&path).assert().success();
        found.insert(what.to_owned(), lines_of(&fs::read(&path).expect("it was written")));
    }
    for (what, listing) in [("keys", &["keys"][..]), ("explore", &["explore", "--top", "1000000"])] {
        let lines = stdout(&store, &[listing, &["-q", "--format", "jsonl"]].concat());
        found.insert(what.to_owned(), lines.lines().map(str::to_owned).collect());
    }
    found.values_mut().for_each(|lines| lines.sort());
    found.retain(|_, lines| !lines.is_empty());
    found
}

fn assert_same(
    archives: &[PathBuf],
    settings: &[(&str, &str)],
    parts: &[(i32, bool)],
) -> BTreeMap<String, Vec<String>> {
    let expected = by_run(archives, settings);
    for &(parts, is_turned) in parts {
        let found = Engine::new(parts, settings, is_turned).run(archives).expect("it runs");
        for (what, lines) in &expected {
            let same = found.get(what).unwrap_or_else(|| panic!("{settings:?}: no {what}"));
            let odd = lines.iter().zip(same).find(|(x, y)| x != y);
            assert!(lines == same, "{settings:?}, {parts} parts, {what}: {} {} {odd:?}", lines.len(), same.len());
        }
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    }
    expected
}

#[test]
fn what_sites_of_several_parts_show_of_languages_is_known_in_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = ["one", "two"].map(|name| site(folder.path(), name, true));
    let archives = [&named[..], &[site(folder.path(), "third", false)]].concat();
    let found = assert_same(&archives, &[], &[(1, false), (3, true)]);
    let pages = found["pages"].iter().filter(|page| page.contains("third.test") && page.contains("\"tlh\"")).count();
    assert!(pages >= 6, "{pages}: {:?}", found["pages"].first());
}

#[test]
fn the_steps_give_what_a_run_gives_however_sites_are_divided() {
    let expected = assert_same(&[webserver(), packaging()], &[], extent(&[(7, true)], &[(1, false), (7, true)]));
    assert!(expected["pairs"].len() > 60 && expected["bitext"].len() > 1000 && !expected["keys"].is_empty());
}

#[test]
fn what_sitemaps_declare_is_known_to_the_steps_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = assert_same(&sitemaps::archives(folder.path()), &[], &[(1, false), (4, true)]);
    assert!(expected["pairs"].iter().all(|pair| pair.contains("\"sitemap\"")) && expected["pairs"].len() > 170);
    // Of a divided domain, the pages that are in one part.
    let found = Engine::dividing(2, &[], false).run(&sitemaps::archives(folder.path())).expect("it runs");
    assert!(found["pairs"].iter().all(|pair| pair.contains("\"sitemap\"")), "{:?}", found["pairs"]);
    assert!((60..120).contains(&found["pairs"].len()), "{}", found["pairs"].len());
}

#[test]
fn versions_of_a_document_are_aligned_as_a_run_aligns_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = assert_same(&versions::crawls(folder.path()), &[], &[(1, false), (3, true)]);
    assert!(expected["units"].iter().filter(|unit| unit.contains("\"de,en,fr\"")).count() > 100);
}

#[test]
fn a_variant_of_a_language_has_a_model_of_its_own_in_the_steps_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = assert_same(&[versions::with_variant(folder.path())], &[], &[(2, true)]);
    let of_variant = expected["bitext"].iter().filter(|line| line.contains("\"fr-CA\""));
    assert!(of_variant.count() > 100, "{:?}", expected["bitext"].first());
}

#[test]
fn they_choose_the_captures_that_a_run_chooses() {
    let folder = tempfile::tempdir().expect("a folder");
    let archives = captures::crawls(folder.path());
    let expected = assert_same(&archives, &[("captures", "nearest")], &[(1, false), (3, true)]);
    assert!(!expected["pages"].iter().any(|page| page.contains("2020-03-01")));
}

#[test]
fn so_do_they_with_other_methods() {
    let archives = archives();
    for &preset in extent(&PRESETS[2..], &PRESETS) {
        assert_same(&archives, &[("preset", preset)], &[(3, true)]);
    }
    assert_same(&archives, &[("langs", "en"), ("langs", "fr"), ("min-score", "0.9")], &[(2, false)]);
    assert_same(&archives, &[("without", "keys")], &[(2, false)]);
}

/// A WARC of pages.
fn warc(folder: &Path, name: &str, pages: &[(String, String)]) -> PathBuf {
    let mut bytes = Vec::new();
    for (url, body) in pages {
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{body}");
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:{:032x}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            bytes.len(),
            http.len()
        );
        bytes.extend(head.bytes().chain(http.bytes()).chain("\r\n\r\n".bytes()));
    }
    let path = folder.join(name);
    fs::write(&path, bytes).expect("room on disk");
    path
}

/// Sites of many domains, each with few pages; the last says what the first says, and its keys are too weak by themselves.
fn many_sites(folder: &Path) -> Vec<PathBuf> {
    let english =
        ["The river runs through the old town.", "Houses stand on both of its banks.", "A bridge leads to the market."];
    let french = [
        "La rivière traverse la vieille ville.",
        "Des maisons se dressent sur ses deux rives.",
        "Un pont mène au marché.",
    ];
    let page = |lang: &str, texts: &[&str], site: usize, number: usize| {
        let own = if lang == "en" { "Page about thing number" } else { "Page sur la chose numéro" };
        let lines: String = texts.iter().map(|text| format!("<p>{text}</p>")).collect();
        let site = site % 9;
        let links = format!(
            "<a href='http://site{}.org/'>x</a><a href='http://out{}.org/{number}'>y</a>",
            (site + number) % 9,
            site % 4
        );
        format!(
            "<html lang={lang}><body><h1>{own} {number} {site}</h1>{lines}<p>{own} {} {}.</p>{links}</body></html>",
            number * 7,
            site * 13
        )
    };
    let mut archives = Vec::new();
    for half in 0..2 {
        let mut pages = Vec::new();
        for site in (0..12).filter(|site| site % 2 == half) {
            // Of many pages few are pairs: the key is weak by itself.
            let lone = if site == 11 { 60 } else { 0 };
            // Some domains differ in their public suffix only.
            let name = if site > 9 { format!("site{}.fr", site - 10) } else { format!("site{site}.org") };
            let count = if site == 11 { 1 } else { 12 };
            for number in 0..count {
                pages.push((format!("http://{name}/en/{number}.html"), page("en", &english, site, number)));
                pages.push((format!("http://{name}/fr/{number}.html"), page("fr", &french, site, number)));
            }
            for number in 0..lone {
                let text = page("en", &english, site, 100 + number);
                pages.push((format!("http://{name}/notes/{number}-of-all.html"), text));
            }
        }
        archives.push(warc(folder, &format!("sites-{half}.warc"), &pages));
    }
    archives
}

#[test]
fn what_is_decided_across_sites_is_decided_across_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let archives = many_sites(folder.path());
    let expected = assert_same(&archives, &[("rescue-above", "20")], &[(1, false), (5, true), (12, false)]);
    let rescued = expected["keys"].iter().filter(|line| line.contains("\"rescued\"")).count();
    assert!(rescued > 0, "a weak key is rescued by other sites: {:?}", expected["keys"]);
    let shared = |line: &&String| !line.contains("\"others\":0");
    assert!(expected["bitext"].iter().filter(shared).count() > 0, "some sentences are said by several sites");
    assert_eq!(expected["explore"].len(), 4, "sites that are linked to: {:?}", expected["explore"]);
    assert_same(&archives, &[("across-suffixes", "yes")], &[(4, true)]);
}

#[test]
fn a_domain_that_is_divided_has_the_keys_that_it_has_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    // A name of which nothing is a page, beside domains of the same family.
    let gone = warc(folder.path(), "gone.warc", &[("http://site.example/gone".to_owned(), String::new())]);
    let archives = [archives(), vec![gone]].concat();
    let expected = by_run(&archives, &[]);
    // In one part, nothing is lost.
    let found = Engine::dividing(1, &[], true).run(&archives).expect("it runs");
    for (what, lines) in &expected {
        let odd = lines.iter().zip(&found[what]).find(|(x, y)| x != y);
        assert!(*lines == found[what], "{what}: {} {} {odd:?}", lines.len(), found[what].len());
    }
    let found = Engine::dividing(3, &[], false).run(&archives).expect("it runs");
    assert_eq!(found, Engine::dividing(3, &[], true).run(&archives).expect("it runs"), "whatever the order");
    assert_eq!(found["pages"], expected["pages"]);
    assert_eq!(of_whole(&found["keys"]), of_whole(&expected["keys"]));
    assert!(expected["keys"].len() >= extent(3, 9));
    // Pages that keys pair are in one part, so that nearly all are judged alike.
    let urls = |lines: &[String]| -> BTreeSet<String> { lines.iter().map(|line| urls_of(line)).collect() };
    let (pairs, whole) = (urls(&found["pairs"]), urls(&expected["pairs"]));
    let same = pairs.intersection(&whole).count();
    assert!(same * 100 >= 97 * whole.len().max(pairs.len()), "{same} of {} and {}", pairs.len(), whole.len());
}

/// Keys without what only verification tells of them.
fn of_whole(keys: &[String]) -> Vec<String> {
    let without = |line: &String| {
        let mut key: Value = serde_json::from_str(line).expect("JSON");
        for name in ["accepted", "est_precision"] {
            key.as_object_mut().and_then(|key| key.remove(name)).expect("a column");
        }
        assert_ne!(key["state"], "demoted", "only verification demotes");
        key.to_string()
    };
    keys.iter().map(without).collect()
}

fn urls_of(pair: &str) -> String {
    let pair: Value = serde_json::from_str(pair).expect("JSON");
    format!("{} {}", pair["url_a"], pair["url_b"])
}

#[test]
fn what_an_index_names_is_to_be_fetched() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |site: usize, lang: &str, name: usize| {
        let (url, code) =
            (format!("http://site{site}.org/{lang}/{name}.html"), if lang == "en" { "eng" } else { "fra" });
        format!(
            "x 20240501000000 {{\"url\": \"{url}\", \"mime\": \"text/html\", \"status\": \"200\", \"languages\": \"{code}\", \
             \"filename\": \"{site}.warc.gz\", \"offset\": \"{}\", \"length\": \"77\"}}\n",
            name * 100 + code.len()
        )
    };
    let lines = (0..5).flat_map(|site| (0..9).flat_map(move |name| ["en", "fr"].map(|lang| (site, lang, name))));
    let index = folder.path().join("index.cdxj");
    fs::write(&index, lines.map(|(site, lang, name)| line(site, lang, name)).collect::<String>())
        .expect("room on disk");
    let expected =
        assert_same(&[index, extent(packaging(), webserver())], &[], extent(&[(4, true)], &[(1, false), (4, true)]));
    assert_eq!(expected["fetch"].len(), 5 * 9 * 2);
}

#[test]
fn an_archive_that_is_given_twice_counts_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let again = folder.path().join("again.warc.gz");
    fs::copy(webserver(), &again).expect("room on disk");
    assert_same(&[webserver(), again], &[], &[(2, false)]);
}

#[test]
fn rows_that_are_missing_doubled_or_of_other_parts_are_refused() {
    let mut engine = Engine::new(2, &[], false);
    let (pages, archives) = engine.pages(&[webserver(), packaging()]).expect("it reads");
    let refused = |engine: &mut Engine, name: &str, rows: &[EngineRow], with: &[&Path], why: &str| {
        let error = engine.step(name, rows, with).expect_err(why).to_string();
        assert!(error.contains(why), "{name}: {error}");
    };
    let mut of_two = pages.clone();
    of_two[0].part = 9;
    refused(&mut engine, "keys", &of_two, &[&archives], "give those of one part");
    refused(&mut engine, "keys", &pages[..1], &[], "nothing is known of archive");
    refused(&mut engine, "rescue", &pages[..1], &[], "a row of kind page, expected store");
    let mut spoilt = pages[..1].to_vec();
    spoilt[0].data.as_mut().expect("pages").truncate(100);
    refused(&mut engine, "keys", &spoilt, &[&archives], "its data make no sense");
    let one: Vec<EngineRow> = pages.iter().filter(|row| row.part == pages[0].part).cloned().collect();
    let stores = of_kind(&engine.step("keys", &one, &[&archives]).expect("it runs"), "store");
    refused(&mut engine, "judge", &stores[1..], &[], "rows, expected");
    refused(&mut engine, "judge", &[&stores[..], &stores[..1]].concat(), &[], " twice");
    refused(&mut engine, "judge", &[&stores[1..], &stores[1..2]].concat(), &[], " twice");
    let mut outside = stores.clone();
    outside[0].name = "../outside".to_owned();
    refused(&mut engine, "judge", &outside, &[], "is no file of a store");
}

/// What data hold, as the program packs them: a length, then a frame of zstd.
fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    zstd::stream::decode_all(packed.get(4..)?).ok()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let frame = zstd::bulk::compress(bytes, 1).expect("memory");
    [&(bytes.len() as u32).to_le_bytes()[..], &frame].concat()
}

/// Changes one thing or two that bytes say: mostly a number, by another one.
fn spoil(bytes: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.roll(5) / 4 {
        if bytes.is_empty() {
            return;
        }
        let at = dice.roll(bytes.len() as u64) as usize;
        match dice.roll(10) {
            // The largest number of 32 bits, and of 64.
            0 => drop(bytes.splice(at..=at, [0xff, 0xff, 0xff, 0xff, 0x0f])),
            1 => drop(bytes.splice(at..=at, [[0xff; 9].as_slice(), &[1]].concat())),
            2 => drop(bytes.splice(at..=at, [0x80 | dice.roll(128) as u8, 1 + dice.roll(100) as u8])),
            3..6 => bytes[at] = bytes[at].wrapping_add(1 + dice.roll(3) as u8) & 0x7f,
            6 => bytes[at] = [0, 1, 0x7f, 0xff][dice.roll(4) as usize],
            7 => bytes[at] = dice.roll(256) as u8,
            8 => drop(bytes.splice(at..=at, [])),
            _ => bytes.insert(at, dice.roll(256) as u8),
        }
    }
}

/// Changes what the data of a row say, below what packs them.
fn spoil_data(row: &mut EngineRow, dice: &mut Dice) {
    let Some(data) = row.data.take() else { return };
    let again = |bytes: &[u8], dice: &mut Dice| {
        let mut unpacked = unpacked(bytes).unwrap_or_else(|| bytes.to_vec());
        spoil(&mut unpacked, dice);
        packed(&unpacked)
    };
    let is_joined = ["page", "text"].contains(&row.kind.as_str());
    row.data = Some(match data.first_chunk::<8>().filter(|_| is_joined) {
        Some(length) => {
            let (head, rest) = data[8..].split_at(u64::from_le_bytes(*length) as usize);
            let is_head = dice.roll(2) == 0;
            let head = if is_head { again(head, dice) } else { head.to_vec() };
            let rest = if row.kind == "text" && !is_head { again(rest, dice) } else { rest.to_vec() };
            [&(head.len() as u64).to_le_bytes()[..], &head, &rest].concat()
        }
        None if row.kind == "store" => {
            let mut bytes = data;
            spoil(&mut bytes, dice);
            bytes
        }
        None => again(&data, dice),
    });
}

fn spoil_row(row: &mut EngineRow, dice: &mut Dice) {
    let numbers = [0, 1, -1, 7, i64::from(i32::MAX), i64::from(u32::MAX), i64::MAX, i64::MIN];
    match dice.roll(12) {
        0 => row.number = numbers[dice.roll(8) as usize],
        1 => row.count = numbers[dice.roll(8) as usize],
        2 => row.part = [0, 1, -1, i32::MAX, i32::MIN][dice.roll(5) as usize],
        3 => row.name = ["", "-", "x.org", "fr-en", "\u{e9}\u{0}", "view/0.run"][dice.roll(6) as usize].to_owned(),
        _ => spoil_data(row, dice),
    }
}

#[test]
fn rows_that_say_anything_are_answered_or_refused() {
    let times: u64 = extent(8, 50);
    let folder = tempfile::tempdir().expect("a folder");
    let settings = [("rescue-above", "20")];
    let mut calls: BTreeMap<String, Vec<Call>> = BTreeMap::new();
    let runs = [
        (Engine::new(2, &settings, false), many_sites(folder.path())),
        (Engine::dividing(2, &settings, false), vec![packaging()]),
    ];
    for (mut engine, archives) in runs {
        engine.run(&archives).expect("it runs");
        for call in engine.calls.into_iter().filter(|call| !call.rows.is_empty()) {
            calls.entry(call.name.clone()).or_default().push(call);
        }
    }
    assert_eq!(calls.len() + 1, diglot::exec::STEPS.len(), "all steps but the one that names inputs");
    let (mut dice, mut outcomes, mut panics) = (Dice(11), [0, 0], Vec::new());
    let mut engine = Engine::new(2, &settings, false);
    for (name, calls) in &calls {
        for time in 0..times {
            let mut call = calls[dice.roll(calls.len() as u64) as usize].clone();
            let given = call.with.iter_mut().filter(|rows| !rows.is_empty());
            let mut rows: Vec<&mut EngineRow> = given.chain([&mut call.rows]).flatten().collect();
            // The files of stores have checksums of their own.
            if time % 4 > 0 && rows.iter().any(|row| row.kind != "store") {
                rows.retain(|row| row.kind != "store");
            }
            let at = dice.roll(rows.len() as u64) as usize;
            spoil_row(rows[at], &mut dice);
            let row = EngineRow { data: None, ..rows[at].clone() };
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.again(&call))) {
                Ok(Ok(_)) => outcomes[0] += 1,
                Ok(Err(error)) => {
                    outcomes[1] += 1;
                    println!("{name}: {row:?}: {error}");
                }
                Err(_) => panics.push(format!("{name}: {row:?}")),
            }
        }
    }
    println!("{outcomes:?}");
    assert!(panics.is_empty(), "{} panics: {panics:#?}", panics.len());
    assert!(outcomes.iter().all(|&count| count > 0));
}

/// The last line that a step says, and its exit code.
fn said(arguments: &[&str], rows: &[u8]) -> (i32, Value, Vec<u8>) {
    let output = fed(diglot(Path::new("unused.store")).arg("exec").args(arguments), rows);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    let line = serde_json::from_str(stderr.lines().last().unwrap_or_default());
    (output.status.code().expect("no signal"), line.unwrap_or_else(|_| panic!("no JSON: {stderr}")), output.stdout)
}

#[test]
fn a_step_says_what_it_did_or_why_not() {
    let input = EngineRow {
        part: -1,
        kind: "input".into(),
        name: webserver().display().to_string(),
        number: 3,
        count: 0,
        data: None,
    };
    let missing = EngineRow { name: root().join("no-such.warc").display().to_string(), number: 4, ..input.clone() };
    // The file that its bytes were copied to.
    let copied = EngineRow {
        name: "s3a://bucket/sites/webserver.warc.gz".into(),
        number: 5,
        data: Some(webserver().display().to_string().into_bytes()),
        ..input.clone()
    };
    let rows = written([&input, &missing, &copied].into_iter(), false);
    // A file that is not there may be there elsewhere, or later.
    let (code, report, _) = said(&["pages"], &rows);
    assert_eq!((code, &report["exit"]), (4, &4.into()), "{report}");
    let (code, report, out) = said(&["pages", "--keep-going"], &rows);
    assert_eq!((code, &report["step"], &report["rows_in"]), (0, &"pages".into(), &3.into()), "{report}");
    assert_eq!((&report["rows_out"]["refused"], &report["rows_out"]["archive"]), (&1.into(), &2.into()), "{report}");
    assert!(report["left_out"].as_object().is_some_and(|reasons| !reasons.is_empty()));
    assert!(!out.is_empty());
    let (hash, rows_out) = (report["hash"].clone(), report["rows_out"].clone());
    // The same rows in another order have the same hash.
    let turned = written([&input, &missing, &copied].into_iter(), true);
    assert_eq!(said(&["pages", "--keep-going"], &turned).1["hash"], report["hash"]);
    // Cut off, of another kind, no rows at all.
    let (code, report, _) = said(&["pages", "--keep-going"], &rows[..rows.len() - 8]);
    assert_eq!((code, &report["exit"]), (3, &3.into()));
    assert!(report["error"].as_str().is_some_and(|error| error.contains("cut off")), "{report}");
    assert_eq!(said(&["merge"], &rows).0, 3);
    assert_eq!(said(&["pages"], b"no rows").0, 3);
    assert_eq!(said(&["fly"], &rows).0, 2);
    assert_eq!(said(&["pages", "--preset", "best"], &rows).0, 2);
    let (code, report, _) = said(&["pages", "--min-score", "7"], &rows);
    assert_eq!((code, &report["error"]), (2, &"--min-score is 7, expected 0 to 1".into()));
    assert_eq!(said(&["pages", "--scratch", "/no/such/folder"], &rows).0, 4);
    // A file is whole, or as it was.
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["rows.parquet", "rows.arrows"] {
        let path = folder.path().join(name);
        fs::write(&path, "before").expect("room on disk");
        let to = ["-o", path.to_str().expect("UTF-8")];
        assert_eq!(said(&[&["pages"], &to[..]].concat(), &rows).0, 4);
        assert_eq!(fs::read(&path).expect("it is there"), b"before");
        let (code, again, _) = said(&[&["pages", "--keep-going"], &to[..]].concat(), &rows);
        assert_eq!((code, &again["hash"], &again["rows_out"]), (0, &hash, &rows_out));
        let rows = Input::open(&path).and_then(|mut input| input.all()).expect("whole");
        let counted = rows_out.as_object().expect("counts").values().filter_map(Value::as_u64).sum::<u64>();
        assert_eq!(rows.len() as u64, counted, "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing is left over");
}

#[cfg(target_os = "linux")]
#[test]
fn a_step_that_takes_more_memory_than_it_may_ends_by_itself() {
    let mut noise = 1u64;
    let mut bead = |number| {
        let mut next = || {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (noise >> 56) as u8
        };
        let data = Some((0..1 << 20).map(|_| next()).collect());
        EngineRow { part: 0, kind: "bead".into(), name: format!("site{number}.org"), number, count: 1, data }
    };
    let rows: Vec<EngineRow> = (0..160).map(&mut bead).collect();
    let (code, report, _) = said(&["merge", "--memory", "64M"], &written(rows.iter(), false));
    assert_eq!((code, &report["exit"]), (5, &5.into()), "{report}");
    assert!(report["error"].as_str().is_some_and(|error| error.contains("--memory")), "{report}");
}

#[test]
fn the_plan_is_told_whatever_store_the_environment_names() {
    let program = || Command::new(env!("CARGO_BIN_EXE_diglot"));
    let told = program().args(["exec", "--plan"]).env("DIGLOT_STORE", "some.store").output().expect("it runs");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let plan: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(plan["plan"][0]["name"], "02-pages");
    let both = program().args(["exec", "keys", "--plan"]).output().expect("it runs");
    assert_eq!(both.status.code(), Some(2), "a step has rows, and the plan has none");
}

#[test]
fn the_help_of_exec_names_every_step() {
    let output = Command::new(env!("CARGO_BIN_EXE_diglot")).args(["exec", "--help"]).output().expect("it starts");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    // As it is without the ends of its lines.
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for step in diglot::exec::STEPS {
        assert!(help.contains(step.name) && help.contains(step.about), "{} is not in {help}", step.name);
    }
    assert!(data("sites").exists());
}
