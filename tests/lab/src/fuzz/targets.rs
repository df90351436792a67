//! What is tried: each parser, with what it must keep to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diglot::config::Config;
use diglot::laboratory::archive::{self, Item};
use diglot::laboratory::extract;
use diglot::laboratory::store::{BatchRecord, RecordFile, RecordRef, START, StoredPage, block, encode, page_of_block};
use diglot::store::{Access, Store};
use diglot::types::{CanonicalUrl, Capture, Form, Lang, RawRecord, host_of, registrable_domain, without_session};
use tempfile::TempDir;

use super::mutate::{mutate, mutate_values};
use super::rows::Steps;
use super::sealed::{self, Sealed};
use super::zim_sample::{Layout, Sample};
use super::{seeds, shaped};
use crate::Result;
use crate::dice::Dice;

/// What an input came to: nothing, or what is wrong.
type Outcome = std::result::Result<(), String>;

/// Tries an input.
type Test = dyn FnMut(&[u8], u64) -> Outcome;

/// Makes an input of a seed, and of another one that parts of it may come from.
type Make = dyn Fn(&[u8], &[u8], &mut Dice) -> Vec<u8>;

/// A parser and all it takes to try it.
pub struct Work {
    /// What inputs are made of.
    pub seeds: Vec<Vec<u8>>,
    /// Makes an input.
    pub make: Box<Make>,
    /// Tries an input, whose number is given too.
    pub test: Box<Test>,
}

/// A parser.
pub struct Target {
    /// Its name for `--target`.
    pub name: &'static str,
    /// The most memory an input may take, in bytes.
    pub max_held_bytes: u64,
    /// The longest time an input may take. One that took more is tried again, since the machine may have been busy.
    pub max_seconds: f64,
    /// Makes ready.
    pub open: fn() -> Result<Work>,
}

/// Several times the longest body, which is 1 MiB here.
const USUAL_BYTES: u64 = 256 << 20;
/// Commands that do much by themselves take so long.
const LONG_SECONDS: f64 = 10.0;

const fn target(name: &'static str, open: fn() -> Result<Work>) -> Target {
    Target { name, max_held_bytes: USUAL_BYTES, max_seconds: 1.0, open }
}

/// All of them.
pub const TARGETS: &[Target] = &[
    target("warc", warc),
    target("arc", arc),
    target("index", index),
    target("answers", answers),
    target("ranges", ranges),
    target("parquet", parquet),
    target("wacz", wacz),
    target("parcels", parcels),
    target("zim", zim),
    target("httrack", httrack),
    target("pages", pages),
    target("mhtml", mhtml),
    target("http", http),
    target("wat", wat),
    target("html", html),
    target("url", url),
    target("page", page),
    target("record-file", record_file),
    target("store", store),
    target("sealed", sealed_store),
    Target { max_seconds: LONG_SECONDS, ..target("upkeep", upkeep) },
    Target { max_seconds: LONG_SECONDS, ..target("rows", steps) },
];

/// Longer archives are not read on from a position within them: it takes the square of their length.
const MAX_ITEMS: usize = 5000;

/// Bytes are changed, and made into a file by the last step: compression, mostly.
fn changed(wrap: fn(Vec<u8>, &mut Dice) -> Vec<u8>) -> Box<Make> {
    Box::new(move |seed, other, dice| {
        let mut bytes = seed.to_vec();
        mutate(&mut bytes, other, dice);
        wrap(bytes, dice)
    })
}

fn as_it_is(bytes: Vec<u8>, _: &mut Dice) -> Vec<u8> {
    bytes
}

/// Values are changed behind a head, which is changed now and then.
fn values_behind<const HEAD: usize>() -> Box<Make> {
    Box::new(|seed, other, dice| {
        let (mut head, mut bytes) = (seed[..HEAD].to_vec(), seed[HEAD..].to_vec());
        mutate_values(&mut bytes, &other[HEAD..], dice);
        if dice.roll(4) == 0 {
            let last = if dice.roll(4) == 0 { 0 } else { HEAD - 1 };
            head[last] = dice.next() as u8;
        }
        [head, bytes].concat()
    })
}

fn params() -> archive::Params {
    archive::Params { max_record_bytes: 1 << 20, max_window_bytes: 8 << 20, ..archive::Params::default() }
}

