//! The order of the work: which step follows which, and what its tasks are given. An engine asks for it by `diglot exec --plan`.

use serde::Serialize;

/// Rows that a turn has written: the name of the turn, and the kind of the rows.
pub type Rows = (&'static str, &'static str);

/// How the rows of a turn are dealt out to tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Deal {
    /// File by file: a task is given what one task has written.
    File,
    /// By part, bucket or domain: a task is given all rows of one.
    Part,
    /// By name: a task is given all rows of one language pair, or of several.
    Name,
    /// All rows.
    All,
}

/// The condition for taking a turn that is not always taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// Where domains are divided.
    Divided,
    /// Where sites to crawl are asked for.
    Explore,
}

/// One step, at its place in the work. Some steps are taken twice.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Turn {
    /// Its name, by which engines keep what it writes.
    pub name: &'static str,
    /// The step of the program; `None`: the engine does it by itself.
    pub step: Option<&'static str>,
    /// The rows that are dealt out to its tasks. Rows of turns that were not taken are missing.
    pub reads: &'static [Rows],
    /// How they are dealt out.
    pub deal: Deal,
    /// The rows that all its tasks are given.
    pub with: &'static [Rows],
    /// The rows without which the turn has nothing to do.
    pub needs: &'static [Rows],
    /// The condition under which it is taken.
    pub only: Option<Only>,
}

const fn turn(name: &'static str, step: Option<&'static str>, deal: Deal, reads: &'static [Rows]) -> Turn {
    Turn { name, step, reads, deal, with: &[], needs: &[], only: None }
}

impl Turn {
    const fn with(self, with: &'static [Rows]) -> Turn {
        Turn { with, ..self }
    }

    const fn needs(self, needs: &'static [Rows]) -> Turn {
        Turn { needs, ..self }
    }

    const fn only(self, only: Only) -> Turn {
        Turn { only: Some(only), ..self }
    }
}

const PAGES: &[Rows] = &[("02-pages", "page")];
const ARCHIVES: &[Rows] = &[("02-archives", "archive")];
const STORES: &[Rows] = &[("04-rescue", "store"), ("04-join", "store")];
const JUDGED: &[Rows] = &[("08-judge", "store")];
const TRAINING: &[Rows] = &[("05-sample", "chosen")];
const LEARNT: &[Rows] = &[("07-learn", "learnt")];
const PAGE_PAIRS: &[Rows] = &[("09-sample", "chosen")];

