//! Cards and notices in Chromium: nothing covers them, and neither a held key nor a click that was meant for something
//! else answers them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use browser::{Frame, Page};
use serde_json::{Value, json};

use crate::person::APP;
use crate::rig::{Rig, TIMEOUT, browser, is_view, ready};
use crate::scripted::Scripted;
use crate::tiny::{Tiny, document, tool};

const SETTLED: &str = "document.querySelector('.question:not(.settling)') !== null";

/// Longer than a card ignores the person.
const SETTLE_PERIOD: Duration = Duration::from_millis(900);

/// Whether every visible element that matches the selector is on top at its centre.
fn on_top(selector: &str) -> String {
    format!(
        "(() => {{ const all = [...document.querySelectorAll('{selector}')]; return all.length > 0 && all.every((one) => {{
        const {{ left, top, width, height }} = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint(left + width / 2, top + height / 2)); }}); }})()"
    )
}

async fn app(rig: &Rig, browser: &browser::Browser) -> (Page, Frame) {
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    (page, view)
}

/// A server whose app opens while its tool still needs the person to visit a URL.
fn linking(done: Arc<AtomicBool>) -> Scripted {
    let tools = vec![tool("open", "ui://tiny/app", &["model", "app"])];
    let tiny = Tiny::new("bank", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    Scripted::new(tiny, move |message| {
        let refuses = message["method"] == "tools/call" && !done.load(Ordering::Relaxed);
        refuses.then(|| {
            let url = json!({ "mode": "url", "elicitationId": "e", "message": "Sign in", "url": "https://bank.example/" });
            let error = json!({ "code": -32042, "message": "first", "data": { "elicitations": [url] } });
            vec![json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string()]
        })
    })
}

async fn set_mode(page: &Page, mode: &str) {
    let current = page.eval("document.querySelector('main').dataset.mode").await.unwrap();
    if current == "fullscreen" {
        page.press("Escape").await.unwrap();
    }
    page.eval(&format!(
        "document.querySelector('[aria-label=\"Display mode\"] [data-value={mode}]').click()"
    ))
    .await
    .unwrap();
    page.wait_for(&format!("document.querySelector('main').dataset.mode === '{mode}'"), TIMEOUT)
        .await
        .unwrap();
}

#[tokio::test]
async fn no_app_covers_what_the_host_says() {
    let done = Arc::new(AtomicBool::new(false));
    let server = linking(done.clone());
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open")])).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    page.click(".run").await.unwrap();
    page.frame(is_view, TIMEOUT).await.unwrap();
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
        page.set_viewport(width, height, 1.0).await.unwrap();
        for mode in ["inline", "pip", "fullscreen"] {
            set_mode(&page, mode).await;
            page.eval("scrollTo(0, 0)").await.unwrap();
            if mode == "pip" {
                // The person moves the app over the notices.
                page.eval("document.querySelector('.app-box').style.inset = '60px auto auto 0px'")
                    .await
                    .unwrap();
            }
            for part in [".question", ".notice", ".run-again"] {
                let shown = page.wait_for(&on_top(part), TIMEOUT).await;
                assert!(shown.is_ok(), "{part} is covered in {mode} at {width}");
            }
        }
    }
    // The app is in fullscreen now.
    server.push(&json!({ "jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": { "elicitationId": "e" } }));
    page.wait_for("document.querySelector('.notices').innerText.includes('is complete')", TIMEOUT)
        .await
        .unwrap();
    page.wait_for(&on_top(".notice"), TIMEOUT).await.unwrap();
    // The button appears where the app was, so it ignores a click that was meant for the app.
    let held = page.eval("document.querySelector('.run-again').inert").await.unwrap();
    page.click(".notice .hide").await.unwrap();
    page.wait_for("document.querySelector('.notice').getBoundingClientRect().height === 0", TIMEOUT)
        .await
        .unwrap();
    page.press("Escape").await.unwrap();
    done.store(true, Ordering::Relaxed);
    page.wait_for(
        "document.querySelector('.run-again') && !document.querySelector('.run-again').inert",
        TIMEOUT,
    )
    .await
    .unwrap();
    page.click(".run-again").await.unwrap();
    ready(&page).await;
    assert_eq!(held, true);
}

