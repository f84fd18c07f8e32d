//! Faults of the metadata of OpenAI's Apps SDK.

use protocol::apps::openai::{
    INVOKING, OUTPUT_TEMPLATE, VISIBILITY, WIDGET_ACCESSIBLE, WIDGET_CSP, WIDGET_DESCRIPTION,
    WIDGET_PREFERS_BORDER,
};
use serde_json::{Value, json};

use super::apps::{each_content, each_of_ui};
use super::edit::result_of;
use super::{Effect, Fault, Outgoing};

pub(super) const FAULTS: &[&Fault] = &[
    &OPENAI_TEMPLATE_MISSING,
    &OPENAI_TEMPLATE_PLAIN,
    &OPENAI_FLAGS_WRONG,
    &OPENAI_STATUS_LONG,
    &OPENAI_VISIBILITY_DIFFERS,
    &OPENAI_CSP_NOT_ARRAY,
    &OPENAI_CSP_DIFFERS,
    &OPENAI_BORDER_WORD,
    &OPENAI_STRUCTURED_LARGE,
];

pub const OPENAI_TEMPLATE_MISSING: Fault = Fault {
    name: "openai-template-missing",
    about: "openai/outputTemplate of tools names a resource that cannot be read",
    effect: Effect::Replace(&["tools/list"], &["tools", "*", "_meta", OUTPUT_TEMPLATE], || {
        "ui://yardstick/nowhere".into()
    }),
};

pub const OPENAI_TEMPLATE_PLAIN: Fault = Fault {
    name: "openai-template-plain",
    about: "apps are read with the media type text/plain",
    effect: Effect::Message(|out, m| {
        each_content(out, m, |content| content["mimeType"] = "text/plain".into())
    }),
};

pub const OPENAI_FLAGS_WRONG: Fault = Fault {
    name: "openai-flags-wrong",
    about: "openai/widgetAccessible of tools is a string",
    effect: Effect::Replace(&["tools/list"], &["tools", "*", "_meta", WIDGET_ACCESSIBLE], || "yes".into()),
};

pub const OPENAI_STATUS_LONG: Fault = Fault {
    name: "openai-status-long",
    about: "openai/toolInvocation/invoking of tools has 65 characters",
    effect: Effect::Replace(&["tools/list"], &["tools", "*", "_meta", INVOKING], || "x".repeat(65).into()),
};

pub const OPENAI_VISIBILITY_DIFFERS: Fault = Fault {
    name: "openai-visibility-differs",
    about: "openai/visibility of tools is private, whatever ui.visibility says",
    effect: Effect::Replace(&["tools/list"], &["tools", "*", "_meta", VISIBILITY], || "private".into()),
};

pub const OPENAI_CSP_NOT_ARRAY: Fault = Fault {
    name: "openai-csp-not-array",
    about: "connect_domains of widgets is a string",
    effect: Effect::Message(|out, m| {
        each_widget(out, m, WIDGET_CSP, |csp| csp["connect_domains"] = "https://tile.example.org".into())
    }),
};

pub const OPENAI_CSP_DIFFERS: Fault = Fault {
    name: "openai-csp-differs",
    about: "connect_domains of widgets has an origin that connectDomains has not",
    effect: Effect::Message(|out, m| {
        each_widget(out, m, WIDGET_CSP, |csp| csp["connect_domains"] = json!(["https://other.example.org"]))
    }),
};

pub const OPENAI_BORDER_WORD: Fault = Fault {
    name: "openai-border-word",
    about: "openai/widgetPrefersBorder of widgets is a string, and their description is empty",
    effect: Effect::Message(|out, m| {
        let messages = each_widget(out, m, WIDGET_PREFERS_BORDER, |value| *value = "yes".into());
        messages
            .into_iter()
            .flat_map(|m| each_widget(out, m, WIDGET_DESCRIPTION, |value| *value = "".into()))
            .collect()
    }),
};

pub const OPENAI_STRUCTURED_LARGE: Fault = Fault {
    name: "openai-structured-large",
    about: "structured content has more than ten kilobytes",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/call", m, |r| {
            if let Some(structured) = r.get_mut("structuredContent").and_then(Value::as_object_mut) {
                structured.insert("padding".to_owned(), "x".repeat(11 * 1024).into());
            }
        })
    }),
};

/// Edits a key of each app that has it, listed or read.
fn each_widget(out: &Outgoing<'_>, message: Value, key: &str, change: impl Fn(&mut Value)) -> Vec<Value> {
    let edit = |item: &mut Value| {
        if let Some(value) = item.get_mut("_meta").and_then(|meta| meta.get_mut(key)) {
            change(value);
        }
    };
    let messages = each_of_ui(out, "resources/list", "resources", message, edit);
    messages.into_iter().flat_map(|m| each_of_ui(out, "resources/read", "contents", m, edit)).collect()
}
