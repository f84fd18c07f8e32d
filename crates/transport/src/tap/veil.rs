//! What keeps secrets out of a record: names that mark them, values that are known, and values learnt on the way.

use std::borrow::Cow;

use bytes::Bytes;
use memchr::memmem;
use wire::{Entry, What};

use crate::client::Target;
use crate::client::redact::{HIDDEN, is_secret_name};

/// Secrets of fewer bytes would hide half of any text.
const SHORTEST: usize = 4;
/// What the environment calls a secret may also be a word; only what is long enough to be one is taken for it.
const SHORTEST_VARIABLE: usize = 8;

/// Takes secrets out of entries before they are written.
#[derive(Debug, Default)]
pub struct Veil {
    lifted: bool,
    secrets: Vec<String>,
    /// The ids of HTTP sessions, in the order of their appearance.
    sessions: Vec<String>,
}

impl Veil {
    /// Hides what the target is known to keep secret, and what headers and addresses name as such.
    pub fn of(target: &Target) -> Self {
        let mut veil = Self::default();
        target.secrets().iter().for_each(|secret| veil.learn(secret));
        veil
    }

    /// The same, and what this process's environment names as secret: a child inherits it.
    #[must_use]
    pub fn with_environment(mut self) -> Self {
        for (name, value) in std::env::vars() {
            let a_place = value.starts_with(['/', '.']) || name.contains("SESSION");
            if is_secret_name(&name) && !a_place && value.len() >= SHORTEST_VARIABLE {
                self.learn(&value);
            }
        }
        self
    }

    /// Hides nothing.
    pub const fn lifted() -> Self {
        Self { lifted: true, secrets: Vec::new(), sessions: Vec::new() }
    }

    /// The entry without secrets.
    pub fn entry(&mut self, entry: Entry) -> Entry {
        if self.lifted {
            return entry;
        }
        let bytes = match entry.what {
            What::Head => self.head(&entry.bytes),
            What::Event => addresses(&entry.bytes),
            What::Message | What::Noise | What::Stderr | What::End => None,
        };
        let bytes = bytes.unwrap_or(entry.bytes);
        let hidden = self.hidden(&bytes, entry.what == What::Message);
        Entry { bytes: hidden.unwrap_or(bytes), ..entry }
    }

    /// A text for humans without secrets.
    pub fn text(&self, text: &str) -> String {
        let hidden = self.hidden(text.as_bytes(), false);
        hidden.map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn learn(&mut self, secret: &str) {
        let quoted = serde_json::Value::from(secret).to_string();
        // Within a message it may stand as JSON spells it.
        for spelling in [secret, quoted.trim_matches('"')] {
            if spelling.len() >= SHORTEST && !self.secrets.iter().any(|known| known == spelling) {
                self.secrets.push(spelling.to_owned());
            }
        }
        // A secret within another must not show what is left of the longer one.
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// A head without the values of headers that are secrets.
    fn head(&mut self, head: &[u8]) -> Option<Bytes> {
        let text = std::str::from_utf8(head).ok()?;
        let mut lines = text.split_inclusive('\n');
        let mut shown = match lines.next() {
            Some(start) => String::from_utf8(addressed(start)).ok()?,
            None => String::new(),
        };
        for line in lines {
            shown.push_str(&self.header(line));
        }
        Some(shown.into())
    }

    fn header<'l>(&mut self, line: &'l str) -> Cow<'l, str> {
        let Some((name, rest)) = line.split_once(':') else { return Cow::Borrowed(line) };
        let value = rest.trim();
        let shown = match name.trim().to_ascii_lowercase().as_str() {
            "mcp-session-id" => self.session(value),
            "authorization" | "proxy-authorization" => {
                let (scheme, token) = value.split_once(' ').unwrap_or(("", value));
                self.learn(token.trim());
                format!("{scheme} {HIDDEN}").trim_start().to_owned()
            }
            "cookie" | "set-cookie" => HIDDEN.to_owned(),
            // These say how to get in, not with what.
            "www-authenticate" | "proxy-authenticate" | "location" => {
                String::from_utf8(addressed(value)).unwrap_or_default()
            }
            other if is_secret_name(other) => {
                self.learn(value);
                HIDDEN.to_owned()
            }
            _ => return Cow::Borrowed(line),
        };
        Cow::Owned(line.replacen(value, &shown, usize::from(!value.is_empty())))
    }

    /// A name for a session id that tells it from others and opens nothing.
    fn session(&mut self, id: &str) -> String {
        let known = self.sessions.iter().position(|known| known == id);
        let number = known.unwrap_or_else(|| {
            self.sessions.push(id.to_owned());
            self.learn(id);
            self.sessions.len() - 1
        });
        format!("session-{}", number + 1)
    }

