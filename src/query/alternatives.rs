//! How many translations a text has on its site.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// A sentence pair: its languages, and the hashes of its texts.
pub(super) type Texts = ([[u8; 8]; 2], [u64; 2]);

/// Bytes of an entry while texts are counted.
const ENTRY_BYTES: usize = size_of::<(u64, u64)>();

/// For the texts of a site, how many different texts of another language are kept as translations of them.
#[derive(Default)]
pub(super) struct Alternatives {
    /// Those of the texts that have more than one, by [`key`].
    several: FxHashMap<u64, u32>,
}

impl Alternatives {
    /// Of a site with so many sentence pairs. `for_each` is to give those that count, each time it is called the same ones; it is called more
    /// than once where what is counted takes more than `budget_bytes`.
    pub fn new(count: usize, budget_bytes: usize, for_each: impl Fn(&mut dyn FnMut(Texts))) -> Alternatives {
        let passes = (2 * count * ENTRY_BYTES).div_ceil(budget_bytes.max(1)).max(1) as u64;
        let mut several = FxHashMap::default();
        for pass in 0..passes {
            let mut entries: Vec<(u64, u64)> = Vec::new();
            for_each(&mut |pair| {
                for side in 0..2 {
                    let key = key(pair, side);
                    if key % passes == pass {
                        entries.push((key, pair.1[1 - side]));
                    }
                }
            });
            entries.sort_unstable();
            entries.dedup();
            let counts = entries.chunk_by(|(text, _), (other, _)| text == other);
            several.extend(counts.filter(|texts| texts.len() > 1).map(|texts| (texts[0].0, texts.len() as u32)));
        }
        Alternatives { several }
    }

    /// How many texts are kept as translations of the texts of a sentence pair, one of those that count: of its first, and of its second.
    pub fn of(&self, pair: Texts) -> [u32; 2] {
        [0, 1].map(|side| self.several.get(&key(pair, side)).copied().unwrap_or(1))
    }
}

/// A text of a side of a language pair.
fn key((langs, texts): Texts, side: usize) -> u64 {
    let parts = [langs[0], langs[1], texts[side].to_le_bytes(), (side as u64).to_le_bytes()];
    xxh3_64(parts.as_flattened())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_many_texts_are_counted_as_there_are_in_whatever_memory(
            pairs in prop::collection::vec((0u8..3, 1u64..5, 1u64..5), 0..40),
            budget_bytes in 1usize..400,
        ) {
            let pairs: Vec<Texts> = pairs.into_iter().map(|(lang, a, b)| ([*b"en\0\0\0\0\0\0", [lang; 8]], [a, b])).collect();
            let found = Alternatives::new(pairs.len(), budget_bytes, |each| pairs.iter().copied().for_each(each));
            let mut expected: BTreeMap<_, BTreeSet<u64>> = BTreeMap::new();
            for (langs, texts) in &pairs {
                for side in 0..2 {
                    expected.entry((langs, side, texts[side])).or_default().insert(texts[1 - side]);
                }
            }
            for pair @ (langs, texts) in &pairs {
                let of = [0, 1].map(|side| expected[&(langs, side, texts[side])].len() as u32);
                prop_assert_eq!(found.of(*pair), of);
            }
        }
    }
}
