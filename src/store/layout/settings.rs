//! Settings by name, so that a store is read by releases that have more of them, or fewer.

use rkyv::{Archive, Deserialize, Serialize};
use serde_json::Value;

/// Settings that the store was made with; what is not named is at its default. Key `m` `settings`.
#[derive(
    Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct StoredSettings {
    /// Name and value; the values of a list one after another.
    pub values: Vec<(String, String)>,
}

impl StoredSettings {
    /// The values of a setting, in order; none: it is at its default.
    pub fn of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.values.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Takes a setting back, known to this release or not. True when it was set.
    pub fn reset(&mut self, name: &str) -> bool {
        let before = self.values.len();
        self.values.retain(|(known, _)| known != name);
        self.values.len() < before
    }

    /// Gives a setting other values.
    pub fn set(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        self.reset(name);
        self.values.extend(values.into_iter().map(|value| (name.to_owned(), value)));
        // The order in which settings were given means nothing; that of the values of one is kept.
        self.values.sort_by(|(a, _), (b, _)| a.cmp(b));
    }

    /// The settings in the manifest of a store of format 4: its object `config`, of sixteen fields. What is not there or not
    /// of its type is at its default.
    pub fn from_format_4(config: &Value) -> StoredSettings {
        let mut settings = StoredSettings::default();
        for (field, name) in [("preset", "preset"), ("verifier", "verifier"), ("weights", "weights")] {
            let text = config[field].as_str().filter(|text| !text.is_empty());
            settings.set(name, text.map(str::to_owned));
        }
        for (field, name) in [("langs", "langs"), ("lexicons", "lexicon")] {
            let texts = config[field].as_array().into_iter().flatten().filter_map(Value::as_str);
            settings.set(name, texts.map(str::to_owned));
        }
        for (field, name, value) in [("whole_domains", "site", "domain"), ("across_suffixes", "across-suffixes", "yes")]
        {
            settings.set(name, (config[field] == true).then(|| value.to_owned()));
        }
        let kinds = [("without_keys", "keys"), ("without_content", "content")];
        settings
            .set("without", kinds.iter().filter(|(field, _)| config[*field] == true).map(|(_, kind)| (*kind).into()));
        for (field, name) in
            [("rescue_above", "rescue-above"), ("max_record_bytes", "max-record-bytes"), ("rounds", "rounds")]
        {
            settings.set(name, config[field].as_u64().map(|number| number.to_string()));
        }
        for (field, name) in [("min_score", "min-score"), ("alpha", "alpha"), ("beta", "beta"), ("min_sim", "min-sim")]
        {
            settings.set(name, config[field].as_u64().map(|millionths| (millionths as f64 / 1e6).to_string()));
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[(&str, &str)]) -> StoredSettings {
        StoredSettings { values: values.iter().map(|&(name, value)| (name.into(), value.into())).collect() }
    }

    #[test]
    fn settings_of_format_4_become_names_and_values() {
        let config = serde_json::json!({
            "preset": "link-2014", "langs": ["fr", "en"], "whole_domains": true, "across_suffixes": true, "rescue_above": 20,
            "max_record_bytes": 1000, "without_keys": true, "lexicons": ["/a,b.tsv", "/c.tsv"], "min_score": 333_333,
            "verifier": "strand", "without_content": true, "alpha": 600_000, "beta": 0, "rounds": 2, "weights": "first",
            "min_sim": 1_000_000
        });
        let expected = [
            ("across-suffixes", "yes"),
            ("alpha", "0.6"),
            ("beta", "0"),
            ("langs", "fr"),
            ("langs", "en"),
            ("lexicon", "/a,b.tsv"),
            ("lexicon", "/c.tsv"),
            ("max-record-bytes", "1000"),
            ("min-score", "0.333333"),
            ("min-sim", "1"),
            ("preset", "link-2014"),
            ("rescue-above", "20"),
            ("rounds", "2"),
            ("site", "domain"),
            ("verifier", "strand"),
            ("weights", "first"),
            ("without", "keys"),
            ("without", "content"),
        ];
        assert_eq!(StoredSettings::from_format_4(&config), named(&expected));
    }

    #[test]
    fn defaults_of_format_4_are_not_named() {
        let config = serde_json::json!({
            "preset": "", "langs": [], "whole_domains": false, "across_suffixes": false, "rescue_above": null,
            "max_record_bytes": null, "without_keys": false, "lexicons": [], "min_score": null, "verifier": "",
            "without_content": false, "alpha": null, "beta": null, "rounds": null, "weights": "", "min_sim": null
        });
        assert_eq!(StoredSettings::from_format_4(&config), StoredSettings::default());
        assert_eq!(StoredSettings::from_format_4(&serde_json::json!({})), StoredSettings::default());
        assert_eq!(StoredSettings::from_format_4(&Value::Null), StoredSettings::default());
    }

    #[test]
    fn a_setting_is_replaced_and_taken_back_whole() {
        let mut settings = named(&[("langs", "fr"), ("langs", "en"), ("preset", "default")]);
        settings.set("langs", ["zh".to_owned()]);
        assert_eq!(settings, named(&[("langs", "zh"), ("preset", "default")]));
        assert!(settings.reset("langs") && !settings.reset("langs"));
        assert_eq!(settings, named(&[("preset", "default")]));
    }
}
