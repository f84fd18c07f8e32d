//! What servers ask the person, in ways that nobody hopes for: with no page or several, from servers that end, in
//! floods, and with forms and URLs that are made to harm.

use std::time::Duration;

use browser::Page;
use host::Options;
use serde_json::{Value, json};

use crate::evil::Evil;
use crate::rig::{MAX_UNRESPONSIVE_MS, Rig, TIMEOUT, browser, complaints, read_meter, start_meter};
use crate::scripted::Scripted;
use crate::tiny::{Tiny, plain};

const SETTLED: &str = "document.querySelector('.question:not(.settling)') !== null";
const NO_CARDS: &str = "document.querySelector('.questions').hidden";

fn silent() -> Scripted {
    Scripted::new(Tiny::new("asks", vec![plain("t", &["model"])], Vec::new()), |_| None)
}

fn asks(id: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params })
}

fn form(properties: &Value) -> Value {
    json!({ "message": "Please", "requestedSchema": { "type": "object", "properties": properties } })
}

async fn open(rig: &Rig, browser: &browser::Browser) -> Page {
    let page = browser.page(&rig.url()).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    start_meter(&page).await;
    page
}

/// Presses the button with this text in the first card.
async fn press(page: &Page, text: &str) {
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    page.eval(&format!(
        "[...document.querySelectorAll('.question:not(.settling) button')].find((it) => it.textContent === '{text}').click()"
    ))
    .await
    .unwrap();
}

