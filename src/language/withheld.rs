//! Languages that a build knows nothing of.
//!
//! How the program does with a language that it does not know is measured with one that it knows, of which there are texts: where the variable
//! `DIGLOT_WITHHELD` is set while it is built (`DIGLOT_WITHHELD=sv,hu`), it has no words, profiles, models or relatives of these languages. Which languages a script is of stays, and what sites
//! call them, since that is no knowledge of how they look. No running program is asked.

use crate::types::Lang;

const WITHHELD: &str = match option_env!("DIGLOT_WITHHELD") {
    Some(tags) => tags,
    None => "",
};

/// True for a language that this build is to know nothing of.
pub fn is_withheld(lang: Lang) -> bool {
    is_among(WITHHELD, lang)
}

/// True where no language is withheld, as in all builds but those of experiments.
pub fn is_none_withheld() -> bool {
    WITHHELD.is_empty()
}

fn is_among(tags: &str, lang: Lang) -> bool {
    !tags.is_empty() && tags.split(',').filter_map(Lang::parse).any(|tag| tag == lang.base())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_withheld_in_all_their_variants_and_others_are_not() {
        let [sv, sr, latin, da] = ["sv", "sr", "sr-Latn", "da"].map(|tag| Lang::from_tag(tag).expect("a tag"));
        assert!([sv, sr, latin].into_iter().all(|lang| is_among("sv,sr", lang)) && !is_among("sv,sr", da));
        assert!(!is_among("", Lang::UNKNOWN) && is_none_withheld());
    }
}