/// All items from a position on, each with the position behind it.
fn items(path: &Path, position: u64) -> std::result::Result<Vec<(Item, u64)>, String> {
    let mut archive = match archive::open(path, position, &params()) {
        Ok(archive) => archive,
        // Damage at the very beginning.
        Err(_) if position == 0 => return Ok(Vec::new()),
        Err(error) => return Err(format!("cannot be opened at {position}: {error}")),
    };
    let mut items = Vec::new();
    // What cannot be read on is an error of its environment: a zip whose parts lie beyond its end, for instance.
    while let Ok(Some(item)) = archive.next() {
        items.push((item, archive.position()));
        if items.len() > 1 << 20 {
            return Err("reading does not end".to_owned());
        }
    }
    Ok(items)
}

/// Reads an archive, works on its records, and reads it again from some position on.
fn read_archive(path: &Path, input: u64) -> Outcome {
    let all = items(path, 0)?;
    let config = Config::default();
    for (item, _) in all.iter().take(50) {
        if let Item::Record(record) = item
            && let Ok(capture) = archive::capture(record.clone(), &params())
            && let Ok(url) = CanonicalUrl::parse(&capture.url)
        {
            let _ = extract::extract(&capture, &url, &config.extract);
        }
    }
    if !all.is_empty() && all.len() <= MAX_ITEMS {
        let at = input as usize % all.len();
        let rest = items(path, all[at].1)?;
        if rest != all[at + 1..] {
            let first = rest.iter().zip(&all[at + 1..]).position(|(found, expected)| found != expected);
            let first = first.unwrap_or(rest.len().min(all.len() - at - 1));
            let (found, expected) = (shown(rest.get(first)), shown(all.get(at + 1 + first)));
            let position = all[at].1;
            return Err(format!("behind item {at} ({position:x}), item {first} is {found}, expected {expected}"));
        }
    }
    Ok(())
}

/// An item, for a person.
fn shown(item: Option<&(Item, u64)>) -> String {
    match item {
        Some((Item::Record(record), position)) => {
            format!("{} at {}, {} bytes ({position:x})", record.url, record.offset, record.block.len())
        }
        Some((Item::Skip(skip), position)) => {
            format!("{:?} at {}: {} ({position:x})", skip.reason, skip.offset, skip.detail)
        }
        None => "nothing".to_owned(),
    }
}

/// A parser of files, which are written for it.
fn of_files(seeds: Vec<Vec<u8>>, make: Box<Make>) -> Result<Work> {
    let folder = TempDir::new()?;
    let test = move |bytes: &[u8], input: u64| {
        let path = folder.path().join("archive");
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
        read_archive(&path, input)
    };
    Ok(Work { seeds, make, test: Box::new(test) })
}

fn warc() -> Result<Work> {
    of_files(seeds::warcs()?, changed(seeds::compress))
}

fn arc() -> Result<Work> {
    of_files(seeds::arcs()?, changed(seeds::compress))
}

fn index() -> Result<Work> {
    let lines = seeds::INDEX_LINES;
    let mut files: Vec<Vec<u8>> = lines.iter().map(|line| format!("{line}\n").into_bytes()).collect();
    files.push(lines[..2].join("\n").into_bytes());
    files.push(lines[2..].join("\n").into_bytes());
    of_files(files, of_lines())
}

/// Answers of CDX servers.
fn answers() -> Result<Work> {
    let head = r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;
    let row = r#"["org,ex)/","20020120142510","http://ex.org:80/a[1]","text/html","200","HT2DYGA5UKZCPBSFVCV3JOBXGW2G5UUA","1792"]"#;
    let line = "org,ex)/ 20020120142510 http://ex.org:80/ text/html 200 HT2DYGA5UKZCPBSFVCV3JOBXGW2G5UUA 1792\n";
    let answers = [
        format!("[{head},\n{row},\n{row}]\n"),
        format!("[{row},{row},[],[\"org%2Cex\"]]"),
        line.repeat(3) + "\norg%2Cex\n",
    ];
    of_files(answers.map(String::into_bytes).into(), changed(seeds::compress))
}