/// What the server got as the answers to its request.
async fn answers(server: &Scripted, id: &str) -> Vec<Value> {
    let end = tokio::time::Instant::now() + TIMEOUT;
    loop {
        let heard: Vec<_> = server.heard().into_iter().filter(|it| it["id"] == id).collect();
        if !heard.is_empty() || tokio::time::Instant::now() > end {
            return heard;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_question_waits_for_a_page_and_two_pages_answer_it_once() {
    let server = silent();
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    server.push(&asks("early", &form(&json!({}))));
    rig.events(0, |seen| seen.iter().any(|(_, event)| event["kind"] == "inquiry")).await;
    let first = open(&rig, &browser).await;
    first.wait_for(SETTLED, TIMEOUT).await.unwrap();
    first.close().await.unwrap();
    let (one, two) = tokio::join!(open(&rig, &browser), open(&rig, &browser));
    two.wait_for(SETTLED, TIMEOUT).await.unwrap();
    press(&one, "Decline").await;
    for page in [&one, &two] {
        page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
    }
    server.push(&asks("late", &form(&json!({}))));
    for page in [&one, &two] {
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    }
    press(&two, "Send").await;
    for page in [&one, &two] {
        page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
    }
    let late = answers(&server, "late").await;
    assert_eq!((late.len(), &late[0]["result"]["action"]), (1, &json!("accept")));
    let early = answers(&server, "early").await;
    assert_eq!((early.len(), &early[0]["result"]["action"]), (1, &json!("decline")));
    assert_eq!((complaints(&one), complaints(&two)), (vec![], vec![]));
}

#[tokio::test]
async fn typing_into_a_form_that_is_withdrawn_runs_nothing() {
    let tiny = Tiny::new("asks", vec![plain("danger", &["model"])], Vec::new());
    let server = Scripted::new(tiny.clone(), |_| None);
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = open(&rig, &browser).await;
    page.wait_for("!document.querySelector('.run').disabled", TIMEOUT).await.unwrap();
    server.push(&asks("asked", &form(&json!({ "name": { "type": "string" } }))));
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    page.main().type_into(".question input", "Har").await.unwrap();
    let params = json!({ "requestId": "asked" });
    server.push(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
    page.type_text("riet").await.unwrap();
    // After a click the shortcuts work.
    page.click("#tab-timeline").await.unwrap();
    page.type_text("r").await.unwrap();
    page.wait_for("document.querySelector('#panel-result blockquote')?.textContent === 'done'", TIMEOUT)
        .await
        .unwrap();
    assert_eq!(tiny.calls().len(), 1, "only the last key ran the tool");
}

/// A server of the modern era whose tool asks the person.
fn modern(inputs: Value) -> Scripted {
    Scripted::new(Tiny::new("modern", vec![plain("t", &["model"])], Vec::new()), move |message| {
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
                "serverInfo": { "name": "modern", "version": "1" },
            }),
            Some("tools/call") => json!({ "resultType": "input_required", "inputRequests": inputs }),
            _ => return None,
        };
        Some(vec![json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()])
    })
}

#[tokio::test]
async fn the_cards_of_a_server_that_ended_are_gone() {
    let input = json!({ "a": { "method": "elicitation/create", "params": form(&json!({})) } });
    let (legacy, modern) = (silent(), modern(input));
    let (rig, browser) = tokio::join!(Rig::start(vec![legacy.target(), modern.target()]), browser());
    assert_eq!(rig.get("/api/state").await["servers"][1]["era"], "modern");
    let page = open(&rig, &browser).await;
    let call = json!({ "serverId": "1", "name": "t", "arguments": {} });
    let shown = async {
        legacy.push(&asks("asked", &form(&json!({}))));
        page.wait_for("document.querySelectorAll('.question:not(.settling)').length === 2", TIMEOUT)
            .await
            .unwrap();
        legacy.die();
        page.wait_for("document.querySelectorAll('.question').length === 1", TIMEOUT).await.unwrap();
        modern.die();
        page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
    };
    let (result, ()) = tokio::join!(rig.post("/api/tools/call", &call), shown);
    assert!(result["error"]["message"].as_str().unwrap_or_default().contains("was lost"), "{result}");
}

/// How many requests were refused for want of room, once they are at least `least`.
async fn refusals(server: &Scripted, least: usize) -> usize {
    let count = || server.heard().iter().filter(|it| it["error"]["code"] == -32603).count();
    let end = tokio::time::Instant::now() + TIMEOUT;
    while count() < least && tokio::time::Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    count()
}

#[tokio::test]
async fn a_flood_of_questions_is_refused_and_the_page_stays_usable() {
    const COUNT: usize = 2_000;
    let server = silent();
    let options = Options { targets: vec![server.target().into()], sampling: true, ..Options::default() };
    let (rig, browser) = tokio::join!(Rig::with(options), browser());
    let page = open(&rig, &browser).await;
    let text = json!({ "role": "user", "content": { "type": "text", "text": "x".repeat(2_000) } });
    for n in 0..COUNT {
        let message = match n % 2 {
            0 => asks(&format!("{n}"), &form(&json!({ "a": { "type": "string" } }))),
            _ => {
                let params = json!({ "messages": [text], "maxTokens": 1 });
                json!({ "jsonrpc": "2.0", "id": n.to_string(), "method": "sampling/createMessage", "params": params })
            }
        };
        server.push(&message);
        // The server reads the refusals before it goes on.
        if n % 10 == 9 {
            refusals(&server, (n + 1).saturating_sub(20)).await;
        }
    }
    assert_eq!(refusals(&server, COUNT - 20).await, COUNT - 20, "twenty wait for the person");
    page.wait_for("document.querySelector('.more')?.textContent === '17 more wait'", TIMEOUT).await.unwrap();
    let gap = read_meter(&page).await;
    assert!(gap < MAX_UNRESPONSIVE_MS, "{gap}");
    press(&page, "Decline").await;
    assert_eq!(answers(&server, "0").await[0]["result"]["action"], "decline");
    // The next may wait in its place.
    server.push(&asks("next", &form(&json!({}))));
    rig.events(0, |seen| seen.iter().any(|(_, event)| event["inquiry"]["id"] == 21)).await;
}

#[tokio::test]
async fn forms_of_any_size_are_drawn_and_a_pattern_that_never_ends_is_given_up() {
    let server = silent();
    let options = Options { targets: vec![server.target().into()], sampling: true, ..Options::default() };
    let (rig, browser) = tokio::join!(Rig::with(options), browser());
    let page = open(&rig, &browser).await;
    let names: Vec<String> = (0..10_000).map(|n| format!("choice number {n}")).collect();
    let wide: serde_json::Map<_, _> =
        (0..600).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
    let choices: serde_json::Map<_, _> =
        (0..50).map(|n| (format!("p{n}"), json!({ "enum": names }))).collect();
    let ticks = json!({ "type": "array", "items": { "enum": names }, "default": names });
    let trap = json!({ "type": "string", "pattern": "^(a+)+$", "default": format!("{}!", "a".repeat(60)) });
    for (name, properties) in [
        ("600 fields", json!(wide)),
        ("50 times 10,000 choices", json!(choices)),
        ("10,000 ticks", json!({ "many": ticks })),
        ("a pattern that never ends", json!({ "text": trap })),
        (
            "words of great length",
            json!({ "text": { "type": "string", "description": format!("{} ", "x".repeat(1_999)).repeat(1_500) } }),
        ),
    ] {
        server.push(&asks(name, &form(&properties)));
        press(&page, "Send").await;
        let answer = answers(&server, name).await;
        assert_eq!(answer[0]["result"]["action"], "accept", "{name}");
        page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
        let gap = read_meter(&page).await;
        assert!(gap < MAX_UNRESPONSIVE_MS, "{name}: {gap} ms");
    }
    let message = json!({ "role": "user", "content": { "type": "text", "text": "x" } });
    let params = json!({ "messages": vec![message; 5_000], "maxTokens": 1 });
    server
        .push(&json!({ "jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": params }));
    page.wait_for("document.querySelector('.question')?.innerText.includes('more messages')", TIMEOUT)
        .await
        .unwrap();
    assert!(read_meter(&page).await < MAX_UNRESPONSIVE_MS);
    press(&page, "Deny").await;

    // A pattern that ends is kept.
    let code = json!({ "code": { "type": "string", "pattern": "^[A-Z]{3}$", "default": "nope" } });
    server.push(&asks("code", &form(&code)));
    press(&page, "Send").await;
    page.wait_for(
        "document.querySelector('.question .hint').textContent.includes('must match the pattern ^[A-Z]{3}$')",
        TIMEOUT,
    )
    .await
    .unwrap();
    page.eval("(() => { const input = document.querySelector('.question input'); input.value = 'ABC'; input.dispatchEvent(new Event('input')); })()")
        .await
        .unwrap();
    press(&page, "Send").await;
    assert_eq!(
        answers(&server, "code").await[0]["result"],
        json!({ "action": "accept", "content": { "code": "ABC" } })
    );
}

#[tokio::test]
async fn a_card_shows_where_a_url_leads_and_opens_no_other_scheme() {
    let server = silent();
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = open(&rig, &browser).await;
    for url in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:http://a/b",
        "//a.example/",
        "http:",
        "about:blank",
        "view-source:http://a/",
        "not a URL",
        "",
    ] {
        let id = format!("refused {url}");
        server.push(&asks(
            &id,
            &json!({ "mode": "url", "message": "Visit", "elicitationId": "e", "url": url }),
        ));
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
        let disabled =
            page.eval("document.querySelector('.question button[type=submit]').disabled").await.unwrap();
        assert_eq!(disabled, true, "{url}");
        press(&page, "Decline").await;
        page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
    }
    let shown = "document.querySelector('.question .address-host').textContent";
    for (url, host, doubts) in [
        ("https://user:pass@a.example/", "a.example", 1),
        ("https://:pass@a.example/", "a.example", 1),
        ("https://a.example:443/", "a.example", 0),
        ("https://a.example:8443/?x=@b.example", "a.example:8443", 0),
        ("https://xn--80ak6aa92e.example/", "xn--80ak6aa92e.example", 1),
        ("https://\u{430}pple.example/", "xn--pple-43d.example", 1),
        ("http://2130706433/", "127.0.0.1", 0),
        ("http://0x7f.1:81/", "127.0.0.1:81", 0),
        ("http://[::ffff:7f00:1]:82/", "[::ffff:7f00:1]:82", 0),
        ("https://bank.example\\@evil.example/", "bank.example", 0),
        ("http:evil.example/", "evil.example", 0),
    ] {
        server.push(&asks(
            url,
            &json!({ "mode": "url", "message": "Visit", "elicitationId": "e", "url": url }),
        ));
        page.wait_for(SETTLED, TIMEOUT).await.unwrap();
        assert_eq!(page.eval(shown).await.unwrap(), host, "{url}");
        let warned = page.eval("document.querySelectorAll('.question .hint').length").await.unwrap();
        assert_eq!(warned, doubts, "{url}");
        press(&page, "Decline").await;
        page.wait_for(NO_CARDS, TIMEOUT).await.unwrap();
    }
}

