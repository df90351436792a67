//! The two sizes of campaigns, for tests.

/// How far a campaign goes: a short way with each `cargo test`, the whole one where DIGLOT_LONG is set, as `.ci/long` does.
pub fn extent<T>(short: T, whole: T) -> T {
    if std::env::var_os("DIGLOT_LONG").is_some() { whole } else { short }
}
