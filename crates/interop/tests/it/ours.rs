//! Our client among servers by others: it finds out what they speak, and then speaks it.

use protocol::{Era, Version};
use serde_json::{Value, json};
use transport::Transport;
use transport::client::{Limits, Profile, Session, Target, probe};

use crate::harness::Server;

const PEERS: [Server; 3] = [Server::Ts1, Server::Ts2, Server::Rmcp];

#[tokio::test]
async fn revisions_of_stdio_servers_are_found() {
    for server in PEERS {
        let found = probe(&stdio(server), Limits::default())
            .await
            .unwrap_or_else(|error| panic!("{server:?}: {error}"));
        assert_eq!(found.versions(), spoken(server), "{server:?}: {:?}", found.notes);
    }
}

#[tokio::test]
async fn revisions_of_http_servers_are_found() {
    for server in PEERS {
        let listening = server.listen();
        let target = Target::url(&listening.url).unwrap();
        let found =
            probe(&target, Limits::default()).await.unwrap_or_else(|error| panic!("{server:?}: {error}"));
        assert_eq!(found.versions(), spoken(server), "{server:?}: {:?}", found.notes);
    }
}

#[tokio::test]
async fn stdio_servers_are_spoken_to() {
    for server in PEERS {
        converse(server, &stdio(server)).await;
    }
}

#[tokio::test]
async fn http_servers_are_spoken_to() {
    for server in PEERS {
        let listening = server.listen();
        converse(server, &Target::url(&listening.url).unwrap()).await;
    }
}

#[tokio::test]
async fn http_with_sse_is_spoken() {
    let listening = Server::Ts1.listen();
    let target = Target::url(&listening.url.replace("/mcp", "/sse")).unwrap();
    let session =
        Session::open(&target, Version::V2024_11_05, Profile::default(), Limits::default()).await.unwrap();
    assert_eq!(session.transport(), Transport::HttpSse);
    assert_eq!(call(&session, "echo", json!({ "text": "hi" })).await, "hi");
    assert_eq!(call(&session, "ask-roots", json!({})).await, "file:///yardstick/root");
}

/// One visit in every revision that the server has.
async fn converse(server: Server, target: &Target) {
    for version in spoken(server) {
        let opened = Session::open(target, version, Profile::default(), Limits::default()).await;
        let session = opened.unwrap_or_else(|error| panic!("{server:?} in {version}: {error}"));
        if version.era() == Era::Legacy {
            assert_eq!(session.server().negotiated(), Some(version), "{server:?}");
        }
        assert_eq!(call(&session, "echo", json!({ "text": "hi" })).await, "hi", "{server:?} in {version}");

        let slow = json!({ "name": "slow", "arguments": { "steps": 3 } });
        let reply = session.request("tools/call").params(slow).meta("progressToken", 7).send().await.unwrap();
        let steps = reply.notifications("notifications/progress").count();
        assert_eq!(steps, 3, "{server:?} in {version}");

        assert!(call(&session, "ask-model", json!({})).await.starts_with("This is a fixed answer"));
        assert_eq!(call(&session, "ask-roots", json!({})).await, "file:///yardstick/root");
        // Older clients cannot be asked this.
        if version >= Version::V2025_06_18 {
            assert!(call(&session, "ask-user", json!({})).await.starts_with("the user likes "));
        }
        session.close().await;
    }
}

/// Calls a tool, gives it what it asks for, and returns its text.
async fn call(session: &Session, name: &str, arguments: Value) -> String {
    let request = session.request("tools/call").params(json!({ "name": name, "arguments": arguments }));
    let rounds = request.send_through().await.unwrap_or_else(|error| panic!("{name}: {error}"));
    let result = rounds.last().and_then(transport::client::Reply::result);
    let result = result.unwrap_or_else(|| panic!("{name} gave no result: {rounds:?}"));
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{name} gave no text: {result}"))
        .to_owned()
}

fn stdio(server: Server) -> Target {
    let words: Vec<_> = server.stdio().iter().map(|word| word.display().to_string()).collect();
    Target::command(&words[0], &words[1..])
}

/// What the servers speak by their documentation.
fn spoken(server: Server) -> Vec<Version> {
    let all = Version::ALL.into_iter();
    match server {
        Server::Ts1 | Server::Everything => all.filter(|version| *version < Version::V2026_07_28).collect(),
        Server::Ts2 | Server::Rmcp | Server::Yardstick => all.collect(),
    }
}
