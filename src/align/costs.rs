//! All costs, by name; they can be added up.

use super::cost::Cost;
use super::lengths::Lengths;
use super::matches::Matches;
use super::translation::WordEvidence;

/// Makes a cost for two pages.
pub type MakeCost = for<'e> fn(&'e WordEvidence, &'e Lengths) -> Box<dyn Cost + 'e>;

/// All costs, by name.
pub const COSTS: &[(&str, MakeCost)] =
    &[("lengths", |_, lengths| Box::new(*lengths)), ("translation", |evidence, _| Box::new(Matches::new(evidence)))];
