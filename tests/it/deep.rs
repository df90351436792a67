//! Deep pages, indexes, WAT and WET, exploring: what goes out to a crawler, and what comes back.

use std::fs;
use std::path::Path;

use crate::format::frames;
use crate::support::{Held, diglot, failure, gzip, langs_of, rows, run, stdout, tiny_site, write_warc};

const EN: &str = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
const FR: &str =
    "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée";

/// A page of a bilingual site, with links.
fn page(lang: &str, name: &str, links: &[String]) -> String {
    let text = if lang == "en" { EN } else { FR };
    let links: String = links.iter().map(|link| format!("<a href='{link}'>{link}</a>")).collect();
    format!("<html lang={lang}><title>{name}</title><body><p>{text}, {name}.</p><p>{text}.</p>{links}</body>")
}

fn write(path: &Path, pages: &[(String, String)]) {
    let responses: Vec<(&str, &str, &str)> =
        pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    write_warc(path, &responses);
}

/// A bilingual site of four pairs, each page linking to the other hosts.
fn bilingual(host: &str, links: &[&str]) -> Vec<(String, String)> {
    let links: Vec<String> = links.iter().map(|host| format!("http://{host}/")).collect();
    let names = ["art", "book", "city", "deer"];
    let of = |lang: &str, name: &str| (format!("http://{host}/{lang}/{name}.html"), page(lang, name, &links));
    names.iter().flat_map(|name| [of("en", name), of("fr", name)]).collect()
}

#[test]
fn what_is_asked_for_comes_back_as_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let site = bilingual("deep.test", &[]);
    let (hidden, seen): (Vec<_>, Vec<_>) = site.iter().cloned().partition(|(url, _)| url.ends_with("/fr/deer.html"));
    write(&at("seen.warc"), &seen);
    write(&at("hidden.warc"), &hidden);
    write(&at("all.warc"), &site);
    let (store, whole) = (at("s"), at("whole"));
    run(&store, &[&at("seen.warc")]);
    let outcomes = |store: &Path| -> Vec<(String, String)> {
        let text = |row: &serde_json::Map<_, _>, name: &str| row[name].as_str().expect("a text").to_owned();
        rows(store, &["recover"]).iter().map(|row| (text(row, "url"), text(row, "outcome"))).collect()
    };
    let deer = "http://deep.test/fr/deer.html".to_owned();
    assert_eq!(outcomes(&store), [(deer.clone(), "missing".to_owned())]);
    // Looking does not ask.
    assert_eq!(outcomes(&store), [(deer.clone(), "missing".to_owned())]);
    let list = at("list.txt").display().to_string();
    stdout(&store, &["--quiet", "recover", "-o", &list]);
    assert_eq!(fs::read_to_string(&list).expect("the list"), format!("{deer}\n"));
    // What was asked for is not asked for again, unless that is said.
    assert_eq!(outcomes(&store), [(deer.clone(), "requested".to_owned())]);
    assert_eq!(stdout(&store, &["--quiet", "recover", "-o", "-"]), "");
    assert_eq!(stdout(&store, &["--quiet", "recover", "--again", "-o", "-"]), format!("{deer}\n"));
    run(&store, &[&at("hidden.warc")]);
    assert_eq!(outcomes(&store), [(deer, "recovered".to_owned())]);
    run(&whole, &[&at("all.warc")]);
    let pairs = |store: &Path, method: &str| -> Vec<String> {
        let mut pairs = rows(store, &["pairs"]);
        pairs.retain(|row| method.is_empty() || row["method"] == method);
        pairs.iter().map(|row| format!("{} {} {}", row["url_a"], row["url_b"], row["key"])).collect()
    };
    assert_eq!(pairs(&store, ""), pairs(&whole, ""));
    assert_eq!(pairs(&store, "recovered").len(), 1);
}

