//! stdio: one message per line, and nothing else on stdout.

use ::wire::{Frame, Kind, Malformed, Payload, What};
use protocol::{Span, Version};
use serde_json::value::RawValue;
use server::fault::framing as fault;
use transport::Transport;

use super::{sent, violated};
use crate::verdict::expect_none;
use crate::{Applies, Check, Run, Sides, Verdict, WireCx, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[ONLY_MESSAGES, ONE_LINE];

const LEGACY: Span = Span::until(Version::V2025_11_25);

/// A server must not write anything to stdout that is not a valid message, and a client nothing of the kind to the
/// server's stdin.
const ONLY_MESSAGES: Check = Check {
    id: "wire/stdio/only-messages",
    title: "stdout carries nothing but messages",
    cites: &[must_not("basic/transports#stdio", LEGACY), must_not("basic/transports/stdio#", Span::MODERN)],
    aliases: &["test_stdio_transport_requirements"],
    why: "clients read stdout as messages; a log line there breaks the connection or is silently lost",
    fix: "log to stderr",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Wire(Sides::Either, only_messages),
    fault: &fault::STDOUT_NOISE,
};

fn only_messages(cx: &WireCx<'_>) -> Verdict {
    for entry in sent(cx) {
        let blank = entry.bytes.trim_ascii().is_empty();
        match Payload::parse(&entry.bytes) {
            Ok(payload) if is_log_line(&payload) => {
                return Err(violated(
                    entry,
                    "a message on every line",
                    "a JSON object that is not a message",
                ));
            }
            Ok(_) if entry.what == What::Message => {}
            // The other check reports a message that is spread over several lines.
            Err(Malformed::NotJson { .. }) if is_piece(&entry.bytes) => {}
            Err(_) if holds_message(&entry.bytes) => {
                return Err(violated(entry, "a message on every line", "a message and something else"));
            }
            _ if blank => return Err(violated(entry, "a message", "a blank line")),
            _ => return Err(violated(entry, "a message on every line", "a line that is not a message")),
        }
    }
    Ok(())
}

/// Whether it is a log line that is written as JSON, and not a message without its `jsonrpc` member.
fn is_log_line(payload: &Payload<'_>) -> bool {
    matches!(payload, Payload::Single(frame) if !frame.has_rpc_member())
}

/// Messages are delimited by newlines, and must not contain any.
const ONE_LINE: Check = Check {
    id: "wire/stdio/one-line",
    title: "a message is one line, without newlines in it",
    cites: &[must_not("basic/transports#stdio", LEGACY), must_not("basic/transports/stdio#", Span::MODERN)],
    aliases: &["test_stdio_transport_requirements"],
    why: "a newline ends the message, and its pieces are not messages",
    fix: "serialise without indentation, and escape newlines inside strings",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Wire(Sides::Either, one_line),
    fault: &fault::PRETTY_PRINTED,
};

fn one_line(cx: &WireCx<'_>) -> Verdict {
    let broken = sent(cx).find(|entry| {
        matches!(Payload::parse(&entry.bytes), Err(Malformed::NotJson { .. })) && is_piece(&entry.bytes)
    });
    expect_none(broken, |entry| violated(entry, "a whole message on one line", "a piece of one"))
}

/// Whether a line that is not JSON looks like a piece of a message that goes on in other lines.
fn is_piece(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let begins = matches!(line.first(), Some(b'{' | b'}' | b'"')) || matches!(line, b"[" | b"]" | b"],");
    begins && !holds_message(line)
}

/// Whether a line begins with a whole message and goes on with something else. A comma only continues a list of messages.
fn holds_message(line: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(line).into_iter::<&RawValue>();
    let Some(Ok(first)) = values.next() else { return false };
    let is_message = Frame::parse(first.get().as_bytes())
        .is_ok_and(|frame| frame.is_2_0() && !matches!(frame.kind(), Kind::Invalid(_)));
    let rest = line.get(values.byte_offset()..).unwrap_or_default();
    is_message && rest.trim_ascii() != b","
}

#[cfg(test)]
mod tests {
    use protocol::method::Side;
    use serde_json::json;

    use super::super::jsonrpc::version_marked;
    use super::super::transcript_of;
    use super::*;

    const MESSAGE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    /// Servers by others log to stdout in JSON.
    #[test]
    fn a_log_line_in_json_is_one_finding_and_not_a_message_without_its_version() {
        let log = json!({ "level": 30, "time": "2026-11-17", "msg": "ready" });
        let unmarked = json!({ "id": 1, "result": {} });
        for (line, found) in [(log, [true, false]), (unmarked, [false, true])] {
            let said = transcript_of(&[(::wire::Direction::ToClient, line)]);
            let cx = WireCx::new(Version::V2025_11_25, Transport::Stdio, Side::Server, &said);
            assert_eq!([only_messages(&cx).is_err(), version_marked(&cx).is_err()], found);
        }
    }

    #[test]
    fn noise_beside_a_message_is_not_a_piece_of_one() {
        for line in [format!("{MESSAGE} [info] done"), format!("{MESSAGE}{MESSAGE}"), format!("{MESSAGE}}}")]
        {
            assert!(holds_message(line.as_bytes()) && !is_piece(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn pieces_are_told_from_messages() {
        for line in
            ["{", "}", "]", r#""id": 1,"#, r#"{"jsonrpc":"2.0","#, &format!("{MESSAGE},"), r#"{"a":1},"#]
        {
            assert!(is_piece(line.as_bytes()), "{line}");
        }
        assert!(!is_piece(b"[info] ready"));
    }
}
