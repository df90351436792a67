//! An explanation in words: names and texts, in the order in which they are read. The verdict comes first, then its reasons.

use super::facts::{
    CandidateRounds, CaptureFacts, MeasureFacts, OwnText, PageExplanation, PageLanguages, PairExplanation, RecordPlace,
    Rounds, SourceFacts, Support, Weighed,
};
use super::verdict::{LanguageReason, in_parentheses};
use crate::types::{Beliefs, Lang, Measure, Outcome, SkipReason, counted, grouped};

/// A fact: what it is about, and the text.
pub type Fact = (String, String);

/// The facts about a page.
pub fn page(page: &PageExplanation) -> Vec<Fact> {
    let mut lines = Lines::default();
    of_page(page, &mut lines);
    lines.0
}

/// The facts about two pages and their relation, without their [`sentences`].
pub fn pair(pair: &PairExplanation) -> Vec<Fact> {
    facts_of_pair(pair, true)
}

/// The same without the values of the measures.
pub fn pair_but_measures(pair: &PairExplanation) -> Vec<Fact> {
    facts_of_pair(pair, false)
}

fn facts_of_pair(pair: &PairExplanation, with_measures: bool) -> Vec<Fact> {
    let mut lines = Lines::default();
    of_pair(pair, &mut lines);
    if with_measures {
        of_measures(pair, &mut lines);
    }
    if let Some(support) = &pair.support {
        of_support(support, &mut lines);
    }
    lines.0
}

/// The aligned sentences of two pages: the text of the first with its score, or the reason for leaving it out, then the text of the second.
pub fn sentences(pair: &PairExplanation) -> Vec<Fact> {
    let mut lines = Lines::default();
    for pair in pair.alignment.iter().flat_map(|alignment| &alignment.sentences) {
        lines.add(&pair.left_out.map_or_else(|| format!("{:.4}", pair.score), str::to_owned), &pair.text_a);
        lines.add("", &pair.text_b);
    }
    lines.0
}

#[derive(Default)]
struct Lines(Vec<Fact>);

impl Lines {
    fn add(&mut self, name: &str, text: impl std::fmt::Display) {
        self.0.push((name.to_owned(), text.to_string()));
    }

    /// Adds a line for each item, up to [`LISTED`].
    fn list<T>(&mut self, name: &str, items: &[T], text: impl Fn(&T) -> String) {
        items.iter().take(LISTED).for_each(|item| self.add(name, text(item)));
        if items.len() > LISTED {
            self.add(name, format!("and {} more", grouped((items.len() - LISTED) as u64)));
        }
    }
}

/// How many pairs that support a pair are listed, by kind.
const LISTED: usize = 12;

fn of_page(page: &PageExplanation, lines: &mut Lines) {
    lines.add("verdict", &page.verdict);
    for skip in &page.left_out {
        let reason = skip.reason.map_or("for a reason unknown to this release", SkipReason::name);
        lines.add("left out", format!("{reason}{}; {}", in_parentheses(&few_lines(&skip.detail)), place(&skip.place)));
    }
    if let Some(original) = &page.copy_of {
        lines.add("copy of", original);
    }
    lines.list("corrected", &page.corrections, String::clone);
    for candidate in page.partners() {
        let by = candidate.key.as_ref().map_or(candidate.method.to_owned(), |key| format!("key {key}"));
        lines.add("partner", format!("{} ({}), {by}, score {:.4}", candidate.url, candidate.lang, candidate.score));
    }
    if let Some(keys) = &page.keys {
        lines.add("keys", keys);
    }
    let (notable, others): (Vec<_>, Vec<_>) = page.rejected().partition(|candidate| candidate.is_notable());
    for candidate in notable {
        let key = candidate.key.as_ref().map_or(String::new(), |key| format!(" {key}"));
        let why = candidate.outcome.with_score(candidate.score);
        lines.add("rejected", format!("{} ({}), {}{key}, {why}", candidate.url, candidate.lang, candidate.method));
        if let Some(weighed) = &candidate.weighed {
            of_weighed(weighed, lines);
        }
    }
    if !others.is_empty() {
        lines.add(
            "rejected",
            format!("{} more with little or nothing to be said for them", grouped(others.len() as u64)),
        );
    }
    page.rounds.iter().for_each(|candidate| lines.add("rounds", in_one_line(candidate)));
    for known in &page.url_languages {
        let counts_for = page.languages.as_ref().map_or(Lang::UNKNOWN, |languages| languages.counts_for);
        lines.add(
            "URL",
            format!("that of a {} page by {}, and the page counts for {counts_for}", known.lang, known.key),
        );
    }
    for lead in &page.leads {
        lines.add("would be", format!("{} by {}, {}", lead.url, lead.key, lead.outcome));
    }
    if let Some(capture) = &page.capture {
        of_capture(capture, lines);
    }
    if let Some(languages) = &page.languages {
        of_languages(languages, lines);
    }
}