/// `/fr/deer.html` and `/fr/city.html` are missing, and pages link to one of them.
#[test]
fn what_pages_link_to_is_asked_for_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a.warc"), folder.path().join("s"));
    let links = ["en/art", "en/book", "fr/art", "fr/book", "fr/deer"].map(|at| format!("http://deep.test/{at}.html"));
    let names = [("en", "art"), ("en", "book"), ("en", "city"), ("en", "deer"), ("fr", "art"), ("fr", "book")];
    let of = |(lang, name): (&str, &str)| (format!("http://deep.test/{lang}/{name}.html"), page(lang, name, &links));
    write(&archive, &names.map(of));
    run(&store, &[&archive]);
    let lines = rows(&store, &["--quiet", "recover"]);
    let told: Vec<_> = lines.iter().map(|row| (row["url"].as_str(), row["linked"].as_bool())).collect();
    let (deer, city) = ("http://deep.test/fr/deer.html", "http://deep.test/fr/city.html");
    assert_eq!(told, [(Some(deer), Some(true)), (Some(city), Some(false))]);
    // By hand: two of four pages have a partner, 1/2. Both French pages are linked to: g = 3/4, 1 − 1/2·1/4; odds of 1/4.
    let chances: Vec<_> = lines.iter().map(|row| row["chance"].as_f64()).collect();
    assert_eq!(chances, [Some(0.875), Some(0.2)]);
    let likely = rows(&store, &["--quiet", "recover", "--min-chance", "0.5"]);
    assert_eq!((likely.len(), likely[0]["url"].as_str()), (1, Some(deer)));
    let (code, message) = failure(diglot(&store).args(["recover", "--min-chance", "5"]));
    assert!(code == 2 && message.contains("--min-chance is 5, expected 0 to 1"), "{code} {message}");
}

#[test]
fn what_the_archives_left_out_is_not_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("tiny.warc"), folder.path().join("s"));
    tiny_site(&archive);
    let mut text = fs::read_to_string(&archive).expect("it was written");
    // /fr/gone.html is a 404; its English side is there.
    let gone = folder.path().join("gone.warc");
    write(&gone, &[("http://tiny.test/en/gone.html".to_owned(), page("en", "gone", &[]))]);
    text += &fs::read_to_string(&gone).expect("it was written");
    fs::write(&archive, text).expect("room on the disk");
    run(&store, &[&archive]);
    let rows = rows(&store, &["recover"]);
    let found: Vec<_> =
        rows.iter().map(|row| (row["url"].as_str(), row["outcome"].as_str(), row["detail"].as_str())).collect();
    assert_eq!(found, [(Some("http://tiny.test/fr/gone.html"), Some("left-out"), Some("http status not 200: 404"))]);
}

/// The lines of an index of pages, as Common Crawl writes them; without languages when `lang` is empty.
fn cdxj(pages: &[(String, String)], lang: impl Fn(&str) -> &'static str) -> String {
    let line = |(at, (url, _)): (usize, &(String, String))| {
        let lang = lang(url);
        let languages = if lang.is_empty() { String::new() } else { format!(", \"languages\": \"{lang}\"") };
        let offset = 9000 - at * 100;
        format!(
            "key 20240506070809 {{\"url\": \"{url}\", \"mime\": \"text/html\", \"status\": \"200\", \"length\": \"77\", \
             \"offset\": \"{offset}\", \"filename\": \"a.warc.gz\"{languages}}}\n"
        )
    };
    pages.iter().enumerate().map(line).collect()
}

#[test]
fn an_index_gives_pairs_and_what_to_fetch_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let site = bilingual("index.test", &[]);
    write(&at("all.warc"), &site);
    let whole = at("whole");
    run(&whole, &[&at("all.warc")]);
    let columns = |store: &Path| -> Vec<String> {
        rows(store, &["pairs"]).iter().map(|row| format!("{} {} {}", row["url_a"], row["url_b"], row["key"])).collect()
    };
    let expected = columns(&whole);
    assert_eq!(expected.len(), 4);
    // With the languages of the index, and with none.
    for (name, told) in [("told", true), ("untold", false)] {
        let (index, store) = (at(&format!("{name}.cdxj")), at(name));
        let lang = |url: &str| match (told, url.contains("/fr/")) {
            (false, _) => "",
            (true, true) => "fra,eng",
            (true, false) => "eng",
        };
        fs::write(&index, cdxj(&site, lang)).expect("room on the disk");
        run(&store, &[&index]);
        assert_eq!(columns(&store), expected, "{name}");
        let fetch = stdout(&store, &["export", "--what", "fetch"]);
        let offsets: Vec<u64> = fetch
            .lines()
            .skip(1)
            .map(|line| line.split('\t').nth(1).expect("an offset").parse().expect("a number"))
            .collect();
        assert!(fetch.starts_with("warc_filename\toffset\tlength\turl\na.warc.gz\t8300\t77\t"), "{fetch}");
        assert!(offsets.len() == 8 && offsets.is_sorted());
        if told {
            let others = stdout(&store, &["--quiet", "export", "--what", "fetch", "--langs", "en,de"]);
            assert_eq!(others.lines().count(), 1, "{others}");
            assert_eq!(stdout(&store, &["export", "--what", "fetch", "--langs", "fr,en"]), fetch);
        }
        let json = stdout(&store, &["export", "--what", "fetch", "--format", "jsonl"]);
        assert_eq!(json.lines().count(), 8);
        // When the captures come, there is nothing left to fetch; and a later index takes nothing back.
        run(&store, &[&at("all.warc")]);
        let later = at("later.cdxj");
        fs::write(&later, cdxj(&site, lang).replace("20240506", "20250506")).expect("room on the disk");
        run(&store, &[&later]);
        assert_eq!(columns(&store), expected, "{name}");
        assert_eq!(stdout(&store, &["--quiet", "export", "--what", "fetch"]).lines().count(), 1);
    }
}

