//! Tasks of either era, as the messages show them.

use std::collections::HashMap;

use protocol::meta::RELATED_TASK;
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::tasks as fault;

use super::{Asked, frames, mentions, value, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must_not, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[END_IS_END, NOT_RELATED];

const TASKS: Span = Span::only(Version::V2025_11_25);

const END_IS_END: Check = Check {
    id: "wire/tasks/end-is-end",
    title: "a task that has ended stays as it ended",
    cites: &[must_not("basic/utilities/tasks#task-status-lifecycle", TASKS)],
    aliases: &["test_dynamic_async_cancellation"],
    why: "a client stops looking once a task has ended, and never learns that it went on",
    fix: "let no code path change the status after completed, failed or cancelled",
    on: On::Any,
    run: Run::Wire(end_is_end),
    fault: &fault::TASK_REVIVED,
};

fn end_is_end(cx: &WireCx<'_>) -> Verdict {
    let mut last: HashMap<String, String> = HashMap::new();
    for (entry, frame) in frames(cx) {
        if !mentions(frame.result, "\"taskId\"") && !mentions(frame.params, "\"taskId\"") {
            continue;
        }
        let result = value(frame.result);
        let params = value(frame.params);
        let told = frame.method().is_some_and(|name| name.starts_with("notifications/tasks"));
        let task = match (&result["task"], told) {
            (Value::Object(_), _) => &result["task"],
            (_, true) => &params,
            (_, false) => &result,
        };
        let (Some(id), Some(status)) = (task["taskId"].as_str(), task["status"].as_str()) else { continue };
        let before = last.insert(id.to_owned(), status.to_owned());
        let ended = before.filter(|before| is_end(before));
        if let Some(ended) = ended.filter(|ended| ended != status) {
            return Err(violated(entry, format!("status {ended}, as before"), format!("status {status}")));
        }
    }
    if last.is_empty() { Err(Finding::not_applicable("there was no task")) } else { Ok(()) }
}

fn is_end(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

const NOT_RELATED: Check = Check {
    id: "wire/tasks/no-related-task",
    title: "what names its task already does not name it again in _meta",
    cites: &[
        should_not("basic/utilities/tasks#associating-task-related-messages", TASKS),
        should_not("basic/utilities/tasks#task-notifications", TASKS),
    ],
    aliases: &[],
    why: "two places that say the same can disagree",
    fix: "leave related-task out of the results of tasks/get, tasks/list and tasks/cancel",
    on: On::Any,
    run: Run::Wire(not_related),
    fault: &fault::TASK_RELATED_TO_ITSELF,
};

fn not_related(cx: &WireCx<'_>) -> Verdict {
    let asked = Asked::on(cx);
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        if frame.method().as_deref() == Some("notifications/tasks/status") {
            let meta = value(frame.params)["_meta"].clone();
            if meta.get(RELATED_TASK).is_some() {
                return Err(violated(entry, "no related-task in _meta", "related-task"));
            }
        }
        if frame.result.is_none() {
            continue;
        }
        let request = asked.method(&frame);
        if !matches!(request.as_deref(), Some("tasks/get" | "tasks/list" | "tasks/cancel")) {
            continue;
        }
        seen = true;
        if value(frame.result)["_meta"].get(RELATED_TASK).is_some() {
            return Err(violated(entry, "no related-task in _meta", "related-task"));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no task was looked at")) }
}
