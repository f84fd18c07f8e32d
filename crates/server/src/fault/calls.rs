//! Faults of calls and of what they return.

use serde_json::{Value, json};

use super::edit::{remove, result_of};
use super::lists::refused;
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

/// A tool that nobody named.
pub const NAMELESS_CALL_SUCCEEDS: Fault = Fault {
    name: "nameless-call-succeeds",
    about: "a call that names no tool succeeds",
    effect: Effect::Switch,
};

/// A call that leaves out what it need not say.
pub const ARGUMENTS_INSISTED_ON: Fault = Fault {
    name: "arguments-insisted-on",
    about: "a call without arguments is refused, also where a tool requires none",
    effect: Effect::Incoming(|incoming| {
        let given = incoming.frame.params.is_some_and(|params| params.get().contains("\"arguments\""));
        let insists = incoming.frame.method().as_deref() == Some("tools/call") && !given;
        insists.then_some(Reaction::Refuse(-32602, "arguments are missing"))
    }),
};

/// Tools that cannot be called.
pub const CALLS_REFUSED: Fault = Fault {
    name: "calls-refused",
    about: "every call of a tool is refused",
    effect: Effect::Message(|out, m| refused(out, m, &["tools/call"])),
};

/// Prompts that cannot be got.
pub const PROMPTS_REFUSED: Fault = Fault {
    name: "prompts-refused",
    about: "every prompt is refused",
    effect: Effect::Message(|out, m| refused(out, m, &["prompts/get"])),
};

/// Completions that never come.
pub const COMPLETIONS_REFUSED: Fault = Fault {
    name: "completions-refused",
    about: "every completion is refused although completions are declared",
    effect: Effect::Message(|out, m| refused(out, m, &["completion/complete"])),
};

/// A failure that looks like a success.
pub const FAILURE_UNMARKED: Fault = Fault {
    name: "failure-unmarked",
    about: "a tool that fails does not set isError",
    effect: Effect::Message(|out, m| result_of(out, "tools/call", m, |r| remove(r, "isError"))),
};

/// A picture that nobody can decode.
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

/// A picture of no known kind.
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

/// A resource of no known kind.
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
