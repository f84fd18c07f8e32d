//! Servers that send more than anybody can read. The page answers clicks, the first questions reach the person, memory
//! is bounded, and the person is told what was left out.

use std::time::{Duration, Instant};

use browser::{Browser, Page};
use host::Options;
use serde_json::{Value, json};

use crate::person::APP;
use crate::rig::{Rig, TIMEOUT, browser, ready};
use crate::scripted::Scripted;
use crate::tiny::{Tiny, document, plain, tool};

/// A flood takes long on a busy machine; the page has to be usable meanwhile.
const FLOOD_TIMEOUT: Duration = Duration::from_secs(240);
/// During a flood, what the person waits for may take so many times longer than without one.
const MAX_SLOWDOWN: u32 = 10;
/// A machine that is not busy is quicker than this, with and without a flood.
const LEAST: Duration = Duration::from_secs(3);

type Make = fn(usize, &Value) -> Value;

/// A server whose tool `flood` sends messages, and then its result.
fn flooding(count: usize, make: Make) -> Scripted {
    let tools = vec![plain("flood", &["model", "app"]), tool("open", "ui://tiny/app", &["model", "app"])];
    let tiny = Tiny::new("flood", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    Scripted::new(tiny, move |call| {
        let is_flood = call["method"] == "tools/call" && call["params"]["name"] == "flood";
        is_flood.then(|| {
            let result = json!({ "content": [{ "type": "text", "text": "the flood is over" }] });
            let result = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result });
            let lines = (0..count).map(|n| make(n, call).to_string());
            lines.chain([result.to_string()]).collect()
        })
    })
}

fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn sampling(n: usize, _: &Value) -> Value {
    let text = json!({ "role": "user", "content": { "type": "text", "text": "Say something" } });
    json!({ "jsonrpc": "2.0", "id": n, "method": "sampling/createMessage", "params": { "messages": [text], "maxTokens": 10 } })
}

fn form(n: usize, _: &Value) -> Value {
    let schema = json!({ "type": "object", "properties": {} });
    json!({ "jsonrpc": "2.0", "id": n, "method": "elicitation/create", "params": { "message": "Really?", "requestedSchema": schema } })
}

/// Each asks, and withdraws what it asked.
fn withdrawn(n: usize, call: &Value) -> Value {
    match n % 2 {
        0 => form(n, call),
        _ => notification("notifications/cancelled", &json!({ "requestId": n - 1 })),
    }
}

fn log(n: usize, _: &Value) -> Value {
    notification("notifications/message", &json!({ "level": "info", "data": n }))
}

fn lists(_: usize, _: &Value) -> Value {
    notification("notifications/tools/list_changed", &json!({}))
}

fn updated(n: usize, _: &Value) -> Value {
    notification("notifications/resources/updated", &json!({ "uri": format!("ui://tiny/{n}") }))
}

fn progress(n: usize, call: &Value) -> Value {
    let token = &call["params"]["_meta"]["progressToken"];
    notification("notifications/progress", &json!({ "progressToken": token, "progress": n }))
}

async fn start(server: &Scripted, query: &[(&str, &str)]) -> (Rig, Browser, Page) {
    let options = Options { targets: vec![server.target().into()], sampling: true, ..Options::default() };
    let (rig, browser) = tokio::join!(Rig::with(options), browser());
    let page = browser.page(&rig.link(query)).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    (rig, browser, page)
}

/// Clicks two tabs in turns, and returns the longest time until one is shown.
async fn slowest_click(page: &Page, times: usize) -> Duration {
    let mut slowest = Duration::ZERO;
    for tab in ["console", "timeline"].into_iter().cycle().take(times) {
        let began = Instant::now();
        page.click(&format!("#tab-{tab}")).await.unwrap();
        let shown = format!("document.querySelector('#tab-{tab}').getAttribute('aria-selected') === 'true'");
        page.wait_for(&shown, FLOOD_TIMEOUT).await.unwrap();
        slowest = slowest.max(began.elapsed());
    }
    slowest
}

