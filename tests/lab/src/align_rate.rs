//! Alignment at size: how fast sentence pairs come, and how much memory it takes, on copies of the pages of real archives.
//!
//! ```text
//! cargo run --release -p diglot-lab -- align-rate STORE
//! ```
//! STORE was filled by `diglot run … --until keys`. Prints seconds of CPU (user) and of the clock for learning and for aligning,
//! the sentence pairs and how many of them came in a second of CPU, and the most memory the process has held (`VmHWM`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use diglot::config::Config;
use diglot::inputs::Inputs;
use diglot::pipeline::Observer;
use diglot::pipeline::{self, Context};
use diglot::query::Scope;
use diglot::query::bitext::{self, Asked};
use diglot::store::{Access, Store};

use crate::clock::{peak_bytes, user_seconds};
use crate::{Result, Usage};

/// Tells how long each kind of work took: seconds of the clock, and of CPU.
#[derive(Default)]
struct Clock {
    now: Mutex<Option<(&'static str, Instant, f64)>>,
    sums: Mutex<BTreeMap<&'static str, (f64, f64)>>,
}

impl Observer for Clock {
    fn begin(&self, _: &str, what: &str, _: &str, _: Option<u64>) {
        self.part(Some(if what.starts_with("learning") { "learning" } else { "aligning" }));
    }
    fn progress(&self, _: u64, _: &str) {}
    fn message(&self, text: &str) {
        eprintln!("{text}");
    }
    fn end(&self, _: &str, _: bool) {
        self.part(None);
    }
}

impl Clock {
    fn part(&self, next: Option<&'static str>) {
        let mut now = self.now.lock().expect("no panic");
        if let Some((part, since, cpu)) = now.take() {
            let mut sums = self.sums.lock().expect("no panic");
            let sum = sums.entry(part).or_default();
            *sum = (sum.0 + since.elapsed().as_secs_f64(), sum.1 + user_seconds() - cpu);
        }
        *now = next.map(|part| (part, Instant::now(), user_seconds()));
    }
}

/// Runs the stage and prints the figures.
pub fn run(arguments: &[String]) -> Result<()> {
    let [path] = arguments else { return Err(Usage.into()) };
    let path = PathBuf::from(path);
    let mut store = Store::open(&path, Access::Write)?;
    let config = Config::preset("default").ok_or("no default preset")?;
    let clock = Clock::default();
    let stop = AtomicBool::new(false);
    let context = Context { config: &config, inputs: &Inputs::default(), observer: &clock, stop: &stop };
    let stage = pipeline::stage("align").ok_or("no such stage")?;
    pipeline::run_stage(stage, &mut store, &context)?;
    clock.part(None);
    let sums = clock.sums.into_inner().expect("no panic");
    for (part, (seconds, cpu)) in &sums {
        println!("{part}: {cpu:.2} s of CPU, {seconds:.2} s by the clock");
    }
    println!("peak: {:.0} MiB", peak_bytes() / 1_048_576.0);
    let (mut pairs, mut beads, mut sentences) = (0u64, 0u64, 0u64);
    let mut last = (String::new(), String::new());
    bitext::for_each_bead(&store, &config, &Scope::all(), Asked { all: true, ..Asked::default() }, |line| {
        let pair = (line.a.url, line.b.url);
        pairs += u64::from(pair != last);
        last = pair;
        let (m, n) = (line.a.count, line.b.count);
        sentences += u64::from(m) + u64::from(n);
        beads += u64::from(m > 0 && n > 0);
        Ok(())
    })?;
    println!("{pairs} page pairs, {sentences} sentences, {beads} sentence pairs");
    if let Some((_, cpu)) = sums.get("aligning") {
        println!("{:.0} sentence pairs in a second of CPU", beads as f64 / cpu.max(0.01));
    }
    Ok(())
}
