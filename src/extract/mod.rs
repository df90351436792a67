//! Turns a capture into a page: charset, HTML, language.
//!
//! [`extract`] reads the bytes of one capture as UTF-8 (`charset`), goes through its markup once (`html`, which looks tags up in `tags`,
//! folds white space in `fold` and resolves URLs in `links`), and detects the language of the text ([`crate::language`]). Text without
//! markup is read by `plain`, the JSON of a WAT by `wat`; of a PDF, `pdf` makes HTML, in a process that may fail. What a page says of itself beyond its text is collected by `signals`. It keeps nothing between pages, so any number of threads may call it. A capture
//! without a text of its own is not a page: `stubs` recognises it, with the help of `scripts` and `stub_words`. What a sitemap declares is
//! read by [`sitemap`].

pub mod canonical;
mod charset;
mod declared;
mod fold;
mod html;
mod lines;
mod links;
mod params;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;
mod read;
mod scripts;
mod signals;
pub mod sitemap;
mod stub_words;
mod stubs;
mod tags;
pub mod versions;
mod wat;

use declared::declare;
use read::Read;
use signals::Found;
use xxhash_rust::xxh3::xxh3_64;

use crate::language::asked::{self, Answer};
use crate::language::{self, Detected, Run};
use crate::types::{CanonicalUrl, Capture, Form, Page, SkipReason};

pub(crate) use lines::is_unspaced;
pub use params::Params;
#[cfg(feature = "pdf")]
pub use pdf::html as html_of_pdf;

/// Of this many pages whose language is told, the letters of one are counted.
const TOLD_PER_SAMPLE: u64 = 2;

/// Turns a capture into a page. `url` is the capture's URL, to which its links are relative.
///
/// # Errors
/// Why the capture is not a page, and what was found. [`SkipReason::ParserLimit`], [`SkipReason::ShortText`], or, for a stub,
/// [`SkipReason::Redirect`], [`SkipReason::NotFound`] or [`SkipReason::LogIn`]. [`SkipReason::Sitemap`] for a sitemap. For the JSON of a WAT, [`SkipReason::Metadata`] or
/// [`SkipReason::BadHttp`].
pub fn extract(capture: &Capture, url: &CanonicalUrl, params: &Params) -> Result<Page, (SkipReason, String)> {
    Ok(untold(capture, url, params)?.detect(params))
}

/// Does what [`extract`] does, except for the language of the text, which something else may tell.
///
/// # Errors
/// Those of [`extract`].
pub fn untold(capture: &Capture, url: &CanonicalUrl, params: &Params) -> Result<Untold, (SkipReason, String)> {
    match capture.form {
        _ if capture.is_sitemap => Err((SkipReason::Sitemap, String::new())),
        Form::Page => of_markup(capture, url, params),
        Form::Text => with_text(plain::read(&capture.body), capture, url, params),
        Form::Links => wat::read(capture, url, params).map(Untold::without_text),
        Form::Index => Ok(Untold::without_text(of_index(capture))),
    }
}

fn of_markup(capture: &Capture, url: &CanonicalUrl, params: &Params) -> Result<Untold, (SkipReason, String)> {
    let decoded = charset::decode(&capture.body, capture.content_type.as_deref(), tld(url), params);
    let mut read = html::read(&decoded, url, params).map_err(|error| (SkipReason::ParserLimit, error.to_string()))?;
    declare(&mut read.page.declared, capture.content_language.as_deref().unwrap_or(""));
    read.page.links.extend(canonical::own_links(capture, url, params));
    read.page.body_bytes = u32::try_from(capture.body.len()).unwrap_or(u32::MAX);
    read.page.charset = decoded.encoding.name().to_ascii_lowercase();
    with_text(read, capture, url, params)
}

/// A page with its text, unless there is too little text or none of its own.
fn with_text(
    read: Read,
    capture: &Capture,
    url: &CanonicalUrl,
    params: &Params,
) -> Result<Untold, (SkipReason, String)> {
    if let Some(reason) = stubs::reason(&read, url, &params.stubs) {
        return Err(reason);
    }
    let Read { mut page, runs, mut signals, .. } = read;
    long_enough(&page, params)?;
    signals.capture(capture, url, params);
    let (signals, found) = signals.finish();
    page.signals = signals;
    Ok(Untold { page, runs: Some(runs), found })
}

