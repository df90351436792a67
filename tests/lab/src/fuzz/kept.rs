//! Inputs that are kept: those that found something once, and some that take long or much. Each run tries them first.
//!
//! A line of `kept.txt` is a target and an input: its number, or `=` and its bytes in hexadecimal, where they are few and what the number
//! gives would be another input some day. What stands behind `#` is for people.

use super::targets::TARGETS;
use crate::Result;

const KEPT: &str = include_str!("kept.txt");

/// An input.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// What a number gives.
    Number(u64),
    /// These bytes.
    Bytes(Vec<u8>),
}

/// The inputs that are kept of a target.
pub fn of(target: &str) -> Result<Vec<Input>> {
    let mut found = Vec::new();
    for line in KEPT.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((name, input)) = line.split_once(' ') else { continue };
        if TARGETS.iter().all(|target| target.name != name) {
            return Err(format!("kept.txt: there is no target {name}").into());
        }
        if name == target {
            found.push(read(input.trim()).ok_or_else(|| format!("kept.txt: {line}: expected a number, or =HEX"))?);
        }
    }
    Ok(found)
}

fn read(input: &str) -> Option<Input> {
    let Some(digits) = input.strip_prefix('=') else { return input.parse().ok().map(Input::Number) };
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>().map(Input::Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_numbers_or_bytes() {
        assert_eq!(read("17"), Some(Input::Number(17)));
        assert_eq!(read("=00ff61"), Some(Input::Bytes(vec![0, 255, 97])));
        assert_eq!((read("=0"), read("=xy"), read("x")), (None, None, None));
    }
}
