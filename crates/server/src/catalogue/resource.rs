//! The type of a resource, and the server's own resources.

use serde_json::{Value, json};

use super::media;
use super::template::Template;
use crate::call::Call;

/// A listed resource.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) uri: &'static str,
    /// Its description without the URI.
    pub(crate) definition: fn() -> Value,
    /// Its contents.
    pub(crate) read: fn(&Call) -> Vec<Value>,
}

/// The resource that changes when the tool `touch` is called.
pub(crate) const COUNTER: &str = "yardstick://counter";

/// The resource that is listed only while it is switched on.
pub(super) const GUEST: Resource = Resource {
    uri: "yardstick://guest",
    definition: || {
        json!({
            "name": "guest",
            "title": "The resource that comes and goes",
            "description": "Listed while the tool `toggle` has it switched on",
            "mimeType": "text/plain",
        })
    },
    read: |_| vec![text("yardstick://guest", "text/plain", "I am here for now.")],
};

/// Every listed resource, group by group.
pub(super) const RESOURCES: &[&[Resource]] = &[OWN, crate::fixtures::RESOURCES];

/// Every template, group by group.
pub(super) const TEMPLATES: &[&[Template]] = &[super::templates::OWN, crate::fixtures::TEMPLATES];

const OWN: &[Resource] = &[ABOUT, GUIDE, PICTURE, TABLE, COUNTED];

const ABOUT: Resource = Resource {
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
    read: |_| vec![text("yardstick://about", "text/plain", "Yardstick's reference server.")],
};

const GUIDE_TEXT: &str =
    "# Where to start\n\nCall `echo`, read `yardstick://about`, get the prompt `review`.\n";

const GUIDE: Resource = Resource {
    uri: "yardstick://guide",
    definition: || {
        json!({
            "name": "guide",
            "title": "Guide",
            "description": "A first tour, in Markdown",
            "mimeType": "text/markdown",
            "size": GUIDE_TEXT.len(),
            "annotations": { "audience": ["user"], "priority": 1, "lastModified": "2026-07-28T00:00:00Z" },
        })
    },
    read: |_| vec![text("yardstick://guide", "text/markdown", GUIDE_TEXT)],
};

const PICTURE: Resource = Resource {
    uri: "yardstick://picture",
    definition: || {
        json!({
            "name": "picture",
            "title": "A picture",
            "description": "A small PNG, for clients that read binary resources",
            "mimeType": "image/png",
            "icons": media::icons(crate::catalogue::icon::PICTURE),
        })
    },
    read: |_| vec![json!({ "uri": "yardstick://picture", "mimeType": "image/png", "blob": media::png() })],
};

/// A resource with two contents, like a directory.
const TABLE: Resource = Resource {
    uri: "yardstick://table",
    definition: || {
        json!({
            "name": "table",
            "title": "A table, twice",
            "description": "The same small table as CSV and as JSON, in one result",
        })
    },
    read: |_| {
        vec![
            text("yardstick://table/csv", "text/csv", "unit,metres\nyard,0.9144\nfoot,0.3048\n"),
            text("yardstick://table/json", "application/json", r#"{"yard":0.9144,"foot":0.3048}"#),
        ]
    },
};

const COUNTED: Resource = Resource {
    uri: COUNTER,
    definition: || {
        json!({
            "name": "counter",
            "title": "A counter",
            "description": "Counts how often the tool `touch` was called; subscribe to it and touch it",
            "mimeType": "text/plain",
        })
    },
    read: |call| vec![text(COUNTER, "text/plain", &call.server.catalogue.touches().to_string())],
};

impl Resource {
    /// The resource in a list.
    pub(crate) fn describe(&self) -> Value {
        let mut described = json!({ "uri": self.uri });
        if let (Some(members), Value::Object(rest)) = (described.as_object_mut(), (self.definition)()) {
            members.extend(rest);
        }
        described
    }
}

/// Contents of text.
pub(crate) fn text(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({ "uri": uri, "mimeType": mime_type, "text": text })
}
