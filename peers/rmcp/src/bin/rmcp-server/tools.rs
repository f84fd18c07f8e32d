//! The tools that need nothing from the client but to listen.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion, ResourceUpdatedNotificationParam,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::catalogue::{GREETING, result};
use crate::demo::Demo;

pub(crate) async fn call(
    demo: &Demo,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    match request.name.as_ref() {
        "echo" => text(string(request, "text")?),
        "add" => {
            let sum = number(request, "a", None)? + number(request, "b", None)?;
            let content = json!([{ "type": "text", "text": sum.to_string() }]);
            result(json!({ "content": content, "structuredContent": { "sum": sum } }))
        }
        "slow" => slow(request, context).await,
        "log" => log(request, context).await,
        "touch" => touch(demo, context).await,
        other => Err(ErrorData::invalid_params(format!("tool {other} not found"), None)),
    }
}

/// A result with one text.
pub(crate) fn text(value: impl AsRef<str>) -> Result<CallToolResult, ErrorData> {
    result(json!({ "content": [{ "type": "text", "text": value.as_ref() }] }))
}

/// Whether the request speaks a revision without a handshake.
pub(crate) fn modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::NO_INITIALIZE)
}

/// Blames the connection.
pub(crate) fn unsent(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(format!("the client could not be reached: {error}"), None)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
async fn slow(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let steps = number(request, "steps", Some(3.0))?.clamp(1.0, 1000.0) as u32;
    let delay = Duration::from_millis(number(request, "delay", Some(10.0))?.clamp(0.0, 1000.0) as u64);
    for done in 1..=steps {
        tokio::select! {
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
            () = tokio::time::sleep(delay) => {}
        }
        if let Some(token) = context.meta.get_progress_token() {
            let progress =
                ProgressNotificationParam::new(token, f64::from(done)).with_total(f64::from(steps));
            context.peer.notify_progress(progress).await.map_err(|error| unsent(&error))?;
        }
    }
    text(format!("{steps} steps"))
}

async fn log(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let message = string(request, "message").unwrap_or("hello");
    let entry = LoggingMessageNotificationParam::new(LoggingLevel::Info, Value::from(message));
    context
        .peer
        .notify_logging_message(entry.with_logger("rmcp-server"))
        .await
        .map_err(|error| unsent(&error))?;
    text("logged")
}

async fn touch(demo: &Demo, context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    if modern(context) {
        // Nobody may be listening, and that is fine.
        let _ = demo.touched.send(());
    } else {
        let update = ResourceUpdatedNotificationParam::new(GREETING);
        context.peer.notify_resource_updated(update).await.map_err(|error| unsent(&error))?;
    }
    text("touched")
}

fn argument<'a>(request: &'a CallToolRequestParams, name: &str) -> Option<&'a Value> {
    request.arguments.as_ref()?.get(name)
}

/// The text argument `name`.
pub(crate) fn string<'a>(request: &'a CallToolRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    argument(request, name)
        .and_then(Value::as_str)
        .ok_or_else(|| ErrorData::invalid_params(format!("`{name}` must be a string"), None))
}

fn number(request: &CallToolRequestParams, name: &str, default: Option<f64>) -> Result<f64, ErrorData> {
    match argument(request, name) {
        Some(value) => value.as_f64(),
        None => default,
    }
    .ok_or_else(|| ErrorData::invalid_params(format!("`{name}` must be a number"), None))
}
