//! Ranks graphs of sites that are made or given, through a store: for figures, and for comparison with other programs.
//!
//! `web ranks FILE`: edges `from to` by line, all sites seeds → `site pagerank` by line.
//! `web time SITES LINKS`: seconds a ranking takes, and memory.
//! `web find SEED`: a web in which bilingual sites link to bilingual sites; precision at N of the three ranks.
//! `web rounds SEED`: such a web crawled round by round, 200 sites each; the share of each round that is bilingual.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use diglot::explore::{self, By, Params};
use diglot::laboratory::index::{ListedWeb, Web};
use diglot::laboratory::store::{SiteWeb, web_records};
use diglot::store::{Access, Store};

use crate::clock::peak_bytes;
use crate::dice::Dice;
use crate::{Result, Usage};

/// Does what the first argument says.
pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let folder = tempfile::tempdir()?;
    let mut store = Store::open(&folder.path().join("s"), Access::Write)?;
    match words[..] {
        ["ranks", file] => ranks(&mut store, file),
        ["time", sites, links] => time(&mut store, sites.parse()?, links.parse()?),
        ["find", seed] => find(&mut store, seed.parse()?),
        ["rounds", seed] => rounds(seed.parse()?),
        _ => Err(Usage.into()),
    }
}

/// A graph in the store: `stored` sites that link, and others.
fn put(store: &mut Store, stored: u32, count: u32, mut links: Vec<(u32, u32, u32)>) -> Result<SiteWeb> {
    links.sort_unstable();
    links.dedup_by(|b, a| (a.0, a.1) == (b.0, b.1));
    links.retain(|link| link.0 != link.1);
    let mut records = web_records(stored, &links);
    for site in 0..count {
        records[0].names.push_str(&site.to_string());
        let end = records[0].names.len() as u32;
        records[0].name_ends.push(end);
    }
    records[0].credibility = vec![1.0; stored as usize];
    records[0].pairs = vec![1; stored as usize];
    Ok(store.put_web(&records)?)
}

fn ranks(store: &mut Store, file: &str) -> Result<()> {
    let mut links: Vec<(u32, u32, u32)> = Vec::new();
    for line in std::fs::read_to_string(file)?.lines() {
        let (from, to) = line.split_once(' ').ok_or("two numbers a line")?;
        links.push((from.parse()?, to.parse()?, 1));
    }
    let count = links.iter().map(|link| link.0.max(link.1) + 1).max().unwrap_or(0);
    let web = put(store, count, count, links)?;
    let ranks = explore::rank(&web, &|_| 1.0, &vec![true; count as usize], &Params::default());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (site, rank) in ranks.iter().enumerate() {
        writeln!(out, "{site} {:e}", rank.pagerank)?;
    }
    Ok(out.flush()?)
}

fn time(store: &mut Store, sites: u32, links: usize) -> Result<()> {
    let mut noise = Dice(7);
    let pairs = (0..links).map(|_| (noise.popular(sites), noise.popular(sites), 1)).collect();
    let web = put(store, sites, sites, pairs)?;
    let mut kept = 0u64;
    web.for_each_link(|_, _, _| kept += 1);
    let since = Instant::now();
    let ranks = explore::rank(&web, &|_| 1.0, &vec![true; sites as usize], &Params::default());
    let sum: f64 = ranks.iter().map(|rank| rank.pagerank).sum();
    println!("sites {sites} links {kept} seconds {:.2} sum {sum:.9}", since.elapsed().as_secs_f64());
    println!("peak {:.0} MiB", peak_bytes() / 1_048_576.0);
    Ok(())
}

