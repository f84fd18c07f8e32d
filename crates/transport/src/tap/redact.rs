//! Removes secrets from a record: known values ([`Secrets`]), and those that headers and URLs bring on the way.

use std::borrow::Cow;

use bytes::Bytes;
use wire::{Direction, Entry, What};

use crate::client::Target;
use crate::secrets::origin::{is_harmless_header, is_worth_learning, with_bare};
use crate::secrets::{HIDDEN, Secrets, is_secret_name, merge_spans, replace};

/// Removes secrets from entries before they are written.
#[derive(Debug, Default)]
pub struct Redactor {
    lifted: bool,
    /// Whether the requests come from another client, whose headers may hold anything.
    are_foreign: bool,
    secrets: Secrets,
    /// The values that headers brought. They are separate because they grow during a session.
    learnt: Secrets,
    /// The ids of HTTP sessions, in the order of appearance.
    sessions: Vec<String>,
}

impl Redactor {
    /// Hides the secrets of the target, and values that headers and URLs name as secret.
    pub fn for_target(target: &Target) -> Self {
        Self { lifted: target.shows_secrets(), secrets: target.secrets(), ..Self::default() }
    }

    /// The same for requests of another client: all headers are hidden that are not known to be harmless.
    #[must_use]
    pub fn for_foreign_requests(target: &Target) -> Self {
        Self { are_foreign: true, ..Self::for_target(target) }
    }

    /// The entry without secrets.
    pub fn entry(&mut self, entry: Entry) -> Entry {
        if self.lifted {
            return entry;
        }
        let bytes = match entry.what {
            What::Head => self.head(&entry.bytes, entry.direction),
            What::Event => addresses(&entry.bytes),
            What::Message | What::Noise | What::Stderr | What::End => None,
        };
        let bytes = bytes.unwrap_or(entry.bytes);
        let hidden = self.hidden(&bytes, entry.what == What::Message);
        Entry { bytes: hidden.unwrap_or(bytes), ..entry }
    }

    /// A text for humans without secrets.
    pub fn text(&self, text: &str) -> String {
        if self.lifted { text.to_owned() } else { self.learnt.hide(&self.secrets.hide(text)).into_owned() }
    }

    fn learn(&mut self, secret: &str) {
        self.learnt = self.learnt.with(with_bare(secret));
    }

    /// A head without the values of headers that are secrets.
    fn head(&mut self, head: &[u8], direction: Direction) -> Option<Bytes> {
        let text = std::str::from_utf8(head).ok()?;
        let mut lines = text.split_inclusive('\n');
        let mut shown = match lines.next() {
            Some(start) => String::from_utf8(hide_parameters(start)).ok()?,
            None => String::new(),
        };
        for line in lines {
            shown.push_str(&self.header(line, direction));
        }
        Some(shown.into())
    }

    fn header<'l>(&mut self, line: &'l str, direction: Direction) -> Cow<'l, str> {
        let Some((name, rest)) = line.split_once(':') else { return Cow::Borrowed(line) };
        let value = rest.trim();
        let shown = match name.trim().to_ascii_lowercase().as_str() {
            "mcp-session-id" => self.session(value),
            "authorization" | "proxy-authorization" => {
                let (scheme, token) = value.split_once(' ').unwrap_or(("", value));
                self.learn(token.trim());
                format!("{scheme} {HIDDEN}").trim_start().to_owned()
            }
            "cookie" | "set-cookie" => {
                cookie_values(value).for_each(|value| self.learn(value));
                HIDDEN.to_owned()
            }
            // These name the authentication scheme, not the credential.
            "www-authenticate" | "proxy-authenticate" | "location" => {
                String::from_utf8(hide_parameters(value)).unwrap_or_default()
            }
            other if is_secret_name(other) => {
                self.learn(value);
                HIDDEN.to_owned()
            }
            other if self.are_foreign && direction == Direction::ToServer && !is_harmless_header(other) => {
                if is_worth_learning(value) {
                    self.learn(value);
                }
                HIDDEN.to_owned()
            }
            _ => return Cow::Borrowed(line),
        };
        Cow::Owned(line.replacen(value, &shown, usize::from(!value.is_empty())))
    }

    /// An alias for a session id, which grants no access.
    fn session(&mut self, id: &str) -> String {
        let known = self.sessions.iter().position(|known| known == id);
        let number = known.unwrap_or_else(|| {
            self.sessions.push(id.to_owned());
            self.learn(id);
            self.sessions.len() - 1
        });
        format!("session-{}", number + 1)
    }

    /// The bytes without known secrets; `None` when they hold none. In a message only strings are changed.
    fn hidden(&self, bytes: &[u8], message: bool) -> Option<Bytes> {
        let found = [self.secrets.find(bytes), self.learnt.find(bytes)].concat();
        let mut found = merge_spans(found, bytes);
        if message && !found.is_empty() && matches!(bytes.first(), Some(b'{' | b'[')) {
            let strings = strings(bytes);
            found.retain(|span| inside(&strings, span.start));
        }
        (!found.is_empty()).then(|| replace(bytes, &found).into())
    }
}

