//! Decides whether a call becomes a task, and starts it.

use std::time::Duration;

use protocol::capability::TASKS_EXTENSION;
use protocol::{Era, Version, code};
use serde_json::{Value, json};

use super::store::{DEFAULT_TTL, MAX_TTL};
use crate::answer::conclude;
use crate::call::{Call, Later};
use crate::catalogue::{TaskSupport, Tool};
use crate::cost;
use crate::feature::modern;
use crate::rpc::RpcError;

/// How a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// An ordinary call.
    Call,
    /// A task with this time to live.
    Task(Duration),
}

/// Whether a call of `tool` becomes a task: in 2025-11-25 if the client asks for it, in 2026-07-28 if it declares
/// tasks.
pub(crate) fn plan(call: &Call, tool: &Tool) -> Result<Plan, RpcError> {
    match call.version() {
        Version::V2024_11_05 | Version::V2025_03_26 | Version::V2025_06_18 => Ok(Plan::Call),
        Version::V2025_11_25 => plan_from_params(call, tool),
        Version::V2026_07_28 => match (tool.tasks, call.client.has(TASKS_EXTENSION)) {
            (TaskSupport::Forbidden, _) | (TaskSupport::Optional, false) => Ok(Plan::Call),
            (TaskSupport::Optional | TaskSupport::Required, true) => Ok(Plan::Task(DEFAULT_TTL)),
            (TaskSupport::Required, false) => {
                Err(modern::missing_capabilities(call.version(), &[TASKS_EXTENSION]))
            }
        },
    }
}

fn plan_from_params(call: &Call, tool: &Tool) -> Result<Plan, RpcError> {
    let refuse = |how: &str| {
        let why = format!("tool {} can be called {how} a task", tool.name);
        Err(RpcError::new(code::METHOD_NOT_FOUND, why))
    };
    match (call.params.get("task"), tool.tasks) {
        (None, TaskSupport::Forbidden | TaskSupport::Optional) => Ok(Plan::Call),
        (None, TaskSupport::Required) => refuse("only as"),
        (Some(_), TaskSupport::Forbidden) => refuse("not as"),
        (Some(wish), TaskSupport::Optional | TaskSupport::Required) => ttl(wish).map(Plan::Task),
    }
}

/// How long the task is kept: the client's wish, within our bounds.
fn ttl(wish: &Value) -> Result<Duration, RpcError> {
    if !wish.is_object() {
        return Err(RpcError::invalid_params("tools/call: `task` must be an object"));
    }
    let Some(ttl) = wish.get("ttl").filter(|ttl| !ttl.is_null()) else { return Ok(DEFAULT_TTL) };
    let millis = ttl.as_f64().filter(|millis| *millis >= 0.0);
    let millis = millis
        .ok_or_else(|| RpcError::invalid_params("tools/call: `task.ttl` must be a number of milliseconds"))?;
    Ok(Duration::try_from_secs_f64(millis / 1000.0).map_or(MAX_TTL, |ttl| ttl.min(MAX_TTL)))
}

/// Starts `work` as a task, and returns the result that names it.
pub(crate) fn start(
    call: &Call,
    ttl: Duration,
    work: impl FnOnce(Call) -> Later + Send + 'static,
) -> Result<Value, RpcError> {
    let era = call.version().era();
    let cost = cost::estimate_value(&call.params);
    let task = call.server.tasks.create(&call.server, era, &call.peer, ttl, cost)?;
    let begun = task.outline_only();
    let call = Call { out: None, task: Some(task.clone()), ..call.clone() };
    tokio::spawn(async move {
        let outcome = tokio::select! {
            biased;
            () = task.stop.cancelled() => return,
            outcome = work(call.clone()) => outcome,
        };
        task.finish(&call.server, conclude(&call, outcome));
    });
    Ok(match era {
        Era::Legacy => json!({ "task": begun }),
        Era::Modern => {
            let mut result = begun;
            result["resultType"] = json!("task");
            result
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_for_a_long_life_are_met_in_part() {
        let ttl = |wish| ttl(&wish).map(|ttl| ttl.as_millis()).map_err(|error| error.code);
        assert_eq!(ttl(json!({ "ttl": 1500 })), Ok(1500));
        assert_eq!(ttl(json!({})), Ok(DEFAULT_TTL.as_millis()));
        assert_eq!(ttl(json!({ "ttl": null })), Ok(DEFAULT_TTL.as_millis()));
        assert_eq!(ttl(json!({ "ttl": 1e300 })), Ok(MAX_TTL.as_millis()));
        for wrong in [json!(7), json!({ "ttl": -1 }), json!({ "ttl": "long" })] {
            assert_eq!(ttl(wrong), Err(-32602));
        }
    }
}
