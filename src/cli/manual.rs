//! `diglot completions` and `diglot man`: shell completions and manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Args, Command};
use clap_complete::Shell;
use diglot::error::Error;
use roff::{Roff, roman};

use super::output;

/// Print completions for a shell.
///
/// Shells look for them here: bash in ~/.local/share/bash-completion/completions/diglot, zsh in _diglot in a folder of $fpath, fish in
/// ~/.config/fish/completions/diglot.fish.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot completions bash > ~/.local/share/bash-completion/completions/diglot
  diglot completions fish > ~/.config/fish/completions/diglot.fish")]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(self, mut command: Command) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "diglot", &mut script);
        Ok(io::stdout().lock().write_all(&script)?)
    }
}

/// Print the manual page, or write one for each command.
///
/// The pages have the text of `--help`, in the format of `man`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot man | man -l -
  diglot man ~/.local/share/man/man1        then: man diglot-run")]
pub struct Man {
    /// A folder, for the pages of all commands: diglot.1, diglot-run.1, …
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Man {
    pub fn run(self, command: Command) -> anyhow::Result<()> {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let Some(folder) = self.folder else {
            return Ok(io::stdout().lock().write_all(&page(&command)?)?);
        };
        output::refuse_within_store(&folder)?;
        fs::create_dir_all(&folder).map_err(Error::io(&folder, "creating"))?;
        write_pages(&command, &folder)
    }
}

/// Writes the pages of a command and of all its subcommands.
fn write_pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let path = folder.join(format!("{name}.1"));
    output::write(&path, &page(command)?)?;
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|below| write_pages(below, folder))
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let behind = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    // Options that `-h` hides are in the page, as they are in `--help`.
    let command = command.clone().mut_args(|arg| arg.hide_short_help(false)).after_help(Resettable::Reset);
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    page.extend(sections(&behind).to_roff().into_bytes());
    Ok(page)
}

/// The text after the options of `--help`, as sections: either "Examples:" with command lines, or a heading with text.
fn sections(behind: &str) -> Roff {
    let mut roff = Roff::new();
    for (heading, text) in behind.split("\n\n").filter_map(|section| section.split_once(':')) {
        roff.control("SH", [heading.to_uppercase().as_str()]);
        match text.strip_prefix('\n') {
            Some(lines) => {
                roff.control("nf", []);
                for line in lines.lines() {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []);
            }
            None => {
                roff.text([roman(text.trim())]);
            }
        }
    }
    roff
}
