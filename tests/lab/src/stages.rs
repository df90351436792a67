//! What each stage of a run costs: a row a stage, one process after the other on a new store.
//!
//! ```text
//! cargo run --release -p diglot-lab -- stages DIGLOT_BINARY STORE INPUT... [-- OPTION...]
//! ```
//!
//! Runs `DIGLOT_BINARY run --until STAGE` for each stage in turn. STORE must not exist yet; it is left behind, to be looked
//! at. What stands behind `--` goes to every run (`-- --threads 2`). Memory is sampled under `/proc/PID/status` (Linux), so
//! peaks of anonymous memory that last less than the interval may be missed; the peak of resident memory is the system's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::clock::{CpuSeconds, children_seconds, peak_bytes_of, status_bytes};
use crate::{Result, Usage};
use diglot::pipeline::STAGES;
use diglot::query;
use diglot::store::{Access, Store};

/// How often memory is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// Bytes of a megabyte.
const MB: f64 = 1e6;

/// Prints a row a stage, then the store's folders.
pub fn run(arguments: &[String]) -> Result<()> {
    let (arguments, options) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let [program, store, inputs @ ..] = arguments else { return Err(Usage.into()) };
    if inputs.is_empty() {
        return Err(Usage.into());
    }
    let store = PathBuf::from(store);
    if store.exists() {
        return Err(format!("{} is there already; name a new store", store.display()).into());
    }
    let mut rows = Vec::new();
    for stage in STAGES {
        let mut command = Command::new(program);
        command.args(["run", "--quiet", "--until", stage.name(), "--store"]).arg(&store).args(options);
        command.args(inputs).stdin(Stdio::null()).stdout(Stdio::null());
        rows.push(measure(stage.name(), command, &store)?);
    }
    let pages = pages_of(&store)?.max(1);
    let input: u64 = inputs.iter().map(|input| folder_bytes(Path::new(input))).sum();
    println!(
        "stage\tuser s\tsystem s\twall s\tuser us/page\tpeak anonymous MB\tpeak resident MB\tdisk MB\tdisk bytes/page"
    );
    for row in &rows {
        println!("{}", row.line(pages));
    }
    print_folders(&store, pages, input)
}

/// What one stage took.
struct Row {
    stage: &'static str,
    cpu: CpuSeconds,
    wall: Duration,
    anonymous: f64,
    resident: f64,
    disk: u64,
}

impl Row {
    fn line(&self, pages: u64) -> String {
        format!(
            "{}\t{:.2}\t{:.2}\t{:.2}\t{:.1}\t{:.0}\t{:.0}\t{:.1}\t{:.0}",
            self.stage,
            self.cpu.user,
            self.cpu.system,
            self.wall.as_secs_f64(),
            self.cpu.user * 1e6 / pages as f64,
            self.anonymous / MB,
            self.resident / MB,
            self.disk as f64 / MB,
            self.disk as f64 / pages as f64
        )
    }
}

fn measure(stage: &'static str, mut command: Command, store: &Path) -> Result<Row> {
    let (before, began) = (children_seconds(), Instant::now());
    let mut child = command.spawn()?;
    let (anonymous, resident) = watch(&mut child)?;
    let (after, wall) = (children_seconds(), began.elapsed());
    if !child.wait()?.success() {
        return Err(format!("the stage {stage} failed").into());
    }
    let cpu = CpuSeconds { user: after.user - before.user, system: after.system - before.system };
    Ok(Row { stage, cpu, wall, anonymous, resident, disk: folder_bytes(store) })
}

/// The most anonymous and the most resident memory of a process, in bytes, when it has ended.
fn watch(child: &mut Child) -> Result<(f64, f64)> {
    let (mut anonymous, mut resident) = (0.0f64, 0.0f64);
    while child.try_wait()?.is_none() {
        anonymous = anonymous.max(status_bytes(child.id(), "RssAnon:"));
        resident = resident.max(peak_bytes_of(child.id()));
        std::thread::sleep(INTERVAL);
    }
    Ok((anonymous, resident))
}

fn pages_of(store: &Path) -> Result<u64> {
    Ok(query::archives(&Store::open(store, Access::Read)?)?.iter().map(|archive| archive.pages).sum())
}

fn print_folders(store: &Path, pages: u64, input: u64) -> Result<()> {
    let mut folders: Vec<(u64, String)> = Vec::new();
    for entry in fs::read_dir(store)?.flatten() {
        folders.push((folder_bytes(&entry.path()), entry.file_name().display().to_string()));
    }
    folders.sort_unstable_by(|x, y| y.cmp(x));
    println!("\nfolder\tMB\tbytes/page\tof the input");
    let line = |name: &str, bytes: u64| {
        let (bytes, pages, input) = (bytes as f64, pages as f64, input as f64);
        println!("{name}\t{:.2}\t{:.0}\t{:.3}", bytes / MB, bytes / pages, bytes / input);
    };
    folders.iter().filter(|folder| folder.0 > 0).for_each(|(bytes, name)| line(name, *bytes));
    line("all", folders.iter().map(|folder| folder.0).sum());
    println!("pages\t{pages}\ninput\t{:.2} MB", input as f64 / MB);
    Ok(())
}

/// Bytes of the files in a folder and below, or of a file.
fn folder_bytes(path: &Path) -> u64 {
    let Ok(found) = fs::symlink_metadata(path) else { return 0 };
    if !found.is_dir() {
        return found.len();
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| folder_bytes(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_as_large_as_all_files_below_it() {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        fs::create_dir(folder.path().join("in")).expect("a folder");
        fs::write(folder.path().join("in/a"), [0; 30]).expect("a file");
        fs::write(folder.path().join("b"), [0; 12]).expect("a file");
        assert_eq!((folder_bytes(folder.path()), folder_bytes(&folder.path().join("none"))), (42, 0));
    }
}
