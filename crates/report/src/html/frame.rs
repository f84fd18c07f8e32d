//! Messages on the wire, pretty-printed: every token as it was sent, with line breaks and colours added.

use std::fmt::{self, Write as _};

use suite::{Excerpt, Party};
use wire::markup::push_escaped;

use super::escape::{escape, escape_lines};
use crate::text::visible_lines;

/// The messages of a finding, folded when there are many.
pub(super) fn frames(out: &mut String, frames: &[Excerpt], open: bool) -> fmt::Result {
    if frames.is_empty() {
        return Ok(());
    }
    let noun = if frames.len() == 1 { "message" } else { "messages" };
    let open = if open { " open" } else { "" };
    writeln!(out, "<details class=\"wire\"{open}><summary>{} {noun} on the wire</summary>", frames.len())?;
    for frame in frames {
        let (side, arrow, who) = match frame.from {
            Party::Client => ("client", "→", "sent"),
            Party::Server => ("server", "←", "received"),
        };
        write!(out, "<figure class=\"frame {side}\"><figcaption>{arrow} {who}")?;
        if let Some(bytes) = frame.bytes {
            let part = if frame.at.is_some() { "a part" } else { "the beginning" };
            write!(out, " <span>{part} of {bytes} bytes</span>")?;
        }
        for line in &frame.head {
            write!(out, " <code>{}</code>", escape(line))?;
        }
        writeln!(out, "</figcaption><pre tabindex=\"0\">{}</pre></figure>", set(&frame.text))?;
    }
    writeln!(out, "</details>")
}

/// Indents JSON; anything else stays as it is.
fn set(text: &str) -> String {
    if text.starts_with(['{', '[']) { pretty(text) } else { escape_lines(text) }
}

/// Adds only white space and colours, so that duplicate members, odd numbers and broken ends stay visible.
fn pretty(text: &str) -> String {
    let text = visible_lines(text);
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text.as_ref();
    while let Some(c) = rest.chars().next() {
        let width = match c {
            '"' => string(&mut out, rest),
            '{' | '[' => {
                out.push(c);
                let inner = rest[1..].trim_start();
                if inner.starts_with(['}', ']']) {
                    out.push_str(&inner[..1]);
                    rest.len() - inner.len() + 1
                } else {
                    depth += 1;
                    line(&mut out, depth);
                    1
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
                1
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
                1
            }
            ':' => {
                out.push_str(": ");
                1
            }
            _ if c.is_whitespace() => c.len_utf8(),
            _ => bare(&mut out, rest),
        };
        rest = &rest[width..];
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(40)));
}

/// A string, as a name when a colon follows; gives its length.
fn string(out: &mut String, rest: &str) -> usize {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find_map(|(at, c)| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(at + 1)
    });
    let end = end.unwrap_or(rest.len());
    let kind = if rest[end..].trim_start().starts_with(':') { "name" } else { "text" };
    token(out, kind, &rest[..end]);
    end
}

/// A number or a word; gives its length.
fn bare(out: &mut String, rest: &str) -> usize {
    let ends = |c: char| "{}[],:\"".contains(c) || c.is_whitespace();
    let end = rest.find(ends).unwrap_or(rest.len());
    token(out, "word", &rest[..end]);
    end
}

fn token(out: &mut String, kind: &str, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(out, "<span class=\"{kind}\">");
    for c in text.chars() {
        push_escaped(out, c);
    }
    out.push_str("</span>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(html: &str) -> String {
        let mut out = String::new();
        let mut inside = false;
        for c in html.chars() {
            match c {
                '<' => inside = true,
                '>' if inside => inside = false,
                _ if !inside => out.push(c),
                _ => {}
            }
        }
        out.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }

    #[test]
    fn tokens_stay_as_they_were_sent() {
        let text = r#"{"a":1.0e5,"a":[],"b":{"c":"x \" <y>"},"d":[1,tru"#;
        let set = plain(&pretty(text));
        assert_eq!(set.split_whitespace().collect::<String>(), text.replace(' ', ""));
        assert!(set.starts_with("{\n  \"a\": 1.0e5,\n  \"a\": [],\n  \"b\": {\n    \"c\""), "{set}");
    }

    #[test]
    fn markup_in_a_message_is_text() {
        assert!(!set(r#"{"<script>":"</pre><script>"}"#).contains("<script"));
        assert!(!set("<script>").contains("<script"));
    }
}
