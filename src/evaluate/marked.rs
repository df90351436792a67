//! Gold made from the marks of reviewers.

use std::collections::BTreeMap;

use super::gold::{IgnoredReason, unordered};
use crate::types::{CanonicalUrl, Marked, Verdict};

/// Gold files as text, as [`GoldPairs`](super::GoldPairs) and [`GoldBitext`](super::GoldBitext) read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedGold {
    /// Pairs that were marked as right.
    pub pairs: String,
    /// Pairs that were marked as wrong or unsure, with these as reasons (a file of ignored pairs).
    pub grey: String,
    /// Sentence pairs that were marked as right or wrong, for each pair of language names, in sorted order.
    pub bitext: BTreeMap<(String, String), String>,
}

impl MarkedGold {
    /// Gold from the last mark of each thing; the newest marks come last. Two pages may have several marks, since in a later run they may
    /// count for other languages or come from other captures. Then the last mark counts, with the language that each page had at that time.
    /// Two pages that are in one language then are left out.
    pub fn new<'m>(marks: impl IntoIterator<Item = (&'m Marked, Verdict)>) -> MarkedGold {
        let mut found = MarkedGold::default();
        let mut pairs: BTreeMap<(String, String), ([&str; 2], Verdict)> = BTreeMap::new();
        let mut langs: BTreeMap<String, &str> = BTreeMap::new();
        for (marked, verdict) in marks {
            if let Some((a, b)) = &marked.texts {
                if verdict != Verdict::Unsure {
                    let (a, b) = ((&marked.lang_a, a), (&marked.lang_b, b));
                    let [a, b] = if b.0 < a.0 { [b, a] } else { [a, b] };
                    let file = found.bitext.entry((a.0.clone(), b.0.clone())).or_default();
                    let wrong = if verdict == Verdict::Wrong { "\twrong" } else { "" };
                    *file += &format!("{}\t{}{wrong}\n", in_a_column(a.1), in_a_column(b.1));
                }
                continue;
            }
            let [Ok(a), Ok(b)] = [&marked.url_a, &marked.url_b].map(|url| CanonicalUrl::parse(url)) else { continue };
            langs.insert(a.identity().to_owned(), &marked.lang_a);
            langs.insert(b.identity().to_owned(), &marked.lang_b);
            let urls = [marked.url_a.as_str(), marked.url_b.as_str()];
            let (key, urls) = (unordered(&a, &b), if b.identity() < a.identity() { [urls[1], urls[0]] } else { urls });
            pairs.insert(key, (urls, verdict));
        }
        for ((a, b), (urls, verdict)) in pairs {
            let (lang_a, lang_b) = (langs[&a], langs[&b]);
            if lang_a == lang_b {
                continue;
            }
            let line = format!("{}\t{}\t{lang_a}\t{lang_b}", urls[0], urls[1]);
            match verdict {
                Verdict::Right => found.pairs += &format!("{line}\n"),
                Verdict::Wrong => found.grey += &format!("{line}\t{}\n", IgnoredReason::Wrong),
                Verdict::Unsure => found.grey += &format!("{line}\t{}\n", IgnoredReason::Unsure),
            }
        }
        found
    }
}

/// A text in which everything that ends a column or a line is a space.
fn in_a_column(text: &str) -> String {
    text.split(['\t', '\n', '\r']).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::GoldPairs;
    use super::*;
    use crate::types::Lang;

    #[test]
    fn marks_are_gold_that_is_read() {
        let pair =
            |path: &str, lang| Marked::pages(("http://ex.org/en", Lang::EN), (&format!("http://ex.org/{path}"), lang));
        let texts = Marked::sentences(("http://ex.org/en", Lang::EN, "one\ttwo"), ("http://ex.org/zh", Lang::ZH, "一"));
        let (right, wrong, unsure) = (pair("zh", Lang::ZH), pair("zh2", Lang::ZH), pair("zh3", Lang::ZH));
        let marks =
            [(&right, Verdict::Right), (&wrong, Verdict::Wrong), (&unsure, Verdict::Unsure), (&texts, Verdict::Right)];
        let not = Marked::sentences(("http://ex.org/zh", Lang::ZH, "二"), ("http://ex.org/en", Lang::EN, "three"));
        let marks = marks.into_iter().chain([(&not, Verdict::Wrong)]);
        let found = MarkedGold::new(marks);
        assert_eq!(found.bitext[&("en".to_owned(), "zh".to_owned())], "one two\t一\nthree\t二\twrong\n");
        let mut gold = GoldPairs::default();
        gold.read_pairs("pairs", found.pairs.as_bytes()).expect("gold");
        gold.read_ignored("grey", found.grey.as_bytes()).expect("gold");
        let reasons: Vec<_> = gold.rows().iter().map(|row| row.ignored).collect();
        assert_eq!(reasons, [None, Some(IgnoredReason::Wrong), Some(IgnoredReason::Unsure)]);
    }
}
