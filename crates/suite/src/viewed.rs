//! What a report says of an app in one row of the matrix of hosts.

use std::sync::Arc;

use protocol::apps::BridgeDirection;
use serde::{Deserialize, Serialize};
use wire::What;

use crate::{Comparison, Viewing};

/// How many messages of a viewing a report has.
const MAX_MESSAGES: usize = 60;
/// How many characters of a message.
const MAX_CHARS: usize = 400;

/// An app in one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewedApp {
    /// The tool whose app it is.
    pub subject: String,
    /// The name of the row.
    pub row: String,
    /// What the row varies.
    pub about: String,
    /// When the handshake was complete, in milliseconds; none if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialized_ms: Option<u64>,
    /// Why the tool was not called, if it was not. Its app then learnt that the call was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncalled: Option<String>,
    /// The tools that the app wanted to call and that were not called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// Why the app could not be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The file with the picture of the app, where one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// The picture itself, as PNG. Only a page that is written at once has it.
    #[serde(skip)]
    pub picture: Option<Arc<[u8]>>,
    /// How it looks beside its reference picture, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ViewedComparison>,
    /// What View and host said, as far as there is room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<ViewedMessage>,
}

/// How an app looks beside its reference picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewedComparison {
    /// The result, in one line.
    pub text: String,
    /// Whether the app looks different.
    pub is_different: bool,
    /// The files with the reference and with what differs, where they were written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<[String; 2]>,
    /// The reference and what differs, as PNG. Only a page that is written at once has them.
    #[serde(skip)]
    pub pictures: Option<[Arc<[u8]>; 2]>,
}

impl From<&Comparison> for ViewedComparison {
    fn from(comparison: &Comparison) -> Self {
        let told = |text: &str| Self { text: text.to_owned(), ..Self::default() };
        match comparison {
            Comparison::Same => told("looks as in its reference picture"),
            Comparison::Missing => told("there is no reference picture"),
            Comparison::Updated => told("is the new reference picture"),
            Comparison::Unreadable(why) => told(why),
            Comparison::Different { expected, difference } => Self {
                is_different: true,
                pictures: Some([expected, &difference.picture].map(|file| Arc::from(file.as_slice()))),
                ..told(&difference.describe())
            },
        }
    }
}

/// A message between View and host, or the beginning of a long one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewedMessage {
    /// When, in milliseconds since the View was opened.
    pub at_ms: u64,
    /// Whether the View sent it.
    pub from_view: bool,
    /// Its text.
    pub text: String,
}

impl ViewedApp {
    /// What a report says of `viewing`.
    pub fn new(viewing: &Viewing) -> Self {
        let millis = |at: std::time::Duration| u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        let said = viewing.transcript.entries.iter().filter(|entry| entry.what == What::Message);
        let said = said.filter_map(|entry| match BridgeDirection::of_entry(entry) {
            BridgeDirection::ViewToHost => Some((entry, true)),
            BridgeDirection::HostToView => Some((entry, false)),
            BridgeDirection::ProxyToHost | BridgeDirection::HostToProxy => None,
        });
        let messages = said.take(MAX_MESSAGES).map(|(entry, from_view)| ViewedMessage {
            at_ms: millis(entry.at),
            from_view,
            text: String::from_utf8_lossy(&entry.bytes).chars().take(MAX_CHARS).collect(),
        });
        Self {
            subject: viewing.tool.clone(),
            row: viewing.row.name.to_owned(),
            about: viewing.row.about.to_owned(),
            initialized_ms: viewing.initialized.map(millis),
            uncalled: viewing.uncalled.map(str::to_owned),
            denied: viewing.denied.clone(),
            trouble: viewing.trouble.clone(),
            screenshot: None,
            picture: viewing.screenshot.as_deref().map(Arc::from),
            comparison: viewing.comparison.as_ref().map(ViewedComparison::from),
            messages: messages.collect(),
        }
    }

    /// Passes every text that came from the app through `hide`, which takes secrets out.
    #[must_use]
    pub fn redacted(mut self, hide: impl Fn(&str) -> String) -> Self {
        self.trouble = self.trouble.map(|text| hide(&text));
        self.denied = self.denied.iter().map(|name| hide(name)).collect();
        for message in &mut self.messages {
            message.text = hide(&message.text);
        }
        self
    }
}
