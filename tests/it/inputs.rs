//! What becomes of inputs: each is read, or skipped with a reason, or an error before anything is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use diglot::inputs::{Inputs, Tally};
use diglot::pipeline::{self, Context, Observer};
use diglot::{Access, Config, Store};

use crate::support::{Held, diglot, failure, fed, rows, stdout, tiny_site, write_warc};

/// Writes a WARC of `pages` pages, the texts of which differ by `middle` in their middle only; its length depends on nothing else.
fn long_archive(path: &Path, middle: &str) {
    let filler =
        "The museum opens every morning at nine and shows the work of the painters of the valley. ".repeat(1000);
    let page = |text: &str| format!("<html lang=en><title>page</title><body><p>{text}</p><p>{filler}</p></body>");
    let [first, mid, last] = ["first", middle, "last"].map(page);
    write_warc(
        path,
        &[
            ("http://tiny.test/en/first.html", "200 OK", &first),
            (&format!("http://tiny.test/en/{middle}.html"), "200 OK", &mid),
            ("http://tiny.test/en/last.html", "200 OK", &last),
        ],
    );
}

/// What stderr says about what became of the inputs: a line, and what is indented below it.
fn told(store: &Path, arguments: &[&str]) -> String {
    let output = diglot(store).args(arguments).output().expect("it starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert!(output.status.success(), "{stderr}");
    let mut lines = stderr.lines().skip_while(|line| !line.starts_with("diglot: inputs: "));
    let mut told = lines.next().unwrap_or_default().to_owned();
    for line in lines.take_while(|line| line.starts_with("  ")) {
        told = told + "\n" + line;
    }
    told
}

fn count(store: &Path, name: &str) -> u64 {
    let rows = rows(store, &["status"]);
    rows.iter().find(|row| row["name"] == name).map_or(0, |row| row["count"].as_u64().expect("a number"))
}

#[test]
fn archives_that_differ_in_their_middle_only_are_both_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    for middle in ["aaa", "bbb"] {
        long_archive(&folder.path().join(format!("{middle}.warc")), middle);
    }
    let path = folder.path().display().to_string();
    assert_eq!(told(&store, &["ingest", &format!("{path}/*.warc")]), "diglot: inputs: 2 read");
    assert_eq!(count(&store, "captures kept"), 6);
    // A copy under another name is none, and neither is the same again.
    fs::copy(folder.path().join("aaa.warc"), folder.path().join("ccc.warc")).expect("room on the disk");
    assert_eq!(told(&store, &["ingest", &format!("{path}/*.warc")]), "diglot: inputs: 3 already read");
}

#[test]
fn a_mirror_is_its_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, mirror) = (folder.path().join("s"), folder.path().join("mirror"));
    let page = mirror.join("ex.org/index.html");
    fs::create_dir_all(page.parent().expect("a parent")).expect("room on the disk");
    fs::create_dir_all(mirror.join("hts-cache")).expect("room on the disk");
    let text = "The museum opens every morning at nine and shows the work of the painters who lived in the valley of";
    let html = |year| format!("<html><!-- Mirrored from ex.org/index.html by HTTrack --><p>{text} {year}.</p></html>");
    for year in ["1901", "1902"] {
        fs::write(&page, html(year)).expect("room on the disk");
        assert_eq!(told(&store, &["ingest", &mirror.display().to_string()]), "diglot: inputs: 1 read");
    }
    assert_eq!(told(&store, &["ingest", &mirror.display().to_string()]), "diglot: inputs: 1 already read");
}

/// Notes which archives are looked into to see whether they are known.
#[derive(Default)]
struct Looks(Mutex<Vec<String>>);

impl Observer for Looks {
    fn begin(&self, _: &str, what: &str, _: &str, _: Option<u64>) {
        self.0.lock().expect("nobody panics").push(what.to_owned());
    }
    fn progress(&self, _: u64, _: &str) {}
    fn message(&self, _: &str) {}
    fn inputs(&self, tally: &Tally) {
        self.0.lock().expect("nobody panics").push(tally.to_string());
    }
    fn end(&self, _: &str, _: bool) {}
}

