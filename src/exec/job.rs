//! The parameters of a step, and checks of the rows that it is given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::rows::{EngineRow, Input};
use crate::archive::Inputs;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::pipeline::{Context, Silent};
use crate::store::StoredSettings;

/// The parameters of a step, besides rows.
pub struct StepJob<'j> {
    /// Settings, the same for all steps.
    pub config: &'j Config,
    /// The same settings, in the form in which a store keeps them.
    pub settings: &'j StoredSettings,
    /// A folder for temporary files; it is empty at the start.
    pub scratch: &'j Path,
    /// Files of rows that all tasks of a step are given.
    pub with: &'j [PathBuf],
    /// Archives, for the step `inputs`.
    pub inputs: &'j [OsString],
    /// Leave out inputs that cannot be read.
    pub keep_going: bool,
    /// For `sample`: write rows that another `sample` step reads, together with those of other tasks.
    pub partial: bool,
    /// True when sites are registrable domains, false when they are hosts.
    pub by_domain: bool,
    /// Over how many buckets sentence pairs are distributed for comparison.
    pub buckets: u32,
    /// Parts from this number on are parts of domains that are divided.
    pub shares_from: Option<i32>,
    /// What the last step writes.
    pub what: &'j [Content],
    /// Setting it makes the step stop.
    pub stop: &'j AtomicBool,
}

/// A kind of content that the last step can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Pairs of pages.
    Pairs,
    /// Sentence pairs.
    Bitext,
    /// Keys.
    Keys,
    /// Pairs of pages with their texts.
    Documents,
    /// Sentences of documents in several languages.
    Units,
    /// Pages with their texts.
    Pages,
    /// The captures to fetch, where an index named them.
    Fetch,
    /// Hosts and the links between them, to be explored.
    Web,
}

impl Content {
    /// All kinds of content, by name on the command line.
    pub const ALL: [(&str, Content); 8] = [
        ("pairs", Content::Pairs),
        ("bitext", Content::Bitext),
        ("keys", Content::Keys),
        ("documents", Content::Documents),
        ("units", Content::Units),
        ("pages", Content::Pages),
        ("fetch", Content::Fetch),
        ("web", Content::Web),
    ];
}

impl StepJob<'_> {
    /// The rows of a kind from the files that all tasks are given.
    pub(super) fn given(&self, kind: &str) -> Result<Vec<EngineRow>> {
        let mut found = Vec::new();
        self.for_each_given(kind, |row| {
            found.push(row);
            Ok(())
        })?;
        Ok(found)
    }

    /// Calls `each` with each of these rows, in order.
    pub(super) fn for_each_given(&self, kind: &str, mut each: impl FnMut(EngineRow) -> Result<()>) -> Result<()> {
        for path in self.with {
            let mut rows = Input::open(path)?;
            while let Some(row) = rows.read()? {
                if row.kind == kind {
                    each(row)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses files with rows that the step does not read. Only the first row of each file is checked: a file usually has rows of one
    /// kind.
    pub(super) fn check_given(&self, kinds: &[&str]) -> Result<()> {
        for path in self.with {
            if let Some(row) = Input::open(path)?.read()?
                && !kinds.contains(&row.kind.as_str())
            {
                let expected = if kinds.is_empty() { "no --with".to_owned() } else { kinds.join(" or ") };
                let problem = format!("has rows of kind {}, and this step expects {expected}", row.kind);
                return Err(Error::input(path.display().to_string(), problem));
            }
        }
        Ok(())
    }

    /// Calls `work` in the context of a stage.
    pub(super) fn in_context<T>(&self, work: impl FnOnce(&Context<'_>) -> Result<T>) -> Result<T> {
        let inputs = Inputs::default();
        work(&Context { config: self.config, inputs: &inputs, observer: &Silent, stop: self.stop })
    }

    /// A folder in the scratch folder.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }
}

/// The part to which all rows belong.
#[derive(Default)]
pub(super) struct OnePart(pub Option<i32>);

impl OnePart {
    /// Refuses a row of another part, or of a kind that is not expected.
    pub(super) fn check(&mut self, row: &EngineRow, kinds: &[&str]) -> Result<()> {
        expect(row, kinds)?;
        let part = *self.0.get_or_insert(row.part);
        if part == row.part {
            return Ok(());
        }
        let problem = format!("rows of part {part} and of part {}; give those of one part", row.part);
        Err(Error::input("rows", problem))
    }
}

/// Refuses a row of a kind that is not expected.
pub(super) fn expect(row: &EngineRow, kinds: &[&str]) -> Result<()> {
    if kinds.contains(&row.kind.as_str()) {
        return Ok(());
    }
    Err(Error::input("rows", format!("a row of kind {}, expected {}", row.kind, kinds.join(" or "))))
}
