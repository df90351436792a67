//! Feeds every parser with changed inputs, and tells which of them it does not bear.
//!
//! ```text
//! cargo run --release -p diglot-lab -- fuzz --seconds 60 --seed 1 [--target html]
//! cargo run --release -p diglot-lab -- fuzz --target html --input 1234 [--save FILE]
//! cargo run --release -p diglot-lab -- fuzz --target html --bytes FILE
//! ```
//!
//! An input is a seed (`seeds.rs`) changed here and there (`mutate.rs`), and follows from its number alone, as long as the seeds stay; `--input`
//! tries one again, `--bytes` a file. Bytes are changed, or what they mean: entries of zips, fields of indexes (`shaped.rs`), what the frames of a
//! store hold (`sealed.rs`) and the rows of `diglot exec` (`rows.rs`), with checksums that fit. Inputs that are kept (`kept.txt`) are tried
//! first. A target (`targets.rs`) must not panic, must end within a second (10 s where it does the work of a whole run; ten times as long where the build is not optimised), hold no more than 256
//! MiB, and keep what it promises: reading an archive on from any position gives the rest, for instance. Prints a line a target: inputs, the
//! longest time and the most memory with the inputs that took them. Exit code 1 when something was found; what takes more
//! than a minute ends the program at once. Stores are made below `TMPDIR`, and synced: `/dev/shm` is many times as fast.

mod kept;
mod mutate;
mod rows;
mod sealed;
mod seeds;
mod shaped;
mod targets;
#[path = "../../../../src/archive/zim/sample.rs"]
mod zim_sample;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::heap::peak_of;
use crate::{Result, Usage};
use kept::Input;
use targets::{TARGETS, Target};

/// After so long an input is taken not to end at all.
const HANGS_SECONDS: u64 = 60;
/// Kinds of findings of one target that are told, by their first input.
const MAX_KINDS: usize = 50;

/// What is being tried, and since when: for the watch.
static NOW: Mutex<Option<(&str, String, Instant)>> = Mutex::new(None);
/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

struct Arguments {
    seconds: u64,
    seed: u64,
    target: Option<String>,
    input: Option<u64>,
    save: Option<PathBuf>,
    bytes: Option<PathBuf>,
}

fn arguments(args: &[String]) -> Result<Arguments> {
    let mut found = Arguments { seconds: 60, seed: 1, target: None, input: None, save: None, bytes: None };
    for pair in args.chunks(2) {
        let [name, value] = pair else { return Err(Usage.into()) };
        match name.as_str() {
            "--seconds" => found.seconds = value.parse()?,
            "--seed" => found.seed = value.parse()?,
            "--target" => found.target = Some(value.clone()),
            "--input" => found.input = Some(value.parse()?),
            "--save" => found.save = Some(value.into()),
            "--bytes" => found.bytes = Some(value.into()),
            _ => return Err(Usage.into()),
        }
    }
    Ok(found)
}

/// What trying the inputs of a target came to.
#[derive(Default)]
struct Tally {
    inputs: u64,
    /// The longest time in seconds, and of which input.
    longest: (f64, String),
    /// The most memory in bytes, and of which input.
    most: (u64, String),
    /// How often each kind of finding was met.
    findings: BTreeMap<String, u64>,
}

/// Tries inputs until the time is up.
pub fn run(args: &[String]) -> Result<()> {
    let arguments = arguments(args)?;
    let wanted = |target: &&Target| arguments.target.as_deref().is_none_or(|name| name == target.name);
    let chosen: Vec<&Target> = TARGETS.iter().filter(wanted).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        return Err(format!("--target is one of {}", names.join(", ")).into());
    }
    panic::set_hook(Box::new(|info| {
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            eprintln!("{info}\n{backtrace}");
        }
        *PANIC.lock().expect("no panic in a panic") = info.to_string();
    }));
    std::thread::spawn(watch);
    let share = Duration::from_secs(arguments.seconds) / chosen.len() as u32;
    let (mut total, mut found) = (0, 0);
    for target in chosen {
        let mut bench = Bench { target, work: (target.open)()? };
        let mut tally = Tally::default();
        if let Some(path) = &arguments.bytes {
            bench.attempt(&Input::Bytes(std::fs::read(path)?), &mut tally);
        } else if let Some(input) = arguments.input {
            if let Some(path) = &arguments.save {
                std::fs::write(path, bench.bytes(input))?;
            }
            bench.attempt(&Input::Number(input), &mut tally);
        } else {
            kept::of(target.name)?.iter().for_each(|input| bench.attempt(input, &mut tally));
            let started = Instant::now();
            while started.elapsed() < share {
                let input = Dice(arguments.seed ^ tally.inputs.rotate_left(32)).next();
                bench.attempt(&Input::Number(input), &mut tally);
            }
        }
        tally.tell(target);
        (total, found) = (total + tally.inputs, found + tally.count());
    }
    println!("{total} inputs, {found} findings");
    if found > 0 { Err("something was found".into()) } else { Ok(()) }
}

