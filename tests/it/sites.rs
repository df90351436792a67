//! Tiny multilingual sites as WARC files, and the program run on them.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support;

#[path = "../lab/src/dice.rs"]
#[expect(dead_code, reason = "the laboratory uses the rest")]
mod dice;

pub use dice::Dice;

/// Writes captures as a WARC, one gzip member a record. Pages of one number are translations of each other.
#[derive(Clone, Default)]
pub struct SiteBuilder {
    captures: Vec<(String, &'static str, String)>,
}

impl SiteBuilder {
    /// The day captures are of, unless another is given.
    pub const DAY: &'static str = "2020-05-01T00:00:00Z";

    /// Adds a page of that number in a language: en, fr or de.
    pub fn page(&mut self, url: impl Into<String>, lang: &str, number: usize) -> &mut SiteBuilder {
        self.capture(url, SiteBuilder::DAY, &html(lang, number))
    }

    /// Adds pages 0..count, for each language at the address that `url` gives.
    pub fn pages(&mut self, langs: &[&str], count: usize, url: impl Fn(&str, usize) -> String) -> &mut SiteBuilder {
        for number in 0..count {
            for lang in langs {
                self.page(url(lang, number), lang, number);
            }
        }
        self
    }

    /// Adds a capture of any day and content.
    pub fn capture(&mut self, url: impl Into<String>, day: &'static str, html: &str) -> &mut SiteBuilder {
        self.captures.push((url.into(), day, html.to_owned()));
        self
    }

    /// Pages so far.
    pub fn page_count(&self) -> usize {
        self.captures.len()
    }

    /// Writes the archive.
    pub fn write(&self, path: &Path) {
        let mut file = File::create(path).expect("a temporary folder");
        for (url, day, html) in &self.captures {
            let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
            let length = http.len();
            let mut member = GzEncoder::new(&mut file, Compression::fast());
            write!(
                member,
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {day}\r\n\
                 Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n"
            )
            .and_then(|()| member.finish())
            .expect("room on disk");
        }
    }
}

/// A page of a few paragraphs. Equal numbers give equal texts.
pub fn html(lang: &str, number: usize) -> String {
    let parts = PARTS_OF_SPEECH.iter().find(|(of, _)| *of == lang);
    let (_, [who, does, what]) = parts.unwrap_or_else(|| panic!("no words of {lang}"));
    let mut dice = Dice(number as u64);
    let mut body = String::new();
    for paragraph in 0..6 {
        let mut text = String::new();
        for _ in 0..3 {
            let [a, b, c] = [who, does, what].map(|words| words[dice.roll(6) as usize]);
            text.push_str(&format!("{a} {b} {c}. "));
        }
        body.push_str(&format!("<p>{text} {number}.{paragraph}</p>\n"));
    }
    format!("<html><head><title>{number} {}</title></head><body>{body}</body></html>", who[number % 6])
}

/// Who does what: six of each, by language.
const PARTS_OF_SPEECH: [(&str, [[&str; 6]; 3]); 3] = [
    (
        "en",
        [
            [
                "The old miller",
                "My youngest sister",
                "Our neighbour",
                "The village doctor",
                "That traveller",
                "The teacher",
            ],
            [
                "has always loved",
                "wanted to repair",
                "often speaks about",
                "was looking for",
                "will never forget",
                "bought",
            ],
            [
                "the house by the river",
                "a letter from the city",
                "these three small boats",
                "the garden with the apple trees",
                "an evening in the mountains",
                "the clock of the church",
            ],
        ],
    ),
    (
        "fr",
        [
            [
                "Le vieux meunier",
                "Ma plus jeune sœur",
                "Notre voisin",
                "Le médecin du village",
                "Ce voyageur",
                "L'institutrice",
            ],
            [
                "a toujours aimé",
                "voulait réparer",
                "parle souvent de",
                "cherchait depuis longtemps",
                "n'oubliera jamais",
                "a acheté",
            ],
            [
                "la maison au bord de la rivière",
                "une lettre de la ville",
                "ces trois petits bateaux",
                "le jardin avec les pommiers",
                "une soirée dans les montagnes",
                "l'horloge de l'église",
            ],
        ],
    ),
    (
        "de",
        [
            [
                "Der alte Müller",
                "Meine jüngste Schwester",
                "Unser Nachbar",
                "Der Arzt des Dorfes",
                "Dieser Reisende",
                "Die Lehrerin",
            ],
            [
                "hat immer geliebt:",
                "wollte reparieren:",
                "spricht oft über",
                "suchte schon lange",
                "wird nie vergessen:",
                "kaufte gestern",
            ],
            [
                "das Haus am Fluss",
                "einen Brief aus der Stadt",
                "diese drei kleinen Boote",
                "den Garten mit den Apfelbäumen",
                "einen Abend in den Bergen",
                "die Uhr der Kirche",
            ],
        ],
    ),
];

/// The program, about to run on a store; it says nothing but what it is asked for.
pub fn diglot(store: &Path) -> Command {
    let mut command = support::diglot(store);
    command.arg("--quiet");
    command
}

/// What the program writes to stdout; it has to succeed.
pub fn stdout(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
