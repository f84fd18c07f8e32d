//! Hostile apps in a real Chromium. Each attempt is a row with an expected outcome.

mod hidden;
mod leaving;
mod links;
mod table;

use std::time::Duration;

use browser::{Browser, Frame, Page};
use serde_json::{Value, json};

use crate::evil::Evil;
use crate::rig::{Rig, TIMEOUT, browser, is_view, ready};
use crate::tiny::{Tiny, document, plain, tool};
use table::Table;

const BRIDGE: &str = include_str!("attack/bridge.js");
const APP: &str = include_str!("attack/app.html");
const REACH: &str = include_str!("attack/reach.html");
const STILL: &str = include_str!("attack/still.html");

/// A host with hostile apps, the attacker's site, and a browser.
struct Scene {
    rig: Rig,
    evil: Evil,
    server: Tiny,
    other: Tiny,
    browser: Browser,
}

impl Scene {
    async fn start() -> Self {
        let (evil, browser) = tokio::join!(Evil::start(), browser());
        // The apps must know the page's port before the host listens, so a free port is chosen first.
        let port = free_port().await;
        let host = format!("http://127.0.0.1:{port}");
        let filled = |html: &str| {
            let html = html.replace("{{bridge}}", BRIDGE);
            html.replace("{{evil}}", &evil.origin()).replace("{{host}}", &host)
        };
        let server = apps(&evil.origin(), &host, &filled);
        let other = Tiny::new("other", vec![plain("elsewhere", &["model", "app"])], vec![]);
        let rig = Rig::on(port, vec![server.target(), other.target()]).await;
        Self { rig, evil, server, other, browser }
    }

    async fn page(&self, tool: &str) -> (Page, Frame) {
        let page = self
            .browser
            .page(&self.rig.link(&[("server", "0"), ("tool", tool), ("run", "1")]))
            .await
            .unwrap();
        let view = ready(&page).await;
        (page, view)
    }

    /// The outcome of every attempt, once the app has finished.
    async fn rows(&self, view: &Frame) -> Table {
        view.wait_for("done", Duration::from_secs(60)).await.unwrap();
        Table::parse(&view.eval("rows").await.unwrap())
    }
}

/// A server with an app that declares nothing, one that declares the attacker's site, and others.
fn apps(evil: &str, host: &str, filled: &dyn Fn(&str) -> String) -> Tiny {
    let open = json!({ "connectDomains": [evil, host, evil.replace("http", "ws")], "resourceDomains": [evil], "frameDomains": [evil] });
    let inject = json!({
        "connectDomains": [format!("https://a.example; connect-src {evil}"), format!("https://a.example {evil}"), format!("https://a.example\n{evil}")],
        "resourceDomains": ["'unsafe-eval'", format!("https://b.example, script-src {evil}")],
        "frameDomains": [format!("https://c.example;frame-src {evil}")],
    });
    let asked = json!({ "microphone": {}, "clipboardWrite": {} });
    let huge = format!("{}<!--{}-->", filled(STILL), "x".repeat(5_000_000));
    let all = [
        ("attack", filled(APP), json!({ "permissions": asked })),
        ("reach", filled(REACH), json!({ "csp": open })),
        ("inject", filled(REACH), json!({ "csp": inject })),
        ("still", filled(STILL), Value::Null),
        ("huge", huge, Value::Null),
    ];
    let uri = |name: &str| format!("ui://attack/{name}");
    let mut tools: Vec<Value> =
        all.iter().map(|(name, ..)| tool(name, &uri(name), &["model", "app"])).collect();
    tools.extend([plain("secret", &["model"]), plain("inner", &["app"])]);
    tools.push(links::danger(&uri("still")));
    Tiny::new(
        "attacker",
        tools,
        all.iter().map(|(name, html, meta)| document(&uri(name), html, meta)).collect(),
    )
}

