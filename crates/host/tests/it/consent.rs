//! What an app tries in order to act in the person's name: misleading links, the keyboard, the window and its history.

use std::time::Duration;

use browser::{Frame, Page};
use serde_json::{Value, json};

use crate::person::APP;
use crate::rig::{Rig, TIMEOUT, browser, ready};
use crate::scripted::Scripted;
use crate::tiny::{Tiny, plain};

const SETTLED: &str = "document.querySelector('.question:not(.settling)') !== null";
const NO_CARDS: &str = "document.querySelector('.questions').hidden";

async fn app(rig: &Rig, browser: &browser::Browser) -> (Page, Frame) {
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    (page, view)
}

async fn deny(page: &Page) {
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    page.eval("[...document.querySelectorAll('.question button')].find((it) => ['Deny', 'Decline'].includes(it.textContent)).click()")
        .await
        .unwrap();
    page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn a_link_of_an_app_is_shown_with_its_host_and_what_may_mislead() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let (page, view) = app(&rig, &browser).await;
    for url in [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,<script>1</script>",
        "blob:https://a.example/1",
        "file:///etc/passwd",
        "filesystem:http://a/",
        "https://",
        "//a.example/",
        "intent://a.example#Intent;end",
    ] {
        let code = view
            .eval(&format!("ask('ui/open-link', {{ url: {} }}).then((it) => it.error?.code)", json!(url)))
            .await
            .unwrap();
        assert_eq!(code, -32000, "{url}");
    }
    assert_eq!(page.eval(NO_CARDS).await.unwrap(), true);
    let long = format!("https://a.example/{}", "x".repeat(100_000));
    let hidden = format!("https://{}@b.example/", "bank.example%2f".repeat(5_000));
    for (url, host, doubts) in [
        ("https://bank.example@b.example/", "b.example", 1),
        ("https://bank.example:443@b.example/", "b.example", 1),
        ("https://b\u{430}nk.example/", "xn--bnk-6cd.example", 1),
        ("https://\u{202e}knab.example@b.example/", "b.example", 1),
        ("https://a.example\n.b.example/", "a.example.b.example", 0),
        ("https://a\u{ad}.example/", "a.example", 0),
        ("https://a.example%2f.b.example/", "", 0),
        (&long, "a.example", 0),
        (&hidden, "b.example", 1),
    ] {
        view.eval(&format!("void ask('ui/open-link', {{ url: {} }})", json!(url))).await.unwrap();
        if host.is_empty() {
            // A browser does not accept this host, and neither does the page.
            view.eval("ask('ping', {}).then(() => 1)").await.unwrap();
            assert_eq!(page.eval(NO_CARDS).await.unwrap(), true, "{url}");
            continue;
        }
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
        let shown = page.eval("[document.querySelector('.question .address-host').textContent, document.querySelectorAll('.question .hint').length]").await.unwrap();
        assert_eq!(shown, json!([host, doubts]), "{}", &url[..url.len().min(60)]);
        let is_in_view = "(() => { const { top, bottom } = document.querySelector('.question .address-host').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })()";
        assert_eq!(page.eval(is_in_view).await.unwrap(), true, "{}", &url[..url.len().min(60)]);
        deny(&page).await;
    }
    assert!(page.popups().is_empty());
}

