//! Has the sentence pairs of sites scored by a program of the user, once they are aligned. The scores are kept beside the sentence pairs,
//! by hashes of the lines that were asked about: a pair that occurs again, on the same site or after it was aligned anew, is not asked
//! about again.

use std::time::{Duration, Instant};

use crate::config::ProgramParams;
use crate::config::settings::SCORER;
use crate::error::Result;
use crate::pipeline::Context;
use crate::program::{Program, SCORES, shown};
use crate::site::bitext::{Kept, for_each_kept};
use crate::site::scores::{UserScorer, made_from};
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::ScoreHead;
use crate::store::scoring::{Scoring, slice_of};
use crate::text::scored;
use crate::types::SiteId;

/// How many questions are asked at most before answers are waited for: as many as are answered within [`COMMIT_AFTER`] of the first answer.
/// So a program that gives more answers than it should is found out before a commit, and a program that works on many lines at a time gets
/// many.
const MAX_QUESTIONS: usize = 1024;
/// The work is committed when this much time has passed since the last commit,
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// and also one part in this many of the time since asking began;
const MAX_LOST: u32 = 100;
/// or when this many sentence pairs were examined.
const COMMIT_LINES: usize = 1 << 16;
/// The number of sites whose sentence pairs are to be scored.
///
/// # Errors
/// When the store cannot be read.
pub fn waiting(store: &Store) -> Result<usize> {
    Ok(stale(store, &UserScorer::of(store))?.len())
}

/// Has the sentence pairs of all sites scored, as far as they are not.
///
/// # Errors
/// When the store cannot be read or written; what the program does wrong; when the user wants to stop.
pub fn ask(store: &mut Store, stage: &str, context: &Context<'_>) -> Result<()> {
    forget(store)?;
    let scorer = UserScorer::of(store);
    let (Some(command), stale) = (scorer.command(), stale(store, &scorer)?) else { return Ok(()) };
    if stale.is_empty() {
        return Ok(());
    }
    let total = stale.iter().map(|work| work.kept).sum();
    context.observer.begin(stage, "scores of sentence pairs", "sentence pairs", Some(total));
    let (sent, open, now) = (Vec::new(), Vec::new(), Instant::now());
    let mut asking =
        Asking { scorer, program: None, most: 1, sent, open, lines: 0, done: 0, known: 0, began: now, last: now };
    let asked = asking.sites(store, context, stale, command);
    // The answers that came are kept, whatever went wrong after them.
    asked.and(asking.commit(store))?;
    asking.program.map_or(Ok(()), Program::finish)
}

/// Removes the scores of sites that have no sentence pairs any more, and all if there is no scorer.
fn forget(store: &mut Store) -> Result<()> {
    let has_scorer = store.settings().of(SCORER).next().is_some();
    let mut changes = Changes::default();
    for id in store.scored_sites()? {
        if !has_scorer || store.bitext_head(id)?.is_none() {
            changes.remove_scores(id);
        }
    }
    if changes.is_empty() { Ok(()) } else { store.commit(changes) }
}

/// A site whose sentence pairs are to be scored.
struct Work {
    site: SiteId,
    /// Hash of what its sentence pairs were made from.
    bitext: u64,
    kept: u64,
}

fn stale(store: &Store, scorer: &UserScorer) -> Result<Vec<Work>> {
    let mut found = Vec::new();
    let Some(command) = scorer.command() else { return Ok(found) };
    for site in (0..store.site_count()?).map(SiteId) {
        let Some(head) = store.bitext_head(site)? else { continue };
        let bitext = made_from(store, &head);
        let known = store.score_head(site)?.unwrap_or_default();
        if !known.finished || (known.scorer, known.bitext) != (command, bitext) {
            found.push(Work { site, bitext, kept: head.kept });
        }
    }
    Ok(found)
}

/// The scorer at work.
struct Asking {
    scorer: UserScorer,
    /// The program, once there is something to ask.
    program: Option<Program<f32>>,
    /// How many questions are asked before answers are waited for.
    most: usize,
    /// The questions that were asked and not answered yet: the position of the site among the open ones, the hash of the line, and the
    /// number of the question.
    sent: Vec<(usize, u64, usize)>,
    /// The sites of which something is not committed.
    open: Vec<Scoring>,
    /// How many sentence pairs and sites were examined since the last commit; and how many sentence pairs since the beginning.
    lines: usize,
    done: u64,
    /// How many of the latter were not asked about because their scores were known.
    known: u64,
    /// When asking began, and when the last commit was.
    began: Instant,
    last: Instant,
}

impl Asking {
    fn sites(&mut self, store: &mut Store, context: &Context<'_>, stale: Vec<Work>, command: u64) -> Result<()> {
        let budget = context.config.memory.sorted_beads();
        for Work { site, bitext, kept } in stale {
            let head = ScoreHead { scorer: command, bitext, ..ScoreHead::default() };
            let open = Scoring::new(store, (site, kept), head, budget)?;
            let slices = open.slices;
            self.lines += 1;
            self.open.push(open);
            for slice in 0..slices {
                self.slice(store, context, slice)?;
            }
        }
        self.answers(context)
    }

