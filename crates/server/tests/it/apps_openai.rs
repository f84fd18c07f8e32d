//! The metadata and the hints of OpenAI's Apps SDK.

use protocol::Version;
use serde_json::{Value, json};
use yardstick_server::Server;

use crate::apps_support::{Talk, VERSIONS, openai, shows_apps, text};

async fn with_hints(version: Version, capabilities: Value, meta: Value) -> Talk {
    Talk::start(Server::new(), version, capabilities, meta).await
}

/// The keys of OpenAI's in the `_meta` of an item.
fn keys(item: &Value) -> Vec<&str> {
    let meta = item["_meta"].as_object();
    meta.into_iter().flatten().map(|(key, _)| key.as_str()).filter(|key| key.starts_with("openai/")).collect()
}

#[tokio::test]
async fn tools_say_it_both_ways() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, openai()).await;
        let tools = talk.tools().await;
        let expected = json!({
            "ui": { "resourceUri": "ui://yardstick/form" },
            "openai/outputTemplate": "ui://yardstick/form",
            "openai/widgetAccessible": true,
            "openai/visibility": "public",
            "openai/toolInvocation/invoking": "Opening the form",
            "openai/toolInvocation/invoked": "Opened the form",
        });
        assert_eq!(tools["expense_form"]["_meta"], expected, "{version}");
        let polled = &tools["poll_system"]["_meta"];
        assert_eq!(
            (&polled["openai/visibility"], &polled["openai/widgetAccessible"]),
            (&json!("private"), &json!(true))
        );
        let cleared = &tools["clear_expenses"]["_meta"];
        assert_eq!(
            (&cleared["openai/visibility"], &cleared["openai/widgetAccessible"]),
            (&json!("public"), &json!(false))
        );
    }
}

#[tokio::test]
async fn resources_say_it_both_ways() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, openai()).await;
        let map = talk.apps().await.into_iter().find(|app| app["name"] == "map").unwrap();
        let content = talk.read("ui://yardstick/map").await.remove(0);
        for item in [map, content] {
            let meta = &item["_meta"];
            let csp = json!({ "connect_domains": ["https://tile.example.org"], "resource_domains": [] });
            assert_eq!(meta["openai/widgetCSP"], csp, "{version}");
            assert_eq!(meta["openai/widgetDomain"], "https://yardstick.example", "{version}");
            assert_eq!(meta["openai/widgetPrefersBorder"], true, "{version}");
            assert!(meta["openai/widgetDescription"].as_str().unwrap().contains("globe"), "{version}");
            assert!(meta["ui"]["csp"].is_object() && meta["ui"].get("domain").is_none(), "{version}");
        }
    }
}

#[tokio::test]
async fn a_key_in_a_request_asks_too() {
    for version in VERSIONS {
        let mut talk = with_hints(version, shows_apps(), json!({ "openai/locale": "en-US" })).await;
        assert!(!keys(&talk.tools().await["poem_card"]).is_empty(), "{version}: asked for in the handshake");
        let mut talk = Talk::to_server(version, shows_apps()).await;
        assert!(keys(&talk.tools().await["poem_card"]).is_empty(), "{version}: not asked for");
        let asking = json!({ "_meta": { "openai/userAgent": "ChatGPT/1.0" } });
        let list = talk.result("tools/list", asking).await;
        assert!(
            list["tools"].as_array().unwrap().iter().any(|tool| !keys(tool).is_empty()),
            "{version}: asked for now"
        );
    }
}

#[tokio::test]
async fn without_apps_there_is_no_widget() {
    for version in VERSIONS {
        let capabilities = json!({ "experimental": { "openai/visibility": { "enabled": true } } });
        let mut talk = Talk::to_server(version, capabilities).await;
        assert!(talk.tools().await.values().all(|tool| keys(tool).is_empty()), "{version}");
        assert!(talk.apps().await.is_empty(), "{version}");
    }
}

