//! What verification learns: first lessons from the sites with training pairs, then the models that follow from all lessons.

use std::collections::{BTreeMap, BTreeSet};

use super::coding::{Langs, encode, langs_of, name_of, of_langs};
use super::job::{StepJob, expect};
use super::rows::{EngineRow, Input, Output};
use super::sampling::{ChosenSite, restore_chosen};
use crate::error::Result;
use crate::index::site::Urls;
use crate::learn::{self, Learner, Learnt, Lesson, Settings, SurePair, Training};
use crate::site::open::OpenSite;
use crate::types::{LangPair, SiteId};

/// The kind of rows of lessons. Number: the order in which they are used.
const LESSON: &str = "lesson";
/// The kind of rows of what was learnt of a language pair.
const LEARNT: &str = "learnt";

/// The training pairs of a site, by languages.
type Trainings = BTreeMap<LangPair, Vec<Training>>;

/// Store rows of a part → lessons of its sites with training pairs.
pub fn lessons(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some((store, chosen)) = restore_chosen(job, input)? else { return Ok(()) };
    let settings = learn::Settings { learn: &job.config.learn, fit: &job.config.judge.fit };
    for row in chosen {
        let (site, order, pairs): ChosenSite = row.decode()?;
        let site = OpenSite::open(&store, SiteId(site))?
            .ok_or_else(|| row.refused(format!("its site {site} is not in the store rows")))?;
        let (pages, keys) = (site.pages.count(), site.result.keys.len());
        if let Some(pair) = pairs.iter().find(|pair| pair.1.max(pair.2) >= pages || pair.3 as usize >= keys) {
            let (_, a, b, key, _) = pair;
            return Err(row.refused(format!("expected {pages} pages and {keys} keys, found {a}, {b} and {key}")));
        }
        let mut trainings = Trainings::new();
        for (langs, a, b, key, is_tested) in pairs {
            trainings.entry(langs_of(langs)?).or_default().push(Training { pages: (a, b), key, is_tested });
        }
        for (langs, lesson) in learn::lessons(&site.view(job.config), trainings, settings)? {
            output.put(&EngineRow {
                part: -1,
                kind: LESSON.into(),
                name: name_of(langs),
                number: order as i64,
                count: 1,
                data: Some(encode(&(of_langs(langs), row.name.as_str(), row.part, lesson))?),
            })?;
        }
    }
    Ok(())
}

/// What was learnt, in the form in which it stands in rows.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct LearntRow {
    langs: Langs,
    pairs: u64,
    length_ratio: f64,
    halves: [Vec<(u64, u64, f32, f32)>; 2],
}

/// Lessons of language pairs → what was learnt of each.
pub fn learn(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut lessons: Vec<(LangPair, (u64, String, i32), Lesson)> = Vec::new();
    while let Some(row) = input.read()? {
        expect(&row, &[LESSON])?;
        let (langs, domain, part, lesson): (Langs, String, i32, Lesson) = row.decode()?;
        if !lesson.is_sound() {
            return Err(row.senseless());
        }
        lessons.push((langs_of(langs)?, (row.number as u64, domain, part), lesson));
    }
    lessons.sort_by(|x, y| (x.0, &x.1).cmp(&(y.0, &y.1)));
    let mut learner = Learner::new(Settings { learn: &job.config.learn, fit: &job.config.judge.fit });
    lessons.into_iter().for_each(|(langs, _, lesson)| learner.take(langs, lesson));
    for (langs, learnt) in learner.finish(&job.config.verify, job.config.without_content) {
        let Learnt { pairs, length_ratio, halves, .. } = learnt;
        let of = |pair: SurePair| (pair.a, pair.b, pair.forth, pair.back);
        let halves = halves.map(|half| half.into_iter().map(of).collect());
        let learnt = LearntRow { langs: of_langs(langs), pairs: pairs as u64, length_ratio, halves };
        let data = Some(encode(&learnt)?);
        let (name, count) = (name_of(langs), pairs as i64);
        output.put(&EngineRow { part: -1, kind: LEARNT.into(), name, number: 0, count, data })?;
    }
    Ok(())
}

/// The languages of a row, which must agree with its name.
///
/// # Errors
/// When they do not.
pub fn langs_of_row(row: &EngineRow, langs: Langs) -> Result<LangPair> {
    langs_of(langs).ok().filter(|&langs| name_of(langs) == row.name).ok_or_else(|| row.senseless())
}

/// What was learnt of the wanted language pairs.
///
/// # Errors
/// When it cannot be read.
pub fn learnt(job: &StepJob<'_>, wanted: &BTreeSet<LangPair>) -> Result<Vec<(LangPair, Learnt)>> {
    let wanted: BTreeSet<String> = wanted.iter().copied().map(name_of).collect();
    let mut found = Vec::new();
    job.for_each_given(LEARNT, |row| {
        if wanted.contains(&row.name) {
            let LearntRow { langs, pairs, length_ratio, halves } = row.decode()?;
            let langs = langs_of_row(&row, langs)?;
            let is_sound = u32::try_from(pairs).is_ok() && length_ratio.is_finite() && length_ratio > 0.0;
            if !is_sound {
                return Err(row.senseless());
            }
            let pair = |(a, b, forth, back)| SurePair { a, b, forth, back };
            let halves = halves.map(|half| half.into_iter().map(pair).collect());
            // Verdicts, from which weights are learnt, are not sent.
            found.push((langs, Learnt { pairs: pairs as usize, weights: Vec::new(), length_ratio, halves }));
        }
        Ok(())
    })?;
    Ok(found)
}