/// The index of a WARC file whose records are members of gzip, and the file: the index's lines have their true places.
fn indexed(folder: &Path, pages: &[(String, String)]) -> String {
    let mut lines = String::new();
    let mut bytes = Vec::new();
    for (url, html) in pages {
        let plain = folder.join("one.warc");
        write(&plain, &[(url.clone(), html.clone())]);
        let member = gzip(&fs::read(&plain).expect("it was written"));
        let (offset, length) = (bytes.len(), member.len());
        let lang = if url.contains("/fr/") { "fra" } else { "eng" };
        lines += &format!(
            "key 20240506070809 {{\"url\": \"{url}\", \"mime\": \"text/html\", \"status\": \"200\", \"length\": \"{length}\", \
             \"offset\": \"{offset}\", \"filename\": \"crawl/a.warc.gz\", \"languages\": \"{lang}\"}}\n"
        );
        bytes.extend(member);
    }
    fs::create_dir_all(folder.join("crawl")).expect("room on the disk");
    fs::write(folder.join("crawl/a.warc.gz"), bytes).expect("room on the disk");
    lines
}

/// A list of ranges that `export --what fetch` has written gives the pages that the archives have there.
#[test]
fn ranges_are_read_out_of_their_archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let mut site = bilingual("ranges.test", &[]);
    // In no pair, so not to be fetched.
    site.push(("http://ranges.test/alone.html".to_owned(), page("en", "alone", &[])));
    let index = at("a.cdxj");
    fs::write(&index, indexed(folder.path(), &site)).expect("room on the disk");
    let (whole, known) = (at("whole"), at("known"));
    run(&whole, &[&at("crawl/a.warc.gz")]);
    run(&known, &[&index]);
    let listed = |store: &Path, what: &str| stdout(store, &["-q", "export", "--what", what, "--format", "tsv"]);
    // The page in no pair stands beside one that is, which moves its score a little.
    let without_scores = |store: &Path| -> Vec<Vec<String>> {
        let cells = |line: &str| {
            line.split('\t').map(str::to_owned).enumerate().filter(|(at, _)| *at != 4).map(|(_, cell)| cell).collect()
        };
        listed(store, "pairs").lines().map(cells).collect()
    };
    let endings: &[&str] = if cfg!(feature = "parquet") { &["tsv", "tsv.gz", "parquet"] } else { &["tsv", "tsv.gz"] };
    for ending in endings {
        let (list, store) = (at(&format!("ranges.{ending}")), at(&format!("of-{ending}")));
        diglot(&known).args(["-q", "export", "--what", "fetch", "-o"]).arg(&list).assert().success();
        run(&store, &[&list]);
        assert_eq!(without_scores(&store), without_scores(&whole), "{ending}");
        // Where each sentence stands: the place of its record, in the file that the list names.
        let sentences = |store: &Path| -> Vec<String> {
            let keep = |row: &serde_json::Map<String, serde_json::Value>| {
                format!("{} {} {}", row["text_a"], row["text_b"], row["offset_a"])
            };
            rows(store, &["export", "--what", "bitext"]).iter().map(keep).collect()
        };
        assert_eq!(sentences(&store), sentences(&whole), "{ending}");
        assert!(!sentences(&store).is_empty());
        let status = stdout(&store, &["status", "--archives", "--format", "tsv"]);
        assert!(status.contains("list of ranges, ") && status.contains(" read, 8 pages"), "{status}");
        assert_eq!(listed(&store, "fetch").lines().count(), 1, "nothing is left to fetch");
    }
    // From another folder, which is named.
    let moved = at("elsewhere");
    fs::create_dir(&moved).expect("room on the disk");
    fs::rename(at("ranges.tsv"), moved.join("ranges.tsv")).expect("room on the disk");
    let (code, stderr) = failure(diglot(&at("s")).arg("run").arg(moved.join("ranges.tsv")));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("a.warc.gz, which is not there") && stderr.contains("--archives DIR"), "{stderr}");
    diglot(&at("s"))
        .args(["-q", "run"])
        .arg(moved.join("ranges.tsv"))
        .arg("--archives")
        .arg(folder.path())
        .assert()
        .success();
    assert_eq!(without_scores(&at("s")), without_scores(&whole));
}

