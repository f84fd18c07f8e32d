//! Prompts and completion.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use protocol::{Span, Version};
use serde_json::{Value, json};
use transport::client::Profile;

use crate::support::{World, able, everywhere};

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let prompts = world.result("prompts/list", json!({})).await["prompts"].take();
        let review = prompts.as_array().unwrap().iter().find(|p| p["name"] == "review").unwrap();
        assert_eq!(review["arguments"][0]["required"], true, "{world}");
        assert_eq!(review.get("title").is_some(), world.version() >= Version::V2025_06_18, "{world}");
        assert_eq!(review.get("icons").is_some(), world.version() >= Version::V2025_11_25, "{world}");
        let arguments = json!({ "code": "fn main() {}", "language": "rust" });
        let got = world.result("prompts/get", json!({ "name": "review", "arguments": arguments })).await;
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("```rust\nfn main() {}\n```"), "{world}: {text}");
    })
    .await;
}

#[tokio::test]
async fn prompts_carry_resources_and_pictures() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for (name, at, kind) in [("explain-guide", 1, "resource"), ("describe-picture", 0, "image")] {
            let got = world.result("prompts/get", json!({ "name": name })).await;
            assert_eq!(got["messages"][at]["content"]["type"], kind, "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_does_not_fit_a_prompt_is_refused() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for params in [
            json!({ "name": "no-such-prompt" }),
            json!({}),
            json!({ "name": "review" }),
            json!({ "name": "review", "arguments": { "code": 7 } }),
            json!({ "name": "review", "arguments": "code" }),
        ] {
            assert_eq!(world.code("prompts/get", params.clone()).await, Some(-32602), "{world}: {params}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_prompt_may_ask_in_the_modern_revision() {
    everywhere(Span::MODERN, &able(), async |world| {
        let name = json!({ "name": "test_input_required_result_prompt" });
        let asked = world.ask("prompts/get", name.clone()).await;
        assert_eq!(asked.result_type().as_deref(), Some("input_required"), "{world}");
        let got = world.result("prompts/get", name).await;
        assert_eq!(got["messages"][0]["role"], "user", "{world}");
    })
    .await;
}

async fn suggested(world: &World, reference: Value, argument: (&str, &str), context: Value) -> Vec<Value> {
    let argument = json!({ "name": argument.0, "value": argument.1 });
    let mut params = json!({ "ref": reference, "argument": argument });
    if !context.is_null() {
        params["context"] = json!({ "arguments": context });
    }
    world.result("completion/complete", params).await["completion"]["values"].as_array().unwrap().clone()
}

#[tokio::test]
async fn arguments_are_completed() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let review = json!({ "type": "ref/prompt", "name": "review" });
        assert_eq!(
            suggested(world, review.clone(), ("language", "r"), Value::Null).await,
            ["rust"],
            "{world}"
        );
        assert!(suggested(world, review, ("code", "x"), Value::Null).await.is_empty(), "{world}");
        let greeting = json!({ "type": "ref/resource", "uri": "yardstick://greeting/{name}" });
        assert_eq!(suggested(world, greeting, ("name", "A"), Value::Null).await, ["Ada", "Alan"], "{world}");
    })
    .await;
}

#[tokio::test]
async fn completion_looks_at_the_other_arguments_from_2025_06_18_on() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let translate = json!({ "type": "ref/prompt", "name": "translate" });
        let german = json!({ "language": "German" });
        let regions = suggested(world, translate, ("region", ""), german).await;
        let knows = world.version() >= Version::V2025_06_18;
        assert_eq!(
            regions,
            if knows { vec![json!("Austria"), json!("Switzerland")] } else { vec![] },
            "{world}"
        );
        let route = json!({ "type": "ref/resource", "uri": "yardstick://routes/{from}/{to}" });
        let cities = suggested(world, route, ("to", "b"), json!({ "from": "Berlin" })).await;
        assert_eq!(cities, if knows { vec![] } else { vec![json!("Berlin")] }, "{world}");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_completed_is_refused() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let argument = json!({ "name": "language", "value": "" });
        for params in [
            json!({ "ref": { "type": "ref/prompt", "name": "none" }, "argument": argument }),
            json!({ "ref": { "type": "ref/prompt", "name": "review" }, "argument": { "name": "none", "value": "" } }),
            json!({ "ref": { "type": "ref/resource", "uri": "none://{x}" }, "argument": argument }),
            json!({ "ref": { "type": "ref/tool", "name": "echo" }, "argument": argument }),
            json!({ "ref": { "type": "ref/prompt", "name": "review" } }),
            json!({ "argument": argument }),
        ] {
            assert_eq!(world.code("completion/complete", params.clone()).await, Some(-32602), "{world}: {params}");
        }
    })
    .await;
}
