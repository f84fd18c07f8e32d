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
        let process = Process::start(command);
        let url = process.line(START_LIMIT);
        assert!(
            url.starts_with("http://127.0.0.1:"),
            "expected {self:?} to print its URL first, got {url:?}"
        );
        Listening { url, _process: process }
    }
}