/// Rows that name no record are counted, and cost no other row.
#[test]
fn ranges_without_a_record_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let site = bilingual("ranges.test", &[]);
    indexed(folder.path(), &site);
    let list = at("ranges.tsv");
    let rows_of = "url\toffset\twarc_filename\tlength\n\
        x\t0\tcrawl/a.warc.gz\t0\n\
        x\tone\tcrawl/a.warc.gz\t9\n\
        x\t7\tcrawl/a.warc.gz\t20\n\
        x\t99999999\tcrawl/a.warc.gz\t20\n\
        x\t0\tcrawl/a.warc.gz\t40\n\
        x\n";
    fs::write(&list, rows_of).expect("room on the disk");
    diglot(&at("s")).args(["-q", "run"]).arg(&list).assert().success();
    let status = stdout(&at("s"), &["status", "--archives", "--format", "tsv"]);
    assert!(status.contains("\t6\tlist of ranges, ") && status.contains(" read, 1 page"), "{status}");
    for said in [
        "offset is \"\"one\"\", expected a number",
        "row: crawl/a.warc.gz at byte 8: ",
        "row: crawl/a.warc.gz ends before byte 99999999",
        "offset is \"\"\"\", expected a number",
    ] {
        assert!(status.contains(said), "{said}: {status}");
    }
}

/// Common Crawl's columnar index of these pages, each with the languages it names.
#[cfg(feature = "parquet")]
fn parquet(path: &Path, pages: &[(String, &str)]) {
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    let schema = "message index { required binary url (UTF8); required int64 fetch_time (TIMESTAMP_MILLIS);
        required int32 fetch_status; required binary content_languages (UTF8); required binary warc_filename (UTF8);
        required int32 warc_record_offset; required int32 warc_record_length; }";
    let schema = std::sync::Arc::new(parquet::schema::parser::parse_message_type(schema).expect("a schema"));
    let file = fs::File::create(path).expect("room on the disk");
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(file, schema, Default::default()).expect("a schema");
    let mut group = writer.next_row_group().expect("a file");
    let bytes = |of: &dyn Fn(&(String, &str)) -> String| -> Vec<ByteArray> {
        pages.iter().map(|page| ByteArray::from(of(page).as_str())).collect()
    };
    let texts = [bytes(&|page| page.0.clone()), bytes(&|page| page.1.to_owned()), bytes(&|_| "a.warc.gz".into())];
    let mut at = 0;
    while let Some(mut column) = group.next_column().expect("a column") {
        match at {
            0 => column.typed::<ByteArrayType>().write_batch(&texts[0], None, None),
            1 => column.typed::<Int64Type>().write_batch(&vec![1_715_997_490_000; pages.len()], None, None),
            3 | 4 => column.typed::<ByteArrayType>().write_batch(&texts[at - 2], None, None),
            _ => column.typed::<Int32Type>().write_batch(&vec![200; pages.len()], None, None),
        }
        .expect("values");
        column.close().expect("a column");
        at += 1;
    }
    group.close().expect("a group");
    writer.close().expect("a file");
}

