//! The tools of our own, by what they show.

mod ask;
mod basic;
mod content;
mod headers;
mod lists;
mod logging;
mod rounds;
mod sampling;
mod schemas;
mod slow;
mod structured;
mod tasks;
mod urls;

use super::tool::Tool;

/// Every tool, group by group, in the order in which they are listed: our own, those with apps, the fixtures.
pub(super) const ALL: &[&[&[Tool]]] = &[OWN, &[crate::apps::TOOLS], crate::fixtures::TOOLS];

const OWN: &[&[Tool]] = &[
    basic::TOOLS,
    content::TOOLS,
    structured::TOOLS,
    slow::TOOLS,
    logging::TOOLS,
    sampling::TOOLS,
    ask::TOOLS,
    urls::TOOLS,
    rounds::TOOLS,
    headers::TOOLS,
    schemas::TOOLS,
    lists::TOOLS,
    tasks::TOOLS,
];
