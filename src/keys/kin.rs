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
    /// Tokens, after letters were left out of them.
    tokens: BTreeSet<String>,
    /// Letters and digits that cores consist of, sorted.
    letters: Vec<u8>,
}

impl Kin {
    /// By what some keys replace. A query loses no names of values by this: [`Kin::unite`] finds what is missing.
    pub fn of<'k>(keys: impl Iterator<Item = &'k Key> + Clone) -> Kin {
        let texts = |core: bool| {
            let edits = keys.clone().flat_map(|key| &key.edits).filter(move |edit| edit.core == core);
            edits.flat_map(|edit| [edit.from.as_str(), edit.to.as_str()])
        };
        let letters: BTreeSet<u8> = texts(true).flat_map(str::bytes).filter(u8::is_ascii_alphanumeric).collect();
        let mut kin = Kin { tokens: BTreeSet::new(), letters: letters.into_iter().collect() };
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
        let tokens = text.split(is_between).map(|token| self.without_letters(token));
        let mut rest: Vec<Cow<'t, str>> = tokens.filter(|token| !is_left_out(token)).collect();
        rest.sort_unstable();
        rest
    }

    fn without_letters<'t>(&self, token: &'t str) -> Cow<'t, str> {
        let is_left_out = |byte: u8| self.letters.binary_search(&byte).is_ok();
        if !token.bytes().any(is_left_out) {
            return Cow::Borrowed(token);
        }
        Cow::Owned(token.chars().filter(|&c| !c.is_ascii() || !is_left_out(c as u8)).collect())
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
        fn what_a_key_of_tokens_or_of_a_core_pairs_is_kin(
            (before, after) in ("([a-d]{1,2}[/.-]){0,3}", "([/.-][a-d]{1,2}){0,3}"),
            (from, to) in ("[a-e]{1,2}(-[a-e]{1,2})?", "[a-e]{1,2}"),
            (start, end, core) in ("[a-d1]{0,2}", "[a-d1]{0,2}", ("[a-e]{1,2}", "[a-e]{1,2}")),
            others in prop::collection::vec(("[a-e]{1,2}", "[a-e]{1,2}", any::<bool>()), 0..3),
        ) {
            let mut keys = vec![key(&from, &to, false), key(&core.0, &core.1, true)];
            keys.extend(others.iter().map(|(from, to, core)| key(from, to, *core)));
            let kin = Kin::of(keys.iter());
            prop_assert_eq!(kin.hash(&format!("{before}{from}{after}")), kin.hash(&format!("{before}{to}{after}")));
            let with = |core: &str| format!("{before}{start}{core}{end}{after}");
            prop_assert_eq!(kin.hash(&with(&core.0)), kin.hash(&with(&core.1)));
        }
    }
}
