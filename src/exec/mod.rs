//! The work divided into steps that keep no state, for engines that run them on many machines: each step reads rows and writes rows.
//!
//! Sites are divided into *parts*, by the names of their domains. What is done within a site is done within its part: a step makes a small
//! store of the part in a temporary folder, and runs the stages of [`pipeline`](crate::pipeline) on it as `run` does. What is decided
//! across sites (credibility, what is learnt, repetitions on several sites) passes through the engine as sums and samples that do not
//! depend on how sites are divided. So the results are those of `run`, byte for byte after sorting.
//!
//! `plan.rs` has the order of the work, `rows.rs` the schema of all rows, `snapshot.rs` turns a store into rows and back, and `coding.rs` encodes their data. The steps, in
//! the order of the work: `pages.rs`, `sites.rs` (keys, rescue), `teaching.rs` (lessons, learn), `judging.rs`, `aligning.rs` (texts, model,
//! align), `merging.rs`, `finishing.rs` (`tables.rs` packs tables), `exploring.rs`; `dividing.rs` (outline, divide, deal, join, tally) is
//! for a domain that is too large; `sampling.rs` chooses what is learnt from. docs/cluster.md lists the kinds of rows.

mod aligning;
mod coding;
mod dividing;
mod exploring;
mod finishing;
mod job;
mod judging;
mod merging;
mod pages;
mod plan;
mod rows;
mod sampling;
#[cfg(test)]
mod shapes;
mod sites;
mod snapshot;
mod steps;
mod tables;
mod teaching;

pub use job::{Content, StepJob};
pub use plan::{Deal, Only, PLAN, Rows, Turn};
pub use rows::{EngineRow, Input, Output, SCHEMA_VERSION};
pub use steps::{STEPS, Step, step};
