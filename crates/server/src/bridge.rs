//! A correct session between a View, its host and its sandbox proxy, as a list of messages. Faults of the bridge change
//! it.

use protocol::apps::BridgeDirection::{self, HostToProxy, HostToView, ProxyToHost, ViewToHost};
use protocol::apps::{PROTOCOL_VERSION, method};
use serde_json::{Value, json};

use crate::fault::{Effect, Fault};

/// Who said what, in order.
pub type Session = Vec<(BridgeDirection, Value)>;

/// A session without faults.
pub fn correct_session() -> Session {
    [opening(), tool_call(), interaction(), ending()].concat()
}

/// The session with a fault. A fault of something else changes nothing.
pub fn session_with_fault(fault: &Fault) -> Session {
    let mut session = correct_session();
    if let Effect::Bridge(change) = fault.effect {
        change(&mut session);
    }
    session
}

/// A request.
pub fn request(
    direction: BridgeDirection,
    id: impl Into<Value>,
    method: &str,
    params: Value,
) -> (BridgeDirection, Value) {
    (direction, with(json!({"jsonrpc": "2.0", "id": id.into(), "method": method}), "params", params))
}

/// A notification.
pub fn notice(direction: BridgeDirection, method: &str, params: Value) -> (BridgeDirection, Value) {
    (direction, with(json!({"jsonrpc": "2.0", "method": method}), "params", params))
}

/// An answer.
pub fn result(direction: BridgeDirection, id: impl Into<Value>, result: Value) -> (BridgeDirection, Value) {
    (direction, with(json!({"jsonrpc": "2.0", "id": id.into()}), "result", result))
}

fn with(mut message: Value, member: &str, value: Value) -> Value {
    message[member] = value;
    message
}

fn opening() -> Session {
    let html = json!({"html": "<!doctype html><title>clock</title>", "csp": {}, "permissions": {}});
    let view = json!({
        "appInfo": {"name": "clock", "version": "1.0.0"},
        "appCapabilities": {"tools": {}, "availableDisplayModes": ["inline", "fullscreen"]},
        "protocolVersion": PROTOCOL_VERSION,
    });
    let host = json!({
        "protocolVersion": PROTOCOL_VERSION,
        "hostInfo": {"name": "reference-host", "version": "1.0.0"},
        "hostCapabilities": {"openLinks": {}, "serverTools": {}, "serverResources": {}, "logging": {}, "sampling": {}},
        "hostContext": {
            "theme": "light", "displayMode": "inline", "availableDisplayModes": ["inline", "fullscreen"],
            "containerDimensions": {"width": 720, "maxHeight": 5000}, "locale": "en-US", "timeZone": "UTC",
            "styles": {"variables": {"--font-sans": "sans-serif"}, "css": {"fonts": "@import url('f.css');"}},
        },
    });
    vec![
        notice(ProxyToHost, "ui/notifications/sandbox-proxy-ready", json!({})),
        notice(HostToProxy, "ui/notifications/sandbox-resource-ready", html),
        request(ViewToHost, 0, "ui/initialize", view),
        result(HostToView, 0, host),
        notice(ViewToHost, "ui/notifications/initialized", json!({})),
    ]
}

fn tool_call() -> Session {
    let output = json!({"content": [{"type": "text", "text": "12:00"}], "structuredContent": {"hour": 12}});
    vec![
        notice(HostToView, "ui/notifications/tool-input-partial", json!({"arguments": {}})),
        notice(HostToView, "ui/notifications/tool-input", json!({"arguments": {"zone": "UTC"}})),
        notice(HostToView, "ui/notifications/tool-result", output),
    ]
}

fn interaction() -> Session {
    let text = json!({"type": "text", "text": "noon"});
    let tool = json!({"name": "wind", "inputSchema": {"type": "object"}});
    let asked = |id: i64, name: &str, params: Value| {
        debug_assert!(!method::named(name).is_empty(), "the bridge has {name}");
        request(ViewToHost, id, name, params)
    };
    vec![
        notice(ViewToHost, "ui/notifications/size-changed", json!({"width": 720, "height": 240})),
        asked(1, "ui/request-display-mode", json!({"mode": "fullscreen"})),
        notice(HostToView, "ui/notifications/host-context-changed", json!({"displayMode": "fullscreen"})),
        result(HostToView, 1, json!({"mode": "fullscreen"})),
        asked(2, "tools/call", json!({"name": "now", "arguments": {"zone": "UTC"}})),
        result(HostToView, 2, json!({"content": [text]})),
        asked(3, "ui/open-link", json!({"url": "https://example.com/"})),
        result(HostToView, 3, json!({})),
        asked(4, "ui/message", json!({"role": "user", "content": [text]})),
        result(HostToView, 4, json!({})),
        asked(5, "ui/update-model-context", json!({"content": [text]})),
        result(HostToView, 5, json!({})),
        asked(6, "sampling/createMessage", json!({"messages": [], "maxTokens": 8})),
        result(HostToView, 6, json!({"role": "assistant", "model": "reference", "content": text})),
        notice(ViewToHost, "notifications/message", json!({"level": "info", "data": "tick"})),
        request(HostToView, 0, "tools/list", json!({})),
        result(ViewToHost, 0, json!({"tools": [tool]})),
        request(HostToView, 1, "ping", json!({})),
        result(ViewToHost, 1, json!({})),
    ]
}

fn ending() -> Session {
    vec![
        request(HostToView, 2, "ui/resource-teardown", json!({"reason": "the conversation was closed"})),
        result(ViewToHost, 2, json!({})),
    ]
}

#[cfg(test)]
mod tests {
    use protocol::apps::Bridge;

    use super::*;

    #[test]
    fn the_sound_session_breaks_nothing() {
        let mut bridge = Bridge::new();
        for (direction, message) in correct_session() {
            assert_eq!(bridge.judge_next(direction, &message), [], "{message}");
        }
        assert_eq!(bridge.judge_closed(), []);
    }

    #[test]
    fn every_fault_of_the_bridge_changes_the_session() {
        for fault in crate::fault::bridge::FAULTS {
            assert_ne!(session_with_fault(fault), correct_session(), "{}", fault.name);
        }
    }
}
