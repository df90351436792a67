//! Files of gold that are named on the command line, by themselves or as a folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use diglot::error::{Error, Result};

/// What one site is judged by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteGold {
    /// NAME of `NAME.pairs.tsv`.
    pub name: String,
    /// `NAME.pairs.tsv`.
    pub pairs: PathBuf,
    /// `NAME.grey.tsv`, where it is there.
    pub grey: Option<PathBuf>,
    /// `NAME.keys.tsv`, where it is there.
    pub keys: Option<PathBuf>,
}

/// Every site that a folder has gold of, by name.
pub fn in_folder(folder: &Path) -> Result<Vec<SiteGold>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder, "reading"))? {
        let path = entry.map_err(Error::io(folder, "reading"))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".pairs.tsv"));
        if let Some(name) = name {
            let beside = |kind: &str| Some(folder.join(format!("{name}.{kind}.tsv"))).filter(|path| path.exists());
            found.push(SiteGold { name: name.to_owned(), grey: beside("grey"), keys: beside("keys"), pairs: path });
        }
    }
    if found.is_empty() {
        let problem = "no gold in this folder, expected NAME.pairs.tsv, and NAME.grey.tsv beside it";
        return Err(Error::input(folder.display().to_string(), problem));
    }
    found.sort_by(|x, y| x.name.cmp(&y.name));
    Ok(found)
}

/// Calls `read` with every file, opened, and its name.
pub fn read_all(paths: &[PathBuf], mut read: impl FnMut(&str, File) -> Result<()>) -> Result<()> {
    for path in paths {
        let file = File::open(path).map_err(Error::io(path, "opening"))?;
        read(&path.display().to_string(), file)?;
    }
    Ok(())
}
