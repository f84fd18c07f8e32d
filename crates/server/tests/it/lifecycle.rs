//! How a conversation begins: handshake, discovery, and requests that come too early or in the wrong version.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use protocol::{Era, Span, Version};
use serde_json::{Value, json};
use transport::client::{Profile, Reply, Session};

use crate::support::{Wire, World, able, everywhere};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn handshake(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } })
}

async fn initialize(session: &Session, params: Value) -> Reply {
    session.request("initialize").params(params).send().await.unwrap()
}

#[tokio::test]
async fn capabilities_are_those_of_the_revision() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        let capabilities = world.session.server().capabilities;
        let has = |path: &str| capabilities.pointer(path).is_some();
        for path in ["/tools/listChanged", "/resources/subscribe", "/prompts/listChanged", "/logging"] {
            assert!(has(path), "{world}: {path}");
        }
        let version = world.version();
        assert_eq!(has("/completions"), version >= Version::V2025_03_26, "{world}");
        assert_eq!(has("/tasks/requests/tools/call"), version == Version::V2025_11_25, "{world}");
        assert_eq!(
            has("/extensions/io.modelcontextprotocol~1tasks"),
            version == Version::V2026_07_28,
            "{world}"
        );
        assert_eq!(
            world.session.server().name().as_deref(),
            Some(concat!("yardstick ", env!("CARGO_PKG_VERSION")))
        );
        assert!(world.session.server().instructions.is_some(), "{world}");
    })
    .await;
}

#[tokio::test]
async fn versions_are_negotiated() {
    for wire in [Wire::Pipe, Wire::Http] {
        for (asked, offered) in [
            ("2024-10-07", "2024-11-05"),
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("1999-12-31", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            let world = World::open(Era::Modern.newest(), wire, Profile::bare()).await;
            let session = world.unopened(Era::Legacy.newest(), Profile::bare()).await;
            let result = initialize(&session, handshake(asked)).await.result().unwrap();
            assert_eq!(result["protocolVersion"], offered, "{asked} over {wire:?}");
        }
    }
}

#[tokio::test]
async fn a_handshake_that_is_none_is_refused_and_can_be_mended() {
    for wire in [Wire::Pipe, Wire::Http] {
        let world = World::open(Era::Modern.newest(), wire, Profile::bare()).await;
        let session = world.unopened(Era::Legacy.newest(), Profile::bare()).await;
        for member in ["protocolVersion", "capabilities", "clientInfo"] {
            let mut params = handshake("2025-11-25");
            params.as_object_mut().unwrap().remove(member);
            let reply = initialize(&session, params).await;
            assert_eq!(reply.code(), Some(-32602), "{wire:?}: without {member}");
            assert_eq!(reply.header("mcp-session-id"), None, "{wire:?}: without {member}");
        }
        assert!(initialize(&session, handshake("2025-11-25")).await.result().is_some(), "{wire:?}");
    }
}

#[tokio::test]
async fn one_handshake_is_enough() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        let reply = initialize(&world.session, handshake("2024-11-05")).await;
        assert_eq!(reply.code(), Some(-32600), "{world}");
        assert_eq!(world.text("echo", json!({ "text": "as before" })).await, "as before");
    })
    .await;
}

/// On HTTP what belongs to no session does not get as far as the server.
#[tokio::test]
async fn nothing_but_ping_comes_before_the_handshake() {
    let world = World::open(Era::Modern.newest(), Wire::Pipe, Profile::bare()).await;
    let session = world.unopened(Era::Legacy.newest(), Profile::bare()).await;
    let code = async |method: &str| session.request(method).send().await.unwrap().code();
    assert_eq!(code("tools/list").await, Some(-32600));
    assert_eq!(code("no/such/method").await, Some(-32600));
    assert_eq!(code("server/discover").await, Some(-32602), "it is modern, and lacks what makes it so");
    assert_eq!(code("ping").await, None);
    let world = World::open(Era::Modern.newest(), Wire::Http, Profile::bare()).await;
    let session = world.unopened(Era::Legacy.newest(), Profile::bare()).await;
    assert_eq!(session.request("tools/list").send().await.unwrap().status(), Some(400));
}

#[tokio::test]
async fn ping_is_answered_in_the_legacy_era() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let reply = world.ask("ping", json!({})).await;
        match world.version().era() {
            Era::Legacy => assert_eq!(reply.result(), Some(json!({})), "{world}"),
            Era::Modern => assert_eq!(reply.code(), Some(-32601), "{world}"),
        }
    })
    .await;
}

