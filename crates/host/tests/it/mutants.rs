//! Servers that answer nonsense. Whatever value is wrong, the host serves its page and its API.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use host::Options;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use transport::client::{Limits, Target};

use crate::rig::Rig;
use crate::tiny::Tiny;

/// The methods whose answers are changed.
const METHODS: [&str; 6] =
    ["initialize", "server/discover", "tools/list", "resources/list", "resources/read", "tools/call"];

/// Replaces one value in one answer.
#[derive(Clone, Debug)]
struct Mutation {
    method: &'static str,
    /// Which node of the answer, counted from the root.
    place: usize,
    with: Value,
}

impl Mutation {
    fn apply(&self, answer: &mut Value) {
        let place = self.place % count(answer);
        if let Some(node) = nth(answer, &mut { place }) {
            *node = self.with.clone();
        }
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0_usize,
    }
}

fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, left)),
        Value::Object(members) => members.values_mut().find_map(|member| nth(member, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, at| if at % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) })
}

fn nonsense() -> impl Strategy<Value = Value> {
    let fixed = [
        Value::Null,
        json!(true),
        json!(""),
        json!("text"),
        json!("ui://tiny/app"),
        json!("\u{0}\u{202e}\u{fffd}"),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!([null, 1, "text", [], {}]),
        json!({ "name": 1, "uri": [], "_meta": "x" }),
        json!("x".repeat(100_000)),
        nested(40),
        nested(120),
        nested(400),
    ];
    proptest::sample::select(fixed.to_vec())
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let one = (proptest::sample::select(METHODS.to_vec()), 0..40_usize, nonsense());
    let one = one.prop_map(|(method, place, with)| Mutation { method, place, with });
    proptest::collection::vec(one, 1..4)
}

/// A server of either era with changed answers.
fn mutant(modern: bool, mutations: Vec<Mutation>) -> Target {
    let meta = json!({ "csp": { "connectDomains": ["https://a.example"] }, "permissions": { "camera": {} } });
    let tiny = Tiny::app("mutant", "<p>", &meta);
    let mutations = Arc::new(mutations);
    Target::in_process(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(serve(tiny.clone(), modern, mutations.clone(), theirs));
        ours
    })
}

async fn serve(tiny: Tiny, modern: bool, mutations: Arc<Vec<Mutation>>, stream: DuplexStream) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let method = message["method"].as_str().unwrap_or_default();
        let Some(mut answer) = tiny.answer(&message) else { continue };
        if modern && method == "server/discover" {
            answer = discovered(&message["id"]);
        }
        mutations.iter().filter(|one| one.method == method).for_each(|one| one.apply(&mut answer));
        if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

fn discovered(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "resources": {} },
        "serverInfo": { "name": "mutant", "version": "1" },
    }})
}

/// Counts panics outside of the tests themselves.
fn count_panics() -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, usual) = (count.clone(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|at| at.file().contains("tests/it")) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        usual(info);
    }));
    count
}

/// Sends every request that a page sends.
async fn visit(modern: bool, mutations: Vec<Mutation>) {
    let limits = Limits {
        request: Duration::from_millis(250),
        start: Duration::from_millis(500),
        linger: Duration::from_millis(1),
        ..Options::default().limits
    };
    let options = Options { targets: vec![mutant(modern, mutations).into()], limits, ..Options::default() };
    let rig = Rig::with(options).await;
    let page = rig.ask("GET /", &Value::Null).await;
    assert!(page.status == 200 && page.body.contains("</html>"), "{}", page.body);
    // Nesting this deep is more than a JSON parser accepts.
    if !rig.ask("GET /api/state", &Value::Null).await.body.contains("\"state\":\"ready\"") {
        return;
    }
    let call = json!({ "serverId": "0", "name": "open", "arguments": {} });
    let view = json!({ "serverId": "0", "tool": "open", "uri": "ui://tiny/app" });
    for (line, body) in [
        ("POST /api/tools/call", &call),
        ("GET /api/resources?serverId=0&uri=ui%3A%2F%2Ftiny%2Fapp", &Value::Null),
        ("GET /api/trace", &Value::Null),
    ] {
        assert_ne!(rig.ask(line, body).await.status, 500, "{line}");
    }
    let opened = rig.ask("POST /api/views", &view).await;
    assert_ne!(opened.status, 500);
    if opened.status != 200 {
        return;
    }
    let opened: Value = serde_json::from_str(&opened.body).unwrap();
    assert_eq!(rig.document(&opened["viewUrl"]).await.status, 200);
    let path = format!("POST /api/views/{}/request", opened["id"].as_str().unwrap());
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "open" })),
        ("resources/read", json!({ "uri": "ui://tiny/app" })),
    ] {
        assert_eq!(rig.ask(&path, &json!({ "method": method, "params": params })).await.status, 200);
    }
}

#[test]
fn no_answer_of_a_server_makes_the_host_panic() {
    let panics = count_panics();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config { cases: 96, failure_persistence: None, ..Config::default() });
    let checked = runner.run(&(any::<bool>(), mutations()), |(modern, mutations)| {
        runtime.block_on(visit(modern, mutations));
        prop_assert_eq!(panics.load(Ordering::Relaxed), 0);
        Ok(())
    });
    checked.unwrap();
}

#[tokio::test]
async fn an_item_that_is_no_tool_is_left_out_and_told() {
    for item in [json!("tool"), json!(5), json!([]), json!({ "name": 1 })] {
        let tiny = Tiny::app("odd", "<p>", &Value::Null);
        tiny.offer(vec![item, crate::tiny::tool("open", "ui://tiny/app", &["model"])]);
        let rig = Rig::start(vec![tiny.target()]).await;
        let page = rig.ask("GET /", &Value::Null).await;
        assert_eq!(page.body.matches("<option ").count(), 1);
        let state = rig.get("/api/state").await;
        let note = state["servers"][0]["note"].as_str().unwrap_or_default();
        assert!(note.contains("left out: 1"), "{note}");
    }
}
