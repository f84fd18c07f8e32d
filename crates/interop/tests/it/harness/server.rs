//! The servers that tests can start.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::place::{node, package, rmcp, script, yardstick};
use super::process::Process;

const START_LIMIT: Duration = Duration::from_secs(20);

/// A server, by whom it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    /// The official TypeScript SDK, version 1.
    Ts1,
    /// The official TypeScript SDK, version 2.
    Ts2,
    /// The official Rust SDK.
    Rmcp,
    /// The official demonstration server.
    Everything,
    /// Ours.
    Yardstick,
}

/// A server that listens on a loopback port.
pub(crate) struct Listening {
    /// Where it listens.
    pub(crate) url: String,
    _process: Process,
}

impl Server {
    /// The command that serves over stdio.
    pub(crate) fn stdio(self) -> Vec<PathBuf> {
        match self {
            Self::Ts1 => vec![node(), script("ts1-server.mjs")],
            Self::Ts2 => vec![node(), script("ts2-server.mjs")],
            Self::Rmcp => vec![rmcp("rmcp-server")],
            Self::Everything => {
                vec![node(), package("@modelcontextprotocol/server-everything/dist/index.js"), "stdio".into()]
            }
            Self::Yardstick => vec![yardstick(), "serve".into()],
        }
    }

    /// Starts the server on a free port and waits for the URL that it prints.
    pub(crate) fn listen(self) -> Listening {
        let words = self.stdio();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("--http");
        command.arg(match self {
            Self::Ts1 | Self::Ts2 => "0",
            Self::Rmcp | Self::Yardstick => "127.0.0.1:0",
            Self::Everything => panic!("the demonstration server cannot take a free port; use it over stdio"),
        });
        Listening::start(command)
    }

    /// Starts our gateway on a free port, with the server behind it as a process.
    pub(crate) fn behind_gateway(self) -> Listening {
        let mut command = Command::new(yardstick());
        command.args(["gateway", "--"]).args(self.stdio());
        Listening::start(command)
    }
}

impl Listening {
    /// Starts our gateway on a free port, with this server behind it.
    pub(crate) fn behind_gateway(&self) -> Self {
        let mut command = Command::new(yardstick());
        command.args(["gateway", &self.url]);
        Self::start(command)
    }

    fn start(command: Command) -> Self {
        let process = Process::start(command);
        let url = process.line(START_LIMIT);
        assert!(url.starts_with("http://127.0.0.1:"), "expected a URL as the first line, got {url:?}");
        Self { url, _process: process }
    }
}
