//! Faults of what the server asks of the client, and of logging and completion.

use std::time::Duration;

use protocol::code;
use protocol::meta::{LOG_LEVEL, LogLevel, SERVER_INFO};
use serde_json::{Value, json};

use super::edit::{each, in_error, notification, only, remove, without_data};
use super::{Effect, Ending, Fault, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &ELICIT_URL_BROKEN,
    &ELICIT_URL_PLAIN,
    &ELICIT_PASSWORD,
    &ELICIT_FORM_LINK,
    &ELICIT_DEFAULT_WRONG,
    &ELICIT_DECLINE_UNANSWERED,
    &URL_REQUIRED_WITHOUT_LIST,
    &COMPLETE_UNKNOWN,
    &SAMPLING_RESULTS_MIXED,
    &SAMPLING_RESULT_MISSING,
    &SAMPLING_CONTEXT,
    &LEVEL_REFUSED,
    &META_LEVEL_UNCHECKED,
    &META_LEVEL_REMEMBERED,
    &LOG_AFTER_RESPONSE,
    &COMPLETION_UNKNOWN_SERVED,
    &ROOTS_CHANGE_DEAFENS,
];

pub const ROOTS_CHANGE_DEAFENS: Fault = Fault {
    name: "roots-change-deafens",
    about: "after notifications/roots/list_changed nothing is answered any more",
    effect: Effect::Incoming(|incoming| {
        (incoming.method == "notifications/roots/list_changed").then_some(Reaction::Deafen)
    }),
};

pub const ELICIT_URL_BROKEN: Fault = Fault {
    name: "elicit-url-broken",
    about: "the user is sent to a URL that is none",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "elicitation/create", |params| {
            if params.get("url").is_some() {
                params["url"] = json!("the page on our site");
            }
        })
    }),
};

pub const ELICIT_URL_PLAIN: Fault = Fault {
    name: "elicit-url-plain",
    about: "the user is sent to a URL without TLS",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "elicitation/create", |params| {
            if params.get("url").is_some() {
                params["url"] = json!("http://yardstick.example/consent");
            }
        })
    }),
};

pub const ELICIT_PASSWORD: Fault = Fault {
    name: "elicit-password",
    about: "forms ask for a password",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "elicitation/create", |params| {
            if params.get("requestedSchema").is_some() {
                params["requestedSchema"]["properties"]["password"] = json!({ "type": "string" });
            }
        })
    }),
};

pub const ELICIT_FORM_LINK: Fault = Fault {
    name: "elicit-form-link",
    about: "forms tell the user to click on a link",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "elicitation/create", |params| {
            if params.get("requestedSchema").is_some() {
                params["message"] = json!("Log in at https://yardstick.example/login first.");
            }
        })
    }),
};

pub const ELICIT_DEFAULT_WRONG: Fault = Fault {
    name: "elicit-default-wrong",
    about: "a choice in forms has a default that is none of its values",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "elicitation/create", |params| {
            if params.get("requestedSchema").is_some() {
                params["requestedSchema"]["properties"]["pick"] =
                    json!({ "type": "string", "enum": ["a", "b"], "default": "c" });
            }
        })
    }),
};

pub const ELICIT_DECLINE_UNANSWERED: Fault = Fault {
    name: "elicit-decline-unanswered",
    about: "a call is never answered once the user has declined",
    effect: Effect::Message(|out, m| {
        let concerns = out.method == Some("tools/call");
        only(m, |m| !(concerns && m["result"]["content"].to_string().contains("decline")))
    }),
};

pub const URL_REQUIRED_WITHOUT_LIST: Fault = Fault {
    name: "url-required-without-list",
    about: "error -32042 has no list of elicitations",
    effect: Effect::Message(|_, m| without_data(m, -32042)),
};

pub const COMPLETE_UNKNOWN: Fault = Fault {
    name: "complete-unknown",
    about: "an elicitation is said to be complete that was never asked for",
    effect: Effect::Message(|_, m| {
        notification(m, "notifications/elicitation/complete", |m| {
            m["params"]["elicitationId"] = json!("never asked for");
        })
    }),
};

