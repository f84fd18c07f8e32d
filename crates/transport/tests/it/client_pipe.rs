//! Sessions over a pipe: the handshake, who gets which message, answers, cancellation, rounds.

use std::time::Duration;

use protocol::Version;
use serde_json::{Value, json};
use wire::{Direction, Id, What};
use yardstick_transport::client::{Answer, Blame, Closing, Failure, Limits, Profile, Session};

use crate::client_support::{connect, damaged, discovered, error, in_process, open, quick, result, welcome};

const LEGACY: Version = Version::V2025_06_18;
const MODERN: Version = Version::V2026_07_28;
const SHORT_WAIT: Duration = Duration::from_millis(500);

#[tokio::test]
async fn the_handshake_comes_first_and_in_order() {
    let target = in_process(|mut peer| async move {
        let request = peer.shake_hands().await;
        let ping = peer.expect("ping").await;
        peer.say(result(&ping, json!({"seen": request["params"]}))).await;
        peer.next().await;
    });
    let session = open(&target, LEGACY).await.unwrap();
    let server = session.server();
    assert_eq!(server.negotiated(), Some(LEGACY));
    assert_eq!((server.name().as_deref(), server.instructions.as_deref()), (Some("peer 1"), Some("be kind")));
    assert_eq!(server.capabilities, json!({"tools": {}}));
    let seen = session.request("ping").send().await.unwrap().result().unwrap()["seen"].clone();
    assert_eq!(seen["protocolVersion"], "2025-06-18");
    assert_eq!(seen["capabilities"]["elicitation"], json!({}), "modes came later");
    assert_eq!(seen["clientInfo"]["name"], "yardstick");
    let transcript = session.recorder().transcript();
    let sent: Vec<_> = transcript.messages().filter(|e| e.direction == Direction::ToServer).collect();
    let methods: Vec<Value> =
        sent.iter().map(|e| serde_json::from_slice::<Value>(&e.bytes).unwrap()["method"].clone()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "ping"]);
    assert!(matches!(session.close().await, Closing::Pipe { ended: true, .. }));
}

#[tokio::test]
async fn another_version_is_a_failure_that_names_it() {
    let target = in_process(|mut peer| async move {
        let mut request = peer.expect("initialize").await;
        request["params"]["protocolVersion"] = json!("2024-11-05");
        peer.say(welcome(&request)).await;
        peer.next().await;
    });
    let failure = open(&target, LEGACY).await.unwrap_err();
    assert_eq!(failure.to_string(), "the target does not speak 2025-06-18: it offers 2024-11-05");
    assert_eq!(failure.blame(), Blame::Target);
}

#[tokio::test]
async fn a_refused_handshake_tells_the_error() {
    let target = in_process(|mut peer| async move {
        let request = peer.expect("initialize").await;
        peer.say(error(&request, -32602, "no")).await;
        peer.next().await;
    });
    let failure = open(&target, LEGACY).await.unwrap_err();
    assert_eq!(failure.to_string(), "the target refused initialize: no (-32602)");
}

#[tokio::test]
async fn requests_run_side_by_side() {
    let target = in_process(|mut peer| async move {
        let (one, two) = (peer.expect("a").await, peer.expect("b").await);
        peer.say(result(&two, json!({"of": "b"}))).await;
        peer.say(result(&one, json!({"of": "a"}))).await;
        peer.next().await;
    });
    let session = connect(&target, LEGACY).await;
    let (a, b) = tokio::join!(session.request("a").send(), session.clone().request("b").send());
    assert_eq!(a.unwrap().result().unwrap()["of"], "a");
    assert_eq!(b.unwrap().result().unwrap()["of"], "b");
}

