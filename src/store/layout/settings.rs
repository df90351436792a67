//! Settings by name, so that releases with more or fewer settings can read the store.

use rkyv::{Archive, Deserialize, Serialize};

/// The settings of the store; those that are not named have their defaults. Key `m` `settings`.
#[derive(
    Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct StoredSettings {
    /// Name and value; a list has one entry for each of its values.
    pub values: Vec<(String, String)>,
}

impl StoredSettings {
    /// The values of a setting, in order; empty where it has its default.
    pub fn of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.values.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Resets a setting to its default, even one unknown to this release. True when it was set.
    pub fn reset(&mut self, name: &str) -> bool {
        let before = self.values.len();
        self.values.retain(|(known, _)| known != name);
        self.values.len() < before
    }

    /// Sets the values of a setting.
    pub fn set(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        self.reset(name);
        self.values.extend(values.into_iter().map(|value| (name.to_owned(), value)));
        // The order in which settings were given means nothing; the order of the values of one setting is kept.
        self.values.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[(&str, &str)]) -> StoredSettings {
        StoredSettings { values: values.iter().map(|&(name, value)| (name.into(), value.into())).collect() }
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
