//! The table of all steps.

use super::job::StepJob;
use super::plan::{PLAN, Turn};
use super::rows::{Input, Output};
use super::{aligning, dividing, exploring, finishing, judging, merging, pages, sampling, sites, teaching};
use crate::error::{Error, Result};
use crate::types::nearest_name;

/// One step.
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// What it reads and writes.
    pub about: &'static str,
    /// Advice on making its tasks smaller, if that is possible.
    pub makes_smaller: Option<&'static str>,
    /// The function that performs it.
    run: fn(&StepJob<'_>, &mut Input, &mut Output<'_>) -> Result<()>,
}

const PARTS: Option<&str> = Some("make parts smaller (pages_per_part, and split_over for larger domains)");
const BUCKETS: Option<&str> = Some("use more buckets");

/// All steps, in the order in which the [`PLAN`] takes them first.
#[rustfmt::skip]
pub const STEPS: &[Step] = &[
    Step { name: "inputs", about: "archives → input rows, settings, refused", makes_smaller: None, run: pages::inputs },
    Step { name: "pages", about: "input → page, archive, fingerprint, skipped, damage, refused", makes_smaller: None, run: pages::pages },
    Step { name: "keys", about: "page rows of a part → store, pattern, language", makes_smaller: PARTS, run: sites::keys },
    Step { name: "outline", about: "page rows of a divided domain → page, without texts", makes_smaller: None, run: dividing::outline },
    Step { name: "divide", about: "store rows of outlines → found, known, whole", makes_smaller: None, run: dividing::divide },
    Step { name: "deal", about: "page rows of a divided domain → page, by part", makes_smaller: None, run: dividing::deal },
    Step { name: "join", about: "page, found rows of a part → store, training", makes_smaller: PARTS, run: dividing::join },
    Step { name: "rescue", about: "store rows of a part → store, training", makes_smaller: PARTS, run: sites::rescue },
    Step { name: "sample", about: "training or page_pair → chosen", makes_smaller: None, run: sampling::sample },
    Step { name: "lessons", about: "store rows of a part → lesson", makes_smaller: PARTS, run: teaching::lessons },
    Step { name: "learn", about: "lesson rows of language pairs → learnt", makes_smaller: None, run: teaching::learn },
    Step { name: "judge", about: "store rows of a part → store, page_pair", makes_smaller: PARTS, run: judging::judge },
    Step { name: "texts", about: "store rows of a part → text", makes_smaller: PARTS, run: aligning::texts },
    Step { name: "model", about: "text rows of language pairs → model", makes_smaller: None, run: aligning::model },
    Step { name: "align", about: "store rows of a part → store, bead", makes_smaller: PARTS, run: aligning::align },
    Step { name: "merge", about: "bead rows of buckets → shared", makes_smaller: BUCKETS, run: merging::merge },
    Step { name: "finish", about: "store, shared rows of a part → pairs, bitext, keys or share, documents, units, pages, fetch, web", makes_smaller: PARTS, run: finishing::finish },
    Step { name: "tally", about: "whole, share rows of all parts → keys", makes_smaller: None, run: dividing::tally },
    Step { name: "explore", about: "web rows of all parts → explore", makes_smaller: None, run: exploring::explore },
];

/// The step with a name.
///
/// # Errors
/// When there is none.
pub fn step(name: &str) -> Result<&'static Step> {
    let names = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
    let found = STEPS.iter().find(|step| step.name == name);
    let meant = || nearest_name(name, STEPS.iter().map(|step| step.name));
    found.ok_or_else(|| Error::Config(format!("the step is {name}, expected one of {}{}", names(), meant())))
}

impl Step {
    /// Kinds of rows that are given to all its tasks.
    pub fn with(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&str> = self.turns().flat_map(|turn| turn.with.iter().map(|(_, kind)| *kind)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// True when the step reads rows. Only `inputs` does not, and it stands in no plan.
    pub fn reads(&self) -> bool {
        self.turns().next().is_some()
    }

    fn turns(&self) -> impl Iterator<Item = &'static Turn> {
        PLAN.iter().filter(|turn| turn.step == Some(self.name))
    }

    /// Performs the step: reads all of `input` and writes rows. [`Output::finish`] writes their end.
    ///
    /// # Errors
    /// [`Error::Input`] for rows that are not valid, are cut off, or were given by --with for another step; otherwise what stopped the
    /// work.
    pub fn run(&self, job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
        job.check_given(&self.with())?;
        (self.run)(job, input, output)
    }
}
