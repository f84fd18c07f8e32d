//! Lists that change, and which clients are notified.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use protocol::{Span, Version};
use serde_json::{Value, json};
use transport::client::{PendingRequest, Profile, Session};

use crate::support::{SHORT_WAIT, World, able, everywhere};

const KINDS: [(&str, &str, &str); 3] = [
    ("tool", "tools/list", "notifications/tools/list_changed"),
    ("prompt", "prompts/list", "notifications/prompts/list_changed"),
    ("resource", "resources/list", "notifications/resources/list_changed"),
];

async fn has_guest(world: &World, list: &str) -> bool {
    let page = world.result(list, json!({})).await;
    let items = page.as_object().unwrap().values().find_map(Value::as_array).unwrap().clone();
    items.iter().any(|item| item["name"] == "guest")
}

#[tokio::test]
async fn guests_come_and_go() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for (what, list, _) in KINDS {
            assert!(!has_guest(world, list).await, "{world}: {what}");
            world.call("toggle", json!({ "what": what })).await;
            assert!(has_guest(world, list).await, "{world}: {what}");
            world.call("toggle", json!({ "what": what })).await;
            assert!(!has_guest(world, list).await, "{world}: {what}");
        }
        assert_eq!(world.code("tools/call", json!({ "name": "guest" })).await, Some(-32602), "{world}");
    })
    .await;
}

#[tokio::test]
async fn sessions_are_told_of_changes() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        world.session.open_get_stream().await.unwrap();
        for (what, _, notification) in KINDS {
            world.call("toggle", json!({ "what": what })).await;
            world.told(notification).await;
        }
    })
    .await;
}

async fn listen(session: &Session, filter: Value) -> PendingRequest {
    let request = session.request("subscriptions/listen").params(json!({ "notifications": filter }));
    request.start().await.unwrap()
}

async fn heard(pending: &mut PendingRequest) -> Option<(String, Value)> {
    let message = pending.next_within(SHORT_WAIT * 4).await.ok().flatten()?;
    Some((message.method()?, message.params()?))
}

#[tokio::test]
async fn listeners_hear_what_they_asked_for_and_nothing_else() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let filter = json!({ "promptsListChanged": true, "resourceSubscriptions": ["yardstick://counter"] });
        let mut pending = listen(&world.session, filter.clone()).await;
        let tag = json!({ "io.modelcontextprotocol/subscriptionId": pending.id().unwrap().to_string().parse::<u64>().unwrap() });
        let (method, params) = heard(&mut pending).await.unwrap();
        assert_eq!(method, "notifications/subscriptions/acknowledged", "{world}");
        assert_eq!(params, json!({ "_meta": tag, "notifications": filter }), "{world}");
        let other = world.another(Version::V2026_07_28, Profile::bare()).await;
        for name in ["test_trigger_tool_change", "test_trigger_prompt_change", "touch"] {
            other.request("tools/call").params(json!({ "name": name })).send().await.unwrap();
        }
        let prompts = ("notifications/prompts/list_changed".to_owned(), json!({ "_meta": tag }));
        assert_eq!(heard(&mut pending).await, Some(prompts), "{world}");
        let updated = json!({ "_meta": tag, "uri": "yardstick://counter" });
        assert_eq!(heard(&mut pending).await, Some(("notifications/resources/updated".to_owned(), updated)), "{world}");
        assert_eq!(heard(&mut pending).await, None, "{world}");
    })
    .await;
}

#[tokio::test]
async fn two_subscriptions_are_told_apart() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let mut tools = listen(&world.session, json!({ "toolsListChanged": true })).await;
        let mut both =
            listen(&world.session, json!({ "toolsListChanged": true, "promptsListChanged": true })).await;
        for pending in [&mut tools, &mut both] {
            assert_eq!(
                heard(pending).await.unwrap().0,
                "notifications/subscriptions/acknowledged",
                "{world}"
            );
        }
        world.call("toggle", json!({ "what": "prompt" })).await;
        assert_eq!(heard(&mut both).await.unwrap().0, "notifications/prompts/list_changed", "{world}");
        assert_eq!(heard(&mut tools).await, None, "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_filter_that_is_none_is_refused() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        for params in [
            json!({}),
            json!({ "notifications": [] }),
            json!({ "notifications": { "toolsListChanged": 1 } }),
            json!({ "notifications": { "resourceSubscriptions": [7] } }),
        ] {
            assert_eq!(
                world.code("subscriptions/listen", params.clone()).await,
                Some(-32602),
                "{world}: {params}"
            );
        }
        let tasks = json!({ "notifications": { "taskIds": ["x"] } });
        assert_eq!(world.code("subscriptions/listen", tasks).await, Some(-32021), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_subscription_that_was_cancelled_is_silent() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let mut pending = listen(&world.session, json!({ "toolsListChanged": true })).await;
        heard(&mut pending).await.unwrap();
        pending.cancel("enough").await.unwrap();
        tokio::time::sleep(SHORT_WAIT).await;
        let mark = world.session.recorder().mark();
        world.call("toggle", json!({})).await;
        tokio::time::sleep(SHORT_WAIT).await;
        let since = world.session.recorder().since(mark);
        let told = since.messages().filter(|e| String::from_utf8_lossy(&e.bytes).contains("list_changed"));
        assert_eq!(told.count(), 0, "{world}");
    })
    .await;
}

/// The server ends them in good order: with the result of the request, on a pipe announced.
#[tokio::test]
async fn subscriptions_end_with_the_server() {
    everywhere(Span::MODERN, &able(), async |world| {
        let mut pending = listen(&world.session, json!({ "toolsListChanged": true })).await;
        heard(&mut pending).await.unwrap();
        world.server.close();
        let reply = pending.response().await.unwrap();
        let result = reply.result().unwrap();
        assert_eq!(result["resultType"], "complete", "{world}");
        assert!(result["_meta"]["io.modelcontextprotocol/subscriptionId"].is_number(), "{world}");
        let announced = reply.notifications("notifications/cancelled").count();
        assert_eq!(announced, usize::from(world.http.is_none()), "{world}");
    })
    .await;
}
