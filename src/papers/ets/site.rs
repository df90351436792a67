//! Compares all pages of a site, in rounds over links (Liu et al. 2014, Algorithms 1 to 3).

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::formulas::{Networks, Params, Scratch, Table, enhanced, external, external_by, normalise};
use crate::error::Result;
use crate::index::graph::Neighbours;
use crate::index::retrieval;
use crate::papers::decide::{Choice, best_first, judged_pair, worth_keeping};
use crate::propose::{Partners, of_words};
use crate::text::words::Words;
use crate::types::{Candidate, JudgedPair, Lang, LangPair, Measure, Outcome, Similarities};
use crate::verify::{self, Dictionaries, MAX_PROFILES, PageIds, Profile, SiteView, With};

/// A site, and what is needed to compare its pages.
#[derive(Clone, Copy)]
pub struct Inputs<'v, 's> {
    /// The site.
    pub site: &'v SiteView<'s>,
    /// Word lists.
    pub dictionaries: &'v dyn Dictionaries,
    /// Settings of the method.
    pub params: &'v Params,
    /// Settings of the search for candidates, for sites that are too large for comparing all pairs.
    pub retrieval: &'v retrieval::Params,
    /// The requested languages; empty: all.
    pub requested: &'v [Lang],
}

/// The judged pairs of a site, for each language pair. Memory: 40 bytes for each pair of pages that is compared. `stop` is called before
/// each language pair.
///
/// # Errors
/// When a page cannot be read, or what `stop` returns.
pub fn judged(inputs: &Inputs<'_, '_>, stop: &(dyn Fn() -> Result<()> + Sync)) -> Result<Vec<JudgedPair>> {
    let mut judged = Vec::new();
    let mut by_words = None;
    for (langs, mut a, mut b) in inputs.site.lang_pairs(inputs.requested) {
        stop()?;
        let cells = compared(inputs, langs, (&mut a, &mut b), &mut by_words)?;
        if !cells.is_empty() {
            judged.extend(resolved(inputs.site, langs, (&a, &b), &cells, inputs.params));
        }
    }
    Ok(judged)
}

/// The pairs of two languages that are compared, by position among the pages of each language. Pages with too little text are left out.
/// `by_words` caches the candidates that rare words propose on the site.
fn compared(
    inputs: &Inputs<'_, '_>,
    langs: LangPair,
    (a, b): (&mut Vec<u32>, &mut Vec<u32>),
    by_words: &mut Option<Vec<Candidate>>,
) -> Result<Vec<Cell>> {
    let Inputs { site, params, .. } = *inputs;
    for pages in [&mut *a, &mut *b] {
        pages.retain(|&page| site.facts(page).text_bytes >= params.min_text);
    }
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    let inside = Inside { inputs, langs, length: usual_ratio(site, a, b) };
    if a.len().saturating_mul(b.len()) <= params.max_cells && a.len() + b.len() <= MAX_PROFILES {
        return inside.all(a, b);
    }
    if by_words.is_none() {
        *by_words = Some(of_words(site, &Partners::default(), inputs.dictionaries, (&|_| true, inputs.retrieval))?);
    }
    let found = by_words.iter().flatten().filter(|one| one.pair.langs == langs).map(|one| (one.pair.a, one.pair.b));
    inside.some(&found.collect::<Vec<_>>(), a, b)
}

/// How a pair got its similarity.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// Similarity of the words, if it can be computed.
    pub content: Option<f32>,
    /// Similarity of the tags.
    pub structure: f32,
    /// S_in (eq. 2).
    pub internal: f64,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The result of Algorithm 3.
    pub outcome: Outcome,
}

/// One round of Algorithm 2, for one pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// S_ext (eq. 3).
    pub external: f64,
    /// ETS (eq. 1), divided by the largest of the round.
    pub enhanced: f64,
    /// The pairs of neighbours that S_ext is computed from, the best first, each with its contribution to the sum.
    pub neighbours: Vec<(u32, u32, f64)>,
}

