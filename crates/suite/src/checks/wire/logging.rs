//! Log messages that were not declared, or that belong to no request.

use ::wire::{Direction, Id, Kind};
use protocol::Span;
use protocol::capability::{Capabilities, LOGGING};
use protocol::meta::{LOG_LEVEL, SUBSCRIPTION_ID};
use server::fault::{asks as fault, negotiation};
use transport::Transport;

use super::lifecycle::declared_by_server;
use super::{frames, mentions, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[DECLARED, OWN_STREAM];

/// A server that sends log messages must declare the `logging` capability.
const DECLARED: Check = Check {
    id: "wire/logging/declared",
    title: "a server that sends log messages declares the logging capability",
    cites: &[must("server/utilities/logging#capabilities", Span::ALWAYS)],
    aliases: &[],
    why: "a client that does not expect log messages has no place to show them, and drops them",
    fix: "put logging: {} into your capabilities, or log to stderr",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, declared),
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
    if Capabilities::from_value(&capabilities).has(LOGGING) {
        return Ok(());
    }
    Err(violated(entry, "logging in the capabilities", format!("capabilities: {capabilities}")))
}

/// 2026-07-28: a server must send log messages only for a request that set a log level, on the stream of its response.
const OWN_STREAM: Check = Check {
    id: "wire/logging/own-stream",
    title: "log messages come on the stream of a request that asked for them, before its response",
    cites: &[must_not("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &[],
    why: "on any other stream they look as if they belonged to something else",
    fix: "write notifications/message to the response of the request whose _meta has the logLevel",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, own_stream),
    fault: &fault::LOG_AFTER_RESPONSE,
};

/// The checks that tell of log messages for a request that set no level.
const UNASKED_CHECKS: &[&str] = &["server/logging/only-when-asked", "server/logging/meta-level-forgotten"];

/// A request whose stream may carry log messages, or may not.
struct Open {
    exchange: u32,
    id: Id,
    asks: bool,
}

fn own_stream(cx: &WireCx<'_>) -> Verdict {
    let mut judged = false;
    let mut told_elsewhere = Ok(());
    let mut open: Vec<Open> = Vec::new();
    for (entry, frame) in cx.all_frames() {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                let (exchange, asks) = (entry.exchange, mentions(frame.params, LOG_LEVEL));
                open.extend(frame.id().map(|id| Open { exchange, id, asks }));
            }
            (Direction::ToServer, _) => {}
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                judged = true;
                // On a shared channel, nothing belongs to a request after its response.
                open.retain(|one| cx.transport != Transport::Stdio || frame.id().as_ref() != Some(&one.id));
            }
            // On a pipe another check judges those that name a subscription.
            (Direction::ToClient, _)
                if frame.method().as_deref() == Some("notifications/message")
                    && (cx.transport != Transport::Stdio || !mentions(frame.params, SUBSCRIPTION_ID)) =>
            {
                const EXPECTED: &str = "a request in progress that set a log level";
                let mut on_stream = open.iter().filter(|one| one.exchange == entry.exchange).peekable();
                let is_unasked = on_stream.peek().is_some();
                if on_stream.any(|one| one.asks) {
                    continue;
                }
                match cx.failed.find(UNASKED_CHECKS).filter(|_| is_unasked) {
                    Some(check) => {
                        told_elsewhere = Err(Finding::blocked_by(
                            check,
                            "a request without a log level gets log messages",
                        ));
                    }
                    None => return Err(violated(entry, EXPECTED, "none on this stream")),
                }
            }
            (Direction::ToClient, _) => {}
        }
    }
    if judged { told_elsewhere } else { Err(Finding::not_applicable("nothing was answered")) }
}
