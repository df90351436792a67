//! Makes a bilingual site of any size, whose addresses tell nothing, to try the program on sites larger than any crawl.
//!
//! ```text
//! cargo run --release -p diglot-lab -- big-site OUT PAGES_EN PAGES_DE LINKS \
//!     [--paired 0.9] [--topic-pages 40] [--addresses opaque|key] [--seed 1]
//! ```
//!
//! PAIRED, a share of the smaller language's pages, are translations of each other; the others have no partner. A page
//! is on a topic, which about TOPIC_PAGES pages share, and uses its words. Function words are English and German, so
//! that the language can be told; all others are made up, and one list gives the translation of each. A translation
//! follows its original sentence by sentence, but drops one in twenty, turns neighbouring words round, and takes another
//! word for one in ten. Half of the pages bear a name of their own, the same in both languages. Every page has LINKS
//! links, nine in ten of them to the pages whose partners the partner links to, mostly of the same topic; the rest go to pages without a
//! partner. With `--addresses key`, pages lie at `/en/NUMBER.html` and `/de/NUMBER.html`.
//!
//! OUT.warc.gz, OUT.pairs.tsv, an empty OUT.grey.tsv and OUT.lexicon.tsv (English, German) are written. Each page is
//! made from its number and the seed alone; one is held in memory at a time.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use diglot::types::Capture;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Result;
use crate::dice::Dice;
use crate::sites::{self, Arguments, Writer};

/// Words that hold sentences together, in both languages.
const FUNCTION_WORDS: &[(&str, &str)] = &[
    ("the", "die"),
    ("and", "und"),
    ("of", "von"),
    ("to", "zu"),
    ("in", "in"),
    ("is", "ist"),
    ("that", "dass"),
    ("it", "es"),
    ("with", "mit"),
    ("for", "für"),
    ("not", "nicht"),
    ("this", "diese"),
    ("are", "sind"),
    ("be", "sein"),
    ("on", "auf"),
    ("as", "als"),
    ("by", "durch"),
    ("or", "oder"),
    ("from", "aus"),
    ("you", "sie"),
    ("we", "wir"),
    ("can", "kann"),
    ("will", "wird"),
    ("has", "hat"),
    ("have", "haben"),
    ("was", "war"),
    ("if", "wenn"),
    ("when", "sobald"),
    ("which", "welche"),
    ("there", "dort"),
    ("their", "ihre"),
    ("our", "unsere"),
    ("but", "aber"),
    ("also", "auch"),
    ("only", "nur"),
    ("all", "alle"),
    ("after", "nach"),
    ("before", "vor"),
    ("between", "zwischen"),
    ("because", "weil"),
    ("must", "muss"),
    ("about", "über"),
    ("a", "eine"),
    ("at", "bei"),
    ("into", "ins"),
    ("more", "mehr"),
    ("no", "kein"),
    ("so", "so"),
];
/// Content words of a language: three syllables of 32.
const WORDS: u64 = 1 << 15;
/// Words of a topic.
const TOPIC_WORDS: u64 = 60;
/// Beginnings and ends of syllables, in the two languages and in names. A run of consonants and a run of vowels, so that no two
/// rows of syllables make the same word.
const SYLLABLES: [([&str; 8], [&str; 4]); 3] = [
    (["th", "w", "pr", "l", "c", "sh", "m", "d"], ["ou", "ea", "i", "o"]),
    (["sch", "k", "br", "z", "f", "st", "g", "n"], ["ei", "u", "ie", "a"]),
    (["v", "r", "t", "b", "j", "h", "p", "s"], ["a", "o", "e", "i"]),
];
/// The row of [`SYLLABLES`] that names are made of.
const NAMES: usize = 2;
/// When all pages were fetched: 14 November 2023.
const DATE_MS: i64 = 1_700_000_000_000;

/// Makes the site.
pub fn run(arguments: &[String]) -> Result<()> {
    make(&Arguments::read(arguments, 4, &["paired", "topic-pages", "addresses", "seed"])?)
}

