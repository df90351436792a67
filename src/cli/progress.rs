//! Shows the progress that an observer reports, on stderr: as a bar on a terminal, else as a plain line from time to time; for programs as
//! lines of JSON.

use std::fmt;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use diglot::inputs::Tally;
use diglot::pipeline::{Observer, STAGES};
use diglot::types::Watch;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::how_far::{Event, HowFar, Note, StepLine, amount, left_at, numbered, pace};
use super::layout::shorten;
use super::say::{is_quiet, tell, tell_program};

/// How often a plain line is printed, even without new reports.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// How often a line of JSON is printed, the time on a bar is updated, and the note for other processes is written.
const SECOND: Duration = Duration::from_secs(1);
/// Maximum width of the title of a bar.
const TITLE_WIDTH: usize = 78;

/// What `--progress` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// A bar on a terminal, else a line every ten seconds.
    Auto,
    /// Lines of JSON: progress every second, and messages.
    Json,
    /// No progress.
    None,
}

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
    shown: Shown,
    /// Whether to print how long each stage took.
    verbose: bool,
    /// What became of the inputs.
    tally: Mutex<Tally>,
    /// True when a stage after ingestion has found something to do.
    worked: AtomicBool,
    state: Arc<Mutex<State>>,
    /// The note of a run in the folder of its store; it is removed when the run ends.
    note: Option<Arc<Note>>,
}

struct State {
    bar: Option<ProgressBar>,
    /// True between the beginning and the end of a stage.
    is_at_work: bool,
    stage: String,
    /// The part of the stage.
    what: String,
    unit: String,
    total: Option<u64>,
    done: u64,
    note: String,
    /// The step inside the current unit of work.
    step: Option<Step>,
    began: Instant,
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

impl State {
    /// How far the work is now.
    fn how_far(&self, event: Event) -> HowFar {
        let rate_since = |from: u64, began: Instant, done: u64| {
            let (done, seconds) = (done.saturating_sub(from), began.elapsed().as_secs_f64());
            (done > 0 && seconds > 0.0).then(|| done as f64 / seconds)
        };
        let rate = self.start.rate(self.done).map(|(rate, _)| rate).filter(|rate| *rate > 0.0);
        let step = self.step.as_ref().map(|step| {
            let rate = rate_since(step.start.0, step.start.1, step.done);
            StepLine::new(&step.what, (step.done, step.total), step.start.1.elapsed().as_secs_f64(), rate)
        });
        HowFar {
            event,
            stage: self.stage.clone(),
            what: self.what.clone(),
            note: self.note.clone(),
            step,
            ..HowFar::default()
        }
        .with(&self.unit, (self.done, self.total), self.began.elapsed().as_secs_f64(), rate)
    }

    /// Reports how far a stage has come at its end, and then forgets everything of it: the next stage may end without having begun.
    fn end(&mut self, stage: &str, event: Event) -> HowFar {
        stage.clone_into(&mut self.stage);
        let how_far = self.how_far(event);
        [&mut self.what, &mut self.unit, &mut self.note].into_iter().for_each(String::clear);
        (self.done, self.total, self.step, self.is_at_work) = (0, None, None, false);
        (self.began, self.start) = (Instant::now(), Start::default());
        how_far
    }

    fn draw(&self) {
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
            let shown = HowFar { what: shown_on_bar(&self.stage, &self.what), ..self.how_far(Event::Progress) };
            bar.set_message(shown.text());
        }
    }
}

/// What is done, short enough for the title of a bar.
fn shown_on_bar(stage: &str, what: &str) -> String {
    shorten(what, TITLE_WIDTH.saturating_sub(numbered(stage).len() + 2))
}

/// Bytes of the stack of a thread that tells how far the work is: several times what writing a line takes.
const TELLING_STACK: usize = 512 << 10;

