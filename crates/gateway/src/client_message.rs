//! A message of a client on its way to a server.

use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Value, json};
use transport::serve::{Inbound, Opening};
use wire::{Frame, Id, Kind};

use crate::headers;
use crate::ids::member;
use crate::send_order::SendTurn;

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
    /// Its place among the messages of a pipe.
    pub(crate) turn: SendTurn,
}

impl ClientMessage {
    pub(crate) fn new(inbound: &Inbound<'_>, turn: SendTurn) -> Self {
        let frame = &inbound.frame;
        Self {
            bytes: inbound.bytes.clone(),
            kind: frame.kind(),
            id: frame.id(),
            id_json: frame.id.map(|id| inbound.bytes.slice_ref(id.get().as_bytes())),
            method: frame.method().map(Into::into),
            opening: inbound.opening.clone(),
            headers: inbound.headers.map(headers::to_server).unwrap_or_default(),
            turn,
        }
    }

    /// A request for a page of the list of tools, by the same client.
    pub(crate) fn list_tools(&self, cursor: Option<Value>) -> Self {
        let frame = Frame::parse(&self.bytes).ok();
        let meta = frame.and_then(|frame| member(frame.params?, "_meta"));
        let mut params = json!({ "_meta": meta });
        if let Some(cursor) = cursor {
            params["cursor"] = cursor;
        }
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": params });
        Self {
            bytes: request.to_string().into(),
            kind: Kind::Request,
            id: Some(Id::Number("0".into())),
            id_json: Some(Bytes::from_static(b"0")),
            method: Some("tools/list".into()),
            opening: self.opening.clone(),
            headers: HeaderMap::new(),
            turn: SendTurn::default(),
        }
    }

    pub(crate) fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    pub(crate) const fn is_modern(&self) -> bool {
        matches!(self.opening, Opening::Modern(_))
    }
}
