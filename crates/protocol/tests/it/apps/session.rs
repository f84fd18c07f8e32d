//! Sessions to judge: a list of who said what.

use serde_json::{Value, json};
use yardstick_protocol::apps::{Breach, Bridge, BridgeDirection};

/// What was said, in order.
pub(super) type Session = Vec<(BridgeDirection, Value)>;

pub(super) fn request(
    direction: BridgeDirection,
    id: impl Into<Value>,
    method: &str,
    params: Value,
) -> (BridgeDirection, Value) {
    (direction, with(json!({"jsonrpc": "2.0", "id": id.into(), "method": method}), "params", params))
}

pub(super) fn notice(direction: BridgeDirection, method: &str, params: Value) -> (BridgeDirection, Value) {
    (direction, with(json!({"jsonrpc": "2.0", "method": method}), "params", params))
}

pub(super) fn result(
    direction: BridgeDirection,
    id: impl Into<Value>,
    result: Value,
) -> (BridgeDirection, Value) {
    (direction, with(json!({"jsonrpc": "2.0", "id": id.into()}), "result", result))
}

pub(super) fn error(direction: BridgeDirection, id: impl Into<Value>, code: i64) -> (BridgeDirection, Value) {
    (direction, json!({"jsonrpc": "2.0", "id": id.into(), "error": {"code": code, "message": "no"}}))
}

fn with(mut message: Value, member: &str, value: Value) -> Value {
    message[member] = value;
    message
}

/// Everything that is wrong with a session, up to where the record ends.
pub(super) fn judged(session: &[(BridgeDirection, Value)]) -> Vec<Breach> {
    let mut bridge = Bridge::new();
    let mut found: Vec<_> =
        session.iter().flat_map(|(direction, message)| bridge.judge_next(*direction, message)).collect();
    found.extend(bridge.judge_end());
    found
}

/// The handshake: what the proxy and the host do first, and the View's two messages.
pub(super) fn handshake() -> Session {
    vec![
        notice(BridgeDirection::ProxyToHost, "ui/notifications/sandbox-proxy-ready", json!({})),
        notice(
            BridgeDirection::HostToProxy,
            "ui/notifications/sandbox-resource-ready",
            json!({"html": "<!doctype html><p>hello", "sandbox": "allow-scripts", "csp": {"connectDomains": []}}),
        ),
        request(
            BridgeDirection::ViewToHost,
            0,
            "ui/initialize",
            json!({
                "appInfo": {"name": "clock", "version": "1"},
                "appCapabilities": {"tools": {"listChanged": true}, "availableDisplayModes": ["inline", "fullscreen"]},
                "protocolVersion": "2026-01-26",
            }),
        ),
        result(
            BridgeDirection::HostToView,
            0,
            json!({
                "protocolVersion": "2026-01-26",
                "hostInfo": {"name": "host", "version": "1"},
                "hostCapabilities": {
                    "openLinks": {}, "downloadFile": {}, "serverTools": {"listChanged": true}, "serverResources": {},
                    "logging": {}, "sampling": {}, "message": {"text": {}}, "updateModelContext": {"text": {}},
                },
                "hostContext": {
                    "theme": "light", "displayMode": "inline",
                    "availableDisplayModes": ["inline", "fullscreen", "pip"],
                    "containerDimensions": {"width": 720, "maxHeight": 5000},
                },
            }),
        ),
        notice(BridgeDirection::ViewToHost, "ui/notifications/initialized", json!({})),
    ]
}

/// A View that lives and dies as it should.
pub(super) fn correct_session() -> Session {
    let mut session = handshake();
    session.extend([
        notice(BridgeDirection::HostToView, "ui/notifications/tool-input-partial", json!({"arguments": {}})),
        notice(
            BridgeDirection::HostToView,
            "ui/notifications/tool-input",
            json!({"arguments": {"zone": "UTC"}}),
        ),
        notice(
            BridgeDirection::HostToView,
            "ui/notifications/tool-result",
            json!({"content": [{"type": "text", "text": "noon"}], "structuredContent": [1, 2]}),
        ),
        notice(
            BridgeDirection::ViewToHost,
            "ui/notifications/size-changed",
            json!({"width": 300, "height": 120.5}),
        ),
        request(BridgeDirection::ViewToHost, 1, "ui/request-display-mode", json!({"mode": "fullscreen"})),
        notice(
            BridgeDirection::HostToView,
            "ui/notifications/host-context-changed",
            json!({"displayMode": "fullscreen"}),
        ),
        result(BridgeDirection::HostToView, 1, json!({"mode": "fullscreen"})),
        request(BridgeDirection::ViewToHost, "two", "tools/call", json!({"name": "now", "arguments": {}})),
        result(BridgeDirection::HostToView, "two", json!({"content": [], "isError": false})),
        request(BridgeDirection::HostToView, 0, "ui/resource-teardown", json!({"reason": "closed"})),
        result(BridgeDirection::ViewToHost, 0, json!({})),
    ]);
    session
}
