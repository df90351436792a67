//! Indexes that lie beside archives: finds those that add nothing, because all the archives that they index are read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::cdx;
use super::format::{Format, Item, Params};
use super::warc::WarcFormat;
use crate::error::Result;
use crate::types::Pointer;

/// The names of folders that hold indexes in collections of pywb, unpacked WACZ files and crawls. The archives lie beside such a folder.
const INDEX_FOLDERS: &[&str] = &["indexes", "index", "cdx", "cdxj"];
/// The endings that compression adds to the name of an archive.
const COMPRESSED: &[&str] = &["gz", "zst", "lz4", "xz", "bz2", "open"];

/// How many archives are opened at most to find out which one an index means. An index that would need more is read.
const MAX_OPENED: usize = 10_000;

/// Archives by their names, without the endings that compression adds.
pub(super) struct Archives(HashMap<OsString, Vec<PathBuf>>);

impl Archives {
    /// Of these full paths.
    pub(super) fn of(paths: impl Iterator<Item = PathBuf>) -> Archives {
        let mut archives: HashMap<OsString, Vec<PathBuf>> = HashMap::new();
        for path in paths {
            archives.entry(name_of(&path)).or_default().push(path);
        }
        Archives(archives)
    }

    /// True when all captures of the index at the full path `path` lie in some of these archives. The folders that an index names may be
    /// those of another machine, so only the last part of a name counts, but all of it where files in several folders have the same last
    /// part. An archive that lies in no folder of the index, nor below one, counts if the first of its records that the index has is where the
    /// index says.
    pub(super) fn have_all_of(&self, path: &Path, format: &dyn Format) -> Result<bool> {
        let folder = path.parent().unwrap_or(path);
        let is_of_indexes = folder.file_name().is_some_and(|name| INDEX_FOLDERS.iter().any(|known| name == *known));
        let folder = if is_of_indexes { folder.parent().unwrap_or(folder) } else { folder };
        let mut named: BTreeMap<OsString, BTreeSet<String>> = BTreeMap::new();
        let mut lines = format.open(path, 0, &Params::default())?;
        let (mut met, mut opened): (HashSet<String>, usize) = (HashSet::new(), 0);
        while let Some(item) = lines.next()? {
            let Item::Record(line) = item else { continue };
            let Ok((url, place)) = cdx::place_of(&line.block) else { continue };
            // Lines are sorted by URLs, so that the archives alternate.
            if !met.contains(&place.file) {
                if !self.is_near(folder, &place.file) && !self.is_elsewhere(&url, &place, &mut opened) {
                    return Ok(false);
                }
                if Path::new(&place.file).components().count() > 1 {
                    named.entry(name_of(Path::new(&place.file))).or_default().insert(place.file.clone());
                }
                met.insert(place.file);
            }
        }
        let mut alike = named.values().filter(|names| names.len() > 1).flatten();
        Ok(!met.is_empty() && alike.all(|name| self.named(name).any(|archive| archive.ends_with(name))))
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &PathBuf> {
        self.0.get(&name_of(Path::new(name))).into_iter().flatten()
    }

    fn is_near(&self, folder: &Path, name: &str) -> bool {
        self.named(name).any(|archive| archive.starts_with(folder))
    }

    /// True when an archive of this name, wherever it lies, has the record of the URL where the index says.
    fn is_elsewhere(&self, url: &str, place: &Pointer, opened: &mut usize) -> bool {
        let has_record = |archive: &PathBuf| {
            *opened += 1;
            if *opened > MAX_OPENED {
                return false;
            }
            let opened = WarcFormat.open(archive, place.offset, &Params::default());
            let item = opened.and_then(|mut records| records.next());
            let (found, offset) = match &item {
                Ok(Some(Item::Record(record))) => (record.url.as_str(), record.offset),
                Ok(Some(Item::Skip(skip))) => (skip.url.as_str(), skip.offset),
                _ => return false,
            };
            offset == place.offset && found == url
        };
        // A record at the very start has no address, and there all archives look alike.
        !url.is_empty() && self.named(&place.file).any(has_record)
    }
}

/// The last part of a path, without the endings that compression adds.
fn name_of(path: &Path) -> OsString {
    let mut path = path;
    while let (Some(ending), Some(stem)) = (path.extension(), path.file_stem())
        && COMPRESSED.iter().any(|known| ending.eq_ignore_ascii_case(OsStr::new(known)))
    {
        path = Path::new(stem);
    }
    path.file_name().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::cdx::CdxFormat;

    #[test]
    fn names_are_compared_without_what_compression_adds() {
        let name = |path: &str| name_of(Path::new(path)).to_string_lossy().into_owned();
        assert_eq!(["a/b.warc.gz", "b.warc", "b.warc.zst.open"].map(name), ["b.warc"; 3]);
        assert_eq!(["", "..", ".gz", "x.cdx"].map(name), ["", "", ".gz", "x.cdx"]);
    }

    #[test]
    fn an_archive_in_another_folder_counts_if_its_record_is_where_the_index_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = |url: &str| {
            format!("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nContent-Length: 1\r\n\r\nx\r\n\r\n")
        };
        let first = record("http://ex.org/1");
        std::fs::create_dir_all(folder.path().join("list")).expect("a folder");
        let (archive, index) = (folder.path().join("far.warc"), folder.path().join("list/far.cdx"));
        std::fs::write(&archive, format!("{first}{}", record("http://ex.org/2"))).expect("a file");
        let archives = Archives::of([archive.clone()].into_iter());
        let of_lines = |archives: &Archives, lines: &str| {
            std::fs::write(&index, format!(" CDX a b V g\n{lines}")).expect("a file");
            archives.have_all_of(&index, &CdxFormat).expect("readable")
        };
        let line = |url: &str, offset: usize, name: &str| format!("{url} 20240101000000 {offset} {name}\n");
        let is_left_out = |url: &str, offset: usize| of_lines(&archives, &line(url, offset, "moved/far.warc"));
        assert!(is_left_out("http://ex.org/2", first.len()) && is_left_out("http://ex.org/1", 0));
        assert!(!is_left_out("http://ex.org/2", 0) && !is_left_out("http://ex.org/2", first.len() + 1));
        assert!(!is_left_out("http://ex.org/2", 1 << 40));
        // Each archive is opened once, however the lines are mixed.
        let [a, b] = ["far.warc", "far.warc.gz"].map(|name| line("http://ex.org/1", 0, name));
        assert!(of_lines(&archives, &format!("{a}{b}{}", line("http://ex.org/1", 9, "far.warc"))));
        // No more than so many are opened.
        let gone = Archives::of(std::iter::repeat_n(folder.path().join("gone/far.warc"), MAX_OPENED).chain([archive]));
        assert!(!of_lines(&gone, &a));
    }
}
