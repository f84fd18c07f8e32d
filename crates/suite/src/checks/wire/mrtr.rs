//! Multi round-trip requests of 2026-07-28: interim results that ask for input.

use std::collections::HashSet;

use ::wire::{Entry, Frame, Kind};
use protocol::{Span, method};
use serde_json::Value;
use serde_json::value::RawValue;
use server::fault::mrtr as fault;
use transport::Transport;

use super::{Asked, frames, mentions, value, violated};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[SOMETHING_ASKED, ALLOWED_REQUESTS, KNOWN_KINDS, NO_REQUESTS];

const REQUIREMENTS: &str = "basic/patterns/mrtr#server-requirements";

/// A result with the type `input_required` must have `inputRequests` or `requestState`.
const SOMETHING_ASKED: Check = Check {
    id: "wire/mrtr/something-asked",
    title: "a result that asks for input has inputRequests or requestState",
    cites: &[must(REQUIREMENTS, Span::MODERN)],
    aliases: &[],
    why: "with neither of them the client has nothing to answer and no reason to try again",
    fix: "put what you need into inputRequests, and what you must remember into requestState, a string",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, something_asked),
    fault: &fault::INPUT_OF_NOTHING,
};

fn something_asked(cx: &WireCx<'_>) -> Verdict {
    each_interim(cx, |entry, _, result| {
        let asks = result["inputRequests"].is_object() || result["requestState"].is_string();
        if asks { Ok(()) } else { Err(violated(entry, "inputRequests or requestState", result.to_string())) }
    })
}

/// A server may ask for input in answer to tools/call, prompts/get and resources/read, and must not in answer to any
/// other request.
const ALLOWED_REQUESTS: Check = Check {
    id: "wire/mrtr/allowed-requests",
    title: "only tools/call, prompts/get and resources/read are answered with a request for input",
    cites: &[must_not("basic/patterns/mrtr#supported-requests", Span::MODERN)],
    aliases: &[],
    why: "clients expect a list from a list request, and do not know how to go on",
    fix: "answer all other requests with a complete result",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, allowed_requests),
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

/// Each input request must be an elicitation, a sampling request or a request for roots, and must have a key of its own.
const KNOWN_KINDS: Check = Check {
    id: "wire/mrtr/known-kinds",
    title: "input requests ask for elicitation, sampling or roots, each under its own key",
    cites: &[must(REQUIREMENTS, Span::MODERN)],
    aliases: &[],
    why: "the client has no way to answer anything else",
    fix: "use elicitation/create, sampling/createMessage or roots/list, each with its params",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, known_kinds),
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
    })?;
    let twice = |frame: &Frame<'_>| {
        let requests = member(frame.result?, "inputRequests")?;
        let mut seen = HashSet::new();
        let mut keys = ::wire::members(requests)?.into_iter().map(|(key, _)| key.into_owned());
        keys.find(|key| !seen.insert(key.clone()))
    };
    match frames(cx).find_map(|(entry, frame)| Some((entry, twice(&frame)?))) {
        Some((entry, key)) => {
            Err(violated(entry, "a key of its own for each request", format!("{key:?} twice")))
        }
        None => Ok(()),
    }
}

/// The last member of that name.
fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    ::wire::members(object)?.into_iter().rev().find(|(found, _)| found == name).map(|(_, raw)| raw)
}

/// 2026-07-28: a server must not send JSON-RPC requests, on any transport. It must ask for input by interim results.
const NO_REQUESTS: Check = Check {
    id: "wire/mrtr/no-server-requests",
    title: "the server sends no requests of its own",
    cites: &[
        must_not("basic/patterns/index#", Span::MODERN),
        must("basic/patterns/mrtr#", Span::MODERN),
        must_not("basic/transports/stdio#receiving-messages", Span::MODERN).over(Transport::Stdio),
        must_not("basic/transports/streamable-http#receiving-messages", Span::MODERN)
            .over(Transport::StreamableHttp),
    ],
    aliases: &[],
    why: "clients of this revision do not answer, so the request hangs until it times out",
    fix: "ask by an interim result with inputRequests instead",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, no_requests),
    fault: &fault::MODERN_SERVER_ASKS,
};

fn no_requests(cx: &WireCx<'_>) -> Verdict {
    expect_none(frames(cx).find(|(_, frame)| frame.kind() == Kind::Request), |(entry, frame)| {
        let name = frame.method().unwrap_or_default().into_owned();
        violated(entry, "no requests of the server", name)
    })
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

#[cfg(test)]
mod tests {
    use ::wire::{Direction, Recorder, What};
    use protocol::Version;
    use protocol::method::Side;
    use transport::Transport;

    use super::*;

    fn judge(requests: &str) -> Verdict {
        let recorder = Recorder::new();
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.to_owned();
        recorder.record(Direction::ToServer, What::Message, 0, call.into());
        let result = format!(r#"{{"resultType":"input_required","inputRequests":{requests}}}"#);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        recorder.record(Direction::ToClient, What::Message, 0, answer.into());
        let transcript = recorder.transcript();
        known_kinds(&WireCx::new(Version::LATEST, Transport::Stdio, Side::Server, &transcript))
    }

    #[test]
    fn input_requests_have_keys_of_their_own() {
        let roots = r#"{"method":"roots/list"}"#;
        assert!(judge(&format!(r#"{{"a":{roots},"b":{roots}}}"#)).is_ok());
        assert!(judge(&format!(r#"{{"a":{roots},"a":{roots}}}"#)).is_err());
    }
}
