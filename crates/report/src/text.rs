//! Text that strangers wrote, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

use suite::{Excerpt, Report};

/// A name is no place for a story.
const NAME: usize = 80;

/// `text` on one line, with everything that would act on a terminal or turn the reading order shown as an escape.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |c| acts(c) || c == '\n' || c == '\t')
}

/// Like [`visible`], but line breaks and tabs stay.
pub(crate) fn visible_lines(text: &str) -> Cow<'_, str> {
    shown(text, acts)
}

fn shown(text: &str, hide: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hide) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\t' if hide(c) => out.push(' '),
            '\r' => {}
            _ if hide(c) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Control characters of both sets, and those that reorder or hide what follows.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The first `limit` characters, with an ellipsis when there are more.
pub(crate) fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

/// The message, with a mark when not all of it is there.
pub(crate) fn message(frame: &Excerpt) -> String {
    match frame.bytes {
        Some(bytes) => format!("{}… ({bytes} bytes in all)", frame.text),
        None => frame.text.clone(),
    }
}

/// What is measured, in a few words: a name if it gives one, else the command or URL.
pub(crate) fn name(report: &Report) -> String {
    let target = &report.target;
    let name = match &target.name {
        Some(name) => format!("{name} {}", target.version.as_deref().unwrap_or_default()),
        None => target.description.clone(),
    };
    cut(name.trim_end(), NAME).into_owned()
}

/// Milliseconds as seconds with a digit behind the point.
pub(crate) fn seconds(milliseconds: u64) -> String {
    format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_instead() {
        assert_eq!(visible("plain ünïcode ✓"), "plain ünïcode ✓");
        assert_eq!(visible("a\u{1b}[31mred\u{7}\u{9b}2J"), "a\\u{1b}[31mred\\u{7}\\u{9b}2J");
        assert_eq!(visible("x\u{202e}y\r\nz\tw"), "x\\u{202e}y z w");
        assert_eq!(visible_lines("a\nb\u{0}"), "a\nb\\u{0}");
    }

    #[test]
    fn cutting_minds_characters() {
        assert_eq!(cut("häuser", 2), "hä…");
        assert_eq!(cut("ha", 2), "ha");
    }
}