/// How long it takes until a question of the server can be answered, after `act`.
async fn until_card(page: &Page, act: impl Future<Output = ()>) -> Duration {
    let began = Instant::now();
    act.await;
    let card = "document.querySelector('.question:not(.settling)') !== null";
    page.wait_for(card, FLOOD_TIMEOUT).await.unwrap();
    began.elapsed()
}

async fn past(rig: &Rig) -> String {
    rig.ask(&format!("GET /api/events/past?token={}", rig.token()), &Value::Null).await.body
}

/// The memory that this process uses, in MiB.
#[cfg(target_os = "linux")]
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

#[cfg(not(target_os = "linux"))]
fn memory() -> usize {
    0
}

async fn endure(what: &str, count: usize, make: Make, asks: bool) {
    let server = flooding(count, make);
    let (rig, _browser, page) = start(&server, &[("tool", "flood")]).await;
    let calm_click = slowest_click(&page, 6).await;
    let calm_card = until_card(&page, async { server.push(&form(count + 1, &Value::Null)) }).await;
    page.eval("[...document.querySelectorAll('.question button')].find((it) => it.textContent === 'Decline').click()")
        .await
        .unwrap();
    page.wait_for("document.querySelector('.questions').hidden", TIMEOUT).await.unwrap();
    let before = memory();
    let run = async { page.click(".run").await.unwrap() };
    if asks {
        let card = until_card(&page, run).await;
        println!("  {what}: the first question after {card:.1?}, without a flood after {calm_card:.1?}");
        assert!(card < MAX_SLOWDOWN * calm_card.max(LEAST), "{card:?}");
    } else {
        run.await;
    }
    let click = slowest_click(&page, 10).await;
    println!("  {what}: a click is answered after {click:.1?}, without a flood after {calm_click:.1?}");
    assert!(click < MAX_SLOWDOWN * calm_click.max(LEAST), "{click:?}");
    let over = "document.querySelector('#panel-result blockquote')?.textContent === 'the flood is over'";
    page.wait_for(over, FLOOD_TIMEOUT).await.unwrap();
    let grown = memory().saturating_sub(before);
    println!("  {what}: {grown} MiB");
    // The server that floods is part of this process.
    assert!(grown < 600, "{grown} MiB");
    let told = async {
        while !past(&rig).await.contains("the server sends faster than the host records") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, told).await.unwrap_or_else(|_| panic!("{what}: nobody is told"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_thousand_questions_of_a_server_reach_the_person_as_a_few() {
    endure("sampling", 100_000, sampling, true).await;
    endure("forms", 20_000, form, true).await;
    endure("withdrawn forms", 20_000, withdrawn, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_flood_of_notifications_of_a_server_leaves_the_page_usable() {
    endure("logs", 100_000, log, false).await;
    endure("changed lists", 20_000, lists, false).await;
    endure("changed resources", 20_000, updated, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_progress_of_a_call_is_thinned_out_and_its_last_step_arrives() {
    const STEPS: usize = 50_000;
    let server = flooding(STEPS, progress);
    let (rig, _browser, page) = start(&server, &[("tool", "open"), ("run", "1")]).await;
    let view = ready(&page).await;
    view.eval("void ask('tools/call', { name: 'flood', arguments: {}, _meta: { progressToken: 7 } }).then(() => { window.over = true; })")
        .await
        .unwrap();
    view.wait_for("window.over === true", FLOOD_TIMEOUT).await.unwrap();
    let steps = view
        .eval("heard.filter((it) => it.method === 'notifications/progress').map((it) => it.params.progress)")
        .await
        .unwrap();
    let steps: Vec<usize> =
        steps.as_array().unwrap().iter().map(|it| it.as_u64().unwrap() as usize).collect();
    println!("  {} of {STEPS} steps arrived", steps.len());
    assert_eq!(steps.last(), Some(&(STEPS - 1)));
    assert!(steps.is_sorted() && steps.len() < STEPS, "{}", steps.len());
    rig.timeline(|entry| entry["method"] == "notifications/progress").await;
    assert!(past(&rig).await.contains("the server sends faster than the host records"));
}

/// A server of the modern era whose tool requires `count` inputs, each time.
fn insatiable(count: usize) -> Scripted {
    let tiny = Tiny::new("modern", vec![plain("t", &["model"])], Vec::new());
    Scripted::new(tiny, move |message| {
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
                "serverInfo": { "name": "modern", "version": "1" },
            }),
            Some("tools/call") => {
                let ask = |n| {
                    (
                        format!("input-{n}"),
                        json!({ "method": "elicitation/create", "params": form(0, &Value::Null)["params"] }),
                    )
                };
                let inputs: serde_json::Map<_, _> = (0..count).map(ask).collect();
                json!({ "resultType": "input_required", "inputRequests": inputs })
            }
            _ => return None,
        };
        Some(vec![json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()])
    })
}

#[tokio::test]
async fn a_modern_server_cannot_ask_without_end() {
    let call = json!({ "serverId": "0", "name": "t", "arguments": {} });
    let many = insatiable(5_000);
    let rig = Rig::start(vec![many.target()]).await;
    let refused = rig.post("/api/tools/call", &call).await;
    let why = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(why.contains("requires 5000 inputs"), "{refused}");

    let again = insatiable(1);
    let (rig, _browser, page) = start(&again, &[("tool", "t")]).await;
    page.click(".run").await.unwrap();
    let mut asked = 0;
    let card = "document.querySelector('.question:not(.settling)')";
    let over = "document.querySelector('main').dataset.appStatus !== 'loading'";
    while page.wait_for(&format!("{card} !== null || {over}"), TIMEOUT).await.is_ok()
        && page.eval(&format!("{card} !== null")).await.unwrap() == true
    {
        asked += 1;
        page.click(".question [type=submit]").await.unwrap();
        page.wait_for(&format!("{card} === null"), TIMEOUT).await.unwrap();
        assert!(asked < 20, "the server asks again and again");
    }
    assert!(asked > 1, "{asked}");
    drop(rig);
}

/// JSON with very many levels.
fn deep() -> String {
    format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000))
}

#[tokio::test]
async fn json_of_a_hundred_thousand_levels_ends_nothing() {
    let tiny = Tiny::app("deep", APP, &Value::Null);
    let server = Scripted::new(tiny, |message| {
        let id = &message["id"];
        (message["method"] == "tools/call" && message["params"]["arguments"]["deep"] == true).then(|| {
            let deep = deep();
            vec![
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{deep}}}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"elicitation/create","params":{{"message":{deep}}}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":{{"deep":{deep}}}}}}}"#),
            ]
        })
    });
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    let call = json!({ "serverId": "0", "name": "open", "arguments": { "deep": true } });
    let answer = tokio::time::timeout(TIMEOUT, rig.post("/api/tools/call", &call)).await;
    println!("  a deep result is answered with {:.200}", answer.unwrap_or_default().to_string());
    for params in ["{ structuredContent: deep }", "{ content: deep }", "deep"] {
        let script = format!("(() => {{ let deep = 1; for (let n = 0; n < 100_000; n += 1) deep = n % 2 ? [deep] : {{ deep }};
            try {{ say({{ id: 99, method: 'ui/update-model-context', params: {params} }}); }} catch (error) {{ return error.name; }} return 'sent'; }})()");
        println!("  a deep message of an app: {}", view.eval(&script).await.unwrap());
    }
    // Both go on.
    assert_eq!(view.eval("ask('ping', {}).then((it) => 'result' in it)").await.unwrap(), true);
    let call = json!({ "serverId": "0", "name": "open", "arguments": {} });
    assert!(rig.post("/api/tools/call", &call).await["content"].is_array());
    assert_eq!(rig.get("/api/state").await["servers"][0]["state"], "ready");
}

#[tokio::test]
async fn a_context_of_twenty_megabytes_is_refused() {
    let tiny = Tiny::app("much", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    let large = view
        .eval("ask('ui/update-model-context', { content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }).then((it) => it.error?.message)")
        .await
        .unwrap();
    assert_eq!(large, "refused: it is larger than 4 MiB as JSON");
}