/// Reports how far the current work has come whenever `every` has passed since the last report, until nobody holds the state any more.
/// Nothing is reported while there is no work.
fn tell_from_time_to_time(state: &Weak<Mutex<State>>, every: Duration, tell: impl Fn(MutexGuard<'_, State>)) {
    let mut told = Instant::now();
    loop {
        thread::sleep(every / 20);
        let Some(state) = state.upgrade() else { return };
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_at_work && told.elapsed() >= every {
            told = Instant::now();
            tell(state);
        }
    }
}

impl Progress {
    /// Shows the progress of a command. A run also leaves a note in the folder of its store, for processes that watch it.
    pub fn new(shown: Shown, verbose: bool, noted_in: Option<&Path>) -> Progress {
        let mut progress = Progress::silent(shown, verbose);
        match shown {
            Shown::Auto if !stderr().is_terminal() => {
                progress.every(LINE_EVERY, |state| tell(state.how_far(Event::Progress).line()))
            }
            // The state is locked while a line is written, so that lines come in the order of events.
            Shown::Json => progress.every(SECOND, |state| tell_program(&state.how_far(Event::Progress))),
            Shown::Auto | Shown::None => {}
        }
        if let Some(folder) = noted_in {
            let note = Arc::new(Note::new(folder));
            let noted = Arc::downgrade(&note);
            progress.every(SECOND, move |state| {
                let how_far = state.how_far(Event::Progress);
                // No thread that works waits for the disk.
                drop(state);
                noted.upgrade().iter().for_each(|note| note.write(&how_far));
            });
            progress.note = Some(note);
        }
        progress
    }

    /// Starts a thread that reports from time to time how far the work has come, as long as there is any.
    fn every(&self, every: Duration, tell: impl Fn(MutexGuard<'_, State>) + Send + 'static) {
        let state = Arc::downgrade(&self.state);
        // If no thread can be started, nothing is reported. Its stack is small, since other threads must find room on systems that give
        // little.
        let _ =
            thread::Builder::new().stack_size(TELLING_STACK).spawn(move || tell_from_time_to_time(&state, every, tell));
    }

    /// Progress that tells nothing by itself.
    fn silent(shown: Shown, verbose: bool) -> Progress {
        let now = Instant::now();
        let state = State {
            bar: None,
            is_at_work: false,
            stage: String::new(),
            what: String::new(),
            unit: String::new(),
            total: None,
            done: 0,
            note: String::new(),
            step: None,
            began: now,
            start: Start::default(),
            stage_began: now,
            processors: processor_seconds(),
        };
        Progress {
            shown,
            verbose,
            tally: Mutex::default(),
            worked: AtomicBool::new(false),
            state: Arc::new(Mutex::new(state)),
            note: None,
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
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Where a bar began.
type Start = Arc<Begun>;

#[derive(Default)]
struct Begun {
    /// The amount done at the first report, and its time. Reading an archive may be resumed in its middle, which only the first report
    /// shows.
    from: OnceLock<(u64, Instant)>,
    /// How much of the amount done since then had been done by an earlier run.
    known: AtomicU64,
}

impl Begun {
    /// The amount done in a second, and the seconds since the start; `None` before the start.
    fn rate(&self, done: u64) -> Option<(f64, f64)> {
        let (from, began) = self.from.get()?;
        let seconds = began.elapsed().as_secs_f64();
        let made = done.saturating_sub(from + self.known.load(Ordering::Relaxed));
        Some((if seconds > 0.0 { made as f64 / seconds } else { 0.0 }, seconds))
    }
}

/// [`pace`] since the start, once there is one.
fn pace_since(start: &Begun, done: u64, total: Option<u64>, unit: &str) -> String {
    let Some((rate, seconds)) = start.rate(done) else { return String::new() };
    pace(rate, left_at(Some(rate), total.map(|total| total.saturating_sub(done))), unit, seconds)
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
            if self.shown == Shown::Json && state.is_at_work {
                // This ends the part of the work before this one.
                tell_program(&state.how_far(Event::End));
            }
            let now = Instant::now();
            (state.stage, state.what, state.unit) = (stage.to_owned(), what.to_owned(), unit.to_owned());
            // The times of lines count from the beginning of the whole stage, since its steps may be short.
            (state.total, state.began, state.start) = (total, now, Start::default());
            (state.done, state.step, state.is_at_work) = (0, None, true);
            state.note.clear();
            if unit != "bytes" {
                let _ = state.start.from.set((0, now));
            }
            if self.shown == Shown::Auto && stderr().is_terminal() {
                let title = format!("{}: {}", numbered(stage), shown_on_bar(stage, what));
                let bar = bar(&title, unit, total, state.start.clone());
                bar.enable_steady_tick(SECOND);
                state.bar = Some(bar);
            }
            if self.shown == Shown::Json {
                tell_program(&state.how_far(Event::Begin));
            }
            *at_work() = Some(AtWork { title: numbered(stage), bar: state.bar.clone() });
        });
    }

    fn progress(&self, done: u64, note: &str) {
        self.with(|state| {
            state.start.from.get_or_init(|| (done, Instant::now()));
            // Threads may report out of order.
            state.done = state.done.max(done);
            note.clone_into(&mut state.note);
            state.step = None;
            state.draw();
        });
    }

    fn known(&self, units: u64) {
        self.with(|state| state.start.known.store(units, Ordering::Relaxed));
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
            _ if is_quiet() => {}
            Some(bar) => bar.println(text),
            None => tell(text),
        });
    }

    fn inputs(&self, tally: &Tally) {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner) = tally.clone();
    }

    fn end(&self, stage: &str, is_done: bool) {
        self.with(|state| {
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
            // A stage that has nothing to do neither begins nor ends.
            let was_at_work = state.is_at_work;
            let how_far = state.end(stage, if is_done { Event::End } else { Event::Stopped });
            if self.shown == Shown::Json && was_at_work {
                tell_program(&how_far);
            }
            *at_work() = None;
            if self.verbose && !is_quiet() {
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

/// Shows how far the run of another process is.
pub struct Follower {
    shown: Shown,
    bar: Option<ProgressBar>,
    /// When a line was printed last.
    told: Option<Instant>,
}

impl Follower {
    pub fn new(shown: Shown) -> Follower {
        Follower { shown, bar: None, told: None }
    }

    /// Shows progress on a terminal. Elsewhere prints a line, unless one was printed a short time ago.
    pub fn show(&mut self, how_far: &HowFar) {
        if self.shown == Shown::Auto && stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let style = ProgressStyle::with_template("{wide_msg}\n{prefix}");
                ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            });
            // The time left stands on a line of its own, so that a long name does not push it off the screen.
            bar.set_message(how_far.text());
            bar.set_prefix(how_far.numbers());
            return;
        }
        let every = if self.shown == Shown::Json { SECOND } else { LINE_EVERY };
        if self.shown == Shown::None || self.told.is_some_and(|told| told.elapsed() < every) {
            return;
        }
        self.told = Some(Instant::now());
        if self.shown == Shown::Json { tell_program(how_far) } else { tell(how_far.line()) }
    }

    /// Takes the display off the terminal, to make room for other lines.
    pub fn pause(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
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
    fn what_was_done_before_is_no_pace() {
        let began = Instant::now().checked_sub(Duration::from_secs(10)).expect("a machine that runs for ten seconds");
        let start = Start::default();
        assert_eq!(pace_since(&start, 900, Some(1100), "sites"), "");
        start.from.set((500, began)).expect("nothing");
        let told = pace_since(&start, 900, Some(1100), "sites");
        // 400 in ten seconds, or somewhat longer on a busy machine; counting all 900 would give 90 a second.
        let rate: u64 = told.trim_start_matches(", ").split(' ').next().and_then(|rate| rate.parse().ok()).unwrap_or(0);
        assert!((20..=40).contains(&rate), "{told}");
        // An earlier run has answered these; this run passes over them.
        start.known.store(390, Ordering::Relaxed);
        let (rate, _) = start.rate(900).expect("it began");
        assert!((0.5..=1.0).contains(&rate), "{rate}");
    }

    /// Progress whose lines can be inspected.
    fn lined(every: Duration) -> (Progress, Arc<Mutex<Vec<String>>>) {
        let (progress, lines) = (Progress::silent(Shown::None, false), Arc::new(Mutex::new(Vec::new())));
        let found = Arc::clone(&lines);
        progress.every(every, move |state| {
            found.lock().expect("no thread has failed").push(state.how_far(Event::Progress).line());
        });
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
    fn a_stage_that_had_nothing_to_do_ends_with_no_figures_of_another() {
        let progress = Progress::silent(Shown::None, false);
        progress.begin("verify", "pairs", "sites", Some(9));
        progress.progress(3, "a note");
        let mut state = progress.state.lock().expect("no thread has failed");
        let ended = state.end("verify", Event::End);
        assert_eq!((ended.what.as_str(), ended.done, ended.total), ("pairs", 3, Some(9)));
        let ended = HowFar { seconds: 0.0, ..state.end("iterate", Event::End) };
        assert_eq!(ended, HowFar { event: Event::End, stage: "iterate".to_owned(), ..HowFar::default() });
    }

    #[test]
    fn what_threads_tell_out_of_turn_does_not_go_back() {
        let progress = Progress::silent(Shown::None, false);
        progress.begin("verify", "pairs", "sites", Some(9));
        [3, 2].into_iter().for_each(|done| progress.progress(done, ""));
        assert_eq!(progress.state.lock().expect("no thread has failed").done, 3);
    }
}
