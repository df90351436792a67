//! Inputs that lead out of their folders, or never end.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use diglot::store::{Access, Store};

use crate::resume::copy;
use crate::support::{diglot, rows, run, tiny_site, write_warc};

/// Far more than what is tested takes.
const PATIENCE: Duration = Duration::from_secs(60);

const TEXT: &str =
    "The museum opens every morning at nine and shows the work of the painters who lived in the valley of";

/// The output of a process that ends by itself; it is killed when it does not.
fn output(command: &mut Command) -> Output {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let start = Instant::now();
    while child.try_wait().expect("a process").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("a process");
            let output = child.wait_with_output().expect("a process");
            panic!("it goes on after {PATIENCE:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("a process")
}

/// The command within so much memory that what reads without end does no harm.
fn limited(store: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 6000000 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_diglot")]);
    command.env_remove("DIGLOT_STORE").arg("--store").arg(store).args(arguments);
    command
}

/// What is said on stderr by a command that succeeds.
fn success(command: &mut Command) -> String {
    let output = output(command);
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert!(output.status.success(), "{:?}: {stderr}", output.status);
    stderr
}

fn put(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("room on the disk");
    fs::write(path, content).expect("room on the disk");
}

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("room on the disk");
    assert!(Command::new("mkfifo").arg(path).status().expect("it starts").success());
}

/// The number that `status` has beside a name; 0 without.
fn count(store: &Path, name: &str) -> u64 {
    let rows = rows(store, &["status"]);
    rows.iter().find(|row| row["name"] == name).map_or(0, |row| row["count"].as_u64().expect("a number"))
}

const NOT_READ: &str = "file not read: link, pipe or too long";

fn saved_page(name: &str) -> String {
    format!(
        "<html><!-- Mirrored from ex.org/{name} by HTTrack Website Copier/3.x [XR&CO'2014], \
         Sat, 21 Nov 2026 22:11:06 GMT --><p>{TEXT} {name}.</p></html>"
    )
}

/// An entry of HTTrack's cache that has headers only, and says where the body was saved.
fn cached(name: &str, saved: &str) -> Vec<u8> {
    let url = format!("http://ex.org/{name}");
    let headers = format!(
        "HTTP/1.1 200 OK\r\nX-In-Cache: 0\r\nX-StatusCode: 200\r\nContent-Type: text/html\r\nX-Save: {saved}\r\n\r\n"
    );
    let mut entry = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0".to_vec();
    entry.extend([0; 12]);
    entry.extend((url.len() as u16).to_le_bytes());
    entry.extend((headers.len() as u16).to_le_bytes());
    [entry.as_slice(), url.as_bytes(), headers.as_bytes()].concat()
}

#[test]
fn a_mirror_reads_no_file_outside_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    put(&at("outside/secret.html"), saved_page("secret"));
    put(&at("mirror/ex.org/good.html"), saved_page("good"));
    symlink(at("outside/secret.html"), at("mirror/ex.org/link.html")).expect("a link");
    symlink(at("outside"), at("mirror/ex.org/folder")).expect("a link");
    let entries = [
        cached("good", "ex.org/good.html"),
        cached("link", "ex.org/link.html"),
        cached("folder", "ex.org/folder/secret.html"),
        b"PK\x01\x02".to_vec(),
    ];
    put(&at("mirror/hts-cache/new.zip"), entries.concat());
    success(diglot(&at("s")).arg("ingest").arg(at("mirror")));
    assert_eq!((count(&at("s"), "captures kept"), count(&at("s"), NOT_READ)), (1, 2));
    // Without a cache, the files are listed. Nor is the cache or the log that of another folder.
    fs::remove_file(at("mirror/hts-cache/new.zip")).expect("it is there");
    put(&at("outside/new.zip"), [cached("other", "ex.org/good.html"), b"PK\x01\x02".to_vec()].concat());
    symlink(at("outside/new.zip"), at("mirror/hts-cache/new.zip")).expect("a link");
    symlink(at("outside/new.zip"), at("mirror/hts-cache/new.txt")).expect("a link");
    success(diglot(&at("t")).arg("ingest").arg(at("mirror")));
    assert_eq!((count(&at("t"), "captures kept"), count(&at("t"), NOT_READ)), (1, 4));
}

