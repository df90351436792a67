//! How fast texts are cut into sentences and words, in each language.
//!
//! ```text
//! cargo run --release -p diglot-lab -- text-rate TEXTS...
//! ```
//!
//! Each of TEXTS is a file named after its language, `fr.txt`, with a block of text in each line. One line a file: the language,
//! its bytes, and how many million bytes are cut into sentences, and into words, in a second of CPU.

use std::fs;
use std::path::Path;

use diglot::laboratory::text::Words;
use diglot::laboratory::text::for_each_sentence;
use diglot::types::Lang;

use crate::clock::user_seconds;
use crate::{Result, Usage};

/// Seconds of CPU that each measurement takes at least: the clock has steps of a hundredth.
const MIN_SECONDS: f64 = 0.3;

/// Prints the table.
pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() {
        return Err(Usage.into());
    }
    let words = Words::new();
    println!("language\tbytes\tsentences MB/s\twords MB/s");
    for path in arguments {
        let name = Path::new(path).file_stem().and_then(|name| name.to_str()).unwrap_or("");
        let lang = Lang::parse(name).ok_or_else(|| format!("{path}: named after no language"))?;
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let mut count = 0u64;
        let sentences = rate(&text, |block| for_each_sentence(block, lang, |_| count += 1));
        let words = rate(&text, |block| words.for_each(block, |_, hash| count ^= hash));
        std::hint::black_box(count);
        println!("{lang}\t{}\t{sentences:.0}\t{words:.0}", text.len());
    }
    Ok(())
}

/// Million bytes a second of CPU.
fn rate(text: &str, mut cut: impl FnMut(&str)) -> f64 {
    let start = user_seconds();
    let mut passes = 0;
    loop {
        text.lines().for_each(&mut cut);
        passes += 1;
        let seconds = user_seconds() - start;
        if seconds >= MIN_SECONDS {
            return text.len() as f64 * f64::from(passes) / seconds / 1e6;
        }
    }
}
