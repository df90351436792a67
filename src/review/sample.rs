//! Samples: decides which pairs are drawn to be judged, and computes what their marks say about all pairs.
//!
//! Each pair has a number that depends only on the seed and on its URLs (and texts); the pairs with the smallest numbers are drawn. So a
//! sample is a simple random sample within each stratum, is the same for the same seed, and does not depend on the order of the pairs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use diglot::config::Config;
use diglot::evaluate::{Stratum, allocate, max_strata};
use diglot::query::{self, Scope, bitext};
use diglot::store::{Marks, Store};
use diglot::types::{LangPair, Mark, Marked, Verdict, host_of};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What kind of thing is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    Pairs,
    Sentences,
}

/// What strata are formed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A single stratum: a simple random sample.
    Nothing,
    /// Bins of scores.
    Score,
    /// Keys; for pairs of other methods, the method.
    Key,
    /// Hosts of the first page.
    Host,
}

/// What sample is to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    pub what: What,
    pub by: By,
    pub seed: u64,
    /// How many items.
    pub size: u64,
    /// Two languages, by name; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub langs: Option<(String, String)>,
    /// A host or a domain; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// A stratum of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub population: u64,
    pub drawn: u64,
}

/// An item of a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    #[serde(flatten)]
    pub marked: Marked,
    /// Position of its stratum.
    pub part: usize,
    /// Its score when the sample was drawn.
    pub score: f64,
}

/// A sample, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    #[serde(flatten)]
    pub design: Design,
    /// The commit of the store from which it was drawn.
    pub commit: u64,
    /// When it was drawn, as RFC 3339 in UTC.
    pub at: String,
    pub parts: Vec<Part>,
    /// The items in the order in which they are judged, which mixes the strata.
    pub items: Vec<Item>,
}

/// Edges of the bins of scores: narrow near 1, where most scores lie.
const EDGES: [f64; 7] = [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999];

/// The name of the stratum for all others, where there are too many strata.
const OTHERS: &str = "all others";

