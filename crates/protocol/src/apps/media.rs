//! Media types, compared as HTTP compares them and not as strings.

use std::fmt;

use crate::header::is_token_byte;

/// A media type with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    essence: String,
    params: Vec<(String, String)>,
}

/// What is wrong with a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediaProblem {
    /// No `type/subtype`.
    #[error("a media type begins with type/subtype")]
    Essence,
    /// A parameter that is not `name=value`.
    #[error("the parameters of a media type are name=value, separated by semicolons")]
    Parameter,
    /// A quoted value that does not end.
    #[error("a quoted value of the media type does not end")]
    Quote,
    /// A parameter is there twice.
    #[error("a parameter of the media type is there twice")]
    Twice,
}

impl MediaType {
    /// Reads a media type (RFC 9110, 8.3.1).
    pub fn parse(text: &str) -> Result<Self, MediaProblem> {
        let (essence, mut rest) = split(text);
        let (kind, subtype) = essence.trim().split_once('/').ok_or(MediaProblem::Essence)?;
        if !is_token(kind) || !is_token(subtype) {
            return Err(MediaProblem::Essence);
        }
        let mut media = Self { essence: essence.trim().to_ascii_lowercase(), params: Vec::new() };
        while let Some(text) = rest {
            let text = text.trim_start();
            if text.is_empty() || text.starts_with(';') {
                // An empty parameter is allowed and means nothing.
                rest = split(text).1;
                continue;
            }
            let (name, value, after) = parameter(text)?;
            if media.param(&name).is_some() {
                return Err(MediaProblem::Twice);
            }
            media.params.push((name, value));
            rest = after;
        }
        Ok(media)
    }

    /// The type and subtype, in lower case.
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// The value of a parameter; `name` in lower case.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether this is the media type that `text` spells, whatever the order of parameters, case and white space.
    pub fn is(&self, text: &str) -> bool {
        Self::parse(text).is_ok_and(|other| self.same(&other))
    }

    fn same(&self, other: &Self) -> bool {
        self.essence == other.essence
            && self.params.len() == other.params.len()
            && self.params.iter().all(|(name, value)| other.param(name) == Some(value))
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.essence)?;
        for (name, value) in &self.params {
            if is_token(value) {
                write!(f, ";{name}={value}")?;
            } else {
                write!(f, ";{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))?;
            }
        }
        Ok(())
    }
}

/// What stands before the first semicolon, and what after it.
fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(';').map_or((text, None), |(before, after)| (before, Some(after)))
}

/// A parameter and what follows it.
fn parameter(text: &str) -> Result<(String, String, Option<&str>), MediaProblem> {
    let (name, after) =
        text.split_once('=').filter(|(name, _)| is_token(name)).ok_or(MediaProblem::Parameter)?;
    let (value, rest) = match after.strip_prefix('"') {
        Some(quoted) => unquote(quoted)?,
        None => {
            let end = after.find(';').unwrap_or(after.len());
            let (value, rest) = after.split_at(end);
            (value.trim_end().to_owned(), rest)
        }
    };
    if !after.starts_with('"') && !is_token(&value) {
        return Err(MediaProblem::Parameter);
    }
    let rest = rest.trim_start();
    match rest.strip_prefix(';') {
        Some(more) => Ok((name.to_ascii_lowercase(), value, Some(more))),
        None if rest.is_empty() => Ok((name.to_ascii_lowercase(), value, None)),
        None => Err(MediaProblem::Parameter),
    }
}

/// The text up to the closing quote, and what follows it.
fn unquote(text: &str) -> Result<(String, &str), MediaProblem> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((value, text.get(at + 1..).unwrap_or_default())),
            '\\' => value.push(chars.next().ok_or(MediaProblem::Quote)?.1),
            c => value.push(c),
        }
    }
    Err(MediaProblem::Quote)
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = crate::apps::MIME_TYPE;

    fn is_app(text: &str) -> bool {
        MediaType::parse(text).is_ok_and(|media| media.is(APP))
    }

    #[test]
    fn spelling_does_not_matter() {
        for text in [
            "text/html;profile=mcp-app",
            "text/html; profile=mcp-app",
            "text/html ;\tprofile=\"mcp-app\"",
            "TEXT/HTML;Profile=mcp-app",
            "text/html;profile=\"mcp\\-app\";",
            " text/html;profile=mcp-app ",
        ] {
            assert!(is_app(text), "{text}");
        }
    }

    #[test]
    fn meaning_does() {
        for text in [
            "text/html",
            "text/plain;profile=mcp-app",
            "text/html;profile=MCP-App",
            "text/html;profile=mcp-app;charset=utf-8",
            "text/html+skybridge",
        ] {
            assert!(!is_app(text), "{text}");
        }
        let one = MediaType::parse("a/b;x=1;y=2").unwrap();
        assert!(one.is("a/b; Y=2; X=1") && !one.is("a/b;x=1") && !one.is("a/b;x=1;z=2"));
    }

    #[test]
    fn malformed_types_say_why() {
        for (text, problem) in [
            ("", MediaProblem::Essence),
            ("text", MediaProblem::Essence),
            ("text/", MediaProblem::Essence),
            ("te xt/html", MediaProblem::Essence),
            ("text/html;profile", MediaProblem::Parameter),
            ("text/html;profile =a", MediaProblem::Parameter),
            ("text/html;profile=", MediaProblem::Parameter),
            ("text/html;profile=a b", MediaProblem::Parameter),
            ("text/html;profile=\"a\"b", MediaProblem::Parameter),
            ("text/html;profile=\"a", MediaProblem::Quote),
            ("text/html;a=1;A=2", MediaProblem::Twice),
        ] {
            assert_eq!(MediaType::parse(text), Err(problem), "{text}");
        }
    }

    #[test]
    fn types_print_in_one_spelling() {
        let media = MediaType::parse("Text/HTML; Profile=\"mcp-app\"; x=\"a \\\"b\\\"\"").unwrap();
        assert_eq!(media.to_string(), "text/html;profile=mcp-app;x=\"a \\\"b\\\"\"");
        assert_eq!(media.essence(), "text/html");
        assert!(media.is(&media.to_string()));
    }
}
