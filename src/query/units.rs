//! Units: sentences that stand in several languages, joined from the sentence pairs of all page pairs of a document.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::archives::ArchiveNames;
use crate::align::units::{Contradiction, Link, Stretch, Unit, join};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::judge::versions::Documents;
use crate::site::bitext::{SiteBitext, are_compared, is_translation, page_record, rounded};
use crate::site::paragraphs::{Paragraphs, sentence_text};
use crate::site::repetitions::Cursor;
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::store::layout::{ArchivedBitextPairRow, BeadRow};
use crate::text::sentences::for_each_sentence;
use crate::types::{Lang, LangPair, PagePair, Place, Provenance, UnitLine, UnitPair, UnitText};

/// How many sentence pairs of two wanted languages join no unit, by reason.
pub type Contradictions = BTreeMap<&'static str, u64>;

/// The reason for sentence pairs of two pages that are versions of different documents.
const TWO_DOCUMENTS: &str = "of two documents";

/// Calls `each` with every unit of a scope that has two `is_wanted` languages, with its texts in these: by domain, by the first URL of the
/// document, then in the order of the document in the language that is listed first, and of what is not in it in the next one.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_unit(
    store: &Store,
    config: &Config,
    scope: &Scope,
    is_wanted: &dyn Fn(Lang) -> bool,
    mut each: impl FnMut(UnitLine) -> Result<()>,
) -> Result<Contradictions> {
    let mut archives = ArchiveNames::default();
    let mut contradictions = Contradictions::new();
    let are_compared = scope.is_all() && are_compared(store)?;
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(bitext) = SiteBitext::open(store, &site)? else { continue };
        let documents = SiteDocuments::new(&site, &bitext, scope);
        for part in documents.parts(config.memory.sorted_beads() / size_of::<Found>()) {
            let found = documents.collect(&bitext, are_compared, part.clone(), |row| {
                if part.start == 0
                    && [row.lang_a, row.lang_b].iter().all(|&lang| is_wanted(Lang::from_bytes(lang)))
                    && [row.a, row.b].iter().any(|page| scope.has_host(site.pages.identity(page.to_native())))
                {
                    *contradictions.entry(TWO_DOCUMENTS).or_default() += 1;
                }
            });
            for found in found.chunk_by(|one, other| one.document == other.document) {
                let document =
                    Document::open(store, &site, (documents.first[found[0].document as usize], found), &mut archives)?;
                document.for_each_unit((config, is_wanted), &mut contradictions, &mut each)?;
            }
        }
    }
    Ok(contradictions)
}

/// The documents of a site: groups of pages that are versions of each other, one in each language.
struct SiteDocuments {
    /// The document of each page pair; `None` where the two pages are of two documents.
    of_pair: Vec<Option<u32>>,
    /// The first page of each document.
    first: Vec<u32>,
    /// How many beads the page pairs of each document have, in the order of their first URLs; 0 for a document outside the scope.
    beads: Vec<u64>,
}

