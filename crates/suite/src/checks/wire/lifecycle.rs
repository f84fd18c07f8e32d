//! The order of the handshake, and whether servers keep to the negotiated capabilities and revision.

use ::wire::{Direction, Kind};
use protocol::capability::Capabilities;
use protocol::method::{self, Side};
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::negotiation as fault;

use super::{Asked, frames, frames_of_both_sides, value, violated};
use crate::{
    Applies, Check, Cite, Finding, Run, Sides, Verdict, WireCx, advised, defined, must, should, should_not,
};

pub(in crate::checks) const CHECKS: &[Check] = &[QUIET_AT_FIRST, SERVER_DECLARED, METHOD_OF_REVISION];

const LATER: Span = Span::between(Version::V2025_06_18, Version::V2025_11_25);
pub(super) const OPERATION: [Cite; 2] = [
    should("basic/lifecycle#operation", Span::until(Version::V2025_03_26)),
    must("basic/lifecycle#operation", LATER),
];

/// Log messages may be sent at any time, and have a check of their own.
const LOGGING: &str = "notifications/message";

/// Lifecycle, initialization: before `notifications/initialized` a server should not send requests, except for pings
/// and log messages. Notifications before the response to initialize count too.
const QUIET_AT_FIRST: Check = Check {
    id: "wire/lifecycle/quiet-before-initialized",
    title: "until the client is initialized, the server sends only its response, pings and log messages",
    cites: &[should_not("basic/lifecycle#initialization", Span::LEGACY)],
    aliases: &["test_initialization_order"],
    why: "a client that is not ready yet refuses the request, or waits for its own handshake to end first",
    fix: "ask for roots, sampling and input only after notifications/initialized has arrived",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, quiet_at_first),
    fault: &fault::ASKS_TOO_EARLY,
};

fn quiet_at_first(cx: &WireCx<'_>) -> Verdict {
    let mut opening = None;
    for (entry, frame) in frames_of_both_sides(cx) {
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

/// Both sides must use only capabilities that were negotiated (should, up to 2025-03-26). For 2026-07-28 the definition
/// of `capabilities` in server/discover implies it.
const SERVER_DECLARED: Check = Check {
    id: "wire/lifecycle/server-capability-declared",
    title: "the server sends only notifications whose capability it declares",
    cites: &[OPERATION[0], OPERATION[1], advised("server/discover#discoverresult", Span::MODERN)],
    aliases: &[],
    why: "a client has no handler for a capability that was not declared, and the notification is lost",
    fix: "declare listChanged and subscribe when you send their notifications",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, server_declared),
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
        if !Capabilities::from_value(&declared).has(needed) {
            let expected = format!("{needed} in the capabilities");
            return Err(violated(entry, expected, format!("{} without it", found.name)));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("nothing was sent that needs a capability")) }
}

/// The capabilities from the handshake or discovery of this session; in 2026-07-28 also those from another session.
pub(super) fn declared_by_server(cx: &WireCx<'_>) -> Option<Value> {
    let asked = Asked::on(cx);
    let shown = frames(cx).filter(|(_, frame)| frame.result.is_some()).find_map(|(_, frame)| {
        let name = asked.method(&frame)?;
        let opening = name == "initialize" || name == "server/discover";
        opening.then(|| value(frame.result)["capabilities"].clone()).filter(Value::is_object)
    });
    shown.or_else(|| cx.discovered.clone())
}

/// Both sides must respect the negotiated version (should, up to 2025-03-26). 2026-07-28 defines the messages that it
/// has. Methods that no revision knows are not judged.
const METHOD_OF_REVISION: Check = Check {
    id: "wire/lifecycle/method-of-revision",
    title: "the server sends no message that only another revision has",
    cites: &[OPERATION[0], OPERATION[1], defined("basic/index#messages", Span::MODERN)],
    aliases: &[],
    why: "a client of this revision does not know the message: it refuses or ignores it",
    fix: "remember the negotiated revision, and send only messages that it has",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, method_of_revision),
    fault: &fault::METHOD_OF_OTHER_REVISION,
};

fn method_of_revision(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        let Some(name) = frame.method() else { continue };
        let here = method::find(cx.version, &name).filter(|found| found.direction.allows(Side::Server));
        // A method that no revision has may be an extension.
        if here.is_none() && !method::named(&name).is_empty() {
            let expected = format!("a message that servers send in {}", cx.version);
            return Err(violated(entry, expected, name.into_owned()));
        }
    }
    Ok(())
}
