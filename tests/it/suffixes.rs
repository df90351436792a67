//! `--across-suffixes`: domains of one name that are versions of one site, and domains that only bear one name.

use std::path::Path;

use crate::support::{Held, diglot, rows, run, stdout, write_warc};

const EN: [&str; 3] = [
    "The museum opens every morning at nine and shows the work of painters who lived in this valley",
    "Visitors who want to see the old tower should ask for the key at the desk near the entrance",
    "Children under twelve do not pay when they come with their parents on the first Sunday of the month",
];
const DE: [&str; 3] = [
    "Das Museum öffnet jeden Morgen um neun und zeigt die Werke der Maler, die in diesem Tal gelebt haben",
    "Besucher, die den alten Turm sehen wollen, fragen bitte am Tisch neben dem Eingang nach dem Schlüssel",
    "Kinder unter zwölf Jahren zahlen nichts, wenn sie am ersten Sonntag des Monats mit ihren Eltern kommen",
];
const FR: [&str; 3] = [
    "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée",
    "Les visiteurs qui veulent voir la vieille tour demandent la clé à la réception, tout près de l'entrée",
    "Les enfants de moins de douze ans ne paient pas quand ils viennent avec leurs parents le premier dimanche",
];
const NAMES: [&str; 6] = ["node/1", "node/2", "node/3", "art.html", "tower.html", "node/7"];

type Pages = Vec<(String, String)>;

/// Pages on one host, each a bit longer than the one before, with links to the same page of the other hosts.
fn site(host: &str, text: [&str; 3], names: &[&str], others: &[&str]) -> Pages {
    let page = |(at, name): (usize, &&str)| {
        let bar: String = others.iter().map(|other| format!("<a href='http://{other}/{name}'>{other}</a>")).collect();
        let body: String = (0..=at).map(|n| format!("<p>{}, {}.</p>", text[n % 3], at * 7 + n)).collect();
        (format!("http://{host}/{name}"), format!("<title>{name} {at}</title><body>{bar}{body}</body>"))
    };
    names.iter().enumerate().map(page).collect()
}

/// A site in three languages, and two that share a name and common addresses.
fn parts() -> [Pages; 4] {
    let hosts = ["brand.de", "www.brand.fr", "brand.co.uk"];
    let mut english = site(hosts[2], EN, &NAMES, &hosts[..2]);
    // Its English side is a deep page.
    english.retain(|(url, _)| !url.ends_with("node/7"));
    let common = ["", "contact.html", "about.html", "node/1", "node/2", "node/3"];
    let name_sakes = [site("golf.de", DE, &common, &[]), site("golf.co.uk", EN, &common, &[])].concat();
    [site(hosts[0], DE, &NAMES, &hosts[1..]), site(hosts[1], FR, &NAMES, &[hosts[0], hosts[2]]), english, name_sakes]
}

fn write(path: &Path, pages: &[(String, String)]) {
    let responses: Vec<(&str, &str, &str)> =
        pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    write_warc(path, &responses);
}

fn pairs(store: &Path) -> String {
    stdout(store, &["pairs"])
}

#[test]
fn versions_under_several_suffixes_are_one_site_and_name_sakes_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let parts = parts();
    write(&at("all.warc"), &parts.concat());
    let store = at("s");
    run(&store, &[&at("all.warc")]);
    assert_eq!(rows(&store, &["pairs"]).len(), 0, "domains are sites of their own unless that is asked for");
    diglot(&store).args(["--quiet", "run", "--across-suffixes"]).assert().success();
    let found = rows(&store, &["pairs"]);
    assert!(found.iter().all(|row| row["url_a"].to_string().contains("brand")), "{found:?}");
    // Six of de and fr, five with each of them in English.
    assert_eq!(found.len(), 16, "{found:?}");
    let keys: Vec<String> = rows(&store, &["keys"]).iter().map(|row| row["key"].to_string()).collect();
    let expected = [
        "host:co.uk:fr+host:(null):www",
        "host:(null):www+host:co.uk:fr",
        "host:de:co.uk",
        "host:(null):www+host:de:fr",
    ];
    assert!(keys.iter().all(|key| expected.contains(&key.trim_matches('"'))), "{keys:?}");
    assert_eq!(rows(&store, &["pairs", "brand.co.uk"]).len(), 10);
    assert_eq!(rows(&store, &["pairs", "www.brand.fr"]).len(), 11);
    assert_eq!(rows(&store, &["pairs", "brand.fr"]).len(), 11, "a domain of which only www is there");
    let domains: Vec<String> = rows(&store, &["hosts"]).iter().map(|row| row["domain"].to_string()).collect();
    assert!(domains.contains(&"\"brand.fr\"".to_owned()) && domains.contains(&"\"golf.de\"".to_owned()), "{domains:?}");
    let explained = stdout(&store, &["explain", "http://brand.de/art.html", "http://www.brand.fr/art.html"]);
    assert!(explained.contains("a pair, by key host:"), "{explained}");
    let explained = stdout(&store, &["explain", "http://golf.de/node/1", "http://golf.co.uk/node/1"]);
    assert!(explained.contains("not a pair: nothing shows these domains to be one site"), "{explained}");
    let wanted = rows(&store, &["--quiet", "recover"]);
    let urls: Vec<&str> = wanted.iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!(urls, ["http://brand.co.uk/node/7"]);
    diglot(&store).args(["--quiet", "run", "--across-suffixes=no"]).assert().success();
    assert_eq!(rows(&store, &["pairs"]).len(), 0);
}

#[test]
fn domains_that_come_one_by_one_are_joined_as_if_they_had_come_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let parts = parts();
    write(&at("all.warc"), &parts.concat());
    let (whole, store) = (at("whole"), at("s"));
    diglot(&whole).args(["--quiet", "run", "--across-suffixes"]).arg(at("all.warc")).assert().success();
    // Two domains that nothing joins at first; the third has half of its pages before the others come.
    let half = parts[0].len() / 2;
    let steps: [&[(String, String)]; 5] = [&parts[3], &parts[2], &parts[0][..half], &parts[1], &parts[0][half..]];
    for (step, pages) in steps.iter().enumerate() {
        let archive = at(&format!("{step}.warc"));
        write(&archive, pages);
        diglot(&store).args(["--quiet", "run", "--across-suffixes"]).arg(&archive).assert().success();
    }
    for listing in [&["pairs"][..], &["keys", "--weak"], &["hosts"], &["bitext"]] {
        assert_eq!(stdout(&store, listing), stdout(&whole, listing), "{listing:?}");
    }
    assert!(pairs(&whole).lines().count() > 16);
}
