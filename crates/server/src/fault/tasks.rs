//! Faults of tasks, of either era.

use protocol::capability::extension;
use protocol::code;
use serde_json::{Value, json};
use transport::serve::Answer;

use super::edit::{each, remove, result_of};
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &TASK_REVIVED,
    &TASK_RELATED_TO_ITSELF,
    &TASK_BEGINS_PENDING,
    &TASK_ID_REUSED,
    &TASK_ID_NUMBER,
    &TASK_WITHOUT_TTL,
    &TASK_TIME_NUMBER,
    &TASK_RESULT_EARLY,
    &TASK_RESULT_UNRELATED,
    &TASK_ERROR_SWALLOWED,
    &TASK_UNKNOWN_WRONG_CODE,
    &TASK_UNLISTED,
    &TASK_CANCEL_PENDING,
    &TASK_CANCELLED_TWICE,
    &TASK_SUPPORT_IGNORED,
    &TASK_UNDECLARED,
    &TASK_QUESTION_UNRELATED,
    &TASK_UNNEGOTIATED,
    &TASK_GET_CALLED_TASK,
    &TASK_WITHOUT_OUTCOME,
    &TASK_UPDATE_IGNORED,
    &TASK_UPDATE_TALKS,
    &TASK_CANCEL_REFUSED,
    &TASK_SERVED_UNDECLARED,
    &TASK_FAILS_FOR_TOOL,
    &TASK_METHODS_KEPT,
    &TASK_QUESTION_HIDDEN,
    &TASK_FAILS_SILENTLY,
    &TASK_OTHER,
];

pub const TASK_REVIVED: Fault = Fault {
    name: "task-revived",
    about: "a task that was cancelled is at work again when it is looked at",
    effect: Effect::Message(|out, m| {
        result_of(out, "tasks/get", m, |r| {
            if r["status"] == "cancelled" {
                r["status"] = json!("working");
            }
        })
    }),
};

pub const TASK_RELATED_TO_ITSELF: Fault = Fault {
    name: "task-related-to-itself",
    about: "the result of tasks/get names its task in _meta as well",
    effect: Effect::Message(|out, m| {
        result_of(out, "tasks/get", m, |r| {
            r["_meta"]["io.modelcontextprotocol/related-task"] = json!({ "taskId": r["taskId"] });
        })
    }),
};

fn edit_created_task(message: Value, change: impl FnOnce(&mut Value)) -> Vec<Value> {
    each(message, |m| {
        if m["result"]["task"].is_object() {
            change(&mut m["result"]["task"]);
        } else if m["result"]["resultType"] == "task" {
            change(&mut m["result"]);
        }
    })
}

pub const TASK_BEGINS_PENDING: Fault = Fault {
    name: "task-begins-pending",
    about: "tasks begin with the status pending",
    effect: Effect::Message(|_, m| edit_created_task(m, |task| task["status"] = json!("pending"))),
};

pub const TASK_ID_REUSED: Fault = Fault {
    name: "task-id-reused",
    about: "all tasks have the same id",
    effect: Effect::Message(|_, m| edit_created_task(m, |task| task["taskId"] = json!("task"))),
};

pub const TASK_ID_NUMBER: Fault = Fault {
    name: "task-id-number",
    about: "the ids of tasks are numbers",
    effect: Effect::Message(|_, m| edit_created_task(m, |task| task["taskId"] = json!(7))),
};

pub const TASK_WITHOUT_TTL: Fault = Fault {
    name: "task-without-ttl",
    about: "tasks/get does not say how long the task is kept",
    effect: Effect::Several(&[
        Effect::Remove(&["tasks/get"], &["ttl"]),
        Effect::Remove(&["tasks/get"], &["ttlMs"]),
    ]),
};

pub const TASK_TIME_NUMBER: Fault = Fault {
    name: "task-time-number",
    about: "tasks carry times that are not ISO 8601",
    effect: Effect::Set(&["tasks/get"], &["createdAt"], || json!("1760000000")),
};

