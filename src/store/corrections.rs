//! The file of corrections of a store: people's work, which no commit covers, no run touches, and nothing but people removes.
//!
//! The file is a text ([`Corrections::parse`]). It is replaced as a whole, so that it is always the one before or the one after a change;
//! lines that are not changed stay as they are, with comments.

use std::path::{Path, PathBuf};

use super::access::{fault, not_opened};
use super::manifest;
use super::people::{Held, hold};
use crate::corrections::{Corrections, HEAD, Line};
use crate::error::{Error, Result};
use crate::files;

/// The file of corrections in a store.
pub const FILE: &str = "corrections.tsv";

/// The file of corrections of a store.
#[derive(Clone, Debug)]
pub struct CorrectionFile {
    path: PathBuf,
}

impl CorrectionFile {
    /// That of the store in a folder.
    pub fn of(store: &Path) -> CorrectionFile {
        CorrectionFile { path: store.join(FILE) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says; nothing where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or a line makes no sense.
    pub fn read(&self) -> Result<Corrections> {
        self.parse(&self.text()?)
    }

    /// Its text; empty where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text(&self) -> Result<String> {
        match files::read(&self.path) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            read => {
                let bytes = read.map_err(|error| not_opened(&self.path, error))?;
                String::from_utf8(bytes).map_err(|_| fault(&self.path, "is no text in UTF-8; mend the file"))
            }
        }
    }

    fn parse(&self, text: &str) -> Result<Corrections> {
        Corrections::parse(text).map_err(|(line, problem)| {
            fault(&self.path, format!("line {line}: {problem} (mend or delete the line; nothing else is lost)"))
        })
    }

    /// Adds corrections behind the last line, if `check` finds nothing wrong with all of them together. Returns how many are new: what the
    /// file says already is not added again.
    ///
    /// # Errors
    /// When one of them contradicts another, what `check` returns, or when the disk does not take them.
    pub fn add(&self, new: &[Line], check: impl Fn(&Corrections) -> Result<()>) -> Result<usize> {
        let held = self.hold()?;
        let mut text = self.text()?;
        let known = self.parse(&text)?;
        let is_new = |line: &&Line| !known.lines().iter().any(|known| known.correction == line.correction);
        let new: Vec<&Line> = new.iter().filter(is_new).collect();
        if new.is_empty() {
            return Ok(0);
        }
        if text.is_empty() {
            text = format!("{HEAD}\n");
        } else if !text.ends_with('\n') {
            text.push('\n');
        }
        for line in &new {
            text += &line.text();
            text.push('\n');
        }
        let after = Corrections::parse(&text).map_err(|(_, problem)| Error::Config(problem))?;
        check(&after)?;
        held.replace(text.as_bytes())?;
        Ok(new.len())
    }

    /// Takes back the correction with a number, counted from 1 in the order of the file; returns it.
    ///
    /// # Errors
    /// [`Error::Config`] where there is none of that number; when the disk does not take the file.
    pub fn undo(&self, number: usize) -> Result<Line> {
        let taken = self.take_out(|lines| number.checked_sub(1).and_then(|at| lines.get(at)))?;
        let problem = || format!("there is no correction {number}; `diglot correct list` numbers them");
        taken.ok_or_else(|| Error::Config(problem()))
    }

    /// Takes back the correction that is about something ([`Correction::subject`](crate::corrections::Correction::subject)); `None` where
    /// there is none.
    ///
    /// # Errors
    /// When the disk does not take the file.
    pub fn take_back(&self, subject: &str) -> Result<Option<Line>> {
        self.take_out(|lines| lines.iter().find(|line| line.correction.subject() == subject))
    }

    fn take_out(&self, find: impl Fn(&[Line]) -> Option<&Line>) -> Result<Option<Line>> {
        self.check_store()?;
        if !self.path.exists() {
            return Ok(None);
        }
        let held = self.hold()?;
        let text = self.text()?;
        let known = self.parse(&text)?;
        let Some(line) = find(known.lines()) else { return Ok(None) };
        let kept = text.lines().zip(1..).filter(|(_, at)| *at != line.line);
        let kept: String = kept.map(|(text, _)| format!("{text}\n")).collect();
        held.replace(kept.as_bytes())?;
        Ok(Some(line.clone()))
    }

    /// Checks that the folder is that of a store.
    ///
    /// # Errors
    /// Where there is none.
    pub fn check_store(&self) -> Result<()> {
        manifest::check_store(self.path.parent().unwrap_or(Path::new(".")))
    }

    /// Holds the file for one writer at a time. Nothing is made where there is no store.
    fn hold(&self) -> Result<Held> {
        self.check_store()?;
        hold(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::corrections::Correction;
    use crate::store::{Access, Store};

    fn line(kind: &str, first: &str, second: &str) -> Line {
        Line::new(Correction::parse(kind, first, second).expect("a correction"), "2026-11-28", "a\tnote")
    }

    #[test]
    fn corrections_are_added_and_taken_back_and_comments_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Store::open(folder.path(), Access::Write).expect("an empty folder"));
        let file = CorrectionFile::of(folder.path());
        assert!(file.read().expect("no file").is_empty());
        let fine = |_: &Corrections| Ok(());
        let pin = line("pin", "x.org/a", "x.org/b");
        assert_eq!(file.add(&[pin.clone(), line("language", "x.org", "fr")], fine).expect("room on disk"), 2);
        assert_eq!(file.add(&[pin], fine).expect("room on disk"), 0, "it is there");
        fs::write(file.path(), file.text().expect("a text") + "# mine").expect("room on disk");
        assert_eq!(file.add(&[line("together", "x.org", "y.com")], fine).expect("room on disk"), 1);
        let against = file.add(&[line("forbid", "x.org/a", "x.org/b")], fine).expect_err("a contradiction");
        assert!(against.to_string().contains("line 2 says otherwise"), "{against}");
        let refused = |_: &Corrections| Err(Error::Config("no".to_owned()));
        assert!(file.add(&[line("pin", "x.org/c", "x.org/d")], refused).is_err());
        assert_eq!(file.undo(1).expect("room on disk").correction.kind(), "pin");
        let kinds: Vec<_> = file.read().expect("sound").lines().iter().map(|line| line.correction.kind()).collect();
        assert_eq!(kinds, ["language", "together"]);
        let text = file.text().expect("a text");
        assert!(text.contains("# mine\n") && text.contains("\ta note\n"), "{text}");
        assert!(file.undo(3).is_err());
        let about = line("together", "y.com", "x.org").correction.subject();
        let taken = file.take_back(&about).expect("room on disk").map(|line| line.correction.kind());
        assert_eq!((taken, file.take_back(&about).expect("a store")), (Some("together"), None));
    }

    #[test]
    fn where_there_is_no_store_nothing_is_made() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = CorrectionFile::of(folder.path());
        let outcomes = [file.undo(1).map(drop), file.add(&[], |_| Ok(())).map(drop), file.check_store()];
        assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_damaged_file_is_an_error_that_names_the_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Store::open(folder.path(), Access::Write).expect("an empty folder"));
        let file = CorrectionFile::of(folder.path());
        fs::write(file.path(), "pin\tx.org/a\n").expect("room on disk");
        let problem = file.read().expect_err("half a pair").to_string();
        assert!(problem.contains("corrections.tsv: line 1: ") && problem.contains("mend or delete"), "{problem}");
        assert!(file.add(&[line("language", "x.org", "fr")], |_| Ok(())).is_err(), "nothing is written to it");
        assert_eq!(file.text().expect("a text"), "pin\tx.org/a\n");
    }
}
