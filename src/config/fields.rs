//! Every field of the configuration, by its name: `keys.min_power`, `verify.profile.max_words`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::Config;

/// Name → value, as text.
pub type Fields = BTreeMap<String, String>;

/// All fields of a configuration. A list is one field.
pub fn of(config: &Config) -> Fields {
    let value = serde_json::to_value(config).expect("numbers, texts and lists serialise");
    let mut fields = Fields::new();
    flatten(String::new(), &value, &mut fields);
    fields
}

/// The fields in `sections` (such as `keys`, or `keys.across_suffixes`) that differ from the default.
pub fn changed(config: &Config, sections: &[&str]) -> Fields {
    static DEFAULT: LazyLock<Fields> = LazyLock::new(|| of(&Config::default()));
    let mut fields = of(config);
    fields.retain(|name, value| {
        sections.iter().any(|section| lies_in(name, section))
            && DEFAULT.get(name).is_none_or(|default| default != value)
    });
    fields
}

/// True when a field is the section, or lies in it.
pub fn lies_in(name: &str, section: &str) -> bool {
    name.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn flatten(name: String, value: &Value, fields: &mut Fields) {
    match value {
        Value::Object(inner) => {
            for (key, value) in inner {
                flatten(if name.is_empty() { key.clone() } else { format!("{name}.{key}") }, value, fields);
            }
        }
        plain => {
            fields.insert(name, plain.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_names_of_their_sections() {
        let fields = of(&Config::default());
        assert_eq!(fields["keys.min_power"], "2");
        assert_eq!(fields["ets.min_sim"], "null");
        assert_eq!(fields["keys.langs"], "[]");
    }

    #[test]
    fn only_what_differs_from_the_default_and_lies_in_the_sections_is_told() {
        let mut config = Config::default();
        config.keys.min_power = 7;
        config.judge.min_score = 0.25;
        let one = |name: &str, value: &str| Fields::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(changed(&config, &["keys"]), one("keys.min_power", "7"));
        assert_eq!(changed(&config, &["keys.langs", "judge.min_score"]), one("judge.min_score", "0.25"));
        assert_eq!(changed(&config, &["key", "judge.min"]), Fields::new());
        assert_eq!(changed(&Config::default(), &["keys", "judge"]), Fields::new());
    }
}
