//! All that one run collected about a host, by scene.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::apps::BridgeDirection;
use serde_json::{Value, json};
use wire::recording::{Medium, RecordedSession};
use wire::{Entry, What};

use super::probe::{ProbeCall, ProbeRecord};

/// All that one run collected about a host.
#[derive(Clone, Debug, Default)]
pub struct HostFacts {
    /// What each scene showed; a scene that was not shown is not there.
    pub scenes: BTreeMap<&'static str, SceneFacts>,
    /// What the server of the Views saw in the whole run.
    pub server: ProbeRecord,
    /// What a second server saw, if the host had one.
    pub other: Option<ProbeRecord>,
}

/// What one scene showed.
#[derive(Clone, Debug, Default)]
pub struct SceneFacts {
    /// Why the host could not show it, if it could not.
    pub unshown: Option<ActFailure>,
    /// The arguments that the tool was to be run with, as far as somebody chose them.
    pub arguments: Option<Value>,
    /// The last thing that the View told; null if it told nothing.
    pub told: Value,
    /// The stages that the View reported, in order.
    pub stages: Vec<String>,
    /// The result of each act, by its name; of several of one name, the last.
    pub acts: BTreeMap<&'static str, Result<Value, ActFailure>>,
    /// The calls that reached the server while it was shown.
    pub calls: Vec<ProbeCall>,
    /// How often its document was read while it was shown.
    pub reads: usize,
    /// The paths that were asked for at the declared origin.
    pub declared_hits: Vec<String>,
    /// The paths that were asked for at the undeclared origin.
    pub undeclared_hits: Vec<String>,
    /// How many connections came to the origin that was only hinted at.
    pub hinted: usize,
    /// How many datagrams came to the STUN server.
    pub datagrams: usize,
    /// How often the document was loaded, as far as its loads were reported.
    pub loads: usize,
}

/// Why something was not done with a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActFailure {
    /// This host, or this way to drive it, has no such thing.
    Cannot(String),
    /// It was tried, and went wrong.
    Failed(String),
}

impl HostFacts {
    /// All of it as JSON, for people who want to see for themselves.
    pub fn to_value(&self) -> Value {
        let scene = |(name, facts): (&&'static str, &SceneFacts)| ((*name).to_owned(), facts.to_value());
        let call = |call: &ProbeCall| json!({ "name": call.name, "arguments": call.arguments, "_meta": call.meta, "id": call.id });
        json!({
            "scenes": self.scenes.iter().map(scene).collect::<serde_json::Map<_, _>>(),
            "initialize": self.server.initialize,
            "calls": self.server.calls.iter().map(call).collect::<Vec<_>>(),
            "cancelled": self.server.cancelled,
            "answers": self.server.answers,
        })
    }
}

impl ActFailure {
    /// What stood in the way.
    pub fn why(&self) -> &str {
        match self {
            Self::Cannot(why) | Self::Failed(why) => why,
        }
    }
}

impl SceneFacts {
    fn to_value(&self) -> Value {
        let act = |(name, done): (&&'static str, &Result<Value, ActFailure>)| {
            let done = match done {
                Ok(value) => json!({ "done": value }),
                Err(unable) => json!({ "unable": unable.why() }),
            };
            ((*name).to_owned(), done)
        };
        json!({
            "unshown": self.unshown.as_ref().map(ActFailure::why), "told": self.told, "stages": self.stages,
            "acts": self.acts.iter().map(act).collect::<serde_json::Map<_, _>>(),
            "calls": self.calls.iter().map(|call| &call.name).collect::<Vec<_>>(), "reads": self.reads,
            "declaredHits": self.declared_hits, "undeclaredHits": self.undeclared_hits,
            "hinted": self.hinted, "datagrams": self.datagrams, "loads": self.loads,
        })
    }

    /// Whether the View ran and told all that it had to tell.
    pub fn is_complete(&self) -> bool {
        self.told["done"] == true
    }

    /// A fact that the View found out.
    pub fn fact(&self, name: &str) -> &Value {
        &self.told["facts"][name]
    }

    /// The messages that the host sent to the View, in order.
    pub fn messages_to_view(&self) -> impl Iterator<Item = &Value> {
        self.traffic()
            .filter(|(direction, _)| *direction == BridgeDirection::HostToView)
            .map(|(_, entry)| &entry["message"])
    }

    /// The notifications and requests of that method that the host sent, in order.
    pub fn messages_with_method<'f>(&'f self, method: &'f str) -> impl Iterator<Item = &'f Value> {
        self.messages_to_view().filter(move |message| message["method"] == method)
    }

    fn traffic(&self) -> impl Iterator<Item = (BridgeDirection, &Value)> {
        let entries = self.told["traffic"].as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().filter_map(|entry| match entry["way"].as_str()? {
            "to-view" => Some((BridgeDirection::HostToView, entry)),
            "to-host" => Some((BridgeDirection::ViewToHost, entry)),
            _ => None,
        })
    }

    /// What View and host said to each other, as a recorded session.
    pub fn recorded_session(&self, name: &str) -> RecordedSession {
        let mut session = RecordedSession::new(name, Some(Medium::PostMessage), None);
        for (went, entry) in self.traffic() {
            let (direction, exchange) = went.recorded();
            let at = Duration::from_millis(entry["at"].as_u64().unwrap_or_default());
            let bytes = entry["message"].to_string().into();
            session.transcript.entries.push(Entry { at, direction, what: What::Message, exchange, bytes });
        }
        session
    }
}