pub const TASK_OTHER: Fault = Fault {
    name: "task-other",
    about: "tasks/get tells of another task",
    effect: Effect::Set(&["tasks/get"], &["taskId"], || json!("another-task")),
};

pub const TASK_RESULT_EARLY: Fault = Fault {
    name: "task-result-early",
    about: "tasks/result does not wait for the end of the task",
    effect: Effect::Answer(|incoming, answer| match answer {
        Answer::Stream(_) if incoming.method == "tasks/result" => {
            incoming.refuse(code::INVALID_PARAMS, "the task has not ended")
        }
        other => other,
    }),
};

pub const TASK_RESULT_UNRELATED: Fault = Fault {
    name: "task-result-unrelated",
    about: "the result of tasks/result does not name its task",
    effect: Effect::Remove(&["tasks/result"], &["_meta"]),
};

pub const TASK_ERROR_SWALLOWED: Fault = Fault {
    name: "task-error-swallowed",
    about: "tasks/result answers with an empty result where the request ended in an error",
    effect: Effect::Message(|out, m| {
        let concerns = out.method == Some("tasks/result") && m["error"]["code"] == -32603;
        each(m, |m| {
            if concerns {
                remove(m, "error");
                m["result"] = json!({ "content": [] });
            }
        })
    }),
};

pub const TASK_UNKNOWN_WRONG_CODE: Fault = Fault {
    name: "task-unknown-wrong-code",
    about: "a task that does not exist gets -32603",
    effect: Effect::Recode(&["tasks/get", "tasks/result", "tasks/cancel"], -32602, -32603),
};

pub const TASK_UNLISTED: Fault = Fault {
    name: "task-unlisted",
    about: "tasks/list shows nothing",
    effect: Effect::Set(&["tasks/list"], &["tasks"], || json!([])),
};

pub const TASK_CANCEL_PENDING: Fault = Fault {
    name: "task-cancel-pending",
    about: "tasks/cancel answers before the task is cancelled",
    effect: Effect::Set(&["tasks/cancel"], &["status"], || json!("working")),
};

pub const TASK_CANCELLED_TWICE: Fault = Fault {
    name: "task-cancelled-twice",
    about: "tasks/cancel succeeds for a task that has ended",
    effect: Effect::Retry(|error, incoming| {
        let has_ended = error["message"].as_str().is_some_and(|text| text.ends_with(" already"));
        let concerns = has_ended && incoming.method == "tasks/cancel";
        if concerns {
            incoming.method = "tasks/get".to_owned();
        }
        concerns
    }),
};

pub const TASK_SUPPORT_IGNORED: Fault = Fault {
    name: "task-support-ignored",
    about: "taskSupport is not looked at",
    effect: Effect::Retry(|error, incoming| {
        let refused = incoming.method == "tools/call" && error["code"] == code::METHOD_NOT_FOUND;
        if let Some(params) = incoming.params.as_object_mut().filter(|_| refused)
            && params.shift_remove("task").is_none()
        {
            params.insert("task".to_owned(), json!({}));
        }
        refused
    }),
};

pub const TASK_UNDECLARED: Fault = Fault {
    name: "task-undeclared",
    about: "tasks are created, but the capability is not declared",
    effect: Effect::Remove(&["initialize"], &["capabilities", "tasks"]),
};

pub const TASK_QUESTION_UNRELATED: Fault = Fault {
    name: "task-question-unrelated",
    about: "requests of a task do not name it",
    effect: Effect::Message(|_, m| {
        each(m, |m| {
            if m.get("method").is_some() && m.get("id").is_some() {
                remove(&mut m["params"], "_meta");
            }
        })
    }),
};

