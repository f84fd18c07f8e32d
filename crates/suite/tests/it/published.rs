//! What servers that others have published do: each is told as what it is.

use std::sync::Arc;

use protocol::Version;
use serde_json::{Value, json};
use suite::{CaseReport, Options, Outcome, Report, run};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use transport::client::Target;

/// What a server answers, and whether it goes on after that.
type Script = fn(&Value) -> (Value, bool);

/// Of one message: a write waits until the one before was read, so that the end of the server is noticed by the next.
const PIPE: usize = 64;

fn serving(script: Script) -> Target {
    Target::InProcess(Arc::new(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(theirs);
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
                let (said, goes_on) = script(&message);
                if !said.is_null() && write.write_all(format!("{said}\n").as_bytes()).await.is_err() {
                    return;
                }
                if !goes_on {
                    return;
                }
            }
        });
        ours
    }))
}

/// A server that takes every version for its own, and refuses a batch as a whole.
fn answer(message: &Value) -> Value {
    let id = &message["id"];
    let error = |code: i64| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } });
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    match message["method"].as_str() {
        Some("initialize") => {
            let version = &message["params"]["protocolVersion"];
            let info = json!({ "name": "published", "version": "1" });
            result(json!({ "protocolVersion": version, "capabilities": {}, "serverInfo": info }))
        }
        Some("ping") => result(json!({})),
        Some(_) if id.is_null() => Value::Null,
        Some(_) => error(-32601),
        None if message.is_array() => error(-32603),
        None => Value::Null,
    }
}

async fn measure(script: Script) -> Report {
    let options = Options { protocols: vec![Version::V2025_03_26], ..Options::default() };
    run(&serving(script), "", &options, |_| {}).await.unwrap()
}

fn find<'r>(report: &'r Report, check: &str) -> &'r CaseReport {
    report.cases.iter().find(|case| case.check == check).unwrap()
}

/// A server that cannot reach its database ends whatever it is asked. No check can blame it on what was asked.
#[tokio::test]
async fn a_server_that_ends_by_itself_is_not_blamed_for_what_it_was_asked() {
    let report = measure(|message| {
        let mut said = answer(message);
        if message["method"] == "initialize" {
            said["result"]["protocolVersion"] = json!(Version::V2025_03_26.as_str());
        }
        (said, message["method"] != "notifications/initialized")
    });
    let report = report.await;
    let is_told = |case: &&CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned);
    assert_eq!(report.cases.iter().find(is_told).map(|case| &case.check), None);
    let ping = find(&report, "server/lifecycle/ping-answered");
    assert_eq!(ping.outcome, Outcome::Blocked);
    assert!(format!("{ping:?}").contains("the server ends by itself"), "{ping:?}");
}

#[tokio::test]
async fn what_follows_from_an_echoed_version_or_a_refused_batch_names_it() {
    let report = measure(|message| (answer(message), true)).await;
    let latest = find(&report, "server/lifecycle/latest-version-offered");
    let cause = latest.because.as_deref();
    assert_eq!(
        (latest.outcome, cause),
        (Outcome::Blocked, Some("server/lifecycle/future-version-countered"))
    );
    let batch = find(&report, "server/base/batch-answered");
    assert_eq!(batch.outcome, Outcome::Failed);
    assert_eq!(batch.actual.as_deref(), Some("an error without an id"));
}

/// The capability is declared, and has no method: one wrong is one finding. A tool whose service is out of reach is none.
#[tokio::test]
async fn a_missing_method_is_told_once_and_a_missing_service_not_at_all() {
    let report = measure(|message| {
        let mut said = answer(message);
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => {
                said["result"]["capabilities"] = json!({ "completions": {}, "tools": {}, "prompts": {} });
            }
            Some("prompts/list") => {
                let prompts = json!([{ "name": "greet", "arguments": [{ "name": "who" }] }]);
                said = json!({ "jsonrpc": "2.0", "id": id, "result": { "prompts": prompts } });
            }
            Some("tools/list") => {
                let tool = |name: &str| {
                    let (schema, hints) = (json!({ "type": "object" }), json!({ "readOnlyHint": true }));
                    json!({ "name": name, "inputSchema": schema, "annotations": hints })
                };
                let tools = ["one", "two", "three"].map(tool);
                said = json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": tools } });
            }
            Some("tools/call") => {
                said["error"] = json!({ "code": -32603, "message": "getaddrinfo ENOTFOUND api.example.com" });
            }
            Some(_) | None => {}
        }
        (said, true)
    });
    let report = report.await;
    let checks = ["completion/answered", "completion/unknown-prompt-refused", "tools/call-answered"];
    let found = checks.map(|check| find(&report, &format!("server/{check}")).outcome);
    assert_eq!(found, [Outcome::NotApplicable; 3]);
    assert_eq!(find(&report, "server/lifecycle/capabilities-served").outcome, Outcome::Warned);
}

/// Ends at the first message that is malformed, like servers with the Go SDK. How far the others get depends on the moment.
#[tokio::test]
async fn a_server_that_dies_of_a_malformed_message_is_told_so_once() {
    let report =
        measure(|message| (answer(message), message["jsonrpc"] == "2.0" || message.is_array())).await;
    let checks = ["server/base/invalid-request-refused", "server/base/invalid-request-code"];
    assert_eq!(checks.map(|check| find(&report, check).outcome), [Outcome::NotApplicable; 2]);
    assert_eq!(find(&report, "server/base/invalid-request-survived").outcome, Outcome::Warned);
}
