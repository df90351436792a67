//! The table of all steps.

use super::job::StepJob;
use super::rows::{Input, Output};
use super::{aligning, dividing, exploring, finishing, judging, merging, pages, sampling, sites, teaching};
use crate::error::{Error, Result};

/// One step.
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// What it reads and writes.
    pub about: &'static str,
    /// Kinds of rows that are given to all its tasks.
    pub with: &'static [&'static str],
    /// Advice on making its tasks smaller, if that is possible.
    pub makes_smaller: Option<&'static str>,
    /// True when it reads rows.
    pub reads: bool,
    /// The function that performs it.
    run: fn(&StepJob<'_>, &mut Input, &mut Output<'_>) -> Result<()>,
}

const PARTS: Option<&str> = Some("make parts smaller (pages_per_part, and split_over for larger domains)");
const BUCKETS: Option<&str> = Some("use more buckets");

/// All steps, in the order of the work.
#[rustfmt::skip]
pub const STEPS: &[Step] = &[
    Step { name: "inputs", about: "archives → input rows, settings, refused", with: &[], makes_smaller: None, reads: false, run: pages::inputs },
    Step { name: "pages", about: "input → page, archive, fingerprint, skipped, damage, refused", with: &[], makes_smaller: None, reads: true, run: pages::pages },
    Step { name: "keys", about: "page rows of a part → store, pattern, language (with archive)", with: &["archive"], makes_smaller: PARTS, reads: true, run: sites::keys },
    Step { name: "rescue", about: "store rows of a part → store, training (with pattern, summed, language)", with: &["pattern", "language"], makes_smaller: PARTS, reads: true, run: sites::rescue },
    Step { name: "outline", about: "page rows of a divided domain → page, without texts", with: &[], makes_smaller: None, reads: true, run: dividing::outline },
    Step { name: "divide", about: "store rows of outlines → found, known, whole (with divided, pattern, language)", with: &["divided", "pattern", "language"], makes_smaller: None, reads: true, run: dividing::divide },
    Step { name: "deal", about: "page rows of a divided domain → page, by part (with known)", with: &["known"], makes_smaller: None, reads: true, run: dividing::deal },
    Step { name: "join", about: "page, found rows of a part → store, training (with archive, known, pattern)", with: &["archive", "known", "pattern"], makes_smaller: PARTS, reads: true, run: dividing::join },
    Step { name: "sample", about: "training or page_pair → chosen", with: &[], makes_smaller: None, reads: true, run: sampling::sample },
    Step { name: "lessons", about: "store rows of a part → lesson (with chosen)", with: &["chosen"], makes_smaller: PARTS, reads: true, run: teaching::lessons },
    Step { name: "learn", about: "lesson rows of language pairs → learnt", with: &[], makes_smaller: None, reads: true, run: teaching::learn },
    Step { name: "judge", about: "store rows of a part → store, page_pair (with learnt)", with: &["learnt"], makes_smaller: PARTS, reads: true, run: judging::judge },
    Step { name: "texts", about: "store rows of a part → text (with chosen)", with: &["chosen"], makes_smaller: PARTS, reads: true, run: aligning::texts },
    Step { name: "model", about: "text rows of language pairs → model (with learnt)", with: &["learnt"], makes_smaller: None, reads: true, run: aligning::model },
    Step { name: "align", about: "store rows of a part → store, bead (with model)", with: &["model"], makes_smaller: PARTS, reads: true, run: aligning::align },
    Step { name: "merge", about: "bead rows of buckets → shared", with: &[], makes_smaller: BUCKETS, reads: true, run: merging::merge },
    Step { name: "finish", about: "store, shared rows of a part → pairs, bitext, keys or share, fetch, web", with: &[], makes_smaller: PARTS, reads: true, run: finishing::finish },
    Step { name: "tally", about: "whole, share rows of all parts → keys", with: &[], makes_smaller: None, reads: true, run: dividing::tally },
    Step { name: "explore", about: "web rows of all parts → explore", with: &[], makes_smaller: None, reads: true, run: exploring::explore },
];

/// The step with a name.
///
/// # Errors
/// When there is none.
pub fn step(name: &str) -> Result<&'static Step> {
    let names = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
    let found = STEPS.iter().find(|step| step.name == name);
    found.ok_or_else(|| Error::Config(format!("the step is {name}, expected one of {}", names())))
}

impl Step {
    /// Performs the step: reads all of `input` and writes rows. [`Output::finish`] writes their end.
    ///
    /// # Errors
    /// [`Error::Input`] for rows that are not valid, are cut off, or were given by --with for another step; otherwise what stopped the
    /// work.
    pub fn run(&self, job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
        job.check_given(self.with)?;
        (self.run)(job, input, output)
    }
}
