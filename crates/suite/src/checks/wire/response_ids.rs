//! The ids of responses: errors without their id, and integers that came back rounded.

use std::collections::{HashMap, HashSet, VecDeque};

use ::wire::{Entry, Frame, Id, Kind, Payload, What};
use protocol::{Era, Span, Version, code};
use server::fault::base as fault;
use transport::Transport;

use super::http_exchange::{Exchange, exchanges};
use super::{answered_ids, cancelled, frames, requests};
use crate::wire_cx::is_proper;
use crate::{Applies, Check, Evidence, Excerpt, Finding, Run, Sides, Verdict, WireCx, advised, must};

pub(in crate::checks) const CHECKS: &[Check] = &[ERROR_ID, LARGE_ID];

const FIRST: Span = Span::only(Version::V2024_11_05);
const MIDDLE: Span = Span::between(Version::V2025_03_26, Version::V2025_06_18);

/// An error must have the id of its request. Since 2025-11-25 it may lack it if the id could not be read from a
/// malformed request.
pub(crate) const ERROR_ID: Check = Check {
    id: "wire/jsonrpc/error-id-present",
    title: "an error has the id of the request that it refuses",
    cites: &[
        must("basic/messages#responses", FIRST),
        must("basic/index#responses", MIDDLE),
        must("basic/index#error-responses", Span::since(Version::V2025_11_25)),
    ],
    aliases: &[],
    why: "without the id no client can tell which of its requests failed, and the request hangs",
    fix: "keep the id as soon as the message is parsed; leave it out only if it could not be read",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, error_id),
    fault: &fault::ERROR_ID_LOST,
};

fn error_id(cx: &WireCx<'_>) -> Verdict {
    match cx.transport {
        Transport::StreamableHttp => on_exchanges(cx),
        Transport::Stdio | Transport::HttpSse => on_channel(cx),
    }
}

/// Over HTTP a response belongs to the POST that it answers.
fn on_exchanges(cx: &WireCx<'_>) -> Verdict {
    for exchange in exchanges(cx) {
        let asked = exchange.posted();
        let [request] = &asked[..] else { continue };
        if request.kind() != Kind::Request || !is_readable(request) {
            continue;
        }
        for entry in &exchange.body {
            let lost = Frame::parse(&entry.bytes).is_ok_and(|frame| {
                frame.is_anonymous_error() && is_about_the_message(cx.version, &exchange, &frame)
            });
            if lost {
                return Err(exchange.violated(format!("id {}", name_request(request)), "an error without it"));
            }
        }
    }
    Ok(())
}

/// Whether an error answers the message, and is not a refusal by HTTP, which may come before the body is read.
fn is_about_the_message(version: Version, exchange: &Exchange<'_>, error: &Frame<'_>) -> bool {
    let code = error.error.and_then(::wire::members).and_then(|members| {
        members.iter().find(|(name, _)| name == "code").and_then(|(_, raw)| ::wire::integer(raw))
    });
    // With one of these codes, a server of the modern revision has read the message.
    let read = [
        code::METHOD_NOT_FOUND,
        code::INVALID_PARAMS,
        code::HEADER_MISMATCH,
        code::MISSING_REQUIRED_CLIENT_CAPABILITY,
        code::UNSUPPORTED_PROTOCOL_VERSION,
    ];
    let modern = version.era() == Era::Modern && code.is_some_and(|code| read.contains(&code));
    matches!(exchange.status(), 200..=299) || (modern && matches!(exchange.status(), 400 | 404))
}

