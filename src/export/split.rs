//! Decides which rows are for training, and which for development and tests: domains are dealt out as a whole, so that no two parts have
//! pages of the same site.
//!
//! A domain is dealt out by a hash of its name without its public suffix, since `brand.de` and `brand.fr` may be one site. So a domain
//! stays in its part whatever other domains are added.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

use super::exporter::Row;
use crate::types::{family, host_of, name_of_host, without_scheme};

/// By how much the sum of all shares may differ from 1.
const ROUNDING: f64 = 1e-6;

/// Parts of a corpus, by name, with their shares of all domains.
#[derive(Clone, Debug, PartialEq)]
pub struct Split(Vec<(String, f64)>);

impl Split {
    /// Reads parts as users write them: `train=.98,dev=.01,test=.01`.
    ///
    /// # Errors
    /// A sentence, without its full stop, on what is wrong with it.
    pub fn parse(text: &str) -> Result<Split, String> {
        let mut parts: Vec<(String, f64)> = Vec::new();
        for part in text.split(',') {
            let example = "expected NAME=SHARE of each part, such as train=.98,dev=.01,test=.01";
            let (name, share) = part.split_once('=').ok_or_else(|| format!("{part:?} has no share; {example}"))?;
            let (name, share) = (name.trim(), share.trim());
            let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
            if !is_name {
                return Err(format!("{name:?} is no name of a part, which has letters, digits and _; {example}"));
            }
            if parts.iter().any(|(known, _)| known == name) {
                return Err(format!("{name} is there twice"));
            }
            let share = share.parse().ok().filter(|share: &f64| (0.0..=1.0).contains(share));
            parts
                .push((name.to_owned(), share.ok_or_else(|| format!("{part:?} has no share from 0 to 1; {example}"))?));
        }
        let sum: f64 = parts.iter().map(|(_, share)| share).sum();
        if (sum - 1.0).abs() > ROUNDING {
            return Err(format!("the shares are {} together, expected 1", (sum * 1e6).round() / 1e6));
        }
        Ok(Split(parts))
    }

    /// The names of the parts, in the order in which they were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The number of the part that a row belongs to.
    pub fn of(&self, row: Row<'_>) -> usize {
        let identity = without_scheme(row.url());
        // 53 bits, as many as a number has.
        let place = (xxh3_64(family(name_of_host(host_of(identity))).as_bytes()) >> 11) as f64 / (1u64 << 53) as f64;
        let mut end = 0.0;
        let found = self.0.iter().position(|(_, share)| {
            end += share;
            place < end
        });
        // Shares may be a little less than a whole together.
        found.unwrap_or_else(|| self.0.iter().rposition(|(_, share)| *share > 0.0).unwrap_or(0))
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(name, share)| format!("{name}={share}")).collect();
        f.write_str(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::PageLine;

    fn part(split: &Split, url: &str) -> usize {
        split.of(Row::Page(&PageLine { url: url.into(), ..PageLine::default() }))
    }

    #[test]
    fn a_domain_is_in_one_part_and_parts_have_their_shares() {
        let split = Split::parse("train=.8, dev = .1,test=.1").expect("parts");
        assert_eq!(split.names().collect::<Vec<_>>(), ["train", "dev", "test"]);
        assert_eq!(split.to_string(), "train=0.8,dev=0.1,test=0.1");
        let mut counts = [0; 3];
        for number in 0..3000 {
            let of = |url: String| part(&split, &url);
            let found = of(format!("http://site{number}.org/"));
            for other in ["http://fr.site", "https://www.site"] {
                assert_eq!(of(format!("{other}{number}.org/a?b")), found);
            }
            for port in [":8080", ".", ".:81"] {
                assert_eq!(of(format!("http://site{number}.org{port}/")), found, "it is the same site");
            }
            assert_eq!(of(format!("http://site{number}.co.uk/")), found, "it may be the same site");
            counts[found] += 1;
        }
        assert!((2300..2500).contains(&counts[0]), "{counts:?}");
        assert!((220..380).contains(&counts[1]) && (220..380).contains(&counts[2]), "{counts:?}");
        // Where a hash leads is never to change.
        let places = ["http://a.org/", "http://b.org/", "http://c.org/", "http://d.org/"];
        let thirds = Split::parse("a=.333333,b=.333333,c=.333334").expect("parts");
        assert_eq!(places.map(|url| part(&thirds, url)), [1, 2, 1, 0]);
    }

    #[test]
    fn what_is_no_split_is_refused() {
        for (text, problem) in [
            ("train", "\"train\" has no share"),
            ("train=x,test=1", "\"train=x\" has no share from 0 to 1"),
            ("train=.9,test=.05", "the shares are 0.95 together, expected 1"),
            ("a=.5,a=.5", "a is there twice"),
            ("../a=1", "\"../a\" is no name of a part"),
            ("=1", "\"\" is no name of a part"),
        ] {
            let found = Split::parse(text).expect_err(text);
            assert!(found.starts_with(problem), "{found}");
        }
    }
}
