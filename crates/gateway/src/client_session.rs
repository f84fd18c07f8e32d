//! What the gateway knows of one client session.

use std::sync::OnceLock;

use protocol::Version;
use serde_json::Value;
use transport::serve::Answer;
use wire::Frame;

use crate::client_message::ClientMessage;
use crate::upstream::Link;

/// One client session, with the server session that belongs to it. Requests of the modern era, which have no session, share one.
#[derive(Debug)]
pub struct ClientSession {
    link: Link,
    /// The revision that the handshake agreed on.
    version: OnceLock<Version>,
}

impl ClientSession {
    pub(crate) const fn new(link: Link) -> Self {
        Self { link, version: OnceLock::new() }
    }

    pub(crate) fn version(&self) -> Option<Version> {
        self.version.get().copied()
    }

    pub(crate) const fn link(&self) -> &Link {
        &self.link
    }

    /// Passes a message on to the server, and returns its answer.
    pub(crate) async fn relay(&self, message: ClientMessage) -> Answer {
        let is_handshake = message.is("initialize");
        let answer = self.link.send(message).await;
        if let (true, Answer::Message { body, .. }) = (is_handshake, &answer) {
            self.learn_version(body);
        }
        answer
    }

    fn learn_version(&self, body: &[u8]) {
        let result = Frame::parse(body).ok().and_then(|frame| frame.result);
        let result = result.and_then(|result| serde_json::from_str::<Value>(result.get()).ok());
        let version = result.and_then(|result| result.get("protocolVersion")?.as_str()?.parse().ok());
        if let Some(version) = version {
            // A second handshake changes nothing.
            let _ = self.version.set(version);
        }
    }
}
