//! Faults of interim results that ask for input, and of subscriptions (2026-07-28).

use protocol::code;
use serde_json::{Value, json};

use super::edit::{each, modern, notification, preceded_by, remove, result_of};
use super::{Effect, Fault, Incoming, Outgoing, Reaction, path};

/// The lists whose changes can be subscribed to.
const LISTS: [&str; 3] = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
/// The notifications of their changes.
const CHANGES: [&str; 3] = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
];

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
    &FILTER_SHARED,
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

pub const INPUT_OF_OTHER_KIND: Fault = Fault {
    name: "input-of-other-kind",
    about: "input requests call a tool of the client",
    effect: Effect::Message(|_, m| {
        interim(m, |r| {
            r["inputRequests"]["other"] = json!({ "method": "tools/call", "params": { "name": "x" } });
        })
    }),
};

pub const MODERN_SERVER_ASKS: Fault = Fault {
    name: "modern-server-asks",
    about: "the server sends requests to clients of 2026-07-28",
    effect: Effect::Message(|out, m| {
        let ask = json!({ "jsonrpc": "2.0", "id": "mine", "method": "roots/list", "params": {} });
        preceded_by(m, modern(out), ask)
    }),
};

pub const ANSWERS_IGNORED: Fault = Fault {
    name: "answers-ignored",
    about: "inputResponses are not looked at, so that the same is asked for ever",
    effect: Effect::Incoming(|incoming| {
        if incoming.method != "tasks/update" {
            path::remove(&mut incoming.params, &["inputResponses"]);
        }
        None
    }),
};

pub const MISSING_ANSWER_REFUSED: Fault = Fault {
    name: "missing-answer-refused",
    about: "a retry that lacks an answer is an error",
    effect: Effect::Message(|out, m| {
        let is_retry = out.params.get("requestState").is_some();
        each(m, |m| {
            if is_retry && m["result"]["resultType"] == "input_required" {
                refuse(m, "an answer is missing");
            }
        })
    }),
};

pub const EXTRA_ANSWER_REFUSED: Fault = Fault {
    name: "extra-answer-refused",
    about: "a retry with an answer that was not asked for is an error",
    effect: Effect::Several(&[
        Effect::Incoming(|incoming| {
            let state = incoming.params.get("requestState")?.as_str()?;
            let mut answers = incoming.params.get("inputResponses")?.as_object()?.keys();
            let extra = answers.find(|key| !incoming.memory.has(&asked_for(state, key)))?;
            Some(Reaction::Refuse(code::INVALID_PARAMS, format!("nobody asked for {extra}")))
        }),
        Effect::Message(|out, m| each(m, |m| note_questions(out, m))),
    ]),
};

pub const ANSWERS_UNCHECKED: Fault = Fault {
    name: "answers-unchecked",
    about: "inputResponses that are not an object are ignored",
    effect: Effect::Incoming(|incoming| {
        if incoming.method != "tasks/update" && !incoming.params["inputResponses"].is_object() {
            path::remove(&mut incoming.params, &["inputResponses"]);
        }
        None
    }),
};

pub const STATE_UNVERIFIED: Fault = Fault {
    name: "state-unverified",
    about: "requestState that was changed on its way is accepted",
    effect: Effect::Retry(|error, incoming| is_invalid(error) && without_state(incoming)),
};

pub const STATE_UNBOUND: Fault = Fault {
    name: "state-unbound",
    about: "requestState of one request is accepted in another",
    effect: Effect::Several(&[
        Effect::Message(|out, m| {
            if let Some(state) = m["result"]["requestState"].as_str() {
                out.memory.note(state);
            }
            vec![m]
        }),
        Effect::Retry(|error, incoming| {
            let is_ours =
                incoming.params["requestState"].as_str().is_some_and(|state| incoming.memory.has(state));
            is_invalid(error) && is_ours && without_state(incoming)
        }),
    ]),
};

pub const FILTER_IGNORED: Fault = Fault {
    name: "filter-ignored",
    about: "subscriptions get every notification, whatever they asked for",
    effect: Effect::Several(&[
        Effect::Incoming(|incoming| {
            ask_for_all_lists(incoming);
            None
        }),
        Effect::Message(acknowledge_what_was_asked_for),
    ]),
};

