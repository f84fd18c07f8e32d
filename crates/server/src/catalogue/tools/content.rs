//! Tools whose results are not just text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::{Span, Version};
use serde_json::{Value, json};

use crate::catalogue::icon;
use crate::catalogue::media;
use crate::catalogue::resource;
use crate::catalogue::tool::{Run, Tool};

pub(super) const TOOLS: &[Tool] = &[PICTURE, SOUND, DOCUMENT, LINK, MIXED];

const PICTURE: Tool = Tool::new(
    "picture",
    || define("Picture", "Returns a small picture"),
    Run::Now(|_, _| json!({ "content": [picture()] })),
)
.with_icon(icon::PICTURE);

const SOUND: Tool = Tool::new(
    "sound",
    || define("Sound", "Returns a short tone"),
    Run::Now(
        |_, _| json!({ "content": [{ "type": "audio", "data": media::wav(), "mimeType": "audio/wav" }] }),
    ),
)
// Earlier revisions have no audio, so the result would be empty.
.in_span(Span::since(Version::V2025_03_26));

const DOCUMENT: Tool = Tool::new(
    "document",
    || {
        let mut definition = define("Document", "Returns a resource within its result, as text or as bytes");
        definition["inputSchema"] = json!({
            "type": "object",
            "properties": { "as": { "type": "string", "enum": ["text", "blob"], "default": "text" } },
            "additionalProperties": false,
        });
        definition
    },
    Run::Now(|_, arguments| json!({ "content": [document(arguments["as"] == "blob")] })),
)
.with_icon(icon::PAGE);

const LINK: Tool = Tool::new(
    "link",
    || define("Link", "Returns a link to a resource, which the client may read"),
    Run::Now(|_, _| json!({ "content": [link()] })),
);

const MIXED: Tool = Tool::new(
    "mixed",
    || define("Mixed", "Returns text, a picture, a document and a link, each meant for somebody"),
    Run::Now(|_, _| {
        let text = json!({
            "type": "text",
            "text": "A bit of everything:",
            "annotations": { "audience": ["assistant"], "priority": 0.2 },
        });
        let mut picture = picture();
        picture["annotations"] = json!({ "audience": ["user"], "priority": 0.9 });
        json!({ "content": [text, picture, document(false), link()] })
    }),
);

fn define(title: &str, description: &str) -> Value {
    json!({
        "title": title,
        "description": description,
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
    })
}

fn picture() -> Value {
    json!({ "type": "image", "data": media::png(), "mimeType": "image/png" })
}

fn document(as_bytes: bool) -> Value {
    let (uri, text) = ("yardstick://about", "Yardstick's reference server.");
    let resource = if as_bytes {
        json!({ "uri": uri, "mimeType": "application/octet-stream", "blob": BASE64.encode(text) })
    } else {
        resource::text(uri, "text/plain", text)
    };
    json!({ "type": "resource", "resource": resource })
}

fn link() -> Value {
    json!({
        "type": "resource_link",
        "uri": "yardstick://guide",
        "name": "guide",
        "title": "Guide",
        "description": "A first tour, in Markdown",
        "mimeType": "text/markdown",
    })
}
