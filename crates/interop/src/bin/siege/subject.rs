//! A server under attack.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const START: Duration = Duration::from_secs(20);

/// A running server; it is killed when this is dropped.
pub(crate) struct Subject {
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Subject {
    /// Starts the command and waits for the URL that it prints.
    pub(crate) async fn start(command: &[String]) -> Result<Self> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} does not start", command[0]))?;
        let stdout = child.stdout.take().context("stdout is piped")?;
        let mut lines = BufReader::new(stdout).lines();
        let line = tokio::time::timeout(START, lines.next_line()).await.context("no URL was printed")??;
        let line = line.context("the server ended before it printed a URL")?;
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address: SocketAddr = address.with_context(|| format!("{line:?} is not a URL"))?.parse()?;
        anyhow::ensure!(address.ip().is_loopback(), "{address} is not on this machine");
        Ok(Self { address, child })
    }

    /// The most memory that it has had, in KiB; only Linux tells.
    pub(crate) fn peak_kib(&self) -> Result<u64> {
        let id = self.child.id().context("the server has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|rest| rest.split_whitespace().next()).context("no VmHWM")?;
        Ok(peak.parse()?)
    }
}
