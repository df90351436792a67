//! Counts of things, for sentences.

/// A number and a noun: `1 site`, `2 sites`. The plural is the noun with an s, or with es if it ends in ch.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    format!("{count} {noun}{}", if count == 1 { "" } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0u64, 1, 2].map(|count| counted(count, "site")), ["0 sites", "1 site", "2 sites"]);
        assert_eq!(counted(3u64, "batch"), "3 batches");
    }
}
