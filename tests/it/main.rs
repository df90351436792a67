//! Integration tests: one binary, one file a subject.

mod bitext;
mod canonical;
mod captures;
mod cli;
mod company;
mod corrections;
mod damage;
mod deep;
mod diff;
#[cfg(feature = "exec")]
mod editions;
mod engine;
#[cfg(feature = "exec")]
mod exec;
mod explain;
mod export;
#[path = "../../src/extent.rs"]
mod extent;
mod filtering;
mod folders;
mod format;
mod help_on_the_way;
mod histories;
mod hostile;
mod inputs;
mod kills;
mod lacking;
mod languages;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod licences;
mod links;
mod listings;
mod merge;
mod modules;
#[cfg(unix)]
mod outside;
mod pdf;
#[cfg(feature = "pdf")]
#[path = "../../src/extract/pdf/sample.rs"]
mod pdf_sample;
mod presets;
#[cfg(unix)]
mod program;
mod progress;
mod quality;
mod real_sites;
mod releases;
mod resume;
#[cfg(feature = "review")]
mod review;
mod scorer;
mod scores;
mod settings;
mod signals;
mod sitemaps;
mod sites;
mod stories;
mod suffixes;
mod support;
mod surprises;
#[cfg(unix)]
mod terminal;
mod tidy;
mod units;
mod upgrades;
mod upkeep;
mod versions;
mod zim;
#[path = "../../src/archive/zim/sample.rs"]
mod zim_sample;
