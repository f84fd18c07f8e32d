//! What client and server declare that they can do, read on demand from the JSON that declared it.

pub mod extension;
mod required;

use std::fmt;

use serde_json::{Map, Value, json};

pub use required::{RequiredCapabilities, missing, required_by_input};

/// A capability, named by the keys that lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capability {
    path: &'static [&'static str],
}

/// The server suggests values for arguments (from 2025-03-26).
pub const COMPLETIONS: Capability = Capability::at(&["completions"]);
/// The client can ask its user (from 2025-06-18).
pub const ELICITATION: Capability = Capability::at(&["elicitation"]);
/// The client can show a form; an `elicitation` that names no mode means this one.
pub const ELICITATION_FORM: Capability = Capability::at(&["elicitation", "form"]);
/// The client can send its user to a URL (from 2025-11-25).
pub const ELICITATION_URL: Capability = Capability::at(&["elicitation", "url"]);
/// The server emits log messages.
pub const LOGGING: Capability = Capability::at(&["logging"]);
/// The server has prompts.
pub const PROMPTS: Capability = Capability::at(&["prompts"]);
/// The server tells when its prompts change.
pub const PROMPTS_LIST_CHANGED: Capability = Capability::at(&["prompts", LIST_CHANGED]);
/// The server has resources.
pub const RESOURCES: Capability = Capability::at(&["resources"]);
/// The server tells when its list of resources changes.
pub const RESOURCES_LIST_CHANGED: Capability = Capability::at(&["resources", LIST_CHANGED]);
/// The server tells when a resource changes.
pub const RESOURCES_SUBSCRIBE: Capability = Capability::at(&["resources", SUBSCRIBE]);
/// The client has roots.
pub const ROOTS: Capability = Capability::at(&["roots"]);
/// The client tells when its roots change (until 2025-11-25).
pub const ROOTS_LIST_CHANGED: Capability = Capability::at(&["roots", LIST_CHANGED]);
/// The client can sample from a model.
pub const SAMPLING: Capability = Capability::at(&["sampling"]);
/// The client can include the context of servers when it samples (from 2025-11-25).
pub const SAMPLING_CONTEXT: Capability = Capability::at(&["sampling", "context"]);
/// The client can sample with tools (from 2025-11-25).
pub const SAMPLING_TOOLS: Capability = Capability::at(&["sampling", "tools"]);
/// Either side runs requests as tasks (2025-11-25 only).
pub const TASKS: Capability = Capability::at(&["tasks"]);
/// Either side can cancel tasks (2025-11-25 only).
pub const TASKS_CANCEL: Capability = Capability::at(&["tasks", "cancel"]);
/// Either side can list tasks (2025-11-25 only).
pub const TASKS_LIST: Capability = Capability::at(&["tasks", "list"]);
/// The server calls tools as tasks (2025-11-25 only).
pub const TASKS_TOOLS: Capability = Capability::at(&["tasks", "requests", "tools", "call"]);
/// The tasks extension (2026-07-28).
pub const TASKS_EXTENSION: Capability = Capability::at(&[extension::FIELD, extension::TASKS]);
/// The MCP Apps extension.
pub const UI_EXTENSION: Capability = Capability::at(&[extension::FIELD, extension::UI]);
/// The server has tools.
pub const TOOLS: Capability = Capability::at(&["tools"]);
/// The server tells when its tools change.
pub const TOOLS_LIST_CHANGED: Capability = Capability::at(&["tools", LIST_CHANGED]);

const LIST_CHANGED: &str = "listChanged";
const SUBSCRIBE: &str = "subscribe";

/// A declaration of capabilities; what is malformed counts as not declared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capabilities<'a> {
    fields: Option<&'a Map<String, Value>>,
}

impl Capability {
    const fn at(path: &'static [&'static str]) -> Self {
        Self { path }
    }

    /// The keys from the declaration down to the capability.
    pub const fn path(self) -> &'static [&'static str] {
        self.path
    }

    /// The smallest value that declares it: `true` for a switch, an object for the others.
    fn declared(self) -> Value {
        match self.path {
            [.., LIST_CHANGED | SUBSCRIBE] => json!(true),
            [extension::FIELD, extension::UI] => json!({ "mimeTypes": [crate::apps::MIME_TYPE] }),
            _ => json!({}),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path {
            [extension::FIELD, id] => write!(f, "{}[\"{id}\"]", extension::FIELD),
            path => f.write_str(&path.join(".")),
        }
    }
}

