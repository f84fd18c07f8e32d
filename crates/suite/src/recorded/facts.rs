//! What a record tells about itself.

use protocol::{Version, meta};
use serde_json::Value;
use wire::recording::RecordedSession;
use wire::{Direction, Entry, Frame, Payload, What};

/// What a server takes for the revision of an HTTP request that names none.
const VERSION_WITHOUT_HEADER: Version = Version::V2025_03_26;

/// The revision that a session is in, or what keeps one from telling.
pub(super) fn version(session: &RecordedSession) -> Result<Version, String> {
    let named = session
        .protocol
        .iter()
        .cloned()
        .chain(agreed_version(session))
        .chain(claimed_versions(session))
        .chain(version_headers(session));
    let mut unknown = None;
    for name in named {
        match name.parse() {
            Ok(version) => return Ok(version),
            Err(_) => unknown = unknown.or(Some(name)),
        }
    }
    match unknown {
        Some(name) => Err(format!("is in `{name}`, which is not a known revision")),
        None if asked_over_http(session) => Ok(VERSION_WITHOUT_HEADER),
        None => Err("does not tell its revision".to_owned()),
    }
}

/// What a server calls itself.
pub(super) fn server_info(session: &RecordedSession) -> Option<Value> {
    results(session).find_map(|result| {
        let places = [&result["serverInfo"], &result["_meta"][meta::SERVER_INFO], &result["hostInfo"]];
        places.into_iter().find(|info| info.is_object()).cloned()
    })
}

/// What the server answered to `initialize`.
fn agreed_version(session: &RecordedSession) -> Option<String> {
    results(session).find_map(|result| {
        let shaken = result["capabilities"].is_object() || result["serverInfo"].is_object();
        result["protocolVersion"].as_str().filter(|_| shaken).map(str::to_owned)
    })
}

/// What the requests of the client say of themselves.
fn claimed_versions(session: &RecordedSession) -> impl Iterator<Item = String> + '_ {
    frames_sent(session, Direction::ToServer).filter_map(|frame| {
        let params: Value = serde_json::from_str(frame.params?.get()).ok()?;
        params["_meta"][meta::PROTOCOL_VERSION].as_str().map(str::to_owned)
    })
}

/// What the headers of the client say.
fn version_headers(session: &RecordedSession) -> impl Iterator<Item = String> + '_ {
    request_heads(session).filter_map(|entry| {
        let text = String::from_utf8_lossy(&entry.bytes);
        let mut headers = text.lines().filter_map(|line| line.split_once(':'));
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case("mcp-protocol-version"));
        found.map(|(_, value)| value.trim().to_owned())
    })
}

fn asked_over_http(session: &RecordedSession) -> bool {
    request_heads(session).next().is_some()
}

fn request_heads(session: &RecordedSession) -> impl Iterator<Item = &Entry> {
    let asked = |entry: &&Entry| entry.what == What::Head && entry.direction == Direction::ToServer;
    session.transcript.entries.iter().filter(asked)
}

fn results(session: &RecordedSession) -> impl Iterator<Item = Value> + '_ {
    frames_sent(session, Direction::ToClient)
        .filter_map(|frame| serde_json::from_str(frame.result?.get()).ok())
}

fn frames_sent(session: &RecordedSession, direction: Direction) -> impl Iterator<Item = Frame<'_>> {
    let entries = session.transcript.messages().filter(move |entry| entry.direction == direction);
    entries.flat_map(|entry| match Payload::parse(&entry.bytes) {
        Ok(Payload::Single(frame)) => vec![frame],
        Ok(Payload::Batch(items)) => items.into_iter().flatten().collect(),
        Err(_) => Vec::new(),
    })
}