/// ISO 639-3, the main language first: as `content_languages` of Parquet, and as `languages` of CDXJ.
#[test]
#[cfg(feature = "parquet")]
fn languages_of_an_index_are_those_of_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let languages =
        [("one", "eng"), ("two", "deu,eng"), ("three", "zho,eng,deu"), ("four", "jpn"), ("five", "nld,ger")];
    let url = |lang: &str, name: &str| format!("http://codes.test/{lang}/{name}.html");
    let pages: Vec<(String, &str)> = languages
        .iter()
        .flat_map(|&(lang, codes)| ["art", "book", "city"].map(|name| (url(lang, name), codes)))
        .chain([(url("six", "deer"), "xx-unknown,!")])
        .collect();
    parquet(&at("index.parquet"), &pages);
    let plain: Vec<(String, String)> = pages.iter().map(|page| (page.0.clone(), String::new())).collect();
    let codes = |url: &str| pages.iter().find(|page| page.0 == url).expect("a page").1;
    let told = |url: &str| -> &'static str {
        let known = languages.iter().map(|language| language.1).find(|known| *known == codes(url));
        known.unwrap_or("xx-unknown,!")
    };
    fs::write(at("index.cdxj"), cdxj(&plain, told)).expect("room on the disk");
    for name in ["index.parquet", "index.cdxj"] {
        let store = at(&format!("{name}.store"));
        run(&store, &[&at(name)]);
        let hosts = rows(&store, &["hosts"]);
        // `xx` is a code of two letters, as any could be.
        assert_eq!(langs_of(&hosts[0]), "de:3 en:3 ja:3 nl:3 xx:1 zh:3", "{name}");
        // None of words, of which there are none: the last page stays alone.
        assert_eq!(rows(&store, &["pairs"]).len(), 3 * 10, "{name}");
    }
}

#[test]
fn an_index_tells_where_wanted_pages_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let mut site = bilingual("where.test", &[]);
    write(&at("seen.warc"), &site[..7]);
    run(&at("s"), &[&at("seen.warc")]);
    site.drain(..7);
    fs::write(at("index.cdxj"), cdxj(&site, |_| "")).expect("room on the disk");
    let index = at("index.cdxj").display().to_string();
    let rows = rows(&at("s"), &["--quiet", "recover", "--index", &index]);
    assert_eq!((rows.len(), rows[0]["outcome"].as_str()), (1, Some("indexed")));
    assert_eq!(rows[0]["detail"], "a.warc.gz 9000 77");
    let archive = at("seen.warc").display().to_string();
    let (code, message) = failure(diglot(&at("s")).args(["--quiet", "recover", "--index", &archive]));
    assert!(code == 1 && message.contains("is an archive, expected an index"), "{message}");
}

/// A WARC of one record of another type.
fn write_record(path: &Path, kind: &str, content_type: &str, url: &str, block: &str) {
    let length = block.len();
    let record = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
         WARC-Record-ID: <urn:x>\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
    );
    fs::write(path, record).expect("room on the disk");
}

/// Text comes with the WET, links with the WAT, in whatever order; then the page itself has both.
/// The hosts that the links of [`text_and_links_of_a_page_come_together`] lead to.
const HOSTS: [&str; 2] = ["other.example.net", "own.example.com"];

#[test]
fn text_and_links_of_a_page_come_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let wat = r#"{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"},"Payload-Metadata":{"HTTP-Response-Metadata":{
        "Response-Message":{"Status":"200"},"Headers":{"Content-Type":"text/html"},"HTML-Metadata":{"Head":{"Title":"A"},
        "Links":[{"path":"A@/href","url":"http://other.example.net/"}]}}}}}"#;
    let url = "http://both.test/en/a.html";
    write_record(&at("a.wat"), "metadata", "application/json", url, wat);
    write_record(&at("a.wet"), "conversion", "text/plain", url, &format!("A\n{EN}.\n{EN}."));
    write(&at("a.warc"), &[(url.to_owned(), page("en", "a", &["http://own.example.com/".into()]))]);
    for (name, order) in [("s", ["a.wat", "a.wet"]), ("t", ["a.wet", "a.wat"])] {
        let outside = |wanted: &str| {
            let bytes = fs::read(at(name).join("graphs/000000.rec")).expect("it is there");
            let last = String::from_utf8_lossy(frames(&bytes, 6).last().expect("a site")).into_owned();
            let hosts: Vec<&str> = HOSTS.into_iter().filter(|host| last.contains(host)).collect();
            assert_eq!(hosts, [wanted], "{name}");
        };
        run(&at(name), &[&at(order[0])]);
        run(&at(name), &[&at(order[1])]);
        outside("other.example.net");
        let hosts = rows(&at(name), &["hosts"]);
        assert_eq!((hosts.len(), langs_of(&hosts[0])), (1, "en:1".to_owned()));
        run(&at(name), &[&at("a.warc")]);
        outside("own.example.com");
    }
}

