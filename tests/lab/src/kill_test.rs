//! Kills runs at random instants, lets the same command go on, and compares what comes out in the end.
//!
//! ```text
//! cargo run --release -p diglot-lab -- kill-test DIGLOT_BINARY KILLS SEED [--only STAGE,...] INPUT...
//! ```
//!
//! An undisturbed run comes first and tells how long each stage takes. Then a store is made again and again: stages before
//! the one aimed at (all in turn, or those of `--only`) are done in peace, then `diglot run` gets SIGKILL after a random delay, up to a dozen times, and is
//! left to finish; the pairs (tsv and jsonl), the keys with
//! the weak ones, the hosts, and the sentence pairs must be the same, byte for byte, as those of the undisturbed run. This goes on until
//! KILLS runs were killed. One line a kill: instant, commit, and the stage it hit, as told by how far the store's record
//! files were. What stands among the inputs, such as `--without keys`, is handed to `diglot run` as it is. Exit code 1 when
//! anything differs. Stores lie in the folder for temporary files (`TMPDIR`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::{Result, Usage};

/// Kills of one store, at the most, before it is left to finish.
const KILLS_OF_A_STORE: u64 = 12;

/// Stages kills are aimed at, in turn.
const STAGES: [&str; 7] = ["ingest", "index", "links", "keys", "verify", "iterate", "align"];

/// What must come out the same.
const OUTPUTS: [&[&str]; 5] = [
    &["export", "--format", "tsv"],
    &["export", "--format", "jsonl"],
    &["keys", "--weak", "--format", "tsv"],
    &["hosts", "--format", "tsv"],
    &["export", "--what", "bitext", "--format", "jsonl"],
];

/// Kills, and compares.
pub fn run(args: &[String]) -> Result<()> {
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok());
    let (only, rest) = match args.get(3..) {
        Some([option, names, rest @ ..]) if option == "--only" => (Some(names), rest),
        rest => (None, rest.unwrap_or_default()),
    };
    let is_wanted = |stage: &&str| only.is_none_or(|names| names.split(',').any(|name| name == *stage));
    let aims: Vec<&str> = STAGES.into_iter().filter(is_wanted).collect();
    let (Some(binary), Some(kills), Some(seed), inputs @ [_, ..], [_, ..]) =
        (args.first(), number(1), number(2), rest, &*aims)
    else {
        return Err(Usage.into());
    };
    let folder = std::env::temp_dir().join(format!("kill_test.{}", std::process::id()));
    let program = Program { binary: binary.into(), inputs: inputs.to_vec() };
    let outcome = campaign(&program, &folder, (kills, &aims), seed);
    let _ = fs::remove_dir_all(&folder);
    match outcome? {
        0 => Ok(()),
        different => Err(format!("{different} outputs differ").into()),
    }
}