impl Design {
    /// Draws a sample from a store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn draw(&self, store: &Store, config: &Config, at: String) -> diglot::Result<Sample> {
        let mut populations: BTreeMap<String, u64> = BTreeMap::new();
        self.for_each(store, config, |stratum, _, _| *populations.entry(stratum).or_default() += 1)?;
        let (names, parts) = self.parts(populations);
        let mut drawn: Vec<BinaryHeap<Drawn>> = parts.iter().map(|_| BinaryHeap::new()).collect();
        self.for_each(store, config, |stratum, score, marked| {
            let part = names.get(&stratum).copied().unwrap_or(parts.len() - 1);
            let room = parts[part].drawn as usize;
            let number = self.number(&marked());
            let heap = &mut drawn[part];
            let is_less = heap.peek().is_none_or(|last| number < last.number);
            if room > 0 && (heap.len() < room || is_less) {
                heap.push(Drawn { number, item: Item { marked: marked(), part, score } });
                if heap.len() > room {
                    heap.pop();
                }
            }
        })?;
        let mut all: Vec<Drawn> = drawn.into_iter().flatten().collect();
        all.sort();
        let items = all.into_iter().map(|drawn| drawn.item).collect();
        Ok(Sample { design: self.clone(), commit: store.commit_number(), at, parts, items })
    }

    /// The number by which items are chosen.
    fn number(&self, marked: &Marked) -> u64 {
        let mut bytes = Vec::new();
        let texts = marked.texts.iter().flat_map(|(a, b)| [a, b]);
        for text in [&marked.url_a, &marked.url_b].into_iter().chain(texts) {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
        }
        xxh3_64_with_seed(&bytes, self.seed)
    }

    /// The strata, with the number of items to draw from each, and the stratum of each name. If there are too many, strata are merged, the
    /// smallest first; bins of scores are merged with their neighbours.
    fn parts(&self, populations: BTreeMap<String, u64>) -> (BTreeMap<String, usize>, Vec<Part>) {
        let most = max_strata(self.size);
        let mut groups: Vec<(Vec<String>, u64)> =
            populations.into_iter().map(|(name, count)| (vec![name], count)).collect();
        if self.by == By::Score {
            while groups.len() > most {
                let smallest = |at: &usize| (groups[*at].1 + groups[*at + 1].1, *at);
                let Some(at) = (0..groups.len() - 1).min_by_key(smallest) else { break };
                let next = groups.remove(at + 1);
                groups[at].0.extend(next.0);
                groups[at].1 += next.1;
            }
        } else {
            groups.sort_by_key(|(names, count)| (Reverse(*count), names.clone()));
            if groups.len() > most {
                let rest = groups.split_off(most.max(1) - 1);
                let count = rest.iter().map(|(_, count)| count).sum();
                groups.push((rest.into_iter().flat_map(|(names, _)| names).collect(), count));
            }
        }
        let counts: Vec<u64> = groups.iter().map(|(_, count)| *count).collect();
        let draws = allocate(&counts, self.size);
        let mut names = BTreeMap::new();
        let mut parts = Vec::new();
        for (at, ((members, population), drawn)) in groups.into_iter().zip(draws).enumerate() {
            let name = match members.as_slice() {
                [one] => one.clone(),
                [first, .., last] if self.by == By::Score => joined(first, last),
                _ => OTHERS.to_owned(),
            };
            parts.push(Part { name, population, drawn });
            names.extend(members.into_iter().map(|member| (member, at)));
        }
        (names, parts)
    }

    fn stratum(&self, score: f64, key: &str, method: &str, url: &str) -> String {
        match self.by {
            By::Nothing => "all".to_owned(),
            By::Score => bin(score),
            By::Key if key.is_empty() => format!("by {method}"),
            By::Key => key.to_owned(),
            By::Host => diglot::types::CanonicalUrl::parse(url)
                .map_or_else(|_| host_of(url).to_owned(), |url| url.host().to_owned()),
        }
    }

    /// Calls `each` for every possible item, with its stratum, its score, and the subject of a mark on it.
    fn for_each(
        &self,
        store: &Store,
        config: &Config,
        mut each: impl FnMut(String, f64, &dyn Fn() -> Marked),
    ) -> diglot::Result<()> {
        let scope = self.host.as_deref().map_or(Ok(Scope::all()), |host| Scope::of(store, host))?;
        let is_of = |a: &str, b: &str| {
            let wanted =
                |(x, y): &(String, String)| (a, b) == (x.as_str(), y.as_str()) || (b, a) == (x.as_str(), y.as_str());
            self.langs.as_ref().is_none_or(wanted)
        };
        match self.what {
            What::Pairs => query::for_each_pair(store, config, &scope, |line| {
                if is_of(line.lang_a.as_str(), line.lang_b.as_str()) {
                    let stratum = self.stratum(line.score, &line.key, line.method, &line.url_a);
                    each(stratum, line.score, &|| {
                        Marked::pages((&line.url_a, line.lang_a), (&line.url_b, line.lang_b))
                    });
                }
                Ok(())
            }),
            What::Sentences => bitext::for_each_bead(store, config, &scope, bitext::Asked::default(), |line| {
                if is_of(line.lang_a.as_str(), line.lang_b.as_str()) {
                    let stratum = self.stratum(line.score, "", "alignment", &line.a.url);
                    each(stratum, line.score, &|| {
                        let (a, b) =
                            ((&line.a.url, line.lang_a, &line.text_a), (&line.b.url, line.lang_b, &line.text_b));
                        Marked::sentences((a.0, a.1, a.2), (b.0, b.1, b.2))
                    });
                }
                Ok(())
            }),
        }
    }

    /// The design in words.
    pub fn describe(&self) -> String {
        let what = match self.what {
            What::Pairs => "page pairs",
            What::Sentences => "sentence pairs",
        };
        let langs = self.langs.as_ref().map_or_else(String::new, |(a, b)| format!(" {a}-{b}"));
        let host = self.host.as_ref().map_or_else(String::new, |host| format!(" of {host}"));
        let by = match self.by {
            By::Nothing => "simple",
            By::Score => "by score",
            By::Key => "by key",
            By::Host => "by host",
        };
        format!("{what}{langs}{host}, {by}, seed {}", self.seed)
    }

    /// The same design, with these two languages.
    pub fn with_langs(self, langs: Option<LangPair>) -> Design {
        Design { langs: langs.map(|langs| (langs.a.as_str().to_owned(), langs.b.as_str().to_owned())), ..self }
    }
}

/// The name of the bin of a score. Names sort like scores.
fn bin(score: f64) -> String {
    let at = EDGES.partition_point(|edge| *edge <= score);
    let low = if at == 0 { 0.0 } else { EDGES[at - 1] };
    format!("{low} to {}", EDGES.get(at).copied().unwrap_or(1.0))
}

