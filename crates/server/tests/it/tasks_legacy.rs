//! Tasks as 2025-11-25 has them.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use protocol::{Span, Version};
use serde_json::{Value, json};
use transport::client::{Profile, Session};

use crate::support::{able, everywhere};
use crate::tasks_support::{get, until};

const ONLY: Span = Span::only(Version::V2025_11_25);
const RELATED: &str = "io.modelcontextprotocol/related-task";

async fn begin(session: &Session, name: &str, arguments: Value, task: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments, "task": task });
    let reply = session.request("tools/call").params(params).send().await.unwrap();
    reply.result().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(reply.raw())))["task"].take()
}

#[tokio::test]
async fn a_task_works_and_has_its_result() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        let task = begin(&world.session, "research", json!({ "ms": 60 }), json!({ "ttl": 30_000 })).await;
        assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(30_000)), "{world}");
        assert_eq!(get(world, &task).await["status"], "working", "{world}");
        // Blocks until there is a result.
        let result = world.result("tasks/result", json!({ "taskId": task["taskId"] })).await;
        assert_eq!(result["content"][0]["text"], "nothing was found", "{world}");
        assert_eq!(result["_meta"][RELATED]["taskId"], task["taskId"], "{world}");
        let ended = get(world, &task).await;
        assert_eq!(ended["status"], "completed", "{world}");
        assert_eq!(ended.get("_meta"), None, "{world}: its id is in it already");
        assert_eq!(
            world.result("tasks/result", json!({ "taskId": task["taskId"] })).await,
            result,
            "{world}: twice"
        );
    })
    .await;
}