pub const TASK_UNNEGOTIATED: Fault = Fault {
    name: "task-unnegotiated",
    about: "clients without the tasks extension get tasks",
    effect: Effect::Incoming(|incoming| {
        if incoming.method == "tools/call"
            && let Some(declared) = incoming.capabilities()
        {
            declare(declared);
        }
        None
    }),
};

pub const TASK_GET_CALLED_TASK: Fault = Fault {
    name: "task-get-called-task",
    about: "the results of tasks/get, tasks/update and tasks/cancel have the type of a new task",
    effect: Effect::Replace(&["tasks/get", "tasks/update", "tasks/cancel"], &["resultType"], || {
        json!("task")
    }),
};

pub const TASK_WITHOUT_OUTCOME: Fault = Fault {
    name: "task-without-outcome",
    about: "a task that has ended shows neither its result nor its error",
    effect: Effect::Several(&[
        Effect::Remove(&["tasks/get"], &["result"]),
        Effect::Remove(&["tasks/get"], &["error"]),
    ]),
};

pub const TASK_UPDATE_IGNORED: Fault = Fault {
    name: "task-update-ignored",
    about: "tasks/update accepts answers and drops them",
    effect: Effect::Incoming(|incoming| {
        if incoming.method == "tasks/update" && incoming.params["inputResponses"].is_object() {
            incoming.params["inputResponses"] = json!({});
        }
        None
    }),
};

pub const TASK_UPDATE_TALKS: Fault = Fault {
    name: "task-update-talks",
    about: "tasks/update and tasks/cancel answer with the task instead of an empty result",
    effect: Effect::Several(&[
        Effect::Set(&["tasks/update", "tasks/cancel"], &["taskId"], || json!("task")),
        Effect::Set(&["tasks/update", "tasks/cancel"], &["status"], || json!("working")),
    ]),
};

pub const TASK_CANCEL_REFUSED: Fault = Fault {
    name: "task-cancel-refused",
    about: "tasks/cancel is an error, whatever the task does",
    effect: Effect::Fail("tasks/cancel", code::INTERNAL_ERROR),
};

pub const TASK_SERVED_UNDECLARED: Fault = Fault {
    name: "task-served-undeclared",
    about: "the methods of tasks are served to clients that did not declare the extension",
    effect: Effect::Incoming(|incoming| {
        if (incoming.method.starts_with("tasks/") || incoming.method == "subscriptions/listen")
            && let Some(declared) = incoming.capabilities()
        {
            declare(declared);
        }
        None
    }),
};

pub const TASK_FAILS_FOR_TOOL: Fault = Fault {
    name: "task-fails-for-tool",
    about: "a task whose tool reports an error is failed instead of completed",
    effect: Effect::Message(|out, m| {
        result_of(out, "tasks/get", m, |r| {
            if r["result"]["isError"] == true {
                r["status"] = json!("failed");
            }
        })
    }),
};

pub const TASK_METHODS_KEPT: Fault = Fault {
    name: "task-methods-kept",
    about: "tasks/list and tasks/result are internal errors in 2026-07-28 instead of unknown",
    effect: Effect::Recode(&["tasks/list", "tasks/result"], -32601, -32603),
};

pub const TASK_QUESTION_HIDDEN: Fault = Fault {
    name: "task-question-hidden",
    about: "a task that waits for the client says that it is working",
    effect: Effect::Message(|out, m| {
        result_of(out, "tasks/get", m, |r| {
            if r["status"] == "input_required" {
                r["status"] = json!("working");
            }
        })
    }),
};

pub const TASK_FAILS_SILENTLY: Fault = Fault {
    name: "task-fails-silently",
    about: "tasks do not say why they failed",
    effect: Effect::Remove(&["tasks/get"], &["statusMessage"]),
};

/// Declares the tasks extension on behalf of a client.
fn declare(capabilities: &mut Value) {
    if capabilities["extensions"].get(extension::TASKS).is_none() {
        capabilities["extensions"][extension::TASKS] = json!({});
    }
}
