//! Servers over HTTP that end, limit requests, or refuse in ways that few servers do: one defect is one finding, and
//! nothing is found where nothing is wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use protocol::Version;
use serde_json::{Value, json};
use suite::{CaseReport, Options, Outcome, Report, Selection, run};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use transport::client::{Endpoint, Target};

/// The revisions that the scripted server speaks.
const SPOKEN: [&str; 2] = ["2025-06-18", "2025-11-25"];

/// What was asked over HTTP.
struct Asked {
    verb: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What is answered.
struct Said {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Option<Value>,
}

/// What a server does with a request; none ends it.
type Script = Arc<dyn Fn(&Asked) -> Option<Said> + Send + Sync>;

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn message(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Said {
    fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: None }
    }

    fn json(status: u16, body: Value) -> Self {
        Self { body: Some(body), ..Self::status(status) }.with("Content-Type", "application/json")
    }

    fn error(status: u16, id: &Value, code: i64) -> Self {
        Self::json(status, json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } }))
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        let mut head = format!("HTTP/1.1 {} x\r\ncontent-length: {}\r\n", self.status, body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        format!("{head}\r\n{body}").into_bytes()
    }
}

async fn serving(script: impl Fn(&Asked) -> Option<Said> + Send + Sync + 'static) -> Target {
    let script: Script = Arc::new(script);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (end, mut ended) = mpsc::channel(1);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Ok((stream, _)) = listener.accept() => {
                    connections.spawn(answer(stream, Arc::clone(&script), end.clone()));
                }
                _ = ended.recv() => return,
            }
        }
    });
    Target::Url(Endpoint::new(&url).unwrap())
}

async fn answer(stream: TcpStream, script: Script, end: mpsc::Sender<()>) {
    let mut stream = BufReader::new(stream);
    while let Some(asked) = read_request(&mut stream).await {
        let Some(said) = script(&asked) else {
            let _ = end.send(()).await;
            return std::future::pending().await;
        };
        if stream.write_all(&said.bytes()).await.is_err() {
            return;
        }
    }
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let verb = lines.first()?.split(' ').next()?.to_owned();
    let header = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let mut asked =
        Asked { verb, headers: lines.iter().skip(1).filter_map(header).collect(), body: Vec::new() };
    asked.body.resize(asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0), 0);
    stream.read_exact(&mut asked.body).await.ok()?;
    Some(asked)
}

/// A legal server without sessions and with an empty list of tools.
fn legal(asked: &Asked) -> Said {
    let host = asked.header("host").unwrap_or_default();
    let origin = asked.header("origin").unwrap_or("http://127.0.0.1");
    if !host.starts_with("127.0.0.1") || !origin.starts_with("http://127.0.0.1") {
        return Said::error(403, &Value::Null, -32000);
    }
    if asked.header("mcp-protocol-version").is_some_and(|version| !SPOKEN.contains(&version)) {
        return Said::error(400, &Value::Null, -32000);
    }
    if asked.verb != "POST" {
        return Said::status(405);
    }
    let message = asked.message();
    let id = &message["id"];
    if message.is_null() {
        return Said::error(400, id, -32700);
    }
    let is_message = message["jsonrpc"] == "2.0" && message.get("id").is_none_or(|id| !id.is_null());
    let Some(method) = message["method"].as_str().filter(|_| is_message) else {
        let is_response = is_message && (message.get("result").is_some() || message.get("error").is_some());
        return if is_response { Said::status(202) } else { Said::error(400, id, -32600) };
    };
    if id.is_null() {
        return Said::status(202);
    }
    let params = &message["params"];
    let result = match method {
        "initialize" => {
            let asked = params["protocolVersion"].as_str().filter(|version| SPOKEN.contains(version));
            json!({
                "protocolVersion": asked.unwrap_or("2025-11-25"),
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "scripted", "version": "1" },
            })
        }
        "ping" => json!({}),
        "tools/list" if params.get("cursor").is_none() && !params.is_string() => json!({ "tools": [] }),
        "tools/list" | "tools/call" => return Said::error(200, id, -32602),
        _ => return Said::error(200, id, -32601),
    };
    Said::json(200, json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

async fn measure(target: &Target, only: &[&str]) -> Report {
    let only = only.iter().map(|name| (*name).to_owned()).collect();
    let options = Options { selection: Selection { only, skip: Vec::new() }, ..Options::default() };
    run(target, "", &options, |_| {}).await.unwrap()
}

fn held_against(report: &Report) -> Vec<&CaseReport> {
    let is_held =
        |case: &&CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned | Outcome::Broke);
    report.cases.iter().filter(is_held).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_held_against_the_legal_server() {
    let report = measure(&serving(|asked| Some(legal(asked))).await, &[]).await;
    assert!(held_against(&report).is_empty(), "{:#?}", held_against(&report));
    assert_eq!(report.revisions().len(), SPOKEN.len());
}

/// A malformed message ends the process, and nobody starts it again.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_server_is_one_finding() {
    const CAUSE: &str = "server/base/invalid-request-survived";
    let mut runs = Vec::new();
    for _ in 0..2 {
        let dies = |asked: &Asked| {
            let message = asked.message();
            let ends = message.is_object() && message["jsonrpc"] != "2.0";
            (!ends).then(|| legal(asked))
        };
        let report = measure(&serving(dies).await, &[]).await;
        let held = held_against(&report);
        assert_eq!(held.iter().map(|case| case.check.as_str()).collect::<Vec<_>>(), [CAUSE], "{held:#?}");
        let shown = format!("{:?}", held[0]);
        assert!(shown.contains("the server ended") && shown.contains("1.0"), "{shown}");
        let blocked: Vec<_> = report.cases.iter().filter(|case| case.outcome == Outcome::Blocked).collect();
        assert!(!blocked.is_empty());
        for case in blocked {
            assert_eq!(case.because.as_deref(), Some(CAUSE), "{case:#?}");
        }
        assert!(
            report.unsettled.iter().all(|one| one.why.contains("the server ended")),
            "{:?}",
            report.unsettled
        );
        let mut outcomes: Vec<_> =
            report.cases.iter().map(|case| (case.check.clone(), case.protocol, case.outcome)).collect();
        outcomes.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
        runs.push(outcomes);
    }
    assert_eq!(runs[0], runs[1], "every run has the same outcomes");
}