/// Fields of lines are changed, mostly, or bytes.
fn of_lines() -> Box<Make> {
    Box::new(|seed, other, dice| {
        let mut bytes = seed.to_vec();
        if dice.roll(4) > 0 {
            bytes = shaped::change_index(seed, other, dice);
        } else {
            mutate(&mut bytes, other, dice);
        }
        seeds::compress(bytes, dice)
    })
}

/// Lists of ranges beside the archives that they name.
fn ranges() -> Result<Work> {
    let folder = TempDir::new()?;
    let warcs = seeds::warcs()?;
    fs::write(folder.path().join("a.warc.gz"), seeds::gzip(&warcs[0])?)?;
    fs::write(folder.path().join("b.warc"), &warcs[1])?;
    let test = move |bytes: &[u8], input: u64| {
        let path = folder.path().join("ranges.tsv");
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
        read_archive(&path, input)
    };
    Ok(Work { seeds: vec![seeds::RANGES.as_bytes().to_vec()], make: of_lines(), test: Box::new(test) })
}

fn wacz() -> Result<Work> {
    let make = |seed: &[u8], other: &[u8], dice: &mut Dice| {
        let halves = seed.split_at(seed.len() / 2);
        let entry = |name: &str, body: Vec<u8>| shaped::Entry { name: name.into(), body, ..shaped::Entry::default() };
        let mut entries = vec![
            entry("datapackage.json", b"{\"profile\": \"data-package\", \"resources\": []}".to_vec()),
            entry("archive/a.warc", halves.0.to_vec()),
            entry("archive/b.warc.gz", seeds::compress(halves.1.to_vec(), dice)),
            entry("archive/c.warc.gz", seeds::gzip(other).unwrap_or_default()),
            entry("indexes/index.cdx", seeds::INDEX_LINES.join("\n").into_bytes()),
        ];
        shaped::change_entries(&mut entries, other, dice);
        let mut bytes = shaped::zip(&entries, dice);
        // Zips themselves are changed too.
        if dice.roll(4) == 0 {
            mutate(&mut bytes, other, dice);
        }
        bytes
    };
    of_files(seeds::warcs()?, Box::new(make))
}

/// Tarballs of WARC files in further compressions and of a WACZ, or those files by themselves.
fn parcels() -> Result<Work> {
    let make = |seed: &[u8], other: &[u8], dice: &mut Dice| {
        let halves = seed.split_at(seed.len() / 2);
        let (xz, bzip2) = (seeds::xz(halves.0).unwrap_or_default(), seeds::bzip2(halves.1).unwrap_or_default());
        let entry = |body: &[u8]| shaped::Entry {
            name: "archive/a.warc".into(),
            body: body.into(),
            ..shaped::Entry::default()
        };
        let wacz = shaped::zip(&[entry(other)], dice);
        let mut bytes = match dice.roll(6) {
            0 => xz,
            1 => bzip2,
            2 => shaped::zip(&[shaped::Entry { name: "a.wacz".into(), body: wacz, ..shaped::Entry::default() }], dice),
            _ => [
                seeds::tar_entry("././@LongLink", b'L', b"crawl/a.warc.xz\0"),
                seeds::tar_entry("x", b'0', &xz),
                seeds::tar_entry("x", b'x', b"20 path=a/b.warc.bz2\n"),
                seeds::tar_entry("b.warc.bz2", b'0', &bzip2),
                seeds::tar_entry("c.wacz", b'0', &wacz),
                vec![0; 1024],
            ]
            .concat(),
        };
        mutate(&mut bytes, other, dice);
        // The checksums of headers fit again, mostly.
        if dice.roll(4) > 0 {
            seeds::fit_tar(&mut bytes);
        }
        bytes
    };
    of_files(seeds::warcs()?, Box::new(make))
}

