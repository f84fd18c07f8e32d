//! The page as it is served: what can be chosen is in it before any script runs.

use crate::Shared;
use crate::http::assets;
use crate::server::{Server, Snapshot};

/// The page.
pub(crate) fn render(shared: &Shared) -> String {
    let options: String = shared.servers.iter().map(|server| group(server, &server.now())).collect();
    TEMPLATE
        .replace("{{token}}", &escaped(&shared.token))
        .replace("{{options}}", &options)
        .replace("{{preload}}", &preload())
}

/// Every module, so that the browser asks for all of them at once and not as it finds them.
fn preload() -> String {
    let modules = assets::names().filter(|name| name.ends_with(".js"));
    modules.map(|name| format!("<link rel=\"modulepreload\" href=\"/assets/{name}\">\n")).collect()
}

const TEMPLATE: &str = include_str!("../web/page.html");

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
