//! Order, negotiated capabilities and the negotiated revision, as the messages show them.

use ::wire::{Direction, Kind};
use protocol::capability::Capabilities;
use protocol::method::{self, Side};
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::negotiation as fault;

use super::{Asked, frames, said, value, violated};
use crate::{Check, Cite, Finding, On, Run, Verdict, WireCx, advised, defined, must, should, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[QUIET_AT_FIRST, SERVER_DECLARED, METHOD_OF_REVISION];

const LATER: Span = Span::between(Version::V2025_06_18, Version::V2025_11_25);
pub(super) const OPERATION: [Cite; 2] = [
    should("basic/lifecycle#operation", Span::until(Version::V2025_03_26)),
    must("basic/lifecycle#operation", LATER),
];

/// What is told in log messages may be told at any time, and has a check of its own.
const LOGGING: &str = "notifications/message";

const QUIET_AT_FIRST: Check = Check {
    id: "wire/lifecycle/quiet-before-initialized",
    title: "before the client is ready the server sends nothing but its answer, pings and log messages",
    cites: &[should_not("basic/lifecycle#initialization", Span::LEGACY)],
    aliases: &["test_initialization_order"],
    why: "a client that is not ready yet refuses the request, or waits for its own handshake to end first",
    fix: "ask for roots, samples and input only after notifications/initialized came",
    on: On::Any,
    run: Run::Wire(quiet_at_first),
    fault: &fault::ASKS_TOO_EARLY,
};

fn quiet_at_first(cx: &WireCx<'_>) -> Verdict {
    let mut opening = None;
    for (entry, frame) in said(cx) {
        let name = frame.method();
        match (entry.direction, name.as_deref()) {
            (Direction::ToServer, Some("notifications/initialized")) => return Ok(()),
            (Direction::ToServer, Some("initialize")) => opening = frame.id(),
            (Direction::ToClient, None) if opening.is_some() && frame.id() == opening => opening = None,
            (Direction::ToClient, Some(name))
                if opening.is_some() && name.starts_with("notifications/") && name != LOGGING =>
            {
                let actual = format!("{name} before the answer to initialize");
                return Err(violated(entry, "nothing but pings and log messages", actual));
            }
            (Direction::ToClient, Some(name)) if frame.kind() == Kind::Request && name != "ping" => {
                let actual = format!("{name} before notifications/initialized");
                return Err(violated(entry, "no request but ping", actual));
            }
            _ => {}
        }
    }
    Ok(())
}

const SERVER_DECLARED: Check = Check {
    id: "wire/lifecycle/server-capability-declared",
    title: "the server sends only what its own capabilities announce",
    cites: &[OPERATION[0], OPERATION[1], advised("server/discover#discoverresult", Span::MODERN)],
    aliases: &[],
    why: "a client has no handler for what was not announced, and what it is told is lost",
    fix: "declare listChanged and subscribe when you send their notifications",
    on: On::Any,
    run: Run::Wire(server_declared),
    fault: &fault::CHANGES_UNDECLARED,
};

fn server_declared(cx: &WireCx<'_>) -> Verdict {
    let Some(declared) = declared_by_server(cx) else {
        return Err(Finding::not_applicable("the server was not asked for its capabilities"));
    };
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        let Some(found) = frame.method().and_then(|name| method::find(cx.version, &name)) else { continue };
        let Some(needed) = found.gate.needs_of(Side::Server, Side::Server) else { continue };
        if found.name == LOGGING {
            continue;
        }
        seen = true;
        if !Capabilities::of(&declared).has(needed) {
            let expected = format!("{needed} in the capabilities");
            return Err(violated(entry, expected, format!("{} without it", found.name)));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("nothing was sent that needs a capability")) }
}

/// The capabilities that the handshake or the discovery of this session showed; where there are no sessions, that of another.
pub(super) fn declared_by_server(cx: &WireCx<'_>) -> Option<Value> {
    let asked = Asked::on(cx);
    let shown = frames(cx).filter(|(_, frame)| frame.result.is_some()).find_map(|(_, frame)| {
        let name = asked.method(&frame)?;
        let opening = name == "initialize" || name == "server/discover";
        opening.then(|| value(frame.result)["capabilities"].clone()).filter(Value::is_object)
    });
    shown.or_else(|| cx.discovered.clone())
}

const METHOD_OF_REVISION: Check = Check {
    id: "wire/lifecycle/method-of-revision",
    title: "the server sends no message that only another revision has",
    cites: &[OPERATION[0], OPERATION[1], defined("basic/index#messages", Span::MODERN)],
    aliases: &[],
    why: "a client of this revision does not know the message: it refuses it, or it never sees what you meant to tell",
    fix: "remember what was negotiated, and send only what that revision has",
    on: On::Any,
    run: Run::Wire(method_of_revision),
    fault: &fault::METHOD_OF_OTHER_REVISION,
};

fn method_of_revision(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        let Some(name) = frame.method() else { continue };
        let here = method::find(cx.version, &name).filter(|found| found.direction.allows(Side::Server));
        // What no revision has may be somebody's own.
        if here.is_none() && !method::named(&name).is_empty() {
            let expected = format!("a message that servers send in {}", cx.version);
            return Err(violated(entry, expected, name.into_owned()));
        }
    }
    Ok(())
}
