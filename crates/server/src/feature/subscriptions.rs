//! Notifies clients of changes: legacy sessions directly, modern clients on `subscriptions/listen`.

use bytes::Bytes;
use protocol::capability::TASKS_EXTENSION;
use protocol::meta::SUBSCRIPTION_ID;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use transport::Transport;

use super::{modern, resources, tasks};
use crate::call::{Call, Reply, Stop};
use crate::peer::Peer;
use crate::rpc::{self, RpcError};
use crate::server::Change;

/// The notification of a change for legacy sessions.
pub(crate) fn legacy_notification(change: &Change) -> Bytes {
    let (method, params) = notification(change);
    rpc::notification(method, &params).into()
}

/// Notifies a legacy session, if it is ready.
pub(crate) fn notify_session(peer: &Peer, change: &Change, message: &Bytes) {
    let wanted = match change {
        Change::Tools | Change::Prompts | Change::Resources => true,
        Change::Resource(uri) => peer.is_subscribed(uri),
        Change::Task(_) => false,
    };
    if wanted && peer.is_ready() {
        peer.send(message.clone());
    }
}

/// `subscriptions/listen` (from 2026-07-28)
pub(crate) fn listen(call: &Call) -> Result<Reply, Stop> {
    let filter = Filter::from_call(call)?;
    Ok(Reply::Later(Box::new(|call| Box::pin(stream(call, filter)))))
}

/// What a subscription asked for.
struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Vec<String>,
    /// The tasks that exist.
    tasks: Vec<String>,
}

async fn stream(call: Call, filter: Filter) -> Result<Value, Stop> {
    let mut changes = call.server.changes.subscribe();
    let id: Value = serde_json::from_str(call.id.get()).unwrap_or_default();
    let tag = json!({ SUBSCRIPTION_ID: id });
    let granted = json!({ "_meta": tag, "notifications": filter.granted() });
    call.notify("notifications/subscriptions/acknowledged", granted).await;
    // The status of a task may have changed before the subscription began.
    for task in &filter.tasks {
        send(&call, &Change::Task(task.clone()), &tag).await;
    }
    loop {
        let change = tokio::select! {
            change = changes.recv() => change,
            () = call.server.closing.cancelled() => Err(RecvError::Closed),
        };
        match change {
            Ok(change) if filter.wants(&change) => send(&call, &change, &tag).await,
            // The next notification makes up for missed ones, because they only say that something changed.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return Ok(end(&call, id, &tag).await),
        }
    }
}

async fn send(call: &Call, change: &Change, tag: &Value) {
    let (method, mut params) = match change {
        Change::Task(id) => match tasks::describe(call, id) {
            Some(task) => ("notifications/tasks", task),
            None => return,
        },
        Change::Tools | Change::Prompts | Change::Resources | Change::Resource(_) => notification(change),
    };
    params["_meta"] = tag.clone();
    call.notify(method, params).await;
}

/// Ends the subscription from the server's side. On a pipe, where no stream can be closed, it is also sent as a
/// cancellation: one page of the specification asks for the one, another for the other.
async fn end(call: &Call, id: Value, tag: &Value) -> Value {
    if call.peer.transport == Transport::Stdio {
        let params = json!({ "requestId": id, "reason": "the server stops" });
        call.notify("notifications/cancelled", params).await;
    }
    json!({ "_meta": tag })
}

impl Filter {
    fn from_call(call: &Call) -> Result<Self, RpcError> {
        let asked = &call.params["notifications"];
        let flag = |name: &str| match &asked[name] {
            Value::Null => Ok(false),
            Value::Bool(flag) => Ok(*flag),
            _ => Err(RpcError::invalid_params(format!("subscriptions/listen: `{name}` must be a boolean"))),
        };
        if !asked.is_object() {
            return Err(RpcError::invalid_params("subscriptions/listen: `notifications` must be an object"));
        }
        let strings = |name: &str| match &asked[name] {
            Value::Null => Ok(Vec::new()),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                Ok(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            }
            _ => Err(RpcError::invalid_params(format!(
                "subscriptions/listen: `{name}` must be a list of strings"
            ))),
        };
        let mut tasks = strings("taskIds")?;
        let undeclared = asked.get("taskIds").is_some() && !call.client.has(TASKS_EXTENSION);
        if undeclared {
            return Err(modern::missing_capabilities(call.version(), &[TASKS_EXTENSION]));
        }
        tasks.retain(|id| tasks::describe(call, id).is_some());
        let uris = strings("resourceSubscriptions")?;
        uris.iter().try_for_each(|uri| resources::check_length(uri))?;
        Ok(Self {
            tools: flag("toolsListChanged")?,
            prompts: flag("promptsListChanged")?,
            resources: flag("resourcesListChanged")?,
            uris,
            tasks,
        })
    }

    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.contains(uri),
            Change::Task(id) => self.tasks.contains(id),
        }
    }

    /// The granted part: everything that was asked for, except tasks that do not exist.
    fn granted(&self) -> Value {
        let mut granted = json!({});
        let flags = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        for (name, _) in flags.iter().filter(|(_, wanted)| *wanted) {
            granted[*name] = true.into();
        }
        if !self.uris.is_empty() {
            granted["resourceSubscriptions"] = json!(self.uris);
        }
        if !self.tasks.is_empty() {
            granted["taskIds"] = json!(self.tasks);
        }
        granted
    }
}

fn notification(change: &Change) -> (&'static str, Value) {
    match change {
        Change::Tools => ("notifications/tools/list_changed", json!({})),
        Change::Prompts => ("notifications/prompts/list_changed", json!({})),
        Change::Resources => ("notifications/resources/list_changed", json!({})),
        Change::Resource(uri) => ("notifications/resources/updated", json!({ "uri": uri })),
        Change::Task(id) => ("notifications/tasks", json!({ "taskId": id })),
    }
}
