//! Polls a task, in either era.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::World;

pub(crate) async fn get(world: &World, task: &Value) -> Value {
    world.result("tasks/get", json!({ "taskId": task["taskId"] })).await
}

/// Polls until the task has that status.
pub(crate) async fn until(world: &World, task: &Value, status: &str) -> Value {
    for _ in 0..100 {
        let now = get(world, task).await;
        if now["status"] == status {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{world}: {} never was {status}", task["taskId"]);
}
