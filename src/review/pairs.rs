//! The pairs of all sites.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use diglot::query::{self, Decided, EDGES, Overview, PairFilter, Steps};
use diglot::types::Outcome;

use super::answer::{Fields, answer, page};
use super::background::is_older;
use super::filters;
use super::lists::{ROWS, filter, lang_pairs, methods, outcomes, paging_of_walk, spot, written};
use super::pair::link_in_list;
use super::state::App;
use super::views::*;

#[derive(Template)]
#[template(path = "pairs.html", config = "src/review/askama.toml")]
struct PairsPage {
    frame: Frame,
    langs: Vec<Choice>,
    methods: Vec<Choice>,
    outcomes: Vec<Choice>,
    min: String,
    max: String,
    pairs: Vec<PairRow>,
    paging: Paging,
    /// True while the store is counted for the first time.
    is_counting: bool,
    /// True where the store has changed since it was counted.
    is_older: bool,
}

pub async fn pairs(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let chosen = |name: &str| request.get(name).unwrap_or("").to_owned();
        let filter = PairFilter { key: None, ..filter(request)? };
        let mut found = PairsPage {
            frame: request.frame("Pairs"),
            langs: Vec::new(),
            methods: methods(&chosen("method")),
            outcomes: outcomes(&chosen("outcome")),
            min: chosen("min"),
            max: chosen("max"),
            pairs: Vec::new(),
            paging: Paging::default(),
            is_counting: true,
            is_older: false,
        };
        let Some(counted) = request.app.counting.known()? else { return page(&found) };
        found.langs = lang_pairs(counted.overview.langs.keys(), &chosen("langs"));
        found.is_counting = false;
        let (store, config) = request.app.open()?;
        found.is_older = is_older(Some(&*counted), &store);
        let from = spot(request, "from")?;
        let part = |is_back| {
            query::pairs_from(&store, &config, &counted.digests, &filter, Steps { from, is_back, count: ROWS })
        };
        let (before, after) = (part(true)?, part(false)?);
        let marks = request.app.reviews().marks()?;
        found.pairs = after
            .items
            .iter()
            .map(|(spot, (line, outcome))| {
                let link = link_in_list(request, &found.frame, line, ("spot", &written(*spot)));
                PairRow::new(link, line, *outcome, &marks)
            })
            .collect();
        found.paging = paging_of_walk(request, "/pairs", (&before, &after), total(&counted.overview, &filter));
        page(&found)
    })
    .await
}

/// How many pairs pass a filter, where that was counted: for all of an outcome, and for the accepted ones also of two languages, or of a
/// method, or of a bin of scores.
fn total(overview: &Overview, filter: &PairFilter) -> Option<u64> {
    let is_bin = |bin: &[f64]| filter.scores == (bin[0], bin[1]) && filter.below == (bin[1] < 1.0);
    let bin = EDGES.windows(2).position(is_bin);
    let of_scores = |at: usize| Some(overview.scores[bin?][at]);
    let is_whole = filter.scores == (0.0, 1.0) && !filter.below;
    match (filter.decided, filter.langs, filter.method) {
        (Decided::Accepted, None, None) if is_whole => Some(overview.pairs),
        (Decided::Accepted, None, None) => of_scores(0),
        (Decided::Rejected, None, None) if is_whole => Some(overview.judged.saturating_sub(overview.pairs)),
        (Decided::Rejected, None, None) => of_scores(1),
        (Decided::Accepted, Some(langs), None) if is_whole => overview.langs.get(&langs).copied(),
        (Decided::Accepted, None, Some(method)) if is_whole => overview.methods.get(&method).copied(),
        (Decided::As(outcome), None, None) if is_whole => overview.outcomes.get(Outcome::name(outcome)).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_told_of_a_list() {
        let mut overview = Overview { pairs: 5, judged: 9, ..Overview::default() };
        overview.outcomes.insert("low score", 3);
        overview.scores[0] = [1, 2];
        let filter = PairFilter { scores: (0.0, 1.0), ..PairFilter::default() };
        assert_eq!(total(&overview, &filter), Some(5));
        let decided = Decided::Rejected;
        assert_eq!(total(&overview, &PairFilter { decided, ..filter.clone() }), Some(4));
        let of_bin = PairFilter { decided, scores: (EDGES[0], EDGES[1]), below: true, ..filter.clone() };
        assert_eq!(total(&overview, &of_bin), Some(2));
        assert_eq!(total(&overview, &PairFilter { below: false, ..of_bin }), None);
        let decided = Decided::As(Outcome::LowScore);
        assert_eq!(total(&overview, &PairFilter { decided, ..filter.clone() }), Some(3));
        assert_eq!(total(&overview, &PairFilter { scores: (0.1, 0.9), ..filter }), None);
    }
}
