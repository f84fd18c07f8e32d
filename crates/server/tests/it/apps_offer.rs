//! Which clients see apps, and what they see.

use protocol::apps::{MIME_TYPE, ToolUi, Visibility};
use protocol::capability::extension;
use serde_json::{Value, json};

use crate::apps_support::{Talk, VERSIONS, shows_apps};

/// Every tool that has an app, and the app.
const OPENERS: [(&str, &str); 6] = [
    ("system_monitor", "ui://yardstick/monitor"),
    ("expense_form", "ui://yardstick/form"),
    ("draw_chart", "ui://yardstick/chart"),
    ("where_am_i", "ui://yardstick/map"),
    ("poem_card", "ui://yardstick/poem"),
    ("inspect_host", "ui://yardstick/inspector"),
];

/// Capabilities that do not negotiate apps.
fn others() -> [Value; 5] {
    let ui = |settings: Value| json!({ "extensions": { extension::UI: settings } });
    [
        json!({}),
        ui(json!({})),
        ui(json!({ "mimeTypes": [] })),
        ui(json!({ "mimeTypes": ["text/html"] })),
        ui(json!({ "mimeTypes": MIME_TYPE })),
    ]
}

#[tokio::test]
async fn tools_name_their_apps_to_clients_that_show_them() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let tools = talk.tools().await;
        for (name, uri) in OPENERS {
            let (ui, findings) = ToolUi::from_tool(&tools[name]);
            assert_eq!((ui.resource_uri.as_deref(), findings), (Some(uri), vec![]), "{version} {name}");
        }
        assert!(tools["echo"].get("_meta").is_none(), "a tool without an app has nothing to say");
    }
}

#[tokio::test]
async fn visibility_is_said() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let tools = talk.tools().await;
        let visibility = |name: &str| ToolUi::from_tool(&tools[name]).0.visibility;
        assert_eq!(visibility("poll_system"), Visibility { model: false, app: true }, "{version}");
        assert_eq!(visibility("clear_expenses"), Visibility { model: true, app: false }, "{version}");
        assert_eq!(tools["submit_expense"]["_meta"]["ui"], json!({ "visibility": ["model", "app"] }));
        assert_eq!(tools["poem_card"]["_meta"]["ui"].get("visibility"), None, "silence means everybody");
    }
}

#[tokio::test]
async fn other_clients_get_the_same_tools_as_text() {
    for version in VERSIONS {
        for capabilities in others() {
            let mut talk = Talk::to_server(version, capabilities.clone()).await;
            let tools = talk.tools().await;
            for (name, tool) in &tools {
                let openai =
                    tool["_meta"].as_object().is_some_and(|m| m.keys().any(|k| k.starts_with("openai/")));
                assert!(tool.pointer("/_meta/ui").is_none() && !openai, "{version} {capabilities}: {name}");
            }
            for (name, _) in OPENERS {
                assert!(tools.contains_key(name), "{version} {capabilities}: {name}");
            }
            assert!(!tools.contains_key("poll_system"), "{version} {capabilities}");
            assert!(talk.apps().await.is_empty(), "{version} {capabilities}");
        }
    }
}

#[tokio::test]
async fn a_tool_for_apps_cannot_be_called_where_there_are_none() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, json!({})).await;
        let answer = talk.ask("tools/call", json!({ "name": "poll_system", "arguments": {} })).await;
        assert_eq!(answer["error"]["code"], -32602, "{version}: {answer}");
        let mut talk = Talk::to_server(version, shows_apps()).await;
        assert!(talk.call("poll_system", json!({})).await.get("isError").is_none());
    }
}

#[tokio::test]
async fn the_extension_is_declared_in_return() {
    for version in VERSIONS {
        let talk = Talk::to_server(version, shows_apps()).await;
        let declared = &talk.greeting["capabilities"]["extensions"][extension::UI];
        assert_eq!(*declared, json!({ "mimeTypes": [MIME_TYPE] }), "{version}");
        for capabilities in others() {
            let talk = Talk::to_server(version, capabilities.clone()).await;
            let extensions = &talk.greeting["capabilities"]["extensions"];
            assert!(extensions.get(extension::UI).is_none(), "{version} {capabilities}");
        }
    }
}

#[tokio::test]
async fn modern_clients_are_asked_anew_with_every_request() {
    let mut talk = Talk::to_server(protocol::Era::Modern.newest(), shows_apps()).await;
    let plain = json!({ "_meta": { "io.modelcontextprotocol/clientCapabilities": {} } });
    let list = talk.result("tools/list", plain).await;
    assert!(!list.to_string().contains("ui://"), "this request did not declare apps");
    assert!(talk.tools().await["poem_card"].get("_meta").is_some(), "the next one does");
}

#[tokio::test]
async fn results_that_depend_on_the_client_are_not_for_everybody() {
    let mut talk = Talk::to_server(protocol::Era::Modern.newest(), shows_apps()).await;
    assert_eq!(talk.greeting["cacheScope"], "private");
    for method in ["tools/list", "resources/list"] {
        assert_eq!(talk.result(method, json!({})).await["cacheScope"], "private", "{method}");
    }
}
