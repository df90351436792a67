//! Languages, as BCP 47 tags cut to what telling pages apart needs.

use std::fmt;

use super::lang_codes::{code_of_name, is_private, is_region, is_short, registered_name, short_code};

/// A language: an ISO 639-1 code where there is one, else ISO 639-3; Chinese with its script.
///
/// Region and variant subtags are dropped when a tag is read (`pt-BR` is `pt`), and `zh-CN`, `zh-SG` mean `zh-Hans`, `zh-TW`, `zh-HK`
/// and `zh-MO` mean `zh-Hant`. Plain `zh` stays `zh` and means either. On a site that has two variants of a language side by side, each is a
/// language of its own ([`Lang::variant`]): `pt-BR` beside `pt`, `sr-Latn` beside `sr-Cyrl`. Eight bytes of ASCII, zero padded, so that the order of values is the order of
/// tags.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lang([u8; 8]);

impl Default for Lang {
    fn default() -> Lang {
        Lang::UNKNOWN
    }
}

impl Lang {
    /// Not known: the text is too short or too mixed to tell.
    pub const UNKNOWN: Lang = Lang(*b"und\0\0\0\0\0");
    /// English.
    pub const EN: Lang = Lang(*b"en\0\0\0\0\0\0");
    /// Chinese in either script.
    pub const ZH: Lang = Lang(*b"zh\0\0\0\0\0\0");
    /// Chinese in simplified characters.
    pub const ZH_HANS: Lang = Lang(*b"zh-Hans\0");
    /// Chinese in traditional characters.
    pub const ZH_HANT: Lang = Lang(*b"zh-Hant\0");

    /// One of the languages of a site that nothing names, given by its number, 26 at most: `und-x-a`, `und-x-b`, which are tags for private use. They are
    /// told apart on one site; on another one, the same tag may be another language.
    pub fn unnamed(number: usize) -> Option<Lang> {
        let letter = b'a' + u8::try_from(number).ok().filter(|number| *number < 26)?;
        Some(Lang([b'u', b'n', b'd', b'-', b'x', b'-', letter, 0]))
    }

    /// True for [`Lang::unnamed`].
    pub fn is_unnamed(self) -> bool {
        self.0.starts_with(b"und-")
    }

    /// True for a language that is known by its name.
    pub fn is_named(self) -> bool {
        self.is_known() && !self.is_unnamed()
    }

    /// Reads the tag of a language that nothing names.
    fn parse_unnamed(tag: &str) -> Option<Lang> {
        let [letter @ b'a'..=b'z'] = *private_use(tag)?.as_bytes() else { return None };
        Lang::unnamed(usize::from(letter - b'a'))
    }

    /// Reads a tag as pages and users write it: any case, `_` for `-`, regions, scripts, ISO 639-2/3 codes.
    ///
    /// `None` for texts that are no language tags (`x-default`, `*`, empty, words of more than three letters).
    pub fn parse(tag: &str) -> Option<Lang> {
        let mut subtags = tag.trim().split(['-', '_', '.', '@']);
        let primary = subtags.next()?.to_ascii_lowercase();
        if !(2..=3).contains(&primary.len()) || !primary.bytes().all(|b| b.is_ascii_lowercase()) {
            return None;
        }
        let code = short_code(&primary);
        if code == "zh" {
            return Some(chinese(&primary, subtags));
        }
        let mut in_arabic = || subtags.any(|subtag| script(subtag) == Some("Arab"));
        // Some languages have another code where they are written in Arabic letters.
        Some(Lang::from_code(match code {
            "az" if in_arabic() => "azb",
            "ku" if in_arabic() => "ckb",
            "pa" if in_arabic() => "pnb",
            _ => code,
        }))
    }

    /// Reads a tag that a user asks for, as [`Lang::parse`] does; `None` also for what is the code of no language, such as `xx` and `xxx`.
    /// Codes that are free for private use (`qaa` to `qtz`) are accepted.
    pub fn parse_asked(tag: &str) -> Option<Lang> {
        Lang::parse(tag).filter(|lang| !lang.is_known() || lang.is_registered() || is_private(lang.code()))
    }

    /// The language that the registry of language subtags alone calls by this English name, if it has a code of three letters.
    pub fn by_registered_name(name: &str) -> Option<Lang> {
        code_of_name(name).map(Lang::from_code)
    }

