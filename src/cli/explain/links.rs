//! What links say of a pair: rounds of link-2014, and who speaks for it in the default.

use diglot::iterate::ets::{self, History};
use diglot::pipeline::models::{self, ets_inputs};
use diglot::pipeline::site::OpenSite;
use diglot::propose::votes;
use diglot::query::Site;
use diglot::types::{JudgedPair, LangPair, Outcome};

use super::{Asked, Facts};

/// Pairs that speak for a pair, listed at the most.
const LISTED: usize = 12;

impl Asked<'_> {
    fn open(&self, site: &Site) -> anyhow::Result<Option<OpenSite<'_>>> {
        Ok(OpenSite::open(self.store, site.id)?)
    }

    /// S_in, S_ext and ETS of the pairs that link-2014 kept of a page, round by round.
    pub(super) fn rounds_of_page(
        &self,
        site: &Site,
        page: u32,
        rows: &[JudgedPair],
        facts: &mut Facts,
    ) -> anyhow::Result<()> {
        let Some(open) = self.open(site)? else { return Ok(()) };
        let (view, models) = (open.view(self.config), models::given(self.config)?);
        let inputs = ets_inputs(&view, &models, self.config);
        let mut pairs: Vec<_> = rows.iter().filter_map(|row| view.ordered(row.pair.a, row.pair.b)).collect();
        pairs.sort_unstable();
        for of_langs in pairs.chunk_by(|x, y| x.langs == y.langs) {
            let asked: Vec<_> = of_langs.iter().map(|pair| (pair.a, pair.b)).collect();
            let histories = ets::histories(&inputs, of_langs[0].langs, &asked)?;
            for (&(a, b), history) in asked.iter().zip(histories) {
                let Some(history) = history else { continue };
                let other = site.pages.url(if a == page { b } else { a });
                let each = |value: fn(&ets::Round) -> f64| {
                    let values = history.rounds.iter().map(|round| format!(" {:.4}", value(round)));
                    values.collect::<String>()
                };
                let (external, enhanced) = (each(|round| round.external), each(|round| round.enhanced));
                facts.add(
                    "rounds",
                    format!(
                        "{other}, S_in {:.4}, S_ext{external}, ETS{enhanced}: {}",
                        history.internal,
                        outcome(&history)
                    ),
                );
            }
        }
        Ok(())
    }

    /// S_in, each round and the neighbours it came from, and the verdict of link-2014 on a pair.
    pub(super) fn rounds_of_pair(&self, site: &Site, (a, b): (u32, u32), facts: &mut Facts) -> anyhow::Result<()> {
        let Some(open) = self.open(site)? else {
            facts.add("verdict", "links have not been read since these pages came; `diglot run` does");
            return Ok(());
        };
        let view = open.view(self.config);
        let Some(pair) = view.ordered(a, b) else {
            facts.add("verdict", "not a pair: both are in one language");
            return Ok(());
        };
        let models = models::given(self.config)?;
        let inputs = ets_inputs(&view, &models, self.config);
        let found = ets::histories(&inputs, pair.langs, &[(pair.a, pair.b)])?.into_iter().next().flatten();
        let Some(history) = found else {
            facts.add(
                "verdict",
                "not a pair: not compared; lengths too far apart, too little text, or nothing in common",
            );
            return Ok(());
        };
        let (structure, internal) = (history.structure, history.internal);
        let of = match history.content {
            Some(content) => format!("content {content:.4}, structure {structure:.4}"),
            None => format!("structure {structure:.4}"),
        };
        facts.add("S_in", format!("{internal:.4}: {of}"));
        for (round, number) in history.rounds.iter().zip(1..) {
            facts.add(
                &format!("round {number}"),
                format!(
                    "S_ext {:.4}, of {} pairs of neighbours; ETS {:.4}",
                    round.external,
                    round.neighbours.len(),
                    round.enhanced
                ),
            );
            let url = |page: u32| site.pages.url(page);
            for &(x, y, part) in round.neighbours.iter().take(LISTED) {
                facts.add("neighbours", format!("{} {}, {part:.4}", url(x), url(y)));
            }
            if round.neighbours.len() > LISTED {
                facts.add("neighbours", format!("and {} more", round.neighbours.len() - LISTED));
            }
        }
        facts.add("verdict", outcome(&history));
        Ok(())
    }

    /// The accepted pairs that speak for a pair, and its neighbours that are partners.
    pub(super) fn support(&self, site: &Site, (a, b): (u32, u32), facts: &mut Facts) -> anyhow::Result<()> {
        let (Some(open), Some(judged)) = (self.open(site)?, &site.judged) else { return Ok(()) };
        let mut view = open.view(self.config);
        view.leave_out(judged.copies());
        let Some(pair) = view.ordered(a, b) else { return Ok(()) };
        let rows: Vec<JudgedPair> = judged.pairs().collect();
        let found = votes::support(&view, &self.config.iterate.propose, &rows, pair);
        let url = |page: u32| site.pages.url(page);
        let mut list = |name: &str, pairs: &[(u32, u32)]| {
            for &(x, y) in pairs.iter().take(LISTED) {
                facts.add(name, format!("{} {}", url(x), url(y)));
            }
            if pairs.len() > LISTED {
                facts.add(name, format!("and {} more", pairs.len() - LISTED));
            }
        };
        list("vote of", &found.voters);
        list("neighbours", &found.neighbours);
        for &page in &found.versions {
            facts.add("vote of", format!("{}, of which both are translations", url(page)));
        }
        let (of_a, of_b) = found.with_partner;
        if of_a + of_b > 0 {
            let LangPair { a, b } = pair.langs;
            facts.add("with partners", format!("{of_a} of the {a} page's neighbours, {of_b} of the {b} page's"));
        }
        Ok(())
    }
}

/// What Algorithm 3 made of a pair, in words.
fn outcome(history: &History) -> String {
    let similarity = history.rounds.last().map_or(history.internal, |round| round.enhanced);
    match history.outcome {
        Outcome::Accepted => format!("a pair, ETS {similarity:.4}"),
        Outcome::LostToBetter => format!("not a pair: ETS {similarity:.4}, but a page of it has a better partner"),
        _ => format!("not a pair: ETS {similarity:.4} is too low"),
    }
}