/// The name of two bins joined: "0.5 to 0.8" and "0.9 to 0.95" give "0.5 to 0.95".
fn joined(first: &str, last: &str) -> String {
    let low = first.split(' ').next().unwrap_or(first);
    let high = last.rsplit(' ').next().unwrap_or(last);
    format!("{low} to {high}")
}

struct Drawn {
    number: u64,
    item: Item,
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Drawn) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Drawn {}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Drawn) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Drawn {
    fn cmp(&self, other: &Drawn) -> std::cmp::Ordering {
        (self.number, &self.item.marked).cmp(&(other.number, &other.item.marked))
    }
}

/// The verdicts on the items of a stratum, or of all strata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub stratum: Stratum,
    pub unsure: u64,
}

impl Sample {
    /// Reads a sample.
    ///
    /// # Errors
    /// Says what is wrong with it: the file may have been changed by hand, or be of a later release.
    pub fn parse(text: &str) -> Result<Sample, String> {
        let sample: Sample = serde_json::from_str(text).map_err(|why| why.to_string())?;
        match sample.items.iter().find(|item| item.part >= sample.parts.len()) {
            Some(item) => Err(format!("it has no stratum {}", item.part)),
            None => Ok(sample),
        }
    }

    /// The verdicts in each stratum; the last mark of each item counts, whoever the reviewer is.
    pub fn said(&self, marks: &Marks) -> Vec<Said> {
        let standing = marks.standing();
        let mut found: Vec<Said> = self
            .parts
            .iter()
            .map(|part| Said { stratum: Stratum { population: part.population, ..Stratum::default() }, unsure: 0 })
            .collect();
        for item in &self.items {
            let last = standing.get(&item.marked).and_then(|said| said.last());
            let Some(part) = found.get_mut(item.part) else { continue };
            match last.and_then(|mark| mark.verdict) {
                Some(Verdict::Right) => part.stratum.right += 1,
                Some(Verdict::Wrong) => part.stratum.wrong += 1,
                Some(Verdict::Unsure) => part.unsure += 1,
                None => {}
            }
        }
        found
    }

    /// For each two reviewers, by name, their verdicts on the items that both have judged.
    pub fn said_by_two<'m>(&self, marks: &'m Marks) -> BTreeMap<(&'m str, &'m str), Vec<(Verdict, Verdict)>> {
        let standing = marks.standing();
        let mut found: BTreeMap<(&str, &str), Vec<(Verdict, Verdict)>> = BTreeMap::new();
        for said in self.items.iter().filter_map(|item| standing.get(&item.marked)) {
            let verdict = |mark: &&'m Mark| Some((mark.reviewer.as_str(), mark.verdict?));
            let mut all: Vec<(&str, Verdict)> = said.iter().filter_map(verdict).collect();
            all.sort_unstable();
            for (at, first) in all.iter().enumerate() {
                for second in &all[at + 1..] {
                    found.entry((first.0, second.0)).or_default().push((first.1, second.1));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(by: By, size: u64) -> Design {
        Design { what: What::Pairs, by, seed: 1, size, langs: None, host: None }
    }

    #[test]
    fn bins_of_scores_cover_everything_and_sort() {
        assert_eq!(
            [0.0, 0.5, 0.97, 0.999, 1.0].map(bin),
            ["0 to 0.5", "0.5 to 0.8", "0.95 to 0.98", "0.999 to 1", "0.999 to 1"]
        );
        assert_eq!(joined("0.5 to 0.8", "0.9 to 0.95"), "0.5 to 0.95");
    }

    #[test]
    fn too_many_strata_are_united() {
        let populations =
            |names: &[(&str, u64)]| names.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let hosts = populations(&[("a", 5), ("b", 500), ("c", 50), ("d", 7)]);
        let (names, parts) = design(By::Host, 40).parts(hosts);
        let shown: Vec<(&str, u64)> = parts.iter().map(|part| (part.name.as_str(), part.population)).collect();
        assert_eq!(shown, [("b", 500), (OTHERS, 62)]);
        assert_eq!((names["b"], names["a"], names["d"]), (0, 1, 1));
        assert_eq!(parts.iter().map(|part| part.drawn).sum::<u64>(), 40);
        let scores = populations(&[("0.5 to 0.8", 3), ("0.8 to 0.9", 4), ("0.9 to 0.95", 500)]);
        let (_, parts) = design(By::Score, 40).parts(scores);
        let shown: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(shown, ["0.5 to 0.9", "0.9 to 0.95"]);
    }
}