impl SiteDocuments {
    /// Joins pages into documents by page pairs, in the order of the share that is aligned, the greatest first.
    fn new(site: &Site, bitext: &SiteBitext, scope: &Scope) -> SiteDocuments {
        let mut order: Vec<(f32, u32)> = bitext.pairs().map(|row| row.score.to_native()).zip(0u32..).collect();
        order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut joined = Documents::default();
        let mut is_joined = vec![false; order.len()];
        for (_, place) in order {
            let page_pair = |row: &ArchivedBitextPairRow| {
                let langs = LangPair::new(Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b))?;
                Some(PagePair { langs, a: row.a.to_native(), b: row.b.to_native() })
            };
            let page_pair = bitext.pair(place).and_then(page_pair);
            is_joined[place as usize] = page_pair.is_some_and(|pair| joined.join(pair));
        }
        let mut groups: Vec<Vec<u32>> =
            joined.into_groups().map(|group| group.into_iter().map(|(_, page)| page).collect()).collect();
        // Pages are numbered in the order of their URLs.
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        let is_here = |pages: &[u32]| pages.iter().any(|&page| scope.has_host(site.pages.identity(page)));
        let are_here: Vec<bool> = groups.iter().map(|group| is_here(group)).collect();
        let document: FxHashMap<u32, u32> = groups
            .iter()
            .zip(0u32..)
            .flat_map(|(group, number)| group.iter().map(move |&page| (page, number)))
            .collect();
        let mut documents = SiteDocuments {
            of_pair: Vec::new(),
            first: groups.iter().map(|group| group[0]).collect(),
            beads: vec![0; groups.len()],
        };
        for (row, is_joined) in bitext.pairs().zip(is_joined) {
            let of_pair = document.get(&row.a.to_native()).copied().filter(|_| is_joined);
            if let Some(number) = of_pair.map(|number| number as usize).filter(|&number| are_here[number]) {
                documents.beads[number] += u64::from(row.beads.to_native());
            }
            documents.of_pair.push(of_pair);
        }
        documents
    }

    /// Divides the documents into parts that have no more beads than this, or consist of one document.
    fn parts(&self, most_beads: usize) -> Vec<std::ops::Range<u32>> {
        let mut parts: Vec<std::ops::Range<u32>> = Vec::new();
        let mut sum = 0;
        for (&beads, number) in self.beads.iter().zip(0u32..) {
            sum += beads;
            match parts.last_mut().filter(|_| sum <= most_beads as u64) {
                Some(part) => part.end = number + 1,
                None => {
                    parts.push(number..number + 1);
                    sum = beads;
                }
            }
        }
        parts
    }

    /// The sentence pairs of some documents, by document. `refused` is called with those of page pairs that are of two documents.
    fn collect(
        &self,
        bitext: &SiteBitext,
        are_compared: bool,
        part: std::ops::Range<u32>,
        mut refused: impl FnMut(&ArchivedBitextPairRow),
    ) -> Vec<Found> {
        let mut repeats = Cursor::new(bitext.repeats());
        let mut shared = Cursor::new(bitext.shared().filter(|_| are_compared));
        let mut all = Vec::new();
        for ((row, beads), place) in bitext.aligned().zip(0u32..) {
            let document = self.of_pair.get(place as usize).copied().flatten();
            for (bead, number) in beads.iter().zip(0u32..) {
                let (repeat, share) = (repeats.of(place, number), shared.of(place, number));
                if !is_translation(bead, repeat) {
                    continue;
                }
                match document {
                    None => refused(row),
                    Some(document) if part.contains(&document) && self.beads[document as usize] > 0 => {
                        let is_repeated = [repeat, share].into_iter().flatten().any(|repeat| repeat.reason != 0);
                        all.push(Found::new(document, row, bead, is_repeated));
                    }
                    Some(_) => {}
                }
            }
        }
        all.sort_by_key(|found| found.document);
        all
    }
}

/// A sentence pair.
struct Found {
    document: u32,
    pages: [u32; 2],
    langs: [Lang; 2],
    /// Its bytes on the pages.
    ranges: [(u32, u32); 2],
    score: f32,
    /// True where the sentence pair is left out of bitext because another page pair has it too.
    is_repeated: bool,
}

impl Found {
    fn new(document: u32, row: &ArchivedBitextPairRow, bead: &BeadRow, is_repeated: bool) -> Found {
        Found {
            document,
            pages: [row.a.to_native(), row.b.to_native()],
            langs: [Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b)],
            ranges: [(bead.a_start, bead.a_end), (bead.b_start, bead.b_end)],
            score: bead.score,
            is_repeated,
        }
    }
}

/// A document with those of its versions that have sentence pairs, in the order of their URLs.
struct Document<'f> {
    id: u64,
    /// The page of each version, rising.
    pages: Vec<u32>,
    versions: Vec<Version>,
    found: &'f [Found],
}

