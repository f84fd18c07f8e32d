//! An incoming message, as faults see and change it.

use bytes::Bytes;
use http::HeaderMap;
use protocol::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};
use protocol::{Era, Version};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use transport::serve::{Answer, Handler, Inbound, Opening};
use wire::Frame;

use super::faulty::Connection;
use super::{Memory, path};
use crate::rpc::RpcError;
use crate::{Server, answer};

/// An incoming message and its context. The server gets what a fault changes here.
#[derive(Debug)]
pub struct Incoming<'a> {
    /// The method; empty if the message has none.
    pub method: String,
    /// The params; null if there are none.
    pub params: Value,
    /// The HTTP headers that it came with, if any.
    pub headers: Option<HeaderMap>,
    /// How it opens.
    pub opening: Opening,
    /// The connection that it came on.
    pub connection: &'a Connection,
    /// The memory of the fault.
    pub memory: Memory,
    /// The message as it came.
    pub frame: &'a Frame<'a>,
    bytes: &'a Bytes,
    pub(super) server: &'a Server,
}

/// What a fault does instead of passing on a message.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// The message is refused with this error.
    Refuse(i64, String),
    /// The message is accepted and ignored.
    Ignore,
    /// Neither this message nor a later one is answered on this connection.
    Deafen,
    /// This is the last message that is answered on this connection.
    AnswerLast,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(inbound: &'a Inbound<'a>, connection: &'a Connection, server: &'a Server) -> Self {
        let params = inbound.frame.params.and_then(|raw| serde_json::from_str(raw.get()).ok());
        Self {
            method: inbound.frame.method().unwrap_or_default().into_owned(),
            params: params.unwrap_or(Value::Null),
            headers: inbound.headers.cloned(),
            opening: inbound.opening.clone(),
            connection,
            memory: Memory::default(),
            frame: &inbound.frame,
            bytes: inbound.bytes,
            server,
        }
    }

    /// Whether it is a message of the modern era.
    pub fn is_modern(&self) -> bool {
        matches!(self.opening, Opening::Modern(_))
    }

    /// Its revision, as far as that is known.
    pub(super) fn version(&self) -> Option<Version> {
        if self.is_modern() { Some(Era::Modern.newest()) } else { self.server.version(&self.connection.peer) }
    }

    /// The capabilities that it declares, if it does.
    pub(super) fn capabilities(&mut self) -> Option<&mut Value> {
        let declared = match self.is_modern() {
            true => self.params.get_mut("_meta")?.get_mut(CLIENT_CAPABILITIES),
            false if self.method == "initialize" => self.params.get_mut("capabilities"),
            false => None,
        };
        declared.filter(|declared| declared.is_object())
    }

    /// Adds to `_meta` what every modern request has.
    pub(super) fn complete_meta(&mut self) {
        for (key, value) in
            [(PROTOCOL_VERSION, json!(Era::Modern.newest())), (CLIENT_CAPABILITIES, json!({}))]
        {
            self.set_meta(key, |known| known.is_none().then_some(value));
        }
    }

    /// Replaces a member of `_meta` with the result of `change`. Params that are not an object stay as they are.
    pub(super) fn set_meta(&mut self, key: &str, change: impl FnOnce(Option<&Value>) -> Option<Value>) {
        let known = self.params.get("_meta").and_then(|meta| meta.get(key));
        if let Some(value) = change(known)
            && (self.params.is_object() || self.params.is_null())
        {
            path::set(&mut self.params, &["_meta", key], &value);
        }
    }

    /// Removes a member of `_meta`.
    pub(super) fn remove_meta(&mut self, key: &str) {
        path::remove(&mut self.params, &["_meta", key]);
    }

    /// The tool that it calls, if there is one of that name.
    pub(super) fn tool(&self) -> Option<&'a crate::catalogue::ToolEntry> {
        let name = self.params.get("name")?.as_str().filter(|_| self.method == "tools/call")?;
        self.server.catalogue.tool(name)
    }

    /// The value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&[u8]> {
        Some(self.headers.as_ref()?.get(name)?.as_bytes())
    }

    /// Lets the server answer it in its present form.
    pub(super) fn ask(&self) -> Answer {
        let (method, params) = (raw(&self.method), raw(&self.params));
        let mut frame = self.frame.clone();
        if self.frame.method().is_some_and(|known| known != self.method) {
            frame.method = method.as_deref();
        }
        let known = self.frame.params.and_then(|raw| serde_json::from_str(raw.get()).ok());
        if known.unwrap_or(Value::Null) != self.params {
            frame.params = params.as_deref();
        }
        let (opening, headers) = (self.opening.clone(), self.headers.as_ref());
        let inbound = Inbound { frame, bytes: self.bytes, opening, headers };
        self.server.handle(&self.connection.peer, inbound)
    }

    /// Refuses it.
    pub(super) fn refuse(&self, code: i64, message: &str) -> Answer {
        let version = self.version().unwrap_or(Era::Modern.newest());
        answer::refuse(self.frame, version, &RpcError::new(code, message))
    }
}

fn raw(value: &impl serde::Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}
