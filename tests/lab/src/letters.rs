//! Counts the pairs of letters of texts, for profiles of languages.
//!
//! ```text
//! python3 tests/lab/scripts/languages/udhr.py UNPACKED --texts | cargo run -p diglot-lab -- letters > src/language/profiles.tsv
//! ```
//!
//! A line read is a name, a tag and a text, with tabs between them; lines that follow each other with one name are one text. For each text a
//! line is written: its tag, a tab, and how many pairs of letters there are of each kind.

use std::io::{self, BufRead, Write};

use diglot::laboratory::letters::{self, Letters};

use crate::Result;

/// Writes the lines.
pub fn run(_: &[String]) -> Result<()> {
    let mut texts: Vec<(String, String, Letters)> = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut cells = line.splitn(3, '\t');
        let (Some(name), Some(tag), Some(text)) = (cells.next(), cells.next(), cells.next()) else {
            return Err(format!("expected a name, a tag and a text, with tabs between them: {line:.60}").into());
        };
        let counted = Letters::of(&letters::count(text)).unwrap_or_default();
        match texts.last_mut() {
            Some(last) if last.0 == name => last.2.add(&counted),
            _ => texts.push((name.to_owned(), tag.to_owned(), counted)),
        }
    }
    let mut out = io::stdout().lock();
    for (_, tag, letters) in texts {
        let counts: Vec<String> = letters.counts().iter().map(u32::to_string).collect();
        writeln!(out, "{tag}\t{}", counts.join(" "))?;
    }
    Ok(())
}
