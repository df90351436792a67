//! What people said of pairs: marks and samples, in a folder of the store of their own.
//!
//! ```text
//! review/marks.jsonl      a line a mark, in the order they were made; what comes later counts
//! review/NAME.sample      what was drawn to be judged, as JSON
//! ```
//! No commit covers them and no run touches them: a reviewer writes beside a running job. A line is written at once and synced; one that
//! was torn when the power failed is no mark, and the next begins on a line of its own.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::types::{Mark, Marked};

/// The marks and samples of a store.
#[derive(Clone, Debug)]
pub struct Reviews {
    folder: PathBuf,
}

/// The marks that were read.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// All of them, in the order they were made.
    pub all: Vec<Mark>,
    /// Lines that are no marks: of a later release, or torn.
    pub unreadable: usize,
}

impl Marks {
    /// What counts: the last mark of each reviewer of each thing, but for those that were taken back.
    pub fn standing(&self) -> BTreeMap<&Marked, BTreeMap<&str, &Mark>> {
        let mut found: BTreeMap<&Marked, BTreeMap<&str, &Mark>> = BTreeMap::new();
        for mark in &self.all {
            let of_thing = found.entry(&mark.marked).or_default();
            match mark.verdict {
                Some(_) => of_thing.insert(&mark.reviewer, mark),
                None => of_thing.remove(mark.reviewer.as_str()),
            };
        }
        found.retain(|_, marks| !marks.is_empty());
        found
    }
}

impl Marks {
    /// What counts of one thing, by reviewer.
    pub fn of(&self, marked: &Marked) -> Vec<&Mark> {
        let mut found: BTreeMap<&str, &Mark> = BTreeMap::new();
        for mark in self.all.iter().filter(|mark| mark.marked == *marked) {
            match mark.verdict {
                Some(_) => found.insert(&mark.reviewer, mark),
                None => found.remove(mark.reviewer.as_str()),
            };
        }
        found.into_values().collect()
    }
}

const FOLDER: &str = "review";
const MARKS: &str = "marks.jsonl";
const SAMPLE: &str = "sample";

impl Reviews {
    /// Those of the store in a folder.
    pub fn of(store: &Path) -> Reviews {
        Reviews { folder: store.join(FOLDER) }
    }

    fn marks_file(&self) -> PathBuf {
        self.folder.join(MARKS)
    }

    /// Opens the file of marks for one writer at a time.
    fn open_marks(&self) -> Result<File> {
        fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder, "making the folder"))?;
        let path = self.marks_file();
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let file = opened.map_err(Error::io(&path, "opening"))?;
        file.lock().map_err(Error::io(&path, "locking"))?;
        // It may have been replaced by someone who held the lock.
        Ok(file)
    }

    /// Adds a mark, durably.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn add(&self, mark: &Mark) -> Result<()> {
        let path = self.marks_file();
        let mut file = self.open_marks()?;
        let mut line = Vec::new();
        if ends_within_a_line(&mut file).map_err(Error::io(&path, "reading"))? {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, mark).map_err(|why| Error::io(&path, "writing")(why.into()))?;
        line.push(b'\n');
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(Error::io(&path, "writing"))
    }

    /// All marks.
    ///
    /// # Errors
    /// When the file cannot be read; a missing one has no marks.
    pub fn marks(&self) -> Result<Marks> {
        let path = self.marks_file();
        let bytes = match fs::read(&path) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Marks::default()),
            read => read.map_err(Error::io(&path, "reading"))?,
        };
        let mut found = Marks::default();
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(mark) => found.all.push(mark),
                Err(_) => found.unreadable += 1,
            }
        }
        Ok(found)
    }

    /// Forgets marks and samples of which a URL is to be forgotten; returns how many marks those were.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn forget(&self, is_gone: impl Fn(&str) -> bool) -> Result<usize> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let is_named = |marked: &Marked| is_gone(&marked.url_a) || is_gone(&marked.url_b);
        let path = self.marks_file();
        let mut gone = 0;
        if path.exists() {
            // No one adds a mark meanwhile: the file keeps its place, so the lock holds for all.
            let mut file = self.open_marks()?;
            let marks = self.marks()?;
            let kept: Vec<&Mark> = marks.all.iter().filter(|mark| !is_named(&mark.marked)).collect();
            gone = marks.all.len() - kept.len();
            if gone > 0 || marks.unreadable > 0 {
                let lines: Vec<u8> = kept.iter().flat_map(|mark| line_of(mark)).collect();
                let rewritten = file.set_len(0).and_then(|()| file.write_all(&lines)).and_then(|()| file.sync_data());
                rewritten.map_err(Error::io(&path, "writing"))?;
            }
        }
        for name in self.samples()? {
            let text = self.sample(&name)?;
            // A sample of which something is gone is no sample of what is left.
            let urls: Vec<String> = urls_in(&text);
            if urls.iter().any(|url| is_gone(url)) {
                let path = self.sample_file(&name);
                fs::remove_file(&path).map_err(Error::io(&path, "removing"))?;
            }
        }
        Ok(gone)
    }

    fn sample_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{SAMPLE}"))
    }

    /// The names of the samples, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn samples(&self) -> Result<Vec<String>> {
        let listed = match fs::read_dir(&self.folder) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.map_err(Error::io(&self.folder, "listing"))?,
        };
        let mut names = Vec::new();
        for entry in listed {
            let path = entry.map_err(Error::io(&self.folder, "listing"))?.path();
            if path.extension().is_some_and(|extension| extension == SAMPLE) {
                names.extend(path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
            }
        }
        names.sort();
        Ok(names)
    }

    /// True for a name that a sample may have: letters, digits and hyphens.
    pub fn may_name(name: &str) -> bool {
        const MAX: usize = 64;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !name.is_empty() && name.len() <= MAX && name.bytes().all(is_plain)
    }

    /// A sample, as it was kept.
    ///
    /// # Errors
    /// When there is none of the name, or it cannot be read.
    pub fn sample(&self, name: &str) -> Result<String> {
        if !Reviews::may_name(name) {
            return Err(Error::input(name, "expected the name of a sample: letters, digits and hyphens"));
        }
        let path = self.sample_file(name);
        fs::read_to_string(&path).map_err(Error::io(&path, "reading"))
    }

    /// Keeps a sample under a name.
    ///
    /// # Errors
    /// When the name is not one ([`Reviews::may_name`]), or the disk does not take it.
    pub fn keep_sample(&self, name: &str, json: &str) -> Result<()> {
        if !Reviews::may_name(name) {
            return Err(Error::input(name, "expected a name of letters, digits and hyphens"));
        }
        fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder, "making the folder"))?;
        let path = self.sample_file(name);
        let temporary = tempfile::NamedTempFile::new_in(&self.folder).map_err(Error::io(&self.folder, "writing"))?;
        let written = temporary.as_file().write_all(json.as_bytes()).and_then(|()| temporary.as_file().sync_data());
        written.map_err(Error::io(&path, "writing"))?;
        temporary.persist(&path).map_err(|why| Error::io(&path, "writing")(why.error))?;
        Ok(())
    }
}

