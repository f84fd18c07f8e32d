//! What the server offers, as values: tools, resources, templates and prompts.

mod icon;
pub(crate) mod media;
mod prompt;
pub(crate) mod prompts;
pub(crate) mod resource;
mod switch;
pub(crate) mod template;
mod templates;
pub(crate) mod tool;
mod tools;
mod uri;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::apps;
use crate::call::{Call, Work};
use crate::server::Change;

pub(crate) use prompt::{Argument, Prompt, Render};
pub(crate) use resource::Resource;
pub(crate) use switch::List;
pub(crate) use template::{Read, Suggestions, Template};
pub(crate) use tool::{Run, TaskSupport, Tool, ToolEntry};

use switch::Switches;

/// The server's own icon.
pub(crate) const ICON: &str = icon::RULER;

/// Everything that is offered.
#[derive(Debug)]
pub(crate) struct Catalogue {
    tools: Vec<ToolEntry>,
    by_name: HashMap<&'static str, usize>,
    switches: Switches,
    touches: AtomicU64,
}

/// A resource that exists.
pub(crate) enum Found {
    /// With its contents.
    Contents(Vec<Value>),
    /// Its contents take time. The work returns the result of `resources/read`.
    Later(Work),
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        let tools: Vec<_> =
            tools::ALL.iter().copied().flatten().copied().flatten().map(ToolEntry::new).collect();
        let by_name = tools.iter().enumerate().map(|(at, entry)| (entry.tool.name, at)).collect();
        Self { tools, by_name, switches: Switches::default(), touches: AtomicU64::new(0) }
    }

    /// The tools that this client is offered, always in the same order.
    pub(crate) fn tools<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a ToolEntry> {
        self.tools.iter().filter(|entry| entry.is_offered(call))
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&ToolEntry> {
        self.by_name.get(name).map(|at| &self.tools[*at])
    }

    /// Whether the switchable tool is on.
    pub(crate) fn has_dynamic(&self) -> bool {
        self.switches.is_on(List::Tools)
    }

    /// Switches the switchable item of a list, and returns whether it is on now.
    pub(crate) fn toggle(&self, call: &Call, list: List) -> bool {
        let there = self.switches.toggle(list);
        call.server.notify_change(&match list {
            List::Tools => Change::Tools,
            List::Prompts => Change::Prompts,
            List::Resources => Change::Resources,
        });
        there
    }

    /// Increments the counter, and notifies subscribers.
    pub(crate) fn touch(&self, call: &Call) -> u64 {
        let touches = self.touches.fetch_add(1, Ordering::Relaxed) + 1;
        call.server.notify_change(&Change::Resource(resource::COUNTER.to_owned()));
        touches
    }

    pub(crate) fn touches(&self) -> u64 {
        self.touches.load(Ordering::Relaxed)
    }

    /// The resources that this client sees: our own, members of templates, and the fixtures.
    pub(crate) fn resources<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = Value> {
        let (own, rest) = resource::RESOURCES.split_at(1);
        let own = own.iter().copied().flatten().chain(self.guest());
        let rest = rest.iter().copied().flatten();
        own.map(Resource::describe)
            .chain(templates().flat_map(Template::resources))
            .chain(rest.map(Resource::describe))
            .chain(apps::listed(call))
    }

    pub(crate) fn templates(&self) -> impl Iterator<Item = Value> {
        templates().map(Template::describe)
    }

    /// The resource of that URI.
    pub(crate) fn find_resource(&self, call: &Call, uri: &str) -> Option<Found> {
        if let Some(contents) = apps::read_app(call, uri) {
            return Some(Found::Contents(contents));
        }
        let listed = resource::RESOURCES.iter().copied().flatten().chain(self.guest());
        if let Some(resource) = listed.into_iter().find(|r| r.uri == uri) {
            return Some(Found::Contents((resource.read)(call)));
        }
        templates().find_map(|template| {
            let values = template.values(uri)?;
            match template.read {
                Read::Now(read) => read(uri, &values).map(|contents| Found::Contents(vec![contents])),
                Read::Later(read) => {
                    let uri = uri.to_owned();
                    Some(Found::Later(Box::new(move |call| read(call, uri, values))))
                }
            }
        })
    }

    /// The suggestions for `variable` in a template; `None` when there is no such template or variable.
    pub(crate) fn suggestions(&self, uri: &str, variable: &str) -> Option<Suggestions> {
        templates().find(|template| template.uri == uri)?.suggestions(variable)
    }

    /// The prompts that this client is offered.
    pub(crate) fn prompts(&self, call: &Call) -> impl Iterator<Item = &'static Prompt> {
        let version = call.version();
        let guest = self.switches.is_on(List::Prompts).then_some(&prompts::GUEST);
        let all = prompts::PROMPTS.iter().copied().flatten().chain(guest);
        all.filter(move |prompt| prompt.span.contains(version))
    }

    /// The prompt of that name, if this client is offered it.
    pub(crate) fn prompt(&self, call: &Call, name: &str) -> Option<&'static Prompt> {
        self.prompts(call).find(|prompt| prompt.name == name)
    }

    fn guest(&self) -> Option<&'static Resource> {
        self.switches.is_on(List::Resources).then_some(&resource::GUEST)
    }
}

fn templates() -> impl Iterator<Item = &'static Template> {
    resource::TEMPLATES.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let catalogue = Catalogue::new();
        assert_eq!(catalogue.by_name.len(), catalogue.tools.len());
        let prompts: Vec<_> = prompts::PROMPTS.iter().copied().flatten().map(|p| p.name).collect();
        assert_eq!(prompts.iter().collect::<BTreeSet<_>>().len(), prompts.len());
        let uris: Vec<_> = resource::RESOURCES.iter().copied().flatten().map(|r| r.uri).collect();
        assert_eq!(uris.iter().collect::<BTreeSet<_>>().len(), uris.len());
    }

    #[test]
    fn what_templates_suggest_stands_for_their_variables() {
        for template in templates() {
            let variables: Vec<_> = uri::variables(template.uri).collect();
            for (name, _) in template.suggestions {
                assert!(variables.contains(name), "{} has no {name}", template.uri);
            }
            assert!(template.listed.is_empty() || variables.len() == 1, "{}", template.uri);
        }
    }
}
