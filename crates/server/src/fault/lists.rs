//! Faults of lists, of their pages and of their items.

use protocol::code;
use serde_json::{Value, json};

use super::edit::result_of;
use super::{Effect, Fault, Outgoing};

pub(super) const FAULTS: &[&Fault] = &[
    &TOOLS_UNLISTED,
    &RESOURCES_UNLISTED,
    &PROMPTS_UNLISTED,
    &TOOLS_DIFFER,
    &RESOURCES_DIFFER,
    &PROMPTS_DIFFER,
    &PAGES_OF_RESOURCES_REPEAT,
    &PAGES_OVERLAP,
    &CURSOR_UNSTABLE,
    &CACHE_SCOPE_CHANGES,
    &READ_WITHOUT_HINTS,
    &TOOL_SCHEMA_NULL,
    &RESOURCE_URI_BROKEN,
    &TEMPLATE_BROKEN,
    &LAST_MODIFIED_BROKEN,
    &BLOB_NOT_BASE64,
    &SUBSCRIBE_REFUSED,
];

pub const TOOLS_UNLISTED: Fault = Fault {
    name: "tools-unlisted",
    about: "tools/list is refused although tools are declared",
    effect: Effect::Fail("tools/list", code::INTERNAL_ERROR),
};

pub const RESOURCES_UNLISTED: Fault = Fault {
    name: "resources-unlisted",
    about: "resources/list is refused although resources are declared",
    effect: Effect::Fail("resources/list", code::INTERNAL_ERROR),
};

pub const PROMPTS_UNLISTED: Fault = Fault {
    name: "prompts-unlisted",
    about: "prompts/list is refused although prompts are declared",
    effect: Effect::Fail("prompts/list", code::INTERNAL_ERROR),
};

pub const TOOLS_DIFFER: Fault = Fault {
    name: "tools-differ",
    about: "every other tools/list lacks a tool",
    effect: Effect::Message(|out, m| every_other(out, m, "tools/list", "tools")),
};

pub const RESOURCES_DIFFER: Fault = Fault {
    name: "resources-differ",
    about: "every other resources/list lacks a resource",
    effect: Effect::Message(|out, m| every_other(out, m, "resources/list", "resources")),
};

pub const PROMPTS_DIFFER: Fault = Fault {
    name: "prompts-differ",
    about: "every other prompts/list lacks a prompt",
    effect: Effect::Message(|out, m| every_other(out, m, "prompts/list", "prompts")),
};

pub const PAGES_OF_RESOURCES_REPEAT: Fault = Fault {
    name: "pages-of-resources-repeat",
    about: "every page of resources says that there is another one, under a cursor that leads nowhere",
    effect: Effect::Set(&["resources/list"], &["nextCursor"], || json!("again")),
};

pub const PAGES_OVERLAP: Fault = Fault {
    name: "pages-overlap",
    about: "every page of resources begins with the same resource",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| {
            if let Some(first) = r["resources"].as_array_mut().and_then(|items| items.first_mut()) {
                *first = json!({ "uri": "test://static-text", "name": "static-text" });
            }
        })
    }),
};

pub const CURSOR_UNSTABLE: Fault = Fault {
    name: "cursor-unstable",
    about: "the same cursor leads to another page the next time",
    effect: Effect::Message(|out, m| every_other(out, m, "resources/list", "resources")),
};

pub const CACHE_SCOPE_CHANGES: Fault = Fault {
    name: "cache-scope-changes",
    about: "the last page of resources has another cacheScope than those before",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| {
            let last = r.get("nextCursor").is_none();
            r["cacheScope"] = json!(if last { "private" } else { "public" });
        })
    }),
};

pub const READ_WITHOUT_HINTS: Fault = Fault {
    name: "read-without-hints",
    about: "what resources/read returns has no cacheScope",
    effect: Effect::Remove(&["resources/read"], &["cacheScope"]),
};

pub const TOOL_SCHEMA_NULL: Fault = Fault {
    name: "tool-schema-null",
    about: "the inputSchema of the last tool is null",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| {
            if let Some(last) = r["tools"].as_array_mut().and_then(|tools| tools.last_mut()) {
                last["inputSchema"] = Value::Null;
            }
        })
    }),
};

pub const RESOURCE_URI_BROKEN: Fault = Fault {
    name: "resource-uri-broken",
    about: "the URI of the last resource of a page is none",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| {
            if let Some(last) = r["resources"].as_array_mut().and_then(|items| items.last_mut()) {
                last["uri"] = json!("no uri at all");
            }
        })
    }),
};

pub const TEMPLATE_BROKEN: Fault = Fault {
    name: "template-broken",
    about: "the last resource template has an expression that is not closed",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/templates/list", m, |r| {
            if let Some(last) = r["resourceTemplates"].as_array_mut().and_then(|items| items.last_mut()) {
                last["uriTemplate"] = json!("test://template/{id");
            }
        })
    }),
};

pub const LAST_MODIFIED_BROKEN: Fault = Fault {
    name: "last-modified-broken",
    about: "lastModified of resources is a word",
    effect: Effect::Replace(&["resources/list"], &["resources", "*", "annotations", "lastModified"], || {
        json!("yesterday")
    }),
};

pub const BLOB_NOT_BASE64: Fault = Fault {
    name: "blob-not-base64",
    about: "the blobs of resources are not base64",
    effect: Effect::Replace(&["resources/read"], &["contents", "*", "blob"], || json!("these are no bytes!")),
};

pub const SUBSCRIBE_REFUSED: Fault = Fault {
    name: "subscribe-refused",
    about: "resources/subscribe is refused although it is declared",
    effect: Effect::Fail("resources/subscribe", code::INTERNAL_ERROR),
};

/// Removes the last item of a list every other time.
fn every_other(out: &Outgoing<'_>, message: Value, method: &str, key: &str) -> Vec<Value> {
    result_of(out, method, message, |r| {
        if let Some(items) = r[key].as_array_mut()
            && !out.memory.turn().is_multiple_of(2)
        {
            items.pop();
        }
    })
}
