//! What becomes of the inputs of a run, for a person.

use std::fmt;
use std::path::PathBuf;

/// An input that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The full path of the file, if it has one; else the input that the user named.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
    /// True when the user named it, or reading it failed: leaving it out means that not all was done that the user asked for.
    pub is_fault: bool,
}

/// The reason for which an index is left out: the archives that it names are read themselves, and have more information.
pub(super) const READ_ITSELF: &str = "an index of archives that are read themselves; name the file to have it read too";

impl Refused {
    /// True for an index that is left out since all archives that it names are read.
    pub fn is_index(&self) -> bool {
        self.reason == READ_ITSELF
    }
}

/// What was done with the inputs of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Archives that were read, fully or in part.
    pub read: u64,
    /// Archives that had been read to their end before.
    pub read_before: u64,
    /// Archives that were found damaged or cut off while they were read; their readable parts were read.
    pub damaged: u64,
    /// Archives that were not begun before the run was stopped.
    pub not_begun: u64,
    /// Inputs that were not read, or not to their end.
    pub refused: Vec<Refused>,
}

impl Tally {
    /// The inputs that were not read, without the indexes whose archives were read.
    pub fn skipped(&self) -> Vec<&Refused> {
        self.refused.iter().filter(|refused| !refused.is_index()).collect()
    }
}

/// How many inputs are named in a message, each in a line of its own.
const NAMED_INPUTS: usize = 10;
/// How many indexes are named in a message, all in one line.
const NAMED_INDEXES: usize = 3;

/// Inputs that are not read, each in a line of its own, as far as there is room for them.
pub(super) fn lines_of<'r>(refused: impl ExactSizeIterator<Item = &'r Refused>) -> String {
    let more = refused.len().saturating_sub(NAMED_INPUTS);
    let mut lines: String = refused.take(NAMED_INPUTS).map(|refused| format!("\n  {}", line_of(refused))).collect();
    if more > 0 {
        lines.push_str(&format!("\n  … {more} more"));
    }
    lines
}

/// The name of an input and why it is not read, in one line.
fn line_of(refused: &Refused) -> String {
    format!("{}: {}", refused.path.display(), refused.reason).replace(['\n', '\r'], " ")
}

/// A line about the indexes that are left out.
fn line_of_indexes(indexes: &[&Refused]) -> String {
    let name =
        |refused: &&Refused| refused.path.file_name().unwrap_or_default().to_string_lossy().replace(['\n', '\r'], " ");
    let mut names = indexes.iter().take(NAMED_INDEXES).map(name).collect::<Vec<_>>().join(", ");
    if indexes.len() > NAMED_INDEXES {
        names.push_str(&format!(", … {} more", indexes.len() - NAMED_INDEXES));
    }
    match indexes.len() {
        1 => format!("1 index of archives that are read themselves is left out: {names}; name it to have it read too"),
        count => format!(
            "{count} indexes of archives that are read themselves are left out: {names}; name one to have it read too"
        ),
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_all_known = self.read == 0 && self.read_before > 0;
        if !is_all_known {
            write!(f, "{} read", self.read)?;
        }
        if self.damaged > 0 {
            write!(f, ", {} of them damaged or cut off (`diglot status --archives`)", self.damaged)?;
        }
        if self.read_before > 0 {
            write!(f, "{}{} already read", if is_all_known { "" } else { ", " }, self.read_before)?;
        }
        if self.not_begun > 0 {
            write!(f, ", {} not begun: give them again", self.not_begun)?;
        }
        let skipped = self.skipped();
        match skipped.as_slice() {
            [] => {}
            [refused] => write!(f, ", 1 skipped: {}", line_of(refused))?,
            _ => write!(f, ", {} skipped:{}", skipped.len(), lines_of(skipped.iter().copied()))?,
        }
        if skipped.len() > NAMED_INPUTS {
            write!(f, ": `diglot status --archives`")?;
        }
        let indexes: Vec<&Refused> = self.refused.iter().filter(|refused| refused.is_index()).collect();
        if !indexes.is_empty() {
            write!(f, "\n  {}", line_of_indexes(&indexes))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, reason: &str) -> Refused {
        Refused { path: name.into(), reason: reason.into(), is_fault: false }
    }

    #[test]
    fn a_tally_names_each_input_that_is_skipped_in_a_line_of_its_own() {
        let mut tally = Tally { read: 2, ..Tally::default() };
        assert_eq!(tally.to_string(), "2 read");
        (tally.read_before, tally.refused) = (3, vec![refused("a", "empty")]);
        assert_eq!(tally.to_string(), "2 read, 3 already read, 1 skipped: a: empty");
        tally.refused = vec![refused("a\nb", "empty")];
        assert_eq!(tally.to_string(), "2 read, 3 already read, 1 skipped: a b: empty");
        tally.refused = (0..12).map(|n| refused(&n.to_string(), "empty")).collect();
        let told = tally.to_string();
        assert!(told.starts_with("2 read, 3 already read, 12 skipped:\n  0: empty\n  1: empty\n"), "{told}");
        assert!(told.ends_with("\n  9: empty\n  … 2 more: `diglot status --archives`"), "{told}");
    }

    #[test]
    fn indexes_that_are_left_out_are_told_once_and_are_not_skipped() {
        let mut tally = Tally { read: 2, refused: vec![refused("x/a.cdx", READ_ITSELF)], ..Tally::default() };
        let line = "1 index of archives that are read themselves is left out: a.cdx; name it to have it read too";
        assert_eq!(tally.to_string(), format!("2 read\n  {line}"));
        tally.refused.push(refused("y.zip", "a ZIP: unpack it"));
        tally.refused.extend(["b.cdx", "c.cdx", "d.cdx"].map(|name| refused(name, READ_ITSELF)));
        let line =
            "4 indexes of archives that are read themselves are left out: a.cdx, b.cdx, c.cdx, … 1 more; name one";
        let told = tally.to_string();
        assert!(told.starts_with(&format!("2 read, 1 skipped: y.zip: a ZIP: unpack it\n  {line}")), "{told}");
    }
}
