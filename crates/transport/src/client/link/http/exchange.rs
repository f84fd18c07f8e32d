//! One request and its response, whose body may still be on its way.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::{Connection, Http, describe, head_of};
use crate::client::Head;

/// How long the body of a refusal is waited for, and how much of it is quoted.
const BODY_TIMEOUT: Duration = Duration::from_millis(500);
const MAX_QUOTED_BYTES: usize = 160;

/// A response whose body may still be on its way. Dropping it closes the connection, unless the body was read to the
/// end.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) head: Head,
    pub(crate) number: u32,
    body: Option<Incoming>,
    connection: Option<Connection>,
    http: Arc<Http>,
}

impl Exchange {
    pub(super) fn new(
        response: http::Response<Incoming>,
        connection: Connection,
        number: u32,
        http: &Arc<Http>,
    ) -> Self {
        let head = head_of(&response, connection.head());
        let body = Some(response.into_body());
        Self { head, number, body, connection: Some(connection), http: Arc::clone(http) }
    }

    /// Whether the body is a stream of events.
    pub(crate) fn is_stream(&self) -> bool {
        self.head.media_type().as_deref() == Some("text/event-stream")
    }

    /// The next bytes of the body; `None` at its end; an error says how it was cut short.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        loop {
            let Some(body) = &mut self.body else { return Ok(None) };
            match body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(why)) => {
                    self.close();
                    return Err(describe(&why));
                }
                None => {
                    self.body = None;
                    if let Some(connection) = self.connection.take() {
                        self.http.give_back(connection);
                    }
                    return Ok(None);
                }
            }
        }
    }

    /// The first line of the body, as far as it comes at once.
    pub(super) async fn start_of_body(&mut self) -> String {
        let first = tokio::time::timeout(BODY_TIMEOUT, self.chunk()).await;
        let bytes = first.ok().and_then(Result::ok).flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_QUOTED_BYTES)]).into_owned();
        text.trim().lines().next().unwrap_or_default().to_owned()
    }

    /// Closes the connection, even in the middle of the body.
    pub(crate) fn close(&mut self) {
        self.body = None;
        self.connection = None;
    }

    pub(super) fn http(&self) -> &Http {
        &self.http
    }
}
