//! Broken rules are found, and blamed on the right party.

use serde_json::{Value, json};
use yardstick_protocol::apps::BridgeDirection::{HostToProxy, HostToView, ProxyToHost, ViewToHost};
use yardstick_protocol::apps::BridgeParty::{self, Host, Proxy, View};
use yardstick_protocol::apps::Gravity::{self, Must, Note, Should};
use yardstick_protocol::apps::{Bridge, BridgeDirection};

use super::session::{Session, correct_session, error, handshake, judged, notice, request, result};

type Expected = (&'static str, Gravity, BridgeParty);

/// The session after the handshake, with more said.
fn then(more: impl IntoIterator<Item = (BridgeDirection, Value)>) -> Session {
    let input = notice(HostToView, "ui/notifications/tool-input", json!({"arguments": {}}));
    handshake().into_iter().chain([input]).chain(more).collect()
}

/// The handshake with one of its messages changed.
fn shaken(index: usize, change: impl FnOnce(&mut Value)) -> Session {
    let mut session = correct_session();
    change(&mut session[index].1);
    session
}

fn finds(session: &[(BridgeDirection, Value)], expected: &[Expected]) {
    let found = judged(session);
    let short: Vec<Expected> = found.iter().map(|b| (b.rule.id, b.gravity, b.by)).collect();
    assert_eq!(short, expected, "{found:#?}");
}

#[test]
fn a_sound_session_is_sound() {
    finds(&correct_session(), &[]);
}

#[test]
fn messages_are_held_to_their_definitions() {
    let host = [("ui/message/shape", Must, Host)];
    let view = [("ui/message/shape", Must, View)];
    for (method, params) in [
        ("ui/notifications/tool-input", json!({"arguments": "text"})),
        ("ui/notifications/tool-result", json!({"structuredContent": {}})),
        ("ui/notifications/host-context-changed", json!({"theme": "blue"})),
        ("ui/notifications/host-context-changed", json!({"locale": "de_CH"})),
        (
            "ui/notifications/host-context-changed",
            json!({"containerDimensions": {"width": 1, "maxWidth": 2}}),
        ),
        (
            "ui/notifications/host-context-changed",
            json!({"safeAreaInsets": {"top": 1, "left": 1, "right": 1}}),
        ),
        ("ui/notifications/tool-cancelled", json!({"reason": 3})),
    ] {
        let session: Session = handshake().into_iter().chain([notice(HostToView, method, params)]).collect();
        let found: Vec<_> = judged(&session).into_iter().filter(|b| b.gravity == Must).collect();
        let first = found.first().map(|b| (b.rule.id, b.gravity, b.by));
        assert!(found.iter().any(|b| (b.rule.id, b.gravity, b.by) == host[0]), "{method}: {first:?}");
    }
    for (method, params) in [
        ("ui/open-link", json!({"href": "https://example.com"})),
        ("ui/message", json!({"role": "assistant", "content": {"type": "text", "text": "hi"}})),
        ("ui/message", json!({"role": "user", "content": "hi"})),
        ("ui/request-display-mode", json!({"mode": "cinema"})),
        ("ui/update-model-context", json!({"structuredContent": [1]})),
        ("ui/download-file", json!({"contents": [{"type": "text", "text": "x"}]})),
        ("tools/call", json!({"arguments": {}})),
        ("resources/read", json!({"url": "ui://x"})),
    ] {
        let session = then([request(ViewToHost, 7, method, params), error(HostToView, 7, -32602)]);
        let found: Vec<_> = judged(&session).into_iter().filter(|b| b.gravity == Must).collect();
        assert!(found.iter().any(|b| (b.rule.id, b.gravity, b.by) == view[0]), "{method}: {found:?}");
    }
}

#[test]
fn both_readings_of_a_message_are_fine() {
    let piece = json!({"type": "text", "text": "hi"});
    for content in [json!([piece]), piece.clone()] {
        let asked = request(ViewToHost, 7, "ui/message", json!({"role": "user", "content": content}));
        finds(&then([asked, result(HostToView, 7, json!({}))]), &[]);
    }
}

#[test]
fn names_and_directions_are_checked() {
    let cases: [(BridgeDirection, Value, Expected); 8] = [
        (
            ViewToHost,
            json!({"jsonrpc": "2.0", "id": 7, "method": "ui/openLink"}),
            ("ui/message/method-spelled", Must, View),
        ),
        (
            ViewToHost,
            json!({"jsonrpc": "2.0", "method": "ui/notifications/dance"}),
            ("ui/message/method-known", Note, View),
        ),
        (
            HostToView,
            json!({"jsonrpc": "2.0", "id": 7, "method": "ui/open-link"}),
            ("ui/message/direction", Must, Host),
        ),
        (ViewToHost, json!({"jsonrpc": "2.0", "method": "ui/open-link"}), ("ui/message/kind", Must, View)),
        (HostToView, json!({"jsonrpc": "1", "method": "ping", "id": 1}), ("ui/message/json-rpc", Must, Host)),
        (ViewToHost, json!({"type": "resize"}), ("ui/message/foreign", Note, View)),
        (
            ViewToHost,
            json!({"jsonrpc": "2.0", "method": "ui/notifications/size-changed", "params": {"height": -1}}),
            ("ui/message/size", Must, View),
        ),
        (
            ViewToHost,
            json!({"jsonrpc": "2.0", "method": "ui/notifications/size-changed", "params": {"height": 1e9}}),
            ("ui/message/sense", Note, View),
        ),
    ];
    for (direction, message, expected) in cases {
        let found = judged(&then([(direction, message.clone())]));
        let short: Vec<Expected> = found.iter().map(|b| (b.rule.id, b.gravity, b.by)).collect();
        assert!(short.contains(&expected), "{message}: {short:?}");
    }
}

#[test]
fn misspelt_members_are_noted() {
    let changed = json!({"Theme": "dark", "displaymode": "inline"});
    let session = then([notice(HostToView, "ui/notifications/host-context-changed", changed)]);
    let said: Vec<_> = judged(&session).iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "/params/Theme: is not known; is `theme` meant?",
            "/params/displaymode: is not known; is `displayMode` meant?"
        ]
    );
}