/// Whoever names a revision that the server does not speak is told that, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_is_not_spoken_is_said_plainly() {
    for version in [Version::V2026_07_28, Version::V2025_03_26] {
        let report = measure_named(&serving(|asked| Some(legal(asked))).await, version).await;
        let why = format!("the server does not speak {version}: it offers 2025-11-25");
        for case in &report.cases {
            assert_eq!(case.outcome, Outcome::Blocked, "{case:#?}");
            assert!(format!("{case:?}").contains(&why), "{case:?}");
        }
    }
}

/// A revision that the server offers to one client and refuses to another is a violation, also if the user named it.
#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_is_offered_and_refused_is_held_against_the_server() {
    let contrary = |asked: &Asked| {
        let message = asked.message();
        let named = message["params"]["protocolVersion"] == "2025-06-18";
        let offer = if named { "2025-11-25" } else { "2025-06-18" };
        let mut said = legal(asked);
        if let Some(body) = said.body.as_mut().filter(|_| message["method"] == "initialize") {
            body["result"]["protocolVersion"] = offer.into();
        }
        Some(said)
    };
    let report = measure_named(&serving(contrary).await, Version::V2025_06_18).await;
    let held = held_against(&report);
    assert!(held.iter().any(|case| case.check == "server/lifecycle/version-agreed"), "{held:#?}");
}

async fn measure_named(target: &Target, version: Version) -> Report {
    let options = Options { protocols: vec![version], ..Options::default() };
    let report = run(target, "", &options, |_| {}).await.unwrap();
    assert!(!report.cases.is_empty());
    report
}

