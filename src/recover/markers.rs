//! The parts of URLs that stand for languages on a site.

use rustc_hash::FxHashMap;

use super::proposal::ActiveKey;
use crate::text::tokens::{Anatomy, Separators};
use crate::types::{Field, Lang};

/// Markers have up to so many tokens: `pt-BR.utf8` has three.
const MAX_MARKER_TOKENS: usize = 4;

/// The markers of a site, from the keys that were assigned pairs, each with the languages for which it stands.
pub(super) struct Markers {
    langs: FxHashMap<(Field, String), Vec<Lang>>,
}

impl Markers {
    pub(super) fn new(keys: &[ActiveKey]) -> Markers {
        let mut langs: FxHashMap<(Field, String), Vec<Lang>> = FxHashMap::default();
        for ActiveKey { key, .. } in keys {
            for edit in key.edits.iter().filter(|edit| !edit.core) {
                for (lang, value) in [(key.langs.a, &edit.from), (key.langs.b, &edit.to)] {
                    if !value.is_empty() {
                        langs.entry((edit.field, value.clone())).or_default().push(lang);
                    }
                }
            }
        }
        Markers { langs }
    }

    /// The fields in which a URL has a marker. `None` when its markers stand for other languages than `own`, that of the page: the page is
    /// then untranslated, and has no partner of its own.
    pub(super) fn fields(&self, identity: &str, own: Lang) -> Option<Vec<Field>> {
        let mut anatomy = Anatomy::default();
        let mut found = Vec::new();
        let mut is_own = false;
        if anatomy.read(identity, Separators::Punctuation) {
            for segment in anatomy.segments() {
                for span in anatomy.spans(segment, MAX_MARKER_TOKENS) {
                    if let Some(langs) = self.langs.get(&(segment.field, anatomy.text(span).to_owned())) {
                        found.push(segment.field);
                        is_own |= langs.contains(&own);
                    }
                }
            }
        }
        (found.is_empty() || is_own).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Edit, Key, LangPair};

    #[test]
    fn a_page_under_the_marker_of_another_language_is_untranslated() {
        let fr = Lang::parse("fr").expect("a tag");
        let langs = LangPair::new(Lang::EN, fr).expect("two languages");
        let edit = Edit { field: Field::Path, from: "en".into(), to: "fr".into(), core: false };
        let key = Key { langs, edits: vec![edit] };
        let markers = Markers::new(&[ActiveKey { key, credibility: 0.5, scope: (0..1).into(), pairs: vec![] }]);
        assert_eq!(markers.fields("x.org/fr/a.html", fr), Some(vec![Field::Path]));
        assert_eq!(markers.fields("x.org/fr/a.html", Lang::EN), None);
        // The file has no marker of its field: the marker is one of the path.
        assert_eq!(markers.fields("x.org/a.fr.html", Lang::EN), Some(vec![]));
    }
}
