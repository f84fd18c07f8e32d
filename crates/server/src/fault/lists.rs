//! Faults of lists, of their pages and of what they say about their items.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::edit::{each, result_of};
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

/// Tools cannot be listed.
pub const TOOLS_UNLISTED: Fault = Fault {
    name: "tools-unlisted",
    about: "tools/list is refused although tools are declared",
    effect: Effect::Message(|out, m| refused(out, m, &["tools/list"])),
};

/// Resources cannot be listed.
pub const RESOURCES_UNLISTED: Fault = Fault {
    name: "resources-unlisted",
    about: "resources/list is refused although resources are declared",
    effect: Effect::Message(|out, m| refused(out, m, &["resources/list"])),
};

/// Prompts cannot be listed.
pub const PROMPTS_UNLISTED: Fault = Fault {
    name: "prompts-unlisted",
    about: "prompts/list is refused although prompts are declared",
    effect: Effect::Message(|out, m| refused(out, m, &["prompts/list"])),
};

/// One tool more or less each time.
pub const TOOLS_DIFFER: Fault = Fault {
    name: "tools-differ",
    about: "every other tools/list lacks a tool",
    effect: Effect::Message(|out, m| {
        static TURN: AtomicUsize = AtomicUsize::new(0);
        every_other(&TURN, out, m, "tools/list", "tools")
    }),
};

/// One resource more or less each time.
pub const RESOURCES_DIFFER: Fault = Fault {
    name: "resources-differ",
    about: "every other resources/list lacks a resource",
    effect: Effect::Message(|out, m| {
        static TURN: AtomicUsize = AtomicUsize::new(0);
        every_other(&TURN, out, m, "resources/list", "resources")
    }),
};

/// One prompt more or less each time.
pub const PROMPTS_DIFFER: Fault = Fault {
    name: "prompts-differ",
    about: "every other prompts/list lacks a prompt",
    effect: Effect::Message(|out, m| {
        static TURN: AtomicUsize = AtomicUsize::new(0);
        every_other(&TURN, out, m, "prompts/list", "prompts")
    }),
};

/// Pages without end.
pub const PAGES_OF_RESOURCES_REPEAT: Fault = Fault {
    name: "pages-of-resources-repeat",
    about: "every page of resources says that there is another one, under a cursor that leads nowhere",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| r["nextCursor"] = json!("again"))
    }),
};

/// Pages that repeat an item.
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

/// A cursor that leads elsewhere the next time.
pub const CURSOR_UNSTABLE: Fault = Fault {
    name: "cursor-unstable",
    about: "the same cursor leads to another page the next time",
    effect: Effect::Message(|out, m| {
        static TURN: AtomicUsize = AtomicUsize::new(0);
        every_other(&TURN, out, m, "resources/list", "resources")
    }),
};

/// Pages of one list that disagree on who may see them.
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

/// Contents without caching hints.
pub const READ_WITHOUT_HINTS: Fault = Fault {
    name: "read-without-hints",
    about: "what resources/read returns has no cacheScope",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/read", m, |r| super::edit::remove(r, "cacheScope"))
    }),
};

/// A schema that is none.
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

/// A name where a URI belongs.
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

/// A template that nobody can expand.
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

/// A time in words.
pub const LAST_MODIFIED_BROKEN: Fault = Fault {
    name: "last-modified-broken",
    about: "lastModified of resources is a word",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| {
            for resource in r["resources"].as_array_mut().into_iter().flatten() {
                if resource["annotations"].get("lastModified").is_some() {
                    resource["annotations"]["lastModified"] = json!("yesterday");
                }
            }
        })
    }),
};

/// Bytes that are not encoded.
pub const BLOB_NOT_BASE64: Fault = Fault {
    name: "blob-not-base64",
    about: "the blobs of resources are not base64",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/read", m, |r| {
            for content in r["contents"].as_array_mut().into_iter().flatten() {
                if content.get("blob").is_some() {
                    content["blob"] = json!("these are no bytes!");
                }
            }
        })
    }),
};

/// Subscriptions that are declared and refused.
pub const SUBSCRIBE_REFUSED: Fault = Fault {
    name: "subscribe-refused",
    about: "resources/subscribe is refused although it is declared",
    effect: Effect::Message(|out, m| refused(out, m, &["resources/subscribe"])),
};

/// Answers to `methods` become errors.
pub(super) fn refused(out: &Outgoing<'_>, message: Value, methods: &[&str]) -> Vec<Value> {
    let concerns = out.method.is_some_and(|method| methods.contains(&method));
    each(message, |m| {
        if concerns && m.get("result").is_some() {
            super::edit::remove(m, "result");
            m["error"] = json!({ "code": -32603, "message": "not now" });
        }
    })
}

/// The last item of a list is there only every other time.
fn every_other(
    turn: &AtomicUsize,
    out: &Outgoing<'_>,
    message: Value,
    method: &str,
    key: &str,
) -> Vec<Value> {
    result_of(out, method, message, |r| {
        if let Some(items) = r[key].as_array_mut()
            && !turn.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
        {
            items.pop();
        }
    })
}
