//! Sentence pairs that follow one another, joined into longer ones.

use rustc_hash::FxHashSet;

use crate::types::{BitextLine, Told};

/// Joins sentence pairs as they come, in the order of [`super::bitext::for_each_bead`].
#[derive(Debug)]
pub struct Joiner {
    most_chars: usize,
    /// The line to which the next one may be joined, and the number of characters of its sides.
    waiting: Option<(BitextLine, [usize; 2])>,
}

impl Joiner {
    /// Makes joined texts of at most so many characters a side. A sentence pair that is longer by itself stays as it is.
    pub fn new(most_chars: usize) -> Joiner {
        Joiner { most_chars, waiting: None }
    }

    /// Takes the next sentence pair, and returns the one that is complete. Where the caller leaves a sentence pair out, it must call
    /// [`Joiner::rest`], so that nothing is joined across the gap.
    pub fn next(&mut self, line: BitextLine) -> Option<BitextLine> {
        let chars = [&line.text_a, &line.text_b].map(|text| text.chars().count());
        if let (Some((before, all)), Some(between)) = (&mut self.waiting, line.joint) {
            let joined: [usize; 2] = std::array::from_fn(|side| all[side] + between[side].len() + chars[side]);
            if joined.iter().all(|&chars| chars <= self.most_chars) {
                join(before, line, between);
                *all = joined;
                return None;
            }
        }
        let complete = self.rest();
        self.waiting = Some((line, chars));
        complete
    }

    /// Returns the line that is complete if nothing follows.
    pub fn rest(&mut self) -> Option<BitextLine> {
        self.waiting.take().map(|(line, _)| line)
    }
}

/// Adds a line to the one before it.
fn join(before: &mut BitextLine, line: BitextLine, between: [&'static str; 2]) {
    let sides = [
        (&mut before.text_a, &mut before.a, &line.text_a, &line.a, between[0]),
        (&mut before.text_b, &mut before.b, &line.text_b, &line.b, between[1]),
    ];
    for (text, place, next, next_place, between) in sides {
        text.push_str(between);
        text.push_str(next);
        place.count += next_place.count;
    }
    before.score = before.score.min(line.score);
    let others: FxHashSet<&(String, String)> = line.others.iter().collect();
    before.others.retain(|other| others.contains(other));
    before.page_pairs = before.page_pairs.zip(line.page_pairs).map(|(before, next)| before.min(next));
    // The text is another one.
    before.told = <[Told; 2]>::default();
    before.targets = before.targets.max(line.targets);
    before.sources = before.sources.max(line.sources);
    before.is_furniture |= line.is_furniture;
    before.scorer = before.scorer.zip(line.scorer).map(|(before, next)| before.min(next));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, Place};

    fn line(text: &str, score: f64, joint: Option<[&'static str; 2]>) -> BitextLine {
        let place = Place { count: 1, sentence: Some(3), ..Place::default() };
        BitextLine {
            text_a: text.into(),
            text_b: text.to_uppercase(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH,
            score,
            page_score: 0.5,
            reason: None,
            a: place.clone(),
            b: place,
            others: vec![(text[..1].into(), "b".into()), ("all".into(), "all".into())],
            page_pairs: Some(text.len() as u32),
            is_furniture: text == "x",
            targets: Some(text.len() as u32),
            sources: Some(1),
            told: [Told::from(Some((Lang::EN, 1.0))), Told::new()],
            scorer: (text != "one").then_some(score / 2.0),
            joint,
        }
    }

    fn joined(most_chars: usize, lines: &[BitextLine]) -> Vec<BitextLine> {
        let mut joiner = Joiner::new(most_chars);
        let mut found: Vec<BitextLine> = lines.iter().filter_map(|line| joiner.next(line.clone())).collect();
        found.extend(joiner.rest());
        found
    }

    fn texts(lines: &[BitextLine]) -> Vec<(&str, &str)> {
        lines.iter().map(|line| (line.text_a.as_str(), line.text_b.as_str())).collect()
    }

    #[test]
    fn what_follows_is_joined_as_long_as_it_fits() {
        let on = Some([" ", ""]);
        let lines = [line("one", 0.9, None), line("two", 0.7, on), line("three", 0.8, on), line("x", 1.0, None)];
        assert_eq!(texts(&joined(7, &lines)), [("one two", "ONETWO"), ("three", "THREE"), ("x", "X")]);
        assert_eq!(texts(&joined(13, &lines)), [("one two three", "ONETWOTHREE"), ("x", "X")]);
        assert_eq!(joined(6, &lines), lines, "the longer side counts, and what is too long by itself stays");
        assert!(joined(10, &[]).is_empty());
    }

    #[test]
    fn what_is_said_of_the_parts_is_said_of_the_whole() {
        let on = Some([" ", " "]);
        let lines = [line("write to", 0.9, None), line("a@b.org", 0.7, on), line("x", 0.8, on)];
        let found = joined(100, &lines).remove(0);
        assert_eq!((found.score, found.page_pairs, found.is_furniture), (0.7, Some(1), true));
        assert_eq!((found.targets, found.sources), (Some(8), Some(1)), "one part that is doubtful makes the whole so");
        assert_eq!(found.told[0].get(), None, "the language of a part is not that of the whole");
        assert_eq!(
            (found.scorer, joined(100, &[line("one", 0.9, None), line("x", 0.8, on)])[0].scorer),
            (Some(0.35), None)
        );
        assert_eq!(found.others, [("all".to_owned(), "all".to_owned())]);
        assert_eq!((found.a.count, found.a.sentence, found.text_a.chars().count()), (3, Some(3), 18));
        assert_eq!((found.text_a.as_str(), found.text_b.as_str()), ("write to a@b.org x", "WRITE TO A@B.ORG X"));
    }

    #[test]
    fn nothing_is_joined_across_what_is_left_out() {
        let on = Some([" ", " "]);
        let mut joiner = Joiner::new(100);
        assert!(joiner.next(line("one", 0.9, None)).is_none());
        // The caller leaves `two` out.
        assert_eq!(joiner.rest().map(|line| line.text_a), Some("one".into()));
        assert!(joiner.next(line("three", 0.9, on)).is_none());
        assert_eq!(joiner.rest().map(|line| line.text_a), Some("three".into()));
        assert!(joiner.rest().is_none());
    }
}
