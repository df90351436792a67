//! The differences between two stores, counted in the background.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diglot::config::settings::configuration;
use diglot::query::diff::{Change, PairChange, Side, for_each_pair_change};
use diglot::store::{Access, Store};

use super::background::{Background, commit_hash};

/// How many pairs of each kind are kept to be listed.
const MOST: usize = 2_000;

/// The kinds of differences that are listed, in this order.
pub const KINDS: [Change; 3] = [Change::Gained, Change::Lost, Change::Changed];

/// The differences between two stores.
pub struct Compared {
    other: PathBuf,
    /// The commits of the other store and of this one.
    commits: [Option<u64>; 2],
    /// How many pairs both have, and have alike.
    pub same: u64,
    /// How many pairs of each kind there are, by language pair.
    pub langs: BTreeMap<String, [u64; 3]>,
    /// The first of each kind.
    pub rows: [Vec<PairChange>; 3],
}

impl Background for Compared {
    fn is_of(&self, store: &Store) -> bool {
        let other = Store::open(&self.other, Access::Read);
        self.commits[1] == commit_hash(store) && other.is_ok_and(|other| self.commits[0] == commit_hash(&other))
    }
}

/// Compares the pairs of another store with those of this one.
///
/// # Errors
/// When one of them cannot be read.
pub fn compare(other: &Path, store: &Store) -> diglot::Result<Compared> {
    let before = Store::open(other, Access::Read)?;
    let [old, new] = [&before, store].map(|store| configuration(&store.settings().values).0);
    let mut found = Compared {
        other: other.to_owned(),
        commits: [commit_hash(&before), commit_hash(store)],
        same: 0,
        langs: BTreeMap::new(),
        rows: Default::default(),
    };
    for_each_pair_change(Side::of(&before, &old, None)?, Side::of(store, &new, None)?, |change| {
        let Some(kind) = KINDS.iter().position(|kind| *kind == change.change) else {
            found.same += 1;
            return Ok(());
        };
        if let Some(line) = change.line() {
            found.langs.entry(format!("{}-{}", line.lang_a, line.lang_b)).or_default()[kind] += 1;
        }
        if found.rows[kind].len() < MOST {
            found.rows[kind].push(change);
        }
        Ok(())
    })?;
    [&before, store].iter().try_for_each(|store| store.witness().map_or(Ok(()), |witness| witness.check()))?;
    Ok(found)
}
