//! Text inside XML.

use wire::markup;

use crate::text::visible;

/// For an attribute: on one line, without what XML cannot carry.
pub(super) fn escape_attribute(text: &str) -> String {
    escape(&visible(text))
}

/// Control characters are gone by now; what is left that XML 1.0 has no place for are two noncharacters.
pub(super) fn escape(text: &str) -> String {
    markup::escape(&text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}