fn line_of(mark: &Mark) -> Vec<u8> {
    let mut line = serde_json::to_vec(mark).unwrap_or_default();
    line.push(b'\n');
    line
}

/// What of a JSON text stands under `url_a` and `url_b`.
fn urls_in(json: &str) -> Vec<String> {
    fn gather(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Array(values) => values.iter().for_each(|value| gather(value, found)),
            serde_json::Value::Object(fields) => {
                for name in ["url_a", "url_b"] {
                    found.extend(fields.get(name).and_then(|url| url.as_str()).map(str::to_owned));
                }
                fields.values().for_each(|value| gather(value, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(json) {
        gather(&value, &mut found);
    }
    found
}

fn ends_within_a_line(file: &mut File) -> std::io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last[0] != b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, Verdict};

    fn mark(url: &str, reviewer: &str, verdict: Option<Verdict>) -> Mark {
        let marked = Marked::pages(("http://ex.org/en", Lang::EN), (url, Lang::ZH));
        Mark { marked, verdict, reviewer: reviewer.to_owned(), at: "2026-11-01T00:00:00Z".to_owned() }
    }

    #[test]
    fn the_last_mark_of_a_reviewer_counts_and_may_be_taken_back() -> Result<()> {
        let folder = tempfile::tempdir().map_err(Error::io(Path::new("tmp"), "making"))?;
        let reviews = Reviews::of(folder.path());
        assert!(reviews.marks()?.all.is_empty());
        use Verdict::{Right, Wrong};
        for (reviewer, verdict) in [("ann", Some(Right)), ("bo", Some(Right)), ("ann", Some(Wrong)), ("bo", None)] {
            reviews.add(&mark("http://ex.org/zh", reviewer, verdict))?;
        }
        let marks = reviews.marks()?;
        let standing: Vec<_> = marks.standing().into_values().collect();
        assert_eq!(standing.len(), 1);
        assert_eq!(
            standing[0].iter().map(|(who, mark)| (*who, mark.verdict)).collect::<Vec<_>>(),
            [("ann", Some(Wrong))]
        );
        Ok(())
    }

    #[test]
    fn a_torn_line_costs_itself_only() -> Result<()> {
        let folder = tempfile::tempdir().map_err(Error::io(Path::new("tmp"), "making"))?;
        let reviews = Reviews::of(folder.path());
        reviews.add(&mark("http://ex.org/zh", "ann", Some(Verdict::Right)))?;
        let path = reviews.marks_file();
        let whole = fs::read(&path).map_err(Error::io(&path, "reading"))?;
        fs::write(&path, [&whole[..], &whole[..20]].concat()).map_err(Error::io(&path, "writing"))?;
        reviews.add(&mark("http://ex.org/zh2", "ann", Some(Verdict::Right)))?;
        let marks = reviews.marks()?;
        assert_eq!((marks.all.len(), marks.unreadable), (2, 1));
        Ok(())
    }

    #[test]
    fn what_is_forgotten_is_in_no_file() -> Result<()> {
        let folder = tempfile::tempdir().map_err(Error::io(Path::new("tmp"), "making"))?;
        let reviews = Reviews::of(folder.path());
        for url in ["http://ex.org/secret", "http://ex.org/zh"] {
            reviews.add(&mark(url, "ann", Some(Verdict::Right)))?;
        }
        let sample = |url: &str| format!("{{\"items\": [{{\"url_a\": \"http://ex.org/en\", \"url_b\": \"{url}\"}}]}}");
        reviews.keep_sample("one", &sample("http://ex.org/secret"))?;
        reviews.keep_sample("two", &sample("http://ex.org/zh"))?;
        assert_eq!(reviews.forget(|url| url.ends_with("secret"))?, 1);
        assert_eq!(reviews.samples()?, ["two"]);
        assert_eq!(reviews.marks()?.all.len(), 1);
        let left = fs::read_to_string(reviews.marks_file()).unwrap_or_default();
        assert!(!left.is_empty() && !left.contains("secret"));
        assert!(reviews.sample("../two").is_err() && reviews.keep_sample("", "").is_err());
        Ok(())
    }
}
