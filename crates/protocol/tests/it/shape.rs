//! A shaped message has only members that its revision lists, by the official schemas without additional properties.

use serde_json::{Value, json};
use yardstick_protocol::shape::{Inexpressible, Shape};
use yardstick_protocol::{Version, method};

use crate::official::Official;

fn icons() -> Value {
    json!([{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}])
}

fn annotations() -> Value {
    json!({"audience": ["user"], "priority": 1, "lastModified": "2025-01-01T00:00:00Z"})
}

/// What resources, templates and links have in common, and `more`.
fn resource(more: &Value) -> Value {
    let mut resource = json!({
        "name": "a", "title": "A", "description": "d", "mimeType": "text/plain",
        "icons": icons(), "annotations": annotations(), "_meta": {"com.example/a": 1},
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        resource[key] = value.clone();
    }
    resource
}

fn contents() -> Value {
    json!({"uri": "file:///a", "mimeType": "text/plain", "text": "t", "_meta": {"com.example/a": 1}})
}

fn blocks() -> Vec<Value> {
    let block = |mut block: Value| {
        block["annotations"] = annotations();
        block["_meta"] = json!({});
        block
    };
    vec![
        block(json!({"type": "text", "text": "t"})),
        block(json!({"type": "image", "data": "YQ==", "mimeType": "image/png"})),
        block(json!({"type": "audio", "data": "YQ==", "mimeType": "audio/wav"})),
        block(json!({"type": "resource", "resource": contents()})),
        resource(&json!({"type": "resource_link", "uri": "file:///a", "size": 1})),
    ]
}

fn tool(output: &Value) -> Value {
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    json!({
        "name": "t", "title": "T", "description": "d", "icons": icons(), "_meta": {"ui": {}},
        "inputSchema": {"$schema": dialect, "type": "object", "properties": {"a": true}},
        "outputSchema": output,
        "annotations": {"title": "T", "readOnlyHint": true, "openWorldHint": false},
        "execution": {"taskSupport": "optional"},
    })
}

fn capabilities() -> Value {
    json!({
        "logging": {}, "completions": {}, "prompts": {"listChanged": true}, "tools": {}, "tasks": {"list": {}},
        "resources": {"subscribe": true, "listChanged": true}, "experimental": {"x": {}},
    })
}

fn introduction() -> Value {
    let info = json!({
        "name": "s", "version": "1", "title": "S", "icons": icons(), "description": "d", "websiteUrl": "https://a.example",
    });
    json!({"protocolVersion": "x", "capabilities": capabilities(), "serverInfo": info, "instructions": "i"})
}

/// Results with everything that any revision has.
fn results() -> Vec<(&'static str, Value)> {
    let prompt = json!({
        "name": "p", "title": "P", "description": "d", "icons": icons(), "_meta": {},
        "arguments": [{"name": "a", "title": "A", "description": "d", "required": true}],
    });
    let object = json!({"type": "object", "properties": {"b": {"type": "string"}}});
    let messages: Vec<Value> =
        blocks().into_iter().map(|block| json!({"role": "user", "content": block})).collect();
    vec![
        ("initialize", introduction()),
        ("server/discover", json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities()})),
        ("tools/list", json!({"tools": [tool(&object), tool(&json!({"type": "array"}))], "nextCursor": "c"})),
        ("tools/call", json!({"content": blocks(), "structuredContent": {"b": "c"}, "isError": false})),
        ("tools/call", json!({"content": [], "structuredContent": [1]})),
        ("resources/list", json!({"resources": [resource(&json!({"uri": "file:///a", "size": 1}))]})),
        (
            "resources/templates/list",
            json!({"resourceTemplates": [resource(&json!({"uriTemplate": "file:///{a}"}))]}),
        ),
        ("resources/read", json!({"contents": [contents(), {"uri": "a:b", "blob": "YQ==", "_meta": {}}]})),
        ("prompts/list", json!({"prompts": [prompt]})),
        ("prompts/get", json!({"description": "d", "messages": messages})),
        ("completion/complete", json!({"completion": {"values": ["a"], "total": 1, "hasMore": false}})),
        ("roots/list", json!({"roots": [{"uri": "file:///a", "name": "a", "_meta": {}}]})),
        (
            "sampling/createMessage",
            json!({
                "role": "assistant", "model": "m", "stopReason": "endTurn",
                "content": [{"type": "text", "text": "t"}, {"type": "tool_use", "id": "1", "name": "t", "input": {}}],
            }),
        ),
        ("elicitation/create", json!({"action": "accept", "content": {"a": "b", "c": ["d"]}})),
        ("ping", json!({})),
    ]
}

