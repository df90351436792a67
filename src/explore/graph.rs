//! The graph of sites, made from links between hosts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::types::registrable_domain;

/// The site of a host: its registrable domain, or the host itself.
pub fn site_name(host: &str, by_domain: bool) -> Cow<'_, str> {
    if by_domain { registrable_domain(host) } else { Cow::Borrowed(host) }
}

/// A site of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSite {
    /// Its name.
    pub name: String,
    /// C(w): the credibility of its best key.
    pub credibility: f64,
    /// Pairs with a page on it.
    pub pairs: u64,
}

/// The graph of sites, with their names. Sites are numbered from 0: those of the store in the order of their names, then the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedWeb {
    /// The sites of the store.
    pub stored: Vec<StoredSite>,
    /// Names of the sites outside the store to which sites of the store link.
    pub outside: Vec<String>,
    /// Numbers of a site of the store and of a site to which it links, and the number of links; sorted.
    pub links: Vec<(u32, u32, u32)>,
}

/// Collects hosts and the links between them. Memory: two names for each pair of linked sites.
pub struct WebBuilder {
    by_domain: bool,
    stored: BTreeMap<String, (f64, u64)>,
    outside: BTreeSet<String>,
    links: FxHashMap<(String, String), u32>,
}

impl WebBuilder {
    /// A graph of registrable domains or of hosts.
    pub fn new(by_domain: bool) -> WebBuilder {
        let (stored, outside, links) = Default::default();
        WebBuilder { by_domain, stored, outside, links }
    }

    /// Adds a host of the store. All hosts must be added before the first link.
    pub fn add_host(&mut self, host: &str, credibility: f64, pairs: u64) {
        let site = self.stored.entry(site_name(host, self.by_domain).into_owned()).or_default();
        *site = (site.0.max(credibility), site.1 + pairs);
    }

    /// Adds links from a host of the store to any other host. Links inside a site do not count.
    pub fn add_links(&mut self, from: &str, to: &str, links: u32) {
        let (from, to) = (site_name(from, self.by_domain).into_owned(), site_name(to, self.by_domain).into_owned());
        if from == to || to.is_empty() {
            return;
        }
        if !self.stored.contains_key(&to) && !self.outside.contains(&to) {
            self.outside.insert(to.clone());
        }
        let known = self.links.entry((from, to)).or_default();
        *known = known.saturating_add(links);
    }

    /// The graph.
    pub fn finish(self) -> NamedWeb {
        let numbers: FxHashMap<&str, u32> =
            self.stored.keys().chain(&self.outside).zip(0..).map(|(name, number)| (name.as_str(), number)).collect();
        let number = |name: &str| numbers.get(name).copied();
        let mut links: Vec<(u32, u32, u32)> = self
            .links
            .iter()
            .filter_map(|((from, to), &links)| Some((number(from)?, number(to)?, links)))
            .filter(|(from, ..)| (*from as usize) < self.stored.len())
            .collect();
        links.sort_unstable();
        let stored = self.stored.into_iter();
        let stored = stored.map(|(name, (credibility, pairs))| StoredSite { name, credibility, pairs }).collect();
        NamedWeb { stored, outside: self.outside.into_iter().collect(), links }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(by_domain: bool) -> NamedWeb {
        let mut builder = WebBuilder::new(by_domain);
        builder.add_host("en.b.org", 0.25, 2);
        builder.add_host("fr.b.org", 0.5, 3);
        builder.add_host("a.org", 0.0, 0);
        for (from, to, links) in [
            ("fr.b.org", "a.org", 2),
            ("en.b.org", "a.org", 1),
            ("en.b.org", "fr.b.org", 7),
            ("a.org", "www.c.org", 1),
            ("a.org", "a.org", 9),
            ("a.org", "", 9),
            ("not-stored.org", "a.org", 9),
        ] {
            builder.add_links(from, to, links);
        }
        builder.finish()
    }

    #[test]
    fn hosts_are_sites() {
        let web = built(false);
        assert_eq!(
            web.stored.iter().map(|site| site.name.as_str()).collect::<Vec<_>>(),
            ["a.org", "en.b.org", "fr.b.org"]
        );
        assert_eq!(web.outside, ["www.c.org"]);
        assert_eq!(web.links, [(0, 3, 1), (1, 0, 1), (1, 2, 7), (2, 0, 2)]);
    }

    #[test]
    fn hosts_of_a_domain_are_one_site_with_the_best_credibility_and_all_pairs() {
        let web = built(true);
        assert_eq!(web.stored[1], StoredSite { name: "b.org".into(), credibility: 0.5, pairs: 5 });
        assert_eq!(web.outside, ["c.org"]);
        assert_eq!(web.links, [(0, 2, 1), (1, 0, 3)]);
    }
}
