//! What a prompt is here, and the prompts of our own.

use protocol::Span;
use serde_json::{Map, Value, json};

use crate::context::{Call, Stop};

/// A prompt.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// The revisions that it makes sense in.
    pub(crate) span: Span,
    pub(crate) arguments: &'static [Argument],
    /// Its messages.
    pub(crate) render: fn(&Call, &Map<String, Value>) -> Result<Value, Stop>,
}

/// An argument of a prompt.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) required: bool,
    /// What completion suggests.
    pub(crate) values: &'static [&'static str],
}

/// Every prompt, group by group.
pub(super) const PROMPTS: &[&[Prompt]] = &[OWN];

const OWN: &[Prompt] = &[Prompt {
    name: "review",
    title: "Review code",
    description: "Asks for a review of a piece of code",
    span: Span::ALWAYS,
    arguments: &[
        Argument { name: "code", description: "The code", required: true, values: &[] },
        Argument {
            name: "language",
            description: "The language it is written in",
            required: false,
            values: &["javascript", "python", "rust", "typescript"],
        },
    ],
    render: |_, arguments| {
        let code = arguments.get("code").and_then(Value::as_str).unwrap_or_default();
        let language = arguments.get("language").and_then(Value::as_str).unwrap_or_default();
        let text = format!("Please review this code:\n\n```{language}\n{code}\n```");
        Ok(json!([{ "role": "user", "content": { "type": "text", "text": text } }]))
    },
}];

impl Prompt {
    /// The prompt in a list.
    pub(crate) fn described(&self) -> Value {
        let arguments: Vec<_> = self
            .arguments
            .iter()
            .map(|a| json!({ "name": a.name, "description": a.description, "required": a.required }))
            .collect();
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": arguments,
        })
    }
}