#[test]
fn the_handshake_has_its_order() {
    let log = json!({"level": "info", "data": "x"});
    let call = request(ViewToHost, 9, "tools/call", json!({"name": "now"}));
    let mut early = correct_session();
    early.insert(2, call.clone());
    early.insert(3, result(HostToView, 9, json!({"content": []})));
    finds(&early, &[("ui/lifecycle/initialize-first", Must, View)]);
    let mut impatient = correct_session();
    impatient.insert(3, notice(ViewToHost, "notifications/message", log));
    finds(&impatient, &[("ui/lifecycle/initialize-awaited", Note, View)]);
    let mut hasty = correct_session();
    hasty.swap(3, 4);
    finds(&hasty, &[("ui/lifecycle/initialized-after-answer", Must, View)]);
    let mut twice = correct_session();
    let mut again = handshake()[2].clone();
    again.1["id"] = json!(99);
    twice.insert(5, again);
    twice.insert(6, error(HostToView, 99, -32600));
    finds(&twice, &[("ui/lifecycle/initialize-once", Must, View)]);
}

#[test]
fn a_host_is_quiet_at_first() {
    let theme = notice(HostToView, "ui/notifications/host-context-changed", json!({"theme": "dark"}));
    let mut before = correct_session();
    before.insert(3, theme.clone());
    assert_eq!(
        judged(&before).iter().map(|b| (b.rule.id, b.gravity, b.by)).next(),
        Some(("ui/lifecycle/host-quiet", Must, Host))
    );
    // Between the answer and `initialized` the text contradicts itself.
    let mut between = correct_session();
    between.insert(4, theme);
    finds(&between, &[("ui/lifecycle/host-quiet", Note, Host)]);
}

#[test]
fn requests_are_answered_once_by_their_id() {
    finds(&then([result(HostToView, "0", json!({}))]), &[("ui/answers/known-id", Must, Host)]);
    finds(&then([result(HostToView, 0, json!({}))]), &[("ui/answers/once", Must, Host)]);
    let ping = |id: Value| request(ViewToHost, id, "ping", json!({}));
    let pong = |id: Value| result(HostToView, id, json!({}));
    finds(
        &then([ping(json!(5)), pong(json!(5)), ping(json!(5)), pong(json!(5))]),
        &[("ui/answers/fresh-id", Must, View)],
    );
    // Either end counts its own.
    let other = [request(HostToView, 5, "ping", json!({})), result(ViewToHost, 5, json!({}))];
    finds(&then([ping(json!(5)), pong(json!(5))].into_iter().chain(other)), &[]);
    finds(&then([ping(json!("")), pong(json!(""))]), &[]);
    finds(&then([ping(json!(6))]), &[("ui/answers/given", Note, Host)]);
    let log = notice(HostToView, "ui/notifications/host-context-changed", json!({"theme": "dark"}));
    finds(&then([ping(json!(6)), log]), &[("ui/answers/given", Must, Host)]);
    let link = request(ViewToHost, 7, "ui/open-link", json!({"url": "https://example.com"}));
    let off = notice(ViewToHost, "notifications/cancelled", json!({"requestId": 7}));
    finds(&then([link.clone()]), &[("ui/answers/given", Note, Host)]);
    finds(&then([link, off]), &[]);
}

