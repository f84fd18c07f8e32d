//! The page as a person sees it: the layout, and what it shows first.

use browser::Page;
use serde_json::{Value, json};

use crate::rig::{Rig, TIMEOUT, browser, ready};
use crate::servers::reference;
use crate::tiny::{Tiny, document, plain, tool};

/// An app that asks for the smallest possible size, and for less.
const SHY: &str = r#"<!doctype html><title>Shy</title><p>Here I am<script>
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  if (data.id === 1) say({ method: "ui/notifications/initialized" });
  if (data.method === "ui/notifications/tool-result") say({ method: "ui/notifications/size-changed", params: { width: -5, height: -1e9 } });
  if (data.method === "ui/resource-teardown") say({ id: data.id, result: {} });
});
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "shy", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "pip"] } } });
</script>"#;

async fn number(page: &Page, script: &str) -> f64 {
    page.eval(script).await.unwrap().as_f64().unwrap()
}

fn edge(selector: &str, side: &str) -> String {
    format!("document.querySelector('{selector}').getBoundingClientRect().{side}")
}

#[tokio::test]
async fn the_controls_stand_in_one_row_and_nothing_floats_over_them() {
    let (rig, browser) = tokio::join!(Rig::start(vec![reference()]), browser());
    let page = browser.page(&rig.link(&[("tool", "poem_card"), ("run", "1")])).await.unwrap();
    ready(&page).await;
    for width in [1024, 1280, 1440] {
        page.set_viewport(width, 800, 1.0).await.unwrap();
        for bar in [".top", ".toolbar"] {
            let height = number(&page, &edge(bar, "height")).await;
            assert!(height < 45.0, "{bar} is {height} high at {width}");
        }
        let wide = number(&page, "document.documentElement.scrollWidth").await;
        assert!(wide <= f64::from(width), "the page is {wide} wide at {width}");
    }
    page.click("[aria-label='Display mode'] [data-value=pip]").await.unwrap();
    page.wait_for("document.querySelector('main').dataset.mode === 'pip'", TIMEOUT).await.unwrap();
    let (right, side) = (edge(".app-box", "right"), edge(".side", "left"));
    assert!(number(&page, &right).await <= number(&page, &side).await, "it covers no message");
    page.set_viewport(390, 844, 1.0).await.unwrap();
    page.wait_for(&format!("{} <= 390 && {right} <= 390", edge(".app-box", "width")), TIMEOUT).await.unwrap();
    page.eval("scrollTo(0, 0)").await.unwrap();
    let (top, below) = (edge(".app-box", "top"), edge(".toolbar", "bottom"));
    assert!(number(&page, &top).await >= number(&page, &below).await, "the controls can be reached");
}

#[tokio::test]
async fn the_run_that_was_just_started_is_shown_and_the_others_on_request() {
    let tiny = Tiny::app("tiny", SHY, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let rows = "[...document.querySelectorAll('.tl-row .tl-label')].filter((it) => it.textContent.startsWith('ui/initialize')).length";
    let both = |count: usize| format!("{rows} === {count}");
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    ready(&page).await;
    page.wait_for(&both(2), TIMEOUT).await.unwrap();
    let height = edge(".app-slot", "height");
    page.wait_for(&format!("{height} === 48 && {} > 100", edge(".app-slot", "width")), TIMEOUT)
        .await
        .unwrap();
    page.goto(page.eval("location.href").await.unwrap().as_str().unwrap()).await.unwrap();
    ready(&page).await;
    page.wait_for(&both(2), TIMEOUT).await.unwrap();
    page.wait_for("document.querySelector('.tl-earlier').textContent === 'Show 1 other run'", TIMEOUT)
        .await
        .unwrap();
    page.click(".tl-earlier").await.unwrap();
    page.eval("document.querySelector('.tl-list').scrollTop = 0").await.unwrap();
    page.wait_for("document.querySelector('.tl-run')?.textContent === 'Run 1: open'", TIMEOUT).await.unwrap();
    page.click(".tl-earlier").await.unwrap();
    page.wait_for(&format!("{} && !document.querySelector('.tl-run')", both(2)), TIMEOUT).await.unwrap();
}

/// An app that the test controls.
const ODD: &str = r#"<!doctype html><title>Odd</title><p>First<script>
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const log = (data) => say({ method: "notifications/message", params: { level: "info", data } });
addEventListener("message", ({ data }) => {
  if (data.id === 1 && data.result) say({ method: "ui/notifications/initialized" });
  if (data.method === "ui/resource-teardown") localStorage.last = data.params.reason;
});
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "odd", version: "1" }, appCapabilities: {} } });
</script>"#;

