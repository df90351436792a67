//! The hosts and folders of a site, whatever language stands in their names.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::index::parts::{Parts, Tree};
use crate::index::site::{SiteIndex, Urls};
use crate::language::codes::named_language;
use crate::text::runs::MAX_RUN;
use crate::text::tokens::{Anatomy, Segment, Separators, Span, mix};
use crate::types::{Field, Key, Lang};

/// Folders within each other that are looked at, at the most.
const MAX_DEPTH: usize = 16;

/// The folders of a site, without what stands for languages: the sides of `keys`, which are those in use, and whole host labels and
/// directories that name a language which `langs`, those of its pages, have. `/en/law/`, `/fr/law/`, `/law/` and `fr.x.org/law/` are one folder.
///
/// Cost: each URL is taken apart, and each of its folders looked up.
pub fn tree<'k>(urls: &dyn Urls, keys: impl Iterator<Item = &'k Key>, langs: &[Lang]) -> Tree {
    let mut marks: FxHashSet<(Field, &str)> = FxHashSet::default();
    for edit in keys.flat_map(|key| &key.edits).filter(|edit| !edit.core) {
        marks.extend([&edit.from, &edit.to].map(|text| (edit.field, text.as_str())));
    }
    let spoken: BTreeSet<Lang> = langs.iter().copied().filter(|lang| lang.is_known()).collect();
    let names = Names { marks, spoken };
    let mut anatomy = Anatomy::default();
    Tree::new((0..urls.count()).map(|page| {
        if !anatomy.read(urls.identity(page), Separators::Punctuation) {
            return Vec::new();
        }
        let of = |field: Field| anatomy.segments().iter().filter(move |segment| segment.field == field);
        // The label of a domain is the outermost.
        let hosts: Vec<&Segment> = of(Field::Host).collect();
        let steps = hosts.into_iter().rev().chain(of(Field::Path)).take(MAX_DEPTH);
        steps.filter_map(|segment| names.without_marks(&anatomy, segment)).collect()
    }))
}

/// The parts of a site, by the languages of its pages; `keys` as for [`tree`].
pub fn parts<'k>(urls: &dyn Urls, keys: impl Iterator<Item = &'k Key>, site: &SiteIndex<'_>) -> Parts {
    let langs: Vec<Lang> = (0..urls.count()).map(|page| site.lang(page).unwrap_or(Lang::UNKNOWN)).collect();
    Parts::new(&tree(urls, keys, &langs), &langs)
}

struct Names<'k> {
    marks: FxHashSet<(Field, &'k str)>,
    spoken: BTreeSet<Lang>,
}

impl Names<'_> {
    /// A hash of what is left of a segment when the marks of languages are cut out; `None` where nothing is left.
    fn without_marks(&self, anatomy: &Anatomy, segment: &Segment) -> Option<u64> {
        let whole = anatomy.text(segment.span);
        let is_spoken = |named: Lang| self.spoken.iter().any(|lang| named.agrees(*lang));
        let is_nothing = segment.field == Field::Host && whole == "www";
        if is_nothing || named_language(whole).is_some_and(is_spoken) || self.marks.contains(&(segment.field, whole)) {
            return None;
        }
        let tokens = anatomy.tokens(segment);
        let is_mark = |text: &str| {
            // A letter or a number stands for a language where nothing stands beside it.
            text.bytes().filter(u8::is_ascii_alphabetic).count() >= 2 && self.marks.contains(&(segment.field, text))
        };
        let cut = anatomy.spans(segment, MAX_RUN).filter(|span| is_mark(anatomy.text(*span)));
        let cut: Vec<Span> = cut.collect();
        let left = |token: &&Span| !cut.iter().any(|cut| cut.start <= token.start && token.end <= cut.end);
        let mut rest = tokens.iter().filter(left).map(|token| anatomy.hash(*token)).peekable();
        match (cut.is_empty(), rest.peek().is_some()) {
            (true, _) => Some(anatomy.hash(segment.span)),
            (false, false) => None,
            (false, true) => Some(rest.fold(0, mix)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::WHOLE;
    use crate::index::site::{ListedPages, PageFacts};
    use crate::types::{Edit, LangPair};

    #[test]
    fn folders_that_differ_in_what_stands_for_a_language_are_one() {
        let fr = Lang::parse("fr").expect("a tag");
        let langs = LangPair::new(Lang::EN, fr).expect("two languages");
        let edit = |field, from: &str, to: &str| Edit { field, from: from.into(), to: to.into(), core: false };
        let keys = [
            Key { langs, edits: vec![edit(Field::Path, "", "francais")] },
            Key { langs, edits: vec![edit(Field::Host, "www", "f")] },
        ];
        let folders = [
            ("x.org/en/law/", "x.org/fr/law/"),
            ("www.x.org/books-en/", "f.x.org/books-francais/"),
            ("x.org/maps/francais/", "www.x.org/maps/"),
        ];
        let pages = folders.iter().flat_map(|(en, other)| {
            (0..12).flat_map(move |at| [(format!("{en}{at}"), Lang::EN), (format!("{other}{at}"), fr)])
        });
        let mut pages: Vec<(String, Lang)> = pages.chain([("x.org/en/a".into(), Lang::EN)]).collect();
        pages.sort();
        let spoken: Vec<Lang> = pages.iter().map(|page| page.1).collect();
        let listed = ListedPages(pages.into_iter().map(|(url, _)| (url, PageFacts::default())).collect());
        let tree = tree(&listed, keys.iter(), &spoken);
        let parts = Parts::new(&tree, &spoken);
        let at = |url: &str| (0..listed.count()).find(|&page| listed.identity(page) == url).expect("a page");
        let common = |a: &str, b: &str| parts.common(at(a), at(b));
        let (law, maps) =
            (common("x.org/en/law/3", "x.org/fr/law/7"), common("x.org/maps/francais/1", "www.x.org/maps/2"));
        assert!(law != WHOLE && maps != WHOLE && law != maps);
        assert_eq!((parts.pages(law, Lang::EN), parts.pages(maps, fr)), (12, 12));
        // "books-en" is another name than "books": nothing says that its end stands for a language.
        assert_eq!(common("www.x.org/books-en/1", "f.x.org/books-francais/1"), WHOLE);
        assert_eq!(common("x.org/en/a", "x.org/en/law/3"), WHOLE);
    }
}