#[tokio::test]
async fn an_app_does_not_get_what_the_person_types_into_the_page() {
    let thief = APP.replace("<script>", "<input id=trap><script>");
    let tiny = Tiny::app("tiny", &thief, &Value::Null);
    let server = Scripted::new(tiny, |_| None);
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let (page, view) = app(&rig, &browser).await;
    let schema = json!({ "type": "object", "properties": { "code": { "type": "string" } } });
    let params = json!({ "message": "The code, please", "requestedSchema": schema });
    server
        .push(&json!({ "jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": params }));
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    // The person has used the app, so it may take the focus.
    view.click("button").await.unwrap();
    page.click(".question input").await.unwrap();
    view.eval("void setInterval(() => document.querySelector('#trap').focus(), 20)").await.unwrap();
    for letter in "correct horse battery".chars() {
        page.type_text(&letter.to_string()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let typed = page.eval("document.querySelector('.question input').value").await.unwrap();
    let caught = view.eval("document.querySelector('#trap').value").await.unwrap();
    // A few letters may be lost before the page hides the app.
    assert!(caught.as_str().unwrap().len() <= 3, "the app got {caught}");
    assert!(typed.as_str().unwrap().len() >= 18, "{typed}");
    page.click("#tab-console").await.unwrap();
    page.wait_for(
        "document.querySelector('#panel-console').innerText.includes('took the keyboard')",
        TIMEOUT,
    )
    .await
    .unwrap();
    // After a click where it was the app is shown, and has the keyboard again.
    view.eval("void (document.querySelector('#trap').value = '')").await.unwrap();
    page.click(".app-slot").await.unwrap();
    page.wait_for("document.querySelector('iframe.held') === null", TIMEOUT).await.unwrap();
    view.click("#trap").await.unwrap();
    page.type_text("mine").await.unwrap();
    view.wait_for("document.querySelector('#trap').value.includes('mine')", TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn a_card_that_a_resized_window_moves_waits_again() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let (page, view) = app(&rig, &browser).await;
    page.set_viewport(1440, 900, 1.0).await.unwrap();
    view.eval("void ask('ui/open-link', { url: 'https://a.example/' })").await.unwrap();
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    for (width, height) in [(1300, 900), (1024, 768), (390, 844), (390, 600)] {
        page.eval("void (globalThis.waited = false, new MutationObserver(() => (waited ||= document.querySelector('.question.settling') !== null)).observe(document.querySelector('.question'), { attributes: true }))").await.unwrap();
        page.set_viewport(width, height, 1.0).await.unwrap();
        let waited = page.wait_for("waited", TIMEOUT).await;
        assert!(waited.is_ok(), "{width} × {height}");
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
        let inside = page.eval("(() => { const { left, right, top, bottom } = document.querySelector('.question [type=submit]').getBoundingClientRect(); return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight; })()").await.unwrap();
        assert_eq!(inside, true, "{width} × {height}");
    }
    deny(&page).await;
}

#[tokio::test]
async fn an_app_neither_leaves_the_page_nor_disturbs_it() {
    let tiny = Tiny::app("tiny", APP, &Value::Null);
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page("about:blank").await.unwrap();
    let link = rig.link(&[("tool", "open"), ("run", "1")]);
    page.goto(&link).await.unwrap();
    let view = ready(&page).await;
    // With a click of the person an app may do more.
    view.click("button").await.unwrap();
    for attempt in [
        "alert(1)",
        "confirm(1)",
        "prompt(1)",
        "print()",
        "window.open('https://a.example/')",
        "window.open('about:blank', '_top')",
        "top.location = 'https://a.example/'",
        "parent.location = 'about:blank'",
        "addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'x'; })",
        "(() => { const it = document.createElement('a'); it.href = 'data:text/plain,x'; it.download = 'x'; it.click(); })()",
        "(() => { const it = document.createElement('a'); it.href = 'https://a.example/'; it.target = '_top'; document.body.append(it); it.click(); })()",
        "document.documentElement.requestFullscreen()",
        "document.body.requestPointerLock()",
        "(() => { for (let n = 0; n < 60; n += 1) history.pushState(n, '', '#' + n); })()",
        "history.back()",
        "history.go(-100)",
        "Notification.requestPermission()",
        "navigator.registerProtocolHandler('web+x', location.href + '?%s')",
    ] {
        let script = format!("void (async () => {{ try {{ await ({attempt}); }} catch {{}} }})()");
        view.eval(&script).await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        let alive = page.eval("document.querySelector('main.alive') !== null && document.fullscreenElement === null && document.pointerLockElement === null").await;
        assert_eq!(alive.unwrap_or_default(), true, "{attempt}");
    }
    assert!(page.url().starts_with(&rig.url()), "{}", page.url());
    assert!(page.popups().is_empty() && page.downloads().is_empty());
    assert_eq!(page.dialogs(), Vec::new());
    // The page can still be left.
    page.goto("about:blank").await.unwrap();
    assert_eq!(page.url(), "about:blank");
}

#[tokio::test]
async fn what_the_person_fills_in_stays_when_the_server_changes_its_tools() {
    let mut form = plain("form", &["model"]);
    form["inputSchema"] = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let tiny = Tiny::new("tiny", vec![form.clone()], Vec::new());
    let server = Scripted::new(tiny.clone(), |_| None);
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "form")])).await.unwrap();
    page.wait_for("document.querySelector('.arguments input') !== null", TIMEOUT).await.unwrap();
    let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    page.main().type_into(".arguments input", "Har").await.unwrap();
    // Another tool appears: the field stays, with the keyboard.
    tiny.offer(vec![form.clone(), plain("another", &["model"])]);
    server.push(&changed);
    page.wait_for("document.body.innerText.includes('another')", TIMEOUT).await.unwrap();
    page.type_text("riet").await.unwrap();
    assert_eq!(page.eval("document.querySelector('.arguments input').value").await.unwrap(), "Harriet");
    // The form itself changes: the value stays, and further keys run nothing.
    form["inputSchema"]["properties"]["city"] = json!({ "type": "string" });
    tiny.offer(vec![form.clone(), plain("another", &["model"])]);
    server.push(&changed);
    page.wait_for("document.querySelectorAll('.arguments input').length === 2", TIMEOUT).await.unwrap();
    page.type_text("r").await.unwrap();
    assert_eq!(page.eval("document.querySelector('.arguments input').value").await.unwrap(), "Harriet");
    // Half-written JSON stays too.
    page.eval("[...document.querySelectorAll('.arguments .segmented button')].at(-1).click()").await.unwrap();
    page.eval("(() => { const it = document.querySelector('.json-editor'); it.value = '{\"name\": \"Har'; it.dispatchEvent(new Event('input')); })()").await.unwrap();
    form["inputSchema"]["properties"]["street"] = json!({ "type": "string" });
    tiny.offer(vec![form]);
    server.push(&changed);
    page.wait_for("!document.body.innerText.includes('another')", TIMEOUT).await.unwrap();
    assert_eq!(page.eval("document.querySelector('.json-editor').value").await.unwrap(), "{\"name\": \"Har");
    assert_eq!(tiny.calls(), Vec::<Value>::new());
}

