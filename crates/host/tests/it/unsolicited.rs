//! Events besides the response to a request: cancelled calls, requests of the server, changed lists.

use serde_json::{Value, json};

use crate::rig::{Rig, TIMEOUT, browser};
use crate::servers::reference;

fn to_server<'a>(entries: &'a [Value], method: &'a str) -> impl Iterator<Item = &'a Value> {
    entries.iter().filter(move |entry| entry["to"] == "server" && entry["method"] == method)
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_at_the_server() {
    let rig = Rig::start(vec![reference()]).await;
    assert_eq!(rig.get("/api/state").await["servers"][0]["era"], "modern");
    let body = json!({ "serverId": "0", "name": "slow_compute", "arguments": { "seconds": 30 }, "callId": "slow", "run": "r" });
    let is_call = |entry: &Value| entry["method"] == "tools/call";
    let cancel = async {
        rig.timeline(is_call).await;
        let again = rig.post("/api/tools/call", &body).await;
        assert_eq!(again["error"]["code"], -32600, "an id is used once at a time");
        rig.post("/api/tools/cancel", &json!({ "callId": "slow" })).await
    };
    let (answer, _) = tokio::join!(rig.post("/api/tools/call", &body), cancel);
    assert!(answer["error"]["message"].as_str().unwrap().contains("cancelled"), "{answer}");
    let entries = rig.timeline(|entry| entry["id"] == "slow" && entry["from"] == "server").await;
    let told = to_server(&entries, "notifications/cancelled").next().expect("the server is told");
    assert_eq!(told["message"]["params"]["requestId"], "slow");
    assert_eq!(told["run"], "r");
    let gone = rig.ask("POST /api/tools/cancel", &json!({ "callId": "slow" })).await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn every_round_of_a_call_is_shown() {
    let rig = Rig::start(vec![reference()]).await;
    let call = json!({ "serverId": "0", "name": "ask-in-rounds", "arguments": {}, "callId": "rounds" });
    let answer = async {
        for id in 1..=2 {
            rig.events(0, |seen| seen.iter().any(|(_, event)| event["inquiry"]["id"] == id)).await;
            let result = json!({ "action": "accept", "content": { "answer": "Ada" } });
            rig.post(&format!("/api/inquiries/{id}"), &json!({ "result": result })).await;
        }
    };
    let (result, ()) = tokio::join!(rig.post("/api/tools/call", &call), answer);
    assert_eq!(result["resultType"], "complete", "{result}");
    let done =
        |entry: &Value| entry["message"]["result"]["resultType"] == "complete" && entry["answers"].is_u64();
    let entries = rig.timeline(|entry| done(entry) && entry["message"]["result"]["content"].is_array()).await;
    let asked: Vec<_> = to_server(&entries, "tools/call").collect();
    assert_eq!(asked.len(), 3, "{asked:#?}");
    assert!(asked[2]["message"]["params"]["inputResponses"].is_object());
}

#[tokio::test]
async fn a_list_that_changes_changes_the_page() {
    let (rig, browser) = tokio::join!(Rig::start(vec![reference()]), browser());
    let page = browser.page(&rig.url()).await.unwrap();
    let more = "Number(document.querySelector('.tool-group summary')?.textContent.split(' ')[0] ?? 0)";
    let before = page.wait_for(more, TIMEOUT).await.unwrap();
    let listening = |entry: &Value| entry["method"] == "notifications/subscriptions/acknowledged";
    rig.timeline(listening).await;
    let call = json!({ "serverId": "0", "name": "test_trigger_tool_change", "arguments": {} });
    rig.post("/api/tools/call", &call).await;
    page.wait_for(&format!("{more} !== {before}"), TIMEOUT).await.unwrap();
    let note = page.eval("document.querySelector('.tool-group').textContent").await.unwrap();
    assert!(note.as_str().unwrap().contains("the server's lists have changed"), "{note}");
}
