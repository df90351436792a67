//! The numbers in texts: translations have them in common.

use crate::text::words::digit;

/// The numbers of a text, sorted: the values of its runs of decimal digits, in whatever script. `4.2.17` are three.
fn numbers(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let mut run: Option<u64> = None;
    for character in text.chars() {
        match digit(character) {
            // A longer number than fits is as good as any other.
            Some(digit) => run = Some(run.unwrap_or(0).wrapping_mul(10).wrapping_add(u64::from(digit))),
            None => found.extend(run.take()),
        }
    }
    found.extend(run);
    found.sort_unstable();
    found
}

/// How many of the numbers of two texts stand in one of them only.
pub fn alone(a: &str, b: &str) -> usize {
    let (a, b) = (numbers(a), numbers(b));
    let (mut at_a, mut at_b, mut common) = (0, 0, 0);
    while let (Some(one), Some(other)) = (a.get(at_a), b.get(at_b)) {
        at_a += usize::from(one <= other);
        at_b += usize::from(other <= one);
        common += usize::from(one == other);
    }
    a.len() + b.len() - 2 * common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_their_values() {
        for (a, b, expected) in [
            ("4.2.17. Selecting packages", "4.2.16. Auswahl", 2),
            ("In 2024, 1,000 people", "Im Jahr 2024 1.000 Menschen", 0),
            ("7 of 7", "7", 1),
            ("12 دروس", "١٢", 0),
            ("none", "", 0),
            ("007", "7", 0),
        ] {
            assert_eq!((alone(a, b), alone(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
