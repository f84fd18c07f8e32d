//! A server under load.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use hyper::Uri;
use tokio::process::Child;
use yardstick_interop::served::start_server;

/// Ticks in which Linux counts processor time, everywhere.
const TICKS_PER_SECOND: f64 = 100.0;

/// A running server; it is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    /// `host:port`.
    pub(crate) authority: String,
    pub(crate) path: String,
    child: Child,
}

/// The name in the table, and the command: `NAME=PROGRAM` gives the name, otherwise it is that of the program.
fn name_command(words: &[String]) -> Result<(String, Vec<String>)> {
    let mut words = words.to_vec();
    if let Some((name, program)) = words[0].split_once('=') {
        let (name, program) = (name.to_owned(), program.to_owned());
        words[0] = program;
        return Ok((name, words));
    }
    let name = Path::new(&words[0]).file_stem().context("a command has a name")?;
    Ok((name.to_string_lossy().into_owned(), words))
}

impl Subject {
    /// Starts the command and waits for the URL that it prints.
    pub(crate) async fn start(command: &[String]) -> Result<Self> {
        let (name, command) = name_command(command)?;
        let (child, line) = start_server(&command).await?;
        let url: Uri = line.parse().with_context(|| format!("{name} printed {line:?}, not a URL"))?;
        let authority = url.authority().with_context(|| format!("{line} names no host"))?.to_string();
        Ok(Self { name, authority, path: url.path().to_owned(), child })
    }

    /// The processor time that the server has used so far; only Linux tells.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()?)).ok()?;
        // The name of the program comes first, in brackets, and may contain anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<_> = fields.split_whitespace().collect();
        let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        Some(Duration::from_secs_f64(ticks / TICKS_PER_SECOND))
    }
}
