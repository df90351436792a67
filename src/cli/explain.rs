//! `diglot explain`.

use std::io::{self, Write};

use clap::Args;
use diglot::config::{self, Config};
use diglot::error::Error;
use diglot::index::site::Urls;
use diglot::judge::score::Scorer;
use diglot::keys::{State, counterpart};
use diglot::query::{self, Scope, Site, bitext};
use diglot::store::Store;
use diglot::store::layout::ArchivedResultRecord;
use diglot::store::records::RecordRef;
use diglot::types::{
    self, ArchiveId, CanonicalUrl, JudgedPair, Key, Lang, LangPair, MEASURES, Method, Outcome, SiteId, SkipReason,
};
use serde_json::{Map, Value, json};

use super::{Global, Lists};

mod links;

/// Tell everything known of a page, or of a pair.
///
/// Of one address: where its page came from, its languages, its partners and by which key; if it has
/// none, what each key would pair it with and what became of that. With two addresses: why the two are a pair, or are not.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot explain http://example.org/fr/about.html
  diglot explain example.org/fr/about.html example.org/en/about.html
  diglot explain --json example.org/")]
pub struct Explain {
    /// The address of a page; http:// may be left out.
    url: String,
    /// The address of another page: are the two a pair, and why.
    other: Option<String>,
    /// A JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Keys)?;
        let mut facts = Facts::default();
        let asked = Asked { store: &store, config: &config };
        let first = parse(&self.url)?;
        asked.page(&first, &mut facts)?;
        if let Some(other) = &self.other {
            let second = parse(other)?;
            asked.page(&second, &mut facts)?;
            asked.pair(&first, &second, &mut facts)?;
        }
        facts.print(self.json)
    }
}

fn parse(text: &str) -> anyhow::Result<CanonicalUrl> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    Ok(CanonicalUrl::parse(&text)
        .map_err(|why| Error::input(&text, format!("{why}; expected an http or https address")))?)
}

/// What is told, in order; sections are addresses.
#[derive(Default)]
struct Facts {
    sections: Vec<(String, Vec<(String, Value)>)>,
}

impl Facts {
    fn section(&mut self, title: &str) {
        self.sections.push((title.to_owned(), Vec::new()));
    }

    fn add(&mut self, name: &str, value: impl Into<Value>) {
        if let Some((_, facts)) = self.sections.last_mut() {
            facts.push((name.to_owned(), value.into()));
        }
    }

    fn print(&self, as_json: bool) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        if as_json {
            let mut object = Map::new();
            for (title, facts) in &self.sections {
                let mut section: Map<String, Value> = Map::new();
                for (name, value) in facts {
                    // What is told more than once becomes a list.
                    match section.get_mut(name) {
                        Some(Value::Array(list)) => list.push(value.clone()),
                        Some(first) => *first = json!([first.clone(), value]),
                        None => {
                            section.insert(name.clone(), value.clone());
                        }
                    }
                }
                object.insert(title.clone(), Value::Object(section));
            }
            writeln!(out, "{}", serde_json::to_string_pretty(&object)?)?;
            return Ok(());
        }
        for (title, facts) in &self.sections {
            writeln!(out, "{title}")?;
            for (name, value) in facts {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                writeln!(out, "  {name:<14} {text}")?;
            }
        }
        Ok(())
    }
}

struct Asked<'s> {
    store: &'s Store,
    config: &'s Config,
}

