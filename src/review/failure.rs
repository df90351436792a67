//! Reasons why a request gets no page.

/// Why there is no page.
pub enum Failure {
    /// The thing asked for does not exist.
    Missing(String),
    /// The request makes no sense.
    Bad(String),
    /// The store, or the page itself, is at fault.
    Broken(String),
}

impl From<diglot::Error> for Failure {
    fn from(why: diglot::Error) -> Failure {
        match why {
            diglot::Error::Input { .. } | diglot::Error::Config(_) => Failure::Missing(why.to_string()),
            _ => {
                let first: &dyn std::error::Error = &why;
                let causes: Vec<String> =
                    std::iter::successors(Some(first), |cause| cause.source()).map(ToString::to_string).collect();
                Failure::Broken(causes.join(": "))
            }
        }
    }
}

impl From<askama::Error> for Failure {
    fn from(why: askama::Error) -> Failure {
        Failure::Broken(why.to_string())
    }
}
