//! The clients by others that tests can send to a server.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::place::{node, rmcp, script};
use super::process::Process;
use super::steps::Steps;

const VISIT_LIMIT: Duration = Duration::from_secs(90);

/// A client, by whom it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// The official TypeScript SDK, version 1.
    Ts1,
    /// The official TypeScript SDK, version 2.
    Ts2,
    /// The official Rust SDK.
    Rmcp,
}

/// Where a client finds its server.
#[derive(Debug)]
pub(crate) enum Target {
    /// Streamable HTTP.
    Http(String),
    /// The deprecated HTTP+SSE.
    Sse(String),
    /// A command to talk to over stdio.
    Stdio(Vec<PathBuf>),
}

impl Client {
    /// Sends the client through `plan`, with one protocol revision or with the newest that both know.
    pub(crate) fn visit(self, target: &Target, protocol: Option<&str>, plan: &[&str]) -> Steps {
        let mut command = self.command();
        if let Some(protocol) = protocol {
            command.args(["--protocol", protocol]);
        }
        command.args(plan);
        match target {
            Target::Http(url) => command.arg(url),
            Target::Sse(url) => command.args(["--sse", url]),
            Target::Stdio(words) => command.arg("--").args(words.iter().map(OsStr::new)),
        };
        let title = format!("{self:?} client, {target:?}, {}", protocol.unwrap_or("newest revision"));
        Steps::from(title, Process::start(command).finish(VISIT_LIMIT))
    }

    fn command(self) -> Command {
        let written = |name| {
            let mut command = Command::new(node());
            command.arg(script(name));
            command
        };
        match self {
            Self::Ts1 => written("ts1-client.mjs"),
            Self::Ts2 => written("ts2-client.mjs"),
            Self::Rmcp => Command::new(rmcp("rmcp-client")),
        }
    }
}
