//! Compares the sentence pairs of two stores: those of the same two pages, by hashes of their texts.

use rustc_hash::FxHashMap;

use super::change::{Change, SentenceChange};
use super::side::{Side, domains};
use crate::align::clean::Reason;
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::site::bitext::{SiteBitext, page_record, rounded};
use crate::site::paragraphs::sentence_text;
use crate::site::results::Site;
use crate::store::layout::{BeadRow, StoredPage};
use crate::types::{Lang, SiteId};

/// Calls `each` with every sentence pair that either store keeps: by domain, then those of the second store, then those that only the first
/// has, each in the order in which its store lists them. Sentence pairs that another site has too count as left out where this is known of
/// both stores ([`Side::is_compared`]). With `texts`, the texts of those that differ are given too. Memory: for one site of each store, 16
/// bytes for each page pair and a chunk of sentence pairs.
///
/// # Errors
/// When a store cannot be read, or what `each` returns.
pub fn for_each_sentence_change(
    before: Side<'_>,
    after: Side<'_>,
    texts: bool,
    each: &mut dyn FnMut(SentenceChange<'_>) -> Result<()>,
) -> Result<()> {
    let order = after.config;
    let domains = domains(&before, &after)?;
    let are_compared = before.is_compared()? && after.is_compared()?;
    let of = |side| Aligned { side, are_compared, open: None };
    let (mut before, mut after) = (of(before), of(after));
    for [old, new] in domains {
        if let Some(id) = new {
            Comparison { side: &mut after, other: &mut before, order, texts, is_second: true }.of_site(id, each)?;
        }
        if let Some(id) = old {
            Comparison { side: &mut before, other: &mut after, order, texts, is_second: false }.of_site(id, each)?;
        }
    }
    Ok(())
}

/// The texts of a sentence pair by their hashes, that of the page with the lower URL first.
type Key = [u64; 2];

/// One of the two stores, with the sentence pairs of one site.
struct Aligned<'s> {
    side: Side<'s>,
    /// True where both stores have compared their sites, so that repetitions on other sites count.
    are_compared: bool,
    open: Option<OpenBitext>,
}

/// The sentence pairs of a site.
struct OpenBitext {
    site: Site,
    bitext: Option<SiteBitext>,
    /// Positions of page pairs, by the two pages, the lower one first.
    places: FxHashMap<(u32, u32), u32>,
    /// The chunk that was read last: its position, the first page pair in it, and their beads.
    chunk: Option<(usize, u32, Vec<Vec<BeadRow>>)>,
}

impl<'s> Aligned<'s> {
    fn site(&mut self, id: SiteId) -> Result<&mut OpenBitext> {
        let known = self.open.take().filter(|open| open.site.id == id);
        let open = match known {
            Some(open) => open,
            None => {
                let site = Site::open(self.side.store, id)?;
                let bitext = SiteBitext::open(self.side.store, &site)?;
                let rows = bitext.iter().flat_map(|bitext| bitext.pairs()).zip(0u32..);
                let places = rows.map(|(row, place)| {
                    let (a, b) = (row.a.to_native(), row.b.to_native());
                    ((a.min(b), a.max(b)), place)
                });
                let places = places.collect();
                OpenBitext { site, bitext, places, chunk: None }
            }
        };
        Ok(self.open.insert(open))
    }

    /// What the store has of the sentence pairs of two pages, by their texts: the code of the reason why it is left out, and its score;
    /// `None` where the pages are not aligned.
    fn known(&mut self, [a, b]: [&str; 2]) -> Result<Option<FxHashMap<Key, (u8, f32)>>> {
        let Some(id) = self.side.site_of(a)? else { return Ok(None) };
        let are_compared = self.are_compared;
        let open = self.site(id)?;
        let (Some(a), Some(b)) = (open.site.pages.find(a), open.site.pages.find(b)) else { return Ok(None) };
        let Some(&place) = open.places.get(&(a.min(b), a.max(b))) else { return Ok(None) };
        let is_lower = open.bitext.as_ref().and_then(|bitext| bitext.pair(place)).is_some_and(|row| row.a <= row.b);
        let mut known = FxHashMap::default();
        for bead in open.beads(place, are_compared) {
            let found = known.entry(key(bead, is_lower)).or_insert((bead.reason, bead.score));
            // Of several, the one that is kept.
            if bead.reason == 0 {
                *found = (0, bead.score);
            }
        }
        Ok(Some(known))
    }
}

fn key(bead: &BeadRow, is_lower: bool) -> Key {
    let [a, b] = bead.texts;
    if is_lower { [a, b] } else { [b, a] }
}

