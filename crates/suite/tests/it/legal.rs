//! Servers that do what the pages allow, in ways that few servers do: nothing is held against them.

use std::sync::Arc;

use protocol::Version;
use serde_json::{Value, json};
use suite::{Options, Outcome, Selection, run};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use transport::client::Target;

/// What a server writes when it has read a message.
type Script = fn(&Value) -> Vec<Value>;

fn serving(script: Script) -> Target {
    Target::InProcess(Arc::new(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(theirs);
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
                for said in script(&message) {
                    if write.write_all(format!("{said}\n").as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
        ours
    }))
}

/// What becomes of `checks` in `version`.
async fn outcomes(script: Script, version: Version, checks: &[&str]) -> Vec<Outcome> {
    let only = checks.iter().map(|check| (*check).to_owned()).collect();
    let selection = Selection { only, skip: Vec::new() };
    let options = Options { protocols: vec![version], selection, ..Options::default() };
    let report = run(&serving(script), "", &options, |_| {}).await.unwrap();
    let of = |check: &&str| {
        let case = report.cases.iter().find(|case| case.check == **check);
        case.unwrap_or_else(|| panic!("{check} did not run: {report:?}")).outcome
    };
    checks.iter().map(of).collect()
}

fn result(message: &Value, result: &Value) -> Vec<Value> {
    match message.get("id") {
        Some(id) => vec![json!({ "jsonrpc": "2.0", "id": id, "result": result })],
        None => Vec::new(),
    }
}

fn error(message: &Value, code: i64, text: &str, data: &Value) -> Vec<Value> {
    let error = json!({ "code": code, "message": text, "data": data });
    vec![json!({ "jsonrpc": "2.0", "id": message["id"], "error": error })]
}

/// A legacy server with these capabilities that knows nothing but the handshake and ping.
fn legacy(message: &Value, capabilities: &Value) -> Vec<Value> {
    match message["method"].as_str() {
        Some("initialize") => {
            let info = json!({ "name": "legal", "version": "1" });
            let version = &message["params"]["protocolVersion"];
            result(
                message,
                &json!({ "protocolVersion": version, "capabilities": capabilities, "serverInfo": info }),
            )
        }
        Some("ping") => result(message, &json!({})),
        Some(_) if message.get("id").is_some() => error(message, -32601, "Method not found", &Value::Null),
        Some(_) | None => Vec::new(),
    }
}

const COUNTERED: [&str; 2] =
    ["server/lifecycle/version-countered", "server/lifecycle/future-version-countered"];

/// The page on the lifecycle shows this error by example.
#[tokio::test]
async fn an_unknown_version_may_be_refused_as_the_page_shows_it() {
    let script: Script = |message| {
        let asked = &message["params"]["protocolVersion"];
        if message["method"] == "initialize" && *asked != "2025-11-25" {
            let data = json!({ "supported": ["2025-11-25"], "requested": asked });
            return error(message, -32602, "Unsupported protocol version", &data);
        }
        legacy(message, &json!({}))
    };
    let found = outcomes(script, Version::V2025_11_25, &COUNTERED).await;
    assert_eq!(found, [Outcome::NotApplicable; 2]);
}

#[tokio::test]
async fn an_unknown_version_may_be_answered_with_one_of_the_future() {
    let script: Script = |message| {
        let known =
            ["2025-11-25", "2025-06-18"].iter().any(|known| message["params"]["protocolVersion"] == *known);
        let mut said = legacy(message, &json!({}));
        if message["method"] == "initialize" && !known {
            said[0]["result"]["protocolVersion"] = json!("2027-01-01");
        }
        said
    };
    let found = outcomes(script, Version::V2025_11_25, &COUNTERED).await;
    assert_eq!(found, [Outcome::NotApplicable; 2]);
    let words: Script = |message| {
        let mut said = legacy(message, &json!({}));
        if message["method"] == "initialize" && message["params"]["protocolVersion"] != "2025-11-25" {
            said[0]["result"]["protocolVersion"] = json!("latest");
        }
        said
    };
    let found = outcomes(words, Version::V2025_11_25, &COUNTERED).await;
    assert_eq!(found, [Outcome::Failed; 2], "a word that is no revision");
}

#[tokio::test]
async fn a_long_id_may_be_refused() {
    let script: Script = |message| {
        if message["id"].as_str().is_some_and(|id| id.len() > 100) {
            return error(message, -32600, "the id is too long", &Value::Null);
        }
        legacy(message, &json!({}))
    };
    let found = outcomes(script, Version::V2025_11_25, &["server/base/id-echoed"]).await;
    assert_eq!(found, [Outcome::Passed]);
}

#[tokio::test]
async fn an_empty_completion_completes_nothing() {
    fn prompts(message: &Value, values: &Value) -> Vec<Value> {
        match message["method"].as_str() {
            Some("prompts/list") => {
                let prompt = json!({ "name": "greet", "arguments": [{ "name": "who" }] });
                result(message, &json!({ "prompts": [prompt] }))
            }
            Some("completion/complete") => result(message, &json!({ "completion": { "values": values } })),
            Some(_) | None => legacy(message, &json!({ "prompts": {} })),
        }
    }
    let checks = ["server/lifecycle/capabilities-declared"];
    let empty: Script = |message| prompts(message, &json!([]));
    assert_eq!(outcomes(empty, Version::V2025_11_25, &checks).await, [Outcome::Passed]);
    let full: Script = |message| prompts(message, &json!(["you"]));
    assert_eq!(outcomes(full, Version::V2025_11_25, &checks).await, [Outcome::Failed]);
}

/// A server whose template stands for every URI has every resource.
#[tokio::test]
async fn a_server_may_have_every_resource() {
    fn script(message: &Value, template: &str) -> Vec<Value> {
        match message["method"].as_str() {
            Some("resources/list") => result(message, &json!({ "resources": [] })),
            Some("resources/templates/list") => {
                let template = json!({ "uriTemplate": template, "name": "all" });
                result(message, &json!({ "resourceTemplates": [template] }))
            }
            Some("resources/read") => {
                let content = json!({ "uri": message["params"]["uri"], "text": "something" });
                result(message, &json!({ "contents": [content] }))
            }
            Some(_) | None => legacy(message, &json!({ "resources": {} })),
        }
    }
    let checks = ["server/resources/not-found-refused", "server/resources/not-found-code"];
    let all: Script = |message| script(message, "{+uri}");
    assert_eq!(outcomes(all, Version::V2025_11_25, &checks).await, [Outcome::NotApplicable; 2]);
    let some: Script = |message| script(message, "notes://{name}");
    assert_eq!(outcomes(some, Version::V2025_11_25, &checks).await, [Outcome::Warned, Outcome::Blocked]);
}

/// A legacy server with tasks; `keeps` says whether tasks/get finds them later.
fn with_tasks(message: &Value, keeps: bool) -> Vec<Value> {
    let time = "20251125T103000Z";
    let task =
        json!({ "taskId": "t", "status": "working", "createdAt": time, "lastUpdatedAt": time, "ttl": 0 });
    match message["method"].as_str() {
        Some("tools/list") => {
            let tool = json!({
                "name": "slow", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true },
                "execution": { "taskSupport": "required" },
            });
            result(message, &json!({ "tools": [tool] }))
        }
        Some("tools/call") if message["params"].get("task").is_some() => {
            result(message, &json!({ "task": task }))
        }
        Some("tools/call") => error(message, -32600, "only as a task", &Value::Null),
        Some("tasks/list") => result(message, &json!({ "tasks": [] })),
        Some("tasks/get") if keeps => result(message, &task),
        Some("tasks/get") => error(message, -32602, "no such task", &Value::Null),
        Some(_) | None => {
            let tasks = json!({ "list": {}, "requests": { "tools": { "call": {} } } });
            legacy(message, &json!({ "tools": {}, "tasks": tasks }))
        }
    }
}

