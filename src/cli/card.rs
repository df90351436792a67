//! The card of a data set in the form of Hugging Face: what it holds, how it was made, and what its pages say of their use.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

use diglot::export::{Row, sides};
use diglot::query::tag_and_name;
use diglot::types::{Lang, Provenance, domain_of};
use indicatif::BinaryBytes;
use xxhash_rust::xxh3::xxh3_64;

/// How many licences are named: those with the most rows. The others are counted together.
const LICENSES: usize = 100;
/// How many licences are counted one by one. Licences that are met later are counted among the others.
const COUNTED_LICENSES: usize = 100_000;
/// The name under which pages without a licence are counted.
const NO_LICENSE: &str = "none named";
/// The name under which licences beyond those counted one by one are counted.
const OTHER_LICENSES: &str = "others";

/// What the tags of languages mean that nothing names.
const UNNAMED: &str = "Tags such as `und-x-a` stand for languages that nothing names, numbered on each site: rows of different sites with one such tag may be in \
                       different languages.";

/// The counts of the rows of one file, or of all files with the same languages and part.
#[derive(Default)]
struct Figures {
    rows: u64,
    bytes: u64,
    /// By their hashes.
    domains: HashSet<u64>,
}

/// The card of a data set of sentence pairs, while its rows are counted.
pub struct Card {
    name: String,
    /// How it was made: names and values.
    settings: Vec<(String, String)>,
    /// The names of the parts for training and tests; none where all rows are for training.
    parts: Vec<String>,
    /// By languages, then by the name of the part.
    figures: BTreeMap<([Lang; 2], String), Figures>,
    licenses: BTreeMap<String, u64>,
    machine_translated: u64,
    opted_out: u64,
}

impl Card {
    /// Of a data set without rows.
    pub fn new(name: String, settings: Vec<(String, String)>, parts: Vec<String>) -> Card {
        let (figures, licenses) = Default::default();
        Card { name, settings, parts, figures, licenses, machine_translated: 0, opted_out: 0 }
    }

    /// Counts a row of a part.
    pub fn row(&mut self, part: &str, row: Row<'_>) {
        let (Row::Sentences(line), Some((a, Some(b)))) = (row, row.langs()) else { return };
        let figures = self.figures.entry(([a, b], part.to_owned())).or_default();
        figures.rows += 1;
        for url in [&line.a.url, &line.b.url] {
            figures.domains.insert(xxh3_64(domain_of(url).as_bytes()));
        }
        let pages = [&line.a.provenance, &line.b.provenance];
        let any = |is_so: fn(&Provenance) -> bool| u64::from(pages.into_iter().any(is_so));
        self.machine_translated += any(|page| page.signals.translated.is_some());
        self.opted_out += any(|page| page.signals.opt_outs.concern_text());
        let licenses: BTreeSet<&str> = pages.iter().map(|page| page.signals.license.as_str()).collect();
        for license in licenses {
            let license = if license.is_empty() { NO_LICENSE } else { license };
            let is_full = self.licenses.len() >= COUNTED_LICENSES && !self.licenses.contains_key(license);
            *self.licenses.entry(if is_full { OTHER_LICENSES } else { license }.to_owned()).or_default() += 1;
        }
    }

    /// Counts the bytes of a file of a part.
    pub fn file(&mut self, langs: [Lang; 2], part: &str, bytes: u64) {
        self.figures.entry((langs, part.to_owned())).or_default().bytes += bytes;
    }

