//! What a resource is here, and the resources of our own.

use serde_json::{Value, json};

use crate::context::Call;

/// A listed resource.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) uri: &'static str,
    /// Its description without the URI.
    pub(crate) definition: fn() -> Value,
    /// Its contents.
    pub(crate) read: fn(&Call) -> Vec<Value>,
}

/// A family of resources with one variable.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) uri: &'static str,
    pub(crate) variable: &'static str,
    /// What may stand for the variable, for completion; anything else works too.
    pub(crate) values: &'static [&'static str],
    pub(crate) definition: fn() -> Value,
    /// The contents for a URI and the value of the variable in it.
    pub(crate) contents: fn(&str, &str) -> Vec<Value>,
}

/// Every listed resource, group by group.
pub(super) const RESOURCES: &[&[Resource]] = &[OWN];

/// Every template.
pub(super) const TEMPLATES: &[Template] = &[GREETING];

const OWN: &[Resource] = &[Resource {
    uri: "yardstick://about",
    definition: || {
        json!({
            "name": "about",
            "title": "About this server",
            "description": "What this server is for",
            "mimeType": "text/plain",
            "annotations": { "audience": ["user", "assistant"], "priority": 0.5 },
        })
    },
    read: |_| vec![json!({ "uri": "yardstick://about", "mimeType": "text/plain", "text": "Yardstick's reference server." })],
}];

const GREETING: Template = Template {
    uri: "yardstick://greeting/{name}",
    variable: "name",
    values: &["Ada", "Alan", "Barbara", "Edsger", "Grace"],
    definition: || {
        json!({
            "uriTemplate": "yardstick://greeting/{name}",
            "name": "greeting",
            "title": "A greeting",
            "description": "Greets whom you name",
            "mimeType": "text/plain",
        })
    },
    contents: |uri, name| vec![json!({ "uri": uri, "mimeType": "text/plain", "text": format!("Hello, {name}!") })],
};

impl Resource {
    /// The resource in a list.
    pub(crate) fn described(&self, _call: &Call) -> Value {
        let mut described = json!({ "uri": self.uri });
        if let (Some(members), Value::Object(rest)) = (described.as_object_mut(), (self.definition)()) {
            members.extend(rest);
        }
        described
    }
}

impl Template {
    /// The contents of `uri`, if it is one of this family.
    pub(crate) fn read(&self, uri: &str) -> Option<Vec<Value>> {
        let (before, after) = self.uri.split_once('{')?;
        let (_, after) = after.split_once('}')?;
        let value = uri.strip_prefix(before)?.strip_suffix(after)?;
        (!value.is_empty() && !value.contains('/')).then(|| (self.contents)(uri, value))
    }
}
