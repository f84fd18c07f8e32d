//! What a client said about itself: once in a handshake, or with every request.

use protocol::Version;
use protocol::capability::extension::{self, UiSupport};
use protocol::capability::{Capabilities, Capability};
use protocol::meta::LogLevel;
use protocol::shape::Shape;
use serde_json::Value;

/// The client of one request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) version: Version,
    pub(crate) capabilities: Value,
    /// The least level that the client wants to be told of; `None` for nothing at all.
    pub(crate) log_level: Option<LogLevel>,
}

impl Client {
    /// How messages to this client look.
    pub(crate) fn shape(&self) -> Shape {
        match extension::ui_support(Capabilities::of(&self.capabilities)) {
            UiSupport::Yes => Shape::to(self.version).keeping_item_meta(),
            UiSupport::No | UiSupport::NoMimeTypes | UiSupport::OtherTypes(_) => Shape::to(self.version),
        }
    }

    pub(crate) fn has(&self, capability: Capability) -> bool {
        Capabilities::of(&self.capabilities).has(capability)
    }
}
