//! What people read when a message is wrong.

use serde_json::{Value, json};
use yardstick_protocol::Version::{self, *};
use yardstick_protocol::schema::{self, Reading, Schema};

/// The flaws of `value`, as lines of text.
fn flaws(version: Version, name: &str, value: &Value) -> Vec<String> {
    let validator = schema::validator(version, name).unwrap_or_else(|| panic!("{version} has no {name}"));
    assert_eq!(validator.name(), name);
    validator.check(value).iter().map(ToString::to_string).collect()
}

#[test]
fn names_are_known_in_their_revisions_only() {
    assert!(schema::validator(V2024_11_05, "AudioContent").is_none());
    assert!(schema::validator(V2025_03_26, "AudioContent").is_some());
    assert!(schema::validator(V2025_03_26, "JSONRPCBatchRequest").is_some());
    assert!(schema::validator(V2025_06_18, "JSONRPCBatchRequest").is_none());
    assert!(schema::validator(V2025_11_25, "InitializeResult").is_some());
    assert!(schema::validator(V2026_07_28, "InitializeResult").is_none());
    assert!(schema::validator(V2026_07_28, "NoSuchType").is_none());
    assert!(schema::names(V2026_07_28).is_sorted() && schema::names(V2026_07_28).contains(&"DiscoverResult"));
}

#[test]
fn a_member_is_judged_by_its_revision() {
    let tools = json!({"tools": [{"name": "add", "inputSchema": {"type": "object"}}]});
    for version in [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25] {
        assert_eq!(flaws(version, "ListToolsResult", &tools), [""; 0]);
    }
    let modern = ["`resultType` is missing", "`ttlMs` is missing", "`cacheScope` is missing"];
    assert_eq!(flaws(V2026_07_28, "ListToolsResult", &tools), modern);

    let titled = json!({"name": "add", "title": 5, "icons": [{}], "inputSchema": {"type": "object"}});
    assert_eq!(flaws(V2025_03_26, "Tool", &titled), [""; 0]);
    assert_eq!(flaws(V2025_06_18, "Tool", &titled), ["/title: expected a string, found 5"]);
    let both = ["/title: expected a string, found 5", "/icons/0: `src` is missing"];
    assert_eq!(flaws(V2025_11_25, "Tool", &titled), both);
}

#[test]
fn a_flaw_says_where_and_what() {
    let cases = [
        (
            "ListToolsResult",
            json!({"tools": [{"name": "a", "inputSchema": {}}]}),
            "/tools/0/inputSchema: `type` is missing",
        ),
        ("ListToolsResult", json!([]), "expected an object, found an array"),
        ("ClientResult", json!(null), "expected an object, found null"),
        ("Role", json!("system"), "expected one of \"user\", \"assistant\", found \"system\""),
        ("Annotations", json!({"priority": 1.5}), "/priority: expected a number from 0 to 1, found 1.5"),
        ("Root", json!({"uri": "my files"}), "/uri: expected a URI, found \"my files\""),
        ("RequestId", json!(null), "expected a string or an integer, found null"),
        ("RequestId", json!(1.5), "expected a string or an integer, found 1.5"),
        (
            "JSONRPCRequest",
            json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            "/jsonrpc: expected \"2.0\", found \"1.0\"",
        ),
        (
            "ClientCapabilities",
            json!({"experimental": {"a/b~c": 1}}),
            "/experimental/a~1b~0c: expected an object, found 1",
        ),
        (
            "ImageContent",
            json!({"type": "image", "mimeType": "image/png", "data": "data:,hi"}),
            "/data: expected base64, found \"data:,hi\"",
        ),
        ("Cursor", json!([1, 2]), "expected a string, found an array of 2 items"),
    ];
    for (name, value, line) in cases {
        assert_eq!(flaws(V2025_11_25, name, &value), [line], "{name} {value}");
    }
    let long = flaws(V2025_11_25, "Role", &json!("x".repeat(1000)));
    assert!(long[0].len() < 120 && long[0].ends_with("xxx\"…"), "{long:?}");
}

