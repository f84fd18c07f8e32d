//! Servers and apps whose values are strange. Whatever they send, the host and its page go on, and the person can read
//! what there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use transport::client::Target;

use crate::person::APP;
use crate::rig::{MAX_UNRESPONSIVE_MS, Rig, TIMEOUT, browser, complaints, read_meter, ready, start_meter};
use crate::scripted::Scripted;
use crate::tiny::{Tiny, document, plain, tool};

/// An object that cannot be converted to text with `String`.
fn stubborn() -> Value {
    json!({ "toString": 1, "valueOf": 1 })
}

fn result(id: &Value, result: &Value) -> Vec<String> {
    vec![json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()]
}

#[tokio::test]
async fn a_server_that_keeps_dying_is_not_started_over_and_over() {
    let started = Arc::new(AtomicUsize::new(0));
    let tiny = Tiny::new("dying", vec![plain("t", &["model"])], Vec::new());
    let counter = started.clone();
    let target = Target::in_process(move || -> DuplexStream {
        counter.fetch_add(1, Ordering::Relaxed);
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let tiny = tiny.clone();
        tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(theirs);
            let mut lines = BufReader::new(read).lines();
            let mut listed = 0;
            while let (Ok(Some(line)), true) = (lines.next_line().await, listed < 2) {
                let message: Value = serde_json::from_str(&line).unwrap();
                listed += usize::from(message["method"].as_str().is_some_and(|it| it.ends_with("/list")));
                if let Some(reply) = tiny.answer(&message) {
                    write.write_all(format!("{reply}\n").as_bytes()).await.unwrap();
                }
            }
        });
        ours
    });
    let _rig = Rig::start(vec![target]).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let times = started.load(Ordering::Relaxed);
    assert!((2..=8).contains(&times), "it was started {times} times in two seconds");
}

#[tokio::test]
async fn a_list_without_end_is_cut_and_the_person_is_told() {
    let page = Arc::new(AtomicUsize::new(0));
    let tiny = Tiny::new("endless", Vec::new(), Vec::new());
    let server = Scripted::new(tiny, move |message| {
        (message["method"] == "tools/list").then(|| {
            let n = page.fetch_add(1, Ordering::Relaxed);
            let tools = json!([plain(&format!("tool-{n}"), &["model"])]);
            result(&message["id"], &json!({ "tools": tools, "nextCursor": n.to_string() }))
        })
    });
    let rig = Rig::start(vec![server.target()]).await;
    let state = rig.get("/api/state").await;
    let shown = &state["servers"][0];
    assert_eq!(shown["tools"].as_array().unwrap().len(), 50);
    assert!(shown["note"].as_str().unwrap_or_default().contains("there are more"), "{}", shown["note"]);
}

