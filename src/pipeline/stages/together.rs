//! Domains that people say are one site.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::corrections::{Corrections, JOINED};
use crate::error::Result;
use crate::store::Store;
use crate::types::{SiteId, family, registrable_domain};

/// Which domains are one site, and under which names domains are merged.
#[derive(Default)]
pub struct Together {
    groups: Vec<Vec<String>>,
    across_suffixes: bool,
    /// For each name that is merged with others, the first of these names.
    first: BTreeMap<String, String>,
    /// Of each first name, all of them.
    members: BTreeMap<String, Vec<String>>,
}

impl Together {
    /// The groups of domains that corrections name.
    pub fn new(corrections: &Corrections, across_suffixes: bool) -> Together {
        let groups = corrections.groups().to_vec();
        let mut together = Together { groups, across_suffixes, ..Together::default() };
        let mut joined: Vec<BTreeSet<String>> = Vec::new();
        for group in &together.groups {
            let mut names: BTreeSet<String> = group.iter().map(|domain| together.base(domain).into_owned()).collect();
            let (met, others): (Vec<_>, Vec<_>) = joined.into_iter().partition(|known| !known.is_disjoint(&names));
            names.extend(met.into_iter().flatten());
            joined = others;
            joined.push(names);
        }
        for names in joined {
            let Some(first) = names.first().cloned() else { continue };
            together.first.extend(names.iter().map(|name| (name.clone(), first.clone())));
            together.members.insert(first, names.into_iter().collect());
        }
        together
    }

    /// The name of a host by itself: its registrable domain, or the family of that domain if suffixes do not count.
    pub fn base<'h>(&self, host: &'h str) -> Cow<'h, str> {
        if self.across_suffixes { family(host) } else { registrable_domain(host) }
    }

    /// The name under which the pages of a host are merged.
    pub fn name_of<'h>(&self, host: &'h str) -> Cow<'h, str> {
        let base = self.base(host);
        match self.first.get(base.as_ref()) {
            Some(first) => Cow::Owned(first.clone()),
            None => base,
        }
    }

    /// The names that are merged under a name.
    pub fn members<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let members = self.members.get(name);
        let alone = members.is_none().then_some(name);
        members.into_iter().flatten().map(String::as_str).chain(alone)
    }

    /// Groups of domains, after joining those of which people say that they are one site.
    pub fn joined(&self, mut groups: Vec<Vec<String>>) -> Vec<Vec<String>> {
        for said in &self.groups {
            let is_met = |group: &Vec<String>| group.iter().any(|domain| said.contains(domain));
            let (met, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_met);
            groups = others;
            let mut met: Vec<String> = met.into_iter().flatten().collect();
            met.sort();
            if !met.is_empty() {
                groups.push(met);
            }
        }
        groups.sort();
        groups
    }

    /// The name of a site of these domains, if people have joined some of them. It contains the joined domains, so that it shows which
    /// corrections were applied.
    pub fn site_name(&self, domains: &[String]) -> Option<String> {
        let is_said = |domain: &&String| {
            let mut groups = self.groups.iter().filter(|group| group.contains(*domain));
            groups.any(|group| group.iter().any(|other| other != *domain && domains.contains(other)))
        };
        let mut said: Vec<&str> = domains.iter().filter(is_said).map(String::as_str).collect();
        said.sort_unstable();
        (!said.is_empty()).then(|| said.join(&JOINED.to_string()))
    }
}

/// The sites that are joined in another way than people say now, and all sites that may be one with them.
///
/// # Errors
/// When the catalog cannot be read.
pub fn misplaced(store: &Store, across_suffixes: bool) -> Result<BTreeSet<SiteId>> {
    let corrections = store.corrections();
    let mut domains: BTreeSet<String> = BTreeSet::new();
    let present = |group: &[String]| -> Result<Vec<(String, SiteId)>> {
        let of = |domain: &String| Ok(store.site_of_domain(domain)?.map(|site| (domain.clone(), site)));
        group.iter().filter_map(|domain| of(domain).transpose()).collect()
    };
    for id in (0..store.site_count()?).map(SiteId) {
        let Some(head) = store.site(id)?.filter(|head| head.domain.contains(JOINED)) else { continue };
        let parts: BTreeSet<String> = head.domain.split(JOINED).map(str::to_owned).collect();
        let mut said: BTreeSet<String> = BTreeSet::new();
        for domain in &parts {
            let group = present(corrections.group_of(domain).unwrap_or_default())?;
            said.extend(group.into_iter().map(|(domain, _)| domain));
        }
        if said != parts {
            domains.extend(parts);
        }
    }
    for group in corrections.groups() {
        let group = present(group)?;
        let is_said = |id: SiteId| -> Result<bool> {
            let head = store.site(id)?.unwrap_or_default();
            let parts: BTreeSet<&str> = head.domain.split(JOINED).collect();
            Ok(group.iter().all(|(domain, site)| *site == id && parts.contains(domain.as_str())))
        };
        if group.len() > 1 && !is_said(group[0].1)? {
            domains.extend(group.into_iter().map(|(domain, _)| domain));
        }
    }
    let mut found = BTreeSet::new();
    for domain in domains {
        if across_suffixes {
            found.extend(store.sites_of_family(&family(&domain))?.into_iter().map(|(_, site)| site));
        }
        found.extend(store.site_of_domain(&domain)?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together(text: &str, across: bool) -> Together {
        Together::new(&Corrections::parse(text).expect("a sound text"), across)
    }

    fn owned(groups: &[&[&str]]) -> Vec<Vec<String>> {
        groups.iter().map(|group| group.iter().map(|domain| (*domain).to_owned()).collect()).collect()
    }

    #[test]
    fn domains_that_are_together_are_merged_under_one_name() {
        let said = together("together\ta.org\tb.com\n", false);
        assert_eq!(
            ["www.b.com", "a.org", "c.net"].map(|host| said.name_of(host).into_owned()),
            ["a.org", "a.org", "c.net"]
        );
        assert_eq!(said.members("a.org").collect::<Vec<_>>(), ["a.org", "b.com"]);
        assert_eq!(said.members("c.net").collect::<Vec<_>>(), ["c.net"]);
        assert_eq!(said.joined(owned(&[&["a.org"], &["b.com"]])), owned(&[&["a.org", "b.com"]]));
        assert_eq!(said.site_name(&owned(&[&["a.org", "b.com"]])[0]), Some("a.org|b.com".to_owned()));
        // The store has nothing of the other one.
        assert_eq!(said.site_name(&owned(&[&["a.org"]])[0]), None);
    }

    #[test]
    fn across_suffixes_the_families_of_the_domains_are_merged() {
        let said = together("together\ta.org\tb.com\n", true);
        assert_eq!(said.name_of("a.fr"), "a.*");
        assert_eq!(said.name_of("www.b.de"), "a.*");
        let groups = said.joined(owned(&[&["a.fr", "a.org"], &["b.com"], &["b.de"]]));
        assert_eq!(groups, owned(&[&["a.fr", "a.org", "b.com"], &["b.de"]]));
        assert_eq!(said.site_name(&groups[0]), Some("a.org|b.com".to_owned()));
    }
}
