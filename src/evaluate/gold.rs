//! Gold files: pairs and keys that were judged beforehand.
//!
//! All files are UTF-8 text, one row on each line, with one tab between columns and no header line; empty lines are ignored:
//!
//! | file | columns |
//! |---|---|
//! | pairs | `url_a url_b lang_a lang_b`: pages that are translations of each other |
//! | ignored pairs (`.grey.tsv`) | as pairs, and a reason ([`IgnoredReason`]): counterparts that are not gold pairs, and why |
//! | keys | `key_a key_b field`: what differs between two URLs; `(null)` where one of them has nothing |
//!
//! The two pages of a pair may be in either order. Languages are all that [`Lang::parse_with_script`] reads: `zh-cn` is `zh-Hans`, and
//! `sr-Latn` beside `sr-Cyrl` is a language of its own.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::files;
use crate::types::{CanonicalUrl, Field, Lang, LangPair, NULL};

/// Why a counterpart is not a gold pair. If such a pair is found, it is wrong with the reasons
/// [`Untranslated`](IgnoredReason::Untranslated) and [`Wrong`](IgnoredReason::Wrong), and ignored with all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IgnoredReason {
    /// One page is in fact in another language. If the pair is found, it counts as wrong.
    Untranslated,
    /// One page is translated only in part.
    Mixed,
    /// There is hardly any text.
    Short,
    /// The lengths of the texts are too different: one page is another edition.
    Length,
    /// One URL is a second URL of a page that has its pair already.
    Duplicate,
    /// One page belongs to another version of the other page.
    Edition,
    /// A reviewer judged it wrong. If the pair is found, it counts as wrong.
    Wrong,
    /// A reviewer could not tell.
    Unsure,
}

