//! What the gateway knows of one client session.

use std::sync::OnceLock;

use protocol::Version;
use serde_json::Value;
use transport::Transport;
use transport::serve::Answer;
use wire::{Frame, Kind};

use crate::client_message::ClientMessage;
use crate::send_order::{SendOrder, SendTurn};
use crate::upstream::UpstreamLink;

/// One client session, with the server session that belongs to it. Requests of the modern era, which have no session, share one.
#[derive(Debug)]
pub struct ClientSession {
    link: UpstreamLink,
    /// The order of messages, where they come on one pipe. Over HTTP each comes by itself.
    turns: Option<SendOrder>,
    /// The revision that the handshake agreed on.
    version: OnceLock<Version>,
}

impl ClientSession {
    pub(crate) fn new(transport: Transport, link: UpstreamLink) -> Self {
        let turns = (transport != Transport::StreamableHttp).then(SendOrder::default);
        Self { link, turns, version: OnceLock::new() }
    }

    /// The turn of the next message.
    pub(crate) fn next_turn(&self) -> SendTurn {
        self.turns.as_ref().map(SendOrder::next).unwrap_or_default()
    }

    pub(crate) fn version(&self) -> Option<Version> {
        self.version.get().copied()
    }

    pub(crate) const fn link(&self) -> &UpstreamLink {
        &self.link
    }

    /// Passes a message on to the server, and returns its answer.
    pub(crate) async fn relay(&self, mut message: ClientMessage) -> Answer {
        message.turn.wait().await;
        let (is_handshake, is_request) = (message.is("initialize"), message.kind == Kind::Request);
        let answer = self.link.send(message).await;
        // On a pipe nothing tells what such an answer is for.
        if !is_request && self.turns.is_some() {
            return Answer::Accepted;
        }
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
