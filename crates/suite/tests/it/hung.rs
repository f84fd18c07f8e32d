//! Servers that hang, each in its own way: the run ends soon, and nothing passes that was not seen.

use std::time::Duration;

use server::fault::http::CALLS_HANG;
use suite::{CaseReport, Options, Outcome, run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use transport::client::{Endpoint, Limits, Target};

use crate::reference::{Subject, piped, served};
use crate::stubborn::answering;

/// A run that waited for each of its requests would take much longer.
const ENDS_WITHIN: Duration = Duration::from_secs(60);
const SHORT_TIMEOUT: Duration = Duration::from_millis(250);

/// A tenth of what the command line allows, and less.
fn options() -> Options {
    let limits = Limits {
        request: SHORT_TIMEOUT,
        start: SHORT_TIMEOUT * 3,
        probe: SHORT_TIMEOUT,
        connect: SHORT_TIMEOUT,
        shutdown: SHORT_TIMEOUT,
        ..Limits::default()
    };
    Options { limits, ..Options::default() }
}

/// Measures it; a target that cannot be spoken to at all gives no cases.
async fn measure(target: &Target) -> Vec<CaseReport> {
    measure_with(&options(), target).await
}

async fn measure_with(options: &Options, target: &Target) -> Vec<CaseReport> {
    let report = timeout(ENDS_WITHIN, run(target, "", options, |_| {})).await.unwrap();
    report.map(|report| report.cases).unwrap_or_default()
}

fn passed(cases: &[CaseReport]) -> Vec<String> {
    let passed = cases.iter().filter(|case| case.outcome == Outcome::Passed);
    passed.map(|case| format!("{} {}", case.check, case.protocol)).collect()
}

/// A port behind which every connection ends up with `serve`.
async fn port<F, Fut>(serve: F) -> Target
where
    F: Fn(TcpStream) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    Target::Url(Endpoint::new(&url).unwrap())
}

/// A pipe whose messages are answered as `answer` says.
fn pipe(answer: fn(&serde_json::Value) -> Option<String>) -> Target {
    answering(move |line| answer(&serde_json::from_str(line).ok()?))
}

#[tokio::test]
async fn a_port_that_accepts_and_never_answers() {
    let target = port(|mut stream| async move {
        let mut sink = Vec::new();
        let _ = stream.read_to_end(&mut sink).await;
    })
    .await;
    assert_eq!(passed(&measure(&target).await), [""; 0]);
}

#[tokio::test]
async fn a_pipe_that_is_read_and_never_answered() {
    let cases = measure(&pipe(|_| None)).await;
    assert_eq!(passed(&cases), [""; 0]);
}

#[tokio::test]
async fn a_pipe_that_answers_with_nonsense() {
    let options = Options { limits: Limits { start: SHORT_TIMEOUT * 40, ..options().limits }, ..options() };
    let cases = measure_with(&options, &pipe(|_| Some("hello?".into()))).await;
    assert_eq!(passed(&cases), [""; 0]);
    assert!(cases.iter().any(|case| case.outcome == Outcome::Failed), "it was there, and said something");
}

#[tokio::test]
async fn a_server_that_answers_the_handshake_alone() {
    let handshake = |message: &serde_json::Value| {
        let version = message["params"]["protocolVersion"].as_str()?;
        let result = serde_json::json!({
            "protocolVersion": version,
            "capabilities": { "tools": {}, "resources": {}, "prompts": {} },
            "serverInfo": { "name": "stops", "version": "1" },
        });
        Some(serde_json::json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string())
    };
    let cases = measure(&pipe(handshake)).await;
    assert!(!cases.is_empty());
    let silent =
        ["server/lifecycle/ping-answered", "server/base/unknown-method-refused", "server/tools/schema-valid"];
    for case in cases.iter().filter(|case| silent.contains(&case.check.as_str())) {
        assert!(
            matches!(case.outcome, Outcome::Failed | Outcome::Blocked),
            "{} {}",
            case.check,
            case.outcome
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_on_calls_is_still_measured() {
    let options = options();
    let cases = measure_with(&options, &piped([&CALLS_HANG]).target).await;
    let of = |id: &'static str| cases.iter().filter(move |case| case.check == id);
    assert!(of("server/tools/content-present").all(|case| case.outcome != Outcome::Passed));
    assert!(
        of("server/tools/schema-valid").all(|case| case.outcome == Outcome::Passed),
        "lists are answered"
    );
}

#[tokio::test]
async fn a_stream_of_comments_without_end() {
    let target = port(|mut stream| async move {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut said = stream.write_all(head.as_bytes()).await;
        while said.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            said = stream.write_all(b"3\r\n:\n\n\r\n").await;
        }
    })
    .await;
    assert_eq!(passed(&measure(&target).await), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_accepts_one_connection_alone() {
    let behind: Subject = served([]).await;
    let Target::Url(endpoint) = &behind.target else { panic!("no URL") };
    let address = endpoint.url.socket_addrs(|| None).unwrap()[0];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let door = tokio::spawn(async move {
        let (mut one, _) = listener.accept().await.unwrap();
        let mut inner = TcpStream::connect(address).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut one, &mut inner).await;
        // The door stays where it is, and nobody opens it again.
        std::future::pending::<()>().await;
        drop(listener);
    });
    let cases = measure(&Target::Url(Endpoint::new(&url).unwrap())).await;
    // What goes over the one connection can be measured; the rest is not green.
    assert!(cases.iter().any(|case| case.outcome == Outcome::Blocked));
    let needs_another = ["server/subscriptions/acknowledged-first", "server/tools/same-for-everyone"];
    let cases = cases.iter().filter(|case| needs_another.contains(&case.check.as_str()));
    assert!(cases.clone().count() > 0 && cases.clone().all(|case| case.outcome == Outcome::Blocked));
    door.abort();
}
