//! What a page says of itself beyond its text: whether a machine translated it, whether its owner opted out, and under which licence it is.

use std::ops::BitOr;

use super::{Lang, coded};

/// What a page, or the site that it belongs to, says of its use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// The mark by which its text is known to be translated by a machine.
    pub translated: Option<Translated>,
    /// The directives by which its owner opts out of uses.
    pub opt_outs: OptOuts,
    /// URL of its licence; empty where it names none.
    pub license: String,
}

/// Where the text of a page comes from, and what is said of its use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// What the page and its host say.
    pub signals: Signals,
    /// `WARC-Record-ID` of its record; empty where it has none, or was not asked for.
    pub record_id: String,
    /// `WARC-Payload-Digest` of its record; empty where it has none, or was not asked for.
    pub payload_digest: String,
}

impl Provenance {
    /// True for a translation of a text in `lang`, according to its mark of machine translation.
    pub fn is_from(&self, lang: Lang) -> bool {
        self.signals.translated.is_some_and(|found| found.from.is_known() && found.from.agrees(lang))
    }
}

/// A page whose text was translated by a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translated {
    /// The mark that shows it.
    pub mark: TranslationMark,
    /// The language of the original; [`Lang::UNKNOWN`] where the mark does not tell.
    pub from: Lang,
}

coded! {
    /// What shows that a machine translated a page. Codes are stored: never reuse one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TranslationMark {
        /// `<link rel="alternate machine-translated-from">`, `<meta name="machine-translated-from">`, or a language tag with `x-mtfrom`.
        TranslatedFrom = 1, "machine-translated-from";
        /// A page that Google Translate served, or that a browser saved while it was translated.
        GoogleTranslate = 2, "google-translate";
        /// GTranslate, in its editions that serve translations under URLs of their own.
        GTranslate = 3, "gtranslate";
        /// Transposh, a plugin of WordPress.
        Transposh = 4, "transposh";
        /// Weglot.
        Weglot = 5, "weglot";
        /// ConveyThis.
        ConveyThis = 6, "conveythis";
        /// Linguise.
        Linguise = 7, "linguise";
        /// `<meta name="ms.translationtype" content="MT">`, which documentation of Microsoft has.
        Microsoft = 8, "ms.translationtype";
        /// `<meta name="translator">` or `X-Translated-By` with the name of a program.
        Translator = 9, "translator";
    }
}

/// Directives by which owners opt out of uses of their pages, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OptOuts(u16);

impl OptOuts {
    /// `noindex`, or `none`, in `<meta name="robots">` or `X-Robots-Tag`.
    pub const NO_INDEX: OptOuts = OptOuts(1);
    /// `noarchive`, or `nocache`, there.
    pub const NO_ARCHIVE: OptOuts = OptOuts(1 << 1);
    /// `nosnippet`, or `max-snippet:0`, there.
    pub const NO_SNIPPET: OptOuts = OptOuts(1 << 2);
    /// `noai` there.
    pub const NO_AI: OptOuts = OptOuts(1 << 3);
    /// `noimageai` there.
    pub const NO_IMAGE_AI: OptOuts = OptOuts(1 << 4);
    /// `tdm-reservation: 1` as a header or in `<meta>`.
    pub const TDM: OptOuts = OptOuts(1 << 5);
    /// The `robots.txt` of its host disallows it.
    pub const ROBOTS_TXT: OptOuts = OptOuts(1 << 6);
    /// The `robots.txt` of its host has `Content-Signal: ai-train=no`.
    pub const CONTENT_SIGNAL: OptOuts = OptOuts(1 << 7);
    /// The `/.well-known/tdmrep.json` of its host reserves it.
    pub const TDMREP: OptOuts = OptOuts(1 << 8);

    /// The directives that come from files of the host, and not from the page itself.
    const OF_HOST: OptOuts = OptOuts(Self::ROBOTS_TXT.0 | Self::CONTENT_SIGNAL.0 | Self::TDMREP.0);

    const NAMES: [(OptOuts, &'static str); 9] = [
        (Self::ROBOTS_TXT, "robots.txt"),
        (Self::CONTENT_SIGNAL, "content-signal"),
        (Self::TDMREP, "tdmrep.json"),
        (Self::TDM, "tdm-reservation"),
        (Self::NO_AI, "noai"),
        (Self::NO_INDEX, "noindex"),
        (Self::NO_ARCHIVE, "noarchive"),
        (Self::NO_SNIPPET, "nosnippet"),
        (Self::NO_IMAGE_AI, "noimageai"),
    ];

    /// The set with a stored number. Directives that a later release may have added are left out.
    pub fn from_code(code: u16) -> OptOuts {
        OptOuts(code & 0x1ff)
    }

    /// The number under which the set is stored.
    pub fn code(self) -> u16 {
        self.0
    }

    /// True where there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True for a set that has all of another one.
    pub fn has(self, other: OptOuts) -> bool {
        self.0 & other.0 == other.0
    }

    /// The directives that come from the page itself.
    #[must_use]
    pub fn of_page(self) -> OptOuts {
        OptOuts(self.0 & !Self::OF_HOST.0)
    }

    /// True where a corpus of texts should leave the page out: for every directive but one that is about images alone.
    pub fn concern_text(self) -> bool {
        self.0 & !Self::NO_IMAGE_AI.0 != 0
    }

    /// The set with these names, as [`OptOuts::names`] writes them; `None` where one is unknown.
    pub fn from_names(names: &str) -> Option<OptOuts> {
        let one = |name: &str| Self::NAMES.iter().find(|(_, known)| *known == name).map(|(one, _)| *one);
        names.split_whitespace().try_fold(OptOuts::default(), |all, name| Some(all | one(name)?))
    }

    /// Their names, with spaces between them.
    pub fn names(self) -> String {
        let names: Vec<&str> = Self::NAMES.iter().filter(|(one, _)| self.has(*one)).map(|(_, name)| *name).collect();
        names.join(" ")
    }
}

impl BitOr for OptOuts {
    type Output = OptOuts;

    fn bitor(self, other: OptOuts) -> OptOuts {
        OptOuts(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_that_of_one_mark() {
        for mark in TranslationMark::ALL {
            assert_eq!(TranslationMark::from_code(mark as u8), Some(mark));
        }
        assert_eq!(TranslationMark::from_code(0), None);
    }

    #[test]
    fn a_set_of_directives_has_their_names_and_comes_back() {
        let set = OptOuts::NO_AI | OptOuts::ROBOTS_TXT | OptOuts::NO_IMAGE_AI;
        assert_eq!(set.names(), "robots.txt noai noimageai");
        assert_eq!(OptOuts::from_code(set.code()), set);
        assert_eq!((OptOuts::from_names(&set.names()), OptOuts::from_names("noai other")), (Some(set), None));
        assert_eq!(set.of_page().names(), "noai noimageai");
        assert!(set.concern_text() && !OptOuts::NO_IMAGE_AI.concern_text() && !OptOuts::default().concern_text());
        let all = OptOuts::NAMES.iter().fold(OptOuts::default(), |all, (one, _)| all | *one);
        assert_eq!(OptOuts::from_code(u16::MAX), all);
    }
}
