//! The head of an HTTP message as a start line and its headers.

use serde_json::Value;

use super::write::quoted;

/// `head` as the members `start` and `headers`; `None` when they could not give back exactly these bytes.
pub(super) fn split(head: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(head).ok()?;
    let (start, rest) = text.split_once("\r\n")?;
    let pairs: Vec<(&str, &str)> = rest
        .strip_suffix("\r\n")?
        .split_terminator("\r\n")
        .map(|line| line.split_once(": "))
        .collect::<Option<_>>()?;
    if join(start, pairs.iter().copied()) != head {
        return None;
    }
    let headers: Vec<String> =
        pairs.iter().map(|(name, value)| format!("[{},{}]", quoted(name), quoted(value))).collect();
    Some((quoted(start), format!("[{}]", headers.join(","))))
}

/// The bytes of a head.
fn join<'h>(start: &str, headers: impl Iterator<Item = (&'h str, &'h str)>) -> Vec<u8> {
    let mut head = format!("{start}\r\n");
    for (name, value) in headers {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// The bytes of a head with these headers: pairs of names and values, or an object of them.
pub(super) fn build(start: &str, headers: &Value) -> Option<Vec<u8>> {
    let pairs: Vec<(&str, &str)> = match headers {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().map(pair).collect::<Option<_>>()?,
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| values(value).into_iter().map(move |value| (name.as_str(), value)))
            .collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    Some(join(start, pairs.into_iter()))
}

fn pair(item: &Value) -> Option<(&str, &str)> {
    match item.as_array()?.as_slice() {
        [name, value] => Some((name.as_str()?, value.as_str()?)),
        _ => None,
    }
}

fn values(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}
