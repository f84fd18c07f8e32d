//! A message of a client on its way to a server.

use bytes::Bytes;
use http::HeaderMap;
use transport::serve::{Inbound, Opening};
use wire::{Id, Kind};

use crate::headers;

/// A message of a client: the bytes, and what the gateway has to know of them.
#[derive(Debug)]
pub(crate) struct ClientMessage {
    pub(crate) bytes: Bytes,
    pub(crate) kind: Kind,
    /// The id, of a request or a response.
    pub(crate) id: Option<Id>,
    /// The id as the client spelled it.
    pub(crate) id_json: Option<Bytes>,
    pub(crate) method: Option<Box<str>>,
    pub(crate) opening: Opening,
    /// The headers that go on to a server; none on a pipe.
    pub(crate) headers: HeaderMap,
}

impl ClientMessage {
    pub(crate) fn new(inbound: &Inbound<'_>) -> Self {
        let frame = &inbound.frame;
        Self {
            bytes: inbound.bytes.clone(),
            kind: frame.kind(),
            id: frame.id(),
            id_json: frame.id.map(|id| inbound.bytes.slice_ref(id.get().as_bytes())),
            method: frame.method().map(Into::into),
            opening: inbound.opening.clone(),
            headers: inbound.headers.map(headers::to_server).unwrap_or_default(),
        }
    }

    pub(crate) fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    pub(crate) const fn is_modern(&self) -> bool {
        matches!(self.opening, Opening::Modern(_))
    }
}
