//! Faults of MCP Apps: what tools, listed resources and documents say about them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::apps::{LEGACY_RESOURCE_URI, URI_SCHEME};
use protocol::capability::extension;
use serde_json::{Value, json};

use super::edit::{remove, result_of};
use super::{Effect, Fault, Outgoing};

pub(super) const FAULTS: &[&Fault] = &[
    &UI_FOR_EVERYONE,
    &UI_METADATA_MISSING,
    &UI_EXTENSION_UNDECLARED,
    &UI_NO_TEXT_FALLBACK,
    &UI_URI_SCHEME,
    &UI_RESOURCE_MISSING,
    &UI_FLAT_KEY,
    &UI_VISIBILITY_UNKNOWN,
    &UI_VISIBILITY_EMPTY,
    &UI_LISTED_MIME_WRONG,
    &UI_MIME_WRONG,
    &UI_NOT_HTML,
    &UI_TEXT_AND_BLOB,
    &UI_BLOB_NOT_BASE64,
    &UI_TWO_CONTENTS,
    &UI_CONTENT_URI_DIFFERS,
    &UI_CSP_NOT_ARRAY,
    &UI_CSP_BAD_SOURCE,
    &UI_PERMISSION_UNKNOWN,
    &UI_DOMAIN_NOT_STRING,
    &UI_BORDER_NOT_BOOLEAN,
    &LOCALE_ECHOED,
];

/// Negotiation is not looked at: everybody gets everything.
pub const UI_FOR_EVERYONE: Fault = Fault {
    name: "ui-for-everyone",
    about: "apps are shown to clients that did not negotiate them",
    effect: Effect::Switch,
};

/// Negotiation is not looked at: nobody gets anything.
pub const UI_METADATA_MISSING: Fault = Fault {
    name: "ui-metadata-missing",
    about: "clients that negotiated apps are shown none",
    effect: Effect::Switch,
};

/// The extension works, and is not declared.
pub const UI_EXTENSION_UNDECLARED: Fault = Fault {
    name: "ui-extension-undeclared",
    about: "apps are shown, but the server does not declare the extension",
    effect: Effect::Message(|out, m| {
        let undeclare = |r: &mut Value| remove(&mut r["capabilities"]["extensions"], extension::UI);
        let messages = result_of(out, "initialize", m, undeclare);
        messages.into_iter().flat_map(|m| result_of(out, "server/discover", m, undeclare)).collect()
    }),
};

/// Results that only an app can show.
pub const UI_NO_TEXT_FALLBACK: Fault = Fault {
    name: "ui-no-text-fallback",
    about: "the result of a tool with an app has empty content",
    effect: Effect::Switch,
};

/// An app at a web address.
pub const UI_URI_SCHEME: Fault = Fault {
    name: "ui-uri-scheme",
    about: "the resourceUri of tools begins with https:// instead of ui://",
    effect: Effect::Message(|out, m| {
        each_link(out, m, |ui| {
            let path =
                ui["resourceUri"].as_str().and_then(|uri| uri.strip_prefix(URI_SCHEME)).map(str::to_owned);
            ui["resourceUri"] = format!("https://{}", path.unwrap_or_default()).into();
        })
    }),
};

/// An app that does not exist.
pub const UI_RESOURCE_MISSING: Fault = Fault {
    name: "ui-resource-missing",
    about: "the resourceUri of tools names a resource that cannot be read",
    effect: Effect::Message(|out, m| {
        each_link(out, m, |ui| ui["resourceUri"] = "ui://yardstick/nowhere".into())
    }),
};

/// The key from before the nested object.
pub const UI_FLAT_KEY: Fault = Fault {
    name: "ui-flat-key",
    about: "tools name their app by the deprecated key ui/resourceUri only",
    effect: Effect::Message(|out, m| {
        each_tool(out, m, |tool| {
            let uri = tool["_meta"]["ui"]["resourceUri"].take();
            remove(&mut tool["_meta"]["ui"], "resourceUri");
            tool["_meta"][LEGACY_RESOURCE_URI] = uri;
        })
    }),
};

/// A caller that does not exist.
pub const UI_VISIBILITY_UNKNOWN: Fault = Fault {
    name: "ui-visibility-unknown",
    about: "the visibility of tools names somebody other than model and app",
    effect: Effect::Message(|out, m| each_link(out, m, |ui| ui["visibility"] = json!(["model", "user"]))),
};

/// A tool for nobody.
pub const UI_VISIBILITY_EMPTY: Fault = Fault {
    name: "ui-visibility-empty",
    about: "the visibility of tools is an empty list",
    effect: Effect::Message(|out, m| each_link(out, m, |ui| ui["visibility"] = json!([]))),
};

/// A listed app that does not look like one.
pub const UI_LISTED_MIME_WRONG: Fault = Fault {
    name: "ui-listed-mime-wrong",
    about: "apps are listed with the media type text/html",
    effect: Effect::Message(|out, m| {
        each_of_ui(out, "resources/list", "resources", m, |app| app["mimeType"] = "text/html".into())
    }),
};

