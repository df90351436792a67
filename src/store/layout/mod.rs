//! The bytes of each record.
#![doc = include_str!("../../../docs/format.md")]

mod batch;
mod beads;
mod bitext;
mod catalog;
mod graph;
mod judged;
mod packed_names;
mod removal;
mod result;
mod settings;
mod site;
mod stored_page;
#[cfg(test)]
mod unchanged;
mod web;

pub use batch::{ArchiveIdentity, ArchivedBatchRecord, BatchRecord, PageEntry, SkipEntry, SkipSample};
pub use bitext::{
    ArchivedBitextPairRow, ArchivedRepeatRow, BeadRow, BitextChunk, BitextHead, BitextRecord, ModelHead, ModelRecord,
    PagePlaces, PairBitextRow, RepeatRecord, RepeatRow, ScoreHead, ScoreRecord, VocabularyRow,
};
pub use catalog::{
    ArchiveRecord, Credibility, FreshRecord, HintRecord, HostRecord, LossRecord, RefusedRecord, ResultHead, Sentinel,
    SiteHead, StageRecord, Taught,
};
pub use graph::{
    AlternateRow, ArchivedAlternateRow, ArchivedGraphRecord, CanonicalRow, GraphHead, GraphRecord, OutsideRow,
};
pub use judged::{ArchivedLearntRecord, ArchivedSureRow, JudgedHead, JudgedRecord, LearntHead, LearntRecord, SureRow};
pub use removal::RemovalRecord;
pub use result::{ArchivedKeyRow, ArchivedPairRow, ArchivedResultRecord, HostRow, KeyRow, PairRow, ResultRecord};
pub use settings::StoredSettings;
pub use site::{ArchivedSiteChunk, CHUNK_PAGES, ChunkBuilder, SiteChunk, SkipChunk};
pub use stored_page::{BLOCK_BYTES, BLOCK_PAGES, PageBlock, StoredPage, block, encode, page_of_block};
pub use web::{RequestRecord, RequestedRecord, RoundRecord, WebHead, WebRecord, web_records};

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::batch::*;
    use super::bitext::*;
    use super::catalog::*;
    use super::graph::*;
    use super::judged::*;
    use super::removal::*;
    use super::result::*;
    use super::settings::*;
    use super::site::*;
    use super::web::*;

    const FORMAT: &str = include_str!("../../../docs/format.md");

    /// What docs/format.md must say of a record: its name, archived type, and fields in order.
    macro_rules! layouts {
        ($($name:ident = $archived:ident { $($field:ident),* })*) => {
            vec![$((stringify!($name), size_of::<$archived>(), vec![$((stringify!($field), offset_of!($archived, $field))),*])),*]
        };
    }

    /// Name, size and fields of a record, each field with its place.
    type Layout = (&'static str, usize, Vec<(&'static str, usize)>);

    fn layouts() -> Vec<Layout> {
        layouts! {
            BatchRecord = ArchivedBatchRecord { archive, identity, from, to, done, records, skips, samples, pages, skipped }
            ArchiveIdentity = ArchivedArchiveIdentity { path, format, bytes, fingerprint }
            SkipSample = ArchivedSkipSample { reason, offset, detail }
            PageEntry = ArchivedPageEntry {
                identity, https, form, page, date_ms, digest, text_bytes, title, sketch, detected, confidence, is_guess, declared,
                latin_share, letters, links, translated, original, opt_outs, license
            }
            SkipEntry = ArchivedSkipEntry { identity, reason, detail, archive, offset, length, declared }
            SiteChunk = ArchivedSiteChunk {
                identities, ends, https, pages, dates, digests, langs, detected, confidence, guesses, declared, latin_share,
                letters, letter_places, text_bytes, titles, sketches, forms, links, signals, licenses
            }
            SignalRow = ArchivedSignalRow { at, opt_outs, license, mark, original }
            SkipChunk = ArchivedSkipChunk { entries }
            ResultRecord = ArchivedResultRecord {
                site, generation, params, considered, keys, alone, pairs, relabelled, copies, hosts, taught
            }
            KeyRow = ArchivedKeyRow {
                lang_a, lang_b, edits, scope, power, site_pages, credibility, assigned, state
            }
            EditRow = ArchivedEditRow { field, from, to, core }
            PairRow = ArchivedPairRow { a, b, key }
            HostRow = ArchivedHostRow { host, pages, pairs, credibility, langs }
            GraphRecord = ArchivedGraphRecord {
                site, generation, first, ends, targets, at, kinds, alternates, canonical, outside, listed
            }
            AlternateRow = ArchivedAlternateRow { from, to, lang }
            CanonicalRow = ArchivedCanonicalRow { from, to }
            OutsideRow = ArchivedOutsideRow { from, host, links }
            JudgedRecord = ArchivedJudgedRecord {
                site, generation, langs, pairs, measures, similarities, sources, hosts, copies
            }
            JudgedRow = ArchivedJudgedRow { a, b, key, evidence, score, langs, method, outcome }
            SourceRow = ArchivedSourceRow { lang_a, lang_b, key, method, proposed, accepted, precision }
            JudgedHead = ArchivedJudgedHead { record, generation, result, inputs, pairs }
            LearntRecord = ArchivedLearntRecord {
                lang_a, lang_b, inputs, pairs, weights, length_ratio, halves, pages_a, pages_b
            }
            SureRow = ArchivedSureRow { a, b, forth, back }
            LearntHead = ArchivedLearntHead { record, inputs }
            GraphHead = ArchivedGraphHead { generation, params, chunks }
            RequestRecord = ArchivedRequestRecord { requested, rounds }
            RequestedRecord = ArchivedRequestedRecord { from, pattern, lang, credibility, https }
            WebRecord = ArchivedWebRecord { first, ends, targets, links, names, name_ends, credibility, pairs }
            WebHead = ArchivedWebHead { fingerprint, chunks }
            RoundRecord = ArchivedRoundRecord { by, by_domain, web, seeds, pairs, requested }
            BitextChunk = ArchivedBitextChunk { site, first, pairs, beads }
            BitextPairRow = ArchivedBitextPairRow { page_a, page_b, a, b, lang_a, lang_b, score, beads }
            RepeatRecord = ArchivedRepeatRecord { rows }
            RepeatRow = ArchivedRepeatRow { pair, bead, reason, others, elsewhere }
            PagePlaces = ArchivedPagePlaces { a, b }
            ModelRecord = ArchivedModelRecord { lang_a, lang_b, ratio, variance, scoring, a, b }
            VocabularyRow = ArchivedVocabularyRow { bytes }
            BitextHead = ArchivedBitextHead {
                chunks, repeats, generation, params, source, source_table, pairs, models, done, finished, kept,
                dropped, shared, compared, shared_dropped
            }
            ModelHead = ArchivedModelHead { record, input, params }
            ScoreRecord = ArchivedScoreRecord { lines, scores, pages }
            ScoreHead = ArchivedScoreHead { chunks, scorer, bitext, finished }
            Sentinel = ArchivedSentinel { commit, ends, seals }
            StoredSettings = ArchivedStoredSettings { values }
            ArchiveRecord = ArchivedArchiveRecord { identity, position, done, records, pages, skips, samples }
            SiteHead = ArchivedSiteHead { domain, chunks, skipped, pages, older, generation, indexed, hosts, withheld, left_out }
            HostRecord = ArchivedHostRecord { host, langs }
            ResultHead = ArchivedResultHead { record, generation, params, considered, pairs, languages, is_asked }
            Credibility = ArchivedCredibility { sum, sites }
            Taught = ArchivedTaught { letters }
            StageRecord = ArchivedStageRecord { fingerprint, cursor, finished }
            LossRecord = ArchivedLossRecord { pages, archives }
            FreshRecord = ArchivedFreshRecord { commit, stages }
            RemovalRecord = ArchivedRemovalRecord { batches, names, replaces, purged }
            HintRecord = ArchivedHintRecord { stamp, fingerprint }
            RefusedRecord = ArchivedRefusedRecord { path, reason, is_fault }
        }
    }

    #[test]
    fn the_format_document_has_every_field_at_its_place() {
        for (name, size, fields) in layouts() {
            let title = format!("`{name}`, {size} bytes");
            let section =
                FORMAT.split("\n#").find(|section| section.lines().next().is_some_and(|line| line.contains(&title)));
            let section = section.unwrap_or_else(|| panic!("no section is headed {title}: {fields:?}"));
            for (field, offset) in fields {
                let row = format!("| {offset} | `{field}` |");
                assert!(section.contains(&row), "{name}: no row {row}");
            }
        }
    }
}
