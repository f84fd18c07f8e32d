//! The type of a prompt.

use protocol::Span;
use serde_json::{Map, Value, json};

use super::media;
use super::template::Suggestions;
use crate::call::{Call, Later};

/// A prompt.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// The revisions that have it.
    pub(crate) span: Span,
    /// Its icon, as SVG.
    pub(crate) icon: Option<&'static str>,
    pub(crate) arguments: &'static [Argument],
    /// Its messages.
    pub(crate) render: Render,
}

/// An argument of a prompt.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) required: bool,
    /// What completion suggests.
    pub(crate) values: Suggestions,
}

/// How a prompt's messages are made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Render {
    /// At once.
    Now(fn(&Map<String, Value>) -> Value),
    /// After a question to the client.
    Later(fn(Call) -> Later),
}

impl Prompt {
    /// The prompt in a list.
    pub(crate) fn describe(&self) -> Value {
        let mut described = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
        });
        if !self.arguments.is_empty() {
            described["arguments"] = self.arguments.iter().map(Argument::describe).collect();
        }
        if let Some(svg) = self.icon {
            described["icons"] = media::icons(svg);
        }
        described
    }
}

impl Argument {
    fn describe(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "required": self.required })
    }
}
