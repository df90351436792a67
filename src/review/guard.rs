//! Access control: only the browser that was given the address may send requests, and only from pages of this server.
//!
//! Any web page can make a browser send requests to this port. But it cannot know the token, which every path begins with. It cannot make
//! the browser send another `Host` than its own name, so a foreign name that was made to resolve to this machine is refused. It cannot
//! forge its `Origin`. Naming two hosts does not help either.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use super::connections::PATIENCE;
use super::state::App;

/// Nothing may load or run but the style and the script of the page itself, and no other page may show it in a frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Links to other servers do not reveal the token; forms of the page still send their origin.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Maximum length of a form, in bytes.
const MAX_FORM: usize = 64 << 10;

/// The port that addresses without a port mean.
const USUAL_PORT: u16 = 80;

/// Refuses requests that do not come from the page itself, and sets the headers of every answer.
pub async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match why_refused(app.port, request.method(), request.uri(), request.headers()) {
        Some(refused) => refused.into_response(),
        None => answered(request, next).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The whole answer to a request.
async fn answered(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match timeout(PATIENCE, to_bytes(body, MAX_FORM)).await {
        Ok(Ok(form)) => next.run(Request::from_parts(head, Body::from(form))).await,
        Ok(Err(_)) => (StatusCode::PAYLOAD_TOO_LARGE, "the form is too long\n").into_response(),
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "the form did not come\n").into_response(),
    }
}

/// The answer to a refused request.
type Refused = (StatusCode, &'static str);

fn why_refused(port: u16, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Refused> {
    let mut own = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    // Browsers leave out the default port.
    if port == USUAL_PORT {
        own.extend(["127.0.0.1".to_owned(), "localhost".to_owned()]);
    }
    let is_own_host = |host: &str| own.iter().any(|own| own == host);
    // Two `Host` headers are refused: one program takes the first, another the last, and a third the one in the request line.
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Some((StatusCode::BAD_REQUEST, "a request names one host\n"));
    };
    if uri.authority().is_some_and(|authority| !is_own_host(authority.as_str())) {
        return Some((StatusCode::BAD_REQUEST, "this page is no proxy\n"));
    }
    let refused = |problem| Some((StatusCode::FORBIDDEN, problem));
    if !host.to_str().is_ok_and(is_own_host) {
        return refused("this page answers under its own address only\n");
    }
    let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(is_own_host);
    let origin = headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or_default());
    match *method {
        Method::GET | Method::HEAD if origin.is_none_or(is_own) => None,
        Method::GET | Method::HEAD => refused("this is for the page itself only\n"),
        // Browsers send the origin with every form.
        Method::POST if origin.is_some_and(is_own) => None,
        Method::POST => refused("forms are taken from the page itself only\n"),
        _ => refused("no such method\n"),
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
        why_refused(4000, &method, &Uri::from_static("/"), &map).is_none()
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
