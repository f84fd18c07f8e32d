//! Every fault of apps shows on the wire, and only where it should.

use protocol::Version;
use protocol::apps::{
    LEGACY_RESOURCE_URI, MetadataProblem, ResourceUi, ToolUi, UiContent, Weight, check_source,
};
use protocol::capability::extension;
use serde_json::{Value, json};
use yardstick_server::fault::{Faulty, apps, lists};
use yardstick_server::{Fault, Faults};

use crate::apps_support::{Talk, VERSIONS, shows_apps};

async fn broken(fault: &'static Fault, version: Version, capabilities: Value) -> Talk {
    assert!(Fault::named(fault.name).is_ok(), "{} is not in the list", fault.name);
    Talk::start(Faulty::new(Faults::new([fault])), version, capabilities, json!({})).await.unchecked()
}

/// What is wrong with the tool of the monitor.
async fn tool(fault: &'static Fault, version: Version) -> (Value, Vec<MetadataProblem>) {
    let tool = broken(fault, version, shows_apps()).await.tools().await["system_monitor"].clone();
    let (_, findings) = ToolUi::from_tool(&tool);
    (tool, findings)
}

/// What is wrong with the two documents that travel as text and as a blob.
async fn documents(fault: &'static Fault, version: Version) -> Vec<(Value, Vec<MetadataProblem>)> {
    let mut talk = broken(fault, version, shows_apps()).await;
    let mut found = Vec::new();
    for uri in ["ui://yardstick/map", "ui://yardstick/poem"] {
        let content = talk.read(uri).await.remove(0);
        let (_, findings) = UiContent::from_item(&content);
        found.push((content, findings));
    }
    let about = talk.read("yardstick://about").await;
    assert_eq!(
        (about.len(), &about[0]["mimeType"]),
        (1, &json!("text/plain")),
        "{}: others are left alone",
        fault.name
    );
    found
}

#[tokio::test]
async fn faults_of_tools() {
    for version in VERSIONS {
        for (fault, at) in [
            (&apps::UI_URI_SCHEME, "_meta.ui.resourceUri"),
            (&apps::UI_VISIBILITY_UNKNOWN, "_meta.ui.visibility"),
            (&apps::UI_VISIBILITY_EMPTY, "_meta.ui.visibility"),
        ] {
            let (_, findings) = tool(fault, version).await;
            assert_eq!((findings.len(), findings[0].at.as_str()), (1, at), "{version} {}", fault.name);
            assert_eq!(findings[0].weight, Weight::Broken, "{version} {}", fault.name);
        }
    }
}

#[tokio::test]
async fn the_flat_key() {
    for version in VERSIONS {
        let (tool, findings) = tool(&apps::UI_FLAT_KEY, version).await;
        assert_eq!(tool["_meta"][LEGACY_RESOURCE_URI], "ui://yardstick/monitor", "{version}");
        assert!(tool.pointer("/_meta/ui/resourceUri").is_none(), "{version}");
        assert_eq!(findings[0].weight, Weight::Deprecated, "{version}");
    }
}

#[tokio::test]
async fn a_missing_resource() {
    for version in VERSIONS {
        let (tool, findings) = tool(&apps::UI_RESOURCE_MISSING, version).await;
        assert!(findings.is_empty(), "{version}: it only looks right");
        let mut talk = broken(&apps::UI_RESOURCE_MISSING, version, shows_apps()).await;
        let params = json!({ "uri": tool["_meta"]["ui"]["resourceUri"] });
        assert!(talk.ask("resources/read", params).await.get("error").is_some(), "{version}");
    }
}

#[tokio::test]
async fn faults_of_documents() {
    for version in VERSIONS {
        for (fault, at) in [
            (&apps::UI_MIME_WRONG, "mimeType"),
            (&apps::UI_TEXT_AND_BLOB, "blob"),
            (&apps::UI_BLOB_NOT_BASE64, "blob"),
            (&apps::UI_CSP_NOT_ARRAY, "_meta.ui.csp.connectDomains"),
            (&apps::UI_PERMISSION_UNKNOWN, "_meta.ui.permissions.usb"),
            (&apps::UI_DOMAIN_NOT_STRING, "_meta.ui.domain"),
            (&apps::UI_BORDER_NOT_BOOLEAN, "_meta.ui.prefersBorder"),
        ] {
            for (content, findings) in documents(fault, version).await {
                let found: Vec<_> = findings.iter().map(|finding| finding.at.as_str()).collect();
                assert_eq!(found, [at], "{version} {}: {}", fault.name, content["uri"]);
            }
        }
    }
}

