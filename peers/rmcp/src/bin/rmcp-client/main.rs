//! A client on rmcp, the official Rust SDK, with the command line of the TypeScript peers.
//!
//! `rmcp-client [options] URL`, or `rmcp-client [options] -- COMMAND [ARGUMENT…]`. One JSON line per step on stdout.

#![expect(
    deprecated,
    reason = "rmcp deprecates what only the older revisions have, and those are exercised too"
)]

mod answers;
mod connect;
mod exercise;
mod plan;
mod steps;

use std::process::ExitCode;

use anyhow::Result;

use crate::plan::Plan;
use crate::steps::Steps;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let plan = Plan::parse(std::env::args().skip(1))?;
    let mut steps = Steps::default();
    exercise::run(&plan, &mut steps).await?;
    Ok(steps.exit_code())
}