    /// The English name of a language with a code of three letters, as the registry of language subtags has it.
    pub fn registered_name(self) -> Option<&'static str> {
        registered_name(self.base().code())
    }

    /// True for a language with a code that there is: one of ISO 639-1, or one of three letters in the registry of language subtags. `us` is a country,
    /// and `web` is nothing.
    pub fn is_registered(self) -> bool {
        self.has_short_code() || self.registered_name().is_some()
    }

    /// The tag without script and region.
    fn code(&self) -> &str {
        self.as_str().split('-').next().unwrap_or_default()
    }

    /// Reads the tag of a language whose pages a user asks for, as [`Lang::parse_asked`] does, but keeps its script: `sr-Latn` leaves out
    /// `sr-Cyrl`. Also reads the tag of a language that nothing names (`und-x-a`); `und` stands for all of those.
    pub fn parse_wanted(tag: &str) -> Option<Lang> {
        if private_use(tag).is_some() {
            return Lang::parse_unnamed(tag);
        }
        Lang::parse_asked(tag).and_then(|_| Lang::parse_with_script(tag))
    }

    /// Reads a tag that this program has written. A tag with a region is a variant; any other tag is read as by [`Lang::parse`].
    pub fn from_tag(tag: &str) -> Option<Lang> {
        Lang::parse_unnamed(tag).or_else(|| Lang::variant(tag)).or_else(|| Lang::parse(tag))
    }

    /// True for a language with a code of ISO 639-1: `uz`, and not `fil`.
    pub fn has_short_code(self) -> bool {
        is_short(self.base().code())
    }

    /// The variant of a language that a tag with a script or a region names, as sites write it: `pt_BR`, `en-us`, `es-419`, `zh-hk`,
    /// `sr-latn`, `uz@cyrillic`. In a tag with both, the script counts. Variants of Chinese are told apart by [`Lang::parse`]. `None` for a
    /// tag with neither.
    pub fn variant(tag: &str) -> Option<Lang> {
        Lang::in_named_script(tag)
            .or_else(|| Lang::with(tag, |_, subtag| is_region(subtag).then(|| subtag.to_ascii_uppercase())))
    }

    /// Reads a tag as [`Lang::parse`] does, but keeps its script: `sr-Latn-RS` is `sr-Latn`.
    pub fn parse_with_script(tag: &str) -> Option<Lang> {
        Lang::in_named_script(tag).or_else(|| Lang::parse(tag))
    }

    fn in_named_script(tag: &str) -> Option<Lang> {
        // The codes of some languages say the script.
        let says_it = |lang: &Lang| {
            lang.as_str().starts_with("zh-") || ["azb-Arab", "ckb-Arab", "pnb-Arab"].contains(&lang.as_str())
        };
        Lang::with(tag, |code, subtag| script_of(code, subtag).map(str::to_owned)).filter(|lang| !says_it(lang))
    }

    /// The language of a tag, with the script or region that the first `wanted` subtag stands for; `wanted` is given the code of the
    /// language too. Subtags behind a single character (`en-u-ca-gregory`) are neither scripts nor regions.
    fn with(tag: &str, wanted: impl Fn(&str, &str) -> Option<String>) -> Option<Lang> {
        let base = Lang::parse(tag).filter(|lang| lang.is_known())?;
        let code = base.as_str().split('-').next().unwrap_or_default();
        let subtags = tag.trim().split(['-', '_', '.', '@']).skip(1).take_while(|subtag| subtag.len() > 1);
        let subtag = subtags.into_iter().find_map(|subtag| wanted(code, subtag))?;
        Some(Lang::from_code(&format!("{code}-{subtag}")))
    }

    /// For a language without a variant that is written in Latin letters: the codes of the other scripts that it is written in, the usual
    /// one first. (Left out are languages that have another code when they are written in Arabic letters, such as Azerbaijani and Kurdish,
    /// and scripts that hardly any site uses.)
    pub fn other_scripts(self) -> &'static [&'static str] {
        IN_SCRIPTS.iter().find(|(code, _)| *code == self.as_str()).map_or(&[], |(_, scripts)| scripts)
    }

    /// The code of the script of a variant: `Latn` of `sr-Latn`.
    pub fn script(&self) -> Option<&str> {
        self.as_str().rsplit_once('-').map(|(_, last)| last).filter(|last| last.len() == 4)
    }

    /// The variant of a language that is written in the script with this code: `sr-Latn`. The language must have no variant yet.
    pub fn in_script(self, script: &str) -> Lang {
        let tag = format!("{}-{script}", self.as_str());
        if self.is_unnamed() || tag.len() > 8 { self } else { Lang::from_code(&tag) }
    }

    /// The language of which this is a variant, as tags are read; any other language is returned as it is.
    pub fn base(self) -> Lang {
        let is_variant = self.0[2..].contains(&b'-') && self != Lang::ZH_HANS && self != Lang::ZH_HANT;
        if is_variant { Lang::parse(self.as_str()).unwrap_or(self) } else { self }
    }

    fn from_code(code: &str) -> Lang {
        let mut bytes = [0; 8];
        bytes[..code.len()].copy_from_slice(code.as_bytes());
        Lang(bytes)
    }

    /// The tag: `en`, `zh-Hans`, `und`.
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(8);
        std::str::from_utf8(&self.0[..end]).unwrap_or("und")
    }

    /// The eight bytes kept on disk.
    pub fn to_bytes(self) -> [u8; 8] {
        self.0
    }

    /// A language from its bytes on disk; bytes that are no tag become [`Lang::UNKNOWN`].
    pub fn from_bytes(bytes: [u8; 8]) -> Lang {
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(8);
        let tag = &bytes[..end];
        let sound = tag.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-') && bytes[end..].iter().all(|&b| b == 0);
        if sound && end >= 2 { Lang(bytes) } else { Lang::UNKNOWN }
    }

    /// True unless the language is [`Lang::UNKNOWN`].
    pub fn is_known(self) -> bool {
        self != Lang::UNKNOWN
    }

    /// True when the two tags can mean one language: equal, or `zh` beside a script of Chinese, or a language beside a variant of it.
    pub fn agrees(self, other: Lang) -> bool {
        if self == other {
            return true;
        }
        let (own, others) = (self.base(), other.base());
        if own != self && others != other {
            // Two variants.
            return false;
        }
        let zh = |l: Lang| l == Lang::ZH_HANS || l == Lang::ZH_HANT;
        own == others || (own == Lang::ZH && zh(others)) || (others == Lang::ZH && zh(own))
    }
}

