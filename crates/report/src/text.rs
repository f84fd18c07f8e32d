//! Foreign text, made short enough to show.

use std::borrow::Cow;

pub(crate) use crate::visible_text::{visible, visible_lines};
use suite::{CaseReport, Excerpt, Report, find_focus};

/// A name has to stay short.
const MAX_NAME_CHARS: usize = 80;

/// The first `limit` characters, with an ellipsis when there are more.
pub(crate) fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

/// At most `limit` characters around the byte `focus`, with an ellipsis where there are more.
pub(crate) fn cut_around(text: &str, limit: usize, focus: usize) -> Cow<'_, str> {
    let focus = text.floor_char_boundary(focus);
    let before = text[..focus].chars().count();
    // What is near the beginning is seen together with it.
    if before < limit.saturating_mul(2) / 3 {
        return cut(text, limit);
    }
    let skipped = before - limit / 3;
    let start = text.char_indices().nth(skipped).map_or(0, |(at, _)| at);
    Cow::Owned(format!("…{}", cut(&text[start..], limit.saturating_sub(1))))
}

/// The message with the relevant lines of its head, and ellipses where it is cut.
pub(crate) fn message(frame: &Excerpt) -> String {
    let mut text = head(frame);
    if frame.at.is_some() {
        text.push('…');
    }
    text.push_str(&frame.text);
    if let Some(bytes) = frame.bytes {
        text.push_str(&format!("… ({bytes} bytes in all)"));
    }
    text
}

/// At most `limit` characters of a message of `case`, around the part that the finding names.
pub(crate) fn message_of(case: &CaseReport, frame: &Excerpt, limit: usize) -> String {
    let text = visible(&frame.text);
    let texts = [case.actual.as_deref(), case.expected.as_deref()];
    let texts: Vec<_> = texts.into_iter().flatten().collect();
    let focus = if text.len() > limit { find_focus(&text, &texts) } else { None };
    let shown = cut_around(&text, limit, focus.unwrap_or(0));
    let before = if frame.at.is_some() && !shown.starts_with('…') { "…" } else { "" };
    let after = if frame.bytes.is_some() && !shown.ends_with('…') { "…" } else { "" };
    format!("{}{before}{shown}{after}", visible(&head(frame)))
}

fn head(frame: &Excerpt) -> String {
    frame.head.iter().map(|line| format!("{line} · ")).collect()
}

/// What is measured, in a few words: a name if it gives one, else the command or URL.
pub(crate) fn name(report: &Report) -> String {
    let target = &report.target;
    let name = match &target.name {
        Some(name) => format!("{name} {}", target.version.as_deref().unwrap_or_default()),
        None => target.description.clone(),
    };
    cut(name.trim_end(), MAX_NAME_CHARS).into_owned()
}

/// Milliseconds as seconds with a digit behind the point.
pub(crate) fn seconds(milliseconds: u64) -> String {
    format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_keeps_what_matters() {
        let text = format!("{}NEEDLE{}", "ä".repeat(200), "ö".repeat(200));
        let shown = cut_around(&text, 60, text.find("NEEDLE").unwrap_or(0));
        assert!(shown.contains("NEEDLE") && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() <= 61, "{shown}");
        assert_eq!(cut_around("short", 60, 3), "short");
    }

    #[test]
    fn cutting_minds_characters() {
        assert_eq!(cut("häuser", 2), "hä…");
        assert_eq!(cut("ha", 2), "ha");
    }
}
