//! Event streams: what they begin with, how they end, and how a client comes back to one.

use std::time::Duration;

use protocol::{Era, Span, Version};
use serde_json::{Value, json};
use transport::client::{Endpoint, Limits, Profile, RawSocket};
use transport::serve::http::Options;
use wire::{Direction, Recorder, What};

use crate::support::{SHORT_WAIT, Wire, World, able};

fn countdown(world: &World, steps: u32) -> transport::client::Request {
    let arguments = json!({ "steps": steps, "intervalMs": 20 });
    let request =
        world.session.request("tools/call").params(json!({ "name": "countdown", "arguments": arguments }));
    request.meta("progressToken", 1)
}

/// The events that the server sent, comments and all.
fn events(world: &World) -> Vec<String> {
    let transcript = world.session.recorder().transcript();
    let sent =
        transcript.entries.iter().filter(|e| e.direction == Direction::ToClient && e.what == What::Event);
    sent.map(|entry| String::from_utf8_lossy(&entry.bytes).into_owned()).collect()
}

#[tokio::test]
async fn streams_ask_not_to_be_held_back() {
    for version in Version::ALL {
        let world = World::open(version, Wire::Http, Profile::bare()).await;
        let reply = countdown(&world, 2).send().await.unwrap();
        assert_eq!(reply.media_type().as_deref(), Some("text/event-stream"), "{world}");
        assert_eq!(reply.header("x-accel-buffering"), Some("no"), "{world}");
        assert!(reply.ended, "{world}: the response ends the stream");
    }
}

/// Older clients would take an event without data for a broken message, and modern streams cannot be resumed.
#[tokio::test]
async fn only_2025_11_25_primes_its_streams() {
    for version in Version::ALL {
        let world = World::open(version, Wire::Http, Profile::bare()).await;
        let reply = countdown(&world, 2).send().await.unwrap();
        let primed = events(&world).iter().any(|event| event.starts_with("id: "));
        assert_eq!(primed, version == Version::V2025_11_25, "{world}: {:?}", events(&world));
        assert_eq!(reply.last_event_id.is_some(), version.era() == Era::Legacy, "{world}");
    }
}

#[tokio::test]
async fn a_stream_survives_its_connection() {
    for version in Span::LEGACY.versions() {
        let world = World::open(version, Wire::Http, Profile::bare()).await;
        let mut pending = countdown(&world, 12).start().await.unwrap();
        pending.next().await.unwrap().unwrap();
        let last = pending.last_event_id().unwrap().to_owned();
        pending.close();
        tokio::time::sleep(SHORT_WAIT).await;
        let mut resumed = world.session.listen(Some(&last)).await.unwrap();
        let mut steps = Vec::new();
        let result = loop {
            let message =
                resumed.next().await.unwrap().unwrap_or_else(|| panic!("{world}: the rest is lost"));
            match message.params() {
                Some(params) => steps.push(params["progress"].as_u64().unwrap()),
                None => break message.value().unwrap(),
            }
        };
        let expected: Vec<u64> = (13 - steps.len() as u64..=12).collect();
        assert_eq!(steps, expected, "{world}: each once, in order");
        assert_eq!(result["result"]["content"][0]["text"], "counted down from 12", "{world}");
        assert!(resumed.next().await.unwrap().is_none(), "{world}: and it ends");
    }
}

#[tokio::test]
async fn a_server_may_hang_up_and_have_the_client_come_back() {
    let world = World::open(Version::V2025_11_25, Wire::Http, Profile::bare()).await;
    let request = world.session.request("tools/call").params(json!({ "name": "test_reconnection" }));
    let mut pending = request.start().await.unwrap();
    assert!(pending.next().await.unwrap().is_some() || pending.retry().is_some());
    let request = world.session.request("tools/call").params(json!({ "name": "test_reconnection" }));
    let reply = request.send().await.unwrap();
    assert_eq!(reply.result().unwrap()["content"][0]["text"], "welcome back");
    assert_eq!(reply.retry, Some(Duration::from_millis(500)));
    for version in [Version::V2025_06_18, Version::V2026_07_28] {
        let world = World::open(version, Wire::Http, Profile::bare()).await;
        assert_eq!(
            world.text("test_reconnection", json!({})).await,
            "welcome back",
            "{world}: without a break"
        );
    }
}

#[tokio::test]
async fn a_listener_comes_back_for_what_it_missed() {
    let world = World::open(Version::V2025_11_25, Wire::Http, Profile::bare()).await;
    let mut first = world.session.listen(None).await.unwrap();
    world.call("toggle", json!({})).await;
    assert!(first.next().await.unwrap().unwrap().is_notification("notifications/tools/list_changed"));
    let last = first.last_event_id().unwrap().to_owned();
    first.close();
    tokio::time::sleep(SHORT_WAIT).await;
    world.call("toggle", json!({ "what": "prompt" })).await;
    let mut second = world.session.listen(Some(&last)).await.unwrap();
    assert!(second.next().await.unwrap().unwrap().is_notification("notifications/prompts/list_changed"));
    world.call("toggle", json!({ "what": "resource" })).await;
    assert!(second.next().await.unwrap().unwrap().is_notification("notifications/resources/list_changed"));
}