/// ZIM files with pages of a seed, in clusters of any kind, of which bytes are changed.
fn zim() -> Result<Work> {
    let make = |seed: &[u8], other: &[u8], dice: &mut Dice| {
        let coding = [1, 1, 4, 5][dice.roll(4) as usize];
        let (is_new, is_wide) = (dice.roll(2) == 0, dice.roll(4) == 0);
        let mut zim = Sample::new(Layout { is_new, coding, is_wide, blobs: 1 + dice.roll(4) as usize });
        zim.add(b'M', "Source", "text/plain", b"https://ex.org/");
        if dice.roll(4) == 0 {
            zim.add(b'M', "Scraper", "text/plain", b"warc2zim 2.0");
        }
        let namespace = if is_new { b'C' } else { b'A' };
        for (at, page) in [seed, other, b"<a href='../A/x'>", b""].iter().enumerate() {
            zim.add(namespace, &format!("ex.org/{at}?x"), "text/html", page);
        }
        zim.add(namespace, "i", "image/png", b"x");
        zim.redirect(namespace, "r", namespace, "i");
        zim.alias(namespace, "s", "ex.org/0?x");
        let mut bytes = zim.bytes();
        mutate(&mut bytes, other, dice);
        bytes
    };
    of_files(seeds::pages()?, Box::new(make))
}

fn parquet() -> Result<Work> {
    of_files(vec![table(3, 2)?, table(1, 40)?], changed(as_it_is))
}

/// An index in columns as Common Crawl has them: so many groups of so many rows.
fn table(groups: usize, rows: usize) -> Result<Vec<u8>> {
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;

    let schema = parquet::schema::parser::parse_message_type(
        "message index { required binary url (UTF8); optional int64 fetch_time (TIMESTAMP_MILLIS);
        optional int32 fetch_status; optional binary content_languages (UTF8); required binary warc_filename (UTF8);
        required int32 warc_record_offset; required int32 warc_record_length; }",
    )?;
    let properties = WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    for _ in 0..groups {
        let mut columns = writer.next_row_group()?;
        let texts = |of: &dyn Fn(usize) -> String| -> Vec<ByteArray> {
            (0..rows).map(|row| ByteArray::from(of(row).as_str())).collect()
        };
        let (there, mut at) = (vec![1; rows], 0);
        while let Some(mut column) = columns.next_column()? {
            match at {
                0 => column.typed::<ByteArrayType>().write_batch(
                    &texts(&|row| format!("http://ex.org/{row}")),
                    None,
                    None,
                ),
                1 => column.typed::<Int64Type>().write_batch(&vec![1_715_997_490_000; rows], Some(&there), None),
                2 => column.typed::<Int32Type>().write_batch(&vec![200; rows], Some(&there), None),
                3 => column.typed::<ByteArrayType>().write_batch(&texts(&|_| "fra,eng".into()), Some(&there), None),
                4 => column.typed::<ByteArrayType>().write_batch(&texts(&|_| "a.warc.gz".into()), None, None),
                _ => column.typed::<Int32Type>().write_batch(&vec![77; rows], None, None),
            }?;
            column.close()?;
            at += 1;
        }
        columns.close()?;
    }
    Ok(writer.into_inner()?)
}

