//! Actions in the person's name: nothing happens without their knowledge, and nothing by an accidental click.

use std::time::Duration;

use browser::Page;
use host::{Host, Options};
use serde_json::{Value, json};

use crate::asker::Asker;
use crate::rig::{Rig, TIMEOUT, browser, ready};
use crate::servers::reference;
use crate::tiny::{Tiny, document, plain, tool};

/// An app that sends the requests that the test wants.
pub(crate) const APP: &str = r#"<!doctype html><title>Asks</title><button style="width: 300px; height: 200px">Click me</button><script>
let last = 1;
const open = new Map();
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((tell) => { open.set(++last, tell); say({ id: last, method, params }); });
const heard = [];
addEventListener("message", ({ data }) => {
  heard.push(data);
  if (data.id === 1) say({ method: "ui/notifications/initialized" });
  open.get(data.id)?.(data);
  if (data.method === "ui/resource-teardown") say({ id: data.id, result: {} });
});
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "asks", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } } });
</script>"#;

/// A card that accepts clicks.
const CARD: &str = "document.querySelector('.question:not(.settling)')";

async fn start(options: Options) -> (Host, Page, browser::Browser) {
    let (host, browser) = tokio::join!(Host::start(options), browser());
    let host = host.unwrap();
    host.settled(TIMEOUT).await;
    let page = browser.page(&host.url()).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    (host, page, browser)
}

fn asking(asker: &Asker) -> Options {
    Options { targets: vec![asker.target().into()], ..Options::default() }
}

async fn run(page: &Page, name: &str) {
    page.eval("document.querySelectorAll('.tool-group details').forEach((fold) => void (fold.open = true))")
        .await
        .unwrap();
    let tool =
        format!("[...document.querySelectorAll('.tool')].find((it) => it.textContent.startsWith('{name}'))");
    page.wait_for(&format!("{tool} !== undefined"), TIMEOUT).await.unwrap();
    page.eval(&format!("{tool}.click(), document.querySelector('.run').click()")).await.unwrap();
}

