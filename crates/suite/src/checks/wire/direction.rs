//! Who asks: in 2026-07-28 only the client does.

use ::wire::Kind;
use protocol::Span;
use server::fault::stdio as fault;

use super::{frames, violated};
use crate::{Check, On, Run, Verdict, WireCx, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[NO_REQUESTS];

const NO_REQUESTS: Check = Check {
    id: "wire/direction/no-server-requests",
    title: "the server sends no requests",
    cites: &[
        must_not("basic/transports/stdio#receiving-messages", Span::MODERN),
        must_not("basic/transports/streamable-http#receiving-messages", Span::MODERN),
    ],
    aliases: &[],
    why: "clients of this revision do not answer requests, so the server would wait for ever",
    fix: "ask for input with a result of type input_required",
    on: On::Any,
    run: Run::Wire(no_requests),
    fault: &fault::ASKS_BACK,
};

fn no_requests(cx: &WireCx<'_>) -> Verdict {
    match frames(cx).find(|(_, frame)| frame.kind() == Kind::Request) {
        Some((entry, _)) => {
            Err(violated(entry, "responses and notifications alone", "a request of the server"))
        }
        None => Ok(()),
    }
}
