//! What the makers of harder sites share: pages that move take their links and their gold along.

use std::fs;

use diglot::evaluate::GoldPairs;
use diglot::types::{CanonicalUrl, Lang};

use crate::support::{rows, run, tiny_site, write_warc};

#[path = "../tools/sites/mod.rs"]
#[expect(dead_code, reason = "the makers use the rest")]
mod sites;

use sites::{Moves, Site};

#[test]
fn links_lead_where_they_led() {
    let mut moves = Moves::new("new.site.test".into(), ["old.test".to_owned()].into(), 1);
    moves.add("old.test/en/b.html", "/p/1.html".into()).expect("a free path");
    moves.add("old.test/v?l=fr&id=2", "/p/2.html".into()).expect("a free path");
    assert!(moves.add("old.test/c", "/p/2.html".into()).is_err(), "two pages at one address");
    assert!(moves.add("old.test/en/b.html", "/p/3.html".into()).is_err(), "one page at two addresses");
    let url = CanonicalUrl::parse("http://old.test/en/a.html").expect("an address");
    let rewrite = |html: &[u8]| moves.rewrite(&url, html).expect("it can be written");
    let show = |html: &str| String::from_utf8(rewrite(html.as_bytes())).expect("UTF-8");
    assert_eq!(show("<a href='b.html#top' title='Ü'>"), r#"<a href="/p/1.html#top" title='Ü'>"#);
    assert_eq!(show("<a href=\"/v?l=fr&amp;id=2\">Ü</a>"), "<a href=\"/p/2.html\">Ü</a>");
    assert_eq!(show("<base href=\"/\"><a href=en/b.html>"), "<base><a href=\"/p/1.html\">");
    assert_eq!(show("<meta http-equiv=Refresh content='0; url=b.html'>"), {
        "<meta http-equiv=Refresh content=\"0; url=/p/1.html\">"
    });
    // Places on the page, other schemes and other hosts stay.
    for same in ["<a href=\"#top\">", "<a href=\"mailto:x@old.test\">", "<a href=\"http://else.test/en/b.html\">"] {
        assert_eq!(show(same), same);
    }
    // Pictures and missing pages get an address that tells nothing, the same from everywhere.
    let picture = show("<img src=pic.png>");
    assert!(picture.starts_with("<img src=\"/x/") && picture.ends_with(".png\">"), "{picture}");
    assert_eq!(show("<img src=\"http://old.test/en/pic.png\">"), picture);
    // Bytes that are no UTF-8 stay what they are.
    assert_eq!(
        rewrite(b"<p title=\"\xe9\x81\">\xa4\xa4<a href=b.html>"),
        b"<p title=\"\xe9\x81\">\xa4\xa4<a href=\"/p/1.html\">"
    );
}

#[test]
fn a_site_that_moves_keeps_its_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, prefix) = (folder.path().join("tiny.warc"), folder.path().join("tiny"));
    tiny_site(&warc);
    let names = ["paintings", "drawings", "visitors", "history", "garden"];
    let pair = |name: &&str| format!("http://tiny.test/en/{name}.html\thttp://tiny.test/fr/{name}.html\ten\tfr\n");
    fs::write(folder.path().join("tiny.pairs.tsv"), names.iter().map(pair).collect::<String>()).expect("room");
    let site = Site::read(&warc, &prefix.display().to_string()).expect("a sound site");
    let fr = Lang::parse("fr").expect("a tag");
    assert_eq!(site.langs(None).expect("one pair of languages"), (Lang::EN, fr));
    let documents = site.documents((Lang::EN, fr));
    let first = ("tiny.test/en/drawings.html".to_owned(), "tiny.test/fr/drawings.html".to_owned());
    assert_eq!((documents.len(), &documents[0]), (5, &first));

    // Numbers that are right, so that the key of the new site finds all pairs again.
    let out = folder.path().join("moved");
    let mut moves = Moves::new(sites::host_of(&out).expect("a host"), site.hosts(), 1);
    for (at, (a, b)) in documents.iter().enumerate() {
        moves.add(a, format!("/en/node{at}.html")).expect("a free path");
        moves.add(b, format!("/fr/node{at}.html")).expect("a free path");
    }
    sites::write(&out, &[&site], &moves).expect("room on the disk");
    let store = folder.path().join("store");
    run(&store, &[&sites::beside(&out, "warc.gz")]);
    let gold = sites::beside(&out, "pairs.tsv").display().to_string();
    let scores = rows(&store, &["eval", "--gold", &gold]);
    let all = scores.iter().find(|row| row["name"] == "micro").expect("a row for all");
    assert_eq!((&all["right"], &all["wrong"], &all["gold"]), (&5.into(), &0.into(), &5.into()));
}

#[test]
fn pages_nobody_judges_have_the_language_of_their_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let warc = folder.path().join("one.warc");
    let html = "<p>The museum opens every morning at nine and shows the work of the painters who lived in the valley, \
                and it is open to all of them that have come from other places to see what there is.";
    write_warc(&warc, &[("http://one.test/a", "200 OK", html), ("http://one.test/b", "404 Not Found", html)]);
    let site = Site::read_pages(&warc, GoldPairs::default()).expect("a sound site");
    assert_eq!(site.alone(Lang::EN, &[]), ["one.test/a"]);
}
