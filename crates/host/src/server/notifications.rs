//! Messages that a server sends on its own: on the session's channel in the legacy era, on a subscription in the
//! modern era.

use std::time::Duration;

use protocol::Era;
use serde_json::{Map, Value, json};
use transport::client::{Failure, Message, PendingRequest, Session};

use super::Snapshot;

/// How long to wait before a subscription that ended is opened again.
const RESUBSCRIBE_PAUSE: Duration = Duration::from_secs(1);

/// Receives a server's messages.
#[derive(Debug)]
pub(super) struct Notifications {
    session: Session,
    /// The filter of the subscription; none if the server offers nothing to subscribe to, or refused.
    filter: Option<Value>,
    subscription: Option<PendingRequest>,
    pause: Duration,
}

impl Notifications {
    pub(super) async fn open(session: &Session, snapshot: &Snapshot) -> Self {
        let filter = match session.version().era() {
            Era::Modern => filter(snapshot),
            Era::Legacy => {
                // A server without such a stream cannot send anything on its own, so an error here does not matter.
                let _ = session.open_get_stream().await;
                None
            }
        };
        Self { session: session.clone(), filter, subscription: None, pause: Duration::ZERO }
    }

    /// The next message; none if the server is silent for `patience`, or if a subscription ended.
    pub(super) async fn next(&mut self, patience: Duration) -> Result<Option<Message>, Failure> {
        if self.subscription.is_none()
            && let Some(filter) = &self.filter
        {
            tokio::time::sleep(self.pause).await;
            self.pause = RESUBSCRIBE_PAUSE;
            let listen = self.session.request("subscriptions/listen");
            self.subscription = Some(listen.params(json!({ "notifications": filter })).start().await?);
        }
        let Some(subscription) = &mut self.subscription else {
            return self.session.incoming(patience).await;
        };
        let heard = subscription.next_within(patience).await;
        let refused = subscription.messages().last().is_some_and(is_error);
        subscription.forget_messages();
        match heard {
            Ok(Some(message)) if subscription.is_settled() => {
                // After an error the host does not subscribe again; after a result it does.
                self.filter = self.filter.take().filter(|_| !refused);
                self.subscription = None;
                Ok(Some(message))
            }
            Ok(None) => {
                self.subscription = None;
                Ok(None)
            }
            Err(failure) if failure.is_timeout() => Ok(None),
            other => other,
        }
    }
}

/// The subscription filter for what the server can announce, if anything: changes of its lists and of its Views'
/// documents.
fn filter(snapshot: &Snapshot) -> Option<Value> {
    let offers = |part: &str, what: &str| snapshot.capabilities[part][what] == true;
    let mut filter = Map::new();
    if offers("tools", "listChanged") {
        filter.insert("toolsListChanged".to_owned(), json!(true));
    }
    if offers("resources", "listChanged") {
        filter.insert("resourcesListChanged".to_owned(), json!(true));
    }
    let documents: Vec<&str> = snapshot.tools.iter().filter_map(|tool| tool.uri.as_deref()).collect();
    if offers("resources", "subscribe") && !documents.is_empty() {
        filter.insert("resourceSubscriptions".to_owned(), json!(documents));
    }
    (!filter.is_empty()).then_some(Value::Object(filter))
}

fn is_error(message: &Message) -> bool {
    message.value().is_some_and(|message| message.get("error").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::ToolSnapshot;

    #[test]
    fn what_is_offered_is_subscribed_to() {
        let tool =
            ToolSnapshot::from_item(json!({ "name": "t", "_meta": { "ui": { "resourceUri": "ui://a" } } }))
                .unwrap();
        let of = |capabilities: Value| {
            filter(&Snapshot { capabilities, tools: vec![tool.clone()], ..Snapshot::default() })
        };
        assert_eq!(of(json!({ "tools": {}, "resources": {} })), None);
        let tools = of(json!({ "tools": { "listChanged": true } }));
        assert_eq!(tools, Some(json!({ "toolsListChanged": true })));
        let all = json!({ "resources": { "listChanged": true, "subscribe": true } });
        let wanted = json!({ "resourcesListChanged": true, "resourceSubscriptions": ["ui://a"] });
        assert_eq!(of(all), Some(wanted));
    }
}
