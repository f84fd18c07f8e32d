//! HTTP: admission, statuses, headers, sessions.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use http::Method;
use protocol::{Era, Span, Version};
use serde_json::json;
use transport::client::{Profile, Reply, Request};

use crate::support::{Wire, World, able, since};

/// Runs `body` over Streamable HTTP, once per version.
async fn over_http(span: Span, body: impl AsyncFn(&World)) {
    for version in span.versions() {
        let world = World::open(version, Wire::Http, able()).await;
        body(&world).await;
        world.inspect();
    }
}

async fn sent(request: Request) -> Reply {
    request.send().await.unwrap()
}

#[tokio::test]
async fn sessions_have_ids_and_stateless_requests_none() {
    over_http(Span::ALWAYS, async |world| {
        let id = world.session.server().session_id;
        assert_eq!(id.is_some(), world.version().era() == Era::Legacy, "{world}");
        assert!(
            id.is_none_or(|id| id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_graphic())),
            "{world}"
        );
        let reply = world.ask("tools/list", json!({})).await;
        assert_eq!(reply.header("mcp-session-id"), None, "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_request_names_its_session() {
    over_http(Span::LEGACY, async |world| {
        let list = || world.session.request("tools/list");
        assert_eq!(sent(list().without_header("mcp-session-id")).await.status(), Some(400), "{world}");
        assert_eq!(sent(list().header("mcp-session-id", "made-up")).await.status(), Some(404), "{world}");
        let get = || list().verb(Method::GET).header("accept", "text/event-stream");
        assert_eq!(sent(get().without_header("mcp-session-id")).await.status(), Some(400), "{world}");
        assert_eq!(sent(get().header("mcp-session-id", "made-up")).await.status(), Some(404), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_terminated_session_is_gone_and_what_it_did_ends() {
    over_http(Span::LEGACY, async |world| {
        let arguments = json!({ "steps": 1000, "intervalMs": 20 });
        let running = world
            .session
            .request("tools/call")
            .params(json!({ "name": "countdown", "arguments": arguments }));
        let running = running.start().await.unwrap();
        let mut listening = world.session.listen(None).await.unwrap();
        let delete = sent(world.session.request("").verb(Method::DELETE)).await;
        assert_eq!(delete.status(), Some(204), "{world}");
        let ended = running.response().await;
        assert!(ended.is_ok_and(|reply| reply.result().is_none()), "{world}: nobody is left to answer");
        assert!(listening.next().await.unwrap().is_none(), "{world}: the stream ends");
        assert_eq!(world.ask("tools/list", json!({})).await.status(), Some(404), "{world}");
        assert_eq!(sent(world.session.request("").verb(Method::DELETE)).await.status(), Some(404), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_version_that_has_no_sessions_is_refused_in_one() {
    over_http(since(Version::V2025_06_18), async |world| {
        if world.version().era() == Era::Modern {
            return;
        }
        let reply =
            sent(world.session.request("tools/list").header("mcp-protocol-version", "1999-01-01")).await;
        assert_eq!(reply.status(), Some(400), "{world}");
        let reply = sent(world.session.request("tools/list").without_header("mcp-protocol-version")).await;
        assert_eq!(reply.status(), Some(200), "{world}: the session knows it");
    })
    .await;
}

#[tokio::test]
async fn statuses_go_with_what_happened() {
    over_http(Span::ALWAYS, async |world| {
        let accepted = world.session.notify("notifications/unheard-of", None).await.unwrap();
        assert_eq!((accepted.status(), accepted.body.len()), (Some(202), 0), "{world}");
        let unknown = world.ask("no/such/method", json!({})).await;
        let expected = if world.version().era() == Era::Modern { 404 } else { 200 };
        assert_eq!((unknown.status(), unknown.code()), (Some(expected), Some(-32601)), "{world}");
        let refused = sent(world.session.request("x").body(r#"{"jsonrpc":"2.0","method":7}"#)).await;
        assert_eq!(refused.status(), Some(400), "{world}: a notification that is none");
        assert_eq!(sent(world.session.request("x").body("{")).await.status(), Some(400), "{world}");
        assert_eq!(world.ask("tools/call", json!({ "name": "none" })).await.status(), Some(200), "{world}");
    })
    .await;
}

#[tokio::test]
async fn media_types_are_looked_at() {
    over_http(Span::ALWAYS, async |world| {
        let list = || world.session.request("tools/list");
        assert_eq!(sent(list().header("content-type", "text/plain")).await.status(), Some(415), "{world}");
        assert_eq!(sent(list().header("accept", "text/html")).await.status(), Some(406), "{world}");
        let with_charset =
            list().header("content-type", "application/json; charset=utf-8").header("accept", "*/*");
        let reply = sent(with_charset).await;
        assert_eq!(reply.media_type().as_deref(), Some("application/json"), "{world}");
        assert_eq!(reply.status(), Some(200), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_takes_no_stream_gets_the_end_of_it() {
    over_http(Span::ALWAYS, async |world| {
        let arguments = json!({ "steps": 3, "intervalMs": 5 });
        let request = world
            .session
            .request("tools/call")
            .params(json!({ "name": "countdown", "arguments": arguments }));
        let reply = sent(request.meta("progressToken", 1).header("accept", "application/json")).await;
        assert_eq!(reply.media_type().as_deref(), Some("application/json"), "{world}");
        assert_eq!(reply.result().unwrap()["content"][0]["text"], "counted down from 3", "{world}");
    })
    .await;
}

#[tokio::test]
async fn other_verbs_and_paths_are_refused() {
    over_http(Span::only(Version::V2025_11_25), async |world| {
        let put = sent(world.session.request("").verb(Method::PUT)).await;
        assert_eq!((put.status(), put.header("allow")), (Some(405), Some("GET, POST, DELETE")));
        assert_eq!(sent(world.session.request("ping").path("/elsewhere")).await.status(), Some(404));
        let html = world.session.request("").verb(Method::GET).header("accept", "text/html");
        assert_eq!(sent(html).await.status(), Some(406));
    })
    .await;
}

#[tokio::test]
async fn the_modern_era_has_neither_get_nor_delete() {
    over_http(Span::MODERN, async |world| {
        for verb in [Method::GET, Method::DELETE] {
            let request = world.session.request("").verb(verb).header("accept", "text/event-stream");
            let reply = sent(request.header("mcp-protocol-version", "2026-07-28")).await;
            assert_eq!((reply.status(), reply.header("allow")), (Some(405), Some("POST")), "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn web_pages_from_elsewhere_are_kept_out() {
    over_http(Span::ALWAYS, async |world| {
        let list = || world.session.request("tools/list");
        for origin in ["https://attacker.example", "null", "http://localhost.attacker.example"] {
            assert_eq!(sent(list().header("origin", origin)).await.status(), Some(403), "{world}: {origin}");
        }
        assert_eq!(sent(list().header("host", "attacker.example")).await.status(), Some(403), "{world}");
        let near = sent(list().header("origin", "http://localhost:5173")).await;
        assert_eq!(near.status(), Some(200), "{world}");
        assert_eq!(near.header("access-control-allow-origin"), Some("http://localhost:5173"), "{world}");
        let preflight =
            world.session.request("").verb(Method::OPTIONS).header("origin", "http://127.0.0.1:1");
        let preflight = sent(preflight).await;
        assert_eq!(preflight.status(), Some(204), "{world}");
        assert!(
            preflight.header("access-control-allow-methods").is_some_and(|m| m.contains("POST")),
            "{world}"
        );
        let foreign =
            world.session.request("").verb(Method::OPTIONS).header("origin", "https://attacker.example");
        assert_eq!(sent(foreign).await.status(), Some(403), "{world}");
    })
    .await;
}

#[tokio::test]
async fn headers_must_say_what_the_body_says() {
    over_http(Span::MODERN, async |world| {
        let echo = || {
            world
                .session
                .request("tools/call")
                .params(json!({ "name": "echo", "arguments": { "text": "x" } }))
        };
        let wrong = [
            echo().without_header("mcp-method"),
            echo().without_header("mcp-name"),
            echo().without_header("mcp-protocol-version"),
            echo().header("mcp-method", "tools/list"),
            echo().header("mcp-method", "Tools/Call"),
            echo().header("mcp-name", "fail"),
            echo().header("mcp-name", "=?base64?!!?="),
            echo().header("mcp-protocol-version", "2025-11-25"),
            world
                .session
                .request("resources/read")
                .params(json!({ "uri": "yardstick://about" }))
                .header("mcp-name", "x:y"),
        ];
        for request in wrong {
            let reply = sent(request).await;
            assert_eq!((reply.status(), reply.code()), (Some(400), Some(-32020)), "{world}");
        }
        let right = [echo().header("mcp-name", "=?base64?ZWNobw==?="), echo().header("mcp-name", "  echo ")];
        for request in right {
            assert!(sent(request).await.result().is_some(), "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn arguments_are_repeated_in_headers() {
    over_http(Span::MODERN, async |world| {
        let tools = world.result("tools/list", json!({})).await["tools"].take();
        let schema =
            &tools.as_array().unwrap().iter().find(|tool| tool["name"] == "route").unwrap()["inputSchema"];
        let arguments =
            json!({ "region": "Zürich", "priority": 42, "dryRun": true, "tenant": { "id": "t" } });
        let call =
            || world.session.request("tools/call").params(json!({ "name": "route", "arguments": arguments }));
        assert!(sent(call().mirror(schema)).await.result().is_some(), "{world}");
        // What the body says is Basel, at priority 42.0.
        let with = |region: &str, priority: u32| {
            let arguments = json!({ "region": "Basel", "priority": 42.0 });
            let request = world
                .session
                .request("tools/call")
                .params(json!({ "name": "route", "arguments": arguments }));
            request.header("mcp-param-region", region).header("mcp-param-priority", priority.to_string())
        };
        for (at, request) in [
            call(),
            call().mirror(schema).without_header("mcp-param-tenant-id"),
            with("elsewhere", 42),
            with("=?base64?SGVsbG8?=", 42),
            with("Basel", 43),
            with("Basel", 42).header("mcp-param-region", "Bern"),
        ]
        .into_iter()
        .enumerate()
        {
            let reply = sent(request).await;
            assert_eq!((reply.status(), reply.code()), (Some(400), Some(-32020)), "{world}: {at}");
        }
        assert!(sent(with("Basel", 42)).await.result().is_some(), "{world}");
        let numerically = with("Basel", 42).without_header("mcp-param-priority");
        assert_eq!(sent(numerically).await.code(), Some(-32020), "{world}: it is in the body");
    })
    .await;
}

#[tokio::test]
async fn tasks_are_routed_by_their_id() {
    over_http(Span::MODERN, async |world| {
        let task = world.call("research", json!({ "ms": 1 })).await["taskId"].take();
        let get = || world.session.request("tasks/get").params(json!({ "taskId": task }));
        assert!(sent(get()).await.result().is_some(), "{world}");
        assert_eq!(sent(get().header("mcp-name", "another")).await.code(), Some(-32020), "{world}");
        assert_eq!(sent(get().without_header("mcp-name")).await.code(), Some(-32020), "{world}");
    })
    .await;
}

#[tokio::test]
async fn nobody_responds_in_the_modern_era() {
    over_http(Span::MODERN, async |world| {
        for response in [
            r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"x"}}"#,
        ] {
            let reply = sent(world.session.request("x").body(response)).await;
            assert_eq!(reply.status(), Some(400), "{world}");
        }
        let batch = format!("[{}]", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        assert_eq!(sent(world.session.request("x").body(batch)).await.status(), Some(400), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let world = World::open(Era::Modern.newest(), Wire::Http, Profile::bare()).await;
    let body = vec![b' '; transport::MAX_MESSAGE + 1];
    assert_eq!(sent(world.session.request("x").body(body)).await.status(), Some(413));
}
