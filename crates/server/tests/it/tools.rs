//! Tools: what they are called, what they return, and what they refuse.

use protocol::{Span, Version};
use serde_json::{Value, json};
use transport::client::Profile;

use crate::support::{able, everywhere, since, text};

#[tokio::test]
async fn text_comes_back() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        assert_eq!(world.text("echo", json!({ "text": "a \"b\" ü\n" })).await, "a \"b\" ü\n", "{world}");
    })
    .await;
}

#[tokio::test]
async fn content_of_every_kind_fits_its_revision() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let kinds = |result: &Value| {
            let blocks = result["content"].as_array().unwrap().iter();
            blocks.map(|block| block["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&world.call("picture", json!({})).await), ["image"]);
        assert_eq!(kinds(&world.call("document", json!({ "as": "blob" })).await), ["resource"]);
        let linked = if world.version() >= Version::V2025_06_18 { "resource_link" } else { "text" };
        assert_eq!(
            kinds(&world.call("mixed", json!({})).await),
            ["text", "image", "resource", linked],
            "{world}"
        );
        if world.version() >= Version::V2025_03_26 {
            assert_eq!(kinds(&world.call("sound", json!({})).await), ["audio"]);
        }
    })
    .await;
}

#[tokio::test]
async fn structured_content_is_there_from_2025_06_18_on_and_always_in_text() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let result = world.call("statistics", json!({ "numbers": [1, 2, 6] })).await;
        let expected = json!({ "count": 3, "least": 1.0, "greatest": 6.0, "mean": 3.0 });
        assert_eq!(serde_json::from_str::<Value>(&text(&result)).unwrap(), expected);
        let structured = result.get("structuredContent").cloned();
        let has = world.version() >= Version::V2025_06_18;
        assert_eq!(structured, has.then_some(expected), "{world}");
    })
    .await;
}

#[tokio::test]
async fn structured_content_may_be_a_list_in_the_modern_revision() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let result = world.call("squares", json!({ "numbers": [-2, 3] })).await;
        assert_eq!(result["structuredContent"], json!([4.0, 9.0]));
    })
    .await;
}

#[tokio::test]
async fn a_failing_tool_fails_in_its_result() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        assert_eq!(world.call("fail", json!({})).await["isError"], true, "{world}");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_called_is_refused() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for params in [
            json!({ "name": "no-such-tool", "arguments": {} }),
            json!({ "arguments": {} }),
            json!({ "name": 7 }),
            json!({ "name": "echo", "arguments": ["text"] }),
        ] {
            assert_eq!(world.code("tools/call", params.clone()).await, Some(-32602), "{world}: {params}");
        }
    })
    .await;
}

/// Until 2025-06-18 that was a protocol error, since then the model is told.
#[tokio::test]
async fn arguments_are_held_against_the_schema() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let wrong = [
            ("echo", json!({})),
            ("echo", json!({ "text": 7 })),
            ("echo", json!({ "text": "x", "more": 1 })),
            ("order", json!({ "cloth": [3, "ft"] })),
            ("order", json!({ "cloth": [3, "yd", 1] })),
            ("order", json!({ "cloth": [3, "yd"], "deliver": true })),
            ("order", json!({ "cloth": [3, "yd"], "card": "1234567812345678" })),
        ];
        for (name, arguments) in wrong {
            let reply = world.ask("tools/call", json!({ "name": name, "arguments": arguments })).await;
            match world.version() >= Version::V2025_11_25 {
                true => assert_eq!(reply.result().unwrap()["isError"], true, "{world}: {name} {arguments}"),
                false => assert_eq!(reply.code(), Some(-32602), "{world}: {name} {arguments}"),
            }
        }
        let delivered = json!({ "cloth": [2.5, "m"], "deliver": true, "to": { "city": "Bern" } });
        assert_eq!(world.text("order", delivered).await, "ordered [2.5,\"m\"]");
    })
    .await;
}

#[tokio::test]
async fn a_schema_is_read_by_the_dialect_that_it_names() {
    everywhere(since(Version::V2025_11_25), &Profile::bare(), async |world| {
        for arguments in [json!({ "cloth": [3, "yd", 1] }), json!({ "cloth": [3, "yd"], "card": "1" })] {
            assert_eq!(world.call("order-draft-07", arguments).await["isError"], true, "{world}");
        }
        assert_eq!(world.text("order-draft-07", json!({ "cloth": [3, "yd"] })).await, "ordered [3,\"yd\"]");
    })
    .await;
}

#[tokio::test]
async fn a_call_without_arguments_has_none() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let result = world.result("tools/call", json!({ "name": "picture" })).await;
        assert_eq!(result["content"][0]["type"], "image", "{world}");
    })
    .await;
}

/// Every tool of the list can be called by the name that is listed, and no two have the same.
#[tokio::test]
async fn the_list_holds_what_can_be_called() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        let tools = world.result("tools/list", json!({})).await["tools"].take();
        let tools = tools.as_array().unwrap();
        let mut names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names.first(), Some(&"echo"));
        for tool in tools {
            assert!(!tool["description"].as_str().unwrap_or_default().is_empty(), "{tool}");
            jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        }
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{world}");
    })
    .await;
}

#[tokio::test]
async fn definitions_have_what_their_revision_has() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let tools = world.result("tools/list", json!({})).await["tools"].take();
        let echo = &tools[0];
        let version = world.version();
        let has = |member: &str| echo.get(member).is_some();
        assert_eq!(has("annotations"), version >= Version::V2025_03_26, "{world}");
        assert_eq!(has("title"), version >= Version::V2025_06_18, "{world}");
        assert_eq!(has("icons"), version >= Version::V2025_11_25, "{world}");
    })
    .await;
}

#[tokio::test]
async fn tools_of_other_revisions_are_not_there() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        let tools = world.result("tools/list", json!({})).await["tools"].take();
        for (name, span) in [
            ("sound", since(Version::V2025_03_26)),
            ("ask-form", since(Version::V2025_06_18)),
            ("archive", since(Version::V2025_11_25)),
            ("link-account", Span::only(Version::V2025_11_25)),
            ("ping-client", Span::LEGACY),
            ("squares", Span::MODERN),
        ] {
            let listed = tools.as_array().unwrap().iter().any(|tool| tool["name"] == name);
            assert_eq!(listed, span.contains(world.version()), "{world}: {name}");
            if !listed {
                assert_eq!(world.code("tools/call", json!({ "name": name })).await, Some(-32602));
            }
        }
    })
    .await;
}
