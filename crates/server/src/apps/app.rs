//! The demo apps, as values, and how they are listed and read.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::apps::{Csp, MIME_TYPE, Permission, Permissions, ResourceUi};
use serde_json::{Value, json};

use super::{document, openai};
use crate::context::Call;

/// An app: a UI resource, and what it says about itself.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) uri: &'static str,
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// The page, before style and bridge are put in.
    pub(super) page: &'static str,
    pub(super) delivery: Delivery,
    /// The origins that it talks to.
    pub(super) connects_to: &'static [&'static str],
    pub(super) permissions: &'static [Permission],
    pub(super) prefers_border: bool,
}

/// How the document travels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Delivery {
    /// As text.
    Text,
    /// As base64.
    Blob,
}

/// An app, made ready.
#[derive(Debug)]
struct Ready {
    app: &'static App,
    /// The length of the document in bytes.
    size: usize,
    /// The document, encoded as it travels.
    body: String,
}

/// Every app, in the order in which they are listed.
pub(super) const APPS: &[App] = &[MONITOR, FORM, CHART, MAP, POEM, INSPECTOR];

/// Every app, made ready once.
static READY: LazyLock<Vec<Ready>> = LazyLock::new(|| APPS.iter().map(Ready::new).collect());

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
            // Each host has a format of its own for it, so there is none to send to all of them.
            domain: None,
            prefers_border: Some(self.prefers_border),
        }
    }

    /// What goes into `_meta` for a client that shows apps.
    fn meta(&self, call: &Call) -> Value {
        let ui = self.ui();
        let mut meta = json!({ "ui": ui.to_value() });
        if let (true, Some(members)) = (openai::is_wanted(&call.client), meta.as_object_mut()) {
            members.extend(openai::of_resource(ui, self.description));
        }
        meta
    }
}

impl Ready {
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

/// Puts the documents together, so that the first reader does not wait for it.
pub(super) fn make_ready() {
    LazyLock::force(&READY);
}

/// The apps in `resources/list`; a client that does not show them is not bothered with them.
pub(crate) fn listed(call: &Call) -> Vec<Value> {
    if super::are_shown(call) { READY.iter().map(|app| app.listed(call)).collect() } else { Vec::new() }
}

/// The contents of an app.
///
/// Whoever knows the URI may read it, also a client that does not show apps: the specification asks only that the
/// resource exists, and a host may well fetch documents ahead over another connection. Such a reader is not told
/// `_meta`, which costs it rights and never gives it any: no declared origins means none.
pub(crate) fn read(call: &Call, uri: &str) -> Option<Vec<Value>> {
    let app = READY.iter().find(|ready| ready.app.uri == uri)?;
    Some(vec![app.contents(call)])
}
