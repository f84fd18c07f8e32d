//! Faults of calls and of what they return.

use protocol::code;
use serde_json::{Value, json};

use super::edit::{in_error, remove, result_of, succeed};
use super::{Effect, Fault, Outgoing, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &FAILURE_UNMARKED,
    &CALLS_REFUSED,
    &PROMPTS_REFUSED,
    &COMPLETIONS_REFUSED,
    &CALL_MEDIA_NOT_BASE64,
    &PROMPT_MEDIA_TYPE,
    &EMBEDDED_WITHOUT_TYPE,
    &NAMELESS_CALL_SUCCEEDS,
    &ARGUMENTS_INSISTED_ON,
];

pub const NAMELESS_CALL_SUCCEEDS: Fault = Fault {
    name: "nameless-call-succeeds",
    about: "a call that names no tool succeeds",
    effect: Effect::Message(|out, m| {
        in_error(m, |m, code| {
            if out.method == Some("tools/call") && code == -32602 && !out.params["name"].is_string() {
                succeed(out, m, success());
            }
        })
    }),
};

pub const ARGUMENTS_INSISTED_ON: Fault = Fault {
    name: "arguments-insisted-on",
    about: "a call without arguments is refused, also where a tool requires none",
    effect: Effect::Incoming(|incoming| {
        let insists = incoming.method == "tools/call" && incoming.params.get("arguments").is_none();
        insists.then(|| Reaction::Refuse(-32602, "arguments are missing".to_owned()))
    }),
};

pub const CALLS_REFUSED: Fault = Fault {
    name: "calls-refused",
    about: "every call of a tool is refused",
    effect: Effect::Fail("tools/call", code::INTERNAL_ERROR),
};

pub const PROMPTS_REFUSED: Fault = Fault {
    name: "prompts-refused",
    about: "every prompt is refused",
    effect: Effect::Fail("prompts/get", code::INTERNAL_ERROR),
};

pub const COMPLETIONS_REFUSED: Fault = Fault {
    name: "completions-refused",
    about: "every completion is refused although completions are declared",
    effect: Effect::Fail("completion/complete", code::INTERNAL_ERROR),
};

pub const FAILURE_UNMARKED: Fault = Fault {
    name: "failure-unmarked",
    about: "a tool that fails does not set isError",
    effect: Effect::Remove(&["tools/call"], &["isError"]),
};

pub const CALL_MEDIA_NOT_BASE64: Fault = Fault {
    name: "call-media-not-base64",
    about: "pictures and sounds in the results of tools are not base64",
    effect: Effect::Message(|out, m| {
        each_block(out, m, "tools/call", |block| {
            if block.get("data").is_some() {
                block["data"] = json!("these are no bytes!");
            }
        })
    }),
};

pub const PROMPT_MEDIA_TYPE: Fault = Fault {
    name: "prompt-media-type",
    about: "pictures in prompts have a media type that is none",
    effect: Effect::Message(|out, m| {
        each_block(out, m, "prompts/get", |block| {
            if block.get("data").is_some() {
                block["mimeType"] = json!("picture");
            }
        })
    }),
};

pub const EMBEDDED_WITHOUT_TYPE: Fault = Fault {
    name: "embedded-without-type",
    about: "resources in prompts have no mimeType",
    effect: Effect::Message(|out, m| {
        each_block(out, m, "prompts/get", |block| {
            if block.get("resource").is_some() {
                remove(&mut block["resource"], "mimeType");
            }
        })
    }),
};

/// Edits every content block of the results of `method`.
fn each_block(out: &Outgoing<'_>, message: Value, method: &str, change: impl Fn(&mut Value)) -> Vec<Value> {
    result_of(out, method, message, |r| {
        if let Some(blocks) = r["content"].as_array_mut() {
            blocks.iter_mut().for_each(&change);
        }
        for message in r["messages"].as_array_mut().into_iter().flatten() {
            change(&mut message["content"]);
        }
    })
}

/// The result of a tool that has done what it should.
pub(super) fn success() -> Value {
    json!({ "content": [{ "type": "text", "text": "ok" }] })
}