/// A document that does not look like an app.
pub const UI_MIME_WRONG: Fault = Fault {
    name: "ui-mime-wrong",
    about: "apps are read with the media type text/html",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["mimeType"] = "text/html".into())
    }),
};

/// A document that is no page.
pub const UI_NOT_HTML: Fault = Fault {
    name: "ui-not-html",
    about: "the contents of apps are plain text",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            remove(content, "blob");
            content["text"] = "This is a sentence and no page.".into();
        })
    }),
};

/// A document that comes twice at once.
pub const UI_TEXT_AND_BLOB: Fault = Fault {
    name: "ui-text-and-blob",
    about: "the contents of apps have both text and blob",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            let html = html(content);
            content["blob"] = BASE64.encode(&html).into();
            content["text"] = html.into();
        })
    }),
};

/// A blob that is none.
pub const UI_BLOB_NOT_BASE64: Fault = Fault {
    name: "ui-blob-not-base64",
    about: "the blob of apps is their HTML, not encoded",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["blob"] = html(content).into();
            remove(content, "text");
        })
    }),
};

/// One document too many.
pub const UI_TWO_CONTENTS: Fault = Fault {
    name: "ui-two-contents",
    about: "reading an app gives it twice",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/read", m, |r| {
            if let Some(contents) = r["contents"].as_array_mut().filter(|all| all.iter().all(is_ui)) {
                contents.extend(contents.first().cloned());
            }
        })
    }),
};

/// Another document than the one that was asked for.
pub const UI_CONTENT_URI_DIFFERS: Fault = Fault {
    name: "ui-content-uri-differs",
    about: "the contents of apps have another uri than the one that was read",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["uri"] = "ui://yardstick/other".into())
    }),
};

/// One origin where a list of them belongs.
pub const UI_CSP_NOT_ARRAY: Fault = Fault {
    name: "ui-csp-not-array",
    about: "connectDomains of apps is a string",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["_meta"]["ui"]["csp"] = json!({ "connectDomains": "https://tile.example.org" });
        })
    }),
};

/// An origin that smuggles a directive.
pub const UI_CSP_BAD_SOURCE: Fault = Fault {
    name: "ui-csp-bad-source",
    about: "connectDomains of apps has an entry that is more than an origin",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["_meta"]["ui"]["csp"] =
                json!({ "connectDomains": ["https://tile.example.org; script-src *"] });
        })
    }),
};

/// A permission that does not exist.
pub const UI_PERMISSION_UNKNOWN: Fault = Fault {
    name: "ui-permission-unknown",
    about: "apps ask for a permission that does not exist",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["_meta"]["ui"]["permissions"] = json!({ "usb": {} }))
    }),
};

/// An origin of the wrong type.
pub const UI_DOMAIN_NOT_STRING: Fault = Fault {
    name: "ui-domain-not-string",
    about: "the domain of apps is a list",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["_meta"]["ui"]["domain"] = json!(["yardstick.example"]))
    }),
};

/// A wish in words.
pub const UI_BORDER_NOT_BOOLEAN: Fault = Fault {
    name: "ui-border-not-boolean",
    about: "prefersBorder of apps is a string",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["_meta"]["ui"]["prefersBorder"] = "yes".into())
    }),
};

/// A language that is not spoken is agreed to.
pub const LOCALE_ECHOED: Fault = Fault {
    name: "locale-echoed",
    about: "results claim whatever language was asked for",
    effect: Effect::Switch,
};

/// Edits each tool that names an app.
pub(super) fn each_tool(out: &Outgoing<'_>, message: Value, change: impl Fn(&mut Value)) -> Vec<Value> {
    result_of(out, "tools/list", message, |r| {
        let tools = r["tools"].as_array_mut().into_iter().flatten();
        tools.filter(|tool| tool.pointer("/_meta/ui/resourceUri").is_some()).for_each(change);
    })
}

/// Edits `_meta.ui` of each tool that names an app.
pub(super) fn each_link(out: &Outgoing<'_>, message: Value, change: impl Fn(&mut Value)) -> Vec<Value> {
    each_tool(out, message, |tool| change(&mut tool["_meta"]["ui"]))
}

/// Edits each document of an app.
pub(super) fn each_content(out: &Outgoing<'_>, message: Value, change: impl Fn(&mut Value)) -> Vec<Value> {
    each_of_ui(out, "resources/read", "contents", message, change)
}

/// Edits those items of a list in the result of `method` that are of an app.
pub(super) fn each_of_ui(
    out: &Outgoing<'_>,
    method: &str,
    list: &str,
    message: Value,
    change: impl Fn(&mut Value),
) -> Vec<Value> {
    result_of(out, method, message, |r| {
        r[list].as_array_mut().into_iter().flatten().filter(|item| is_ui(item)).for_each(change);
    })
}

pub(super) fn is_ui(item: &Value) -> bool {
    item["uri"].as_str().is_some_and(|uri| uri.starts_with(URI_SCHEME))
}

/// The document, however it travels.
pub(super) fn html(content: &Value) -> String {
    let decoded = content["blob"].as_str().and_then(|blob| String::from_utf8(BASE64.decode(blob).ok()?).ok());
    decoded.or_else(|| content["text"].as_str().map(str::to_owned)).unwrap_or_default()
}
