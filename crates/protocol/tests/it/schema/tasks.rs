//! Tasks, in the core of one revision and as an extension of the next.

use serde_json::{Value, json};
use yardstick_protocol::Version::{V2025_11_25, V2026_07_28};
use yardstick_protocol::schema::{self, Extension, Schema};

fn task(status: &str, more: &Value) -> Value {
    let mut task = json!({
        "resultType": "complete",
        "taskId": "7",
        "status": status,
        "createdAt": "2026-08-01T10:00:00Z",
        "lastUpdatedAt": "2026-08-01T10:00:01Z",
        "ttlMs": null,
    });
    for (key, part) in more.as_object().into_iter().flatten() {
        task[key] = part.clone();
    }
    task
}

fn flaws(name: &str, value: &Value) -> Vec<String> {
    let schema = Schema::for_version(V2026_07_28).with(Extension::Tasks);
    let validator = schema.validator(name).expect("a type of the extension");
    validator.check(value).iter().map(ToString::to_string).collect()
}

#[test]
fn each_status_brings_its_own_members() {
    let none = json!({});
    let ask = json!({"inputRequests": {"name": {"method": "roots/list"}}});
    let good = [
        task("working", &json!({"pollIntervalMs": 500, "ttlMs": 60_000})),
        task("cancelled", &none),
        task("input_required", &ask),
        task("completed", &json!({"result": {"content": [], "structuredContent": [0.5, null]}})),
        task("failed", &json!({"error": {"code": -32603, "message": "gone"}})),
    ];
    for task in good {
        assert_eq!(flaws("GetTaskResult", &task), [""; 0], "{task}");
    }
    assert_eq!(flaws("GetTaskResult", &task("completed", &none)), ["`result` is missing"]);
    assert_eq!(flaws("GetTaskResult", &task("input_required", &none)), ["`inputRequests` is missing"]);
    assert_eq!(
        flaws("GetTaskResult", &task("failed", &json!({"error": {"code": 1}}))),
        ["/error: `message` is missing"]
    );
    let statuses = "\"working\", \"input_required\", \"completed\", \"failed\", \"cancelled\"";
    assert_eq!(
        flaws("GetTaskResult", &task("done", &none)),
        [format!("/status: expected one of {statuses}, found \"done\"")]
    );
}

#[test]
fn the_kind_of_result_tells_a_handle_from_a_task() {
    let handle = task("working", &json!({"resultType": "task"}));
    assert_eq!(flaws("CreateTaskResult", &handle), [""; 0]);
    assert_eq!(flaws("GetTaskResult", &handle), ["/resultType: expected \"complete\", found \"task\""]);
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": handle});
    assert_eq!(flaws("CallToolResultResponse", &answer), [""; 0]);
}

#[test]
fn the_extension_joins_the_types_of_the_core() {
    let update = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tasks/update",
        "params": {"taskId": "7", "inputResponses": {"name": {"action": "accept"}}},
    });
    assert_eq!(flaws("ClientRequest", &update), [""; 0]);
    let core = schema::validator(V2026_07_28, "ClientRequest").expect("a type of the core");
    assert!(!core.accepts(&update));

    assert_eq!(
        flaws("SubscriptionFilter", &json!({"taskIds": "7"})),
        ["/taskIds: expected an array, found \"7\""]
    );
    assert!(schema::validator(V2026_07_28, "Task").is_none());
}

#[test]
fn the_first_tasks_are_left_alone_by_the_extension() {
    let first = Schema::for_version(V2025_11_25);
    assert_eq!(first.with(Extension::Tasks).names(), first.names());
    let task = json!({
        "taskId": "7", "status": "working", "ttl": 60_000,
        "createdAt": "2025-12-01T10:00:00Z", "lastUpdatedAt": "2025-12-01T10:00:00Z",
    });
    for schema in [first, first.with(Extension::Tasks)] {
        assert!(schema.validator("GetTaskResult").expect("in the core").accepts(&task));
        assert!(
            !schema.validator("Task").expect("in the core").accepts(&json!({"taskId": "7", "ttlMs": null}))
        );
    }
    assert_eq!(Extension::Tasks.id(), "io.modelcontextprotocol/tasks");
}
