//! What a client declares about itself, in a handshake or with every request.

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
    /// The lowest log level that the client wants; `None` for no log messages.
    pub(crate) log_level: Option<LogLevel>,
    /// The hints about its user.
    pub(crate) hints: Hints,
}

impl Client {
    /// The form of messages to this client.
    pub(crate) fn shape(&self) -> Shape {
        let shape = Shape::to(self.version);
        if self.shows_apps() { shape.keeping_item_meta() } else { shape }
    }

    /// Whether it negotiated MCP Apps with their media type.
    pub(crate) fn shows_apps(&self) -> bool {
        match extension::ui_support(Capabilities::from_value(&self.capabilities)) {
            UiSupport::Yes => true,
            UiSupport::No | UiSupport::NoMimeTypes | UiSupport::OtherTypes(_) => false,
        }
    }

    pub(crate) fn has(&self, capability: Capability) -> bool {
        Capabilities::from_value(&self.capabilities).has(capability)
    }
}
