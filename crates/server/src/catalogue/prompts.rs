//! The server's own prompts.

use protocol::Span;
use serde_json::{Map, Value, json};

use super::icon;
use super::media;
use super::prompt::{Argument, Prompt, Render};
use super::template::Suggestions;

/// Every prompt, group by group.
pub(super) const PROMPTS: &[&[Prompt]] = &[OWN, crate::fixtures::PROMPTS];

/// The prompt that is listed only while it is switched on.
pub(super) const GUEST: Prompt = Prompt {
    name: "guest",
    title: "The prompt that comes and goes",
    description: "Listed while the tool `toggle` has it switched on",
    span: Span::ALWAYS,
    icon: None,
    arguments: &[],
    render: Render::Now(|_| json!([user("Say goodbye before I leave.")])),
};

const OWN: &[Prompt] = &[REVIEW, TRANSLATE, EXPLAIN_GUIDE, DESCRIBE_PICTURE];

const REVIEW: Prompt = Prompt {
    name: "review",
    title: "Review code",
    description: "Asks for a review of a piece of code",
    span: Span::ALWAYS,
    icon: Some(icon::PAGE),
    arguments: &[
        Argument { name: "code", description: "The code", required: true, values: Suggestions::None },
        Argument {
            name: "language",
            description: "The language it is written in",
            required: false,
            values: Suggestions::Fixed(&["javascript", "python", "rust", "typescript"]),
        },
    ],
    render: Render::Now(|arguments| {
        let (code, language) = (text(arguments, "code"), text(arguments, "language"));
        json!([user(&format!("Please review this code:\n\n```{language}\n{code}\n```"))])
    }),
};

/// The suggestions for its second argument depend on the first one.
const TRANSLATE: Prompt = Prompt {
    name: "translate",
    title: "Translate",
    description: "Asks for a translation, in the manner of a region",
    span: Span::ALWAYS,
    icon: None,
    arguments: &[
        Argument {
            name: "text",
            description: "What to translate",
            required: true,
            values: Suggestions::None,
        },
        Argument {
            name: "language",
            description: "Into which language",
            required: true,
            values: Suggestions::Fixed(&["English", "French", "German", "Portuguese"]),
        },
        Argument {
            name: "region",
            description: "As spoken where; suggestions depend on the language",
            required: false,
            values: Suggestions::By(regions),
        },
    ],
    render: Render::Now(|arguments| {
        let (what, language) = (text(arguments, "text"), text(arguments, "language"));
        let region = match text(arguments, "region") {
            "" => String::new(),
            region => format!(" as spoken in {region}"),
        };
        json!([
            user(&format!("Translate into {language}{region}: {what}")),
            { "role": "assistant", "content": { "type": "text", "text": "The translation is:" } },
        ])
    }),
};

/// A message with a resource in it.
const EXPLAIN_GUIDE: Prompt = Prompt {
    name: "explain-guide",
    title: "Explain the guide",
    description: "Asks for an explanation of a text that comes along as a resource",
    span: Span::ALWAYS,
    icon: None,
    arguments: &[],
    render: Render::Now(|_| {
        let guide =
            json!({ "uri": "yardstick://guide", "mimeType": "text/markdown", "text": "# Where to start" });
        json!([user("Explain this guide."), { "role": "user", "content": { "type": "resource", "resource": guide } }])
    }),
};

/// A message with a picture in it.
const DESCRIBE_PICTURE: Prompt = Prompt {
    name: "describe-picture",
    title: "Describe a picture",
    description: "Asks for a description of a picture that comes along",
    span: Span::ALWAYS,
    icon: Some(icon::PICTURE),
    arguments: &[],
    render: Render::Now(|_| {
        let picture = json!({ "type": "image", "data": media::png(), "mimeType": "image/png" });
        json!([{ "role": "user", "content": picture }, user("What does the picture show?")])
    }),
};

/// Where a language is spoken.
fn regions(others: &Map<String, Value>) -> &'static [&'static str] {
    match text(others, "language") {
        "English" => &["Ireland", "New Zealand", "Nigeria"],
        "French" => &["Belgium", "Québec", "Senegal"],
        "German" => &["Austria", "Switzerland"],
        "Portuguese" => &["Angola", "Brazil"],
        _ => &[],
    }
}

/// A message of the user.
pub(crate) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": { "type": "text", "text": text } })
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}