#[test]
fn a_known_file_is_looked_into_only_if_it_was_changed_or_this_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, path) = (folder.path().join("s"), folder.path().join("a.warc"));
    tiny_site(&path);
    let ingest = |path: &PathBuf, reread: bool| {
        let (looks, stop, config) = (Looks::default(), AtomicBool::new(false), Config::default());
        let mut store = Store::open(&store, Access::Write).expect("a store");
        let inputs = Inputs { reread, ..Inputs::from(std::slice::from_ref(path)) };
        let context = Context { config: &config, inputs: &inputs, observer: &looks, stop: &stop };
        pipeline::run(&mut store, &context, "ingest").expect("a sound store");
        looks.0.into_inner().expect("nobody panics").len()
    };
    // Looked into, read, and told of.
    assert_eq!(ingest(&path, false), 3);
    assert_eq!(ingest(&path, false), 1, "known by what the file system says");
    assert_eq!(ingest(&path, true), 2, "looked into on demand");
    let moved = folder.path().join("b.warc");
    fs::rename(&path, &moved).expect("the same disk");
    assert_eq!(ingest(&moved, false), 2, "looked into at a new place, and known");
    assert_eq!(ingest(&moved, false), 1);
    let mut bytes = fs::read(&moved).expect("a file");
    let at = bytes.windows(6).position(|six| six == b"museum").expect("the text has it");
    bytes[at] = b'M';
    fs::write(&moved, bytes).expect("room on the disk");
    assert_eq!(ingest(&moved, false), 3, "other bytes are another archive");
}

#[test]
fn bad_files_in_a_folder_are_skipped_with_a_reason_until_they_are_sound() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, crawls) = (folder.path().join("s"), folder.path().join("crawls"));
    fs::create_dir(&crawls).expect("a folder");
    tiny_site(&crawls.join("good.warc"));
    fs::write(crawls.join("README.txt"), "what this is").expect("room on the disk");
    fs::write(crawls.join("empty.warc.gz"), "").expect("room on the disk");
    fs::write(crawls.join("noise.warc.gz"), [7; 100]).expect("room on the disk");
    fs::write(crawls.join("cut.gz"), [0x1f, 0x8b, 8, 0, 1, 2, 3]).expect("room on the disk");
    let line = told(&store, &["ingest", &crawls.display().to_string()]);
    assert!(line.starts_with("diglot: inputs: 1 read, 3 skipped:\n  ") && line.contains("an empty file"), "{line}");
    assert_eq!(count(&store, "skipped inputs"), 3);
    let skipped = || -> Vec<String> {
        let rows = rows(&store, &["status", "--archives"]);
        let skipped = rows.iter().filter(|row| row["what"] == "skipped input");
        skipped.map(|row| format!("{} {}", row["name"], row["detail"])).collect()
    };
    let found = skipped();
    for (name, reason) in
        [("cut.gz", "cannot be decompressed"), ("empty.warc.gz", "an empty file"), ("noise.warc.gz", "none of WARC")]
    {
        assert!(found.iter().any(|line| line.contains(name) && line.contains(reason)), "{name}: {found:?}");
    }
    tiny_site(&crawls.join("empty.warc.gz"));
    let line = told(&store, &["ingest", &crawls.display().to_string()]);
    assert!(line.starts_with("diglot: inputs: 2 already read, 2 skipped:\n  "), "{line}");
    assert_eq!(skipped().len(), 2, "a copy of what is read is no longer refused");
}

