//! What a request brings along the way: progress, log messages, and its end by cancellation.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::time::{Duration, Instant};

use protocol::{Era, Span, Version};
use serde_json::{Value, json};
use transport::client::Profile;

use crate::support::{SHORT_WAIT, everywhere};

#[tokio::test]
async fn progress_rises_to_its_total() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for token in [json!("a token"), json!(7)] {
            let arguments = json!({ "steps": 3, "intervalMs": 5 });
            let request = world
                .session
                .request("tools/call")
                .params(json!({ "name": "countdown", "arguments": arguments }));
            let reply = request.meta("progressToken", token.clone()).send().await.unwrap();
            let params = reply
                .notifications("notifications/progress")
                .map(|m| m.params().unwrap())
                .collect::<Vec<_>>();
            let steps: Vec<_> = params.iter().map(|p| p["progress"].as_u64().unwrap()).collect();
            assert_eq!(steps, [1, 2, 3], "{world}");
            assert!(params.iter().all(|p| p["progressToken"] == token && p["total"] == 3), "{world}");
            let has_message = params[0].get("message").is_some();
            assert_eq!(has_message, world.version() >= Version::V2025_03_26, "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn nobody_is_told_of_progress_without_a_token() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let reply =
            world.ask("tools/call", json!({ "name": "countdown", "arguments": { "intervalMs": 1 } })).await;
        assert_eq!(reply.notifications("notifications/progress").count(), 0, "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_token_that_is_none_is_refused() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for token in [json!(1.5), json!({}), json!(true)] {
            let request = world
                .session
                .request("tools/call")
                .params(json!({ "name": "echo", "arguments": { "text": "" } }));
            let reply = request.meta("progressToken", token.clone()).send().await.unwrap();
            assert_eq!(reply.code(), Some(-32602), "{world}: {token}");
        }
    })
    .await;
}

fn levels(reply: &transport::client::Reply) -> Vec<String> {
    let messages = reply.notifications("notifications/message");
    messages.map(|m| m.params().unwrap()["level"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn legacy_clients_set_the_level_of_their_session() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        let call = json!({ "name": "log" });
        assert_eq!(
            levels(&world.ask("tools/call", call.clone()).await).len(),
            7,
            "{world}: all but debug at first"
        );
        world.result("logging/setLevel", json!({ "level": "error" })).await;
        let heard = levels(&world.ask("tools/call", call.clone()).await);
        assert_eq!(heard, ["error", "critical", "alert", "emergency"], "{world}");
        world.result("logging/setLevel", json!({ "level": "debug" })).await;
        assert_eq!(levels(&world.ask("tools/call", call).await).len(), 8, "{world}");
        for params in [json!({ "level": "loud" }), json!({}), json!({ "level": 3 })] {
            assert_eq!(world.code("logging/setLevel", params).await, Some(-32602), "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn modern_clients_set_the_level_of_each_request() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let call = || world.session.request("tools/call").params(json!({ "name": "log" }));
        let with = |level: &str| call().meta("io.modelcontextprotocol/logLevel", level);
        assert!(levels(&call().send().await.unwrap()).is_empty(), "{world}");
        assert_eq!(levels(&with("alert").send().await.unwrap()), ["alert", "emergency"], "{world}");
        assert!(levels(&call().send().await.unwrap()).is_empty(), "{world}: nothing is remembered");
        assert_eq!(with("loud").send().await.unwrap().code(), Some(-32602), "{world}");
        assert_eq!(world.code("logging/setLevel", json!({ "level": "info" })).await, Some(-32601), "{world}");
    })
    .await;
}

/// Cancelled by notification on pipes and in sessions, by closing the stream in modern HTTP.
#[tokio::test]
async fn a_cancelled_request_is_not_answered() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let arguments = json!({ "steps": 1000, "intervalMs": 20 });
        let request = world
            .session
            .request("tools/call")
            .params(json!({ "name": "countdown", "arguments": arguments }));
        let mut pending = request.meta("progressToken", 1).start().await.unwrap();
        assert!(pending.next_within(Duration::from_secs(5)).await.unwrap().is_some(), "{world}: it runs");
        pending.cancel("enough").await.unwrap();
        let begun = Instant::now();
        while let Ok(Some(message)) = pending.next_within(SHORT_WAIT).await {
            assert!(message.method().is_some(), "{world}: a response to a cancelled request");
            assert!(begun.elapsed() < Duration::from_secs(5), "{world}: it goes on");
        }
        assert_eq!(world.text("echo", json!({ "text": "still there" })).await, "still there");
    })
    .await;
}

#[tokio::test]
async fn a_cancellation_of_nothing_is_ignored() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for params in [json!({ "requestId": "nobody" }), json!({ "requestId": 1.5 }), json!({})] {
            world.session.notify("notifications/cancelled", Some(params)).await.unwrap();
        }
        assert_eq!(world.text("echo", json!({ "text": "unimpressed" })).await, "unimpressed");
    })
    .await;
}

/// Ids of stateless HTTP belong to their own exchange: another client's cancellation does nothing.
#[tokio::test]
async fn strangers_do_not_cancel_each_other() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let other = world.another(world.version(), Profile::bare()).await;
        let arguments = json!({ "steps": 10, "intervalMs": 20 });
        let request = world.session.request("tools/call").id("77");
        let request = request.params(json!({ "name": "countdown", "arguments": arguments }));
        let pending = request.start().await.unwrap();
        let cancellation = json!({ "requestId": 77 });
        if world.version().era() == Era::Legacy || world.http.is_none() {
            other.notify("notifications/cancelled", Some(cancellation)).await.unwrap();
        } else {
            let reply = other.notification("notifications/cancelled").params(cancellation);
            assert_eq!(reply.send().await.unwrap().status(), Some(202), "{world}");
        }
        let reply = pending.response().await.unwrap();
        assert_eq!(
            reply.result().map(|r: Value| r["content"][0]["text"].clone()),
            Some(json!("counted down from 10"))
        );
    })
    .await;
}
