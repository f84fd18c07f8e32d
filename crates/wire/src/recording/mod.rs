//! Recorded sessions as lines of JSON.
//!
//! The first line names the format; a line without a direction describes a session; every other line is an
//! [`Entry`](crate::Entry). Writing is exact: what is read back is what was recorded, byte for byte. Reading is liberal,
//! because other tools record sessions too: a direction and a message are enough.

mod content;
mod fields;
mod head;
mod read;
mod spelling;
#[cfg(test)]
mod tests;
pub mod write;

use std::fmt;

use crate::Transcript;

pub use read::UnreadableRecording;

/// The name of the format, in the first line of a file.
pub const FORMAT: &str = "mcp-transcript";
/// The version of the format; a member that goes away or changes its meaning raises it.
pub const FORMAT_VERSION: u64 = 1;

/// The session of lines that do not name one.
const UNNAMED_SESSION: &str = "1";

/// What a file of recorded sessions holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// What its first line says.
    pub about: About,
    /// The sessions, in the order in which they began.
    pub sessions: Vec<RecordedSession>,
    /// The number of the last line, if it was cut short and left out.
    pub cut: Option<usize>,
}

/// Where a recording comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The command or URL that was recorded, without secrets.
    pub target: Option<String>,
    /// What recorded it.
    pub tool: Option<String>,
    /// When, as RFC 3339 has it.
    pub started: Option<String>,
}

/// One recorded session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSession {
    /// Its name within the file.
    pub name: String,
    /// The transport, if the file names it.
    pub medium: Option<Medium>,
    /// The protocol revision, if the file names it.
    pub protocol: Option<String>,
    /// How many entries there were before these, which were not kept.
    pub dropped: u64,
    /// The recorded messages.
    pub transcript: Transcript,
}

/// The transport of a recorded session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Medium {
    /// Lines on the standard streams of a process.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The HTTP+SSE of 2024-11-05.
    HttpSse,
    /// Messages between the windows of an MCP App: the View is the client, its host the server.
    PostMessage,
}

/// The exchange number of messages between a host and its sandbox proxy, in a session over `postMessage`. Messages between
/// View and host have the number 0.
pub const PROXY: u32 = 1;

impl Recording {
    /// Reads a whole file.
    pub fn parse(file: impl Into<bytes::Bytes>) -> Result<Self, UnreadableRecording> {
        read::parse_recording(&file.into())
    }
}

impl RecordedSession {
    /// A session without entries.
    pub fn new(name: impl Into<String>, medium: Option<Medium>, protocol: Option<String>) -> Self {
        Self { name: name.into(), medium, protocol, dropped: 0, transcript: Transcript::default() }
    }
}

impl Medium {
    /// The name in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::HttpSse => "http+sse",
            Self::PostMessage => "postmessage",
        }
    }
}

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
