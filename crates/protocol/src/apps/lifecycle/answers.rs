//! Every request is answered once, by its id.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::apps::breach::{Breach, Gravity};
use crate::apps::judge::Pending;
use crate::apps::message::Message;
use crate::apps::rule;
use crate::apps::way::Way;

/// The requests of both ends. Each end counts its own ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    open: HashMap<(Way, Key), Pending>,
    /// The open requests, oldest first, with whether their answerer has spoken since.
    order: Vec<(Way, Key, bool)>,
    done: HashSet<(Way, Key)>,
}

/// An id: `1` and `1.0` are one number to JavaScript, `"1"` is another id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Number(String),
    Text(String),
}

impl Key {
    fn of(id: &Value) -> Option<Self> {
        match id {
            Value::String(text) => Some(Self::Text(text.clone())),
            other => other.as_f64().map(|number| Self::Number(number.to_string())),
        }
    }
}

impl Answers {
    /// The request that a message answers, if it waits for its answer.
    pub(super) fn about(&self, way: Way, message: &Message<'_>) -> Option<&Pending> {
        let (Message::Result { id, .. } | Message::Error { id: Some(id), .. }) = message else { return None };
        self.open.get(&(way.back(), Key::of(id)?))
    }

    /// Takes down a message, and gives back the request that it answers.
    pub(super) fn heard(
        &mut self,
        way: Way,
        message: &Message<'_>,
        found: &mut Vec<Breach>,
    ) -> Option<Pending> {
        for (_, _, spoken) in self.order.iter_mut().filter(|(asked, ..)| *asked == way.back()) {
            *spoken = true;
        }
        match *message {
            Message::Request { method, id, params } => {
                let key = Key::of(id)?;
                self.asked(way, &key, id, method, found);
                self.order.push((way, key.clone(), false));
                let pending = Pending { way, method: method.to_owned(), params: params.clone() };
                self.open.insert((way, key), pending);
                None
            }
            Message::Notification { method: "notifications/cancelled", params } => {
                // What was called off need not be answered.
                let key = (way, Key::of(&params["requestId"])?);
                if self.open.remove(&key).is_some() {
                    self.done.insert(key);
                }
                None
            }
            Message::Result { id, .. } | Message::Error { id: Some(id), .. } => self.answered(way, id, found),
            Message::Error { id: None, .. } => {
                let says = "an error without an id answers no request; its message was not understood";
                found.push(rule::ANSWER_KNOWN.broken(way.from(), says).at_most(Gravity::Note));
                None
            }
            Message::Notification { .. } | Message::Malformed(_) | Message::Foreign => None,
        }
    }

    /// Which requests were left without an answer.
    pub(super) fn ended(&self, found: &mut Vec<Breach>) {
        for (way, key, spoken) in &self.order {
            let Some(pending) = self.open.get(&(*way, key.clone())) else { continue };
            let says = format!("{} was not answered", pending.method);
            // People may still think about the rest, and the record may end before they are done.
            let prompt = matches!(pending.method.as_str(), "ping" | "ui/initialize") && *spoken;
            let most = if prompt { Gravity::Must } else { Gravity::Note };
            found.push(rule::ANSWERED.broken(way.to(), says).at_most(most));
        }
    }

    fn asked(&self, way: Way, key: &Key, id: &Value, method: &str, found: &mut Vec<Breach>) {
        let key = (way, key.clone());
        if self.open.contains_key(&key) || self.done.contains(&key) {
            let says = format!("{method} has the id {id}, which an earlier request had");
            found.push(rule::ID_FRESH.broken(way.from(), says));
        }
    }

    fn answered(&mut self, way: Way, id: &Value, found: &mut Vec<Breach>) -> Option<Pending> {
        let key = (way.back(), Key::of(id)?);
        if let Some(pending) = self.open.remove(&key) {
            self.done.insert(key);
            return Some(pending);
        }
        let by = way.from();
        found.push(if self.done.contains(&key) {
            rule::ANSWERED_ONCE
                .broken(by, format!("the request with the id {id} was answered before, or called off"))
        } else {
            rule::ANSWER_KNOWN.broken(by, format!("there is no request of {} with the id {id}", way.to()))
        });
        None
    }
}