#[test]
fn tool_data_has_its_order() {
    let told = |name: &str| {
        let params = match name {
            "tool-result" => json!({"content": []}),
            "tool-cancelled" => json!({"reason": "stopped"}),
            _ => json!({"arguments": {}}),
        };
        notice(HostToView, &format!("ui/notifications/{name}"), params)
    };
    let run = |names: &[&str]| -> Session {
        handshake().into_iter().chain(names.iter().map(|n| told(n))).collect()
    };
    finds(&run(&["tool-input-partial", "tool-input", "tool-result"]), &[]);
    finds(&run(&["tool-cancelled"]), &[]);
    finds(&run(&["tool-input", "tool-input"]), &[("ui/data/input-once", Must, Host)]);
    finds(&run(&["tool-result"]), &[("ui/data/input-first", Must, Host)]);
    finds(&run(&["tool-input", "tool-input-partial"]), &[("ui/data/partial-before-input", Must, Host)]);
    finds(&run(&["tool-input", "tool-result", "tool-result"]), &[("ui/data/result-once", Must, Host)]);
    finds(
        &run(&["tool-input", "tool-cancelled", "tool-result"]),
        &[("ui/data/result-or-cancelled", Must, Host)],
    );
    finds(&run(&[]), &[("ui/data/input-sent", Note, Host)]);
    // A diagram of the text tells the View of every call that it makes.
    let call = [
        request(ViewToHost, 7, "tools/call", json!({"name": "now"})),
        result(HostToView, 7, json!({"content": []})),
    ];
    let again: Session = run(&["tool-input", "tool-result"])
        .into_iter()
        .chain(call)
        .chain([told("tool-input"), told("tool-result")])
        .collect();
    finds(&again, &[("ui/data/input-once", Note, Host)]);
}

#[test]
fn modes_are_declared_offered_and_held() {
    let ask = |mode: &str| request(ViewToHost, 7, "ui/request-display-mode", json!({"mode": mode}));
    let get = |mode: &str| result(HostToView, 7, json!({"mode": mode}));
    let told = |mode: &str| {
        notice(HostToView, "ui/notifications/host-context-changed", json!({"displayMode": mode}))
    };
    finds(&then([ask("fullscreen"), get("inline")]), &[]);
    finds(
        &then([ask("pip"), get("pip")]),
        &[("ui/modes/declared", Must, View), ("ui/modes/undeclared", Must, Host)],
    );
    finds(&then([told("pip")]), &[("ui/modes/undeclared", Must, Host)]);
    finds(&then([ask("fullscreen"), told("fullscreen"), get("inline")]), &[("ui/modes/true", Must, Host)]);
    finds(&then([ask("fullscreen"), error(HostToView, 7, -32000)]), &[("ui/modes/answered", Must, Host)]);
    finds(&then([ask("fullscreen"), error(HostToView, 7, -32601)]), &[("ui/modes/answered", Note, Host)]);
    let mut narrow = then([ask("fullscreen"), get("fullscreen")]);
    narrow[3].1["result"]["hostContext"]["availableDisplayModes"] = json!(["inline"]);
    finds(&narrow, &[("ui/modes/offered", Must, View), ("ui/modes/kept", Should, Host)]);
}

#[test]
fn the_sandbox_keeps_its_own() {
    let ready = "ui/notifications/sandbox-proxy-ready";
    finds(&then([notice(ViewToHost, ready, json!({}))]), &[("ui/sandbox/reserved", Must, View)]);
    let html = notice(HostToView, "ui/notifications/sandbox-resource-ready", json!({"html": "x"}));
    finds(&then([html]), &[("ui/sandbox/reserved", Must, Host)]);
    let made_up = request(ProxyToHost, "p", "ping", json!({}));
    let found = judged(&then([made_up, result(HostToProxy, "p", json!({}))]));
    assert!(
        found.iter().any(|b| (b.rule.id, b.gravity, b.by) == ("ui/sandbox/no-own-requests", Should, Proxy)),
        "{found:?}"
    );
    let mut eager = correct_session();
    eager.swap(0, 1);
    finds(&eager, &[("ui/sandbox/resource-after-ready", Must, Host)]);
}

