//! How many translations a text has on its site.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// A sentence pair: its languages, and the hashes of its texts.
pub(super) type Texts = ([[u8; 8]; 2], [u64; 2]);

/// Gives sentence pairs, the same ones each time it is called.
pub(super) type Pairs<'p> = dyn Fn(&mut dyn FnMut(Texts)) + 'p;

/// Bytes of an entry while texts are counted.
const ENTRY_BYTES: usize = size_of::<(u64, u64)>();

/// Counts, for texts of a site, how many different texts in another language are kept as their translations.
#[derive(Default)]
pub(super) struct Alternatives {
    /// The counts of the texts that have more than one translation, by [`key`].
    several: FxHashMap<u64, u32>,
}

impl Alternatives {
    /// Counts for the texts of the sentence pairs that `asked` gives, or for all texts where `asked` is `None`. `for_each` must give all
    /// sentence pairs of the site that count. It is called several times where the counts would take more than `budget_bytes`.
    pub fn new(asked: Option<&Pairs<'_>>, budget_bytes: usize, for_each: &Pairs<'_>) -> Alternatives {
        let asked = asked.map(|for_each| {
            let mut keys = FxHashSet::default();
            for_each(&mut |pair| keys.extend([key(pair, 0), key(pair, 1)]));
            keys
        });
        let for_each_text = |each: &mut dyn FnMut(u64, u64)| {
            for_each(&mut |pair| {
                for side in 0..2 {
                    let key = key(pair, side);
                    if asked.as_ref().is_none_or(|asked| asked.contains(&key)) {
                        each(key, pair.1[1 - side]);
                    }
                }
            });
        };
        let mut count = 0;
        for_each_text(&mut |_, _| count += 1);
        let passes = (count * ENTRY_BYTES).div_ceil(budget_bytes.max(1)).max(1) as u64;
        let mut several = FxHashMap::default();
        for pass in 0..passes {
            let mut entries: Vec<(u64, u64)> = Vec::new();
            for_each_text(&mut |key, other| {
                if key % passes == pass {
                    entries.push((key, other));
                }
            });
            entries.sort_unstable();
            entries.dedup();
            let counts = entries.chunk_by(|(text, _), (other, _)| text == other);
            several.extend(counts.filter(|texts| texts.len() > 1).map(|texts| (texts[0].0, texts.len() as u32)));
        }
        Alternatives { several }
    }

    /// How many texts are kept as translations of the first text of a sentence pair, and of its second one. The pair must be among those
    /// that were asked about.
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
            asked in prop::option::of(0usize..9),
        ) {
            let pairs: Vec<Texts> = pairs.into_iter().map(|(lang, a, b)| ([*b"en\0\0\0\0\0\0", [lang; 8]], [a, b])).collect();
            let some = &pairs[..asked.unwrap_or(pairs.len()).min(pairs.len())];
            let of = |each: &mut dyn FnMut(Texts)| some.iter().copied().for_each(each);
            let found = Alternatives::new(asked.map(|_| &of as _), budget_bytes, &|each| pairs.iter().copied().for_each(each));
            prop_assert!(found.several.len() <= 2 * some.len());
            let mut expected: BTreeMap<_, BTreeSet<u64>> = BTreeMap::new();
            for (langs, texts) in &pairs {
                for side in 0..2 {
                    expected.entry((langs, side, texts[side])).or_default().insert(texts[1 - side]);
                }
            }
            for pair @ (langs, texts) in some {
                let of = [0, 1].map(|side| expected[&(langs, side, texts[side])].len() as u32);
                prop_assert_eq!(found.of(*pair), of);
            }
        }
    }
}
