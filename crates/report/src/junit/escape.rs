//! Text inside XML.

use crate::text::visible;

/// For an attribute: on one line, without what XML cannot carry.
pub(super) fn escaped(text: &str) -> String {
    escape(&visible(text))
}

/// Control characters are gone by now; what is left that XML 1.0 has no place for are two noncharacters.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