/// On a shared channel, an error without an id refuses a request only if one stays unanswered, and if every message that was
/// sent could be read.
fn on_channel(cx: &WireCx<'_>) -> Verdict {
    let answered = answered_ids(cx);
    let is_posted = |entry: &&Entry| entry.exchange > 0 && entry.direction != cx.judged_direction();
    let posts: HashSet<u32> =
        cx.transcript.messages().filter(is_posted).map(|entry| entry.exchange).collect();
    let mut suspects = Suspects::default();
    for entry in &cx.transcript.entries {
        match (entry.direction == cx.judged_direction(), entry.what) {
            (false, What::Message | What::Noise) => suspects.sent(entry, &answered),
            // Over HTTP+SSE, responses do not come in the body of a POST; an error there refuses the POST.
            (true, What::Message) if posts.contains(&entry.exchange) => {}
            (true, What::Message) => {
                let Ok(frame) = Frame::parse(&entry.bytes) else { continue };
                if !frame.is_anonymous_error() {
                    suspects.answered(&frame);
                } else if let Some(request) = suspects.refused() {
                    let evidence =
                        Evidence::new(format!("id {}", name_request(&request.1)), "an error without it");
                    let evidence = evidence.showing(Excerpt::entry(request.0)).showing(Excerpt::entry(entry));
                    return Err(Finding::Violated(Box::new(evidence)));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The messages that an error without an id may refuse.
#[derive(Default)]
struct Suspects<'a> {
    /// How many messages were sent so far.
    count: usize,
    /// Every request with its place among them, answered or not.
    places: HashMap<Id, usize>,
    /// Requests that stay unanswered.
    open: Vec<(&'a Entry, Frame<'a>)>,
    /// The places of messages that could not be read, and may be refused.
    unreadable: VecDeque<usize>,
    /// Whether the last message was a notification, which a server may refuse as well.
    told: bool,
}

impl<'a> Suspects<'a> {
    fn sent(&mut self, entry: &'a Entry, answered: &HashSet<Id>) {
        self.count += 1;
        let request = readable_request(entry);
        // A cancelled request need not be answered from then on.
        if let Some(cancelled) = Frame::parse(&entry.bytes).ok().and_then(|frame| cancelled(&frame)) {
            self.open.retain(|(_, frame)| frame.id().as_ref() != Some(&cancelled));
        }
        self.told = request.is_none() && is_silent(entry);
        let id = Frame::parse(&entry.bytes).ok().and_then(|frame| frame.id());
        let is_answered = id.as_ref().is_some_and(|id| answered.contains(id));
        if request.is_none() && !self.told && !is_answered {
            self.unreadable.push_back(self.count);
        }
        self.places.extend(id.map(|id| (id, self.count)));
        self.open.extend(request.filter(|_| !is_answered).map(|frame| (entry, frame)));
    }

    /// Unreadable messages that came before an answered one will not be refused any more.
    fn answered(&mut self, answer: &Frame<'_>) {
        let place = answer.id().and_then(|id| self.places.get(&id)).copied().unwrap_or_default();
        while self.unreadable.front().is_some_and(|unreadable| *unreadable < place) {
            self.unreadable.pop_front();
        }
    }

    /// The request that an error without an id refuses, if it can be nothing else.
    fn refused(&mut self) -> Option<&(&'a Entry, Frame<'a>)> {
        if self.unreadable.pop_front().is_some() {
            return None;
        }
        // A server that refuses a notification still answers every request, except for those that may take long.
        let told = self.told;
        self.open.iter().find(|(_, frame)| !told || !frame.method().is_some_and(|method| takes_long(&method)))
    }
}

fn takes_long(method: &str) -> bool {
    matches!(method, "tools/call" | "subscriptions/listen" | "tasks/result")
}

/// The entry as a request, if it is well-formed and its id can be read.
fn readable_request(entry: &Entry) -> Option<Frame<'_>> {
    Frame::parse(&entry.bytes)
        .ok()
        .filter(|frame| entry.what == What::Message && frame.kind() == Kind::Request && is_readable(frame))
}

/// A server may be unable to read a large integer, which has a check of its own.
fn is_readable(frame: &Frame<'_>) -> bool {
    is_proper(frame)
        && frame.method().is_some()
        && frame.id().is_some_and(|id| id.is_legal() && !is_large(&id))
}

/// Whether an entry is a response or a notification, which no server answers.
fn is_silent(entry: &Entry) -> bool {
    let silent = |frame: &Frame<'_>| {
        matches!(frame.kind(), Kind::Notification | Kind::Result | Kind::Error) && frame.is_2_0()
    };
    match Payload::parse(&entry.bytes) {
        Ok(Payload::Single(frame)) => silent(&frame),
        Ok(Payload::Batch(_)) | Err(_) => false,
    }
}

fn name_request(request: &Frame<'_>) -> String {
    let id = request.id().map(|id| id.to_string()).unwrap_or_default();
    format!("{id}, of {}", request.method().unwrap_or_default())
}

/// A response must have the id of its request, and ids may be any integer. JSON parsers may round beyond 2^53 (RFC
/// 8259), so a changed id is only a warning.
const LARGE_ID: Check = Check {
    id: "wire/jsonrpc/large-id-kept",
    title: "an integer id beyond 2^53 comes back with all its digits",
    cites: &[
        advised("basic/messages#responses", FIRST),
        advised("basic/index#responses", MIDDLE),
        advised("basic/index#result-responses", Span::since(Version::V2025_11_25)),
    ],
    aliases: &[],
    why: "clients that use 64-bit ids match responses by them, and a rounded id matches nothing",
    fix: "keep the id as text or as an integer, not as a floating point number",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, large_id),
    fault: &fault::ID_ROUNDED,
};

fn large_id(cx: &WireCx<'_>) -> Verdict {
    let large: Vec<Id> = requests(cx).filter_map(|frame| frame.id()).filter(is_large).collect();
    if large.is_empty() {
        return Err(Finding::not_applicable("no request had an id beyond 2^53"));
    }
    for (entry, frame) in frames(cx).filter(|(_, frame)| frame.method.is_none()) {
        let Some(id) = frame.id() else { continue };
        if let Some(asked) = large.iter().find(|asked| is_rounded(asked, &id) && !large.contains(&id)) {
            let asks = |entry: &&Entry| {
                Frame::parse(&entry.bytes)
                    .is_ok_and(|frame| frame.method.is_some() && frame.id().as_ref() == Some(asked))
            };
            let evidence = Evidence::new(format!("id {asked}"), format!("id {id}"));
            let request = cx.transcript.messages().find(asks).map(Excerpt::entry);
            let evidence = request.into_iter().fold(evidence, Evidence::showing);
            return Err(Finding::Violated(Box::new(evidence.showing(Excerpt::entry(entry)))));
        }
    }
    Ok(())
}

fn is_large(id: &Id) -> bool {
    id.is_legal() && float(id).is_some_and(|number| number.abs() > 9_007_199_254_740_991.0)
}

/// Whether `came` is the large integer `asked` after it was rounded to a floating point number.
pub(super) fn is_rounded(asked: &Id, came: &Id) -> bool {
    let (Some(number), Some(back)) = (float(asked), float(came)) else { return false };
    // Beyond 2^63 the number does not fit a 64-bit integer, and its sign may change as well.
    let saturated = number.abs() >= 9_223_372_036_854_775_808.0 && back.abs() == number.abs();
    asked != came && is_large(asked) && (back == number || saturated)
}

fn float(id: &Id) -> Option<f64> {
    match id {
        Id::Number(spelled) => spelled.parse().ok(),
        Id::String(_) | Id::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::wire::{Direction, Recorder, Transcript};
    use protocol::method::Side;

    const ASKED: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#;
    const LOST: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}"#;

    fn record(said: &[(Direction, &str)]) -> Transcript {
        let recorder = Recorder::new();
        for (direction, text) in said {
            recorder.record(*direction, What::Message, 0, text.as_bytes().to_vec().into());
        }
        recorder.transcript()
    }

    fn judge(said: &[(Direction, &str)]) -> Verdict {
        let transcript = record(said);
        error_id(&WireCx::new(Version::V2025_11_25, Transport::Stdio, Side::Server, &transcript))
    }

    #[test]
    fn an_error_without_an_id_in_the_place_of_an_answer_is_found() {
        use Direction::{ToClient, ToServer};
        let without = r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"no"}}"#;
        assert!(judge(&[(ToServer, ASKED), (ToClient, LOST)]).is_err());
        assert!(judge(&[(ToServer, ASKED), (ToClient, without)]).is_err());
        let gives_up = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert!(
            judge(&[(ToServer, ASKED), (ToClient, LOST), (ToServer, gives_up)]).is_err(),
            "cancelled later"
        );
    }

    #[test]
    fn an_error_about_what_could_not_be_read_needs_none() {
        use Direction::{ToClient, ToServer};
        let answer = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        assert!(judge(&[(ToServer, "{nope"), (ToClient, LOST)]).is_ok());
        assert!(judge(&[(ToServer, ASKED), (ToServer, "{nope"), (ToClient, LOST)]).is_ok());
        assert!(judge(&[(ToServer, ASKED), (ToClient, LOST), (ToClient, answer)]).is_ok(), "it was answered");
        let told = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
        assert!(judge(&[(ToServer, ASKED), (ToServer, told), (ToClient, LOST)]).is_ok());
        let cancels = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        let other = r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}"#;
        assert!(
            judge(&[(ToServer, ASKED), (ToServer, cancels), (ToServer, other), (ToClient, LOST)]).is_ok()
        );
        for unreadable in
            [r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":7,"method":7}"#]
        {
            assert!(judge(&[(ToServer, unreadable), (ToClient, LOST)]).is_ok(), "{unreadable}");
        }
    }

    #[test]
    fn what_was_answered_since_is_not_what_an_error_is_about() {
        use Direction::{ToClient, ToServer};
        let large = r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}"#;
        let kept = r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{}}"#;
        assert!(judge(&[(ToServer, large), (ToClient, kept), (ToServer, ASKED), (ToClient, LOST)]).is_err());
        let later = r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#;
        let pong = r#"{"jsonrpc":"2.0","id":8,"result":{}}"#;
        let broken = (ToServer, "{nope");
        assert!(
            judge(&[broken, (ToServer, later), (ToClient, pong), (ToServer, ASKED), (ToClient, LOST)])
                .is_err()
        );
        let told = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
        let listed = ASKED.replace("tools/call", "prompts/get");
        assert!(judge(&[(ToServer, &listed), (ToServer, told), (ToClient, LOST)]).is_err());
    }

    #[test]
    fn rounded_ids_are_known() {
        let number = |text: &str| Id::Number(text.into());
        assert!(is_rounded(&number("9007199254740993"), &number("9007199254740992")));
        assert!(!is_rounded(&number("9223372036854775807"), &number("9223372036854775807.0e0")));
        assert!(is_rounded(&number("9223372036854775807"), &number("-9223372036854775808")));
        assert!(!is_rounded(&number("8"), &number("9")));
        assert!(!is_rounded(&number("9007199254740993"), &number("9007199254740993")));
    }
}