#[test]
fn an_index_beside_its_archive_is_left_out_and_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, crawl) = (folder.path().join("s"), folder.path().join("crawl"));
    fs::create_dir_all(crawl.join("lists")).expect("a folder");
    tiny_site(&crawl.join("a.warc"));
    let warc = fs::read_to_string(crawl.join("a.warc")).expect("text");
    // A page that reading the archive leaves out, for its text is too short.
    let offset = warc.find("WARC/1.0").expect("a record");
    let url = warc.lines().find_map(|line| line.strip_prefix("WARC-Target-URI: ")).expect("an address");
    let line = format!("{url} 20240101000000 text/html 200 {offset} warc/a.warc.gz\n");
    let index = format!(" CDX a b m s V g\n{line}");
    fs::write(crawl.join("a.cdx"), &index).expect("room on the disk");
    fs::write(crawl.join("lists/a.cdx"), &index).expect("room on the disk");
    fs::write(crawl.join("other.cdx"), index.replace("a.warc.gz", "gone.warc.gz")).expect("room on the disk");
    let path = crawl.display().to_string();
    let line = told(&store, &["ingest", &path]);
    let left_out =
        "2 indexes of archives that are read themselves are left out: a.cdx, a.cdx; name one to have it read too";
    assert_eq!(line, format!("diglot: inputs: 2 read\n  {left_out}"));
    assert_eq!(told(&store, &["run", &path]), format!("diglot: inputs: 2 already read\n  {left_out}"));
    assert_eq!(told(&store, &["ingest", &crawl.join("a.cdx").display().to_string()]), "diglot: inputs: 1 read");
}

#[test]
fn what_has_to_be_unpacked_is_named_in_a_line_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, crawls) = (folder.path().join("s"), folder.path().join("crawls"));
    fs::create_dir(&crawls).expect("a folder");
    for at in 0..12 {
        fs::write(crawls.join(format!("{at:02}.zip")), b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")
            .expect("room on the disk");
    }
    let path = crawls.display().to_string();
    let output = diglot(&store).args(["ingest", &path]).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr.lines().collect();
    assert!(output.status.code() == Some(1) && lines.len() == 12 && lines[0].contains("the folder holds"), "{stderr}");
    assert!(lines[1].ends_with("00.zip: a ZIP: unpack it") && lines[11] == "  … 2 more", "{stderr}");
    assert!(lines.iter().all(|line| line.len() < 200), "{stderr}");
    tiny_site(&crawls.join("a.warc"));
    let told = told(&store, &["ingest", &path]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "diglot: inputs: 1 read, 12 skipped:");
    assert!(
        lines[1].ends_with("00.zip: a ZIP: unpack it") && lines[11].starts_with("  … 2 more: `diglot status"),
        "{told}"
    );
    let (_, stderr) = failure(diglot(&store).args(["ingest", &format!("{path}/03.zip")]));
    assert!(stderr.contains("03.zip: a ZIP: unpack it"), "{stderr}");
}

#[test]
fn all_bad_named_inputs_are_told_before_anything_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, list) = (folder.path().join("s"), folder.path().join("list.txt"));
    tiny_site(&folder.path().join("good.warc"));
    fs::write(folder.path().join("empty.warc"), "").expect("room on the disk");
    fs::write(&list, "gone.warc\ngood.warc\nempty.warc\n").expect("room on the disk");
    let list = format!("@{}", list.display());
    let output = diglot(&store).args(["ingest", &list]).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "2 inputs: ",
        "list.txt:1: gone.warc: no such file",
        "list.txt:3: empty.warc: found an empty file",
        "--keep-going",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    assert!(!store.exists(), "nothing was read");

    let (code, stderr) = {
        let output = diglot(&store).args(["ingest", "--keep-going", &list]).output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(code, Some(1), "not all that was asked for is done");
    assert!(stderr.contains("inputs: 1 read, 2 skipped:\n  ") && stderr.contains("2 inputs: were skipped"), "{stderr}");
    assert_eq!((count(&store, "captures kept"), count(&store, "skipped inputs")), (10, 2));
}

