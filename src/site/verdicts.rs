//! The verdicts of reviewers on pairs of pages, from which weights are learnt.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use crate::error::Result;
use crate::store::{Reviews, Store};
use crate::types::{Lang, LangPair, Marked, Verdict, domain_of, without_scheme};

/// Two pages, and whether a reviewer found them right.
pub type Judged = ([String; 2], bool);

/// The verdicts on pairs of pages, by the languages that the pages had.
#[derive(Clone, Debug, Default)]
pub struct Verdicts(BTreeMap<LangPair, Vec<Judged>>);

/// How many verdicts there are in two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedVerdicts {
    /// The languages.
    pub langs: LangPair,
    /// Pairs that a reviewer found right.
    pub right: usize,
    /// Pairs that a reviewer found wrong.
    pub wrong: usize,
    /// True where the store has learnt something of these languages, which weights belong to.
    pub is_learnt: bool,
}

impl CountedVerdicts {
    /// True where weights are fitted to them, which takes at least so many of each.
    pub fn are_enough(&self, least: usize) -> bool {
        are_enough([self.right, self.wrong], least)
    }
}

/// How many verdicts count in each two languages.
///
/// # Errors
/// When the store cannot be read.
pub fn counted_verdicts(store: &Store) -> Result<Vec<CountedVerdicts>> {
    let of_langs = |(&langs, judged): (&LangPair, &Vec<Judged>)| {
        let [right, wrong] = count(judged);
        Ok(CountedVerdicts { langs, right, wrong, is_learnt: store.learnt_head(langs)?.is_some() })
    };
    standing(store)?.0.iter().map(of_langs).collect()
}

/// How many pairs were found right, and how many wrong.
fn count(judged: &[Judged]) -> [usize; 2] {
    let right = judged.iter().filter(|judged| judged.1).count();
    [right, judged.len() - right]
}

/// True where weights are fitted to so many right and wrong verdicts, which takes `least` of each.
fn are_enough([right, wrong]: [usize; 2], least: usize) -> bool {
    right.min(wrong) >= least
}

/// The verdicts of a store to which weights are fitted: those in languages in which there are `least` of each kind. Fewer change no result.
///
/// # Errors
/// When the file of marks cannot be read.
pub fn verdicts(store: &Store, least: usize) -> Result<Verdicts> {
    let mut found = standing(store)?;
    found.0.retain(|_, judged| are_enough(count(judged), least));
    Ok(found)
}

/// The verdicts that count: the last verdict of each reviewer on a pair, if it is right or wrong. The same tag of a language that nothing
/// names is another language on another site, so pairs in such a language are left out. The order in which reviewers
/// and pairs were marked means nothing.
fn standing(store: &Store) -> Result<Verdicts> {
    let marks = Reviews::of(store.folder()).marks()?;
    let mut found = Verdicts::default();
    for (marked, said) in marks.standing() {
        let Marked { url_a, url_b, lang_a, lang_b, texts: None } = marked else { continue };
        let langs = Lang::from_tag(lang_a).zip(Lang::from_tag(lang_b)).and_then(|(a, b)| LangPair::new(a, b));
        let Some(langs) = langs.filter(|langs| !langs.a.is_unnamed() && !langs.b.is_unnamed()) else { continue };
        let pages = [url_a, url_b].map(|url| without_scheme(url).to_owned());
        let verdicts = said.iter().filter_map(|mark| mark.verdict).filter(|verdict| *verdict != Verdict::Unsure);
        let judged = verdicts.map(|verdict| (pages.clone(), verdict == Verdict::Right));
        found.0.entry(langs).or_default().extend(judged);
    }
    found.0.retain(|_, judged| !judged.is_empty());
    found.0.values_mut().for_each(|judged| judged.sort());
    Ok(found)
}

impl Verdicts {
    /// A hash of the verdicts in two languages; 0 where there are none.
    pub fn hash_of(&self, langs: LangPair) -> u64 {
        let Some(judged) = self.0.get(&langs) else { return 0 };
        let mut hasher = Xxh3::new();
        for ([a, b], is_right) in judged {
            hasher.update(format!("{a} {b} {is_right}\n").as_bytes());
        }
        hasher.digest() | 1
    }

    /// The verdicts in these languages, by registrable domain and languages.
    pub fn by_domain(
        &self,
        langs: impl Iterator<Item = LangPair>,
    ) -> BTreeMap<String, BTreeMap<LangPair, Vec<Judged>>> {
        let mut found: BTreeMap<String, BTreeMap<LangPair, Vec<Judged>>> = BTreeMap::new();
        for langs in langs {
            for judged in self.0.get(&langs).into_iter().flatten() {
                let of_domain = found.entry(domain_of(&judged.0[0]).into_owned()).or_default();
                of_domain.entry(langs).or_default().push(judged.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;
    use crate::types::Mark;

    #[test]
    fn the_last_verdict_of_each_reviewer_counts_unless_it_is_unsure() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path(), Access::Write).expect("an empty folder");
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let none = verdicts(&store, 0).expect("no marks");
        assert_eq!((none.hash_of(langs), none.by_domain([langs].into_iter()).len()), (0, 0));
        use Verdict::{Right, Unsure, Wrong};
        let said =
            [("ann", Some(Right)), ("bo", Some(Wrong)), ("ann", Some(Wrong)), ("cy", Some(Unsure)), ("bo", None)];
        for (reviewer, verdict) in said {
            let marked = Marked::pages(("http://x.org/en", Lang::EN), ("http://x.org/zh", Lang::ZH));
            let mark = Mark { marked, verdict, reviewer: reviewer.to_owned(), at: String::new() };
            Reviews::of(folder.path()).add(&mark).expect("room on disk");
        }
        let found = verdicts(&store, 0).expect("marks").by_domain([langs].into_iter());
        let expected = (["x.org/en", "x.org/zh"].map(str::to_owned), false);
        assert_eq!(found["x.org"][&langs], [expected]);
        let variant = Lang::from_tag("pt-BR").expect("a tag");
        let marked = Marked::pages(("http://x.org/en", Lang::EN), ("http://x.org/br", variant));
        let mark = Mark { marked, verdict: Some(Right), reviewer: "ann".to_owned(), at: String::new() };
        Reviews::of(folder.path()).add(&mark).expect("room on disk");
        let langs = LangPair::new(Lang::EN, variant).expect("two languages");
        assert_ne!(verdicts(&store, 0).expect("marks").hash_of(langs), 0);
        // One right verdict, and none that says wrong.
        assert_eq!(verdicts(&store, 1).expect("marks").hash_of(langs), 0);
        let counted = counted_verdicts(&store).expect("marks");
        let of_langs = counted.iter().find(|found| found.langs == langs);
        assert_eq!(of_langs, Some(&CountedVerdicts { langs, right: 1, wrong: 0, is_learnt: false }));
        assert!(of_langs.is_some_and(|found| found.are_enough(0) && !found.are_enough(1)));
        let unnamed = Lang::unnamed(0).expect("a letter");
        let marked = Marked::pages(("http://x.org/en", Lang::EN), ("http://x.org/b", unnamed));
        let mark = Mark { marked, verdict: Some(Right), reviewer: "ann".to_owned(), at: String::new() };
        Reviews::of(folder.path()).add(&mark).expect("room on disk");
        let langs = LangPair::new(Lang::EN, unnamed).expect("two languages");
        assert_eq!(verdicts(&store, 0).expect("marks").hash_of(langs), 0);
    }
}