impl IgnoredReason {
    /// Every reason.
    pub const ALL: [IgnoredReason; 8] = [
        IgnoredReason::Untranslated,
        IgnoredReason::Mixed,
        IgnoredReason::Short,
        IgnoredReason::Length,
        IgnoredReason::Duplicate,
        IgnoredReason::Edition,
        IgnoredReason::Wrong,
        IgnoredReason::Unsure,
    ];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            IgnoredReason::Untranslated => "untranslated",
            IgnoredReason::Mixed => "mixed",
            IgnoredReason::Short => "short",
            IgnoredReason::Length => "length",
            IgnoredReason::Duplicate => "duplicate",
            IgnoredReason::Edition => "edition",
            IgnoredReason::Wrong => "wrong",
            IgnoredReason::Unsure => "unsure",
        }
    }

    fn parse(name: &str) -> Option<IgnoredReason> {
        IgnoredReason::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl fmt::Display for IgnoredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One pair of a file: a gold pair or an ignored one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldPair {
    /// One page.
    pub url_a: CanonicalUrl,
    /// The other.
    pub url_b: CanonicalUrl,
    /// The language in which the first page is judged.
    pub lang_a: Lang,
    /// The language in which the second page is judged.
    pub lang_b: Lang,
    /// `None` for translations of each other; else why the pair is not a gold pair.
    pub ignored: Option<IgnoredReason>,
}

impl GoldPair {
    /// The two languages, which differ, since reading refuses a pair within one language.
    pub fn langs(&self) -> LangPair {
        LangPair::new(self.lang_a, self.lang_b).expect("read_row refuses pairs within one language")
    }
}

/// Gold pairs and ignored ones, of any number of sites.
#[derive(Clone, Debug, Default)]
pub struct GoldPairs {
    /// True for a sample of what was found that people have judged: it says nothing about pairs that it does not contain.
    pub is_sample: bool,
    /// The pairs, in the order in which they were read.
    rows: Vec<GoldPair>,
    /// Position in `rows` of a pair, by the identities of its pages in sorted order.
    by_pages: FxHashMap<(String, String), usize>,
    /// Language of each identity.
    langs: FxHashMap<String, Lang>,
}

impl GoldPairs {
    /// Adds the pairs of a file; `place` is its name, for messages. Several files may be added.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read. [`Error::Input`], with the line, when a row does not have four columns, a column is not
    /// a URL or a language, both languages are the same, a pair occurs twice (once perhaps as an ignored pair), or a page has two
    /// languages.
    pub fn read_pairs(&mut self, place: &str, file: impl Read) -> Result<()> {
        for_each_row(place, file, ["url_a", "url_b", "lang_a", "lang_b"], |[url_a, url_b, lang_a, lang_b]| {
            self.add(read_pair(url_a, url_b, lang_a, lang_b, None)?)
        })
    }

    /// Adds the ignored pairs of a file.
    ///
    /// # Errors
    /// As [`GoldPairs::read_pairs`], but with five columns, the last of which must name an [`IgnoredReason`].
    pub fn read_ignored(&mut self, place: &str, file: impl Read) -> Result<()> {
        let columns = ["url_a", "url_b", "lang_a", "lang_b", "reason"];
        for_each_row(place, file, columns, |[url_a, url_b, lang_a, lang_b, reason]| {
            let ignored = IgnoredReason::parse(reason).ok_or_else(|| {
                let known = IgnoredReason::ALL.map(IgnoredReason::name).join(", ");
                format!("reason is {reason:?}, expected one of {known}")
            })?;
            self.add(read_pair(url_a, url_b, lang_a, lang_b, Some(ignored))?)
        })
    }

    /// The gold pairs and the ignored ones, in the order in which they were read.
    pub fn rows(&self) -> &[GoldPair] {
        &self.rows
    }

    /// The row of two pages, in either order.
    pub fn get(&self, x: &CanonicalUrl, y: &CanonicalUrl) -> Option<&GoldPair> {
        self.by_pages.get(&unordered(x, y)).map(|&at| &self.rows[at])
    }

    /// The language in which a page is judged; `None` if no row has the page.
    pub fn lang(&self, url: &CanonicalUrl) -> Option<Lang> {
        self.langs.get(url.identity()).copied()
    }

    /// The language pairs that have gold pairs, not only ignored ones.
    pub fn paired_langs(&self) -> BTreeSet<LangPair> {
        self.rows.iter().filter(|row| row.ignored.is_none()).map(GoldPair::langs).collect()
    }

    fn add(&mut self, row: GoldPair) -> Result<(), String> {
        for (url, lang) in [(&row.url_a, row.lang_a), (&row.url_b, row.lang_b)] {
            let known = *self.langs.entry(url.identity().to_owned()).or_insert(lang);
            if known != lang {
                return Err(format!("{} is said to be {lang}, an earlier line says {known}", url.as_str()));
            }
        }
        let before = self.by_pages.insert(unordered(&row.url_a, &row.url_b), self.rows.len());
        if before.is_some() {
            return Err(format!(
                "{} and {} are a pair of an earlier line, expected each once",
                row.url_a.as_str(),
                row.url_b.as_str()
            ));
        }
        self.rows.push(row);
        Ok(())
    }
}

/// The identities of two URLs, sorted, so that the order in which they are given does not matter.
pub(super) fn unordered(x: &CanonicalUrl, y: &CanonicalUrl) -> (String, String) {
    let (x, y) = (x.identity(), y.identity());
    (x.min(y).to_owned(), x.max(y).to_owned())
}

/// One gold key. Invariant: `a <= b`. (null) is the empty string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoldKey {
    /// The field in which both texts stand.
    pub field: Field,
    /// The text that sorts first.
    pub a: String,
    /// The other text.
    pub b: String,
}

impl GoldKey {
    /// The key of two texts, in either order.
    pub fn new(field: Field, x: &str, y: &str) -> GoldKey {
        GoldKey { field, a: x.min(y).to_owned(), b: x.max(y).to_owned() }
    }
}

impl fmt::Display for GoldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_null = |text: &str| if text.is_empty() { NULL.to_owned() } else { text.to_owned() };
        write!(f, "{}:{}:{}", self.field, or_null(&self.a), or_null(&self.b))
    }
}

/// Gold keys, each once, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct GoldKeys {
    keys: Vec<GoldKey>,
}

