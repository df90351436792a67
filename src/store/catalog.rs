//! The catalog: small values by keyspace and key, in the runs of the view. A process that writes and readers have the same files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rkyv::rancor;

use super::records::{Owned, Stored, aligned};
use super::seen::Seen;
use super::view::{Delta, FOLDER, RunName, View};
use crate::error::{Error, Result};

/// The kind of thing that a key stands for: the key's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Keyspace {
    /// Sentinel and settings, by name.
    Meta = b'm',
    /// Archives, by number.
    Archive = b'a',
    /// Numbers of archives, by fingerprint.
    Fingerprint = b'f',
    /// Sites, by number.
    Site = b's',
    /// Numbers of sites, by domain.
    Domain = b'd',
    /// Results, by number of the site.
    Result = b'r',
    /// Global credibility, by pattern.
    Credibility = b'c',
    /// The letters that a site shows of a language, by its tag, the hash of the name of the site's domain, and its number.
    Taught = b'n',
    /// Stages, by name.
    Stage = b'g',
    /// Link graphs, by number of the site.
    Graph = b'l',
    /// Verified pairs, by number of the site.
    Verified = b'v',
    /// Pairs resolved by iteration, by number of the site.
    Resolved = b'i',
    /// What verification learnt, by the two languages.
    Learnt = b'o',
    /// Sentence pairs, by number of the site.
    Bitext = b'b',
    /// What was learnt of a pair of languages, by their tags.
    Model = b'y',
    /// Scores of the user's scorer, by number of the site.
    Score = b'p',
    /// URLs that were requested of a crawler, by registrable domain and URL.
    Requested = b'q',
    /// Graphs of sites, by what a site is in them.
    Web = b'w',
    /// Rounds of exploring, by number.
    Round = b'x',
    /// How many pages of an archive were lost that the store cannot make again, by number of the archive.
    Loss = b'k',
    /// The bytes that a file had when it was last looked at, by path.
    Hint = b'h',
    /// Inputs that were not read, by path.
    Refused = b'u',
}

impl Keyspace {
    pub(super) fn key(self, key: &[u8]) -> Vec<u8> {
        let mut full = Vec::with_capacity(key.len() + 1);
        full.push(self as u8);
        full.extend_from_slice(key);
        full
    }
}

/// Changes that become visible together.
#[derive(Default)]
pub struct Changes {
    /// Those of the catalog.
    pub(super) delta: Delta,
    /// Blocks of the token index, by key.
    pub(super) tokens: BTreeMap<u64, Vec<u8>>,
}

impl Changes {
    /// Sets a value.
    pub(super) fn put<T: Stored>(&mut self, keyspace: Keyspace, key: &[u8], value: &T) {
        let bytes =
            rkyv::to_bytes::<rancor::Error>(value).expect("catalog values hold nothing that cannot be serialised");
        self.delta.insert(keyspace.key(key), Some(bytes.to_vec()));
    }

    /// Removes a value.
    pub(super) fn remove(&mut self, keyspace: Keyspace, key: &[u8]) {
        self.delta.insert(keyspace.key(key), None);
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.delta.len() + self.tokens.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The open catalog, as of one commit.
pub struct Catalog {
    folder: PathBuf,
    view: View,
}

impl Catalog {
    /// Opens the catalog of a commit to read, by the names of its runs.
    ///
    /// # Errors
    /// [`Error::Io`] when a run cannot be read, [`Error::Store`] when one is damaged.
    pub fn open(store: &Path, names: &[RunName]) -> Result<Catalog> {
        Ok(Catalog { folder: store.join(FOLDER), view: View::open(store, names)? })
    }

    /// Opens the catalog in the same way for the process that writes, and checks every byte.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn open_checked(store: &Path, names: &[RunName]) -> Result<Catalog> {
        Ok(Catalog { folder: store.join(FOLDER), view: View::open_checked(store, names)? })
    }

    /// Goes over to the runs of another commit.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn follow(&mut self, store: &Path, names: &[RunName]) -> Result<()> {
        self.view.follow(store, names)
    }

    /// As [`View::check_names`].
    ///
    /// # Errors
    /// As there.
    pub fn check_names(&self) -> Result<()> {
        self.view.check_names()
    }

    /// The files of the view that a reader has open, as they are now.
    ///
    /// # Errors
    /// When the length of one cannot be read.
    pub fn seen(&self) -> Result<Vec<Seen>> {
        self.view.seen()
    }

    /// The error of a value that makes no sense.
    fn senseless(&self) -> Error {
        let problem = "a value is damaged; `diglot check --repair` makes a catalog again from the record files, and `diglot run` then makes \
                       the results again";
        Error::Store { path: self.folder.clone(), problem: problem.into() }
    }