/// Files of which one is changed at a time. A seed is the number of a file in two bytes, and its bytes.
struct Folder {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Folder {
    /// A copy of `from`, of whose files those that `is_wanted` takes are changed.
    fn copy(from: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Folder> {
        let folder = TempDir::new()?;
        let (mut files, mut left) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(inner) = left.pop() {
            fs::create_dir_all(folder.path().join(&inner))?;
            for entry in fs::read_dir(from.join(&inner))? {
                let entry = entry?;
                let name = inner.join(entry.file_name());
                if entry.file_type()?.is_dir() {
                    left.push(name);
                    continue;
                }
                let bytes = fs::read(entry.path())?;
                fs::write(folder.path().join(&name), &bytes)?;
                if is_wanted(&name) {
                    files.push((name, bytes));
                }
            }
        }
        files.sort();
        Ok(Folder { folder, files })
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let seed =
            |(at, (_, bytes)): (usize, &(PathBuf, Vec<u8>))| [&(at as u16).to_le_bytes(), bytes.as_slice()].concat();
        self.files.iter().enumerate().map(seed).collect()
    }

    /// Does `work` on the folder while one of its files is as the input says.
    fn with(&self, input: &[u8], work: impl FnOnce(&Path) -> Outcome) -> Outcome {
        let Some((number, bytes)) = input.split_first_chunk::<2>() else { return Ok(()) };
        let (name, whole) = &self.files[usize::from(u16::from_le_bytes(*number)) % self.files.len()];
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self.folder.path())));
        fs::write(&path, whole).map_err(|error| error.to_string())?;
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn httrack() -> Result<Work> {
    let is_small = |name: &Path| name.starts_with("hts-cache") || name.ends_with("index.html");
    let folder = Folder::copy(&seeds::repository("data/sites/packaging"), is_small)?;
    let seeds = folder.seeds();
    let test = move |bytes: &[u8], input: u64| folder.with(bytes, |path| read_archive(path, input));
    let make = |seed: &[u8], other: &[u8], dice: &mut Dice| {
        let (number, bytes) = seed.split_at(2);
        let mut bytes = bytes.to_vec();
        if dice.roll(4) == 0 {
            mutate(&mut bytes, &other[2..], dice);
        } else if bytes.starts_with(b"PK") {
            let mut entries = shaped::entries(&bytes);
            shaped::change_entries(&mut entries, &other[2..], dice);
            bytes = shaped::zip(&entries, dice);
        } else {
            shaped::change_saved(&mut bytes, &other[2..], dice);
        }
        [number, &bytes].concat()
    };
    Ok(Work { seeds, make: Box::new(make), test: Box::new(test) })
}

/// Pages in MHTML.
fn mhtml() -> Result<Work> {
    let file = |(at, page): (usize, Vec<u8>)| {
        let (coding, body) = match at % 3 {
            0 => ("8bit", page),
            1 => ("quoted-printable", page.iter().flat_map(|byte| format!("={byte:02X}").into_bytes()).collect()),
            _ => ("base64", b"PHAgY2xhc3M9eD5jYWbpIGFuZCBt\r\nb3Jl".to_vec()),
        };
        let head = format!(
            "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://ex.org/a?b=3Dc\r\nSubject: =?utf-8?Q?x?=\r\n\
             Date: Sat, 28 Nov 2026 12:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\
             \ttype=\"text/html\"; boundary=\"--b\"\r\n\r\n----b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n\
             --c\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: {coding}\r\n\
             Content-Location: https://ex.org/part\r\n\r\n"
        );
        let tail = b"\r\n--c--\r\n----b\r\nContent-Type: message/rfc822\r\n\r\nFrom: x\r\n\r\ny\r\n----b--\r\n";
        [head.as_bytes(), &body, tail].concat()
    };
    of_files(seeds::pages()?.into_iter().enumerate().map(file).collect(), changed(as_it_is))
}

/// A folder of pages: a seed is the name of a file, a zero byte, and what the file holds.
fn pages() -> Result<Work> {
    let names = [
        "ex.org/index.html",
        "ex.org/a/page?x=1&y=%2F.html",
        "http/ex.org:8080/a.php.html",
        "ex.org/b.html.1",
        "a/b@x=1.html",
        "c.html.orig",
    ];
    let notes = [
        "<!-- saved from url=(0016)https://ex.org/n -->",
        "<html><!--\n Page saved with SingleFile \n url: https://ex.org/s \n saved date: Sat Nov 28 2026 12:00:00 GMT+0100 (CET)\n-->",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        "",
    ];
    let links =
        "<a href=index.html><a href='../ex.org/a/page%3Fx=1&amp;y=%2F.html#f'><a href='../../x'><a href=b.html#g>";
    let seed = |(at, page): (usize, Vec<u8>)| {
        [names[at % names.len()].as_bytes(), b"\0", notes[at % notes.len()].as_bytes(), links.as_bytes(), &page]
            .concat()
    };
    let seeds = seeds::pages()?.into_iter().enumerate().map(seed).collect();
    let test = move |bytes: &[u8], input: u64| {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let (name, page) = bytes.split_at(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
        let name = String::from_utf8_lossy(name).into_owned();
        let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
        for name in [parts.join("/"), "ex.org/b.html".to_owned(), "c.html".to_owned()] {
            let path = folder.path().join(name);
            // Not every name is one of a file.
            let _ = path.parent().map(fs::create_dir_all);
            let _ = fs::write(path, page);
        }
        read_archive(folder.path(), input)
    };
    Ok(Work { seeds, make: changed(as_it_is), test: Box::new(test) })
}

/// Makes a page of a record, as ingestion does, first with little room.
fn extract_record(record: &RawRecord) -> Outcome {
    let whole = archive::capture(record.clone(), &params());
    if let Ok(usual) = archive::capture_usual(record.clone(), &params())
        && usual != whole
    {
        return Err("little room gives something else".to_owned());
    }
    if let Ok(capture) = whole {
        return extract_capture(&capture);
    }
    Ok(())
}

fn extract_capture(capture: &Capture) -> Outcome {
    let url = CanonicalUrl::parse(&capture.url).map_err(|reason| reason.to_string())?;
    let Ok(mut page) = extract::extract(capture, &url, &Config::default().extract) else { return Ok(()) };
    // These are kept with the URL.
    page.is_guess = false;
    page.letters.clear();
    let stored = StoredPage::decode(&encode(url.as_str(), 1, capture, &page));
    if stored.is_some_and(|stored| stored.page() == page) { Ok(()) } else { Err("is stored otherwise".to_owned()) }
}

fn record(form: Form, block: &[u8]) -> RawRecord {
    let http = form == Form::Page;
    RawRecord { form, url: "http://ex.org/a/b.html".to_owned(), http, block: block.to_vec(), ..RawRecord::default() }
}

fn http() -> Result<Work> {
    let test = |bytes: &[u8], _| extract_record(&record(Form::Page, bytes));
    Ok(Work { seeds: seeds::responses()?, make: changed(as_it_is), test: Box::new(test) })
}

fn wat() -> Result<Work> {
    let mut all = vec![seeds::WAT.as_bytes().to_vec(), "Ein Text.\nUnd noch einer.\n".repeat(9).into_bytes()];
    all.extend(seeds::INDEX_LINES.iter().map(|line| line.as_bytes().to_vec()));
    let test = |bytes: &[u8], _| {
        for form in [Form::Links, Form::Text, Form::Index] {
            if let Ok(capture) = archive::capture(record(form, bytes), &params())
                && CanonicalUrl::parse(&capture.url).is_ok()
            {
                extract_capture(&capture)?;
            }
        }
        Ok(())
    };
    Ok(Work { seeds: all, make: changed(as_it_is), test: Box::new(test) })
}

fn html() -> Result<Work> {
    const TYPES: &[Option<&str>] =
        &[None, Some("text/html; charset=big5"), Some("text/html; charset=utf-8"), Some("x/y; charset=utf-16")];
    let test = |bytes: &[u8], input: u64| {
        extract_capture(&Capture {
            url: "http://www.ex.jp/a/b.html".to_owned(),
            content_type: TYPES[input as usize % TYPES.len()].map(str::to_owned),
            body: bytes.to_vec(),
            ..Capture::default()
        })
    };
    Ok(Work { seeds: seeds::pages()?, make: changed(as_it_is), test: Box::new(test) })
}

fn url() -> Result<Work> {
    let all = seeds::URLS.iter().chain(seeds::TAGS).map(|text| text.as_bytes().to_vec()).collect();
    let test = |bytes: &[u8], _| {
        let text = String::from_utf8_lossy(bytes);
        if let Some(lang) = Lang::parse(&text)
            && (Lang::from_bytes(lang.to_bytes()) != lang
                || lang.is_known() && Lang::parse(&lang.to_string()) != Some(lang))
        {
            return Err(format!("the language {lang} is written otherwise than read"));
        }
        without_session(text.to_string());
        let Ok(url) = CanonicalUrl::parse(&text) else { return Ok(()) };
        let host = host_of(url.identity());
        registrable_domain(host);
        match CanonicalUrl::parse(url.as_str()) {
            Ok(again) if again == url => Ok(()),
            again => Err(format!("{url:?} becomes {again:?}")),
        }
    };
    Ok(Work { seeds: all, make: changed(as_it_is), test: Box::new(test) })
}

fn page() -> Result<Work> {
    let mut pages = Vec::new();
    for body in seeds::pages()? {
        let capture = Capture { url: "http://ex.org/a".to_owned(), body, ..Capture::default() };
        let url = CanonicalUrl::parse(&capture.url)?;
        if let Ok(page) = extract::extract(&capture, &url, &Config::default().extract) {
            pages.push(encode(url.as_str(), 1, &capture, &page));
        }
    }
    let whole = block(&pages.iter().take(5).map(Vec::as_slice).collect::<Vec<_>>());
    pages.push(whole);
    let test = |bytes: &[u8], _| {
        if let Some(page) = StoredPage::decode(bytes) {
            page.page();
            page.for_each_link(|_, _| {});
            page.for_each_name(|_, _, _| {});
        }
        for number in 0..5 {
            page_of_block(bytes, number).and_then(StoredPage::decode);
        }
        Ok(())
    };
    Ok(Work { seeds: pages, make: changed(as_it_is), test: Box::new(test) })
}

fn record_file() -> Result<Work> {
    const KIND: u32 = 2;
    let folder = TempDir::new()?;
    let mut file = RecordFile::<BatchRecord>::open(folder.path(), KIND, START, true)?;
    for records in 0..3 {
        let skips = vec![(1, records), (3, 2)];
        file.append(&BatchRecord { records, skips, ..BatchRecord::default() })?;
        file.append_packed(&BatchRecord { records, to: 7, ..BatchRecord::default() })?;
    }
    file.sync()?;
    drop(file);
    let segment = fs::read_dir(folder.path())?.next().ok_or("a segment")??.path();
    let seeds = vec![fs::read(&segment)?];
    let test = move |bytes: &[u8], _| {
        fs::write(&segment, bytes).map_err(|error| error.to_string())?;
        let whole = RecordRef(bytes.len() as u64 & !15);
        let Ok(survey) = RecordFile::<BatchRecord>::survey(folder.path(), KIND, whole, |_, _| true) else {
            return Ok(());
        };
        for end in [survey.end, whole] {
            let Ok(file) = RecordFile::<BatchRecord>::open(folder.path(), KIND, end, false) else { continue };
            let mut last = None;
            for record in file.records_from(START) {
                let Ok((at, record)) = record else { break };
                std::hint::black_box(record.get().identity());
                // The last frame may lack some of its padding: it is read, and does not count as whole.
                let is_lost = end == survey.end && survey.lost.iter().any(|lost| lost.contains(&at));
                if last.is_some_and(|last| last >= at) || is_lost {
                    return Err("records do not go forward, or are told as lost".to_owned());
                }
                last = Some(at);
            }
        }
        Ok(())
    };
    Ok(Work { seeds, make: changed(as_it_is), test: Box::new(test) })
}

/// A store of the sample whose record files, view or manifest are damaged. Its token index is sled's, which checks itself.
fn store() -> Result<Work> {
    let made = TempDir::new()?;
    let config = Config::default();
    sealed::sample(made.path(), &config)?;
    let folder = Folder::copy(made.path(), |name| !name.starts_with("tokens"))?;
    let seeds = folder.seeds();
    let test = move |bytes: &[u8], _| {
        folder.with(bytes, |path| {
            sealed::ask(path, &config);
            Ok(())
        })
    };
    Ok(Work { seeds, make: changed(as_it_is), test: Box::new(test) })
}

/// The same, with right checksums: asked, and every now and then checked.
fn sealed_store() -> Result<Work> {
    let mut sealed = Sealed::make()?;
    let seeds = std::mem::take(&mut sealed.seeds);
    let config = Config::default();
    let test = move |bytes: &[u8], input: u64| {
        sealed.with(bytes, |path| {
            sealed::ask(path, &config);
            if input.is_multiple_of(8) {
                let _ = Store::open(path, Access::Read).and_then(|store| store.check(&()).map(|_| ()));
            }
            Ok(())
        })
    };
    Ok(Work { seeds, make: values_behind::<{ sealed::HEAD }>(), test: Box::new(test) })
}

/// The same, and all that writes: opened for that, repaired, compacted, gone on with.
fn upkeep() -> Result<Work> {
    let mut sealed = Sealed::make()?;
    let seeds = std::mem::take(&mut sealed.seeds);
    let config = Config::default();
    let test = move |bytes: &[u8], input: u64| sealed.with(bytes, |path| sealed::keep_up(path, &config, input));
    Ok(Work { seeds, make: values_behind::<{ sealed::HEAD }>(), test: Box::new(test) })
}

/// Rows of `diglot exec`.
fn steps() -> Result<Work> {
    let mut steps = Steps::make()?;
    let seeds = std::mem::take(&mut steps.seeds);
    let test = move |bytes: &[u8], input: u64| steps.attempt(bytes, input);
    Ok(Work { seeds, make: values_behind::<{ super::rows::HEAD }>(), test: Box::new(test) })
}
