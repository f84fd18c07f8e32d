//! The state of a session is bounded, and freed when the session ends.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::time::Duration;

use http::Method;
use protocol::Version;
use serde_json::{Value, json};
use transport::serve::Limits;
use transport::serve::http::{HttpServer, Options};

use crate::support::{Wire, World, able};

async fn open(limits: Limits) -> World {
    let options = Options { limits, ..Options::default() };
    World::with_options(Version::V2025_11_25, Wire::Http, able(), options).await
}

fn kept(world: &World) -> usize {
    world.http.as_ref().map(HttpServer::budgets).unwrap().kept.used()
}

async fn delete(world: &World) {
    let reply = world.session.request("").verb(Method::DELETE).send().await.unwrap();
    assert_eq!(reply.status(), Some(204));
    for _ in 0..200 {
        if kept(world) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} bytes are not given back", kept(world));
}

fn task(label: usize) -> Value {
    let arguments = json!({ "seconds": 0, "label": "x".repeat(label) });
    json!({ "name": "slow_compute", "arguments": arguments, "task": { "ttl": 3_600_000 } })
}

#[tokio::test]
async fn tasks_that_have_ended_are_given_back_with_their_session() {
    let world = open(Limits::default()).await;
    for _ in 0..3 {
        assert_eq!(world.ask("tools/call", task(500_000)).await.status(), Some(200));
    }
    assert!(kept(&world) > 1_000_000, "{}", kept(&world));
    delete(&world).await;
}

#[tokio::test]
async fn old_tasks_make_room_for_new_ones() {
    let world = open(Limits { session_kept: 1_000_000, ..Limits::default() }).await;
    for _ in 0..10 {
        let reply = world.ask("tools/call", task(300_000)).await;
        assert!(matches!(reply.status(), Some(200 | 429)), "{reply:?}");
        assert!(kept(&world) <= 1_250_000, "{}", kept(&world));
    }
    delete(&world).await;
}

#[tokio::test]
async fn subscriptions_are_bounded_in_length_and_together() {
    let world = open(Limits { session_kept: 100_000, ..Limits::default() }).await;
    let subscribe = async |name: String| {
        let uri = format!("yardstick://greeting/{name}");
        world.ask("resources/subscribe", json!({ "uri": uri })).await
    };
    let reply = subscribe("x".repeat(10_000)).await;
    assert_eq!(reply.error().and_then(|error| error.code), Some(-32602), "{reply:?}");
    let mut refused = 0;
    for number in 0..30 {
        let reply = subscribe(format!("{number}{}", "x".repeat(6000))).await;
        refused += usize::from(reply.status() == Some(429));
    }
    assert!((10..20).contains(&refused), "{refused}");
    delete(&world).await;
}

#[tokio::test]
async fn a_client_that_says_too_much_of_itself_has_no_session() {
    let world = open(Limits { session_kept: 50_000, ..Limits::default() }).await;
    let many: serde_json::Map<_, _> = (0..1000).map(|n| (n.to_string(), json!({}))).collect();
    let client = json!({ "name": "talkative", "version": "1" });
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": { "experimental": many }, "clientInfo": client,
    });
    let request = world.session.request("initialize").params(params).without_header("mcp-session-id");
    let reply = request.send().await.unwrap();
    assert_eq!(reply.status(), Some(413), "{reply:?}");
    assert_eq!(reply.header("mcp-session-id"), None);
    delete(&world).await;
}