#[tokio::test]
async fn methods_of_other_revisions_do_not_exist() {
    everywhere(Span::ALWAYS, &able(), async |world| {
        let (legacy, modern) = (world.version().era() == Era::Legacy, world.version().era() == Era::Modern);
        let tasks = world.version() == Version::V2025_11_25;
        for (method, there) in [
            ("logging/setLevel", legacy),
            ("resources/subscribe", legacy),
            ("tasks/list", tasks),
            ("tasks/result", tasks),
            ("tasks/update", modern),
            ("server/discover", modern),
            ("subscriptions/listen", modern),
            ("roots/list", false),
            ("notifications/initialized", false),
            ("vendor/own", false),
        ] {
            let reply = world.ask(method, json!({})).await;
            assert_eq!(reply.code() == Some(-32601), !there, "{world}: {method}");
            if let (false, true, Some(status)) = (there, modern, reply.status()) {
                assert_eq!(status, 404, "{world}: {method}");
            }
        }
        // Carrying modern metadata, a handshake is a method that does not exist.
        if modern {
            assert_eq!(
                initialize(&world.session, handshake("2025-11-25")).await.code(),
                Some(-32601),
                "{world}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn discovery_names_every_revision() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let found = world.result("server/discover", json!({})).await;
        let versions: Vec<_> = Version::ALL.iter().rev().map(|v| v.as_str()).collect();
        assert_eq!(found["supportedVersions"], json!(versions), "{world}");
        assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "yardstick", "{world}");
        assert!(found["ttlMs"].as_u64().is_some() && found["cacheScope"].is_string(), "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_refused_with_those_that_are() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        for asked in ["2099-01-01", "2025-11-25", "nonsense"] {
            let request = world
                .session
                .request("tools/list")
                .meta(VERSION, asked)
                .header("mcp-protocol-version", asked);
            let reply = request.send().await.unwrap();
            assert_eq!(reply.code(), Some(-32022), "{world}: {asked}");
            let data = reply.error().unwrap().data.unwrap();
            assert_eq!(data["requested"], asked, "{world}");
            assert!(data["supported"].as_array().unwrap().contains(&json!("2026-07-28")), "{world}");
            assert!(reply.status().is_none_or(|status| status == 400), "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn every_modern_request_says_who_asks() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let list = || world.session.request("tools/list");
        let wrong = [
            list().without_meta(CAPABILITIES),
            list().meta(CAPABILITIES, "all of them"),
            list().meta(VERSION, 20_260_728).header("mcp-protocol-version", "20260728"),
            list().meta("io.modelcontextprotocol/clientInfo", json!({ "name": "nameless" })),
        ];
        for request in wrong {
            let reply = request.send().await.unwrap();
            assert_eq!(reply.code(), Some(-32602), "{world}");
            assert!(reply.status().is_none_or(|status| status == 400), "{world}");
        }
        let anonymous = list().without_meta("io.modelcontextprotocol/clientInfo").send().await.unwrap();
        assert!(anonymous.result().is_some(), "{world}: who it is it need not say");
    })
    .await;
}

/// What one request declared is forgotten with it.
#[tokio::test]
async fn a_modern_server_remembers_nothing() {
    everywhere(Span::MODERN, &able(), async |world| {
        let sample = || world.session.request("tools/call").params(json!({ "name": "sample" }));
        assert_eq!(
            sample().send().await.unwrap().result_type().as_deref(),
            Some("input_required"),
            "{world}"
        );
        let bare = sample().meta(CAPABILITIES, json!({})).send().await.unwrap();
        assert_eq!(bare.code(), Some(-32021), "{world}");
    })
    .await;
}

#[tokio::test]
async fn both_eras_live_on_one_pipe() {
    let world = World::open(Version::V2025_06_18, Wire::Pipe, Profile::bare()).await;
    let meta = json!({ VERSION: "2026-07-28", CAPABILITIES: {} });
    let modern = world.session.request("tools/call");
    let modern = modern.params(json!({ "name": "echo", "arguments": { "text": "new" }, "_meta": meta }));
    assert_eq!(modern.send().await.unwrap().result_type().as_deref(), Some("complete"));
    assert_eq!(world.call("echo", json!({ "text": "old" })).await.get("resultType"), None);
}

#[tokio::test]
async fn results_say_how_long_they_are_good_for() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        for (method, params) in [
            ("tools/list", json!({})),
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("prompts/list", json!({})),
            ("resources/read", json!({ "uri": "yardstick://about" })),
        ] {
            let result = world.result(method, params).await;
            assert!(result["ttlMs"].as_u64().is_some(), "{world}: {method}");
            assert!(matches!(result["cacheScope"].as_str(), Some("public" | "private")), "{world}: {method}");
        }
        let call = world.call("echo", json!({ "text": "" })).await;
        assert_eq!(call.get("ttlMs"), None, "{world}");
    })
    .await;
}
