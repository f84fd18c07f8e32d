//! Links to the host's own page that others make: they show what they name, and run nothing.

use std::time::Duration;

use browser::Page;
use serde_json::{Value, json};

use super::Scene;
use super::table::{self, Table};
use crate::rig::{SOON, ready};
use crate::tiny::tool;

/// A tool for the model that nobody wants to be run unasked.
pub(super) fn danger(uri: &str) -> Value {
    let mut danger = tool("danger", uri, &["model"]);
    danger["annotations"] = json!({ "destructiveHint": true });
    danger
}

/// How often the tool was called.
fn calls(scene: &Scene) -> usize {
    super::names(&scene.server).iter().filter(|name| *name == "danger").count()
}

/// Writes down what a page makes of the link that led to it, once it had the time to do it.
async fn note(table: &mut Table, scene: &Scene, name: &str, page: &Page, before: usize) {
    page.wait_for("document.querySelector('main.alive') !== null", SOON).await.unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    let status = page.eval("document.querySelector('main').dataset.appStatus").await.unwrap();
    table.set(&format!("{name}: status"), &status);
    let tool = page.eval("document.querySelector('#tool-select').selectedOptions[0]?.dataset.tool").await;
    table.set(&format!("{name}: tool"), &tool.unwrap());
    table.set(&format!("{name}: calls"), &json!(calls(scene) - before));
}

#[tokio::test]
async fn a_link_of_somebody_else_runs_nothing() {
    let scene = Scene::start().await;
    let mut table = Table::of(&json!({}));
    let link = scene.rig.link(&[("server", "0"), ("tool", "danger"), ("args", "{}"), ("run", "1")]);

    let page = scene.browser.page(&link).await.unwrap();
    ready(&page).await;
    table.set("a typed link that says run: calls", &json!(calls(&scene)));
    let before = calls(&scene);
    page.eval("void (document.querySelector('main').dataset.appStatus = 'old', location.reload())")
        .await
        .unwrap();
    ready(&page).await;
    table.set("the page loads again: calls", &json!(calls(&scene) - before));
    let before = calls(&scene);
    let page = scene.browser.page(&link.replace("&run=1", "")).await.unwrap();
    note(&mut table, &scene, "a typed link that does not", &page, before).await;

    // In this profile a View may open popups.
    let query = [("server", "0"), ("tool", "still"), ("profile", "chatgpt"), ("run", "1")];
    let page = scene.browser.page(&scene.rig.link(&query)).await.unwrap();
    let view = ready(&page).await;
    view.eval(&format!("void (document.onclick = () => window.open({}))", json!(link))).await.unwrap();
    view.click("p").await.unwrap();
    let popup = page.popup(SOON).await.unwrap();
    note(&mut table, &scene, "popup of an app", &popup, before).await;

    let page = scene.browser.page(&scene.rig.link(&[("tool", "still"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.eval(&format!("void ask('ui/open-link', {{ url: {} }})", json!(link))).await.unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    let popup = page.popup(SOON).await.unwrap();
    note(&mut table, &scene, "link that an app asks for", &popup, before).await;

    for (name, address) in
        [("another site's link", link.as_str()), ("another site's plain link", &scene.rig.url())]
    {
        let page = scene.browser.page(&format!("{}/lure", scene.evil.origin())).await.unwrap();
        page.eval(&format!("void (location = {})", json!(address))).await.unwrap();
        note(&mut table, &scene, name, &page, before).await;
    }
    table.print("links to the host's page");
    table.check(table::LINKED);
}
