//! Targets that are not servers: nothing passes on them, and none of them costs more than seconds.

use std::time::{Duration, Instant};

use suite::{Options, Outcome, run};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use transport::client::{Endpoint, Limits, Program, Target};

fn options() -> Options {
    let limits = Limits {
        request: Duration::from_millis(300),
        start: Duration::from_millis(500),
        probe: Duration::from_millis(300),
        ..Limits::default()
    };
    Options { limits, protocols: protocol::Version::ALL.to_vec(), ..Options::default() }
}

/// Runs everything: what passed, which should be nothing. A target that cannot be spoken to at all is an error,
/// and an error passes nothing either.
async fn passed(target: Target) -> Vec<String> {
    let start = Instant::now();
    let report = run(&target, "", &options(), |_| {}).await;
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    let cases = report.map(|report| report.cases).unwrap_or_default();
    cases
        .iter()
        .filter(|c| c.outcome == Outcome::Passed)
        .map(|c| format!("{} {}", c.check, c.protocol))
        .collect()
}

/// A pipe whose lines are answered as `answer` says.
pub(crate) fn answering(answer: impl Fn(&str) -> Option<String> + Clone + Send + Sync + 'static) -> Target {
    Target::InProcess(std::sync::Arc::new(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let answer = answer.clone();
        tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(theirs);
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Some(answer) = answer(&line) else { continue };
                if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        ours
    }))
}

fn id_of(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get("id")?.to_string())
}

#[tokio::test]
async fn a_closed_port_passes_nothing() {
    let target = Target::Url(Endpoint::new("http://127.0.0.1:9/mcp").unwrap());
    assert_eq!(passed(target).await, [""; 0]);
}

#[tokio::test]
async fn a_program_that_dies_passes_nothing() {
    let program = Program { program: "false".into(), ..Program::default() };
    assert_eq!(passed(Target::Command(program)).await, [""; 0]);
}

#[tokio::test]
async fn a_silent_server_passes_nothing() {
    assert_eq!(passed(answering(|_| None)).await, [""; 0]);
}

#[tokio::test]
async fn a_server_that_says_yes_to_everything_passes_nothing() {
    let yes = |line: &str| Some(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, id_of(line)?));
    assert_eq!(passed(answering(yes)).await, [""; 0]);
}

#[tokio::test]
async fn a_server_that_says_no_to_everything_passes_nothing() {
    let no = |line: &str| {
        Some(format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32603,"message":"no"}}}}"#, id_of(line)?))
    };
    assert_eq!(passed(answering(no)).await, [""; 0]);
}
