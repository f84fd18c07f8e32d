//! Targets of the debugging protocol, and the commands that set each one up.

use serde_json::{Value, json};

/// The kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// A page or popup.
    Page,
    /// A frame in a separate process.
    Frame,
    /// A dedicated worker of a page.
    Worker,
    /// A shared worker.
    SharedWorker,
    /// A service worker.
    ServiceWorker,
    /// Anything else.
    Other,
}

/// One target and its session.
#[derive(Clone, Debug)]
pub(crate) struct AttachedTarget {
    /// The target's id. For pages and frames it is also the frame's id.
    pub(crate) id: String,
    pub(crate) session: String,
    /// The session that reported the target, unless that is the browser's own.
    pub(crate) above: Option<String>,
    /// The id of the page that it belongs to.
    pub(crate) page: String,
    pub(crate) kind: TargetKind,
    pub(crate) url: String,
    /// Whether it is set up and runs.
    pub(crate) ready: bool,
    pub(crate) crashed: bool,
}

impl TargetKind {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "page" => Self::Page,
            "iframe" => Self::Frame,
            "worker" => Self::Worker,
            "shared_worker" => Self::SharedWorker,
            "service_worker" => Self::ServiceWorker,
            _ => Self::Other,
        }
    }

    /// Whether it has a document.
    pub(crate) const fn has_document(self) -> bool {
        match self {
            Self::Page | Self::Frame => true,
            Self::Worker | Self::SharedWorker | Self::ServiceWorker | Self::Other => false,
        }
    }

    /// The commands for a paused target. Some targets refuse some of them.
    pub(crate) fn introduction(self) -> Vec<(&'static str, Value)> {
        let mut commands = vec![
            ("Target.setAutoAttach", auto_attach()),
            ("Runtime.enable", json!({})),
            ("Log.enable", json!({})),
            ("Audits.enable", json!({})),
            ("Network.enable", json!({})),
        ];
        if self.has_document() {
            commands.insert(0, ("Page.enable", json!({})));
            commands.push(("Page.setLifecycleEventsEnabled", json!({ "enabled": true })));
        }
        if self == Self::Page {
            // Every page behaves as if it had the focus.
            commands.push(("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })));
        }
        commands
    }
}

/// Attaches to every new target before it runs, except the browser's own pages.
pub(crate) fn auto_attach() -> Value {
    json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        "filter": [
            { "type": "browser", "exclude": true },
            { "type": "tab", "exclude": true },
            { "type": "browser_ui", "exclude": true },
            {},
        ],
    })
}
