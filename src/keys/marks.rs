//! Marks: texts that stand for a language in the keys of a site, wherever in a URL they stand.

use std::collections::{BTreeMap, BTreeSet};

use super::known::KnownKeys;
use crate::language::codes::{named_language, names_language};
use crate::text::runs::MAX_RUN;
use crate::text::tokens::{Anatomy, Separators, Span};
use crate::types::{Field, Key, Lang};

/// What stands for which language on a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    by_text: BTreeMap<String, Lang>,
    /// Fields in which each text was learnt.
    fields: BTreeSet<(String, Field)>,
    by_lang: BTreeMap<Lang, Vec<String>>,
}

/// Share of the weight of a text's keys that must speak for one language (an estimate).
const MIN_SHARE: f64 = 0.8;
/// URLs made of one URL for one language, at the most.
const MAX_VERSIONS: usize = 16;

impl Marks {
    /// From the keys of a site that are in use, each with its weight: how many pairs it has. Parts of tokens, numbers and single letters are no
    /// marks outside of their place; nor is what only together with others stands for a language (`/en/products/` where there is `/`), unless
    /// it names the language.
    pub fn of<'k>(keys: impl Iterator<Item = (&'k Key, f64)>) -> Marks {
        let mut votes: BTreeMap<&str, BTreeMap<Lang, f64>> = BTreeMap::new();
        let mut fields = BTreeSet::new();
        for (key, weight) in keys {
            for edit in key.edits.iter().filter(|edit| !edit.core) {
                for (lang, text) in [(key.langs.a, &edit.from), (key.langs.b, &edit.to)] {
                    let is_whole = key.edits.len() == 1 || named_language(text).is_some_and(|named| named.agrees(lang));
                    if is_whole && text.bytes().filter(u8::is_ascii_alphabetic).count() >= 2 {
                        fields.insert((text.clone(), edit.field));
                        *votes.entry(text).or_default().entry(lang).or_default() += weight;
                    }
                }
            }
        }
        let mut marks = Marks { fields, ..Marks::default() };
        for (text, langs) in votes {
            let all: f64 = langs.values().sum();
            // What names a language stands for it, even where most of its pages are not translated.
            let named = named_language(text).filter(|named| langs.keys().any(|lang| named.agrees(*lang)));
            let voted = || langs.iter().find(|(_, weight)| **weight >= MIN_SHARE * all).map(|(&lang, _)| lang);
            let exact = named.and_then(|named| langs.keys().copied().filter(|lang| named.agrees(*lang)).max());
            if let Some(lang) = exact.or_else(|| if named_language(text).is_some() { None } else { voted() }) {
                marks.by_text.insert(text.to_owned(), lang);
                marks.by_lang.entry(lang).or_default().push(text.to_owned());
            }
        }
        marks
    }

    /// From those keys of a site that are strong or rescued.
    pub fn of_known(known: &KnownKeys) -> Marks {
        let in_use = known.keys.iter().filter(|key| key.state.takes_pairs());
        Marks::of(in_use.map(|key| (&key.key, key.credibility)))
    }

    /// True where nothing stands for a language.
    pub fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }

    /// The languages whose marks are in a URL, each once.
    pub fn langs_in(&self, identity: &str, anatomy: &mut Anatomy) -> Vec<Lang> {
        let mut found: Vec<Lang> = self.marks_in(identity, anatomy).into_iter().map(|(lang, _)| lang).collect();
        found.dedup();
        found
    }

    /// The marks in a URL, by languages, each once: those that stand in a field in which they were learnt, at the beginning or the end of a segment.
    /// `/how-it-works/` is under no Italian mark.
    pub fn marks_in(&self, identity: &str, anatomy: &mut Anatomy) -> Vec<(Lang, &str)> {
        let mut found = Vec::new();
        if self.is_empty() || !anatomy.read(identity, Separators::Punctuation) {
            return found;
        }
        for segment in anatomy.segments() {
            let whole = anatomy.text(segment.span);
            for span in anatomy.spans(segment, MAX_RUN) {
                let text = anatomy.text(span);
                let rest = whole.get(usize::from(span.end - segment.span.start)..).unwrap_or("");
                let is_at_edge = span.start == segment.span.start || rest.is_empty() || rest.starts_with('.');
                let is_known = is_at_edge && self.fields.contains(&(text.to_owned(), segment.field));
                let mark = self.by_text.get_key_value(text).filter(|_| is_known);
                found.extend(mark.map(|(text, &lang)| (lang, text.as_str())));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// True for a URL with the mark of a language, and of no other.
    pub fn is_under(&self, identity: &str, lang: Lang) -> bool {
        matches!(self.langs_in(identity, &mut Anatomy::default())[..], [marked] if marked.agrees(lang))
    }

    /// The URLs without the directory that names a page's language, and without the one before it as well: `/translations/zh_CN/a` gives
    /// `/translations/a` and `/a`.
    pub fn unmarked(identity: &str, lang: Lang, anatomy: &mut Anatomy) -> Vec<String> {
        let (before, query) = identity.split_once('?').map_or((identity, None), |(a, b)| (a, Some(b)));
        if !anatomy.read(before, Separators::Punctuation) {
            return Vec::new();
        }
        let directories: Vec<_> = anatomy.segments().iter().filter(|segment| segment.field == Field::Path).collect();
        let mut found = Vec::new();
        for (at, segment) in directories.iter().enumerate() {
            if names_language(anatomy.text(segment.span), lang) {
                let firsts = [Some(segment), at.checked_sub(1).map(|before| &directories[before])];
                for first in firsts.into_iter().flatten() {
                    let url =
                        [&before[..usize::from(first.cut.start)], &before[usize::from(segment.cut.end)..]].concat();
                    found.push(query.map_or(url.clone(), |query| format!("{url}?{query}")));
                }
            }
        }
        found
    }

    /// The URLs that a page of one language would have in another: one mark of its language replaced by one of the other, or all of them. None
    /// where the URL has no mark.
    ///
    /// By hand: with `en`, `jp` learnt as directories, `/en/welcome_en.html` gives `/jp/welcome_en.html`, `/en/welcome_jp.html` and
    /// `/jp/welcome_jp.html`.
    pub fn versions(&self, identity: &str, from: Lang, to: Lang, anatomy: &mut Anatomy) -> Vec<String> {
        let (before, query) = identity.split_once('?').map_or((identity, None), |(a, b)| (a, Some(b)));
        let Some(texts) = self.by_lang.get(&to) else { return Vec::new() };
        if !anatomy.read(before, Separators::Punctuation) {
            return Vec::new();
        }
        let mut places: Vec<Span> = Vec::new();
        for segment in anatomy.segments().iter().filter(|segment| segment.field != Field::Query) {
            let is_mark = |span: &Span| self.by_text.get(anatomy.text(*span)) == Some(&from);
            let mut spans: Vec<Span> = anatomy.spans(segment, MAX_RUN).filter(is_mark).collect();
            // The longest first: `zh-cn` before the `zh` in it.
            spans.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
            for span in spans {
                if places.iter().all(|known| span.end <= known.start || known.end <= span.start) {
                    places.push(span);
                }
            }
        }
        places.sort_unstable();
        let with = |chosen: &[Span], text: &str| {
            let (mut url, mut at) = (String::new(), 0);
            for span in chosen {
                url.push_str(&before[at..usize::from(span.start)]);
                url.push_str(text);
                at = usize::from(span.end);
            }
            url.push_str(&before[at..]);
            query.map_or(url.clone(), |query| format!("{url}?{query}"))
        };
        let mut found: Vec<String> = Vec::new();
        if !places.is_empty() {
            for text in texts {
                found.push(with(&places, text));
                found.extend(places.chunks(1).map(|one| with(one, text)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(MAX_VERSIONS);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Edit, LangPair};

    fn key(from: &str, to: &str, b: &str) -> Key {
        let langs = LangPair::new(Lang::EN, Lang::parse(b).expect("a tag")).expect("two languages");
        let (from, to) = if langs.a == Lang::EN { (from, to) } else { (to, from) };
        Key { langs, edits: vec![Edit { field: Field::Path, from: from.into(), to: to.into(), core: false }] }
    }

    #[test]
    fn a_mark_stands_for_its_language_in_every_field() {
        let (jp, zh) = (key("en", "jp", "ja"), key("en", "zh-cn", "zh"));
        let marks = Marks::of([(&jp, 20.0), (&zh, 10.0)].into_iter());
        let (ja, mut anatomy) = (Lang::parse("ja").expect("a tag"), Anatomy::default());
        let mut versions = |url: &str, from: Lang, to: Lang| marks.versions(url, from, to, &mut anatomy);
        assert_eq!(versions("x.org/welcome_en.html", Lang::EN, ja), ["x.org/welcome_jp.html"]);
        assert_eq!(versions("x.org/a.zh-cn.html?q=1", Lang::ZH, ja), ["x.org/a.jp.html?q=1"]);
        let both = ["x.org/en/a_zh-cn.html", "x.org/zh-cn/a_en.html", "x.org/zh-cn/a_zh-cn.html"];
        assert_eq!(versions("x.org/en/a_en.html", Lang::EN, Lang::ZH), both);
        assert!(versions("x.org/a.html", Lang::EN, ja).is_empty() && versions("x.org/en/", ja, Lang::EN).is_empty());
        assert_eq!(marks.langs_in("x.org/en/jp/", &mut anatomy), [Lang::EN, ja]);
        assert!(marks.is_under("x.org/en/a", Lang::EN) && marks.is_under("x.org/jp/a", ja));
        assert!(
            !marks.is_under("x.org/en/a", ja) && !marks.is_under("x.org/en/jp/", ja) && !marks.is_under("x.org/a", ja)
        );
    }

    #[test]
    fn a_directory_that_names_the_language_goes_with_the_one_before_it_or_without() {
        let of = |url: &str| Marks::unmarked(url, Lang::ZH_HANS, &mut Anatomy::default());
        assert_eq!(of("x.org/translations/zh_CN/a.html?b"), ["x.org/translations/a.html?b", "x.org/a.html?b"]);
        assert_eq!((of("x.org/zh/"), of("x.org/it/a")), (vec!["x.org/".to_owned()], vec![]));
    }

    #[test]
    fn what_stands_for_a_language_only_together_with_others_is_no_mark_unless_it_names_it() {
        let mut both = key("en", "", "zh");
        both.edits.push(Edit { field: Field::Path, from: "products".into(), to: String::new(), core: false });
        let marks = Marks::of([(&both, 30.0)].into_iter());
        let mut anatomy = Anatomy::default();
        assert!(marks.langs_in("x.org/products/a", &mut anatomy).is_empty());
        assert_eq!(marks.marks_in("x.org/en/products/a", &mut anatomy), [(Lang::EN, "en")]);
    }

    #[test]
    fn what_stands_for_two_languages_for_nothing_or_for_a_number_is_no_mark() {
        let (fr, de, null, number) =
            (key("en", "x1", "fr"), key("en", "x1", "de"), key("", "it", "it"), key("e", "0007", "es"));
        let marks = Marks::of([(&fr, 5.0), (&de, 5.0), (&null, 1.0), (&number, 9.0)].into_iter());
        let mut anatomy = Anatomy::default();
        assert!(marks.langs_in("x.org/it.html", &mut anatomy).is_empty());
        assert!(marks.langs_in("x.org/how-it-works/", &mut anatomy).is_empty());
        assert!(marks.langs_in("x.org/x1/e/0007", &mut anatomy).is_empty() && !marks.is_empty());
        assert_eq!(marks.langs_in("x.org/it/en/it.html", &mut anatomy), [Lang::EN, Lang::parse("it").expect("a tag")]);
    }
}
