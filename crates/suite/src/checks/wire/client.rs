//! What the server asks of the client, it asks only of those who said that they can be asked.

use protocol::capability::{Capabilities, SAMPLING_CONTEXT, SAMPLING_TOOLS, required_by_input};
use protocol::{Span, Version};
use server::fault::{asks, lifecycle};

use super::asks::{Asked, each_asked};
use super::lifecycle::OPERATION;
use crate::{Check, Cite, On, Run, Verdict, WireCx, defined, must_not, should, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[ELICITATION, SAMPLING, TOOLS, CONTEXT, ROOTS];

/// What an interim result may ask for.
const INPUT: [Cite; 2] = [
    must_not("basic/patterns/mrtr#server-requirements", Span::MODERN),
    must_not("basic/index#meta", Span::MODERN),
];
const WHY: &str =
    "a client that did not declare it answers with an error, or not at all, and the work is lost";
const FIX: &str = "look at the client's capabilities before it is asked, and do without if they lack it";

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
    on: On::Any,
    run: Run::Wire(|cx| declared(cx, "elicitation/create")),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

const SAMPLING: Check = Check {
    id: "wire/sampling/declared",
    title: "the model is asked only of clients that declared sampling",
    cites: &[OPERATION[0], OPERATION[1], INPUT[0], INPUT[1]],
    aliases: &["server/lifecycle/client-capabilities-respected"],
    why: WHY,
    fix: FIX,
    on: On::Any,
    run: Run::Wire(|cx| {
        each_asked(cx, "sampling/createMessage", |asked| match asked.declared.get("sampling") {
            Some(_) => Ok(true),
            None => Err(("a client that declares sampling".to_owned(), capabilities(asked))),
        })
    }),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

const TOOLS: Check = Check {
    id: "wire/sampling/tools-declared",
    title: "tools are offered only to models of clients that declared sampling.tools",
    cites: &[must_not("client/sampling#tools-in-sampling", Span::since(Version::V2025_11_25))],
    aliases: &[],
    why: WHY,
    fix: FIX,
    on: On::Any,
    run: Run::Wire(|cx| {
        each_asked(cx, "sampling/createMessage", |asked| {
            let uses = asked.params.get("tools").or_else(|| asked.params.get("toolChoice")).is_some();
            if uses && !Capabilities::of(&asked.declared).has(SAMPLING_TOOLS) {
                return Err(("a client that declares sampling.tools".to_owned(), capabilities(asked)));
            }
            Ok(uses)
        })
    }),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

const CONTEXT: Check = Check {
    id: "wire/sampling/context-declared",
    title: "the client's context is asked for only if it declared sampling.context",
    cites: &[should_not("client/sampling#capabilities", Span::since(Version::V2025_11_25))],
    aliases: &[],
    why: "the values are deprecated, and most clients ignore them",
    fix: "leave out includeContext",
    on: On::Any,
    run: Run::Wire(|cx| {
        each_asked(cx, "sampling/createMessage", |asked| {
            let wanted = matches!(asked.params["includeContext"].as_str(), Some("thisServer" | "allServers"));
            if wanted && !Capabilities::of(&asked.declared).has(SAMPLING_CONTEXT) {
                return Err(("no includeContext".to_owned(), asked.params["includeContext"].to_string()));
            }
            Ok(true)
        })
    }),
    fault: &asks::SAMPLING_CONTEXT,
};

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
    on: On::Any,
    run: Run::Wire(|cx| declared(cx, "roots/list")),
    fault: &lifecycle::CAPABILITY_ASSUMED,
};

fn declared(cx: &WireCx<'_>, method: &str) -> Verdict {
    each_asked(cx, method, |asked| {
        let needed = required_by_input(&asked.method, &asked.params);
        match needed.into_iter().find(|needed| !Capabilities::of(&asked.declared).has(*needed)) {
            Some(needed) => Err((format!("a client that declares {needed}"), capabilities(asked))),
            None => Ok(true),
        }
    })
}

fn capabilities(asked: &Asked<'_>) -> String {
    format!("one that declares {}", asked.declared)
}