#[tokio::test]
async fn tasks_may_be_deleted_early_and_ordinary_calls_refused_with_either_code() {
    let checks = ["server/tasks/listed", "server/tasks/required-enforced"];
    let forgets: Script = |message| with_tasks(message, false);
    let found = outcomes(forgets, Version::V2025_11_25, &checks).await;
    assert_eq!(found, [Outcome::NotApplicable, Outcome::Passed]);
    let keeps: Script = |message| with_tasks(message, true);
    let checks = ["server/tasks/listed", "server/tasks/times-shown"];
    let found = outcomes(keeps, Version::V2025_11_25, &checks).await;
    assert_eq!(found, [Outcome::Failed, Outcome::Passed]);
}

/// A modern server: `subscribe` is what resources/subscribe is refused with, if it is served.
fn modern(message: &Value, subscribe: Option<i64>) -> Vec<Value> {
    let complete = |more: Value| {
        let mut all = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private" });
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        result(message, &all)
    };
    match (message["method"].as_str(), subscribe) {
        (Some("server/discover"), _) => {
            complete(json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }))
        }
        (Some("tools/list"), _) => complete(json!({ "tools": [] })),
        (Some("resources/subscribe"), Some(code)) => error(message, code, "no such resource", &Value::Null),
        (Some(_), _) if message.get("id").is_some() => {
            error(message, -32601, "Method not found", &Value::Null)
        }
        (Some(_) | None, _) => Vec::new(),
    }
}

