//! Keys as lines.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::number;
use super::scope::{Scope, sites};
use super::site::Site;
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::{State, credibility};
use crate::store::Store;
use crate::types::{Edit, JudgedPair, Key, Lang, LangPair, NULL, SiteId, SourceStats, pattern};

/// One key of one site, for listing.
#[derive(Clone, Debug)]
pub struct KeyLine {
    /// Host it works in; the registrable domain for keys in host labels.
    pub site: String,
    /// The key, in the order of listing of its languages.
    pub key: Key,
    /// True when the languages were turned round for listing.
    pub turned: bool,
    /// Linking power: URL pairs matched.
    pub power: u64,
    /// Pairs that the competition of keys assigned to it.
    pub assigned: u64,
    /// Local credibility C(p, w).
    pub credibility: f64,
    /// Global credibility C(p), in pages.
    pub global: f64,
    /// Its state after the competition.
    pub state: State,
    /// Precision of its pairs as verification estimates it, 0..=1; `None` before.
    pub est_precision: Option<f64>,
    /// Pairs of it that were accepted; before verification those assigned to it.
    pub accepted: u64,
}

impl KeyLine {
    /// What became of it: its state, or `demoted` where verification finds that most of its pairs are wrong.
    pub fn state_name(&self) -> &'static str {
        state_name(self.state, self.est_precision)
    }

    /// Its languages in the order of listing.
    pub fn langs(&self) -> (Lang, Lang) {
        let LangPair { a, b } = self.key.langs;
        if self.turned { (b, a) } else { (a, b) }
    }

    /// Its edits in the order of listing.
    pub fn edits(&self) -> Vec<Edit> {
        if self.turned { self.key.turned() } else { self.key.edits.clone() }
    }

    /// Names of the [`KeyLine::values`].
    pub const COLUMNS: [&'static str; 14] = [
        "site",
        "field",
        "from",
        "to",
        "lang_a",
        "lang_b",
        "power",
        "assigned",
        "accepted",
        "est_precision",
        "credibility",
        "global",
        "state",
        "key",
    ];

    /// What is listed of it.
    pub fn values(&self) -> [Value; 14] {
        let edits = self.edits();
        let join = |text: fn(&Edit) -> String| edits.iter().map(text).collect::<Vec<_>>().join("+");
        let (lang_a, lang_b) = self.langs();
        [
            json!(self.site),
            json!(join(|edit| edit.field.to_string())),
            json!(join(|edit| or_null(&edit.from))),
            json!(join(|edit| or_null(&edit.to))),
            json!(lang_a.as_str()),
            json!(lang_b.as_str()),
            json!(self.power),
            json!(self.assigned),
            json!(self.accepted),
            self.est_precision.map_or(Value::Null, |precision| number(precision, 3)),
            number(self.credibility, 4),
            number(self.global, 1),
            json!(self.state_name()),
            json!(pattern(&edits)),
        ]
    }
}

/// The keys of a scope: by domain, then strongest first; weak ones only with `weak`.
///
/// # Errors
/// When the store cannot be read.
pub fn keys(store: &Store, config: &Config, scope: &Scope, weak: bool) -> Result<Vec<KeyLine>> {
    Ok(numbered_keys(store, config, scope, weak)?.into_iter().map(|(_, line)| line).collect())
}

/// The same, each with its site and its position among the keys of the site.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn numbered_keys(
    store: &Store,
    config: &Config,
    scope: &Scope,
    weak: bool,
) -> Result<Vec<((SiteId, u32), KeyLine)>> {
    let mut lines = Vec::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        let judged = site.judged.as_ref().map(|judged| by_key(judged.sources()));
        let accepted = site.judged.as_ref().map(|judged| accepted_by_key(judged.accepted()));
        for (row, at) in result.keys.iter().zip(0u32..) {
            let Some(state) = State::from_code(row.state).filter(|state| weak || *state != State::Weak) else {
                continue;
            };
            let Some(key) = row.key() else { continue };
            let (start, end) = (row.scope_start.to_native(), row.scope_end.to_native());
            let one_host = end > start && site.host(start) == site.host(end - 1);
            if end <= start || (one_host && !scope.has_host(site.pages.identity(start))) {
                continue;
            }
            let global = credibility::global(store.credibility(&key.pattern())?.sum);
            let source = judged.as_ref().map(|judged| judged.get(&at));
            let line = KeyLine {
                est_precision: source.flatten().map(|source| f64::from(source.precision)),
                accepted: match &accepted {
                    Some(accepted) => accepted.get(&at).copied().unwrap_or(0),
                    None => row.assigned.to_native(),
                },
                site: if one_host { site.host(start).to_owned() } else { site.head.domain.clone() },
                turned: config.lang_rank(key.langs.b) < config.lang_rank(key.langs.a),
                key,
                power: row.power.to_native(),
                assigned: row.assigned.to_native(),
                credibility: row.credibility.to_native(),
                global,
                state,
            };
            lines.push(((id, at), line));
        }
    }
    Ok(lines)
}

/// The sources that are keys, by the positions of the keys: a site may have a hundred thousand of them.
fn by_key(sources: impl Iterator<Item = SourceStats>) -> FxHashMap<u32, SourceStats> {
    sources.filter_map(|source| Some((source.key?, source))).collect()
}

/// How many pairs of each key were accepted, whatever judged them.
fn accepted_by_key(accepted: impl Iterator<Item = JudgedPair>) -> FxHashMap<u32, u64> {
    let mut counts = FxHashMap::default();
    for key in accepted.filter_map(|judged| judged.key) {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// What became of a key of a state whose pairs are right as often as `est_precision` says.
pub(crate) fn state_name(state: State, est_precision: Option<f64>) -> &'static str {
    let takes_pairs = matches!(state, State::Strong | State::Rescued);
    if takes_pairs && est_precision.is_some_and(|precision| precision < 0.5) { "demoted" } else { state.name() }
}

fn or_null(text: &str) -> String {
    if text.is_empty() { NULL.to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::Method;

    fn source(key: Option<u32>, accepted: u32) -> SourceStats {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let method = if key.is_some() { Method::Key } else { Method::Hreflang };
        SourceStats { langs, method, key, proposed: accepted, accepted, precision: 0.5 }
    }

    proptest! {
        #[test]
        fn the_source_of_each_key_is_the_one_that_a_search_finds(
            accepted in prop::collection::btree_map(prop::option::of(0u32..200), 0u32..9, 0..100)
        ) {
            let sources: Vec<SourceStats> = accepted.iter().map(|(&key, &accepted)| source(key, accepted)).collect();
            let found = by_key(sources.iter().copied());
            for key in 0..200 {
                let searched = sources.iter().find(|source| source.key == Some(key));
                prop_assert_eq!(found.get(&key), searched);
            }
        }
    }

    #[test]
    fn listing_the_keys_of_many_hosts_reads_each_source_once() {
        let mut read = 0;
        let found = by_key((0..80_000).map(|key| source(Some(key), key)).inspect(|_| read += 1));
        assert!((0..80_000).all(|key| found[&key].accepted == key));
        assert_eq!(read, 80_000);
    }
}
