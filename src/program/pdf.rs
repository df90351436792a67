//! Has a PDF read by a process of its own. A PDF is a program that draws, and may take any amount of time and memory. The process limits
//! itself, and a PDF that goes beyond the limit ends only this process.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

/// The command of this program that reads PDF.
pub const PDF_COMMAND: &str = "pdf";
/// The exit code of a process that says on stdout why it cannot read the PDF.
const REFUSED: i32 = 3;
/// The exit code of this program where there is no memory left; hardly anything else makes it fail.
const FAILED: i32 = 1;
const TAKES_MEMORY: &str = "takes more memory than is allowed";
/// The longest text that is taken, in bytes of HTML.
const MAX_HTML_BYTES: u64 = 32 << 20;
/// These settings make allocators reserve little, so that the limit on memory limits what is used.
const RESERVES: [(&str, &str); 2] = [("MIMALLOC_ARENA_RESERVE", "16MiB"), ("MALLOC_ARENA_MAX", "1")];

/// The text of a PDF as HTML in UTF-8, by the program at `reader`.
///
/// # Errors
/// The reason why there is none, in words for people.
pub fn html(reader: &Path, pdf: &[u8]) -> Result<Vec<u8>, String> {
    let (status, text) = run(reader, pdf).map_err(|error| format!("the process that reads it: {error}"))?;
    match status.code() {
        Some(0) if text.len() as u64 > MAX_HTML_BYTES => {
            Err(format!("its text takes more than {MAX_HTML_BYTES} bytes"))
        }
        Some(0) => Ok(text),
        Some(REFUSED) => Err(String::from_utf8_lossy(&text).trim().to_owned()),
        Some(FAILED) => Err(TAKES_MEMORY.to_owned()),
        _ => Err(end_of(status)),
    }
}

fn run(reader: &Path, pdf: &[u8]) -> io::Result<(ExitStatus, Vec<u8>)> {
    let mut command = Command::new(reader);
    command.arg(PDF_COMMAND).envs(RESERVES).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C ends this program, but not the reading of the PDF that was begun.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let mut text = Vec::new();
    let read = thread::scope(|scope| {
        // The process may end before it has read everything.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(pdf)));
        let read = stdout.map_or(Ok(0), |stdout| stdout.take(MAX_HTML_BYTES + 1).read_to_end(&mut text));
        if text.len() as u64 > MAX_HTML_BYTES || read.is_err() {
            let _ = child.kill();
        }
        read
    });
    let status = child.wait()?;
    read?;
    // A process that was killed because its output was too long has done nothing else wrong.
    Ok((if text.len() as u64 > MAX_HTML_BYTES { ExitStatus::default() } else { status }, text))
}

/// How a process ended that says nothing, in words.
fn end_of(status: ExitStatus) -> String {
    #[cfg(unix)]
    match std::os::unix::process::ExitStatusExt::signal(&status) {
        Some(6) => return TAKES_MEMORY.to_owned(),
        Some(9 | 24) => return "takes more time than is allowed".to_owned(),
        _ => {}
    }
    format!("its reader ended in an unforeseen way: {status}")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_a_reader_says_and_how_it_ends_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = |script: &str| {
            let path = folder.path().join("reader");
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("room on the disk");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
            html(&path, &[b'x'; 1 << 20]).map(|html| String::from_utf8_lossy(&html).into_owned())
        };
        assert_eq!(told("test \"$1\" = pdf && wc -c"), Ok("1048576\n".to_owned()));
        assert_eq!(told("echo no PDF; exit 3"), Err("no PDF".to_owned()));
        assert_eq!(told("kill -ABRT $$"), Err("takes more memory than is allowed".to_owned()));
        assert_eq!(told("kill -XCPU $$"), Err("takes more time than is allowed".to_owned()));
        assert!(told("exit 7").expect_err("a code").contains("exit status: 7"));
        assert!(told("yes").expect_err("no end").contains("its text takes more than"));
        assert!(html(Path::new("/nowhere/at/all"), b"").expect_err("no program").contains("the process that reads it"));
    }
}
