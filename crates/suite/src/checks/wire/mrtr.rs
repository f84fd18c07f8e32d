//! Input that a server asks for by an interim result (2026-07-28).

use ::wire::{Entry, Frame, Kind};
use protocol::{Span, method};
use serde_json::Value;
use server::fault::mrtr as fault;

use super::{Asked, frames, mentions, value, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[SOMETHING_ASKED, ALLOWED_REQUESTS, KNOWN_KINDS, NO_REQUESTS];

const REQUIREMENTS: &str = "basic/patterns/mrtr#server-requirements";

const SOMETHING_ASKED: Check = Check {
    id: "wire/mrtr/something-asked",
    title: "a result that asks for input has inputRequests or requestState",
    cites: &[must(REQUIREMENTS, Span::MODERN)],
    aliases: &[],
    why: "with neither of them the client has nothing to answer and no reason to try again",
    fix: "put what you need into inputRequests, and what you must remember into requestState, a string",
    on: On::Any,
    run: Run::Wire(something_asked),
    fault: &fault::INPUT_OF_NOTHING,
};

fn something_asked(cx: &WireCx<'_>) -> Verdict {
    each_interim(cx, |entry, _, result| {
        let asks = result["inputRequests"].is_object() || result["requestState"].is_string();
        if asks { Ok(()) } else { Err(violated(entry, "inputRequests or requestState", result.to_string())) }
    })
}

const ALLOWED_REQUESTS: Check = Check {
    id: "wire/mrtr/allowed-requests",
    title: "input is asked for only by tools/call, prompts/get and resources/read",
    cites: &[must_not("basic/patterns/mrtr#supported-requests", Span::MODERN)],
    aliases: &[],
    why: "clients expect a list from a list request, and do not know how to go on",
    fix: "answer all other requests at once",
    on: On::Any,
    run: Run::Wire(allowed_requests),
    fault: &fault::INPUT_FOR_LIST,
};

fn allowed_requests(cx: &WireCx<'_>) -> Verdict {
    each_interim(cx, |entry, request, _| {
        let name = request.method().unwrap_or_default();
        let allowed = method::find(cx.version, &name).is_none_or(|m| m.may_require_input(cx.version));
        if allowed {
            Ok(())
        } else {
            Err(violated(entry, "a complete result", format!("input_required for {name}")))
        }
    })
}

const KNOWN_KINDS: Check = Check {
    id: "wire/mrtr/known-kinds",
    title: "input requests are elicitations, samplings or roots lists",
    cites: &[must(REQUIREMENTS, Span::MODERN)],
    aliases: &[],
    why: "the client has no way to answer anything else",
    fix: "use elicitation/create, sampling/createMessage or roots/list, each with its params",
    on: On::Any,
    run: Run::Wire(known_kinds),
    fault: &fault::INPUT_OF_OTHER_KIND,
};

fn known_kinds(cx: &WireCx<'_>) -> Verdict {
    each_interim(cx, |entry, _, result| {
        let other = inputs(result).find(|(_, input)| {
            !matches!(
                input["method"].as_str(),
                Some("elicitation/create" | "sampling/createMessage" | "roots/list")
            )
        });
        match other {
            Some((key, input)) => {
                let actual = format!("{key}: {}", input["method"]);
                Err(violated(entry, "elicitation/create, sampling/createMessage or roots/list", actual))
            }
            None => Ok(()),
        }
    })
}

const NO_REQUESTS: Check = Check {
    id: "wire/mrtr/no-server-requests",
    title: "the server sends no requests of its own",
    cites: &[
        must_not("basic/patterns/index#", Span::MODERN),
        must("basic/patterns/mrtr#", Span::MODERN),
        must_not("basic/transports/stdio#receiving-messages", Span::MODERN).over(On::Pipe),
        must_not("basic/transports/streamable-http#receiving-messages", Span::MODERN).over(On::Http),
    ],
    aliases: &[],
    why: "clients of this revision do not answer, so the request hangs until it times out",
    fix: "ask by an interim result with inputRequests instead",
    on: On::Any,
    run: Run::Wire(no_requests),
    fault: &fault::MODERN_SERVER_ASKS,
};

fn no_requests(cx: &WireCx<'_>) -> Verdict {
    match frames(cx).find(|(_, frame)| frame.kind() == Kind::Request) {
        Some((entry, frame)) => {
            let name = frame.method().unwrap_or_default().into_owned();
            Err(violated(entry, "no requests of the server", name))
        }
        None => Ok(()),
    }
}

fn inputs(result: &Value) -> impl Iterator<Item = (&String, &Value)> {
    result["inputRequests"].as_object().into_iter().flatten()
}

/// Judges every result that asks for input, with the request that it answers.
fn each_interim(cx: &WireCx<'_>, judge: impl Fn(&Entry, &Frame<'_>, &Value) -> Verdict) -> Verdict {
    let asked = Asked::on(cx);
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        if !mentions(frame.result, "input_required") {
            continue;
        }
        let result = value(frame.result);
        let Some(request) = asked.by(&frame).filter(|_| result["resultType"] == "input_required") else {
            continue;
        };
        seen = true;
        judge(entry, request, &result)?;
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no input was asked for")) }
}
