//! The server asks the client: by a request, or by an interim result.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use protocol::{Era, Span, Version};
use serde_json::{Value, json};
use transport::client::{Answer, Profile};

use crate::support::{World, able, everywhere, since, text};

#[tokio::test]
async fn the_model_is_sampled() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        let said = world.text("sample", json!({ "question": "?" })).await;
        assert!(said.starts_with("the model says: This is a fixed answer"), "{world}: {said}");
    })
    .await;
}

#[tokio::test]
async fn the_model_is_offered_a_tool_and_told_its_result() {
    let profile = able().answering(|method, params| {
        assert_eq!(method, "sampling/createMessage");
        let last = params["messages"].as_array().unwrap().last().unwrap();
        let content = match last["content"][0]["type"].as_str() {
            Some("tool_result") => {
                json!({ "type": "text", "text": last["content"][0]["content"][0]["text"] })
            }
            _ => json!([{ "type": "tool_use", "id": "u1", "name": "metres", "input": { "yards": 10 } }]),
        };
        Answer::Result(
            json!({ "role": "assistant", "content": content, "model": "m", "stopReason": "endTurn" }),
        )
    });
    everywhere(since(Version::V2025_11_25), &profile, async |world| {
        assert_eq!(world.text("sample-with-tools", json!({})).await, "the model says: 9.144", "{world}");
    })
    .await;
}

#[tokio::test]
async fn the_user_fills_in_forms() {
    everywhere(since(Version::V2025_06_18), &able(), async |world| {
        let said = world.text("ask-form", json!({})).await;
        assert!(said.starts_with("the user said {\"name\":"), "{world}: {said}");
        if world.version() >= Version::V2025_11_25 {
            let said = world.text("ask-choices", json!({})).await;
            assert!(said.contains("\"several\":["), "{world}: {said}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_user_may_refuse() {
    for action in ["decline", "cancel"] {
        let profile = able().answering(move |_, _| Answer::Result(json!({ "action": action })));
        everywhere(since(Version::V2025_06_18), &profile, async |world| {
            let said = world.text("ask-form", json!({})).await;
            assert_eq!(said, format!("the user chose to {action}"), "{world}");
            assert_eq!(world.text("ask-in-rounds", json!({})).await, "never mind", "{world}");
        })
        .await;
    }
}

#[tokio::test]
async fn the_client_tells_its_roots() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        assert_eq!(world.text("list-roots", json!({})).await, "1 roots: file:///yardstick/root", "{world}");
    })
    .await;
}

#[tokio::test]
async fn rounds_follow_one_another() {
    everywhere(since(Version::V2025_06_18), &able(), async |world| {
        let said = world.text("ask-in-rounds", json!({})).await;
        assert!(said.starts_with("hello, "), "{world}: {said}");
    })
    .await;
}

#[tokio::test]
async fn everybody_is_asked_at_once_as_far_as_they_can() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        let said = world.text("survey", json!({})).await;
        let lines = if world.version() >= Version::V2025_06_18 { 3 } else { 2 };
        assert_eq!(said.lines().count(), lines, "{world}: {said}");
    })
    .await;
    let only_roots = Profile::default().with_capabilities(json!({ "roots": {} }));
    everywhere(Span::ALWAYS, &only_roots, async |world| {
        assert_eq!(world.text("survey", json!({})).await, "roots/list: 1 roots", "{world}");
    })
    .await;
}

#[tokio::test]
async fn the_user_is_sent_to_a_url() {
    everywhere(since(Version::V2025_11_25), &able(), async |world| {
        let reply = world.session.request("tools/call").params(json!({ "name": "ask-url" }));
        let rounds = reply.send_through().await.unwrap();
        let last = rounds.replies.last().unwrap();
        assert_eq!(text(&last.result().unwrap()), "the user said null", "{world}");
        if world.version().era() == Era::Legacy {
            let told = last.notifications("notifications/elicitation/complete");
            assert_eq!(told.count(), 1, "{world}: the server says when the user is done");
        }
    })
    .await;
}

#[tokio::test]
async fn a_url_may_be_wanted_before_anything_else() {
    everywhere(Span::only(Version::V2025_11_25), &able(), async |world| {
        world.session.open_get_stream().await.unwrap();
        let error = world.ask("tools/call", json!({ "name": "link-account" })).await.error().unwrap();
        assert_eq!(error.code, Some(-32042), "{world}");
        let wanted = error.data.unwrap()["elicitations"][0].take();
        assert_eq!(wanted["mode"], "url");
        let done = world.told("notifications/elicitation/complete").await;
        assert_eq!(done["elicitationId"], wanted["elicitationId"], "{world}");
        assert_eq!(world.text("link-account", json!({})).await, "the account is linked", "{world}");
    })
    .await;
}

