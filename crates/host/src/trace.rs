//! The timeline as a file: a recording of the sessions with the servers and with the views.

use std::collections::BTreeMap;

use bytes::Bytes;
use wire::recording::{About, Medium, Tape};
use wire::{Direction, Entry as Line, What};

use crate::Shared;
use crate::http::Response;
use crate::timeline::{Entry, Party};

/// All of it, or what concerns one view.
pub(crate) fn download(shared: &Shared, view: Option<&str>) -> Response {
    let entries = shared.timeline.entries();
    let wanted = entries.iter().filter(|entry| view.is_none() || entry.view.as_deref() == view);
    let file = recording(shared, wanted);
    crate::http::attachment(file, "session.ndjson")
}

fn recording<'e>(shared: &Shared, entries: impl Iterator<Item = &'e Entry>) -> Vec<u8> {
    let about = About { tool: Some(format!("yardstick {}", env!("CARGO_PKG_VERSION"))), ..About::default() };
    let mut tapes: BTreeMap<String, Tape> = BTreeMap::new();
    for entry in entries {
        if let Some((name, tape)) = place(shared, entry) {
            let lines = &mut tapes.entry(name).or_insert(tape).transcript.entries;
            lines.extend(line(entry));
        }
    }
    let mut file = wire::recording::write::header(&about);
    for tape in tapes.values() {
        file.extend_from_slice(&wire::recording::write::tape(tape));
    }
    file
}

/// The session that a message belongs to.
fn place(shared: &Shared, entry: &Entry) -> Option<(String, Tape)> {
    match (&entry.server, &entry.view) {
        (Some(server), _) => {
            let protocol = shared.servers.named(server)?.now().protocol.clone();
            let name = format!("server {server}");
            Some((name.clone(), Tape::new(name, Some(Medium::Stdio), Some(protocol))))
        }
        (None, Some(view)) => {
            let name = format!("view {view}");
            Some((name.clone(), Tape::new(name, Some(Medium::PostMessage), Some(protocol::apps::PROTOCOL_VERSION.to_owned()))))
        }
        (None, None) => None,
    }
}

fn line(entry: &Entry) -> Option<Line> {
    let direction = match (entry.from, entry.to) {
        (Party::View | Party::Proxy, _) | (Party::Host, Party::Server) => Direction::ToServer,
        (Party::Server, _) | (Party::Host, Party::View | Party::Proxy) => Direction::ToClient,
        (Party::Host | Party::Person, _) => return None,
    };
    let bytes = Bytes::from(entry.message.to_string());
    Some(Line { at: entry.at, direction, what: What::Message, exchange: 0, bytes })
}
