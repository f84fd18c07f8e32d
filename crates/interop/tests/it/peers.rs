//! The peers with each other. If these tests fail, the peers are broken, and no other result counts.

use serde_json::json;

use crate::harness::{Client, LEGACY, MODERN, Server, Steps, Target};

const NEWEST_LEGACY: &str = "2025-11-25";

/// Everything that the peer servers offer, once.
const PLAN: &[&str] = &[
    "--call",
    r#"echo={"text":"hi"}"#,
    "--call",
    r#"add={"a":2,"b":3}"#,
    "--fail",
    "no-such-tool",
    "--progress",
    r#"slow={"steps":3}"#,
    "--cancel",
    r#"slow={"steps":500,"delay":20}"#,
    "--sample",
    "ask-model",
    "--elicit",
    "ask-user",
    "--roots",
    "ask-roots",
    "--log",
    "log",
    "--read",
    "peer://greeting",
    "--read",
    "peer://greeting/Ada",
    "--prompt",
    r#"greet={"name":"Ada"}"#,
    "--complete",
    "prompt greet name A",
    "--complete",
    "resource peer://greeting/{name} name Gr",
    "--subscribe",
    "peer://greeting touch",
];

#[test]
fn ts1_client_over_stdio() {
    meet(Client::Ts1, stdio);
}

#[test]
fn ts2_client_over_stdio() {
    meet(Client::Ts2, stdio);
}

#[test]
fn rmcp_client_over_stdio() {
    meet(Client::Rmcp, stdio);
}

#[test]
fn every_client_over_http() {
    for server in [Server::Ts1, Server::Ts2, Server::Rmcp] {
        let listening = server.listen();
        for client in [Client::Ts1, Client::Ts2, Client::Rmcp] {
            let steps = client.visit(&Target::Http(listening.url.clone()), None, PLAN).all_ok();
            assert_visit(&steps, newest(client, server));
        }
    }
}

#[test]
fn older_revisions_are_agreed_on() {
    let listening = Server::Ts2.listen();
    for protocol in LEGACY {
        let steps = Client::Rmcp.visit(&Target::Http(listening.url.clone()), Some(protocol), PLAN).all_ok();
        assert_visit(&steps, protocol);
        for client in [Client::Ts1, Client::Ts2] {
            let steps = client.visit(&stdio(Server::Rmcp), Some(protocol), &PLAN[..4]).all_ok();
            assert_eq!(steps.detail("connect")["protocol"], protocol);
        }
    }
}

#[test]
fn http_with_sse() {
    let listening = Server::Ts1.listen();
    let url = listening.url.replace("/mcp", "/sse");
    for client in [Client::Ts1, Client::Ts2] {
        let steps = client.visit(&Target::Sse(url.clone()), Some("2024-11-05"), PLAN).all_ok();
        assert_visit(&steps, "2024-11-05");
    }
}

#[test]
fn a_failing_step_is_reported() {
    let plan = ["--call", "no-such-tool", "--call", r#"echo={"text":"still here"}"#];
    for client in [Client::Ts1, Client::Ts2, Client::Rmcp] {
        let steps = client.visit(&stdio(Server::Rmcp), None, &plan);
        assert_eq!(steps.failed(), ["call:no-such-tool"]);
        assert_eq!(steps.detail("call:echo")["text"], "still here");
    }
}

#[test]
fn the_demonstration_server_answers() {
    let plan = ["--call", r#"echo={"message":"hi"}"#];
    let steps = Client::Rmcp.visit(&stdio(Server::Everything), Some(NEWEST_LEGACY), &plan).all_ok();
    assert_eq!(steps.detail("call:echo")["text"], "Echo: hi");
}

fn stdio(server: Server) -> Target {
    Target::Stdio(server.stdio())
}

#[track_caller]
fn meet(client: Client, target: impl Fn(Server) -> Target) {
    for server in [Server::Ts1, Server::Ts2, Server::Rmcp] {
        let steps = client.visit(&target(server), None, PLAN).all_ok();
        assert_visit(&steps, newest(client, server));
    }
}

/// The newest revision that both ends know; the TypeScript SDK version 1 has no modern one.
fn newest(client: Client, server: Server) -> &'static str {
    if client == Client::Ts1 || server == Server::Ts1 { NEWEST_LEGACY } else { MODERN }
}

#[track_caller]
fn assert_visit(steps: &Steps, protocol: &str) {
    assert_eq!(steps.detail("connect")["protocol"], protocol);
    assert_eq!(steps.detail("call:echo")["text"], "hi");
    assert_eq!(steps.detail("call:add")["structured"]["sum"].as_f64(), Some(5.0));
    // The SDKs lose the last one when it arrives together with the result.
    assert_eq!(steps.detail("progress:slow")["values"][0].as_f64(), Some(1.0));
    assert_eq!(steps.detail("sample:ask-model")["text"], "sampled: hello");
    assert_eq!(steps.detail("elicit:ask-user")["text"], "the user likes peer");
    assert_eq!(steps.detail("roots:ask-roots")["text"], "file:///peer");
    assert_eq!(steps.detail("log:log")[0]["data"], "hello");
    assert_eq!(steps.detail("read:peer://greeting")[0]["text"], "hello");
    assert_eq!(steps.detail("read:peer://greeting/Ada")[0]["text"], "hello Ada");
    assert_eq!(steps.detail("prompt:greet")[0]["content"]["text"], "Say hello to Ada");
    assert_eq!(*steps.detail("complete:prompt greet name A"), json!(["Ada", "Alan"]));
    assert_eq!(*steps.detail("complete:resource peer://greeting/{name} name Gr"), json!(["Grace"]));
    assert_eq!(*steps.detail("subscribe:touch"), json!(["peer://greeting"]));
}
