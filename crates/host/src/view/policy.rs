//! Decides what a View may request from its server. No I/O here.

use protocol::code;
use serde_json::Value;

use crate::profile::Openai;
use crate::server::{RpcRefusal, Snapshot, ToolSnapshot};

/// The methods besides `tools/call` that are passed on to the server.
const FORWARDED_METHODS: [&str; 5] =
    ["resources/read", "resources/list", "resources/templates/list", "prompts/list", "tools/list"];

/// Whether a View may send this request to its server, in a host with this support for the Apps SDK.
pub(crate) fn check_request(
    server: &Snapshot,
    openai: Option<&Openai>,
    method: &str,
    params: &Value,
) -> Result<(), RpcRefusal> {
    if FORWARDED_METHODS.contains(&method) {
        return Ok(());
    }
    if method != "tools/call" {
        return Err(RpcRefusal::new(
            code::METHOD_NOT_FOUND,
            format!("{method} is not passed on to the server"),
        ));
    }
    let Some(name) = params["name"].as_str() else {
        return Err(RpcRefusal::new(
            code::INVALID_PARAMS,
            "Invalid params for tools/call: name is not a string",
        ));
    };
    match server.tool(name) {
        Some(tool) if tool.visibility(openai).app => Ok(()),
        Some(_) => Err(RpcRefusal::new(
            code::INVALID_PARAMS,
            format!("only the model may call {name}: its visibility does not include \"app\""),
        )),
        // This also covers the tools of other servers: a View can only reach the server that it came from.
        None => Err(RpcRefusal::new(code::INVALID_PARAMS, format!("the view's server has no tool {name}"))),
    }
}

/// Whether a listed tool is visible to apps, that is, whether they may call it.
pub(crate) fn for_apps(listed: &Value, openai: Option<&Openai>) -> bool {
    ToolSnapshot::from_item(listed.clone()).is_some_and(|tool| tool.visibility(openai).app)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn server() -> Snapshot {
        let tool = |name: &str, who: &[&str]| {
            ToolSnapshot::from_item(json!({ "name": name, "_meta": { "ui": { "visibility": who } } }))
                .unwrap()
        };
        let tools = vec![tool("both", &["model", "app"]), tool("model", &["model"]), tool("app", &["app"])];
        Snapshot { tools, ..Snapshot::default() }
    }

    #[test]
    fn a_view_calls_what_is_for_apps_and_nothing_else() {
        let asked = |name: &str| check_request(&server(), None, "tools/call", &json!({ "name": name }));
        assert!(asked("both").is_ok() && asked("app").is_ok());
        assert_eq!(asked("model").unwrap_err().code, code::INVALID_PARAMS);
        assert_eq!(asked("elsewhere").unwrap_err().code, code::INVALID_PARAMS);
        assert_eq!(
            check_request(&server(), None, "tools/call", &json!({})).unwrap_err().code,
            code::INVALID_PARAMS
        );
    }

    #[test]
    fn only_reading_is_passed_on_besides() {
        assert!(check_request(&server(), None, "resources/read", &json!({})).is_ok());
        for method in ["initialize", "logging/setLevel", "tasks/cancel", "ui/initialize"] {
            assert_eq!(
                check_request(&server(), None, method, &json!({})).unwrap_err().code,
                code::METHOD_NOT_FOUND
            );
        }
    }
}