/// A server with strange members, which asks the person strange things.
fn odd_server() -> Scripted {
    let mut odd = tool("open", "ui://tiny/app", &["model", "app"]);
    odd["annotations"] = json!({ "title": stubborn() });
    let tools = vec![odd, plain("url", &["app"]), plain("form", &["app"])];
    let tiny = Tiny::new("odd", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    Scripted::new(tiny, |message| {
        let asks = |params: Value| {
            json!({ "jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": params })
                .to_string()
        };
        match (message["method"].as_str(), message["params"]["name"].as_str()) {
            (Some("tools/call"), Some("url")) => Some(vec![asks(
                json!({ "mode": "url", "message": stubborn(), "url": stubborn(), "elicitationId": "e" }),
            )]),
            (Some("tools/call"), Some("form")) => Some(vec![asks(json!({
                "message": "Strange form",
                "requestedSchema": { "type": "object", "default": "text", "required": ["toString", 1, null], "properties": {
                    "toString": { "type": "string", "title": stubborn(), "enumNames": 1 },
                    "empty": { "enum": [] }, "null": null, "number": 1,
                    "odd": { "enum": [stubborn(), null, [1]], "enumNames": [stubborn()] },
                    "many": { "type": "array", "items": { "anyOf": [{ "const": "a", "title": "A" }, { "const": "b" }] }, "default": "no list" },
                    "long": { "type": "string", "minLength": 1e300, "maxLength": -1, "pattern": "(((" },
                    "limit": { "type": "integer", "minimum": 9_007_199_254_740_993_u64, "default": 1e308 },
                    "when": { "type": "string", "format": "date", "default": "never" },
                } },
            }))]),
            _ => None,
        }
    })
}

#[tokio::test]
async fn values_that_are_no_text_are_drawn_and_end_nothing() {
    let server = odd_server();
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open")])).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    page.click(".run").await.unwrap();
    let view = ready(&page).await;
    let odd = stubborn();
    for message in [
        json!({ "method": "notifications/message", "params": { "level": odd, "logger": odd, "data": odd } }),
        json!({ "method": odd, "params": odd }),
        json!({ "id": odd, "result": odd }),
        json!({ "id": 90, "method": "ui/download-file", "params": { "contents": [{ "type": "resource_link", "uri": "https://a.example/x", "name": odd }] } }),
        json!({ "id": 91, "method": "ui/message", "params": { "role": "user", "content": [{ "type": "text", "text": "x" }, { "type": "image", "data": odd, "mimeType": odd }] } }),
        json!({ "id": 92, "method": "ui/update-model-context", "params": { "content": [{ "type": "resource", "resource": odd }], "structuredContent": odd } }),
        json!({ "id": 93, "method": "ui/initialize", "params": { "protocolVersion": "2026-01-26", "appInfo": { "name": "x", "version": "1", "title": odd }, "appCapabilities": {} } }),
    ] {
        view.eval(&format!("say({message})")).await.unwrap();
    }
    view.eval("void ask('tools/call', { name: 'url' }), void ask('tools/call', { name: 'form' })")
        .await
        .unwrap();
    for tab in ["console", "model", "result", "tools", "timeline"] {
        page.click(&format!("#tab-{tab}")).await.unwrap();
    }
    page.wait_for(
        "document.querySelector('.question.inquiry') && document.querySelectorAll('.question').length === 3",
        TIMEOUT,
    )
    .await
    .unwrap();
    page.wait_for("document.querySelector('.app-title').textContent.includes('toString')", TIMEOUT)
        .await
        .unwrap();
    // The messages behind them are heard.
    let pong = view.eval("ask('ping', {}).then((answer) => answer.result !== undefined)").await.unwrap();
    assert_eq!(pong, true);
    let complaints: Vec<_> = complaints(&page).into_iter().filter(|it| !it.contains("favicon")).collect();
    assert_eq!(complaints, [""; 0]);
}

#[tokio::test]
async fn a_schema_that_refers_to_itself_does_not_hold_up_the_page() {
    let properties: serde_json::Map<_, _> =
        (0..80).map(|n| (format!("p{n}"), json!({ "$ref": "#" }))).collect();
    let mut endless = plain("endless", &["model"]);
    endless["inputSchema"] = json!({ "type": "object", "properties": properties });
    let tiny = Tiny::new("endless", vec![endless], Vec::new());
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "endless")])).await.unwrap();
    page.wait_for("document.querySelectorAll('.fields fieldset, .fields textarea').length > 40", TIMEOUT)
        .await
        .unwrap();
    assert_eq!(complaints(&page), [""; 0]);
}

