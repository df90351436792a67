//! Compares the pairs of two stores.

use super::change::{Change, PairChange};
use super::side::{ACCEPTED, Found, Side, domains};
use crate::config::Config;
use crate::error::Result;
use crate::types::{PairLine, SiteId};

/// Calls `each` with every pair of either store: by domain, then those of the second store, then those that only the first has, each in
/// the order in which its store lists them. In memory are the pairs of one site of each store, 32 bytes each, and the names of all
/// domains.
///
/// # Errors
/// When a store cannot be read, or what `each` returns.
pub fn for_each_pair_change(
    mut before: Side<'_>,
    mut after: Side<'_>,
    mut each: impl FnMut(PairChange) -> Result<()>,
) -> Result<()> {
    let order = after.config;
    for [old, new] in domains(&before, &after)? {
        if let Some(id) = new {
            of_site(&mut after, id, &mut before, order, &mut |line, found| each(of_second(line, found)))?;
        }
        if let Some(id) = old {
            of_site(&mut before, id, &mut after, order, &mut |line, found| {
                if found.is_accepted { Ok(()) } else { each(lost(line, found)) }
            })?;
        }
    }
    Ok(())
}

/// Calls `each` with the pairs of a site, and what the other store decided on each.
fn of_site(
    side: &mut Side<'_>,
    id: SiteId,
    other: &mut Side<'_>,
    order: &Config,
    each: &mut dyn FnMut(PairLine, Found) -> Result<()>,
) -> Result<()> {
    let scope = side.scope.clone().unwrap_or_default();
    let open = side.site(id)?;
    for at in open.accepted() {
        let Some(pages) = open.pages(at) else { continue };
        let identities = open.identities(pages);
        if !identities.iter().any(|identity| scope.has_host(identity)) {
            continue;
        }
        let found = other.find(identities, order)?;
        if let Some(line) = open.line(at, order) {
            each(line, found)?;
        }
    }
    Ok(())
}

/// A pair of the second store, with what the first decided on it.
fn of_second(line: PairLine, Found { line: before, is_accepted, status }: Found) -> PairChange {
    let differing = before.as_ref().filter(|_| is_accepted).map(|before| differing(before, &line));
    let (change, why) = match differing {
        None => (Change::Gained, status.clone()),
        Some(columns) if columns.is_empty() => (Change::Same, String::new()),
        Some(columns) => (Change::Changed, columns.join(", ")),
    };
    PairChange { change, lines: [before, Some(line)], status: [status, ACCEPTED.into()], why }
}

/// A pair of the first store, with why the second does not have it.
fn lost(line: PairLine, Found { line: after, status, .. }: Found) -> PairChange {
    PairChange {
        change: Change::Lost,
        lines: [Some(line), after],
        why: status.clone(),
        status: [ACCEPTED.into(), status],
    }
}

/// The columns in which two lines of one pair differ.
fn differing(before: &PairLine, after: &PairLine) -> Vec<&'static str> {
    let columns = [
        ("score", before.score != after.score),
        ("method", before.method != after.method),
        ("key", before.key != after.key),
        ("langs", [before.lang_a, before.lang_b] != [after.lang_a, after.lang_b]),
        ("scheme", [&before.url_a, &before.url_b] != [&after.url_a, &after.url_b] && before.lang_a == after.lang_a),
    ];
    columns.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
