//! What a client said about itself: once in a handshake, or with every request.

use std::sync::Arc;

use protocol::Version;
use protocol::capability::extension::{self, UiSupport};
use protocol::capability::{Capabilities, Capability};
use protocol::meta::LogLevel;
use protocol::shape::Shape;
use serde_json::Value;

use crate::apps::Hints;

/// The client of one request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) version: Version,
    pub(crate) capabilities: Arc<Value>,
    /// The least level that the client wants to be told of; `None` for nothing at all.
    pub(crate) log_level: Option<LogLevel>,
    /// What it said about its user.
    pub(crate) hints: Hints,
}

impl Client {
    /// How messages to this client look.
    pub(crate) fn shape(&self) -> Shape {
        let shape = Shape::to(self.version);
        if self.shows_apps() { shape.keeping_item_meta() } else { shape }
    }

    /// Whether it negotiated MCP Apps, with the media type that they have.
    pub(crate) fn shows_apps(&self) -> bool {
        match extension::ui_support(Capabilities::of(&self.capabilities)) {
            UiSupport::Yes => true,
            UiSupport::No | UiSupport::NoMimeTypes | UiSupport::OtherTypes(_) => false,
        }
    }

    pub(crate) fn has(&self, capability: Capability) -> bool {
        Capabilities::of(&self.capabilities).has(capability)
    }
}
