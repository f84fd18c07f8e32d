//! Requests of apps to their server: slow calls, lists that change without a notification, and cancelled calls.

use serde_json::{Value, json};

use crate::rig::{Rig, TIMEOUT, browser, ready};
use crate::tiny::{Tiny, document, plain, tool};

/// An app that makes many calls without an answer, and then one that is answered.
const BUSY: &str = include_str!("asks/busy.html");
/// More than the connections that a browser opens to one origin.
const MORE_THAN_CONNECTIONS: usize = 8;

fn server(html: &str) -> Tiny {
    let tools = vec![tool("open", "ui://tiny/app", &["model", "app"]), plain("hang", &["app"])];
    Tiny::new("tiny", tools, vec![document("ui://tiny/app", html, &Value::Null)])
}

/// A host with one View, and the path for the View's requests.
async fn one_view() -> (Tiny, Rig, String) {
    let tiny = server("<!doctype html>");
    let rig = Rig::start(vec![tiny.target()]).await;
    let view = rig.open("0", "open").await;
    (tiny, rig, format!("/api/views/{}", view["id"].as_str().unwrap()))
}

fn call(name: &str, id: &str) -> Value {
    json!({ "method": "tools/call", "params": { "name": name, "arguments": {} }, "callId": id, "later": true })
}

#[tokio::test]
async fn calls_that_take_long_hold_up_nothing() {
    let (rig, browser) = tokio::join!(
        Rig::start(vec![server(&BUSY.replace("{{many}}", &MORE_THAN_CONNECTIONS.to_string())).target()]),
        browser()
    );
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.wait_for("answered === 'done'", TIMEOUT).await.unwrap();
    let hangs = |entry: &Value| entry["message"]["params"]["name"] == "hang" && entry["to"] == "server";
    let told = "document.querySelector('.side').textContent.split('tools/call').length > 8";
    page.wait_for(told, TIMEOUT).await.unwrap();
    view.eval("cancelLast()").await.unwrap();
    let is_taken_back =
        |entry: &Value| entry["method"] == "notifications/cancelled" && entry["to"] == "server";
    let entries = rig.timeline(is_taken_back).await;
    assert_eq!(entries.iter().filter(|entry| hangs(entry)).count(), MORE_THAN_CONNECTIONS);
    assert_eq!(entries.iter().filter(|entry| is_taken_back(entry)).count(), 1, "the others go on");
}

#[tokio::test]
async fn an_answer_that_takes_long_is_fetched_later() {
    let (tiny, rig, path) = one_view().await;
    let request = format!("POST {path}/request");
    for n in 0..MORE_THAN_CONNECTIONS {
        let slow = rig.ask(&request, &call("hang", &format!("slow-{n}"))).await;
        assert_eq!((slow.status, slow.json()), (202, json!({ "later": true })));
    }
    let quick = rig.ask(&request, &call("open", "quick")).await;
    assert_eq!((quick.status, &quick.json()["result"]["content"][0]["text"]), (200, &json!("done")));
    let cancelled = rig.post("/api/tools/cancel", &json!({ "callId": "slow-3" })).await;
    assert_eq!(cancelled, json!({}));
    let first = rig.get(&format!("{path}/answers")).await;
    assert_eq!(first["answers"][0]["callId"], "slow-3");
    assert!(first["answers"][0]["answer"]["error"]["message"].as_str().unwrap().contains("cancelled"));
    tiny.die();
    let (mut ended, mut after) = (1, first["answers"][0]["n"].clone());
    while ended < MORE_THAN_CONNECTIONS {
        let next = rig.get(&format!("{path}/answers?after={after}")).await;
        for answer in next["answers"].as_array().unwrap() {
            assert_eq!(answer["answer"]["error"]["code"], -32603, "a server that dies leaves nobody waiting");
            (ended, after) = (ended + 1, answer["n"].clone());
        }
    }
}

#[tokio::test]
async fn a_view_that_is_closed_cancels_its_calls() {
    let (_tiny, rig, path) = one_view().await;
    assert_eq!(rig.ask(&format!("POST {path}/request"), &call("hang", "slow")).await.status, 202);
    let mut plain = call("hang", "held");
    plain["later"] = json!(false);
    let held = |entry: &Value| entry["id"] == "held";
    let close = async {
        rig.timeline(held).await;
        rig.ask(&format!("DELETE {path}"), &Value::Null).await.status
    };
    let (answers, plain) = (format!("GET {path}/answers"), (format!("{path}/request"), plain));
    let (waiting, held, closed) =
        tokio::join!(rig.ask(&answers, &Value::Null), rig.post(&plain.0, &plain.1), close);
    assert_eq!((closed, waiting.status), (200, 404), "who waits is told");
    assert!(held["error"]["message"].as_str().unwrap().contains("cancelled"), "{held}");
    for id in ["slow", "held"] {
        let told = |entry: &Value| {
            entry["method"] == "notifications/cancelled" && entry["message"]["params"]["requestId"] == id
        };
        rig.timeline(told).await;
    }
    assert_eq!(rig.ask(&format!("POST {path}/request"), &call("open", "late")).await.status, 404);
}

#[tokio::test]
async fn a_list_that_changed_in_silence_is_judged_and_read_again() {
    let (tiny, rig, path) = one_view().await;
    let request = format!("{path}/request");
    tiny.offer(vec![
        tool("open", "ui://tiny/app", &["model", "app"]),
        plain("secret", &["model"]),
        plain("new", &["app"]),
    ]);
    let listed = rig.post(&request, &json!({ "method": "tools/list" })).await;
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["open", "new"], "an app is shown what it may call");
    assert_eq!(rig.post(&request, &call("new", "n")).await["result"]["content"][0]["text"], "done");
    assert_eq!(rig.post(&request, &call("secret", "s")).await["error"]["code"], -32602);
    let state = rig.get("/api/state").await;
    let known =
        |name: &str| state["servers"][0]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == name);
    assert!(known("secret") && known("new") && !known("hang"));
}