#[test]
fn a_folder_of_pages_gives_what_lies_in_it_and_by_no_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    put(&at("outside/secret.html"), saved_page("secret"));
    put(&at("in/ex.org/good.html"), saved_page("good"));
    symlink(at("outside/secret.html"), at("in/ex.org/link.html")).expect("a link");
    symlink(at("outside"), at("in/ex.org/out")).expect("a link");
    symlink(at("in"), at("in/ex.org/loop")).expect("a link");
    pipe(&at("in/ex.org/pipe.html"));
    let line = success(diglot(&at("s")).arg("ingest").arg(at("in")));
    assert!(line.contains("1 read"), "{line}");
    assert_eq!((count(&at("s"), "captures kept"), count(&at("s"), NOT_READ)), (1, 4));
}

#[test]
fn a_pipe_among_the_inputs_holds_up_no_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    pipe(&at("in/none/index.html"));
    tiny_site(&at("in/none/a.warc"));
    pipe(&at("in/mirror/hts-cache/new.txt"));
    pipe(&at("in/mirror/hts-cache/new.zip"));
    pipe(&at("in/mirror/index.html"));
    pipe(&at("in/mirror/ex.org/pipe.html"));
    put(&at("in/mirror/ex.org/good.html"), saved_page("good"));
    pipe(&at("in/pipe.warc.gz"));
    let line = success(diglot(&at("s")).arg("ingest").arg(at("in")));
    assert!(
        line.contains("2 read, 1 skipped: ") && line.contains("pipe.warc.gz: a pipe or device, expected a file"),
        "{line}"
    );
    // A page of the mirror, and the ten of the archive.
    assert_eq!((count(&at("s"), "captures kept"), count(&at("s"), NOT_READ)), (11, 3));
}

#[test]
fn a_list_of_ranges_over_a_pipe_leaves_out_its_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    write_warc(&at("a.warc"), &[("http://ex.org/a", "200 OK", &format!("<p>{TEXT} a.</p>"))]);
    pipe(&at("b.warc"));
    put(&at("ranges.tsv"), "warc_filename\toffset\tlength\nb.warc\t0\t0\na.warc\t0\t0\n/dev/zero\t0\t0\n");
    success(diglot(&at("s")).arg("ingest").arg(at("ranges.tsv")));
    assert_eq!((count(&at("s"), "captures kept"), count(&at("s"), NOT_READ)), (1, 2));
}

#[test]
fn texts_that_never_end_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("a.warc"));
    pipe(&at("en-fr.tsv"));
    symlink("/dev/zero", at("zero.en-fr.tsv")).expect("a link");
    // A file that takes no room on the disk.
    fs::File::create(at("long.en-fr.tsv")).and_then(|file| file.set_len(1 << 40)).expect("a file with a hole");
    let warc = at("a.warc").display().to_string();
    for name in ["en-fr.tsv", "zero.en-fr.tsv", "long.en-fr.tsv"] {
        let list = at(name).display().to_string();
        let output = output(&mut limited(&at("s"), &["-q", "run", &warc, "--lexicon", &list]));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{name}: {stderr}");
        assert!(stderr.contains("expected a file") || stderr.contains("longer than 268435456 bytes"), "{stderr}");
    }
    for (name, problem) in [("en-fr.tsv", "expected a file"), ("long.en-fr.tsv", "longer than 268435456 bytes")] {
        let output = output(&mut limited(&at("t"), &["ingest", &format!("@{}", at(name).display())]));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && stderr.contains(problem), "{name}: {stderr}");
    }
    put(&at("mirror/ex.org/good.html"), saved_page("good"));
    fs::create_dir(at("mirror/hts-cache")).expect("room on the disk");
    symlink("/dev/zero", at("mirror/hts-cache/new.txt")).expect("a link");
    success(&mut limited(&at("u"), &["ingest", &at("mirror").display().to_string()]));
    assert_eq!((count(&at("u"), "captures kept"), count(&at("u"), NOT_READ)), (1, 1));
}

