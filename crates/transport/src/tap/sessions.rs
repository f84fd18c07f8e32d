//! Finds the session that an HTTP request belongs to. A tap sees many clients at once, and their request ids may
//! collide.

use std::collections::{HashMap, HashSet};

use protocol::{Era, Version, meta};
use serde_json::Value;
use url::Url;
use wire::recording::Medium;
use wire::{Frame, Id, Kind, Payload};

/// The sessions seen so far, as far as HTTP distinguishes them.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: Vec<TappedSession>,
    /// By `Mcp-Session-Id`.
    by_id: HashMap<String, usize>,
    /// By the path that an HTTP+SSE server told its client to post to.
    by_post: HashMap<String, usize>,
}

#[derive(Debug, Default)]
struct TappedSession {
    /// The era of the requests without a session id that may belong to it.
    loose: Option<Era>,
    /// The ids of its requests.
    ids: HashSet<Id>,
    medium: Option<Medium>,
}

/// The part of a request that decides on its session.
#[derive(Debug, Default)]
pub(super) struct TappedRequest {
    pub(super) verb: String,
    /// Path and query.
    pub(super) path: String,
    pub(super) session_id: Option<String>,
    pub(super) protocol: Option<String>,
}

impl Sessions {
    /// The session of a request with that body.
    pub(super) fn find_session(&mut self, asked: &TappedRequest, body: &[u8]) -> usize {
        let frames = frames(body);
        let found = self.find_named(asked).unwrap_or_else(|| self.find_unnamed(asked, &frames));
        let requests = frames.iter().filter(|frame| frame.kind() == Kind::Request);
        self.known[found].ids.extend(requests.filter_map(Frame::id));
        found
    }

    /// Whether a path is one that messages are posted to, besides the endpoint itself.
    pub(super) fn is_post_path(&self, path: &str) -> bool {
        self.by_post.contains_key(path)
    }

    /// The transport of a session, as far as it is known.
    pub(super) fn medium(&self, session: usize) -> Option<Medium> {
        self.known.get(session).and_then(|known| known.medium)
    }

    /// Notes the id that a response gave the session.
    pub(super) fn set_id(&mut self, session: usize, id: &str) {
        if !self.by_id.contains_key(id) {
            self.by_id.insert(id.to_owned(), session);
            self.known[session].loose = None;
        }
    }

    /// Notes the path that an HTTP+SSE server told its client to post to.
    pub(super) fn add_post_path(&mut self, session: usize, base: &str, place: &str) {
        let root = Url::parse("http://tap.invalid").and_then(|root| root.join(base));
        let Ok(url) = root.and_then(|root| root.join(place.trim())) else { return };
        let path =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        self.by_post.insert(path, session);
        self.known[session].medium = Some(Medium::HttpSse);
    }

    fn find_named(&mut self, asked: &TappedRequest) -> Option<usize> {
        if let Some(id) = &asked.session_id {
            let found = self.by_id.get(id).copied();
            return Some(found.unwrap_or_else(|| {
                let session = self.begin(None, Some(Medium::Http));
                self.by_id.insert(id.clone(), session);
                session
            }));
        }
        self.by_post.get(&asked.path).copied()
    }

    fn find_unnamed(&mut self, asked: &TappedRequest, frames: &[Frame<'_>]) -> usize {
        if asked.verb == "GET" {
            // A stream of a server without session ids, or the beginning of HTTP+SSE. The first event decides.
            return self.newest(Era::Legacy, &[]).unwrap_or_else(|| self.begin(None, None));
        }
        let era = era(asked, frames);
        let ids: Vec<Id> =
            frames.iter().filter(|frame| frame.kind() == Kind::Request).filter_map(Frame::id).collect();
        let begins = frames.iter().any(|frame| frame.method().as_deref() == Some("initialize"));
        let found = if begins { None } else { self.newest(era, &ids) };
        found.unwrap_or_else(|| self.begin(Some(era), Some(Medium::Http)))
    }

    /// The newest session that a request with these ids may belong to: no client uses an id twice.
    fn newest(&self, era: Era, ids: &[Id]) -> Option<usize> {
        let fits =
            |known: &TappedSession| known.loose == Some(era) && !ids.iter().any(|id| known.ids.contains(id));
        self.known.iter().rposition(fits)
    }

    fn begin(&mut self, loose: Option<Era>, medium: Option<Medium>) -> usize {
        self.known.push(TappedSession { loose, ids: HashSet::new(), medium });
        self.known.len() - 1
    }
}

fn frames(body: &[u8]) -> Vec<Frame<'_>> {
    match Payload::parse(body) {
        Ok(Payload::Single(frame)) => vec![frame],
        Ok(Payload::Batch(items)) => items.into_iter().flatten().collect(),
        Err(_) => Vec::new(),
    }
}

