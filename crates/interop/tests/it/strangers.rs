//! Servers by others fail what `docs/findings.md` says, and nothing else.

use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Process, Server, node, package, root, yardstick};

const LIMIT: Duration = Duration::from_secs(240);
const START_LIMIT: Duration = Duration::from_secs(30);
/// The revision in which a server is measured where all of them would take too long.
const NEWEST: &[&str] = &["2025-11-25"];
/// All that the server speaks.
const ALL: &[&str] = &[];
const EVERYTHING: &str = "@modelcontextprotocol/server-everything/dist/index.js";

/// A server that listens; it ends with this.
struct Running {
    url: String,
    _process: Process,
}

#[test]
fn server_everything_over_stdio() {
    over_stdio("server-everything", &Server::Everything.stdio(), NEWEST);
}

#[test]
fn server_everything_over_http() {
    let running = on_port(&[node(), package(EVERYTHING), "streamableHttp".into()], "/mcp");
    assert_findings("server-everything", "HTTP", &[running.url.into()], ALL);
}

#[test]
fn server_everything_over_http_with_sse() {
    let running = on_port(&[node(), package(EVERYTHING), "sse".into()], "/sse");
    assert_findings("server-everything", "SSE", &[running.url.into()], ALL);
}

#[test]
fn examples_of_apps_over_stdio() {
    // They all speak through the same SDK, and each start takes a second; over HTTP all of them are measured.
    for name in examples().into_iter().step_by(4) {
        over_stdio("Examples of MCP Apps", &[node(), example(&name), "--stdio".into()], NEWEST);
    }
}

#[test]
fn examples_of_apps_over_http() {
    for name in examples() {
        let running = on_port(&[node(), example(&name)], "/mcp");
        assert_findings("Examples of MCP Apps", "HTTP", &[running.url.into()], NEWEST);
    }
}

#[test]
fn typescript_sdk_1_over_stdio() {
    over_stdio("TypeScript SDK 1.", &Server::Ts1.stdio(), ALL);
}

#[test]
fn typescript_sdk_1_over_http() {
    let listening = Server::Ts1.listen();
    assert_findings("TypeScript SDK 1.", "HTTP", &[listening.url.clone().into()], ALL);
}

#[test]
fn typescript_sdk_2_over_stdio() {
    over_stdio("TypeScript SDK 2.", &Server::Ts2.stdio(), ALL);
}

#[test]
fn typescript_sdk_2_over_http() {
    let listening = Server::Ts2.listen();
    assert_findings("TypeScript SDK 2.", "HTTP", &[listening.url.clone().into()], ALL);
}

#[test]
fn python_sdk_over_stdio() {
    over_stdio("Python SDK", &python(), NEWEST);
}

#[test]
fn python_sdk_over_http() {
    let words = python();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["--http", "0"]);
    let process = Process::start(command);
    let running = Running { url: process.line(START_LIMIT), _process: process };
    assert_findings("Python SDK", "HTTP", &[running.url.into()], ALL);
}

#[test]
fn rmcp_over_stdio() {
    over_stdio("rmcp", &Server::Rmcp.stdio(), ALL);
}

#[test]
fn rmcp_over_http() {
    let listening = Server::Rmcp.listen();
    assert_findings("rmcp", "HTTP", &[listening.url.clone().into()], ALL);
}

fn python() -> Vec<PathBuf> {
    let python = root().join("peers/.venv/bin/python");
    assert!(python.exists(), "{} is missing: run scripts/setup first", python.display());
    vec![python, root().join("peers/py-server.py")]
}

/// Packages of the same scope that are not examples of MCP Apps.
const OTHERS: &[&str] =
    &["server-everything", "server-filesystem", "server-memory", "server-sequential-thinking"];

/// The names of the packages that are examples of MCP Apps.
fn examples() -> Vec<String> {
    let folder = package("@modelcontextprotocol").read_dir().expect("the packages are installed");
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_example = |name: &String| name.starts_with("server-") && !OTHERS.contains(&name.as_str());
    let mut examples: Vec<_> = names.filter(is_example).collect();
    examples.sort();
    assert!(!examples.is_empty(), "no example is installed: run scripts/setup first");
    examples
}