#[tokio::test]
async fn a_key_that_is_held_down_answers_nothing() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let (page, view) = app(&rig, &browser).await;
    let calls = tiny.calls().len();
    for key in ["Enter", "Space"] {
        // The key goes down in the app, before the card is there.
        view.click("button").await.unwrap();
        page.hold(key, false).await.unwrap();
        view.eval("void ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'Hello' }] })")
            .await
            .unwrap();
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
        page.eval("document.querySelector('.question button[type=submit]').focus()").await.unwrap();
        for _ in 0..5 {
            page.hold(key, true).await.unwrap();
        }
        page.release(key).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(page.eval("document.querySelectorAll('.question').length").await.unwrap(), 1, "{key}");
        // A new press is an answer, and it answers only one card.
        view.eval("void ask('ui/open-link', { url: 'https://a.example/' })").await.unwrap();
        page.wait_for("document.querySelectorAll('.question:not(.settling)').length === 2", TIMEOUT)
            .await
            .unwrap();
        page.eval("[...document.querySelectorAll('.question')][0].querySelector('.row button:nth-child(2)').focus()")
            .await
            .unwrap();
        page.hold(key, false).await.unwrap();
        for _ in 0..5 {
            page.hold(key, true).await.unwrap();
        }
        page.release(key).await.unwrap();
        page.wait_for("document.querySelectorAll('.question').length === 1", TIMEOUT).await.unwrap();
        view.eval("heard.length").await.unwrap();
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
        page.eval("document.querySelector('.question .row button:nth-child(2)').click()").await.unwrap();
        page.wait_for("document.querySelector('.questions').hidden", TIMEOUT).await.unwrap();
    }
    // Nor does a held key run a tool over and over.
    page.eval("document.querySelector('.run').focus()").await.unwrap();
    page.hold("Enter", false).await.unwrap();
    for _ in 0..5 {
        page.hold("Enter", true).await.unwrap();
        page.hold("r", true).await.unwrap();
    }
    page.release("Enter").await.unwrap();
    ready(&page).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(tiny.calls().len(), calls + 1);
}

#[tokio::test]
async fn a_card_that_moved_or_is_clicked_too_soon_waits_again() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let (page, view) = app(&rig, &browser).await;
    // Here the cards grow upwards, so that a new one moves the others.
    page.set_viewport(390, 844, 1.0).await.unwrap();
    view.eval("void ask('ui/open-link', { url: 'https://a.example/' })").await.unwrap();
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    view.eval("void ask('ui/open-link', { url: 'https://b.example/' })").await.unwrap();
    page.wait_for("document.querySelectorAll('.question').length === 2", TIMEOUT).await.unwrap();
    let moved = page.eval("document.querySelectorAll('.question.settling').length").await.unwrap();
    assert_eq!(moved, 2, "the first card has moved");

    // Somebody clicks all the time where the button is.
    view.eval("void ask('ui/open-link', { url: 'https://c.example/' })").await.unwrap();
    let button = "[...document.querySelectorAll('.question')].at(-1).querySelector('button[type=submit]')";
    page.wait_for("document.querySelectorAll('.question').length === 3", TIMEOUT).await.unwrap();
    let place = page.eval(&format!("(() => {{ const {{ left, top, width, height }} = {button}.getBoundingClientRect(); return [left + width / 2, top + height / 2]; }})()")).await.unwrap();
    let end = tokio::time::Instant::now() + 2 * SETTLE_PERIOD;
    while tokio::time::Instant::now() < end {
        page.click_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(page.eval("document.querySelectorAll('.question').length").await.unwrap(), 3);
    assert!(page.popups().is_empty());
    page.wait_for("document.querySelectorAll('.question:not(.settling)').length === 3", TIMEOUT)
        .await
        .unwrap();
    page.click_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap()).await.unwrap();
    page.wait_for("document.querySelectorAll('.question').length === 2", TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn a_question_of_a_server_takes_the_place_of_no_card() {
    let tools = vec![tool("open", "ui://tiny/app", &["model", "app"])];
    let tiny = Tiny::new("tiny", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    let server = Scripted::new(tiny, |_| None);
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let (page, view) = app(&rig, &browser).await;
    for host in ["a", "b", "c"] {
        view.eval(&format!("void ask('ui/open-link', {{ url: 'https://{host}.example/' }})")).await.unwrap();
    }
    page.wait_for("document.querySelectorAll('.question:not(.settling)').length === 3", TIMEOUT)
        .await
        .unwrap();
    let params = json!({ "message": "Me first", "requestedSchema": { "type": "object", "properties": {} } });
    server
        .push(&json!({ "jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": params }));
    page.wait_for("document.querySelector('.more')?.textContent === '1 more waits'", TIMEOUT).await.unwrap();
    let cards = page.eval("[...document.querySelectorAll('.question')].map((it) => it.querySelector('.address-host')?.textContent + it.classList.contains('settling')).join()").await.unwrap();
    assert_eq!(cards, "a.examplefalse,b.examplefalse,c.examplefalse");
}
