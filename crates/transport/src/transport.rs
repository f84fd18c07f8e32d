//! The transports of MCP: one closed list for clients, servers, checks and reports.

use wire::recording::Medium;

/// How messages travel between a client and a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Lines on a pipe: the standard streams of a process, or a pipe within this process.
    Stdio,
    /// Streamable HTTP.
    StreamableHttp,
    /// The HTTP+SSE of 2024-11-05.
    HttpSse,
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Stdio, Self::StreamableHttp, Self::HttpSse];

    /// The name in reports, the same as in recordings.
    pub const fn name(self) -> &'static str {
        self.medium().as_str()
    }

    /// What a recording calls it.
    pub const fn medium(self) -> Medium {
        match self {
            Self::Stdio => Medium::Stdio,
            Self::StreamableHttp => Medium::Http,
            Self::HttpSse => Medium::HttpSse,
        }
    }
}
