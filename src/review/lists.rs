//! Reads from a request which part of a long list it asks for.

use diglot::query::{PairFilter, PairOrder};
use diglot::types::{Lang, LangPair, Method};

use super::answer::Request;
use super::failure::Failure;

/// The order in which pairs are to be listed.
pub fn order(request: &Request) -> PairOrder {
    match request.get("order") {
        Some("low") => PairOrder::LowScore,
        Some("high") => PairOrder::HighScore,
        _ => PairOrder::Url,
    }
}

/// Two languages, as a form gives them.
pub fn lang_pair(text: &str) -> Result<LangPair, Failure> {
    let bad = || Failure::Bad(format!("{text:?} are not two languages, such as \"en fr\""));
    let (a, b) = text.split_once(' ').ok_or_else(bad)?;
    let parse = |name: &str| Lang::parse(name).ok_or_else(bad);
    LangPair::new(parse(a)?, parse(b)?).ok_or_else(bad)
}

/// Which pairs are to be listed.
pub fn filter(request: &Request) -> Result<PairFilter, Failure> {
    let method = request.get("method").map(|name| {
        let known = Method::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| Failure::Bad(format!("{name:?} is no method")))
    });
    let score = |name: &str, or: f64| -> Result<f64, Failure> {
        let found = request.number(name, or)?;
        if (0.0..=1.0).contains(&found) { Ok(found) } else { Err(Failure::Bad(format!("{name}: expected 0 to 1"))) }
    };
    Ok(PairFilter {
        langs: request.get("langs").map(lang_pair).transpose()?,
        method: method.transpose()?,
        key: request.get("key").map(str::to_owned),
        scores: (score("min", 0.0)?, score("max", 1.0)?),
        rejected: request.get("outcome") == Some("rejected"),
    })
}