#[tokio::test]
async fn tools_say_whether_they_are_tasks_and_mean_it() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        let tools = world.result("tools/list", json!({})).await["tools"].take();
        let support = |name: &str| {
            let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
            tool["execution"]["taskSupport"].clone()
        };
        assert_eq!(support("echo"), Value::Null);
        assert_eq!(support("research"), "optional");
        assert_eq!(support("archive"), "required");
        let call = |name: &str, task: Option<Value>| {
            let mut params = json!({ "name": name, "arguments": { "ms": 1 } });
            if let Some(task) = task {
                params["task"] = task;
            }
            world.session.request("tools/call").params(params).send()
        };
        assert_eq!(call("echo", Some(json!({}))).await.unwrap().code(), Some(-32601), "{world}");
        assert_eq!(call("archive", None).await.unwrap().code(), Some(-32601), "{world}");
        assert!(
            call("archive", Some(json!({}))).await.unwrap().result().unwrap().get("task").is_some(),
            "{world}"
        );
        assert!(call("research", None).await.unwrap().result().unwrap().get("content").is_some(), "{world}");
        for wrong in [json!(7), json!({ "ttl": "long" }), json!({ "ttl": -1 })] {
            assert_eq!(call("research", Some(wrong)).await.unwrap().code(), Some(-32602), "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn other_revisions_take_no_notice_of_the_wish() {
    for span in [Span::until(Version::V2025_06_18), Span::MODERN] {
        everywhere(span, &Profile::bare(), async |world| {
            let params = json!({ "name": "echo", "arguments": { "text": "x" }, "task": { "ttl": 1 } });
            let result = world.result("tools/call", params).await;
            assert_eq!(result["content"][0]["text"], "x", "{world}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_failure_is_one_of_the_task_too() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        let failed = begin(&world.session, "failing_job", json!({}), json!({})).await;
        let result = world.result("tasks/result", json!({ "taskId": failed["taskId"] })).await;
        assert_eq!(result["isError"], true, "{world}");
        let now = get(world, &failed).await;
        assert_eq!(now["status"], "failed", "{world}");
        assert!(now["statusMessage"].is_string(), "{world}");
        let broken = begin(&world.session, "break", json!({ "ms": 1 }), json!({})).await;
        let code = world.code("tasks/result", json!({ "taskId": broken["taskId"] })).await;
        assert_eq!(code, Some(-32603), "{world}: the error of the call itself");
        assert_eq!(get(world, &broken).await["status"], "failed", "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_task_asks_whoever_waits_for_its_result() {
    everywhere(ONLY, &able(), async |world| {
        let task = begin(&world.session, "interview", json!({ "ms": 10 }), json!({})).await;
        until(world, &task, "input_required").await;
        let params = json!({ "taskId": task["taskId"] });
        let reply = world.session.request("tasks/result").params(params).send().await.unwrap();
        let asked: Vec<_> =
            reply.messages.iter().filter(|m| m.method().as_deref() == Some("elicitation/create")).collect();
        assert_eq!(asked.len(), 2, "{world}");
        for question in asked {
            assert_eq!(question.params().unwrap()["_meta"][RELATED]["taskId"], task["taskId"], "{world}");
        }
        let said = crate::support::text(&reply.result().unwrap());
        assert_eq!(said.matches("the user said").count(), 2, "{world}: {said}");
        assert_eq!(get(world, &task).await["status"], "completed", "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_task_is_cancelled_once() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        let task = begin(&world.session, "archive", json!({ "ms": 60_000 }), json!({})).await;
        let id = json!({ "taskId": task["taskId"] });
        let waiting = world.session.request("tasks/result").params(id.clone()).start().await.unwrap();
        assert_eq!(world.result("tasks/cancel", id.clone()).await["status"], "cancelled", "{world}");
        assert_eq!(waiting.response().await.unwrap().code(), Some(-32602), "{world}: there is no result");
        assert_eq!(get(world, &task).await["status"], "cancelled", "{world}");
        assert_eq!(world.code("tasks/cancel", id).await, Some(-32602), "{world}");
    })
    .await;
}

#[tokio::test]
async fn tasks_are_listed_in_pages_and_only_to_their_session() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        let mut begun = Vec::new();
        for _ in 0..12 {
            begun.push(
                begin(&world.session, "research", json!({ "ms": 1 }), json!({})).await["taskId"].take(),
            );
        }
        let first = world.result("tasks/list", json!({})).await;
        let second = world.result("tasks/list", json!({ "cursor": first["nextCursor"] })).await;
        let listed = [&first, &second].into_iter().flat_map(|page| page["tasks"].as_array().unwrap());
        assert_eq!(listed.map(|task| task["taskId"].clone()).collect::<Vec<_>>(), begun, "{world}");
        assert_eq!(second.get("nextCursor"), None, "{world}");
        assert_eq!(world.code("tasks/list", json!({ "cursor": "made-up" })).await, Some(-32602), "{world}");
        let other = world.another(world.version(), Profile::bare()).await;
        let theirs = other.request("tasks/list").send().await.unwrap().result().unwrap();
        assert_eq!(theirs["tasks"], json!([]), "{world}");
        let stolen = other.request("tasks/get").params(json!({ "taskId": begun[0] })).send().await.unwrap();
        assert_eq!(stolen.code(), Some(-32602), "{world}");
    })
    .await;
}

#[tokio::test]
async fn the_owner_is_told_how_a_task_stands_and_of_its_progress() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        world.session.open_get_stream().await.unwrap();
        let params = json!({ "name": "research", "arguments": { "ms": 40 }, "task": {} });
        let request = world.session.request("tools/call").params(params).meta("progressToken", "p");
        let task = request.send().await.unwrap().result().unwrap()["task"].take();
        let progress = world.told("notifications/progress").await;
        assert_eq!(progress["_meta"][RELATED]["taskId"], task["taskId"], "{world}");
        let status = world.told("notifications/tasks/status").await;
        assert_eq!((&status["taskId"], &status["status"]), (&task["taskId"], &json!("completed")), "{world}");
        assert_eq!(status.get("_meta"), None, "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_task_goes_when_its_time_has_passed() {
    everywhere(ONLY, &Profile::bare(), async |world| {
        let task = begin(&world.session, "archive", json!({ "ms": 60_000 }), json!({ "ttl": 100 })).await;
        let id = json!({ "taskId": task["taskId"] });
        assert_eq!(world.code("tasks/result", id.clone()).await, Some(-32603), "{world}: it ran out of time");
        assert_eq!(world.code("tasks/get", id).await, Some(-32602), "{world}");
        assert_eq!(world.code("tasks/get", json!({ "taskId": "never" })).await, Some(-32602), "{world}");
        assert_eq!(world.code("tasks/get", json!({})).await, Some(-32602), "{world}");
    })
    .await;
}