fn make(arguments: &Arguments) -> Result<()> {
    let out = Path::new(&arguments.plain[0]);
    let count = |at: usize| -> Result<u64> {
        let text: &String = &arguments.plain[at];
        text.parse().map_err(|_| format!("{text} is no number of pages or links").into())
    };
    let (pages, links) = ([count(1)?, count(2)?], count(3)?);
    let share: f64 = arguments.number("paired", 0.9)?;
    let topic_pages: u64 = arguments.number("topic-pages", 40)?;
    let opaque = match arguments.text("addresses").unwrap_or("opaque") {
        "opaque" => true,
        "key" => false,
        other => return Err(format!("--addresses is {other}, expected opaque or key").into()),
    };
    let smaller = pages[0].min(pages[1]);
    let paired = (smaller as f64 * share).round() as u64;
    if paired == 0 || paired > smaller || topic_pages == 0 {
        return Err(format!("{paired} pairs in {smaller} pages, {topic_pages} pages a topic; expected some").into());
    }
    let topics = (paired / topic_pages).max(1);
    let host = sites::host_of(out)?;
    let site = BigSite { seed: arguments.number("seed", 1)?, pages, paired, topics, links, opaque };

    let mut warc = Writer::create(&sites::beside(out, "warc.gz"))?;
    let capture =
        Capture { content_type: Some("text/html; charset=utf-8".into()), date_ms: DATE_MS, ..Capture::default() };
    for lang in [0, 1] {
        for page in 0..pages[lang] {
            let url = format!("http://{host}{}", site.path(lang, page));
            warc.page(&url, &capture, site.html(lang, page).as_bytes())?;
        }
    }
    warc.finish()?;
    let mut gold = sites::create(&sites::beside(out, "pairs.tsv"))?;
    for page in 0..paired {
        writeln!(gold, "http://{host}{}\thttp://{host}{}\ten\tde", site.path(0, page), site.path(1, page))?;
    }
    gold.flush()?;
    sites::create(&sites::beside(out, "grey.tsv"))?.flush()?;
    let mut lexicon = sites::create(&sites::beside(out, "lexicon.tsv"))?;
    for (en, de) in FUNCTION_WORDS {
        writeln!(lexicon, "{en}\t{de}")?;
    }
    for number in 0..WORDS {
        writeln!(lexicon, "{}\t{}", word(0, number), word(1, number))?;
    }
    lexicon.flush()?;
    eprintln!("{}: {} and {} pages, {paired} pairs, {topics} topics", out.display(), pages[0], pages[1]);
    Ok(())
}

/// What every page follows from. A page is a number; below `paired`, the page of that number in the other language is
/// its partner.
struct BigSite {
    seed: u64,
    pages: [u64; 2],
    paired: u64,
    topics: u64,
    links: u64,
    opaque: bool,
}

/// One part of a sentence, in no language yet.
enum Part {
    Function(usize),
    Content(u64),
    Name(u64),
    Number(u64),
}

impl BigSite {
    /// Dice for what partners do not have in common.
    fn own(&self, lang: usize, page: u64) -> Dice {
        self.dice("own", lang as u64, page, 0)
    }

    /// Dice for number `at` of what partners have in common; a page without one has its own.
    fn shared(&self, what: &str, lang: usize, page: u64, at: u64) -> Dice {
        self.dice(what, if page < self.paired { 2 } else { lang as u64 }, page, at)
    }

    fn dice(&self, what: &str, owner: u64, page: u64, at: u64) -> Dice {
        let mut text = what.as_bytes().to_vec();
        text.extend([owner, page, at].iter().flat_map(|number| number.to_le_bytes()));
        Dice(xxh3_64_with_seed(&text, self.seed))
    }

    fn path(&self, lang: usize, page: u64) -> String {
        let tag = ["en", "de"][lang];
        if !self.opaque {
            // Pages without a partner have numbers that the other language has not.
            let number =
                if page < self.paired { page } else { page * 2 + lang as u64 + self.pages[0].max(self.pages[1]) };
            return format!("/{tag}/{number}.html");
        }
        // The number stands at the end, encoded by a bijection, so that no two pages meet.
        let mixed = (page * 2 + lang as u64).wrapping_mul(0x9e37_79b1) & 0xffff_ffff;
        format!("/p/{:08x}{:08x}.html", xxh3_64_with_seed(&mixed.to_le_bytes(), self.seed) >> 32, mixed)
    }

    fn topic(&self, page: u64) -> u64 {
        page % self.topics
    }

    /// Three words of the page's topic, one of its own among them.
    fn title(&self, lang: usize, page: u64) -> String {
        let mut dice = self.shared("title", lang, page, 0);
        let parts = [self.topic_word(page, &mut dice), self.topic_word(page, &mut dice), dice.roll(WORDS)];
        let words: Vec<String> = parts.iter().map(|&number| capital(&word(lang, number))).collect();
        words.join(" ")
    }

    /// Early words of a topic are more frequent than late ones.
    fn topic_word(&self, page: u64, dice: &mut Dice) -> u64 {
        let rank = dice.roll(TOPIC_WORDS).min(dice.roll(TOPIC_WORDS));
        let mut text = self.topic(page).to_le_bytes().to_vec();
        text.extend(rank.to_le_bytes());
        xxh3_64_with_seed(&text, !self.seed) % WORDS
    }

