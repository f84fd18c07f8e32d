//! Every request is answered once, by its id.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::BridgeDirection;
use crate::apps::judge::UnansweredRequest;
use crate::apps::message::BridgeMessage;
use crate::apps::rule;

/// The requests of both ends. Each end counts its own ids.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerRules {
    open: HashMap<(BridgeDirection, RequestKey), UnansweredRequest>,
    /// The open requests, oldest first. The flag says whether the receiver has sent anything since.
    order: Vec<(BridgeDirection, RequestKey, bool)>,
    done: HashSet<(BridgeDirection, RequestKey)>,
}

/// An id: `1` and `1.0` are one number to JavaScript, `"1"` is another id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RequestKey {
    Number(String),
    Text(String),
}

impl RequestKey {
    fn from_id(id: &Value) -> Option<Self> {
        match id {
            Value::String(text) => Some(Self::Text(text.clone())),
            other => other.as_f64().map(|number| Self::Number(number.to_string())),
        }
    }
}

impl AnswerRules {
    /// The request that a message answers, if it waits for its answer.
    pub(super) fn answered_request(
        &self,
        direction: BridgeDirection,
        message: &BridgeMessage<'_>,
    ) -> Option<&UnansweredRequest> {
        let (BridgeMessage::Result { id, .. } | BridgeMessage::Error { id: Some(id), .. }) = message else {
            return None;
        };
        self.open.get(&(direction.back(), RequestKey::from_id(id)?))
    }

    /// Judges a message, and returns the request that it answers.
    pub(super) fn judge(
        &mut self,
        direction: BridgeDirection,
        message: &BridgeMessage<'_>,
        found: &mut Vec<Breach>,
    ) -> Option<UnansweredRequest> {
        for (_, _, spoken) in self.order.iter_mut().filter(|(asked, ..)| *asked == direction.back()) {
            *spoken = true;
        }
        match *message {
            BridgeMessage::Request { method, id, params } => {
                let key = RequestKey::from_id(id)?;
                self.judge_request(direction, &key, id, method, found);
                self.order.push((direction, key.clone(), false));
                let pending =
                    UnansweredRequest { direction, method: method.to_owned(), params: params.clone() };
                self.open.insert((direction, key), pending);
                None
            }
            BridgeMessage::Notification { method: "notifications/cancelled", params } => {
                // A cancelled request need not be answered.
                let key = (direction, RequestKey::from_id(&params["requestId"])?);
                if self.open.remove(&key).is_some() {
                    self.done.insert(key);
                }
                None
            }
            BridgeMessage::Result { id, .. } | BridgeMessage::Error { id: Some(id), .. } => {
                self.judge_answer(direction, id, found)
            }
            BridgeMessage::Error { id: None, .. } => {
                let says = "an error without an id answers no request; its message was not understood";
                found.push(rule::ANSWER_KNOWN.broken(direction.from(), says).at_most(Gravity::Note));
                None
            }
            BridgeMessage::Notification { .. } | BridgeMessage::Malformed(_) | BridgeMessage::Foreign => None,
        }
    }

    /// Judges the requests that were not answered.
    pub(super) fn judge_end(&self, found: &mut Vec<Breach>) {
        for (direction, key, spoken) in &self.order {
            let Some(pending) = self.open.get(&(*direction, key.clone())) else { continue };
            let says = format!("{} was not answered", pending.method);
            // Other requests may wait for a person, and the record may end before the answer.
            let prompt = matches!(pending.method.as_str(), "ping" | "ui/initialize") && *spoken;
            let most = if prompt { Gravity::Must } else { Gravity::Note };
            found.push(rule::ANSWERED.broken(direction.to(), says).at_most(most));
        }
    }

    fn judge_request(
        &self,
        direction: BridgeDirection,
        key: &RequestKey,
        id: &Value,
        method: &str,
        found: &mut Vec<Breach>,
    ) {
        let key = (direction, key.clone());
        if self.open.contains_key(&key) || self.done.contains(&key) {
            let says = format!("{method} has the id {id}, which an earlier request had");
            found.push(rule::ID_FRESH.broken(direction.from(), says));
        }
    }

    fn judge_answer(
        &mut self,
        direction: BridgeDirection,
        id: &Value,
        found: &mut Vec<Breach>,
    ) -> Option<UnansweredRequest> {
        let key = (direction.back(), RequestKey::from_id(id)?);
        if let Some(pending) = self.open.remove(&key) {
            self.done.insert(key);
            return Some(pending);
        }
        let by = direction.from();
        found.push(if self.done.contains(&key) {
            rule::ANSWERED_ONCE
                .broken(by, format!("the request with the id {id} was answered before, or called off"))
        } else {
            rule::ANSWER_KNOWN
                .broken(by, format!("there is no request of {} with the id {id}", direction.to()))
        });
        None
    }
}
