//! Small words for editing messages.

use serde_json::Value;

use super::Outgoing;

/// Edits a message, whatever it is.
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
    let concerns = outgoing.method == Some(method) && message.get("result").is_some();
    each(message, |m| {
        if concerns {
            change(&mut m["result"]);
        }
    })
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
