//! Checks a value against a shape without looking at its parts, and names both in words.

use serde_json::Value;

use super::format::{is_base64, is_uri, is_uri_template};
use super::words::*;

/// How much of a string or list a message shows.
const SHOWN_CHARS: usize = 40;
const SHOWN_WORDS: usize = 8;

/// Whether `value` fits `shape` as far as can be said without looking at parts.
pub(super) fn fits(shape: &ValueShape, value: &Value) -> bool {
    match shape {
        Null => value.is_null(),
        Bool => value.is_boolean(),
        Int => is_integer(value),
        IntFrom(least) => is_integer(value) && value.as_f64() >= Some(*least as f64),
        Num => value.is_number(),
        NumIn(least, most) => value.as_f64().is_some_and(|number| (*least..=*most).contains(&number)),
        Str => value.is_string(),
        Uri => is_uri(value),
        UriTemplate => is_uri_template(value),
        Base64 => is_base64(value),
        Const(text) => value.as_str() == Some(text),
        Code(number) => value.as_f64() == Some(*number as f64),
        Enum(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
        Array(_) => value.is_array(),
        ArrayUpTo(most, _) => value.as_array().is_some_and(|items| items.len() <= *most),
        AnyObject | Map(_) | Object(_) => value.is_object(),
        Any | Ref(_) | Either(_) | All(_) | By(_) | Narrowed { .. } => true,
    }
}

/// What a value of this shape is called.
pub(super) fn describe_shape(shape: &ValueShape) -> String {
    match shape {
        Any | Ref(_) | Either(_) | By(_) | Narrowed { .. } => "a value".to_owned(),
        Null => "null".to_owned(),
        Bool => "a boolean".to_owned(),
        Int => "an integer".to_owned(),
        IntFrom(least) => format!("an integer from {least} on"),
        Num => "a number".to_owned(),
        NumIn(least, most) => format!("a number from {least} to {most}"),
        Str => "a string".to_owned(),
        Uri => "a URI".to_owned(),
        UriTemplate => "a URI template".to_owned(),
        Base64 => "base64".to_owned(),
        Const(text) => quoted(text),
        Code(number) => number.to_string(),
        Enum(texts) => one_of(texts),
        Array(_) => "an array".to_owned(),
        ArrayUpTo(most, _) => format!("an array of at most {most} items"),
        // Only objects are joined.
        AnyObject | Map(_) | Object(_) | All(_) => "an object".to_owned(),
    }
}

/// What `value` is called.
pub(super) fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) if items.len() > 1 => format!("an array of {} items", items.len()),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A choice between words, cut to the length of a line.
pub(super) fn one_of(texts: &[&str]) -> String {
    if let [text] = texts {
        return quoted(text);
    }
    let shown: Vec<_> = texts.iter().take(SHOWN_WORDS).map(|text| quoted(text)).collect();
    let more = if texts.len() > SHOWN_WORDS { " and others" } else { "" };
    format!("one of {}{more}", shown.join(", "))
}

/// JSON has one kind of number: `1.0` is an integer too.
fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}
