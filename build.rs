//! Tells the program which commit it is built from, for `diglot --version`.
//!
//! The commit is read from the files of git or, in a package of a registry, from the note that cargo leaves there: neither needs git.
//! Where there is neither, the version has no commit.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Digits of a commit that are shown.
const DIGITS: usize = 10;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // What is built to be tested is not built anew for every commit.
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let is_release = out.components().any(|part| part.as_os_str() == "release");
    if let Some((commit, read)) = commit(&folder).filter(|_| is_release) {
        for path in read {
            println!("cargo:rerun-if-changed={}", path.display());
        }
        version += &format!(" ({})", &commit[..DIGITS]);
    }
    println!("cargo:rustc-env=DIGLOT_VERSION={version}");
}

/// The commit of the sources in a folder, and the files that say so; they change when it does.
pub fn commit(folder: &Path) -> Option<(String, Vec<PathBuf>)> {
    let note = folder.join(".cargo_vcs_info.json");
    if let Ok(text) = fs::read_to_string(&note) {
        let hash = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
        return Some((hash_in(hash)?, vec![note]));
    }
    let git = git_folder(folder)?;
    let head = git.join("HEAD");
    let text = fs::read_to_string(&head).ok()?;
    let Some(name) = text.trim().strip_prefix("ref: ") else { return Some((hash_in(&text)?, vec![head])) };
    // A worktree has a HEAD of its own, and its branches elsewhere.
    let shared = fs::read_to_string(git.join("commondir")).map_or(git.clone(), |path| git.join(path.trim()));
    let branch = shared.join(name);
    if let Ok(text) = fs::read_to_string(&branch) {
        return Some((hash_in(&text)?, vec![head, branch]));
    }
    let packed = shared.join("packed-refs");
    let text = fs::read_to_string(&packed).ok()?;
    let line = text.lines().find(|line| line.split(' ').nth(1) == Some(name))?;
    // The next commit puts the branch into a file of its own.
    let there = branch.ancestors().skip(1).find(|folder| folder.is_dir())?.to_owned();
    Some((hash_in(line)?, vec![head, packed, there]))
}

/// The folder of git: `.git`, or the one that a file of that name leads to.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    match fs::read_to_string(&git) {
        Ok(text) => Some(folder.join(text.trim().strip_prefix("gitdir: ")?)),
        Err(_) => git.is_dir().then_some(git),
    }
}

/// The hash that a text begins with.
fn hash_in(text: &str) -> Option<String> {
    let hash: String = text.chars().take_while(char::is_ascii_hexdigit).collect();
    (hash.len() >= 40).then_some(hash)
}
