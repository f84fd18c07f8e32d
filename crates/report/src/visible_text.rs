//! Makes foreign text harmless. Only this file knows what acts on a terminal or deceives a reader.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` on one line, with everything that would act on a terminal or turn the reading order shown as an escape.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape_hidden(text, |c| acts(c) || c == '\n' || c == '\t')
}

/// Like [`visible`], but line breaks and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape_hidden(text, acts)
}

/// Like [`visible_lines`], but colours stay: `ESC [ … m`, and no other sequence.
///
/// For text that we have styled ourselves. Foreign text in it has passed [`visible`] before.
pub fn visible_but_styles(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&visible_lines(&rest[..at]));
        let length = style_length(&rest[at..]).unwrap_or(0);
        out.push_str(&rest[at..at + length]);
        // An escape that begins no style is text, and made visible as such.
        if length == 0 {
            out.push_str(&visible_lines(&rest[at..=at]));
        }
        rest = &rest[at + length.max(1)..];
    }
    out.push_str(&visible_lines(rest));
    Cow::Owned(out)
}

/// How long the style is that `text` begins with.
fn style_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
    parameters[end..].starts_with('m').then_some(end + 3)
}

fn escape_hidden(text: &str, hide: impl Fn(char) -> bool) -> Cow<'_, str> {
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

/// Control characters of both sets, and those that reorder, hide or separate what follows without being seen.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_instead() {
        assert_eq!(visible("plain ünïcode ✓"), "plain ünïcode ✓");
        assert_eq!(visible("a\u{1b}[31mred\u{7}\u{9b}2J\u{7f}"), "a\\u{1b}[31mred\\u{7}\\u{9b}2J\\u{7f}");
        assert_eq!(visible("x\u{202e}y\r\nz\tw"), "x\\u{202e}y z w");
        assert_eq!(visible_lines("a\nb\u{0}"), "a\nb\\u{0}");
        for deceiving in [
            '\u{61c}', '\u{200e}', '\u{2028}', '\u{2029}', '\u{2066}', '\u{2069}', '\u{202a}', '\u{200b}',
            '\u{ad}',
        ] {
            assert!(!visible(&deceiving.to_string()).contains(deceiving), "{deceiving:?}");
        }
    }

    #[test]
    fn of_sequences_only_colours_pass() {
        for styled in ["\u{1b}[1;31mred\u{1b}[0m\n", "\u{1b}[m", "\u{1b}[38:5:9mx"] {
            assert_eq!(visible_but_styles(styled), styled);
        }
        for (text, expected) in [
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("a\u{1b}[2J\u{1b}[31mb", "a\\u{1b}[2J\u{1b}[31mb"),
            ("\u{1b}[31", "\\u{1b}[31"),
            ("\u{9b}31m\u{1b}", "\\u{9b}31m\\u{1b}"),
        ] {
            assert_eq!(visible_but_styles(text), expected);
        }
    }
}