#[tokio::test]
async fn what_this_host_has_not_declared_is_refused() {
    let tiny = Tiny::new("asks", vec![plain("t", &["model"])], Vec::new());
    let server = Scripted::new(tiny, |_| None);
    let options =
        host::Options { targets: vec![server.target().into()], sampling: true, ..host::Options::default() };
    let rig = Rig::with(options).await;
    let text = json!({ "role": "user", "content": { "type": "text", "text": "Hello" } });
    for (id, method, params) in [
        ("a", "sampling/createMessage", json!({ "messages": [text], "maxTokens": 1, "tools": [] })),
        (
            "b",
            "sampling/createMessage",
            json!({ "messages": [text], "maxTokens": 1, "toolChoice": { "mode": "auto" } }),
        ),
        ("c", "elicitation/create", json!({ "mode": "voice", "message": "Say something" })),
    ] {
        server.push(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answered = async {
            loop {
                if let Some(answer) = server.heard().into_iter().find(|it| it["id"] == id) {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let answer =
            tokio::time::timeout(TIMEOUT, answered).await.unwrap_or_else(|_| panic!("{id} is not answered"));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(rig.get("/api/state").await["inquiries"], json!([]));
}

#[tokio::test]
async fn an_app_cannot_turn_what_the_person_types_into_shortcuts() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    let theme = page.eval("document.documentElement.dataset.theme").await.unwrap();
    let calls = tiny.calls().len();
    view.click("button").await.unwrap();
    for way in [
        "top.focus()",
        "parent.parent.focus()",
        "window.blur()",
        "document.activeElement.blur(), top.focus()",
    ] {
        view.eval(&format!("{way}, 0")).await.unwrap();
        page.press("r").await.unwrap();
        page.press("t").await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(tiny.calls().len(), calls);
    assert_eq!(page.eval("document.documentElement.dataset.theme").await.unwrap(), theme);
    // After a click into the page the shortcuts work.
    page.click("#tab-timeline").await.unwrap();
    page.press("t").await.unwrap();
    page.wait_for(&format!("document.documentElement.dataset.theme !== {theme}"), TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn texts_of_any_length_leave_the_page_usable() {
    let giant = "W".repeat(3_000_000);
    let mut first = tool("open", "ui://tiny/app", &["model", "app"]);
    (first["title"], first["description"]) = (json!("T".repeat(300_000)), json!(giant));
    let mut second = plain("n".repeat(100_000).as_str(), &["model"]);
    second["inputSchema"] = json!({ "type": "object", "properties": { "p".repeat(100_000): { "type": "string", "description": giant, "default": giant } } });
    let tiny = Tiny::new(
        &"S".repeat(1_000_000),
        vec![first, second],
        vec![document("ui://tiny/app", APP, &Value::Null)],
    );
    let answer = giant.clone();
    let server = Scripted::new(tiny, move |message| {
        let ask = json!({ "jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": { "message": answer,
            "requestedSchema": { "type": "object", "properties": { "a": { "type": "string", "title": answer, "enum": [answer] } } } } });
        (message["method"] == "tools/call").then(|| {
            let content = json!({ "content": [{ "type": "text", "text": answer }, { "type": "resource_link", "uri": answer, "name": answer }] });
            [vec![ask.to_string()], result(&message["id"], &content)].concat()
        })
    });
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    start_meter(&page).await;
    let view = ready(&page).await;
    for (method, params) in [
        ("ui/message", "{ role: 'user', content: [{ type: 'text', text }] }"),
        ("ui/open-link", "{ url: 'https://a.example/' + text }"),
        ("ui/update-model-context", "{ content: [{ type: 'text', text }], structuredContent: { text } }"),
        (
            "ui/download-file",
            "{ contents: [{ type: 'resource', resource: { uri: 'file:///' + text, text } }] }",
        ),
        ("notifications/message", "{ level: 'info', logger: text, data: text }"),
    ] {
        view.eval(&format!(
            "void (() => {{ const text = 'x'.repeat(3_000_000); ask('{method}', {params}); }})()"
        ))
        .await
        .unwrap();
    }
    view.eval("console.error('y'.repeat(3_000_000))").await.unwrap();
    for tab in ["model", "console", "result", "timeline"] {
        page.click(&format!("#tab-{tab}")).await.unwrap();
        // The tab is drawn once in a frame.
        page.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            .await
            .unwrap();
    }
    let wide = page.eval("document.documentElement.scrollWidth <= innerWidth").await.unwrap();
    let gap = read_meter(&page).await;
    assert!(gap < MAX_UNRESPONSIVE_MS, "the page did not react for {gap:.0} ms");
    assert_eq!(wide, true, "nothing makes the page wider than its window");
}
