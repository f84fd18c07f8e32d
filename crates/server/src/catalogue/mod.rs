//! What the server offers, as values: tools, resources, templates and prompts.

mod prompt;
mod resource;
mod tool;
mod tools;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;

use crate::context::Call;
use crate::server::Change;

pub(crate) use prompt::{Argument, Prompt};
pub(crate) use resource::{Resource, Template};
pub(crate) use tool::{Run, Tool, ToolEntry};

/// Everything that is offered.
#[derive(Debug)]
pub(crate) struct Catalogue {
    tools: Vec<ToolEntry>,
    by_name: HashMap<&'static str, usize>,
    /// Whether the tool that comes and goes is there.
    dynamic: AtomicBool,
    turns: AtomicUsize,
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        let tools: Vec<_> = tools::ALL.iter().flat_map(|group| group.iter()).map(ToolEntry::new).collect();
        let by_name = tools.iter().enumerate().map(|(at, entry)| (entry.tool.name, at)).collect();
        Self { tools, by_name, dynamic: AtomicBool::new(false), turns: AtomicUsize::new(0) }
    }

    /// The tools that this client is offered, always in the same order.
    pub(crate) fn tools<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a ToolEntry> {
        self.tools.iter().filter(|entry| entry.is_offered(call))
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&ToolEntry> {
        self.by_name.get(name).map(|at| &self.tools[*at])
    }

    /// Whether the tool that comes and goes is there.
    pub(crate) fn has_dynamic(&self) -> bool {
        self.dynamic.load(Ordering::Relaxed)
    }

    /// Adds or removes the tool that comes and goes; says whether it is there now.
    pub(crate) fn toggle(&self, call: &Call) -> bool {
        let there = !self.dynamic.fetch_not(Ordering::Relaxed);
        call.server.changed(&Change::Tools);
        there
    }

    /// A number that is another one each time.
    pub(crate) fn turn(&self) -> usize {
        self.turns.fetch_add(1, Ordering::Relaxed)
    }

    /// The listed resources, as this client sees them.
    pub(crate) fn resources<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = Value> {
        resource::RESOURCES.iter().flat_map(|group| group.iter()).map(move |r| r.described(call))
    }

    pub(crate) fn templates(&self) -> impl Iterator<Item = Value> {
        resource::TEMPLATES.iter().map(|t| (t.definition)())
    }

    /// The contents of a resource; `None` when there is none of that URI.
    pub(crate) fn read(&self, call: &Call, uri: &str) -> Option<Vec<Value>> {
        let listed = resource::RESOURCES.iter().flat_map(|group| group.iter()).find(|r| r.uri == uri);
        match listed {
            Some(resource) => Some((resource.read)(call)),
            None => resource::TEMPLATES.iter().find_map(|t| t.read(uri)),
        }
    }

    /// What may stand for `variable` in a template.
    pub(crate) fn template_values(&self, uri: &str, variable: &str) -> Option<&'static [&'static str]> {
        let template = resource::TEMPLATES.iter().find(|t| t.uri == uri)?;
        (template.variable == variable).then_some(template.values)
    }

    pub(crate) fn prompts<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'static Prompt> + 'a {
        prompt::PROMPTS.iter().flat_map(|group| group.iter()).filter(|p| p.span.contains(call.version()))
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&'static Prompt> {
        prompt::PROMPTS.iter().flat_map(|group| group.iter()).find(|p| p.name == name)
    }
}
