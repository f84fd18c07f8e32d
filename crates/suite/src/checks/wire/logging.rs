//! Log messages that nobody asked for, or that nobody was told of.

use ::wire::{Direction, Id, Kind};
use protocol::Span;
use protocol::capability::{Capabilities, LOGGING};
use protocol::meta::{LOG_LEVEL, SUBSCRIPTION_ID};
use server::fault::{negotiation, tools as fault};
use transport::serve::Via;

use super::lifecycle::declared_by_server;
use super::{frames, mentions, violated};
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
    title: "log messages come for a request that asked for them, on its stream and before its response",
    cites: &[must_not("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &[],
    why: "on any other stream they look as if they belonged to something else",
    fix: "write notifications/message to the response of the request whose _meta has the logLevel",
    on: On::Any,
    run: Run::Wire(own_stream),
    fault: &fault::LOG_UNWANTED,
};

fn own_stream(cx: &WireCx<'_>) -> Verdict {
    let mut judged = false;
    let mut asking: Vec<(u32, Id)> = Vec::new();
    for (entry, frame) in cx.said() {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                let asks = mentions(frame.params, LOG_LEVEL);
                asking.extend(frame.id().filter(|_| asks).map(|id| (entry.exchange, id)));
            }
            (Direction::ToServer, _) => {}
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                judged = true;
                // Where all share one channel, the response is the end of what belongs to a request.
                asking.retain(|(_, id)| cx.via != Via::Pipe || frame.id().as_ref() != Some(id));
            }
            // On a pipe another check looks at those that name a subscription.
            (Direction::ToClient, _)
                if frame.method().as_deref() == Some("notifications/message")
                    && (cx.via != Via::Pipe || !mentions(frame.params, SUBSCRIPTION_ID)) =>
            {
                if !asking.iter().any(|(exchange, _)| *exchange == entry.exchange) {
                    return Err(violated(
                        entry,
                        "a request under way that set a log level",
                        "none on this stream",
                    ));
                }
            }
            (Direction::ToClient, _) => {}
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("nothing was answered")) }
}