    fn html(&self, lang: usize, page: u64) -> String {
        let mut shape = self.shared("shape", lang, page, 0);
        let mut own = self.own(lang, page);
        let title = self.title(lang, page);
        let mut html = format!("<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body><h1>{title}</h1>\n");
        let name = (shape.roll(2) == 0).then(|| shape.roll(WORDS));
        let own_words: Vec<u64> = (0..5).map(|_| shape.roll(WORDS)).collect();
        let paragraphs = 3 + shape.roll(6);
        let mut left = self.links;
        for paragraph in 0..paragraphs {
            let tag = ["p", "p", "p", "blockquote", "h2", "pre"][shape.roll(6) as usize];
            let sentences = if tag == "h2" { 1 } else { 2 + shape.roll(4) };
            let _ = write!(html, "<{tag}>");
            for _ in 0..sentences {
                let sentence = self.sentence(page, name, &own_words, &mut shape);
                // One in twenty is lost in translation, though never a headline.
                let is_lost = lang == 1 && page < self.paired && tag != "h2" && own.roll(20) == 0;
                if !is_lost {
                    html += &said(lang, sentence, lang == 1 && page < self.paired, &mut own);
                }
            }
            let _ = writeln!(html, "</{tag}>");
            // Links are spread over the paragraphs; what is left stands at the end.
            let here = self.links / (2 * paragraphs);
            if here > 0 && left >= here {
                html += "<p>";
                for _ in 0..here {
                    html += &self.link(lang, page, self.links - left, &mut own);
                    left -= 1;
                }
                html += "</p>\n";
            }
            if paragraph == 1 && shape.roll(3) == 0 {
                let rows = 2 + shape.roll(4);
                html += "<table>";
                for _ in 0..rows {
                    let (what, number) = (self.topic_word(page, &mut shape), shape.roll(10_000));
                    let _ = write!(html, "<tr><td>{}</td><td>{number}</td></tr>", word(lang, what));
                }
                html += "</table>\n";
            }
        }
        html += "<ul>\n";
        while left > 0 {
            let _ = writeln!(html, "<li>{}</li>", self.link(lang, page, self.links - left, &mut own));
            left -= 1;
        }
        html + "</ul></body></html>\n"
    }

    /// Link number `at` of a page. Those of partners lead to partners, but for one in ten.
    fn link(&self, lang: usize, page: u64, at: u64, own: &mut Dice) -> String {
        let mut dice = self.shared("link", lang, page, at);
        let alone = self.pages[lang] - self.paired;
        let target = if dice.roll(10) == 0 && alone > 0 {
            self.paired + own.roll(alone)
        } else if dice.roll(10) < 7 {
            // Pages of one topic stand so many numbers apart.
            let members = (self.paired - 1 - self.topic(page)) / self.topics + 1;
            self.topic(page) + dice.roll(members) * self.topics
        } else {
            dice.roll(self.paired)
        };
        format!("<a href=\"{}\">{}</a> ", self.path(lang, target), self.title(lang, target))
    }

    fn sentence(&self, page: u64, name: Option<u64>, own_words: &[u64], dice: &mut Dice) -> Vec<Part> {
        let words = 8 + dice.roll(9);
        let part = |_| match dice.roll(100) {
            0..46 => Part::Function(dice.roll(FUNCTION_WORDS.len() as u64) as usize),
            46..75 => Part::Content(self.topic_word(page, dice)),
            75..88 => {
                let below = dice.roll(WORDS) + 1;
                Part::Content(dice.roll(below))
            }
            88..94 => Part::Content(own_words[dice.roll(own_words.len() as u64) as usize]),
            94..97 => Part::Number(dice.roll(2100)),
            _ => name.map_or(Part::Content(self.topic_word(page, dice)), Part::Name),
        };
        (0..words).map(part).collect()
    }
}

/// A sentence in a language. Translators turn words round and take other ones.
fn said(lang: usize, parts: Vec<Part>, translated: bool, own: &mut Dice) -> String {
    let mut words: Vec<String> = Vec::with_capacity(parts.len());
    for part in parts {
        words.push(match part {
            Part::Function(at) => [FUNCTION_WORDS[at].0, FUNCTION_WORDS[at].1][lang].to_owned(),
            Part::Content(number) if translated && own.roll(10) == 0 => word(lang, (number + 1) % WORDS),
            Part::Content(number) => word(lang, number),
            Part::Name(number) => capital(&word(NAMES, number)),
            Part::Number(number) => number.to_string(),
        });
        let last = words.len() - 1;
        if translated && last > 0 && own.roll(10) == 0 {
            words.swap(last - 1, last);
        }
    }
    capital(&words.join(" ")) + ". "
}

/// The word of a number; the same number is a translation in the other language.
fn word(row: usize, number: u64) -> String {
    let (beginnings, ends) = &SYLLABLES[row];
    // An odd factor gives every number below 2^15 another one, so that neighbours look unlike.
    let mixed = number.wrapping_mul([20_077, 11_003, 27_191][row]) % WORDS;
    let syllable = |at: u64| {
        let here = (mixed >> (5 * at)) % 32;
        format!("{}{}", beginnings[(here % 8) as usize], ends[(here / 8) as usize])
    };
    (0..3).map(syllable).collect()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
