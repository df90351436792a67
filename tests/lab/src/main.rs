//! The laboratory: programs that make test sites, run campaigns and measure, for which tests have no time.
//!
//! `diglot-lab` without arguments lists them. A tool is a file, its `mod` line, and a line of [`TOOLS`].

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

mod align_rate;
mod bars;
mod big_site;
mod candidate_recall;
mod clock;
mod dice;
mod fit_weights;
mod fuzz;
mod growth;
mod heap;
mod held_out;
mod hide_urls;
mod kill_test;
mod letters;
mod repeat_warc;
mod shift_site;
mod sites;
mod stages;
mod text_rate;
mod unreliable_key;
mod verify_rate;
mod web;
mod weights;

// As the command does, and counted.
#[global_allocator]
static ALLOCATOR: heap::Counted = heap::Counted;

/// What goes wrong is told to the person at the terminal, and ends the program.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// A tool.
struct Tool {
    name: &'static str,
    /// Its arguments.
    usage: &'static str,
    /// What one gets.
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const TOOLS: &[Tool] = &[
    // Sites that are harder than those one finds.
    Tool {
        name: "big-site",
        usage: "OUT PAGES_EN PAGES_DE LINKS [--paired SHARE] [--topic-pages N] [--addresses opaque|key] [--seed N]",
        about: "makes a bilingual site of any size, with gold and a word list",
        run: big_site::run,
    },
    Tool {
        name: "hide-urls",
        usage: "OUT SITE.warc.gz GOLD_PREFIX [--langs a,b] [--seed N]",
        about: "makes of a judged site one whose URLs say nothing",
        run: hide_urls::run,
    },
    Tool {
        name: "shift-site",
        usage: "OUT SITE.warc.gz GOLD_PREFIX [--langs a,b] [--inserts N] [--other OTHER.warc.gz] [--seed N]",
        about: "makes of a judged site one whose URL key is strong and wrong",
        run: shift_site::run,
    },
    Tool {
        name: "unreliable-key",
        usage: "OUT SITE.warc.gz GOLD_PREFIX [--langs a,b] [--share 0.5] [--stretches N] [--seed N]",
        about: "makes of a judged site one whose URL key is right for some pages only",
        run: unreliable_key::run,
    },
    Tool {
        name: "repeat-warc",
        usage: "OUT.warc.gz MIN_BYTES INPUT.warc.gz...",
        about: "makes a WARC of any size out of small ones",
        run: repeat_warc::run,
    },
    // Campaigns.
    Tool {
        name: "kill-test",
        usage: "DIGLOT_BINARY KILLS SEED [--only STAGE,...] INPUT...",
        about: "kills runs at random instants, resumes them, and compares the results",
        run: kill_test::run,
    },
    // Quality.
    Tool {
        name: "candidate-recall",
        usage: "STORE GOLD.pairs.tsv...",
        about: "counts the gold pairs that each search for candidates proposes",
        run: candidate_recall::run,
    },
    Tool {
        name: "fit-weights",
        usage: "SITES",
        about: "fits the shipped weights of the score on judged pairs",
        run: fit_weights::run,
    },
    Tool {
        name: "held-out",
        usage: "SITES FOLDS ARRANGED...",
        about: "scores sites, alone and in company, by weights that were fitted without them",
        run: held_out::run,
    },
    // Speed and memory.
    Tool {
        name: "stages",
        usage: "DIGLOT_BINARY STORE INPUT... [-- OPTION...]",
        about: "measures what each stage of a run costs: CPU, memory, disk",
        run: stages::run,
    },
    Tool {
        name: "growth",
        usage: "unique|shared|ids URLS [SITES]",
        about: "measures indexing and key discovery on generated URLs",
        run: growth::run,
    },
    Tool {
        name: "text-rate",
        usage: "LANGUAGE.txt...",
        about: "measures how fast texts are cut into sentences and words",
        run: text_rate::run,
    },
    Tool {
        name: "letters",
        usage: "< TEXTS.tsv",
        about: "counts the pairs of letters of texts, for profiles of languages",
        run: letters::run,
    },
    Tool {
        name: "verify-rate",
        usage: "STORE...",
        about: "measures how many page pairs are compared in a second",
        run: verify_rate::run,
    },
    Tool {
        name: "align-rate",
        usage: "STORE",
        about: "measures how many sentence pairs are aligned in a second",
        run: align_rate::run,
    },
    Tool {
        name: "web",
        usage: "ranks FILE | time SITES LINKS | find SEED | rounds SEED",
        about: "ranks graphs of sites, given or made, and measures the ranks",
        run: web::run,
    },
    Tool {
        name: "fuzz",
        usage: "[--seconds N] [--seed N] [--target T] | --target T --input N [--save FILE] | --target T --bytes FILE",
        about: "feeds every parser with changed inputs, and tells which it does not bear",
        run: fuzz::run,
    },
    // Pictures.
    Tool {
        name: "bars",
        usage: "TITLE AXIS SERIES,... IN.tsv OUT.svg",
        about: "draws figures as bars",
        run: bars::run,
    },
];

/// The arguments are not those of the tool.
#[derive(Debug)]
struct Usage;

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("other arguments expected")
    }
}

impl Error for Usage {}

/// What `--help` prints.
fn help() -> String {
    let tool = |tool: &Tool| format!("  {:<17} {}\n  {:<17} {}\n", tool.name, tool.about, "", tool.usage);
    let tools: String = TOOLS.iter().map(tool).collect();
    format!("diglot-lab TOOL ARGUMENTS: makers of test sites, campaigns and measurements.\n\n{tools}")
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, rest @ ..] = &*arguments else {
        print!("{}", help());
        return ExitCode::SUCCESS;
    };
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let is_help = ["help", "--help", "-h"].contains(&name.as_str());
        if is_help {
            print!("{}", help());
            return ExitCode::SUCCESS;
        }
        eprintln!("diglot-lab: there is no tool {name}\n\n{}", help());
        return ExitCode::from(2);
    };
    match (tool.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Usage>() => {
            eprintln!("usage: diglot-lab {} {}", tool.name, tool.usage);
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("diglot-lab {}: {error}", tool.name);
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::TOOLS;

    #[test]
    fn the_readme_lists_every_tool_and_script() {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
        let readme = fs::read_to_string(lab.join("README.md")).expect("a README");
        for tool in TOOLS {
            let line = format!("| `{}` | {} |", tool.name, tool.about);
            assert!(readme.contains(&line), "README.md lacks the line: {line}");
        }
        for script in fs::read_dir(lab.join("scripts")).expect("a folder").flatten() {
            let name = script.file_name().display().to_string();
            assert!(readme.contains(&format!("| `scripts/{name}` |")), "README.md lacks {name}");
        }
        for bench in fs::read_dir(lab.join("benches")).expect("a folder").flatten() {
            let name = bench.path().file_stem().expect("a name").display().to_string();
            assert!(readme.contains(&format!("| `{name}` |")), "README.md lacks the bench {name}");
        }
    }
}
