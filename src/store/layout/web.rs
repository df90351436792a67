//! URLs that were requested of crawlers, and the graph of sites that suggests where to look next.

use rkyv::{Archive, Deserialize, Serialize};

/// URLs that were requested of crawlers in one commit. Kind 14. The last record of a URL or round is the valid one.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default)]
pub struct RequestRecord {
    /// URLs, without scheme.
    pub requested: Vec<(String, RequestedRecord)>,
    /// Rounds of exploring, by number.
    pub rounds: Vec<(u32, RoundRecord)>,
}

/// A URL that was requested of a crawler. Key `q` registrable domain of `from`, a zero byte, URL without scheme.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RequestedRecord {
    /// URL of the page that lacks a partner, without scheme.
    pub from: String,
    /// Pattern of the key that made the URL.
    pub pattern: String,
    /// The language that the page would be in.
    pub lang: [u8; 8],
    /// Local credibility of the key at the time of the request.
    pub credibility: f64,
    /// True when its scheme is https.
    pub https: bool,
}

/// Links between sites. Kind 7. Sites of the store come first, by name, then the others, by name.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct WebRecord {
    /// The first site whose links are in this record.
    pub first: u32,
    /// End of each site's links in the two columns that follow; sites of the store only.
    pub ends: Vec<u32>,
    /// The site that a link leads to, ascending for each site.
    pub targets: Vec<u32>,
    /// How many links lead there.
    pub links: Vec<u32>,
    /// Names of all sites, end to end; in the first record only.
    pub names: String,
    /// End of each name.
    pub name_ends: Vec<u32>,
    /// C(w) of each site of the store; in the first record only.
    pub credibility: Vec<f64>,
    /// Pairs of each site of the store; in the first record only.
    pub pairs: Vec<u64>,
}

/// Where a graph of sites is. Key `w` `host` or `domain`.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct WebHead {
    /// Hash of the link graphs and results it was made from.
    pub fingerprint: u64,
    /// Its records, in order.
    pub chunks: Vec<u64>,
}

/// One round of exploring. Key `x` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundRecord {
    /// The measure by which the sites were ranked.
    pub by: String,
    /// True when a site is a registrable domain, false when it is a host.
    pub by_domain: bool,
    /// Hash of the graph: its sites, links and pairs.
    pub web: u64,
    /// Seed sites.
    pub seeds: u32,
    /// Pairs of all sites at that time.
    pub pairs: u64,
    /// The sites that were suggested, best first.
    pub requested: Vec<String>,
}

impl ArchivedRequestRecord {
    /// The request, owned.
    pub fn to_owned(&self) -> RequestRecord {
        let requested = self.requested.iter().map(|row| (row.0.to_string(), row.1.to_owned()));
        let rounds = self.rounds.iter().map(|row| (row.0.to_native(), row.1.to_owned()));
        RequestRecord { requested: requested.collect(), rounds: rounds.collect() }
    }
}

impl ArchivedWebRecord {
    /// The record, owned.
    pub fn to_owned(&self) -> WebRecord {
        WebRecord {
            first: self.first.to_native(),
            ends: self.ends.iter().map(|end| end.to_native()).collect(),
            targets: self.targets.iter().map(|target| target.to_native()).collect(),
            links: self.links.iter().map(|links| links.to_native()).collect(),
            names: self.names.to_string(),
            name_ends: self.name_ends.iter().map(|end| end.to_native()).collect(),
            credibility: self.credibility.iter().map(|found| found.to_native()).collect(),
            pairs: self.pairs.iter().map(|pairs| pairs.to_native()).collect(),
        }
    }
}

impl ArchivedRequestedRecord {
    fn to_owned(&self) -> RequestedRecord {
        RequestedRecord {
            from: self.from.to_string(),
            pattern: self.pattern.to_string(),
            lang: self.lang,
            credibility: self.credibility.to_native(),
            https: self.https,
        }
    }
}

impl ArchivedRoundRecord {
    fn to_owned(&self) -> RoundRecord {
        RoundRecord {
            by: self.by.to_string(),
            by_domain: self.by_domain,
            web: self.web.to_native(),
            seeds: self.seeds.to_native(),
            pairs: self.pairs.to_native(),
            requested: self.requested.iter().map(ToString::to_string).collect(),
        }
    }
}

/// How many links a record has at most, unless a single site has more.
const RECORD_LINKS: usize = 1 << 24;

/// Records of the links, given as (site, linked site, number). Each record has many links, and all links of a site are in the same record.
pub fn web_records(stored: u32, links: &[(u32, u32, u32)]) -> Vec<WebRecord> {
    let mut records = vec![WebRecord::default()];
    let mut at = 0;
    for site in 0..stored {
        let end = at + links[at..].partition_point(|link| link.0 == site);
        if records.last().is_some_and(|record| record.targets.len() + (end - at) > RECORD_LINKS && site > record.first)
        {
            records.push(WebRecord { first: site, ..WebRecord::default() });
        }
        let record = records.last_mut().expect("there is a first one");
        record.targets.extend(links[at..end].iter().map(|link| link.1));
        record.links.extend(links[at..end].iter().map(|link| link.2));
        record.ends.push(record.targets.len() as u32);
        at = end;
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_targets_of_each_site_up_to_its_end() {
        let records = web_records(3, &[(0, 1, 5), (0, 3, 2), (2, 0, 1)]);
        assert_eq!(records.len(), 1);
        let WebRecord { first, targets, links, ends, .. } = &records[0];
        assert_eq!((*first, &targets[..], &links[..], &ends[..]), (0, &[1, 3, 0][..], &[5, 2, 1][..], &[2, 2, 3][..]));
    }
}
