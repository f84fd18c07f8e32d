//! A server under attack.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use tokio::process::Child;
use yardstick_interop::served::start_server;

/// A running server; it is killed when this is dropped.
pub(crate) struct Subject {
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Subject {
    /// Starts the command and waits for the URL that it prints.
    pub(crate) async fn start(command: &[String]) -> Result<Self> {
        let (child, url) = start_server(command).await?;
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address: SocketAddr = address.with_context(|| format!("{url:?} is not a URL"))?.parse()?;
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