#[tokio::test]
async fn a_message_goes_to_one_stream_only() {
    let world = World::open(Version::V2025_11_25, Wire::Http, Profile::bare()).await;
    let mut first = world.session.listen(None).await.unwrap();
    let mut second = world.session.listen(None).await.unwrap();
    world.call("toggle", json!({})).await;
    assert!(first.next_within(SHORT_WAIT * 5).await.unwrap().is_some());
    assert!(second.next_within(SHORT_WAIT).await.is_err(), "it waits its turn");
    // The one that is left takes over.
    first.close();
    tokio::time::sleep(SHORT_WAIT).await;
    world.call("toggle", json!({})).await;
    assert!(second.next_within(SHORT_WAIT * 5).await.unwrap().is_some());
}

#[tokio::test]
async fn many_streams_run_side_by_side() {
    for version in Version::ALL {
        let world = World::open(version, Wire::Http, Profile::bare()).await;
        let mut running = Vec::new();
        for _ in 0..8 {
            running.push(countdown(&world, 5).start().await.unwrap());
        }
        for pending in running {
            let reply = pending.response().await.unwrap();
            assert_eq!(reply.notifications("notifications/progress").count(), 5, "{world}");
            assert!(reply.result().is_some(), "{world}");
        }
    }
}

#[tokio::test]
async fn silent_streams_are_kept_alive() {
    for version in [Version::V2025_11_25, Version::V2026_07_28] {
        let options = Options { keep_alive: Duration::from_millis(20), ..Options::default() };
        let world = World::with_options(version, Wire::Http, able(), options).await;
        let request = world
            .session
            .request("tools/call")
            .params(json!({ "name": "countdown", "arguments": { "steps": 1, "intervalMs": 150 } }));
        let reply = request.send().await.unwrap();
        assert!(reply.result().is_some(), "{world}");
        assert!(events(&world).iter().any(|event| event.starts_with(':')), "{world}: {:?}", events(&world));
    }
}

#[tokio::test]
async fn the_old_transport_has_a_stream_and_a_place_to_post_to() {
    let world = World::open(Version::V2024_11_05, Wire::Sse, Profile::bare()).await;
    assert_eq!(world.text("echo", json!({ "text": "old" })).await, "old");
    let reply = world.ask("ping", json!({})).await;
    assert_eq!(reply.status(), Some(202));
    let posted = world.session.request("ping").path("/messages?sessionId=made-up");
    assert_eq!(posted.send().await.unwrap().status(), Some(404));
    let address = world.http.as_ref().unwrap().address();
    let endpoint = Endpoint::new(&format!("http://{address}/sse")).unwrap();
    let mut raw = RawSocket::open(&endpoint, &Recorder::new(), &Limits::default()).await.unwrap();
    raw.write(format!("GET /sse HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let reply = raw.rest(SHORT_WAIT).await;
    let text = String::from_utf8_lossy(&reply.bytes).into_owned();
    assert!(text.contains("event: endpoint\ndata: /messages?sessionId="), "{text}");
}

/// A client that has sent its request and closed its side still reads the answer.
#[tokio::test]
async fn a_half_closed_socket_is_answered() {
    let world = World::open(Era::Modern.newest(), Wire::Http, Profile::bare()).await;
    let address = world.http.as_ref().unwrap().address();
    let endpoint = Endpoint::new(&format!("http://{address}/mcp")).unwrap();
    let mut raw = RawSocket::open(&endpoint, &Recorder::new(), &Limits::default()).await.unwrap();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta } })
        .to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nmcp-method: server/discover\r\n\
         mcp-protocol-version: 2026-07-28\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    raw.write(format!("{head}{body}").as_bytes()).await.unwrap();
    raw.half_close().await.unwrap();
    let reply = raw.response(Duration::from_secs(5)).await;
    assert_eq!(reply.status(), Some(200));
    assert_eq!(serde_json::from_slice::<Value>(reply.body()).unwrap()["id"], 1);
}

#[tokio::test]
async fn a_server_that_shuts_down_finishes_what_it_began() {
    let world = World::open(Era::Modern.newest(), Wire::Http, able()).await;
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    let mut listening = world.session.request("subscriptions/listen").params(filter).start().await.unwrap();
    listening.next().await.unwrap().unwrap();
    let counting = countdown(&world, 10).start().await.unwrap();
    world.server.close();
    let http = world.http.as_ref().unwrap();
    let (_, listened, counted) =
        tokio::join!(http.shut_down(Duration::from_secs(5)), listening.response(), counting.response());
    assert_eq!(listened.unwrap().result_type().as_deref(), Some("complete"));
    assert!(counted.unwrap().result().is_some());
    assert!(world.session.request("tools/list").send().await.is_err(), "nobody listens any more");
}
