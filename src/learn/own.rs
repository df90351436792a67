//! What a site teaches by itself, part by part, in addition to what the run has learnt.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::halves::half_of;
use super::models::{Borrowed, Joined, Model, Models};
use super::params::Params;
use super::trainer::Trainer;
use crate::error::Result;
use crate::index::parts::WHOLE;
use crate::index::smallest::Smallest;
use crate::judge::score::Scorer;
use crate::lexicon::Translations;
use crate::types::LangPair;
use crate::verify::{Dictionaries, PageIds, SiteView};

/// A value for each language pair in each part of a site.
pub type ByPart<T> = BTreeMap<(LangPair, u32), T>;

/// Learns words and lengths from the most certain pairs in each part of a site. The weights of these models are the shipped ones.
///
/// # Errors
/// When a page cannot be read.
pub fn learn_from_site(site: &SiteView<'_>, surest: &ByPart<Vec<PageIds>>, params: &Params) -> Result<ByPart<Model>> {
    let learn = |(&(langs, part), pairs): (&(LangPair, u32), &Vec<PageIds>)| {
        let mut sample = Smallest::new(params.max_pairs);
        sample.extend(pairs.iter().map(|&pages| (site.hash_of_pair(pages), pages)));
        let mut trainer = Trainer::new(params);
        for (_, pages) in sample.into_sorted() {
            trainer.add(site, pages)?;
        }
        Ok(((langs, part), Model::new(langs, &trainer.halves(), trainer.length_ratio(), Scorer::default())))
    };
    surest.par_iter().map(learn).collect()
}

/// The words that the run has learnt, together with those that the parts around a page teach.
pub struct WithOwn<'m, 's> {
    /// What the run has learnt, and what the user gave.
    pub run: &'m Models,
    /// What the site teaches.
    pub own: &'m ByPart<Model>,
    /// The site.
    pub site: &'m SiteView<'s>,
}

impl Dictionaries for WithOwn<'_, '_> {
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>> {
        let run = self.run.translations(langs, page);
        if self.own.is_empty() {
            return run;
        }
        let (half, parts) = (half_of(page), self.site.parts());
        let part = self.site.pages().find(page).map_or(WHOLE, |page| parts.of(page));
        let own = parts.chain(part).filter_map(|part| self.own.get(&(langs, part)));
        let own = own.map(|model| &model.halves[half]).filter(|half| !half.is_empty());
        let own = own.map(|half| Box::new(Borrowed(half)) as Box<dyn Translations>);
        Joined::of(run.into_iter().chain(own).collect())
    }

    /// The ratio of the run; where it has none, the ratio that the whole site teaches.
    fn length_ratio(&self, langs: LangPair) -> Option<f64> {
        let own = || self.own.get(&(langs, WHOLE)).map(|model| model.length_ratio);
        self.run.length_ratio(langs).or_else(own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::halves::{Halves, SurePair};
    use super::*;
    use crate::lexicon::{LexiconSet, Side};
    use crate::types::Lang;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn what_a_part_teaches_joins_what_the_run_knows_for_its_own_pages() {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let model = |word: u64, ratio: f64| {
            let sure = || vec![SurePair { a: word, b: word + 1, forth: 0.5, back: 0.5 }];
            let halves: Halves = [sure(), sure()];
            Model::new(langs, &halves, ratio, Scorer::default())
        };
        // Folders a and b, 20 pages each.
        let pages: Vec<(String, &str)> = ["a", "b"]
            .into_iter()
            .flat_map(|folder| (0..20).map(move |at| (folder, at)))
            .map(|(folder, at)| (format!("s/{folder}/{at:02}"), if at % 2 == 0 { "en" } else { "fr" }))
            .collect();
        let listed: Vec<_> = pages.iter().map(|(url, lang)| (url.as_str(), *lang, "")).collect();
        let listed = ListedSite::new(&listed).in_folders();
        let site = listed.view();
        let of_a = site.parts().of(site.pages().find("s/a/00").expect("a page"));
        assert_ne!(of_a, WHOLE);
        let own: ByPart<Model> = [((langs, of_a), model(20, 3.0)), ((langs, WHOLE), model(30, 4.0))].into();
        let run = Models::new(LexiconSet::default(), [(langs, model(10, 2.0))].into(), Scorer::default());
        let known = |run: &Models, page: &str| {
            let with = WithOwn { run, own: &own, site: &site };
            let words = with.translations(langs, page);
            let knows = |word| words.as_ref().is_some_and(|words| words.is_translation(Side::A, word, word + 1));
            (knows(10), knows(20), knows(30), with.length_ratio(langs))
        };
        assert_eq!(known(&run, "s/a/00"), (true, true, true, Some(2.0)));
        assert_eq!(known(&run, "s/b/00"), (true, false, true, Some(2.0)));
        assert_eq!(known(&Models::default(), "s/a/00"), (false, true, true, Some(4.0)));
    }
}