#[test]
fn a_union_is_read_by_its_tag() {
    let content = |block: Value| json!({"content": [{"type": "text", "text": "hi"}, block]});
    let cases = [
        (json!({"type": "text"}), "/content/1: `text` is missing"),
        (
            json!({"type": "image", "data": "", "mimeType": 7}),
            "/content/1/mimeType: expected a string, found 7",
        ),
        (
            json!({"type": "video"}),
            "/content/1/type: expected one of \"text\", \"image\", \"audio\", \"resource_link\", \"resource\", \
             found \"video\"",
        ),
        (
            json!({"text": "hi"}),
            "/content/1: `type` is missing, which is one of \"text\", \"image\", \"audio\", \"resource_link\", \
             \"resource\"",
        ),
        (json!("hi"), "/content/1: expected an object, found \"hi\""),
        (
            json!({"type": "resource", "resource": {"uri": "a:b"}}),
            "/content/1/resource: `text` is missing, or `blob` is missing",
        ),
        (
            json!({"type": "resource", "resource": {"uri": 1, "blob": ""}}),
            "/content/1/resource/uri: expected a URI, found 1 (read as BlobResourceContents)",
        ),
    ];
    for (block, line) in cases {
        assert_eq!(flaws(V2025_11_25, "CallToolResult", &content(block.clone())), [line], "{block}");
    }
}

#[test]
fn a_message_is_read_by_its_method() {
    let call = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}});
    assert_eq!(flaws(V2025_11_25, "ClientRequest", &call("tools/call")), ["/params: `name` is missing"]);
    let unknown = flaws(V2025_11_25, "ClientRequest", &call("tools/cal"));
    assert_eq!(unknown.len(), 1);
    assert!(unknown[0].starts_with("/method: expected one of \"initialize\", \"ping\","), "{unknown:?}");
    assert!(unknown[0].ends_with(" and others, found \"tools/cal\""), "{unknown:?}");

    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": 5});
    let line = "/result: expected an object, found 5 (read as JSONRPCResultResponse)";
    assert_eq!(flaws(V2025_11_25, "JSONRPCMessage", &answer), [line]);
}

#[test]
fn a_form_field_is_read_by_what_it_has() {
    let form = |field: Value| {
        let requested = json!({"type": "object", "properties": {"x": field}});
        json!({"message": "?", "requestedSchema": requested})
    };
    let nested = json!({"type": "object", "properties": {}});
    let line = flaws(V2025_11_25, "ElicitRequestFormParams", &form(nested));
    assert_eq!(line.len(), 1);
    assert!(
        line[0].starts_with("/requestedSchema/properties/x/type: expected one of \"string\", \"number\""),
        "{line:?}"
    );
    let titled = json!({"type": "string", "oneOf": [{"const": "a"}]});
    assert_eq!(
        flaws(V2025_11_25, "ElicitRequestFormParams", &form(titled)),
        [""; 0],
        "a plain string field fits"
    );
    let multi = json!({"type": "array", "items": {"enum": ["a"]}});
    let line = "/requestedSchema/properties/x/items: `type` is missing, or `anyOf` is missing";
    assert_eq!(flaws(V2025_11_25, "ElicitRequestFormParams", &form(multi)), [line]);
}

#[test]
fn the_source_allows_what_the_published_schema_lost() {
    let lost = [
        (V2025_06_18, "ElicitResult", json!({"action": "accept", "content": {"height": 1.75}})),
        (V2026_07_28, "ElicitResult", json!({"action": "accept", "content": {"height": 1.75}})),
        (V2026_07_28, "ClientCapabilities", json!({"extensions": {"x": {"ratio": 0.5, "theme": null}}})),
    ];
    for (version, name, value) in lost {
        assert_eq!(flaws(version, name, &value), [""; 0]);
        let published = Schema::for_version(version).read_as(Reading::Published).validator(name);
        assert!(!published.expect("the same names").accepts(&value), "{name} {value}");
    }
    let null = json!({"action": "accept", "content": {"height": null}});
    assert_eq!(
        flaws(V2025_11_25, "ElicitResult", &null),
        ["/content/height: expected a string or a number or a boolean or an array, found null"]
    );
}
