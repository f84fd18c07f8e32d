//! What was expected, what was there, and the bytes that show it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use transport::client::Reply;
use wire::{Direction, Entry};

/// How much of one message is shown.
const SHOWN: usize = 4096;

/// What speaks against the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// What the specification asks for.
    pub expected: String,
    /// What was there instead.
    pub actual: String,
    /// The messages that show it.
    pub frames: Vec<Excerpt>,
}

/// A message, or the beginning of a long one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Who sent it.
    pub from: Party,
    /// Its text.
    pub text: String,
    /// How many bytes it had, when not all are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

/// Who sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Party {
    /// The tester.
    Client,
    /// The target.
    Server,
}

impl Evidence {
    /// Without messages so far.
    pub fn new(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { expected: expected.into(), actual: actual.into(), frames: Vec::new() }
    }

    /// With one more message.
    #[must_use]
    pub fn showing(mut self, excerpt: Excerpt) -> Self {
        self.frames.push(excerpt);
        self
    }

    /// With everything that came back on an exchange.
    #[must_use]
    pub fn with_reply(mut self, reply: &Reply) -> Self {
        if let Some(head) = &reply.head {
            self.frames.push(Excerpt::of(Party::Server, &first_line_and_type(&head.raw)));
        }
        if reply.messages.is_empty() && !reply.body.is_empty() {
            self.frames.push(Excerpt::of(Party::Server, &reply.body));
        }
        self.frames.extend(reply.messages.iter().map(|m| Excerpt::of(Party::Server, &m.bytes)));
        self
    }
}

impl Excerpt {
    /// The beginning of `bytes`; what is not UTF-8 is shown as replacement characters.
    pub fn of(from: Party, bytes: &[u8]) -> Self {
        let shown = &bytes[..bytes.len().min(SHOWN)];
        let cut = (shown.len() < bytes.len()).then_some(bytes.len());
        Self { from, text: String::from_utf8_lossy(shown).trim_end().to_owned(), bytes: cut }
    }

    /// An entry of a transcript.
    pub fn entry(entry: &Entry) -> Self {
        let from = match entry.direction {
            Direction::ToServer => Party::Client,
            Direction::ToClient => Party::Server,
        };
        Self::of(from, &entry.bytes)
    }
}

/// Of a response head, what a reader needs: the status line and the content type.
fn first_line_and_type(head: &Bytes) -> Vec<u8> {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines();
    let mut shown = lines.next().unwrap_or_default().to_owned();
    if let Some(kind) = lines.find(|line| line.to_ascii_lowercase().starts_with("content-type:")) {
        shown.push_str(" · ");
        shown.push_str(kind);
    }
    shown.into_bytes()
}
