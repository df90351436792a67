//! Marks that people gave to pairs, and samples drawn for them, in their own folder of the store.
//!
//! ```text
//! review/marks.jsonl      one mark a line, in the order they were made; later ones replace earlier ones
//! review/NAME.sample      a sample that was drawn to be judged, as JSON
//! ```
//! No commit covers these files and no run touches them, so a reviewer can write beside a running job. Each line is written and synced at
//! once. A line that was cut off by a power failure does not count, and the next mark begins on a new line.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::access::{fault, not_opened};
use super::people::{Held, hold, replace, sync_folders};
use crate::error::{Error, Result};
use crate::files;
use crate::text::json;
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
    /// Numbers of the lines that are not valid marks, because they are of a later release or cut off.
    pub unreadable: Vec<usize>,
    /// The file.
    path: PathBuf,
}

/// How many invalid lines are named; of the rest only the number is given.
const NAMED: usize = 5;

impl Marks {
    /// A message that names the file and its invalid lines, if there are any.
    pub fn bad_lines(&self) -> Option<String> {
        let numbers: Vec<String> = self.unreadable.iter().take(NAMED).map(usize::to_string).collect();
        let more = match self.unreadable.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let lines = if self.unreadable.len() == 1 { "line" } else { "lines" };
        (!numbers.is_empty()).then(|| format!("{}, {lines} {}{more}", self.path.display(), numbers.join(", ")))
    }

    /// The marks that count: the last one of each reviewer on each thing, without those that were taken back.
    pub fn standing(&self) -> Standing<'_> {
        let mut found: Standing<'_> = BTreeMap::new();
        for mark in &self.all {
            put(found.entry(&mark.marked).or_default(), mark);
        }
        found.retain(|_, marks| !marks.is_empty());
        found
    }

    /// The marks that count for one thing.
    pub fn of(&self, marked: &Marked) -> Vec<&Mark> {
        let mut found = Vec::new();
        self.all.iter().filter(|mark| mark.marked == *marked).for_each(|mark| put(&mut found, mark));
        found
    }
}

/// Replaces the earlier mark of the same reviewer.
fn put<'m>(standing: &mut Vec<&'m Mark>, mark: &'m Mark) {
    standing.retain(|known| known.reviewer != mark.reviewer);
    if mark.verdict.is_some() {
        standing.push(mark);
    }
}

/// The marks that count, by the thing marked, in the order they were made.
pub type Standing<'m> = BTreeMap<&'m Marked, Vec<&'m Mark>>;

/// What a call of [`Reviews::forget`] has removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// How many marks.
    pub marks: usize,
    /// How many samples.
    pub samples: usize,
    /// A message about unreadable lines that were kept although they may name something that was to be forgotten; `None` where there are no
    /// such lines.
    pub left: Option<String>,
}

/// The folder of marks and samples in a store.
pub const FOLDER: &str = "review";
const MARKS: &str = "marks.jsonl";
const SAMPLE: &str = "sample";

impl Reviews {
    /// The reviews of the store in a folder.
    pub fn of(store: &Path) -> Reviews {
        Reviews { folder: store.join(FOLDER) }
    }

    fn marks_file(&self) -> PathBuf {
        self.folder.join(MARKS)
    }

