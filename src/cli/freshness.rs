//! Tells on stderr whether the results that a query lists are up to date, and which command brings them up to date.

use std::path::Path;

use diglot::config::settings::SCORER;
use diglot::config::{Config, Strategy};
use diglot::error::Result;
use diglot::pipeline::{STAGES, StageState, StageStatus, has_run, stale};
use diglot::store::Store;

/// The default path of the store.
pub const STORE: &str = "diglot.store";
/// The environment variable with the path of the store.
pub const STORE_VARIABLE: &str = "DIGLOT_STORE";

/// What a query lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// Hosts, keys, pages.
    Keys,
    /// Pages with their texts.
    Pages,
    /// Pairs of pages.
    Pairs,
    /// Words that verification learnt.
    Learnt,
    /// What sites show of languages.
    Languages,
    /// Sentence pairs.
    Bitext,
    /// Everything there is, after a run that was told to stop early.
    Summary,
    /// Everything there is, for readers who did not see it being made.
    Report,
}

/// How a notice begins where a listing is necessarily empty.
const NOTHING: &str = "nothing to list yet: ";

impl Lists {
    /// The stage that must have run, and the last stage whose results are listed.
    fn stages(self, config: &Config) -> (&'static str, &'static str) {
        match self {
            // With these strategies there are no pairs of keys, so there are no pairs before these stages.
            Lists::Pairs if config.strategy == Strategy::Links => ("iterate", "iterate"),
            Lists::Pairs if config.strategy == Strategy::Webmining => ("verify", "iterate"),
            Lists::Keys | Lists::Pairs => ("keys", "iterate"),
            Lists::Pages => ("index", "index"),
            Lists::Languages => ("keys", "keys"),
            Lists::Learnt => ("verify", "verify"),
            Lists::Bitext => ("align", "align"),
            Lists::Summary | Lists::Report => ("ingest", "align"),
        }
    }

    /// The notice for a listing that must be empty, since the stage that makes its rows never ran.
    pub fn missing(self, store: &Store, config: &Config) -> Result<Option<String>> {
        let (needed, _) = self.stages(config);
        if has_run(store, STAGES[position(needed)])? {
            return Ok(None);
        }
        let notice = self.notice(store, config)?;
        Ok(notice.map(|notice| notice.strip_prefix(NOTHING).map(str::to_owned).unwrap_or(notice)))
    }

    /// The notice, if there is anything to tell. A stage that was left out on purpose is not mentioned unless the listing needs it.
    pub fn notice(self, store: &Store, config: &Config) -> Result<Option<String>> {
        if let Some(missing) = no_archive(store)?.filter(|_| !Store::is_worked_on(store.folder())) {
            return Ok(Some(NOTHING.to_owned() + &missing.join("; ")));
        }
        let (needed, last) = self.stages(config);
        let needed = position(needed);
        let is_missing = |name: &str, found: &[StageStatus]| {
            found.iter().any(|stage| stage.name == name && stage.state == StageState::NotRun)
        };
        let mut found = stale(store, config, last)?;
        // Unread parts of archives are not mentioned here; `status` shows them.
        found.retain(|stage| {
            let is_news = self == Lists::Report || position(stage.name) <= needed;
            stage.name != "ingest" && (stage.state != StageState::NotRun || is_news)
        });
        let Some(last) = found.last() else { return Ok(None) };
        let ran_on = STAGES[position(last.name)..]
            .iter()
            .skip(1)
            .try_fold(false, |ran, stage| Ok::<_, diglot::error::Error>(ran || has_run(store, *stage)?))?;
        let is_first = found.iter().all(|stage| stage.state == StageState::NotRun);
        // Hosts have pages already before they have keys.
        let awaited = if self == Lists::Keys { "index" } else { STAGES[needed].name() };
        let nothing = if is_missing(awaited, &found) { NOTHING } else { "" };
        let until =
            if is_first || ran_on || last.name == "align" { String::new() } else { format!(" --until {}", last.name) };
        let them = if found.len() == 1 { "it" } else { "them" };
        let does = if is_first { format!("runs {them}") } else { format!("brings {them} up to date") };
        // A program that only the store names is not started.
        let asks = until.is_empty() && store.settings().of(SCORER).next().is_some();
        let scorer = if asks { ", with --scorer as before," } else { "" };
        Ok(Some(format!("{nothing}{}; `diglot run{until}{}`{scorer} {does}", sentence(&found), place(store.folder()))))
    }
}

fn position(name: &str) -> usize {
    STAGES.iter().position(|stage| stage.name() == name).unwrap_or(0)
}

/// The option that names the store on the command line; empty where none is needed.
pub fn place(store: &Path) -> String {
    let is_known = std::env::var_os(STORE_VARIABLE)
        .filter(|set| !set.is_empty())
        .map_or(store == Path::new(STORE), |known| store == known);
    if is_known { String::new() } else { format!(" --store {}", store.display()) }
}

/// That a store has no archive, and what reads some; `None` where it has one.
pub fn no_archive(store: &Store) -> Result<Option<[String; 2]>> {
    if store.has_archives()? {
        return Ok(None);
    }
    let reads = format!("`diglot run INPUT...{}` reads some", place(store.folder()));
    Ok(Some(["the store has no archive".to_owned(), reads]))
}

/// "keys is partial, verify and iterate are stale".
fn sentence(stages: &[StageStatus]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for group in stages.chunk_by(|a, b| a.state == b.state) {
        let names: Vec<&str> = group.iter().map(|stage| stage.name).collect();
        let list = match names.as_slice() {
            [] => continue,
            [one] => (*one).to_owned(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        let is_one = names.len() == 1;
        let state = match group[0].state {
            StageState::NotRun if is_one => "has not run".to_owned(),
            StageState::NotRun => "have not run".to_owned(),
            state if is_one => format!("is {}", state.name()),
            state => format!("are {}", state.name()),
        };
        parts.push(format!("{list} {state}"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_told_by_their_state() {
        let stage = |name, state| StageStatus { name, state, remaining: String::new(), is_set_anew: false };
        use StageState::*;
        assert_eq!(sentence(&[stage("align", Stale)]), "align is stale");
        assert_eq!(
            sentence(&[stage("keys", Partial), stage("verify", Stale), stage("iterate", Stale)]),
            "keys is partial, verify and iterate are stale"
        );
        assert_eq!(
            sentence(&[stage("index", NotRun), stage("links", NotRun), stage("keys", NotRun)]),
            "index, links and keys have not run"
        );
    }
}
