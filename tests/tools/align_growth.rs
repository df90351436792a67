//! Alignment at size: how fast sentence pairs come, and how much memory it takes, on copies of the pages of real archives.
//!
//! ```text
//! cargo run --release --example align_growth -- STORE
//! ```
//! STORE was filled by `diglot run … --until keys`. Prints the sentences aligned, seconds of CPU and of the clock, words learnt
//! from, and the most memory the process has held (`VmHWM`).

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use diglot::config::Config;
use diglot::pipeline::observer::Observer;
use diglot::pipeline::{self, Context};
use diglot::query::bitext;
use diglot::query::{self, Scope};
use diglot::store::{Access, Store};

/// Tells how long each part of the stage took.
struct Clock(std::sync::Mutex<(Instant, String)>);

impl Observer for Clock {
    fn begin(&self, _: &str, what: &str, _: &str, _: Option<u64>) {
        self.part(what);
    }
    fn progress(&self, _: u64, _: &str) {}
    fn message(&self, text: &str) {
        eprintln!("{text}");
    }
    fn end(&self, _: &str, _: bool) {
        self.part("");
    }
}

impl Clock {
    fn part(&self, next: &str) {
        let mut state = self.0.lock().expect("no panic");
        if !state.1.is_empty() {
            println!("{}: {:.2} s", state.1, state.0.elapsed().as_secs_f64());
        }
        *state = (Instant::now(), next.to_owned());
    }
}

/// The most memory this process has held, in MiB; where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? >> 10)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: PathBuf = std::env::args().nth(1).ok_or("expected the folder of a store")?.into();
    let mut store = Store::open(&path, Access::Write)?;
    let config = Config::preset("default").ok_or("no default preset")?;
    let clock = Clock(std::sync::Mutex::new((Instant::now(), String::new())));
    let stop = AtomicBool::new(false);
    let context = Context { config: &config, inputs: &[], observer: &clock, stop: &stop };
    let stage = pipeline::stage("align").ok_or("no such stage")?;
    pipeline::run_stage(stage, &mut store, &context)?;
    println!("peak: {} MiB", peak().map_or_else(|| "?".to_owned(), |peak| peak.to_string()));
    let (mut pairs, mut beads, mut sentences) = (0u64, 0u64, 0u64);
    for id in query::sites(&store, &Scope::all())? {
        let site = query::Site::open(&store, id)?;
        let Some(found) = bitext::SiteBitext::open(&store, &site)? else { continue };
        for pair in found.pairs() {
            pairs += 1;
            beads += pair.beads.iter().filter(|bead| bead.m > 0 && bead.n > 0).count() as u64;
            sentences += pair.beads.iter().map(|bead| u64::from(bead.m) + u64::from(bead.n)).sum::<u64>();
        }
    }
    println!("{pairs} page pairs, {sentences} sentences, {beads} sentence pairs");
    Ok(())
}
