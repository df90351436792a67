//! Reads from a request which part of a long list it asks for.

use diglot::query::{Decided, PairFilter, PairOrder, Part, Spot, in_english};
use diglot::types::{Lang, LangPair, Method, Outcome, SiteId, grouped};

use super::answer::Request;
use super::failure::Failure;
use super::views::{Choice, Paging, choices, with_chosen};

/// How many rows of a list are shown at a time.
pub const ROWS: usize = 50;

/// The language of a field.
pub fn lang(request: &Request, name: &str) -> Result<Option<Lang>, Failure> {
    let Some(text) = request.get(name) else { return Ok(None) };
    Lang::from_tag(text).map(Some).ok_or_else(|| Failure::Bad(format!("{text:?} is no language")))
}

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
    let parse = |name: &str| Lang::from_tag(name).ok_or_else(bad);
    LangPair::new(parse(a)?, parse(b)?).ok_or_else(bad)
}

/// Two languages as people read them: "en-fr English, French". No names where one of them has none.
pub fn pair_of(a: Lang, b: Lang) -> String {
    match in_english(a).zip(in_english(b)) {
        Some((of_a, of_b)) => format!("{a}-{b} {of_a}, {of_b}"),
        None => format!("{a}-{b}"),
    }
}

/// The language pairs that a form offers.
pub fn lang_pairs<'l>(known: impl IntoIterator<Item = &'l LangPair>, chosen: &str) -> Vec<Choice> {
    let choice = |of: &LangPair| Choice::new(&format!("{} {}", of.a, of.b), &pair_of(of.a, of.b), chosen);
    let all = std::iter::once(Choice::new("", "all languages", chosen)).chain(known.into_iter().map(choice));
    with_chosen(all, &chosen.replacen(' ', "-", 1), chosen)
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
        below: request.get("below").is_some(),
        decided: match request.get("outcome") {
            None => Decided::Accepted,
            Some("rejected") => Decided::Rejected,
            Some(name) => {
                let known = Outcome::ALL.into_iter().find(|outcome| outcome.name() == name);
                Decided::As(known.ok_or_else(|| Failure::Bad(format!("{name:?} is no outcome")))?)
            }
        },
    })
}

/// The outcomes that a form offers.
pub fn outcomes(chosen: &str) -> Vec<Choice> {
    let rejected = Outcome::ALL.into_iter().filter(|outcome| *outcome != Outcome::Accepted).map(Outcome::name);
    let rejected = std::iter::once("rejected").chain(rejected);
    choices("accepted", rejected.map(|name| (name, if name == "rejected" { "not accepted" } else { name })), chosen)
}

/// The methods that a form offers.
pub fn methods(chosen: &str) -> Vec<Choice> {
    choices("any method", Method::ALL.map(|method| (method.name(), method.name())), chosen)
}

/// The place in a list over sites that a field gives.
pub fn spot(request: &Request, name: &str) -> Result<Option<Spot>, Failure> {
    let Some(text) = request.get(name) else { return Ok(None) };
    let parsed = || {
        let (site, at) = text.split_once('.')?;
        Some(Spot { site: SiteId(site.parse().ok()?), at: at.parse().ok()? })
    };
    parsed().map(Some).ok_or_else(|| Failure::Bad(format!("{name} is {text:?}, expected a site and a number")))
}

/// How a place is written in an address.
pub fn written(spot: Spot) -> String {
    format!("{}.{}", spot.site.0, spot.at)
}

/// The address of a list with the fields of a request, except that its start is the given one.
fn from(request: &Request, path: &str, start: &str) -> String {
    let fields = request.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let fields: Vec<(&str, &str)> =
        fields.filter(|(name, _)| !["from", "part"].contains(name)).chain([("from", start)]).collect();
    request.frame("").link(path, &fields)
}

/// Links to the other parts of a list that is counted as a whole.
pub fn paging(request: &Request, path: &str, start: usize, shown: usize, total: usize) -> Paging {
    let at = |start: usize| from(request, path, &if start == 0 { String::new() } else { start.to_string() });
    Paging {
        shown: match (total, shown) {
            (0, _) => "none".to_owned(),
            (total, 0) => format!("none of {} from here on", grouped(total as u64)),
            (total, shown) => {
                format!(
                    "{} to {} of {}",
                    grouped(start as u64 + 1),
                    grouped((start + shown) as u64),
                    grouped(total as u64)
                )
            }
        },
        previous: (start > 0).then(|| at(start.saturating_sub(ROWS))),
        next: (start + shown < total).then(|| at(start + shown)),
    }
}

/// Links to the other parts of a list over sites. `before` is the part before this one, found backwards, and `after` the part after it.
/// `total` is the number of all rows, where it is known.
pub fn paging_of_walk<T, B>(
    request: &Request,
    path: &str,
    (before, after): (&Part<B>, &Part<T>),
    total: Option<u64>,
) -> Paging {
    let of = total.map(|total| format!(" of {}", grouped(total))).unwrap_or_default();
    let is_first = before.items.is_empty() && before.next.is_none();
    Paging {
        shown: match after.items.len() {
            0 if after.next.is_some() => "none on the sites that were looked through; go on".to_owned(),
            0 if is_first => "none".to_owned(),
            0 => "no more".to_owned(),
            shown => format!("{shown}{of}"),
        },
        previous: start_of(before).map(|start| from(request, path, &start.map(written).unwrap_or_default())),
        next: after.next.map(|spot| from(request, path, &written(spot))),
    }
}

/// Where the part of a list that was found backwards begins; the inner option is `None` for the beginning of the list. `None` where the
/// part is empty.
fn start_of<B>(before: &Part<B>) -> Option<Option<Spot>> {
    match (before.items.last(), before.next) {
        (None, None) => None,
        (Some(_), None) => Some(None),
        (Some((first, _)), Some(_)) => Some(Some(*first)),
        // Nothing on the sites that were looked through.
        (None, Some(next)) => Some(Some(Spot { at: 0, ..next })),
    }
}

/// The fields that give the position of a pair in the list from which it was opened.
const PLACE: [&str; 11] = ["host", "at", "spot", "langs", "method", "key", "min", "max", "below", "order", "outcome"];

/// Those of these fields that a request has.
pub fn place_in_list(request: &Request) -> Vec<(String, String)> {
    let field = |name: &&str| Some(((*name).to_owned(), request.get(name)?.to_owned()));
    PLACE.iter().filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_before_begins_where_looking_backwards_stopped() {
        let spot = |site: u32, at: usize| Spot { site: SiteId(site), at };
        let start = |items: &[Spot], next| {
            start_of(&Part { items: items.iter().map(|spot| (*spot, ())).collect::<Vec<_>>(), next })
        };
        assert_eq!(start(&[], None), None);
        assert_eq!(start(&[spot(4, 2), spot(4, 1)], None), Some(None));
        assert_eq!(start(&[spot(4, 2), spot(4, 1)], Some(spot(4, 1))), Some(Some(spot(4, 1))));
        assert_eq!(start(&[], Some(spot(3, usize::MAX))), Some(Some(spot(3, 0))));
    }
}
