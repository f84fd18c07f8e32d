//! Renders the page. Servers and tools can be chosen in its HTML before any script runs.

use serde_json::json;
use wire::markup::escape;

use crate::profile::{self, Openai};
use crate::server::{Snapshot, SupervisedServer};
use crate::{Shared, state};

const TEMPLATE: &str = include_str!("../web/page.html");
/// Marks the place in the template from which on the page depends on the servers.
const SERVERS_MARK: &str = "{{servers}}";

/// How a page starts.
#[derive(Debug)]
pub(crate) struct Start {
    /// The run that the host has prepared for the page.
    pub(crate) run: Option<String>,
    pub(crate) referrer: Referrer,
}

/// How the browser came to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Referrer {
    /// A person typed the address, or followed a link outside of the browser.
    Person,
    /// The page itself: it reloaded, or opened a link for an app.
    Page,
    /// A foreign page or an app linked to it. The page then shows what the link asks for, and runs nothing by itself.
    ForeignPage,
}

/// The start of the page. It names the first files, so that the browser loads them while it waits for the rest.
pub(crate) fn head(shared: &Shared) -> String {
    let (head, _) = TEMPLATE.split_once(SERVERS_MARK).unwrap_or((TEMPLATE, ""));
    head.replace("{{token}}", &escape(&shared.token))
}

/// The rest of the page: the tools that a host of that profile offers, and the state that the scripts start with.
pub(crate) fn body(shared: &Shared, profile: &str, start: &Start) -> String {
    let openai = profile::named(profile).ok().and_then(|profile| profile.openai);
    let options: String =
        shared.servers.iter().map(|server| group(server, &server.now(), openai.as_ref())).collect();
    // In a data block only the closing `</script` would have a meaning, so `<` is escaped.
    let mut state = state::to_value(shared);
    state["run"] = json!(start.run);
    state["mayRun"] = json!(start.referrer != Referrer::ForeignPage);
    state["linked"] = json!(start.referrer == Referrer::Page);
    let state = state.to_string().replace('<', "\\u003c");
    let (_, rest) = TEMPLATE.split_once(SERVERS_MARK).unwrap_or_default();
    // The template is split, not searched, so that a server's name cannot act as a placeholder.
    let (before, rest) = rest.split_once("{{options}}").unwrap_or_default();
    let (between, after) = rest.split_once("{{state}}").unwrap_or_default();
    [before, &options, between, &state, after].concat()
}

/// The option group of a server: its tools that have a View and that the model may call.
fn group(server: &SupervisedServer, now: &Snapshot, openai: Option<&Openai>) -> String {
    let name = server.target.redact(&server.name(now)).into_owned();
    let offered = now.tools.iter().filter(|tool| tool.visibility(openai).model);
    let shown = offered.filter_map(|tool| Some((tool, tool.uri.as_deref()?)));
    shown
        .map(|(tool, uri)| {
            format!(
                "<option value=\"{id}/{tool}\" data-server-id=\"{id}\" data-resource-uri=\"{uri}\" data-tool=\"{tool}\">{name}: {title}</option>\n",
                id = escape(&server.id),
                tool = escape(tool.name()),
                uri = escape(uri),
                name = escape(&name),
                title = escape(tool.title()),
            )
        })
        .collect()
}