/// The tool's result as the page shows it.
async fn result(page: &Page) -> String {
    let shown = "document.querySelector('#panel-result blockquote')?.textContent";
    page.wait_for(shown, TIMEOUT).await.unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_form_is_answered_by_the_person_and_by_nobody_else() {
    let asker = Asker::default();
    let (_host, page, _browser) = start(asking(&asker)).await;
    assert_eq!(asker.declared()["elicitation"], json!({ "form": {}, "url": {} }));
    assert!(asker.declared().get("sampling").is_none() && asker.declared().get("roots").is_none());
    run(&page, "form").await;
    page.wait_for(CARD, TIMEOUT).await.unwrap();
    let card = page.eval(&format!("{CARD}.innerText")).await.unwrap();
    assert!(card.as_str().unwrap().contains("Delete all?"), "{card}");
    // A required field is missing, so nothing is sent.
    page.click(".question button[type=submit]").await.unwrap();
    page.wait_for(&format!("{CARD}.querySelector('.hint').textContent.includes('why is required')"), TIMEOUT)
        .await
        .unwrap();
    page.main()
        .type_into(".question input[type=text], .question input:not([type])", "because")
        .await
        .unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    assert_eq!(result(&page).await, r#"{"action":"accept","content":{"confirm":false,"why":"because"}}"#);
    page.wait_for("document.querySelector('.questions').hidden", TIMEOUT).await.unwrap();
    let row = "[...document.querySelectorAll('.tl-label')].some((it) => it.textContent.startsWith('elicitation/create'))";
    page.click("#tab-timeline").await.unwrap();
    page.wait_for(row, TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn who_declines_is_heard_and_an_address_shows_where_it_leads() {
    let (_host, page, _browser) = start(asking(&Asker::default())).await;
    run(&page, "form").await;
    page.wait_for(CARD, TIMEOUT).await.unwrap();
    page.eval("[...document.querySelectorAll('.question button')].find((it) => it.textContent === 'Decline').click()")
        .await
        .unwrap();
    assert_eq!(result(&page).await, r#"{"action":"decline"}"#);
    run(&page, "address").await;
    page.wait_for(CARD, TIMEOUT).await.unwrap();
    let host = page.eval("document.querySelector('.question .address-host').textContent").await.unwrap();
    assert_eq!(host, "evil.example:8443");
}

#[tokio::test]
async fn sampling_and_roots_are_there_only_if_the_person_said_so() {
    let asker = Asker::default();
    let (_host, page, _browser) = start(asking(&asker)).await;
    run(&page, "model").await;
    assert!(result(&page).await.contains("-32601"));
    let roots = vec![json!({ "uri": "file:///srv/somewhere", "name": "somewhere" })];
    let (_host, page, _browser) = start(Options { sampling: true, roots, ..asking(&asker) }).await;
    assert_eq!(asker.declared()["roots"], json!({}));
    run(&page, "roots").await;
    assert!(result(&page).await.contains("file:///srv/somewhere"));
    run(&page, "model").await;
    page.wait_for(CARD, TIMEOUT).await.unwrap();
    page.main().type_into(".question textarea", "something").await.unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    page.wait_for("document.querySelector('#panel-result').textContent.includes('something')", TIMEOUT)
        .await
        .unwrap();
}

#[tokio::test]
async fn in_the_modern_era_the_person_is_asked_too() {
    let targets = vec![reference().into()];
    let (host, page, _browser) = start(Options { targets, ..Options::default() }).await;
    page.goto(&format!("{}?tool=test_elicitation&args=%7B%22message%22%3A%22Really%3F%22%7D", host.url()))
        .await
        .unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    page.click(".run").await.unwrap();
    page.wait_for(CARD, TIMEOUT).await.unwrap();
    let card = page.eval(&format!("{CARD}.innerText")).await.unwrap();
    assert!(card.as_str().unwrap().contains("Really?"), "{card}");
    page.eval("[...document.querySelectorAll('.question button')].find((it) => it.textContent === 'Decline').click()")
        .await
        .unwrap();
    assert!(result(&page).await.contains("decline"));
}

#[tokio::test]
async fn opening_the_page_runs_nothing_that_may_change_something() {
    let invoice = json!({
        "name": "send_invoice", "_meta": { "ui": { "resourceUri": "ui://tiny/app" } },
        "inputSchema": { "type": "object", "properties": { "to": { "type": "string" } }, "required": ["to"] },
    });
    let mut reading = invoice.clone();
    (reading["name"], reading["annotations"]) = (json!("read_invoice"), json!({ "readOnlyHint": true }));
    let tools = vec![invoice, reading, tool("unsaid", "ui://tiny/app", &["model"])];
    let tiny = Tiny::new("tiny", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    let targets = vec![tiny.target().into()];
    let (host, page, browser) = start(Options { targets, ..Options::default() }).await;
    for query in ["", "?tool=send_invoice&run=1", "?tool=read_invoice&run=1", "?tool=unsaid"] {
        page.goto(&format!("{}{query}", host.url())).await.unwrap();
        page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(tiny.calls(), Vec::<Value>::new(), "{query}");
    }
    let mut harmless = tool("look", "ui://tiny/app", &["model"]);
    harmless["annotations"] = json!({ "readOnlyHint": true });
    let tiny = Tiny::new("tiny", vec![harmless], vec![document("ui://tiny/app", APP, &Value::Null)]);
    let rig = Rig::start(vec![tiny.target()]).await;
    let page = browser.page(&rig.url()).await.unwrap();
    ready(&page).await;
    assert_eq!(tiny.calls().len(), 1, "what only reads is shown at once");
}

#[tokio::test]
async fn a_card_moves_nothing_and_takes_no_click_that_was_meant_for_the_app() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    let place = "JSON.stringify(document.querySelector('.app-slot').getBoundingClientRect())";
    let before = page.eval(place).await.unwrap();
    view.eval("window.clicks = 0, void (document.querySelector('button').onclick = () => { clicks++; ask('ui/open-link', { url: 'https://a.example/' }); })")
        .await
        .unwrap();
    let (x, y) = view.bounds("button").await.unwrap().centre();
    page.click_at(x, y).await.unwrap();
    page.click_at(x, y).await.unwrap();
    view.wait_for("clicks === 2", TIMEOUT).await.unwrap();
    page.wait_for("document.querySelectorAll('.question').length === 2", TIMEOUT).await.unwrap();
    assert_eq!(page.eval(place).await.unwrap(), before);
    // A new card cannot be answered yet.
    view.eval("void ask('ui/open-link', { url: 'https://b.example/' })").await.unwrap();
    page.wait_for("document.querySelectorAll('.question').length === 3", TIMEOUT).await.unwrap();
    let held = page
        .eval("[...[...document.querySelectorAll('.question')].at(-1).children].every((it) => it.inert)")
        .await
        .unwrap();
    assert_eq!(held, true);
    for _ in 0..4 {
        view.eval("void ask('ui/open-link', { url: 'https://c.example/' })").await.unwrap();
    }
    page.wait_for("document.querySelector('.more')?.textContent === '4 more wait'", TIMEOUT).await.unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.question').length").await.unwrap(), 3);
    assert!(page.popups().is_empty());
}

#[tokio::test]
async fn fullscreen_is_left_by_the_person_for_good() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.eval("void setInterval(() => ask('ui/request-display-mode', { mode: 'fullscreen' }), 30)")
        .await
        .unwrap();
    page.wait_for("document.querySelector('main').dataset.mode === 'fullscreen'", TIMEOUT).await.unwrap();
    page.click(".app-bar .drawer").await.unwrap();
    page.wait_for("document.querySelector('.side').getBoundingClientRect().height > 100 && !document.querySelector('.side').inert", TIMEOUT)
        .await
        .unwrap();
    // The focus is in the app.
    view.click("button").await.unwrap();
    page.press("Escape").await.unwrap();
    page.wait_for("document.querySelector('main').dataset.mode === 'inline'", TIMEOUT).await.unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(page.eval("document.querySelector('main').dataset.mode").await.unwrap(), "inline");
}

#[tokio::test]
async fn what_an_app_and_its_server_write_is_shown() {
    let tools = vec![tool("open", "ui://tiny/app", &["model"]), plain("other", &["model"])];
    let tiny = Tiny::new("tiny", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.eval("console.warn('careful', { a: 1 }), setTimeout(() => { throw new Error('thrown') }), void Promise.reject(new Error('rejected'))")
        .await
        .unwrap();
    page.click("#tab-console").await.unwrap();
    for text in ["careful {\\\"a\\\":1}", "thrown", "unhandled rejection: Error: rejected"] {
        let shown = format!("document.querySelector('#panel-console').textContent.includes(\"{text}\")");
        page.wait_for(&shown, TIMEOUT).await.unwrap();
    }
    // A tool without an app runs too, and the old app is marked as not being the chosen tool's.
    run(&page, "other").await;
    assert_eq!(result(&page).await, "done");
}
