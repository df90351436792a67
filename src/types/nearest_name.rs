//! Finds the name that somebody may have meant who has mistyped one.

use strsim::{jaro_winkler, osa_distance};

/// How similar two names must be, by the measure of Jaro and Winkler, for one to be taken for a mistyped form of the other.
const ALIKE: f64 = 0.85;

/// `; did you mean align?`, where one of the known names is similar to the given one; otherwise an empty text.
pub fn nearest_name<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    meant(given, known).map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

/// The known name that is most similar to the given one, if any of them is similar.
pub(crate) fn meant<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_lowercase();
    let likeness = |name: &str| jaro_winkler(&given, &name.to_lowercase());
    // A short name is similar to many others: one letter in three may be wrong.
    let is_near = |name: &str| osa_distance(&given, &name.to_lowercase()) <= 1.max(name.chars().count() / 3);
    let near = known.into_iter().map(|name| (likeness(name), name));
    let near = near.filter(|(likeness, name)| *likeness >= ALIKE && is_near(name));
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_meant_that_is_hardly_another() {
        let stages = ["ingest", "index", "links", "keys", "verify", "iterate", "align"];
        for (given, told) in [
            ("algin", "; did you mean align?"),
            ("Verfiy", "; did you mean verify?"),
            ("ingets", "; did you mean ingest?"),
            ("lunch", ""),
            ("", ""),
            ("keyboard", ""),
        ] {
            assert_eq!(nearest_name(given, stages), told, "{given}");
        }
        let hosts = ["fr.packaging.site.test", "en.packaging.site.test", "webserver.site.test"];
        assert_eq!(nearest_name("webserver.stie.test", hosts), "; did you mean webserver.site.test?");
        assert_eq!(nearest_name("nowhere.test", hosts), "");
    }
}
