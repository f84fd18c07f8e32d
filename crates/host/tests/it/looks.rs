//! The page as a person sees it: what stands where, and what is shown first.

use browser::Page;
use serde_json::Value;

use crate::rig::{Rig, SOON, browser, ready};
use crate::servers::reference;
use crate::tiny::Tiny;

/// An app that wants to be as small as can be, and smaller.
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
    page.wait_for("document.querySelector('main').dataset.mode === 'pip'", SOON).await.unwrap();
    let (right, side) = (edge(".app-box", "right"), edge(".side", "left"));
    assert!(number(&page, &right).await <= number(&page, &side).await, "it covers no message");
    page.set_viewport(390, 844, 1.0).await.unwrap();
    page.wait_for(&format!("{} <= 390 && {right} <= 390", edge(".app-box", "width")), SOON).await.unwrap();
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
    page.wait_for(&both(2), SOON).await.unwrap();
    let height = edge(".app-slot", "height");
    page.wait_for(&format!("{height} === 48 && {} > 100", edge(".app-slot", "width")), SOON).await.unwrap();
    page.goto(page.eval("location.href").await.unwrap().as_str().unwrap()).await.unwrap();
    ready(&page).await;
    page.wait_for(&both(2), SOON).await.unwrap();
    page.wait_for("document.querySelector('.tl-earlier').textContent === 'Show 1 other run'", SOON)
        .await
        .unwrap();
    page.click(".tl-earlier").await.unwrap();
    page.eval("document.querySelector('.tl-list').scrollTop = 0").await.unwrap();
    page.wait_for("document.querySelector('.tl-run')?.textContent === 'Run 1: open'", SOON).await.unwrap();
    page.click(".tl-earlier").await.unwrap();
    page.wait_for(&format!("{} && !document.querySelector('.tl-run')", both(2)), SOON).await.unwrap();
}