    /// The card as Markdown, with a header in front that `datasets` reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a text does not fail.
        let _ = self.head(&mut text).and_then(|()| self.body(&mut text));
        text
    }

    /// The names of the configurations, one for each language pair, each with its languages and the names of its parts.
    fn configs(&self) -> BTreeMap<String, ([Lang; 2], Vec<&str>)> {
        let mut configs: BTreeMap<String, ([Lang; 2], Vec<&str>)> = BTreeMap::new();
        for (langs, part) in self.figures.keys() {
            let name = format!("{}-{}", langs[0], langs[1]);
            configs.entry(name).or_insert_with(|| (*langs, Vec::new())).1.push(part);
        }
        configs
    }

    fn head(&self, out: &mut String) -> std::fmt::Result {
        let primary = |lang: &Lang| lang.as_str().split('-').next().unwrap_or_default().to_owned();
        let langs: BTreeSet<String> = self.figures.keys().flat_map(|(langs, _)| langs.iter().map(primary)).collect();
        writeln!(out, "---\npretty_name: {}\nlicense: unknown\ntask_categories:\n- translation", quoted(&self.name))?;
        writeln!(out, "multilinguality:\n- {}", if langs.len() > 2 { "multilingual" } else { "translation" })?;
        list(out, "language", langs.iter().map(|lang| quoted(lang)))?;
        let configs = self.configs();
        if configs.is_empty() {
            return writeln!(out, "---");
        }
        writeln!(out, "configs:")?;
        for (name, (_, parts)) in &configs {
            writeln!(out, "- config_name: {name}\n  data_files:")?;
            for part in parts {
                writeln!(
                    out,
                    "  - split: {}\n    path: {}",
                    quoted(self.split(part)),
                    quoted(&format!("{name}/{part}[.-]*"))
                )?;
            }
        }
        writeln!(out, "dataset_info:")?;
        for (name, (langs, _)) in &configs {
            writeln!(
                out,
                "- config_name: {name}\n  features:\n  - name: translation\n    dtype:\n      translation:\n        languages:"
            )?;
            sides(*langs).iter().try_for_each(|side| writeln!(out, "        - {}", quoted(side)))?;
        }
        writeln!(out, "---")
    }

    /// The name of a part as a split. The only part is `train`, as `datasets` call it.
    fn split<'p>(&self, part: &'p str) -> &'p str {
        if self.parts.is_empty() { "train" } else { part }
    }

    /// The licences with the most rows, then all others together.
    fn licenses(&self, out: &mut String) -> std::fmt::Result {
        let mut licenses: Vec<(&str, u64)> =
            self.licenses.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        licenses.sort_by_key(|&(name, count)| (name == OTHER_LICENSES, std::cmp::Reverse(count), name));
        let others: u64 = licenses.iter().skip(LICENSES).map(|(_, count)| count).sum();
        licenses.truncate(LICENSES);
        licenses.extend((others > 0).then_some((OTHER_LICENSES, others)));
        licenses.iter().try_for_each(|(name, count)| writeln!(out, "| {} | {count} |", name.replace('|', "%7C")))
    }

    fn body(&self, out: &mut String) -> std::fmt::Result {
        let rows: u64 = self.figures.values().map(|figures| figures.rows).sum();
        writeln!(out, "\n# {}\n", self.name)?;
        writeln!(
            out,
            "{rows} sentence pairs from web archives, found and aligned by diglot {}.\n",
            env!("DIGLOT_VERSION")
        )?;
        let langs: BTreeSet<Lang> = self.figures.keys().flat_map(|(langs, _)| *langs).collect();
        if !langs.is_empty() {
            let are_unnamed = langs.iter().any(|lang| lang.is_unnamed());
            let names: Vec<String> = langs.into_iter().map(tag_and_name).collect();
            writeln!(out, "Languages: {}.\n", names.join(", "))?;
            if are_unnamed {
                writeln!(out, "{UNNAMED}\n")?;
            }
        }
        if let Some((name, (langs, parts))) = self.configs().first_key_value() {
            writeln!(out, "```python\nfrom datasets import load_dataset\n")?;
            let (data, split) = (quoted(&self.name), self.split(parts[0]));
            writeln!(out, "rows = load_dataset({data}, \"{name}\", split=\"{split}\")")?;
            writeln!(out, "rows[0][\"translation\"][\"{}\"]\n```\n", sides(*langs)[0])?;
        }
        writeln!(
            out,
            "## Figures\n\n| languages | split | sentence pairs | domains | size |\n|---|---|---:|---:|---:|"
        )?;
        for (([a, b], part), Figures { rows, bytes, domains }) in &self.figures {
            writeln!(out, "| {a}-{b} | {} | {rows} | {} | {} |", self.split(part), domains.len(), BinaryBytes(*bytes))?;
        }
        let is_empty = |part: &&String| !self.figures.keys().any(|(_, found)| found == *part);
        let (empty, filled): (Vec<&String>, Vec<&String>) = self.parts.iter().partition(is_empty);
        for (name, (_, found)) in self.configs() {
            for part in filled.iter().filter(|part| !found.contains(&part.as_str())) {
                writeln!(out, "| {name} | {part} | 0 | 0 | no file |")?;
            }
        }
        if !self.parts.is_empty() {
            writeln!(
                out,
                "\nAll that a domain has is in one split, and so is all that domains have that differ in their public suffix alone."
            )?;
        }
        if !empty.is_empty() {
            let names: Vec<String> = empty.into_iter().map(|part| code(part)).collect();
            writeln!(out, "\nNo domain is in {}, so there are no such splits.", names.join(", "))?;
        }
        writeln!(out, "\n## Settings\n\nWhat is not named here is as that version of the program has it.\n")?;
        if self.settings.is_empty() {
            writeln!(out, "All settings are at their defaults.")?;
        }
        self.settings.iter().try_for_each(|(name, value)| writeln!(out, "- `{name}`: {}", code(value)))?;
        writeln!(
            out,
            "\n## Licences\n\nThe texts belong to those who wrote them. This is what their pages say; a link in a footer may be meant for a part of the page.\n"
        )?;
        writeln!(out, "| licence that one of the two pages names | sentence pairs |\n|---|---:|")?;
        self.licenses(out)?;
        writeln!(out, "\n## What pages say of themselves\n")?;
        writeln!(
            out,
            "- with a mark of machine translation on one of the two pages: {} sentence pairs",
            self.machine_translated
        )?;
        writeln!(
            out,
            "- with a directive on one of the two pages by which its owner opts out of uses of texts: {} sentence pairs",
            self.opted_out
        )
    }
}

