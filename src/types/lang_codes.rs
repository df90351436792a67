//! Codes of languages, and other texts that are written in place of these codes.

use std::sync::LazyLock;

/// All codes of three letters in the registry of language subtags (RFC 5646) of 2025-08-25, which has those of ISO 639-2, 639-3 and 639-5, each with its
/// first name there; by way of the npm package `language-subtag-registry` 0.4.2 (CC0; `tests/lab/scripts/language_names.py`).
const REGISTERED: &str = include_str!("registered.tsv");

/// In the order of the codes.
static BY_CODE: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| REGISTERED.lines().filter_map(|line| line.split_once('\t')).collect());

/// All codes of ISO 639-1.
const SHORT_CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el \
     en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it \
     iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt \
     my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl \
     sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo \
     za zh zu";

/// Codes of countries and territories (ISO 3166-1), former ones and what sites write in their place (`UK`, `EU`), and those
/// of regions (UN M49).
const REGIONS: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD \
     CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE \
     GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI \
     KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX \
     MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD \
     SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ \
     VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW UK EU AN CS SU YU \
     001 002 003 005 009 011 013 014 015 017 018 019 021 029 030 034 035 039 053 054 057 061 142 143 145 150 151 154 155 202 419";

/// What is written for languages that have a code of ISO 639-1, each with that code, sorted: codes of ISO 639-2 and 639-3; codes of members
/// of a macrolanguage which sites mean by its name, such as `prs` and `swh`; retired codes, such as `iw`; and codes of countries that are
/// no codes of languages, such as `jp`.
const LONG_CODES: &[(&str, &str)] = &[
    ("aar", "aa"),
    ("abk", "ab"),
    ("afr", "af"),
    ("aka", "ak"),
    ("alb", "sq"),
    ("als", "sq"),
    ("amh", "am"),
    ("ara", "ar"),
    ("arb", "ar"),
    ("arg", "an"),
    ("arm", "hy"),
    ("asm", "as"),
    ("ava", "av"),
    ("ave", "ae"),
    ("aym", "ay"),
    ("ayr", "ay"),
    ("aze", "az"),
    ("azj", "az"),
    ("bak", "ba"),
    ("bam", "bm"),
    ("baq", "eu"),
    ("bel", "be"),
    ("ben", "bn"),
    ("bis", "bi"),
    ("bod", "bo"),
    ("bos", "bs"),
    ("bre", "br"),
    ("bul", "bg"),
    ("bur", "my"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("cha", "ch"),
    ("che", "ce"),
    ("chi", "zh"),
    ("chu", "cu"),
    ("chv", "cv"),
    ("cmn", "zh"),
    ("cn", "zh"),
    ("cor", "kw"),
    ("cos", "co"),
    ("cre", "cr"),
    ("cym", "cy"),
    ("cz", "cs"),
    ("cze", "cs"),
    ("dan", "da"),
    ("deu", "de"),
    ("div", "dv"),
    ("dk", "da"),
    ("dut", "nl"),
    ("dzo", "dz"),
    ("ekk", "et"),
    ("ell", "el"),
    ("eng", "en"),
    ("epo", "eo"),
    ("est", "et"),
    ("eus", "eu"),
    ("ewe", "ee"),
    ("fao", "fo"),
    ("fas", "fa"),
    ("fij", "fj"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("fre", "fr"),
    ("fry", "fy"),
    ("ful", "ff"),
    ("gaz", "om"),
    ("geo", "ka"),
    ("ger", "de"),
    ("gla", "gd"),
    ("gle", "ga"),
    ("glg", "gl"),
    ("glv", "gv"),
    ("gr", "el"),
    ("gre", "el"),
    ("grn", "gn"),
    ("gug", "gn"),
    ("guj", "gu"),
    ("hat", "ht"),
    ("hau", "ha"),
    ("hbo", "he"),
    ("hbs", "sr"),
    ("heb", "he"),
    ("her", "hz"),
    ("hin", "hi"),
    ("hmo", "ho"),
    ("hrv", "hr"),
    ("hun", "hu"),
    ("hye", "hy"),
    ("ibo", "ig"),
    ("ice", "is"),
    ("ido", "io"),
    ("iii", "ii"),
    ("iku", "iu"),
    ("ile", "ie"),
    ("in", "id"),
    ("ina", "ia"),
    ("ind", "id"),
    ("ipk", "ik"),
    ("isl", "is"),
    ("ita", "it"),
    ("iw", "he"),
    ("jav", "jv"),
    ("ji", "yi"),
    ("jp", "ja"),
    ("jpn", "ja"),
    ("jw", "jv"),
    ("kal", "kl"),
    ("kan", "kn"),
    ("kas", "ks"),
    ("kat", "ka"),
    ("kau", "kr"),
    ("kaz", "kk"),
    ("khk", "mn"),
    ("khm", "km"),
    ("kik", "ki"),
    ("kin", "rw"),
    ("kir", "ky"),
    ("kmr", "ku"),
    ("kom", "kv"),
    ("kon", "kg"),
    ("kor", "ko"),
    ("kua", "kj"),
    ("kur", "ku"),
    ("lao", "lo"),
    ("lat", "la"),
    ("lav", "lv"),
    ("lim", "li"),
    ("lin", "ln"),
    ("lit", "lt"),
    ("ltz", "lb"),
    ("lub", "lu"),
    ("lug", "lg"),
    ("lvs", "lv"),
    ("mac", "mk"),
    ("mah", "mh"),
    ("mal", "ml"),
    ("mao", "mi"),
    ("mar", "mr"),
    ("may", "ms"),
    ("mkd", "mk"),
    ("mlg", "mg"),
    ("mlt", "mt"),
    ("mo", "ro"),
    ("mol", "ro"),
    ("mon", "mn"),
    ("mri", "mi"),
    ("msa", "ms"),
    ("mya", "my"),
    ("nau", "na"),
    ("nav", "nv"),
    ("nb", "no"),
    ("nbl", "nr"),
    ("nde", "nd"),
    ("ndo", "ng"),
    ("nep", "ne"),
    ("nld", "nl"),
    ("nno", "nn"),
    ("nob", "no"),
    ("nor", "no"),
    ("npi", "ne"),
    ("nya", "ny"),
    ("oci", "oc"),
    ("oji", "oj"),
    ("ori", "or"),
    ("orm", "om"),
    ("ory", "or"),
    ("oss", "os"),
    ("pan", "pa"),
    ("pbt", "ps"),
    ("pbu", "ps"),
    ("per", "fa"),
    ("pes", "fa"),
    ("pli", "pi"),
    ("plt", "mg"),
    ("pol", "pl"),
    ("por", "pt"),
    ("prs", "fa"),
    ("pus", "ps"),
    ("que", "qu"),
    ("quz", "qu"),
    ("roh", "rm"),
    ("ron", "ro"),
    ("rum", "ro"),
    ("run", "rn"),
    ("rus", "ru"),
    ("sag", "sg"),
    ("san", "sa"),
    ("scc", "sr"),
    ("scr", "hr"),
    ("sh", "sr"),
    ("sin", "si"),
    ("slk", "sk"),
    ("slo", "sk"),
    ("slv", "sl"),
    ("sme", "se"),
    ("smo", "sm"),
    ("sna", "sn"),
    ("snd", "sd"),
    ("som", "so"),
    ("sot", "st"),
    ("spa", "es"),
    ("sqi", "sq"),
    ("srd", "sc"),
    ("srp", "sr"),
    ("ssw", "ss"),
    ("sun", "su"),
    ("swa", "sw"),
    ("swe", "sv"),
    ("swh", "sw"),
    ("tah", "ty"),
    ("tam", "ta"),
    ("tat", "tt"),
    ("tel", "te"),
    ("tgk", "tg"),
    ("tgl", "tl"),
    ("tha", "th"),
    ("tib", "bo"),
    ("tir", "ti"),
    ("ton", "to"),
    ("tsn", "tn"),
    ("tso", "ts"),
    ("tuk", "tk"),
    ("tur", "tr"),
    ("twi", "tw"),
    ("ua", "uk"),
    ("uig", "ug"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("uzb", "uz"),
    ("uzn", "uz"),
    ("ven", "ve"),
    ("vie", "vi"),
    ("vn", "vi"),
    ("vol", "vo"),
    ("wel", "cy"),
    ("wln", "wa"),
    ("wol", "wo"),
    ("xho", "xh"),
    ("ydd", "yi"),
    ("yid", "yi"),
    ("yor", "yo"),
    ("yue", "zh"),
    ("zha", "za"),
    ("zho", "zh"),
    ("zlm", "ms"),
    ("zsm", "ms"),
    ("zul", "zu"),
];

/// Which pairs of letters are codes of ISO 639-1.
static SHORT_PAIRS: Pairs = Pairs::of(SHORT_CODES);
/// Which pairs of letters, in small ones, are codes of regions.
static REGION_PAIRS: Pairs = Pairs::of(REGIONS);

/// A set of pairs of letters from a to z: every part of every address is looked up in it.
struct Pairs([u64; 11]);

impl Pairs {
    /// The words of two letters in a list, in any case.
    const fn of(list: &str) -> Pairs {
        let (bytes, mut bits, mut start, mut at) = (list.as_bytes(), [0; 11], 0, 0);
        while at <= bytes.len() {
            if at == bytes.len() || bytes[at] == b' ' {
                if at - start == 2
                    && let Some(pair) =
                        Pairs::number(bytes[start].to_ascii_lowercase(), bytes[start + 1].to_ascii_lowercase())
                {
                    bits[pair / 64] |= 1 << (pair % 64);
                }
                start = at + 1;
            }
            at += 1;
        }
        Pairs(bits)
    }

    const fn number(first: u8, second: u8) -> Option<usize> {
        if !first.is_ascii_lowercase() || !second.is_ascii_lowercase() {
            return None;
        }
        Some((first - b'a') as usize * 26 + (second - b'a') as usize)
    }

    const fn has(&self, first: u8, second: u8) -> bool {
        match Pairs::number(first, second) {
            Some(pair) => self.0[pair / 64] >> (pair % 64) & 1 == 1,
            None => false,
        }
    }
}

/// True for a code of ISO 639-1.
pub fn is_short(code: &str) -> bool {
    matches!(*code.as_bytes(), [first, second] if SHORT_PAIRS.has(first, second))
}

/// The English name in the registry of a language with a code of three letters; `None` where there is no such code.
pub fn registered_name(code: &str) -> Option<&'static str> {
    if code.len() != 3 {
        return None;
    }
    BY_CODE.binary_search_by_key(&code, |(known, _)| known).ok().map(|at| BY_CODE[at].1)
}

/// The code of three letters of the one language that the registry calls by a name, in any case.
pub fn code_of_name(name: &str) -> Option<&'static str> {
    let mut found = BY_CODE.iter().filter(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(code, _)| *code);
    found.next().filter(|_| found.next().is_none())
}

/// True for a code that is free for private use.
pub fn is_private(code: &str) -> bool {
    code.len() == 3 && ("qaa"..="qtz").contains(&code)
}

/// True for the code of a country, a territory or a region, in any case.
pub fn is_region(code: &str) -> bool {
    match *code.as_bytes() {
        [first, second] => REGION_PAIRS.has(first.to_ascii_lowercase(), second.to_ascii_lowercase()),
        [_, _, _] => REGIONS.split(' ').any(|known| known.eq_ignore_ascii_case(code)),
        _ => false,
    }
}

/// Length of the longest texts in [`LONG_CODES`].
const LONGEST: usize = 3;

/// The ISO 639-1 code of a language, given any text that is written for it; other texts are returned as they are.
pub fn short_code(code: &str) -> &str {
    if code.len() > LONGEST {
        return code;
    }
    LONG_CODES.binary_search_by_key(&code, |(long, _)| long).map_or(code, |at| LONG_CODES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_codes_are_sorted_and_lead_to_short_ones() {
        assert!(LONG_CODES.is_sorted() && LONG_CODES.iter().all(|(long, _)| long.len() <= LONGEST));
        for &(long, short) in LONG_CODES {
            // Bokmål counts as Norwegian.
            assert!(is_short(short) && (!is_short(long) || long == "nb"), "{long}");
        }
        let without: Vec<&str> =
            SHORT_CODES.split(' ').filter(|code| LONG_CODES.iter().all(|(_, short)| short != code)).collect();
        assert_eq!(without, ["nb"]);
    }

    #[test]
    fn pairs_of_letters_are_codes_where_the_lists_have_them() {
        for first in 0..=255u8 {
            for second in 0..128u8 {
                let pair = [first, second];
                let Ok(code) = std::str::from_utf8(&pair) else { continue };
                assert_eq!(is_short(code), SHORT_CODES.split(' ').any(|known| known == code), "{code}");
                let is_known = REGIONS.split(' ').any(|known| known.eq_ignore_ascii_case(code));
                assert_eq!(is_region(code), is_known, "{code}");
            }
        }
        assert!(is_region("419") && ["", "d", "deu", "é"].iter().all(|code| !is_short(code) && !is_region(code)));
    }

    #[test]
    fn codes_of_three_letters_are_those_of_the_registry() {
        assert!(BY_CODE.is_sorted_by_key(|(code, _)| code) && BY_CODE.iter().all(|(code, _)| code.len() == 3));
        assert_eq!(
            ["kmb", "new", "nah"].map(registered_name),
            ["Kimbundu", "Nepal Bhasa", "Nahuatl languages"].map(Some)
        );
        let none = ["red", "uno", "web", "mul", "und", "zxx", "qaa", "yo", "", "KMB"];
        assert_eq!(none.map(registered_name), [None; 10]);
        assert_eq!(
            (code_of_name("northern dong"), code_of_name("dong"), code_of_name("")),
            (Some("doc"), Some("doh"), None)
        );
        assert!(is_private("qaa") && is_private("qtz") && !is_private("qua") && !is_private("qab1"));
    }

    #[test]
    fn aliases_have_the_code_of_their_language() {
        let cases =
            [("deu", "de"), ("ger", "de"), ("prs", "fa"), ("iw", "he"), ("jp", "ja"), ("nob", "no"), ("kmb", "kmb")];
        cases.into_iter().for_each(|(code, short)| assert_eq!(short_code(code), short));
    }
}
