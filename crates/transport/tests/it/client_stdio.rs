//! Processes as targets: well-behaved ones, and ones that are silent, die, do not read, or write too much.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::time::{Duration, Instant};

use protocol::Version;
use serde_json::json;
use wire::What;
use yardstick_transport::client::{Closing, Failure, Limits, Profile, Program, Session, Step, Target};

use crate::client_support::{connect, open, quick};

const V: Version = Version::V2025_11_25;

/// Answers the handshake (the session's first id is 1) and every ping.
const SERVER: &str = r#"
while read -r line; do
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"0"}}}';;
    *'"ping"'*) echo '{"jsonrpc":"2.0","id":2,"result":{}}';;
  esac
done
"#;

fn sh(script: &str) -> Target {
    Target::command("sh", ["-c", script])
}

fn recorded(session: &Session, what: What) -> Vec<String> {
    let entries = session.recorder().transcript().entries;
    entries
        .iter()
        .filter(|e| e.what == what)
        .map(|e| String::from_utf8_lossy(&e.bytes).into_owned())
        .collect()
}

async fn end(session: &Session) -> (Step, bool) {
    match session.close().await {
        Closing::Process(end) => (end.step, end.left_children),
        other => panic!("a process ends as one: {other:?}"),
    }
}

#[tokio::test]
async fn a_process_speaks_on_its_streams_and_ends_with_its_stdin() {
    let session = open(&sh(SERVER), V).await.unwrap();
    assert_eq!(session.server().name().as_deref(), Some("sh 0"));
    let reply = session.request("ping").send().await.unwrap();
    assert_eq!(reply.result(), Some(json!({})));
    assert!(reply.head.is_none() && session.pid().is_some());
    assert_eq!(end(&session).await, (Step::StdinClosed, false));
    assert!(session.request("ping").send().await.is_err(), "what is closed stays closed");
}

#[tokio::test]
async fn environment_directory_and_stderr_arrive() {
    let program = Program {
        program: "sh".into(),
        args: vec!["-c".into(), format!("echo \"$GREETING from $PWD\" >&2; {SERVER}")],
        env: vec![("GREETING".into(), "hello".into())],
        cwd: Some("/".into()),
        ..Program::default()
    };
    let session = open(&program.into(), V).await.unwrap();
    assert_eq!(recorded(&session, What::Stderr), ["hello from /"]);
    assert_eq!(session.stderr().0, ["hello from /"]);
}

#[tokio::test]
async fn garbage_on_stdout_is_recorded_and_survived() {
    let script = format!("echo 'Listening on port 3000'; echo; printf '\\377\\n'; {SERVER}");
    let session = open(&sh(&script), V).await.unwrap();
    assert!(session.request("ping").send().await.is_ok());
    assert!(recorded(&session, What::Message).contains(&"Listening on port 3000".to_owned()));
    assert_eq!(recorded(&session, What::Noise), [""]);
}

