//! The texts of a URL that may tell a language.

use crate::text::tokens::Anatomy;
use crate::types::Field;

/// How many tokens the longest run has that is examined besides whole segments.
pub const MAX_RUN: usize = 4;

/// Calls `each` with the field and text of every token, run of up to [`MAX_RUN`] tokens and segment of a URL.
pub fn for_each_text(anatomy: &mut Anatomy, identity: &str, each: &mut dyn FnMut(Field, &str)) {
    if !anatomy.read(identity, Default::default()) {
        return;
    }
    for segment in anatomy.segments() {
        anatomy.spans(segment, MAX_RUN).for_each(|span| each(segment.field, anatomy.text(span)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_tokens_and_whole_segments_are_given_with_their_field() {
        let mut texts = Vec::new();
        for_each_text(&mut Anatomy::default(), "x.org/a-b/c.html", &mut |field, text| {
            texts.push((field, text.to_owned()))
        });
        let has = |field, text: &str| texts.iter().any(|(of, found)| *of == field && found == text);
        assert!(has(Field::Host, "x") && has(Field::Path, "a") && has(Field::Path, "a-b") && has(Field::File, "html"));
        assert!(!has(Field::File, "a") && !has(Field::Path, "b/c"), "{texts:?}");
    }
}
