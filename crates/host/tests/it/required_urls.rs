//! A tool call that fails because the person has to visit URLs first (error -32042).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::evil::Evil;
use crate::rig::{Rig, TIMEOUT, browser, complaints};
use crate::scripted::Scripted;
use crate::tiny::{Tiny, plain};

/// A server whose tool `link` needs `elicitations` until `done` is true.
fn linking(elicitations: Value, done: Arc<AtomicBool>) -> Scripted {
    let tiny = Tiny::new("bank", vec![plain("link", &["model"])], Vec::new());
    Scripted::new(tiny, move |message| {
        let refuses = message["method"] == "tools/call" && !done.load(Ordering::Relaxed);
        refuses.then(|| {
            let data = json!({ "elicitations": elicitations });
            let error = json!({ "code": -32042, "message": "visit the page first", "data": data });
            vec![json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string()]
        })
    })
}

fn complete(id: &str) -> Value {
    let params = json!({ "elicitationId": id });
    json!({ "jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params })
}

/// Clicks the button with this text in the card that has `part` in its text.
fn press(part: &str, text: &str) -> String {
    format!(
        "(() => {{ const card = [...document.querySelectorAll('.question:not(.settling)')].find((it) => it.innerText.includes('{part}'));
        const button = [...(card?.querySelectorAll('button') ?? [])].find((it) => it.textContent === '{text}');
        button?.click(); return button !== undefined && !button.disabled; }})()"
    )
}

#[tokio::test]
async fn the_person_visits_the_urls_that_a_call_needs_and_runs_it_again() {
    let (evil, done) = (Evil::start().await, Arc::new(AtomicBool::new(false)));
    let url = evil.origin().replace("http://", "http://bank.example@");
    let server = linking(
        json!([
            { "mode": "url", "elicitationId": "first", "message": "Sign in at the bank", "url": format!("{url}/sign-in") },
            { "mode": "url", "elicitationId": "second", "message": "Run a script", "url": "javascript:alert(1)" },
            { "mode": "form", "elicitationId": "third", "message": "Not a URL" },
        ]),
        done.clone(),
    );
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "link")])).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    page.click(".run").await.unwrap();
    page.wait_for("document.querySelectorAll('.question:not(.settling)').length === 2", TIMEOUT)
        .await
        .unwrap();

    // The person sees why, and where the URL leads. Nothing is opened, and a script never is.
    let card = page.eval("document.querySelector('.question').innerText").await.unwrap();
    let card = card.as_str().unwrap();
    assert!(card.contains("Sign in at the bank") && card.contains("is not the host"), "{card}");
    let host = page.eval("document.querySelector('.question .address-host').textContent").await.unwrap();
    assert_eq!(format!("http://{}", host.as_str().unwrap()), evil.origin());
    assert_eq!(evil.hits(), [""; 0]);
    assert_eq!(page.eval(&press("Run a script", "Open")).await.unwrap(), false);
    assert_eq!(page.eval(&press("Run a script", "Decline")).await.unwrap(), true);

    // After it was opened, the card waits for the server. A completion of something else does not close it.
    page.click(".question button[type=submit]").await.unwrap();
    page.popup(TIMEOUT).await.unwrap();
    page.wait_for(
        "document.querySelector('.question:not(.settling)')?.innerText.includes('Opened in another tab')",
        TIMEOUT,
    )
    .await
    .unwrap();
    server.push(&complete("unknown"));
    server.push(&complete("first"));
    page.wait_for("document.querySelector('.questions').hidden", TIMEOUT).await.unwrap();
    assert_eq!(evil.hits()[0], "/sign-in");
    let notice = "document.querySelector('.notices').innerText.includes('What the tool link needed from you is complete')";
    page.wait_for(notice, TIMEOUT).await.unwrap();

    // One click runs the tool again.
    done.store(true, Ordering::Relaxed);
    page.wait_for("!document.querySelector('.notices .run-again').inert", TIMEOUT).await.unwrap();
    page.click(".notices .run-again").await.unwrap();
    page.wait_for("document.querySelector('#panel-result blockquote')?.textContent === 'done'", TIMEOUT)
        .await
        .unwrap();
    assert_eq!(page.eval("document.querySelector('.notices .run-again')").await.unwrap(), Value::Null);

    // The timeline has the answers of the person, and what the server did wrong.
    let entries = rig.timeline(|entry| entry["method"] == "notifications/elicitation/complete").await;
    let said: Vec<_> = entries.iter().filter(|entry| entry["from"] == "person").collect();
    let said: Vec<_> =
        said.iter().map(|entry| (&entry["message"]["elicitationId"], &entry["message"]["action"])).collect();
    assert_eq!(said, [(&json!("second"), &json!("decline")), (&json!("first"), &json!("accept"))]);
    let error = entries.iter().find(|entry| entry["message"]["error"]["code"] == -32042).unwrap();
    assert_eq!(error["findings"][0]["level"], "must", "{error}");
    assert_eq!(complaints(&page), [""; 0]);
}

#[tokio::test]
async fn without_a_notification_the_person_runs_the_tool_again_from_the_card() {
    let done = Arc::new(AtomicBool::new(false));
    let evil = Evil::start().await;
    let url = json!([{ "mode": "url", "elicitationId": "only", "message": "Sign in", "url": evil.origin() }]);
    let server = linking(url, done.clone());
    let (rig, browser) = tokio::join!(Rig::start(vec![server.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "link")])).await.unwrap();
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await.unwrap();
    page.click(".run").await.unwrap();
    page.wait_for(&press("Sign in", "Open"), TIMEOUT).await.unwrap();
    // The server still needs it: the card of the old call goes, the new call brings its own.
    page.wait_for(&press("Opened in another tab", "Run again"), TIMEOUT).await.unwrap();
    page.wait_for(&press("Sign in", "Open"), TIMEOUT).await.unwrap();
    done.store(true, Ordering::Relaxed);
    page.wait_for(&press("Opened in another tab", "Run again"), TIMEOUT).await.unwrap();
    page.wait_for("document.querySelector('#panel-result blockquote')?.textContent === 'done'", TIMEOUT)
        .await
        .unwrap();
    page.wait_for("document.querySelector('.questions').hidden", TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn a_malformed_list_is_an_error_and_no_more() {
    for elicitations in
        [Value::Null, json!("text"), json!([]), json!([1, null, { "mode": "url" }]), json!({ "a": 1 })]
    {
        let server = linking(elicitations.clone(), Arc::default());
        let rig = Rig::start(vec![server.target()]).await;
        let call = json!({ "serverId": "0", "name": "link", "run": "r" });
        let answer = rig.post("/api/tools/call", &call).await;
        assert_eq!(answer["error"]["code"], -32042, "{elicitations}: {answer}");
        assert_eq!(rig.get("/api/state").await["inquiries"], json!([]), "{elicitations}");
    }
}