#[tokio::test]
async fn a_silent_process_costs_the_timeout_and_shows_its_stderr() {
    let limits = Limits { start: Duration::from_millis(150), ..quick() };
    let target = sh("echo 'waiting for a database' >&2; sleep 20");
    let start = Instant::now();
    let failure = Session::open(&target, V, Profile::default(), limits).await.unwrap_err();
    assert!(failure.is_timeout() && failure.to_string().contains("waiting for a database"), "{failure}");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_process_that_only_prints_text_is_told_so() {
    let limits = Limits { start: Duration::from_millis(150), ..quick() };
    let failure = Session::open(&sh("echo hi; sleep 20"), V, Profile::default(), limits).await.unwrap_err();
    assert!(matches!(failure, Failure::NotJsonRpc { .. }), "{failure}");
}

#[tokio::test]
async fn a_dying_process_leaves_its_status_and_last_words() {
    let failure = open(&sh("echo 'no such module' >&2; exit 3"), V).await.unwrap_err();
    let text = failure.to_string();
    assert!(matches!(failure, Failure::Closed { .. }), "{text}");
    assert!(
        text.contains("initialize") && text.contains("exit status: 3") && text.contains("no such module"),
        "{text}"
    );
}

#[tokio::test]
async fn a_last_line_without_newline_is_mentioned() {
    let failure =
        open(&sh("read -r x; printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'"), V).await.unwrap_err();
    assert!(failure.to_string().contains("no newline"), "{failure}");
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let failure = open(&Target::command("no-such-program-at-all", ["x"]), V).await.unwrap_err();
    assert!(
        matches!(&failure, Failure::NotStarted { .. }) && failure.to_string().contains("PATH"),
        "{failure}"
    );
    let lost = Program { program: "sh".into(), cwd: Some("/no/such/dir".into()), ..Program::default() };
    let failure = open(&lost.into(), V).await.unwrap_err();
    assert!(failure.to_string().contains("working directory"), "{failure}");
}

#[tokio::test]
async fn the_ladder_goes_as_far_as_it_must() {
    let deaf = connect(&sh("exec 0</dev/null; while :; do sleep 0.01; done"), V).await;
    assert_eq!(end(&deaf).await.0, Step::Terminated);
    let stubborn = connect(&sh("trap '' TERM; echo '{}' ; while :; do sleep 0.01; done"), V).await;
    stubborn.incoming(Duration::from_secs(1)).await.unwrap().expect("the trap is set");
    assert_eq!(end(&stubborn).await.0, Step::Killed);
    let gone = connect(&sh("exit 0"), V).await;
    gone.incoming(Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(end(&gone).await.0, Step::AlreadyExited);
}

/// Whether a process runs. A zombie does not.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.is_empty())
}

async fn dies(pid: &str) -> bool {
    for _ in 0..100 {
        if !runs(pid) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

async fn grandchild(session: &Session) -> String {
    let message = session.incoming(Duration::from_secs(1)).await.unwrap().unwrap();
    message.value().unwrap()["pid"].to_string()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn grandchildren_end_with_the_session() {
    let script = "sleep 30 & echo \"{\\\"pid\\\":$!}\"; read -r x";
    let session = connect(&sh(script), V).await;
    let pid = grandchild(&session).await;
    assert!(runs(&pid));
    assert_eq!(end(&session).await, (Step::StdinClosed, true));
    assert!(dies(&pid).await);

    let dropped = connect(&sh(script), V).await;
    let pid = grandchild(&dropped).await;
    drop(dropped);
    assert!(dies(&pid).await, "dropping the session is enough");
}

#[tokio::test]
async fn an_endless_line_is_too_large() {
    let limits = Limits { message: 10_000, ..quick() };
    let target = sh("read -r x; yes | tr -d '\\n'");
    let failure = Session::open(&target, V, Profile::default(), limits).await.unwrap_err();
    assert!(matches!(failure, Failure::TooLarge { limit: 10_000, .. }), "{failure}");
}

#[tokio::test]
async fn a_flood_of_messages_ends_the_session() {
    let limits = Limits { traffic: 100_000, ..quick() };
    let target = sh("yes '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}'");
    let session = Session::connect(&target, V, Profile::default(), limits).await.unwrap();
    let failure = session.request("ping").send().await.unwrap_err();
    assert!(matches!(failure, Failure::Flooded { .. }), "{failure}");
    let kept: usize = session.recorder().transcript().entries.iter().map(|e| e.bytes.len()).sum();
    assert!(kept < 110_000, "{kept} bytes kept");
}

#[tokio::test]
async fn a_process_that_does_not_read_is_not_waited_for() {
    let session = connect(&sh("sleep 20"), V).await;
    let big = json!({"text": "x".repeat(300_000)});
    let timeout = Duration::from_millis(100);
    let failure = session.request("tools/call").params(big).timeout(timeout).send().await.unwrap_err();
    assert!(failure.is_timeout(), "{failure}");
    assert_eq!(end(&session).await.0, Step::Terminated);
}
