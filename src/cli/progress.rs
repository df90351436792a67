//! Draws what an observer hears of on stderr: a bar on a terminal, else a plain line now and then.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use diglot::inputs::Tally;
use diglot::pipeline::Observer;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

/// How often a plain line is printed.
const LINE_EVERY: Duration = Duration::from_secs(10);

pub struct Progress {
    quiet: bool,
    /// What became of the inputs.
    tally: Mutex<Tally>,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    title: String,
    unit: String,
    total: Option<u64>,
    began: Instant,
    told: Instant,
}

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        let now = Instant::now();
        let state = State { bar: None, title: String::new(), unit: String::new(), total: None, began: now, told: now };
        Progress { quiet, tally: Mutex::default(), state: Mutex::new(state) }
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

fn amount(count: u64, unit: &str) -> String {
    if unit == "bytes" { HumanBytes(count).to_string() } else { format!("{} {unit}", HumanCount(count)) }
}

impl Observer for Progress {
    fn begin(&self, stage: &str, what: &str, unit: &str, total: Option<u64>) {
        self.with(|state| {
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
            let now = Instant::now();
            state.title = format!("{stage}: {what}");
            state.unit = unit.to_owned();
            (state.total, state.began, state.told) = (total, now, now);
            if !stderr().is_terminal() {
                return;
            }
            let numbers = if unit == "bytes" {
                "{bytes}/{total_bytes} {binary_bytes_per_sec}"
            } else {
                "{human_pos}/{human_len} {per_sec}"
            };
            let template = match total {
                Some(_) => format!("{{msg}}\n{{wide_bar}} {numbers}, {{eta}} left"),
                None => "{msg} {human_pos} {per_sec}".to_owned(),
            };
            let bar = total.map_or_else(ProgressBar::no_length, ProgressBar::new);
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar.set_message(state.title.clone());
            state.bar = Some(bar);
        });
    }

    fn progress(&self, done: u64, note: &str) {
        self.with(|state| {
            let text = if note.is_empty() { state.title.clone() } else { format!("{}, {note}", state.title) };
            if let Some(bar) = &state.bar {
                bar.set_position(done);
                bar.set_message(text);
            } else if state.told.elapsed() >= LINE_EVERY {
                state.told = Instant::now();
                let of = state.total.map(|total| format!(" of {}", amount(total, &state.unit))).unwrap_or_default();
                let seconds = state.began.elapsed().as_secs();
                eprintln!("{text}: {}{of} after {seconds} s", amount(done, &state.unit));
            }
        });
    }

    fn message(&self, text: &str) {
        self.with(|state| match &state.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        });
    }

    fn inputs(&self, tally: &Tally) {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner) = tally.clone();
    }

    fn end(&self, _: &str, _: bool) {
        self.with(|state| {
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
        });
    }
}
