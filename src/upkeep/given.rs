//! Settings that a user gives for a store, checked and applied in one place for the command line and for the library.

use std::path::{Path, PathBuf};

use crate::config::settings::{LANGUAGE_PROGRAM, SCORER, Takes, configuration, setting};
use crate::config::{Config, RESET_LANGS, SETTINGS, Setting, different_languages, two_languages};
use crate::error::{Error, Result};
use crate::store::{Store, StoredSettings};
use crate::types::{Lang, nearest_name};

/// The word that stands for all settings.
const ALL: &str = "all";

/// New values of settings; settings that are not named stay as they are in the store.
#[derive(Clone, Default)]
pub struct Given {
    set: Vec<(&'static Setting, Vec<String>)>,
    /// Names of the settings to be reset to their defaults.
    reset: Vec<String>,
}

impl Given {
    /// A change that only resets the settings of these names, or `all`, to their defaults.
    pub fn reset(names: Vec<String>) -> Given {
        Given { set: Vec::new(), reset: names }
    }

    /// New values by name; the values of a list one after another under the same name.
    ///
    /// # Errors
    /// When there is no setting of a name.
    pub fn of(settings: &[(&str, &str)]) -> Result<Given> {
        let mut given = Given::default();
        for (name, value) in settings {
            let known = setting(name).ok_or_else(|| {
                let meant = nearest_name(name, SETTINGS.iter().map(|setting| setting.name));
                Error::Config(format!("there is no setting {name}, expected some of {}{meant}", setting_names()))
            })?;
            match given.set.iter_mut().find(|(setting, _)| setting.name == *name) {
                Some((_, values)) => values.push((*value).to_owned()),
                None => given.set(known, vec![(*value).to_owned()]),
            }
        }
        Ok(given)
    }

    /// Sets all values of a setting.
    pub fn set(&mut self, setting: &'static Setting, values: Vec<String>) {
        self.set.push((setting, values));
    }

    /// Refuses values that make no sense, before a store is made in a folder.
    ///
    /// # Errors
    /// With the first such value.
    pub fn check(&self, store: &Path) -> Result<()> {
        // A store of another release may have settings that this one does not know.
        if !Store::is_at(store) {
            self.reset.iter().try_for_each(|name| check_reset(name, false))?;
        }
        for (setting, values) in &self.set {
            values.iter().try_for_each(|value| setting.check(value))?;
            if setting.name == "langs" {
                different_languages(values.iter().map(String::as_str))?;
                let langs: Vec<Lang> = values.iter().filter_map(|value| Lang::parse(value)).collect();
                two_languages(&langs, RESET_LANGS)?;
            }
        }
        Ok(())
    }

    /// Changes the store's settings, and returns the configuration that results.
    ///
    /// # Errors
    /// When a value makes no sense, here or beside the others; when the disk does not take it.
    pub fn apply(&self, store: &mut Store) -> Result<Config> {
        self.check(store.folder())?;
        let (settings, config) = self.settled(store.settings())?;
        if settings != *store.settings() {
            store.keep_settings(settings)?;
        }
        Ok(config)
    }

    /// The new settings of a store, and the configuration that results from them.
    ///
    /// # Errors
    /// When a value does not go together with the others, or a file is missing.
    pub fn settled(&self, kept: &StoredSettings) -> Result<(StoredSettings, Config)> {
        let mut settings = kept.clone();
        for name in &self.reset {
            if name == ALL {
                settings.values.clear();
            } else {
                let was_set = settings.reset(name);
                check_reset(name, was_set)?;
            }
        }
        for (setting, values) in &self.set {
            let values: Vec<String> = match setting.takes {
                Takes::Files | Takes::Folder => values.iter().map(|path| full(setting, path)).collect::<Result<_>>()?,
                _ => values.clone(),
            };
            settings.set(setting.name, values);
        }
        let (mut config, unusable) = configuration(&settings.values);
        let is_given = |name: &str| self.set.iter().any(|(setting, _)| setting.name == name);
        config.ingest.program.is_given = is_given(LANGUAGE_PROGRAM);
        config.scorer.is_given = is_given(SCORER);
        // Without this setting, results would differ from those that the store was set up for.
        if let Some(unusable) = unusable.first() {
            return Err(Error::Config(unusable.to_string()));
        }
        config.check()?;
        Ok((settings, config))
    }
}

fn check_reset(name: &str, is_stored: bool) -> Result<()> {
    if name == ALL || is_stored || setting(name).is_some() {
        return Ok(());
    }
    let meant = nearest_name(name, SETTINGS.iter().map(|setting| setting.name));
    Err(Error::Config(format!("--reset has {name}, expected all or some of {}{meant}", setting_names())))
}

fn setting_names() -> String {
    SETTINGS.iter().map(|setting| setting.name).collect::<Vec<_>>().join(", ")
}

/// The absolute path of a file or folder that a setting names.
fn full(setting: &Setting, path: &str) -> Result<String> {
    let full = PathBuf::from(path).canonicalize().map_err(|error| match setting.name {
        "languages" => Error::Config(format!(
            "--languages has {path}, and it takes a file of profiles: {error}; to choose languages, use --langs"
        )),
        _ => Error::io(path, "opening")(error),
    })?;
    Ok(full.to_string_lossy().into_owned())
}
