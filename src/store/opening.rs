//! Opens a store to write: goes on from the last commit that its files hold, or makes the catalog again where they hold none.

use std::fs;
use std::path::Path;

use super::access::{self, fault, lock};
use super::catalog::{Catalog, Keyspace};
use super::layout::{Sentinel, StoredSettings};
use super::manifest::{self, Manifest};
use super::record_kinds::{self, KINDS, Store};
use super::records::START;
use super::token_index::{self, TokenIndex};
use super::view::{self, Publisher};
use super::{Access, TOKENS, corrections, disk, rebuild, reviews, segments};
use crate::error::{Error, Result};

impl Store {
    pub(super) fn open_to_write(folder: &Path) -> Result<Store> {
        if !folder.join(manifest::NAME).exists() {
            refuse_foreign_folder(folder)?;
            disk::create_folder(folder).map_err(Error::io(folder, "making the store"))?;
        } else {
            // Read before the lock file is made, so that none is left in a folder of another program.
            Manifest::read(folder)?;
        }
        Store::open_locked(folder, lock(folder)?)
    }

    /// Continues from the last commit of a folder.
    pub(super) fn open_locked(folder: &Path, lock: fs::File) -> Result<Store> {
        let is_there = folder.join(manifest::NAME).exists();
        let known = if is_there { Some(Manifest::read(folder)?) } else { None };
        match Store::open_last(folder, known.as_ref())? {
            Some(mut store) => {
                store.keep_lock(lock);
                Ok(store)
            }
            None => rebuild::rebuild(folder, lock, known),
        }
    }

    /// Opens the last commit; `None` where the view or the record files do not hold it whole.
    fn open_last(folder: &Path, known: Option<&Manifest>) -> Result<Option<Store>> {
        let Some((last, catalog)) = last_commit(folder, known)? else { return Ok(None) };
        let mut store = Store::with_catalog(folder, None, catalog, last.sentinel.clone(), Access::Write)?;
        store.settings = last.settings.clone();
        store.removed = match sound(store.read_removals())? {
            Some(removed) => removed,
            None => return Ok(None),
        };
        let mut publisher = Publisher::open(folder, &last.view)?;
        let is_known = known == Some(&last);
        if !is_known {
            // The manifest does not name these runs, so nobody knows whether they are durable.
            let named = known.map_or(&[][..], |known| &known.view);
            publisher.merge_behind(named.iter().zip(&last.view).take_while(|(a, b)| a == b).count())?;
        }
        store.publisher = Some(publisher);
        store.tokens = Some(TokenIndex::open(folder, store.token_mark()?)?);
        if is_known {
            store.publisher()?.tidy();
        } else {
            store.write_manifest()?;
        }
        Ok(Some(store))
    }
}

/// The last commit that the record files and the view both hold, with its catalog. It is that of the manifest, or a later one: the program
/// may have been stopped before it replaced the manifest, or the manifest may be an old copy. `None` where there is no such commit.
///
/// # Errors
/// When the record files are those of another state of the store.
fn last_commit(folder: &Path, known: Option<&Manifest>) -> Result<Option<(Manifest, Catalog)>> {
    let other = view::last_runs(folder).filter(|names| known.is_none_or(|known| known.view != *names));
    let is_later = |later: &Manifest| known.is_none_or(|known| later.sentinel.commit > known.sentinel.commit);
    let later = match other.and_then(|names| Manifest::of_runs(folder, names)).filter(is_later) {
        Some(later) if record_kinds::hold(folder, &later.sentinel)? => Some(later),
        _ => None,
    };
    let last = match (known, later) {
        (None, Some(later)) => later,
        (None, None) => {
            if !view::readable_runs(folder).0.is_empty() || manifest::was_at(folder) {
                return Ok(None);
            }
            let sentinel = Sentinel { ends: vec![START.0; KINDS.len()], ..Sentinel::default() };
            Manifest::new(sentinel, Vec::new(), 0, StoredSettings::default())
        }
        // A rebuild was interrupted here: the record files no longer fit the view.
        (Some(known), _) if !known.lost.is_empty() => return Ok(None),
        (Some(known), later) => {
            let seals = record_kinds::check_seals(folder, &known.sentinel);
            let is_held = match (seals, &later) {
                (Err(Error::Store { .. }), Some(_)) => false,
                (seals, _) => seals?.is_none() && sound(record_kinds::check_ends(folder, &known.sentinel))?.is_some(),
            };
            let catalog = if is_held { sound(Catalog::open_checked(folder, &known.view))? } else { None };
            match (catalog, later) {
                // The later commit was reported as done only if it reached the token index. If the index still has the mark of the earlier
                // commit, the earlier commit counts; in all other cases the later one does.
                (Some(catalog), Some(later)) => {
                    let mark = mark_of(&catalog);
                    let is_changed = mark != mark_of(&Catalog::open_checked(folder, &later.view)?);
                    if mark != 0 && is_changed && TokenIndex::there(folder, mark)?.is_ok() {
                        return Ok(Some((known.clone(), catalog)));
                    }
                    later
                }
                (Some(catalog), None) => return Ok(Some((known.clone(), catalog))),
                (None, Some(later)) => later,
                (None, None) => return Ok(None),
            }
        }
    };
    let catalog = Catalog::open_checked(folder, &last.view)?;
    Ok(Some((last, catalog)))
}

/// The mark of the token index in a catalog.
fn mark_of(catalog: &Catalog) -> u64 {
    catalog.get(Keyspace::Meta, TOKENS).ok().flatten().unwrap_or_default()
}

/// Turns the error of damaged data into `None`.
fn sound<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Err(Error::Store { .. }) => Ok(None),
        read => read.map(Some),
    }
}

/// Refuses a folder that holds other things, so that it does not become a store by accident, and a store of another format.
fn refuse_foreign_folder(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return if folder.exists() { Err(fault(folder, "not a folder; give another --store")) } else { Ok(()) };
    };
    segments::refuse_other_format(folder, &segments::segment_path(&folder.join("batches"), 0))?;
    let own = [
        access::LOCK,
        token_index::FOLDER,
        token_index::FRESH,
        view::FOLDER,
        reviews::FOLDER,
        corrections::FILE,
        "tmp",
        "manifest.new",
        "progress.json",
        "progress.new",
    ];
    let of_kinds = || KINDS.iter().map(|kind| kind.name);
    for entry in entries.flatten() {
        if !own.into_iter().chain(of_kinds()).any(|name| entry.file_name() == name) {
            let name = entry.file_name();
            return Err(fault(
                folder,
                format!("holds {} and is no store; give an empty or new folder as --store", name.display()),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_in_a_folder_of_another_program() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join(manifest::NAME), "{\"name\": \"an extension\"}").expect("room on disk");
        for access in [Access::Write, Access::Read] {
            assert!(Store::open(folder.path(), access).is_err());
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        }
    }

    #[test]
    fn records_that_cannot_be_made_again_tell_of_a_store() {
        let sources: Vec<&str> = KINDS.iter().filter(|kind| kind.is_source).map(|kind| kind.name).collect();
        assert_eq!(sources, manifest::SOURCES);
        for kind in KINDS {
            let folder = tempfile::tempdir().expect("a temporary folder");
            fs::create_dir(folder.path().join(kind.name)).expect("room on disk");
            let path = segments::segment_path(&folder.path().join(kind.name), 0);
            let is_told = |bytes: usize| {
                fs::write(&path, vec![0; bytes]).expect("room on disk");
                manifest::was_at(folder.path())
            };
            assert_eq!([64, 65].map(is_told), [false, kind.is_source], "{}", kind.name);
        }
    }
}
