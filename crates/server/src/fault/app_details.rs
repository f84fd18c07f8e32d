//! Faults of MCP Apps in details: lists, spelling, placement, markup.

use protocol::apps::MIME_TYPE;
use protocol::capability::extension;
use protocol::code;
use serde_json::{Value, json};

use super::apps::{each_content, each_link, each_of_ui, html, is_ui};
use super::edit::{remove, result_of};
use super::{Effect, Fault, Outgoing, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &UI_EXTENSION_MALFORMED,
    &UI_ANY_MEDIA_TYPE,
    &UI_RESOURCE_URI_NOT_STRING,
    &UI_CSP_ON_TOOL,
    &UI_APP_ONLY_REFUSED,
    &UI_KEYS_MISSPELT,
    &UI_LISTED_WITHOUT_NAME,
    &UI_LISTED_ELSEWHERE,
    &UI_LISTED_TWICE,
    &UI_LISTED_CSP_NOT_ARRAY,
    &UI_SIZE_WRONG,
    &UI_HTML_MISNESTED,
    &UI_CSP_WITHOUT_SCHEME,
    &UI_WITHOUT_DOCTYPE,
];

pub const UI_EXTENSION_MALFORMED: Fault = Fault {
    name: "ui-extension-malformed",
    about: "the extension is declared with one media type where a list belongs",
    effect: Effect::Replace(
        &["initialize", "server/discover"],
        &["capabilities", "extensions", extension::UI],
        || json!({ "mimeTypes": "text/html" }),
    ),
};

pub const UI_ANY_MEDIA_TYPE: Fault = Fault {
    name: "ui-any-media-type",
    about: "apps are shown to clients that declare the extension with other media types",
    effect: Effect::Incoming(|incoming| {
        let declared = incoming.capabilities().and_then(|declared| declared.get_mut("extensions"));
        if let Some(settings) = declared.and_then(|extensions| extensions.get_mut(extension::UI)) {
            *settings = json!({ "mimeTypes": [MIME_TYPE] });
        }
        None
    }),
};

pub const UI_RESOURCE_URI_NOT_STRING: Fault = Fault {
    name: "ui-resource-uri-not-string",
    about: "the resourceUri of a tool is a list",
    effect: Effect::Message(|out, m| {
        each_link(out, m, |ui| {
            if ui["resourceUri"] == "ui://yardstick/chart" {
                ui["resourceUri"] = json!(["ui://yardstick/chart"]);
            }
        })
    }),
};

pub const UI_CSP_ON_TOOL: Fault = Fault {
    name: "ui-csp-on-tool",
    about: "tools declare the CSP of their app",
    effect: Effect::Message(|out, m| {
        each_link(out, m, |ui| ui["csp"] = json!({ "connectDomains": ["https://tile.example.org"] }))
    }),
};

pub const UI_APP_ONLY_REFUSED: Fault = Fault {
    name: "ui-app-only-refused",
    about: "tools that are for apps alone are listed, and refused when they are called",
    effect: Effect::Incoming(|incoming| {
        let link = incoming.tool()?.tool.ui?;
        let why = || format!("unknown tool: {}", incoming.params["name"]);
        link.is_for_apps_alone().then(|| Reaction::Refuse(code::INVALID_PARAMS, why()))
    }),
};

pub const UI_KEYS_MISSPELT: Fault = Fault {
    name: "ui-keys-misspelt",
    about: "connectDomains of apps is spelt connectdomains",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["_meta"]["ui"]["csp"] = json!({ "connectdomains": ["https://tile.example.org"] });
        })
    }),
};

pub const UI_LISTED_WITHOUT_NAME: Fault = Fault {
    name: "ui-listed-without-name",
    about: "apps are listed without a name",
    effect: Effect::Message(|out, m| each_listed(out, m, |app| remove(app, "name"))),
};

pub const UI_LISTED_ELSEWHERE: Fault = Fault {
    name: "ui-listed-elsewhere",
    about: "apps are listed with a web address",
    effect: Effect::Message(|out, m| {
        each_listed(out, m, |app| app["uri"] = format!("https://yardstick.example/{}", app["name"]).into())
    }),
};

pub const UI_LISTED_TWICE: Fault = Fault {
    name: "ui-listed-twice",
    about: "an app is listed twice",
    effect: Effect::Message(|out, m| {
        result_of(out, "resources/list", m, |r| {
            if let Some(list) = r["resources"].as_array_mut() {
                let first = list.iter().find(|item| is_ui(item)).cloned();
                list.extend(first);
            }
        })
    }),
};

pub const UI_LISTED_CSP_NOT_ARRAY: Fault = Fault {
    name: "ui-listed-csp-not-array",
    about: "connectDomains of listed apps is a string",
    effect: Effect::Message(|out, m| {
        each_listed(out, m, |app| {
            app["_meta"]["ui"]["csp"] = json!({ "connectDomains": "https://tile.example.org" });
        })
    }),
};

pub const UI_SIZE_WRONG: Fault = Fault {
    name: "ui-size-wrong",
    about: "apps are listed with one byte more than they have",
    effect: Effect::Message(|out, m| {
        each_listed(out, m, |app| {
            if let Some(size) = app["size"].as_u64() {
                app["size"] = (size + 1).into();
            }
        })
    }),
};

pub const UI_HTML_MISNESTED: Fault = Fault {
    name: "ui-html-misnested",
    about: "the documents of apps have elements that overlap",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            let broken = html(content).replacen("</body>", "<b><p>overlapping</b></p></section></body>", 1);
            remove(content, "blob");
            content["text"] = broken.into();
        })
    }),
};

pub const UI_CSP_WITHOUT_SCHEME: Fault = Fault {
    name: "ui-csp-without-scheme",
    about: "connectDomains of apps has a host without a scheme",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["_meta"]["ui"]["csp"] = json!({ "connectDomains": ["tile.example.org"] });
        })
    }),
};

/// Edits each app that is listed.
fn each_listed(out: &Outgoing<'_>, message: Value, change: impl Fn(&mut Value)) -> Vec<Value> {
    each_of_ui(out, "resources/list", "resources", message, change)
}

pub const UI_WITHOUT_DOCTYPE: Fault = Fault {
    name: "ui-without-doctype",
    about: "the documents of apps have no doctype",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            let whole = html(content);
            let bare = whole.find("<html").map_or(whole.as_str(), |at| &whole[at..]);
            remove(content, "blob");
            content["text"] = bare.into();
        })
    }),
};
