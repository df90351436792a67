//! Who may ask: only the browser that was given the address, for a page of this very origin.
//!
//! Any web page can make a browser send requests to this port. What it cannot do is to know the token, which every path begins with; nor
//! to send another `Host` than its own name (so a name that was made to point to this machine is refused), nor to pass off its `Origin`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::state::App;

/// Nothing loads or runs but the style and the script of the page itself; no page of others shows it in a frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Following a link out tells nobody the token; forms of the page still name their origin.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// The port of addresses without one.
const USUAL_PORT: u16 = 80;

/// Refuses what does not come from the page itself, and sets the headers of every answer.
pub async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let refused = why_refused(app.port, request.method(), request.headers());
    let mut response = match refused {
        Some(problem) => (StatusCode::FORBIDDEN, problem).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn why_refused(port: u16, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
    let mut own = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    // Browsers leave out the usual port.
    if port == USUAL_PORT {
        own.extend(["127.0.0.1".to_owned(), "localhost".to_owned()]);
    }
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if !text(header::HOST).is_some_and(|host| own.iter().any(|own| own == host)) {
        return Some("this page answers under its own address only\n");
    }
    let is_own = |origin: &str| own.iter().any(|own| origin.strip_prefix("http://") == Some(own));
    let origin = text(header::ORIGIN);
    match *method {
        Method::GET | Method::HEAD => {
            origin.is_some_and(|origin| !is_own(origin)).then_some("this is for the page itself only\n")
        }
        // A browser names the origin of every form that is sent.
        Method::POST => (!origin.is_some_and(is_own)).then_some("forms are taken from the page itself only\n"),
        _ => Some("no such method\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(method: Method, headers: &[(HeaderName, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(name.clone(), HeaderValue::from_str(value).expect("a header"));
        }
        why_refused(4000, &method, &map).is_none()
    }

    #[test]
    fn only_the_page_itself_may_ask() {
        use header::{HOST, ORIGIN};
        let own = (HOST, "127.0.0.1:4000");
        assert!(verdict(Method::GET, std::slice::from_ref(&own)));
        assert!(verdict(Method::GET, &[(HOST, "localhost:4000")]));
        assert!(verdict(Method::POST, &[own.clone(), (ORIGIN, "http://127.0.0.1:4000")]));
        for host in ["evil.test:4000", "127.0.0.1", "127.0.0.1:4001", "localhost", ""] {
            assert!(!verdict(Method::GET, &[(HOST, host)]), "{host}");
        }
        assert!(!verdict(Method::GET, &[]));
        for origin in ["http://evil.test", "null", "http://127.0.0.1:4001", "https://127.0.0.1:4000"] {
            assert!(!verdict(Method::POST, &[own.clone(), (ORIGIN, origin)]), "{origin}");
            assert!(!verdict(Method::GET, &[own.clone(), (ORIGIN, origin)]), "{origin}");
        }
        assert!(!verdict(Method::POST, std::slice::from_ref(&own)));
        assert!(!verdict(Method::PUT, &[own.clone(), (ORIGIN, "http://127.0.0.1:4000")]));
    }
}