#[tokio::test]
async fn every_kind_of_field_can_be_answered() {
    let server = Scripted::new(Tiny::new("asks", vec![plain("t", &["model"])], Vec::new()), |_| None);
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[])).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    let properties = json!({
        "text": { "type": "string", "title": "Text", "minLength": 2, "maxLength": 5, "default": "abc" },
        "email": { "type": "string", "format": "email", "default": "a@b.example" },
        "uri": { "type": "string", "format": "uri", "default": "https://a.example/" },
        "date": { "type": "string", "format": "date", "default": "2026-02-28" },
        "moment": { "type": "string", "format": "date-time", "default": "2026-02-28T10:00:00Z" },
        "code": { "type": "string", "pattern": "^[A-Z]+$", "default": "ABC" },
        "number": { "type": "number", "minimum": 0.5, "maximum": 2.5, "default": 1.5 },
        "integer": { "type": "integer", "minimum": 1, "maximum": 3, "default": 2 },
        "flag": { "type": "boolean", "default": true },
        "plain": { "type": "string", "enum": ["a", "b"], "default": "b" },
        "named": { "type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"], "default": "a" },
        "titled": { "type": "string", "oneOf": [{ "const": "x", "title": "Ex" }, { "const": "y", "title": "Why" }], "default": "y" },
        "many": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "enum": ["p", "q", "r"] }, "default": ["q"] },
        "manyTitled": { "type": "array", "items": { "anyOf": [{ "const": "k", "title": "Key" }, { "const": "l", "title": "Lock" }] }, "default": ["l", "k"] },
        "__proto__": { "type": "string", "default": "own" },
        "constructor": { "type": "string", "title": "", "default": "also own" },
        "reversed": { "type": "string", "title": "a\u{202e}b", "default": "r" },
    });
    let names: Vec<&str> = properties.as_object().unwrap().keys().map(String::as_str).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": names });
    let params = json!({ "message": "All of it", "requestedSchema": schema });
    server
        .push(&json!({ "jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": params }));
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    let labels = page.eval("[...document.querySelectorAll('.question :is(.field > label, legend)')].map((it) => it.textContent)").await.unwrap();
    let labels: Vec<&str> = labels.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(labels.contains(&"constructor *") && labels.contains(&"a[U+202E]b *"), "{labels:?}");
    page.click(".question [type=submit]").await.unwrap();
    let answered = async {
        loop {
            if let Some(answer) = server.heard().into_iter().find(|it| it["id"] == "asked") {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let Ok(answer) = tokio::time::timeout(TIMEOUT, answered).await else {
        panic!("{}", page.eval("document.querySelector('.question .hint').textContent").await.unwrap());
    };
    let mut expected: serde_json::Map<String, Value> = properties
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, one)| (name.clone(), one["default"].clone()))
        .collect();
    let mut content = answer["result"]["content"].clone();
    for map in [&mut expected, content.as_object_mut().unwrap()] {
        // The choices have no order.
        if let Some(list) = map.get_mut("manyTitled").and_then(Value::as_array_mut) {
            list.sort_by_key(Value::to_string);
        }
    }
    assert_eq!(content, Value::Object(expected));
}
