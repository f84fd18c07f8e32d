//! Tabs that are closed, not only loaded again.

use std::time::Duration;

use serde_json::{Value, json};

use crate::rig::{Rig, browser, ready};
use crate::tiny::{Tiny, document, plain, tool};

/// An app that saves its work on teardown, and says when its document is hidden.
const SAVES: &str = r#"<!doctype html><title>Saves</title><p>Here I am<script>
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const save = (id, on) => say({ id, method: "tools/call", params: { name: "save", arguments: { on } } });
addEventListener("message", ({ data }) => {
  if (data.id === 1) say({ method: "ui/notifications/initialized" });
  if (data.method === "ui/resource-teardown") (save(2, "teardown"), say({ id: data.id, result: {} }));
});
addEventListener("pagehide", () => save(3, "pagehide"));
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "saves", version: "1" }, appCapabilities: {} } });
</script>"#;

#[tokio::test]
async fn what_an_app_saves_when_its_tab_is_closed_arrives() {
    let tools = vec![tool("open", "ui://tiny/app", &["model", "app"]), plain("save", &["app"])];
    let tiny = Tiny::new("tiny", tools, vec![document("ui://tiny/app", SAVES, &Value::Null)]);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    // The browser gives a tab that is closed little time, which is not always enough. What an app sends in `pagehide`
    // never arrives: by then the browser delivers no messages between frames any more.
    for _ in 0..10 {
        let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
        ready(&page).await;
        page.close_tab().await.unwrap();
        let is_saved = |call: &Value| call["arguments"] == json!({ "on": "teardown" });
        for _ in 0..20 {
            if tiny.calls().iter().any(is_saved) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    panic!("nothing was saved: {:?}", tiny.calls());
}
