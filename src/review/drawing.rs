//! Sentence pairs drawn at random.

use std::collections::BinaryHeap;

use diglot::config::settings::configuration;
use diglot::query::{Scope, bitext};
use diglot::store::Store;
use diglot::types::BitextLine;
use xxhash_rust::xxh3::xxh3_64;

use super::background::{Background, commit_hash};

/// How many sentence pairs are drawn.
const MOST: usize = 10_000;

/// Sentence pairs drawn at random.
pub struct Drawn {
    commit_hash: Option<u64>,
    /// How many there are in all.
    pub total: u64,
    /// The sentence pairs that were drawn, in a random order.
    pub lines: Vec<BitextLine>,
}

impl Background for Drawn {
    fn is_of(&self, store: &Store) -> bool {
        self.commit_hash == commit_hash(store)
    }
}

/// Draws sentence pairs of a store.
///
/// # Errors
/// When it cannot be read.
pub fn draw(store: &Store) -> diglot::Result<Drawn> {
    let (config, _) = configuration(&store.settings().values);
    let (mut total, mut lines, mut smallest) = (0, Vec::new(), BinaryHeap::new());
    let asked = bitext::Asked { alternatives: true, ..bitext::Asked::default() };
    bitext::for_each_bead(store, &config, &Scope::all(), asked, |line| {
        total += 1;
        // The sentence pairs with the smallest hashes are a random sample that is the same each time.
        let number = xxh3_64([&*line.text_a, &line.text_b, &line.a.url, &line.b.url].join("\n").as_bytes());
        if lines.len() < MOST {
            smallest.push((number, lines.len()));
            lines.push(line);
        } else if let Some(mut last) = smallest.peek_mut().filter(|last| number < last.0) {
            lines[last.1] = line;
            last.0 = number;
        }
        Ok(())
    })?;
    let order: Vec<usize> = smallest.into_sorted_vec().into_iter().map(|(_, at)| at).collect();
    let mut lines: Vec<Option<BitextLine>> = lines.into_iter().map(Some).collect();
    let lines = order.into_iter().filter_map(|at| lines[at].take()).collect();
    // What was drawn is dropped if another program has changed the store meanwhile.
    store.witness().map_or(Ok(()), |witness| witness.check())?;
    Ok(Drawn { commit_hash: commit_hash(store), total, lines })
}