impl GoldKeys {
    /// Adds the keys of a file. The file may be empty, if there is no key to find. A key that is known already is ignored, since sites
    /// share keys.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read. [`Error::Input`], with the line, when a row does not have three columns, names no
    /// [`Field`], or has the same text on both sides.
    pub fn read(&mut self, place: &str, file: impl Read) -> Result<()> {
        for_each_row(place, file, ["key_a", "key_b", "field"], |[key_a, key_b, field]| {
            let field = Field::ALL.into_iter().find(|f| f.name() == field).ok_or_else(|| {
                let known = Field::ALL.map(Field::name).join(", ");
                format!("field is {field:?}, expected one of {known}")
            })?;
            let text = |key| if key == NULL { "" } else { key };
            let key = GoldKey::new(field, text(key_a), text(key_b));
            if key.a == key.b {
                return Err(format!("key_a and key_b are both {key_a:?}, expected two different texts"));
            }
            if !self.keys.contains(&key) {
                self.keys.push(key);
            }
            Ok(())
        })
    }

    /// The keys, in the order in which they were read.
    pub fn as_slice(&self) -> &[GoldKey] {
        &self.keys
    }
}

fn read_pair(
    url_a: &str,
    url_b: &str,
    lang_a: &str,
    lang_b: &str,
    ignored: Option<IgnoredReason>,
) -> Result<GoldPair, String> {
    let url = |column: &str, text: &str| {
        CanonicalUrl::parse(text).map_err(|_| format!("{column} is {text:?}, expected an http or https URL"))
    };
    let lang = |column: &str, text: &str| {
        Lang::parse_with_script(text)
            .ok_or_else(|| format!("{column} is {text:?}, expected a language tag such as en or zh-cn"))
    };
    let row = GoldPair {
        url_a: url("url_a", url_a)?,
        url_b: url("url_b", url_b)?,
        lang_a: lang("lang_a", lang_a)?,
        lang_b: lang("lang_b", lang_b)?,
        ignored,
    };
    if row.lang_a == row.lang_b {
        return Err(format!("lang_a and lang_b are both {}, expected two languages", row.lang_a));
    }
    Ok(row)
}

/// Calls `take` with the columns of each row. Errors of `take` get the place and the line.
fn for_each_row<const N: usize>(
    place: &str,
    file: impl Read,
    columns: [&str; N],
    mut take: impl FnMut([&str; N]) -> Result<(), String>,
) -> Result<()> {
    let mut file = BufReader::new(files::text(file));
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(Error::io(place, "reading"))? == 0 {
            break;
        }
        let row = line.strip_suffix(b"\n").unwrap_or(&line);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if row.is_empty() {
            continue;
        }
        split(row, columns)
            .and_then(&mut take)
            .map_err(|problem| Error::input(format!("{place}: line {number}"), problem))?;
    }
    Ok(())
}