/// Opens that app, which has the same origin every time.
async fn odd(query: &[(&str, &str)]) -> (Rig, browser::Browser, Page) {
    let tiny = Tiny::app("tiny", ODD, &json!({ "domain": "odd.example" }));
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(query)).await.unwrap();
    (rig, browser, page)
}

fn some_row(label: &str) -> String {
    format!("[...document.querySelectorAll('.tl-label')].some((it) => it.textContent === '{label}')")
}

#[tokio::test]
async fn whatever_an_app_says_is_listed_and_found() {
    let (_rig, _browser, page) = odd(&[("tool", "open"), ("run", "1")]).await;
    let view = ready(&page).await;
    view.eval("say({ id: 7, method: 5 }), say({ id: {}, method: ['x'], error: { code: [], message: { toString: 1 } } }), log('a Needle'), say({ method: 'last/one' })")
        .await
        .unwrap();
    for label in ["5", "last/one"] {
        page.wait_for(&some_row(label), TIMEOUT).await.unwrap();
    }
    page.eval("document.querySelector('.tl-search').value = 'nEEDLE', document.querySelector('.tl-search').dispatchEvent(new Event('input'))")
        .await
        .unwrap();
    let only = format!(
        "document.querySelectorAll('.tl-label').length === 1 && {}",
        some_row("notifications/message")
    );
    page.wait_for(&only, TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn an_app_may_write_its_document_anew_but_not_load_it_again() {
    let (_rig, _browser, page) = odd(&[("tool", "open"), ("run", "1")]).await;
    let view = ready(&page).await;
    let write = "document.open(), document.write('<p>Second<script>log(\"from the second\")</' + 'script>'), document.close()";
    view.eval(&format!("setTimeout(() => {{ {write} }})")).await.unwrap();
    // The proxy has checked whether this is another document.
    view.wait_for("document.body?.textContent.includes('Second') && location.href.endsWith('#')", TIMEOUT)
        .await
        .unwrap();
    view.eval("say({ method: 'still/here' })").await.unwrap();
    page.wait_for(&some_row("still/here"), TIMEOUT).await.unwrap();
    assert_eq!(page.eval("document.querySelector('main').dataset.appStatus").await.unwrap(), "ready");
    let _ = view.eval("setTimeout(() => location.reload())").await;
    page.wait_for("document.querySelector('main').dataset.appStatus === 'failed'", TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn an_app_is_told_when_the_page_is_loaded_again() {
    let (rig, _browser, page) = odd(&[("tool", "open"), ("run", "1")]).await;
    let view = ready(&page).await;
    assert_eq!(view.eval("localStorage.last ?? null").await.unwrap(), Value::Null);
    page.goto(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.wait_for("localStorage.last === 'the page is closed'", TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn what_an_app_saves_when_the_page_is_loaded_again_arrives() {
    const SAVES: &str = r#"<!doctype html><title>Saves</title><p>Here I am<script>
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  if (data.id === 1) say({ method: "ui/notifications/initialized" });
  if (data.method === "ui/resource-teardown") (say({ id: 2, method: "tools/call", params: { name: "save", arguments: {} } }), say({ id: data.id, result: {} }));
});
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "saves", version: "1" }, appCapabilities: {} } });
</script>"#;
    let tools = vec![tool("open", "ui://tiny/app", &["model", "app"]), plain("save", &["app"])];
    let tiny = Tiny::new("tiny", tools, vec![document("ui://tiny/app", SAVES, &Value::Null)]);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    ready(&page).await;
    // When a page is left, the browser gives it only the time until the next page loads, which is not always enough.
    for _ in 0..10 {
        page.goto(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
        ready(&page).await;
        if tiny.calls().iter().any(|call| call["name"] == "save") {
            return;
        }
    }
    panic!("nothing was saved: {:?}", tiny.calls());
}

#[tokio::test]
async fn a_host_that_nobody_plays_is_the_fault_of_the_link() {
    let (_rig, _browser, page) = odd(&[("tool", "open"), ("profile", "nope"), ("run", "1")]).await;
    let said = "document.querySelector('.notices').innerText";
    page.wait_for(
        &format!("{said}.includes('nope') && {said}.includes('The link') && {said}.includes('strict')"),
        TIMEOUT,
    )
    .await
    .unwrap();
    page.click(".run").await.unwrap();
    ready(&page).await;
}
