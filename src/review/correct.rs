//! Corrections that are made on the page: lines of the same file that `diglot correct` writes.

use std::sync::Arc;

use axum::extract::{Form, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use diglot::Error;
use diglot::corrections::{Correction, Line};
use diglot::query;
use diglot::store::CorrectionFile;

use super::answer::{Fields, Request, answer};
use super::failure::Failure;
use super::lists::place_in_list;
use super::state::{App, check_untouched};
use super::views::plain;

/// Adds a correction, or takes it back where `back` is set; then shows the page that it is about.
pub async fn correct(State(app): State<Arc<App>>, Form(fields): Form<Fields>) -> Response {
    answer(State(app), Query(fields), |request| {
        let kind = request.need("correction")?;
        let (first, second, to) = match kind {
            "pin" | "forbid" => {
                let (a, b) = (request.need("a")?, request.need("b")?);
                let place = place_in_list(request);
                let mut fields = vec![("a", a), ("b", b), ("who", request.reviewer())];
                fields.extend(place.iter().map(|(name, value)| (name.as_str(), value.as_str())));
                (a, b, request.frame("").link("/pair", &fields))
            }
            "language" => {
                let url = request.need("url")?;
                (url, request.get("lang").unwrap_or("en"), request.frame("").page(url))
            }
            _ => return Err(Failure::Bad(format!("{kind:?} is no correction of a page or a pair"))),
        };
        let correction = Correction::parse(kind, first, second).map_err(Failure::Bad)?;
        let by = format!("{}, on the page", request.reviewer());
        change(request, &Line::new(correction, &now(), &by))?;
        Ok(Redirect::to(&to).into_response())
    })
    .await
}

/// Now, as RFC 3339 in UTC, to the second.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn change(request: &Request, line: &Line) -> Result<(), Failure> {
    let (store, config) = request.app.open()?;
    let file = CorrectionFile::of(&request.app.folder);
    check_untouched()?;
    let is_about = |known: &Line| known.correction.subject() == line.correction.subject();
    if request.get("back").is_some() {
        let known = file.read()?;
        let number = known.lines().iter().position(is_about);
        let number = number.ok_or_else(|| Failure::Missing("there is no such correction".to_owned()))?;
        file.undo(number + 1)?;
        return Ok(());
    }
    match file.add(std::slice::from_ref(line), |all| query::check_pins(&store, &config, all)) {
        Err(Error::Config(problem)) => Err(Failure::Bad(problem)),
        added => Ok(added.map(drop)?),
    }
}

/// The corrections about exactly this pair or page, in words.
pub fn told(request: &Request, kind: &str, first: &str, second: &str) -> Result<Vec<String>, Failure> {
    let Ok(asked) = Correction::parse(kind, first, second) else { return Ok(Vec::new()) };
    let known = CorrectionFile::of(&request.app.folder).read()?;
    let about = known.lines().iter().filter(|line| line.correction.subject() == asked.subject());
    Ok(about.map(|line| plain(&line.told())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_the_command_writes_them() {
        let now = now();
        assert!(now.len() == 20 && now.ends_with('Z') && now.parse::<jiff::Timestamp>().is_ok(), "{now}");
    }
}