/// A page with its sentences.
struct Version {
    lang: Lang,
    page: Paragraphs,
    archive: String,
    provenance: Provenance,
    /// The bytes of each sentence.
    sentences: Vec<(u32, u32)>,
}

impl<'f> Document<'f> {
    /// One with its first page, and its sentence pairs.
    fn open(
        store: &Store,
        site: &Site,
        (first, found): (u32, &'f [Found]),
        archives: &mut ArchiveNames,
    ) -> Result<Document<'f>> {
        let pages: BTreeMap<u32, Lang> =
            found.iter().flat_map(|found| found.pages.into_iter().zip(found.langs)).collect();
        let mut versions = Vec::with_capacity(pages.len());
        for (&page, &lang) in &pages {
            let record = page_record(store, site, page)?;
            let archive = archives.of(store, &record)?;
            let provenance = site.provenance_in(page, &record);
            let mut sentences = Vec::new();
            for block in record.blocks() {
                let inside = record.text().get(block.start as usize..block.end as usize).unwrap_or("");
                for_each_sentence(inside, lang, |range| {
                    sentences.push((block.start + range.start as u32, block.start + range.end as u32));
                });
            }
            versions.push(Version { lang, page: Paragraphs::new(record, lang), archive, provenance, sentences });
        }
        // The document may have no sentence pairs.
        let id = xxh3_64(site.pages.identity(first).as_bytes());
        Ok(Document { id, pages: pages.into_keys().collect(), versions, found })
    }

    /// Calls `each` with the units, and counts the sentence pairs that contradict others.
    fn for_each_unit(
        &self,
        (config, is_wanted): (&Config, &dyn Fn(Lang) -> bool),
        contradictions: &mut Contradictions,
        each: &mut dyn FnMut(UnitLine) -> Result<()>,
    ) -> Result<()> {
        let (mut links, mut repeated) = (Vec::new(), Vec::new());
        for found in self.found {
            let side = |at: usize| {
                let version = self.pages.binary_search(&found.pages[at]).ok()?;
                Some(Stretch { version: version as u32, sentences: self.versions[version].numbers(found.ranges[at])? })
            };
            if let (Some(a), Some(b)) = (side(0), side(1)) {
                links.push(Link { sides: [a, b], score: found.score });
                repeated.push(found.is_repeated);
            }
        }
        let counts: Vec<u32> = self.versions.iter().map(|version| version.sentences.len() as u32).collect();
        let found = join(&counts, &links);
        let lang = |side: &Stretch| self.versions[side.version as usize].lang;
        for (at, reason) in found.contradictions {
            if !links[at as usize].sides.iter().all(|side| is_wanted(lang(side))) {
                continue;
            }
            *contradictions.entry(name(reason)).or_default() += 1;
        }
        // Versions in the order in which their languages are listed.
        let mut listed: Vec<u32> = (0..self.versions.len() as u32).collect();
        listed.sort_by_key(|&version| {
            let lang = self.versions[version as usize].lang;
            (config.lang_rank(lang), lang)
        });
        listed.retain(|&version| is_wanted(self.versions[version as usize].lang));
        let mut units: Vec<((usize, u32), &Unit)> = Vec::new();
        for unit in &found.units {
            let of = |version: u32| unit.stretches.iter().find(|stretch| stretch.version == version);
            let mut wanted =
                listed.iter().enumerate().filter_map(|(at, &version)| Some((at, of(version)?.sentences.start)));
            if let (Some(place), Some(_)) = (wanted.next(), wanted.next()) {
                units.push((place, unit));
            }
        }
        units.sort_by_key(|(place, _)| *place);
        units.into_iter().try_for_each(|(_, unit)| each(self.line(unit, &links, &repeated, &listed)))
    }