/// The histories of some pairs of two languages, from repeated rounds; `None` for pairs that are not compared. Cost: that of [`judged`] for
/// these languages.
///
/// # Errors
/// When a page cannot be read.
pub fn histories(inputs: &Inputs<'_, '_>, langs: LangPair, requested: &[PageIds]) -> Result<Vec<Option<History>>> {
    let Inputs { site, params, .. } = *inputs;
    let of_langs = site.lang_pairs(inputs.requested).into_iter().find(|(known, _, _)| *known == langs);
    let Some((_, mut a, mut b)) = of_langs else { return Ok(vec![None; requested.len()]) };
    let cells = compared(inputs, langs, (&mut a, &mut b), &mut None)?;
    let place = |&(x, y): &PageIds| {
        let wanted = (a.binary_search(&x).ok()? as u32, b.binary_search(&y).ok()? as u32);
        cells.binary_search_by_key(&wanted, |cell| (cell.a, cell.b)).ok()
    };
    let places: Vec<Option<usize>> = requested.iter().map(place).collect();
    let networks = (network(site, &a), network(site, &b));
    let networks = Networks { a: &networks.0, b: &networks.1 };
    let mut rounds_of: Vec<Vec<Round>> = vec![Vec::new(); requested.len()];
    let (values, _) = rounds(&cells, &networks, params, |before, outer, values| {
        for (place, rounds_of) in places.iter().zip(&mut rounds_of) {
            let Some(at) = *place else { continue };
            let mut neighbours = Vec::new();
            let each = |x: u32, y: u32, part: f64| neighbours.push((a[x as usize], b[y as usize], part));
            external_by((cells[at].a, cells[at].b), &networks, before, params, &mut Scratch::default(), each);
            rounds_of.push(Round { external: outer[at], enhanced: values[at], neighbours });
        }
    });
    let outcomes = best(&cells, &values, (a.len(), b.len()), params);
    let history = |(place, rounds): (Option<usize>, Vec<Round>)| {
        let (cell, outcome) = (cells[place?], outcomes[place?]);
        let content = Some(cell.content).filter(|content| !content.is_nan());
        Some(History { content, structure: cell.structure, internal: cell.inner, rounds, outcome })
    };
    Ok(places.into_iter().zip(rounds_of).map(history).collect())
}

/// A pair of pages, by position, with its similarities.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    a: u32,
    b: u32,
    /// Similarity of the words; NaN: cannot be computed.
    content: f32,
    /// Similarity of the tags.
    structure: f32,
    /// S_in.
    inner: f64,
}

/// What is needed to compute the internal similarity of two pages (eq. 2).
struct Inside<'i, 'v, 's> {
    inputs: &'i Inputs<'v, 's>,
    langs: LangPair,
    /// Bytes of text of the second language for each byte of the first.
    length: f64,
}

impl Inside<'_, '_, '_> {
    /// All pairs whose ratio of lengths is acceptable.
    fn all(&self, a: &[u32], b: &[u32]) -> Result<Vec<Cell>> {
        let slim = |pages: &[u32]| -> Result<Vec<Profile>> {
            let told = self.inputs.site.step("reading pages", pages.len());
            let made = pages.par_iter().map_init(Words::new, |words, &page| {
                let Profile { lang, text_bytes, structure, words, bag, stems, .. } =
                    self.inputs.site.profile(page, words)?;
                told.did(1);
                Ok(Profile { lang, text_bytes, structure, words, bag, stems, ..Profile::default() })
            });
            made.collect()
        };
        let (profiles_a, profiles_b) = (slim(a)?, slim(b)?);
        let told = self.inputs.site.step("comparing pages with all others", a.len());
        let of_row = |at: usize| -> Vec<Cell> {
            let cell = |(to, other): (usize, &Profile)| {
                let found = self.compare((a[at], &profiles_a[at]), other)?;
                Some(Cell { a: at as u32, b: to as u32, ..found })
            };
            let found = profiles_b.iter().enumerate().filter_map(cell).collect();
            told.did(1);
            found
        };
        Ok((0..a.len()).into_par_iter().map(of_row).collect::<Vec<_>>().into_iter().flatten().collect())
    }

    /// Those of the given pairs whose ratio of lengths is acceptable, sorted by position.
    fn some(&self, pairs: &[PageIds], a: &[u32], b: &[u32]) -> Result<Vec<Cell>> {
        let place = |pages: &[u32], page: u32| pages.binary_search(&page).ok().map(|at| at as u32);
        let compared = self.inputs.site.compare_each(pairs, &|first, (_, second)| self.compare(first, second))?;
        let mut cells = Vec::new();
        for (&(x, y), found) in pairs.iter().zip(compared) {
            if let (Some(at), Some(to), Some(cell)) = (place(a, x), place(b, y), found) {
                cells.push(Cell { a: at, b: to, ..cell });
            }
        }
        cells.sort_unstable_by_key(|cell| (cell.a, cell.b));
        Ok(cells)
    }

    /// S_in of two pages, without their positions; `None` when their lengths differ too much.
    fn compare(&self, (page, a): (u32, &Profile), b: &Profile) -> Option<Cell> {
        let Inputs { site, params, dictionaries, .. } = *self.inputs;
        if verify::text_ratio(a, b, self.length).is_some_and(|alike| alike < 1.0 - params.max_length_difference) {
            return None;
        }
        let translations = dictionaries.translations(self.langs, site.pages().identity(page));
        let with = With { translations: translations.as_deref(), ..With::new(site.params()) };
        let ask = |name: &str| verify::verifier(name).and_then(|verifier| verifier.similarity(a, b, &with));
        let content = match with.translations {
            _ if site.without_content() => None,
            Some(_) => ask("s_cb"),
            None => ask("cognates"),
        };
        let structure = ask("lcs").unwrap_or(0.0);
        let inner = content.map_or(structure, |content| params.beta * content + (1.0 - params.beta) * structure);
        let content = content.map_or(f32::NAN, |content| content as f32);
        Some(Cell { a: 0, b: 0, content, structure: structure as f32, inner })
    }
}

