//! Where the rows of an export go: a file, several, or a folder of files.

use std::io::{self, IsTerminal};
use std::path::Path;

use diglot::error::Error;
use diglot::export::{Bytes, Compression, Content, Exporter, Files, Format, Job, sides};
use diglot::types::{Lang, counted};
use indicatif::BinaryBytes;

use super::card::Card;
use super::folder::{Folder, Parts};
use super::output::{Target, Written, compression, finish};
use super::say::say;
use super::shape::{Shape, ShapeArgs};

/// What is to be written, as the user's options say.
pub struct Plan<'p> {
    format: &'static Format,
    file: Option<&'p Path>,
    /// How the files of a folder are made; `None` where the output is no folder.
    pub shape: Option<Shape>,
    /// The compression for formats that compress by themselves.
    pub compression: Compression,
}

impl<'p> Plan<'p> {
    /// The plan of an output in a format, to `file` or to stdout.
    ///
    /// # Errors
    /// When the options contradict each other, or the output cannot be read at its destination, such as binary data on a terminal.
    pub fn new(
        args: &ShapeArgs,
        content: Content,
        format: &'static Format,
        file: Option<&'p Path>,
    ) -> Result<Plan<'p>, Error> {
        check_output(format, file, io::stdout().is_terminal()).map_err(Error::Config)?;
        let shape = if args.is_of_folder(format, file) { Some(args.of_folder(content, format)?) } else { None };
        let compression = match &shape {
            Some(shape) => shape.compression,
            None => args.compression_of_file(format, file)?,
        };
        if shape.is_none() && format.files == Files::OneALanguage && file.is_none() {
            return Err(Error::Config(format!("--format {} writes two files; give -o NAME", format.name)));
        }
        Ok(Plan { format, file, shape, compression })
    }

    /// The languages of a single file: `known`, or the `two` of a format that needs them. Files of a folder have the languages of their rows.
    ///
    /// # Errors
    /// When there are not two.
    pub fn langs(
        &self,
        known: Option<[Lang; 2]>,
        two: impl FnOnce() -> Result<[Lang; 2], Error>,
    ) -> Result<Option<[Lang; 2]>, Error> {
        match (&self.shape, self.format.files) {
            (Some(_), _) => Ok(None),
            (None, Files::One) => Ok(known),
            (None, _) => two().map(Some),
        }
    }

    /// The endings of the names of the files that are written.
    pub fn suffixes(&self, langs: Option<[Lang; 2]>) -> Vec<String> {
        match langs.filter(|_| self.format.files == Files::OneALanguage) {
            Some(langs) => sides(langs).map(|side| format!(".{side}")).to_vec(),
            None => vec![String::new()],
        }
    }

    /// Where rows of these languages go.
    ///
    /// # Errors
    /// When a folder cannot be made.
    pub fn destination(&self, langs: Option<[Lang; 2]>) -> anyhow::Result<Destination<'_>> {
        Ok(match &self.shape {
            Some(shape) => Destination::Folder(Folder::new(folder(self.file)?)?, shape),
            None => Destination::Files(Vec::new(), self.suffixes(langs)),
        })
    }
}

/// The folder to write.
fn folder(file: Option<&Path>) -> Result<&Path, Error> {
    let problem = |problem: &str| Error::Config(format!("several files need {problem}"));
    let folder = file.ok_or_else(|| problem("a folder; give -o FOLDER"))?;
    match compression(folder) {
        Some(_) => Err(problem("a folder, whose name does not end in .gz or .zst; compress them by --compression")),
        None => Ok(folder),
    }
}

/// Refuses an output that cannot be read at its destination, such as binary data on a terminal.
fn check_output(format: &Format, file: Option<&Path>, is_terminal: bool) -> Result<(), String> {
    let name = format.name;
    let ending = file.and_then(compression).map(|ending| ending.to_string_lossy());
    match (format.bytes, ending.as_deref()) {
        (Bytes::Packed, Some(ending)) => Err(format!("--format {name} is compressed by itself; leave out .{ending}")),
        (Bytes::Members, Some("zst")) => {
            Err(format!("--format {name} is compressed by gzip only; expected .warc or .warc.gz"))
        }
        (Bytes::Text, _) => Ok(()),
        _ if file.is_none() && is_terminal => Err(format!(
            "--format {name} is no text for a terminal; give -o FILE, or a program to read it behind a pipe"
        )),
        _ => Ok(()),
    }
}

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

    /// Makes the exporter that takes the rows. In a folder, `budget` bytes of rows may wait to be written, and a card may describe them.
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
    let rows = content.counted(count as u64);
    match path {
        Some(path) if files > 0 => {
            let files = if files == 1 { String::new() } else { format!(" in {}", counted(files, "file")) };
            say(format!("{rows}{files}, {}: {}", BinaryBytes(bytes), path.display()));
        }
        _ if count == 0 && content != Content::Fetch => say(rows),
        _ => {}
    }
}

/// Refuses options for more columns where a format has none.
pub fn check_columns(format: &Format, detect: bool, record_ids: bool) -> Result<(), Error> {
    let asked = [(detect, "--detect"), (record_ids, "--record-ids")].into_iter().find(|(is_asked, _)| *is_asked);
    match asked {
        Some((_, option)) if !format.has_columns() => {
            Err(Error::Config(format!("{option} writes columns, which --format {} has none of", format.name)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use diglot::export;

    use super::*;

    #[test]
    fn what_is_no_text_does_not_go_to_a_terminal() {
        let check = |name: &str, content, file: Option<&str>, is_terminal| {
            let (_, format) = export::format(Some(content), Some(name), None).expect("a format");
            check_output(format, file.map(Path::new), is_terminal)
        };
        for (name, content) in [("parquet", Content::Bitext), ("arrow", Content::Pages), ("warc", Content::Warc)] {
            let problem = check(name, content, None, true).expect_err("refused");
            assert!(problem.contains(name) && problem.contains("-o FILE"), "{problem}");
            assert_eq!(check(name, content, None, false), Ok(()));
            assert_eq!(check(name, content, Some("x"), true), Ok(()));
        }
        assert_eq!(check("jsonl", Content::Bitext, None, true), Ok(()));
        assert!(check("parquet", Content::Bitext, Some("x.parquet.gz"), false).is_err());
        assert!(check("warc", Content::Warc, Some("x.warc.zst"), false).is_err());
    }
}
