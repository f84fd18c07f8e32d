//! The recorded sessions with servers and Views as a file.

use std::collections::BTreeMap;

use bytes::Bytes;
use transport::tap::Redactor;
use wire::recording::{About, Medium, RecordedSession, write};
use wire::{Entry as Line, What};

use crate::Shared;
use crate::http::{Response, attachment};
use crate::server::{SessionRecord, SupervisedServer};
use crate::timeline::TimelineEntry;

/// The trace of all sessions, or of the session with one View.
pub(crate) fn download(shared: &Shared, view: Option<&str>) -> Response {
    let about = About { tool: Some(format!("yardstick {}", env!("CARGO_PKG_VERSION"))), ..About::default() };
    let mut file = write::header(&about);
    if view.is_none() {
        for server in shared.servers.iter() {
            for (at, record) in server.records().iter().enumerate() {
                file.extend_from_slice(&write::session(&with_server(server, at, record)));
            }
        }
    }
    for session in with_views(shared, view).values() {
        file.extend_from_slice(&write::session(session));
    }
    attachment(file, "session.ndjson")
}

/// The messages of one View so far.
pub(crate) fn of_view(shared: &Shared, view: &str) -> Option<RecordedSession> {
    with_views(shared, Some(view)).into_values().next()
}

/// The messages of a session with a server. HTTP headers may hold tokens and are left out.
fn with_server(server: &SupervisedServer, at: usize, record: &SessionRecord) -> RecordedSession {
    let name = format!("server {} {}", server.id, at + 1);
    let mut session =
        RecordedSession::new(name, Some(record.transport.medium()), Some(record.version.to_string()));
    let mut transcript = record.recorder.transcript();
    transcript.entries.retain(|entry| entry.what == What::Message);
    let mut redactor = Redactor::for_target(&server.target);
    transcript.entries = transcript.entries.into_iter().map(|entry| redactor.entry(entry)).collect();
    session.transcript = transcript;
    session.dropped = record.recorder.dropped() as u64;
    session
}

/// The sessions with Views, by name.
fn with_views(shared: &Shared, wanted: Option<&str>) -> BTreeMap<String, RecordedSession> {
    let kept = shared.timeline.kept_messages();
    let mut sessions = BTreeMap::new();
    for entry in kept.entries.iter().filter(|entry| wanted.is_none_or(|view| view == entry.view)) {
        let name = format!("view {}", entry.view);
        let session = sessions.entry(name.clone()).or_insert_with(|| RecordedSession {
            dropped: kept.dropped.get(&entry.view).copied().unwrap_or_default(),
            ..RecordedSession::new(name, Some(Medium::PostMessage), None)
        });
        session.transcript.entries.extend(line(shared, entry));
    }
    sessions
}

fn line(shared: &Shared, entry: &TimelineEntry) -> Option<Line> {
    let (direction, exchange) = entry.from.direction(entry.to)?.recorded();
    let bytes = Bytes::from(shared.feed.masked_json(&entry.message));
    Some(Line { at: entry.at, direction, what: What::Message, exchange, bytes })
}