async fn free_port() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn an_app_stays_in_its_sandbox() {
    let scene = Scene::start().await;
    let (page, view) = scene.page("attack").await;
    let mut table = scene.rows(&view).await;
    let address = page.url();
    view.click("#gesture").await.unwrap();
    let clicked = view.wait_for("rows.clicked", TIMEOUT).await;
    assert!(clicked.is_ok(), "{clicked:?}, {:#}", view.eval("rows").await.unwrap());
    let sibling = with_sibling(&scene, &page).await;
    view.eval("siblings()").await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    table.add(&view.eval("rows").await.unwrap());
    table.set("sibling: heard from its proxy", &sibling.eval("JSON.stringify(heard)").await.unwrap());
    table.set("calls that reached the server", &json!(names(&scene.server)));
    table.set("calls that reached the other server", &json!(names(&scene.other)));
    table.set("requests at the attacker's site", &json!(scene.evil.hits()));
    view.eval("history.back()").await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let own = |(url, error): (String, browser::Exception)| {
        url.starts_with(&scene.rig.url()).then_some(error.message)
    };
    let thrown: Vec<_> = page.exceptions().into_iter().filter_map(own).collect();
    table.set("errors in the host's page", &json!(thrown));
    table.set("popups", &json!(page.popups().len()));
    table.set("dialogs", &json!(page.dialogs().len()));
    table.set("downloads", &json!(page.downloads().len()));
    table.set("address of the page", &json!(if page.url() == address { "unchanged" } else { "changed" }));
    table.set(
        "questions put to the person",
        &page.eval("document.querySelectorAll('.question').length").await.unwrap(),
    );
    table.set(
        "height of the stage",
        &page
            .eval("document.querySelector('.app-slot').getBoundingClientRect().height <= 5000")
            .await
            .unwrap(),
    );
    table
        .set("the page lives", &page.eval("document.querySelector('main').dataset.appStatus").await.unwrap());
    let spoof = |entry: &Value| {
        entry["method"] == "ui/notifications/sandbox-resource-ready" && entry["from"] == "view"
    };
    let entries = scene.rig.timeline(spoof).await;
    let level = |entry: &Value| entry["findings"][0]["level"].clone();
    table.set(
        "spoofed messages of the proxy",
        &entries.iter().find(|entry| spoof(entry)).map(level).unwrap_or_default(),
    );
    table.print("an app that declares nothing");
    table.check(table::SANDBOXED);
}

fn names(server: &Tiny) -> Vec<String> {
    server.calls().iter().map(|call| call["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Opens a second View in the same page; its app should notice nothing.
async fn with_sibling(scene: &Scene, page: &Page) -> Frame {
    let view = scene.rig.open("0", "still").await;
    let url = view["proxyUrl"].as_str().unwrap();
    let script = format!(
        "new Promise((ready) => {{ const frame = document.createElement('iframe'); frame.name = 'sibling'; frame.src = {0};
         addEventListener('message', ({{ source }}) => source === frame.contentWindow && (frame.contentWindow.postMessage(
           {{ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: {{}} }}, {1}), ready()), {{ once: true }});
         document.body.append(frame); }})",
        json!(url),
        view["proxyOrigin"]
    );
    page.eval(&script).await.unwrap();
    let inner = view["viewUrl"].as_str().unwrap().to_owned();
    let sibling = page.frame(|frame| frame.url == inner, TIMEOUT).await.unwrap();
    sibling.wait_for("typeof heard !== 'undefined'", TIMEOUT).await.unwrap();
    sibling
}

#[tokio::test]
async fn declared_origins_are_reached_and_the_host_is_not() {
    let scene = Scene::start().await;
    let (_page, view) = scene.page("reach").await;
    let mut table = scene.rows(&view).await;
    let hits = scene.evil.hits();
    for path in [
        "/fetch", "/landed", "/nocors", "/xhr", "/image", "/script", "/module", "/style", "/iframe",
        "/socket", "/events", "/beacon",
    ] {
        table.set(&format!("hit {path}"), &json!(hits.iter().any(|hit| hit == path)));
    }
    table.set("hit /object", &json!(hits.iter().any(|hit| hit == "/object")));
    table.print("an app that declares the attacker's site and the host's origin");
    table.check(table::DECLARED);
}

#[tokio::test]
async fn domains_cannot_smuggle_in_sources_or_directives() {
    let scene = Scene::start().await;
    let (_page, view) = scene.page("inject").await;
    let opened = scene.rig.open("0", "inject").await;
    let applied = opened["csp"]["applied"].as_str().unwrap();
    let mut table = scene.rows(&view).await;
    table.set("the attacker's site in the policy", &json!(applied.contains(&scene.evil.origin())));
    table.set("unsafe-eval in the policy", &json!(applied.contains("unsafe-eval")));
    table.set("requests at the attacker's site", &json!(scene.evil.hits()));
    table.print("an app whose domains are no domains");
    table.check(table::INJECTED);
    assert_eq!(opened["csp"]["dropped"].as_array().unwrap().len(), 6, "each is told: {opened}");
}

#[tokio::test]
async fn five_megabytes_are_shown() {
    let scene = Scene::start().await;
    let (page, view) = scene.page("huge").await;
    view.wait_for("document.documentElement.outerHTML.length > 5000000", TIMEOUT).await.unwrap();
    assert!(page.frames().iter().any(is_view));
}
