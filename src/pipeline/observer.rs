//! Progress: the library tells, it never prints.

use crate::archive::Tally;

/// Who is told of progress. All calls may come from any thread.
pub trait Observer: Sync {
    /// A stage begins, or goes on with the next part: `what` is done in `unit`s, of which there are `total` where known.
    fn begin(&self, stage: &str, what: &str, unit: &str, total: Option<u64>);
    /// So much is done; `note` says more.
    fn progress(&self, done: u64, note: &str);
    /// Inside of what is done next, of the step that is called `what`, so much is done of `total`. Sites that are worked on side by
    /// side tell of their steps in any order.
    fn step(&self, _what: &str, _done: u64, _total: u64) {}
    /// Something worth a line.
    fn message(&self, text: &str);
    /// What became of the inputs, once all are read.
    fn inputs(&self, _: &Tally) {}
    /// The stage is over.
    fn end(&self, stage: &str, done: bool);
}

/// Tells nobody.
pub struct Silent;

impl Observer for Silent {
    fn begin(&self, _: &str, _: &str, _: &str, _: Option<u64>) {}
    fn progress(&self, _: u64, _: &str) {}
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}
