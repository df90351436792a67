//! Answers to requests: pages, files and errors.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::failure::Failure;
use super::state::{App, check_untouched, forget_what_was_read};
use super::views::{Frame, Problem};

/// Parameters of an address, or fields of a form.
pub type Fields = BTreeMap<String, String>;

/// A request, with everything that handlers need.
pub struct Request {
    pub app: Arc<App>,
    pub fields: Fields,
}

impl Request {
    /// A field that is there and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// A field that must be there.
    pub fn need(&self, name: &str) -> Result<&str, Failure> {
        self.get(name).ok_or_else(|| Failure::Bad(format!("{name} is missing")))
    }

    /// The number in a field, or `or` where there is none.
    pub fn number<N: std::str::FromStr>(&self, name: &str, or: N) -> Result<N, Failure> {
        let Some(text) = self.get(name) else { return Ok(or) };
        text.parse().map_err(|_| Failure::Bad(format!("{name} is {text:?}, expected a number")))
    }

    /// The name of the reviewer who sends the request.
    pub fn reviewer(&self) -> &str {
        self.get("who").unwrap_or(&self.app.reviewer)
    }

    /// The frame of a page: what surrounds its content.
    pub fn frame(&self, title: &str) -> Frame {
        Frame::new(&self.app, self.reviewer(), title)
    }
}

/// Handles a request on a thread that may block, and makes the answer.
pub async fn answer(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
    work: impl FnOnce(&Request) -> Result<Response, Failure> + Send + 'static,
) -> Response {
    let request = Request { app, fields };
    let worked = tokio::task::spawn_blocking(move || {
        forget_what_was_read();
        let worked = work(&request);
        let answer = check_untouched().and(worked).unwrap_or_else(|failure| failed(&request, failure));
        forget_what_was_read();
        answer
    });
    worked
        .await
        .unwrap_or_else(|_| (StatusCode::INTERNAL_SERVER_ERROR, "the program failed on this page").into_response())
}

/// A page made from a template.
pub fn page(template: &impl Template) -> Result<Response, Failure> {
    Ok(Html(template.render()?).into_response())
}

/// A file to be downloaded.
pub fn file(name: &str, content: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/tab-separated-values; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, content).into_response()
}

fn failed(request: &Request, failure: Failure) -> Response {
    let (status, title, problem) = match failure {
        Failure::Missing(problem) => (StatusCode::NOT_FOUND, "Not found", problem),
        Failure::Bad(problem) => (StatusCode::BAD_REQUEST, "Not understood", problem),
        Failure::Broken(problem) => (StatusCode::INTERNAL_SERVER_ERROR, "It failed", problem),
    };
    let template = Problem { frame: request.frame(title), problem };
    match template.render() {
        Ok(text) => (status, Html(text)).into_response(),
        Err(_) => (status, template.problem).into_response(),
    }
}

/// The style and the script of the page, which are part of the binary.
pub async fn asset(Path(file): Path<String>) -> Response {
    let (kind, content) = match file.as_str() {
        "review.css" => ("text/css; charset=utf-8", include_str!("assets/review.css")),
        "icon.svg" => ("image/svg+xml", include_str!("assets/icon.svg")),
        "review.js" => ("text/javascript; charset=utf-8", include_str!("assets/review.js")),
        _ => return not_found().await,
    };
    ([(header::CONTENT_TYPE, kind)], content).into_response()
}

/// Redirects the browser that the program opened to the start page. Works once.
pub async fn open(State(app): State<Arc<App>>, Path(code): Path<String>) -> Response {
    if app.is_opening(&code) { Redirect::to(&format!("{}/", app.base())).into_response() } else { not_found().await }
}

/// The answer for unknown addresses, which is also given to those who do not know the token.
pub async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "not found\n").into_response()
}