#[test]
fn other_html_is_another_view() {
    let twice: Session = correct_session().into_iter().chain(correct_session().into_iter().skip(1)).collect();
    finds(&twice, &[]);
}

#[test]
fn capabilities_are_announced_and_kept() {
    let sample = json!({"messages": [], "maxTokens": 1});
    let ask =
        |method: &str, params: Value| [request(ViewToHost, 7, method, params), error(HostToView, 7, -32000)];
    let mut bare = then(ask("ui/open-link", json!({"url": "https://example.com"})));
    bare[3].1["result"]["hostCapabilities"] = json!({});
    finds(&bare, &[("ui/capabilities/host-announced", Note, View)]);
    let mut sampling = then(ask("sampling/createMessage", sample));
    sampling[3].1["result"]["hostCapabilities"] = json!({});
    finds(&sampling, &[("ui/capabilities/sampling-announced", Must, View)]);
    let link = request(ViewToHost, 7, "ui/open-link", json!({"url": "https://example.com"}));
    finds(&then([link, error(HostToView, 7, -32601)]), &[("ui/capabilities/host-keeps", Should, Host)]);
    let list = |answer: (BridgeDirection, Value)| [request(HostToView, 1, "tools/list", json!({})), answer];
    finds(&then(list(error(ViewToHost, 1, -32601))), &[("ui/capabilities/app-keeps", Must, View)]);
    let mut toolless = then(list(error(ViewToHost, 1, -32601)));
    toolless[2].1["params"]["appCapabilities"] = json!({});
    finds(&toolless, &[("ui/capabilities/app-announced", Must, Host)]);
    let image = json!({"role": "user", "content": [{"type": "image", "data": "", "mimeType": "image/png"}]});
    finds(&then(ask("ui/message", image)), &[("ui/capabilities/modality", Note, View)]);
}

#[test]
fn the_handshake_says_enough() {
    let without = |index: usize, part: &str, member: &str| {
        shaken(index, |message| drop(message[part].as_object_mut().unwrap().remove(member)))
    };
    finds(&without(3, "result", "hostInfo"), &[("ui/message/shape", Must, Host)]);
    finds(
        &without(2, "params", "appCapabilities"),
        &[("ui/message/shape", Must, View), ("ui/modes/declared", Note, View)],
    );
    let contextless = without(3, "result", "hostContext");
    assert!(
        judged(&contextless).iter().any(|b| (b.rule.id, b.gravity) == ("ui/message/host-context", Should))
    );
    finds(
        &shaken(3, |m| m["result"]["protocolVersion"] = json!("2099-01-01")),
        &[("ui/message/protocol-version", Note, Host)],
    );
}

#[test]
fn nothing_follows_the_end() {
    let mut late = correct_session();
    late.push(notice(ViewToHost, "ui/notifications/size-changed", json!({"height": 1})));
    finds(&late, &[("ui/teardown/quiet-after", Should, View)]);
    let mut chatty = correct_session();
    let last = chatty.len() - 1;
    chatty
        .insert(last, notice(HostToView, "ui/notifications/host-context-changed", json!({"theme": "dark"})));
    finds(&chatty, &[("ui/teardown/quiet-after", Should, Host)]);
    // A View that is about to end may still save its work.
    let mut saving = correct_session();
    saving.insert(last, request(ViewToHost, 8, "tools/call", json!({"name": "save"})));
    saving.insert(last + 1, result(HostToView, 8, json!({"content": []})));
    finds(&saving, &[]);
}

#[test]
fn a_view_is_told_before_it_goes() {
    let closed = |session: &[(BridgeDirection, Value)]| {
        let mut bridge = Bridge::new();
        for (direction, message) in session {
            bridge.judge_next(*direction, message);
        }
        bridge.judge_closed().iter().map(|b| (b.rule.id, b.gravity, b.by)).collect::<Vec<_>>()
    };
    let all = correct_session();
    assert_eq!(closed(&all), []);
    assert_eq!(closed(&all[..all.len() - 2]), [("ui/teardown/sent", Must, Host)]);
    let unanswered = closed(&all[..all.len() - 1]);
    assert!(unanswered.contains(&("ui/teardown/waited", Should, Host)), "{unanswered:?}");
    assert_eq!(closed(&all[..3])[0].0, "ui/answers/given", "a View that never came up cannot be told");
}
