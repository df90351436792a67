//! Aligns pages again with other settings, to measure what each part of alignment contributes.

use std::collections::BTreeMap;

use crate::align::train::{KnownWords, learn};
use crate::align::{Params, WordEvidence, align};
use crate::error::Result;
use crate::index::site::{Urls, hash_of_pair};
use crate::site::bitext::{accepted_pairs, document, page_record};
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::text::words::Words;
use crate::types::{Bead, LangPair, PagePair, SiteId};

/// The means by which pages are aligned again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By lengths alone, over whole pages (Gale & Church 1993).
    Lengths,
    /// By lengths and words, over whole pages.
    Words,
    /// By lengths and words, between aligned blocks.
    Blocks,
}

impl Means {
    fn params(self) -> Params {
        match self {
            Means::Lengths => Params::gale_church(),
            Means::Words => Params::whole_pages(),
            Means::Blocks => Params::default(),
        }
    }
}

/// Aligns the page pairs of a scope in the wanted languages, and calls `each` with both texts of every bead that has two sides; no bead is
/// left out.
///
/// Lengths and words are learnt anew from the same pages with the same settings, so that nothing is used that this way of aligning could
/// not learn.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_bead(
    store: &Store,
    scope: &Scope,
    means: Means,
    is_wanted: impl Fn(LangPair) -> bool,
    mut each: impl FnMut(LangPair, &str, &str) -> Result<()>,
) -> Result<()> {
    let params = &means.params();
    let mut found: BTreeMap<LangPair, Vec<(u64, SiteId, PagePair)>> = BTreeMap::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let is_here = |page: u32| scope.has_host(site.pages.identity(page));
        for pair in accepted_pairs(&site).into_iter().filter(|pair| is_wanted(pair.langs)) {
            if is_here(pair.a) || is_here(pair.b) {
                found.entry(pair.langs).or_default().push((
                    hash_of_pair(site.pages.identity(pair.a), site.pages.identity(pair.b)),
                    id,
                    pair,
                ));
            }
        }
    }
    let words = Words::new();
    for (langs, mut pairs) in found {
        pairs.sort_unstable();
        let pages = |(_, site, pair): &(u64, SiteId, PagePair)| -> Result<_> {
            let site = Site::open(store, *site)?;
            Ok((page_record(store, &site, pair.a)?, page_record(store, &site, pair.b)?))
        };
        let sample: Vec<_> = pairs.iter().take(params.train.max_pages).map(pages).collect::<Result<_>>()?;
        let cut: Vec<_> = sample
            .iter()
            .map(|(a, b)| (document(a, langs.a, &words, params), document(b, langs.b, &words, params)))
            .collect();
        let model = learn(&cut, &[], &KnownWords::default(), params, &());
        for pair in &pairs {
            let (a, b) = pages(pair)?;
            let (a, b) = (document(&a, langs.a, &words, params), document(&b, langs.b, &words, params));
            let evidence = WordEvidence::new(&a, &b, &model, &params.translation);
            for bead in align(&a, &b, &evidence, &model.lengths, params).into_iter().filter(Bead::is_paired) {
                each(langs, a.text_of(bead.a_start..bead.a_end), b.text_of(bead.b_start..bead.b_end))?;
            }
        }
    }
    Ok(())
}