/// A page whose text has not been told its language.
pub struct Untold {
    page: Page,
    /// The stretches of its text. `None` where it has no text, and its language is already known.
    runs: Option<Vec<Run>>,
    /// A mark of machine translation, if the language of the text confirms it.
    found: Option<Found>,
}

impl Untold {
    fn without_text(page: Page) -> Untold {
        Untold { page, runs: None, found: None }
    }

    /// The page with the language that is detected in its text.
    pub fn detect(self, params: &Params) -> Page {
        let Some(runs) = &self.runs else { return self.page };
        let language = language::detect(&self.page.text, runs, &params.language);
        self.with(language, params)
    }

    /// The question about the text for a language program; `None` where there is no text, or too little to be in a language.
    pub fn question(&self, params: &Params) -> Option<String> {
        asked::question(&self.page.text, self.runs.as_ref()?, &params.language)
    }

    /// The page with the language that a program has told, if it was asked. `asked` has the question and the answer.
    pub fn told(self, asked: Option<(&str, Answer)>, min_probability: f32, params: &Params) -> Page {
        if self.runs.is_none() {
            return self.page;
        }
        let language = asked::told(&self.page.text, asked, min_probability);
        let mut page = self.with(language, params);
        page.is_by_program = asked.is_some();
        page
    }

    fn with(self, language: Detected, params: &Params) -> Page {
        let Untold { mut page, runs, found } = self;
        page.detected = language.lang;
        page.confidence = language.confidence;
        page.is_guess = language.is_guess;
        page.latin_share = language.latin_share;
        page.signals.translated = found.and_then(|found| found.of(&page.declared, page.detected));
        // A sample of the pages in languages that are told shows what letters texts in these languages have.
        let is_told = !language.is_guess && language::is_told(language.lang);
        if !is_told || xxh3_64(page.text.as_bytes()).is_multiple_of(TOLD_PER_SAMPLE) {
            page.letters = language::count_letters(&page.text, &runs.unwrap_or_default(), &params.language);
        }
        page
    }
}

/// A page that only an index knows. It is in the first language that the index names.
fn of_index(capture: &Capture) -> Page {
    let mut page = Page::default();
    declare(&mut page.declared, capture.content_language.as_deref().unwrap_or(""));
    if let Some(&lang) = page.declared.first() {
        (page.detected, page.confidence) = (lang.base(), 1.0);
    }
    // The index names the language of the text, not the one that the page declares.
    page.declared.clear();
    page
}

fn long_enough(page: &Page, params: &Params) -> Result<(), (SkipReason, String)> {
    let text_bytes = page.text.len() - page.blocks.len();
    if text_bytes < params.min_text_bytes as usize {
        let detail = format!("{text_bytes} bytes of text, expected {} or more", params.min_text_bytes);
        return Err((SkipReason::ShortText, detail));
    }
    Ok(())
}