    /// Opens the file of marks for one writer at a time.
    fn open_marks(&self) -> Result<Held> {
        fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder, "making the folder"))?;
        hold(&self.marks_file())
    }

    /// Adds a mark, durably.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn add(&self, mark: &Mark) -> Result<()> {
        let path = self.marks_file();
        let mut held = self.open_marks()?;
        let file = &mut held.file;
        let mut line = Vec::new();
        if ends_within_a_line(file).map_err(Error::io(&path, "reading"))? {
            line.push(b'\n');
        }
        line.extend(line_of(mark)?);
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(Error::io(&path, "writing"))
    }

    /// Adds the lines of the marks of other stores, durably, and returns how many. They are put in the order of their times, so that the
    /// mark that a reviewer made last comes last. A line that several stores have is added once. Lines of one store keep their order, and
    /// lines that cannot be read stay behind the line that they follow. All lines are held in memory.
    ///
    /// # Errors
    /// When they cannot be read, or the disk does not take them.
    pub fn take(&self, others: &[Reviews]) -> Result<u64> {
        let (mut lines, mut known) = (Vec::new(), FxHashSet::default());
        for other in others {
            let (mut latest, mut own) = (None, Vec::new());
            for line in other.lines()?.into_iter().filter(|line| !line.is_empty()) {
                let mark = serde_json::from_slice::<Mark>(&line).ok();
                // Lines of one store keep their order even if its clock was set back.
                latest = latest.max(mark.and_then(|mark| mark.at.parse::<jiff::Timestamp>().ok()));
                let hash = xxh3_64(&line);
                own.push(hash);
                if !known.contains(&hash) {
                    lines.push((latest, line));
                }
            }
            known.extend(own);
        }
        if lines.is_empty() {
            return Ok(0);
        }
        lines.sort_by_key(|(at, _)| *at);
        let (path, mut held) = (self.marks_file(), self.open_marks()?);
        let count = lines.len() as u64;
        let bytes: Vec<u8> = lines.into_iter().flat_map(|(_, line)| line.into_iter().chain([b'\n'])).collect();
        let written = held.file.write_all(&bytes).and_then(|()| held.file.sync_data());
        written.map_err(Error::io(&path, "writing"))?;
        Ok(count)
    }

    /// All marks.
    ///
    /// # Errors
    /// When the file cannot be read; a missing one has no marks.
    pub fn marks(&self) -> Result<Marks> {
        let mut found = Marks { path: self.marks_file(), ..Marks::default() };
        for (line, number) in self.lines()?.iter().zip(1..).filter(|(line, _)| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(mark) => found.all.push(mark),
                Err(_) => found.unreadable.push(number),
            }
        }
        Ok(found)
    }

    /// A hash of the file of marks; 0 where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn hash(&self) -> Result<u64> {
        let path = self.marks_file();
        match files::read(&path) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(0),
            read => read.map(|bytes| xxh3_64(&bytes) | 1).map_err(|error| not_opened(&path, error)),
        }
    }

    /// The lines of the file of marks, not parsed.
    fn lines(&self) -> Result<Vec<Vec<u8>>> {
        let path = self.marks_file();
        let bytes = match files::read(&path) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|error| not_opened(&path, error))?,
        };
        Ok(bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect())
    }

    /// All URLs that marks and samples name.
    ///
    /// # Errors
    /// When the files cannot be read.
    pub fn urls(&self) -> Result<Vec<String>> {
        let mut found: Vec<String> = self.lines()?.iter().flat_map(|line| urls_of_line(line)).collect();
        for name in self.samples()? {
            found.extend(urls_in(&self.sample(&name)?).unwrap_or_default());
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Removes marks and samples that name a URL for which `is_gone` holds. An unreadable line of marks is removed if it contains such a
    /// URL; else it stays, and is reported. An unreadable sample is removed, since it may name such a URL.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn forget(&self, is_gone: impl Fn(&str) -> bool) -> Result<Forgotten> {
        let mut forgotten = Forgotten::default();
        if !self.folder.exists() {
            return Ok(forgotten);
        }
        let path = self.marks_file();
        if path.exists() {
            // The lock is held until the new file has its name; a process that waits for the lock then opens the new file.
            let held = self.open_marks()?;
            let lines: Vec<Vec<u8>> = self.lines()?.into_iter().filter(|line| !line.is_empty()).collect();
            let is_kept = |line: &&Vec<u8>| !urls_of_line(line).iter().any(|url| is_gone(url));
            let kept: Vec<&[u8]> = lines.iter().filter(is_kept).map(Vec::as_slice).collect();
            forgotten.marks = lines.len() - kept.len();
            if forgotten.marks > 0 {
                let ended: Vec<u8> = kept.iter().flat_map(|line| line.iter().chain(b"\n")).copied().collect();
                held.replace(&ended)?;
            }
            forgotten.left = self.marks()?.bad_lines();
        }
        for name in self.samples()? {
            // A sample that has lost a pair is no longer a random sample.
            let urls = urls_in(&self.sample(&name)?);
            if urls.is_none_or(|urls| urls.iter().any(|url| is_gone(url))) {
                let path = self.sample_file(&name);
                fs::remove_file(&path).map_err(Error::io(&path, "removing"))?;
                forgotten.samples += 1;
            }
        }
        if forgotten.samples > 0 {
            sync_folders(&self.folder)?;
        }
        Ok(forgotten)
    }

    fn sample_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{SAMPLE}"))
    }

    /// The names of the samples, in order; other files of the folder are ignored ([`Reviews::may_name`]).
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
                let name = path.file_stem().and_then(|name| name.to_str());
                names.extend(name.filter(|name| Reviews::may_name(name)).map(str::to_owned));
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

    /// A sample, as it was stored.
    ///
    /// # Errors
    /// When no sample has that name, or it cannot be read.
    pub fn sample(&self, name: &str) -> Result<String> {
        if !Reviews::may_name(name) {
            return Err(Error::input(name, "expected the name of a sample: letters, digits and hyphens"));
        }
        let path = self.sample_file(name);
        let bytes = files::read(&path).map_err(|error| not_opened(&path, error))?;
        String::from_utf8(bytes).map_err(|_| fault(&path, "is no text; remove the file, and draw the sample again"))
    }

    /// Stores a sample under a name.
    ///
    /// # Errors
    /// When the name is not allowed ([`Reviews::may_name`]), or the disk does not take it.
    pub fn keep_sample(&self, name: &str, json: &str) -> Result<()> {
        if !Reviews::may_name(name) {
            return Err(Error::input(name, "expected a name of letters, digits and hyphens"));
        }
        fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder, "making the folder"))?;
        replace(&self.sample_file(name), json.as_bytes())
    }
}

fn line_of(mark: &Mark) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    json::write(&mut line, mark).map_err(Error::io(Path::new(MARKS), "writing"))?;
    line.push(b'\n');
    Ok(line)
}

