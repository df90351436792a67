//! Words and weights that verification has learnt.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::learn::{Halves, Learnt, Params, SurePair, TrainingPair};
use crate::store::layout::{ArchivedLearntRecord, ArchivedSureRow, LearntRecord, SureRow};
use crate::store::records::RecordRef;
use crate::store::{SitePages, Store};
use crate::text::words::Words;
use crate::types::{Lang, LangPair, SiteId};

/// Words of two languages that verification learnt to be translations, the most probable first, at most
/// 20,000; words that are equal in both are left out. `None` where it learnt nothing.
///
/// The store has only hashes; the written forms of the words are found in the pages from which they were learnt.
///
/// # Errors
/// When the store cannot be read.
pub fn learnt_words(store: &Store, langs: LangPair) -> Result<Option<Vec<[String; 2]>>> {
    let Some(head) = store.learnt_head(langs)? else { return Ok(None) };
    let record = store.learnt.read(RecordRef(head.record))?;
    // The lower probability of the two directions; if both halves have the word pair, the mean of the halves.
    let mut sure: BTreeMap<(u64, u64), (f32, f32)> = BTreeMap::new();
    for pair in learnt_halves(&record).iter().flatten().filter(|pair| pair.a != pair.b) {
        let known = sure.entry((pair.a, pair.b)).or_default();
        *known = (known.0 + pair.forth.min(pair.back), known.1 + 1.0);
    }
    let mut ranked: Vec<(f32, (u64, u64))> = sure.into_iter().map(|(pair, (sum, count))| (sum / count, pair)).collect();
    ranked.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then_with(|| x.1.cmp(&y.1)));
    ranked.truncate(Params::default().max_lexicon);
    let mut names: [FxHashMap<u64, Option<String>>; 2] =
        [ranked.iter().map(|one| (one.1.0, None)).collect(), ranked.iter().map(|one| (one.1.1, None)).collect()];
    let words = Words::new();
    for (names, pages) in names.iter_mut().zip([&record.pages_a, &record.pages_b]) {
        for page in pages.iter() {
            let page = store.page(RecordRef(page.to_native()))?;
            words.for_each(page.text(), |surface, word| {
                if let Some(name @ None) = names.get_mut(&word) {
                    *name = Some(surface.to_lowercase());
                }
            });
        }
    }
    let named = |(p, (a, b)): (f32, (u64, u64))| Some((p, names[0].get(&a)?.clone()?, names[1].get(&b)?.clone()?));
    let mut named: Vec<(f32, String, String)> = ranked.into_iter().filter_map(named).collect();
    named.sort_by(|x, y| y.0.total_cmp(&x.0).then_with(|| (&x.1, &x.2).cmp(&(&y.1, &y.2))));
    Ok(Some(named.into_iter().map(|(_, first, second)| [first, second]).collect()))
}

/// The pairs of languages of which verification learnt words, sorted.
///
/// # Errors
/// When the store cannot be read.
pub fn learnt_langs(store: &Store) -> Result<Vec<LangPair>> {
    let mut found = Vec::new();
    for head in store.learnt_heads()? {
        let record = store.learnt.read(RecordRef(head.record))?;
        let has_words = record.halves.iter().any(|half| !half.is_empty());
        let langs = LangPair::new(Lang::from_bytes(record.lang_a), Lang::from_bytes(record.lang_b));
        found.extend(langs.filter(|_| has_words));
    }
    found.sort_unstable();
    Ok(found)
}

/// The word translations that were learnt, for the pages of each half.
pub fn learnt_halves(record: &ArchivedLearntRecord) -> Halves {
    let pair = |row: &ArchivedSureRow| SurePair {
        a: row.a.to_native(),
        b: row.b.to_native(),
        forth: row.forth.to_native(),
        back: row.back.to_native(),
    };
    [0, 1].map(|half: usize| record.halves[half].iter().map(pair).collect())
}

/// The words of two languages that verification has learnt to be translations, from both halves; none where it has learnt nothing.
///
/// # Errors
/// When the store cannot be read.
pub fn learnt_pairs(store: &Store, langs: LangPair) -> Result<Vec<SurePair>> {
    let Some(head) = store.learnt_head(langs)? else { return Ok(Vec::new()) };
    let record = store.learnt.read(RecordRef(head.record))?;
    Ok(pairs_of_halves(&learnt_halves(&record)))
}

/// The word pairs of both halves, each once.
pub fn pairs_of_halves(halves: &Halves) -> Vec<SurePair> {
    let mut pairs = halves.concat();
    pairs.sort_by_key(|pair| (pair.a, pair.b));
    pairs.dedup_by_key(|pair| (pair.a, pair.b));
    pairs
}

/// References to the records of the pages of training pairs, those of each language sorted.
///
/// # Errors
/// When the store cannot be read.
pub fn training_places(store: &Store, pairs: &[TrainingPair]) -> Result<[Vec<u64>; 2]> {
    let mut open: FxHashMap<SiteId, SitePages> = FxHashMap::default();
    let mut places: [BTreeSet<u64>; 2] = Default::default();
    for pair in pairs {
        if let Entry::Vacant(entry) = open.entry(pair.site) {
            let head = store.site(pair.site)?.unwrap_or_default();
            entry.insert(store.site_pages(&head)?);
        }
        for (places, page) in places.iter_mut().zip([pair.a, pair.b]) {
            let (chunk, at) = open[&pair.site].chunk(page);
            places.insert(chunk.page(at).0);
        }
    }
    Ok(places.map(|places| places.into_iter().collect()))
}

/// The record of what verification learnt of a language pair, from these pages and `inputs`.
pub fn learnt_record(langs: LangPair, inputs: u64, learnt: Learnt, [pages_a, pages_b]: [Vec<u64>; 2]) -> LearntRecord {
    let Learnt { pairs, weights, length_ratio, halves } = learnt;
    let row = |pair: SurePair| SureRow { a: pair.a, b: pair.b, forth: pair.forth, back: pair.back };
    LearntRecord {
        lang_a: langs.a.to_bytes(),
        lang_b: langs.b.to_bytes(),
        inputs,
        pairs: pairs as u32,
        weights,
        length_ratio,
        halves: halves.map(|half| half.into_iter().map(row).collect()),
        pages_a,
        pages_b,
    }
}