#[test]
fn gold_in_a_folder_is_no_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("a.warc"));
    pipe(&at("gold/tiny.pairs.tsv"));
    let warc = at("a.warc").display().to_string();
    let gold = at("gold").display().to_string();
    let output = output(diglot(&at("s")).args(["compare", "--gold", &gold, &warc]));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("tiny.pairs.tsv: opening failed"), "{stderr}");
}

#[test]
fn lists_that_name_one_another_many_times_are_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("a.warc"));
    for depth in 0..8 {
        let line = if depth < 7 { format!("@{}.txt\n", depth + 1) } else { "a.warc\n".to_owned() };
        put(&at(&format!("{depth}.txt")), line.repeat(20));
    }
    let line = success(diglot(&at("s")).arg("ingest").arg(format!("@{}", at("0.txt").display())));
    assert!(line.contains("inputs: 1 read\n"), "{line}");
}

#[test]
fn looking_for_inputs_ends_when_it_is_told_to() {
    let folder = tempfile::tempdir().expect("a folder");
    // So deep that four times `**` matches it in 70 million ways.
    fs::create_dir_all(folder.path().join("d/".repeat(200))).expect("room on the disk");
    let pattern = folder.path().join("**/*/**/*/**/*/**/*").display().to_string();
    // Who runs the tests in the background may have the second ignored, and so the program ignores it too.
    for signal in ["-TERM", "-INT"].into_iter().take(if is_interrupt_ignored() { 1 } else { 2 }) {
        let mut child =
            diglot(&folder.path().join("s")).args(["run", &pattern]).stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_secs(1));
        assert!(child.try_wait().expect("a process").is_none(), "it is still looking");
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("it starts").success());
        let start = Instant::now();
        let status = loop {
            match child.try_wait().expect("a process") {
                None if start.elapsed() < Duration::from_secs(20) => std::thread::sleep(Duration::from_millis(20)),
                status => break status,
            }
        };
        if status.is_none() {
            child.kill().and_then(|()| child.wait()).expect("a process");
        }
        assert_eq!(status.and_then(|status| status.code()), Some(130), "{signal}");
    }
}

/// Some limits of address space, at which the default reserves of allocators leave little by chance.
#[cfg(target_os = "linux")]
#[test]
fn a_run_in_little_address_space_ends_well_or_says_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let warc = crate::support::webserver();
    for limit in [200, 300, 600, 800, 1100, 1300] {
        let line = format!("ulimit -v {} && exec \"$0\" \"$@\"", limit << 10);
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_diglot"), "-q", "run"]).arg(&warc).arg("--store");
        let output = output(command.arg(folder.path().join(format!("{limit}"))).env_remove("DIGLOT_STORE"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_told = output.status.code() == Some(1) && stderr.starts_with("diglot: ");
        assert!(output.status.success() || is_told && limit < 600, "{limit} MiB: {:?}: {stderr}", output.status);
    }
}

/// A store of the tiny site in a folder.
fn tiny_store(folder: &Path) -> PathBuf {
    let (archive, store) = (folder.join("tiny.warc"), folder.join("s"));
    tiny_site(&archive);
    run(&store, &[&archive]);
    store
}

/// The command after what a shell does before it.
fn after(shell: &str, store: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_diglot")]);
    command.env_remove("DIGLOT_STORE").arg("--store").arg(store).args(arguments);
    command
}

/// What is said by a command that fails by itself.
fn told(command: &mut Command) -> String {
    let output = output(command);
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{:?}: {stderr}", output.status);
    stderr
}

/// True where SIGINT is ignored here, as far as the system tells.
fn is_interrupt_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default().trim();
    // The lowest bit is of signal 1, and SIGINT is 2.
    u64::from_str_radix(mask, 16).is_ok_and(|mask| mask & 2 != 0)
}

