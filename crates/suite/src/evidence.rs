//! What was expected, what was there, and the bytes that show it.

use bytes::Bytes;
use protocol::Version;
use serde::{Deserialize, Serialize};
use transport::client::Reply;
use wire::{Direction, Entry, Transcript, What};

use crate::find_focus;

/// How much of one message is shown.
const MAX_SHOWN_BYTES: usize = 4096;
/// How much of one message is kept until it is known which part of it is shown.
const MAX_KEPT_BYTES: usize = 256 * 1024;
/// How much is shown before the part that matters.
const BYTES_BEFORE_FOCUS: usize = MAX_SHOWN_BYTES / 4;

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

/// A message, or a part of a long one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Who sent it.
    pub from: Party,
    /// The lines of its HTTP head that matter, such as `Origin: https://attacker.example`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head: Vec<String>,
    /// Its text.
    pub text: String,
    /// Where in the message the text begins, in bytes, when that is not the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
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

    /// With the heads of the HTTP exchanges in `transcript`.
    #[must_use]
    pub(crate) fn showing_heads(mut self, transcript: &Transcript) -> Self {
        let heads = transcript.entries.iter().filter(|entry| entry.what == What::Head);
        self.frames.extend(heads.map(|head| match head.direction {
            Direction::ToServer => Excerpt::request(head, None),
            Direction::ToClient => Excerpt::entry(head),
        }));
        self
    }

    /// With everything that came back on an exchange.
    #[must_use]
    pub fn with_reply(mut self, reply: &Reply) -> Self {
        if let Some(head) = &reply.head {
            self.frames.push(Excerpt::from_bytes(Party::Server, &first_line_and_type(&head.raw)));
        }
        if reply.messages.is_empty() && !reply.body.is_empty() {
            self.frames.push(Excerpt::from_bytes(Party::Server, &reply.body));
        }
        self.frames.extend(reply.messages.iter().map(|m| Excerpt::from_bytes(Party::Server, &m.bytes)));
        self
    }
}

impl Excerpt {
    /// The message in `bytes`; what is not UTF-8 is shown as replacement characters.
    pub fn from_bytes(from: Party, bytes: &[u8]) -> Self {
        let kept = &bytes[..bytes.len().min(MAX_KEPT_BYTES)];
        let cut = (kept.len() < bytes.len()).then_some(bytes.len());
        let text = String::from_utf8_lossy(kept).trim_end().to_owned();
        Self { from, head: Vec::new(), text, at: None, bytes: cut }
    }

    /// A request over HTTP: its message with the headers that matter, or its first line where it has no body.
    pub fn request(head: &Entry, message: Option<&Entry>) -> Self {
        let text = String::from_utf8_lossy(&head.bytes).into_owned();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let mut excerpt =
            message.map_or_else(|| Self::from_bytes(Party::Client, first.as_bytes()), Self::entry);
        let headers = lines.filter_map(|line| line.split_once(':'));
        for (name, value) in headers.map(|(name, value)| (name.trim(), value.trim())) {
            if !name.is_empty() && !is_routine(name, value, &excerpt.text) {
                excerpt = excerpt.with_header(name, value);
            }
        }
        excerpt
    }

    /// With a line of the HTTP head that it was sent with.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.head.push(format!("{name}: {value}"));
        self
    }

    /// No more of the message than is shown: around the part that one of `texts` names, else its beginning.
    #[must_use]
    pub fn around(mut self, texts: &[&str]) -> Self {
        if self.text.len() <= MAX_SHOWN_BYTES {
            return self;
        }
        let focus = find_focus(&self.text, texts).unwrap_or(0);
        let start =
            if focus + BYTES_BEFORE_FOCUS <= MAX_SHOWN_BYTES { 0 } else { focus - BYTES_BEFORE_FOCUS };
        let start = self.text.floor_char_boundary(start.min(self.text.len() - MAX_SHOWN_BYTES));
        let end = self.text.floor_char_boundary(start + MAX_SHOWN_BYTES);
        self.bytes = self.bytes.or(Some(self.text.len()));
        self.at = (start > 0).then_some(start);
        self.text = self.text[start..end].to_owned();
        self
    }

    /// An entry of a transcript.
    pub fn entry(entry: &Entry) -> Self {
        let from = match entry.direction {
            Direction::ToServer => Party::Client,
            Direction::ToClient => Party::Server,
        };
        Self::from_bytes(from, &entry.bytes)
    }
}

