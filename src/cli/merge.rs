//! `diglot merge`.

use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use diglot::error::Error;
use diglot::pipeline::Observer;
use diglot::query;
use diglot::store::{Access, Store, StoredSettings};
use diglot::types::counted;
use diglot::upkeep::{self, Merged};

use super::folder::Folder;
use super::freshness::place;
use super::global::Global;
use super::say::say;
use super::stop::{check_stop, look_at_stop};

/// Make one store of several, as if all their archives had been read into it.
///
/// What was read is taken over, without reading the archives again: pages, archives, requests of `diglot recover`, corrections, marks of reviewers.
/// Keys, pairs and sentence pairs depend on what the stores have together; `diglot run --store OUT` makes them, and they are those of one
/// run on all archives. An archive that several stores have is taken once. What a store has removed stays removed from its archives,
/// and an archive that one of them has removed as a whole is left out, and named.
///
/// The settings of the first store hold, and those of others that differ are told. Scores of a scorer, samples that were drawn for review,
/// and rounds of `diglot explore` are not taken over. The stores are only read, and --store is ignored. OUT appears once it is complete:
/// after an interruption, give the same command again, which begins anew.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot merge monday.store tuesday.store -o week.store && diglot run --store week.store
  diglot merge shards/*.store -o all.store")]
pub struct Merge {
    /// Stores to merge, two or more.
    #[arg(value_name = "MERGED", num_args = 2.., required = true)]
    stores: Vec<PathBuf>,
    /// The store to make; it must not exist.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

impl Merge {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if Store::is_at(&self.output) {
            let problem = "is a store already; give another folder, or remove it";
            return Err(Error::input(self.output.display().to_string(), problem).into());
        }
        let mut met = BTreeSet::new();
        let mut sources = Vec::new();
        for path in &self.stores {
            let (store, _) = global.read_too(path)?;
            if !met.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                return Err(Error::Config(format!("{} is named twice", path.display())).into());
            }
            sources.push(store);
        }
        self.tell_settings(&sources);
        look_at_stop();
        let folder = Folder::new(&self.output)?;
        let progress = global.progress();
        let merged = self.merge(&sources, folder.path(), &progress);
        let merged = folder.finish_with(merged)?;
        self.tell(&merged)?;
        Ok(())
    }

    /// Merges into a folder that has not its name yet.
    fn merge(&self, sources: &[Store], made: &Path, progress: &super::progress::Progress) -> anyhow::Result<Merged> {
        let mut out = Store::open(made, Access::Write)?;
        out.keep_settings(sources[0].settings().clone())?;
        progress.begin("merge", "stores", "pages", None);
        let check = |all: &_, new: &_| query::check_pins(sources, all, new);
        let merged = upkeep::merge(sources, &mut out, progress, &check, &|| check_stop());
        progress.end("merge", merged.is_ok());
        merged.with_context(|| format!("{} was not made", self.output.display()))
    }

    /// Tells which settings of the stores differ.
    fn tell_settings(&self, sources: &[Store]) {
        let first = sources[0].settings();
        let names = sources.iter().flat_map(|store| store.settings().values.iter().map(|(name, _)| name.as_str()));
        for name in names.collect::<BTreeSet<_>>() {
            let others = sources.iter().zip(&self.stores).skip(1);
            let differing = others.filter(|(store, _)| values(store.settings(), name) != values(first, name));
            let told: Vec<String> = differing
                .map(|(store, path)| format!("{} in {}", values(store.settings(), name), path.display()))
                .collect();
            if !told.is_empty() {
                let (here, place) = (values(first, name), self.stores[0].display());
                say(format!("{name} is {here} in {place}, which holds, and {}", told.join(", ")));
            }
        }
    }

    fn tell(&self, merged: &Merged) -> anyhow::Result<()> {
        let (archives, captures) = (counted(merged.archives, "archive"), counted(merged.captures, "capture"));
        let place = place(&self.output);
        writeln!(stdout(), "merged: {archives}, {captures}; `diglot run{place}` makes pairs of them")?;
        if merged.shared > 0 {
            say(format!("{} in several of the stores, and taken once", counted(merged.shared, "archive")));
        }
        for store in &merged.read_otherwise {
            say(format!(
                "{} was read with other settings of reading than {}, or by another release; its pages stay as they were read",
                store.display(),
                merged.read_first.display()
            ));
        }
        for path in &merged.archives_removed {
            say(format!(
                "{path} is left out, since one of the stores had removed it as a whole; `diglot run{place} {path}` reads it again"
            ));
        }
        for path in &merged.named_alike {
            say(format!(
                "{path} is here, though one of the stores had removed an archive of this name; `diglot remove{place} --archive {path}` takes it out"
            ));
        }
        if merged.removed > 0 {
            let captures = counted(merged.removed, "capture");
            say(format!("{captures} left out, since one of the stores with the same archive had removed them"));
        }
        if merged.brought_back > 0 {
            let names = counted(merged.brought_back, "name");
            say(format!(
                "{names} of hosts or URLs that were removed from one of the stores, of its archives, are here from other archives; \
                 `diglot remove{place}` takes them out of these too"
            ));
        }
        merged.bad_marks.iter().for_each(|lines| say(format!("lines that are no marks are taken over: {lines}")));
        Ok(())
    }
}

/// The values of a setting, as they are told.
fn values(settings: &StoredSettings, name: &str) -> String {
    let values: Vec<&str> = settings.of(name).collect();
    if values.is_empty() { "the default".to_owned() } else { values.join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_is_not_given_has_its_default() {
        let settings = StoredSettings { values: vec![("langs".into(), "en".into()), ("langs".into(), "fr".into())] };
        assert_eq!(["langs", "preset"].map(|name| values(&settings, name)), ["en,fr", "the default"]);
    }
}
