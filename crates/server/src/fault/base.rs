//! Faults of requests, batches, ids and metadata.

use serde_json::{Value, json};

use wire::Kind;

use super::edit::{each, legacy, mentions, modern, only, preceded_by, remove, result_of};
use super::{Effect, Fault, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &STRAY_DEAFENS,
    &RESULT_NULL,
    &REQUEST_ID_NULL,
    &REQUEST_ID_REUSED,
    &NOTIFICATION_WITH_ID,
    &META_KEY_BROKEN,
    &TRACE_BROKEN,
    &RESULT_TYPE_INVENTED,
    &INVALID_ANSWERED,
    &INVALID_WRONG_CODE,
    &INVALID_DEAFENS,
    &ANSWERS_MIXED_UP,
    &ONE_OF_MANY_LOST,
    &BATCH_SERVED,
    &BATCH_EMPTY_IGNORED,
    &ERROR_ID_LOST,
    &ID_ROUNDED,
];

pub const RESULT_NULL: Fault = Fault {
    name: "result-null",
    about: "the result of prompts/list is null",
    effect: Effect::Message(|out, m| result_of(out, "prompts/list", m, |r| *r = Value::Null)),
};

pub const REQUEST_ID_NULL: Fault = Fault {
    name: "request-id-null",
    about: "the server pings with the id null",
    effect: Effect::Message(|out, m| {
        preceded_by(m, legacy(out), json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }))
    }),
};

pub const REQUEST_ID_REUSED: Fault = Fault {
    name: "request-id-reused",
    about: "the server uses the same id for all its pings",
    effect: Effect::Message(|out, m| {
        preceded_by(m, legacy(out), json!({ "jsonrpc": "2.0", "id": "again", "method": "ping" }))
    }),
};

pub const NOTIFICATION_WITH_ID: Fault = Fault {
    name: "notification-with-id",
    about: "notifications have an id",
    effect: Effect::Message(|_, m| {
        each(m, |m| {
            if m.get("method").and_then(Value::as_str).is_some_and(|name| name.starts_with("notifications/"))
            {
                m["id"] = json!("note");
            }
        })
    }),
};

pub const META_KEY_BROKEN: Fault = Fault {
    name: "meta-key-broken",
    about: "tools are listed with a key in _meta that has no proper form",
    effect: Effect::Set(&["tools/list"], &["_meta", "1example.com/-key"], || json!(true)),
};

pub const TRACE_BROKEN: Fault = Fault {
    name: "trace-broken",
    about: "results carry a traceparent that is none",
    effect: Effect::Message(|out, m| {
        let modern = modern(out);
        each(m, |m| {
            if modern && m.get("result").is_some() {
                m["result"]["_meta"]["traceparent"] = json!("yes");
            }
        })
    }),
};

pub const RESULT_TYPE_INVENTED: Fault = Fault {
    name: "result-type-invented",
    about: "complete results call themselves done",
    effect: Effect::Message(|_, m| {
        each(m, |m| {
            if m["result"]["resultType"] == "complete" {
                m["result"]["resultType"] = json!("done");
            }
        })
    }),
};

pub const INVALID_ANSWERED: Fault = Fault {
    name: "invalid-answered",
    about: "a message that is not a valid request gets an empty result",
    effect: Effect::Message(|out, m| {
        // A message without an id has no result, and other faults cover calls.
        let concerns = out.method != Some("tools/call") && !m["id"].is_null();
        each(m, |m| {
            let code = m["error"]["code"].as_i64().filter(|_| concerns);
            if code == Some(-32600) || (code == Some(-32602) && mentions(m, "params must be")) {
                remove(m, "error");
                m["result"] = json!({});
            }
        })
    }),
};

pub const INVALID_WRONG_CODE: Fault = Fault {
    name: "invalid-wrong-code",
    about: "a message that is not a valid request gets -32603",
    effect: Effect::Recode(&[], -32600, -32603),
};

pub const INVALID_DEAFENS: Fault = Fault {
    name: "invalid-deafens",
    about: "after a message that is not a valid request nothing is answered any more",
    effect: Effect::Incoming(|incoming| {
        let frame = incoming.frame;
        let is_improper = !frame.is_2_0() || matches!(frame.kind(), Kind::Invalid(_));
        is_improper.then_some(Reaction::AnswerLast)
    }),
};

pub const ANSWERS_MIXED_UP: Fault = Fault {
    name: "answers-mixed-up",
    about: "prompts/list is answered with the result of tools/list",
    effect: Effect::Several(&[
        Effect::Remove(&["prompts/list"], &["prompts"]),
        Effect::Set(&["prompts/list"], &["tools"], || json!([])),
    ]),
};

pub const ONE_OF_MANY_LOST: Fault = Fault {
    name: "one-of-many-lost",
    about: "prompts/list is never answered",
    effect: Effect::Message(|out, m| match out.method {
        Some("prompts/list") => Vec::new(),
        _ => vec![m],
    }),
};

pub const BATCH_SERVED: Fault = Fault {
    name: "batch-served",
    about: "batches are served in every revision",
    effect: Effect::Batches(true),
};

pub const BATCH_EMPTY_IGNORED: Fault = Fault {
    name: "batch-empty-ignored",
    about: "an empty batch gets no answer",
    effect: Effect::Message(|_, m| only(m, |m| !mentions(m, "a JSON array"))),
};

pub const STRAY_DEAFENS: Fault = Fault {
    name: "stray-deafens",
    about: "nothing is answered any more after progress of an unknown token",
    effect: Effect::Incoming(|incoming| {
        (incoming.method == "notifications/progress").then_some(Reaction::Deafen)
    }),
};

pub const ERROR_ID_LOST: Fault = Fault {
    name: "error-id-lost",
    about: "errors that refuse a call have the id null",
    effect: Effect::Message(|out, m| {
        let concerns = out.method == Some("tools/call") && m.get("error").is_some();
        each(m, |m| {
            if concerns {
                m["id"] = Value::Null;
            }
        })
    }),
};

pub const ID_ROUNDED: Fault = Fault {
    name: "id-rounded",
    about: "integer ids beyond 2^53 come back rounded",
    effect: Effect::Message(|_, m| {
        each(m, |m| {
            if let Some(id) = m["id"].as_i64().filter(|id| id.unsigned_abs() > 1 << 53) {
                m["id"] = (id as f64).into();
            }
        })
    }),
};
