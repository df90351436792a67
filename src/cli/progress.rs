//! Shows the progress that an observer reports, on stderr: as a bar on a terminal, else as a plain line from time to time.

use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use diglot::inputs::Tally;
use diglot::pipeline::{Observer, STAGES};
use diglot::types::Watch;
use indicatif::{BinaryBytes, HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::layout::shorten;
use super::say::{is_quiet, tell};

/// How often a plain line is printed, even without new reports.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// How often the time on a bar is updated.
const BAR_EVERY: Duration = Duration::from_secs(1);
/// In the first few seconds, progress says little about how long the work will take.
const TELLING: Duration = Duration::from_secs(3);
/// Maximum width of the title of a bar.
const TITLE_WIDTH: usize = 78;

/// The current work, to tell the user what an interruption waits for.
static AT_WORK: Mutex<Option<AtWork>> = Mutex::new(None);

struct AtWork {
    title: String,
    bar: Option<ProgressBar>,
}

fn at_work() -> MutexGuard<'static, Option<AtWork>> {
    AT_WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells that the program is stopping and what it waits for, beside the bar if there is one.
pub fn tell_of_stopping() {
    if is_quiet() {
        return;
    }
    let at_work = at_work();
    let text = match at_work.as_ref() {
        Some(work) => format!(
            "diglot: stopping: {} goes on to its next commit, which usually takes seconds; Ctrl-C again stops at once",
            work.title
        ),
        None => "diglot: stopping; Ctrl-C again stops at once".to_owned(),
    };
    match at_work.as_ref().and_then(|work| work.bar.as_ref()) {
        Some(bar) => bar.println(text),
        None => tell(text),
    }
}

pub struct Progress {
    quiet: bool,
    /// Whether to print how long each stage took.
    verbose: bool,
    /// What became of the inputs.
    tally: Mutex<Tally>,
    /// True when a stage after ingestion has found something to do.
    worked: AtomicBool,
    state: Arc<Mutex<State>>,
}

struct State {
    bar: Option<ProgressBar>,
    /// True between the beginning and the end of a part of the work.
    is_at_work: bool,
    title: String,
    unit: String,
    total: Option<u64>,
    done: u64,
    note: String,
    /// The step inside the current unit of work.
    step: Option<Step>,
    began: Instant,
    told: Instant,
    start: Start,
    stage_began: Instant,
    /// Processor seconds used when the stage began.
    processors: Option<f64>,
}

/// A step inside of a unit of work.
struct Step {
    what: String,
    done: u64,
    total: u64,
    /// The amount done at the first report, and the time of that report.
    start: (u64, Instant),
}

impl Step {
    /// "comparing pairs 1,234 of 5,678, 12s left".
    fn text(&self) -> String {
        let (from, began) = self.start;
        let rate = self.done.saturating_sub(from) as f64 / began.elapsed().as_secs_f64();
        let left = left_at(rate, self.total.saturating_sub(self.done)).filter(|_| began.elapsed() >= TELLING);
        format!("{} {} of {}{}", self.what, HumanCount(self.done), HumanCount(self.total), left.unwrap_or_default())
    }
}

/// ", 2m left": the remaining time at a rate in units per second.
fn left_at(rate: f64, left: u64) -> Option<String> {
    let seconds = (left as f64 / rate).min(1e9);
    (left > 0 && rate > 0.0).then(|| format!(", {:#} left", HumanDuration(Duration::from_secs_f64(seconds))))
}

impl State {
    /// The current work, with its details.
    fn text(&self) -> String {
        let step = self.step.as_ref().map(Step::text).unwrap_or_default();
        let parts = [&self.title, &self.note, &step].into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// The plain line for now.
    fn line(&self) -> String {
        let numbers = amount(self.done, self.total, &self.unit);
        let pace = pace_since(&self.start, self.done, self.total, &self.unit);
        format!("{}: {numbers} after {} s{pace}", self.text(), self.began.elapsed().as_secs())
    }

    fn draw(&self) {
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
            bar.set_message(self.text());
        }
    }
}

/// Prints a line on the current work whenever `every` has passed since the last one, even without new reports, until nobody holds the state
/// any more.
fn print_lines(state: &Weak<Mutex<State>>, every: Duration, print: impl Fn(&str)) {
    loop {
        thread::sleep(every / 10);
        let Some(state) = state.upgrade() else { return };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_at_work && state.told.elapsed() >= every {
            state.told = Instant::now();
            print(&state.line());
        }
    }
}

impl Progress {
    pub fn new(quiet: bool, verbose: bool) -> Progress {
        let progress = Progress::silent(quiet, verbose);
        if !quiet && !stderr().is_terminal() {
            progress.print_lines(LINE_EVERY, |line| tell(line));
        }
        progress
    }

    /// Starts a thread that prints a line from time to time, as long as there is work.
    fn print_lines(&self, every: Duration, print: impl Fn(&str) + Send + 'static) {
        let state = Arc::downgrade(&self.state);
        // If no thread can be started, no lines are printed.
        let _ = thread::Builder::new().spawn(move || print_lines(&state, every, print));
    }

    /// Progress that prints no lines by itself.
    fn silent(quiet: bool, verbose: bool) -> Progress {
        let now = Instant::now();
        let state = State {
            bar: None,
            is_at_work: false,
            title: String::new(),
            unit: String::new(),
            total: None,
            done: 0,
            note: String::new(),
            step: None,
            began: now,
            told: now,
            start: Start::default(),
            stage_began: now,
            processors: processor_seconds(),
        };
        Progress {
            quiet,
            verbose: verbose && !quiet,
            tally: Mutex::default(),
            worked: AtomicBool::new(false),
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// True when a stage after ingestion has found something to do.
    pub fn worked(&self) -> bool {
        self.worked.load(Ordering::Relaxed)
    }

    /// What became of the inputs of the run.
    pub fn tally(self) -> Tally {
        self.tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, act: impl FnOnce(&mut State)) {
        if let Ok(mut state) = self.state.lock()
            && !self.quiet
        {
            act(&mut state);
        }
    }
}

/// "stage 5 of 7, verify"; work that is not a stage has no number.
fn numbered(stage: &str) -> String {
    match STAGES.iter().position(|known| known.name() == stage) {
        Some(at) => format!("stage {} of {}, {stage}", at + 1, STAGES.len()),
        None => stage.to_owned(),
    }
}

/// "1,234 of 5,678 sites".
fn amount(done: u64, total: Option<u64>, unit: &str) -> String {
    let number = |count| if unit == "bytes" { BinaryBytes(count).to_string() } else { HumanCount(count).to_string() };
    let of = total.map(|total| format!(" of {}", number(total))).unwrap_or_default();
    let one = total.unwrap_or(done) == 1;
    let singular = |unit| str::strip_suffix(unit, "es").filter(|unit| unit.ends_with("ch")).or(unit.strip_suffix('s'));
    let unit = if one { singular(unit).unwrap_or(unit) } else { unit };
    if unit.starts_with("byte") { number(done) + &of } else { format!("{}{of} {unit}", number(done)) }
}

/// The amount at which a bar began, and the time. Reading an archive may be resumed in its middle, which only the first report shows.
type Start = Arc<OnceLock<(u64, Instant)>>;

/// [`pace`] since the start, once there is one.
fn pace_since(start: &Start, done: u64, total: Option<u64>, unit: &str) -> String {
    let Some((from, began)) = start.get() else { return String::new() };
    pace(done.saturating_sub(*from), total.map(|total| total.saturating_sub(*from)), unit, began.elapsed())
}

/// ", 61 sites/s, 2m left", as far as it is known.
fn pace(done: u64, total: Option<u64>, unit: &str, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if done == 0 || elapsed < TELLING {
        return String::new();
    }
    let rate = done as f64 / seconds;
    let mut text = match unit {
        "bytes" => format!(", {}/s", BinaryBytes(rate as u64)),
        _ if rate >= 10.0 => format!(", {} {unit}/s", HumanCount(rate.round() as u64)),
        _ => format!(", {rate:.1} {unit}/s"),
    };
    text += &total.and_then(|total| left_at(rate, total.checked_sub(done)?)).unwrap_or_default();
    text
}

/// A bar, followed by numbers.
fn bar(title: &str, unit: &str, total: Option<u64>, start: Start) -> ProgressBar {
    let bar = total.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let template = if total.is_some() { "{msg}\n{wide_bar} {numbers}" } else { "{msg}\n{numbers}" };
    if let Ok(style) = ProgressStyle::with_template(template) {
        let unit = unit.to_owned();
        bar.set_style(style.with_key("numbers", move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let (done, total) = (state.pos(), state.len());
            let (numbers, pace) = (amount(done, total, &unit), pace_since(&start, done, total, &unit));
            let _ = write!(out, "{numbers}, {:#}{pace}", HumanDuration(state.elapsed()));
        }));
    }
    bar.set_message(title.to_owned());
    bar
}

impl Watch for Progress {
    fn step(&self, what: &str, done: u64, total: u64) {
        Observer::step(self, what, done, total);
    }
}

impl Observer for Progress {
    fn begin(&self, stage: &str, what: &str, unit: &str, total: Option<u64>) {
        if stage != STAGES[0].name() {
            self.worked.store(true, Ordering::Relaxed);
        }
        self.with(|state| {
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
            let now = Instant::now();
            let stage = numbered(stage);
            state.title = format!("{stage}: {what}");
            state.unit = unit.to_owned();
            // Lines are timed by the whole run, since its steps may be short.
            (state.total, state.began, state.start) = (total, now, Start::default());
            (state.done, state.step, state.is_at_work) = (0, None, true);
            state.note.clear();
            if unit != "bytes" {
                let _ = state.start.set((0, now));
            }
            if stderr().is_terminal() {
                state.title = format!("{stage}: {}", shorten(what, TITLE_WIDTH.saturating_sub(stage.len() + 2)));
                let bar = bar(&state.title, unit, total, state.start.clone());
                bar.enable_steady_tick(BAR_EVERY);
                state.bar = Some(bar);
            }
            *at_work() = Some(AtWork { title: stage, bar: state.bar.clone() });
        });
    }

    fn progress(&self, done: u64, note: &str) {
        self.with(|state| {
            state.start.get_or_init(|| (done, Instant::now()));
            // Threads may report out of order.
            state.done = state.done.max(done);
            note.clone_into(&mut state.note);
            state.step = None;
            state.draw();
        });
    }

    fn step(&self, what: &str, done: u64, total: u64) {
        self.with(|state| {
            let known =
                state.step.as_ref().filter(|step| step.what == what && step.total == total && step.done <= done);
            let start = known.map_or((done, Instant::now()), |step| step.start);
            state.step = Some(Step { what: what.to_owned(), done, total, start });
            state.draw();
        });
    }

    fn message(&self, text: &str) {
        self.with(|state| match &state.bar {
            Some(bar) => bar.println(text),
            None => tell(text),
        });
    }

    fn inputs(&self, tally: &Tally) {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner) = tally.clone();
    }

    fn end(&self, stage: &str, _: bool) {
        self.with(|state| {
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
            state.is_at_work = false;
            *at_work() = None;
            if self.verbose {
                let now = processor_seconds();
                let used =
                    now.zip(state.processors).map(|(now, before)| format!(", {:.2} s of processors", now - before));
                let wall = state.stage_began.elapsed().as_secs_f64();
                tell(format_args!("{}: {wall:.2} s{}", numbered(stage), used.unwrap_or_default()));
                (state.stage_began, state.processors) = (Instant::now(), now);
            }
        });
    }
}

/// Processor seconds that all threads have used, including system calls; `None` where the system does not tell.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Some(microseconds as f64 / 1e6)
}

