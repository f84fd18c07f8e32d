//! The bytes of an entry as members of its line, in the most readable form that gives back exactly these bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::value::RawValue;

use super::fields::Fields;
use super::head;
use super::write::{RecordedLine, quoted};
use crate::{Entry, What};

/// Members that hold a message: ours first, then the names that other tools use.
const MESSAGE: [&str; 6] = ["message", "payload", "data", "frame", "body", "raw"];

pub(super) fn write_content(entry: &Entry, line: &mut RecordedLine) {
    if entry.what == What::Head
        && let Some((start, headers)) = head::split(&entry.bytes)
    {
        line.raw("start", start.as_bytes());
        return line.raw("headers", headers.as_bytes());
    }
    match std::str::from_utf8(&entry.bytes) {
        Ok(text) if entry.what == What::Message && can_be_embedded(text) => {
            line.raw("message", text.as_bytes());
        }
        Ok(text) => line.raw("text", quoted(text).as_bytes()),
        Err(_) => line.text("base64", &STANDARD.encode(&entry.bytes)),
    }
}

/// Whether `text` can be a member's value as it is, so that reading returns exactly this text.
fn can_be_embedded(text: &str) -> bool {
    text.starts_with(['{', '['])
        && !text.contains(['\n', '\r'])
        && serde_json::from_str::<&RawValue>(text).is_ok_and(|raw| raw.get() == text)
}

/// The bytes that a line holds; `None` when it has none of the members for them.
pub(super) fn read_content(fields: &Fields<'_>, what: What, line: &Bytes) -> Result<Option<Bytes>, String> {
    if let Some(text) = fields.text("base64")? {
        let bytes = STANDARD.decode(text.as_bytes());
        return bytes.map(|b| Some(b.into())).map_err(|why| format!("`base64` cannot be decoded: {why}"));
    }
    if let Some(text) = fields.text("text")? {
        return Ok(Some(Bytes::from(text)));
    }
    if what == What::Head && fields.get("start").is_some() {
        let start = fields.text("start")?.unwrap_or_default();
        let headers = fields.value("headers")?;
        let head = head::build(&start, &headers)
            .ok_or("`headers` is neither a list of [name, value] pairs nor an object of them")?;
        return Ok(Some(head.into()));
    }
    let Some(raw) = MESSAGE.iter().find_map(|name| fields.get(name)) else { return Ok(None) };
    read_message(raw, line).map(Some)
}

/// The message that a member holds, as JSON or as a string of JSON.
pub(super) fn read_message(raw: &RawValue, line: &Bytes) -> Result<Bytes, String> {
    if !raw.get().starts_with('"') {
        // A span of the line, so that nothing is copied.
        return Ok(line.slice_ref(raw.get().as_bytes()));
    }
    match crate::text(raw) {
        Some(text) => Ok(Bytes::from(text.into_owned())),
        None => Err("a string with a broken escape".to_owned()),
    }
}
