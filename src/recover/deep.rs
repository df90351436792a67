//! What became of the URLs that keys make: they are listed, filtered and ranked.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::known::KnownSite;
use super::proposal::{ActiveKey, Proposal};
use crate::types::{CanonicalUrl, Lang, Pointer};

/// What became of a URL that a key makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was requested and arrived, and the key pairs it.
    Recovered,
    /// It was requested and arrived, but the key does not pair it.
    Arrived,
    /// It is in the store but is not the partner, for this reason.
    Present(String),
    /// The archives of the store have it, but it is not a page, for this reason.
    LeftOut(String),
    /// An index has it, and says where it can be fetched.
    Indexed(Pointer),
    /// It was requested, and has not arrived.
    Requested,
    /// It is not in the store and was not requested yet; a crawler may find it.
    Missing,
}

impl Outcome {
    /// The name in listings.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Recovered => "recovered",
            Outcome::Arrived => "arrived",
            Outcome::Present(_) => "present",
            Outcome::LeftOut(_) => "left-out",
            Outcome::Indexed(_) => "indexed",
            Outcome::Requested => "requested",
            Outcome::Missing => "missing",
        }
    }
}

/// A URL that a key makes, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeepPage {
    /// The URL.
    pub url: String,
    /// The URL without its scheme.
    pub identity: String,
    /// The language it would be in.
    pub lang: Lang,
    /// Pattern of the key, from the language that sorts first.
    pub key: String,
    /// Local credibility of the key.
    pub credibility: f64,
    /// How likely the page is to exist, 0..=1; 1 for URLs that were requested before.
    pub chance: f64,
    /// Whether pages of the store link to it; `None` for URLs that were requested before.
    pub is_linked: Option<bool>,
    /// The page whose partner it would be.
    pub from: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// A URL that was requested, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Requested {
    /// The page whose partner it would be, without scheme.
    pub from: String,
    /// Pattern of the key.
    pub pattern: String,
    /// The language it would be in.
    pub lang: Lang,
    /// Local credibility of the key at that time.
    pub credibility: f64,
    /// True when the scheme is https.
    pub https: bool,
}

/// Which URLs are listed.
pub struct Filter<'f> {
    /// Whether a URL without scheme is on a host that was asked for.
    pub has_host: &'f dyn Fn(&str) -> bool,
    /// Whether a URL without scheme must not be requested.
    pub is_removed: &'f dyn Fn(&str) -> bool,
    /// True if URLs that were requested before, but have not arrived, count as missing again.
    pub again: bool,
}

/// The URLs of a site that were requested before, and those that `proposals` name now, each with what became of it.
pub fn deep_pages<S: KnownSite + ?Sized>(
    site: &S,
    requested: &BTreeMap<String, Requested>,
    (keys, proposals): (&[ActiveKey], Vec<Proposal>),
    filter: &Filter<'_>,
) -> Vec<DeepPage> {
    let requested_here =
        requested.iter().filter(|(identity, _)| (filter.has_host)(identity) && !(filter.is_removed)(identity));
    let mut pages: Vec<DeepPage> = requested_here
        .filter_map(|(identity, requested)| of_request(site, identity, requested, filter.again))
        .collect();
    let is_wanted = |proposal: &Proposal| {
        (filter.has_host)(site.identity(proposal.page)) && !(filter.is_removed)(&proposal.identity)
    };
    for proposal in proposals.into_iter().filter(is_wanted) {
        let outcome = if !requested.contains_key(&proposal.identity) {
            outcome(site, &proposal)
        } else if filter.again
            && site.page_of(&proposal.identity).is_none()
            && site.skip_reason(&proposal.identity).is_none()
        {
            Outcome::Missing
        } else {
            continue;
        };
        let from = site.url(proposal.page);
        // What cannot stand in a crawler's list is not a URL.
        let Ok(url) = CanonicalUrl::parse(&format!("{}{}", scheme(from.starts_with("https:")), proposal.identity))
        else {
            continue;
        };
        pages.push(DeepPage {
            url: url.as_str().to_owned(),
            lang: proposal.lang,
            key: keys[proposal.key].key.pattern(),
            credibility: proposal.credibility,
            chance: proposal.chance,
            is_linked: Some(proposal.is_linked),
            from,
            outcome,
            identity: proposal.identity,
        });
    }
    pages
}

