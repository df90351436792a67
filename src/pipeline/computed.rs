//! Facts that `explain` asks of the methods which judged a pair: they are computed, since no record has them.

use std::cell::OnceCell;

use super::models::{self, ets_inputs};
use crate::config::Config;
use crate::error::Result;
use crate::judge::score::Scorer;
use crate::learn::Models;
use crate::papers::ets::{self, History};
use crate::propose::votes::{self, Support};
use crate::query::explain::{ComputedFacts, Explanation};
use crate::query::open::OpenSite;
use crate::query::{self, Site};
use crate::store::Store;
use crate::types::{CanonicalUrl, JudgedPair, LangPair, PagePair};

/// Everything that is known of a page, or of two pages and their relation to each other.
///
/// # Errors
/// When the store cannot be read.
pub fn explain(
    store: &Store,
    config: &Config,
    url: &CanonicalUrl,
    other: Option<&CanonicalUrl>,
) -> Result<Explanation> {
    query::explain::explain(store, config, &OfMethods { store, config, models: OnceCell::new() }, url, other)
}

/// Answers the questions of `explain` by the methods.
struct OfMethods<'s> {
    store: &'s Store,
    config: &'s Config,
    /// What the store has learnt; read when it is first needed.
    models: OnceCell<Models>,
}

impl ComputedFacts for OfMethods<'_> {
    fn scorer(&self, langs: LangPair) -> Result<Scorer> {
        let models = match self.models.get() {
            Some(models) => models,
            None => {
                let read = models::read(self.store, self.config)?;
                self.models.get_or_init(|| read)
            }
        };
        Ok(models.scorer(langs))
    }

    fn support(&self, site: &Site, pair: PagePair) -> Result<Option<Support>> {
        let Some(open) = OpenSite::open(self.store, site.id)? else { return Ok(None) };
        let Some(judged) = &site.judged else { return Ok(None) };
        let mut view = open.view(self.config);
        view.count_for(open.langs_by_own_text(judged.foreign_pages()).into_iter());
        view.leave_out(judged.copies());
        let rows: Vec<JudgedPair> = judged.pairs().collect();
        Ok(Some(votes::support(&view, &self.config.iterate.propose, &rows, pair)))
    }

    fn rounds(&self, site: &Site, pairs: &[PagePair]) -> Result<Vec<Option<History>>> {
        let (Some(first), Some(open)) = (pairs.first(), OpenSite::open(self.store, site.id)?) else {
            return Ok(vec![None; pairs.len()]);
        };
        let (view, models) = (open.view(self.config), models::given(self.config)?);
        let pages: Vec<(u32, u32)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        ets::histories(&ets_inputs(&view, &models, self.config), first.langs, &pages)
    }
}
