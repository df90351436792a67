//! Reads take-down lists, and other files whose errors name the file.

use std::fs::File;
use std::io;
use std::path::Path;

use diglot::error::Error;
use diglot::export::TakeDown;
use diglot::inputs;
use diglot::types::counted;

use super::say::say;

/// Reads a take-down list.
pub fn take_down(path: &Path) -> Result<TakeDown, Error> {
    told_by(path, |file| TakeDown::read(io::BufReader::new(file)))
}

/// How many lines of a take-down list that match nothing are named.
const UNMET: usize = 10;

/// Reports which lines of a take-down list match none of the rows that were examined.
pub fn say_unmet(list: &TakeDown, rows: &str) {
    let unmet = list.unmet();
    if unmet.is_empty() {
        return;
    }
    let names = unmet.iter().take(UNMET).copied().collect::<Vec<_>>().join(", ");
    let more = unmet.len().saturating_sub(UNMET);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    say(format!("of {} of --take-down there are no {rows} here: {names}{more}", counted(unmet.len() as u64, "line")));
}

/// Reads a file; errors say what is wrong with which file.
pub fn told_by<T>(path: &Path, read: impl FnOnce(File) -> io::Result<T>) -> Result<T, Error> {
    let file = inputs::open(path).map_err(Error::io(path, "opening"))?;
    read(file).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => Error::input(path.display().to_string(), error.to_string()),
        _ => Error::io(path, "reading")(error),
    })
}