#[tokio::test]
async fn a_url_without_slashes_opens_what_the_card_shows() {
    let (evil, server) = (Evil::start().await, silent());
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = open(&rig, &browser).await;
    // Without its slashes a URL of the page's own scheme would be a path of this host.
    let port = evil.origin().rsplit(':').next().unwrap().to_owned();
    let url = format!("http:127.0.0.1:{port}/landed");
    server.push(&asks(
        "opened",
        &json!({ "mode": "url", "message": "Visit", "elicitationId": "e", "url": url }),
    ));
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    page.popup(TIMEOUT).await.unwrap();
    let end = tokio::time::Instant::now() + TIMEOUT;
    while evil.hits().is_empty() && tokio::time::Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(evil.hits().first().map(String::as_str), Some("/landed"));
}

#[tokio::test]
async fn a_link_to_this_host_in_a_question_runs_nothing() {
    let tiny = Tiny::new("asks", vec![plain("danger", &["model"])], Vec::new());
    let server = Scripted::new(tiny.clone(), |_| None);
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = open(&rig, &browser).await;
    let url = rig.link(&[("tool", "danger"), ("args", "{}"), ("run", "1")]);
    server
        .push(&asks("own", &json!({ "mode": "url", "message": "Visit", "elicitationId": "e", "url": url })));
    page.wait_for(SETTLED, TIMEOUT).await.unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    let popup = page.popup(TIMEOUT).await.unwrap();
    popup.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(tiny.calls(), Vec::<Value>::new());
}

