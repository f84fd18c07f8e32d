//! What a client has told a server about its session, for a server that has forgotten it.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::HeaderMap;
use wire::Frame;

use crate::client_message::ClientMessage;
use crate::ids::{member, replace_ids};

/// How many subscriptions are remembered.
const MAX_SUBSCRIPTIONS: usize = 1024;

/// The handshake of a legacy session, its log level and its subscriptions.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionMemory {
    /// The message, and the headers that came with it.
    handshake: Option<(Bytes, HeaderMap)>,
    log_level: Option<Bytes>,
    /// By address, as the client spelled it.
    subscriptions: BTreeMap<Bytes, Bytes>,
}

impl SessionMemory {
    /// Remembers a message if the session depends on it.
    pub(super) fn note(&mut self, message: &ClientMessage) {
        if message.is_modern() {
            return;
        }
        match message.method.as_deref() {
            Some("initialize") => {
                *self = Self {
                    handshake: Some((message.bytes.clone(), message.headers.clone())),
                    ..Self::default()
                };
            }
            Some("logging/setLevel") => self.log_level = Some(message.bytes.clone()),
            Some("resources/subscribe") if self.subscriptions.len() < MAX_SUBSCRIPTIONS => {
                if let Some(uri) = uri(&message.bytes) {
                    self.subscriptions.insert(uri, message.bytes.clone());
                }
            }
            Some("resources/unsubscribe") => {
                if let Some(uri) = uri(&message.bytes) {
                    self.subscriptions.remove(&uri);
                }
            }
            _ => {}
        }
    }

    pub(super) const fn has_handshake(&self) -> bool {
        self.handshake.is_some()
    }

    /// The handshake with the id 0, and its headers.
    pub(super) fn handshake(&self) -> Option<(Bytes, HeaderMap)> {
        let (message, headers) = self.handshake.as_ref()?;
        Some((replace_ids(message, 0).0, headers.clone()))
    }

    /// The requests that follow the handshake, with ids from 1.
    pub(super) fn requests(&self) -> Vec<Bytes> {
        let requests = self.log_level.iter().chain(self.subscriptions.values());
        requests.zip(1..).map(|(request, number)| replace_ids(request, number).0).collect()
    }
}

fn uri(request: &Bytes) -> Option<Bytes> {
    let params = Frame::parse(request).ok()?.params?;
    Some(request.slice_ref(member(params, "uri")?.get().as_bytes()))
}