    /// The bytes without known secrets; `None` when there are none in them. In a message only strings are touched.
    fn hidden(&self, bytes: &[u8], message: bool) -> Option<Bytes> {
        let mut shown: Option<Vec<u8>> = None;
        for secret in &self.secrets {
            let text = shown.as_deref().unwrap_or(bytes);
            let found: Vec<usize> = memmem::find_iter(text, secret.as_bytes()).collect();
            if found.is_empty() {
                continue;
            }
            let strings = (message && matches!(text.first(), Some(b'{' | b'['))).then(|| strings(text));
            let within = |at: usize| strings.as_ref().is_none_or(|spans| inside(spans, at));
            let found: Vec<usize> = found.into_iter().filter(|at| within(*at)).collect();
            shown = Some(without(text, &found, secret.len()));
        }
        shown.map(Into::into)
    }
}

fn without(text: &[u8], found: &[usize], length: usize) -> Vec<u8> {
    let mut shown = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in found {
        shown.extend_from_slice(&text[from..*at]);
        shown.extend_from_slice(HIDDEN.as_bytes());
        from = at + length;
    }
    shown.extend_from_slice(&text[from..]);
    shown
}

/// Where the strings of a JSON text begin and end.
fn strings(json: &[u8]) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut open = None;
    let mut escaped = false;
    for (at, byte) in json.iter().enumerate() {
        match (open, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(from), b'"') => {
                spans.push((from, at));
                open = None;
            }
            (None, b'"') => open = Some(at),
            _ => {}
        }
    }
    spans
}

fn inside(spans: &[(usize, usize)], at: usize) -> bool {
    let next = spans.partition_point(|(from, _)| *from < at);
    next > 0 && at < spans[next - 1].1
}

/// Text in which addresses have lost the values of parameters that look secret.
fn addressed(text: &str) -> Vec<u8> {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['?', '&']) {
        let (before, parameter) = rest.split_at(at + 1);
        shown.push_str(before);
        let end = parameter.find(['&', ' ', '"', '\r', '\n', '#']).unwrap_or(parameter.len());
        match parameter[..end].split_once('=') {
            Some((name, _)) if is_secret_name(name) => {
                shown.push_str(name);
                shown.push('=');
                shown.push_str(HIDDEN);
            }
            _ => shown.push_str(&parameter[..end]),
        }
        rest = &parameter[end..];
    }
    shown.push_str(rest);
    shown.into_bytes()
}

fn addresses(bytes: &[u8]) -> Option<Bytes> {
    std::str::from_utf8(bytes).ok().map(|text| addressed(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use wire::Direction;

    fn shown(veil: &mut Veil, what: What, text: &str) -> String {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        let entry = Entry { at: Duration::ZERO, direction: Direction::ToServer, what, exchange: 1, bytes };
        String::from_utf8(veil.entry(entry).bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_token_is_hidden_where_it_stands_and_wherever_it_is_repeated() {
        let mut veil = Veil::default();
        let head = "POST /mcp?api_key=k1k1&page=2 HTTP/1.1\r\nAuthorization: Bearer abc.def\r\nCookie: a=b\r\n\
                    X-Api-Key: zzzzz\r\nMcp-Session-Id: 0f0f0f\r\nAccept: */*\r\n\r\n";
        assert_eq!(
            shown(&mut veil, What::Head, head),
            "POST /mcp?api_key=***&page=2 HTTP/1.1\r\nAuthorization: Bearer ***\r\nCookie: ***\r\n\
             X-Api-Key: ***\r\nMcp-Session-Id: session-1\r\nAccept: */*\r\n\r\n"
        );
        let echo = r#"{"id":1,"result":"abc.def, zzzzz and 0f0f0f"}"#;
        assert_eq!(shown(&mut veil, What::Message, echo), r#"{"id":1,"result":"***, *** and ***"}"#);
        let other = shown(&mut veil, What::Head, "HTTP/1.1 200 OK\r\nmcp-session-id: 1111\r\n\r\n");
        assert!(other.contains("mcp-session-id: session-2"), "{other}");
    }

    #[test]
    fn a_number_that_resembles_a_secret_stays() {
        let mut veil = Veil::default();
        veil.learn("12345");
        let message = r#"{"id":12345,"result":{"a\"":"x12345"}}"#;
        assert_eq!(shown(&mut veil, What::Message, message), r#"{"id":12345,"result":{"a\"":"x***"}}"#);
        assert_eq!(shown(&mut veil, What::Stderr, "pin 12345"), "pin ***");
    }

    #[test]
    fn the_way_in_is_shown_and_the_endpoint_is_not() {
        let mut veil = Veil::default();
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"x\"\r\n\r\n";
        assert_eq!(shown(&mut veil, What::Head, head), head);
        let event = "event: endpoint\ndata: /messages?sessionId=77\n\n";
        assert_eq!(
            shown(&mut veil, What::Event, event),
            "event: endpoint\ndata: /messages?sessionId=***\n\n"
        );
    }

    #[test]
    fn lifted_it_shows_all() {
        let head = "GET / HTTP/1.1\r\nauthorization: Bearer abc\r\n\r\n";
        assert_eq!(shown(&mut Veil::lifted(), What::Head, head), head);
    }
}
