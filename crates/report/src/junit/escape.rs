//! Text inside XML.

use wire::markup;

use crate::text::visible;

/// Escapes an attribute: on one line, without characters that XML does not allow.
pub(super) fn escape_attribute(text: &str) -> String {
    escape(&visible(text))
}

/// Escapes text. Control characters were replaced before; XML 1.0 also forbids two noncharacters.
pub(super) fn escape(text: &str) -> String {
    markup::escape(&text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}