/// True for a text in which nothing but parts of a tag follows the first letters: regions, scripts, `t` for traditional characters.
pub fn is_whole_tag(text: &str) -> bool {
    let mut subtags = text.split(['-', '_', '@']);
    let is_chinese = subtags.next().is_some_and(|code| code.eq_ignore_ascii_case("zh"));
    let is_short = |subtag: &str| is_chinese && ["s", "t"].iter().any(|short| subtag.eq_ignore_ascii_case(short));
    subtags.all(|subtag| is_region(subtag) || script(subtag).is_some() || is_short(subtag))
}

/// What stands behind `und-x-` in a tag for private use, in lower case.
fn private_use(tag: &str) -> Option<String> {
    Some(tag.trim().to_ascii_lowercase().replace('_', "-").strip_prefix("und-x-")?.to_owned())
}

/// Languages that are written both in Latin letters and in other scripts, with these other scripts.
const IN_SCRIPTS: &[(&str, &[&str])] = &[
    ("az", &["Cyrl"]),
    ("bs", &["Cyrl"]),
    ("cnr", &["Cyrl"]),
    ("crh", &["Cyrl"]),
    ("ha", &["Arab"]),
    ("kk", &["Cyrl", "Arab"]),
    ("ms", &["Arab"]),
    ("ro", &["Cyrl"]),
    ("sr", &["Cyrl"]),
    ("tg", &["Cyrl", "Arab"]),
    ("tk", &["Cyrl", "Arab"]),
    ("tt", &["Cyrl", "Arab"]),
    ("ug", &["Arab", "Cyrl"]),
    ("uz", &["Cyrl", "Arab"]),
];

/// The code of the script that a subtag means after the code of a language. `lat` means Latin letters where a language is written in other
/// scripts too (`sr-lat`), and Latin America otherwise (`es-lat`).
fn script_of(code: &str, subtag: &str) -> Option<&'static str> {
    let is_short = ["lat", "cyr"].iter().any(|short| short.eq_ignore_ascii_case(subtag));
    let is_meant = || IN_SCRIPTS.iter().any(|(known, _)| *known == code);
    if is_short && !is_meant() { None } else { script(subtag) }
}

/// The code of a script from its code or its name in locales. Only the scripts of languages that are written in several are known.
fn script(subtag: &str) -> Option<&'static str> {
    /// The codes of scripts, each with the texts that are written for it.
    const SCRIPTS: &[(&str, &[&str])] = &[
        ("Latn", &["latin", "lat"]),
        ("Cyrl", &["cyrillic", "cyr"]),
        ("Arab", &["arabic"]),
        ("Deva", &["devanagari"]),
        ("Guru", &["gurmukhi"]),
        ("Hans", &[]),
        ("Hant", &[]),
        ("Hebr", &["hebrew"]),
        ("Beng", &[]),
        ("Mong", &[]),
        ("Tfng", &[]),
    ];
    let is_written = |(code, others): &&(&str, &[&str])| {
        code.eq_ignore_ascii_case(subtag) || others.iter().any(|other| other.eq_ignore_ascii_case(subtag))
    };
    SCRIPTS.iter().find(is_written).map(|(code, _)| *code)
}

