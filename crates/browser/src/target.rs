//! What can be attached to, and what each is told before it may run.

use serde_json::{Value, json};

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A page or popup.
    Page,
    /// A frame in a process of its own.
    Frame,
    /// A worker of a page.
    Worker,
    /// A worker that pages share.
    SharedWorker,
    /// A service worker.
    ServiceWorker,
    /// Anything else.
    Other,
}

/// One target and the session that it is spoken to in.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The target's id; for pages and frames also that of the frame.
    pub(crate) id: String,
    pub(crate) session: String,
    /// The session that it was found in, unless that is the browser's own.
    pub(crate) above: Option<String>,
    /// The id of the page that it belongs to.
    pub(crate) page: String,
    pub(crate) kind: Kind,
    pub(crate) url: String,
    /// It has heard all that it must know, and runs.
    pub(crate) ready: bool,
    pub(crate) crashed: bool,
}

impl Kind {
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

    /// What it is told while it is paused. Some targets know less than others, and refuse what they do not know.
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
            // Pages behave as if each had the focus, however many there are.
            commands.push(("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })));
        }
        commands
    }
}

/// Attach to all that comes, before it runs. The browser's own pages are none of our business.
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