fn split<'a, const N: usize>(row: &'a [u8], columns: [&str; N]) -> Result<[&'a str; N], String> {
    let row = std::str::from_utf8(row).map_err(|error| format!("{error}, expected UTF-8"))?;
    let found: Vec<&str> = row.split('\t').collect();
    let count = found.len();
    found.try_into().map_err(|_| {
        let tabs = if row.contains('\t') { "" } else { " separated by tabs" };
        format!("{count} columns, expected {N}{tabs} ({})", columns.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    fn pairs_error(text: &str) -> String {
        GoldPairs::default().read_pairs("gold.tsv", text.as_bytes()).expect_err("refused").to_string()
    }

    #[test]
    fn a_pair_is_found_either_way_round_and_under_either_scheme() {
        let mut gold = GoldPairs::default();
        gold.read_pairs("p", "http://x.org/en/\thttp://x.org/zh/\ten\tzh-cn\r\n\n".as_bytes()).expect("sound rows");
        gold.read_ignored("g", "http://x.org/en/\thttp://x.org/fr/\ten\tfr\tmixed".as_bytes()).expect("sound rows");
        let row = gold.get(&url("https://x.org/zh/"), &url("https://x.org/en/#top")).expect("a row");
        assert_eq!((row.lang_b, row.ignored), (Lang::ZH_HANS, None));
        let row = gold.get(&url("http://x.org/en/"), &url("http://x.org/fr/")).expect("a row");
        assert_eq!(row.ignored, Some(IgnoredReason::Mixed));
        assert_eq!(gold.get(&url("http://x.org/fr/"), &url("http://x.org/zh/")), None);
        assert_eq!(gold.lang(&url("https://x.org/fr/")), Lang::parse("fr"));
        gold.read_pairs("p", "http://x.org/lat/\thttp://x.org/cir/\tsr-latn\tsr-Cyrl-RS".as_bytes())
            .expect("two scripts");
        assert_eq!(gold.lang(&url("http://x.org/cir/")).map(|lang| lang.to_string()).as_deref(), Some("sr-Cyrl"));
    }

    #[test]
    fn complaints_name_file_line_and_what_was_found() {
        let sound = "http://x.org/en\thttp://x.org/fr\ten\tfr\n";
        let cases = [
            ("a b", "gold.tsv: line 1: 1 columns, expected 4 separated by tabs (url_a url_b lang_a lang_b)"),
            ("\nx\ty\tz", "gold.tsv: line 2: 3 columns, expected 4 (url_a url_b lang_a lang_b)"),
            ("url_a\turl_b\tlang_a\tlang_b", "gold.tsv: line 1: url_a is \"url_a\", expected an http or https URL"),
            (
                "http://x.org/en\thttp://x.org/fr\tenglish\tfr",
                "gold.tsv: line 1: lang_a is \"english\", expected a language tag such as en or zh-cn",
            ),
            (
                "http://x.org/en\thttp://x.org/fr\tpt\tpt-BR",
                "gold.tsv: line 1: lang_a and lang_b are both pt, expected two languages",
            ),
            (
                &format!("{sound}https://x.org/fr\thttps://x.org/en\tfr\ten"),
                "gold.tsv: line 2: https://x.org/fr and https://x.org/en are a pair of an earlier line, \
                 expected each once",
            ),
            (
                &format!("{sound}http://x.org/fr\thttp://x.org/de\tit\tde"),
                "gold.tsv: line 2: http://x.org/fr is said to be it, an earlier line says fr",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(pairs_error(text), expected);
        }
        let ignored = "http://x.org/en\thttp://x.org/fr\ten\tfr\tdunno";
        assert_eq!(
            GoldPairs::default().read_ignored("g", ignored.as_bytes()).expect_err("refused").to_string(),
            "g: line 1: reason is \"dunno\", expected one of untranslated, mixed, short, length, duplicate, edition, wrong, unsure"
        );
        assert!(
            GoldPairs::default()
                .read_pairs("g", &b"\xff\t\t\t"[..])
                .expect_err("refused")
                .to_string()
                .starts_with("g: line 1")
        );
    }

    #[test]
    fn keys_may_be_none_and_are_kept_as_written() {
        let mut gold = GoldKeys::default();
        gold.read("k", "".as_bytes()).expect("sound rows");
        assert!(gold.as_slice().is_empty());
        gold.read("k", "en\tzh_CN\tpath\nzh_CN\ten\tpath\n(null)\tde\tfile\n".as_bytes()).expect("sound rows");
        let texts: Vec<String> = gold.as_slice().iter().map(GoldKey::to_string).collect();
        assert_eq!(texts, ["path:en:zh_CN", "file:(null):de"]);
        assert_eq!(
            gold.read("k", "en\tfr\tfolder".as_bytes()).expect_err("refused").to_string(),
            "k: line 1: field is \"folder\", expected one of host, path, file, query"
        );
        assert!(gold.read("k", "en\ten\tpath".as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = GoldPairs::default().read_pairs("g", &bytes[..]);
            let _ = GoldPairs::default().read_ignored("g", &bytes[..]);
            let _ = GoldKeys::default().read("g", &bytes[..]);
        }
    }
}
