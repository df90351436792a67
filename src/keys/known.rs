//! Keys and pairs of a site whose discovery is done, as later methods see them.

use super::credibility::State;
use super::found::FoundPair;
use crate::types::{Key, KeyScope};

/// One key of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownKey {
    /// The key.
    pub key: Key,
    /// Pages it was found among.
    pub scope: KeyScope,
    /// Local credibility C(p, w).
    pub credibility: f64,
    /// What discovery decided about it.
    pub state: State,
}

/// The keys of a site, and the pairs that strong and rescued ones were assigned.
#[derive(Clone, Debug, Default)]
pub struct KnownKeys {
    /// The strongest first.
    pub keys: Vec<KnownKey>,
    /// By language pair and page; [`FoundPair::key`] is a position in `keys`.
    pub pairs: Vec<FoundPair>,
}

impl KnownKeys {
    /// The key of a pair.
    pub fn key_of(&self, pair: &FoundPair) -> Option<&KnownKey> {
        self.keys.get(pair.key as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Edit, Field, Lang, LangPair};

    #[test]
    fn a_pair_has_the_key_at_its_position() {
        let edit = Edit { field: Field::Path, from: "en".into(), to: "zh".into(), core: false };
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let key = KnownKey {
            key: Key { langs, edits: vec![edit] },
            scope: (0..2).into(),
            credibility: 0.5,
            state: State::Strong,
        };
        let known = KnownKeys { keys: vec![key.clone()], pairs: vec![FoundPair { a: 0, b: 1, key: 0 }] };
        assert_eq!(known.key_of(&known.pairs[0]), Some(&key));
        assert_eq!(known.key_of(&FoundPair { a: 0, b: 1, key: 1 }), None);
    }
}