impl Asked<'_> {
    fn site(&self, url: &CanonicalUrl) -> anyhow::Result<Option<Site>> {
        let id: Option<SiteId> = self.store.site_of_domain(&url.domain())?;
        Ok(id.map(|id| Site::open(self.store, id)).transpose()?)
    }

    fn page(&self, url: &CanonicalUrl, facts: &mut Facts) -> anyhow::Result<()> {
        facts.section(url.as_str());
        let Some(site) = self.site(url)? else {
            facts.add("verdict", format!("unknown: the store has nothing of the domain {}", url.domain()));
            return Ok(());
        };
        for skip in site.skipped(self.store, url.identity())? {
            let reason = SkipReason::from_code(skip.reason).map_or("?", SkipReason::name);
            let path = self.archive_path(skip.archive)?;
            let detail = if skip.detail.is_empty() { String::new() } else { format!(" ({})", skip.detail) };
            facts.add("left out", format!("{reason}{detail}; {path}, offset {}, length {}", skip.offset, skip.length));
        }
        let Some(page) = site.pages.find(url.identity()) else {
            facts.add("verdict", "no page of this address was taken in");
            return Ok(());
        };
        self.capture(&site, page, facts)?;
        let Some(result) = &site.result else {
            facts.add("verdict", "keys have not been sought since this page came; `diglot run` does");
            return Ok(());
        };
        if let Some(copy) = result.copies.iter().find(|copy| copy.0 == page) {
            let original = site.pages.url(copy.1.to_native());
            facts.add("copy of", original.as_str());
            let lang = query::Site::lang(&site, copy.1.to_native());
            facts.add(
                "verdict",
                format!("left out of pairing: an untranslated copy, {lang} text that {original} stands for"),
            );
            return Ok(());
        }
        let mut partners = 0;
        let mut lines = Vec::new();
        let copies = site.judged.iter().flat_map(|judged| judged.copies.iter());
        if let Some(copy) = copies.into_iter().find(|copy| copy.0 == page) {
            let original = site.pages.url(copy.1.to_native());
            facts.add("copy of", original.as_str());
            facts.add(
                "verdict",
                format!("left out of pairing: untranslated among translations, {original} stands for it"),
            );
            return Ok(());
        }
        match &site.judged {
            Some(judged) => {
                let has_page = |judged: &JudgedPair| judged.pair.a == page || judged.pair.b == page;
                let of_page: Vec<JudgedPair> = judged.pairs().filter(has_page).collect();
                if self.config.iterates() && self.config.method == config::Method::Links {
                    self.rounds_of_page(&site, page, &of_page, facts)?;
                }
                for row in of_page {
                    let line = query::judged_line(&site, result, self.config, &row);
                    if row.is_accepted() {
                        lines.push(line);
                    } else if f64::from(row.score) >= SHOWN_SCORE
                        || row.evidence >= SHOWN_EVIDENCE
                        || row.method <= Method::WeakKey
                    {
                        let other = if line.url_a == site.pages.url(page) { &line.url_b } else { &line.url_a };
                        let outcome = row.outcome.name();
                        let by = if line.key.is_empty() { String::new() } else { format!(" {}", line.key) };
                        facts.add(
                            "rejected",
                            format!("{other}, {}{by}, score {:.4}: {outcome}", line.method, line.score),
                        );
                    }
                }
            }
            None => {
                let of_page = result.pairs.iter().filter(|pair| pair.a == page || pair.b == page);
                lines.extend(of_page.map(|pair| query::pair_line(&site, result, self.config, pair)));
            }
        }
        for line in lines {
            let (partner, lang) = if line.url_a == site.pages.url(page) {
                (&line.url_b, line.lang_b)
            } else {
                (&line.url_a, line.lang_a)
            };
            let by = if line.key.is_empty() { line.method.to_owned() } else { format!("key {}", line.key) };
            facts.add("partner", format!("{partner} ({lang}), {by}, score {:.4}", line.score));
            partners += 1;
        }
        if partners > 0 {
            let pages = if partners == 1 { "page" } else { "pages" };
            facts.add("verdict", format!("paired, with {partners} {pages}"));
            return Ok(());
        }
        self.why_alone(&site, result, page, facts)
    }

    fn archive_path(&self, archive: u32) -> anyhow::Result<String> {
        Ok(self.store.archive(ArchiveId(archive))?.map_or_else(|| "?".to_owned(), |archive| archive.identity.path))
    }

    fn capture(&self, site: &Site, page: u32, facts: &mut Facts) -> anyhow::Result<()> {
        let (chunk, at) = site.pages.chunk(page);
        let record = self.store.pages.read(RecordRef(chunk.pages[at].to_native()))?;
        let path = self.archive_path(record.archive.to_native())?;
        facts.add("archive", format!("{path}, offset {}, length {}", record.offset, record.length));
        let date = jiff::Timestamp::from_millisecond(record.date_ms.to_native());
        if let (Ok(date), true) = (date, record.date_ms != 0) {
            facts.add("captured", date.to_string());
        }
        facts.add("title", record.title.as_str());
        let (blocks, links, images) = (record.blocks.len(), record.links.len(), record.images.len());
        facts.add(
            "content",
            format!(
                "{} bytes of text in {blocks} blocks, {} tags, {links} links, {images} images, charset {}",
                record.text.len(),
                record.tags.iter().filter(|tag| tag.to_native() & diglot::types::TEXT_TOKEN == 0).count(),
                record.charset
            ),
        );
        let detected = Lang::from_bytes(record.detected);
        let declared: Vec<Lang> = record.declared.iter().map(|lang| Lang::from_bytes(*lang)).collect();
        facts.add("detected", format!("{detected}, confidence {:.2}", record.confidence.to_native()));
        let declared_text = declared.iter().map(Lang::to_string).collect::<Vec<_>>().join(", ");
        facts.add("declared", if declared.is_empty() { "nothing".to_owned() } else { declared_text });
        if let Some(first) = declared.first().filter(|lang| detected.is_known() && !lang.agrees(detected)) {
            facts.add("note", format!("declares {first}, but its text is {detected}: it counts for {detected}"));
        }
        let lang = site.lang(page);
        if lang != detected {
            let how = if lang.is_known() { "settled by the keys of the site" } else { "none: out of the competition" };
            facts.add("counts for", format!("{lang} ({how})"));
        }
        Ok(())
    }

    /// What each key that took pairs would pair the page with, and what became of that.
    fn why_alone(
        &self,
        site: &Site,
        result: &ArchivedResultRecord,
        page: u32,
        facts: &mut Facts,
    ) -> anyhow::Result<()> {
        let lang = site.lang(page);
        if !lang.is_known() {
            facts.add("verdict", "not paired: its language is not known, and no key of the site settles it");
            return Ok(());
        }
        let identity = site.pages.identity(page).to_owned();
        let mut told: Vec<String> = Vec::new();
        let mut other_lang: Vec<Lang> = Vec::new();
        for row in result.keys.iter().filter(|row| row.state != State::Weak as u8) {
            let Some(key) = row.key() else { continue };
            for (forward, side) in [(true, key.langs.a), (false, key.langs.b)] {
                if side != lang {
                    let leads = counterpart::counterparts(&identity, &key, forward);
                    if !other_lang.contains(&side) && leads.iter().any(|other| site.pages.find(other).is_some()) {
                        facts.add(
                            "address",
                            format!("that of a {side} page by {}, but its text is {lang}", key.pattern()),
                        );
                        other_lang.push(side);
                    }
                    continue;
                }
                for other in counterpart::counterparts(&identity, &key, forward) {
                    if let Some(fate) = self.fate(site, result, &key, forward, &other)?
                        && !told.contains(&fate)
                    {
                        facts.add("would be", fate.as_str());
                        told.push(fate);
                    }
                }
            }
        }
        let strong = result.keys.iter().any(|row| row.state != State::Weak as u8);
        let verdict = match (strong, told.is_empty()) {
            (false, _) => "not paired: the site has no strong key",
            (true, true) if !other_lang.is_empty() => "not paired: its text is not in the language of its address",
            (true, true) => "not paired: no key of the site leads from this address to one that is known",
            (true, false) => "not paired: what the keys lead to cannot be its partner",
        };
        facts.add("verdict", verdict);
        Ok(())
    }

    /// Why `other`, which a key leads to, is no partner; `None` for addresses nobody has heard of where (null) leaves
    /// many places open.
    fn fate(
        &self,
        site: &Site,
        result: &ArchivedResultRecord,
        key: &Key,
        forward: bool,
        other: &str,
    ) -> anyhow::Result<Option<String>> {
        let pattern = key.pattern();
        let wanted = if forward { key.langs.b } else { key.langs.a };
        let place = CanonicalUrl::parse(&format!("http://{other}")).ok();
        let skipped = match place {
            Some(place) => {
                self.site(&place)?.map(|site| site.skipped(self.store, other)).transpose()?.unwrap_or_default()
            }
            None => Vec::new(),
        };
        if let Some(page) = site.pages.find(other) {
            let lang = site.lang(page);
            if let Some(copy) = result.copies.iter().find(|copy| copy.0 == page) {
                let original = site.pages.identity(copy.1.to_native());
                return Ok(Some(format!("{other} by {pattern}, an untranslated copy of {original}")));
            }
            if lang != wanted {
                return Ok(Some(format!("{other} by {pattern}, but its text is {lang}, not {wanted}")));
            }
            return Ok(Some(format!("{other} by {pattern}, which a stronger key pairs with another page")));
        }
        if let Some(skip) = skipped.first() {
            let reason = SkipReason::from_code(skip.reason).map_or("?", SkipReason::name);
            return Ok(Some(format!("{other} by {pattern}, left out: {reason} {}", skip.detail)));
        }
        let open = key.edits.iter().any(|edit| if forward { edit.from.is_empty() } else { edit.to.is_empty() });
        Ok((!open).then(|| format!("{other} by {pattern}, which is not in the archives")))
    }

    /// The sentences of two pages beside each other, as they were aligned.
    fn beads(&self, site: &Site, a: u32, b: u32, facts: &mut Facts) -> anyhow::Result<()> {
        let (first, second) = (site.pages.url(a), site.pages.url(b));
        let scope = Scope::of(self.store, &first)?;
        let mut page_score = None;
        bitext::for_each_bead(self.store, self.config, &scope, true, |line| {
            let turned = (&line.a.url, &line.b.url) == (&second, &first);
            if !turned && (&line.a.url, &line.b.url) != (&first, &second) {
                return Ok(());
            }
            if page_score.is_none() {
                facts.add("aligned text", format!("{:.4}", line.page_score));
                page_score = Some(line.page_score);
            }
            let (text_a, text_b) = if turned { (&line.text_b, &line.text_a) } else { (&line.text_a, &line.text_b) };
            let what = line.reason.map_or_else(|| format!("{:.4}", line.score), str::to_owned);
            facts.add("sentence pair", format!("{what} | {text_a} | {text_b}"));
            Ok(())
        })?;
        Ok(())
    }

    fn pair(&self, first: &CanonicalUrl, second: &CanonicalUrl, facts: &mut Facts) -> anyhow::Result<()> {
        facts.section("the two");
        let of_domain = |url: &CanonicalUrl| self.store.site_of_domain(&url.domain());
        let (Some(site), true) = (self.site(first)?, of_domain(first)? == of_domain(second)?) else {
            let one_name = types::family(first.host()) == types::family(second.host());
            let verdict = match (one_name, self.config.keys.across_suffixes) {
                (true, true) => "not a pair: nothing shows these domains to be one site",
                (true, false) => {
                    "not a pair: domains that differ in their suffix are compared with `--across-suffixes` only"
                }
                (false, _) => "not a pair: pages of different registrable domains are not compared",
            };
            facts.add("verdict", verdict);
            return Ok(());
        };
        let (Some(a), Some(b)) = (site.pages.find(first.identity()), site.pages.find(second.identity())) else {
            facts.add("verdict", "not a pair: not both are pages of the store");
            return Ok(());
        };
        let Some(result) = &site.result else {
            facts.add("verdict", "keys have not been sought since these pages came; `diglot run` does");
            return Ok(());
        };
        let (lang_a, lang_b) = (site.lang(a), site.lang(b));
        facts.add("languages", format!("{lang_a} and {lang_b}"));
        for row in result.keys.iter() {
            let Some(key) = row.key() else { continue };
            let applies = |from: u32, to: u32, forward: bool| {
                counterpart::counterparts(site.pages.identity(from), &key, forward)
                    .iter()
                    .any(|x| x == site.pages.identity(to))
            };
            if applies(a, b, true) || applies(b, a, true) {
                let state = State::from_code(row.state).map_or("?", State::name);
                facts.add(
                    "key",
                    format!(
                        "{} {}-{}: {state}, linking power {}, C(p, w) {:.4}",
                        key.pattern(),
                        key.langs.a,
                        key.langs.b,
                        row.power,
                        row.credibility.to_native()
                    ),
                );
            }
        }
        self.beads(&site, a, b, facts)?;
        if self.config.iterates() && site.judged.is_some() {
            if self.config.method == config::Method::Links {
                return self.rounds_of_pair(&site, (a, b), facts);
            }
            self.support(&site, (a, b), facts)?;
        }
        if let Some(judged) = &site.judged {
            let is_asked = |row: &JudgedPair| [(a, b), (b, a)].contains(&(row.pair.a, row.pair.b));
            return match judged.pairs().find(is_asked) {
                Some(row) => self.judged(&site, result, &row, facts),
                None => {
                    let why = if lang_a == lang_b {
                        "not a pair: both are in one language"
                    } else {
                        "not a pair: nothing proposes it"
                    };
                    facts.add("verdict", why);
                    Ok(())
                }
            };
        }
        let found = result.pairs.iter().find(|pair| (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a));
        let verdict = match found {
            Some(pair) => {
                let line = query::pair_line(&site, result, self.config, pair);
                format!("a pair, by key {}, score {:.4}", line.key, line.score)
            }
            None if lang_a == lang_b => "not a pair: both are in one language".to_owned(),
            None => "not a pair".to_owned(),
        };
        facts.add("verdict", verdict);
        Ok(())
    }

    /// What the measures say of a pair, what each adds to the score, and what became of it.
    fn judged(
        &self,
        site: &Site,
        result: &ArchivedResultRecord,
        row: &JudgedPair,
        facts: &mut Facts,
    ) -> anyhow::Result<()> {
        let (lang_a, lang_b) = (site.lang(row.pair.a), site.lang(row.pair.b));
        let models = diglot::pipeline::models::read(self.store, self.config)?;
        let fitted = site.judged.as_ref().and_then(|judged| {
            let weights = judged.fitted(LangPair::new(lang_a, lang_b)?)?;
            Scorer::of_weights(&weights)
        });
        let learnt = fitted.or_else(|| LangPair::new(lang_a, lang_b).map(|langs| models.scorer(langs)));
        let similarities = row.similarities;
        let parts = learnt.map(|scorer| scorer.parts(&similarities)).unwrap_or_default();
        for (at, &measure) in MEASURES.iter().enumerate() {
            if let Some(value) = similarities.get(measure) {
                let part = parts.get(at).copied().unwrap_or(0.0);
                facts.add(measure.name(), format!("{value:.3}, {part:+.2} nats"));
            }
        }
        facts.add("evidence", format!("{:+.2} nats", row.evidence));
        let method = row.method.name();
        let key =
            row.key.and_then(|key| result.keys.get(key as usize)).and_then(|row| row.key()).map(|key| key.pattern());
        if let Some(judged) = &site.judged {
            let of_row = judged
                .sources()
                .find(|source| (source.langs, source.method, source.key) == (row.pair.langs, row.method, row.key));
            if let Some(source) = of_row {
                let what = key.as_ref().map_or(method.to_owned(), |key| format!("{method} {key}"));
                facts.add(
                    "source",
                    format!(
                        "{what}: {} pairs, {} accepted, {:.3} right as estimated",
                        source.proposed, source.accepted, source.precision
                    ),
                );
            }
        }
        let by = key.map_or(method.to_owned(), |key| format!("key {key}"));
        let verdict = match row.outcome {
            Outcome::Accepted => format!("a pair, by {by}, score {:.4}", row.score),
            Outcome::LowScore => format!("not a pair: proposed by {by}, score {:.4} is too low", row.score),
            Outcome::LostToBetter => {
                format!("not a pair: proposed by {by}, score {:.4}, but a page of it has a better partner", row.score)
            }
            Outcome::SameText => format!("not a pair: proposed by {by}, but both sides have the same text"),
            Outcome::Contradicted => {
                format!("not a pair: proposed by {by}, but its pages have different partners in a third language")
            }
        };
        facts.add("verdict", verdict);
        Ok(())
    }
}

/// Probability from which a pair that was not accepted is told of.
const SHOWN_SCORE: f64 = 0.1;
/// … or for so much evidence, in nats, that a better pair outdid.
const SHOWN_EVIDENCE: f32 = 4.0;
