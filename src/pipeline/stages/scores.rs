//! Has the sentence pairs of sites scored by a program of the user, once they are aligned. The scores stand beside the sentence pairs, by
//! hashes of what was asked: a pair that comes again, on the site as it is now or after it was aligned anew, is not asked about again.

use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::ProgramParams;
use crate::config::settings::SCORER;
use crate::error::Result;
use crate::pipeline::Context;
use crate::program::{Program, SCORES, shown};
use crate::query::bitext::for_each_kept;
use crate::query::scores::{Scorer, made_from};
use crate::store::Store;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{ScoreHead, ScoreRecord};
use crate::text::scored;
use crate::types::{BitextLine, SiteId};

/// Questions that are asked before answers are waited for.
const QUESTIONS: usize = 1024;
/// The work is committed when so much time has passed since the last commit …
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// … or so many sentence pairs were looked at.
const COMMIT_LINES: usize = 1 << 16;
/// Scores in one record.
const RECORD_ROWS: usize = 1 << 16;

/// The number of sites whose sentence pairs are to be scored.
///
/// # Errors
/// When the store cannot be read.
pub fn waiting(store: &Store) -> Result<usize> {
    Ok(stale(store, &Scorer::of(store))?.len())
}

/// Has the sentence pairs of all sites scored, as far as they are not.
///
/// # Errors
/// When the store cannot be read or written; what the program does wrong; when the user wants to stop.
pub fn ask(store: &mut Store, stage: &str, context: &Context<'_>) -> Result<()> {
    forget(store)?;
    let scorer = Scorer::of(store);
    let (Some(command), stale) = (scorer.command(), stale(store, &scorer)?) else { return Ok(()) };
    if stale.is_empty() {
        return Ok(());
    }
    let total = stale.iter().map(|work| work.kept).sum();
    context.observer.begin(stage, "scores of sentence pairs", "sentence pairs", Some(total));
    let (sent, open, last) = (Vec::new(), Vec::new(), Instant::now());
    let mut asking = Asking { scorer, program: None, sent, open, lines: 0, done: 0, last };
    for work in stale {
        asking.open(store, &work, command)?;
        let mut from = 0;
        while let Some(next) = asking.site(store, context, work.site, from)? {
            asking.commit(store)?;
            from = next;
        }
        asking.open.last_mut().expect("it was opened").head.finished = true;
        if asking.is_to_be_committed(context)? {
            asking.commit(store)?;
        }
    }
    asking.answers(context)?;
    asking.commit(store)?;
    asking.program.map_or(Ok(()), Program::finish)
}

