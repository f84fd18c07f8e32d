//! Faults of resources, prompts, completion, caching and subscriptions.

use serde_json::{Value, json};

use super::edit::{each, in_error, legacy, mentions, modern, only, preceded_by, remove, result_of, succeed};
use super::{Effect, Fault, path};

pub(super) const FAULTS: &[&Fault] = &[
    &RESOURCE_NOT_FOUND_WRONG_CODE,
    &RESOURCE_NOT_FOUND_EMPTY,
    &CONTENTS_WITHOUT_URI,
    &RESOURCE_UNREADABLE,
    &PROMPT_WITHOUT_MESSAGES,
    &PROMPT_ARGUMENT_OPTIONAL,
    &UNKNOWN_PROMPT_SERVED,
    &COMPLETION_TOO_MANY,
    &LEVEL_UNCHECKED,
    &CACHE_HINTS_MISSING,
    &CACHE_TTL_NEGATIVE,
    &SUBSCRIPTION_UNACKNOWLEDGED,
    &SUBSCRIPTION_UNTAGGED,
    &SUBSCRIPTION_TAG_MISPLACED,
    &CHANGE_UNTOLD,
    &UPDATES_UNASKED,
    &UPDATES_LEAK,
    &LOG_ON_SUBSCRIPTION,
    &PROMPT_NAME_TWICE,
    &RESOURCE_URI_TWICE,
    &COMPLETION_MISCOUNTED,
];

pub const RESOURCE_NOT_FOUND_WRONG_CODE: Fault = Fault {
    name: "resource-not-found-wrong-code",
    about: "a resource that does not exist gets -32603",
    effect: Effect::Message(|out, m| {
        let concerns = out.method == Some("resources/read");
        in_error(m, |m, _| {
            if concerns {
                m["error"]["code"] = (-32603).into();
            }
        })
    }),
};

pub const RESOURCE_NOT_FOUND_EMPTY: Fault = Fault {
    name: "resource-not-found-empty",
    about: "a resource that does not exist has no contents instead of being an error",
    effect: Effect::Message(|out, m| {
        let is_missing = out.method == Some("resources/read") && mentions(&m, "no resource");
        each(m, |m| {
            if is_missing {
                let hints =
                    if modern(out) { json!({ "ttlMs": 0, "cacheScope": "private" }) } else { json!({}) };
                succeed(out, m, hints);
                m["result"]["contents"] = json!([]);
            }
        })
    }),
};

pub const CONTENTS_WITHOUT_URI: Fault = Fault {
    name: "contents-without-uri",
    about: "contents of a resource have no uri",
    effect: Effect::Remove(&["resources/read"], &["contents", "*", "uri"]),
};

pub const RESOURCE_UNREADABLE: Fault = Fault {
    name: "resource-unreadable",
    about: "a resource is listed that cannot be read",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| {
            if let Some(first) = r["resources"].as_array_mut().and_then(|list| list.first_mut()) {
                first["uri"] = json!("yardstick://nowhere");
            }
        })
    }),
};

pub const PROMPT_WITHOUT_MESSAGES: Fault = Fault {
    name: "prompt-without-messages",
    about: "the result of prompts/get has no messages",
    effect: Effect::Remove(&["prompts/get"], &["messages"]),
};

pub const PROMPT_ARGUMENT_OPTIONAL: Fault = Fault {
    name: "prompt-argument-optional",
    about: "a prompt is rendered without its required arguments",
    effect: Effect::Retry(|error, incoming| {
        let message = error["message"].as_str().filter(|_| incoming.method == "prompts/get");
        let missing = message.and_then(|text| text.strip_suffix("` is missing")?.rsplit_once('`'));
        missing
            .inspect(|(_, name)| path::set(&mut incoming.params, &["arguments", name], &json!("")))
            .is_some()
    }),
};

pub const UNKNOWN_PROMPT_SERVED: Fault = Fault {
    name: "unknown-prompt-served",
    about: "a prompt that does not exist gets an empty result",
    effect: Effect::Message(|out, m| {
        let is_unknown = out.method == Some("prompts/get") && mentions(&m, "unknown prompt");
        each(m, |m| {
            if is_unknown {
                succeed(out, m, json!({ "messages": [] }));
            }
        })
    }),
};

pub const COMPLETION_TOO_MANY: Fault = Fault {
    name: "completion-too-many",
    about: "completion answers with more than a hundred values",
    effect: Effect::Set(&["completion/complete"], &["completion"], || {
        let values: Vec<Value> = (0..101).map(|n| json!(format!("value {n}"))).collect();
        json!({ "values": values, "total": 101, "hasMore": false })
    }),
};

pub const LEVEL_UNCHECKED: Fault = Fault {
    name: "level-unchecked",
    about: "a log level that does not exist is accepted",
    effect: Effect::Message(|out, m| {
        in_error(m, |m, _| {
            if out.method == Some("logging/setLevel") && out.params["level"].is_string() {
                succeed(out, m, json!({}));
            }
        })
    }),
};