impl<'a> Capabilities<'a> {
    /// The declaration in `value`, which should be an object.
    pub fn from_value(value: &'a Value) -> Self {
        Self { fields: value.as_object() }
    }

    /// Whether the capability was declared.
    pub fn has(self, capability: Capability) -> bool {
        if capability == ELICITATION_FORM {
            return self.can_show_forms();
        }
        self.get(capability.path).is_some_and(is_on)
    }

    /// The value at the end of `path`.
    pub fn get(self, path: &[&str]) -> Option<&'a Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.fields?.get(*first)?, |value, key| value.get(key))
    }

    /// The settings that were declared for an extension.
    pub fn extension(self, id: &str) -> Option<&'a Map<String, Value>> {
        self.get(&[extension::FIELD, id])?.as_object()
    }

    /// The extensions that were declared.
    pub fn extensions(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let declared = self.get(&[extension::FIELD]).and_then(Value::as_object);
        declared.into_iter().flatten().map(|(id, settings)| (id.as_str(), settings))
    }

    /// An `elicitation` that names no mode is one that knows forms only, as it was before modes existed.
    fn can_show_forms(self) -> bool {
        let Some(elicitation) = self.get(ELICITATION.path).filter(|value| is_on(value)) else { return false };
        elicitation.get("form").is_some_and(is_on) || elicitation.get("url").is_none()
    }
}

fn is_on(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_must_be_on_and_objects_present() {
        let value = json!({"tools": {"listChanged": false}, "resources": {"subscribe": true}, "logging": {}});
        let declared = Capabilities::from_value(&value);
        assert!(declared.has(TOOLS) && !declared.has(TOOLS_LIST_CHANGED));
        assert!(declared.has(RESOURCES_SUBSCRIBE) && !declared.has(RESOURCES_LIST_CHANGED));
        assert!(declared.has(LOGGING) && !declared.has(PROMPTS));
    }

    #[test]
    fn an_elicitation_without_modes_means_forms() {
        let has = |value: Value| {
            let declared = Capabilities::from_value(&value);
            (declared.has(ELICITATION), declared.has(ELICITATION_FORM), declared.has(ELICITATION_URL))
        };
        assert_eq!(has(json!({})), (false, false, false));
        assert_eq!(has(json!({"elicitation": {}})), (true, true, false));
        assert_eq!(has(json!({"elicitation": {"form": {}}})), (true, true, false));
        assert_eq!(has(json!({"elicitation": {"url": {}}})), (true, false, true));
        assert_eq!(has(json!({"elicitation": {"form": {}, "url": {}}})), (true, true, true));
    }

    #[test]
    fn what_is_malformed_is_not_declared() {
        assert!(!Capabilities::from_value(&json!("tools")).has(TOOLS));
        assert!(!Capabilities::from_value(&json!({"tools": null})).has(TOOLS));
        assert!(!Capabilities::from_value(&json!({"resources": []})).has(RESOURCES_SUBSCRIBE));
        assert!(!Capabilities::default().has(TOOLS));
    }

    #[test]
    fn paths_read_as_a_person_would_write_them() {
        assert_eq!(RESOURCES_SUBSCRIBE.to_string(), "resources.subscribe");
        assert_eq!(TASKS_EXTENSION.to_string(), "extensions[\"io.modelcontextprotocol/tasks\"]");
    }

    #[test]
    fn extensions_are_listed_with_their_settings() {
        let value = json!({"extensions": {"com.example/a": {"x": 1}, "com.example/b": 3}});
        let declared = Capabilities::from_value(&value);
        assert_eq!(
            declared.extensions().map(|(id, _)| id).collect::<Vec<_>>(),
            ["com.example/a", "com.example/b"]
        );
        assert_eq!(declared.extension("com.example/a").and_then(|s| s.get("x")), Some(&json!(1)));
        assert_eq!(declared.extension("com.example/b"), None, "settings are an object");
    }
}
