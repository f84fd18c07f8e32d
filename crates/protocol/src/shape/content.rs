//! Content blocks: a kind that a revision does not have becomes text.

use serde_json::{Map, Value, json};

use super::{Shape, with};
use crate::Version;

impl Shape {
    /// A content block of a tool result or prompt message.
    pub(super) fn content(self, block: &mut Value) {
        let Some(fields) = block.as_object_mut() else { return };
        let text = match kind(fields) {
            "audio" if !self.has(Version::V2025_03_26) => Some(self.audio_in_text(fields)),
            "resource_link" if !self.has(Version::V2025_06_18) => Some(link_in_text(fields)),
            "resource_link" => {
                self.resource(fields);
                return;
            }
            "resource" => {
                with(fields, "resource", |contents| self.resource_contents(contents));
                None
            }
            _ => None,
        };
        if let Some(text) = text {
            say(fields, &text);
        }
        self.annotations(fields);
        self.item_meta(fields);
    }

    pub(super) fn contents(self, list: &mut Value) {
        let Some(list) = list.as_array_mut() else { return };
        list.iter_mut().for_each(|block| self.content(block));
    }

    fn audio_in_text(self, block: &Map<String, Value>) -> String {
        let bytes = text(block, "data").unwrap_or_default().trim_end_matches('=').len() * 3 / 4;
        let mime = text(block, "mimeType").unwrap_or("of unknown type");
        format!("[audio, {mime}, {bytes} bytes, left out: protocol {} has no audio]", self.version)
    }
}

pub(super) fn kind(block: &Map<String, Value>) -> &str {
    text(block, "type").unwrap_or_default()
}

/// Turns a block into text; what it says about its audience stays.
pub(super) fn say(block: &mut Map<String, Value>, text: &str) {
    let annotations = block.shift_remove("annotations");
    *block = Map::new();
    block.insert("type".to_owned(), json!("text"));
    block.insert("text".to_owned(), json!(text));
    if let Some(annotations) = annotations {
        block.insert("annotations".to_owned(), annotations);
    }
}

fn link_in_text(block: &Map<String, Value>) -> String {
    let name = text(block, "title").or_else(|| text(block, "name")).unwrap_or("resource");
    let uri = text(block, "uri").unwrap_or_default();
    let mime = text(block, "mimeType").map(|mime| format!(", {mime}")).unwrap_or_default();
    let about = text(block, "description").map(|about| format!(": {about}")).unwrap_or_default();
    format!("{name} <{uri}>{mime}{about}")
}

pub(super) fn text<'a>(block: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    block.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(version: Version, block: &Value) -> Value {
        let mut result = json!({"messages": [{"role": "user", "content": block}]});
        Shape::to(version).result("prompts/get", &mut result).unwrap();
        result["messages"][0]["content"].clone()
    }

    #[test]
    fn audio_is_said_before_there_was_audio() {
        let audio =
            json!({"type": "audio", "data": "YWJj", "mimeType": "audio/wav", "annotations": {"priority": 1}});
        assert_eq!(
            shaped(Version::V2024_11_05, &audio),
            json!({
                "type": "text",
                "text": "[audio, audio/wav, 3 bytes, left out: protocol 2024-11-05 has no audio]",
                "annotations": {"priority": 1},
            })
        );
        assert_eq!(shaped(Version::V2025_03_26, &audio), audio);
    }

    #[test]
    fn links_are_said_before_there_were_links() {
        let link = json!({
            "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "mimeType": "text/plain",
            "description": "first", "icons": [],
        });
        for version in [Version::V2024_11_05, Version::V2025_03_26] {
            let expected = json!({"type": "text", "text": "A <file:///a>, text/plain: first"});
            assert_eq!(shaped(version, &link), expected);
        }
        let june = shaped(Version::V2025_06_18, &link);
        assert_eq!((june["type"].as_str(), june.get("icons")), (Some("resource_link"), None));
        let bare = json!({"type": "resource_link", "uri": "file:///a", "name": "a"});
        assert_eq!(shaped(Version::V2024_11_05, &bare)["text"], "a <file:///a>");
    }

    #[test]
    fn meta_and_dates_leave_older_blocks() {
        let block = json!({
            "type": "text", "text": "t", "_meta": {},
            "annotations": {"priority": 1, "lastModified": "2025-01-01T00:00:00Z"},
        });
        let expected = json!({"type": "text", "text": "t", "annotations": {"priority": 1}});
        assert_eq!(shaped(Version::V2025_03_26, &block), expected);
        assert_eq!(shaped(Version::V2025_06_18, &block), block);
    }

    #[test]
    fn embedded_resources_lose_their_meta_too() {
        let block = json!({"type": "resource", "resource": {"uri": "a:b", "text": "t", "_meta": {}}});
        let expected = json!({"type": "resource", "resource": {"uri": "a:b", "text": "t"}});
        assert_eq!(shaped(Version::V2025_03_26, &block), expected);
    }

    #[test]
    fn blocks_that_nobody_knows_are_left() {
        assert_eq!(shaped(Version::V2024_11_05, &json!({"type": "hologram"})), json!({"type": "hologram"}));
        assert_eq!(shaped(Version::V2024_11_05, &json!("text")), json!("text"));
    }
}