#[tokio::test]
async fn each_message_goes_where_it_belongs() {
    let target = in_process(|mut peer| async move {
        let (one, two) = (peer.expect("a").await, peer.expect("b").await);
        let progress = |n: u32| json!({"method": "notifications/progress", "params": {"progressToken": "t", "progress": n}});
        peer.say(progress(1)).await;
        peer.say(json!({"jsonrpc": "2.0", "id": "nobody", "result": {}})).await;
        peer.say(json!({"method": "notifications/tools/list_changed"})).await;
        peer.say(progress(2)).await;
        peer.say(result(&one, json!({}))).await;
        peer.say(result(&one, json!({"again": true}))).await;
        peer.say(result(&two, json!({}))).await;
        peer.next().await;
    });
    let session = connect(&target, LEGACY).await;
    let (a, b) =
        tokio::join!(session.request("a").meta("progressToken", "t").send(), session.request("b").send());
    let a = a.unwrap();
    assert_eq!(a.notifications("notifications/progress").count(), 2);
    assert_eq!(a.messages.len(), 4, "two of progress, one that may be its own, the response");
    assert_eq!(b.unwrap().notifications("notifications/progress").count(), 0);
    let mut strays = Vec::new();
    while let Some(message) = session.incoming(Duration::from_millis(20)).await.unwrap() {
        strays.push(message);
    }
    assert_eq!(strays[0].id(), Some(Id::from("nobody")));
    assert!(strays[1].is_notification("notifications/tools/list_changed"));
    assert_eq!(strays[2].value().unwrap()["result"]["again"], true, "a second response is nobody's");
    assert_eq!(strays.len(), 3);
}

#[tokio::test]
async fn ids_of_any_spelling_find_their_request() {
    let target = in_process(|mut peer| async move {
        while let Some(line) = peer.line().await {
            let id = line.split_once("\"id\":").unwrap().1.split_once(",\"method\"").unwrap().0.to_owned();
            peer.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")).await;
        }
    });
    let session = connect(&target, LEGACY).await;
    let huge = format!("1{}", "0".repeat(200));
    for id in ["0", "-7", "8.0", "1e3", "\"\"", "\"\\u0041\"", "18446744073709551616", huge.as_str(), "[1]"] {
        let reply = session.request("ping").id(id).send().await.unwrap();
        assert_eq!(reply.frame().unwrap().id.unwrap().get(), id);
    }
}

#[tokio::test]
async fn an_id_that_comes_back_respelled_still_answers() {
    let target = in_process(|mut peer| async move {
        peer.next().await;
        peer.raw("{\"id\":8,\"result\":{}}\n").await;
        peer.next().await;
    });
    let reply = connect(&target, LEGACY).await.request("ping").id("8.0").send().await.unwrap();
    assert_eq!(reply.frame().unwrap().id.unwrap().get(), "8");
}

#[tokio::test]
async fn what_is_no_message_is_answered_by_an_error_without_id() {
    let target = in_process(|mut peer| async move {
        while let Some(line) = peer.line().await {
            assert_eq!(line, "{nope");
            peer.raw("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"?\"}}\n")
                .await;
        }
    });
    let session = connect(&target, LEGACY).await;
    let reply = session.request("x").body("{nope").send().await.unwrap();
    assert_eq!(reply.code(), Some(-32700));
    let transcript = session.recorder().transcript();
    assert_eq!(transcript.entries[0].bytes, "{nope");
}

#[tokio::test]
async fn raw_bytes_go_out_as_they_are() {
    let target = in_process(|mut peer| async move {
        let line = peer.line().await.unwrap();
        peer.say(json!({"method": "got", "params": {"line": line}})).await;
        peer.next().await;
    });
    let session = connect(&target, LEGACY).await;
    assert!(session.send_bytes("{\"half\":").await.unwrap().is_none());
    assert!(session.incoming(Duration::from_millis(20)).await.unwrap().is_none(), "no newline was added");
    session.send_bytes(" 1}\n").await.unwrap();
    let got = session.incoming(SHORT_WAIT).await.unwrap().unwrap();
    assert_eq!(got.params().unwrap()["line"], "{\"half\": 1}");
}

