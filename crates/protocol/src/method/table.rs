//! The rows, sorted by name and then by revision.

use super::{Gate, Method, MethodDirection, MethodKind, NameSource};
use crate::capability::{self as cap, extension};
use crate::{Span, Version};

use MethodDirection::{Both, ClientToServer, ServerToClient};
use Version::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25};

const FIRST: Span = Span::only(V2024_11_05);
const ALWAYS: Span = Span::ALWAYS;
const LEGACY: Span = Span::LEGACY;
const MODERN: Span = Span::MODERN;
const ONLY_2025_11_25: Span = Span::only(V2025_11_25);
const ELICITED: Span = Span::between(V2025_06_18, V2025_11_25);
const COMPLETED: Span = Span::since(V2025_03_26);
const TASK_EXTENSION: Gate = Gate::Both(cap::TASKS_EXTENSION);

/// Every method and notification, sorted by name and then by revision.
///
/// Where the pages of 2026-07-28 contradict each other: the cancellation page has a server announce the end of a
/// subscription with `notifications/cancelled`, the subscriptions page with a result, and the schema allows the
/// notification on stdio only. The row keeps both directions; which of them is right is a matter of the transport.
/// `notifications/tasks` is named so in SEP-2663 although it reserves the prefix `notifications/tasks/`; and the same
/// text wants `resultType: "complete"` in the result of `tasks/get`, and writes `"task"` in two examples of it.
pub const METHODS: &[Method] = &[
    request("completion/complete", FIRST, ClientToServer, "CompleteRequest", "CompleteResult"),
    request("completion/complete", COMPLETED, ClientToServer, "CompleteRequest", "CompleteResult")
        .gated(Gate::Server(cap::COMPLETIONS)),
    request("elicitation/create", ELICITED, ServerToClient, "ElicitRequest", "ElicitResult")
        .gated(Gate::Client(cap::ELICITATION))
        .deferrable(),
    input("elicitation/create", "ElicitRequest", "ElicitResult").gated(Gate::Client(cap::ELICITATION)),
    request("initialize", LEGACY, ClientToServer, "InitializeRequest", "InitializeResult"),
    request("logging/setLevel", LEGACY, ClientToServer, "SetLevelRequest", "EmptyResult")
        .gated(Gate::Server(cap::LOGGING)),
    notification("notifications/cancelled", ALWAYS, Both, "CancelledNotification"),
    notification(
        "notifications/elicitation/complete",
        ONLY_2025_11_25,
        ServerToClient,
        "ElicitationCompleteNotification",
    )
    .gated(Gate::Client(cap::ELICITATION_URL)),
    notification("notifications/initialized", LEGACY, ClientToServer, "InitializedNotification"),
    notification("notifications/message", ALWAYS, ServerToClient, "LoggingMessageNotification")
        .gated(Gate::Server(cap::LOGGING)),
    notification("notifications/progress", LEGACY, Both, "ProgressNotification"),
    notification("notifications/progress", MODERN, ServerToClient, "ProgressNotification"),
    notification(
        "notifications/prompts/list_changed",
        ALWAYS,
        ServerToClient,
        "PromptListChangedNotification",
    )
    .gated(Gate::Server(cap::PROMPTS_LIST_CHANGED)),
    notification(
        "notifications/resources/list_changed",
        ALWAYS,
        ServerToClient,
        "ResourceListChangedNotification",
    )
    .gated(Gate::Server(cap::RESOURCES_LIST_CHANGED)),
    notification("notifications/resources/updated", ALWAYS, ServerToClient, "ResourceUpdatedNotification")
        .gated(Gate::Server(cap::RESOURCES_SUBSCRIBE)),
    notification("notifications/roots/list_changed", LEGACY, ClientToServer, "RootsListChangedNotification")
        .gated(Gate::Client(cap::ROOTS_LIST_CHANGED)),
    notification(
        "notifications/subscriptions/acknowledged",
        MODERN,
        ServerToClient,
        "SubscriptionsAcknowledgedNotification",
    ),
    notification("notifications/tasks", MODERN, ServerToClient, "TaskStatusNotification")
        .gated(TASK_EXTENSION)
        .of_extension(extension::TASKS),
    notification("notifications/tasks/status", ONLY_2025_11_25, Both, "TaskStatusNotification")
        .gated(Gate::Sender(cap::TASKS)),
    notification("notifications/tools/list_changed", ALWAYS, ServerToClient, "ToolListChangedNotification")
        .gated(Gate::Server(cap::TOOLS_LIST_CHANGED)),
    request("ping", LEGACY, Both, "PingRequest", "EmptyResult"),
    request("prompts/get", ALWAYS, ClientToServer, "GetPromptRequest", "GetPromptResult")
        .gated(Gate::Server(cap::PROMPTS))
        .asking()
        .named_by(NameSource::Name),
    request("prompts/list", ALWAYS, ClientToServer, "ListPromptsRequest", "ListPromptsResult")
        .gated(Gate::Server(cap::PROMPTS))
        .cached(),
    request("resources/list", ALWAYS, ClientToServer, "ListResourcesRequest", "ListResourcesResult")
        .gated(Gate::Server(cap::RESOURCES))
        .cached(),
    request("resources/read", ALWAYS, ClientToServer, "ReadResourceRequest", "ReadResourceResult")
        .gated(Gate::Server(cap::RESOURCES))
        .cached()
        .asking()
        .named_by(NameSource::Uri),
    request("resources/subscribe", LEGACY, ClientToServer, "SubscribeRequest", "EmptyResult")
        .gated(Gate::Server(cap::RESOURCES_SUBSCRIBE)),
    request(
        "resources/templates/list",
        ALWAYS,
        ClientToServer,
        "ListResourceTemplatesRequest",
        "ListResourceTemplatesResult",
    )
    .gated(Gate::Server(cap::RESOURCES))
    .cached(),
    request("resources/unsubscribe", LEGACY, ClientToServer, "UnsubscribeRequest", "EmptyResult")
        .gated(Gate::Server(cap::RESOURCES_SUBSCRIBE)),
    request("roots/list", LEGACY, ServerToClient, "ListRootsRequest", "ListRootsResult")
        .gated(Gate::Client(cap::ROOTS)),
    input("roots/list", "ListRootsRequest", "ListRootsResult").gated(Gate::Client(cap::ROOTS)),
    request("sampling/createMessage", LEGACY, ServerToClient, "CreateMessageRequest", "CreateMessageResult")
        .gated(Gate::Client(cap::SAMPLING))
        .deferrable(),
    input("sampling/createMessage", "CreateMessageRequest", "CreateMessageResult")
        .gated(Gate::Client(cap::SAMPLING)),
    request("server/discover", MODERN, ClientToServer, "DiscoverRequest", "DiscoverResult").cached(),
    request(
        "subscriptions/listen",
        MODERN,
        ClientToServer,
        "SubscriptionsListenRequest",
        "SubscriptionsListenResult",
    ),
    request("tasks/cancel", ONLY_2025_11_25, Both, "CancelTaskRequest", "CancelTaskResult")
        .gated(Gate::Receiver(cap::TASKS_CANCEL)),
    task("tasks/cancel", "CancelTaskRequest", "CancelTaskResult"),
    request("tasks/get", ONLY_2025_11_25, Both, "GetTaskRequest", "GetTaskResult")
        .gated(Gate::Receiver(cap::TASKS)),
    task("tasks/get", "GetTaskRequest", "GetTaskResult"),
    request("tasks/list", ONLY_2025_11_25, Both, "ListTasksRequest", "ListTasksResult")
        .gated(Gate::Receiver(cap::TASKS_LIST)),
    request("tasks/result", ONLY_2025_11_25, Both, "GetTaskPayloadRequest", "GetTaskPayloadResult")
        .gated(Gate::Receiver(cap::TASKS)),
    task("tasks/update", "UpdateTaskRequest", "UpdateTaskResult"),
    request("tools/call", ALWAYS, ClientToServer, "CallToolRequest", "CallToolResult")
        .gated(Gate::Server(cap::TOOLS))
        .asking()
        .deferrable()
        .named_by(NameSource::Name),
    request("tools/list", ALWAYS, ClientToServer, "ListToolsRequest", "ListToolsResult")
        .gated(Gate::Server(cap::TOOLS))
        .cached(),
];

