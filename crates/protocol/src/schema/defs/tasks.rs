//! Tasks as a part of the core, in 2025-11-25.

use super::base::{NEXT_PAGE, NOTIFICATION, PAGE_PARAMS, REQUEST, RESULT};
use super::meta::REQUEST_PARAMS;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "Task",
        ONCE,
        Object(&[
            STATE,
            &[req("status", Ref("TaskStatus")), req("ttl", Either(&[Int, Null])), opt("pollInterval", Int)],
        ]),
    ),
    def("TaskStatus", ONCE, STATUS),
    def("TaskMetadata", ONCE, Object(&[&[opt("ttl", Int)]])),
    def("RelatedTaskMetadata", ONCE, Object(&[TASK_ID])),
    def("TaskAugmentedRequestParams", ONCE, Object(&[REQUEST_PARAMS, TASK_AUGMENTED])),
    def("CreateTaskResult", ONCE, Object(&[RESULT, &[req("task", Ref("Task"))]])),
    def("GetTaskRequest", ONCE, Object(&[REQUEST, &[method("tasks/get")], OF_TASK])),
    def("GetTaskResult", ONCE, All(&[Ref("Result"), Ref("Task")])),
    def("GetTaskPayloadRequest", ONCE, Object(&[REQUEST, &[method("tasks/result")], OF_TASK])),
    def("GetTaskPayloadResult", ONCE, Object(&[RESULT])),
    def("ListTasksRequest", ONCE, Object(&[REQUEST, &[method("tasks/list")], PAGE_PARAMS])),
    def("ListTasksResult", ONCE, Object(&[RESULT, NEXT_PAGE, &[req("tasks", Array(&Ref("Task")))]])),
    def("CancelTaskRequest", ONCE, Object(&[REQUEST, &[method("tasks/cancel")], OF_TASK])),
    def("CancelTaskResult", ONCE, All(&[Ref("Result"), Ref("Task")])),
    def(
        "TaskStatusNotification",
        ONCE,
        Object(&[
            NOTIFICATION,
            &[method("notifications/tasks/status"), req("params", Ref("TaskStatusNotificationParams"))],
        ]),
    ),
    def("TaskStatusNotificationParams", ONCE, All(&[Ref("NotificationParams"), Ref("Task")])),
];

/// The one revision with tasks in its core; later they are an extension.
const ONCE: Span = only(V2025_11_25);

/// What a request carries when it asks to be run as a task.
pub(super) const TASK_AUGMENTED: &[Field] = &[opt("task", Ref("TaskMetadata")).only(V2025_11_25)];

pub(super) const TASK_ID: &[Field] = &[req("taskId", Str)];

pub(super) const STATUS: ValueShape =
    Enum(&["working", "input_required", "completed", "failed", "cancelled"]);

/// What is said of a task besides its status and its times.
pub(super) const STATE: &[Field] =
    &[req("taskId", Str), opt("statusMessage", Str), req("createdAt", Str), req("lastUpdatedAt", Str)];

const OF_TASK: &[Field] = &[req("params", Object(&[TASK_ID]))];
