//! What the tools of the apps return.

use serde_json::{Value, json};
use yardstick_server::Server;

use crate::apps_support::{Talk, VERSIONS, shows_apps, text};

fn chart() -> Value {
    json!({ "title": "Rain", "kind": "line", "series": [{ "label": "Mon", "value": 3 }, { "label": "Tue", "value": 5.5 }] })
}

fn expense() -> Value {
    json!({ "title": "Taxi", "amount": 12.5, "currency": "EUR", "category": "travel", "date": "2026-11-15" })
}

/// Every tool of an app, with arguments that it takes.
fn calls() -> [(&'static str, Value); 8] {
    [
        ("system_monitor", json!({})),
        ("expense_form", json!({ "currency": "CHF", "title": "Lunch" })),
        ("submit_expense", expense()),
        ("clear_expenses", json!({})),
        ("draw_chart", chart()),
        ("where_am_i", json!({})),
        ("poem_card", json!({})),
        ("inspect_host", json!({})),
    ]
}

#[tokio::test]
async fn everything_works_as_text_everywhere() {
    for version in VERSIONS {
        for capabilities in [json!({}), shows_apps()] {
            let mut talk = Talk::to_server(version, capabilities).await;
            for (tool, arguments) in calls() {
                let result = talk.call(tool, arguments).await;
                assert!(result.get("isError").is_none(), "{version} {tool}: {result}");
                assert_eq!(result["content"][0]["type"], "text", "{version} {tool}");
                assert!(text(&result).len() > 15, "{version} {tool}: {result}");
            }
        }
    }
}

#[tokio::test]
async fn structured_content_is_as_declared() {
    let mut talk = Talk::to_server(protocol::Era::Modern.newest(), shows_apps()).await;
    let tools = talk.tools().await;
    for (tool, arguments) in calls().into_iter().chain([("poll_system", json!({}))]) {
        let result = talk.call(tool, arguments).await;
        match tools[tool].get("outputSchema") {
            Some(schema) => {
                let validator = jsonschema::validator_for(schema).unwrap();
                let flaws: Vec<_> =
                    validator.iter_errors(&result["structuredContent"]).map(|e| e.to_string()).collect();
                assert!(flaws.is_empty(), "{tool}: {flaws:?}");
            }
            None => assert!(result.get("structuredContent").is_none(), "{tool}"),
        }
    }
}

#[tokio::test]
async fn apps_get_structured_content_in_every_revision() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        let poem = talk.call("poem_card", json!({})).await;
        assert_eq!(poem["structuredContent"]["title"], "The Yardstick", "{version}");
        assert_eq!(poem["content"].as_array().unwrap().len(), 1, "{version}");
        let sample = talk.call("poll_system", json!({})).await;
        assert!(sample["structuredContent"]["cpu"].is_array(), "{version}");
    }
    let mut talk = Talk::to_server(protocol::Version::V2024_11_05, json!({})).await;
    let poem = talk.call("poem_card", json!({})).await;
    assert!(poem.get("structuredContent").is_none(), "a revision without it, a client without apps");
}

#[tokio::test]
async fn the_monitor_watches_this_machine() {
    let mut talk = Talk::to_server(protocol::Era::Modern.newest(), shows_apps()).await;
    let facts = &talk.call("system_monitor", json!({})).await["structuredContent"];
    assert_eq!(facts["simulated"], !cfg!(target_os = "linux"));
    assert_eq!(facts["cores"], facts["sample"]["cpu"].as_array().unwrap().len());
    let sample = &talk.call("poll_system", json!({})).await["structuredContent"];
    assert!(sample["at"].as_u64() >= facts["sample"]["at"].as_u64());
    for share in sample["cpu"].as_array().unwrap() {
        assert!((0.0..=100.0).contains(&share.as_f64().unwrap()));
    }
    let memory = |member: &str| sample["memory"][member].as_u64().unwrap();
    assert!(0 < memory("usedBytes") && memory("usedBytes") <= memory("totalBytes"));
    assert_eq!(sample["load"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn expenses_are_kept() {
    for version in VERSIONS {
        let server = Server::new();
        let mut talk = Talk::start(server.clone(), version, shows_apps(), json!({})).await;
        let first = talk.call("submit_expense", expense()).await;
        assert_eq!(first["structuredContent"]["id"], "E1", "{version}");
        let second = talk.call("submit_expense", expense()).await;
        assert_eq!(second["structuredContent"]["total"], json!({ "EUR": 25.0 }), "{version}");
        let mut other = Talk::start(server, version, shows_apps(), json!({})).await;
        let form = other.call("expense_form", json!({})).await;
        assert_eq!(form["structuredContent"]["entries"], second["structuredContent"]["entries"], "{version}");
        assert!(text(&form).contains("Taxi, 12.50 EUR"), "{version}: {form}");
        assert_eq!(text(&other.call("clear_expenses", json!({})).await), "2 expenses are forgotten.");
        assert!(text(&talk.call("expense_form", json!({})).await).starts_with("No expenses so far."));
    }
}

#[tokio::test]
async fn a_wrong_expense_is_explained_by_field() {
    for version in VERSIONS {
        let mut talk = Talk::to_server(version, shows_apps()).await;
        for (field, value, why) in [
            ("amount", json!(0), "amount: must be more than 0"),
            ("amount", json!(1.001), "amount: EUR has no more than 2 decimals"),
            ("title", json!(" "), "title: must have 1 to 80 characters"),
            ("currency", json!("ABC"), "currency: must be an ISO 4217 code such as EUR, `ABC` is none"),
            ("category", json!("x"), "category: must be one of travel, meals, lodging, equipment, other"),
            ("date", json!("2026-02-30"), "date: must be a day of the calendar, as YYYY-MM-DD"),
        ] {
            let mut arguments = expense();
            arguments[field] = value;
            let result = talk.call("submit_expense", arguments).await;
            assert_eq!((text(&result), &result["isError"]), (why, &json!(true)), "{version}");
            assert!(result.get("structuredContent").is_none(), "{version}");
        }
        let form = talk.call("expense_form", json!({})).await;
        assert_eq!(form["structuredContent"]["entries"], json!([]), "{version}: nothing was kept");
    }
}

#[tokio::test]
async fn the_inspector_repeats_what_the_client_said() {
    for (capabilities, shows) in [(json!({}), false), (shows_apps(), true)] {
        let mut talk = Talk::to_server(protocol::Version::V2025_11_25, capabilities).await;
        let said = &talk.call("inspect_host", json!({})).await["structuredContent"];
        let expected = json!({ "protocolVersion": "2025-11-25", "showsApps": shows, "wantsOpenAiMetadata": false, "locale": "en" });
        assert_eq!(*said, expected);
    }
}
