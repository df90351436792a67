//! Keys and pages of a part → its page pairs.

use super::job::StepJob;
use super::rows::{Input, Output};
use super::sampling::page_pairs;
use super::sites::lang_pairs;
use super::snapshot::{self, Restored};
use super::teaching::learnt;
use crate::error::Result;
use crate::pipeline::run_stage;
use crate::pipeline::stages::{align_survey::samples, iterate::Iterate, verify::Verify};
use crate::site::learnt::learnt_record;

/// Store rows of a part → store rows with its page pairs, and rows with the pairs from which alignment may learn.
pub fn judge(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some(Restored { part, mut store }) = snapshot::read(job, input)? else { return Ok(()) };
    // The pages from which models were learnt are not known here; nothing in this step depends on them.
    let record = |(langs, learnt)| (langs, learnt_record(langs, 1, learnt, Default::default()));
    let learnt = learnt(job, &lang_pairs(&store)?)?;
    store.import_learnt(learnt.into_iter().map(record).collect())?;
    job.in_context(|context| {
        Verify.judge(&mut store, context)?;
        run_stage(&Iterate, &mut store, context)
    })?;
    for row in page_pairs(part, samples(&store, job.config)?)? {
        output.put(&row)?;
    }
    snapshot::write(part, store, output)
}
