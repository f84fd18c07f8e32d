//! The record of one app in one row of the matrix.

use std::collections::BTreeMap;
use std::time::Duration;

use browser::{NetworkRequest, Violation};
use protocol::apps::BridgeDirection;
use serde::Deserialize;
use serde_json::Value;
use wire::{Direction, Entry, Transcript, What};

use super::pictures::Comparison;
use super::rows::HostRow;

/// The record of one app in one row.
#[derive(Debug)]
pub struct Viewing {
    /// The tool whose app is shown.
    pub tool: String,
    /// The row.
    pub row: &'static HostRow,
    /// What View and host said, from the time on at which the View was opened.
    pub transcript: Transcript,
    /// The lines that the View wrote on its console.
    pub console: Vec<ConsoleLine>,
    /// Its uncaught errors and unhandled rejections.
    pub exceptions: Vec<String>,
    /// What its content security policy blocked.
    pub violations: Vec<Violation>,
    /// What the browser itself complained about, for example a permission that is missing.
    pub notices: Vec<String>,
    /// The requests of its frame, besides the one for its own document.
    pub requests: Vec<NetworkRequest>,
    /// The app on the screen, as PNG.
    pub screenshot: Option<Vec<u8>>,
    /// How it looks beside its reference; none where nothing was to be compared.
    pub comparison: Option<Comparison>,
    /// What its document showed; none if it could not be read.
    pub facts: Option<DocumentFacts>,
    /// When the handshake was complete, since the View was opened.
    pub initialized: Option<Duration>,
    /// The View as the host described it: its policy and permissions.
    pub view: Value,
    /// Why the tool was not called, if it was not.
    pub uncalled: Option<&'static str>,
    /// The tools that the View wanted to call and that must not be called.
    pub denied: Vec<String>,
    /// Why the View could not be shown.
    pub trouble: Option<String>,
}

/// A line on the View's console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// `log`, `warning`, `error` and others.
    pub level: String,
    /// The text.
    pub text: String,
}

/// What a View's document showed when it had settled.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentFacts {
    /// Its title.
    pub title: String,
    /// Its declared language.
    pub language: String,
    /// Its visible text.
    pub text: String,
    /// How many texts, pictures and controls are visible.
    pub shown: usize,
    /// The colour behind its content.
    pub background: BackgroundColor,
    /// The texts with the least contrast, worst first.
    pub worst_contrasts: Vec<TextContrast>,
    /// Visible controls without an accessible name.
    pub nameless: Vec<String>,
    /// Elements that react to a click and that the keyboard cannot reach.
    pub unreachable: Vec<String>,
    /// How many controls are visible.
    pub controls: usize,
    /// The custom properties that its styles use, with the values that they have.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// How many main landmarks are visible.
    pub mains: usize,
    /// The width of its frame.
    pub width: f64,
    /// The height of its frame.
    pub height: f64,
    /// The width of its content.
    pub scroll_width: f64,
    /// The height of its content.
    pub scroll_height: f64,
}

/// The colour behind a document's content.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct BackgroundColor {
    /// Red, green and blue.
    pub color: String,
    /// From 0, black, to 1, white.
    pub luminance: f64,
}

/// The contrast of a text with its background.
#[derive(Clone, Debug, Deserialize)]
pub struct TextContrast {
    /// The element, with the beginning of its text.
    pub node: String,
    /// From 1 to 21.
    pub ratio: f64,
}

impl Viewing {
    /// A viewing that failed, with the reason.
    pub(crate) fn failed(tool: &str, row: &'static HostRow, why: impl Into<String>) -> Self {
        Self {
            tool: tool.to_owned(),
            row,
            transcript: Transcript::default(),
            console: Vec::new(),
            exceptions: Vec::new(),
            violations: Vec::new(),
            notices: Vec::new(),
            requests: Vec::new(),
            screenshot: None,
            comparison: None,
            facts: None,
            initialized: None,
            view: Value::Null,
            uncalled: None,
            denied: Vec::new(),
            trouble: Some(why.into()),
        }
    }

    /// The messages of the View, in order.
    pub(crate) fn messages_of_view(&self) -> impl Iterator<Item = (&Entry, Value)> {
        self.messages().filter(|(entry, _)| entry.direction == Direction::ToServer)
    }

    /// The messages that the View got, in order.
    pub(crate) fn messages_to_view(&self) -> impl Iterator<Item = (&Entry, Value)> {
        self.messages().filter(|(entry, _)| entry.direction == Direction::ToClient)
    }

    /// The messages of the View with that method.
    pub(crate) fn sent_with_method<'v>(
        &'v self,
        method: &'v str,
    ) -> impl Iterator<Item = (&'v Entry, Value)> {
        self.messages_of_view().filter(move |(_, message)| message["method"] == method)
    }

    /// The View's response to the request with that id.
    pub(crate) fn response(&self, id: &Value) -> Option<(&Entry, Value)> {
        self.messages_of_view()
            .find(|(_, message)| message.get("method").is_none() && message.get("id") == Some(id))
    }

    /// The display modes that the View declared.
    pub(crate) fn declared_modes(&self) -> Vec<String> {
        let asked = self.sent_with_method("ui/initialize").next();
        let declared =
            asked.map(|(_, message)| message["params"]["appCapabilities"]["availableDisplayModes"].clone());
        let names = declared.as_ref().and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The requests to other machines that failed for want of a network, not because a policy forbids them.
    pub(crate) fn failed_network_requests(&self) -> impl Iterator<Item = &NetworkRequest> {
        self.requests.iter().filter(|it| it.failure.as_deref().is_some_and(|why| why != "csp"))
    }

    fn messages(&self) -> impl Iterator<Item = (&Entry, Value)> {
        let posted = self.transcript.entries.iter().filter(|entry| entry.what == What::Message);
        // What the proxy says is not the View's doing.
        let of_view = posted.filter(|entry| {
            let direction = BridgeDirection::of_entry(entry);
            direction == BridgeDirection::ViewToHost || direction == BridgeDirection::HostToView
        });
        of_view.filter_map(|entry| Some((entry, serde_json::from_slice(&entry.bytes).ok()?)))
    }
}
