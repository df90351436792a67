//! Marks of reviewers as gold.

use std::collections::BTreeMap;

use super::gold::IgnoredReason;
use crate::types::{Marked, Verdict};

/// Files of gold, as text: what [`GoldPairs`](super::GoldPairs) and [`GoldBitext`](super::GoldBitext) read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedGold {
    /// Pairs that are right.
    pub pairs: String,
    /// Those that are wrong, and those of which nobody could tell, with these as reasons.
    pub grey: String,
    /// Sentence pairs that are right, by the names of their two languages.
    pub bitext: BTreeMap<(String, String), String>,
}

impl MarkedGold {
    /// Gold from what was said in the end of each thing. Of a page that was marked in two languages, as it may count for another one after a later
    /// run, the first that is met counts for all.
    pub fn new<'m>(marks: impl IntoIterator<Item = (&'m Marked, Verdict)>) -> MarkedGold {
        let mut found = MarkedGold::default();
        let mut langs: BTreeMap<&str, &str> = BTreeMap::new();
        for (marked, verdict) in marks {
            if let Some((a, b)) = &marked.texts {
                if verdict == Verdict::Right {
                    let (a, b) = ((&marked.lang_a, a), (&marked.lang_b, b));
                    let [a, b] = if b.0 < a.0 { [b, a] } else { [a, b] };
                    let file = found.bitext.entry((a.0.clone(), b.0.clone())).or_default();
                    *file += &format!("{}\t{}\n", in_a_column(a.1), in_a_column(b.1));
                }
                continue;
            }
            let a = *langs.entry(&marked.url_a).or_insert(&marked.lang_a);
            let b = *langs.entry(&marked.url_b).or_insert(&marked.lang_b);
            if a == b {
                continue;
            }
            let line = format!("{}\t{}\t{a}\t{b}", marked.url_a, marked.url_b);
            match verdict {
                Verdict::Right => found.pairs += &format!("{line}\n"),
                Verdict::Wrong => found.grey += &format!("{line}\t{}\n", IgnoredReason::Wrong),
                Verdict::Unsure => found.grey += &format!("{line}\t{}\n", IgnoredReason::Unsure),
            }
        }
        found
    }
}

/// A text without what ends a column or a line.
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
        let found = MarkedGold::new(marks);
        assert_eq!(found.bitext[&("en".to_owned(), "zh".to_owned())], "one two\t一\n");
        let mut gold = GoldPairs::default();
        gold.read_pairs("pairs", found.pairs.as_bytes()).expect("gold");
        gold.read_ignored("grey", found.grey.as_bytes()).expect("gold");
        let reasons: Vec<_> = gold.rows().iter().map(|row| row.ignored).collect();
        assert_eq!(reasons, [None, Some(IgnoredReason::Wrong), Some(IgnoredReason::Unsure)]);
    }
}
