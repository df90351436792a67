//! The work in steps without memory, for engines that run them on many machines: rows go in, rows come out.
//!
//! Sites are divided into *parts*, by the names of their domains. What is done within a site is done within its part: a step makes a
//! small store of the part in a folder of its own, and has the stages of [`pipeline`](crate::pipeline) work on it as `run` does. What
//! is decided across sites (credibility, what is learnt, what several sites say) goes through the engine as sums and samples that do
//! not depend on how sites are divided. So the results are those of `run`, byte for byte after sorting.
//!
//! `rows.rs` has the one schema of all rows, `snapshot.rs` makes a store into rows and back, `coding.rs` says what stands in their
//! data. The steps, in the order of the work: `pages.rs`, `sites.rs` (keys, rescue), `teaching.rs` (lessons, learn), `judging.rs`,
//! `aligning.rs` (texts, model, align), `merging.rs`, `finishing.rs` (`tables.rs` packs tables), `exploring.rs`; `dividing.rs` (outline, divide,
//! deal, join, tally) for a domain that is too large; `sampling.rs` says what is learnt from. docs/cluster.md has the kinds of rows.

mod aligning;
mod coding;
mod dividing;
mod exploring;
mod finishing;
mod job;
mod judging;
mod merging;
mod pages;
mod rows;
mod sampling;
mod sites;
mod snapshot;
mod steps;
mod tables;
mod teaching;

pub use job::{Content, Job};
pub use rows::{Input, Output, Row, SCHEMA_VERSION};
pub use steps::{STEPS, Step, step};
