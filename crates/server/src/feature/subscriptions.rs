//! Telling clients what changed: to legacy sessions as it happens, to modern ones on `subscriptions/listen`.

use protocol::meta::SUBSCRIPTION_ID;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::context::{Call, Reply, Stop};
use crate::peer::Peer;
use crate::rpc::{self, RpcError};
use crate::server::Change;

/// Tells a legacy session.
pub(crate) fn tell(peer: &Peer, change: &Change) {
    let wanted = match change {
        Change::Tools | Change::Prompts | Change::Resources => true,
        Change::Resource(uri) => peer.is_subscribed(uri),
    };
    if wanted {
        let (method, params) = notification(change);
        peer.tell(rpc::notification(method, &params).into());
    }
}

/// `subscriptions/listen` (from 2026-07-28)
pub(crate) fn listen() -> Reply {
    Reply::Later(Box::new(|call| Box::pin(stream(call))))
}

/// What a subscription asked for.
struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Vec<String>,
}

async fn stream(call: Call) -> Result<Value, Stop> {
    let filter = Filter::of(&call.params["notifications"])?;
    let mut changes = call.server.changes.subscribe();
    let id: Value = serde_json::from_str(call.id.get()).unwrap_or_default();
    let tag = json!({ SUBSCRIPTION_ID: id });
    let granted = json!({ "_meta": tag, "notifications": filter.granted() });
    call.notify("notifications/subscriptions/acknowledged", granted).await;
    loop {
        match changes.recv().await {
            Ok(change) if filter.wants(&change) => {
                let (method, mut params) = notification(&change);
                params["_meta"] = tag.clone();
                call.notify(method, params).await;
            }
            // Those that were missed are made up for by the next one: they only say that something changed.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return Ok(json!({ "_meta": tag })),
        }
    }
}

impl Filter {
    fn of(asked: &Value) -> Result<Self, RpcError> {
        let flag = |name: &str| match &asked[name] {
            Value::Null => Ok(false),
            Value::Bool(flag) => Ok(*flag),
            _ => Err(RpcError::invalid_params(format!("subscriptions/listen: `{name}` must be a boolean"))),
        };
        if !asked.is_object() {
            return Err(RpcError::invalid_params("subscriptions/listen: `notifications` must be an object"));
        }
        let uris = match &asked["resourceSubscriptions"] {
            Value::Null => Some(Vec::new()),
            Value::Array(uris) => uris.iter().map(|uri| uri.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        Ok(Self {
            tools: flag("toolsListChanged")?,
            prompts: flag("promptsListChanged")?,
            resources: flag("resourcesListChanged")?,
            uris: uris.ok_or_else(|| RpcError::invalid_params("resourceSubscriptions must be a list of URIs"))?,
        })
    }

    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.contains(uri),
        }
    }

    /// The part that we honour, which is all of it; what was not asked for is not named.
    fn granted(&self) -> Value {
        let mut granted = json!({});
        let flags =
            [("toolsListChanged", self.tools), ("promptsListChanged", self.prompts), ("resourcesListChanged", self.resources)];
        for (name, _) in flags.iter().filter(|(_, wanted)| *wanted) {
            granted[*name] = true.into();
        }
        if !self.uris.is_empty() {
            granted["resourceSubscriptions"] = json!(self.uris);
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
    }
}
