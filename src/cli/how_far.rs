//! How far the work has come: as a line for people, as JSON for programs, and as a note in the folder of the store, for those who watch a
//! run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use diglot::inputs;
use diglot::pipeline::STAGES;
use diglot::store::Store;
use indicatif::{BinaryBytes, HumanCount, HumanDuration};
use serde::{Deserialize, Serialize};

/// In the first few seconds, progress says little about how long the work will take.
const TELLING_SECONDS: f64 = 3.0;

/// What has just happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A part of a stage begins.
    Begin,
    /// The work goes on.
    #[default]
    Progress,
    /// The stage is done.
    End,
    /// The work has failed, or was stopped.
    Stopped,
}

/// How far the present part of a stage is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HowFar {
    pub event: Event,
    pub stage: String,
    pub what: String,
    /// The unit in which `done` and `total` are counted.
    pub unit: String,
    pub done: u64,
    pub total: Option<u64>,
    /// Since this part began.
    pub seconds: f64,
    /// Units in a second.
    pub rate: Option<f64>,
    pub seconds_left: Option<f64>,
    pub note: String,
    /// The step of the present unit.
    pub step: Option<StepLine>,
}

/// How far a step inside of a unit of work is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepLine {
    pub what: String,
    pub done: u64,
    pub total: u64,
    pub seconds: f64,
    pub seconds_left: Option<f64>,
}

/// A number of seconds, to the millisecond.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// Seconds that the rest takes.
pub fn left_at(rate: Option<f64>, left: Option<u64>) -> Option<f64> {
    let (rate, left) = (rate.filter(|rate| *rate > 0.0)?, left?);
    Some(rounded((left as f64 / rate).min(1e9)))
}

impl StepLine {
    /// A step with its name, the amount done and the whole amount, the seconds it has taken, and its units in a second.
    pub fn new(what: &str, (done, total): (u64, u64), seconds: f64, rate: Option<f64>) -> StepLine {
        let seconds_left = left_at(rate, total.checked_sub(done));
        StepLine { what: what.to_owned(), done, total, seconds: rounded(seconds), seconds_left }
    }

    /// "comparing pairs 1,234 of 5,678, 12s left".
    fn text(&self) -> String {
        let left = self.seconds_left.filter(|left| self.seconds >= TELLING_SECONDS && *left > 0.0);
        let left = left.map(time_left).unwrap_or_default();
        format!("{} {} of {}{left}", self.what, HumanCount(self.done), HumanCount(self.total))
    }
}

impl HowFar {
    /// The same report, with the amount done and the whole amount, the seconds so far, and the units in a second.
    pub fn with(self, unit: &str, (done, total): (u64, Option<u64>), seconds: f64, rate: Option<f64>) -> HowFar {
        let seconds_left = left_at(rate, total.and_then(|total| total.checked_sub(done)));
        // A slow rate has few units in a second.
        let rate = rate.map(|rate| (rate * 1e6).round() / 1e6);
        let (unit, seconds) = (unit.to_owned(), rounded(seconds));
        HowFar { unit, done, total, seconds, rate, seconds_left, ..self }
    }

