//! Gold files that are named on the command line, one by one or as a folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use diglot::error::{Error, Result};
use diglot::inputs;

/// The gold files of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteGold {
    /// NAME of `NAME.pairs.tsv`.
    pub name: String,
    /// `NAME.pairs.tsv`.
    pub pairs: PathBuf,
    /// `NAME.grey.tsv`, the ignored pairs, if it exists.
    pub ignored: Option<PathBuf>,
    /// `NAME.keys.tsv`, if it exists.
    pub keys: Option<PathBuf>,
}

/// The gold files in a folder, by site name.
pub fn in_folder(folder: &Path) -> Result<Vec<SiteGold>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder, "reading"))? {
        let path = entry.map_err(Error::io(folder, "reading"))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".pairs.tsv"));
        if let Some(name) = name {
            let beside = |kind: &str| Some(folder.join(format!("{name}.{kind}.tsv"))).filter(|path| path.exists());
            let site =
                SiteGold { name: name.to_owned(), ignored: beside("grey"), keys: beside("keys"), pairs: path.clone() };
            // A pipe may be named explicitly; in a folder it is a mistake, and reading it might block for ever.
            for path in std::iter::once(&site.pairs).chain(&site.ignored).chain(&site.keys) {
                inputs::open(path).map_err(Error::io(path, "opening"))?;
            }
            found.push(site);
        }
    }
    if found.is_empty() {
        let problem = "no gold in this folder, expected NAME.pairs.tsv, and NAME.grey.tsv for pairs to ignore";
        return Err(Error::input(folder.display().to_string(), problem));
    }
    found.sort_by(|x, y| x.name.cmp(&y.name));
    Ok(found)
}

/// Opens every file, which may be a pipe, and calls `read` with its name and content.
pub fn read_all(paths: &[PathBuf], mut read: impl FnMut(&str, File) -> Result<()>) -> Result<()> {
    for path in paths {
        let file = File::open(path).map_err(Error::io(path, "opening"))?;
        read(&path.display().to_string(), file)?;
    }
    Ok(())
}
