//! How far the run is that works on the store.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};

use super::answer::{Fields, answer};
use super::failure::Failure;
use super::state::App;

/// How far a run is, in words.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Working {
    /// "stage 5 of 7, verify".
    pub stage: String,
    /// What is done now, with its amounts, rate and time left: "pairs: 30 of 90 sites, 3.0 sites/s, 20s left".
    pub text: String,
    /// The part of it that is done, 0..=1; `None` where that is not known.
    pub share: Option<f64>,
}

/// Answers the script, which asks while a page is looked at: an object as [`Working`], or `null` where no run works on the store.
pub async fn live(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let text = serde_json::to_string(&request.app.working()).map_err(|why| Failure::Broken(why.to_string()))?;
        Ok(([(axum::http::header::CONTENT_TYPE, "application/json")], text).into_response())
    })
    .await
}
