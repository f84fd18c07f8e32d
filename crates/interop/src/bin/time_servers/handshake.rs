//! A handshake by hand: how long a server takes from its start to its list of tools.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// Seconds from the start of the server to its answer to `tools/list`.
pub(crate) fn start_to_list(command: &[String]) -> Result<f64> {
    let [program, arguments @ ..] = command else { anyhow::bail!("there is no command") };
    let began = Instant::now();
    let mut server = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let mut input = server.stdin.take().context("the server has no stdin")?;
    let mut lines = BufReader::new(server.stdout.take().context("the server has no stdout")?).lines();
    let client = json!({ "name": "yardstick-servers", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }))?;
    await_id(&mut lines, 1)?;
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }))?;
    await_id(&mut lines, 2)?;
    let seconds = began.elapsed().as_secs_f64();
    drop(input);
    // It was told to end; whether it does is not what is measured.
    let _ = server.kill();
    server.wait()?;
    Ok(seconds)
}

fn await_id(lines: &mut impl Iterator<Item = std::io::Result<String>>, id: u64) -> Result<()> {
    for line in lines {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        if message["id"] == id && message.get("method").is_none() {
            return Ok(());
        }
    }
    anyhow::bail!("the server ended before it answered request {id}")
}