pub const SAMPLING_RESULTS_MIXED: Fault = Fault {
    name: "sampling-results-mixed",
    about: "a message to the model mixes results of tools with text",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "sampling/createMessage", |params| {
            each_result(params, |blocks| blocks.push(json!({ "type": "text", "text": "There you are." })));
        })
    }),
};

pub const SAMPLING_RESULT_MISSING: Fault = Fault {
    name: "sampling-result-missing",
    about: "not every use of a tool gets a result",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "sampling/createMessage", |params| {
            each_result(params, |blocks| {
                for block in blocks {
                    block["toolUseId"] = json!("another one");
                }
            });
        })
    }),
};

pub const SAMPLING_CONTEXT: Fault = Fault {
    name: "sampling-context",
    about: "the client's context is asked for whether or not it offers it",
    effect: Effect::Message(|_, m| {
        edit_questions(m, "sampling/createMessage", |params| params["includeContext"] = json!("allServers"))
    }),
};

pub const LEVEL_REFUSED: Fault = Fault {
    name: "level-refused",
    about: "logging/setLevel is refused although logging is declared",
    effect: Effect::Fail("logging/setLevel", code::INTERNAL_ERROR),
};

pub const META_LEVEL_UNCHECKED: Fault = Fault {
    name: "meta-level-unchecked",
    about: "a log level in _meta that does not exist is ignored",
    effect: Effect::Incoming(|incoming| {
        let level = incoming.params["_meta"][LOG_LEVEL].as_str().unwrap_or_default();
        if level.parse::<LogLevel>().is_err() {
            incoming.remove_meta(LOG_LEVEL);
        }
        None
    }),
};

pub const META_LEVEL_REMEMBERED: Fault = Fault {
    name: "meta-level-remembered",
    about: "the log level of a request holds for those that follow on its connection",
    effect: Effect::Incoming(|incoming| {
        let memory = incoming.connection.memory.clone();
        incoming.set_meta(LOG_LEVEL, |level| match level {
            // An unknown level is still refused.
            Some(level) => {
                let known = level.as_str().filter(|level| level.parse::<LogLevel>().is_ok())?;
                memory.note(&format!("level {known}"));
                None
            }
            None => {
                let notes = memory.notes();
                Some(json!(notes.iter().find_map(|note| note.strip_prefix("level "))?))
            }
        });
        None
    }),
};

pub const LOG_AFTER_RESPONSE: Fault = Fault {
    name: "log-after-response",
    about: "a request that set a log level gets one more log message after its response",
    effect: Effect::End(|out, is_answered| {
        out.params.get("_meta")?.get(LOG_LEVEL)?;
        let params = json!({ "level": LogLevel::Emergency.as_str(), "data": "one more thing" });
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
        is_answered.then_some(Ending { after: Duration::ZERO, message })
    }),
};

pub const COMPLETION_UNKNOWN_SERVED: Fault = Fault {
    name: "completion-unknown-served",
    about: "completions of what does not exist are made up",
    effect: Effect::Message(|out, m| {
        let concerns = out.method == Some("completion/complete");
        in_error(m, |m, _| {
            if concerns {
                remove(m, "error");
                let info = json!({ SERVER_INFO: { "name": "made-up", "version": "1" } });
                m["result"] = json!({
                    "resultType": "complete",
                    "completion": { "values": ["made up"] },
                    "_meta": info,
                });
            }
        })
    }),
};

/// Edits the params of what the client is asked, as a request or in an interim result.
fn edit_questions(message: Value, method: &str, change: impl Fn(&mut Value)) -> Vec<Value> {
    each(message, |m| {
        if m.get("method").is_some_and(|name| name == method) {
            change(&mut m["params"]);
        }
        let inputs =
            m.get_mut("result").and_then(|r| r.get_mut("inputRequests")).and_then(Value::as_object_mut);
        for (_, input) in inputs.into_iter().flatten() {
            if input["method"] == method {
                change(&mut input["params"]);
            }
        }
    })
}

/// Edits the blocks of every message that has results of tools.
fn each_result(params: &mut Value, change: impl Fn(&mut Vec<Value>)) {
    for message in params["messages"].as_array_mut().into_iter().flatten() {
        if let Some(blocks) = message["content"].as_array_mut()
            && blocks.iter().any(|block| block["type"] == "tool_result")
        {
            change(blocks);
        }
    }
}
