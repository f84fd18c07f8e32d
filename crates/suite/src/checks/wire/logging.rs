//! Log messages that were not declared, or that belong to no request.

use ::wire::{Direction, Id, Kind};
use protocol::Span;
use protocol::capability::{Capabilities, LOGGING};
use protocol::meta::{LOG_LEVEL, SUBSCRIPTION_ID};
use server::fault::{negotiation, tools as fault};
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
    fault: &fault::LOG_UNWANTED,
};

fn own_stream(cx: &WireCx<'_>) -> Verdict {
    let mut judged = false;
    let mut asking: Vec<(u32, Id)> = Vec::new();
    for (entry, frame) in cx.all_frames() {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                let asks = mentions(frame.params, LOG_LEVEL);
                asking.extend(frame.id().filter(|_| asks).map(|id| (entry.exchange, id)));
            }
            (Direction::ToServer, _) => {}
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                judged = true;
                // On a shared channel, nothing belongs to a request after its response.
                asking.retain(|(_, id)| cx.transport != Transport::Stdio || frame.id().as_ref() != Some(id));
            }
            // On a pipe another check judges those that name a subscription.
            (Direction::ToClient, _)
                if frame.method().as_deref() == Some("notifications/message")
                    && (cx.transport != Transport::Stdio || !mentions(frame.params, SUBSCRIPTION_ID)) =>
            {
                if !asking.iter().any(|(exchange, _)| *exchange == entry.exchange) {
                    return Err(violated(
                        entry,
                        "a request in progress that set a log level",
                        "none on this stream",
                    ));
                }
            }
            (Direction::ToClient, _) => {}
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("nothing was answered")) }
}
