//! What a tool is here.

use protocol::Span;
use protocol::header::ParamHeader;
use serde_json::{Value, json};

use crate::context::{Call, Later};

/// A tool: its definition, and what it does.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The revisions that it makes sense in.
    pub(crate) span: Span,
    /// Whether it is offered only while it has been switched on.
    pub(crate) dynamic: bool,
    /// Its definition without the name, as the newest revision has it.
    pub(crate) definition: fn() -> Value,
    pub(crate) run: Run,
}

/// How a tool runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// At once.
    Now(fn(&Call, &Value) -> Value),
    /// It takes time, says things meanwhile, or asks the client.
    Later(fn(Call, Value) -> Later),
}

/// A tool, made ready.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) tool: &'static Tool,
    definition: Value,
    validator: Option<jsonschema::Validator>,
    /// The `x-mcp-header` declarations of its input schema.
    pub(crate) headers: Vec<ParamHeader>,
}

impl Tool {
    /// A tool of every revision.
    pub(crate) const fn new(name: &'static str, definition: fn() -> Value, run: Run) -> Self {
        Self { name, span: Span::ALWAYS, dynamic: false, definition, run }
    }

    /// The same, in some revisions only.
    pub(crate) const fn in_span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }
}

impl ToolEntry {
    pub(crate) fn new(tool: &'static Tool) -> Self {
        let mut definition = json!({ "name": tool.name });
        if let (Some(members), Value::Object(rest)) = (definition.as_object_mut(), (tool.definition)()) {
            members.extend(rest);
        }
        let schema = &definition["inputSchema"];
        let validator = jsonschema::validator_for(schema).ok();
        let headers = protocol::header::declared(schema).unwrap_or_default();
        Self { tool, validator, headers, definition }
    }

    pub(crate) fn is_offered(&self, call: &Call) -> bool {
        self.tool.span.contains(call.version()) && (!self.tool.dynamic || call.server.catalogue.has_dynamic())
    }

    /// The definition, as this client sees it.
    pub(crate) fn described(&self, _call: &Call) -> Value {
        self.definition.clone()
    }

    /// What is wrong with the arguments: every flaw, each with its place.
    pub(crate) fn problem(&self, arguments: &Value) -> Option<String> {
        let validator = self.validator.as_ref()?;
        if validator.is_valid(arguments) {
            return None;
        }
        let flaws = validator.iter_errors(arguments).map(|error| match error.instance_path().as_str() {
            "" => error.to_string(),
            path => format!("{path}: {error}"),
        });
        Some(flaws.collect::<Vec<_>>().join("; "))
    }
}

/// A result of one text.
pub(crate) fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// A result that says that the tool failed.
pub(crate) fn failure(why: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": why.into() }], "isError": true })
}
