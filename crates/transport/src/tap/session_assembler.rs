//! Turns notes into the entries of sessions.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use wire::recording::Medium;
use wire::{Direction, Entry, What};

use super::body::Body;
use super::lines::ProcessLines;
use super::note::{Note, Piece};
use super::sessions::{Sessions, TappedRequest};

/// Pieces that are complete.
pub(super) type EntryParts = Vec<(What, Bytes)>;

/// The session of exchanges that carry no messages: metadata, tokens, favicons.
pub(super) const NO_SESSION: usize = usize::MAX;

/// Collects notes until entries are complete.
#[derive(Debug)]
pub(super) enum SessionAssembler {
    Stdio(Box<ProcessLines>),
    Http(Exchanges),
}

/// An entry and the session that it belongs to.
#[derive(Debug)]
pub(super) struct SessionEntry {
    pub(super) session: usize,
    pub(super) medium: Option<Medium>,
    pub(super) entry: Entry,
}

/// The HTTP exchanges that are under way.
#[derive(Debug)]
pub(super) struct Exchanges {
    /// The path that messages are posted to.
    endpoint: String,
    sessions: Sessions,
    open: HashMap<u32, Exchange>,
}

#[derive(Debug)]
struct Exchange {
    asked: TappedRequest,
    /// Entries whose session is not known yet.
    waiting: Vec<Entry>,
    sent: Option<Body>,
    got: Option<Body>,
    session: Option<usize>,
}

impl SessionAssembler {
    pub(super) fn new(endpoint: Option<&str>) -> Self {
        match endpoint {
            None => Self::Stdio(Box::new(ProcessLines::new())),
            Some(path) => Self::Http(Exchanges {
                endpoint: path.to_owned(),
                sessions: Sessions::default(),
                open: HashMap::new(),
            }),
        }
    }

    /// Adds a note, and returns the entries that are complete.
    pub(super) fn add_note(&mut self, note: Note, at: Duration) -> Vec<SessionEntry> {
        let (direction, exchange) = (note.direction, note.exchange);
        let entry = |(what, bytes)| Entry { at, direction, what, exchange, bytes };
        match self {
            Self::Stdio(streams) => {
                let pieces = streams.add_piece(direction, note.piece).into_iter();
                let filed = |entry| SessionEntry { session: 0, medium: Some(Medium::Stdio), entry };
                pieces.map(entry).map(filed).collect()
            }
            Self::Http(exchanges) => exchanges.add_note(note, entry),
        }
    }

    /// Ends everything, and returns the entries that were not complete.
    pub(super) fn finish(&mut self, at: Duration) -> Vec<SessionEntry> {
        let ends = |exchange| {
            [Direction::ToServer, Direction::ToClient].map(|direction| Note {
                at: std::time::Instant::now(),
                direction,
                exchange,
                piece: Piece::End(None),
            })
        };
        let open: Vec<u32> = match self {
            Self::Stdio(_) => vec![0],
            Self::Http(exchanges) => exchanges.open.keys().copied().collect(),
        };
        open.into_iter().flat_map(ends).flat_map(|note| self.add_note(note, at)).collect()
    }
}

impl Exchanges {
    fn add_note(&mut self, note: Note, entry: impl Fn((What, Bytes)) -> Entry) -> Vec<SessionEntry> {
        let number = note.exchange;
        let filed = match note.direction {
            Direction::ToServer => self.add_request_piece(number, note.piece, entry),
            Direction::ToClient => self.add_response_piece(number, note.piece, entry),
        };
        let over = |exchange: &Exchange| {
            exchange.sent.is_none() && exchange.got.is_none() && exchange.session.is_some()
        };
        if note.direction == Direction::ToClient && self.open.get(&number).is_some_and(over) {
            self.open.remove(&number);
        }
        filed
    }

