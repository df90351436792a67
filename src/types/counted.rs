//! Counts of things, for sentences.

/// A number and a noun: `1 site`, `2,000 sites`. The plural is the noun with an s, or with es if it ends in ch.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { plural })
}

/// A number with a comma before each three digits: `1,234,567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0u64, 1, 2].map(|count| counted(count, "site")), ["0 sites", "1 site", "2 sites"]);
        assert_eq!(counted(3u64, "batch"), "3 batches");
    }

    #[test]
    fn thousands_are_set_apart() {
        let told = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(told, ["0", "999", "1,000", "1,234,567"]);
    }
}
