//! How far the run is that works on the store.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};

use super::answer::{Fields, answer};
use super::failure::Failure;
use super::state::App;

/// Answers the script, which asks this while a page is open: an object as [`Working`], or `null` where no run works on the store.
pub async fn live(state: State<Arc<App>>, fields: Query<Fields>) -> Response {
    answer(state, fields, |request| {
        let text = serde_json::to_string(&request.app.working()).map_err(|why| Failure::Broken(why.to_string()))?;
        Ok(([(axum::http::header::CONTENT_TYPE, "application/json")], text).into_response())
    })
    .await
}
