//! Tasks of 2025-11-25: what responses and notifications say about them.

use std::collections::HashMap;

use ::wire::{Frame, Id};
use protocol::meta::RELATED_TASK;
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::tasks as fault;
use transport::Transport;

use super::{Asked, frames, mentions, value, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, defined, must_not, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[END_IS_END, SAME_TASK, NOT_RELATED];

const TASKS: Span = Span::only(Version::V2025_11_25);

/// A task that is `completed`, `failed` or `cancelled` must not change its status any more.
const END_IS_END: Check = Check {
    id: "wire/tasks/end-is-end",
    title: "a task that has ended keeps its status",
    cites: &[must_not("basic/utilities/tasks#task-status-lifecycle", TASKS)],
    aliases: &["test_dynamic_async_cancellation"],
    why: "a client stops polling once a task has ended, and never learns that it went on",
    fix: "let no code path change the status after completed, failed or cancelled",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, end_is_end),
    fault: &fault::TASK_REVIVED,
};

/// Messages may cross: a response to a request from before the end, or a notification on another stream, may be older.
fn end_is_end(cx: &WireCx<'_>) -> Verdict {
    let mut asked: HashMap<Id, usize> = HashMap::new();
    let mut ends: HashMap<String, (usize, String)> = HashMap::new();
    let mut seen = false;
    for (at, (entry, frame)) in cx.all_frames().enumerate() {
        if entry.direction != cx.judged_direction() {
            asked.extend(frame.id().filter(|_| frame.method.is_some()).map(|id| (id, at)));
            continue;
        }
        let Some((id, status)) = status_of(frame) else { continue };
        seen = true;
        let since = match frame.id().and_then(|id| asked.get(&id)) {
            Some(since) => *since,
            // A response without a request is another check's business.
            None if frame.method.is_none() => continue,
            None if cx.transport == Transport::Stdio => at,
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

/// The id and the status of the task that a message describes.
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

/// tasks/get and tasks/cancel are about the task whose id the request has; the result carries that id.
const SAME_TASK: Check = Check {
    id: "wire/tasks/same-task",
    title: "a response about a task is about the requested one",
    cites: &[defined("basic/utilities/tasks#getting-tasks", TASKS)],
    aliases: &[],
    why: "a client takes the end of one task for the end of another",
    fix: "look the task up by the taskId of the request, and send that taskId back",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, same_task),
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

/// Results of tasks/get, tasks/list and tasks/cancel, and status notifications, should not have `related-task` in
/// `_meta`, because they name the task already.
const NOT_RELATED: Check = Check {
    id: "wire/tasks/no-related-task",
    title: "messages that name their task do not name it again in _meta",
    cites: &[
        should_not("basic/utilities/tasks#associating-task-related-messages", TASKS),
        should_not("basic/utilities/tasks#task-notifications", TASKS),
    ],
    aliases: &[],
    why: "two places that say the same can disagree",
    fix: "leave related-task out of the results of tasks/get, tasks/list and tasks/cancel",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, not_related),
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