/// 2,000 seeds, with C(w) from 0.1 to 1, and 20,000 sites outside, a fifth of them bilingual. A link of a seed leads to a
/// bilingual site with 0.2 + 0.6·C(w)², and anywhere else otherwise; some sites are linked to far more often than others.
fn find(store: &mut Store, seed: u64) -> Result<()> {
    let (seeds, outside) = (2000u32, 20_000u32);
    let mut noise = Dice(seed);
    let credibility: Vec<f64> = (0..seeds).map(|_| 0.1 + 0.9 * noise.share()).collect();
    let bilingual: Vec<bool> = (0..outside).map(|_| noise.share() < 0.2).collect();
    let of = |wanted: bool| -> Vec<u32> { (0..outside).filter(|&site| bilingual[site as usize] == wanted).collect() };
    let (yes, no) = (of(true), of(false));
    let mut links = BTreeSet::new();
    for from in 0..seeds {
        for _ in 0..3 + noise.next() % 12 {
            links.insert((from, noise.popular(seeds), 1));
        }
        for _ in 0..5 + noise.next() % 30 {
            let c = credibility[from as usize];
            let side = if noise.share() < 0.2 + 0.6 * c * c { &yes } else { &no };
            links.insert((from, seeds + side[noise.popular(side.len() as u32) as usize], 1));
        }
    }
    let web = put(store, seeds, seeds + outside, links.into_iter().collect())?;
    let all = vec![true; seeds as usize];
    let ranks = explore::rank(&web, &|site| credibility[site as usize], &all, &Params::default());
    println!("by\t{}", [50, 100, 200, 500, 1000].map(|n| format!("P@{n}")).join("\t"));
    for by in By::ALL {
        let name = by.name();
        let next = explore::next(&web, &ranks, &all, by);
        let precision = [50, 100, 200, 500, 1000].map(|n| {
            let right = next.iter().take(n).filter(|next| bilingual[(next.site - seeds) as usize]).count();
            format!("{:.3}", right as f64 / n as f64)
        });
        println!("{name}\t{}", precision.join("\t"));
    }
    Ok(())
}

/// 20,000 sites, a fifth of them bilingual with C(w) from 0.1 to 1; links lead to bilingual sites as in [`find`], those of other
/// sites in one case of five. 200 bilingual sites are seeds. Each round takes in the 200 sites named first; those that turn out
/// bilingual are seeds from then on. `any` takes sites that seeds link to, in no order.
fn rounds(seed: u64) -> Result<()> {
    const SITES: u32 = 20_000;
    const TAKEN: usize = 200;
    let mut noise = Dice(seed);
    let credibility: Vec<f64> =
        (0..SITES).map(|_| if noise.share() < 0.2 { 0.1 + 0.9 * noise.share() } else { 0.0 }).collect();
    let of = |wanted: bool| -> Vec<u32> { (0..SITES).filter(|&s| (credibility[s as usize] > 0.0) == wanted).collect() };
    let (yes, no) = (of(true), of(false));
    let links: Vec<BTreeSet<u32>> = (0..SITES)
        .map(|from| {
            let c = credibility[from as usize];
            let mut to = BTreeSet::new();
            for _ in 0..5 + noise.next() % 30 {
                let side = if noise.share() < 0.2 + 0.6 * c * c { &yes } else { &no };
                to.insert(side[noise.popular(side.len() as u32) as usize]);
            }
            to
        })
        .collect();
    println!("by\t{}", (1..=6).map(|round| format!("round {round}")).collect::<Vec<_>>().join("\t"));
    let ways = By::ALL.iter().map(|by| (by.name(), Some(*by))).chain([("any", None)]);
    for (name, by) in ways {
        // Not the best known ones.
        let mut stored: Vec<u32> = yes.iter().copied().skip(200).step_by(17).take(200).collect();
        let mut shares = Vec::new();
        for _ in 0..6 {
            let mut number: Vec<Option<u32>> = vec![None; SITES as usize];
            let mut all = stored.clone();
            all.extend((0..SITES).filter(|site| !stored.contains(site)));
            all.iter().zip(0..).for_each(|(&site, at)| number[site as usize] = Some(at));
            let row = |(&site, from): (&u32, u32)| {
                let to = links[site as usize].iter().filter_map(|&to| number[to as usize]);
                to.filter(move |&to| to != from).map(move |to| (from, to, 1)).collect::<Vec<_>>()
            };
            let links = stored.iter().zip(0..).flat_map(row).collect();
            let web = ListedWeb { stored: stored.len() as u32, count: SITES, links };
            let seeds: Vec<bool> = stored.iter().map(|&site| credibility[site as usize] > 0.0).collect();
            let c = |site: u32| credibility[stored[site as usize] as usize];
            let ranks = explore::rank(&web, &c, &seeds, &Params::default());
            let mut next = explore::next(&web, &ranks, &seeds, by.unwrap_or(By::Linkout));
            if by.is_none() {
                next.sort_by_key(|next| Dice(u64::from(next.site)).next());
            }
            let came: Vec<u32> = next.iter().take(TAKEN).map(|next| all[next.site as usize]).collect();
            let bilingual = came.iter().filter(|&&site| credibility[site as usize] > 0.0).count();
            shares.push(format!("{:.3}", bilingual as f64 / came.len().max(1) as f64));
            stored.extend(came);
        }
        println!("{name}\t{}", shares.join("\t"));
    }
    Ok(())
}
