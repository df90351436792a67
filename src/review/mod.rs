//! A local web page on a store, for looking at pairs, judging them, and estimating from that how good the others are; and a report in one
//! file.
//!
//! `connections.rs` accepts connections, `state.rs` has what all requests share, and `guard.rs` decides who may send requests. Each view is
//! a file of its own, named after it; `live.rs` tells how far a run has come. `views.rs`, `filters.rs` and `templates/` are the appearance;
//! `background.rs` counts what no request has time to count, `counting.rs` has the figures of the whole store, `drawing.rs` draws sentence
//! pairs, and `comparing.rs` compares the store with another; `figures.rs` has the figures that page and report share, `tables.rs` the
//! lists of the report, `record.rs` its figures as data, beside those of an earlier one; `sample.rs` draws the samples to be judged.
//!
//! The store is opened for each request, so that the pages of a host, a pair and a page are of the last commit, even while a job writes. What
//! is counted in the background may be of an earlier one, which its pages say. Archived text is escaped and never run: headers allow nothing but the page's own style and script to load or run.

mod answer;
mod background;
mod compare;
mod comparing;
mod connections;
mod correct;
mod counting;
mod drawing;
mod failure;
mod figures;
mod filters;
mod guard;
mod host;
mod hosts;
pub mod judge;
mod lists;
mod live;
mod lone;
mod overview;
mod page;
mod pair;
mod pairs;
pub mod record;
pub mod report;
mod sample;
mod sentences;
mod state;
mod tables;
mod views;
mod working;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::routing::{get, post};

pub use state::{OPENING, Options};
pub use working::Working;

use state::App;

/// Serves the page until the program is stopped. `started` gets its address, and a second address that leads there once.
pub fn serve(options: Options, started: impl FnOnce(&str, &str) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = tokio::net::TcpListener::bind(address).await;
        let listener = listener
            .with_context(|| format!("port {} cannot be taken; --port 0 takes one that is free", options.port))?;
        let port = listener.local_addr()?.port();
        let app = Arc::new(App::new(options, port)?);
        started(&app.address(), &app.opening())?;
        app.counting.begin();
        connections::serve(listener, router(&app)).await
    })
}

fn router(app: &Arc<App>) -> Router {
    let inside = Router::new()
        .route("/hosts", get(hosts::hosts))
        .route("/host", get(host::host))
        .route("/pairs", get(pairs::pairs))
        .route("/sentences", get(sentences::sentences))
        .route("/compare", get(compare::differences))
        .route("/lone", get(lone::lone))
        .route("/pair", get(pair::pair))
        .route("/page", get(page::page))
        .route("/mark", post(judge::mark))
        .route("/correct", post(correct::correct))
        .route("/judge", get(judge::samples).post(judge::draw))
        .route("/judge/{name}", get(judge::next))
        .route("/judge/{name}/result", get(judge::result))
        .route("/gold/{file}", get(judge::gold))
        .route("/assets/{file}", get(answer::asset))
        .route("/state", get(overview::counted))
        .route("/live", get(live::live));
    Router::new()
        .route(&format!("{}/", app.base()), get(overview::overview))
        .route("/open/{code}", get(answer::open))
        .nest(&app.base(), inside)
        .fallback(answer::not_found)
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app.clone())
}