/// Whether a header says nothing that the reader of a finding has to know: it is on every request, or repeats the message.
fn is_routine(name: &str, value: &str, message: &str) -> bool {
    match name.to_ascii_lowercase().as_str() {
        "content-length" | "connection" | "user-agent" | "accept-encoding" | "mcp-session-id" => true,
        "host" => {
            value.starts_with(|c: char| c.is_ascii_digit() || c == '[') || value.starts_with("localhost")
        }
        "content-type" => value == "application/json",
        "accept" => value.contains("application/json") && value.contains("text/event-stream"),
        "mcp-protocol-version" => value.parse::<Version>().is_ok(),
        "mcp-method" | "mcp-name" => message.contains(&format!("\"{value}\"")),
        _ => false,
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::What;

    use super::*;

    fn long() -> Vec<u8> {
        let tools = |range: std::ops::Range<u32>| {
            range.map(|number| format!(r#"{{"name":"tool-{number}"}}"#)).collect::<Vec<_>>().join(",")
        };
        let odd = r#"{"name":"odd-one","inputSchema":7}"#;
        format!(r#"{{"result":{{"tools":[{},{odd},{}]}}}}"#, tools(0..500), tools(500..1000)).into_bytes()
    }

    #[test]
    fn a_long_message_is_shown_where_it_matters() {
        let shown =
            Excerpt::from_bytes(Party::Server, &long()).around(&["/tools/500/inputSchema: not an object"]);
        assert!(shown.text.contains("odd-one"), "{shown:?}");
        assert_eq!(shown.bytes, Some(long().len()));
        assert!(shown.at.is_some_and(|at| long()[at..].starts_with(shown.text.as_bytes())));
        let beginning = Excerpt::from_bytes(Party::Server, &long()).around(&["of which nothing is named"]);
        assert_eq!((beginning.at, beginning.text.len()), (None, MAX_SHOWN_BYTES));
    }

    fn entry(what: What, text: &str) -> Entry {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        Entry { at: Duration::ZERO, direction: Direction::ToServer, what, exchange: 1, bytes }
    }

    #[test]
    fn a_request_shows_the_headers_that_matter() {
        let head = entry(
            What::Head,
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:9\r\ncontent-type: application/json\r\nMcp-Method: tools/list\r\n\
             Mcp-Name: other\r\nOrigin: https://attacker.example\r\nmcp-protocol-version: 2025-11-25\r\n\r\n",
        );
        let message = entry(What::Message, r#"{"method":"tools/list"}"#);
        let shown = Excerpt::request(&head, Some(&message));
        assert_eq!(shown.head, ["Mcp-Name: other", "Origin: https://attacker.example"]);
        assert_eq!(shown.text, r#"{"method":"tools/list"}"#);
        let head = entry(What::Head, "GET /mcp HTTP/1.1\r\nlast-event-id: 7\r\n\r\n");
        let shown = Excerpt::request(&head, None);
        assert_eq!(
            (shown.text.as_str(), &shown.head[..]),
            ("GET /mcp HTTP/1.1", &["last-event-id: 7".to_owned()][..])
        );
    }

    #[test]
    fn a_short_message_is_shown_whole() {
        let shown =
            Excerpt::from_bytes(Party::Client, b"{}").with_header("Origin", "https://attacker.example");
        let shown = shown.around(&[]);
        assert_eq!((shown.text.as_str(), shown.bytes), ("{}", None));
        assert_eq!(shown.head, ["Origin: https://attacker.example"]);
    }
}
