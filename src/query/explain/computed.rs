//! Facts that no record has: `explain` asks the methods that judged a pair to compute them.

use std::cell::OnceCell;

use crate::config::Config;
use crate::error::Result;
use crate::judge::score::Scorer;
use crate::learn::Models;
use crate::papers::ets::{self, History};
use crate::propose::votes::{self, Support};
use crate::site::models::{self, ets_inputs};
use crate::site::{OpenSite, Site};
use crate::store::Store;
use crate::types::{JudgedPair, LangPair, PagePair, Similarities};
use crate::verify::SiteView;

/// Asks the methods what led to the decisions that the store has.
pub struct Computed<'s> {
    store: &'s Store,
    config: &'s Config,
    /// What the store has learnt; read when it is first needed.
    models: OnceCell<Models>,
}

impl<'s> Computed<'s> {
    /// Of the pairs of a store.
    pub fn new(store: &'s Store, config: &'s Config) -> Computed<'s> {
        Computed { store, config, models: OnceCell::new() }
    }

    /// The weights of the score for a language pair: the shipped ones, or those that were fitted to verdicts.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn scorer(&self, langs: LangPair) -> Result<Scorer> {
        Ok(self.models()?.scorer(langs))
    }

    /// The site of a pair, for [`contents`](Computed::contents) and [`support`](Computed::support); `None` where links have not been read.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(&self, site: &Site) -> Result<Option<OpenSite<'_>>> {
        OpenSite::open(self.store, site.id)
    }

    /// What the measures say of the contents of two pages that have no stored decision, by the words that the run has learnt. Words that parts
    /// of the site have taught are not stored, and do not count. `None` where a page was left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn contents(&self, open: &OpenSite, site: &Site, pair: PagePair) -> Result<Option<Similarities>> {
        let Some(view) = self.view(open, site) else { return Ok(None) };
        // Copies and pages in other languages than their addresses say were left out.
        if [pair.a, pair.b].iter().any(|&page| !view.langs[page as usize].is_known()) {
            return Ok(None);
        }
        Ok(view.similarities(&[(pair.a, pair.b)], self.models()?)?.pop())
    }

    fn models(&self) -> Result<&Models> {
        Ok(match self.models.get() {
            Some(models) => models,
            None => {
                let read = models::read(self.store, self.config)?;
                self.models.get_or_init(|| read)
            }
        })
    }

    /// The pages that were judged; `None` where none were.
    fn view<'o>(&self, open: &'o OpenSite, site: &Site) -> Option<SiteView<'o>>
    where
        's: 'o,
    {
        let judged = site.judged.as_ref()?;
        let mut view = open.view(self.config);
        view.leave_out(judged.copies().chain(judged.foreign_pages().map(|(page, _)| page)));
        Some(view)
    }

    /// What accepted pairs say of a pair; `None` where none were judged.
    pub fn support(&self, open: &OpenSite, site: &Site, pair: PagePair) -> Option<Support> {
        let (view, judged) = (self.view(open, site)?, site.judged.as_ref()?);
        let rows: Vec<JudgedPair> = judged.pairs().collect();
        Some(votes::support(&view, &self.config.iterate.propose, &rows, pair))
    }

    /// `link-2014`: how pairs of one language pair got their similarities, in the order of `pairs`; `None` for pairs that are not compared.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn rounds(&self, site: &Site, pairs: &[PagePair]) -> Result<Vec<Option<History>>> {
        let (Some(first), Some(open)) = (pairs.first(), OpenSite::open(self.store, site.id)?) else {
            return Ok(vec![None; pairs.len()]);
        };
        let (view, models) = (open.view(self.config), models::given(self.config)?);
        let pages: Vec<(u32, u32)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        ets::histories(&ets_inputs(&view, &models, self.config), first.langs, &pages)
    }
}
