//! Servers by others fail what `docs/findings.md` says, and nothing else.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Process, Server, node, package, root, yardstick};

const REVISION: &str = "2025-11-25";
const LIMIT: Duration = Duration::from_secs(240);

#[test]
fn server_everything_over_stdio() {
    over_stdio("server-everything", &Server::Everything.stdio());
}

#[test]
fn an_example_of_apps_over_stdio() {
    let script = package("@modelcontextprotocol/server-basic-react/dist/index.js");
    over_stdio("server-basic-react", &[node(), script, "--stdio".into()]);
}

#[test]
fn typescript_sdk_1_over_stdio() {
    over_stdio("TypeScript SDK 1.", &Server::Ts1.stdio());
}

#[test]
fn typescript_sdk_2_over_http() {
    let listening = Server::Ts2.listen();
    assert_eq!(measured(&[listening.url.clone().into()]), documented("TypeScript SDK 2.", "HTTP"));
}

#[test]
fn python_sdk_over_stdio() {
    let python = root().join("peers/.venv/bin/python");
    assert!(python.exists(), "{} is missing: run scripts/setup first", python.display());
    over_stdio("Python SDK", &[python, root().join("peers/py-server.py")]);
}

#[track_caller]
fn over_stdio(heading: &str, command: &[PathBuf]) {
    let target: Vec<_> = std::iter::once("--".into()).chain(command.iter().cloned()).collect();
    assert_eq!(measured(&target), documented(heading, "stdio"), "left: measured, right: docs/findings.md");
}

/// The checks that the server fails.
#[track_caller]
fn measured(target: &[PathBuf]) -> BTreeSet<String> {
    let mut command = Command::new(yardstick());
    command.args(["check", "--format", "json", "--protocol", REVISION]);
    command.args(["--timeout", "10", "--start-timeout", "20"]).args(target);
    let finished = Process::start(command).finish(LIMIT);
    let report: Value = serde_json::from_str(&finished.lines.join("\n"))
        .unwrap_or_else(|error| panic!("no report: {error}\n{}", finished.errors));
    let cases = report["cases"].as_array().expect("a report has cases");
    assert!(cases.iter().any(|case| case["outcome"] == "passed"), "nothing was measured: {report}");
    let failed = cases.iter().filter(|case| case["outcome"] == "failed");
    failed.map(|case| case["check"].as_str().expect("a case names its check").to_owned()).collect()
}

/// The checks that the page lists as failed for the server whose heading begins so.
#[track_caller]
fn documented(heading: &str, transport: &str) -> BTreeSet<String> {
    let page = std::fs::read_to_string(root().join("docs/findings.md")).expect("the page can be read");
    let start = format!("## {heading}");
    let mut sections = page.lines().skip_while(|line| !line.starts_with(&start));
    assert!(sections.next().is_some(), "docs/findings.md has no heading {start:?}");
    let rows = sections.take_while(|line| !line.starts_with("## "));
    rows.filter_map(|row| failure(row, transport)).collect()
}

/// The check of a table row that is about this transport, the revision, and a MUST.
fn failure(row: &str, transport: &str) -> Option<String> {
    let mut cells = row.strip_prefix("| ")?.split(" | ");
    let check = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    let (transports, revisions, level) = (cells.next()?, cells.next()?, cells.next()?);
    let binds = transports.contains(transport) && revisions.contains(REVISION) && level == "MUST";
    binds.then(|| check.to_owned())
}
