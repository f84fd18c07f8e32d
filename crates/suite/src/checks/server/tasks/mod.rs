//! Tasks: those in the core of 2025-11-25, and those of the extension that replaced them in 2026-07-28.

pub(in crate::checks) mod begin;
pub(in crate::checks) mod end;
pub(in crate::checks) mod extended;
pub(in crate::checks) mod extension;
pub(in crate::checks) mod questions;
pub(in crate::checks) mod support;

use std::time::Duration;

use protocol::capability::TASKS_TOOLS;
use protocol::{Span, Version};
use serde_json::{Value, json};
use tokio::time::Instant;
use transport::client::{Failure, Session};

use super::fixture::fixture;
use crate::expect::Answer;
use crate::formats::is_date_time;
use crate::{Finding, ServerCx};

/// How long we wait for the end of a task.
const TASK_END_TIMEOUT: Duration = Duration::from_millis(900);
/// The revision whose core has tasks.
const TASKS: Span = Span::only(Version::V2025_11_25);

/// A tool that can run as a task and that we may call, with arguments; `slow` ones run for a while.
async fn task_tool(cx: &ServerCx, slow: bool) -> Result<(&Value, Value), Finding> {
    cx.needs(TASKS_TOOLS).await?;
    if let Ok(tool) = task_fixture(cx, "slow_compute").await {
        let seconds = if slow { 3.0 } else { 0.15 };
        return Ok((tool, json!({ "seconds": seconds, "label": "yardstick" })));
    }
    for tool in cx.harmless_tools().await?.into_iter().filter(|tool| runs_as_task(tool)) {
        if let Some(good) = cx.arguments_for(tool).await {
            return Ok((tool, good));
        }
    }
    Err(cx.no_tool("runs as a task").await)
}

/// The fixture of that name, if it runs as a task.
async fn task_fixture<'c>(cx: &'c ServerCx, name: &str) -> Result<&'c Value, Finding> {
    cx.needs(TASKS_TOOLS).await?;
    let tool = fixture(cx, name).await?;
    if runs_as_task(tool) {
        return Ok(tool);
    }
    Err(Finding::not_applicable(format!("{name} does not run as a task")))
}

fn runs_as_task(tool: &Value) -> bool {
    matches!(tool["execution"]["taskSupport"].as_str(), Some("optional" | "required"))
}

/// Calls `tool` as a task of 2025-11-25.
async fn begin(cx: &ServerCx, session: &Session, tool: &Value, arguments: &Value) -> Result<Answer, Finding> {
    let params = json!({ "name": tool["name"], "arguments": arguments, "task": { "ttl": 60_000 } });
    cx.request_on(session, "tools/call").params(params).send().await
}

/// Like `begin`, but returns the id of the task. Another check reports that there is none.
async fn begun(cx: &ServerCx, session: &Session, tool: &Value, arguments: &Value) -> Result<Value, Finding> {
    let answer = begin(cx, session, tool, arguments).await?;
    let id = answer.reply.result().unwrap_or_default()["task"]["taskId"].clone();
    if id.is_string() {
        Ok(id)
    } else {
        Err(Finding::blocked(format!("no task was created: {}", answer.summary())))
    }
}

/// A request about a task.
async fn about(cx: &ServerCx, session: &Session, method: &str, id: &Value) -> Result<Answer, Finding> {
    cx.request_on(session, method).params(json!({ "taskId": id })).send().await
}

/// What `tasks/result` returns, if the task ends soon: that of an unknown server may take hours.
async fn outcome(cx: &ServerCx, session: &Session, id: &Value) -> Result<Answer, Finding> {
    let ask = cx.request_on(session, "tasks/result").params(json!({ "taskId": id }));
    let mut pending = ask.start().await?;
    let deadline = Instant::now() + TASK_END_TIMEOUT;
    while !pending.is_settled() {
        let left = deadline.saturating_duration_since(Instant::now());
        match pending.next_within(left).await {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(Failure::TimedOut { .. }) => {
                return Err(Finding::not_applicable("no task ends soon enough to be waited for"));
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(Answer::new(pending.response().await?, session.clone()))
}

/// Whether a value is a date and time of ISO 8601.
fn is_iso_8601(value: &Value) -> bool {
    value.as_str().is_some_and(is_date_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_numbers() {
        assert!(is_iso_8601(&json!("2025-11-25T10:30:00Z")));
        assert!(is_iso_8601(&json!("2025-11-25T10:30:00.123+02:00")));
        assert!(is_iso_8601(&json!("20251125T103000Z")));
        assert!(!is_iso_8601(&json!("1760000000")));
        assert!(!is_iso_8601(&json!(1_760_000_000)));
    }
}