impl OpenBitext {
    /// The beads of a page pair, each with the code of the reason why it is left out.
    fn beads(&mut self, place: u32, are_compared: bool) -> &[BeadRow] {
        let Some(bitext) = &self.bitext else { return &[] };
        let wanted = bitext.chunk_of(place);
        let known = self.chunk.take().filter(|(at, ..)| *at == wanted);
        let (_, first, beads) = self.chunk.insert(known.unwrap_or_else(|| {
            let (first, beads) = bitext.coded(wanted, are_compared);
            (wanted, first, beads)
        }));
        beads.get((place - *first) as usize).map_or(&[], Vec::as_slice)
    }
}

/// One store beside the other.
struct Comparison<'c, 's> {
    side: &'c mut Aligned<'s>,
    other: &'c mut Aligned<'s>,
    order: &'c Config,
    texts: bool,
    /// True where `side` is the second store. Of the first store, only what the second one does not have is reported.
    is_second: bool,
}

impl Comparison<'_, '_> {
    fn of_site(&mut self, id: SiteId, each: &mut dyn FnMut(SentenceChange<'_>) -> Result<()>) -> Result<()> {
        let store = self.side.side.store;
        let count = self.side.site(id)?.places.len() as u32;
        for place in 0..count {
            let open = self.side.site(id)?;
            let Some(row) = open.bitext.as_ref().and_then(|bitext| bitext.pair(place)) else { continue };
            let pages = [row.a.to_native(), row.b.to_native()];
            let langs = [Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b)];
            let identities = pages.map(|page| open.site.pages.identity(page).to_owned());
            let identities = [identities[0].as_str(), identities[1].as_str()];
            let urls = pages.map(|page| open.site.pages.url(page));
            if !self.side.side.has(identities) {
                continue;
            }
            let are_compared = self.side.are_compared;
            let open = self.side.site(id)?;
            let mut kept = open.beads(place, are_compared).iter().filter(|bead| bead.reason == 0).peekable();
            if kept.peek().is_none() {
                continue;
            }
            let known = self.other.known(identities)?;
            let mut why_not_aligned = None;
            let mut records: Option<[StoredPage; 2]> = None;
            for bead in kept.copied().collect::<Vec<_>>() {
                let found = known.as_ref().and_then(|known| known.get(&key(&bead, pages[0] <= pages[1])));
                let change = self.change(found, rounded(bead.score));
                let Some(change) = change else { continue };
                let why = match (change, found, &known) {
                    (Change::Same, ..) => String::new(),
                    (Change::Changed, ..) => "score".into(),
                    (_, Some((code, _)), _) => Reason::from_code(*code).map_or("left out", Reason::name).into(),
                    (_, None, Some(_)) => "aligned in another way".into(),
                    (_, None, None) => match &why_not_aligned {
                        Some(why) => String::clone(why),
                        None => why_not_aligned.insert(self.why_not_aligned(identities)?).clone(),
                    },
                };
                let mut texts = <[String; 2]>::default();
                if self.texts && change != Change::Same {
                    let site = &self.side.site(id)?.site;
                    let [a, b] = match &mut records {
                        Some(records) => records,
                        None => {
                            records.insert([page_record(store, site, pages[0])?, page_record(store, site, pages[1])?])
                        }
                    };
                    let (of_a, of_b) = ((bead.a_start, bead.a_end), (bead.b_start, bead.b_end));
                    texts = [sentence_text(a, of_a), sentence_text(b, of_b)];
                }
                let (own, others) = (Some(rounded(bead.score)), found.map(|(_, score)| rounded(*score)));
                let scores = if self.is_second { [others, own] } else { [own, others] };
                let mut line = SentenceChange { change, urls: [&urls[0], &urls[1]], langs, texts, scores, why };
                if self.order.lang_rank(langs[1]) < self.order.lang_rank(langs[0]) {
                    line.urls.reverse();
                    line.langs.reverse();
                    line.texts.reverse();
                }
                each(line)?;
            }
        }
        Ok(())
    }

    /// The change of a sentence pair, given what the other store has of it; `None` where it was reported before.
    fn change(&self, found: Option<&(u8, f32)>, score: f64) -> Option<Change> {
        match found {
            Some((0, _)) if !self.is_second => None,
            Some((0, other)) if rounded(*other) == score => Some(Change::Same),
            Some((0, _)) => Some(Change::Changed),
            _ if self.is_second => Some(Change::Gained),
            _ => Some(Change::Lost),
        }
    }

    /// Why the other store has not aligned two pages.
    fn why_not_aligned(&mut self, identities: [&str; 2]) -> Result<String> {
        let found = self.other.side.find(identities, self.order)?;
        Ok(match found.is_accepted {
            true => "the pages are not aligned yet".into(),
            false => format!("the pages are no pair: {}", found.status),
        })
    }
}