    fn add_request_piece(
        &mut self,
        number: u32,
        piece: Piece,
        entry: impl Fn((What, Bytes)) -> Entry,
    ) -> Vec<SessionEntry> {
        if let Piece::Head(head) = piece {
            let asked = read_request_head(&head);
            let ours = is_path(&self.endpoint, &asked.path) || self.sessions.is_post_path(&asked.path);
            let sent = Some(if ours { Body::for_media_type(&media_type(&head)) } else { Body::Foreign });
            let session = (!ours).then_some(NO_SESSION);
            let waiting = vec![entry((What::Head, head))];
            self.open.insert(number, Exchange { asked, waiting, sent, got: None, session });
            return if ours { Vec::new() } else { self.release_waiting(number) };
        }
        let Some(exchange) = self.open.get_mut(&number) else { return Vec::new() };
        let Some(body) = &mut exchange.sent else { return Vec::new() };
        match piece {
            Piece::Bytes(bytes) => {
                let pieces = body.push(&bytes);
                exchange.waiting.extend(pieces.into_iter().map(entry));
                Vec::new()
            }
            Piece::End(how) => {
                let pieces = exchange.sent.take().map(|body| body.finish(how.is_some())).unwrap_or_default();
                exchange.waiting.extend(pieces.into_iter().map(entry));
                self.release_waiting(number)
            }
            Piece::Head(_) | Piece::Stderr(_) => Vec::new(),
        }
    }

    fn add_response_piece(
        &mut self,
        number: u32,
        piece: Piece,
        entry: impl Fn((What, Bytes)) -> Entry,
    ) -> Vec<SessionEntry> {
        // A response may come before its request has ended. By then the session is known.
        let mut filed = self.release_waiting(number);
        let Some(exchange) = self.open.get_mut(&number) else { return filed };
        let session = exchange.session.unwrap_or(NO_SESSION);
        let pieces = match piece {
            Piece::Head(head) => {
                let aside = session == NO_SESSION;
                exchange.got =
                    Some(if aside { Body::Foreign } else { Body::for_media_type(&media_type(&head)) });
                if let Some(id) = header(&head, "mcp-session-id").filter(|_| !aside) {
                    self.sessions.set_id(session, &id);
                }
                vec![(What::Head, head)]
            }
            Piece::Bytes(bytes) => exchange.got.as_mut().map(|body| body.push(&bytes)).unwrap_or_default(),
            Piece::End(how) => {
                let last = exchange.got.take().map(|body| body.finish(how.is_some())).unwrap_or_default();
                exchange.sent = None;
                last.into_iter().chain(how.map(|how| (What::End, Bytes::from(how)))).collect()
            }
            Piece::Stderr(_) => Vec::new(),
        };
        let base = exchange.asked.path.clone();
        for (what, bytes) in pieces {
            if let Some(place) = (what == What::Event).then(|| endpoint_of(&bytes)).flatten() {
                self.sessions.add_post_path(session, &base, &place);
            }
            filed.push(self.file_entry(session, entry((what, bytes))));
        }
        filed
    }

    /// The entries that waited until their session is known.
    fn release_waiting(&mut self, number: u32) -> Vec<SessionEntry> {
        let Some(exchange) = self.open.get_mut(&number) else { return Vec::new() };
        let waiting = std::mem::take(&mut exchange.waiting);
        let body = waiting.iter().find(|entry| entry.what == What::Message);
        let body = body.map(|entry| entry.bytes.clone()).unwrap_or_default();
        let session = match exchange.session {
            Some(session) => session,
            None => self.sessions.find_session(&exchange.asked, &body),
        };
        exchange.session = Some(session);
        waiting.into_iter().map(|entry| self.file_entry(session, entry)).collect()
    }

    fn file_entry(&self, session: usize, entry: Entry) -> SessionEntry {
        SessionEntry { session, medium: self.sessions.medium(session), entry }
    }
}

fn is_path(endpoint: &str, path: &str) -> bool {
    path.split('?').next() == Some(endpoint)
}

fn read_request_head(head: &[u8]) -> TappedRequest {
    let text = String::from_utf8_lossy(head);
    let mut start = text.lines().next().unwrap_or_default().split(' ').map(str::to_owned);
    TappedRequest {
        verb: start.next().unwrap_or_default(),
        path: start.next().unwrap_or_default(),
        session_id: header(head, "mcp-session-id"),
        protocol: header(head, "mcp-protocol-version"),
    }
}

fn header(head: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let mut headers = text.lines().skip(1).filter_map(|line| line.split_once(':'));
    headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
}

fn media_type(head: &[u8]) -> String {
    let value = header(head, "content-type").unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The path that an `endpoint` event names.
fn endpoint_of(event: &[u8]) -> Option<String> {
    let mut events = wire::sse::Events::new(event.len());
    events.push(event);
    let event = events.next()?;
    (event.event.as_deref() == Some("endpoint")).then_some(event.data).flatten()
}
