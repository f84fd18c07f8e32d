//! Sampling: tools and lists of content came with 2025-11-25, audio with 2025-03-26.

use serde_json::{Map, Value, json};

use super::content::{kind, say, text};
use super::tool::structured_in_text;
use super::{Shape, VersionedMember, each, with_value};
use crate::{Span, Version};

const REQUEST: &[VersionedMember] =
    &[("tools", Span::since(Version::V2025_11_25)), ("toolChoice", Span::since(Version::V2025_11_25))];
const MESSAGE: &[VersionedMember] = &[("_meta", Span::since(Version::V2025_11_25))];

impl Shape {
    /// The params of `sampling/createMessage`.
    pub(super) fn sampling(self, params: &mut Map<String, Value>) {
        self.strip(params, REQUEST);
        each(params, "tools", |tool| self.tool(tool));
        let Some(messages) = params.get_mut("messages").and_then(Value::as_array_mut) else { return };
        if !self.has(Version::V2025_11_25) {
            *messages = messages.drain(..).flat_map(split).collect();
        }
        for message in messages.iter_mut().filter_map(Value::as_object_mut) {
            self.strip(message, MESSAGE);
            with_value(message, "content", |content| self.sampling_content(content));
        }
    }

    /// The result of `sampling/createMessage`; older revisions have one block, so several are joined as text.
    pub(super) fn sampling_result(self, result: &mut Map<String, Value>) {
        with_value(result, "content", |content| {
            if !self.has(Version::V2025_11_25) {
                join(content);
            }
            self.sampling_content(content);
        });
    }

    fn sampling_content(self, content: &mut Value) {
        match content {
            Value::Array(blocks) => blocks.iter_mut().for_each(|block| self.sampling_block(block)),
            block => self.sampling_block(block),
        }
    }

    fn sampling_block(self, block: &mut Value) {
        if let Some(fields) = block.as_object_mut() {
            match kind(fields) {
                "tool_use" | "tool_result" if !self.has(Version::V2025_11_25) => {
                    let text = tool_in_text(fields);
                    say(fields, &text);
                }
                "tool_result" => {
                    if !self.fits_structured(fields.get("structuredContent")) {
                        structured_in_text(fields);
                    }
                    with_value(fields, "content", |content| self.contents(content));
                }
                _ => (),
            }
        }
        self.content(block);
    }
}

/// One message for each block, so that nothing is lost.
fn split(mut message: Value) -> Vec<Value> {
    match message.get_mut("content").map(Value::take) {
        Some(Value::Array(blocks)) => blocks.into_iter().map(|block| with_content(&message, block)).collect(),
        Some(content) => vec![with_content(&message, content)],
        None => vec![message],
    }
}

fn with_content(message: &Value, content: Value) -> Value {
    let mut message = message.clone();
    message["content"] = content;
    message
}

fn join(content: &mut Value) {
    let Value::Array(blocks) = content else { return };
    let joined = match blocks.as_mut_slice() {
        [only] => only.take(),
        several => json!({"type": "text", "text": texts(several)}),
    };
    *content = joined;
}

fn in_text(block: &Map<String, Value>) -> String {
    match kind(block) {
        "text" => text(block, "text").unwrap_or_default().to_owned(),
        "tool_use" | "tool_result" => tool_in_text(block),
        other => format!("[{other}, {}]", text(block, "mimeType").unwrap_or("of unknown type")),
    }
}

fn tool_in_text(block: &Map<String, Value>) -> String {
    let json = |key: &str| block.get(key).map(Value::to_string).unwrap_or_default();
    if kind(block) == "tool_use" {
        let name = text(block, "name").unwrap_or_default();
        return format!("[call of tool {name}: {}]", json("input"));
    }
    let payload = match block.get("content").and_then(Value::as_array) {
        Some(blocks) if !block.contains_key("structuredContent") => texts(blocks),
        _ => json("structuredContent"),
    };
    format!("[result of tool call {}: {payload}]", text(block, "toolUseId").unwrap_or_default())
}

fn texts(blocks: &[Value]) -> String {
    blocks.iter().filter_map(Value::as_object).map(in_text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(version: Version, mut params: Value) -> Value {
        Shape::to(version).request("sampling/createMessage", &mut params).unwrap();
        params
    }

    fn result(version: Version, mut result: Value) -> Value {
        Shape::to(version).result("sampling/createMessage", &mut result).unwrap();
        result
    }

    #[test]
    fn tools_leave_older_requests() {
        let params = json!({"messages": [], "maxTokens": 1, "tools": [], "toolChoice": {"mode": "auto"}});
        assert_eq!(request(Version::V2025_06_18, params.clone()), json!({"messages": [], "maxTokens": 1}));
        assert_eq!(request(Version::V2025_11_25, params.clone()), params);
    }

    #[test]
    fn lists_of_content_become_messages() {
        let params = json!({"messages": [
            {"role": "user", "_meta": {}, "content": [
                {"type": "text", "text": "a"},
                {"type": "tool_use", "id": "1", "name": "t", "input": {"x": 1}},
                {"type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "r"}]},
            ]},
            {"role": "assistant", "content": {"type": "text", "text": "b"}},
        ]});
        assert_eq!(
            request(Version::V2025_06_18, params.clone()),
            json!({"messages": [
                {"role": "user", "content": {"type": "text", "text": "a"}},
                {"role": "user", "content": {"type": "text", "text": "[call of tool t: {\"x\":1}]"}},
                {"role": "user", "content": {
                    "type": "text", "text": "[result of tool call 1: r]",
                }},
                {"role": "assistant", "content": {"type": "text", "text": "b"}},
            ]})
        );
        assert_eq!(request(Version::V2025_11_25, params.clone()), params);
    }

    #[test]
    fn audio_is_said_here_too() {
        let params = json!({"messages": [
            {"role": "user", "content": {"type": "audio", "data": "YQ==", "mimeType": "audio/wav"}},
        ]});
        let first = request(Version::V2024_11_05, params);
        assert!(
            first["messages"][0]["content"]["text"]
                .as_str()
                .unwrap()
                .starts_with("[audio, audio/wav, 1 bytes")
        );
    }

    #[test]
    fn results_have_one_block_in_older_revisions() {
        let one = json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]});
        let expected = json!({"content": {"type": "image", "data": "", "mimeType": "image/png"}});
        assert_eq!(result(Version::V2025_06_18, one.clone()), expected);
        assert_eq!(result(Version::V2025_11_25, one.clone()), one);
        let several = json!({"content": [
            {"type": "text", "text": "a"},
            {"type": "image", "data": "", "mimeType": "image/png"},
            {"type": "tool_use", "id": "1", "name": "t", "input": {}},
        ]});
        let expected =
            json!({"content": {"type": "text", "text": "a\n[image, image/png]\n[call of tool t: {}]"}});
        assert_eq!(result(Version::V2025_06_18, several), expected);
    }

    #[test]
    fn tool_results_hold_objects_before_the_modern_revision() {
        let params = json!({"messages": [{"role": "user", "content": [
            {"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": [1]},
        ]}]});
        let november = request(Version::V2025_11_25, params);
        assert_eq!(
            november["messages"][0]["content"][0],
            json!({
                "type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "[1]"}],
            })
        );
    }
}