/// A URL that was requested before; `None` if it has not arrived and is proposed again.
fn of_request<S: KnownSite + ?Sized>(site: &S, identity: &str, requested: &Requested, again: bool) -> Option<DeepPage> {
    let scheme = scheme(requested.https);
    let outcome = match (site.page_of(identity), site.skip_reason(identity)) {
        (Some(page), _) if site.is_recovered(page) => Outcome::Recovered,
        (Some(_), _) => Outcome::Arrived,
        (None, Some(why)) => Outcome::LeftOut(why.to_owned()),
        (None, None) if again => return None,
        (None, None) => Outcome::Requested,
    };
    Some(DeepPage {
        url: format!("{scheme}{identity}"),
        identity: identity.to_owned(),
        lang: requested.lang,
        key: requested.pattern.clone(),
        credibility: requested.credibility,
        chance: 1.0,
        is_linked: None,
        from: format!("{scheme}{}", requested.from),
        outcome,
    })
}

fn scheme(https: bool) -> &'static str {
    if https { "https://" } else { "http://" }
}

/// What became of a URL that was never requested.
fn outcome<S: KnownSite + ?Sized>(site: &S, proposal: &Proposal) -> Outcome {
    let Some(page) = site.page_of(&proposal.identity) else {
        return match site.skip_reason(&proposal.identity) {
            Some(why) => Outcome::LeftOut(why.to_owned()),
            None => Outcome::Missing,
        };
    };
    let lang = site.lang(page);
    Outcome::Present(match site.copy_of(page) {
        Some(original) => format!("an untranslated copy of {}", site.identity(original)),
        None if lang != proposal.lang => format!("its text is {lang}"),
        None => "another page is its partner".to_owned(),
    })
}

/// Sorts URLs, the likeliest first, then by the credibility of the key, then by URL.
pub fn rank(pages: &mut [DeepPage]) {
    let order = |a: &DeepPage, b: &DeepPage| -> Ordering {
        let by_trust = b.chance.total_cmp(&a.chance).then(b.credibility.total_cmp(&a.credibility));
        by_trust.then_with(|| a.identity.cmp(&b.identity))
    };
    pages.sort_by(order);
}

/// Keeps of the missing and the requested URLs those whose chance is at least `min_chance`, of the missing ones the first `top`, and all others.
/// Returns how many are too unlikely.
pub fn choose(pages: &mut Vec<DeepPage>, top: Option<usize>, min_chance: f64) -> usize {
    let (mut left, mut unlikely) = (top.unwrap_or(usize::MAX), 0);
    pages.retain(|page| {
        if !matches!(page.outcome, Outcome::Missing | Outcome::Requested) {
            return true;
        }
        if page.chance < min_chance {
            unlikely += 1;
            return false;
        }
        if page.outcome == Outcome::Requested {
            return true;
        }
        let keep = left > 0;
        left = left.saturating_sub(1);
        keep
    });
    unlikely
}

#[cfg(test)]
mod tests {
    use super::super::known::tests::ListedSite;
    use super::*;
    use crate::types::{Edit, Field, Key, LangPair};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    fn key() -> ActiveKey {
        let langs = LangPair::new(Lang::EN, lang("fr")).expect("two languages");
        let edit = Edit { field: Field::Path, from: "en".into(), to: "fr".into(), core: false };
        ActiveKey { key: Key { langs, edits: vec![edit] }, credibility: 0.5, scope: (0..9).into(), pairs: vec![] }
    }

    fn proposal(identity: &str, page: u32) -> Proposal {
        Proposal {
            identity: identity.into(),
            lang: lang("fr"),
            page,
            key: 0,
            credibility: 0.5,
            place_share: 1.0,
            chance: 0.5,
            is_linked: false,
        }
    }

    fn requested(from: &str) -> Requested {
        Requested { from: from.into(), pattern: "path:en:fr".into(), lang: lang("fr"), credibility: 0.5, https: true }
    }

