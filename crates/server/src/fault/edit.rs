//! Helpers to edit messages.

use protocol::meta::SERVER_INFO;
use protocol::{Era, Version};
use serde_json::{Value, json};

use super::Outgoing;

/// Edits any message.
pub(super) fn each(mut message: Value, change: impl FnOnce(&mut Value)) -> Vec<Value> {
    change(&mut message);
    vec![message]
}

/// Keeps a message only if `keep` says so.
pub(super) fn only(message: Value, keep: impl FnOnce(&Value) -> bool) -> Vec<Value> {
    if keep(&message) { vec![message] } else { Vec::new() }
}

/// Edits the result of the answers to `method`.
pub(super) fn result_of(
    outgoing: &Outgoing<'_>,
    method: &str,
    message: Value,
    change: impl FnOnce(&mut Value),
) -> Vec<Value> {
    results_of(outgoing, &[method], message, change)
}

/// Edits every error response; the change is given the code.
pub(super) fn in_error(message: Value, change: impl FnOnce(&mut Value, i64)) -> Vec<Value> {
    let code = message.get("error").and_then(|error| error.get("code")).and_then(Value::as_i64);
    each(message, |m| {
        if let Some(code) = code {
            change(m, code);
        }
    })
}

/// Edits notifications of `method`.
pub(super) fn notification(message: Value, method: &str, change: impl FnOnce(&mut Value)) -> Vec<Value> {
    let concerns = message.get("method").is_some_and(|m| m == method);
    each(message, |m| {
        if concerns {
            change(m);
        }
    })
}

/// Removes a member of an object.
pub(super) fn remove(object: &mut Value, member: &str) {
    if let Some(members) = object.as_object_mut() {
        members.shift_remove(member);
    }
}

/// Sends `extra` before every result, where `applies` says so.
pub(super) fn preceded_by(message: Value, applies: bool, extra: Value) -> Vec<Value> {
    if applies && message.get("result").is_some() { vec![extra, message] } else { vec![message] }
}

/// Whether the message goes to a client of the legacy era.
pub(super) fn legacy(outgoing: &Outgoing<'_>) -> bool {
    is_legacy(outgoing.version)
}

/// Whether a revision is known, and of the legacy era.
pub(super) fn is_legacy(version: Option<Version>) -> bool {
    version.is_some_and(|version| version.era() == Era::Legacy)
}

/// Whether the message goes to a client of the modern era.
pub(super) fn modern(outgoing: &Outgoing<'_>) -> bool {
    outgoing.version.is_some_and(|version| version.era() == Era::Modern)
}

/// Whether the message is an error that says these words.
pub(super) fn mentions(message: &Value, words: &str) -> bool {
    message["error"]["message"].as_str().is_some_and(|text| text.contains(words))
}

/// Turns a response into a success, with what every result of the revision has.
pub(super) fn succeed(outgoing: &Outgoing<'_>, message: &mut Value, mut result: Value) {
    if modern(outgoing) {
        result["resultType"] = json!("complete");
        result["_meta"] = json!({ SERVER_INFO: { "name": "made-up", "version": "1" } });
    }
    remove(message, "error");
    message["result"] = result;
}

/// Removes the data of the errors with that code.
pub(super) fn without_data(message: Value, code: i64) -> Vec<Value> {
    in_error(message, |m, found| {
        if found == code {
            remove(&mut m["error"], "data");
        }
    })
}

/// Edits the results of several methods, or of all when there are none.
pub(super) fn results_of(
    outgoing: &Outgoing<'_>,
    methods: &[&str],
    message: Value,
    change: impl FnOnce(&mut Value),
) -> Vec<Value> {
    let concerns = methods.is_empty() || outgoing.method.is_some_and(|method| methods.contains(&method));
    each(message, |m| {
        if concerns && let Some(result) = m.get_mut("result") {
            change(result);
        }
    })
}

/// Gives the errors of `from` another code, in answers to `methods`, or to all when there are none.
pub(super) fn recode(
    outgoing: &Outgoing<'_>,
    methods: &[&str],
    message: Value,
    from: i64,
    to: i64,
) -> Vec<Value> {
    let concerns = methods.is_empty() || outgoing.method.is_some_and(|method| methods.contains(&method));
    in_error(message, |m, code| {
        if concerns && code == from {
            m["error"]["code"] = to.into();
        }
    })
}
