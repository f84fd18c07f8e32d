//! stdio: one message a line, and nothing else on stdout.

use ::wire::{Malformed, Payload, What};
use protocol::{Span, Version};
use server::fault::framing as fault;

use super::{sent, violated};
use crate::{Check, On, Run, Verdict, WireCx, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[ONLY_MESSAGES, ONE_LINE];

const LEGACY: Span = Span::until(Version::V2025_11_25);

const ONLY_MESSAGES: Check = Check {
    id: "wire/stdio/only-messages",
    title: "stdout carries nothing but messages",
    cites: &[must_not("basic/transports#stdio", LEGACY), must_not("basic/transports/stdio#", Span::MODERN)],
    aliases: &["test_stdio_transport_requirements"],
    why: "clients read stdout as messages; a log line there breaks the connection or is silently lost",
    fix: "log to stderr",
    on: On::Pipe,
    run: Run::Wire(only_messages),
    fault: &fault::STDOUT_NOISE,
};

fn only_messages(cx: &WireCx<'_>) -> Verdict {
    for entry in sent(cx) {
        let blank = entry.bytes.trim_ascii().is_empty();
        match Payload::parse(&entry.bytes) {
            Ok(_) if entry.what == What::Message => {}
            // A piece of a message that was spread over lines is the other check's.
            Err(Malformed::NotJson { .. }) if looks_like_json(&entry.bytes) => {}
            _ if blank => return Err(violated(entry, "a message", "a blank line")),
            _ => return Err(violated(entry, "a message on every line", "a line that is none")),
        }
    }
    Ok(())
}

const ONE_LINE: Check = Check {
    id: "wire/stdio/one-line",
    title: "a message is one line, without newlines in it",
    cites: &[must_not("basic/transports#stdio", LEGACY), must_not("basic/transports/stdio#", Span::MODERN)],
    aliases: &["test_stdio_transport_requirements"],
    why: "a newline ends the message, so its pieces are none",
    fix: "serialise without indentation, and escape newlines inside strings",
    on: On::Pipe,
    run: Run::Wire(one_line),
    fault: &fault::PRETTY_PRINTED,
};

fn one_line(cx: &WireCx<'_>) -> Verdict {
    let broken = sent(cx).find(|entry| {
        matches!(Payload::parse(&entry.bytes), Err(Malformed::NotJson { .. }))
            && looks_like_json(&entry.bytes)
    });
    match broken {
        Some(entry) => Err(violated(entry, "a whole message on one line", "a piece of one")),
        None => Ok(()),
    }
}

/// Whether a line that is no JSON looks like a piece of some.
fn looks_like_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    matches!(line.first(), Some(b'{' | b'}' | b'"')) || matches!(line, b"[" | b"]" | b"],")
}