/// C in length(E) ≈ C·length(F), for one site: the ratio of the median lengths.
fn usual_ratio(site: &SiteView<'_>, a: &[u32], b: &[u32]) -> f64 {
    let middle = |pages: &[u32]| {
        let mut lengths: Vec<u32> = pages.iter().map(|&page| site.facts(page).text_bytes).collect();
        lengths.sort_unstable();
        f64::from(lengths.get(lengths.len() / 2).copied().unwrap_or(1).max(1))
    };
    middle(b) / middle(a)
}

/// The links between pages of one language, by position.
fn network(site: &SiteView<'_>, pages: &[u32]) -> Neighbours {
    let places: FxHashMap<u32, u32> = pages.iter().copied().zip(0..).collect();
    let mut links = Vec::new();
    for (&page, at) in pages.iter().zip(0u32..) {
        site.links().for_each_link(page, &mut |link| links.extend(places.get(&link.to).map(|&to| (at, to))));
    }
    Neighbours::new(pages.len() as u32, links)
}

/// Runs the rounds, and returns the best pairs first.
fn resolved(
    site: &SiteView<'_>,
    langs: LangPair,
    (a, b): (&[u32], &[u32]),
    cells: &[Cell],
    params: &Params,
) -> Vec<JudgedPair> {
    let networks = (network(site, a), network(site, b));
    let (values, outer) = rounds(cells, &Networks { a: &networks.0, b: &networks.1 }, params, |_, _, _| {});
    let outcomes = best(cells, &values, (a.len(), b.len()), params);
    let rows = (0..cells.len()).map(|at| {
        let mut similarities = Similarities::default();
        similarities.set(Measure::Lcs, Some(cells[at].structure));
        similarities.set(Measure::Content, Some(cells[at].content).filter(|content| !content.is_nan()));
        similarities.set(Measure::Neighbours, Some(outer[at].clamp(0.0, 1.0) as f32));
        let (a, b) = (a[cells[at].a as usize], b[cells[at].b as usize]);
        judged_pair(langs, Choice { a, b, score: values[at] }, similarities, outcomes[at])
    });
    worth_keeping(rows.collect(), KEPT_ROWS)
}

/// Algorithm 3, for the numbers of pages in both languages.
fn best(cells: &[Cell], values: &[f64], pages: (usize, usize), params: &Params) -> Vec<Outcome> {
    let choice = |(cell, &score): (&Cell, &f64)| Choice { a: cell.a, b: cell.b, score };
    let choices: Vec<Choice> = cells.iter().zip(values).map(choice).collect();
    let most = if params.min_sim.is_some() { usize::MAX } else { pages.0.min(pages.1) };
    best_first(&choices, params.min_sim.unwrap_or(0.0), most)
}

/// How many rejected pairs of a page are kept, besides the accepted ones.
const KEPT_ROWS: usize = 3;

/// ETS of all cells, and S_ext of the last round (Algorithm 2). The first round starts from S_in. `each` is called after each round with
/// S_ext and ETS.
fn rounds(
    cells: &[Cell],
    networks: &Networks<'_>,
    params: &Params,
    mut each: impl FnMut(&Table, &[f64], &[f64]),
) -> (Vec<f64>, Vec<f64>) {
    let mut values: Vec<f64> = cells.iter().map(|cell| cell.inner).collect();
    let mut outer = vec![0.0; cells.len()];
    for _ in 0..params.rounds {
        let before = strongest(cells, &values, networks.a.count(), networks.b.count(), params.seen);
        outer = cells
            .par_iter()
            .map_init(Scratch::default, |scratch, cell| external((cell.a, cell.b), networks, &before, params, scratch))
            .collect();
        let mut after: Vec<f64> =
            outer.iter().zip(cells).map(|(&outer, cell)| enhanced(outer, cell.inner, params)).collect();
        normalise(&mut after);
        let change = values.iter().zip(&after).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        values = after;
        each(&before, &outer, &values);
        if change <= params.stable {
            break;
        }
    }
    (values, outer)
}