const fn row(
    name: &'static str,
    span: Span,
    direction: MethodDirection,
    kind: MethodKind,
    message: &'static str,
) -> Method {
    Method {
        name,
        span,
        direction,
        kind,
        gate: Gate::Open,
        message,
        result: None,
        extension: None,
        cacheable: false,
        input_required: false,
        taskable: false,
        name_source: None,
    }
}

const fn request(
    name: &'static str,
    span: Span,
    direction: MethodDirection,
    message: &'static str,
    result: &'static str,
) -> Method {
    let mut method = row(name, span, direction, MethodKind::Request, message);
    method.result = Some(result);
    method
}

const fn notification(
    name: &'static str,
    span: Span,
    direction: MethodDirection,
    message: &'static str,
) -> Method {
    row(name, span, direction, MethodKind::Notification, message)
}

/// What was a request of the server before 2026-07-28.
const fn input(name: &'static str, message: &'static str, result: &'static str) -> Method {
    let mut method = row(name, MODERN, ServerToClient, MethodKind::Input, message);
    method.result = Some(result);
    method
}

/// A request of the tasks extension (SEP-2663).
const fn task(name: &'static str, message: &'static str, result: &'static str) -> Method {
    request(name, MODERN, ClientToServer, message, result)
        .gated(TASK_EXTENSION)
        .of_extension(extension::TASKS)
        .named_by(NameSource::TaskId)
}

impl Method {
    const fn gated(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    const fn of_extension(mut self, extension: &'static str) -> Self {
        self.extension = Some(extension);
        self
    }

    const fn cached(mut self) -> Self {
        self.cacheable = true;
        self
    }

    const fn asking(mut self) -> Self {
        self.input_required = true;
        self
    }

    const fn deferrable(mut self) -> Self {
        self.taskable = true;
        self
    }

    const fn named_by(mut self, source: NameSource) -> Self {
        self.name_source = Some(source);
        self
    }
}
