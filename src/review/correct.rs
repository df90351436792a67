//! Corrections that are made on the page: lines of the same file that `diglot correct` writes.

use std::slice;
use std::sync::Arc;

use axum::extract::{Form, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use diglot::Error;
use diglot::corrections::{Correction, Line, Place};
use diglot::query;
use diglot::store::CorrectionFile;
use diglot::types::CanonicalUrl;

use super::answer::{Fields, Request, answer};
use super::failure::Failure;
use super::lists::place_in_list;
use super::state::{App, check_untouched};
use super::views::plain;

/// Adds a correction, or takes it back where `back` is set; then shows the page to which the correction belongs.
pub async fn correct(State(app): State<Arc<App>>, Form(fields): Form<Fields>) -> Response {
    answer(State(app), Query(fields), |request| {
        let kind = request.need("correction")?;
        let is_back = request.get("back").is_some();
        let (correction, to) = match kind {
            "pin" | "forbid" => {
                let (a, b) = (request.need("a")?, request.need("b")?);
                let place = place_in_list(request);
                let mut fields = vec![("a", a), ("b", b), ("who", request.reviewer())];
                fields.extend(place.iter().map(|(name, value)| (name.as_str(), value.as_str())));
                (Correction::parse(kind, a, b), request.frame("").link("/pair", &fields))
            }
            "language" => {
                let url = request.need("url")?;
                let asked = CanonicalUrl::parse_typed(url).map_err(|why| Failure::Bad(format!("{url:?}: {why}")))?;
                let lang = if is_back { ANY } else { request.need("lang")? };
                (of_page(&asked, lang), request.frame("").page(asked.as_str()))
            }
            _ => return Err(Failure::Bad(format!("{kind:?} is no correction of a page or a pair"))),
        };
        let correction = correction.map_err(Failure::Bad)?;
        if is_back {
            take_back(request, &correction)?;
        } else {
            add(request, &Line::now(correction, &format!("{}, on the page", request.reviewer())))?;
        }
        Ok(Redirect::to(&to).into_response())
    })
    .await
}

/// A language that stands for any: the subject of a correction does not depend on it.
const ANY: &str = "en";

/// The correction of the language of one page. The page's URL may look like that of a host or a folder.
fn of_page(page: &CanonicalUrl, lang: &str) -> Result<Correction, String> {
    Correction::parse("language", &Place::Page(page.identity().to_owned()).to_string(), lang)
}

fn take_back(request: &Request, correction: &Correction) -> Result<(), Failure> {
    check_untouched()?;
    let taken = CorrectionFile::of(&request.app.folder).take_back(&correction.subject())?;
    taken.map(drop).ok_or_else(|| Failure::Missing("there is no such correction".to_owned()))
}

fn add(request: &Request, line: &Line) -> Result<(), Failure> {
    let (store, _) = request.app.open()?;
    check_untouched()?;
    let new = slice::from_ref(line);
    let file = CorrectionFile::of(&request.app.folder);
    match file.add(new, |all| query::check_pins(slice::from_ref(&store), all, new)) {
        Err(Error::Config(problem)) => Err(Failure::Bad(problem)),
        added => Ok(added.map(drop)?),
    }
}

/// The corrections about exactly this pair, in words.
pub fn of_pair(request: &Request, a: &str, b: &str) -> Result<Vec<String>, Failure> {
    told(request, Correction::parse("pin", a, b))
}

/// The corrections of the language of exactly this page, in words.
pub fn of_language(request: &Request, page: &CanonicalUrl) -> Result<Vec<String>, Failure> {
    told(request, of_page(page, ANY))
}

fn told(request: &Request, asked: Result<Correction, String>) -> Result<Vec<String>, Failure> {
    let Ok(asked) = asked else { return Ok(Vec::new()) };
    let known = CorrectionFile::of(&request.app.folder).read()?;
    let about = known.lines().iter().filter(|line| line.correction.subject() == asked.subject());
    Ok(about.map(|line| plain(&line.told())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_page_is_not_that_of_its_host_or_folder() {
        for text in ["http://x.org/", "x.org", "http://x.org/fr/*"] {
            let asked = CanonicalUrl::parse_typed(text).expect("a URL");
            let Ok(Correction::Language(place, _)) = of_page(&asked, "fr") else { panic!("{text} is refused") };
            assert_eq!(place, Place::Page(asked.identity().to_owned()));
        }
    }
}
