//! Lines, ready to be appended to a file: each ends with its newline.

use super::{About, FORMAT, FORMAT_VERSION, Medium, RecordedSession, content, spelling};
use crate::{Entry, What};

/// The first line of a file.
pub fn header(about: &About) -> Vec<u8> {
    let mut line = RecordedLine::default();
    line.text("format", FORMAT);
    line.raw("version", FORMAT_VERSION.to_string().as_bytes());
    for (name, value) in [("tool", &about.tool), ("target", &about.target), ("started", &about.started)] {
        if let Some(value) = value {
            line.text(name, value);
        }
    }
    line.finish()
}

/// The line that describes a session, before its entries.
pub fn session_line(recorded: &RecordedSession) -> Vec<u8> {
    let mut line = RecordedLine::default();
    line.text("session", &recorded.name);
    if let Some(medium) = recorded.medium {
        line.text("transport", medium.as_str());
    }
    if let Some(protocol) = &recorded.protocol {
        line.text("protocol", protocol);
    }
    if recorded.dropped > 0 {
        line.raw("dropped", recorded.dropped.to_string().as_bytes());
    }
    line.finish()
}

/// The line of one entry.
pub fn entry(session: &str, entry: &Entry) -> Vec<u8> {
    let mut line = begin_line(session, entry);
    line.text("from", spelling::sender(entry.direction));
    if entry.exchange != 0 {
        line.raw("exchange", entry.exchange.to_string().as_bytes());
    }
    finish_line(line, entry)
}

/// The line of one entry in a session over `postMessage`, which names the windows.
fn posted_entry(session: &str, entry: &Entry) -> Vec<u8> {
    let mut line = begin_line(session, entry);
    let (from, to) = spelling::windows(entry.direction, entry.exchange);
    line.text("from", from);
    line.text("to", to);
    finish_line(line, entry)
}

fn begin_line(session: &str, entry: &Entry) -> RecordedLine {
    let mut line = RecordedLine::default();
    let micros = entry.at.as_micros();
    line.raw("at", format!("{}.{:03}", micros / 1000, micros % 1000).as_bytes());
    line.text("session", session);
    line
}

fn finish_line(mut line: RecordedLine, entry: &Entry) -> Vec<u8> {
    if entry.what != What::Message {
        line.text("what", spelling::what(entry.what));
    }
    content::write_content(entry, &mut line);
    line.finish()
}

/// A whole session: the line that describes it, and its entries.
pub fn session(recorded: &RecordedSession) -> Vec<u8> {
    let mut lines = session_line(recorded);
    let line = if recorded.medium == Some(Medium::PostMessage) { posted_entry } else { entry };
    for item in &recorded.transcript.entries {
        lines.extend_from_slice(&line(&recorded.name, item));
    }
    lines
}

/// A JSON object on one line, member by member.
#[derive(Debug, Default)]
pub(super) struct RecordedLine(Vec<u8>);

impl RecordedLine {
    /// A member whose value is a string.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.raw(name, quoted(value).as_bytes());
    }

    /// A member whose value is JSON already, without newlines.
    pub(super) fn raw(&mut self, name: &str, json: &[u8]) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        self.0.extend_from_slice(quoted(name).as_bytes());
        self.0.push(b':');
        self.0.extend_from_slice(json);
    }

    fn finish(mut self) -> Vec<u8> {
        self.0.extend_from_slice(b"}\n");
        self.0
    }
}

/// `text` as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
