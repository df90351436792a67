//! `diglot completions` and `diglot man`: what a shell and a reader of manuals want to know of the commands.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use diglot::error::Error;

/// Print completions for a shell.
///
/// Where a shell looks for them: bash in ~/.local/share/bash-completion/completions/diglot, zsh in _diglot in a folder of $fpath,
/// fish in ~/.config/fish/completions/diglot.fish.
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
/// The pages say what `--help` says, in the form that `man` reads.
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
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            return Ok(io::stdout().lock().write_all(&page)?);
        };
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder, "creating"))?;
        Ok(clap_mangen::generate_to(command, &folder).map_err(Error::io(&folder, "writing"))?)
    }
}