/// Params with everything that any revision has.
fn requests() -> Vec<(&'static str, Value)> {
    let tool = json!({"name": "t", "title": "T", "inputSchema": {"type": "object"}, "icons": []});
    vec![
        (
            "initialize",
            json!({
                "protocolVersion": "x",
                "capabilities": {"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}, "tasks": {"list": {}}},
                "clientInfo": {"name": "c", "version": "1", "title": "C", "icons": [], "description": "d"},
            }),
        ),
        (
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "p", "title": "P"},
                "argument": {"name": "a", "value": "v"},
                "context": {"arguments": {"b": "c"}},
            }),
        ),
        (
            "tools/call",
            json!({"name": "t", "arguments": {"a": 1}, "task": {"ttl": 1}, "requestState": "s", "inputResponses": {}}),
        ),
        (
            "sampling/createMessage",
            json!({
                "maxTokens": 1, "tools": [tool], "toolChoice": {"mode": "auto"}, "includeContext": "none",
                "messages": [{"role": "user", "_meta": {}, "content": [
                    {"type": "text", "text": "a", "_meta": {}},
                    {"type": "audio", "data": "YQ==", "mimeType": "audio/wav"},
                    {"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": 3, "isError": true},
                ]}],
            }),
        ),
        (
            "elicitation/create",
            json!({
                "mode": "form", "message": "m",
                "requestedSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {
                    "a": {"type": "string", "default": "x", "format": "email"},
                    "b": {"type": "integer", "default": 1, "minimum": 0},
                    "c": {"type": "boolean", "default": true},
                    "d": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}], "default": "r"},
                }},
            }),
        ),
    ]
}

/// The message as the definition wants it, with or without its envelope.
fn message(official: &Official, definition: &str, method: &str, params: &Value) -> Value {
    let mut message = json!({"method": method, "params": params});
    let properties = &official.definitions()[definition]["properties"];
    if properties.get("jsonrpc").is_some() {
        message["jsonrpc"] = json!("2.0");
    }
    if properties.get("id").is_some() {
        message["id"] = json!(1);
    }
    message
}

#[test]
fn shaped_results_have_only_what_their_revision_lists() {
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        for (method, mut result) in results() {
            let Some(row) = method::find(version, method) else { continue };
            Shape::to(version).result(method, &mut result).unwrap();
            let problems = official.problems(row.result.unwrap(), &result);
            assert!(problems.is_empty(), "{method} in {version}: {problems:#?}\n{result:#}");
        }
    }
}

#[test]
fn shaped_requests_have_only_what_their_revision_lists() {
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        for (method, mut params) in requests() {
            let Some(row) = method::find(version, method) else { continue };
            if version == Version::V2026_07_28 && row.kind == method::MethodKind::Request {
                params["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {"roots": {"listChanged": true}, "tasks": {}},
                });
            }
            Shape::to(version).request(method, &mut params).unwrap();
            let problems = official.problems(row.message, &message(&official, row.message, method, &params));
            assert!(problems.is_empty(), "{method} in {version}: {problems:#?}\n{params:#}");
        }
    }
}

#[test]
fn shaped_notifications_have_only_what_their_revision_lists() {
    let params = json!({"progressToken": 1, "progress": 1, "total": 2, "message": "m"});
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        let mut params = params.clone();
        Shape::to(version).notification("notifications/progress", &mut params).unwrap();
        let message = message(&official, "ProgressNotification", "notifications/progress", &params);
        assert_eq!(official.problems("ProgressNotification", &message), [] as [String; 0], "{version}");
    }
}

#[test]
fn unshaped_results_do_not_fit_older_revisions() {
    for version in [Version::V2024_11_05, Version::V2025_03_26, Version::V2025_06_18] {
        let Some(official) = Official::of(version) else { continue };
        for method in ["initialize", "tools/list", "tools/call", "resources/list", "prompts/list"] {
            let (_, result) = results().into_iter().find(|(name, _)| *name == method).unwrap();
            let definition = method::find(version, method).unwrap().result.unwrap();
            // From 2025-06-18 on, calls differ only in what is inside of their links.
            assert!(!official.problems(definition, &result).is_empty(), "{method} in {version}");
        }
    }
}

#[test]
fn shaping_twice_changes_nothing_more() {
    for version in Version::ALL {
        for (method, result) in results() {
            let shape = |mut value: Value| match Shape::to(version).result(method, &mut value) {
                Ok(()) => Some(value),
                Err(Inexpressible::NoSuchMethod { .. }) => None,
                Err(other) => panic!("{other}"),
            };
            let once = shape(result);
            assert_eq!(once.clone().and_then(shape), once, "{method} in {version}");
        }
    }
}
