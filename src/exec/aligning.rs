//! Page pairs of a part → sentence pairs; on the way, texts from which the models of language pairs are learnt.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::coding::{Langs, decode, encode, joined, langs_of, name_of, of_langs, split};
use super::job::{StepJob, expect};
use super::merging::{Bead, BeadsOfSite, beads_row};
use super::rows::{EngineRow, Input, Output};
use super::sampling::{ChosenPages, restore_chosen};
use super::sites::lang_pairs;
use super::snapshot::{self, Restored};
use super::teaching::{langs_of_row, learnt};
use crate::align::routes::Routes;
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::learn::Halves;
use crate::lexicon::LexiconSet;
use crate::pipeline::stages::align::{Align, learn_pages};
use crate::site::Site;
use crate::site::bitext::{model_of, model_record, page_place};
use crate::site::learnt::pairs_of_halves;
use crate::site::numbered::NumberedBitext;
use crate::site::scope::for_each_site;
use crate::store::layout::{ModelRecord, StoredPage, VocabularyRow};
use crate::store::records::RecordRef;
use crate::store::{Store, pack, unpack};
use crate::text::words::Words;
use crate::types::{LangPair, SiteId};

/// The kind of rows of texts that alignment learns from. Number: position in the sample.
const TEXT: &str = "text";
/// How many sentence pairs of a site a row has at most.
const BEADS: usize = 1 << 14;
/// The kind of rows of models.
const MODEL: &str = "model";

/// Store rows of a part → those of its texts from which models are learnt.
pub fn texts(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some((store, chosen)) = restore_chosen(job, input)? else { return Ok(()) };
    let mut sites: BTreeMap<u32, Site> = BTreeMap::new();
    for row in chosen {
        let (langs, pairs): (Langs, Vec<ChosenPages>) = row.decode()?;
        for (number, a, b, place, is_learnt) in pairs {
            let site = match sites.entry(number) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(Site::open(&store, SiteId(number))?),
            };
            let bytes = |page: u32| {
                if page >= site.pages.count() {
                    return Err(row.refused(format!("page {page} of site {number} is not in the store rows")));
                }
                store.page_bytes(RecordRef(page_place(site, page)))
            };
            let (a, b) = (bytes(a)?, bytes(b)?);
            let pages = pack(&joined(&a, &b)).map_err(Error::io("memory", "compressing texts"))?;
            let data = Some(joined(&encode(&(langs, is_learnt))?, &pages));
            let number = i64::from(place);
            output.put(&EngineRow { part: -1, kind: TEXT.into(), name: row.name.clone(), number, count: 1, data })?;
        }
    }
    Ok(())
}

/// A page pair from which a model is learnt.
struct Text {
    place: i64,
    is_learnt: bool,
    pages: (StoredPage, StoredPage),
}

/// A model, in the form in which it stands in rows.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct ModelRow {
    langs: Langs,
    ratio: f32,
    variance: f32,
    scoring: Vec<f32>,
    a: Vec<u8>,
    b: Vec<u8>,
}

/// Texts of language pairs → the model of each.
pub fn model(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut by_langs: BTreeMap<LangPair, Vec<Text>> = BTreeMap::new();
    while let Some(row) = input.read()? {
        expect(&row, &[TEXT])?;
        let senseless = || row.senseless();
        let (head, pages) = split(row.bytes()?).ok_or_else(senseless)?;
        let (langs, is_learnt): (Langs, bool) = decode(head).ok_or_else(senseless)?;
        let pages = unpack(pages).ok_or_else(senseless)?;
        let (a, b) = split(&pages).ok_or_else(senseless)?;
        let page = |bytes| StoredPage::decode(bytes).ok_or_else(senseless);
        let text = Text { place: row.number, is_learnt, pages: (page(a)?, page(b)?) };
        by_langs.entry(langs_of(langs)?).or_default().push(text);
    }
    let learnt = learnt(job, &by_langs.keys().copied().collect())?;
    let known: BTreeMap<LangPair, Halves> = learnt.into_iter().map(|(langs, learnt)| (langs, learnt.halves)).collect();
    let (words, lexicons) = (Words::new(), LexiconSet::read(&job.config.lexicons)?);
    for (langs, mut texts) in by_langs {
        texts.sort_unstable_by_key(|text| text.place);
        let count = texts.iter().filter(|text| text.is_learnt).count();
        let pages: Vec<_> = texts.into_iter().map(|text| text.pages).collect();
        let known = known.get(&langs).map(pairs_of_halves).unwrap_or_default();
        let model = model_record(
            langs,
            learn_pages((&pages, count), langs, (&known, &lexicons), (&job.config.align, &words), &()),
        );
        let row = ModelRow {
            langs: of_langs(langs),
            ratio: model.ratio,
            variance: model.variance,
            scoring: model.scoring,
            a: model.a.bytes,
            b: model.b.bytes,
        };
        let (name, count) = (name_of(langs), pages.len() as i64);
        output.put(&EngineRow { part: -1, kind: MODEL.into(), name, number: 0, count, data: Some(encode(&row)?) })?;
    }
    Ok(())
}