fn example(name: &str) -> PathBuf {
    package(&format!("@modelcontextprotocol/{name}/dist/index.js"))
}

/// Starts a server that takes its port from the environment, and waits until it listens there.
fn on_port(words: &[PathBuf], path: &str) -> Running {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.expect("there is a free port").port();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("PORT", port.to_string());
    let process = Process::start(command);
    let end = Instant::now() + START_LIMIT;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "{words:?} does not listen on port {port}");
        thread::sleep(Duration::from_millis(20));
    }
    Running { url: format!("http://127.0.0.1:{port}{path}"), _process: process }
}

#[track_caller]
fn over_stdio(heading: &str, command: &[PathBuf], revisions: &[&str]) {
    let target: Vec<_> = std::iter::once("--".into()).chain(command.iter().cloned()).collect();
    assert_findings(heading, "stdio", &target, revisions);
}

/// What fails on `target` is what the page says of it, in these revisions or in all that it speaks.
#[track_caller]
fn assert_findings(heading: &str, transport: &str, target: &[PathBuf], revisions: &[&str]) {
    let report = report(target, revisions);
    let cases = report["cases"].as_array().expect("a report has cases");
    assert!(cases.iter().any(|case| case["outcome"] == "passed"), "nothing was measured: {report}");
    let text = |value: &Value| value.as_str().expect("a case says what it is").to_owned();
    let failed = cases.iter().filter(|case| case["outcome"] == "failed");
    let measured: BTreeSet<_> = failed.map(|case| (text(&case["check"]), text(&case["protocol"]))).collect();
    let spoken: BTreeSet<_> = cases.iter().map(|case| text(&case["protocol"])).collect();
    let documented = documented(heading, transport, &spoken);
    assert_eq!(measured, documented, "{target:?}: left is measured, right is docs/findings.md");
}

#[track_caller]
fn report(target: &[PathBuf], revisions: &[&str]) -> Value {
    let mut command = Command::new(yardstick());
    command.args(["check", "--format", "json", "--timeout", "10", "--start-timeout", "20"]);
    command.args(revisions.iter().flat_map(|revision| ["--protocol", *revision])).args(target);
    let finished = Process::start(command).finish(LIMIT);
    serde_json::from_str(&finished.lines.join("\n"))
        .unwrap_or_else(|error| panic!("no report: {error}\n{}", finished.errors))
}

/// The checks, each with a revision, that the page lists as failed for the server whose heading begins so.
#[track_caller]
fn documented(heading: &str, transport: &str, spoken: &BTreeSet<String>) -> BTreeSet<(String, String)> {
    let page = std::fs::read_to_string(root().join("docs/findings.md")).expect("the page can be read");
    let start = format!("## {heading}");
    let mut sections = page.lines().skip_while(|line| !line.starts_with(&start));
    assert!(sections.next().is_some(), "docs/findings.md has no heading {start:?}");
    let rows = sections.take_while(|line| !line.starts_with("## "));
    let failures = rows.filter_map(|row| failure(row, transport));
    let each = |(check, revisions): (String, String)| {
        let bound: Vec<_> = spoken.iter().filter(|one| revisions.contains(one.as_str())).cloned().collect();
        bound.into_iter().map(move |revision| (check.clone(), revision))
    };
    failures.flat_map(each).collect()
}

/// The check of a table row about this transport, and the revisions that it is about, if it fails a server.
fn failure(row: &str, transport: &str) -> Option<(String, String)> {
    let mut cells = row.strip_prefix("| ")?.split(" | ");
    let check = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    let (transports, revisions, level) = (cells.next()?, cells.next()?, cells.next()?);
    let binds = transports.split(", ").any(|one| one == transport) && ["MUST", "DEFINED"].contains(&level);
    binds.then(|| (check.to_owned(), revisions.to_owned()))
}
