//! The trait that all formats implement to write files.

use std::io::{self, Write};

use crate::types::{
    BitextLine, CopiedRecord, DocumentLine, FetchLine, Lang, LanguageLine, PageLine, PairLine, SentencePlace, UnitLine,
    counted, grouped,
};

/// What a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Pairs of pages.
    Pairs,
    /// Sentence pairs.
    Bitext,
    /// Sentence pairs without texts, and where these are.
    Rebuild,
    /// Pairs of pages with their texts and aligned sentences.
    Documents,
    /// Sentences in several languages.
    Units,
    /// Pages with their texts.
    Pages,
    /// Records of archives.
    Warc,
    /// Captures to fetch.
    Fetch,
    /// Pairs of words.
    Lexicon,
    /// What texts in some languages look like.
    Languages,
}

impl Content {
    /// All contents, by name on the command line.
    pub const ALL: [(&str, Content); 10] = [
        ("pairs", Content::Pairs),
        ("bitext", Content::Bitext),
        ("rebuild", Content::Rebuild),
        ("documents", Content::Documents),
        ("units", Content::Units),
        ("pages", Content::Pages),
        ("warc", Content::Warc),
        ("fetch", Content::Fetch),
        ("lexicon", Content::Lexicon),
        ("languages", Content::Languages),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Content::ALL.iter().find(|(_, content)| *content == self).map_or("", |(name, _)| name)
    }

    /// A word for its rows.
    pub fn rows(self) -> &'static str {
        match self {
            Content::Pairs => "pairs of pages",
            Content::Bitext | Content::Rebuild => "sentence pairs",
            Content::Documents => "documents",
            Content::Units => "units",
            Content::Pages => "pages",
            Content::Warc => "records",
            Content::Fetch => "captures",
            Content::Lexicon => "words",
            Content::Languages => "languages",
        }
    }

    /// A number of its rows: `1 sentence pair`, `2,000 pairs of pages`.
    pub fn counted(self, count: u64) -> String {
        match self.rows().strip_suffix('s').filter(|_| self != Content::Pairs) {
            Some(one) => counted(count, one),
            None if count == 1 => "1 pair of pages".to_owned(),
            None => format!("{} {}", grouped(count), self.rows()),
        }
    }
}

