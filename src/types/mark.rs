//! The verdicts of people on pairs.

use serde::{Deserialize, Serialize};

use super::Lang;

/// The verdict of a reviewer on a pair. Files have its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The two are translations of each other.
    Right = 0,
    /// They are not.
    Wrong = 1,
    /// The reviewer cannot tell.
    Unsure = 2,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 3] = [Verdict::Right, Verdict::Wrong, Verdict::Unsure];

    /// The name in files and forms.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Unsure => "unsure",
        }
    }

    /// The verdict of a name.
    pub fn parse(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// What is judged: two pages, or two texts of two pages. The side whose URL, and then text, sorts first comes first, so that a pair is the
/// same however it was listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Marked {
    /// One page.
    pub url_a: String,
    /// The other.
    pub url_b: String,
    /// Language of the first.
    pub lang_a: String,
    /// Language of the second.
    pub lang_b: String,
    /// The two texts of a sentence pair; `None` for a pair of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<(String, String)>,
}

impl Marked {
    /// Two pages with their languages.
    pub fn pages(a: (&str, Lang), b: (&str, Lang)) -> Marked {
        let [a, b] = if b.0 < a.0 { [b, a] } else { [a, b] };
        Marked {
            url_a: a.0.to_owned(),
            url_b: b.0.to_owned(),
            lang_a: a.1.as_str().to_owned(),
            lang_b: b.1.as_str().to_owned(),
            texts: None,
        }
    }

    /// Two texts of two pages.
    pub fn sentences(a: (&str, Lang, &str), b: (&str, Lang, &str)) -> Marked {
        let [a, b] = if (b.0, b.2) < (a.0, a.2) { [b, a] } else { [a, b] };
        Marked { texts: Some((a.2.to_owned(), b.2.to_owned())), ..Marked::pages((a.0, a.1), (b.0, b.1)) }
    }
}

/// The verdict of one reviewer at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What was judged.
    #[serde(flatten)]
    pub marked: Marked,
    /// The verdict; `None` if an earlier one is taken back.
    pub verdict: Option<Verdict>,
    /// The name of the reviewer.
    pub reviewer: String,
    /// The time, as RFC 3339 in UTC.
    pub at: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_two_are_the_same_in_either_order() {
        let (en, fr) = (Lang::EN, Lang::ZH);
        assert_eq!(Marked::pages(("b", en), ("a", fr)), Marked::pages(("a", fr), ("b", en)));
        let (x, y) = (("a", en, "two"), ("a", fr, "deux"));
        assert_eq!(Marked::sentences(x, y), Marked::sentences(y, x));
        assert_eq!(Marked::sentences(x, y).lang_a, "zh");
    }
}
