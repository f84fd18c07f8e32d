//! The apps as resources.

use protocol::apps::{MIME_TYPE, Permission, ResourceUi, UiContent, check_source};
use serde_json::{Value, json};

use crate::apps_support::{Talk, VERSIONS, shows_apps};

#[tokio::test]
async fn every_app_is_listed_and_read() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let apps = talk.apps().await;
        assert_eq!(apps.len(), 6, "{version}");
        for app in apps {
            let uri = app["uri"].as_str().unwrap();
            assert_eq!(app["mimeType"], MIME_TYPE, "{uri}");
            let contents = talk.read(uri).await;
            assert_eq!(contents.len(), 1, "{version} {uri}");
            let (content, findings) = UiContent::from_item(&contents[0]);
            let content = content.unwrap();
            assert_eq!((content.uri.as_str(), findings), (uri, vec![]), "{version}");
            assert!(
                content.html.starts_with("<!doctype html>") && content.html.ends_with("</html>\n"),
                "{uri}"
            );
            assert_eq!(app["size"], content.html.len(), "{uri}");
            assert_eq!(
                ResourceUi::from_item(&app),
                (content.ui, vec![]),
                "the list and the content say the same"
            );
        }
    }
}

#[tokio::test]
async fn every_app_of_a_tool_is_listed() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let tools = talk.tools().await;
        let apps = talk.apps().await;
        for uri in tools.values().filter_map(|tool| tool.pointer("/_meta/ui/resourceUri")) {
            assert!(apps.iter().any(|app| app["uri"] == *uri), "{version} {uri}");
        }
    }
}

async fn content(talk: &mut Talk, name: &str) -> (Value, ResourceUi) {
    let mut contents = talk.read(&format!("ui://yardstick/{name}")).await;
    let content = contents.remove(0);
    let (ui, _) = ResourceUi::from_item(&content);
    (content, ui)
}

#[tokio::test]
async fn the_map_asks_for_what_it_needs() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let (content, ui) = content(&mut talk, "map").await;
        let expected = json!({
            "csp": { "connectDomains": ["https://tile.example.org"] },
            "permissions": { "geolocation": {}, "clipboardWrite": {} },
            "prefersBorder": true,
        });
        assert_eq!(content["_meta"], json!({ "ui": expected }), "{version}");
        assert!(ui.csp.unwrap().connect_domains.iter().all(|origin| check_source(origin).is_ok()));
        assert!(ui.permissions.has(Permission::Geolocation) && !ui.permissions.has(Permission::Camera));
    }
}

#[tokio::test]
async fn the_poem_travels_as_a_blob_without_a_border() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let (poem, ui) = content(&mut talk, "poem").await;
        assert!(poem["blob"].is_string() && poem.get("text").is_none(), "{version}");
        assert_eq!((ui.prefers_border, ui.csp), (Some(false), None), "{version}");
        let (chart, ui) = content(&mut talk, "chart").await;
        assert!(chart["text"].is_string() && chart.get("blob").is_none(), "{version}");
        assert_eq!(ui.prefers_border, Some(true), "{version}");
    }
}

#[tokio::test]
async fn whoever_knows_the_uri_may_read_without_metadata() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, json!({})).await;
        let (map, _) = content(&mut talk, "map").await;
        assert_eq!((&map["mimeType"], map.get("_meta")), (&json!(MIME_TYPE), None), "{version}");
    }
}

#[tokio::test]
async fn an_app_that_does_not_exist_is_an_error() {
    for (version, code) in VERSIONS.into_iter().zip([-32002, -32002, -32602]) {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let answer = talk.ask("resources/read", json!({ "uri": "ui://yardstick/nowhere" })).await;
        assert_eq!(answer["error"]["code"], code, "{version}");
        assert_eq!(answer["error"]["data"]["uri"], "ui://yardstick/nowhere", "{version}");
    }
}

#[tokio::test]
async fn the_inspector_calls_echo_as_it_wants_to_be_called() {
    let mut talk = Talk::to_server(protocol::Era::Modern.newest(), shows_apps()).await;
    let (inspector, _) = content(&mut talk, "inspector").await;
    assert!(inspector["text"].as_str().unwrap().contains(r#"name: "echo", arguments: { text: "hello" }"#));
    let result = talk.call("echo", json!({ "text": "hello" })).await;
    assert_eq!(result["content"][0]["text"], "hello");
}