#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_their_unit_once() {
        assert_eq!(amount(40, Some(107), "language pairs"), "40 of 107 language pairs");
        assert_eq!(amount(1, Some(1), "sites"), "1 of 1 site");
        assert_eq!(amount(1 << 20, Some(3 << 20), "bytes"), "1.00 MiB of 3.00 MiB");
        assert_eq!([1, 12].map(|count| amount(count, None, "batches")), ["1 batch", "12 batches"]);
    }

    #[test]
    fn the_pace_is_told_once_it_is_known() {
        assert_eq!(pace(50, Some(100), "sites", Duration::from_secs(1)), "");
        assert_eq!(pace(0, Some(100), "sites", Duration::from_secs(60)), "");
        assert_eq!(pace(1200, Some(8400), "sites", Duration::from_secs(20)), ", 60 sites/s, 2m left");
        assert_eq!(pace(5, Some(10), "sites", Duration::from_secs(10)), ", 0.5 sites/s, 10s left");
        assert_eq!(pace(10, Some(10), "sites", Duration::from_secs(20)), ", 0.5 sites/s");
        assert_eq!(pace(40 << 20, None, "bytes", Duration::from_secs(20)), ", 2.00 MiB/s");
    }

    #[test]
    fn what_was_done_before_is_no_pace() {
        let began = Instant::now().checked_sub(Duration::from_secs(10)).expect("a machine that runs for ten seconds");
        let start = Start::default();
        assert_eq!(pace_since(&start, 900, Some(1100), "sites"), "");
        start.set((500, began)).expect("nothing");
        let told = pace_since(&start, 900, Some(1100), "sites");
        // 400 in ten seconds, or somewhat longer on a busy machine; counting all 900 would give 90 a second.
        let rate: u64 = told.trim_start_matches(", ").split(' ').next().and_then(|rate| rate.parse().ok()).unwrap_or(0);
        assert!((20..=40).contains(&rate), "{told}");
    }

    /// Progress whose lines can be inspected.
    fn lined(every: Duration) -> (Progress, Arc<Mutex<Vec<String>>>) {
        let (progress, lines) = (Progress::silent(false, false), Arc::new(Mutex::new(Vec::new())));
        let found = Arc::clone(&lines);
        progress.print_lines(every, move |line| found.lock().expect("no thread has failed").push(line.to_owned()));
        (progress, lines)
    }

    fn wait_for(lines: &Mutex<Vec<String>>, is_enough: impl Fn(&[String]) -> bool) -> Vec<String> {
        let began = Instant::now();
        loop {
            let found = lines.lock().expect("no thread has failed").clone();
            if is_enough(&found) || began.elapsed() > Duration::from_secs(60) {
                return found;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_stage_that_says_nothing_has_a_line_each_time() {
        let (progress, lines) = lined(Duration::from_millis(20));
        progress.begin("iterate", "rounds over links", "sites", Some(1));
        let found = wait_for(&lines, |lines| lines.len() >= 3);
        assert!(found.len() >= 3, "{found:?}");
        assert!(
            found.iter().all(|line| line == "stage 6 of 7, iterate: rounds over links: 0 of 1 site after 0 s"),
            "{found:?}"
        );
        Watch::step(&progress, "comparing pairs", 1234, 5678);
        let is_told = |line: &String| line.contains(": rounds over links, comparing pairs 1,234 of 5,678: 0 of 1 site");
        let found = wait_for(&lines, |lines| lines.iter().any(is_told));
        assert!(found.iter().any(is_told), "{found:?}");
        progress.end("iterate", true);
        let before = lines.lock().expect("no thread has failed").len();
        thread::sleep(Duration::from_millis(100));
        assert_eq!(lines.lock().expect("no thread has failed").len(), before, "nothing is at work");
    }

    #[test]
    fn a_step_tells_how_long_it_takes_once_it_is_known() {
        let began = Instant::now().checked_sub(Duration::from_secs(10)).expect("a machine that runs for ten seconds");
        let step = |start| Step { what: "comparing pairs".to_owned(), done: 300, total: 500, start };
        assert_eq!(step((0, Instant::now())).text(), "comparing pairs 300 of 500");
        let told = step((200, began)).text();
        assert!(told.starts_with("comparing pairs 300 of 500, 2") && told.ends_with("s left"), "{told}");
    }

    #[test]
    fn what_threads_tell_out_of_turn_does_not_go_back() {
        let progress = Progress::silent(false, false);
        progress.begin("verify", "pairs", "sites", Some(9));
        [3, 2].into_iter().for_each(|done| progress.progress(done, ""));
        assert_eq!(progress.state.lock().expect("no thread has failed").done, 3);
    }

    #[test]
    fn stages_are_numbered_and_other_work_is_not() {
        assert_eq!([numbered("verify"), numbered("explore")], ["stage 5 of 7, verify", "explore"]);
    }
}