/// What speaks most against a rejected candidate, and for it.
fn of_weighed(weighed: &Weighed, lines: &mut Lines) {
    let fact = |fact: &MeasureFacts| match fact.measure {
        Measure::Near => format!("near misses {:+.2} nats", fact.nats),
        measure => format!("{} {:.3}, {:+.2} nats", measure.name(), fact.value, fact.nats),
    };
    for (name, facts) in [("- against it", &weighed.against), ("- for it", &weighed.in_favour)] {
        if !facts.is_empty() {
            lines.add(name, facts.iter().map(fact).collect::<Vec<_>>().join("; "));
        }
    }
    if let Some(source) = &weighed.source {
        lines.add("- its source", in_words(source));
    }
}

/// How reliable the source of a pair is, in words.
fn in_words(source: &SourceFacts) -> String {
    let key = source.key.as_ref().map_or(String::new(), |key| format!(" {key}"));
    let accepted = grouped(source.accepted.into());
    let counts = format!("{}, {accepted} accepted", counted(u64::from(source.proposed), "pair"));
    format!("{}{key}: {counts}, estimated precision {:.4}", source.method.name(), source.est_precision)
}

/// The first lines of a detail, put into one line: the files of owners have many lines.
fn few_lines(detail: &str) -> String {
    const FEW: usize = 12;
    let mut lines: Vec<&str> = detail.lines().take(FEW).collect();
    if detail.lines().nth(FEW).is_some() {
        lines.push("…");
    }
    lines.join(", ")
}

fn place(RecordPlace { archive, offset, length }: &RecordPlace) -> String {
    format!("{archive}, offset {offset}, length {length}")
}

fn of_capture(capture: &CaptureFacts, lines: &mut Lines) {
    lines.add("archive", place(&capture.place));
    if let Some(captured) = &capture.captured {
        lines.add("captured", captured);
    }
    lines.add("title", &capture.title);
    let CaptureFacts { text_bytes, blocks, tags, links, images, charset, .. } = capture;
    let bytes = many(*text_bytes, "byte");
    let [blocks, tags, links, images] =
        [(blocks, "block"), (tags, "tag"), (links, "link"), (images, "image")].map(|(count, noun)| many(*count, noun));
    lines.add("content", format!("{bytes} of text in {blocks}, {tags}, {links}, {images}, charset {charset}"));
}

/// A number of things: `1 link`, `2,000 links`.
fn many(count: usize, noun: &str) -> String {
    counted(count as u64, noun)
}

fn of_languages(languages: &PageLanguages, lines: &mut Lines) {
    let PageLanguages { detected, confidence, is_guess, is_by_program, declared, counts_for, reason, own_text } =
        languages;
    let doubt = match (*is_guess && detected.is_known(), *is_by_program) {
        (false, _) => "",
        (true, false) => ", a guess: its words or letters are not those of the language",
        (true, true) => ", a guess: the program is not sure",
    };
    let by = if *is_by_program { " by the language program" } else { "" };
    lines.add("detected", format!("{detected}{by}, confidence {confidence:.2}{doubt}"));
    if let Some(OwnText { bytes, shares }) = own_text {
        let share = |(lang, share): &(Lang, f64)| format!("{:.0} % {lang}", 100.0 * share);
        let shares: Vec<String> = shares.iter().map(share).collect();
        lines.add(
            "own text",
            format!("{} that do not stand on many pages: {}", many(*bytes, "byte"), shares.join(", ")),
        );
    }
    let names = declared.iter().map(Lang::to_string).collect::<Vec<_>>().join(", ");
    lines.add("declared", if names.is_empty() { "nothing" } else { &names });
    let differs = declared.first().filter(|lang| detected.is_known() && !lang.agrees(*detected));
    if let Some(first) = differs.filter(|_| counts_for == detected) {
        let text = if *is_guess { "was taken for" } else { "is" };
        lines.add("note", format!("declares {first}, but its text {text} {detected}: it counts for {detected}"));
    }
    let is_stated = *reason == LanguageReason::Stated;
    if is_stated || counts_for != detected && (*reason != LanguageReason::Unknown || detected.is_known()) {
        lines.add("counts for", format!("{counts_for} ({reason})"));
    }
}