/// Kills so many runs in some stages; gives the number of stores that came out different.
fn campaign(program: &Program, folder: &Path, (kills, aims): (u64, &[&str]), seed: u64) -> Result<u64> {
    fs::create_dir_all(folder)?;
    let undisturbed = folder.join("undisturbed");
    let mut durations = Vec::new();
    for stage in STAGES {
        let began = Instant::now();
        program.finish(&undisturbed, stage)?;
        durations.push(began.elapsed());
    }
    let expected = program.outputs(&undisturbed)?;
    let whole = Ends::of(&undisturbed)?;
    let pairs = expected[0].iter().filter(|&&byte| byte == b'\n').count() - 1;
    println!("seed {seed}; undisturbed: {durations:.2?} for {STAGES:?}, {pairs} pairs, commit {}", whole.commit);
    let mut dice = Dice(seed);
    let (mut done, mut stores, mut different, mut unhurt) = (0, 0, 0, 0);
    let mut stages: BTreeMap<&str, u64> = BTreeMap::new();
    while done < kills {
        let store = folder.join(format!("store-{stores}"));
        let wanted = aims[stores % aims.len()];
        let aim = STAGES.iter().position(|stage| *stage == wanted).unwrap_or(0);
        if let Some(before) = aim.checked_sub(1) {
            program.finish(&store, STAGES[before])?;
        }
        // Stores hit often and early, or seldom and late.
        let longest = durations[aim].mul_f64([0.2, 0.4, 0.7, 1.1][dice.roll(4) as usize]);
        for _ in 0..KILLS_OF_A_STORE.min(kills - done) {
            let delay = Duration::from_micros(dice.roll(longest.as_micros() as u64));
            if !program.killed_after(&store, delay)? {
                unhurt += 1;
                break;
            }
            let ends = Ends::of(&store)?;
            let stage = ends.stage(&whole);
            *stages.entry(stage).or_default() += 1;
            done += 1;
            println!("store {stores}: killed after {:.3} s, commit {}, in {stage}", delay.as_secs_f64(), ends.commit);
        }
        program.finish(&store, STAGES[STAGES.len() - 1])?;
        for (found, (expected, command)) in program.outputs(&store)?.iter().zip(expected.iter().zip(OUTPUTS)) {
            if found != expected {
                different += 1;
                println!("store {stores}: `{}` differs", command.join(" "));
            }
        }
        fs::remove_dir_all(&store)?;
        stores += 1;
    }
    let stages: Vec<String> = stages.iter().map(|(stage, count)| format!("{count} in {stage}")).collect();
    println!("{done} kills ({}), {stores} stores, {unhurt} runs ended before their kill", stages.join(", "));
    if different == 0 {
        println!("all outputs equal");
    }
    Ok(different)
}

struct Program {
    binary: PathBuf,
    inputs: Vec<String>,
}

impl Program {
    fn run(&self, store: &Path) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(["run", "--quiet", "--store"]).arg(store).args(&self.inputs).stdout(Stdio::null());
        command
    }

    /// Runs up to that stage, undisturbed.
    fn finish(&self, store: &Path, stage: &str) -> Result<()> {
        let status = self.run(store).args(["--until", stage]).status()?;
        if status.success() { Ok(()) } else { Err(format!("a run left to finish ended with {status}").into()) }
    }

    /// False when the run ended before.
    fn killed_after(&self, store: &Path, delay: Duration) -> Result<bool> {
        let mut run = self.run(store).args(["--until", STAGES[STAGES.len() - 1]]).spawn()?;
        std::thread::sleep(delay);
        run.kill()?;
        let status = run.wait()?;
        match status.code() {
            None => Ok(true),
            Some(0) => Ok(false),
            Some(_) => Err(format!("a run that went on ended with {status}").into()),
        }
    }

    fn outputs(&self, store: &Path) -> Result<Vec<Vec<u8>>> {
        let output = |args: &&[&str]| {
            let output = Command::new(&self.binary).args(*args).arg("--store").arg(store).output()?;
            if output.status.success() {
                return Ok(output.stdout);
            }
            Err(format!("{}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)).into())
        };
        OUTPUTS.iter().map(output).collect()
    }
}

/// How far a store is, by its manifest.
#[derive(Default)]
struct Ends {
    commit: u64,
    /// Of the kinds of records that tell stages apart, in the order of [`STAGES`].
    records: [u64; STAGES.len()],
}

/// Kinds of records that each of [`STAGES`] writes, by their place in the manifest.
const KINDS: [usize; STAGES.len()] = [0, 2, 5, 3, 7, 8, 11];

impl Ends {
    /// Nothing where there is no manifest yet.
    fn of(store: &Path) -> Result<Ends> {
        let Ok(text) = fs::read(store.join("manifest.json")) else { return Ok(Ends::default()) };
        let manifest: serde_json::Value = serde_json::from_slice(&text)?;
        let records = KINDS.map(|kind| manifest["ends"][kind].as_u64().unwrap_or(0));
        Ok(Ends { commit: manifest["commit"].as_u64().unwrap_or(0), records })
    }

    /// The stage a run is in that will end as `whole`: each of these kinds of record grows in one stage only.
    fn stage(&self, whole: &Ends) -> &'static str {
        let left = (0..STAGES.len()).find(|&at| self.records[at] < whole.records[at]);
        left.map_or("the end", |at| STAGES[at])
    }
}