#[tokio::test]
async fn five_thousand_resources_and_prompts_hold_up_nothing() {
    let list =
        |key: &str, item: &dyn Fn(usize) -> Value| json!({ key: (0..5_000).map(item).collect::<Vec<_>>() });
    let resources = list(
        "resources",
        &|n| json!({ "uri": format!("ui://many/{n}"), "name": format!("resource {n}"), "description": "d".repeat(200) }),
    );
    let prompts = list("prompts", &|n| json!({ "name": format!("prompt-{n}") }));
    let tiny = Tiny::new("many", vec![plain("t", &["model"])], Vec::new());
    let server = Scripted::new(tiny, move |message| {
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {}, "resources": {}, "prompts": {} }, "serverInfo": { "name": "many", "version": "1" } }),
            Some("resources/list") => resources.clone(),
            Some("prompts/list") => prompts.clone(),
            _ => return None,
        };
        Some(vec![json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()])
    });
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = open(&rig, &browser).await;
    page.wait_for("document.querySelectorAll('.tool').length === 1", TIMEOUT).await.unwrap();
    for method in ["resources/list", "prompts/list"] {
        let answer = rig.post("/api/servers/0/request", &json!({ "method": method })).await;
        assert!(answer["result"].is_object(), "{method}");
    }
    let gap = read_meter(&page).await;
    assert!(gap < MAX_UNRESPONSIVE_MS, "{gap}");
    assert_eq!(complaints(&page), [""; 0]);
}
