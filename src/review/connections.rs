//! Connections to the server. Their number and their idle time are limited, so that nobody can keep others out by holding connections open.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Connections at a time; a browser opens six.
const MOST: usize = 64;
/// How long a request may take to arrive, and the next one on the same connection to begin.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum length of a request's header, in bytes.
const MAX_HEAD: usize = 64 << 10;
/// How long to wait when the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(100);

struct Connection {
    task: JoinHandle<()>,
    /// True while a request on it is being answered.
    is_busy: Arc<AtomicBool>,
}

/// Answers requests until the program ends. When there are too many connections, the oldest idle one is closed in favour of a new one; if
/// none is idle, the oldest of all.
pub async fn serve(listener: TcpListener, router: Router) -> ! {
    let mut open: VecDeque<Connection> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        open.retain(|connection| !connection.task.is_finished());
        if open.len() >= MOST {
            let idle = open.iter().position(|connection| !connection.is_busy.load(Ordering::Relaxed));
            if let Some(oldest) = open.remove(idle.unwrap_or(0)) {
                oldest.task.abort();
            }
        }
        let is_busy = Arc::new(AtomicBool::new(false));
        let (router, busy) = (TowerToHyperService::new(router.clone()), is_busy.clone());
        let service = service_fn(move |request| {
            busy.store(true, Ordering::Relaxed);
            let (answer, busy) = (router.call(request), busy.clone());
            async move {
                let answer = answer.await;
                busy.store(false, Ordering::Relaxed);
                answer
            }
        });
        let mut builder = Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(MAX_HEAD);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        // A client that breaks off needs no answer.
        let task = tokio::spawn(async { drop(connection.await) });
        open.push_back(Connection { task, is_busy });
    }
}