/// The values of cookies, without the attributes.
fn cookie_values(header: &str) -> impl Iterator<Item = &str> {
    const COOKIE_ATTRIBUTES: [&str; 7] =
        ["path", "domain", "expires", "max-age", "samesite", "version", "priority"];
    let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
    let values = pairs.filter(|(name, _)| !COOKIE_ATTRIBUTES.contains(&name.to_ascii_lowercase().as_str()));
    values.map(|(_, value)| value).filter(|value| is_worth_learning(value))
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

/// The text, with the values of query parameters hidden in all URLs.
fn hide_parameters(text: &str) -> Vec<u8> {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['?', '&']) {
        let (before, parameter) = rest.split_at(at + 1);
        shown.push_str(before);
        let end = parameter.find(['&', ' ', '"', '\r', '\n', '#']).unwrap_or(parameter.len());
        match parameter[..end].split_once('=').filter(|(name, _)| is_parameter(name)) {
            Some((name, _)) => {
                shown.push_str(name);
                shown.push('=');
                shown.push_str(HIDDEN);
            }
            None => shown.push_str(&parameter[..end]),
        }
        rest = &parameter[end..];
    }
    shown.push_str(rest);
    shown.into_bytes()
}

fn is_parameter(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-[]%".contains(c))
}

fn addresses(bytes: &[u8]) -> Option<Bytes> {
    std::str::from_utf8(bytes).ok().map(|text| hide_parameters(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn shown(redactor: &mut Redactor, what: What, text: &str) -> String {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        let entry = Entry { at: Duration::ZERO, direction: Direction::ToServer, what, exchange: 1, bytes };
        String::from_utf8(redactor.entry(entry).bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_token_is_hidden_where_it_stands_and_wherever_it_is_repeated() {
        let mut redactor = Redactor::default();
        let head = "POST /mcp?api_key=k1k1&page=2 HTTP/1.1\r\nAuthorization: Bearer abc.def\r\nCookie: a=b\r\n\
                    X-Api-Key: zzzzz\r\nMcp-Session-Id: 0f0f0f\r\nAccept: */*\r\n\r\n";
        assert_eq!(
            shown(&mut redactor, What::Head, head),
            "POST /mcp?api_key=***&page=*** HTTP/1.1\r\nAuthorization: Bearer ***\r\nCookie: ***\r\n\
             X-Api-Key: ***\r\nMcp-Session-Id: session-1\r\nAccept: */*\r\n\r\n"
        );
        let echo = r#"{"id":1,"result":"abc.def, zzzzz and 0f0f0f"}"#;
        assert_eq!(shown(&mut redactor, What::Message, echo), r#"{"id":1,"result":"***, *** and ***"}"#);
        let other = shown(&mut redactor, What::Head, "HTTP/1.1 200 OK\r\nmcp-session-id: 1111\r\n\r\n");
        assert!(other.contains("mcp-session-id: session-2"), "{other}");
    }

    #[test]
    fn what_a_stranger_sends_in_a_header_of_its_own_is_hidden() {
        let head = "POST /mcp HTTP/1.1\r\nX-Tenant: acme-corporation\r\nX-Access-Key: zzzzz\r\nMcp-Method: tools/list\r\n\r\n";
        let mut redactor = Redactor { are_foreign: true, ..Redactor::default() };
        let hidden =
            "POST /mcp HTTP/1.1\r\nX-Tenant: ***\r\nX-Access-Key: ***\r\nMcp-Method: tools/list\r\n\r\n";
        assert_eq!(shown(&mut redactor, What::Head, head), hidden);
        assert_eq!(shown(&mut redactor, What::Stderr, "for acme-corporation"), "for ***");
        let ours = shown(&mut Redactor::default(), What::Head, head);
        assert!(ours.contains("X-Tenant: acme-corporation") && ours.contains("X-Access-Key: ***"), "{ours}");
    }

    #[test]
    fn a_number_that_resembles_a_secret_stays() {
        let mut redactor = Redactor::default();
        redactor.learn("123456");
        let message = r#"{"id":123456,"result":{"a\"":"x123456"}}"#;
        assert_eq!(shown(&mut redactor, What::Message, message), r#"{"id":123456,"result":{"a\"":"x***"}}"#);
        assert_eq!(shown(&mut redactor, What::Stderr, "pin 123456"), "pin ***");
    }

    #[test]
    fn the_way_in_is_shown_and_the_endpoint_is_not() {
        let mut redactor = Redactor::default();
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"x\"\r\n\r\n";
        assert_eq!(shown(&mut redactor, What::Head, head), head);
        let event = "event: endpoint\ndata: /messages?sessionId=77\n\n";
        assert_eq!(
            shown(&mut redactor, What::Event, event),
            "event: endpoint\ndata: /messages?sessionId=***\n\n"
        );
    }

    #[test]
    fn lifted_it_shows_all() {
        let mut lifted = Redactor { lifted: true, ..Redactor::default() };
        let head = "GET / HTTP/1.1\r\nauthorization: Bearer abc\r\n\r\n";
        assert_eq!(shown(&mut lifted, What::Head, head), head);
    }
}