#[tokio::test]
async fn what_a_client_did_not_declare_it_is_not_asked() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let mut tools = vec![("sample", "sampling"), ("list-roots", "roots")];
        if world.version() >= Version::V2025_06_18 {
            tools.push(("ask-form", "elicitation"));
        }
        for (tool, capability) in tools {
            let reply = world.ask("tools/call", json!({ "name": tool })).await;
            match world.version().era() {
                Era::Legacy => assert_eq!(reply.code(), Some(-32600), "{world}: {tool}"),
                Era::Modern => {
                    assert_eq!(reply.code(), Some(-32021), "{world}: {tool}");
                    let data = reply.error().unwrap().data.unwrap();
                    assert!(data["requiredCapabilities"][capability].is_object(), "{world}: {data}");
                    assert!(reply.status().is_none_or(|status| status == 400), "{world}");
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_client_is_passed_on() {
    let profile = able().answering(|_, _| Answer::Error { code: -1, message: "the user said no".into() });
    everywhere(Span::LEGACY, &profile, async |world| {
        let error = world.ask("tools/call", json!({ "name": "sample" })).await.error().unwrap();
        assert_eq!((error.code, error.message.as_deref()), (Some(-1), Some("the user said no")), "{world}");
    })
    .await;
}

#[tokio::test]
async fn the_client_is_pinged() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        assert_eq!(world.text("ping-client", json!({})).await, "the client is there", "{world}");
    })
    .await;
}

async fn first_round(world: &World) -> Value {
    let reply = world.ask("tools/call", json!({ "name": "ask-form" })).await;
    assert_eq!(reply.result_type().as_deref(), Some("input_required"), "{world}");
    reply.result().unwrap()
}

#[tokio::test]
async fn state_that_was_changed_or_moved_is_refused() {
    everywhere(Span::MODERN, &able(), async |world| {
        let asked = first_round(world).await;
        let state = asked["requestState"].as_str().unwrap();
        let responses = json!({ "profile": { "action": "decline" } });
        let retry = async |name: &str, state: Value| {
            let params = json!({ "name": name, "requestState": state, "inputResponses": responses });
            world.ask("tools/call", params).await
        };
        for wrong in [json!(format!("{state}x")), json!("made-up"), json!(""), json!(7), json!(null)] {
            assert_eq!(retry("ask-form", wrong.clone()).await.code(), Some(-32602), "{world}: {wrong}");
        }
        assert_eq!(retry("ask-choices", json!(state)).await.code(), Some(-32602), "{world}: of another tool");
        assert!(retry("ask-form", json!(state)).await.result().is_some(), "{world}");
    })
    .await;
}

#[tokio::test]
async fn what_is_missing_is_asked_for_again() {
    everywhere(Span::MODERN, &able(), async |world| {
        for responses in [json!({}), json!({ "stranger": { "action": "accept" } }), json!({ "profile": 7 })] {
            let params = json!({ "name": "ask-form", "inputResponses": responses });
            let reply = world.ask("tools/call", params).await;
            assert_eq!(reply.result_type().as_deref(), Some("input_required"), "{world}: {responses}");
        }
        let params = json!({ "name": "ask-form", "inputResponses": [] });
        assert_eq!(world.code("tools/call", params).await, Some(-32602), "{world}");
    })
    .await;
}

/// Nothing is kept between the rounds: any server with the same key could go on, and so can any connection.
#[tokio::test]
async fn a_round_goes_on_over_another_connection() {
    everywhere(Span::MODERN, &able(), async |world| {
        let asked = first_round(world).await;
        let other = world.another(world.version(), able()).await;
        let responses = json!({ "profile": { "action": "cancel" } });
        let params =
            json!({ "name": "ask-form", "requestState": asked["requestState"], "inputResponses": responses });
        let reply = other.request("tools/call").params(params).send().await.unwrap();
        assert_eq!(text(&reply.result().unwrap()), "the user chose to cancel", "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_is_not_ready_is_not_asked() {
    for wire in [crate::support::Wire::Pipe, crate::support::Wire::Http] {
        let world = World::open(Version::V2025_11_25, wire, able()).await;
        let session = world.unopened(Version::V2025_11_25, able()).await;
        let info = json!({ "name": "hasty", "version": "1" });
        let capabilities = json!({ "sampling": {} });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
        let greeting = session.request("initialize").params(params).send().await.unwrap();
        let id = greeting.header("mcp-session-id").map(str::to_owned);
        let mut request = session.request("tools/call").params(json!({ "name": "sample" }));
        if let Some(id) = &id {
            request = request.header("mcp-session-id", id);
        }
        assert_eq!(request.send().await.unwrap().code(), Some(-32600), "{wire:?}");
    }
}