/// The cells that are among the best `most` of their row or of their column; ties go to smaller positions.
fn strongest(cells: &[Cell], values: &[f64], rows: u32, columns: u32, most: usize) -> Table {
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    // Cells are in the order of their positions, and the stable sort keeps this order among equals.
    order.par_sort_by(|&x, &y| values[y as usize].total_cmp(&values[x as usize]));
    let (mut in_row, mut in_column) = (vec![0; rows as usize], vec![0; columns as usize]);
    let mut kept = Vec::new();
    for at in order {
        let cell = &cells[at as usize];
        let (row, column) = (&mut in_row[cell.a as usize], &mut in_column[cell.b as usize]);
        if *row < most || *column < most {
            kept.push((cell.a, cell.b, values[at as usize]));
        }
        *row += 1;
        *column += 1;
    }
    kept.sort_unstable_by_key(|&(a, b, _)| (a, b));
    Table::new(rows as usize, &kept)
}

#[cfg(test)]
mod reference;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cell(a: u32, b: u32, inner: f64) -> Cell {
        Cell { a, b, content: f32::NAN, structure: 0.0, inner }
    }

    #[test]
    fn links_tell_pages_apart_that_are_alike_in_themselves() {
        // In both languages, 1 links to 0, and 2 to 3. The pages 0 and 3 are similar by themselves, 1 and 2 are not.
        let edges = vec![(1, 0), (2, 3)];
        let (a, b) = (Neighbours::new(4, edges.clone()), Neighbours::new(4, edges));
        let networks = Networks { a: &a, b: &b };
        let cells =
            [cell(0, 0, 0.9), cell(1, 1, 0.5), cell(1, 2, 0.5), cell(2, 1, 0.5), cell(2, 2, 0.5), cell(3, 3, 0.9)];
        let one = Params { rounds: 1, ..Params::default() };
        let (values, outer) = rounds(&cells, &networks, &one, |_, _, _| {});
        // 1–1: S_ext = 0.9, so ETS = 0.6 · 0.9 + 0.4 · 0.5 = 0.74, the largest; 1–2: 0.4 · 0.5; 0–0: 0.6 · 0.5 + 0.4 · 0.9 = 0.66.
        let wanted = [0.66 / 0.74, 1.0, 0.2 / 0.74, 0.2 / 0.74, 1.0, 0.66 / 0.74];
        assert!(values.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-12), "{values:?}");
        assert_eq!(outer[1..4], [0.9, 0.0, 0.0]);
        let none = Params { rounds: 0, ..Params::default() };
        assert_eq!(rounds(&cells, &networks, &none, |_, _, _| {}).0, cells.map(|cell| cell.inner));
        // After that nothing changes, so more rounds give the same.
        let many = |rounds| Params { rounds, stable: 1e-9, ..Params::default() };
        let after = |count| rounds(&cells, &networks, &many(count), |_, _, _| {}).0;
        let (last, more) = (after(200), after(400));
        assert!(last.iter().zip(&more).all(|(x, y)| (x - y).abs() < 1e-6), "{last:?} {more:?}");
    }

    proptest! {
        #[test]
        fn what_the_next_round_sees_is_the_best_of_rows_and_columns(
            list in proptest::collection::btree_map((0u32..6, 0u32..6), 0u32..5, 0..30),
            most in 1usize..4,
        ) {
            let cells: Vec<Cell> = list.iter().map(|(&(a, b), &v)| cell(a, b, f64::from(v) / 4.0)).collect();
            let values: Vec<f64> = cells.iter().map(|cell| cell.inner).collect();
            let better = |x: &Cell, y: &Cell| {
                y.inner.total_cmp(&x.inner).then((x.a, x.b).cmp(&(y.a, y.b))).is_lt()
            };
            let is_kept = |one: &&Cell| {
                let rivals = |same: &dyn Fn(&Cell) -> bool| cells.iter().filter(|x| same(x) && better(x, one)).count();
                rivals(&|x| x.a == one.a) < most || rivals(&|x| x.b == one.b) < most
            };
            let wanted: Vec<(u32, u32, f64)> =
                cells.iter().filter(is_kept).map(|cell| (cell.a, cell.b, cell.inner)).collect();
            prop_assert_eq!(strongest(&cells, &values, 6, 6, most), Table::new(6, &wanted));
        }
    }
}