#[test]
fn signals_that_are_ignored_when_the_program_begins_stay_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = tiny_store(folder.path());
    let gold = folder.path().join("pipe");
    pipe(&gold);
    // Waits for gold that never comes.
    let arguments = ["eval", "--gold", &gold.display().to_string()];
    let mut child = after("trap '' HUP INT", &store, &arguments).spawn().expect("it starts");
    let send = |signal: &str| {
        std::thread::sleep(Duration::from_millis(500));
        assert!(Command::new("kill").arg(signal).arg(child.id().to_string()).status().expect("it starts").success());
    };
    send("-HUP");
    send("-INT");
    std::thread::sleep(Duration::from_millis(500));
    let is_there = Command::new("kill").arg("-0").arg(child.id().to_string()).status().expect("it starts").success();
    assert!(is_there && child.try_wait().expect("a process").is_none(), "it ended");
    let killed = Command::new("kill").arg("-TERM").arg(child.id().to_string()).status();
    assert!(killed.expect("it starts").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn limits_of_the_user_are_told_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let store = tiny_store(folder.path());
    let long = |shell: &str| {
        let archive = at("tiny.warc").display().to_string();
        told(&mut after(shell, &at("new"), &["-q", "run", &archive]))
    };
    let stderr = long("ulimit -f 4");
    assert!(stderr.contains(&at("new").display().to_string()) && stderr.contains("File too large"), "{stderr}");
    assert!(stderr.trim_end().ends_with("(`ulimit -f unlimited`)"), "{stderr}");
    let stderr = told(&mut after("ulimit -n 12", &store, &["pairs"]));
    assert!(stderr.contains("Too many open files") && stderr.contains("`ulimit -n 4096`"), "{stderr}");
}

#[test]
fn what_is_no_file_in_the_place_of_one_of_the_store_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let sound = tiny_store(folder.path());
    put(&sound.join("review/marks.jsonl"), "");
    let view = fs::read_dir(sound.join("view")).expect("a folder").flatten().next().expect("a run").file_name();
    let view = format!("view/{}", view.display());
    let names = ["manifest.json", "pages/000000.rec", &view, "review/marks.jsonl", "lock", "tokens/db"];
    for (name, is_pipe) in names.into_iter().flat_map(|name| [(name, true), (name, false)]) {
        let store = folder.path().join("t");
        let _ = fs::remove_dir_all(&store);
        copy(&sound, &store);
        fs::remove_file(store.join(name)).expect("it is there");
        if is_pipe {
            pipe(&store.join(name));
        } else {
            fs::create_dir(store.join(name)).expect("room on the disk");
        }
        for arguments in [&["pairs"][..], &["status"], &["run"], &["check"], &["check", "--repair"], &["compact"]] {
            let stderr = told(diglot(&store).args(arguments));
            let place = store.join(name).display().to_string();
            assert!(stderr.contains(&place) && stderr.contains("expected a file"), "{arguments:?} {name}: {stderr}");
            assert!(stderr.contains("take it away"), "{arguments:?} {name}: {stderr}");
        }
    }
    // A link to a file is that file.
    let store = folder.path().join("u");
    copy(&sound, &store);
    fs::rename(store.join("manifest.json"), folder.path().join("elsewhere")).expect("it is there");
    symlink(folder.path().join("elsewhere"), store.join("manifest.json")).expect("a link");
    success(diglot(&store).args(["-q", "pairs"]));
}