fn chinese<'a>(primary: &str, subtags: impl Iterator<Item = &'a str>) -> Lang {
    match primary {
        "yue" => return Lang::ZH_HANT,
        // The country, for its language.
        "cn" => return Lang::ZH_HANS,
        _ => {}
    }
    for subtag in subtags {
        match subtag.to_ascii_lowercase().as_str() {
            "hans" | "cn" | "sg" | "chs" | "s" => return Lang::ZH_HANS,
            "hant" | "tw" | "hk" | "mo" | "cht" | "t" => return Lang::ZH_HANT,
            _ => {}
        }
    }
    Lang::ZH
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Lang {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Two languages, the one that sorts first first. Invariant: `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LangPair {
    /// The language whose tag sorts first.
    pub a: Lang,
    /// The other.
    pub b: Lang,
}

impl LangPair {
    /// The pair of two different languages, in order; `None` when they are the same.
    pub fn new(x: Lang, y: Lang) -> Option<LangPair> {
        match x.cmp(&y) {
            std::cmp::Ordering::Less => Some(LangPair { a: x, b: y }),
            std::cmp::Ordering::Greater => Some(LangPair { a: y, b: x }),
            std::cmp::Ordering::Equal => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_pages_are_cut_to_a_language() {
        let cases = [
            ("EN_us", "en"),
            ("pt-BR", "pt"),
            ("deu", "de"),
            ("zh-cn", "zh-Hans"),
            ("zh-TW", "zh-Hant"),
            ("zh-Hant-HK", "zh-Hant"),
            ("zh", "zh"),
            ("iw", "he"),
            ("prs", "fa"),
            ("cn", "zh-Hans"),
            ("fr_FR.UTF-8", "fr"),
            ("fil", "fil"),
            ("sr-Latn-RS", "sr"),
            ("uz@cyrillic", "uz"),
            ("zh-t", "zh-Hant"),
            ("zh_s", "zh-Hans"),
            ("pa-Arab-PK", "pnb"),
            ("kmr-Arab", "ckb"),
            ("az_arab", "azb"),
            ("az-Cyrl", "az"),
        ];
        for (tag, expected) in cases {
            assert_eq!(Lang::parse(tag).map(|l| l.to_string()).as_deref(), Some(expected), "{tag}");
        }
        for tag in ["x-default", "*", "", "english", "e"] {
            assert_eq!(Lang::parse(tag), None, "{tag}");
        }
    }

    #[test]
    fn a_variant_is_a_language_beside_its_language_and_apart_from_others() {
        let variant = |tag: &str| Lang::variant(tag).map(|lang| lang.to_string());
        let cases = [
            ("pt_BR", "pt-BR"),
            ("en-us", "en-US"),
            ("es-419", "es-419"),
            ("zh-hk", "zh-HK"),
            ("zh-Hant-HK", "zh-HK"),
            ("deu_AT", "de-AT"),
            ("sr-latn", "sr-Latn"),
            ("sr_RS@latin", "sr-Latn"),
            ("srp-Cyrl-RS", "sr-Cyrl"),
            ("uz@cyrillic", "uz-Cyrl"),
            ("crh-latn", "crh-Latn"),
            ("sr_lat", "sr-Latn"),
            ("zh-Hans-CN", "zh-CN"),
            ("sr-Latn-RS", "sr-Latn"),
            ("en-GB-u-ca-gregory", "en-GB"),
        ];
        for (tag, expected) in cases {
            assert_eq!(variant(tag).as_deref(), Some(expected), "{tag}");
        }
        // These mean Latin America, a calendar, and a private subtag.
        assert!(["es-lat", "en-u-ca-gregory", "en-x-us"].into_iter().all(|tag| variant(tag).is_none()));
        let scripts = ["sr-Latn", "kk-Arab", "zh-Hant", "pt-BR", "sr", "und"];
        let scripts = scripts.map(|tag| Lang::from_tag(tag).expect("a tag").script().map(str::to_owned));
        assert_eq!(scripts.map(|script| script.unwrap_or_default()), ["Latn", "Arab", "Hant", "", "", ""]);
        assert!(["pt", "zh-Hans", "x-default", "en-x"].into_iter().all(|tag| variant(tag).is_none()));
        let [br, hk, tw] = ["pt-BR", "zh-HK", "zh-TW"].map(|tag| Lang::variant(tag).expect("a variant"));
        let pt = Lang::parse("pt").expect("a tag");
        assert_eq!((br.base(), hk.base(), Lang::ZH_HANS.base(), pt.base()), (pt, Lang::ZH_HANT, Lang::ZH_HANS, pt));
        let [latin, cyrillic] = ["Latn", "Cyrl"].map(|script| Lang::parse("sr").expect("a tag").in_script(script));
        assert!(latin.as_str() == "sr-Latn" && !latin.agrees(cyrillic) && latin.base() == cyrillic.base());
        assert!(br.agrees(pt) && pt.agrees(br) && hk.agrees(Lang::ZH) && hk.agrees(Lang::ZH_HANT) && !hk.agrees(tw));
        assert_eq!(Lang::from_bytes(br.to_bytes()), br);
        let codes = ["uz", "jp", "pt", "zh", "en", "us"].map(|tag| Lang::parse(tag).expect("a tag").has_short_code());
        assert_eq!(codes, [true, true, true, true, true, false]);
    }

    #[test]
    fn a_language_that_is_asked_for_may_be_asked_for_in_one_script() {
        let wanted = |tag: &str| Lang::parse_wanted(tag).map(|lang| lang.to_string());
        for (tag, expected) in
            [("sr-latn", "sr-Latn"), ("sr", "sr"), ("pt-BR", "pt"), ("yor", "yo"), ("zh-tw", "zh-Hant")]
        {
            assert_eq!(wanted(tag).as_deref(), Some(expected), "{tag}");
        }
        assert_eq!(["xx", "xxx", "web", "mul"].map(wanted), [None, None, None, None]);
        assert_eq!(["qaa", "und"].map(wanted), ["qaa", "und"].map(|tag| Some(tag.to_owned())));
    }

    #[test]
    fn languages_without_a_name_have_tags_for_private_use() {
        let [a, b] = [0, 25].map(|number| Lang::unnamed(number).expect("a letter"));
        assert_eq!((a.as_str(), b.as_str(), Lang::unnamed(26)), ("und-x-a", "und-x-z", None));
        assert!(a.is_unnamed() && a.is_known() && !a.is_named() && a != b && !a.agrees(b) && a.agrees(Lang::UNKNOWN));
        assert!(
            !Lang::UNKNOWN.is_unnamed()
                && !Lang::UNKNOWN.is_named()
                && Lang::EN.is_named()
                && a.base() == Lang::UNKNOWN
        );
        assert!(Lang::from_bytes(a.to_bytes()) == a && a.in_script("Latn") == a);
        assert_eq!(["und-x-a", "UND_x_Z"].map(Lang::from_tag), [Some(a), Some(b)]);
        assert_eq!(["und-x-a", "und"].map(Lang::parse_wanted), [Some(a), Some(Lang::UNKNOWN)]);
        assert_eq!(["und-x-", "und-x-ab", "und_x-1"].map(Lang::parse_wanted), [None; 3]);
        for tag in ["und-x-", "und-x-ab", "und-x-1", "und-a"] {
            assert!(Lang::from_tag(tag).is_none_or(|lang| lang == Lang::UNKNOWN), "{tag}");
        }
        // What pages declare is none of the languages of the site.
        assert_eq!(Lang::parse("und-x-a"), Some(Lang::UNKNOWN));
    }

    #[test]
    fn what_is_written_of_a_language_is_read_again() {
        let tags = [
            "en", "fil", "zh", "zh-Hans", "zh-Hant", "und", "und-x-b", "pt-BR", "zh-HK", "zh-TW", "es-419", "fil-PH",
            "sr-Latn", "crh-Cyrl",
        ];
        for tag in tags {
            let lang = Lang::from_tag(tag).expect("a tag");
            assert_eq!((lang.as_str(), Lang::from_tag(lang.as_str())), (tag, Some(lang)));
        }
    }

    #[test]
    fn bytes_round_trip_and_keep_the_order_of_tags() {
        let tags =
            ["de", "en", "fil", "und", "zh", "zh-Hans", "zh-Hant"].map(|t| Lang::parse(t).unwrap_or(Lang::UNKNOWN));
        assert!(tags.is_sorted());
        for lang in tags {
            assert_eq!(Lang::from_bytes(lang.to_bytes()), lang);
        }
        assert_eq!(Lang::from_bytes([0xff; 8]), Lang::UNKNOWN);
    }
}