#[tokio::test]
async fn a_removed_method_may_be_served_and_refuse_its_params() {
    let checks = ["server/discovery/removed-methods-unknown"];
    let served: Script = |message| modern(message, Some(-32602));
    assert_eq!(outcomes(served, Version::V2026_07_28, &checks).await, [Outcome::Passed]);
    let broken: Script = |message| modern(message, Some(-32603));
    assert_eq!(outcomes(broken, Version::V2026_07_28, &checks).await, [Outcome::Failed]);
}

/// On stdio, notifications of one subscription may come before another one is acknowledged.
#[tokio::test]
async fn subscriptions_may_be_interleaved() {
    let script: Script = |message| {
        if message["method"] != "subscriptions/listen" {
            return modern(message, None);
        }
        let about = |method: &str, id: &Value, more: Value| {
            let mut params = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": id } });
            if !more.is_null() {
                params["notifications"] = more;
            }
            json!({ "jsonrpc": "2.0", "method": method, "params": params })
        };
        // The other subscription, whose id is the one before.
        let other = json!(message["id"].as_i64().unwrap_or_default() - 1);
        let filter = json!({ "toolsListChanged": true });
        vec![
            about("notifications/tools/list_changed", &other, Value::Null),
            about("notifications/subscriptions/acknowledged", &message["id"], filter),
        ]
    };
    let found = outcomes(script, Version::V2026_07_28, &["server/subscriptions/acknowledged-first"]).await;
    assert_eq!(found, [Outcome::Passed]);
}

/// A tool without the type of its arguments is one defect. The checks of apps have no business with a server that has none.
#[tokio::test]
async fn a_malformed_tool_is_no_matter_of_apps() {
    let script = |message: &Value| match message["method"].as_str() {
        Some("tools/list") => result(message, &json!({ "tools": [{ "name": "t", "inputSchema": {} }] })),
        Some(_) | None => legacy(message, &json!({ "tools": {} })),
    };
    let checks = ["server/tools/input-schema-object", "server/apps/tools-listed", "server/apps/uri-scheme"];
    let found = outcomes(script, Version::V2025_06_18, &checks).await;
    assert_eq!(found, [Outcome::Failed, Outcome::NotApplicable, Outcome::NotApplicable]);
}
