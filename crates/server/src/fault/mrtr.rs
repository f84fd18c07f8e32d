//! Faults of input asked for by an interim result, and of subscriptions (2026-07-28).

use serde_json::{Value, json};

use super::edit::{each, modern, notification, preceded_by, remove, result_of};
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &INPUT_OF_NOTHING,
    &INPUT_FOR_LIST,
    &INPUT_OF_OTHER_KIND,
    &MODERN_SERVER_ASKS,
    &ANSWERS_IGNORED,
    &MISSING_ANSWER_REFUSED,
    &EXTRA_ANSWER_REFUSED,
    &ANSWERS_UNCHECKED,
    &STATE_UNVERIFIED,
    &STATE_UNBOUND,
    &FILTER_IGNORED,
    &ACKNOWLEDGES_TOO_MUCH,
    &SENDS_UNACKNOWLEDGED,
    &TELLS_AFTER_END,
];

fn interim(message: Value, change: impl FnOnce(&mut Value)) -> Vec<Value> {
    each(message, |m| {
        if m["result"]["resultType"] == "input_required" {
            change(&mut m["result"]);
        }
    })
}

/// Input is required, and nobody knows which.
pub const INPUT_OF_NOTHING: Fault = Fault {
    name: "input-of-nothing",
    about: "results that ask for input have neither inputRequests nor requestState",
    effect: Effect::Message(|_, m| {
        interim(m, |r| {
            remove(r, "inputRequests");
            remove(r, "requestState");
        })
    }),
};

/// A list that asks back.
pub const INPUT_FOR_LIST: Fault = Fault {
    name: "input-for-list",
    about: "prompts/list asks for input",
    effect: Effect::Message(|out, m| {
        let modern = modern(out);
        result_of(out, "prompts/list", m, |r| {
            if modern {
                r["resultType"] = json!("input_required");
                r["requestState"] = json!("s");
            }
        })
    }),
};

/// Something that no client can be asked for.
pub const INPUT_OF_OTHER_KIND: Fault = Fault {
    name: "input-of-other-kind",
    about: "input requests call a tool of the client",
    effect: Effect::Message(|_, m| {
        interim(m, |r| {
            r["inputRequests"]["other"] = json!({ "method": "tools/call", "params": { "name": "x" } });
        })
    }),
};

/// A request where there are none.
pub const MODERN_SERVER_ASKS: Fault = Fault {
    name: "modern-server-asks",
    about: "the server sends requests to clients of 2026-07-28",
    effect: Effect::Message(|out, m| {
        let ask = json!({ "jsonrpc": "2.0", "id": "mine", "method": "roots/list", "params": {} });
        preceded_by(m, modern(out), ask)
    }),
};

/// Answers are not looked at.
pub const ANSWERS_IGNORED: Fault = Fault {
    name: "answers-ignored",
    about: "inputResponses are not looked at, so that the same is asked for ever",
    effect: Effect::Switch,
};

/// A retry without answers is an error.
pub const MISSING_ANSWER_REFUSED: Fault = Fault {
    name: "missing-answer-refused",
    about: "a retry that lacks an answer is an error",
    effect: Effect::Switch,
};

/// A retry with more than was asked is an error.
pub const EXTRA_ANSWER_REFUSED: Fault = Fault {
    name: "extra-answer-refused",
    about: "a retry with an answer that was not asked for is an error",
    effect: Effect::Switch,
};

/// Anything will do for answers.
pub const ANSWERS_UNCHECKED: Fault = Fault {
    name: "answers-unchecked",
    about: "inputResponses that are no object are taken for none",
    effect: Effect::Switch,
};

/// State is believed.
pub const STATE_UNVERIFIED: Fault = Fault {
    name: "state-unverified",
    about: "requestState that was changed on its way is accepted",
    effect: Effect::Switch,
};

/// State is good for anything.
pub const STATE_UNBOUND: Fault = Fault {
    name: "state-unbound",
    about: "requestState of one request is accepted in another",
    effect: Effect::Switch,
};

/// Everybody is told everything.
pub const FILTER_IGNORED: Fault = Fault {
    name: "filter-ignored",
    about: "subscriptions get every notification, whatever they asked for",
    effect: Effect::Switch,
};

/// More is promised than was asked for.
pub const ACKNOWLEDGES_TOO_MUCH: Fault = Fault {
    name: "acknowledges-too-much",
    about: "subscriptions are acknowledged for more than they asked for",
    effect: Effect::Message(|_, m| {
        notification(m, "notifications/subscriptions/acknowledged", |m| {
            m["params"]["notifications"]["resourcesListChanged"] = json!(true);
        })
    }),
};

/// What was turned down comes all the same.
pub const SENDS_UNACKNOWLEDGED: Fault = Fault {
    name: "sends-unacknowledged",
    about: "changes of the tools are not acknowledged, and are told nevertheless",
    effect: Effect::Message(|_, mut m| {
        let asked = m["params"]["notifications"]["toolsListChanged"] == true;
        if !is_acknowledgment(&m) || !asked {
            return vec![m];
        }
        remove(&mut m["params"]["notifications"], "toolsListChanged");
        let event = change_of_tools(&m);
        vec![m, event]
    }),
};

/// A subscription that does not know that it is over.
pub const TELLS_AFTER_END: Fault = Fault {
    name: "tells-after-end",
    about: "a subscription to changes of the tools is ended at once, and tells of one after that",
    effect: Effect::Message(|_, m| {
        let asked = m["params"]["notifications"]["toolsListChanged"] == true;
        if !is_acknowledgment(&m) || !asked {
            return vec![m];
        }
        let mut meta = m["params"]["_meta"].clone();
        let id = meta[protocol::meta::SUBSCRIPTION_ID].clone();
        meta[protocol::meta::SERVER_INFO] = json!({ "name": "yardstick", "version": "1" });
        let end =
            json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "complete", "_meta": meta } });
        let event = change_of_tools(&m);
        vec![m, end, event]
    }),
};

fn is_acknowledgment(message: &Value) -> bool {
    message["method"] == "notifications/subscriptions/acknowledged"
}

/// A change of the tools, on the subscription that `acknowledgment` is about.
fn change_of_tools(acknowledgment: &Value) -> Value {
    let params = json!({ "_meta": acknowledgment["params"]["_meta"] });
    json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": params })
}
