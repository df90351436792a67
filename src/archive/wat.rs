//! WAT records: Common Crawl's JSON about a response. The links in it are read by [`crate::extract`].

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dates::date_ms;
use super::mime::is_html_type;
use crate::types::{Capture, Form, Pointer, RawRecord, RecordName, Skip, SkipReason};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Wat {
    container: Option<Container>,
    envelope: Envelope,
}

#[derive(Deserialize)]
struct Container {
    #[serde(rename = "Filename")]
    file: Option<String>,
    #[serde(rename = "Offset")]
    offset: Option<String>,
    #[serde(rename = "Gzip-Metadata")]
    gzip: Option<Gzip>,
}

#[derive(Deserialize)]
struct Gzip {
    #[serde(rename = "Deflate-Length")]
    length: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "WARC-Header-Metadata")]
    header: Header,
    #[serde(rename = "Payload-Metadata")]
    payload: Option<Payload>,
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "WARC-Type")]
    kind: Option<String>,
    #[serde(rename = "WARC-Date")]
    date: Option<String>,
    #[serde(rename = "WARC-Record-ID")]
    id: Option<String>,
    #[serde(rename = "WARC-Payload-Digest")]
    digest: Option<String>,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "HTTP-Response-Metadata")]
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(rename = "Response-Message")]
    message: Option<Message>,
    #[serde(rename = "Headers")]
    headers: Option<std::collections::BTreeMap<String, serde_json::Value>>,
    #[serde(rename = "HTML-Metadata")]
    html: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "Status")]
    status: Option<String>,
}

/// A WAT record as a capture whose body is its JSON, or the reason why the response that it describes is not a page.
pub(super) fn capture(record: RawRecord) -> Result<Capture, Skip> {
    let RawRecord { url, offset, length, name, block, .. } = record;
    let refuse = |reason, detail: String| Err(Skip { reason, offset, length, url: url.clone(), detail });
    let wat: Wat = match serde_json::from_slice(&block) {
        Ok(wat) => wat,
        Err(error) => return refuse(SkipReason::Metadata, format!("metadata: no WAT: {error}")),
    };
    let reason = match wat.envelope.header.kind.as_deref() {
        Some("response" | "resource") => None,
        Some("request") => Some(SkipReason::Request),
        Some("warcinfo") => Some(SkipReason::WarcInfo),
        Some("revisit") => Some(SkipReason::Revisit),
        _ => Some(SkipReason::Metadata),
    };
    if let Some(reason) = reason {
        return refuse(reason, "metadata: a WAT of that record".to_owned());
    }
    let Some(response) = wat.envelope.payload.and_then(|payload| payload.response) else {
        return refuse(SkipReason::BadHttp, "metadata: no response in it".to_owned());
    };
    let status = response.message.and_then(|message| message.status).and_then(|status| status.parse().ok());
    if status.is_some_and(|status: u16| status != 200) {
        return refuse(SkipReason::Status, status.unwrap_or(0).to_string());
    }
    let headers = response.headers.unwrap_or_default();
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        found.1.as_str().map(str::to_owned)
    };
    let content_type = header("Content-Type");
    if response.html.is_none() || content_type.as_deref().is_some_and(|mime| !is_html_type(mime)) {
        return refuse(SkipReason::NotHtml, content_type.unwrap_or_default());
    }
    let container = wat.container.unwrap_or(Container { file: None, offset: None, gzip: None });
    let number = |text: Option<String>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
    let pointer = Pointer {
        file: container.file.unwrap_or_default(),
        offset: number(container.offset),
        length: number(container.gzip.and_then(|gzip| gzip.length)),
    };
    let name = name.map_or_else(RecordName::default, |name| *name);
    let date_ms = wat.envelope.header.date.as_deref().map_or(record.date_ms, date_ms);
    Ok(Capture {
        form: Form::Links,
        pointer: Some(pointer).filter(|pointer| !pointer.file.is_empty()),
        url,
        date_ms,
        offset,
        length,
        status: 200,
        content_type,
        content_language: header("Content-Language"),
        link: header("Link"),
        content_location: header("Content-Location"),
        is_sitemap: false,
        robots: header("X-Robots-Tag"),
        tdm_reservation: header("TDM-Reservation"),
        translated_from: header("X-Machine-Translated-From"),
        // The name and digest are those of the response, which the page is, and not those of the record about it.
        name: RecordName {
            id: wat.envelope.header.id.unwrap_or(name.id),
            digest: wat.envelope.header.digest.unwrap_or(name.digest),
        },
        body: block,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(json: &str) -> RawRecord {
        let (url, block) = ("http://ex.org/".to_owned(), json.as_bytes().to_vec());
        RawRecord { form: Form::Links, url, block, ..RawRecord::default() }
    }

    const PAGE: &str = r#"{"Container":{"Filename":"a.warc.gz","Offset":"44","Gzip-Metadata":{"Deflate-Length":"55"}},
        "Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Date":"2024-05-18T01:58:10Z"},
        "Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},
        "Headers":{"content-type":"text/html; charset=utf-8","Content-Language":"an"},"HTML-Metadata":{"Links":[]}}}}}"#;

    #[test]
    fn a_response_points_at_itself() {
        let capture = capture(record(PAGE)).expect("a page");
        assert_eq!(capture.pointer, Some(Pointer { file: "a.warc.gz".into(), offset: 44, length: 55 }));
        assert_eq!((capture.content_language.as_deref(), capture.date_ms), (Some("an"), 1_715_997_490_000));
    }

    #[test]
    fn records_that_hold_no_page_say_why() {
        let with = |from: &str, to: &str| capture(record(&PAGE.replace(from, to))).map_err(|skip| skip.reason).err();
        assert_eq!(with("\"response\"", "\"request\""), Some(SkipReason::Request));
        assert_eq!(with("\"200\"", "\"404\""), Some(SkipReason::Status));
        assert_eq!(with("text/html", "image/png"), Some(SkipReason::NotHtml));
        assert_eq!(with("{\"Container\"", "{{"), Some(SkipReason::Metadata));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_wat_or_refused(cut in 0..PAGE.len(), noise: Vec<u8>) {
            let block = [&PAGE.as_bytes()[..cut], &noise, &PAGE.as_bytes()[cut..]].concat();
            let _ = capture(RawRecord { form: Form::Links, block, ..RawRecord::default() });
            let _ = capture(RawRecord { form: Form::Links, block: noise, ..RawRecord::default() });
        }
    }
}