/// An archive without a page: every stage is done with it, and nothing is named, nor remembered as a round.
#[test]
fn of_an_archive_without_pages_all_is_done_and_nothing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a.warc"), folder.path().join("s"));
    write_warc(&archive, &[("http://gone.test/", "404 Not Found", "gone")]);
    run(&store, &[&archive]);
    let stages = rows(&store, &["status"]).into_iter().filter(|row| row["what"] == "stage");
    let states: Vec<_> = stages.map(|row| (row["name"].to_string(), row["detail"].to_string())).collect();
    assert!(states.len() == 7 && states.iter().all(|(_, state)| state.contains("fresh")), "{states:?}");
    for arguments in [&["--quiet", "explore"][..], &["--quiet", "explore", "--rounds"], &["--quiet", "recover"]] {
        assert_eq!(rows(&store, arguments).len(), 0, "{arguments:?}");
    }
}

#[test]
fn bilingual_sites_name_the_next_ones_and_rounds_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let mut sites = bilingual("a.test", &["b.test", "next.example.net", "plain.example.com"]);
    sites.extend(bilingual("b.test", &["a.test", "next.example.net"]));
    // A site in one language links, and has no say.
    sites.push(("http://mono.test/".into(), page("en", "mono", &["http://other.example.org/".into()])));
    write(&at("seeds.warc"), &sites);
    let store = at("s");
    run(&store, &[&at("seeds.warc")]);
    let named = |arguments: &[&str]| -> Vec<String> {
        rows(&store, arguments).iter().map(|row| row["site"].as_str().expect("a name").to_owned()).collect()
    };
    for by in ["linkout", "pagerank", "weighted"] {
        let sites = named(&["--quiet", "explore", "--by", by]);
        assert_eq!(sites, ["next.example.net", "plain.example.com"], "{by}");
    }
    let list = stdout(&store, &["--quiet", "explore", "-o", "-"]);
    assert_eq!(list, "http://next.example.net/\nhttp://plain.example.com/\n");
    let domains = named(&["--quiet", "explore", "--by-domain", "--top", "1"]);
    assert_eq!(domains, ["example.net"]);
    let first = &rows(&store, &["--quiet", "explore", "--by", "linkout"])[0];
    // Both seeds link to it, eight pages each; each seed links to the other one.
    assert_eq!(
        (first["seeds"].as_u64(), first["links"].as_u64(), first["linkout"].as_u64()),
        (Some(2), Some(16), Some(2))
    );
    assert_eq!(first["pagerank"].as_f64(), Some(1.0));
    let ranks = rows(&store, &["--quiet", "hosts", "--sort", "rank"]);
    let ranks: Vec<_> = ranks.iter().map(|row| (row["host"].as_str().expect("a name"), row["rank"].as_f64())).collect();
    assert_eq!(ranks, [("a.test", Some(0.5)), ("b.test", Some(0.5)), ("mono.test", Some(0.0))]);
    // The next round: one of the two comes, and is bilingual.
    write(&at("next.warc"), &bilingual("next.example.net", &[]));
    run(&store, &[&at("next.warc")]);
    assert_eq!(named(&["--quiet", "explore"]), ["plain.example.com"]);
    let rounds = rows(&store, &["--quiet", "explore", "--rounds"]);
    let first = rounds.first().expect("a round");
    assert_eq!(
        (first["requested"].as_u64(), first["arrived"].as_u64(), first["bilingual"].as_u64()),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!((first["pairs"].as_u64(), first["seeds"].as_u64()), (Some(4), Some(2)));
    // Three ranks, by domain, and of the new graph: what was asked before is no new round.
    assert_eq!(rounds.len(), 5);
    assert_eq!(rounds.last().expect("a round")["seeds"].as_u64(), Some(3));
}
