//! Where the rows of an export go: a file, several, or a folder of files.

use std::io;
use std::path::Path;

use diglot::export::{Bytes, Content, Exporter, Format, Job};
use diglot::types::counted;
use indicatif::BinaryBytes;

use super::card::Card;
use super::folder::{Folder, Parts};
use super::output::{Target, Written, finish};
use super::say::say;
use super::shape::Shape;

/// Where rows go.
pub enum Destination<'d> {
    /// Files, or stdout, with what follows their names.
    Files(Vec<Target>, Vec<String>),
    /// A folder of files.
    Folder(Folder, &'d Shape),
}

impl Destination<'_> {
    /// Opens the files; those of a folder are opened as rows come.
    pub fn open(&mut self, output: Option<&Path>, format: &Format) -> anyhow::Result<()> {
        let Destination::Files(targets, suffixes) = self else { return Ok(()) };
        let open = if format.bytes == Bytes::Members { Target::open_raw } else { Target::open };
        suffixes.iter().try_for_each(|suffix| {
            targets.push(open(output, suffix)?);
            Ok(())
        })
    }

    /// What takes the rows. In a folder, `budget` bytes of them may wait to be written, and a card may describe them.
    pub fn exporter<'e>(
        &'e mut self,
        format: &'e Format,
        job: Job,
        budget: usize,
        card: Option<Card>,
    ) -> io::Result<Box<dyn Exporter + 'e>> {
        match self {
            Destination::Files(targets, _) => (format.make)(&job, targets.iter_mut().map(Target::take).collect()),
            Destination::Folder(folder, shape) => {
                Ok(Box::new(Parts::new(folder, format, job, shape, budget).with_card(card)))
            }
        }
    }

    /// Gives what was written its final names, or removes it after an error.
    pub fn finish(self, written: anyhow::Result<()>) -> anyhow::Result<Written> {
        match self {
            Destination::Files(targets, _) => finish(targets, written),
            Destination::Folder(folder, _) => folder.finish(written),
        }
    }
}

/// Says how much was written into files, or that there was nothing to write.
pub fn say_written(content: Content, count: usize, Written { files, bytes }: Written, path: Option<&Path>) {
    let rows = content.rows();
    match path {
        Some(path) if files > 0 => {
            let files = if files == 1 { String::new() } else { format!(" in {}", counted(files, "file")) };
            say(format!("{count} {rows}{files}, {}: {}", BinaryBytes(bytes), path.display()));
        }
        _ if count == 0 && content != Content::Fetch => say(format!("0 {rows}")),
        _ => {}
    }
}
