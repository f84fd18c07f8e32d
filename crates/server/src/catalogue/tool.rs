//! The type of a tool.

use std::sync::OnceLock;

use protocol::Span;
use protocol::header::ParamHeader;
use serde_json::{Value, json};

use super::media;
use crate::apps::Link;
use crate::call::{Call, Later};

/// A tool: its definition, and what it does.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The revisions that have it.
    pub(crate) span: Span,
    /// Whether it is offered only while it is switched on.
    pub(crate) dynamic: bool,
    /// Whether it runs as a task.
    pub(crate) tasks: TaskSupport,
    /// Its relation to apps.
    pub(crate) ui: Option<Link>,
    /// Its icon, as SVG.
    pub(crate) icon: Option<&'static str>,
    /// Its definition without the name, as the newest revision has it.
    pub(crate) definition: fn() -> Value,
    pub(crate) run: Run,
}

/// How a tool runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// At once.
    Now(fn(&Call, &Value) -> Value),
    /// At once, with a plain text, for which no JSON tree is built.
    Text(fn(&Value) -> String),
    /// It takes time, sends messages meanwhile, or asks the client.
    Later(fn(Call, Value) -> Later),
    /// In two stages. Where the server decides on tasks, only the second stage becomes one, so that the questions of
    /// the first are asked before there is a task. The second gets the output of the first.
    Staged(fn(Call, Value) -> Later, fn(Call, Value) -> Later),
}

/// Whether a tool runs as a task: at the client's request in 2025-11-25, by the server's decision in 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskSupport {
    /// Never.
    Forbidden,
    /// For clients that know tasks.
    Optional,
    /// Always; other clients are refused.
    Required,
}

/// A tool with its parsed definition.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) tool: &'static Tool,
    definition: Value,
    /// Built on the first call, because most tools are never called.
    validator: OnceLock<Option<jsonschema::Validator>>,
    /// The `x-mcp-header` declarations of its input schema.
    pub(crate) headers: Vec<ParamHeader>,
}

impl Tool {
    /// A tool of every revision.
    pub(crate) const fn new(name: &'static str, definition: fn() -> Value, run: Run) -> Self {
        let (span, tasks) = (Span::ALWAYS, TaskSupport::Forbidden);
        Self { name, span, dynamic: false, tasks, ui: None, icon: None, definition, run }
    }

    /// The same, only in some revisions.
    pub(crate) const fn in_span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// The same, with its relation to an app.
    pub(crate) const fn with_ui(mut self, ui: Link) -> Self {
        self.ui = Some(ui);
        self
    }

    /// The same, offered only while it is switched on.
    pub(crate) const fn switched(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// The same, run as a task.
    pub(crate) const fn with_tasks(mut self, tasks: TaskSupport) -> Self {
        self.tasks = tasks;
        self
    }

    /// The same, with an icon.
    pub(crate) const fn with_icon(mut self, svg: &'static str) -> Self {
        self.icon = Some(svg);
        self
    }

    fn describe(&self) -> Value {
        let mut definition = json!({ "name": self.name });
        if let (Some(members), Value::Object(rest)) = (definition.as_object_mut(), (self.definition)()) {
            members.extend(rest);
        }
        if let Some(support) = self.tasks.as_str() {
            definition["execution"] = json!({ "taskSupport": support });
        }
        if let Some(svg) = self.icon {
            definition["icons"] = media::icons(svg);
        }
        definition
    }
}

impl TaskSupport {
    /// The value of `execution.taskSupport`; `None` for the default.
    const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Forbidden => None,
            Self::Optional => Some("optional"),
            Self::Required => Some("required"),
        }
    }
}

impl ToolEntry {
    pub(crate) fn new(tool: &'static Tool) -> Self {
        let definition = tool.describe();
        let headers = protocol::header::declared(&definition["inputSchema"]).unwrap_or_default();
        Self { tool, validator: OnceLock::new(), headers, definition }
    }

    pub(crate) fn is_offered(&self, call: &Call) -> bool {
        self.tool.span.contains(call.version())
            && (!self.tool.dynamic || call.server.catalogue.has_dynamic())
            && self.tool.ui.is_none_or(|ui| ui.is_offered(call))
    }

    /// The definition, as this client sees it.
    pub(crate) fn describe(&self, call: &Call) -> Value {
        let mut definition = self.definition.clone();
        if let Some(ui) = self.tool.ui {
            ui.describe(call, &mut definition);
        }
        definition
    }

    /// What is wrong with the arguments: every error with its path.
    pub(crate) fn problem(&self, arguments: &Value) -> Option<String> {
        let schema = &self.definition["inputSchema"];
        let validator = self.validator.get_or_init(|| jsonschema::validator_for(schema).ok()).as_ref()?;
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

/// A result with `isError`.
pub(crate) fn failure(why: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": why.into() }], "isError": true })
}

/// A result with structured content, repeated as text for older clients.
pub(crate) fn structured(content: &Value) -> Value {
    json!({ "content": [{ "type": "text", "text": content.to_string() }], "structuredContent": content })
}