#[test]
fn an_archive_that_cannot_be_read_does_not_keep_the_others_from_being_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, broken) = (folder.path().join("s"), folder.path().join("a-mirror"));
    // A mirror is listed when it is opened: a cache that is a folder cannot be.
    fs::create_dir_all(broken.join("hts-cache/new.zip")).expect("a folder");
    tiny_site(&folder.path().join("b.warc"));
    let stop = AtomicBool::new(false);
    let (looks, config) = (Looks::default(), Config::default());
    let gone = folder.path().join("gone.warc");
    let archives = vec![gone.clone(), folder.path().join("b.warc")];
    let ingest = |keep_going: bool| {
        let mut store = Store::open(&store, Access::Write).expect("a store");
        let inputs = Inputs { archives: archives.clone(), keep_going, ..Inputs::default() };
        let context = Context { config: &config, inputs: &inputs, observer: &looks, stop: &stop };
        pipeline::run(&mut store, &context, "ingest")
    };
    // It went away after the inputs were looked at.
    let error = ingest(false).expect_err("a file that is gone").to_string();
    assert!(error.contains("gone.warc"), "{error}");
    ingest(true).expect("the other one is read");
    let told = looks.0.lock().expect("nobody panics").last().cloned().unwrap_or_default();
    assert!(
        told.starts_with("1 read, 1 skipped: ") && told.contains("gone.warc: reading failed: No such file"),
        "{told}"
    );
}

#[test]
fn control_characters_and_numbers_that_are_none_do_not_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let index = folder.path().join("x.cdxj");
    let line = |lang: &str| {
        format!(
            "test,ex)/{lang}/a 20240101000000 {{\"url\": \"http://ex.test/{lang}/a\", \"mime\": \"text/html\", \"status\": \
             \"200\", \"languages\": \"{}\", \"filename\": \"\\u001b[2Jx.gz\", \"offset\": \"1\", \"length\": \"2\"}}\n",
            if lang == "en" { "eng" } else { "fra" }
        )
    };
    let names = ["a", "b", "c", "d", "e"];
    let lines: String =
        names.iter().flat_map(|name| ["en", "fr"].map(|lang| line(lang).replace("/a", &format!("/{name}")))).collect();
    fs::write(&index, lines).expect("room on the disk");
    diglot(&store).args(["-q", "run"]).arg(&index).assert().success();
    let fetch = stdout(&store, &["export", "--what", "fetch"]);
    assert!(fetch.contains("\\x1b[2Jx.gz") && !fetch.contains('\u{1b}'), "{fetch:?}");
    for value in ["nan", "inf", "-1", "2"] {
        let (code, stderr) = failure(diglot(&store).args(["pairs", "--min-score", value]));
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("--min-score is ") && stderr.contains("expected 0 to 1"), "{stderr}");
    }
    let (code, stderr) = failure(diglot(&store).args(["run", "--max-record-bytes", "0"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("expected 1024 to 1073741824 bytes"), "{stderr}");
    assert_eq!(told(&store, &["run", "--threads", "5000"]), "", "it ends");
}

#[cfg(target_os = "linux")]
#[test]
fn paths_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"a\xff.warc"));
    let store = folder.path().join(std::ffi::OsStr::from_bytes(b"s\xfe"));
    tiny_site(&path);
    diglot(&store).args(["-q", "run"]).arg(&path).assert().success();
    let exported = folder.path().join(std::ffi::OsStr::from_bytes(b"out\xff.tsv"));
    diglot(&store).args(["export", "-o"]).arg(&exported).assert().success();
    assert!(fs::read_to_string(&exported).expect("a file").lines().count() > 1);
    let output = diglot(&store).arg("ingest").arg(&path).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("inputs: 1 already read"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn standard_input_is_an_archive_and_resumes_by_what_it_begins_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, archive) = (folder.path().join("s"), folder.path().join("a.warc"));
    tiny_site(&archive);
    let bytes = fs::read(&archive).expect("a file");
    let give = |bytes: &[u8]| {
        let output = fed(diglot(&store).args(["ingest", "-"]), bytes);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let compressed = zstd::encode_all(bytes.as_slice(), 3).expect("memory");
    assert_eq!(give(&compressed), (Some(0), "diglot: inputs: 1 read\n".to_owned()));
    assert_eq!(count(&store, "captures kept"), 10);
    assert_eq!(give(&compressed), (Some(0), "diglot: inputs: 1 already read\n".to_owned()));
    assert_eq!(count(&store, "captures kept"), 10);
    let (code, stderr) = give(b"nonsense");
    assert!(code == Some(1) && stderr.contains("standard input is a file that begins with \"nonsense\""), "{stderr}");
    let (code, stderr) = give(b"");
    assert!(code == Some(1) && stderr.contains("expected WARC or ARC"), "{stderr}");

    // A pipe by its path is refused, and says what to give.
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it starts").success());
    let (code, stderr) = failure(diglot(&store).arg("run").arg(&pipe));
    assert!(
        code == 1 && stderr.contains("a pipe or device") && stderr.contains("`-` reads standard input"),
        "{stderr}"
    );
}

