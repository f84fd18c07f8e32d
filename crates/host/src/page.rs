//! The page as it is served: what can be chosen is in it before any script runs.

use serde_json::json;

use crate::http::assets;
use crate::server::{Server, Snapshot};
use crate::{Shared, state};

const TEMPLATE: &str = include_str!("../web/page.html");
/// Where the part begins that has to wait for the servers.
const SERVERS: &str = "{{servers}}";

/// The beginning, which names the files that are wanted first, so that the browser has them when the rest comes.
pub(crate) fn head(shared: &Shared) -> String {
    let (head, _) = TEMPLATE.split_once(SERVERS).unwrap_or((TEMPLATE, ""));
    head.replace("{{token}}", &escaped(&shared.token))
}

/// The rest: what can be chosen, and all that the scripts have to know to begin; also the name of the run that is prepared.
pub(crate) fn body(shared: &Shared, run: Option<&str>) -> String {
    let options: String = shared.servers.iter().map(|server| group(server, &server.now())).collect();
    // In a script of data nothing counts but its end.
    let mut state = state::of(shared);
    state["run"] = json!(run);
    let state = state.to_string().replace('<', "\\u003c");
    let (_, rest) = TEMPLATE.split_once(SERVERS).unwrap_or_default();
    // Names that look like a place to fill are not filled.
    let (before, rest) = rest.split_once("{{options}}").unwrap_or_default();
    let (between, after) = rest.split_once("{{state}}").unwrap_or_default();
    [before, &options, between, &state, &after.replace("{{modules}}", &modules())].concat()
}

/// Every module, so that the browser asks for all of them at once and not as it finds them.
fn modules() -> String {
    let names: Vec<&str> = assets::names().filter(|name| name.ends_with(".js")).collect();
    json!(names).to_string()
}

fn group(server: &Server, now: &Snapshot) -> String {
    let name = now.name.clone().unwrap_or_else(|| server.target.describe());
    let shown = now.tools.iter().filter_map(|tool| Some((tool, tool.uri.as_deref()?)));
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
