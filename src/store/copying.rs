//! Makes a catalog from another catalog, or from the view of the last commit, which has everything but the tokens.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::Store;
use super::catalog::{Catalog, Changes, Keyspace, is_sentinel};
use super::layout::Sentinel;
use super::manifest::Manifest;
use super::view::{FOLDER, View};
use crate::error::{Error, Result};

/// How many changes are put into a new catalog at once. Batches are small because sled keeps for long what a large one replaces.
const BATCH: usize = 5000;

/// Copies all entries into an empty catalog, as those of the commit of `sentinel`.
///
/// # Errors
/// When they cannot be read, or the disk does not take them.
pub fn copy(from: &Catalog, to: &Catalog, sentinel: &Sentinel) -> Result<()> {
    let mut changes = Changes::default();
    from.scan(&[], |key, value| {
        if is_sentinel(key) {
            return Ok(());
        }
        changes.put_whole(key, value);
        if changes.len() >= BATCH {
            to.apply(&std::mem::take(&mut changes))?;
        }
        Ok(())
    })?;
    to.apply(&changes)?;
    // The sentinel comes last, so that an unfinished copy is not taken for the catalog of a commit.
    let mut last = Changes::default();
    last.put(Keyspace::Meta, b"sentinel", sentinel);
    to.apply(&last)
}

/// Makes the catalog of a manifest again from the view of the manifest. A view has no tokens; indexing makes these again. `None` where the
/// view is damaged.
///
/// # Errors
/// When the view cannot be read at all, or the disk does not take the catalog.
pub fn of_view(folder: &Path, manifest: &Manifest) -> Result<Option<Catalog>> {
    // After an interrupted rebuild, the record files no longer fit the view.
    if !manifest.lost.is_empty() {
        return Ok(None);
    }
    let open = || Ok(Catalog::of_view(&folder.join(FOLDER), View::open(folder, &manifest.view)?));
    let Some(view) = sound(open())? else { return Ok(None) };
    if sound(view.get::<Sentinel>(Keyspace::Meta, b"sentinel"))?.flatten().as_ref() != Some(&manifest.sentinel) {
        return Ok(None);
    }
    let path = folder.join(&manifest.catalog);
    match fs::remove_dir_all(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Error::io(&path, "removing the damaged catalog")(error));
        }
        _ => {}
    }
    let catalog = Store::new_catalog(folder, &manifest.catalog)?;
    Ok(sound(copy(&view, &catalog, &manifest.sentinel))?.map(|()| catalog))
}

/// Turns the error of damaged data into `None`.
fn sound<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Err(Error::Store { .. }) => Ok(None),
        read => read.map(Some),
    }
}