/// A list in YAML.
fn list(out: &mut String, name: &str, values: impl Iterator<Item = String>) -> std::fmt::Result {
    let values: Vec<String> = values.collect();
    if values.is_empty() { Ok(()) } else { writeln!(out, "{name}:\n- {}", values.join("\n- ")) }
}

/// A text quoted for YAML, so that it stays a text whatever it looks like: `no` is a language.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text as code in Markdown.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('\n', " "))
}

#[cfg(test)]
pub mod tests {
    use diglot::types::{BitextLine, OptOuts, Place, Signals};

    use super::*;

    pub fn line(lang_b: Lang, license: &str, opt_outs: OptOuts) -> BitextLine {
        let signals = Signals { license: license.into(), opt_outs, ..Signals::default() };
        let place = |provenance| Place { url: "http://a.ex.org/".into(), provenance, ..Place::default() };
        BitextLine {
            text_a: "a".into(),
            text_b: "b".into(),
            lang_a: Lang::EN,
            lang_b,
            score: 1.0,
            page_score: 1.0,
            reason: None,
            a: place(Provenance::default()),
            b: place(Provenance { signals, ..Provenance::default() }),
            others: Vec::new(),
            page_pairs: None,
            is_furniture: false,
            targets: None,
            sources: None,
            told: Default::default(),
            scorer: None,
            joint: None,
        }
    }

    #[test]
    fn a_card_counts_what_it_describes() {
        let fr = Lang::parse("fr").expect("a tag");
        let parts = ["train", "dev", "part"].map(str::to_owned).to_vec();
        let mut card = Card::new("x".into(), vec![("min-score".into(), "0.9".into())], parts);
        card.row("train", Row::Sentences(&line(fr, "https://a.test/", OptOuts::NO_AI)));
        card.row("dev", Row::Sentences(&line(fr, "", OptOuts::default())));
        card.row("train", Row::Sentences(&line(Lang::ZH_HANS, "", OptOuts::NO_IMAGE_AI)));
        card.file([Lang::EN, fr], "train", 2048);
        let text = card.text();
        for part in [
            "language:\n- \"en\"\n- \"fr\"\n- \"zh\"\n",
            "- config_name: en-fr\n  data_files:\n  - split: \"dev\"\n    path: \"en-fr/dev[.-]*\"\n  - split: \"train\"\n",
            "- config_name: en-zh-Hans\n",
            "\n3 sentence pairs from",
            "\nLanguages: en English, fr French, zh-Hans Simplified Chinese.\n\n```python",
            "| en-fr | train | 1 | 1 | 2.00 KiB |",
            "| en-zh-Hans | dev | 0 | 0 | no file |",
            "\nNo domain is in `part`, so there are no such splits.\n",
            "\nAll that a domain has is in one split",
            "- `min-score`: `0.9`",
            "| none named | 3 |\n| https://a.test/ | 1 |",
            "uses of texts: 1 sentence pairs",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn the_only_part_is_for_training_and_a_language_is_no_truth_value() {
        let mut card = Card::new("no: name".into(), Vec::new(), Vec::new());
        card.row("part", Row::Sentences(&line(Lang::parse("no").expect("a tag"), "", OptOuts::default())));
        let text = card.text();
        assert!(text.contains("pretty_name: \"no: name\"\n") && text.contains("- \"no\"\n"), "{text}");
        assert!(text.contains("  - split: \"train\"\n    path: \"en-no/part[.-]*\"\n"), "{text}");
        assert!(text.contains("All settings are at their defaults."), "{text}");
        let [a, b] = [0, 1].map(|number| Lang::unnamed(number).expect("a letter"));
        let mut card = Card::new("x".into(), Vec::new(), Vec::new());
        card.row("part", Row::Sentences(&BitextLine { lang_a: a, ..line(b, "", OptOuts::default()) }));
        let text = card.text();
        let sides = "languages:\n        - \"und-x-a\"\n        - \"und-x-b\"\n";
        assert!(text.contains(sides) && text.contains("| und-x-a-und-x-b |"), "{text}");
        assert!(
            text.contains("\nLanguages: und-x-a, und-x-b.\n\nTags such as `und-x-a` stand for")
                && text.contains("language:\n- \"und\"\n"),
            "{text}"
        );
        assert!(!text.contains("in one split"), "{text}");
        assert!(Card::new("x".into(), Vec::new(), Vec::new()).text().contains("\n0 sentence pairs"));
    }

    #[test]
    fn licences_of_most_rows_are_named_whenever_they_were_met() {
        let mut card = Card::new("x".into(), Vec::new(), Vec::new());
        for number in 0..LICENSES + 50 {
            card.row("part", Row::Sentences(&line(Lang::ZH, &format!("https://{number}.test/"), OptOuts::default())));
        }
        for _ in 0..3 {
            card.row("part", Row::Sentences(&line(Lang::ZH, "https://last.test/", OptOuts::default())));
        }
        let text = card.text();
        assert!(text.contains("| https://last.test/ | 3 |\n") && text.contains("| others | 52 |\n"), "{text}");
    }
}
