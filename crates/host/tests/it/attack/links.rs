//! Links to the host's page on foreign pages: the page shows what they name, and runs nothing.

use std::time::Duration;

use browser::Page;
use serde_json::{Value, json};

use super::Scene;
use super::table::{self, Table};
use crate::rig::{TIMEOUT, ready};
use crate::tiny::tool;

/// A tool that must not run without the person's consent.
pub(super) fn danger(uri: &str) -> Value {
    let mut danger = tool("danger", uri, &["model"]);
    danger["annotations"] = json!({ "destructiveHint": true });
    danger
}

/// How often the tool was called.
fn calls(scene: &Scene) -> usize {
    super::names(&scene.server).iter().filter(|name| *name == "danger").count()
}

/// What a page makes of the link that led to it, after some time: the state of its app, and the chosen tool.
async fn shown(page: &Page) -> Value {
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    let chosen = "document.querySelector('#tool-select').selectedOptions[0]?.dataset.tool";
    let script = format!("`${{document.querySelector('main').dataset.appStatus}}, ${{{chosen}}}`");
    page.eval(&script).await.unwrap()
}

/// In this profile a View may open popups.
async fn popup(scene: &Scene, link: &str) -> Value {
    let query = [("server", "0"), ("tool", "still"), ("profile", "chatgpt"), ("run", "1")];
    let page = scene.browser.page(&scene.rig.link(&query)).await.unwrap();
    let view = ready(&page).await;
    view.eval(&format!("void (document.onclick = () => window.open({}))", json!(link))).await.unwrap();
    view.click("p").await.unwrap();
    shown(&page.popup(TIMEOUT).await.unwrap()).await
}

/// The person allows the link to be opened, but not what the link asks for.
async fn asked_for(scene: &Scene, link: &str) -> Value {
    let page = scene.browser.page(&scene.rig.link(&[("tool", "still"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.eval(&format!("void ask('ui/open-link', {{ url: {} }})", json!(link))).await.unwrap();
    page.wait_for("document.querySelector('.question:not(.settling)') !== null", TIMEOUT).await.unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    shown(&page.popup(TIMEOUT).await.unwrap()).await
}

/// Another site redirects the browser to the host.
async fn lured(scene: &Scene, link: &str) -> Value {
    let page = scene.browser.page(&format!("{}/lure", scene.evil.origin())).await.unwrap();
    page.eval(&format!("void (location = {})", json!(link))).await.unwrap();
    shown(&page).await
}

#[tokio::test]
async fn a_link_of_somebody_else_runs_nothing() {
    let scene = Scene::start().await;
    let link = scene.rig.link(&[("server", "0"), ("tool", "danger"), ("args", "{}"), ("run", "1")]);
    let plain = scene.rig.url();
    let (popup, asked_for, lured, lured_plainly) = tokio::join!(
        popup(&scene, &link),
        asked_for(&scene, &link),
        lured(&scene, &link),
        lured(&scene, &plain)
    );
    let mut table = Table::parse(&json!({
        "popup of an app": popup, "link that an app asks for": asked_for, "link of another site": lured,
        "plain link of another site": lured_plainly, "calls after all these": calls(&scene),
    }));
    let page = scene.browser.page(&link).await.unwrap();
    ready(&page).await;
    table.set("calls after a link that a person typed", &json!(calls(&scene)));
    let again = "void (document.querySelector('main').dataset.appStatus = 'old', location.reload())";
    page.eval(again).await.unwrap();
    page.wait_for("document.querySelector('main').dataset.appStatus !== 'old'", TIMEOUT).await.unwrap();
    shown(&page).await;
    table.set("calls after the page was loaded again", &json!(calls(&scene)));
    table.print("links to the host's page");
    table.check(table::LINKED);
}
