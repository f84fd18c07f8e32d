//! Faults of MCP Apps in the small print: lists, spelling, placement, markup.

use protocol::capability::extension;
use serde_json::{Value, json};

use super::apps::{each_content, each_link, each_of_ui, html, is_ui};
use super::edit::{remove, result_of};
use super::{Effect, Fault, Outgoing};

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

/// A declaration that says nothing.
pub const UI_EXTENSION_MALFORMED: Fault = Fault {
    name: "ui-extension-malformed",
    about: "the extension is declared with one media type where a list belongs",
    effect: Effect::Message(|out, m| {
        let spoil = |r: &mut Value| {
            if let Some(settings) = r["capabilities"]["extensions"].get_mut(extension::UI) {
                *settings = json!({ "mimeTypes": "text/html" });
            }
        };
        let messages = result_of(out, "initialize", m, spoil);
        messages.into_iter().flat_map(|m| result_of(out, "server/discover", m, spoil)).collect()
    }),
};

/// Negotiation stops at the name of the extension.
pub const UI_ANY_MEDIA_TYPE: Fault = Fault {
    name: "ui-any-media-type",
    about: "apps are shown to clients that declare the extension with other media types",
    effect: Effect::Switch,
};

/// A tool with more than one app, and so with none.
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

/// A policy where nobody looks for it.
pub const UI_CSP_ON_TOOL: Fault = Fault {
    name: "ui-csp-on-tool",
    about: "tools declare the CSP of their app",
    effect: Effect::Message(|out, m| {
        each_link(out, m, |ui| ui["csp"] = json!({ "connectDomains": ["https://tile.example.org"] }))
    }),
};

/// A tool for apps that no app can call.
pub const UI_APP_ONLY_REFUSED: Fault = Fault {
    name: "ui-app-only-refused",
    about: "tools that are for apps alone are listed, and refused when they are called",
    effect: Effect::Switch,
};

/// A policy by another name.
pub const UI_KEYS_MISSPELT: Fault = Fault {
    name: "ui-keys-misspelt",
    about: "connectDomains of apps is spelt connectdomains",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| {
            content["_meta"]["ui"]["csp"] = json!({ "connectdomains": ["https://tile.example.org"] });
        })
    }),
};

/// A listed app that typed clients cannot read.
pub const UI_LISTED_WITHOUT_NAME: Fault = Fault {
    name: "ui-listed-without-name",
    about: "apps are listed without a name",
    effect: Effect::Message(|out, m| each_listed(out, m, |app| remove(app, "name"))),
};

/// A listed app at a web address.
pub const UI_LISTED_ELSEWHERE: Fault = Fault {
    name: "ui-listed-elsewhere",
    about: "apps are listed with a web address",
    effect: Effect::Message(|out, m| {
        each_listed(out, m, |app| app["uri"] = format!("https://yardstick.example/{}", app["name"]).into())
    }),
};

/// A listed app that is there twice.
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

/// A listed app with a policy that cannot be read.
pub const UI_LISTED_CSP_NOT_ARRAY: Fault = Fault {
    name: "ui-listed-csp-not-array",
    about: "connectDomains of listed apps is a string",
    effect: Effect::Message(|out, m| {
        each_listed(out, m, |app| {
            app["_meta"]["ui"]["csp"] = json!({ "connectDomains": "https://tile.example.org" });
        })
    }),
};

/// A size that is not that of the document.
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

/// Markup that browsers have to mend.
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

/// An origin without a scheme.
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

/// A document that does not say that it is HTML5.
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
