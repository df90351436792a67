//! `diglot recover`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use diglot::archive;
use diglot::error::Error;
use diglot::pipeline::Context;
use diglot::pipeline::recover::{Fate, Line, Plan, Request, plan, remember};
use diglot::query::Scope;
use serde_json::json;

use super::listing::{Listing, number};
use super::progress::Progress;
use super::{FormatArg, Global, STOP};

/// Find the pages that partners should have and the archives lack: deep pages.
///
/// For every page without a partner and every key that applies, the address the partner would have. CHANCE is how likely the
/// address is to be there, as the counterparts of neighbouring pages are and as pages link to it (LINKED); CREDIBILITY is that
/// of the key. FATE says what became of it: recovered (asked for, came, and is paired by that key), came (asked for, came, and
/// is not), present (the store has it, and why it is no partner), left-out (the archives have it, and why it is no page),
/// indexed (an index given with --index has it: file, offset, length), asked (it was asked for and has not come), wanted (nobody
/// has it); present and left-out ones come last. With -o the wanted ones go to a list for a crawler, and are not asked for
/// again; a list that is there is replaced only by one that asks for something.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot recover example.org                      what could be asked for
  diglot recover --top 1000 -o list.txt           ask for the likeliest, then:
    wget -i list.txt --warc-file=deep && diglot run deep.warc.gz
  diglot recover --index cdx-00000.gz             what a larger archive has of it")]
pub struct Recover {
    /// A host, a registrable domain or an address; none: all.
    host: Option<String>,
    /// Indexes of larger archives (CDXJ, CDX, Parquet): files, folders, patterns, or @LIST.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    index: Vec<String>,
    /// Only so many wanted addresses: the likeliest.
    #[arg(long, value_name = "K")]
    top: Option<usize>,
    /// Leave out wanted addresses that are less likely to be there; 0: list all.
    #[arg(long, value_name = "0..1", default_value_t = 0.05)]
    min_chance: f64,
    /// Ask again for what was asked for before and has not come.
    #[arg(long)]
    again: bool,
    /// Write the wanted addresses to a list, one a line, and remember them; `-`: stdout, instead of the listing.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArg,
}

impl Recover {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if !(0.0..=1.0).contains(&self.min_chance) {
            return Err(Error::Config(format!("--min-chance is {}, expected 0 to 1", self.min_chance)).into());
        }
        let indexes = if self.index.is_empty() { Vec::new() } else { archive::expand(&self.index)? };
        super::run::bring_up_to_date(global, "keys")?;
        let (store, config) = global.read()?;
        let scope = self.host.as_deref().map_or(Ok(Scope::all()), |host| Scope::of(&store, host))?;
        let observer = Progress::new(global.quiet);
        let context = Context { config: &config, inputs: &[], observer: &observer, stop: &STOP };
        let request =
            Request { scope: &scope, indexes: &indexes, top: self.top, min_chance: self.min_chance, again: self.again };
        let planned = plan(&store, &context, &request);
        diglot::pipeline::observer::Observer::end(&observer, "recover", planned.is_ok());
        let Plan { lines, unlikely } = planned?;
        if unlikely > 0 && !global.quiet {
            let least = self.min_chance;
            eprintln!("diglot: {unlikely} addresses less likely than {least} are left out; --min-chance 0 lists them");
        }
        drop(store);
        let Some(path) = self.output else { return self.format.print(&lines) };
        let wanted: Vec<&Line> = lines.iter().filter(|line| line.fate == Fate::Wanted).collect();
        let to_stdout = path.as_os_str() == "-";
        if wanted.is_empty() && !to_stdout && path.exists() {
            // It may be the list of a run that was stopped when all was remembered, or one not crawled yet.
            if !global.quiet {
                eprintln!("diglot: nothing new to ask for; {} stays as it is", path.display());
            }
            return self.format.print(&lines);
        }
        let out: Box<dyn Write> = if to_stdout {
            Box::new(io::stdout().lock())
        } else {
            Box::new(File::create(&path).map_err(Error::io(&path, "creating"))?)
        };
        let mut out = BufWriter::new(out);
        for line in wanted {
            writeln!(out, "{}", line.url).map_err(Error::io(&path, "writing"))?;
        }
        out.flush().map_err(Error::io(&path, "writing"))?;
        drop(out);
        // After the list is there: what is asked for twice does less harm than what is never asked for.
        remember(&mut global.write()?.0, &lines)?;
        if to_stdout { Ok(()) } else { self.format.print(&lines) }
    }
}

impl FormatArg {
    fn print(&self, lines: &[Line]) -> anyhow::Result<()> {
        let columns = ["url", "lang", "chance", "linked", "credibility", "key", "fate", "detail", "from"];
        let mut listing = Listing::new(self.get(), &columns)?;
        // What can be asked for, or was, comes before what the store has already, which is often more.
        let is_here = |line: &&Line| matches!(line.fate, Fate::Present(_) | Fate::LeftOut(_));
        for line in lines.iter().filter(|line| !is_here(line)).chain(lines.iter().filter(is_here)) {
            let detail = match &line.fate {
                Fate::Present(why) | Fate::LeftOut(why) => json!(why),
                Fate::Indexed(at) => json!(format!("{} {} {}", at.file, at.offset, at.length)),
                Fate::Recovered | Fate::Came | Fate::Asked | Fate::Wanted => json!(null),
            };
            listing.row(vec![
                json!(line.url),
                json!(line.lang.as_str()),
                number(line.chance, 4),
                json!(line.is_linked),
                number(line.credibility, 4),
                json!(line.key),
                json!(line.fate.name()),
                detail,
                json!(line.from),
            ])?;
        }
        Ok(listing.finish()?)
    }
}
