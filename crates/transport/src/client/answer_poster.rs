//! Posts answers that nobody waits for, a bounded number at a time.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::link::http::{BodyReader, Http, Outgoing};

/// How many answers may be on their way at once.
const AT_ONCE: usize = 32;

/// Posts answers. Clones share the bound.
#[derive(Clone, Debug)]
pub(crate) struct AnswerPoster {
    http: Arc<Http>,
    slots: Arc<Semaphore>,
    patience: Duration,
}

impl AnswerPoster {
    pub(crate) fn new(http: Arc<Http>, patience: Duration) -> Self {
        Self { http, slots: Arc::new(Semaphore::new(AT_ONCE)), patience }
    }

    /// Posts in the background. A target that asks more than it lets answer gets no answer.
    pub(crate) fn deliver(&self, path: &str, headers: &HeaderMap, body: Bytes) {
        // What is owed to a flood is part of it.
        if self.http.owe(&body).is_err() {
            return;
        }
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else { return };
        let request =
            Outgoing { verb: http::Method::POST, path: path.into(), headers: headers.clone(), body };
        let (http, patience) = (Arc::clone(&self.http), self.patience);
        tokio::spawn(async move {
            let deadline = Instant::now() + patience;
            // The record shows how it went; nobody waits for it.
            if let Ok(exchange) = http.send_until(request, "an answer", deadline).await {
                let mut body = BodyReader::new(exchange);
                let drain = async { while let Ok(Some(_)) = body.next().await {} };
                let _ = tokio::time::timeout_at(deadline, drain).await;
            }
            drop(slot);
        });
    }
}
