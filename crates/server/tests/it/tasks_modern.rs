//! Tasks as the extension of 2026-07-28 has them.

use protocol::Span;
use serde_json::{Value, json};
use transport::client::Profile;

use crate::support::{SHORT_WAIT, World, able, everywhere, text};
use crate::tasks_support::{get, until};

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

async fn begin(world: &World, name: &str, arguments: Value) -> Value {
    let result = world.call(name, arguments).await;
    assert_eq!(result["resultType"], "task", "{world}: {result}");
    result
}

#[tokio::test]
async fn a_task_shows_its_result() {
    everywhere(Span::MODERN, &able(), async |world| {
        let task = begin(world, "research", json!({ "ms": 60 })).await;
        assert!(task["ttlMs"].is_u64() && task["pollIntervalMs"].is_u64(), "{world}");
        assert_eq!(get(world, &task).await["status"], "working", "{world}: at once");
        let ended = until(world, &task, "completed").await;
        assert_eq!(ended["resultType"], "complete", "{world}");
        assert_eq!(text(&ended["result"]), "nothing was found", "{world}");
    })
    .await;
}

#[tokio::test]
async fn only_clients_that_know_tasks_get_them() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        assert_eq!(world.text("research", json!({ "ms": 1 })).await, "nothing was found", "{world}");
        for (method, params) in [
            ("tools/call", json!({ "name": "archive" })),
            ("tasks/get", json!({ "taskId": "x" })),
            ("tasks/update", json!({ "taskId": "x", "inputResponses": {} })),
            ("tasks/cancel", json!({ "taskId": "x" })),
        ] {
            let reply = world.ask(method, params).await;
            assert_eq!(reply.code(), Some(-32021), "{world}: {method}");
            let data = reply.error().unwrap().data.unwrap();
            let wanted = &data["requiredCapabilities"]["extensions"]["io.modelcontextprotocol/tasks"];
            assert_eq!(wanted, &json!({}), "{world}: {method}");
            assert!(reply.status().is_none_or(|status| status == 400), "{world}: {method}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_tool_is_a_result_and_one_of_the_protocol_a_failure() {
    everywhere(Span::MODERN, &able(), async |world| {
        let failing = begin(world, "failing_job", json!({})).await;
        let broken = begin(world, "break", json!({ "ms": 1 })).await;
        let ended = until(world, &failing, "completed").await;
        assert_eq!(ended["result"]["isError"], true, "{world}");
        let ended = until(world, &broken, "failed").await;
        assert_eq!(ended["error"]["code"], -32603, "{world}");
        assert_eq!(ended.get("result"), None, "{world}");
        assert_eq!(ended["statusMessage"], "broken on purpose", "{world}");
    })
    .await;
}

#[tokio::test]
async fn questions_are_answered_by_updates() {
    everywhere(Span::MODERN, &able(), async |world| {
        let task = begin(world, "multi_input", json!({})).await;
        let asked = until(world, &task, "input_required").await;
        let keys: Vec<_> = asked["inputRequests"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys.len(), 2, "{world}");
        let update = async |responses: Value| {
            let params = json!({ "taskId": task["taskId"], "inputResponses": responses });
            world.result("tasks/update", params).await
        };
        let ack = update(json!({ &keys[0]: { "action": "decline" }, "stranger": 7 })).await;
        assert_eq!(ack.get("status"), None, "{world}: an acknowledgement says nothing else");
        let left = get(world, &task).await;
        assert_eq!(
            left["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(),
            [&keys[1]],
            "{world}"
        );
        update(json!({ &keys[0]: { "action": "accept" } })).await;
        assert_eq!(get(world, &task).await["status"], "input_required", "{world}: answered before");
        update(json!({ &keys[1]: { "action": "cancel" } })).await;
        until(world, &task, "completed").await;
        update(json!({ &keys[1]: { "action": "accept" } })).await;
    })
    .await;
}

#[tokio::test]
async fn every_question_of_a_task_has_a_key_of_its_own() {
    everywhere(Span::MODERN, &able(), async |world| {
        let task = begin(world, "interview", json!({ "ms": 1 })).await;
        let mut seen = Vec::new();
        for _ in 0..2 {
            let asked = until(world, &task, "input_required").await;
            let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
            assert!(!seen.contains(&key), "{world}: {key} again");
            let responses = json!({ &key: { "action": "accept", "content": { "answer": key } } });
            world
                .result("tasks/update", json!({ "taskId": task["taskId"], "inputResponses": responses }))
                .await;
            seen.push(key);
        }
        let ended = until(world, &task, "completed").await;
        assert!(seen.iter().all(|key| text(&ended["result"]).contains(key)), "{world}: {ended}");
    })
    .await;
}

#[tokio::test]
async fn cancelling_is_acknowledged_as_often_as_it_is_tried() {
    everywhere(Span::MODERN, &able(), async |world| {
        let task = begin(world, "archive", json!({ "ms": 60_000 })).await;
        let id = json!({ "taskId": task["taskId"] });
        for _ in 0..2 {
            let ack = world.result("tasks/cancel", id.clone()).await;
            assert_eq!((ack.get("taskId"), &ack["resultType"]), (None, &json!("complete")), "{world}");
            until(world, &task, "cancelled").await;
        }
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({ "taskId": "never", "inputResponses": {} });
            assert_eq!(world.code(method, params).await, Some(-32602), "{world}: {method}");
        }
        let params = json!({ "taskId": task["taskId"], "inputResponses": [] });
        assert_eq!(world.code("tasks/update", params).await, Some(-32602), "{world}");
    })
    .await;
}

#[tokio::test]
async fn listeners_hear_how_a_task_stands() {
    everywhere(Span::MODERN, &able(), async |world| {
        let task = begin(world, "research", json!({ "ms": 150 })).await;
        let filter = json!({ "taskIds": [task["taskId"], "never"] });
        let request =
            world.session.request("subscriptions/listen").params(json!({ "notifications": filter }));
        let mut pending = request.start().await.unwrap();
        let mut next = async || {
            let message = pending.next_within(SHORT_WAIT * 10).await.unwrap().unwrap();
            (message.method().unwrap(), message.params().unwrap())
        };
        let (_, acknowledged) = next().await;
        assert_eq!(acknowledged["notifications"], json!({ "taskIds": [task["taskId"]] }), "{world}");
        let (method, now) = next().await;
        assert_eq!((method.as_str(), &now["status"]), ("notifications/tasks", &json!("working")), "{world}");
        let (_, ended) = next().await;
        assert_eq!((&ended["taskId"], &ended["status"]), (&task["taskId"], &json!("completed")), "{world}");
        assert_eq!(text(&ended["result"]), "nothing was found", "{world}");
        assert!(ended["_meta"]["io.modelcontextprotocol/subscriptionId"].is_number(), "{world}");
    })
    .await;
}

/// The client's declaration goes with each request: it may look after a task that another connection began.
#[tokio::test]
async fn a_task_belongs_to_whoever_knows_its_id() {
    everywhere(Span::MODERN, &able(), async |world| {
        let task = begin(world, "research", json!({ "ms": 1 })).await;
        let other = world.another(world.version(), able()).await;
        let get = || other.request("tasks/get").params(json!({ "taskId": task["taskId"] }));
        assert!(get().send().await.unwrap().result().is_some(), "{world}");
        assert_eq!(get().meta(CAPABILITIES, json!({})).send().await.unwrap().code(), Some(-32021), "{world}");
    })
    .await;
}

#[tokio::test]
async fn what_is_asked_beforehand_is_asked_without_a_task() {
    everywhere(Span::MODERN, &able(), async |world| {
        let first = world.ask("tools/call", json!({ "name": "test_tool_with_task" })).await;
        assert_eq!(first.result_type().as_deref(), Some("input_required"), "{world}");
        let task = begin(world, "test_tool_with_task", json!({})).await;
        assert_eq!(task.get("requestState"), None, "{world}");
        let ended = until(world, &task, "completed").await;
        assert!(text(&ended["result"]).starts_with("Hello, "), "{world}");
    })
    .await;
}
