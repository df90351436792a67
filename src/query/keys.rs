//! Keys as lines.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::browse::{lies_in, pages_of};
use super::number;
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::{State, credibility};
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::store::layout::ArchivedResultRecord;
use crate::text::counterpart;
use crate::types::{
    Edit, Field, JudgedPair, Key, KeyScope, Lang, LangPair, NULL, SiteId, SourceStats, host_of, pattern,
};

/// One key of one site, for listing.
#[derive(Clone, Debug)]
pub struct KeyLine {
    /// Host it works in; the registrable domain for keys in host labels.
    pub site: String,
    /// The key, in the order of listing of its languages.
    pub key: Key,
    /// True when the languages were swapped for listing.
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
    /// Estimated precision of its pairs after verification, 0..=1; `None` before.
    pub est_precision: Option<f64>,
    /// How many of its pairs were accepted; before verification, how many were assigned to it.
    pub accepted: u64,
    /// Where it acts: the smallest part of the domain (the domain, a host, or a folder, as `example.org/docs/`) that contains all pages of
    /// its assigned pairs; for a key without assigned pairs, all pages among which it was found. Of a key between hosts, these parts for
    /// either language, as `de.example.org/docs/ www.example.org/docs/`.
    pub scope: String,
}

impl KeyLine {
    /// The name of its state, or `demoted` where verification finds that most of its pairs are wrong.
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

    /// Names of the columns of [`KeyLine::values`].
    pub const COLUMNS: [&'static str; 15] = [
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
        "scope",
    ];

    /// Its values in a listing.
    pub fn values(&self) -> [Value; 15] {
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
            json!(self.scope),
        ]
    }
}

/// The keys that act in a scope: by domain, then the strongest first; weak keys only with `weak`. Cost: keys and their pairs.
///
/// # Errors
/// When the store cannot be read.
pub fn keys(store: &Store, config: &Config, scope: &Scope, weak: bool) -> Result<Vec<KeyLine>> {
    Ok(numbered_keys(store, config, scope, weak)?.into_iter().map(|(_, line)| line).collect())
}

/// The same keys, each with its site and its position among the keys of the site.
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
        let places = Places::of(&site, result, scope);
        for (row, at) in result.keys.iter().zip(0u32..) {
            let Some(state) = State::from_code(row.state).filter(|state| weak || *state != State::Weak) else {
                continue;
            };
            let Some(key) = row.key() else { continue };
            let found_among = row.scope();
            let (Some(first), Some(last)) = (found_among.ranges().next(), found_among.ranges().next_back()) else {
                continue;
            };
            if !places.are_of(at, &key, &found_among) {
                continue;
            }
            let (start, end) = (first.start, last.end);
            let one_host = site.host(start) == site.host(end - 1);
            let of_sides = places.reach(at).unwrap_or([first, last].map(|range| (range.start, range.end - 1)));
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
                scope: acts_in(&site, of_sides),
            };
            lines.push(((id, at), line));
        }
    }
    Ok(lines)
}

/// The first and the last page of the pairs of a key in either language, and whether any of its pages is in a scope.
type Reach = ([(u32, u32); 2], bool);

/// Where the keys of a site act.
struct Places<'s> {
    site: &'s Site,
    /// The pages of the requested scope; `None`: all.
    here: Option<Vec<Range<u32>>>,
    /// Hosts of the site, where a single host is requested.
    hosts: FxHashSet<&'s str>,
    /// Of each key that has pairs.
    reach: Vec<Option<Reach>>,
}

