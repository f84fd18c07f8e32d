//! Log messages that nobody asked for, or that nobody was told of.

use ::wire::{Direction, Kind};
use protocol::Span;
use protocol::capability::{Capabilities, LOGGING};
use protocol::meta::LOG_LEVEL;
use server::fault::{negotiation, tools as fault};

use super::lifecycle::declared_by_server;
use super::{frames, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[DECLARED, OWN_STREAM];

const DECLARED: Check = Check {
    id: "wire/logging/declared",
    title: "a server that sends log messages declares the logging capability",
    cites: &[must("server/utilities/logging#capabilities", Span::ALWAYS)],
    aliases: &[],
    why: "a client that was not told of logging has no place to show the messages, and drops them",
    fix: "put logging: {} into your capabilities, or log to stderr",
    on: On::Any,
    run: Run::Wire(declared),
    fault: &negotiation::LOGGING_UNDECLARED,
};

fn declared(cx: &WireCx<'_>) -> Verdict {
    let mut logged =
        frames(cx).filter(|(_, frame)| frame.method().as_deref() == Some("notifications/message"));
    let Some((entry, _)) = logged.next() else {
        return Err(Finding::not_applicable("the server sent no log messages"));
    };
    let Some(capabilities) = declared_by_server(cx) else {
        return Err(Finding::not_applicable("the server was not asked for its capabilities"));
    };
    if Capabilities::of(&capabilities).has(LOGGING) {
        return Ok(());
    }
    Err(violated(entry, "logging in the capabilities", format!("capabilities: {capabilities}")))
}

const OWN_STREAM: Check = Check {
    id: "wire/logging/own-stream",
    title: "log messages come on the stream of the request that asked for them, and on no other",
    cites: &[must_not("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &[],
    why: "on any other stream they look as if they belonged to something else",
    fix: "write notifications/message to the response of the request whose _meta has the logLevel",
    on: On::Http,
    run: Run::Wire(own_stream),
    fault: &fault::LOG_UNWANTED,
};

fn own_stream(cx: &WireCx<'_>) -> Verdict {
    let mut judged = false;
    let mut asking = Vec::new();
    for (entry, frame) in cx.said().filter(|(entry, _)| entry.direction == Direction::ToServer) {
        let asks = frame.params.is_some_and(|raw| raw.get().contains(LOG_LEVEL));
        if frame.kind() == Kind::Request && asks {
            asking.push(entry.exchange);
        }
    }
    for (entry, frame) in frames(cx) {
        judged |= frame.kind() == Kind::Result;
        if frame.method().as_deref() != Some("notifications/message") {
            continue;
        }
        // On a pipe there is but one stream, and a message does not say what it belongs to: another check asks that.
        if !asking.contains(&entry.exchange) {
            return Err(violated(entry, "a request that set a log level", "none on this stream"));
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("nothing was answered")) }
}
