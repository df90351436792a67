//! `diglot pdf`: makes HTML of one PDF, within limits. The program calls it in processes of its own; a user who wants to see what is read
//! of a PDF can call it too.

use std::io::{self, Read, Write};

use anyhow::Context;
use diglot::inputs::{PDF_COMMAND, html_of_pdf, read_pdf_with};
use nix::sys::resource::{Resource, setrlimit};

/// How much memory reading a PDF may take, in bytes.
const MAX_BYTES: u64 = 512 << 20;
/// How long the processor may work on a PDF, in seconds.
const MAX_SECONDS: u64 = 5;
/// The exit code for a PDF that cannot be read.
const REFUSED: i32 = 3;

/// Make HTML of a PDF
///
/// Reads a PDF on stdin and writes its text as HTML. It takes no more than 5 seconds of the processor and 512 MiB of memory.
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Pdf {}

impl Pdf {
    pub fn run(&self) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("reading stdin")?;
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        setrlimit(Resource::RLIMIT_CPU, MAX_SECONDS, MAX_SECONDS + 1)?;
        setrlimit(Resource::RLIMIT_AS, MAX_BYTES, MAX_BYTES)?;
        let read = html_of_pdf(bytes);
        let mut stdout = io::stdout().lock();
        match &read {
            Ok(html) => stdout.write_all(html.as_bytes())?,
            Err(problem) => writeln!(stdout, "{problem}")?,
        }
        stdout.flush()?;
        if read.is_err() {
            std::process::exit(REFUSED);
        }
        Ok(())
    }
}

/// Makes this program the one that reads the PDF in archives.
pub fn be_there() {
    // The command exists under this name.
    debug_assert_eq!(PDF_COMMAND, "pdf");
    if let Ok(program) = std::env::current_exe() {
        read_pdf_with(program);
    }
}
