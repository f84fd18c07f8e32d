//! Faults of input asked for by an interim result, and of subscriptions (2026-07-28).

use serde_json::{Value, json};

use super::edit::{ahead, each, modern, notification, remove, result_of};
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
        ahead(m, modern(out), ask)
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