fn era(asked: &TappedRequest, frames: &[Frame<'_>]) -> Era {
    let header = asked.protocol.as_deref().and_then(|text| text.parse::<Version>().ok());
    let named = frames.iter().any(|frame| {
        let params = frame.params.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        params.is_some_and(|params| params["_meta"].get(meta::PROTOCOL_VERSION).is_some())
    });
    if named { Era::Modern } else { header.map_or(Era::Legacy, Version::era) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(session_id: Option<&str>) -> TappedRequest {
        let session_id = session_id.map(str::to_owned);
        TappedRequest { verb: "POST".into(), path: "/mcp".into(), session_id, protocol: None }
    }

    const INITIALIZE: &[u8] = br#"{"id":0,"method":"initialize"}"#;

    #[test]
    fn two_clients_with_the_same_ids_are_told_apart() {
        let mut sessions = Sessions::default();
        let one = sessions.find_session(&post(None), INITIALIZE);
        let two = sessions.find_session(&post(None), INITIALIZE);
        sessions.set_id(one, "a");
        sessions.set_id(two, "b");
        assert_ne!(one, two);
        assert_eq!(sessions.find_session(&post(Some("a")), br#"{"id":1,"method":"ping"}"#), one);
        assert_eq!(sessions.find_session(&post(Some("b")), br#"{"id":1,"method":"ping"}"#), two);
        assert!(![one, two].contains(&sessions.find_session(&post(Some("foreign")), b"{}")));
    }

    #[test]
    fn without_session_ids_an_id_that_recurs_begins_another_session() {
        let mut sessions = Sessions::default();
        let modern = |id: u32| {
            format!(
                r#"{{"id":{id},"method":"tools/list","params":{{"_meta":{{"{}":"2026-07-28"}}}}}}"#,
                meta::PROTOCOL_VERSION
            )
        };
        let one = sessions.find_session(&post(None), modern(1).as_bytes());
        assert_eq!(sessions.find_session(&post(None), modern(2).as_bytes()), one);
        let two = sessions.find_session(&post(None), modern(1).as_bytes());
        assert_ne!(one, two);
        let legacy = sessions.find_session(&post(None), INITIALIZE);
        assert_eq!(sessions.find_session(&post(None), br#"{"id":1,"method":"ping"}"#), legacy);
        assert_eq!(sessions.find_session(&post(None), br#"{"method":"notifications/x"}"#), legacy);
    }

    #[test]
    fn posts_of_http_sse_belong_to_their_stream() {
        let mut sessions = Sessions::default();
        let get = TappedRequest { verb: "GET".into(), path: "/sse".into(), ..TappedRequest::default() };
        let (one, two) = (sessions.find_session(&get, b""), sessions.find_session(&get, b""));
        assert_ne!(one, two);
        sessions.add_post_path(one, "/sse", "/messages?sessionId=1");
        sessions.add_post_path(two, "/sse", "messages?sessionId=2");
        let to = |path: &str| TappedRequest { path: path.into(), ..post(None) };
        assert_eq!(sessions.find_session(&to("/messages?sessionId=1"), INITIALIZE), one);
        assert_eq!(sessions.find_session(&to("/messages?sessionId=2"), INITIALIZE), two);
        assert_eq!(sessions.medium(one), Some(Medium::HttpSse));
        assert!(sessions.is_post_path("/messages?sessionId=1") && !sessions.is_post_path("/token"));
    }
}
