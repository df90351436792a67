//! What the tests share: the command, the sample archives, a store of them, golden files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

/// The folder of the crate.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of `data/`.
pub fn data(name: &str) -> PathBuf {
    root().join("data").join(name)
}

/// The WARC of the sample.
pub fn webserver() -> PathBuf {
    data("sites/webserver.warc.gz")
}

/// The HTTrack mirror of the sample.
pub fn packaging() -> PathBuf {
    data("sites/packaging")
}

/// The command, on a store.
pub fn diglot(store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diglot"));
    command.env_remove("DIGLOT_STORE").arg("--store").arg(store);
    command
}

/// A command that is held to how it ends.
pub trait Held {
    /// Runs it to its end.
    fn assert(&mut self) -> Ended;
}

impl Held for Command {
    fn assert(&mut self) -> Ended {
        Ended { output: self.output().expect("it starts"), command: format!("{self:?}") }
    }
}

/// How a command ended.
pub struct Ended {
    pub output: Output,
    command: String,
}

impl Ended {
    #[track_caller]
    pub fn success(self) -> Ended {
        self.code(0)
    }

    #[track_caller]
    pub fn code(self, code: i32) -> Ended {
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        assert_eq!(self.output.status.code(), Some(code), "{}: {stderr}", self.command);
        self
    }

    #[track_caller]
    pub fn stdout(self, expected: &str) -> Ended {
        assert_eq!(String::from_utf8_lossy(&self.output.stdout), expected, "{}", self.command);
        self
    }

    #[track_caller]
    pub fn stderr(self, expected: &str) -> Ended {
        assert_eq!(String::from_utf8_lossy(&self.output.stderr), expected, "{}", self.command);
        self
    }
}

/// What became of a command that was given bytes on stdin.
pub fn fed(command: &mut Command, bytes: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        // It may end before it has read all.
        scope.spawn(move || stdin.write_all(bytes));
        child.wait_with_output().expect("it is ours")
    })
}

/// What a command printed to stdout; it must succeed, and say nothing on stderr.
pub fn stdout(store: &Path, arguments: &[&str]) -> String {
    let output = diglot(store).args(arguments).assert().success().stderr("").output.stdout;
    String::from_utf8(output).expect("output is UTF-8")
}

/// Rows of an export, as objects.
pub fn export(store: &Path, arguments: &[&str]) -> Vec<Value> {
    let lines = stdout(store, &[&["-q", "export", "--format", "jsonl"], arguments].concat());
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The files below a folder, by their names in it.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
        } else {
            let name = path.strip_prefix(folder).expect("below it").display().to_string();
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    found
}

/// The text in a field of a row.
pub fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap_or_else(|| panic!("no {field} in {row}"))
}

/// The number in a field of a row.
pub fn number(row: &Value, field: &str) -> u64 {
    row[field].as_u64().unwrap_or_else(|| panic!("no {field} in {row}"))
}

/// The one line on stderr that a command fails with, and its exit code; it must print nothing to stdout.
pub fn failure(command: &mut Command) -> (i32, String) {
    let output = command.output().expect("it starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{stderr}");
    assert!(stderr.starts_with("diglot: ") && stderr.trim_end().lines().count() == 1, "not one line: {stderr}");
    (output.status.code().expect("it ends by itself"), stderr)
}

/// A store of both sample sites, made once a run of the tests. For reading only.
pub fn sample_store() -> &'static Path {
    static STORE: OnceLock<PathBuf> = OnceLock::new();
    STORE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        fs::create_dir_all(folder).expect("a folder");
        // Statics are not dropped: what earlier runs left is cleared here.
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let process = name.strip_prefix("sample-").and_then(|name| name.strip_suffix(".store"));
            if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let store = folder.join(format!("sample-{}.store", std::process::id()));
        let _ = fs::remove_dir_all(&store);
        run(&store, &[&webserver(), &packaging()]);
        store
    })
}

/// Runs every stage on archives; it must succeed.
pub fn run(store: &Path, inputs: &[&Path]) {
    diglot(store).arg("--quiet").arg("run").args(inputs).assert().success();
}

/// The rows of a listing, by column.
pub fn rows(store: &Path, arguments: &[&str]) -> Vec<serde_json::Map<String, Value>> {
    let listing = stdout(store, &[arguments, &["--format", "jsonl"]].concat());
    let row = |line: &str| match serde_json::from_str(line) {
        Ok(Value::Object(row)) => row,
        other => panic!("{line}: {other:?}"),
    };
    listing.lines().map(row).collect()
}

/// The languages of a row of `hosts`, with their numbers of pages: `en:24 fr:3`.
pub fn langs_of(host: &serde_json::Map<String, Value>) -> String {
    let langs = host["langs"].as_array().expect("a list").iter();
    langs.map(|of| format!("{}:{}", of["lang"].as_str().expect("a tag"), of["pages"])).collect::<Vec<_>>().join(" ")
}

/// Compares with a file of `tests/golden`; `UPDATE_GOLDEN=1` rewrites it. Machine paths become `.`.
pub fn golden(name: &str, found: &str) {
    let found = found.replace(&root().display().to_string(), ".");
    let path = root().join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, &found).expect("the folder of the sources can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differing = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
    assert!(
        expected == found,
        "{name}: {} lines, expected {}; first difference (expected, found): {differing:?}; \
         UPDATE_GOLDEN=1 takes the new output as expected",
        found.lines().count(),
        expected.lines().count()
    );
}

/// Writes a WARC of responses: address, status line behind `HTTP/1.1 `, HTML.
pub fn write_warc(path: &Path, responses: &[(&str, &str, &str)]) {
    let mut warc = String::new();
    for (url, status, html) in responses {
        let length = html.len();
        let block = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{html}");
        let length = block.len();
        warc += &format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
             WARC-Record-ID: <urn:x>\r\nContent-Type: application/http;msgtype=response\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        );
    }
    fs::write(path, warc).expect("room on the disk");
}

/// A member of gzip.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
}

/// A tiny site of ten pages in two languages, one short page and one that is missing; the language is a directory.
pub fn tiny_site(path: &Path) {
    let en = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
    let fr =
        "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée";
    let names = ["paintings", "drawings", "visitors", "history", "garden"];
    let mut responses = Vec::new();
    for (at, name) in names.iter().enumerate() {
        for (lang, text) in [("en", en), ("fr", fr)] {
            let html =
                format!("<html lang={lang}><title>{name}</title><body><p>{text}, {at}.</p><p>{text}.</p></body>");
            responses.push((format!("http://tiny.test/{lang}/{name}.html"), "200 OK", html));
        }
    }
    responses.push(("http://tiny.test/en/short.html".into(), "200 OK", "<p>Soon".into()));
    responses.push(("http://tiny.test/fr/gone.html".into(), "404 Not Found", "<p>Nothing here".into()));
    let borrowed: Vec<_> = responses.iter().map(|(url, status, html)| (url.as_str(), *status, html.as_str())).collect();
    write_warc(path, &borrowed);
}

/// Exported pairs in the columns of their listing: those from the score of a scorer on are not listed.
pub fn as_listed(tsv: &str) -> String {
    tsv.lines().map(|line| line.splitn(8, '\t').take(7).collect::<Vec<_>>().join("\t") + "\n").collect()
}
