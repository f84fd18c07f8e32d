//! A server on rmcp, the official Rust SDK: every revision it knows, over stdio or (`--http ADDRESS`) HTTP.
//!
//! It offers the same tools, resources and prompts as the TypeScript peers, so that one plan fits them all.

#![expect(
    deprecated,
    reason = "rmcp deprecates what only the older revisions have, and those are served too"
)]

mod ask;
mod catalogue;
mod demo;
mod http;
mod tools;

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};
use rmcp::ServiceExt as _;

use crate::demo::Demo;

/// Where to serve.
enum Mode {
    Stdio,
    Http { address: SocketAddr, json: bool },
}

#[tokio::main]
async fn main() -> Result<()> {
    match mode(std::env::args().skip(1))? {
        Mode::Stdio => {
            let running = Demo::default().serve(rmcp::transport::stdio()).await?;
            running.waiting().await?;
            Ok(())
        }
        Mode::Http { address, json } => http::serve(address, json).await,
    }
}

fn mode(words: impl Iterator<Item = String>) -> Result<Mode> {
    let (mut address, mut json) = (None, false);
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--http" => {
                let text = words.next().context("--http needs an address, such as 127.0.0.1:0")?;
                address = Some(text.parse().with_context(|| format!("{text} is not an address"))?);
            }
            "--json" => json = true,
            other => bail!("unknown argument {other}; usage: rmcp-server [--http ADDRESS [--json]]"),
        }
    }
    match address {
        Some(address) => Ok(Mode::Http { address, json }),
        None if json => bail!("--json needs --http"),
        None => Ok(Mode::Stdio),
    }
}