/// Removes the scores of sites that have no sentence pairs any more, and all if there is no scorer.
fn forget(store: &mut Store) -> Result<()> {
    let has_scorer = store.settings().of(SCORER).next().is_some();
    let mut changes = Changes::default();
    for key in store.catalog().keys(Keyspace::Score)? {
        let id = <[u8; 4]>::try_from(key.as_slice()).ok().map(|key| SiteId(u32::from_be_bytes(key)));
        let bitext = id.map_or(Ok(None), |id| store.bitext_head(id))?;
        if !has_scorer || bitext.is_none() {
            changes.remove(Keyspace::Score, &key);
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

fn stale(store: &Store, scorer: &Scorer) -> Result<Vec<Work>> {
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

/// A site whose sentence pairs are being scored.
struct Open {
    site: SiteId,
    head: ScoreHead,
    /// Scores that the store has, and those that were given since.
    known: FxHashMap<u64, f32>,
    /// The lines that the site asks.
    lines: FxHashSet<u64>,
    /// The same as often as they are asked, each with the position of its page pair.
    places: Vec<(u32, u64)>,
    /// Those of them that the store has no score of.
    fresh: Vec<u64>,
}

/// The scorer at work.
struct Asking {
    scorer: Scorer,
    /// The program, once there is something to ask.
    program: Option<Program<f32>>,
    /// The line of each question that was asked and not answered yet, and its number.
    sent: Vec<(usize, u64, usize)>,
    /// The sites of which something is not committed.
    open: Vec<Open>,
    /// How many sentence pairs and sites were looked at since the last commit; how many sentence pairs since the beginning.
    lines: usize,
    done: u64,
    /// When the last commit was.
    last: Instant,
}

impl Asking {
    fn open(&mut self, store: &Store, work: &Work, command: u64) -> Result<()> {
        let known = self.scorer.of_site(store, work.site)?.0;
        // What another scorer has said is of no use.
        let head = store.score_head(work.site)?.filter(|head| head.scorer == command).unwrap_or_default();
        let head = ScoreHead { scorer: command, bitext: work.bitext, finished: false, ..head };
        let (lines, places, fresh) = Default::default();
        self.lines += 1;
        self.open.push(Open { site: work.site, head, known, lines, places, fresh });
        Ok(())
    }

    /// Asks about the sentence pairs of the site that was opened last, from the page pair at a position on. Returns where to go on once what
    /// was answered is to be committed; `None` at the end.
    fn site(&mut self, store: &Store, context: &Context<'_>, site: SiteId, from: u32) -> Result<Option<u32>> {
        let mut next = None;
        let mut last = from;
        for_each_kept(store, context.config, site, from, |place, line| {
            // A page pair is asked about as a whole.
            if place != last && self.is_to_be_committed(context)? {
                next = Some(place);
                return Ok(false);
            }
            last = place;
            self.line(&context.config.scorer, place, &line).map(|()| true)
        })?;
        Ok(next)
    }

    /// Waits for answers if enough was asked. True when it is time to commit them.
    fn is_to_be_committed(&mut self, context: &Context<'_>) -> Result<bool> {
        if self.sent.len() < QUESTIONS && self.lines < COMMIT_LINES {
            return Ok(false);
        }
        self.answers(context)?;
        context.check_stop()?;
        Ok(self.last.elapsed() >= COMMIT_AFTER || self.lines >= COMMIT_LINES)
    }

    fn line(&mut self, params: &ProgramParams, place: u32, line: &BitextLine) -> Result<()> {
        self.lines += 1;
        self.done += 1;
        let Some(question) = self.scorer.question(line) else { return Ok(()) };
        let hash = scored::hash(&question);
        let at = self.open.len() - 1;
        let open = &mut self.open[at];
        open.places.push((place, hash));
        if !open.lines.insert(hash) || open.known.contains_key(&hash) {
            return Ok(());
        }
        if self.program.is_none() {
            self.program = Program::start(&SCORES, params)?;
        }
        if let Some(program) = &self.program {
            let about =
                format!("{} and {} of {} and {}", shown(&line.text_a), shown(&line.text_b), line.a.url, line.b.url);
            self.sent.push((at, hash, program.ask(&question, &about)));
        }
        Ok(())
    }

    /// Waits for the answers to what was asked.
    fn answers(&mut self, context: &Context<'_>) -> Result<()> {
        let Some(program) = &mut self.program else { return Ok(()) };
        let answers = program.answers(&|| context.check_stop())?;
        for (at, line, number) in self.sent.drain(..) {
            let open = &mut self.open[at];
            open.known.insert(line, answers[number]);
            open.fresh.push(line);
        }
        context.observer.progress(self.done, "");
        Ok(())
    }

    /// Commits what was answered. Of a site that is done, only the scores of its present sentence pairs are kept.
    fn commit(&mut self, store: &mut Store) -> Result<()> {
        if let Some(program) = &mut self.program {
            program.settle()?;
        }
        let mut changes = Changes::default();
        for open in &mut self.open {
            open.write(store)?;
            changes.put(Keyspace::Score, &open.site.0.to_be_bytes(), &open.head);
        }
        self.open.retain(|open| !open.head.finished);
        self.lines = 0;
        store.commit(changes)?;
        self.last = Instant::now();
        store.sites.unmap();
        store.results.unmap();
        store.bitexts.unmap();
        Ok(())
    }
}

impl Open {
    /// Appends the scores that were given since the last commit. A site that is finished is written anew, with the means of its page pairs.
    fn write(&mut self, store: &mut Store) -> Result<()> {
        let mut pages = Vec::new();
        if self.head.finished {
            self.head.chunks.clear();
            self.fresh = self.lines.iter().copied().collect();
            pages = self.means();
        }
        self.fresh.sort_unstable();
        for lines in self.fresh.chunks(RECORD_ROWS) {
            let scores = lines.iter().map(|line| self.score(*line)).collect();
            let record = ScoreRecord { lines: lines.to_vec(), scores, pages: std::mem::take(&mut pages) };
            self.head.chunks.push(store.scores.append_packed(&record)?.0);
        }
        self.fresh.clear();
        Ok(())
    }

    fn score(&self, line: u64) -> f32 {
        self.known.get(&line).copied().unwrap_or(f32::NAN)
    }

    /// The mean scores of the page pairs, in their order.
    fn means(&self) -> Vec<f32> {
        let mut means = Vec::new();
        for of_pair in self.places.chunk_by(|a, b| a.0 == b.0) {
            let sum: f64 = of_pair.iter().map(|(_, line)| f64::from(self.score(*line))).sum();
            means.resize(of_pair[0].0 as usize, f32::NAN);
            means.push((sum / of_pair.len() as f64) as f32);
        }
        means
    }
}
