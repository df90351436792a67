//! Responses that are PDF: pages with the feature `pdf`, and counted without it.

use std::fs;
use std::path::Path;

use crate::support::{diglot, stdout};

/// A WARC of responses of that type.
fn warc(path: &Path, responses: &[(String, Vec<u8>)]) {
    let mut file = Vec::new();
    for (url, body) in responses {
        let http = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n";
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-28T00:00:00Z\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            http.len() + body.len()
        );
        file.extend([head.as_bytes(), http, body, b"\r\n\r\n"].concat());
    }
    fs::write(path, file).expect("room on the disk");
}

#[cfg(not(feature = "pdf"))]
#[test]
fn without_the_feature_pdf_is_counted_as_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    warc(&at("x.warc"), &[("http://tiny.test/a.pdf".to_owned(), b"%PDF-1.4".to_vec())]);
    crate::folders::succeeds(diglot(&at("s")).arg("ingest").arg(at("x.warc")));
    let told = stdout(&at("s"), &["-q", "status", "--archives"]);
    assert!(told.contains("not html") && told.contains("application/pdf"), "{told}");
}

#[cfg(all(feature = "pdf", unix))]
mod with_feature {
    use std::time::Instant;

    use super::*;
    use crate::folders::{pairs, succeeds};
    use crate::pdf_sample::{file, lines, pdf};
    use crate::support::fed;

    #[test]
    fn pdf_in_two_languages_is_paired() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let en =
            ["The museum opens every morning at nine and shows the work of the", "painters who lived in the valley"];
        let fr = ["Le musee ouvre tous les matins a neuf heures et montre les travaux", "des peintres de la vallee"];
        let mut responses = Vec::new();
        for (at, name) in ["paintings", "drawings", "visitors", "history", "garden"].iter().enumerate() {
            for (lang, text) in [("en", en), ("fr", fr)] {
                let last = format!("{}, {at}.", text[1]);
                let again = format!("{} {}.", text[0], text[1]);
                let page =
                    lines(&[(50.0, 100.0, 10.0, text[0]), (50.0, 112.0, 10.0, &last), (50.0, 140.0, 10.0, &again)]);
                let body = pdf(&[page], name, &format!("/Lang({lang})"));
                responses.push((format!("http://tiny.test/{lang}/{name}.pdf"), body));
            }
        }
        warc(&at("x.warc"), &responses);
        succeeds(diglot(&at("s")).arg("run").arg(at("x.warc")));
        assert_eq!(pairs(&at("s")).len(), 5);
        let told = stdout(&at("s"), &["-q", "explain", "http://tiny.test/en/garden.pdf"]);
        assert!(told.contains("garden"), "{told}");
    }

    /// A stream of so many bytes of this, deflated.
    fn deflated(text: &[u8], count: usize) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        (0..count).for_each(|_| std::io::Write::write_all(&mut encoder, text).expect("memory"));
        encoder.finish().expect("memory")
    }

    /// A PDF whose page draws this.
    fn drawing(resources: &str, stream: &[u8], more: &[String]) -> Vec<u8> {
        let stream = stream.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let mut objects = vec![
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Count 1/Kids[5 0 R]>>".to_owned(),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
            "<</Title(x)>>".to_owned(),
            format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<{resources}>>/Contents 6 0 R>>"),
            format!("<</Length {}/Filter[/ASCIIHexDecode/FlateDecode]>>stream\n{stream}>\nendstream", stream.len() + 1),
        ];
        objects.extend(more.iter().cloned());
        file(&objects)
    }

    #[test]
    fn hostile_files_end_in_bounds_and_are_skipped_under_their_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        // Form 8 draws form 7 a thousand times, which draws letters, and so on.
        let font = "/Font<</F 3 0 R>>";
        let form = |draws: &str, inner: &str| {
            let head = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]";
            format!("<<{head}/Resources<<{font}{inner}>>/Length {}>>stream\n{draws}\nendstream", draws.len())
        };
        let words = form(&lines(&[(50.0, 100.0, 10.0, "letters")]), "");
        let tower = [
            words,
            form(&"/X Do ".repeat(1000), "/XObject<</X 7 0 R>>"),
            form(&"/X Do ".repeat(1000), "/XObject<</X 8 0 R>>"),
        ];
        let own = [form("/X Do /X Do", "/XObject<</X 7 0 R>>")];
        let kids = |count: usize| format!("<</Type/Pages/Count {count}/Kids[{}]>>", "5 0 R ".repeat(count));
        let many = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            kids(100_000),
            "<<>>".to_owned(),
            "<<>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>".to_owned(),
        ];
        let loops = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[2 0 R]>>", "3 0 R", "4 0 R"];
        let hostile = [
            ("bomb", drawing(font, &deflated(&[b' '; 1 << 20], 700), &[])),
            ("tower", drawing(&format!("{font}/XObject<</X 9 0 R>>"), &deflated(b"/X Do ", 1000), &tower)),
            ("own", drawing(&format!("{font}/XObject<</X 7 0 R>>"), &deflated(b"/X Do ", 1000), &own)),
            ("many", file(&many)),
            ("loops", file(&loops.map(str::to_owned))),
            ("deep", drawing(font, &deflated(&[b'['; 1 << 12], 1 << 10), &[])),
            ("save", drawing(font, &deflated(&b"q ".repeat(1 << 12), 1 << 12), &[])),
            ("none", b"%PDF-1.7 and no more".to_vec()),
        ];
        let responses = hostile.map(|(name, body)| (format!("http://tiny.test/{name}.pdf"), body));
        warc(&at("x.warc"), &responses);
        let start = Instant::now();
        succeeds(diglot(&at("s")).arg("ingest").arg(at("x.warc")));
        let seconds = start.elapsed().as_secs();
        let told = stdout(&at("s"), &["-q", "status", "--archives"]);
        assert!(told.contains("pdf that cannot be read"), "{told}");
        for (name, how) in [("bomb", "takes more memory"), ("tower", "takes more time"), ("none", "invalid")] {
            assert!(told.contains(&format!("/{name}.pdf {how}")), "{name}: {told}");
        }
        // Each has five seconds of the processor, which other tests use too.
        assert!(seconds < 240, "{seconds} s");
    }

    #[test]
    fn the_command_tells_what_is_read_or_why_nothing_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = lines(&[(50.0, 100.0, 10.0, "some text")]);
        let output = fed(diglot(folder.path()).arg("pdf"), &pdf(&[page], "t", ""));
        let html = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && html.contains("<title>t</title>") && html.contains("<p>some text</p>"),
            "{html}"
        );
        let output = fed(diglot(folder.path()).arg("pdf"), b"no PDF");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"invalid\n".as_slice()));
    }
}
