//! Every message type of every revision, by area.

mod apps;
mod base;
mod completion;
mod content;
mod elicitation;
mod elicitation_schema;
mod envelope;
mod errors;
mod json;
mod lifecycle;
mod meta;
mod prompts;
mod resources;
mod roots;
mod sampling;
mod subscriptions;
mod tasks;
mod tasks_extension;
mod tools;
mod unions;
mod utilities;

use super::words::Def;

pub(super) use apps::APPS;

/// The types of the revisions themselves.
pub(super) const CORE: &[&[Def]] = &[
    json::DEFS,
    meta::DEFS,
    base::DEFS,
    envelope::DEFS,
    errors::DEFS,
    lifecycle::DEFS,
    utilities::DEFS,
    content::DEFS,
    tools::DEFS,
    resources::DEFS,
    subscriptions::DEFS,
    prompts::DEFS,
    completion::DEFS,
    sampling::DEFS,
    roots::DEFS,
    elicitation::DEFS,
    elicitation_schema::DEFS,
    tasks::DEFS,
    unions::DEFS,
];

/// The types of the extension `io.modelcontextprotocol/tasks`.
pub(super) const TASKS: &[&[Def]] = &[tasks_extension::DEFS];
