//! Progress: the library reports it, but prints nothing.

use crate::archive::Tally;

/// Receives reports of progress. All calls may come from any thread.
pub trait Observer: Sync {
    /// A stage begins, or goes on with its next part, called `what`. Progress is counted in `unit`s; `total` is their number, if known.
    fn begin(&self, stage: &str, what: &str, unit: &str, total: Option<u64>);
    /// `done` units are done; `note` says more.
    fn progress(&self, done: u64, note: &str);
    /// Of the units that are done, this many were done by an earlier run. They say nothing of how fast the others are done.
    fn known(&self, _units: u64) {}
    /// Of the present unit's step called `what`, `done` of `total` are done. Sites that are worked on in parallel report their steps in any
    /// order.
    fn step(&self, _what: &str, _done: u64, _total: u64) {}
    /// A message of one line.
    fn message(&self, text: &str);
    /// What became of the inputs, after all were read.
    fn inputs(&self, _: &Tally) {}
    /// The stage has ended; `done` is true unless it failed or was stopped.
    fn end(&self, stage: &str, done: bool);
}

/// Ignores all reports.
pub struct Silent;

impl Observer for Silent {
    fn begin(&self, _: &str, _: &str, _: &str, _: Option<u64>) {}
    fn progress(&self, _: u64, _: &str) {}
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}
