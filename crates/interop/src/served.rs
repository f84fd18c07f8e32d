//! Starts a server that prints its URL as its first line.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How long the server may take to print its URL.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Starts `command`, and returns its process and the URL that it prints. The process is killed when it is dropped.
pub async fn start_server(command: &[String]) -> Result<(Child, String)> {
    let (program, arguments) = command.split_first().context("no command was given")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{program} does not start"))?;
    let stdout = child.stdout.take().context("stdout is piped")?;
    let mut lines = BufReader::new(stdout).lines();
    let line = tokio::time::timeout(START_LIMIT, lines.next_line())
        .await
        .with_context(|| format!("{program} printed no URL within {START_LIMIT:?}"))??
        .with_context(|| format!("{program} ended before it printed a URL"))?;
    // A server that goes on printing must not be stopped by a full pipe.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, line.trim().to_owned()))
}
