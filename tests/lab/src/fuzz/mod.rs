//! Feeds every parser with changed inputs, and tells which of them it does not bear.
//!
//! ```text
//! cargo run --release -p diglot-lab -- fuzz --seconds 60 --seed 1 [--target html]
//! cargo run --release -p diglot-lab -- fuzz --target html --input 1234 [--save FILE]
//! ```
//!
//! An input is a seed (`seeds.rs`) changed here and there (`mutate.rs`), and follows from its number alone; `--input` tries
//! one again. A target (`targets.rs`) must not panic, must end within a second, hold no more than 256 MiB (Parquet: 2.25 GiB), and keep
//! what it promises: reading an archive on from any position gives the rest, for instance. Prints a line a target: inputs, the
//! longest time and the most memory with the inputs that took them. Exit code 1 when something was found; what takes more
//! than a minute ends the program at once.

mod mutate;
mod seeds;
mod targets;

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::heap::peak_of;
use crate::{Result, Usage};
use targets::{TARGETS, Target};

/// The longest time an input may take. One that took more is tried again, since the machine may have been busy.
const MAX_SECONDS: f64 = 1.0;
/// After so long an input is taken not to end at all.
const HANGS_SECONDS: u64 = 60;
/// Inputs tried between looks at the clock.
const ROUND: u64 = 64;
/// Findings of one target that are told; there are mostly many of one kind.
const MAX_FINDINGS: usize = 5;

/// What is being tried, and since when: for the watch.
static NOW: Mutex<Option<(&str, u64, Instant)>> = Mutex::new(None);
/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

struct Arguments {
    seconds: u64,
    seed: u64,
    target: Option<String>,
    input: Option<u64>,
    save: Option<PathBuf>,
}

fn arguments(args: &[String]) -> Result<Arguments> {
    let mut found = Arguments { seconds: 60, seed: 1, target: None, input: None, save: None };
    for pair in args.chunks(2) {
        let [name, value] = pair else { return Err(Usage.into()) };
        match name.as_str() {
            "--seconds" => found.seconds = value.parse()?,
            "--seed" => found.seed = value.parse()?,
            "--target" => found.target = Some(value.clone()),
            "--input" => found.input = Some(value.parse()?),
            "--save" => found.save = Some(value.into()),
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
    longest: (f64, u64),
    /// The most memory in bytes, and of which input.
    most: (u64, u64),
    findings: Vec<String>,
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
    panic::set_hook(Box::new(|info| *PANIC.lock().expect("no panic in a panic") = info.to_string()));
    std::thread::spawn(watch);
    let share = Duration::from_secs(arguments.seconds) / chosen.len() as u32;
    let (mut total, mut found) = (0, 0);
    for target in chosen {
        let mut bench = Bench { target, work: (target.open)()? };
        let mut tally = Tally::default();
        if let Some(input) = arguments.input {
            if let Some(path) = &arguments.save {
                std::fs::write(path, bench.bytes(input))?;
            }
            bench.attempt(input, &mut tally);
        } else {
            let started = Instant::now();
            while started.elapsed() < share {
                for _ in 0..ROUND {
                    let input = Dice(arguments.seed ^ tally.inputs.rotate_left(32)).next();
                    bench.attempt(input, &mut tally);
                }
            }
        }
        tally.tell(target);
        (total, found) = (total + tally.inputs, found + tally.findings.len());
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
        let (mut bytes, other) = (pick().clone(), pick());
        mutate::mutate(&mut bytes, other, &mut dice);
        (self.work.wrap)(bytes, &mut dice)
    }

    fn attempt(&mut self, input: u64, tally: &mut Tally) {
        let bytes = self.bytes(input);
        tally.inputs += 1;
        let mut seconds = f64::MAX;
        for _ in 0..2 {
            *NOW.lock().expect("nothing panics here") = Some((self.target.name, input, Instant::now()));
            let started = Instant::now();
            let test = || panic::catch_unwind(AssertUnwindSafe(|| (self.work.test)(&bytes, input)));
            let (outcome, held) = peak_of(test);
            seconds = seconds.min(started.elapsed().as_secs_f64());
            *NOW.lock().expect("nothing panics here") = None;
            if held > tally.most.0 {
                tally.most = (held, input);
            }
            let problem = match outcome {
                Ok(Ok(())) if held > self.target.max_held_bytes => Some(format!("holds {} MiB", held >> 20)),
                Ok(Ok(())) => None,
                Ok(Err(problem)) => Some(problem),
                Err(_) => Some(PANIC.lock().expect("nothing panics here").clone()),
            };
            if let Some(problem) = problem {
                return tally.finding(self.target, input, &problem);
            }
            if seconds <= MAX_SECONDS {
                break;
            }
        }
        if seconds > tally.longest.0 {
            tally.longest = (seconds, input);
        }
        if seconds > MAX_SECONDS {
            tally.finding(self.target, input, &format!("takes {seconds:.1} s"));
        }
    }
}

impl Tally {
    fn finding(&mut self, target: &Target, input: u64, problem: &str) {
        self.findings.push(problem.to_owned());
        if self.findings.len() <= MAX_FINDINGS {
            println!("{}: {problem}\n  again: diglot-lab fuzz --target {} --input {input}", target.name, target.name);
        }
    }

    fn tell(&self, target: &Target) {
        let Tally { inputs, longest: (seconds, slowest), most: (held, largest), findings } = self;
        println!(
            "{:<12} {inputs:>8} inputs  {:>4} findings  {:>6.1} ms (input {slowest})  {:>7.2} MiB (input {largest})",
            target.name,
            findings.len(),
            seconds * 1e3,
            *held as f64 / f64::from(1 << 20),
        );
    }
}

/// Ends the program when an input does not end.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let now = *NOW.lock().expect("nothing panics here");
        if let Some((target, input, since)) = now
            && since.elapsed().as_secs() > HANGS_SECONDS
        {
            println!("{target}: does not end\n  again: diglot-lab fuzz --target {target} --input {input}");
            std::process::exit(1);
        }
    }
}