/// An archive of 3,000 pages: more than the first MiB, by which a stream is known, and more than one portion of records.
fn long_stream(archive: &Path) -> Vec<u8> {
    let page = format!("<p>{}</p>", "The museum opens every morning at nine and shows its paintings. ".repeat(16));
    let urls: Vec<String> = (0..3000).map(|n| format!("http://long.test/en/{n}.html")).collect();
    write_warc(archive, &urls.iter().map(|url| (url.as_str(), "200 OK", page.as_str())).collect::<Vec<_>>());
    fs::read(archive).expect("a file")
}

#[test]
fn a_stream_that_has_grown_is_read_on_and_outlives_the_token_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, archive) = (folder.path().join("s"), folder.path().join("a.warc"));
    let bytes = long_stream(&archive);
    let half = memchr::memmem::find(&bytes[bytes.len() / 2..], b"WARC/1.").expect("more records") + bytes.len() / 2;
    for given in [half, bytes.len()] {
        assert!(fed(diglot(&store).args(["-q", "ingest", "-"]), &bytes[..given]).status.success());
    }
    assert_eq!(count(&store, "captures kept"), 3000);
    fs::remove_dir_all(store.join("tokens")).expect("it is there");
    diglot(&store).args(["-q", "run"]).assert().success();
    assert_eq!(count(&store, "captures kept"), 3000);
    diglot(&store).args(["check"]).assert().success();
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_that_waits_for_standard_input_and_it_goes_on_from_there() {
    use std::io::Write;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().expect("a folder");
    let (store, archive) = (folder.path().join("s"), folder.path().join("a.warc"));
    let bytes = long_stream(&archive);
    for (given, signal) in [(0, "TERM"), (0, "INT"), (bytes.len() * 3 / 4, "TERM")] {
        let mut child = diglot(&store)
            .args(["ingest", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(&bytes[..given]).expect("it reads");
        std::thread::sleep(Duration::from_millis(1000));
        let since = Instant::now();
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().expect("it starts").success());
        let status = child.wait().expect("it ends");
        // A busy machine may take its time; a run that goes on waiting never ends.
        assert!(since.elapsed() < Duration::from_secs(60), "{signal} after {given} bytes");
        assert_eq!(status.code(), Some(130));
        drop(stdin);
    }
    let kept = count(&store, "captures kept");
    assert!((1024..3000).contains(&kept), "{kept}");
    let stderr = |bytes: &[u8]| {
        let output = fed(diglot(&store).args(["ingest", "-"]), bytes);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    // Another stream that begins the same is not taken for it.
    let mut other = bytes.clone();
    let at = bytes.len() / 3;
    let at = at + other[at..].windows(6).position(|six| six == b"museum").expect("the text has it");
    other[at] = b'M';
    assert!(stderr(&other).contains("goes on in another way"), "{}", stderr(&other));
    // A slow machine tells how far it is meanwhile.
    assert!(stderr(&bytes).ends_with("diglot: inputs: 1 read\n"));
    assert_eq!(count(&store, "captures kept"), 3000, "each once");
}

#[cfg(target_os = "linux")]
#[test]
fn a_system_that_gives_few_threads_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, archive) = (folder.path().join("s"), folder.path().join("a.warc"));
    tiny_site(&archive);
    // Address space for a few stacks only.
    for threads in ["1", "8"] {
        let script = "ulimit -v 1000000; RUST_MIN_STACK=200000000 exec \"$0\" \"$@\"";
        let output = std::process::Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_diglot"), "--threads", threads, "--store"])
            .arg(store.with_extension(threads))
            .arg("ingest")
            .arg(&archive)
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !stderr.contains("panicked"), "{threads}: {stderr}");
    }
}