/// A target that is being tried.
struct Bench<'t> {
    target: &'t Target,
    work: targets::Work,
}

impl Bench<'_> {
    fn bytes(&self, input: u64) -> Vec<u8> {
        let mut dice = Dice(input);
        let seeds = &self.work.seeds;
        let mut pick = || &seeds[dice.roll(seeds.len() as u64) as usize];
        let (seed, other) = (pick(), pick());
        (self.work.make)(seed, other, &mut dice)
    }

    fn attempt(&mut self, input: &Input, tally: &mut Tally) {
        let (bytes, number, name) = match input {
            Input::Number(number) => (self.bytes(*number), *number, format!("--input {number}")),
            Input::Bytes(bytes) => (bytes.clone(), bytes.len() as u64, format!("{} bytes", bytes.len())),
        };
        tally.inputs += 1;
        let max_seconds = self.target.max_seconds * if cfg!(debug_assertions) { 10.0 } else { 1.0 };
        let mut seconds = f64::MAX;
        for _ in 0..2 {
            *NOW.lock().expect("nothing panics here") = Some((self.target.name, name.clone(), Instant::now()));
            let started = Instant::now();
            let test = || panic::catch_unwind(AssertUnwindSafe(|| (self.work.test)(&bytes, number)));
            let (outcome, held) = peak_of(test);
            seconds = seconds.min(started.elapsed().as_secs_f64());
            *NOW.lock().expect("nothing panics here") = None;
            if held > tally.most.0 {
                tally.most = (held, name.clone());
            }
            let problem = match outcome {
                Ok(Ok(())) if held > self.target.max_held_bytes => Some(format!("holds {} MiB", held >> 20)),
                Ok(Ok(())) => None,
                Ok(Err(problem)) => Some(problem),
                Err(_) => Some(PANIC.lock().expect("nothing panics here").clone()),
            };
            if let Some(problem) = problem {
                return tally.finding(self.target, &name, &problem);
            }
            if seconds <= max_seconds {
                break;
            }
        }
        if seconds > tally.longest.0 {
            tally.longest = (seconds, name.clone());
        }
        if seconds > max_seconds {
            tally.finding(self.target, &name, &format!("takes {seconds:.1} s"));
        }
    }
}

impl Tally {
    fn finding(&mut self, target: &Target, input: &str, problem: &str) {
        let count = self.findings.entry(kind(problem).to_owned()).or_default();
        *count += 1;
        if *count == 1 && self.findings.len() <= MAX_KINDS {
            println!("{}: {problem}\n  again: diglot-lab fuzz --target {} {input}", target.name, target.name);
        }
    }

    fn count(&self) -> u64 {
        self.findings.values().sum()
    }

    fn tell(&self, target: &Target) {
        let Tally { inputs, longest: (seconds, slowest), most: (held, largest), .. } = self;
        println!(
            "{:<12} {inputs:>8} inputs  {:>4} findings  {:>6.1} ms ({slowest})  {:>7.2} MiB ({largest})",
            target.name,
            self.count(),
            seconds * 1e3,
            *held as f64 / f64::from(1 << 20),
        );
    }
}

/// What kind of finding it is: where a panic comes from, or what is wrong but for the numbers.
fn kind(problem: &str) -> &str {
    let first = problem.lines().next().unwrap_or_default();
    let end = if first.starts_with("panicked") { None } else { first.find(|letter: char| letter.is_ascii_digit()) };
    first.split_at(end.unwrap_or(first.len())).0
}

/// Ends the program when an input does not end.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let now = NOW.lock().expect("nothing panics here").clone();
        if let Some((target, input, since)) = now
            && since.elapsed().as_secs() > HANGS_SECONDS
        {
            println!("{target}: does not end\n  again: diglot-lab fuzz --target {target} {input}");
            std::process::exit(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_borne() {
        for target in TARGETS {
            let kept = kept::of(target.name).expect("lines of targets and inputs");
            if kept.is_empty() {
                continue;
            }
            let mut tally = Tally::default();
            let mut bench = Bench { target, work: (target.open)().expect("the sample") };
            // A few of each kind, besides: nothing else tries the targets without the optimiser.
            let some = (1..4).map(Input::Number);
            kept.into_iter().chain(some).for_each(|input| bench.attempt(&input, &mut tally));
            // Without the optimiser all takes longer.
            tally.findings.retain(|problem, _| !problem.starts_with("takes "));
            assert!(tally.findings.is_empty(), "{}: {:?}", target.name, tally.findings);
        }
    }
}
