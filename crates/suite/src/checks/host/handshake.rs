//! The handshake between a View and its host.

use protocol::Span;
use serde_json::Value;

use crate::host::faults;
use crate::host::shorten;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, defined, must_not};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ANSWERED, QUIET_FIRST, EARLY_REFUSED, IDS_KEPT, PING_ANSWERED];

/// A host answers ui/initialize with its capabilities, its name and the revision that it speaks.
const ANSWERED: Check = Check {
    id: "host/handshake/answered",
    title: "ui/initialize is answered with the version, the host's name and its capabilities",
    cites: &[defined("apps.mdx#host-capabilities", Span::ALWAYS)],
    aliases: &["lifecycle/initialize-capabilities"],
    why: "a View that does not know what its host can do asks for what fails",
    fix: "answer with protocolVersion, hostInfo and hostCapabilities, be it an empty object",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let result = cx.initialized("basic")?;
        let missing = ["protocolVersion", "hostInfo", "hostCapabilities"]
            .into_iter()
            .find(|name| result[*name].is_null());
        expect_none(missing, |name| Finding::violated(format!("a result with {name}"), shorten(result)))
    }),
    fault: &faults::CAPABILITIES_MISSING.fault,
};

/// A host must not send any request or notification to a View before ui/notifications/initialized has come from it.
const QUIET_FIRST: Check = Check {
    id: "host/handshake/quiet-first",
    title: "nothing but the answer is sent before a View is initialized",
    cites: &[must_not("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a View that is not listening yet loses what is sent to it",
    fix: "hold back tool-input and all else until ui/notifications/initialized has come",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let traffic = cx.scene("basic")?.told["traffic"].as_array();
        let traffic = traffic.map(Vec::as_slice).unwrap_or_default();
        let is_done = |one: &&Value| one["message"]["method"] != "ui/notifications/initialized";
        let early = traffic.iter().take_while(is_done).filter(|one| one["way"] == "to-view");
        let mut early = early.map(|one| &one["message"]);
        expect_none(early.find(|message| message["method"].is_string()), |message| {
            Finding::violated("no request and no notification", shorten(message))
        })
    }),
    fault: &faults::TALKS_EARLY.fault,
};

/// The handshake comes first. What a View asks before it is not carried out; no sentence says what is answered.
const EARLY_REFUSED: Check = Check {
    id: "host/handshake/early-refused",
    title: "a tool that a View calls before its handshake is not run",
    cites: &[advice("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "the host does not know yet who asks, and what that View can take",
    fix: "answer requests before ui/initialize with an error, and forward nothing",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("basic")?;
        expect_none(scene.calls.iter().find(|call| call.name == "early"), |_| {
            Finding::violated("no call at the server", "the tool was called")
        })
    }),
    fault: &faults::SERVES_EARLY.fault,
};

/// JSON-RPC: a response has the id of its request, of the same type; 0 and strings are ids.
const IDS_KEPT: Check = Check {
    id: "host/handshake/ids-kept",
    title: "responses carry the id of their request, also 0 and strings",
    cites: &[defined("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "the View waits for an answer that it cannot recognise",
    fix: "send the id back as it came; do not test it for truth, and do not convert it",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        if cx.initialized("basic")?["timeout"] == true {
            return Err(Finding::violated("an answer with the id 0", "none came"));
        }
        cx.answer("basic", "stringId").map(drop)
    }),
    fault: &faults::IDS_CHANGED.fault,
};

/// A View may send ping, to see whether its host is there; the answer is empty.
const PING_ANSWERED: Check = Check {
    id: "host/handshake/ping-answered",
    title: "ping is answered with an empty result",
    cites: &[defined("apps.mdx#standard-mcp-messages", Span::ALWAYS)],
    aliases: &[],
    why: "a View that hears nothing believes that its host is gone",
    fix: "answer ping with an empty result",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let answer = cx.answer("basic", "ping")?;
        if answer["result"].is_object() {
            Ok(())
        } else {
            Err(Finding::violated("a result", shorten(answer)))
        }
    }),
    fault: &faults::PING_IGNORED.fault,
};
