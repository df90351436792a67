//! What the user names → the archives meant.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::detect::Formats;
use super::head::head_of;
use crate::error::{Error, Result};

/// How deep lists may name lists.
const MAX_LIST_DEPTH: usize = 8;

/// The archives of `formats` that `inputs` name: see [`super::expand`].
pub(super) fn expand(inputs: &[String], formats: Formats) -> Result<Vec<PathBuf>> {
    let mut found = Found { formats, archives: Vec::new(), seen: HashSet::new() };
    for input in inputs {
        found.input(input, None, 0)?;
    }
    Ok(found.archives)
}

struct Found {
    formats: Formats,
    archives: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
}

impl Found {
    fn input(&mut self, input: &str, folder: Option<&Path>, depth: usize) -> Result<()> {
        if let Some(list) = input.strip_prefix('@')
            && !Path::new(input).exists()
        {
            return self.list(&resolve(list, folder), depth);
        }
        let path = resolve(input, folder);
        if path.exists() {
            return self.path(input, &path);
        }
        if input.contains(['*', '?', '[']) {
            return self.pattern(input, folder);
        }
        Err(Error::input(input, "no such file or folder"))
    }

    fn path(&mut self, input: &str, path: &Path) -> Result<()> {
        if !path.is_dir() {
            // Reported now, not after the days that reading the inputs before it may take.
            self.formats.of(path)?;
            self.add(path);
            return Ok(());
        }
        match self.folder(path)? {
            0 => Err(Error::input(input, "the folder holds neither an archive nor a mirror made by HTTrack")),
            _ => Ok(()),
        }
    }

    /// Adds the archives of a folder; gives how many there are, with those named before.
    fn folder(&mut self, folder: &Path) -> Result<usize> {
        // Links may lead back up, so every folder is visited once under its true name.
        let mut visited = HashSet::new();
        let mut waiting = vec![folder.to_owned()];
        let mut count = 0;
        while let Some(path) = waiting.pop() {
            if !path.is_dir() {
                if self.holds_archive(&path)? {
                    count += 1;
                    self.add(&path);
                }
                continue;
            }
            if !visited.insert(true_name(&path)) {
                continue;
            }
            if self.formats.recognise(&path, &[]).is_some() {
                count += 1;
                self.add(&path);
                continue;
            }
            let entries = fs::read_dir(&path).map_err(Error::io(&path, "listing"))?;
            let mut below = Vec::new();
            for entry in entries {
                below.push(entry.map_err(Error::io(&path, "listing"))?.path());
            }
            // The last one waiting is taken first.
            below.sort_by(|a, b| b.cmp(a));
            waiting.extend(below);
        }
        Ok(count)
    }

    fn pattern(&mut self, pattern: &str, folder: Option<&Path>) -> Result<()> {
        let full = resolve(pattern, folder);
        let paths = glob::glob(&full.to_string_lossy())
            .map_err(|error| Error::input(pattern, format!("not a pattern: {}", error.msg)))?;
        let mut matches = 0;
        let mut count = 0;
        for path in paths {
            let path = path.map_err(|error| {
                let path = error.path().to_owned();
                Error::io(path, "listing")(error.into())
            })?;
            matches += 1;
            if path.is_dir() {
                count += self.folder(&path)?;
            } else if self.holds_archive(&path)? {
                count += 1;
                self.add(&path);
            }
        }
        match (matches, count) {
            (0, _) => Err(Error::input(pattern, "no such file or folder, and nothing matches it as a pattern")),
            (_, 0) => Err(Error::input(pattern, format!("none of the {matches} files it matches is an archive"))),
            _ => Ok(()),
        }
    }

    fn list(&mut self, list: &Path, depth: usize) -> Result<()> {
        let place = list.display().to_string();
        if depth == MAX_LIST_DEPTH {
            return Err(Error::input(place, format!("lists name lists more than {MAX_LIST_DEPTH} deep")));
        }
        if !list.is_file() {
            return Err(Error::input(format!("@{place}"), "no such list"));
        }
        let text = fs::read_to_string(list).map_err(Error::io(list, "reading"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let input = line.split(" #").next().unwrap_or(line).trim_end();
            self.input(input, list.parent(), depth + 1)?;
        }
        Ok(())
    }

    /// True when a file's first bytes are those of an archive; links that lead nowhere and pipes are none.
    fn holds_archive(&self, path: &Path) -> Result<bool> {
        if !path.is_file() {
            return Ok(false);
        }
        let head = head_of(path)?;
        Ok(!head.is_empty() && self.formats.recognise(path, &head).is_some())
    }

    fn add(&mut self, path: &Path) {
        if self.seen.insert(true_name(path)) {
            self.archives.push(path.to_owned());
        }
    }
}

/// `name`, beside the list that names it where it is there, else as it is.
fn resolve(name: &str, folder: Option<&Path>) -> PathBuf {
    let beside = folder.map(|folder| folder.join(name));
    match beside {
        Some(path) if path.exists() || (is_pattern(name) && !Path::new(name).exists()) => path,
        _ => PathBuf::from(name),
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn true_name(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, inputs: &[&str]) -> Result<Vec<String>> {
        let inputs: Vec<String> = inputs
            .iter()
            .map(|input| match input.strip_prefix('@') {
                Some(list) => format!("@{}", folder.join(list).display()),
                None => folder.join(input).display().to_string(),
            })
            .collect();
        let name = |path: PathBuf| path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        Ok(expand(&inputs, Formats(crate::archive::FORMATS))?.into_iter().map(name).collect())
    }

    fn sample() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, data: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, data).expect("a file");
        };
        put("b.warc", "WARC/1.0\r\n");
        put("a.data", "WARC/1.1\r\n");
        put("deep/c.arc", "filedesc://x 0.0.0.0 20140301000000 text/plain 0\n");
        put("deep/notes.txt", "nothing");
        put("deep/empty.warc", "");
        put("mirror/hts-cache/new.txt", "");
        put("mirror/ex.org/index.html", "<html>");
        put("none/notes.txt", "nothing");
        put("list.txt", "# all of them\n\nb.warc # the first\nde*/*\n@more.txt\n");
        put("more.txt", "mirror\nb.warc\n");
        put("loop.txt", "@loop.txt\n");
        folder
    }

    #[test]
    fn a_folder_stands_for_the_archives_in_it() {
        let folder = sample();
        assert_eq!(names(folder.path(), &["."]).expect("all"), ["a.data", "b.warc", "deep/c.arc", "mirror"]);
        assert_eq!(names(folder.path(), &["mirror"]).expect("one"), ["mirror"]);
    }

    #[test]
    fn files_patterns_and_lists_keep_their_order() {
        let folder = sample();
        assert_eq!(names(folder.path(), &["b.warc", "*.data", "b.warc"]).expect("two"), ["b.warc", "a.data"]);
        assert_eq!(names(folder.path(), &["@list.txt"]).expect("three"), ["b.warc", "deep/c.arc", "mirror"]);
    }

    #[test]
    fn what_is_missing_says_so() {
        let folder = sample();
        for (input, problem) in [
            ("gone.warc", "no such file or folder"),
            ("none", "the folder holds neither"),
            ("gone*", "nothing matches"),
            ("none/*", "none of the 1 files"),
            ("@gone.txt", "no such list"),
            ("@loop.txt", "more than 8 deep"),
        ] {
            let error = names(folder.path(), &[input]).expect_err(input).to_string();
            assert!(error.contains(problem), "{input}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_up_do_not_loop() {
        let folder = sample();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("deep/up")).expect("a link");
        assert_eq!(names(folder.path(), &["deep"]).expect("archives").len(), 4);
    }
}
