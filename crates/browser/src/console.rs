//! Console lines and uncaught errors.

use serde_json::Value;

/// A line on the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Console {
    /// `log`, `debug`, `info`, `error`, `warning`, `assert` and others.
    pub level: String,
    /// The text; arguments are joined by spaces.
    pub text: String,
    /// The script that wrote it, if known.
    pub source: String,
}

/// An uncaught error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The thrown value with its stack.
    pub message: String,
    /// The script that threw the error, if known.
    pub source: String,
}

impl Console {
    pub(crate) fn parse(params: &Value) -> Self {
        let args: Vec<_> = params["args"].as_array().into_iter().flatten().map(display_value).collect();
        let source = params["stackTrace"]["callFrames"][0]["url"].as_str().unwrap_or_default();
        let level = params["type"].as_str().unwrap_or_default();
        Self { level: level.into(), text: args.join(" "), source: source.into() }
    }
}

impl Exception {
    pub(crate) fn parse(details: &Value) -> Self {
        Self { message: thrown(details), source: details["url"].as_str().unwrap_or_default().into() }
    }
}

/// The thrown value as readable text.
pub(crate) fn thrown(details: &Value) -> String {
    let exception = &details["exception"];
    let text = details["text"].as_str().unwrap_or_default();
    if exception.is_null() { text.into() } else { display_value(exception) }
}

/// A JavaScript value as the console would show it.
pub(crate) fn display_value(object: &Value) -> String {
    if let Some(text) = object["value"].as_str() {
        return text.into();
    }
    if let Some(value) = object.get("value") {
        return value.to_string();
    }
    if object["preview"]["properties"].is_array() && object["subtype"] != "error" {
        return preview(&object["preview"]);
    }
    let said = ["unserializableValue", "description", "type"].iter().find_map(|key| object[key].as_str());
    said.unwrap_or_default().into()
}

fn preview(preview: &Value) -> String {
    let list = preview["subtype"] == "array";
    let member = |it: &Value| {
        let (name, value) =
            (it["name"].as_str().unwrap_or_default(), it["value"].as_str().unwrap_or_default());
        let value = if it["type"] == "string" { format!("{value:?}") } else { value.to_owned() };
        if list { value } else { format!("{name}: {value}") }
    };
    let mut members: Vec<_> = preview["properties"].as_array().into_iter().flatten().map(member).collect();
    if preview["overflow"] == true {
        members.push("…".into());
    }
    if list { format!("[{}]", members.join(", ")) } else { format!("{{{}}}", members.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_shown_as_on_a_console() {
        let object = json!({ "type": "object", "description": "Object", "preview": { "overflow": true, "properties": [
            { "name": "a", "type": "number", "value": "1" }, { "name": "b", "type": "string", "value": "x" }] } });
        for (value, text) in [
            (json!({ "type": "string", "value": "plain" }), "plain"),
            (json!({ "type": "undefined" }), "undefined"),
            (json!({ "type": "number", "unserializableValue": "NaN", "description": "NaN" }), "NaN"),
            (json!({ "type": "object", "subtype": "null", "value": null }), "null"),
            (object, r#"{a: 1, b: "x", …}"#),
        ] {
            assert_eq!(display_value(&value), text);
        }
    }
}