/// One row of a file.
#[derive(Clone, Copy, Debug)]
pub enum Row<'r> {
    /// A pair of pages.
    Pair(&'r PairLine),
    /// A sentence pair.
    Sentences(&'r BitextLine),
    /// A sentence pair whose texts are not written.
    Rebuild(&'r BitextLine),
    /// A pair of pages with their texts.
    Document(&'r DocumentLine),
    /// Sentences in several languages.
    Unit(&'r UnitLine),
    /// A page with its text.
    Page(&'r PageLine),
    /// A record of an archive.
    Record(&'r CopiedRecord),
    /// A capture to fetch.
    Capture(&'r FetchLine),
    /// A pair of words. The first row has the two languages, as usual in word lists.
    Words([&'r str; 2]),
    /// A language.
    Language(&'r LanguageLine),
}

impl Row<'_> {
    /// The content to which the row belongs.
    pub fn content(&self) -> Content {
        match self {
            Row::Pair(_) => Content::Pairs,
            Row::Sentences(_) => Content::Bitext,
            Row::Rebuild(_) => Content::Rebuild,
            Row::Document(_) => Content::Documents,
            Row::Unit(_) => Content::Units,
            Row::Page(_) => Content::Pages,
            Row::Record(_) => Content::Warc,
            Row::Capture(_) => Content::Fetch,
            Row::Words(_) => Content::Lexicon,
            Row::Language(_) => Content::Languages,
        }
    }

    /// The URL of the row's page, or of the first of its pages; empty for rows that belong to no page.
    pub fn url(&self) -> &str {
        match self {
            Row::Pair(line) => &line.url_a,
            Row::Sentences(line) | Row::Rebuild(line) => &line.a.url,
            Row::Document(line) => &line.pair.url_a,
            Row::Unit(line) => line.texts.first().map_or("", |text| &text.place.url),
            Row::Page(page) => &page.url,
            Row::Record(record) => &record.url,
            Row::Capture(line) => &line.url,
            Row::Words(_) | Row::Language(_) => "",
        }
    }

    /// The row's language or its two languages, in the order of listing. `None` for rows of other contents.
    pub fn langs(&self) -> Option<(Lang, Option<Lang>)> {
        match self {
            Row::Pair(line) => Some((line.lang_a, Some(line.lang_b))),
            Row::Sentences(line) | Row::Rebuild(line) => Some((line.lang_a, Some(line.lang_b))),
            Row::Document(line) => Some((line.pair.lang_a, Some(line.pair.lang_b))),
            Row::Page(page) => Some((page.lang, None)),
            Row::Unit(_) | Row::Record(_) | Row::Capture(_) | Row::Words(_) | Row::Language(_) => None,
        }
    }

    /// About how many bytes its values have.
    pub fn bytes(&self) -> usize {
        /// The bytes that a row takes besides its texts, approximately.
        const REST: usize = 500;
        fn page(page: &PageLine) -> usize {
            page.url.len() + page.title.len() + page.text.len()
        }
        let others = |line: &BitextLine| line.others.iter().map(|(a, b)| a.len() + b.len() + 8).sum::<usize>();
        let texts = match self {
            Row::Pair(line) => line.url_a.len() + line.url_b.len() + line.key.len(),
            Row::Sentences(line) | Row::Rebuild(line) => {
                line.text_a.len() + line.text_b.len() + line.a.url.len() + line.b.url.len() + others(line)
            }
            Row::Document(line) => {
                let text = |place: &Option<SentencePlace>| place.as_ref().map_or(0, |place| place.text.len());
                let sentences = line.sentences.iter().map(|line| text(&line.a) + text(&line.b) + 64);
                page(&line.a) + page(&line.b) + sentences.sum::<usize>()
            }
            Row::Unit(line) => {
                let texts = line.texts.iter().map(|text| text.text.len() + text.place.url.len() + 128);
                texts.sum::<usize>() + 32 * line.pairs.len()
            }
            Row::Page(line) => page(line),
            Row::Record(record) => record.record.len(),
            Row::Capture(line) => line.file.len() + line.url.len(),
            Row::Words(words) => words[0].len() + words[1].len(),
            Row::Language(line) => line.letters.len(),
        };
        REST + texts
    }

    /// The error for a row that a format cannot hold.
    pub(super) fn refused(&self) -> io::Error {
        let problem = format!("the format does not hold {}", self.content().rows());
        io::Error::new(io::ErrorKind::InvalidInput, problem)
    }
}

/// Writes one [`Content`], row by row: memory does not grow with the output.
pub trait Exporter {
    /// Writes a row.
    ///
    /// # Errors
    /// When an output does not take it, or the format does not [hold](super::Format::holds) such rows.
    fn row(&mut self, row: Row<'_>) -> io::Result<()>;

    /// About how many bytes of rows it holds in memory that it has not given to the output yet.
    fn held(&self) -> usize {
        0
    }

    /// Gives the rows that it holds to the output.
    ///
    /// # Errors
    /// When the output does not take it.
    fn relieve(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Documents that lie beside its output in a folder and are complete: their names in the folder, and their bytes before they are
    /// compressed. With `is_last`, no row follows.
    ///
    /// # Errors
    /// When an output does not take what is written about them.
    fn documents(&mut self, is_last: bool) -> io::Result<Vec<(String, Vec<u8>)>> {
        let _ = is_last;
        Ok(Vec::new())
    }

    /// Writes what follows the last row, and flushes each output, once.
    ///
    /// # Errors
    /// When an output does not take it.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Columns that are written only where they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// For sentence pairs: the languages that texts are in by themselves.
    pub detects: bool,
    /// For pairs and sentence pairs: the names and digests of the pages' records.
    pub records: bool,
}

/// The compression of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Nothing.
    None,
    /// Gzip.
    Gzip,
    /// Snappy, inside of Parquet.
    Snappy,
    /// Zstandard.
    #[default]
    Zstd,
}

impl Compression {
    /// All of them, by name on the command line.
    pub const ALL: [(&str, Compression); 4] = [
        ("zstd", Compression::Zstd),
        ("gzip", Compression::Gzip),
        ("snappy", Compression::Snappy),
        ("none", Compression::None),
    ];
}

/// What an exporter needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The content.
    pub content: Content,
    /// The two languages, for formats that need exactly two.
    pub langs: Option<[Lang; 2]>,
    /// Which columns are written that are not always.
    pub extra: Extra,
    /// The compression for formats that compress by themselves.
    pub compression: Compression,
    /// The time of writing, for formats that contain it.
    pub now: jiff::Timestamp,
}

/// An output.
pub type Output = Box<dyn Write + Send>;

/// The names of the two sides of a text: the tags of their languages, or `a` and `b` where a list that was read has the same tag for both.
pub fn sides(langs: [Lang; 2]) -> [String; 2] {
    let tags = langs.map(|lang| lang.to_string());
    if tags[0] == tags[1] { ["a", "b"].map(str::to_owned) } else { tags }
}

/// The score, rounded to four digits as in all listings.
pub fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// The outputs as an array; a format gets as many as it needs.
pub(super) fn outputs<const N: usize>(outputs: Vec<Output>) -> io::Result<[Output; N]> {
    outputs.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a wrong number of outputs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::PageLine;

    #[test]
    fn languages_without_a_name_are_told_apart() {
        let [a, b] = [0, 1].map(|number| Lang::unnamed(number).expect("a letter"));
        for lang in [a, b, Lang::UNKNOWN] {
            let page = PageLine { lang, ..PageLine::default() };
            assert_eq!(Row::Page(&page).langs(), Some((lang, None)));
        }
        assert_eq!(sides([a, b]), ["und-x-a", "und-x-b"]);
        assert_eq!(sides([Lang::UNKNOWN; 2]), ["a", "b"]);
    }
}
