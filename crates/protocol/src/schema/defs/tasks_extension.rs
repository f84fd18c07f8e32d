//! Tasks as the extension `io.modelcontextprotocol/tasks` has them (SEP-2663).

use super::base::{NOTIFICATION, REQUEST};
use super::subscriptions::FILTER;
use super::tasks::{STATE, STATUS, TASK_ID};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("Task", MODERN, Object(&[STATE, TIMES, &[req("status", Ref("TaskStatus"))]])),
    def("TaskStatus", MODERN, STATUS),
    def("WorkingTask", MODERN, Object(&[STATE, TIMES, &[req("status", Const("working"))]])),
    def(
        "InputRequiredTask",
        MODERN,
        Object(&[
            STATE,
            TIMES,
            &[req("status", Const("input_required")), req("inputRequests", Ref("InputRequests"))],
        ]),
    ),
    def(
        "CompletedTask",
        MODERN,
        Object(&[STATE, TIMES, &[req("status", Const("completed")), req("result", AnyObject)]]),
    ),
    def(
        "FailedTask",
        MODERN,
        Object(&[STATE, TIMES, &[req("status", Const("failed")), req("error", Ref("Error"))]]),
    ),
    def("CancelledTask", MODERN, Object(&[STATE, TIMES, &[req("status", Const("cancelled"))]])),
    def(
        "DetailedTask",
        MODERN,
        Either(&[
            Ref("WorkingTask"),
            Ref("InputRequiredTask"),
            Ref("CompletedTask"),
            Ref("FailedTask"),
            Ref("CancelledTask"),
        ]),
    ),
    def(
        "CreateTaskResult",
        MODERN,
        All(&[Object(&[RESULT_META, &[req("resultType", Const("task"))]]), Ref("Task")]),
    ),
    def(
        "GetTaskRequest",
        MODERN,
        Object(&[REQUEST, &[method("tasks/get"), req("params", Object(&[PARAMS, TASK_ID]))]]),
    ),
    def("GetTaskResult", MODERN, All(&[ACKNOWLEDGED, Ref("DetailedTask")])),
    def(
        "UpdateTaskRequest",
        MODERN,
        Object(&[
            REQUEST,
            &[
                method("tasks/update"),
                req("params", Object(&[PARAMS, TASK_ID, &[req("inputResponses", Ref("InputResponses"))]])),
            ],
        ]),
    ),
    def("UpdateTaskResult", MODERN, ACKNOWLEDGED),
    def(
        "CancelTaskRequest",
        MODERN,
        Object(&[REQUEST, &[method("tasks/cancel"), req("params", Object(&[PARAMS, TASK_ID]))]]),
    ),
    def("CancelTaskResult", MODERN, ACKNOWLEDGED),
    def(
        "TaskStatusNotification",
        MODERN,
        Object(&[
            NOTIFICATION,
            &[method("notifications/tasks"), req("params", Ref("TaskStatusNotificationParams"))],
        ]),
    ),
    def("TaskStatusNotificationParams", MODERN, All(&[Ref("NotificationParams"), Ref("DetailedTask")])),
    def("SubscriptionFilter", MODERN, Object(&[FILTER, TASK_IDS])),
    def("TaskSubscriptionNotifications", MODERN, Object(&[TASK_IDS])),
    def("TaskSubscriptionAcknowledgedNotifications", MODERN, Object(&[TASK_IDS])),
    def("TasksExtensionCapability", MODERN, AnyObject),
];

const TIMES: &[Field] = &[req("ttlMs", Either(&[Int, Null])), opt("pollIntervalMs", Int)];

/// That every request carries `_meta` is for the core to say; here it is only held to its shape.
const PARAMS: &[Field] = &[opt("_meta", Ref("RequestMetaObject"))];

const RESULT_META: &[Field] = &[opt("_meta", Ref("ResultMetaObject"))];

const ACKNOWLEDGED: ValueShape = Object(&[RESULT_META, &[req("resultType", Const("complete"))]]);

const TASK_IDS: &[Field] = &[opt("taskIds", Array(&Str))];