/// The URLs that a line of the file of marks names; in an unreadable line, every quoted string.
fn urls_of_line(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    urls_in(&text).unwrap_or_else(|| text.split('"').filter(|part| part.contains("://")).map(str::to_owned).collect())
}

/// The values of `url_a` and `url_b` in a JSON text; `None` where it is not JSON.
fn urls_in(json: &str) -> Option<Vec<String>> {
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
    gather(&serde_json::from_str(json).ok()?, &mut found);
    Some(found)
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
            standing[0].iter().map(|mark| (mark.reviewer.as_str(), mark.verdict)).collect::<Vec<_>>(),
            [("ann", Some(Wrong))]
        );
        Ok(())
    }

    #[test]
    fn marks_of_several_stores_stand_in_the_order_of_their_times() -> Result<()> {
        let folder = tempfile::tempdir().map_err(Error::io(Path::new("tmp"), "making"))?;
        let store = |name: &str, seconds: &[u32]| -> Result<Reviews> {
            let reviews = Reviews::of(&folder.path().join(name));
            for second in seconds {
                let at = format!("2026-11-01T00:00:0{second}Z");
                reviews.add(&Mark { at, ..mark(&format!("http://ex.org/{name}{second}"), "ann", None) })?;
            }
            Ok(reviews)
        };
        let (a, b) = (store("a", &[1, 5, 4])?, store("b", &[0, 4, 7])?);
        let path = b.marks_file();
        let lines = fs::read_to_string(&path).unwrap_or_default().replacen('\n', "\nno mark\n", 1);
        fs::write(&path, lines).map_err(Error::io(&path, "writing"))?;
        let all = Reviews::of(&folder.path().join("all"));
        assert_eq!(all.take(&[a.clone(), b, a])?, 7);
        let marks = all.marks()?;
        let urls: Vec<&str> = marks
            .all
            .iter()
            .map(|mark| &mark.marked)
            .map(|of| if of.url_a.ends_with("/en") { &of.url_b } else { &of.url_a })
            .map(|url| &url[14..])
            .collect();
        assert_eq!(urls, ["b0", "a1", "b4", "a5", "a4", "b7"]);
        assert_eq!(marks.unreadable, [2]);
        Ok(())
    }

    #[test]
    fn a_name_with_the_end_of_a_line_stays_on_its_line() -> Result<()> {
        let folder = tempfile::tempdir().map_err(Error::io(Path::new("tmp"), "making"))?;
        let reviews = Reviews::of(folder.path());
        reviews.add(&mark("http://ex.org/zh", "ann\u{2028}\u{85}", Some(Verdict::Right)))?;
        let text = fs::read_to_string(reviews.marks_file()).unwrap_or_default();
        assert!(text.contains("ann\\u2028\\u0085"), "{text}");
        assert_eq!(reviews.marks()?.all[0].reviewer, "ann\u{2028}\u{85}");
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
        assert_eq!((marks.all.len(), marks.unreadable.as_slice()), (2, &[2][..]));
        assert_eq!(marks.bad_lines(), Some(format!("{}, line 2", path.display())));
        Ok(())
    }

    #[test]
    fn lines_that_cannot_be_read_are_kept_unless_they_name_what_is_forgotten() -> Result<()> {
        let folder = tempfile::tempdir().map_err(Error::io(Path::new("tmp"), "making"))?;
        let reviews = Reviews::of(folder.path());
        reviews.add(&mark("http://ex.org/secret", "ann", Some(Verdict::Right)))?;
        let path = reviews.marks_file();
        let whole = fs::read_to_string(&path).unwrap_or_default();
        let of_later = "{\"later\": 1, \"url_a\": \"http://ex.org/zh\"}";
        let torn = &whole[..whole.len() - 4];
        let other = torn.replace("secret", "zh");
        fs::write(&path, format!("{whole}{of_later}\n{torn}\n\n{other}\n")).map_err(Error::io(&path, "writing"))?;
        assert!(reviews.urls()?.contains(&"http://ex.org/secret".to_owned()));
        let forgotten = reviews.forget(|url| url.ends_with("secret"))?;
        assert_eq!(forgotten.marks, 2);
        assert_eq!(forgotten.left, Some(format!("{}, lines 1, 2", path.display())));
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), format!("{of_later}\n{other}\n"));
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
        fs::write(reviews.folder.join("copy of one.sample"), "{}").map_err(Error::io(&reviews.folder, "writing"))?;
        fs::write(reviews.sample_file("torn"), "{\"items\": [").map_err(Error::io(&reviews.folder, "writing"))?;
        assert_eq!(reviews.forget(|url| url.ends_with("secret"))?, Forgotten { marks: 1, samples: 2, left: None });
        assert_eq!(reviews.samples()?, ["two"]);
        assert_eq!(reviews.marks()?.all.len(), 1);
        let left = fs::read_to_string(reviews.marks_file()).unwrap_or_default();
        assert!(!left.is_empty() && !left.contains("secret"));
        assert!(reviews.sample("../two").is_err() && reviews.keep_sample("", "").is_err());
        Ok(())
    }
}
