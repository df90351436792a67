//! `diglot run --dry-run`: what a run would read, and which stages it would do again, and why.

use std::io::{self, Write};
use std::path::Path;

use diglot::config::settings::Takes;
use diglot::config::{Config, SETTINGS, Setting};
use diglot::export::rows::printable;
use diglot::inputs::{Inputs, STREAM};
use diglot::pipeline::{self, STAGES, StageState, StageStatus};
use diglot::query::{self, Known};
use diglot::store::{Store, StoredSettings};

use super::settings::differing;

/// What a run would start from: its inputs and its settings.
pub struct Plan<'p> {
    /// The store, where there is one.
    pub store: Option<&'p Store>,
    /// The inputs, both given and resumed.
    pub inputs: &'p Inputs,
    /// The settings of the run, and the configuration that results from them.
    pub settings: &'p StoredSettings,
    /// The same.
    pub config: &'p Config,
    /// The last stage.
    pub until: &'p str,
}

impl Plan<'_> {
    /// Prints the plan; true if something would be read.
    pub fn print(&self) -> anyhow::Result<bool> {
        let mut out = io::stdout().lock();
        let is_read_more = self.print_inputs(&mut out)?;
        writeln!(out, "stages:")?;
        for (name, why) in self.stages(is_read_more)? {
            writeln!(out, "  {name:<8} {why}")?;
        }
        writeln!(out, "nothing was read or written: --dry-run")?;
        Ok(is_read_more)
    }

    /// Prints what would be read; true if anything would.
    fn print_inputs(&self, out: &mut impl Write) -> anyhow::Result<bool> {
        let mut is_read_more = false;
        writeln!(out, "inputs: {}", self.inputs.archives.len())?;
        for path in &self.inputs.archives {
            let state = self.state_of(path)?;
            is_read_more |= !state.starts_with("already");
            writeln!(out, "  {state}: {}", printable(&path.display().to_string()))?;
        }
        for refused in &self.inputs.refused {
            let (path, reason) = (refused.path.display().to_string(), printable(&refused.reason));
            writeln!(out, "  skipped: {}: {reason}", printable(&path))?;
        }
        Ok(is_read_more)
    }

    fn state_of(&self, path: &Path) -> anyhow::Result<String> {
        if path.as_os_str() == STREAM {
            return Ok("not known before it is read".to_owned());
        }
        let known = self.store.map_or(Ok(Known::New), |store| query::known(store, path))?;
        Ok(match known {
            Known::New => "new".to_owned(),
            Known::Partial(position) => format!("partial, from byte {position} on"),
            Known::Read => "already read".to_owned(),
        })
    }

    /// What would become of each stage.
    fn stages(&self, is_read_more: bool) -> anyhow::Result<Vec<(&'static str, String)>> {
        let progress = match self.store {
            Some(store) => pipeline::progress(store, self.config, self.until)?,
            None => Vec::new(),
        };
        let last = STAGES.iter().position(|stage| stage.name() == self.until).unwrap_or(STAGES.len() - 1);
        let mut before: Option<&'static str> = None;
        let mut plan = Vec::new();
        for (at, stage) in STAGES.iter().enumerate().take(last + 1) {
            let name = stage.name();
            let status = progress.get(at);
            let why = match status.map_or(StageState::NotRun, |status| status.state) {
                _ if at == 0 => if is_read_more { "reads the inputs above" } else { "nothing to read" }.to_owned(),
                StageState::NotRun => "has not run yet".to_owned(),
                StageState::Partial => format!("goes on where it was stopped{}", remaining(status)),
                StageState::Stale => self.why_stale(name, before, status),
                StageState::Fresh if is_read_more => "again for sites with new pages".to_owned(),
                StageState::Fresh => "up to date".to_owned(),
            };
            let is_done = at > 0 && status.is_some_and(|status| status.state == StageState::Fresh);
            if at > 0 && !is_done && before.is_none() {
                before = Some(name);
            }
            plan.push((name, why));
        }
        Ok(plan)
    }

    fn why_stale(&self, name: &str, before: Option<&str>, status: Option<&StageStatus>) -> String {
        let kept = self.store.map(|store| store.settings().clone()).unwrap_or_default();
        let acts = |setting: &str| SETTINGS.iter().any(|known| known.name == setting && known.changes(name));
        let changed: Vec<&str> = differing(&kept, self.settings).into_iter().filter(|setting| acts(setting)).collect();
        let files = status.and_then(|status| changed_files(self.settings, status));
        match (before, files) {
            _ if !changed.is_empty() => format!("again: other settings ({})", changed.join(", ")),
            (_, Some(files)) => format!("again: {files}{}", remaining(status)),
            (Some(before), None) => format!("again where {before} gives other results"),
            (None, None) => format!("again: its settings or its input have changed{}", remaining(status)),
        }
    }
}

/// Why a stage is stale whose settings are the same as when it ran: a file that they name, or the
/// program; `None` where they name none.
pub fn changed_files(settings: &StoredSettings, status: &StageStatus) -> Option<String> {
    let names_files = |setting: &&Setting| matches!(setting.takes, Takes::Files) && setting.changes(status.name);
    let paths = |setting: &'static Setting| {
        let name = setting.name;
        settings.of(name).map(move |path| format!("--{name} {}", printable(path))).collect::<Vec<_>>()
    };
    let files: Vec<String> = SETTINGS.iter().filter(names_files).flat_map(paths).collect();
    let what = if files.len() == 1 { "the file" } else { "one of the files" };
    (status.is_set_anew && !files.is_empty())
        .then(|| format!("{what} {} has changed (or the program)", files.join(", ")))
}

fn remaining(status: Option<&StageStatus>) -> String {
    let left = status.map_or("", |status| status.remaining.as_str());
    if left.is_empty() { String::new() } else { format!(": {left}") }
}
