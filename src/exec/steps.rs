//! All steps by their names.

use super::job::Job;
use super::rows::{Input, Output};
use super::{aligning, exploring, finishing, judging, merging, pages, sampling, sites, teaching};
use crate::error::{Error, Result};

/// One step.
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// What goes in, and what comes out.
    pub about: &'static str,
    /// True when it reads rows.
    pub reads: bool,
    /// Does it.
    run: fn(&Job<'_>, &mut Input, &mut Output<'_>) -> Result<()>,
}

/// All steps, in the order of the work.
#[rustfmt::skip]
pub const STEPS: &[Step] = &[
    Step { name: "inputs", about: "archives → input rows", reads: false, run: pages::inputs },
    Step { name: "pages", about: "input → page, archive, skipped, refused", reads: true, run: pages::pages },
    Step { name: "keys", about: "page rows of a part → store, pattern (with archive)", reads: true, run: sites::keys },
    Step { name: "rescue", about: "store rows of a part → store, training (with pattern, summed)", reads: true, run: sites::rescue },
    Step { name: "sample", about: "training or page_pair → chosen", reads: true, run: sampling::sample },
    Step { name: "lessons", about: "store rows of a part → lesson (with chosen)", reads: true, run: teaching::lessons },
    Step { name: "learn", about: "lesson rows of language pairs → learnt", reads: true, run: teaching::learn },
    Step { name: "judge", about: "store rows of a part → store, page_pair (with learnt)", reads: true, run: judging::judge },
    Step { name: "texts", about: "store rows of a part → text (with chosen)", reads: true, run: aligning::texts },
    Step { name: "model", about: "text rows of language pairs → model (with learnt)", reads: true, run: aligning::model },
    Step { name: "align", about: "store rows of a part → store, bead (with model)", reads: true, run: aligning::align },
    Step { name: "merge", about: "bead rows of buckets → shared", reads: true, run: merging::merge },
    Step { name: "finish", about: "store and shared rows of a part → pairs, bitext, keys, fetch, web", reads: true, run: finishing::finish },
    Step { name: "explore", about: "web rows of all parts → explore", reads: true, run: exploring::explore },
];

/// The step of a name.
///
/// # Errors
/// When there is none.
pub fn step(name: &str) -> Result<&'static Step> {
    let names = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
    let found = STEPS.iter().find(|step| step.name == name);
    found.ok_or_else(|| Error::Config(format!("the step is {name}, expected one of {}", names())))
}

impl Step {
    /// Does the step: reads all of `input`, and writes rows, whose end is written by [`Output::finish`].
    ///
    /// # Errors
    /// [`Error::Input`] for rows that are no such rows, or are cut off; what stopped the work otherwise.
    pub fn run(&self, job: &Job<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
        (self.run)(job, input, output)
    }
}