fn of_pair(pair: &PairExplanation, lines: &mut Lines) {
    lines.add("verdict", &pair.verdict);
    if let Some([first, second]) = pair.languages {
        lines.add("languages", format!("{first} and {second}"));
    }
    for key in &pair.keys {
        let state = key.state.map_or("?", |state| state.name());
        let what = format!("{} {}-{}: {state}", key.key, key.langs.a, key.langs.b);
        lines.add("key", format!("{what}, linking power {}, C(p, w) {:.4}", grouped(key.power), key.credibility));
    }
    if let Some(alignment) = &pair.alignment {
        lines.add("aligned text", format!("{:.4}", alignment.score));
    }
    if let Some(rounds) = &pair.rounds {
        of_rounds(rounds, lines);
    }
    if let Some(source) = &pair.source {
        lines.add("source", in_words(source));
    }
    let addresses: f64 = pair.measures.iter().filter(|fact| fact.measure.is_of_addresses()).map(|fact| fact.nats).sum();
    let judged = pair.evidence.map(|evidence| ("evidence", f64::from(evidence)));
    let evidence = judged.or(pair.compared_now.map(|evidence| ("compared now", evidence)));
    if let Some((name, evidence)) = evidence {
        let contents = evidence - addresses;
        lines.add(name, format!("{evidence:+.2} nats: {contents:+.2} by contents, {addresses:+.2} by addresses"));
    }
    if let Some(beliefs) = &pair.beliefs {
        of_beliefs(beliefs, lines);
    }
    if let Some(left) = pair.rivals.filter(|left| *left < ALL_LEFT) {
        lines.add("rivals", format!("other candidates of its pages leave it {:.1} % of its probability", 100.0 * left));
    }
}

fn of_measures(pair: &PairExplanation, lines: &mut Lines) {
    if pair.constant != 0.0 {
        lines.add("constant", format!("{:+.2} nats", pair.constant));
    }
    for measure in &pair.measures {
        if measure.measure == Measure::Place {
            lines.add("place", "a page stands under another language than its text is in");
            continue;
        }
        if measure.measure == Measure::Near {
            if measure.value < ALL_LEFT {
                lines.add(
                    "near misses",
                    format!("pages beside these have such contents too: {:+.2} nats", measure.nats),
                );
            }
            continue;
        }
        lines.add(measure.measure.name(), format!("{:.3}, {:+.2} nats", measure.value, measure.nats));
    }
}

/// If rivals leave so much of a probability, or near misses of the odds of contents, they are not worth naming.
const ALL_LEFT: f32 = 0.995;

/// How the evidence was turned into a probability.
fn of_beliefs(&Beliefs { source, names, agree, usual, log_odds }: &Beliefs, lines: &mut Lines) {
    let percent = |share: f32| format!("{:.1} %", 100.0 * share);
    lines.add(
        "addresses",
        format!("{} of those that its source proposes here belong together; names {names:+.2} nats", percent(source)),
    );
    let usual = if usual < 0.0 { format!("; these are unusual here, {usual:+.2} nats") } else { String::new() };
    lines.add("contents", format!("{} of such pairs are translations here{usual}", percent(agree)));
    lines.add("log odds", format!("{log_odds:+.2} nats in all"));
}

fn of_rounds(rounds: &Rounds, lines: &mut Lines) {
    let structure = format!("structure {:.4}", rounds.structure);
    let content = rounds.content.map_or(String::new(), |content| format!("content {content:.4}, "));
    lines.add("S_in", format!("{:.4}: {content}{structure}", rounds.internal));
    for (round, number) in rounds.rounds.iter().zip(1..) {
        let neighbours = round.neighbours.len();
        lines.add(
            &format!("round {number}"),
            format!("S_ext {:.4}, of {neighbours} pairs of neighbours; ETS {:.4}", round.external, round.enhanced),
        );
        lines.list("neighbours", &round.neighbours, |pair| format!("{} {}, {:.4}", pair.url_a, pair.url_b, pair.part));
    }
}

/// S_in, S_ext and ETS of a candidate, round by round.
fn in_one_line(CandidateRounds { url, rounds }: &CandidateRounds) -> String {
    let each = |value: fn(&super::facts::Round) -> f64| -> String {
        rounds.rounds.iter().map(|round| format!(" {:.4}", value(round))).collect()
    };
    let (external, enhanced) = (each(|round| round.external), each(|round| round.enhanced));
    let outcome = match rounds.outcome {
        Outcome::Accepted => "a pair",
        outcome => outcome.name(),
    };
    format!("{url}, S_in {:.4}, S_ext{external}, ETS{enhanced}: {outcome}", rounds.internal)
}

fn of_support(support: &Support, lines: &mut Lines) {
    let pair = |pair: &[String; 2]| pair.join(" ");
    let (voting, silent): (Vec<_>, Vec<_>) =
        support.neighbours.iter().partition(|neighbours| support.votes.contains(neighbours));
    lines.list("vote of", &support.votes, |vote| {
        let too = if voting.contains(&vote) { ", neighbours of the two" } else { "" };
        pair(vote) + too
    });
    lines.list("neighbours", &silent, |neighbours| pair(neighbours));
    for url in &support.shared_translations {
        lines.add("vote of", format!("{url}, of which both are translations"));
    }
    let [a, b] = support.with_partner;
    if a.pages + b.pages > 0 {
        let what = format!("{} of the {} page's neighbours, {} of the {} page's", a.pages, a.lang, b.pages, b.lang);
        lines.add("with partners", what);
    }
}