#[tokio::test]
async fn documents_that_are_well_formed_and_wrong() {
    for version in VERSIONS {
        for (content, findings) in documents(&apps::UI_NOT_HTML, version).await {
            let text = content["text"].as_str().unwrap();
            assert!(findings.is_empty() && !text.contains('<'), "{version}");
        }
        for (content, findings) in documents(&apps::UI_CSP_BAD_SOURCE, version).await {
            let csp = ResourceUi::from_item(&content).0.csp.unwrap();
            assert!(findings.is_empty() && check_source(&csp.connect_domains[0]).is_err(), "{version}");
        }
        for (content, findings) in documents(&apps::UI_CONTENT_URI_DIFFERS, version).await {
            assert!(findings.is_empty() && content["uri"] == "ui://yardstick/other", "{version}");
        }
        let mut talk = broken(&apps::UI_TWO_CONTENTS, version, shows_apps()).await;
        assert_eq!(talk.read("ui://yardstick/poem").await.len(), 2, "{version}");
        assert_eq!(talk.read("yardstick://about").await.len(), 1, "{version}");
    }
}

#[tokio::test]
async fn the_wrong_type_in_the_list() {
    for version in VERSIONS {
        let mut talk = broken(&apps::UI_LISTED_MIME_WRONG, version, shows_apps()).await;
        let apps = talk.apps().await;
        assert!(!apps.is_empty() && apps.iter().all(|app| app["mimeType"] == "text/html"), "{version}");
    }
}

#[tokio::test]
async fn everybody_is_told() {
    for version in VERSIONS {
        let mut talk = broken(&apps::UI_FOR_EVERYONE, version, json!({})).await;
        assert!(talk.greeting["capabilities"]["extensions"].get(extension::UI).is_some(), "{version}");
        let tools = talk.tools().await;
        assert!(tools["poem_card"].pointer("/_meta/ui/resourceUri").is_some(), "{version}");
        assert!(tools.contains_key("poll_system"), "{version}");
        assert!(!talk.apps().await.is_empty(), "{version}");
        assert!(talk.read("ui://yardstick/map").await[0].pointer("/_meta/ui").is_some(), "{version}");
    }
}

#[tokio::test]
async fn nobody_is_told() {
    for version in VERSIONS {
        let mut talk = broken(&apps::UI_METADATA_MISSING, version, shows_apps()).await;
        assert!(talk.tools().await.values().all(|tool| tool.pointer("/_meta/ui").is_none()), "{version}");
        assert!(talk.apps().await.is_empty(), "{version}");
    }
}

#[tokio::test]
async fn the_extension_is_not_declared() {
    for version in VERSIONS {
        let mut talk = broken(&apps::UI_EXTENSION_UNDECLARED, version, shows_apps()).await;
        assert!(talk.greeting["capabilities"]["extensions"].get(extension::UI).is_none(), "{version}");
        assert!(talk.tools().await["poem_card"].pointer("/_meta/ui").is_some(), "{version}");
    }
}

#[tokio::test]
async fn there_is_no_text() {
    for version in VERSIONS {
        let mut talk = broken(&apps::UI_NO_TEXT_FALLBACK, version, shows_apps()).await;
        let chart = json!({ "title": "t", "kind": "bar", "series": [{ "label": "a", "value": 1 }] });
        for (tool, arguments) in [("poem_card", json!({})), ("draw_chart", chart)] {
            assert_eq!(talk.call(tool, arguments).await["content"], json!([]), "{version} {tool}");
        }
        assert_ne!(talk.call("echo", json!({ "text": "a" })).await["content"], json!([]), "{version}");
    }
}

#[tokio::test]
async fn any_language_is_claimed() {
    for version in VERSIONS {
        let mut talk = broken(&apps::LOCALE_ECHOED, version, json!({})).await;
        let params = json!({ "name": "poem_card", "arguments": {}, "_meta": { "openai/locale": "ja" } });
        assert_eq!(talk.result("tools/call", params).await["_meta"]["openai/locale"], "ja", "{version}");
    }
}

#[tokio::test]
async fn what_a_fault_remembers_belongs_to_its_server() {
    for _ in 0..2 {
        let mut talk = broken(&lists::TOOLS_DIFFER, VERSIONS[0], json!({})).await;
        let (first, second) = (talk.tools().await.len(), talk.tools().await.len());
        assert_eq!(first, second + 1, "whatever other servers were asked");
    }
}

#[tokio::test]
async fn the_server_in_order_has_none_of_them() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        for (name, tool) in talk.tools().await {
            assert_eq!(ToolUi::from_tool(&tool).1, [], "{version} {name}");
        }
        for app in talk.apps().await {
            assert_eq!(ResourceUi::from_item(&app).1, [], "{version}");
        }
    }
}
