//! Floods of everything: the page stays usable, every tab loads, and the host's memory stays bounded.

use std::time::Duration;

use browser::{Frame, Page};
use serde_json::{Value, json};

use crate::rig::{MAX_UNRESPONSIVE_MS, Rig, TIMEOUT, browser, read_meter, ready, start_meter};
use crate::tiny::{Tiny, plain, tool};

const FLOOD: &str = include_str!("bounds/flood.html");
/// A flood takes long on a busy machine; the page has to be usable meanwhile.
const FLOOD_TIMEOUT: Duration = Duration::from_secs(90);
async fn flooded(page: &Page, view: &Frame, kind: &str, count: usize, over: &str) -> f64 {
    start_meter(page).await;
    view.eval(&format!("flood('{kind}', {count})")).await.unwrap();
    view.wait_for(over, FLOOD_TIMEOUT).await.unwrap();
    let gap = read_meter(page).await;
    let answers = view.eval("`${answered} answers, ${refused} of them refusals`").await.unwrap();
    println!("  {count:6} {kind:6} {answers}");
    gap
}

#[tokio::test]
async fn a_page_can_be_used_while_its_app_floods_it() {
    let (rig, browser) =
        tokio::join!(Rig::start(vec![Tiny::app("flood", FLOOD, &Value::Null).target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    let past =
        async || rig.ask(&format!("GET /api/events/past?token={}", rig.token()), &Value::Null).await.body;
    for (kind, count, over, told) in [
        ("bytes", 1, "refused === 1", "refused: it is larger than 4 MiB"),
        ("links", 3_000, "answered === 2980 && refused === 2980", "ui/open-link"),
        ("sizes", 30_000, "true", "ui/notifications/size-changed"),
        (
            "calls",
            20_000,
            "answered === 20000 && refused > 15000",
            "messages arrived faster than they could be recorded",
        ),
    ] {
        let gap = flooded(&page, &view, kind, count, over).await;
        assert!(gap < MAX_UNRESPONSIVE_MS, "{kind}: the page did not react for {gap} ms");
        assert!(past().await.contains(told), "{kind}: what was refused or left out is told");
    }
    let questions =
        "`${document.querySelectorAll('.question').length}, ${document.querySelector('.more').textContent}`";
    assert_eq!(page.eval(questions).await.unwrap(), "3, 17 more wait");
}

#[tokio::test]
async fn a_page_can_be_used_while_its_app_repeats_any_other_message() {
    let (rig, browser) =
        tokio::join!(Rig::start(vec![Tiny::app("flood", FLOOD, &Value::Null).target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    page.click("#tab-model").await.unwrap();
    for (kind, over) in [
        ("contexts", "answered === 3000"),
        ("modes", "answered === 3000"),
        ("logs", "true"),
        // The person has room for this many questions.
        ("messages", "answered === 2980"),
        ("files", "answered === 3000 && refused === 3000"),
    ] {
        let gap = flooded(&page, &view, kind, 3_000, over).await;
        assert!(gap < MAX_UNRESPONSIVE_MS, "{kind}: the page did not react for {gap} ms");
    }
    let questions = "document.querySelectorAll('.question').length";
    assert_eq!(page.eval(questions).await.unwrap(), 3);
    assert_eq!(page.downloads(), Vec::new(), "nothing is saved without the person");
}

#[tokio::test]
async fn seven_tabs_load_and_hear_what_happens() {
    let (rig, browser) = tokio::join!(
        Rig::start(vec![Tiny::app("tabs", "<!doctype html><p>", &Value::Null).target()]),
        browser()
    );
    let link = rig.link(&[("tool", "open")]);
    let first = browser.page(&link).await.unwrap();
    first.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    let open = format!("void (document.onclick = () => window.open({}, '_blank', 'noopener'))", json!(link));
    first.eval(&open).await.unwrap();
    for tabs in 1..=8 {
        first.click("header").await.unwrap();
        let opened = async {
            while first.popups().len() < tabs {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(TIMEOUT, opened).await.unwrap();
    }
    for tab in first.popups() {
        tab.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    }
    rig.post("/api/views", &json!({ "serverId": "0", "tool": "open", "run": "run-of-a-script" })).await;
    let heard = "document.querySelector('.tl-earlier')?.textContent === 'Show 1 other run'";
    for tab in first.popups().iter().chain([&first]) {
        tab.wait_for(heard, TIMEOUT).await.unwrap();
    }
    let one = first.popups().remove(0);
    let gone = one.id().to_owned();
    one.close().await.unwrap();
    let closed = async {
        while first.popups().iter().any(|tab| tab.id() == gone) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, closed).await.unwrap();
    rig.post("/api/views", &json!({ "serverId": "0", "tool": "open", "run": "run-of-another" })).await;
    for tab in first.popups().iter().chain([&first]) {
        tab.wait_for("document.querySelector('.tl-earlier')?.textContent === 'Show 2 other runs'", TIMEOUT)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn three_thousand_tools_are_drawn_at_once() {
    let tools = (0..3_000).map(|n| match n % 2 {
        0 => tool(&format!("tool-{n}"), "ui://tiny/app", &["model", "app"]),
        _ => plain(&format!("tool-{n}"), &["model", "app"]),
    });
    let tiny = Tiny::new("many", tools.collect(), Vec::new());
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("run", "0")])).await.unwrap();
    page.wait_for("document.querySelectorAll('button.tool').length === 1500", TIMEOUT).await.unwrap();
    let longest = "new Promise((told) => { new PerformanceObserver((list) => told(Math.max(...list.getEntries().map((one) => one.duration)))).observe({ type: 'longtask', buffered: true }); setTimeout(told, 1000, 0); })";
    let longest = page.eval(longest).await.unwrap().as_f64().unwrap();
    println!("  the longest task was {longest} ms");
    assert!(longest < 1_500.0, "{longest}");
}

/// The memory that this process uses, in MiB.
#[cfg(target_os = "linux")]
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn large_results_are_not_kept_for_ever() {
    let tiny = Tiny::new("large", vec![plain("large", &["model", "app"])], Vec::new());
    let rig = Rig::start(vec![tiny.target()]).await;
    let call = json!({ "serverId": "0", "name": "large", "arguments": { "bytes": 15_000_000 } });
    let before = memory();
    for _ in 0..40 {
        let answer = rig.ask("POST /api/tools/call", &call).await;
        assert!(answer.body.len() > 15_000_000, "{}", answer.body);
    }
    let grown = memory().saturating_sub(before);
    println!("  40 results of 15 MB leave {grown} MiB");
    assert!(grown < 300, "{grown} MiB");
    let trace = rig.ask(&format!("GET /api/trace?token={}", rig.token()), &Value::Null).await;
    let session = trace.body.lines().nth(1).unwrap();
    assert!(session.contains("\"dropped\":"), "what was dropped is told: {session}");
    let call = json!({ "serverId": "0", "name": "large", "arguments": { "bytes": 17_000_000 } });
    let refused = rig.post("/api/tools/call", &call).await;
    println!("  a result of 17 MB is {}", refused["error"]["message"]);
    assert!(refused["error"]["message"].is_string(), "{}", refused["content"].is_array());
    let state = rig.get("/api/state").await;
    assert_eq!(state["servers"][0]["state"], "ready", "the session goes on: {}", state["servers"][0]["note"]);
}
