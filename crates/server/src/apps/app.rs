//! The demo apps, as values, and how they are listed and read.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::apps::{Csp, MIME_TYPE, Permission, Permissions, ResourceUi};
use serde_json::{Value, json};

use super::{document, openai};
use crate::call::Call;

/// An app: a UI resource and its metadata.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) uri: &'static str,
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// The page, before style and bridge are inserted.
    pub(super) page: &'static str,
    pub(super) delivery: Delivery,
    /// The origins that it connects to.
    pub(super) connects_to: &'static [&'static str],
    pub(super) permissions: &'static [Permission],
    pub(super) prefers_border: bool,
}

/// How the document is encoded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Delivery {
    /// As text.
    Text,
    /// As base64.
    Blob,
}

/// An app with its assembled document.
#[derive(Debug)]
struct AssembledApp {
    app: &'static App,
    /// The length of the document in bytes.
    size: usize,
    /// The encoded document.
    body: String,
}

/// Every app, in the order in which they are listed.
pub(super) const APPS: &[App] = &[MONITOR, FORM, CHART, MAP, POEM, INSPECTOR];

/// Every app, assembled once.
static ASSEMBLED: LazyLock<Vec<AssembledApp>> =
    LazyLock::new(|| APPS.iter().map(AssembledApp::new).collect());

pub(super) const MONITOR: App = App {
    title: "System monitor",
    description: "Processor, memory and load of the machine that the server runs on, live",
    ..App::plain("ui://yardstick/monitor", "monitor", include_str!("monitor.html"))
};

pub(super) const FORM: App = App {
    title: "Expenses",
    description: "A form for expenses, with a receipt of those submitted",
    ..App::plain("ui://yardstick/form", "form", include_str!("form.html"))
};

pub(super) const CHART: App = App {
    title: "Chart",
    description: "A bar or line chart that grows while the model still writes its data",
    ..App::plain("ui://yardstick/chart", "chart", include_str!("chart.html"))
};

pub(super) const MAP: App = App {
    title: "Where am I?",
    description: "A globe with a pin, and what the sandbox grants of what the app asks for",
    connects_to: &["https://tile.example.org"],
    permissions: &[Permission::Geolocation, Permission::ClipboardWrite],
    ..App::plain("ui://yardstick/map", "map", include_str!("map.html"))
};

pub(super) const POEM: App = App {
    title: "Poem",
    description: "A poem on a card of its own",
    delivery: Delivery::Blob,
    prefers_border: false,
    ..App::plain("ui://yardstick/poem", "poem", include_str!("poem.html"))
};

pub(super) const INSPECTOR: App = App {
    title: "Host inspector",
    description: "All that the host says, and all that an app may ask of it",
    ..App::plain("ui://yardstick/inspector", "inspector", include_str!("inspector.html"))
};

impl App {
    /// An app that asks for nothing.
    const fn plain(uri: &'static str, name: &'static str, page: &'static str) -> Self {
        Self {
            uri,
            name,
            title: "",
            description: "",
            page,
            delivery: Delivery::Text,
            connects_to: &[],
            permissions: &[],
            prefers_border: true,
        }
    }

    fn ui(&self) -> ResourceUi {
        let connect_domains: Vec<_> = self.connects_to.iter().map(|&origin| origin.to_owned()).collect();
        let csp = Csp { connect_domains, ..Csp::default() };
        ResourceUi {
            csp: Some(csp).filter(|csp| *csp != Csp::default()),
            permissions: Permissions::new(self.permissions.iter().copied()),
            // Each host has its own format for the domain, so none is sent.
            domain: None,
            prefers_border: Some(self.prefers_border),
        }
    }

    /// The `_meta` for a client that shows apps.
    fn meta(&self, call: &Call) -> Value {
        let ui = self.ui();
        let mut meta = json!({ "ui": ui.to_value() });
        if let (true, Some(members)) = (openai::is_wanted(&call.client), meta.as_object_mut()) {
            members.extend(openai::write_resource_meta(ui, self.description));
        }
        meta
    }
}

impl AssembledApp {
    fn new(app: &'static App) -> Self {
        let document = document::assemble(app.page);
        let size = document.len();
        let body = match app.delivery {
            Delivery::Text => document,
            Delivery::Blob => BASE64.encode(document),
        };
        Self { app, size, body }
    }

    fn listed(&self, call: &Call) -> Value {
        let App { uri, name, title, description, .. } = self.app;
        json!({
            "uri": uri, "name": name, "title": title, "description": description,
            "mimeType": MIME_TYPE, "size": self.size, "_meta": self.app.meta(call),
        })
    }

    fn contents(&self, call: &Call) -> Value {
        let body = match self.app.delivery {
            Delivery::Text => "text",
            Delivery::Blob => "blob",
        };
        let mut contents = json!({ "uri": self.app.uri, "mimeType": MIME_TYPE, body: self.body });
        if super::are_shown(call) {
            contents["_meta"] = self.app.meta(call);
        }
        contents
    }
}

/// Assembles the documents, so that the first reader does not wait.
pub(super) fn assemble_all() {
    LazyLock::force(&ASSEMBLED);
}

/// The apps in `resources/list`, for clients that show them.
pub(crate) fn listed(call: &Call) -> Vec<Value> {
    if super::are_shown(call) { ASSEMBLED.iter().map(|app| app.listed(call)).collect() } else { Vec::new() }
}

/// The contents of an app.
///
/// Any client may read it, even one that does not show apps: the specification only asks that the resource exists, and
/// a host may prefetch documents over another connection. Such a reader gets no `_meta`, which is safe: without
/// declared origins the app may connect to none.
pub(crate) fn read_app(call: &Call, uri: &str) -> Option<Vec<Value>> {
    let app = ASSEMBLED.iter().find(|assembled| assembled.app.uri == uri)?;
    Some(vec![app.contents(call)])
}
