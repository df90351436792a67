//! Hosts and links of all parts → the sites to crawl next, as `explore` ranks them.

use super::coding::encode;
use super::job::{StepJob, expect};
use super::rows::{EngineRow, Input, Output};
use crate::error::{Error, Result};
use crate::explore::{By, WebBuilder};
use crate::export::rows::{Columns, json_line};
use crate::pipeline::explore::{Explored, for_each_link};
use crate::query;
use crate::store::Store;

/// The kind of rows of hosts, with their credibility and number of pairs, and of links between hosts.
const WEB: &str = "web";
/// The names of rows of hosts and of rows of links.
const HOSTS: &str = "hosts";
const LINKS: &str = "links";
/// The kind of rows of sites.
const EXPLORE: &str = "explore";
/// How many hosts, links or sites a row has at most.
const ROWS: usize = 1 << 14;

pub type Host = (String, f64, u64);
pub type Link = (String, String, u32);

/// Writes the hosts of a part, and the links from them to others.
///
/// # Errors
/// When the store cannot be read, or the output does not take it.
pub fn web(job: &StepJob<'_>, store: &Store, part: i32, output: &mut Output<'_>) -> Result<()> {
    let hosts: Vec<Host> =
        query::hosts(store)?.into_iter().map(|host| (host.host, host.credibility, host.pairs)).collect();
    for hosts in hosts.chunks(ROWS) {
        output.put(&row(part, HOSTS, hosts.len(), encode(&hosts)?))?;
    }
    let mut links: Vec<Link> = Vec::new();
    job.in_context(|context| {
        for_each_link(store, context, |from, to, count| {
            links.push((from.to_owned(), to.to_owned(), count));
            if links.len() < ROWS {
                return Ok(());
            }
            let links = std::mem::take(&mut links);
            output.put(&row(part, LINKS, links.len(), encode(&links)?))
        })
    })?;
    if links.is_empty() { Ok(()) } else { output.put(&row(part, LINKS, links.len(), encode(&links)?)) }
}

fn row(part: i32, name: &str, count: usize, data: Vec<u8>) -> EngineRow {
    EngineRow { part, kind: WEB.into(), name: name.to_owned(), number: 0, count: count as i64, data: Some(data) }
}

/// Web rows of all parts → the sites that are in none of the parts, and to which bilingual sites link, best first.
///
/// Memory: while links are gathered, the two names of each pair of linked sites, some 150 bytes, as in `diglot explore`; and the rows
/// of links, compressed.
pub fn explore(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut builder = WebBuilder::new(job.by_domain);
    let mut links = Vec::new();
    while let Some(row) = input.read()? {
        expect(&row, &[WEB])?;
        match row.name.as_str() {
            HOSTS => {
                for (host, credibility, pairs) in row.decode::<Vec<Host>>()? {
                    if !credibility.is_finite() || u32::try_from(pairs).is_err() {
                        return Err(row.senseless());
                    }
                    builder.add_host(&host, credibility, pairs);
                }
            }
            // Which sites are outside is known only when all hosts have been read.
            LINKS => links.push(row),
            other => return Err(Error::input("web rows", format!("{other}, expected {HOSTS} or {LINKS}"))),
        }
    }
    for row in links {
        row.decode::<Vec<Link>>()?.iter().for_each(|(from, to, links)| builder.add_links(from, to, *links));
    }
    let explored = Explored::of(builder, &job.config.explore);
    for (sites, number) in explored.next(By::Weighted).chunks(ROWS).zip(0..) {
        let mut lines = Vec::new();
        for site in sites {
            json_line(&mut lines, &Columns(&Explored::COLUMNS, &explored.values(site)))
                .map_err(Error::io("memory", "writing a site"))?;
        }
        let (kind, name, count) = (EXPLORE.to_owned(), String::new(), sites.len() as i64);
        output.put(&EngineRow { part: -1, kind, name, number, count, data: Some(lines) })?;
    }
    Ok(())
}