    /// Asks about a slice of the site that was opened last.
    fn slice(&mut self, store: &mut Store, context: &Context<'_>, slice: u64) -> Result<()> {
        let open = self.open.last_mut().expect("it was opened");
        let (site, slices) = (open.site, open.slices);
        let known = self.scorer.of_site(store, site, |line| slice_of(line, slices) == slice)?;
        open.begin(slice, known.0);
        let mut from = (0, 0);
        while let Some(next) = self.site(store, context, site, from)? {
            self.commit(store)?;
            from = next;
        }
        self.open.last_mut().expect("it was opened").is_whole = true;
        if slice + 1 < slices {
            self.answers(context)?;
            return self.commit(store);
        }
        if self.is_to_be_committed(context)? { self.commit(store) } else { Ok(()) }
    }

    /// Asks about the sentence pairs of the site that was opened last, from the one at `from` on: the position of its page pair, and its
    /// number in that page pair. When it is time to commit the answers, returns where to go on; `None` at the end.
    fn site(
        &mut self,
        store: &Store,
        context: &Context<'_>,
        site: SiteId,
        from: (u32, u32),
    ) -> Result<Option<(u32, u32)>> {
        let mut next = None;
        let mut coming = (from.0, 0);
        for_each_kept(store, site, from.0, |line| {
            let place = line.place;
            let here = if place == coming.0 { coming } else { (place, 0) };
            coming = (place, here.1 + 1);
            if here < from {
                return Ok(true);
            }
            if self.is_to_be_committed(context)? {
                next = Some(here);
                return Ok(false);
            }
            self.line(&context.config.scorer, line).map(|()| true)
        })?;
        Ok(next)
    }

    /// Waits for answers if enough was asked. True when it is time to commit them.
    fn is_to_be_committed(&mut self, context: &Context<'_>) -> Result<bool> {
        if self.sent.len() < self.most && self.lines < COMMIT_LINES {
            return Ok(false);
        }
        self.answers(context)?;
        context.check_stop()?;
        // Each commit writes the list of all records of a site, so there must not be too many commits.
        let after = COMMIT_AFTER.max(self.began.elapsed() / MAX_LOST);
        Ok(self.last.elapsed() >= after || self.lines >= COMMIT_LINES)
    }

    fn line(&mut self, params: &ProgramParams, line: &Kept<'_>) -> Result<()> {
        self.lines += 1;
        let question = self.scorer.question(line.texts);
        let hash = question.as_deref().map_or(0, scored::hash);
        let at = self.open.len() - 1;
        let open = &mut self.open[at];
        if !open.has(hash) {
            return Ok(());
        }
        self.done += 1;
        let Some(question) = question.filter(|_| open.asks(line.place, hash)) else {
            self.known += 1;
            return Ok(());
        };
        if self.program.is_none() {
            self.program = Program::start(&SCORES, params)?;
        }
        if let Some(program) = &self.program {
            let [(_, a), (_, b)] = line.texts;
            let about = format!("{} and {} of {} and {}", shown(a), shown(b), line.urls[0], line.urls[1]);
            self.sent.push((at, hash, program.ask(&question, &about)));
        }
        Ok(())
    }

    /// Waits for the answers to what was asked.
    ///
    /// # Errors
    /// What the program does wrong; when the user wants to stop. Answers that came before are there.
    fn answers(&mut self, context: &Context<'_>) -> Result<()> {
        let Some(program) = &mut self.program else { return Ok(()) };
        let mut answers = Vec::new();
        let all = program.append_answers(&|| context.check_stop(), &mut answers);
        for (at, line, number) in self.sent.drain(..) {
            let open = &mut self.open[at];
            match answers.get(number) {
                Some(&(score, _)) => open.answered(line, score),
                None => open.is_whole = false,
            }
        }
        let took = answers.first().zip(answers.last()).map(|(first, last)| last.1.duration_since(first.1));
        let is_slow = took.is_some_and(|took| took >= COMMIT_AFTER);
        self.most = if is_slow { self.most.div_ceil(2) } else { (2 * self.most).min(MAX_QUESTIONS) };
        context.observer.known(self.known);
        context.observer.progress(self.done, "");
        all
    }

    /// Commits what was answered. Of a site that is done, only the scores of its present sentence pairs are kept.
    fn commit(&mut self, store: &mut Store) -> Result<()> {
        if let Some(Err(error)) = self.program.as_mut().map(Program::settle) {
            // They may be answers to other questions.
            self.open.clear();
            return Err(error);
        }
        // Where asking has ended early, some questions have no answer.
        for (at, ..) in self.sent.drain(..) {
            self.open[at].is_whole = false;
        }
        let mut changes = Changes::default();
        for open in &mut self.open {
            open.write(store, &mut changes)?;
        }
        self.open.retain(|open| !open.is_finished());
        self.lines = 0;
        store.commit(changes)?;
        self.last = Instant::now();
        store.sites.unmap();
        store.results.unmap();
        store.bitexts.unmap();
        Ok(())
    }
}