/// The server admits few clients in a minute.
fn limiting(most: usize, status: u16, retry_after: Option<&'static str>) -> impl Fn(&Asked) -> Option<Said> {
    let count = AtomicUsize::new(0);
    move |asked| {
        let is_client = asked.message()["method"] == "initialize";
        if is_client && count.fetch_add(1, Ordering::Relaxed) >= most {
            let said = Said::error(status, &Value::Null, -32029);
            return Some(match retry_after {
                Some(seconds) => said.with("Retry-After", seconds),
                None => said,
            });
        }
        Some(legal(asked))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_requests_is_no_verdict() {
    for (most, status, retry_after) in [(3, 429, Some("60")), (0, 503, None), (8, 503, Some("60"))] {
        let target = serving(limiting(most, status, retry_after)).await;
        let options = Options::default();
        let mut absent = Vec::new();
        let report = run(&target, "", &options, |event| {
            if let suite::Event::Absent { version, .. } = event {
                absent.push(version.to_string());
            }
        });
        let Ok(report) = report.await else {
            assert_eq!(most, 0, "the server could be reached");
            continue;
        };
        assert!(held_against(&report).is_empty(), "{:#?}", held_against(&report));
        let words = match status {
            503 => "the server says that it is unavailable (HTTP 503",
            _ => "the server limits requests (HTTP 429)",
        };
        let says_so = |text: &str| text.contains(words);
        let limited = report.cases.iter().any(|case| says_so(&format!("{case:?}")))
            || report.unsettled.iter().any(|one| says_so(&one.why));
        assert!(limited, "{report:#?}");
        let measured: Vec<_> =
            report.revisions().iter().map(|revision| revision.protocol.to_string()).collect();
        for spoken in SPOKEN {
            assert!(!absent.contains(&spoken.to_owned()), "{spoken} is absent");
            let unsettled = report.unsettled.iter().any(|one| one.protocol.as_str() == spoken);
            assert!(unsettled || measured.contains(&spoken.to_owned()), "nothing is said of {spoken}");
        }
    }
}

/// A short wait is waited out, and nothing is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_short_limit_is_waited_out() {
    let count = AtomicUsize::new(0);
    let target = serving(move |asked| {
        let is_limited =
            asked.message()["method"] == "tools/list" && count.fetch_add(1, Ordering::Relaxed) == 0;
        Some(if is_limited { Said::status(429).with("Retry-After", "1") } else { legal(asked) })
    });
    let report = measure(&target.await, &["server/tools/listed"]).await;
    assert!(report.cases.iter().all(|case| case.outcome == Outcome::Passed), "{report:#?}");
}

/// The paragraphs on refusals name no media type.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_may_have_no_media_type() {
    let target = serving(|asked| {
        let mut said = legal(asked);
        if said.status >= 400 {
            said.headers.clear();
        }
        Some(said)
    });
    let report = measure(&target.await, &["server/http", "wire/http"]).await;
    let is_judged =
        |case: &&CaseReport| case.check == "server/http/media-type" && case.outcome == Outcome::Passed;
    assert_eq!(report.cases.iter().filter(is_judged).count(), SPOKEN.len(), "{report:#?}");
    assert!(held_against(&report).is_empty(), "{:#?}", held_against(&report));
}

/// A server of 2026-07-28 that wants to know who asks.
fn modern(asked: &Asked) -> Said {
    const PREFIX: &str = "io.modelcontextprotocol/";
    let message = asked.message();
    let id = &message["id"];
    let meta = |name: &str| &message["params"]["_meta"][format!("{PREFIX}{name}")];
    if asked.verb != "POST" {
        return Said::status(405);
    }
    if message["method"] == "initialize" {
        return Said::error(404, id, -32601);
    }
    let version = Version::V2026_07_28.as_str();
    if asked.header("mcp-method") != message["method"].as_str()
        || asked.header("mcp-protocol-version") != Some(version)
    {
        return Said::error(400, id, -32020);
    }
    if meta("clientInfo").is_null() || meta("clientCapabilities").is_null() {
        return Said::error(400, id, -32602);
    }
    if message["method"] != "server/discover" {
        return Said::error(404, id, -32601);
    }
    let result = json!({
        "resultType": "complete", "supportedVersions": [version], "capabilities": {}, "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { format!("{PREFIX}serverInfo"): { "name": "scripted", "version": "1" } },
    });
    Said::json(200, json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

const ANY_CASE: &str = "server/headers/names-in-any-case";

#[tokio::test(flavor = "multi_thread")]
async fn a_request_in_capitals_is_as_complete_as_any() {
    let report = measure(&serving(|asked| Some(modern(asked))).await, &[ANY_CASE]).await;
    let outcomes: Vec<_> = report.cases.iter().map(|case| case.outcome).collect();
    assert_eq!(outcomes, [Outcome::Passed], "{report:#?}");
}

/// Whatever the server has against raw requests, it is not their capitals.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_refused_in_lower_case_too_says_nothing_of_capitals() {
    let target = serving(|asked| {
        // Only what is written byte by byte does not name its client.
        let is_raw = asked.header("user-agent").is_none();
        Some(if is_raw { Said::status(400) } else { modern(asked) })
    });
    let report = measure(&target.await, &[ANY_CASE]).await;
    assert!(held_against(&report).is_empty(), "{report:#?}");
}
