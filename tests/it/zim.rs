//! ZIM files: the pages of a site for reading offline.

use std::fs;
use std::path::Path;

use crate::folders::{pairs, save, succeeds};
use crate::support::{diglot, failure, stdout, tiny_site};
use crate::zim_sample::{Layout, Sample};

/// The pages of the tiny site.
fn tiny(folder: &Path, layout: Layout, metadata: &[(&str, &str)]) -> Vec<u8> {
    let mut zim = Sample::new(layout);
    let pages = if layout.is_new { b'C' } else { b'A' };
    for (name, value) in metadata {
        zim.add(b'M', name, "text/plain", value.as_bytes());
    }
    save(&folder.join("pages"));
    for lang in ["fr", "en"] {
        for entry in fs::read_dir(folder.join("pages").join(lang)).expect("a folder") {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            zim.add(pages, &format!("{lang}/{name}"), "text/html", &fs::read(&path).expect("a page"));
        }
    }
    zim.alias(pages, "en/works.html", "en/paintings.html");
    zim.redirect(pages, "en/painters.html", pages, "en/paintings.html");
    zim.bytes()
}

#[test]
fn a_zim_gives_the_pairs_of_the_archive_of_its_site() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("tiny.warc"));
    succeeds(diglot(&at("archive")).arg("run").arg(at("tiny.warc")));
    let expected = pairs(&at("archive"));
    assert_eq!(expected.len(), 5);
    let source = ("Source", "http://tiny.test/");
    for (store, layout, metadata) in [
        ("zstd", Layout::default(), [source, ("Language", "eng,fra")]),
        ("plain", Layout { coding: 1, is_wide: true, ..Layout::default() }, [source, ("Language", "eng,fra")]),
        ("old", Layout { is_new: false, coding: 4, ..Layout::default() }, [source, ("Language", "eng,fra")]),
        ("base", Layout::default(), [("Name", "tiny_mul_all"), ("Language", "eng,fra")]),
    ] {
        let file = at("x.zim");
        fs::write(&file, tiny(folder.path(), layout, &metadata)).expect("room on the disk");
        let mut command = diglot(&at(store));
        command.arg("run").arg(&file);
        if store == "base" {
            let (code, stderr) = failure(diglot(&at("none")).arg("run").arg(&file));
            assert!(code == 1 && stderr.contains("--base-url"), "{stderr}");
            command.args(["--base-url", "http://tiny.test/"]);
        }
        if store == "plain" {
            command.args(["--base-url", "http://else.test/"]);
        }
        let stderr = succeeds(&mut command);
        let remark = "x.zim: `--base-url` does not count, for its `Source` says http://tiny.test/";
        assert_eq!(stderr.contains(remark), store == "plain", "{stderr}");
        assert_eq!(pairs(&at(store)), expected, "{store}");
        for (name, reason) in [("painters", "redirect to another URL"), ("works", "revisit record")] {
            let told = stdout(&at(store), &["explain", &format!("http://tiny.test/en/{name}.html")]);
            assert!(told.contains(reason), "{told}");
        }
    }
}

#[test]
fn parts_of_a_split_zim_are_named_wherever_they_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let bytes = tiny(folder.path(), Layout::default(), &[("Source", "http://tiny.test/")]);
    fs::create_dir(at("in")).expect("a folder");
    fs::write(at("in/whole.zim"), &bytes).expect("room on the disk");
    fs::write(at("in/split.zimaa"), &bytes[..500]).expect("room on the disk");
    fs::write(at("in/split.zimab"), &bytes[500..]).expect("room on the disk");
    let stderr = succeeds(diglot(&at("s")).arg("ingest").arg(at("in")));
    assert!(stderr.contains("inputs: 1 read, 2 skipped") && stderr.matches("cat x.zim??").count() == 2, "{stderr}");
    let (code, stderr) = failure(diglot(&at("t")).arg("ingest").arg(at("in/split.zimab")));
    assert!(code == 1 && stderr.contains("a part of a split ZIM"), "{stderr}");
    fs::write(at("cut.zim"), &bytes[..bytes.len() - 40]).expect("room on the disk");
    let (code, stderr) = failure(diglot(&at("t")).arg("ingest").arg(at("cut.zim")));
    assert!(code == 1 && stderr.contains("it was cut off"), "{stderr}");
}