/// All turns, in their order. The step that names archives comes before them.
#[rustfmt::skip]
pub const PLAN: &[Turn] = &[
    turn("02-pages", Some("pages"), Deal::File, &[("01-inputs", "input")]),
    turn("02-archives", None, Deal::All, &[("02-pages", "archive")]),
    turn("03-keys", Some("keys"), Deal::Part, PAGES).with(ARCHIVES),
    turn("03-outline", Some("outline"), Deal::File, PAGES).only(Only::Divided),
    turn("03-whole", Some("keys"), Deal::Part, &[("03-outline", "page")]).with(ARCHIVES).only(Only::Divided),
    turn("03-patterns", None, Deal::All, &[("03-keys", "pattern"), ("03-whole", "pattern")]),
    turn("03-languages", None, Deal::All, &[("03-keys", "language"), ("03-whole", "language")]),
    turn("03-divided", None, Deal::All, &[]).only(Only::Divided),
    turn("04-divide", Some("divide"), Deal::File, &[("03-whole", "store")])
        .with(&[("03-divided", "divided"), ("03-patterns", "pattern"), ("03-languages", "language")]).only(Only::Divided),
    turn("04-deal", Some("deal"), Deal::File, PAGES).with(&[("04-divide", "known")]).only(Only::Divided),
    turn("04-join", Some("join"), Deal::Part, &[("04-deal", "page"), ("04-divide", "found")])
        .with(&[("02-archives", "archive"), ("04-divide", "known"), ("03-patterns", "pattern")]).only(Only::Divided),
    turn("04-rescue", Some("rescue"), Deal::File, &[("03-keys", "store")])
        .with(&[("03-patterns", "pattern"), ("03-languages", "language")]),
    turn("05-sample", Some("sample"), Deal::All, &[("04-rescue", "training"), ("04-join", "training")]),
    turn("06-lessons", Some("lessons"), Deal::File, STORES).with(TRAINING).needs(TRAINING),
    turn("07-learn", Some("learn"), Deal::Name, &[("06-lessons", "lesson")]),
    turn("08-judge", Some("judge"), Deal::File, STORES).with(LEARNT),
    turn("09-sample", Some("sample"), Deal::All, &[("08-judge", "page_pair")]),
    turn("10-texts", Some("texts"), Deal::File, JUDGED).with(PAGE_PAIRS).needs(PAGE_PAIRS),
    turn("11-model", Some("model"), Deal::Name, &[("10-texts", "text")]).with(LEARNT),
    turn("12-align", Some("align"), Deal::File, JUDGED).with(&[("11-model", "model")]),
    turn("13-merge", Some("merge"), Deal::Part, &[("12-align", "bead")]),
    turn("14-finish", Some("finish"), Deal::Part, &[("12-align", "store"), ("13-merge", "shared")]),
    turn("15-tally", Some("tally"), Deal::All, &[("04-divide", "whole"), ("14-finish", "share")]).only(Only::Divided),
    turn("15-explore", Some("explore"), Deal::All, &[("14-finish", "web")]).only(Only::Explore),
    turn("16-tables", None, Deal::File, &[("14-finish", "pairs"), ("14-finish", "bitext"), ("14-finish", "keys"), ("14-finish", "documents"), ("14-finish", "units"), ("14-finish", "pages"), ("14-finish", "fetch"), ("15-tally", "keys"), ("15-explore", "explore")]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::exec::STEPS;

    #[test]
    fn every_turn_follows_on_those_whose_rows_it_is_given_and_has_a_name_of_its_own() {
        // The kinds of rows that a step says it writes: `page rows of a part → store, pattern, language`.
        let writes = |name: &str| -> BTreeSet<&str> {
            let about = STEPS.iter().find(|step| step.name == name).map_or("", |step| step.about);
            let kinds = about.split('→').nth(1).unwrap_or_default();
            kinds.split([',', ' ']).filter(|word| !word.is_empty()).collect()
        };
        let mut before: BTreeSet<&str> = BTreeSet::from(["01-inputs"]);
        for turn in PLAN {
            for &(name, kind) in turn.reads.iter().chain(turn.with).chain(turn.needs) {
                assert!(before.contains(name), "{}: {kind} of {name}", turn.name);
                let written =
                    PLAN.iter().find(|before| before.name == name).map_or(Some("inputs"), |before| before.step);
                match written {
                    Some(step) => assert!(writes(step).contains(kind), "{}: {step} writes no {kind}", turn.name),
                    // A turn that an engine does by itself is named after its rows: 03-patterns, of pattern rows.
                    None => assert!(name[3..].trim_end_matches('s') == kind, "{}: {kind} of {name}", turn.name),
                }
            }
            // Engines compare the names of turns to see which comes first.
            assert!(before.last().is_some_and(|last| last[..2] <= turn.name[..2]), "{}", turn.name);
            assert!(before.insert(turn.name), "{} is there twice", turn.name);
        }
    }

    #[test]
    fn the_turns_are_those_of_all_steps_but_the_one_that_names_archives() {
        let taken: BTreeSet<&str> = PLAN.iter().filter_map(|turn| turn.step).collect();
        let steps = STEPS.iter().map(|step| step.name).filter(|name| *name != "inputs");
        assert_eq!(taken, steps.collect());
        let mut in_order: Vec<&str> = PLAN.iter().filter_map(|turn| turn.step).collect();
        let mut first = BTreeSet::new();
        in_order.retain(|step| first.insert(*step));
        assert_eq!(in_order, STEPS[1..].iter().map(|step| step.name).collect::<Vec<_>>());
    }

    #[test]
    fn the_driver_for_spark_knows_this_version() {
        let driver = include_str!("../python/diglot/spark/_steps.py");
        assert!(driver.contains(&format!("PLAN_VERSION = {}\n", crate::exec::SCHEMA_VERSION)));
    }

    #[test]
    fn the_plan_is_told_in_json() {
        let told = serde_json::to_value(PLAN.iter().find(|turn| turn.name == "04-divide")).expect("plain values");
        assert_eq!(
            (&told["step"], &told["deal"], &told["only"]),
            (&"divide".into(), &"file".into(), &"divided".into())
        );
        assert_eq!(told["reads"], serde_json::json!([["03-whole", "store"]]));
    }
}