    fn outcomes(site: &ListedSite, requested: &BTreeMap<String, Requested>, again: bool) -> Vec<(String, Outcome)> {
        let names = ["x.org/fr/a", "x.org/fr/b", "x.org/fr/c", "x.org/fr/d", "x.org/fr/e", "x.org/fr/removed"];
        let proposals = names.iter().zip(0..).map(|(name, page)| proposal(name, page)).collect();
        let filter = Filter {
            has_host: &|identity| identity.starts_with("x.org/"),
            is_removed: &|identity| identity.ends_with("removed"),
            again,
        };
        let found = deep_pages(site, requested, (&[key()], proposals), &filter);
        found.into_iter().map(|page| (page.identity, page.outcome)).collect()
    }

    /// Five English pages. Of their French counterparts one is a copy, one is in German, one has another partner, one was skipped, and one
    /// is missing.
    fn site() -> ListedSite {
        let mut site = ListedSite::new(&[
            ("x.org/en/a", "en"),
            ("x.org/en/b", "en"),
            ("x.org/en/c", "en"),
            ("x.org/en/d", "en"),
            ("x.org/en/e", "en"),
            ("x.org/fr/a", "en"),
            ("x.org/fr/b", "de"),
            ("x.org/fr/c", "fr"),
        ]);
        site.copies = vec![(5, 0)];
        site.skipped = vec![("x.org/fr/d", "http status not 200: 404")];
        site
    }

    #[test]
    fn every_outcome_of_a_url_that_was_never_requested() {
        let found = outcomes(&site(), &BTreeMap::new(), false);
        let expected = [
            ("x.org/fr/a", Outcome::Present("an untranslated copy of x.org/en/a".into())),
            ("x.org/fr/b", Outcome::Present("its text is de".into())),
            ("x.org/fr/c", Outcome::Present("another page is its partner".into())),
            ("x.org/fr/d", Outcome::LeftOut("http status not 200: 404".into())),
            ("x.org/fr/e", Outcome::Missing),
        ];
        assert_eq!(found, expected.map(|(identity, outcome)| (identity.to_owned(), outcome)));
    }

    #[test]
    fn every_outcome_of_a_url_that_was_requested() {
        let mut site = site();
        site.recovered = vec![7];
        let names = ["a", "c", "d", "e"].map(|name| format!("x.org/fr/{name}"));
        let mut requests: BTreeMap<_, _> =
            names.iter().map(|name| (name.clone(), requested(&name.replace("fr", "en")))).collect();
        requests.insert("y.org/fr/a".into(), requested("y.org/en/a"));
        let left_out = || Outcome::LeftOut("http status not 200: 404".into());
        let outcomes = |again| {
            let found = outcomes(&site, &requests, again);
            found.into_iter().map(|(identity, outcome)| (identity[9..].to_owned(), outcome)).collect::<Vec<_>>()
        };
        let b = || ("b".to_owned(), Outcome::Present("its text is de".into()));
        let first = [("a".to_owned(), Outcome::Arrived), ("c".to_owned(), Outcome::Recovered)];
        let [a, c] = first;
        let (d, e) = (("d".to_owned(), left_out()), "e".to_owned());
        let expected = [a.clone(), c.clone(), d.clone(), (e.clone(), Outcome::Requested), b()];
        assert_eq!(outcomes(false), expected);
        // With requests repeated, URLs that arrived stay as they are, and the others are missing.
        assert_eq!(outcomes(true), [a, c, d, b(), (e, Outcome::Missing)]);
    }

    #[test]
    fn the_likeliest_missing_urls_are_chosen_and_likely_requested_ones_and_all_others_stay() {
        let page = |name: &str, chance: f64, outcome: Outcome| DeepPage {
            url: format!("http://x.org/{name}"),
            identity: format!("x.org/{name}"),
            lang: lang("fr"),
            key: "path:en:fr".into(),
            credibility: 0.5,
            chance,
            is_linked: None,
            from: String::new(),
            outcome,
        };
        let mut pages = vec![
            page("d", 0.01, Outcome::Missing),
            page("c", 0.05, Outcome::Requested),
            page("f", 0.02, Outcome::Requested),
            page("g", 0.02, Outcome::Recovered),
            page("b", 0.5, Outcome::Missing),
            page("a", 0.5, Outcome::Missing),
            page("e", 0.4, Outcome::Missing),
        ];
        rank(&mut pages);
        assert_eq!(choose(&mut pages, Some(2), 0.05), 2);
        let names: Vec<&str> = pages.iter().map(|page| &page.identity[6..]).collect();
        assert_eq!(names, ["a", "b", "c", "g"]);
    }
}
