//! Faults of MCP Apps: what tools, listed resources and documents say about them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::apps::openai::LOCALE;
use protocol::apps::{LEGACY_RESOURCE_URI, MIME_TYPE, URI_SCHEME};
use protocol::capability::extension;
use serde_json::{Value, json};

use super::edit::{remove, result_of, results_of};
use super::{Effect, Fault, Outgoing};
use crate::apps::Hints;

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

pub const UI_FOR_EVERYONE: Fault = Fault {
    name: "ui-for-everyone",
    about: "apps are shown to clients that did not negotiate them",
    effect: Effect::Incoming(|incoming| {
        if let Some(declared) = incoming.capabilities() {
            declared["extensions"][extension::UI] = json!({ "mimeTypes": [MIME_TYPE] });
        }
        None
    }),
};

pub const UI_METADATA_MISSING: Fault = Fault {
    name: "ui-metadata-missing",
    about: "clients that negotiated apps are shown none",
    effect: Effect::Incoming(|incoming| {
        if let Some(extensions) = incoming.capabilities().and_then(|declared| declared.get_mut("extensions"))
        {
            remove(extensions, extension::UI);
        }
        None
    }),
};

pub const UI_EXTENSION_UNDECLARED: Fault = Fault {
    name: "ui-extension-undeclared",
    about: "apps are shown, but the server does not declare the extension",
    effect: Effect::Remove(
        &["initialize", "server/discover"],
        &["capabilities", "extensions", extension::UI],
    ),
};

pub const UI_NO_TEXT_FALLBACK: Fault = Fault {
    name: "ui-no-text-fallback",
    about: "the result of a tool with an app has empty content",
    effect: Effect::Message(|out, m| {
        let tool = out.params["name"].as_str().and_then(|name| out.server.catalogue.tool(name));
        let has_app = tool.and_then(|tool| tool.tool.ui).is_some_and(|link| link.has_app());
        result_of(out, "tools/call", m, |r| {
            if has_app && r.get("content").is_some() {
                r["content"] = json!([]);
            }
        })
    }),
};

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

pub const UI_RESOURCE_MISSING: Fault = Fault {
    name: "ui-resource-missing",
    about: "the resourceUri of tools names a resource that cannot be read",
    effect: Effect::Replace(&["tools/list"], &["tools", "*", "_meta", "ui", "resourceUri"], || {
        "ui://yardstick/nowhere".into()
    }),
};

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

pub const UI_VISIBILITY_UNKNOWN: Fault = Fault {
    name: "ui-visibility-unknown",
    about: "the visibility of tools names somebody other than model and app",
    effect: Effect::Message(|out, m| each_link(out, m, |ui| ui["visibility"] = json!(["model", "user"]))),
};

pub const UI_VISIBILITY_EMPTY: Fault = Fault {
    name: "ui-visibility-empty",
    about: "the visibility of tools is an empty list",
    effect: Effect::Message(|out, m| each_link(out, m, |ui| ui["visibility"] = json!([]))),
};

pub const UI_LISTED_MIME_WRONG: Fault = Fault {
    name: "ui-listed-mime-wrong",
    about: "apps are listed with the media type text/html",
    effect: Effect::Message(|out, m| {
        each_of_ui(out, "resources/list", "resources", m, |app| app["mimeType"] = "text/html".into())
    }),
};

pub const UI_MIME_WRONG: Fault = Fault {
    name: "ui-mime-wrong",
    about: "apps are read with the media type text/html",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["mimeType"] = "text/html".into())
    }),
};

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

pub const UI_CONTENT_URI_DIFFERS: Fault = Fault {
    name: "ui-content-uri-differs",
    about: "the contents of apps have another uri than the one that was read",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["uri"] = "ui://yardstick/other".into())
    }),
};

pub const UI_CSP_NOT_ARRAY: Fault = Fault {
    name: "ui-csp-not-array",
    about: "connectDomains of apps is a string",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["_meta"]["ui"]["csp"] = json!({ "connectDomains": "https://tile.example.org" });
        })
    }),
};

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

pub const UI_PERMISSION_UNKNOWN: Fault = Fault {
    name: "ui-permission-unknown",
    about: "apps ask for a permission that does not exist",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["_meta"]["ui"]["permissions"] = json!({ "usb": {} }))
    }),
};

pub const UI_DOMAIN_NOT_STRING: Fault = Fault {
    name: "ui-domain-not-string",
    about: "the domain of apps is a list",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["_meta"]["ui"]["domain"] = json!(["yardstick.example"]))
    }),
};

pub const UI_BORDER_NOT_BOOLEAN: Fault = Fault {
    name: "ui-border-not-boolean",
    about: "prefersBorder of apps is a string",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["_meta"]["ui"]["prefersBorder"] = "yes".into())
    }),
};

pub const LOCALE_ECHOED: Fault = Fault {
    name: "locale-echoed",
    about: "results claim whatever language was asked for",
    effect: Effect::Message(|out, m| {
        let asked = Hints::from_params(out.params).locale;
        results_of(out, &[], m, |r| {
            if let Some(asked) = asked.filter(|_| r["_meta"].get(LOCALE).is_some()) {
                r["_meta"][LOCALE] = asked.into();
            }
        })
    }),
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