/// The last label of the host, if it is a name.
fn tld(url: &CanonicalUrl) -> Option<&str> {
    let host = url.host().split(':').next()?;
    host.rsplit('.').next().filter(|label| label.bytes().all(|b| b.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;
    use proptest::prelude::*;

    fn capture(body: &[u8]) -> (Capture, CanonicalUrl) {
        let url = CanonicalUrl::parse("http://ex.org/a.html").expect("a sound URL");
        (Capture { url: url.as_str().to_owned(), body: body.to_vec(), ..Capture::default() }, url)
    }

    #[test]
    fn a_capture_becomes_a_page() {
        let text =
            "Ein kurzer Text, der lang genug ist, um eine Seite zu sein, und der auf Deutsch geschrieben wurde. Ü";
        let html = format!("<html lang=en><meta charset=iso-8859-1><title>Über</title><p>{text}</p><a href=b>B</a>");
        let (mut capture, url) = capture(&encoding_rs::WINDOWS_1252.encode(&html).0);
        capture.content_language = Some("de-AT, en".to_owned());
        let page = extract(&capture, &url, &Params::default()).expect("enough text");
        let de = Lang::parse("de").expect("a language");
        assert_eq!((page.charset.as_str(), page.title.as_str()), ("windows-1252", "Über"));
        assert_eq!(page.text, format!("{text}\nB\n"));
        assert_eq!((page.detected, page.declared), (de, vec![Lang::EN, de]));
        assert_eq!(page.links[0].url, "http://ex.org/b");
        assert!(page.latin_share > 0.9 && page.confidence > 0.5);
    }

    #[test]
    fn pages_with_too_little_text_are_left_out() {
        let (mut enough, url) = capture(format!("<p>{}<p>{}", "x".repeat(50), "y".repeat(50)).as_bytes());
        assert!(extract(&enough, &url, &Params::default()).is_ok());
        enough.body.pop();
        let (reason, detail) = extract(&enough, &url, &Params::default()).expect_err("99 bytes are too few");
        assert_eq!((reason, detail.as_str()), (SkipReason::ShortText, "99 bytes of text, expected 100 or more"));
        assert_eq!(reason.name(), format!("text shorter than {} bytes", Params::default().min_text_bytes));
    }

    #[test]
    fn a_page_of_code_alone_still_has_text() {
        let code = "for (i = 0; i < n; i++) { sum += x[i]; } ".repeat(9);
        let (capture, url) = capture(format!("<pre>{code}</pre>").as_bytes());
        let page = extract(&capture, &url, &Params::default()).expect("enough text");
        assert_eq!((page.blocks.len(), page.detected), (1, Lang::UNKNOWN));
    }

    #[test]
    fn a_program_tells_the_language_of_a_text_and_of_nothing_else() {
        let params = Params::default();
        let text = "Nnipa nyinaa yɛ pɛ. Wɔde adwene ne ahonim na abɔ obiara. ".repeat(3);
        let (of_page, url) = capture(format!("<p>{text}<a href=b>B</a>").as_bytes());
        let page = untold(&of_page, &url, &params).expect("enough text");
        let line = page.question(&params).expect("a text");
        assert!(line.starts_with("Nnipa nyinaa") && !line.contains('\n'), "{line}");
        let tw = Lang::parse("twi").expect("a language");
        let page = page.told(Some((&line, Answer { lang: tw, probability: 0.98 })), 0.5, &params);
        assert_eq!((page.detected, page.confidence, page.is_guess, page.is_by_program), (tw, 0.98, false, true));
        assert!(!page.letters.is_empty() && page.latin_share > 0.8);
        // A text of digits is in no language, and an index has no text.
        let (digits, url) = capture(format!("<p>{}", "12345 ".repeat(30)).as_bytes());
        let page = untold(&digits, &url, &params).expect("enough text");
        assert_eq!(page.question(&params), None);
        let page = page.told(None, 0.5, &params);
        assert_eq!((page.detected, page.is_guess, page.is_by_program), (Lang::UNKNOWN, false, false));
        let of_index = Capture { form: Form::Index, content_language: Some("fra".into()), ..of_page };
        let page = untold(&of_index, &url, &params).expect("a line");
        assert_eq!(page.question(&params), None);
        assert_eq!(page.told(None, 0.5, &params).detected, Lang::parse("fr").expect("a language"));
    }

    #[test]
    fn the_parsers_limit_is_a_reason() {
        let (capture, url) = capture("<i>".repeat(10_000).as_bytes());
        let params = Params { parser_memory_bytes: 10_000, ..Params::default() };
        assert_eq!(extract(&capture, &url, &params).map_err(|(reason, _)| reason), Err(SkipReason::ParserLimit));
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_extracted(body: Vec<u8>, content_type: Option<String>, content_language: Option<String>) {
            let (capture, url) = capture(&body);
            let capture = Capture { content_type, content_language, ..capture };
            let params = Params { min_text_bytes: 0, ..Params::default() };
            prop_assert!(extract(&capture, &url, &params).is_ok());
        }
    }
}
