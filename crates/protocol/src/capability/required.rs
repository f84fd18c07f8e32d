//! What a request needs of the client, and how to say that it was not declared (error -32021).

use serde_json::{Map, Value, json};

use super::{
    Capabilities, Capability, ELICITATION, ELICITATION_FORM, ELICITATION_URL, ROOTS, SAMPLING,
    SAMPLING_CONTEXT, SAMPLING_TOOLS,
};

/// The `data` of error -32021: `{"requiredCapabilities": …}`.
#[derive(Clone, Debug, PartialEq)]
pub struct RequiredCapabilities(Map<String, Value>);

impl RequiredCapabilities {
    /// The capabilities, in the shape in which the client should have declared them.
    pub const fn capabilities(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The `data` member of the error.
    pub fn into_data(self) -> Value {
        json!({ "requiredCapabilities": self.0 })
    }
}

/// What is required but was not declared; none if nothing is missing.
pub fn missing(declared: Capabilities<'_>, required: &[Capability]) -> Option<RequiredCapabilities> {
    let mut absent = Map::new();
    for capability in required.iter().filter(|capability| !declared.has(**capability)) {
        insert(&mut absent, *capability);
    }
    (!absent.is_empty()).then_some(RequiredCapabilities(absent))
}

/// What the client must have declared before a server may put this request into `inputRequests`.
///
/// A form is asked of any client with `elicitation` unless it named other modes only. Context of other servers is a
/// SHOULD of the specification; it is listed here because a client without it cannot honour the request.
pub fn required_by_input(method: &str, params: &Value) -> Vec<Capability> {
    match method {
        "roots/list" => vec![ROOTS],
        "elicitation/create" => match params.get("mode").and_then(Value::as_str) {
            Some("url") => vec![ELICITATION_URL],
            Some("form") | None => vec![ELICITATION_FORM],
            Some(_) => vec![ELICITATION],
        },
        "sampling/createMessage" => required_by_sampling(params),
        _ => Vec::new(),
    }
}

fn required_by_sampling(params: &Value) -> Vec<Capability> {
    let mut required = vec![SAMPLING];
    if params.get("tools").is_some() || params.get("toolChoice").is_some() {
        required.push(SAMPLING_TOOLS);
    }
    if params.get("includeContext").and_then(Value::as_str).is_some_and(|context| context != "none") {
        required.push(SAMPLING_CONTEXT);
    }
    required
}

fn insert(into: &mut Map<String, Value>, capability: Capability) {
    let Some((last, parents)) = capability.path().split_last() else { return };
    let mut level = into;
    for key in parents {
        let entry = level.entry(*key).or_insert_with(|| json!({}));
        let Some(next) = entry.as_object_mut() else { return };
        level = next;
    }
    level.entry(*last).or_insert_with(|| capability.declared());
}

#[cfg(test)]
mod tests {
    use super::super::{ROOTS_LIST_CHANGED, TASKS_EXTENSION, UI_EXTENSION};
    use super::*;

    fn data(declared: &Value, required: &[Capability]) -> Option<Value> {
        missing(Capabilities::from_value(declared), required).map(RequiredCapabilities::into_data)
    }

    #[test]
    fn only_what_is_missing_is_listed() {
        let declared = json!({"sampling": {}, "elicitation": {"form": {}}});
        assert_eq!(data(&declared, &[SAMPLING, ELICITATION_FORM]), None);
        let expected =
            json!({"requiredCapabilities": {"sampling": {"tools": {}}, "elicitation": {"url": {}}}});
        assert_eq!(data(&declared, &[SAMPLING, SAMPLING_TOOLS, ELICITATION_URL]), Some(expected));
    }

    #[test]
    fn extensions_and_switches_keep_their_shape() {
        let expected = json!({"requiredCapabilities": {
            "extensions": {
                "io.modelcontextprotocol/tasks": {},
                "io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]},
            },
            "roots": {"listChanged": true},
        }});
        assert_eq!(data(&json!({}), &[TASKS_EXTENSION, UI_EXTENSION, ROOTS_LIST_CHANGED]), Some(expected));
    }

    #[test]
    fn a_parent_and_its_child_merge() {
        let expected = json!({"requiredCapabilities": {"sampling": {"tools": {}}}});
        assert_eq!(data(&json!({}), &[SAMPLING, SAMPLING_TOOLS]), Some(expected.clone()));
        assert_eq!(data(&json!({}), &[SAMPLING_TOOLS, SAMPLING]), Some(expected));
    }

    #[test]
    fn inputs_need_what_they_use() {
        assert_eq!(required_by_input("roots/list", &json!({})), [ROOTS]);
        assert_eq!(required_by_input("elicitation/create", &json!({})), [ELICITATION_FORM]);
        assert_eq!(required_by_input("elicitation/create", &json!({"mode": "form"})), [ELICITATION_FORM]);
        assert_eq!(required_by_input("elicitation/create", &json!({"mode": "url"})), [ELICITATION_URL]);
        assert_eq!(
            required_by_input("sampling/createMessage", &json!({"includeContext": "none"})),
            [SAMPLING]
        );
        let all = json!({"tools": [], "includeContext": "thisServer"});
        assert_eq!(
            required_by_input("sampling/createMessage", &all),
            [SAMPLING, SAMPLING_TOOLS, SAMPLING_CONTEXT]
        );
        assert_eq!(required_by_input("tools/call", &json!({})), []);
    }
}
