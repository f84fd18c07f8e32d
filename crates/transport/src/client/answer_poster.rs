//! Posts answers in the background, a bounded number at a time.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::Failure;
use super::link::http::{BodyReader, Http, Outgoing};
use super::route::Router;

/// How many answers may be in flight at once.
const MAX_IN_FLIGHT: usize = 32;

/// Posts answers. Clones share the bound.
#[derive(Clone, Debug)]
pub(crate) struct AnswerPoster {
    http: Arc<Http>,
    slots: Arc<Semaphore>,
    patience: Duration,
    /// Ended when the server no longer knows the session.
    router: Arc<Router>,
}

impl AnswerPoster {
    pub(crate) fn new(http: Arc<Http>, patience: Duration, router: Arc<Router>) -> Self {
        Self { http, slots: Arc::new(Semaphore::new(MAX_IN_FLIGHT)), patience, router }
    }

    /// Posts in the background. Above the bound, answers are dropped: the target asks faster than it accepts answers.
    pub(crate) fn deliver(&self, path: &str, headers: &HeaderMap, body: Bytes) {
        // Answers count as part of a flood.
        if self.http.count_answer(&body).is_err() {
            return;
        }
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else { return };
        let request =
            Outgoing { verb: http::Method::POST, path: path.into(), headers: headers.clone(), body };
        let names_session = headers.contains_key("mcp-session-id");
        let (http, patience, router) = (Arc::clone(&self.http), self.patience, Arc::clone(&self.router));
        tokio::spawn(async move {
            let deadline = Instant::now() + patience;
            // The record shows the outcome; nobody waits for it.
            if let Ok(exchange) = http.send_until(request, "an answer", deadline).await {
                if names_session && exchange.head.status == http::StatusCode::NOT_FOUND {
                    router.end(Failure::SessionLost { doing: "an answer".to_owned() });
                }
                let mut body = BodyReader::new(exchange);
                let drain = async { while let Ok(Some(_)) = body.next().await {} };
                let _ = tokio::time::timeout_at(deadline, drain).await;
            }
            drop(slot);
        });
    }
}
