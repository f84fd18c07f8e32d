//! Log messages where nobody asked for them.

use ::wire::{Direction, Kind};
use protocol::Span;
use protocol::meta::LOG_LEVEL;
use server::fault::tools as fault;

use super::{frames, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[OWN_STREAM];

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