    /// The work, with its details.
    pub fn text(&self) -> String {
        let title = format!("{}: {}", numbered(&self.stage), self.what);
        let step = self.step.as_ref().map(StepLine::text).unwrap_or_default();
        let parts = [&title, &self.note, &step].into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// The amounts, the time, and the time left.
    pub fn numbers(&self) -> String {
        let numbers = amount(self.done, self.total, &self.unit);
        let pace = pace(self.rate.unwrap_or(0.0), self.seconds_left, &self.unit, self.seconds);
        format!("{numbers} after {} s{pace}", HumanCount(self.seconds as u64))
    }

    /// A plain line.
    pub fn line(&self) -> String {
        format!("{}: {}", self.text(), self.numbers())
    }
}

/// "stage 5 of 7, verify"; work that is no stage has no number.
pub fn numbered(stage: &str) -> String {
    match STAGES.iter().position(|known| known.name() == stage) {
        Some(at) => format!("stage {} of {}, {stage}", at + 1, STAGES.len()),
        None => stage.to_owned(),
    }
}

/// "1,234 of 5,678 sites".
pub fn amount(done: u64, total: Option<u64>, unit: &str) -> String {
    let number = |count| if unit == "bytes" { BinaryBytes(count).to_string() } else { HumanCount(count).to_string() };
    let of = total.map(|total| format!(" of {}", number(total))).unwrap_or_default();
    let one = total.unwrap_or(done) == 1;
    let singular = |unit| str::strip_suffix(unit, "es").filter(|unit| unit.ends_with("ch")).or(unit.strip_suffix('s'));
    let unit = if one { singular(unit).unwrap_or(unit) } else { unit };
    if unit.starts_with("byte") { number(done) + &of } else { format!("{}{of} {unit}", number(done)) }
}

/// ", 2m left".
fn time_left(seconds: f64) -> String {
    format!(", {:#} left", HumanDuration(Duration::from_secs_f64(seconds)))
}

/// ", 61 sites/s, 2m left", as far as this is known after so many seconds.
pub fn pace(rate: f64, seconds_left: Option<f64>, unit: &str, seconds: f64) -> String {
    if rate <= 0.0 || !rate.is_finite() || seconds < TELLING_SECONDS {
        return String::new();
    }
    let mut text = match unit {
        "bytes" => format!(", {}/s", BinaryBytes(rate as u64)),
        _ if rate >= 10.0 => format!(", {} {unit}/s", HumanCount(rate.round() as u64)),
        _ => format!(", {rate:.1} {unit}/s"),
    };
    text += &seconds_left.filter(|left| *left > 0.0).map(time_left).unwrap_or_default();
    text
}

/// A file in the folder of a store that says how far its run has come. It is no part of the store: it is removed when the run ends. A note
/// that a killed run has left is not believed, since no process holds the store then.
pub struct Note {
    path: PathBuf,
}

/// Its name.
const NOTE: &str = "progress.json";

impl Note {
    /// The note of a run that begins.
    pub fn new(folder: &Path) -> Note {
        let note = Note { path: folder.join(NOTE) };
        note.remove();
        note
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Writes the note. Where it cannot be written, those who watch are told nothing.
    pub fn write(&self, how_far: &HowFar) {
        let part = self.path.with_extension("new");
        let _ = fs::remove_file(&part);
        let written = File::create_new(&part).is_ok_and(|file| serde_json::to_writer(file, how_far).is_ok());
        if written {
            let _ = fs::rename(&part, &self.path);
        }
    }

    /// What the run that is working on the store has written last; `None` where no run is, or where it has written nothing yet.
    pub fn read(folder: &Path) -> Option<HowFar> {
        if !Store::is_worked_on(folder) {
            return None;
        }
        serde_json::from_reader(inputs::open(&folder.join(NOTE)).ok()?).ok()
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.remove();
    }
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
        assert_eq!(pace(50.0, Some(2.0), "sites", 1.0), "");
        assert_eq!(pace(0.0, None, "sites", 60.0), "");
        assert_eq!(pace(f64::NAN, None, "sites", 60.0), "");
        assert_eq!(pace(60.0, Some(120.0), "sites", 20.0), ", 60 sites/s, 2m left");
        assert_eq!(pace(0.5, Some(10.0), "sites", 10.0), ", 0.5 sites/s, 10s left");
        assert_eq!(pace(0.5, Some(0.0), "sites", 20.0), ", 0.5 sites/s");
        assert_eq!(pace(f64::from(2 << 20), None, "bytes", 20.0), ", 2.00 MiB/s");
    }

    #[test]
    fn the_time_left_of_slow_work_is_told_too() {
        let told = HowFar::default().with("sites", (1, Some(9)), 3000.0, Some(1.0 / 3000.0)).line();
        assert!(told.ends_with("1 of 9 sites after 3,000 s, 0.0 sites/s, 7h left"), "{told}");
    }

    #[test]
    fn a_step_tells_how_long_it_takes_once_it_is_known() {
        let step = |seconds| StepLine::new("comparing pairs", (300, 500), seconds, Some(10.0)).text();
        assert_eq!(step(1.0), "comparing pairs 300 of 500");
        assert_eq!(step(10.0), "comparing pairs 300 of 500, 20s left");
    }

    #[test]
    fn stages_are_numbered_and_other_work_is_not() {
        assert_eq!([numbered("verify"), numbered("explore")], ["stage 5 of 7, verify", "explore"]);
    }

    #[test]
    fn programs_are_told_amounts_rate_and_time() {
        let how_far = HowFar { stage: "verify".into(), what: "pairs".into(), ..HowFar::default() };
        let how_far = how_far.with("sites", (30, Some(90)), 10.0, Some(3.0));
        let told = serde_json::to_string(&how_far).expect("JSON");
        assert_eq!(
            told,
            r#"{"event":"progress","stage":"verify","what":"pairs","unit":"sites","done":30,"total":90,"seconds":10.0,"rate":3.0,"seconds_left":20.0,"note":"","step":null}"#
        );
        assert_eq!(how_far.line(), "stage 5 of 7, verify: pairs: 30 of 90 sites after 10 s, 3.0 sites/s, 20s left");
    }

    #[test]
    fn a_note_is_read_while_the_store_is_worked_on_and_goes_with_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        let store = Store::open(&path, diglot::Access::Write).expect("a new store");
        let note = Note::new(&path);
        let how_far = HowFar { done: 3, ..HowFar::default() };
        note.write(&how_far);
        assert_eq!(Note::read(&path), Some(how_far));
        drop(store);
        assert_eq!(Note::read(&path), None);
        drop(note);
        assert!(!path.join(NOTE).exists());
    }
}
