//! The page as it is served: what can be chosen is in it before any script runs.

use serde_json::json;

use crate::profile::{self, Openai};
use crate::server::{Server, Snapshot};
use crate::{Shared, state};

const TEMPLATE: &str = include_str!("../web/page.html");
/// Where the part begins that has to wait for the servers.
const SERVERS: &str = "{{servers}}";

/// How a page begins.
#[derive(Debug)]
pub(crate) struct Start {
    /// The name of the run that is prepared for it.
    pub(crate) run: Option<String>,
    pub(crate) led: Led,
}

/// Who led the browser to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Led {
    /// Somebody who typed the address or followed a link outside of a browser.
    Person,
    /// The page, which loaded again, or opened a link for an app.
    Page,
    /// A page of somebody else's, an app among them. Its link is shown, and the rest is left to the person.
    Stranger,
}

/// The beginning, which names the files that are wanted first, so that the browser has them when the rest comes.
pub(crate) fn head(shared: &Shared) -> String {
    let (head, _) = TEMPLATE.split_once(SERVERS).unwrap_or((TEMPLATE, ""));
    head.replace("{{token}}", &escaped(&shared.token))
}

/// The rest: what can be chosen in a host of that profile, and all that the scripts have to know to begin.
pub(crate) fn body(shared: &Shared, profile: &str, start: &Start) -> String {
    let openai = profile::named(profile).ok().and_then(|profile| profile.openai);
    let options: String =
        shared.servers.iter().map(|server| group(server, &server.now(), openai.as_ref())).collect();
    // In a script of data nothing counts but its end.
    let mut state = state::of(shared);
    state["run"] = json!(start.run);
    state["mayRun"] = json!(start.led != Led::Stranger);
    state["linked"] = json!(start.led == Led::Page);
    let state = state.to_string().replace('<', "\\u003c");
    let (_, rest) = TEMPLATE.split_once(SERVERS).unwrap_or_default();
    // Names that look like a place to fill are not filled.
    let (before, rest) = rest.split_once("{{options}}").unwrap_or_default();
    let (between, after) = rest.split_once("{{state}}").unwrap_or_default();
    [before, &options, between, &state, after].concat()
}

/// The tools of a server that have a view and are for the model, whose part the person plays.
fn group(server: &Server, now: &Snapshot, openai: Option<&Openai>) -> String {
    let name = server.target.redact(&server.name(now)).into_owned();
    let offered = now.tools.iter().filter(|tool| tool.visibility(openai).model);
    let shown = offered.filter_map(|tool| Some((tool, tool.uri.as_deref()?)));
    shown
        .map(|(tool, uri)| {
            format!(
                "<option value=\"{id}/{tool}\" data-server-id=\"{id}\" data-resource-uri=\"{uri}\" data-tool=\"{tool}\">{name}: {title}</option>\n",
                id = escaped(&server.id),
                tool = escaped(tool.name()),
                uri = escaped(uri),
                name = escaped(&name),
                title = escaped(tool.title()),
            )
        })
        .collect()
}

/// Text that stands for itself in HTML, also within quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_for_itself() {
        assert_eq!(escaped("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
    }
}
