//! The tables of a report: hosts, keys, and what was left out and why.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use diglot::config::Config;
use diglot::query::{self, ArchiveLine, HostLine, KeyLine, Overview, Scope, tag_and_name};
use diglot::store::Store;
use diglot::types::{Lang, grouped, pattern};

use super::views::plain;

/// A table: texts in rows of as many cells as there are columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The name of its place in the file.
    pub id: &'static str,
    pub title: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
    /// The note below the table, where it does not have all rows.
    pub rest: String,
}

/// A column: its heading, and whether it holds numbers.
pub type Column = (&'static str, bool);

/// How many rows a table has at most.
pub const ROWS: usize = 50;

impl Table {
    /// The first rows of a table, and a note on the others: their number, and the command that lists all.
    pub fn new(
        (id, title): (&'static str, &'static str),
        columns: &[Column],
        mut rows: Vec<Vec<String>>,
        command: &str,
    ) -> Table {
        let more = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        let rest = match more {
            0 => String::new(),
            more => format!("and {} more: {command}", grouped(more as u64)),
        };
        Table { id, title, columns: columns.to_vec(), rows, rest }
    }
}

/// Languages with numbers of pages, those with most first.
fn languages<'l>(langs: impl Iterator<Item = (&'l Lang, &'l u32)>) -> String {
    let mut langs: Vec<(&Lang, &u32)> = langs.collect();
    langs.sort_by_key(|&(lang, pages)| (Reverse(pages), lang));
    let texts = langs.iter().map(|(lang, pages)| format!("{} {}", tag_and_name(**lang), grouped(u64::from(**pages))));
    texts.collect::<Vec<_>>().join(", ")
}

/// The hosts, those with most pairs first.
pub fn hosts(mut hosts: Vec<HostLine>) -> Table {
    hosts.sort_by(|a, b| b.pairs.cmp(&a.pairs).then(b.pages.cmp(&a.pages)).then_with(|| a.host.cmp(&b.host)));
    let row = |host: &HostLine| {
        let numbers = [u64::from(host.pages), host.pairs].map(grouped);
        [vec![plain(&host.host)], numbers.to_vec(), vec![languages(host.langs.iter())]].concat()
    };
    let columns = [("host", false), ("pages", true), ("pairs", true), ("pages by language", false)];
    Table::new(("hosts", "Hosts"), &columns, hosts.iter().map(row).collect(), "diglot hosts")
}

/// The hosts of which few pages are paired, with the likeliest reasons.
///
/// # Errors
/// When the store cannot be read.
pub fn few_pairs(store: &Store, config: &Config) -> anyhow::Result<Table> {
    let rows = query::shortages(store, config, &Scope::all())?.into_iter().map(|host| {
        let langs = languages(host.langs.iter().map(|(lang, pages)| (lang, pages)));
        let numbers = [host.pairs, u64::from(host.concerned)].map(grouped);
        [vec![plain(&host.host), langs], numbers.to_vec(), vec![host.reason.to_string()]].concat()
    });
    let columns = [
        ("host", false),
        ("pages by language", false),
        ("pairs", true),
        ("pages concerned", true),
        ("likeliest reason", false),
    ];
    let title = ("few-pairs", "Hosts with few pairs");
    Ok(Table::new(title, &columns, rows.collect(), "diglot hosts --few-pairs"))
}

/// The keys, those with most pairs first.
pub fn keys(mut keys: Vec<KeyLine>) -> Table {
    keys.sort_by(|a, b| b.accepted.cmp(&a.accepted).then_with(|| a.site.cmp(&b.site)).then_with(|| a.key.cmp(&b.key)));
    let row = |key: &KeyLine| {
        let (first, second) = key.langs();
        vec![
            plain(&pattern(&key.edits())),
            format!("{first}-{second}"),
            plain(&key.scope),
            grouped(key.assigned),
            grouped(key.accepted),
            key.est_precision.map_or_else(|| "-".to_owned(), |precision| format!("{precision:.4}")),
            format!("{:.4}", key.credibility),
            key.state_name().to_owned(),
        ]
    };
    let columns = [
        ("key", false),
        ("languages", false),
        ("where it acts", false),
        ("assigned", true),
        ("accepted", true),
        ("estimated precision", true),
        ("credibility", true),
        ("state", false),
    ];
    Table::new(("keys", "Keys"), &columns, keys.iter().map(row).collect(), "diglot keys")
}

/// What was left out and why, with an example of each reason where the store keeps one.
///
/// # Errors
/// When the store cannot be read.
pub fn left_out(store: &Store, found: &Overview, archives: &[ArchiveLine]) -> anyhow::Result<Table> {
    let mut examples = BTreeMap::new();
    for archive in archives {
        for sample in &archive.samples {
            let detail = if sample.detail.is_empty() { String::new() } else { format!(": {}", sample.detail) };
            let example = || plain(&format!("{} at byte {}{detail}", archive.path, sample.offset));
            examples.entry(sample.reason).or_insert_with(example);
        }
    }
    let row =
        |of: &str, why: &str, count: u64, example: String| vec![of.to_owned(), why.to_owned(), grouped(count), example];
    let mut rows = Vec::new();
    for (reason, count) in found
        .left_out
        .iter()
        .map(|(reason, count)| (reason, count))
        .chain(&found.withheld)
        .filter(|(_, count)| **count > 0)
    {
        rows.push(row("captures", reason.name(), *count, examples.get(reason).cloned().unwrap_or_default()));
    }
    let others = [("captures", "other captures of the same URL", found.older)].into_iter();
    let judged = found.outcomes.iter().filter(|(name, _)| **name != "accepted");
    let judged = judged.map(|(name, count)| ("page pairs", *name, *count));
    let sentences = found.sentences_left_out.iter().map(|(why, count)| ("sentence pairs", why.name(), *count));
    let others = others.chain(judged).chain(sentences).filter(|(.., count)| *count > 0);
    rows.extend(others.map(|(of, why, count)| row(of, why, count, String::new())));
    for input in query::refused(store)? {
        rows.push(row("inputs", &plain(&input.reason), 1, plain(&input.path.display().to_string())));
    }
    let columns = [("what", false), ("why", false), ("how many", true), ("for example", false)];
    Ok(Table::new(("left-out", "Left out"), &columns, rows, "diglot status --archives"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, pages: u32, pairs: u64) -> HostLine {
        let langs = [(Lang::EN, 1_200), (Lang::ZH, 3)].into();
        HostLine { host: name.into(), domain: name.into(), pages, langs, pairs, credibility: 0.5 }
    }

    #[test]
    fn the_hosts_with_most_pairs_come_first_and_the_rest_is_counted() {
        let lines = (0..ROWS as u64 + 2).map(|pairs| host(&format!("h{pairs}.test"), 1_203, pairs)).collect();
        let table = hosts(lines);
        assert_eq!(table.rows[0], ["h51.test", "1,203", "51", "en English 1,200, zh Chinese 3"]);
        assert_eq!((table.rows.len(), table.rest.as_str()), (ROWS, "and 2 more: diglot hosts"));
        assert!(hosts(vec![host("a.test", 1, 0)]).rest.is_empty());
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }
}