#[tokio::test]
async fn the_language_is_negotiated() {
    for version in VERSIONS {
        for (asked, spoken, title) in [
            ("de-CH", "de", "Die Elle"),
            ("fr", "fr", "L'aune"),
            ("en-GB", "en", "The Yardstick"),
            ("ja-JP", "en", "The Yardstick"),
        ] {
            let mut talk = with_hints(version, shows_apps(), json!({ "openai/locale": asked })).await;
            assert_eq!(talk.greeting["_meta"]["openai/locale"], spoken, "{version} {asked}");
            let poem = talk.call("poem_card", json!({})).await;
            assert_eq!(poem["_meta"]["openai/locale"], spoken, "{version} {asked}");
            assert_eq!(poem["structuredContent"]["title"], title, "{version} {asked}");
            assert!(text(&poem).starts_with(title), "{version} {asked}");
        }
    }
}

#[tokio::test]
async fn several_tools_speak_it() {
    for version in VERSIONS {
        let mut talk = with_hints(version, json!({}), json!({ "openai/locale": "de" })).await;
        let place = talk.call("where_am_i", json!({})).await;
        assert!(text(&place).contains("51,4779° N"), "{version}: {place}");
        let machine = talk.call("system_monitor", json!({})).await;
        assert!(text(&machine).contains("Speicher"), "{version}: {machine}");
        let chart = json!({ "title": "Regen", "kind": "bar", "series": [{ "label": "Mo", "value": 1.5 }] });
        let chart = talk.call("draw_chart", chart).await;
        assert_eq!(text(&chart), "Regen: 1 Punkt, am höchsten Mo (1,5), am tiefsten Mo (1,5).", "{version}");
        let echo = talk.call("echo", json!({ "text": "hallo" })).await;
        assert!(echo.pointer("/_meta/openai~1locale").is_none(), "{version}: an echo speaks no language");
    }
}

#[tokio::test]
async fn a_request_may_ask_for_another_language() {
    for version in VERSIONS {
        let mut talk = with_hints(version, json!({}), json!({ "openai/locale": "de" })).await;
        let params = json!({ "name": "poem_card", "arguments": {}, "_meta": { "openai/locale": "fr-CA" } });
        let poem = talk.result("tools/call", params).await;
        assert_eq!(poem["_meta"]["openai/locale"], "fr", "{version}");
        let params = json!({ "name": "poem_card", "_meta": { "openai/locale": null, "webplus/i18n": "fr" } });
        assert!(
            text(&talk.result("tools/call", params).await).starts_with("L'aune"),
            "{version}: the key before"
        );
    }
}

#[tokio::test]
async fn hints_are_advice() {
    let good = json!({
        "openai/userAgent": "ChatGPT/1.2025.012",
        "openai/userLocation": { "city": "Bern", "country": "CH", "timezone": "Europe/Zurich" },
    });
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let mut params = json!({ "name": "inspect_host", "arguments": {}, "_meta": good });
        let said = talk.result("tools/call", params.clone()).await;
        assert_eq!(said["structuredContent"]["userAgent"], "ChatGPT/1.2025.012", "{version}");
        assert_eq!(said["structuredContent"]["userLocation"], "Bern, CH", "{version}");
        params["name"] = json!("where_am_i");
        let place = talk.result("tools/call", params).await;
        assert!(text(&place).ends_with("Your client says: Bern, CH."), "{version}");
        assert_eq!(place["structuredContent"]["latitude"], 51.4779, "{version}: the place stays where it is");
    }
}

#[tokio::test]
async fn malformed_hints_are_ignored() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let plain = talk.call("where_am_i", json!({})).await;
        for meta in [
            json!({ "openai/locale": 3, "openai/userAgent": [], "openai/userLocation": "Bern" }),
            json!({ "openai/locale": "not a tag", "openai/userAgent": "", "openai/userLocation": { "city": {} } }),
        ] {
            let params = json!({ "name": "where_am_i", "arguments": {}, "_meta": meta });
            assert_eq!(talk.result("tools/call", params).await, plain, "{version} {meta}");
        }
    }
}