    /// A value, if it is there.
    ///
    /// # Errors
    /// When the catalog cannot be read or the value is damaged.
    pub(super) fn get<T: Owned>(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<T>> {
        self.view.get(&keyspace.key(key))?.map(|bytes| self.decode(&bytes)).transpose()
    }

    fn decode<T: Owned>(&self, bytes: &[u8]) -> Result<T> {
        rkyv::from_bytes::<T, rancor::Error>(&aligned(bytes)).map_err(|_| self.senseless())
    }

    /// Calls `each` with the key and value of every entry of a keyspace, in order of the key.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub(super) fn for_each<T: Owned>(
        &self,
        keyspace: Keyspace,
        each: impl FnMut(&[u8], T) -> Result<()>,
    ) -> Result<()> {
        self.for_each_below(keyspace, &[], each)
    }

    /// Like [`Catalog::for_each`], for the entries whose key begins with `prefix`; `each` gets the rest of the key.
    ///
    /// # Errors
    /// As there.
    pub(super) fn for_each_below<T: Owned>(
        &self,
        keyspace: Keyspace,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], T) -> Result<()>,
    ) -> Result<()> {
        let prefix = keyspace.key(prefix);
        self.scan(&prefix, |key, value| each(&key[prefix.len()..], self.decode(value)?))
    }

    /// Calls `each` with the whole key and the bytes of every entry whose key begins with `prefix`, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub(super) fn scan(&self, prefix: &[u8], mut each: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
        self.view.scan(prefix, |key, value| each(key, value).map(|()| true))
    }

    /// The values of a keyspace, in order of their keys.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(super) fn values<T: Owned>(&self, keyspace: Keyspace) -> Result<Vec<T>> {
        let mut values = Vec::new();
        self.for_each(keyspace, |_, value| {
            values.push(value);
            Ok(())
        })?;
        Ok(values)
    }

    /// The keys of a keyspace, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(super) fn keys(&self, keyspace: Keyspace) -> Result<Vec<Vec<u8>>> {
        let mut keys = Vec::new();
        self.scan(&[keyspace as u8], |key, _| {
            keys.push(key[1..].to_vec());
            Ok(())
        })?;
        Ok(keys)
    }

    /// How many entries a keyspace has whose keys are numbers from 0 without gaps.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(super) fn count(&self, keyspace: Keyspace) -> Result<u32> {
        let last = self.view.last(&keyspace.key(&[]), &keyspace.key(&u32::MAX.to_be_bytes()))?;
        let number = last.and_then(|(key, _)| key[1..].try_into().ok());
        Ok(number.map_or(0, |number| u32::from_be_bytes(number).saturating_add(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::Publisher;
    use super::*;

    #[test]
    fn what_a_commit_changes_is_seen_by_whoever_goes_over_to_it_and_by_nobody_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut publisher = Publisher::open(folder.path(), &[]).expect("a temporary folder");
        let mut writer = Catalog::open_checked(folder.path(), &[]).expect("nothing is damaged");
        let mut commit = |changes: Changes| {
            publisher.add(&changes.delta).expect("room on disk");
            publisher.names().to_vec()
        };
        let mut changes = Changes::default();
        (0..3u32).for_each(|number| changes.put(Keyspace::Site, &number.to_be_bytes(), &u64::from(number)));
        changes.put(Keyspace::Stage, b"index", &7u64);
        let names = commit(changes);
        writer.follow(folder.path(), &names).expect("it was written");
        let reader = Catalog::open(folder.path(), &names).expect("it was written");
        let mut changes = Changes::default();
        changes.remove(Keyspace::Site, &2u32.to_be_bytes());
        changes.put(Keyspace::Site, &0u32.to_be_bytes(), &9u64);
        writer.follow(folder.path(), &commit(changes)).expect("it was written");
        for (catalog, expected) in [(&writer, vec![9u64, 1]), (&reader, vec![0, 1, 2])] {
            assert_eq!(catalog.count(Keyspace::Site).expect("sound") as usize, expected.len());
            assert_eq!(catalog.values::<u64>(Keyspace::Site).expect("sound"), expected);
            assert_eq!(catalog.get::<u64>(Keyspace::Stage, b"index").expect("sound"), Some(7));
            assert_eq!(catalog.get::<u64>(Keyspace::Stage, b"keys").expect("sound"), None);
            assert_eq!(catalog.keys(Keyspace::Stage).expect("sound"), [b"index".to_vec()]);
        }
        assert!(
            reader.get::<[u64; 2]>(Keyspace::Stage, b"index").is_err_and(|error| error.to_string().contains("a value"))
        );
    }
}