impl<'s> Places<'s> {
    fn of(site: &'s Site, result: &ArchivedResultRecord, scope: &Scope) -> Places<'s> {
        let here = (!scope.is_all()).then(|| pages_of(site, scope));
        let is_here = |page: u32| here.as_ref().is_none_or(|here| lies_in(here, page));
        let mut reach: Vec<Option<Reach>> = vec![None; result.keys.len()];
        for row in result.pairs.iter() {
            let pages = [row.a.to_native(), row.b.to_native()];
            if let Some(reach) = reach.get_mut(row.key.to_native() as usize) {
                let (sides, is_met) = reach.get_or_insert((pages.map(|page| (page, page)), false));
                for (side, page) in sides.iter_mut().zip(pages) {
                    *side = (side.0.min(page), side.1.max(page));
                    *is_met |= is_here(page);
                }
            }
        }
        let hosts = here.iter().flat_map(|_| &site.head.hosts).map(|host| host.host.as_str()).collect();
        Places { site, here, hosts, reach }
    }

    /// The first and the last page of the pairs of a key in either language, by URL; `None` where it has no pairs.
    fn reach(&self, key: u32) -> Option<[(u32, u32); 2]> {
        Some((*self.reach.get(key as usize)?)?.0)
    }

    /// True for a key that has pairs in the scope. A key without any pairs counts too, if it was found among pages of the scope and applies
    /// to their host.
    fn are_of(&self, at: u32, key: &Key, found_among: &KeyScope) -> bool {
        let Some(here) = &self.here else { return true };
        if let Some((_, is_here)) = self.reach.get(at as usize).copied().flatten() {
            return is_here;
        }
        here.iter().filter(|range| found_among.meets(range)).any(|range| self.turns(self.site.host(range.start), key))
    }

    /// True where a key turns the name of a host into that of another host, or does not change host names.
    fn turns(&self, host: &str, key: &Key) -> bool {
        let edits: Vec<Edit> = key.edits.iter().filter(|edit| edit.field == Field::Host).cloned().collect();
        let of_host = Key { edits, ..key.clone() };
        let made = [true, false].into_iter().flat_map(|forward| counterpart::counterparts(host, &of_host, forward));
        of_host.edits.is_empty() || made.into_iter().any(|other| self.hosts.contains(host_of(&other)))
    }
}

/// The smallest part that contains the pages of a key, given the first and the last one in either language; if this is the whole domain, the
/// smallest parts with its pages in each language.
fn acts_in(site: &Site, of_sides: [(u32, u32); 2]) -> String {
    let part = |(first, last): (u32, u32)| {
        smallest_part(&site.head.domain, [first, last].map(|page| site.pages.identity(page)))
    };
    let [x, y] = of_sides;
    let whole = part((x.0.min(y.0), x.1.max(y.1)));
    if whole != site.head.domain {
        return whole;
    }
    let [mut x, y] = of_sides.map(part);
    if x != y && ![&x, &y].contains(&&whole) {
        x = format!("{x} {y}");
    }
    if x == y || x.contains(' ') { x } else { whole }
}

/// The smallest part of a domain that contains two URLs (without scheme) and all URLs that sort between them: a folder, a host, or the
/// whole domain.
fn smallest_part(domain: &str, [first, last]: [&str; 2]) -> String {
    let host = host_of(first);
    if host != host_of(last) {
        return domain.to_owned();
    }
    let paths = [first, last].map(|url| url.split_once('?').map_or(url, |(path, _)| path));
    let common = paths[0].bytes().zip(paths[1].bytes()).take_while(|(x, y)| x == y).count();
    match paths[0].as_bytes()[..common].iter().rposition(|byte| *byte == b'/') {
        Some(slash) if slash > host.len() => paths[0][..=slash].to_owned(),
        _ => host.to_owned(),
    }
}

/// Those sources that are keys, by the position of the key: a site may have a hundred thousand keys.
fn by_key(sources: impl Iterator<Item = SourceStats>) -> FxHashMap<u32, SourceStats> {
    sources.filter_map(|source| Some((source.key?, source))).collect()
}

/// How many pairs of each key were accepted, by whatever stage.
pub(super) fn accepted_by_key(accepted: impl Iterator<Item = JudgedPair>) -> FxHashMap<u32, u64> {
    let mut counts = FxHashMap::default();
    for key in accepted.filter_map(|judged| judged.key) {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// The name of a state, or `demoted` where `est_precision` is too low.
pub(crate) fn state_name(state: State, est_precision: Option<f64>) -> &'static str {
    let takes_pairs = state.takes_pairs();
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
    fn the_smallest_part_with_two_pages_is_a_folder_a_host_or_the_domain() {
        let part = |first, last| smallest_part("x.org", [first, last]);
        assert_eq!(part("a.x.org/docs/en/1", "a.x.org/docs/fr/1"), "a.x.org/docs/");
        assert_eq!(part("a.x.org/docs/e", "a.x.org/docs/é?q=/docs/e"), "a.x.org/docs/");
        assert_eq!(part("a.x.org/docs", "a.x.org/docs/fr/"), "a.x.org");
        assert_eq!(part("a.x.org/en/1", "a.x.org/fr/1"), "a.x.org");
        assert_eq!(part("a.x.org/a?u=/x/1", "a.x.org/a?u=/x/2"), "a.x.org");
        assert_eq!(part("en.x.org/1", "fr.x.org/1"), "x.org");
    }

    #[test]
    fn listing_the_keys_of_many_hosts_reads_each_source_once() {
        let mut read = 0;
        let found = by_key((0..80_000).map(|key| source(Some(key), key)).inspect(|_| read += 1));
        assert!((0..80_000).all(|key| found[&key].accepted == key));
        assert_eq!(read, 80_000);
    }
}
