//! What a server says without being asked: on its channel in the legacy era, on a subscription in the modern one.

use std::time::Duration;

use protocol::Era;
use serde_json::{Map, Value, json};
use transport::client::{Failure, Message, Pending, Session};

use super::Snapshot;

/// How long to wait before a subscription that has ended is opened again.
const AGAIN: Duration = Duration::from_secs(1);

/// Listens to a server.
#[derive(Debug)]
pub(super) struct Notifications {
    session: Session,
    /// What is subscribed to; nothing where the server offers nothing, or has refused.
    filter: Option<Value>,
    subscription: Option<Pending>,
    pause: Duration,
}

impl Notifications {
    pub(super) async fn open(session: &Session, snapshot: &Snapshot) -> Self {
        let filter = match session.version().era() {
            Era::Modern => filter(snapshot),
            Era::Legacy => {
                // Without such a stream the server cannot speak first, and there is nothing to hear.
                let _ = session.tune_in().await;
                None
            }
        };
        Self { session: session.clone(), filter, subscription: None, pause: Duration::ZERO }
    }

    /// The next message; none when it is silent for as long as `patience`, or a subscription has ended.
    pub(super) async fn next(&mut self, patience: Duration) -> Result<Option<Message>, Failure> {
        if self.subscription.is_none()
            && let Some(filter) = &self.filter
        {
            tokio::time::sleep(self.pause).await;
            self.pause = AGAIN;
            let listen = self.session.request("subscriptions/listen");
            self.subscription = Some(listen.params(json!({ "notifications": filter })).start().await?);
        }
        let Some(subscription) = &mut self.subscription else {
            return self.session.incoming(patience).await;
        };
        let heard = subscription.next_within(patience).await;
        let refused = subscription.messages().last().is_some_and(is_error);
        match heard {
            Ok(Some(message)) if subscription.is_settled() => {
                // An error means that it never will be; a result that it is over for now.
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

/// What of a server's changes there is to hear of, if anything: its lists, and the documents of its views.
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
    use crate::server::Tool;

    #[test]
    fn what_is_offered_is_subscribed_to() {
        let tool = Tool::of(json!({ "name": "t", "_meta": { "ui": { "resourceUri": "ui://a" } } })).unwrap();
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