pub const FILTER_SHARED: Fault = Fault {
    name: "filter-shared",
    about: "a subscription gets what any other open one asked for",
    effect: Effect::Several(&[
        Effect::Incoming(|incoming| {
            let ended = incoming.params["requestId"].to_string();
            for list in LISTS {
                if incoming.method == "notifications/cancelled" {
                    incoming.memory.forget(&format!("{list} {ended}"));
                } else if incoming.params["notifications"][list] == true {
                    incoming.memory.note(&format!("{list} {}", incoming.frame.id?.get()));
                }
            }
            ask_for_all_lists(incoming);
            None
        }),
        Effect::Message(acknowledge_what_was_asked_for),
        Effect::Message(|out, m| {
            let concerns = |(_, change): &(&str, &str)| m["method"] == *change;
            let Some((list, _)) = LISTS.into_iter().zip(CHANGES).find(concerns) else { return vec![m] };
            let is_open = out.memory.notes().iter().any(|note| note.starts_with(list));
            if is_open || !modern(out) { vec![m] } else { Vec::new() }
        }),
    ]),
};

/// Makes a subscription ask for the changes of every list.
fn ask_for_all_lists(incoming: &mut Incoming<'_>) {
    if incoming.method == "subscriptions/listen" && incoming.params["notifications"].is_object() {
        LISTS.iter().for_each(|list| incoming.params["notifications"][*list] = json!(true));
    }
}

/// Leaves out of an acknowledgement what the client did not ask for.
fn acknowledge_what_was_asked_for(out: &Outgoing<'_>, message: Value) -> Vec<Value> {
    notification(message, "notifications/subscriptions/acknowledged", |m| {
        for list in LISTS.iter().filter(|list| out.params["notifications"][**list] != true) {
            remove(&mut m["params"]["notifications"], list);
        }
    })
}

pub const ACKNOWLEDGES_TOO_MUCH: Fault = Fault {
    name: "acknowledges-too-much",
    about: "subscriptions are acknowledged for more than they asked for",
    effect: Effect::Message(|_, m| {
        notification(m, "notifications/subscriptions/acknowledged", |m| {
            m["params"]["notifications"]["resourcesListChanged"] = json!(true);
        })
    }),
};

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

/// A change of the tools, on the subscription of `acknowledgment`.
fn change_of_tools(acknowledgment: &Value) -> Value {
    let params = json!({ "_meta": acknowledgment["params"]["_meta"] });
    json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": params })
}

fn is_invalid(error: &Value) -> bool {
    error["code"] == code::INVALID_PARAMS
}

/// Removes `requestState` from a request; false when there is none.
fn without_state(incoming: &mut Incoming<'_>) -> bool {
    incoming.params.as_object_mut().is_some_and(|params| params.shift_remove("requestState").is_some())
}

/// Turns a response into an error.
fn refuse(message: &mut Value, why: &str) {
    remove(message, "result");
    message["error"] = json!({ "code": code::INVALID_PARAMS, "message": why });
}

/// The note that the result with this state asks for `key`.
fn asked_for(state: &str, key: &str) -> String {
    format!("{state} {key}")
}

/// Notes what an interim result asks for. If it asks for something else than the previous one, answers to that one are
/// left over, and it becomes an error.
fn note_questions(out: &Outgoing<'_>, message: &mut Value) {
    let Some(asked) = message["result"]["inputRequests"].as_object() else { return };
    let keys: Vec<String> = asked.keys().cloned().collect();
    let state = message["result"]["requestState"].as_str().unwrap_or_default();
    if let Some(before) = out.params["requestState"].as_str() {
        if keys.iter().any(|key| !out.memory.has(&asked_for(before, key))) {
            return refuse(message, "an answer is left over");
        }
        let notes = out.memory.notes();
        for key in notes.iter().filter_map(|note| note.strip_prefix(before)) {
            out.memory.note(&format!("{state}{key}"));
        }
    }
    for key in keys {
        out.memory.note(&asked_for(state, &key));
    }
}