pub const CACHE_HINTS_MISSING: Fault = Fault {
    name: "cache-hints-missing",
    about: "lists carry no ttlMs",
    effect: Effect::Remove(&["tools/list"], &["ttlMs"]),
};

pub const CACHE_TTL_NEGATIVE: Fault = Fault {
    name: "cache-ttl-negative",
    about: "lists carry a negative ttlMs",
    effect: Effect::Replace(&["tools/list"], &["ttlMs"], || (-1).into()),
};

pub const SUBSCRIPTION_UNACKNOWLEDGED: Fault = Fault {
    name: "subscription-unacknowledged",
    about: "subscriptions/listen is not acknowledged",
    effect: Effect::Message(|_, m| {
        only(m, |m| m.get("method").is_none_or(|method| method != "notifications/subscriptions/acknowledged"))
    }),
};

pub const SUBSCRIPTION_UNTAGGED: Fault = Fault {
    name: "subscription-untagged",
    about: "notifications of a subscription do not carry its id",
    effect: Effect::Message(|out, mut m| {
        if out.method == Some("subscriptions/listen") && m.get("method").is_some() {
            remove(&mut m["params"], "_meta");
        }
        vec![m]
    }),
};

pub const SUBSCRIPTION_TAG_MISPLACED: Fault = Fault {
    name: "subscription-tag-misplaced",
    about: "the id of a subscription stands in a `_meta` beside the params of what is told on it",
    effect: Effect::Message(|out, mut m| {
        let is_acknowledgement = m["method"] == "notifications/subscriptions/acknowledged";
        if out.method == Some("subscriptions/listen") && m.get("method").is_some() && !is_acknowledgement {
            m["_meta"] = m["params"]["_meta"].take();
            remove(&mut m["params"], "_meta");
        }
        vec![m]
    }),
};

pub const UPDATES_UNASKED: Fault = Fault {
    name: "updates-unasked",
    about: "updates of a resource are sent to clients that did not subscribe",
    effect: Effect::Message(|out, m| {
        let concerns = legacy(out) && out.method == Some("resources/list");
        let params = json!({ "uri": "test://static-text" });
        preceded_by(
            m,
            concerns,
            json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params }),
        )
    }),
};

pub const UPDATES_LEAK: Fault = Fault {
    name: "updates-leak",
    about: "what one session subscribes to is told to every session",
    effect: Effect::Incoming(|incoming| {
        if incoming.method == "resources/subscribe" {
            incoming.memory.note(incoming.params["uri"].as_str()?);
        }
        for uri in incoming.memory.notes() {
            // A session that has no room for it is told of nothing.
            let _ = incoming.connection.peer.subscribe(&uri);
        }
        None
    }),
};

pub const CHANGE_UNTOLD: Fault = Fault {
    name: "change-untold",
    about: "a changed list of prompts is not told on subscriptions",
    effect: Effect::Message(|_, message| {
        let told = message["method"] == "notifications/prompts/list_changed";
        if told { Vec::new() } else { vec![message] }
    }),
};

pub const LOG_ON_SUBSCRIPTION: Fault = Fault {
    name: "log-on-subscription",
    about: "a subscription brings log messages",
    effect: Effect::Message(|_, m| {
        if m["method"] != "notifications/subscriptions/acknowledged" {
            return vec![m];
        }
        let params = json!({ "_meta": m["params"]["_meta"], "level": "info", "data": "subscribed" });
        let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
        vec![m, log]
    }),
};

pub const PROMPT_NAME_TWICE: Fault = Fault {
    name: "prompt-name-twice",
    about: "a prompt is listed twice",
    effect: Effect::Message(|out, m| result_of(out, "prompts/list", m, |r| repeat_first(r, "prompts"))),
};

pub const RESOURCE_URI_TWICE: Fault = Fault {
    name: "resource-uri-twice",
    about: "a resource is listed twice",
    effect: Effect::Message(|out, m| result_of(out, "resources/list", m, |r| repeat_first(r, "resources"))),
};

pub const COMPLETION_MISCOUNTED: Fault = Fault {
    name: "completion-miscounted",
    about: "completion says that there are more values, and a total that is less than those there are",
    effect: Effect::Message(|out, m| {
        result_of(out, "completion/complete", m, |r| {
            let values = r["completion"]["values"].as_array().map_or(0, Vec::len);
            r["completion"]["total"] = values.saturating_sub(1).into();
            r["completion"]["hasMore"] = true.into();
        })
    }),
};

/// Lists the first item of a page once more.
fn repeat_first(result: &mut Value, list: &str) {
    if let Some(items) = result[list].as_array_mut() {
        items.extend(items.first().cloned());
    }
}
