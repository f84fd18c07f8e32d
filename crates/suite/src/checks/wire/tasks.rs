//! Tasks of either era, as the messages show them.

use std::collections::HashMap;

use ::wire::{Frame, Id};
use protocol::meta::RELATED_TASK;
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::tasks as fault;
use transport::serve::Via;

use super::{Asked, frames, mentions, value, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, defined, must_not, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[END_IS_END, SAME_TASK, NOT_RELATED];

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

/// Messages may cross on their way: what was asked for before the end was seen, or told on another stream, may be older.
fn end_is_end(cx: &WireCx<'_>) -> Verdict {
    let mut asked: HashMap<Id, usize> = HashMap::new();
    let mut ends: HashMap<String, (usize, String)> = HashMap::new();
    let mut seen = false;
    for (at, (entry, frame)) in cx.said().enumerate() {
        if entry.direction != cx.judged() {
            asked.extend(frame.id().filter(|_| frame.method.is_some()).map(|id| (id, at)));
            continue;
        }
        let Some((id, status)) = status_of(frame) else { continue };
        seen = true;
        let since = match frame.id().and_then(|id| asked.get(&id)) {
            Some(since) => *since,
            // An answer that nobody asked for is another check's business.
            None if frame.method.is_none() => continue,
            None if cx.via == Via::Pipe => at,
            None => 0,
        };
        match ends.get(&id) {
            Some((end, before)) if since > *end && *before != status => {
                let expected = format!("status {before}, as before");
                return Err(violated(entry, expected, format!("status {status}")));
            }
            None if is_end(&status) => drop(ends.insert(id, (at, status))),
            Some(_) | None => {}
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("there was no task")) }
}

/// The task that a message tells of, and how it is.
fn status_of(frame: &Frame<'_>) -> Option<(String, String)> {
    if !mentions(frame.result, "\"taskId\"") && !mentions(frame.params, "\"taskId\"") {
        return None;
    }
    let (result, params) = (value(frame.result), value(frame.params));
    let told = frame.method().is_some_and(|name| name.starts_with("notifications/tasks"));
    let task = match (&result["task"], told) {
        (Value::Object(_), _) => &result["task"],
        (_, true) => &params,
        (_, false) => &result,
    };
    Some((task["taskId"].as_str()?.to_owned(), task["status"].as_str()?.to_owned()))
}

fn is_end(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

const SAME_TASK: Check = Check {
    id: "wire/tasks/same-task",
    title: "what is told of a task is told of the one that was asked for",
    cites: &[defined("basic/utilities/tasks#getting-tasks", TASKS)],
    aliases: &[],
    why: "a client takes the end of one task for the end of another",
    fix: "look the task up by the taskId of the request, and send that taskId back",
    on: On::Any,
    run: Run::Wire(same_task),
    fault: &fault::TASK_OTHER,
};

fn same_task(cx: &WireCx<'_>) -> Verdict {
    let asked = Asked::on(cx);
    let mut seen = false;
    for (entry, frame) in frames(cx).filter(|(_, frame)| frame.result.is_some()) {
        let Some(request) = asked.by(&frame) else { continue };
        if !matches!(request.method().as_deref(), Some("tasks/get" | "tasks/cancel")) {
            continue;
        }
        seen = true;
        let (wanted, told) = (&value(request.params)["taskId"], &value(frame.result)["taskId"]);
        if told.is_string() && told != wanted {
            return Err(violated(entry, format!("taskId {wanted}"), format!("taskId {told}")));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no task was looked at")) }
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