#[tokio::test]
async fn a_batch_waits_for_each_of_its_responses() {
    let target = in_process(|mut peer| async move {
        peer.next().await;
        peer.say(json!([{"id": 1, "result": {}}, {"id": 2, "error": {"code": -1, "message": "x"}}])).await;
        peer.next().await;
        peer.say(json!({"id": 2, "result": {}})).await;
        peer.say(json!({"id": 1, "result": {}})).await;
        peer.next().await;
    });
    let session = connect(&target, Version::V2025_03_26).await;
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    let together = session.request("batch").body(batch).send().await.unwrap();
    assert_eq!((together.messages.len(), together.responses().len()), (1, 2));
    let apart = session.request("batch").body(batch).send().await.unwrap();
    assert_eq!((apart.messages.len(), apart.responses().len()), (2, 2));
}

#[tokio::test]
async fn the_servers_requests_are_answered_by_the_profile() {
    let asks = ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "no/such"];
    let target = in_process(move |mut peer| async move {
        let call = peer.expect("tools/call").await;
        let mut answers = Vec::new();
        for (id, method) in asks.iter().enumerate() {
            let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
            let params = json!({"message": "?", "requestedSchema": schema});
            peer.say(json!({"jsonrpc": "2.0", "id": format!("s{id}"), "method": method, "params": params}))
                .await;
            answers.push(peer.next().await.unwrap());
        }
        peer.say(result(&call, json!({"answers": answers}))).await;
        peer.next().await;
    });
    let session = connect(&target, Version::V2025_11_25).await;
    let reply = session.request("tools/call").send().await.unwrap();
    let answers = reply.result().unwrap()["answers"].clone();
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": "s0", "result": {}}));
    assert!(answers[1]["result"]["roots"][0]["uri"].as_str().unwrap().starts_with("file://"));
    assert_eq!(answers[2]["result"]["role"], "assistant");
    assert_eq!(answers[3]["result"], json!({"action": "accept", "content": {"name": "yardstick"}}));
    assert_eq!(answers[4]["error"]["code"], -32601);
    assert_eq!(reply.messages.len(), asks.len() + 1, "the requests are on the exchange too");
}

#[tokio::test]
async fn a_profile_may_answer_otherwise_or_not_at_all() {
    let target = in_process(|mut peer| async move {
        peer.say(json!({"id": 1, "method": "roots/list"})).await;
        peer.say(json!({"id": 2, "method": "ping"})).await;
        let answer = peer.next().await.unwrap();
        peer.say(json!({"method": "answered", "params": answer})).await;
        peer.next().await;
    });
    let profile = Profile::bare().answering(|method, _| match method {
        "ping" => Answer::Error { code: 7, message: "busy".into() },
        _ => Answer::Silence,
    });
    let session = Session::connect(&target, LEGACY, profile, quick()).await.unwrap();
    let mut heard = session.listen(None).await.unwrap();
    loop {
        let message = heard.next_within(SHORT_WAIT).await.unwrap().unwrap();
        if message.method().as_deref() == Some("answered") {
            assert_eq!(
                message.params().unwrap(),
                json!({"jsonrpc": "2.0", "id": 2, "error": {"code": 7, "message": "busy"}})
            );
            break;
        }
    }
}

