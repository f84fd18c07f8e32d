//! MCPJam's verdicts on broken apps, and ours: the same, check by check.
//!
//! The table holds a sound server, edits that break it, MCPJam's seven verdicts for each, and the checks of ours that
//! find what MCPJam does not. `scripts/mcpjam.mjs` asks its runner.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use protocol::{Version, apps};
use serde::Deserialize;
use serde_json::{Value, json};
use suite::seeds::mcpjam::{self, Verdict};
use suite::{Options, Outcome, Report, Selection, run};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use transport::client::{Limits, Target};

#[derive(Deserialize)]
struct Table {
    base: Value,
    mutants: Vec<Mutant>,
}

#[derive(Clone, Deserialize)]
struct Mutant {
    name: String,
    edits: Vec<Edit>,
    mcpjam: String,
    #[serde(default)]
    also: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Edit {
    Set { set: String, to: Value },
    Remove { remove: String },
}

fn table() -> Table {
    serde_json::from_str(include_str!("../mutants/apps.json")).unwrap()
}

/// The base with the edits of a mutant.
fn mutated(base: &Value, mutant: &Mutant) -> Value {
    let mut state = base.clone();
    for edit in &mutant.edits {
        let (Edit::Set { set: path, .. } | Edit::Remove { remove: path }) = edit;
        let (parent, last) = path.rsplit_once('/').unwrap();
        let last = last.replace("~1", "/");
        let place = state.pointer_mut(parent).unwrap();
        match (edit, place) {
            (Edit::Set { to, .. }, Value::Array(items)) => items[last.parse::<usize>().unwrap()] = to.clone(),
            (Edit::Set { to, .. }, place) => place[last] = to.clone(),
            (Edit::Remove { .. }, place) => {
                place.as_object_mut().unwrap().remove(&last).unwrap();
            }
        }
    }
    state
}

/// What the server of that state answers; `shows` is whether its client shows apps.
fn answer(state: &Value, shows: bool, method: &str, params: &Value) -> Value {
    if let Some(error) = state["errors"].get(method) {
        return json!({ "error": error });
    }
    let result = match method {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": state["capabilities"],
            "serverInfo": { "name": "mutant", "version": "1" },
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": tools(state, shows) }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": "a text" }] }),
        "resources/list" => json!({ "resources": state["resources"] }),
        "resources/read" => match state["contents"].get(params["uri"].as_str().unwrap_or_default()) {
            Some(contents) => json!({ "contents": contents }),
            None => return json!({ "error": { "code": -32002, "message": "no such resource" } }),
        },
        _ => return json!({ "error": { "code": -32601, "message": "Method not found" } }),
    };
    json!({ "result": result })
}

fn tools(state: &Value, shows: bool) -> Value {
    let mut tools = state["tools"].clone();
    for tool in tools.as_array_mut().unwrap().iter_mut().filter(|_| !shows) {
        tool.as_object_mut().unwrap().remove("_meta");
    }
    tools
}

fn serving(state: Value) -> Target {
    let state = Arc::new(state);
    Target::InProcess(Arc::new(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let state = state.clone();
        tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(theirs);
            let mut lines = BufReader::new(read).lines();
            let mut shows = false;
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
                let Some(id) = message.get("id") else { continue };
                let method = message["method"].as_str().unwrap_or_default();
                let declared = &message["params"]["capabilities"]["extensions"][apps::EXTENSION];
                shows |= declared["mimeTypes"] == json!([apps::MIME_TYPE]);
                let mut answer = answer(&state, shows, method, &message["params"]);
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = id.clone();
                if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        ours
    }))
}

async fn measure(state: Value) -> Report {
    let only = ["server/apps", "server/tools/schema-valid"].map(str::to_owned).to_vec();
    let limits = Limits { request: Duration::from_secs(2), ..Limits::default() };
    let options = Options {
        protocols: vec![Version::V2025_11_25],
        selection: Selection { only, skip: Vec::new() },
        limits,
        ..Options::default()
    };
    run(&serving(state), "", &options, |_| {}).await.unwrap()
}

/// The verdicts as the table writes them, a letter each.
fn letters(report: &Report) -> String {
    let letter = |verdict| match verdict {
        Some(Verdict::Passed) => 'P',
        Some(Verdict::Failed) => 'F',
        Some(Verdict::NotApplicable) => 'N',
        Some(Verdict::CouldNotRun) => 'C',
        None => '-',
    };
    mcpjam::judge(report).into_iter().map(|(_, verdict)| letter(verdict)).collect()
}

fn violated(report: &Report) -> Vec<&str> {
    let cases = report.cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed | Outcome::Warned));
    cases.map(|case| case.check.as_str()).collect()
}

/// What is wrong with our verdicts on one mutant.
async fn differences(base: &Value, mutant: Mutant) -> Vec<String> {
    let report = measure(mutated(base, &mutant)).await;
    let Mutant { name, mcpjam, also, .. } = mutant;
    let (ours, violated) = (letters(&report), violated(&report));
    let mut wrong = Vec::new();
    if ours != mcpjam {
        wrong.push(format!("{name}: {ours} instead of {mcpjam}, by {violated:?}"));
    }
    for check in also.iter().filter(|check| !violated.contains(&check.as_str())) {
        wrong.push(format!("{name}: {check} says nothing, only {violated:?}"));
    }
    wrong
}

#[tokio::test]
async fn verdicts_are_the_same_rule_by_rule() {
    let Table { base, mutants } = table();
    assert!(mutants.len() >= 40);
    let all = stream::iter(mutants).map(|mutant| differences(&base, mutant)).buffer_unordered(4);
    let wrong: Vec<_> = all.collect::<Vec<_>>().await.concat();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn the_sound_server_of_the_table_is_sound() {
    let report = measure(table().base).await;
    assert_eq!(violated(&report), [""; 0]);
    assert_eq!(report.counts.blocked + report.counts.broke, 0);
}

/// Whatever MCPJam fails, some check of ours reports; and what it lets pass, ours report where the table says so.
#[tokio::test]
async fn every_broken_server_is_found_out() {
    let Table { base, mutants } = table();
    for mutant in
        mutants.into_iter().filter(|mutant| mutant.mcpjam.contains('F') && !mutant.mcpjam.starts_with('F'))
    {
        let report = measure(mutated(&base, &mutant)).await;
        assert!(!violated(&report).is_empty(), "{}", mutant.name);
    }
}