/// Which language pairs were learnt, and the models that the `wanted` ones need.
fn models(job: &StepJob<'_>, wanted: &BTreeSet<LangPair>) -> Result<(Routes, Vec<(LangPair, ModelRecord)>)> {
    let mut learnt = Vec::new();
    job.for_each_given(MODEL, |row| {
        // The first row of a model begins with its languages.
        learnt.push(langs_of_row(&row, row.decode::<Langs>()?)?);
        Ok(())
    })?;
    let routes = Routes::new(learnt);
    let needed: BTreeSet<String> = wanted.iter().flat_map(|&langs| routes.needed(langs)).map(name_of).collect();
    let mut found = Vec::new();
    job.for_each_given(MODEL, |row| {
        if needed.contains(&row.name) {
            let ModelRow { langs: [lang_a, lang_b], ratio, variance, scoring, a, b } = row.decode()?;
            let langs = langs_of_row(&row, [lang_a, lang_b])?;
            let (a, b) = (VocabularyRow { bytes: a }, VocabularyRow { bytes: b });
            let record = ModelRecord { lang_a, lang_b, ratio, variance, scoring, a, b };
            if model_of(&record).is_none() {
                return Err(row.senseless());
            }
            found.push((langs, record));
        }
        Ok(())
    })?;
    Ok((routes, found))
}

/// Store rows of a part → store rows with its sentence pairs, and rows with the hashes of these, by bucket.
pub fn align(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some(Restored { part, mut store }) = snapshot::read(job, input)? else { return Ok(()) };
    let (routes, models) = models(job, &lang_pairs(&store)?)?;
    store.import_models(models)?;
    job.in_context(|context| Align.align_alone(&mut store, context, &routes))?;
    // Sites are taken in the order of domains. If several have the same sentence pair with a score as good as any, the first one keeps it.
    let mut sites = Vec::new();
    for_each_site(&store, |domain, id| sites.push((domain.to_owned(), id)))?;
    for (domain, id) in sites {
        beads(job, (part, &domain), &store, id, output)?;
    }
    snapshot::write(part, store, output)
}

/// Writes the hashes of the sentence pairs that a site keeps, with the page pairs in which each stands.
fn beads(
    job: &StepJob<'_>,
    (part, domain): (i32, &str),
    store: &Store,
    id: SiteId,
    output: &mut Output<'_>,
) -> Result<()> {
    let Some(head) = store.bitext_head(id)?.filter(|head| !head.chunks.is_empty()) else { return Ok(()) };
    let site = Site::open(store, id)?;
    let bitext = NumberedBitext::new(store, &head)?;
    let buckets = u64::from(job.buckets.max(1));
    let mut found: BTreeMap<i32, (BeadsOfSite, HashMap<u32, u32>)> = BTreeMap::new();
    bitext.for_each_kept(store, |hash, number, score| {
        let bucket = (hash % buckets) as i32;
        let (of_bucket, places) = found.entry(bucket).or_default();
        let mut page_pairs = Vec::new();
        bitext.for_each_place(store, number, |place, row| {
            let urls = &mut of_bucket.urls;
            page_pairs.push(*places.entry(place).or_insert_with(|| {
                let url = |page: u32| if page < site.pages.count() { site.pages.url(page) } else { String::new() };
                urls.push((url(row.a.to_native()), url(row.b.to_native())));
                urls.len() as u32 - 1
            }));
        })?;
        of_bucket.beads.push(Bead { hash, number, score, page_pairs });
        if of_bucket.beads.len() < BEADS {
            return Ok(());
        }
        let Some((beads, _)) = found.remove(&bucket) else { return Ok(()) };
        output.put(&beads_row(bucket, part, domain, &beads)?)
    })?;
    for (bucket, (beads, _)) in found {
        output.put(&beads_row(bucket, part, domain, &beads)?)?;
    }
    store.bitexts.unmap();
    store.repeats.unmap();
    Ok(())
}