#[tokio::test]
async fn a_modern_request_carries_its_own_metadata() {
    let target = in_process(|mut peer| async move {
        while let Some(request) = peer.next().await {
            let reply = if request["method"] == "server/discover" {
                discovered(&request)
            } else {
                result(&request, json!({"seen": request["params"]}))
            };
            peer.say(reply).await;
        }
    });
    let session = open(&target, MODERN).await.unwrap();
    assert_eq!(session.server().supported, ["2026-07-28"]);
    assert_eq!(session.server().name().as_deref(), Some("peer 2"));
    let seen = |reply: yardstick_transport::client::Reply| reply.result().unwrap()["seen"].clone();
    let plain = seen(session.request("tools/list").send().await.unwrap());
    assert_eq!(plain["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(plain["_meta"]["io.modelcontextprotocol/clientInfo"]["name"], "yardstick");
    assert_eq!(
        plain["_meta"]["io.modelcontextprotocol/clientCapabilities"]["elicitation"],
        json!({"form": {}, "url": {}})
    );
    let bent = session.request("tools/list").params(json!({"cursor": "c", "_meta": {"mine": 1}}));
    let bent = bent
        .meta("io.modelcontextprotocol/protocolVersion", "1900-01-01")
        .without_meta("io.modelcontextprotocol/clientInfo");
    let bent = seen(bent.send().await.unwrap());
    assert_eq!((&bent["cursor"], &bent["_meta"]["mine"]), (&json!("c"), &json!(1)));
    assert_eq!(bent["_meta"]["io.modelcontextprotocol/protocolVersion"], "1900-01-01");
    assert!(bent["_meta"].get("io.modelcontextprotocol/clientInfo").is_none());
    let odd = seen(session.request("tools/list").params(json!([1])).send().await.unwrap());
    assert_eq!(odd, json!([1]), "what is no object stays as it is");
}

#[tokio::test]
async fn a_modern_client_answers_no_requests() {
    let target = in_process(|mut peer| async move {
        let request = peer.expect("tools/list").await;
        peer.say(json!({"id": 1, "method": "ping"})).await;
        peer.say(result(&request, json!({}))).await;
        let next = peer.next().await.unwrap();
        peer.say(json!({"method": "next", "params": next})).await;
        peer.next().await;
    });
    let session = connect(&target, MODERN).await;
    let reply = session.request("tools/list").send().await.unwrap();
    assert_eq!(reply.messages[0].method().as_deref(), Some("ping"), "it is seen all the same");
    session.notify("notifications/x", None).await.unwrap();
    session.incoming(SHORT_WAIT).await.unwrap();
    let next = session.incoming(SHORT_WAIT).await.unwrap().unwrap();
    assert_eq!(next.params().unwrap()["method"], "notifications/x");
}

#[tokio::test]
async fn a_subscription_is_a_request_that_goes_on() {
    let target = in_process(|mut peer| async move {
        let listen = peer.expect("subscriptions/listen").await;
        let of = |method: &str| json!({"method": method, "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}}});
        peer.say(of("notifications/subscriptions/acknowledged")).await;
        let list = peer.expect("tools/list").await;
        peer.say(of("notifications/tools/list_changed")).await;
        peer.say(result(&list, json!({}))).await;
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"], json!({"requestId": listen["id"], "reason": "enough"}));
        peer.say(result(&listen, json!({"resultType": "complete"}))).await;
        peer.next().await;
    });
    let session = connect(&target, MODERN).await;
    let mut pending =
        session.request("subscriptions/listen").params(json!({"notifications": {}})).start().await.unwrap();
    let first = pending.next().await.unwrap().unwrap();
    assert!(first.is_notification("notifications/subscriptions/acknowledged"));
    let list = session.request("tools/list").send().await.unwrap();
    assert_eq!(list.messages.len(), 1, "what belongs to the subscription stays there");
    assert!(pending.next().await.unwrap().unwrap().is_notification("notifications/tools/list_changed"));
    pending.cancel("enough").await.unwrap();
    let reply = pending.response().await.unwrap();
    assert_eq!(reply.result_type().as_deref(), Some("complete"));
    assert_eq!(reply.messages.len(), 3);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_taken_back() {
    let target = in_process(|mut peer| async move {
        let slow = peer.expect("slow").await;
        let cancelled = peer.next().await.unwrap();
        assert_eq!(cancelled["params"]["requestId"], slow["id"]);
        peer.say(json!({"method": "taken-back"})).await;
        peer.next().await;
    });
    let session = connect(&target, LEGACY).await;
    let failure = session.request("slow").timeout(Duration::from_millis(40)).send().await.unwrap_err();
    // What the target has printed instead may follow.
    assert!(failure.to_string().starts_with("the target gave no answer to slow within 40 ms"), "{failure}");
    assert!(session.incoming(SHORT_WAIT).await.unwrap().unwrap().is_notification("taken-back"));
}

#[tokio::test]
async fn progress_does_not_put_off_the_timeout() {
    let target = in_process(|mut peer| async move {
        peer.next().await;
        loop {
            peer.say(json!({"method": "notifications/progress", "params": {"progressToken": 1}})).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let session = connect(&target, LEGACY).await;
    let request = session.request("slow").meta("progressToken", 1).timeout(Duration::from_millis(60));
    assert!(request.send().await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn rounds_of_input_lead_to_the_result() {
    let target = in_process(|mut peer| async move {
        let one = peer.expect("tools/call").await;
        let ask = json!({"name": {"method": "elicitation/create", "params": {"mode": "form", "requestedSchema": {"properties": {"n": {"type": "string"}}}}}, "odd": {"method": "no/such"}});
        peer.say(result(
            &one,
            json!({"resultType": "input_required", "inputRequests": ask, "requestState": "st\"ate"}),
        ))
        .await;
        let two = peer.expect("tools/call").await;
        assert_ne!(one["id"], two["id"]);
        assert_eq!(two["params"]["requestState"], "st\"ate");
        assert_eq!(
            two["params"]["inputResponses"],
            json!({"name": {"action": "accept", "content": {"n": "yardstick"}}})
        );
        assert_eq!(two["params"]["arguments"], json!({"a": 1}), "the rest stays");
        peer.say(result(&two, json!({"resultType": "input_required", "requestState": "2"}))).await;
        let three = peer.expect("tools/call").await;
        assert_eq!(three["params"]["requestState"], "2");
        assert!(three["params"].get("inputResponses").is_none());
        peer.say(result(&three, json!({"resultType": "complete", "done": true}))).await;
        peer.next().await;
    });
    let session = connect(&target, MODERN).await;
    let call = session.request("tools/call").id("\"mine\"");
    let call = call.params(json!({"name": "t", "arguments": {"a": 1}}));
    let rounds = session.call_through(call).await.unwrap();
    assert!(rounds.complete && rounds.replies.len() == 3);
    assert_eq!(rounds.last().unwrap().result().unwrap()["done"], true);
}

#[tokio::test]
async fn rounds_have_a_bound() {
    let target = in_process(|mut peer| async move {
        while let Some(request) = peer.next().await {
            peer.say(result(&request, json!({"resultType": "input_required", "requestState": "more"}))).await;
        }
    });
    let limits = Limits { rounds: 3, ..quick() };
    let session = Session::connect(&target, MODERN, Profile::default(), limits).await.unwrap();
    let rounds = session.request("tools/call").send_through().await.unwrap();
    assert!(!rounds.complete && rounds.replies.len() == 4);
}

#[tokio::test]
async fn a_pipe_that_closes_fails_what_waits_on_it() {
    let target = in_process(|mut peer| async move {
        peer.next().await;
    });
    let session = connect(&target, LEGACY).await;
    let failure = session.request("ping").send().await.unwrap_err();
    assert!(matches!(&failure, Failure::Closed { during, .. } if during == "answering ping"), "{failure}");
    assert!(session.ended().is_some());
    let ends = session.recorder().transcript().entries.into_iter().filter(|e| e.what == What::End).count();
    assert_eq!(ends, 1);
}

#[tokio::test]
async fn an_end_that_hangs_is_left_after_its_rung() {
    let target = in_process(|peer| async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        drop(peer);
    });
    let session = connect(&target, LEGACY).await;
    assert!(matches!(session.close().await, Closing::Pipe { ended: false, .. }));
}

#[tokio::test]
async fn damaged_lines_never_hurt() {
    let target = in_process(|mut peer| async move {
        let good = "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"a\":[1,\"\u{e9}\"]}}\n[{\"id\":9,\"result\":{}}]\n";
        for seed in 0..300 {
            peer.raw(damaged(good.as_bytes(), seed)).await;
        }
        peer.raw("\n").await;
        while let Some(request) = peer.next().await {
            peer.say(result(&request, json!({}))).await;
        }
    });
    let session = connect(&target, LEGACY).await;
    assert_eq!(session.request("ping").id("\"after\"").send().await.unwrap().result(), Some(json!({})));
}
