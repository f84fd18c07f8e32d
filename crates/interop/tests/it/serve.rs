//! `yardstick serve` among clients by others, directly and behind `yardstick gateway`.

use serde_json::json;

use crate::harness::{Client, LEGACY, MODERN, Server, Steps, Target, yardstick};

const PLAN: &[&str] = &[
    "--call",
    r#"echo={"text":"hi"}"#,
    "--call",
    r#"add={"a":2,"b":3}"#,
    "--fail",
    "fail",
    "--fail",
    "no-such-tool",
    "--progress",
    r#"countdown={"steps":3}"#,
    "--cancel",
    r#"countdown={"steps":500,"intervalMs":20}"#,
    "--log",
    "countdown",
    "--read",
    "yardstick://about",
    "--read",
    "yardstick://greeting/Ada",
    "--prompt",
    r#"review={"code":"let x;","language":"rust"}"#,
    "--complete",
    "prompt review language py",
    "--complete",
    "resource yardstick://greeting/{name} name Gr",
];

#[test]
fn ts1_client_over_stdio() {
    serve(Client::Ts1, &Target::Stdio(Server::Yardstick.stdio()));
}

#[test]
fn ts2_client_over_stdio() {
    serve(Client::Ts2, &Target::Stdio(Server::Yardstick.stdio()));
}

#[test]
fn rmcp_client_over_stdio() {
    serve(Client::Rmcp, &Target::Stdio(Server::Yardstick.stdio()));
}

#[test]
fn ts1_client_over_http() {
    let listening = Server::Yardstick.listen();
    serve(Client::Ts1, &Target::Http(listening.url.clone()));
}

#[test]
fn ts2_client_over_http() {
    let listening = Server::Yardstick.listen();
    serve(Client::Ts2, &Target::Http(listening.url.clone()));
}

#[test]
fn rmcp_client_over_http() {
    let listening = Server::Yardstick.listen();
    serve(Client::Rmcp, &Target::Http(listening.url.clone()));
}

#[test]
fn clients_over_http_to_a_process_behind_the_gateway() {
    let listening = Server::Yardstick.behind_gateway();
    for client in [Client::Ts1, Client::Ts2, Client::Rmcp] {
        serve(client, &Target::Http(listening.url.clone()));
    }
}

#[test]
fn clients_over_http_to_http_behind_the_gateway() {
    let listening = Server::Yardstick.listen();
    let gateway = listening.behind_gateway();
    for client in [Client::Ts1, Client::Ts2, Client::Rmcp] {
        serve(client, &Target::Http(gateway.url.clone()));
    }
}

#[test]
fn clients_over_stdio_to_http_behind_the_gateway() {
    let listening = Server::Yardstick.listen();
    let gateway = [yardstick(), "gateway".into(), "--stdio".into(), listening.url.as_str().into()];
    for client in [Client::Ts1, Client::Ts2, Client::Rmcp] {
        serve(client, &Target::Stdio(gateway.to_vec()));
    }
}

#[test]
fn clients_over_http_with_sse_to_the_gateway() {
    let listening = Server::Yardstick.behind_gateway();
    let url = listening.url.replace("/mcp", "/sse");
    for client in [Client::Ts1, Client::Ts2] {
        let steps = client.visit(&Target::Sse(url.clone()), Some(LEGACY[0]), PLAN).all_ok();
        assert_visit(&steps, LEGACY[0]);
    }
}

#[test]
fn clients_over_http_with_sse() {
    let listening = Server::Yardstick.listen();
    let url = listening.url.replace("/mcp", "/sse");
    for client in [Client::Ts1, Client::Ts2] {
        let steps = client.visit(&Target::Sse(url.clone()), Some(LEGACY[0]), PLAN).all_ok();
        assert_visit(&steps, LEGACY[0]);
    }
}

/// Left to themselves, the clients that know the modern revision choose it.
#[test]
fn the_newest_common_revision_is_chosen() {
    for (client, newest) in [(Client::Ts1, LEGACY[3]), (Client::Ts2, MODERN), (Client::Rmcp, MODERN)] {
        let steps = client.visit(&Target::Stdio(Server::Yardstick.stdio()), None, &PLAN[..2]).all_ok();
        assert_eq!(steps.detail("connect")["protocol"], newest, "{client:?}");
    }
}

#[track_caller]
fn serve(client: Client, target: &Target) {
    let modern = (client != Client::Ts1).then_some(MODERN);
    for protocol in LEGACY.into_iter().chain(modern) {
        let steps = client.visit(target, Some(protocol), PLAN).all_ok();
        assert_visit(&steps, protocol);
    }
}

#[track_caller]
fn assert_visit(steps: &Steps, protocol: &str) {
    assert_eq!(steps.detail("connect")["protocol"], protocol);
    assert_eq!(steps.detail("connect")["server"]["name"], "yardstick");
    assert_eq!(steps.detail("call:echo")["text"], "hi");
    // Revisions without structured content get it as a second text.
    assert!(steps.detail("call:add")["text"].as_str().is_some_and(|text| text.starts_with('5')));
    assert_eq!(steps.detail("fail:fail")["isError"], true);
    assert_eq!(steps.detail("progress:countdown")["values"][0].as_f64(), Some(1.0));
    assert_eq!(steps.detail("log:countdown")[0]["level"], "info");
    assert_eq!(steps.detail("read:yardstick://greeting/Ada")[0]["text"], "Hello, Ada!");
    assert!(
        steps.detail("prompt:review")[0]["content"]["text"].as_str().is_some_and(|it| it.contains("let x;"))
    );
    assert_eq!(*steps.detail("complete:prompt review language py"), json!(["python"]));
    assert_eq!(*steps.detail("complete:resource yardstick://greeting/{name} name Gr"), json!(["Grace"]));
}
