//! What was said, as a file: a recording of the sessions with the servers and with the views.

use std::collections::BTreeMap;

use bytes::Bytes;
use transport::client::Transport;
use transport::tap::Veil;
use wire::recording::{About, Medium, Tape, write};
use wire::{Entry as Line, What};

use crate::Shared;
use crate::http::{Response, attachment};
use crate::server::{Record, Server};
use crate::timeline::Entry;

/// All of it, or the session with one view.
pub(crate) fn download(shared: &Shared, view: Option<&str>) -> Response {
    let about = About { tool: Some(format!("yardstick {}", env!("CARGO_PKG_VERSION"))), ..About::default() };
    let mut file = write::header(&about);
    if view.is_none() {
        for server in shared.servers.iter() {
            for (at, record) in server.records().iter().enumerate() {
                file.extend_from_slice(&write::tape(&with_server(server, at, record)));
            }
        }
    }
    let mut entries = shared.timeline.entries();
    entries.iter_mut().for_each(|entry| entry.message = shared.feed.hidden(&entry.message));
    for tape in with_views(&entries, view).values() {
        file.extend_from_slice(&write::tape(tape));
    }
    attachment(file, "session.ndjson")
}

/// The messages of a session with a server; heads hold tokens, and are left out.
fn with_server(server: &Server, at: usize, record: &Record) -> Tape {
    let medium = match record.transport {
        Transport::Stdio | Transport::InProcess => Medium::Stdio,
        Transport::StreamableHttp => Medium::Http,
        Transport::HttpSse => Medium::HttpSse,
    };
    let name = format!("server {} {}", server.id, at + 1);
    let mut tape = Tape::new(name, Some(medium), Some(record.version.to_string()));
    let mut transcript = record.recorder.transcript();
    transcript.entries.retain(|entry| entry.what == What::Message);
    let mut veil = Veil::of(&server.target);
    transcript.entries = transcript.entries.into_iter().map(|entry| veil.entry(entry)).collect();
    tape.transcript = transcript;
    tape
}

/// The sessions with views, by name.
fn with_views(entries: &[Entry], wanted: Option<&str>) -> BTreeMap<String, Tape> {
    let mut tapes = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.server.is_none()) {
        let Some(view) = entry.view.as_deref().filter(|view| wanted.is_none_or(|wanted| wanted == *view))
        else {
            continue;
        };
        let name = format!("view {view}");
        let tape =
            tapes.entry(name.clone()).or_insert_with(|| Tape::new(name, Some(Medium::PostMessage), None));
        tape.transcript.entries.extend(line(entry));
    }
    tapes
}

fn line(entry: &Entry) -> Option<Line> {
    let (direction, exchange) = entry.from.way(entry.to)?.recorded();
    let bytes = Bytes::from(entry.message.to_string());
    Some(Line { at: entry.at, direction, what: What::Message, exchange, bytes })
}