    fn line(&self, unit: &Unit, links: &[Link], repeated: &[bool], listed: &[u32]) -> UnitLine {
        let mut id = Xxh3::new();
        id.update(&self.id.to_le_bytes());
        for Stretch { version, sentences } in &unit.stretches {
            id.update(self.versions[*version as usize].page.page.url().as_bytes());
            id.update(&[0]);
            id.update(&sentences.start.to_le_bytes());
            id.update(&sentences.end.to_le_bytes());
        }
        let of = |version: &u32| unit.stretches.iter().find(|stretch| stretch.version == *version);
        let texts: Vec<UnitText> =
            listed.iter().filter_map(of).map(|stretch| self.versions[stretch.version as usize].text(stretch)).collect();
        let mut pairs: BTreeMap<(usize, usize), f32> = BTreeMap::new();
        for &at in &unit.links {
            let link = &links[at as usize];
            let rank = |side: &Stretch| listed.iter().position(|version| *version == side.version);
            let [Some(a), Some(b)] = link.sides.each_ref().map(rank) else { continue };
            let least = pairs.entry((a.min(b), a.max(b))).or_insert(link.score);
            *least = least.min(link.score);
        }
        let lang = |at: usize| self.versions[listed[at] as usize].lang;
        let pair = |((a, b), score)| UnitPair { lang_a: lang(a), lang_b: lang(b), score: rounded(score) };
        UnitLine {
            id: id.digest(),
            document: self.id,
            langs: texts.iter().map(|text| text.lang.as_str()).collect::<Vec<_>>().join(","),
            score: rounded(unit.score),
            contradictions: unit.contradictions,
            is_repeated: unit.links.iter().all(|&at| repeated[at as usize]),
            texts,
            pairs: pairs.into_iter().map(pair).collect(),
        }
    }
}

impl Version {
    /// The numbers of the sentences in a range of bytes; `None` where there are none.
    fn numbers(&self, (start, end): (u32, u32)) -> Option<std::ops::Range<u32>> {
        let from = self.sentences.partition_point(|sentence| sentence.1 <= start) as u32;
        let to = self.sentences.partition_point(|sentence| sentence.0 < end) as u32;
        (from < to).then_some(from..to)
    }

    /// Some sentences, and where they stand.
    fn text(&self, stretch: &Stretch) -> UnitText {
        let (first, last) = (stretch.sentences.start as usize, stretch.sentences.end as usize - 1);
        let (start, end) = (self.sentences[first].0, self.sentences[last].1);
        let paragraph = self.page.paragraph(start);
        let before = self.sentences.partition_point(|sentence| self.page.paragraph(sentence.0) < paragraph);
        let sentence = (first - before) as u32;
        let place = Place {
            url: self.page.page.url().to_owned(),
            archive: self.archive.clone(),
            offset: self.page.page.offset,
            block: format!("{paragraph}:{}", self.page.tag(paragraph)),
            kind: Some(self.page.kind(paragraph)),
            paragraph: Some(paragraph),
            sentence: Some(sentence),
            count: stretch.sentences.end - stretch.sentences.start,
            provenance: self.provenance.clone(),
            ..Place::default()
        };
        UnitText { lang: self.lang, text: sentence_text(&self.page.page, (start, end)), place }
    }
}

fn name(reason: Contradiction) -> &'static str {
    match reason {
        Contradiction::OtherSentences => "with other sentences",
        Contradiction::Apart => "with sentences apart",
        Contradiction::InPart => "in part",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_taken_in_parts_that_fit() {
        let parts =
            |beads: &[u64]| SiteDocuments { of_pair: Vec::new(), first: Vec::new(), beads: beads.to_vec() }.parts(10);
        assert_eq!(parts(&[5, 5, 1, 20, 0, 3, 7, 1]), [0..2, 2..3, 3..4, 4..7, 7..8]);
        assert!(parts(&[]).is_empty());
    }
}
