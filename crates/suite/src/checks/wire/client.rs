//! What the server asks of the client: only what that client declared that it supports.

use protocol::capability::{Capabilities, SAMPLING_CONTEXT, SAMPLING_TOOLS, required_by_input};
use protocol::{Span, Version};
use server::fault::{asks, lifecycle};

use super::asks::{Asked, each_asked};
use super::lifecycle::OPERATION;
use crate::{Applies, Check, Cite, Run, Sides, Verdict, WireCx, defined, must_not, should, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[ELICITATION, SAMPLING, TOOLS, CONTEXT, ROOTS];

/// What an interim result may ask for.
const INPUT: [Cite; 2] = [
    must_not("basic/patterns/mrtr#server-requirements", Span::MODERN),
    must_not("basic/index#meta", Span::MODERN),
];
const WHY: &str =
    "a client that did not declare it answers with an error, or not at all, and the work is lost";
const FIX: &str = "check the client's capabilities before you ask, and do without if they lack it";

/// A server must not elicit input in a mode that the client did not declare. 2025-06-18 has no modes; there both sides
/// must use only capabilities that were negotiated.
const ELICITATION: Check = Check {
    id: "wire/elicitation/declared",
    title: "the user is asked only in ways that the client declared",
    cites: &[
        defined("client/elicitation#capabilities", Span::only(Version::V2025_06_18)),
        must_not("client/elicitation#capabilities", Span::since(Version::V2025_11_25)),
        OPERATION[1],
        INPUT[0],
        INPUT[1],
    ],
    aliases: &[
        "server/mrtr/undeclared-not-asked",
        "test_workspace_configuration",
        "test_2025_06_18",
        "test_elicitation_support",
    ],
    why: WHY,
    fix: FIX,
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| declared(cx, "elicitation/create")),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

/// A server must use only capabilities that the client declared (should, up to 2025-03-26), so it must not ask a client
/// without `sampling` for its model.
const SAMPLING: Check = Check {
    id: "wire/sampling/declared",
    title: "the model is asked only of clients that declared sampling",
    cites: &[OPERATION[0], OPERATION[1], INPUT[0], INPUT[1]],
    aliases: &["server/lifecycle/client-capabilities-respected"],
    why: WHY,
    fix: FIX,
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| {
        each_asked(cx, "sampling/createMessage", |asked| match asked.declared.get("sampling") {
            Some(_) => Ok(true),
            None => Err(("a client that declares sampling".to_owned(), capabilities(asked))),
        })
    }),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

/// A server must not offer tools in a sampling request to a client that did not declare `sampling.tools`.
const TOOLS: Check = Check {
    id: "wire/sampling/tools-declared",
    title: "sampling requests offer tools only to clients that declared sampling.tools",
    cites: &[must_not("client/sampling#tools-in-sampling", Span::since(Version::V2025_11_25))],
    aliases: &[],
    why: WHY,
    fix: FIX,
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| {
        each_asked(cx, "sampling/createMessage", |asked| {
            let uses = asked.params.get("tools").or_else(|| asked.params.get("toolChoice")).is_some();
            if uses && !Capabilities::from_value(&asked.declared).has(SAMPLING_TOOLS) {
                return Err(("a client that declares sampling.tools".to_owned(), capabilities(asked)));
            }
            Ok(uses)
        })
    }),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

/// A server should not use the `includeContext` values `thisServer` and `allServers` unless the client declared
/// `sampling.context`.
const CONTEXT: Check = Check {
    id: "wire/sampling/context-declared",
    title: "the client's context is asked for only if it declared sampling.context",
    cites: &[should_not("client/sampling#capabilities", Span::since(Version::V2025_11_25))],
    aliases: &[],
    why: "the values are deprecated, and most clients ignore them",
    fix: "leave out includeContext",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| {
        each_asked(cx, "sampling/createMessage", |asked| {
            let wanted = matches!(asked.params["includeContext"].as_str(), Some("thisServer" | "allServers"));
            if wanted && !Capabilities::from_value(&asked.declared).has(SAMPLING_CONTEXT) {
                return Err(("no includeContext".to_owned(), asked.params["includeContext"].to_string()));
            }
            Ok(true)
        })
    }),
    fault: &asks::SAMPLING_CONTEXT,
};

/// A server should check for the `roots` capability before it asks for roots. Using a capability that was not declared
/// is forbidden by MUST since 2025-06-18.
const ROOTS: Check = Check {
    id: "wire/roots/declared",
    title: "roots are asked for only of clients that declared them",
    cites: &[
        should("client/roots#implementation-guidelines", Span::ALWAYS),
        OPERATION[0],
        OPERATION[1],
        INPUT[0],
        INPUT[1],
    ],
    aliases: &["test_workspace_configuration"],
    why: WHY,
    fix: FIX,
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| declared(cx, "roots/list")),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

fn declared(cx: &WireCx<'_>, method: &str) -> Verdict {
    each_asked(cx, method, |asked| {
        let needed = required_by_input(&asked.method, &asked.params);
        match needed.into_iter().find(|needed| !Capabilities::from_value(&asked.declared).has(*needed)) {
            Some(needed) => Err((format!("a client that declares {needed}"), capabilities(asked))),
            None => Ok(true),
        }
    })
}

fn capabilities(asked: &Asked<'_>) -> String {
    format!("one that declares {}", asked.declared)
}
