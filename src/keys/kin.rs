//! Which pages of a site keep together where its pages are divided: those whose URLs are the same once everything is left out
//! that keys replace.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use xxhash_rust::xxh3::Xxh3;

use crate::types::Key;

/// What is left out of the URLs of a site. Pages are *kin* when the tokens that are left are the same, whatever their order: all pages
/// that a key pairs, and by chance some others.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Kin {
    /// Tokens, after cores were left out of them.
    tokens: BTreeSet<String>,
    /// Cores, the longest first.
    cores: Vec<String>,
}

impl Kin {
    /// By what some keys replace. Pages that they pair may be no kin yet: a query loses no names of values by this, and cores may lie
    /// side by side. [`Kin::unite`] finds what is missing.
    pub fn of<'k>(keys: impl Iterator<Item = &'k Key> + Clone) -> Kin {
        let texts = |core: bool| {
            let edits = keys.clone().flat_map(|key| &key.edits).filter(move |edit| edit.core == core);
            edits.flat_map(|edit| [edit.from.as_str(), edit.to.as_str()])
        };
        let mut cores: Vec<String> = texts(true).filter(|core| !core.is_empty()).map(str::to_owned).collect();
        cores.sort_unstable_by(|x, y| (y.len(), x).cmp(&(x.len(), y)));
        cores.dedup();
        let mut kin = Kin { tokens: BTreeSet::new(), cores };
        for text in texts(false) {
            let tokens: Vec<String> = kin.rest(text).into_iter().map(Cow::into_owned).collect();
            kin.tokens.extend(tokens);
        }
        kin
    }

    /// Makes two pages kin, by their URLs without schemes; those that are kin already stay so.
    pub fn unite(&mut self, a: &str, b: &str) {
        let (a, b) = (self.rest(a), self.rest(b));
        let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
        let mut differing: Vec<String> = Vec::new();
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) => x.cmp(y),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            match order {
                Ordering::Equal => {
                    a.next();
                    b.next();
                }
                Ordering::Less => differing.extend(a.next().map(Cow::into_owned)),
                Ordering::Greater => differing.extend(b.next().map(Cow::into_owned)),
            }
        }
        self.tokens.extend(differing);
    }

    /// A number that kin have in common, of the URL of a page without its scheme.
    pub fn hash(&self, identity: &str) -> u64 {
        let mut hasher = Xxh3::new();
        for token in self.rest(identity) {
            hasher.update(token.as_bytes());
            hasher.update(b"/");
        }
        hasher.digest()
    }

    /// The tokens that are left of a text, sorted.
    fn rest<'t>(&self, text: &'t str) -> Vec<Cow<'t, str>> {
        let is_between = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
        let is_left_out = |token: &Cow<'_, str>| token.is_empty() || self.tokens.contains(token.as_ref());
        let tokens = text.split(is_between).map(|token| self.without_cores(token));
        let mut rest: Vec<Cow<'t, str>> = tokens.filter(|token| !is_left_out(token)).collect();
        rest.sort_unstable();
        rest
    }

    /// A token without the cores in it, from its beginning on the longest first.
    fn without_cores<'t>(&self, token: &'t str) -> Cow<'t, str> {
        if !self.cores.iter().any(|core| token.contains(core.as_str())) {
            return Cow::Borrowed(token);
        }
        let (mut left, mut rest) = (String::new(), token);
        while let Some(first) = rest.chars().next() {
            match self.cores.iter().find_map(|core| rest.strip_prefix(core.as_str())) {
                Some(after) => rest = after,
                None => {
                    left.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        Cow::Owned(left)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::{Edit, Field, Lang, LangPair};

    fn key(from: &str, to: &str, core: bool) -> Key {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        Key { langs, edits: vec![Edit { field: Field::Path, from: from.into(), to: to.into(), core }] }
    }

    #[test]
    fn pages_that_a_key_pairs_are_kin_and_others_are_not() {
        let kin = Kin::of([key("en", "pt-BR", false), key("", "de", false), key("e", "c", true)].iter());
        let hash = |identity: &str| kin.hash(identity);
        assert_eq!(hash("x.org/en/a/1.html"), hash("x.org/pt-BR/a/1.html"));
        assert_eq!(hash("x.org/en/a.html"), hash("x.org/en/a.de.html"));
        assert_eq!(hash("x.org/12e.htm"), hash("x.org/12c.htm"));
        assert_ne!(hash("x.org/en/a.html"), hash("x.org/en/b.html"));
        assert_ne!(hash("x.org/12e.htm"), hash("x.org/13c.htm"));
        // Names of languages are left out, not the letters that they have.
        let kin = Kin::of([key("english", "francais", true), key("deutsch", "espanol", true)].iter());
        assert_eq!(kin.hash("x.org/listenglish.htm"), kin.hash("x.org/listdeutsch.htm"));
        assert_ne!(kin.hash("x.org/listenglish.htm"), kin.hash("x.org/silentenglish.htm"));
    }

    #[test]
    fn what_keys_do_not_name_is_found_in_a_pair() {
        let mut kin = Kin::of([key("", "fr", false)].iter());
        let (plain, french) = ("x.org/view?id=7", "x.org/view?lang=fr&id=7");
        assert_ne!(kin.hash(plain), kin.hash(french));
        kin.unite(plain, french);
        assert_eq!(kin.hash(plain), kin.hash(french));
        assert_ne!(kin.hash(plain), kin.hash("x.org/view?lang=fr&id=8"));
    }

    proptest! {
        #[test]
        fn all_that_was_united_is_kin(
            pairs in prop::collection::vec(("[ab1]{1,2}([/.-][abc1]{1,2}){0,4}", "[ab1]{1,2}([/.-][abc1]{1,2}){0,4}"), 1..8),
            core in prop::option::of(("[abc]", "[abc]")),
        ) {
            let keys: Vec<Key> = core.iter().map(|(from, to)| key(from, to, true)).collect();
            let mut kin = Kin::of(keys.iter());
            pairs.iter().for_each(|(a, b)| kin.unite(a, b));
            for (a, b) in &pairs {
                prop_assert_eq!(kin.hash(a), kin.hash(b));
            }
        }

        #[test]
        fn what_a_key_of_tokens_pairs_is_kin(
            (before, after) in ("([a-d]{1,2}[/.-]){0,3}", "([/.-][a-d]{1,2}){0,3}"),
            (from, to) in ("[a-e]{1,2}(-[a-e]{1,2})?", "[a-e]{1,2}"),
            others in prop::collection::vec(("[a-e]{1,2}", "[a-e]{1,2}", any::<bool>()), 0..4),
        ) {
            let mut keys = vec![key(&from, &to, false)];
            keys.extend(others.iter().map(|(from, to, core)| key(from, to, *core)));
            let kin = Kin::of(keys.iter());
            prop_assert_eq!(kin.hash(&format!("{before}{from}{after}")), kin.hash(&format!("{before}{to}{after}")));
        }
    }
}
