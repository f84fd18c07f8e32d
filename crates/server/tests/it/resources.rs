//! Resources and their templates.

use protocol::{Span, Version};
use serde_json::{Value, json};
use transport::client::Profile;

use crate::support::{able, everywhere, since};

#[tokio::test]
async fn text_bytes_and_several_contents_are_read() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let read =
            async |uri: &str| world.result("resources/read", json!({ "uri": uri })).await["contents"].take();
        let about = read("yardstick://about").await;
        assert_eq!(about[0]["text"], "Yardstick's reference server.", "{world}");
        let picture = read("yardstick://picture").await;
        assert!(picture[0]["blob"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{world}");
        assert_eq!(read("yardstick://table").await.as_array().unwrap().len(), 2, "{world}");
    })
    .await;
}

#[tokio::test]
async fn every_page_is_reached_and_every_resource_readable() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let mut uris: Vec<String> = Vec::new();
        let mut cursor = None;
        let mut pages = 0;
        loop {
            let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
            let page = world.result("resources/list", params).await;
            uris.extend(
                page["resources"].as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap().to_owned()),
            );
            pages += 1;
            cursor = page.get("nextCursor").cloned();
            if cursor.is_none() {
                break;
            }
        }
        assert!(pages >= 2, "{world}");
        for uri in &uris {
            world.result("resources/read", json!({ "uri": uri })).await;
        }
        uris.sort_unstable();
        let count = uris.len();
        uris.dedup();
        assert_eq!(uris.len(), count, "{world}: a resource is on two pages");
    })
    .await;
}

#[tokio::test]
async fn cursors_that_were_made_up_are_refused() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            for cursor in [json!("made-up"), json!(7), json!("")] {
                let code = world.code(method, json!({ "cursor": cursor })).await;
                assert_eq!(code, Some(-32602), "{world}: {method} {cursor}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn templates_expand() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let templates = world.result("resources/templates/list", json!({})).await["resourceTemplates"].take();
        let templates: Vec<_> =
            templates.as_array().unwrap().iter().map(|t| t["uriTemplate"].clone()).collect();
        assert!(templates.contains(&json!("yardstick://routes/{from}/{to}")), "{world}: {templates:?}");
        for (uri, text) in [
            ("yardstick://greeting/J%C3%BCrgen%20K", "Hello, Jürgen K!"),
            ("yardstick://routes/Bern/New%20York", r#"{"from":"Bern","to":"New York"}"#),
            ("yardstick://elements/carbon", "Element 6, C"),
        ] {
            let contents = world.result("resources/read", json!({ "uri": uri })).await["contents"].take();
            assert_eq!((&contents[0]["uri"], &contents[0]["text"]), (&json!(uri), &json!(text)), "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_does_not_exist_is_an_error_with_its_uri() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let code = if world.version() < Version::V2026_07_28 { -32002 } else { -32602 };
        for uri in
            ["yardstick://nowhere", "yardstick://elements/gold", "yardstick://greeting/a/b", "nonsense"]
        {
            let error = world.ask("resources/read", json!({ "uri": uri })).await.error().unwrap();
            assert_eq!((error.code, error.data), (Some(code), Some(json!({ "uri": uri }))), "{world}");
        }
        assert_eq!(world.code("resources/read", json!({})).await, Some(-32602), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_resource_may_ask_before_it_opens() {
    everywhere(since(Version::V2025_06_18), &able(), async |world| {
        let letter = world.result("resources/read", json!({ "uri": "yardstick://letters/Ada" })).await;
        assert!(
            letter["contents"][0]["text"].as_str().unwrap().starts_with("Dear Ada, all is well."),
            "{world}"
        );
    })
    .await;
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let code = world.code("resources/read", json!({ "uri": "yardstick://letters/Ada" })).await;
        assert_eq!(code, Some(-32021), "{world}");
    })
    .await;
}

#[tokio::test]
async fn subscribers_are_told_until_they_unsubscribe() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        let uri = json!({ "uri": "yardstick://counter" });
        world.session.open_get_stream().await.unwrap();
        assert_eq!(world.result("resources/subscribe", uri.clone()).await, json!({}), "{world}");
        world.call("touch", json!({})).await;
        assert_eq!(world.told("notifications/resources/updated").await, uri, "{world}");
        let contents = world.result("resources/read", uri.clone()).await["contents"].take();
        assert_eq!(contents[0]["text"], "1", "{world}");
        world.result("resources/unsubscribe", uri.clone()).await;
        world.call("touch", json!({})).await;
        assert!(world.hears_no("notifications/resources/updated").await, "{world}");
        assert_eq!(
            world.code("resources/subscribe", json!({ "uri": "yardstick://nowhere" })).await,
            Some(-32002)
        );
    })
    .await;
}

#[tokio::test]
async fn subscriptions_by_request_ended_with_the_legacy_revisions() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            let reply = world.ask(method, json!({ "uri": "yardstick://counter" })).await;
            assert_eq!(reply.code(), Some(-32601), "{world}");
            assert!(reply.status().is_none_or(|status| status == 404), "{world}");
        }
    })
    .await;
}
