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

/// Calls `each` with the pairs of a site in one store, and what the other store decided on each.
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

/// The change of a pair of the second store, given what the first store decided on it.
fn of_second(line: PairLine, Found { line: before, is_accepted, status }: Found) -> PairChange {
    let differing = before.as_ref().filter(|_| is_accepted).map(|before| differing(before, &line));
    let (change, why) = match differing {
        None => (Change::Gained, status.clone()),
        Some(columns) if columns.is_empty() => (Change::Same, String::new()),
        Some(columns) => (Change::Changed, columns.join(", ")),
    };
    PairChange { change, lines: [before, Some(line)], status: [status, ACCEPTED.into()], why }
}

/// The change of a pair of the first store that the second one does not have, with the reason.
fn lost(line: PairLine, Found { line: after, status, .. }: Found) -> PairChange {
    PairChange {
        change: Change::Lost,
        lines: [Some(line), after],
        why: status.clone(),
        status: [ACCEPTED.into(), status],
    }
}

/// The columns in which two lines of one pair differ. Scores are compared as they are listed, and languages page by page.
fn differing(before: &PairLine, after: &PairLine) -> Vec<&'static str> {
    let rounded = |line: &PairLine| (line.score * 1e4).round();
    let langs = |line: &PairLine, first: &str| {
        if without_scheme(&line.url_a) == first { [line.lang_a, line.lang_b] } else { [line.lang_b, line.lang_a] }
    };
    let first = without_scheme(&after.url_a);
    let columns = [
        ("score", rounded(before) != rounded(after)),
        ("method", before.method != after.method),
        ("key", before.key != after.key),
        ("langs", langs(before, first) != langs(after, first)),
    ];
    columns.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, identity)| identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, Provenance};

    #[test]
    fn a_pair_has_changed_where_a_column_that_is_listed_has() {
        let line = |[url_a, url_b]: [&str; 2], score| PairLine {
            url_a: url_a.into(),
            url_b: url_b.into(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH,
            score,
            method: "key",
            key: String::new(),
            scorer: None,
            provenance: <[Provenance; 2]>::default(),
        };
        let before = line(["http://ex.org/a", "http://ex.org/b"], 0.5);
        let after = |urls, score| differing(&before, &line(urls, score));
        assert_eq!(after(["https://ex.org/a", "http://ex.org/b"], 0.500_04), [""; 0]);
        assert_eq!(after(["http://ex.org/b", "http://ex.org/a"], 0.5002), ["score", "langs"]);
        let turned =
            PairLine { lang_a: Lang::ZH, lang_b: Lang::EN, ..line(["http://ex.org/b", "https://ex.org/a"], 0.5) };
        assert_eq!(differing(&before, &turned), [""; 0], "each page has the language that it had");
    }
}
