//! Results of key discovery in one site.

use rkyv::{Archive, Serialize};

use crate::types::{Edit, Field, Key, KeyScope, Lang, LangPair};

/// Keys and pairs of one site. Kind 4.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct ResultRecord {
    /// Number of the site.
    pub site: u32,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Fingerprint of the settings it was made with.
    pub params: u64,
    /// Patterns that are credible on other sites and were therefore looked for here.
    pub considered: Vec<String>,
    /// Keys.
    pub keys: Vec<KeyRow>,
    /// What each pattern adds to its global credibility ([`crate::keys::GlobalSum`]), and whether it is strong here. Both are computed
    /// without help from other sites, so that what other sites say does not come back to them.
    pub alone: Vec<(String, u64, bool)>,
    /// Pairs, by language pair and page.
    pub pairs: Vec<PairRow>,
    /// Language that a page counts for, where it is not the detected one; `und`: none.
    pub relabelled: Vec<(u32, [u8; 8])>,
    /// Untranslated copies, each with the page that stands for it.
    pub copies: Vec<(u32, u32)>,
    /// Hosts, as `hosts` lists them.
    pub hosts: Vec<HostRow>,
    /// The languages whose letters the site shows, named without help from other sites; each with the hash of the family that the domain
    /// belonged to when this was found.
    pub taught: Vec<([u8; 8], u64)>,
}

/// One key.
#[derive(Archive, Serialize, Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct KeyRow {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// One or two edits.
    pub edits: Vec<EditRow>,
    /// The pages among which it was found, as ranges in ascending order: first page, and one past the last.
    pub scope: Vec<(u32, u32)>,
    /// Linking power.
    pub power: u64,
    /// |w|: pages of the site.
    pub site_pages: u64,
    /// Local credibility C(p, w).
    pub credibility: f64,
    /// Pairs assigned to it.
    pub assigned: u64,
    /// [`crate::keys::State`].
    pub state: u8,
}

/// One edit of a key.
#[derive(Archive, Serialize, Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct EditRow {
    /// [`crate::types::Field`].
    pub field: u8,
    /// Text in the first language; empty: (null).
    pub from: String,
    /// Text in the second language; empty: (null).
    pub to: String,
    /// True when the texts are parts of tokens.
    pub core: bool,
}

/// One pair.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct PairRow {
    /// Page in the key's first language.
    pub a: u32,
    /// Page in the key's second language.
    pub b: u32,
    /// Position of the key in `keys`.
    pub key: u32,
}

/// One host.
#[derive(Archive, Serialize, Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct HostRow {
    /// Host name.
    pub host: String,
    /// Pages.
    pub pages: u32,
    /// Pairs with at least one page on it.
    pub pairs: u64,
    /// C(w) = max_p C(p, w) over the keys that took pairs there.
    pub credibility: f64,
    /// Pages of each language.
    pub langs: Vec<([u8; 8], u32)>,
}

impl ArchivedResultRecord {
    /// True when all pages that it names are among the first `pages`.
    pub fn is_of(&self, pages: u32) -> bool {
        self.pairs.iter().all(|pair| pair.a < pages && pair.b < pages)
            && self.copies.iter().all(|copy| copy.0 < pages && copy.1 < pages)
            && self.relabelled.iter().all(|row| row.0 < pages)
            && self.keys.iter().all(|key| key.scope.last().is_none_or(|range| range.1 <= pages))
    }
}

impl ArchivedResultRecord {
    /// What the site adds to global credibility: pattern, sum, and whether the pattern is that of a strong key.
    pub fn contributions(&self) -> impl Iterator<Item = (&str, u64, bool)> {
        self.alone.iter().map(|alone| (alone.0.as_str(), alone.1.to_native(), alone.2))
    }

    /// The languages whose letters the site shows, each with the hash of the family of domains that counts as one witness.
    pub fn shown(&self) -> impl Iterator<Item = ([u8; 8], u64)> {
        self.taught.iter().map(|shown| (shown.0, shown.1.to_native()))
    }
}

impl ArchivedKeyRow {
    /// The key; `None` when the row is damaged.
    pub fn key(&self) -> Option<Key> {
        let langs = LangPair::new(Lang::from_bytes(self.lang_a), Lang::from_bytes(self.lang_b))?;
        let edit = |edit: &ArchivedEditRow| {
            let field = Field::from_code(edit.field)?;
            Some(Edit { field, from: edit.from.to_string(), to: edit.to.to_string(), core: edit.core })
        };
        Some(Key { langs, edits: self.edits.iter().map(edit).collect::<Option<_>>()? })
    }

    /// The pages among which it was found.
    pub fn scope(&self) -> KeyScope {
        KeyScope::new(self.scope.iter().map(|range| range.0.to_native()..range.1.to_native()))
    }
}

#[cfg(feature = "exec")]
impl KeyRow {
    /// True when the row is that of a valid key.
    pub fn is_sound(&self) -> bool {
        let langs = LangPair::new(Lang::from_bytes(self.lang_a), Lang::from_bytes(self.lang_b));
        let fields = self.edits.iter().all(|edit| Field::from_code(edit.field).is_some());
        langs.is_some() && fields && (1..=2).contains(&self.edits.len()) && self.credibility.is_finite()
    }
}

#[cfg(feature = "exec")]
impl ArchivedKeyRow {
    /// The row, owned; `None` when it is damaged.
    pub fn to_owned(&self) -> Option<KeyRow> {
        Some(KeyRow {
            scope: self.scope.iter().map(|range| (range.0.to_native(), range.1.to_native())).collect(),
            power: self.power.to_native(),
            site_pages: self.site_pages.to_native(),
            credibility: self.credibility.to_native(),
            assigned: self.assigned.to_native(),
            state: self.state,
            ..KeyRow::new(&self.key()?)
        })
    }
}

#[cfg(feature = "exec")]
impl ArchivedHostRow {
    /// The row, owned.
    pub fn to_owned(&self) -> HostRow {
        HostRow {
            host: self.host.to_string(),
            pages: self.pages.to_native(),
            pairs: self.pairs.to_native(),
            credibility: self.credibility.to_native(),
            langs: self.langs.iter().map(|lang| (lang.0, lang.1.to_native())).collect(),
        }
    }
}

impl KeyRow {
    /// The row of a key; its counts are left 0.
    pub fn new(key: &Key) -> KeyRow {
        let edit = |edit: &Edit| EditRow {
            field: edit.field as u8,
            from: edit.from.clone(),
            to: edit.to.clone(),
            core: edit.core,
        };
        KeyRow {
            lang_a: key.langs.a.to_bytes(),
            lang_b: key.langs.b.to_bytes(),
            edits: key.edits.iter().map(edit).collect(),
            ..KeyRow::default()
        }
    }
}