#[test]
fn what_commands_write_is_whole_or_not_there_and_never_in_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let store = tiny_store(folder.path());
    symlink(&store, at("link")).expect("a link");
    symlink(store.join("manifest.json"), at("file.md")).expect("a link");
    let manifest = fs::read(store.join("manifest.json")).expect("it is there");
    let commands: [&[&str]; 3] = [&["export", "--format", "tsv"], &["report"], &["recover"]];
    for command in commands {
        for place in ["s/x.md", "s/../s/pages/x.md", "link/manifest.json", "file.md"] {
            let place = at(place).display().to_string();
            let stderr = told(diglot(&store).args(command).args(["-o", &place]));
            // Nor in that of another one.
            for place in ["s/pages", "s/new", "s/new/deeper"] {
                let other = told(diglot(&at("other")).args(["man", &at(place).display().to_string()]));
                assert!(other.contains("lies in the folder of a store"), "{place}: {other}");
            }
            assert!(
                stderr.contains("lies in the folder of a store; give a file elsewhere"),
                "{command:?} {place}: {stderr}"
            );
        }
    }
    assert!(fs::read(store.join("manifest.json")).expect("it is there") == manifest && !store.join("new").exists());
    // A manifest is none of a store alone.
    fs::create_dir_all(at("site/pages")).expect("a folder");
    fs::write(at("site/manifest.json"), "{}").expect("a file");
    success(diglot(&store).args(["report", "--format", "md", "-o", &at("site/pages/x.md").display().to_string()]));
    // What does not fit leaves what was there.
    put(&at("old.html"), "old");
    let old = at("old.html").display().to_string();
    let stderr = told(&mut after("ulimit -f 1", &store, &["report", "-o", &old]));
    assert!(stderr.contains("old.html") && stderr.contains("File too large"), "{stderr}");
    assert_eq!(fs::read_to_string(at("old.html")).expect("it is there"), "old");
    assert!(!at("old.html.part").exists());
    // Stdout, as with every command.
    let output = output(diglot(&store).current_dir(folder.path()).args(["-q", "report", "--format", "md", "-o", "-"]));
    assert!(output.status.success() && output.stdout.starts_with(b"# "), "{output:?}");
    assert!(!at("-").exists());
}

#[test]
fn a_store_that_cannot_be_looked_at_is_not_said_to_be_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    symlink("s", &store).expect("a link");
    for command in ["pairs", "run", "check"] {
        let stderr = told(diglot(&store).arg(command));
        let place = store.join("manifest.json").display().to_string();
        assert!(stderr.contains(&format!("{place}: looking for a store failed: ")), "{command}: {stderr}");
    }
}

#[test]
fn check_says_why_it_did_not_look_at_the_token_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = tiny_store(folder.path());
    let tokens = || {
        let output = output(diglot(&store).args(["check", "--format", "tsv"]));
        let stdout = String::from_utf8(output.stdout).expect("UTF-8");
        stdout.lines().find(|line| line.contains("\ttokens\t")).expect("a line").to_owned()
    };
    assert!(tokens().starts_with("sound\ttokens\t"));
    let writer = Store::open(&store, Access::Write).expect("nobody else has it");
    let line = tokens();
    assert!(line.starts_with("not looked at\ttokens\t") && line.contains("another process writes it"), "{line}");
    drop(writer);
    assert!(tokens().starts_with("sound\ttokens\t"));
    // A query that reads the token index has the lock in common with others.
    let query = fs::File::open(store.join("lock")).expect("it was made");
    query.lock_shared().expect("nobody writes");
    assert!(tokens().starts_with("sound\ttokens\t"));
    drop(query);
    fs::remove_file(store.join("lock")).expect("it is there");
    assert!(tokens().contains("the file `lock` cannot be locked"));
}

#[test]
fn an_output_that_waits_for_a_reader_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, pipe) = (tiny_store(folder.path()), folder.path().join("pipe"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let mut waiting = std::process::Command::new(env!("CARGO_BIN_EXE_diglot"))
        .args(["export", "--store"])
        .arg(&store)
        .arg("-o")
        .arg(&pipe)
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    // It has nothing to do but wait.
    std::thread::sleep(Duration::from_secs(2));
    assert!(waiting.try_wait().expect("a child").is_none());
    let kill = std::process::Command::new("kill").args(["-TERM", &waiting.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert_eq!(waiting.wait().expect("a child").code(), Some(130));
}
