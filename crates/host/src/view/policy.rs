//! What a view may ask of its server.

use protocol::code;
use serde_json::Value;

use crate::profile::Openai;
use crate::server::{Refusal, Snapshot, Tool};

/// What is passed on to the server, besides calls.
const READS: [&str; 5] =
    ["resources/read", "resources/list", "resources/templates/list", "prompts/list", "tools/list"];

/// Whether a view of the server may ask this of it, in a host that has that much of the Apps SDK; why not.
pub(crate) fn may_ask(
    server: &Snapshot,
    openai: Option<&Openai>,
    method: &str,
    params: &Value,
) -> Result<(), Refusal> {
    if READS.contains(&method) {
        return Ok(());
    }
    if method != "tools/call" {
        return Err(Refusal::new(code::METHOD_NOT_FOUND, format!("{method} is not passed on to the server")));
    }
    let Some(name) = params["name"].as_str() else {
        return Err(Refusal::new(code::INVALID_PARAMS, "Invalid params for tools/call: name is no string"));
    };
    match server.tool(name) {
        Some(tool) if tool.visibility(openai).app => Ok(()),
        Some(_) => Err(Refusal::new(
            code::INVALID_PARAMS,
            format!("{name} is for the model alone: its visibility does not include \"app\""),
        )),
        // Also what is another server's: a view is bound to the server that it came from.
        None => Err(Refusal::new(code::INVALID_PARAMS, format!("the view's server has no tool {name}"))),
    }
}

/// Whether a tool, as it is listed, is shown to an app: what it may call.
pub(crate) fn for_apps(listed: &Value, openai: Option<&Openai>) -> bool {
    Tool::of(listed.clone()).is_some_and(|tool| tool.visibility(openai).app)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn server() -> Snapshot {
        let tool = |name: &str, who: &[&str]| {
            Tool::of(json!({ "name": name, "_meta": { "ui": { "visibility": who } } })).unwrap()
        };
        let tools = vec![tool("both", &["model", "app"]), tool("model", &["model"]), tool("app", &["app"])];
        Snapshot { tools, ..Snapshot::default() }
    }

    #[test]
    fn a_view_calls_what_is_for_apps_and_nothing_else() {
        let asked = |name: &str| may_ask(&server(), None, "tools/call", &json!({ "name": name }));
        assert!(asked("both").is_ok() && asked("app").is_ok());
        assert_eq!(asked("model").unwrap_err().code, code::INVALID_PARAMS);
        assert_eq!(asked("elsewhere").unwrap_err().code, code::INVALID_PARAMS);
        assert_eq!(
            may_ask(&server(), None, "tools/call", &json!({})).unwrap_err().code,
            code::INVALID_PARAMS
        );
    }

    #[test]
    fn only_reading_is_passed_on_besides() {
        assert!(may_ask(&server(), None, "resources/read", &json!({})).is_ok());
        for method in ["initialize", "logging/setLevel", "tasks/cancel", "ui/initialize"] {
            assert_eq!(
                may_ask(&server(), None, method, &json!({})).unwrap_err().code,
                code::METHOD_NOT_FOUND
            );
        }
    }
}
