//! What a View asks its host for, and what the host passes on to the server.

use protocol::{Span, code};
use serde_json::{Value, json};

use super::data::expect_same;
use crate::host::probe::full_result;
use crate::host::{HostCx, faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, Verdict, advice, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[
    UNKNOWN_METHOD,
    INVALID_PARAMS,
    CALL_FORWARDED,
    FAILURE_KEPT,
    RESOURCE_READ,
    LINK_SCHEMES,
    LINK_OPENED,
    LINK_DENIED,
    MESSAGE_ADDED,
    CONTEXT_PROVIDED,
    CONTEXT_LAST,
    SIZE_FOLLOWED,
    TEARDOWN_TOLD,
    TEARDOWN_AWAITED,
];

/// JSON-RPC: a method that does not exist is answered with -32601.
const UNKNOWN_METHOD: Check = Check {
    id: "host/requests/unknown-method",
    title: "methods that do not exist are answered with -32601",
    cites: &[defined("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "a View that tries a newer method cannot tell that the host does not know it",
    fix: "answer what you do not know with -32601, with and without ui/ at its beginning",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        for attempt in ["unknownMethod", "unknownUiMethod"] {
            let answer = cx.answer("basic", attempt)?;
            if answer["error"]["code"] != code::METHOD_NOT_FOUND {
                return Err(Finding::violated("error -32601", shorten(answer)));
            }
        }
        Ok(())
    }),
    fault: &faults::UNKNOWN_ANSWERED.fault,
};

/// A host must validate the messages of a View, and reject those that are malformed.
const INVALID_PARAMS: Check = Check {
    id: "host/requests/invalid-params",
    title: "requests without what they need are refused",
    cites: &[defined("apps.mdx#2-auditable-communication", Span::ALWAYS)],
    aliases: &[],
    why: "a host that does not look at what it is given can be made to do what nobody meant",
    fix: "compare the parameters with their definition, and answer -32602",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let attempts = ["linkMissing", "modeMissing", "callMissing"];
        attempts.into_iter().try_for_each(|attempt| cx.expect_refused("basic", attempt))
    }),
    fault: &faults::ANYTHING_VALID.fault,
};

/// A host that declares serverTools forwards tools/call to the server of the View, and its result back.
const CALL_FORWARDED: Check = Check {
    id: "host/requests/call-forwarded",
    title: "a tool that a View calls runs with its arguments, and its result comes back whole",
    cites: &[
        defined("apps.mdx#host-capabilities", Span::ALWAYS),
        should("apps.mdx#sandbox-proxy", Span::ALWAYS),
    ],
    aliases: &["tools/proxy-call", "mcp-apps-req-04"],
    why: "a View that works with other values than its server gave shows what is not true",
    fix: "pass arguments and result on as they are",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.capability("serverTools")?;
        let sent = json!({ "text": "ä\u{2028}\u{0}\"'<", "number": 1.5, "list": [1, null, { "a": [] }] });
        let calls = &cx.scene("basic")?.calls;
        let answer = cx.answer("basic", "echo")?;
        if !calls.iter().any(|call| call.name == "echo" && call.arguments == sent) {
            let found = calls.iter().find(|call| call.name == "echo").map(|call| shorten(&call.arguments));
            return Err(Finding::violated(shorten(&sent), found.unwrap_or_else(|| "no call".to_owned())));
        }
        expect_same(&full_result("echo", &sent), &answer["result"])
    }),
    fault: &faults::ANSWER_TRIMMED.fault,
};

/// What a host forwards stays as the specification of MCP has it: a failed tool is a result, an error is an error.
const FAILURE_KEPT: Check = Check {
    id: "host/requests/failure-kept",
    title: "a tool that fails and a server that answers with an error are told apart",
    cites: &[should("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a View cannot tell the user what went wrong",
    fix: "pass results with isError on as results, and errors with their code and message",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.capability("serverTools")?;
        let failed = cx.answer("basic", "fails")?;
        if failed["result"]["isError"] != true || !failed["result"]["content"].is_array() {
            return Err(Finding::violated("a result with isError", shorten(failed)));
        }
        let error = cx.answer("basic", "errors")?;
        if error["error"]["code"] == -32050 {
            return Ok(());
        }
        Err(Finding::violated("error -32050", shorten(error)))
    }),
    fault: &faults::ERROR_RECODED.fault,
};

/// A host that declares serverResources forwards resources/read.
const RESOURCE_READ: Check = Check {
    id: "host/requests/resource-read",
    title: "a host that declares serverResources reads resources for a View",
    cites: &[defined("apps.mdx#host-capabilities", Span::ALWAYS)],
    aliases: &["capabilities/server-passthrough"],
    why: "a View that relies on what the host declared stays without its data",
    fix: "forward resources/read, or do not declare serverResources",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.capability("serverResources")?;
        let answer = cx.answer("basic", "resource")?;
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_default();
        if text.contains("<title>text</title>") {
            return Ok(());
        }
        Err(Finding::violated("the contents of the resource", shorten(answer)))
    }),
    fault: &faults::READING_REFUSED.fault,
};

/// A link that fails or is against the host's rules is an error. Which schemes are, no sentence says.
const LINK_SCHEMES: Check = Check {
    id: "host/requests/link-schemes",
    title: "links to scripts, files and documents within the link are refused",
    cites: &[advice("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &[],
    why: "a link to a script runs in the host's page, and one to a file shows what is on the disk",
    fix: "open http and https, refuse everything else with -32000",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let attempts = ["linkScript", "linkFile", "linkData", "linkNone"];
        for attempt in attempts {
            let answer = cx.answer("basic", attempt)?;
            if !answer["error"].is_object() && answer["result"]["isError"] != true {
                return Err(Finding::violated("an error", format!("{attempt}: {}", shorten(answer))));
            }
        }
        Ok(())
    }),
    fault: &faults::SCRIPT_LINKS_OPENED.fault,
};

/// A host should open the URL in the browser or a new tab; an empty result says that it has.
const LINK_OPENED: Check = Check {
    id: "host/requests/link-opened",
    title: "a link that is answered with success was opened",
    cites: &[should("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &["links/open-external", "mcp-apps-req-01"],
    why: "the user clicks, is told that it worked, and nothing is there",
    fix: "answer with success once the browser has opened it, and with -32000 if it has not",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        // Where nobody can say yes, a host that asks first cannot answer.
        let unasked = cx.act_result("person", "allow").map(drop);
        let answer = match (cx.answer("person", "linkAllowed"), unasked) {
            (Ok(answer), _) => answer,
            (Err(Finding::Violated(_)), Err(unable)) => return Err(unable),
            (Err(finding), _) => return Err(finding),
        };
        if answer["error"]["code"] == code::METHOD_NOT_FOUND {
            return Err(Finding::not_applicable("the host opens no links"));
        }
        let opened = cx.scene("person")?.declared_hits.iter().any(|path| path.ends_with("/allowed"));
        let claimed = answer["result"].is_object() && answer["result"]["isError"] != true;
        if opened == claimed {
            return Ok(());
        }
        let actual = if opened { "it was opened" } else { "nobody asked for the page" };
        Err(Finding::violated(
            "success if it was opened, and only then",
            format!("{actual}, and the answer is {}", shorten(answer)),
        ))
    }),
    fault: &faults::LINK_CLAIMED.fault,
};

/// A link that the user denied is answered with an error.
const LINK_DENIED: Check = Check {
    id: "host/requests/link-denied",
    title: "a link that the person denied is answered with an error, and not opened",
    cites: &[defined("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &[],
    why: "the View believes that its user is reading a page that was never opened",
    fix: "answer -32000 when the user says no",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.act_result("person", "deny")?;
        let opened = cx.scene("person")?.declared_hits.iter().any(|path| path.ends_with("/denied"));
        expect_none(opened.then_some(()), |()| Finding::violated("no page", "it was opened"))?;
        cx.expect_refused("person", "linkDenied")
    }),
    fault: &faults::DENIAL_HIDDEN.fault,
};

/// A host should add a message to the conversation, with its role; it may ask the user first.
const MESSAGE_ADDED: Check = Check {
    id: "host/requests/message-added",
    title: "a message of a View joins the conversation with its role",
    cites: &[should("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &["messages/add-to-conversation", "mcp-apps-req-02"],
    why: "what the user chose in the View never reaches the model",
    fix: "add the content to the conversation with the role that it came with",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let said = cx.act_result("person", "conversation")?;
        let messages = said.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_ours =
            |message: &&Value| message["role"] == "user" && message.to_string().contains("yardstick message");
        if messages.iter().any(|message| is_ours(&message)) {
            return Ok(());
        }
        Err(Finding::violated("the message, with the role user", shorten(said)))
    }),
    fault: &faults::MESSAGE_LOST.fault,
};

/// A host should provide what a View tells it for the model in future turns.
const CONTEXT_PROVIDED: Check = Check {
    id: "host/requests/context-taken",
    title: "ui/update-model-context is taken",
    cites: &[should("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &["model-context/provide-future-turns", "mcp-apps-req-03"],
    why: "the model answers as if the user had done nothing in the View",
    fix: "keep the content, answer with an empty result, and give it to the model with the next turn",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let answer = cx.answer("person", "contextLast")?;
        if answer["result"].is_object() {
            return Ok(());
        }
        Err(Finding::violated("a result", shorten(answer)))
    }),
    fault: &faults::MODEL_CONTEXT_REFUSED.fault,
};

/// Each update overwrites the one before; of several before the next user message only the last should reach the model.
const CONTEXT_LAST: Check = Check {
    id: "host/requests/context-last",
    title: "of several updates of the model's context the last one counts",
    cites: &[should("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &["model-context/last-wins"],
    why: "the model is told what is not true any more",
    fix: "replace what the View said before",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let told = cx.act_result("person", "model-context")?;
        let text = told.to_string();
        if text.contains("yardstick last") && !text.contains("yardstick first") {
            return Ok(());
        }
        Err(Finding::violated("the last update, and not the first", shorten(told)))
    }),
    fault: &faults::MODEL_CONTEXT_FIRST.fault,
};

/// With flexible dimensions a host must follow size-changed, up to the maximum that it gave.
const SIZE_FOLLOWED: Check = Check {
    id: "host/requests/size-followed",
    title: "the frame follows ui/notifications/size-changed",
    cites: &[must("apps.mdx#container-dimensions", Span::ALWAYS)],
    aliases: &["dimensions/listen-size-changed", "mcp-apps-life-06"],
    why: "the View is cut off, or stands in an empty space",
    fix: "set the height of the frame to what the View says, up to maxHeight",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("basic")?;
        let room = scene.fact("container");
        if room["height"].is_number() {
            return Err(Finding::not_applicable("the height of the container is fixed"));
        }
        let most = room["maxHeight"].as_f64().unwrap_or(f64::MAX);
        let (due, height) = (most.min(333.0), scene.fact("heightAsked").as_f64().unwrap_or_default());
        if (height - due).abs() <= 8.0 {
            return Ok(());
        }
        Err(Finding::violated(format!("a height of {due}"), format!("a height of {height}")))
    }),
    fault: &faults::SIZE_IGNORED.fault,
};

/// A host must send ui/resource-teardown before it removes a View.
const TEARDOWN_TOLD: Check = Check {
    id: "host/requests/teardown-told",
    title: "a View is told before it is removed",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["lifecycle/teardown-notify", "mcp-apps-life-05"],
    why: "a View cannot save what its user did",
    fix: "send ui/resource-teardown, whatever the reason",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| saved(cx, "told")),
    fault: &faults::TEARDOWN_UNTOLD.fault,
};

/// A host should wait for the answer before it removes the View, so that nothing is lost.
const TEARDOWN_AWAITED: Check = Check {
    id: "host/requests/teardown-awaited",
    title: "what a View saves before it answers the teardown is kept",
    cites: &[should("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["lifecycle/teardown-await"],
    why: "half of the work is lost",
    fix: "remove the frame when the answer has come, or after a time limit of a second or more",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        saved(cx, "told").map_err(|finding| finding.into_obstacle_of(TEARDOWN_TOLD.id))?;
        saved(cx, "late")
    }),
    fault: &faults::TEARDOWN_HASTY.fault,
};

/// Whether the View came to this step of its end.
fn saved(cx: &HostCx<'_>, step: &str) -> Verdict {
    cx.act_result("teardown", "close")?;
    cx.act_result("teardown", "ready")?;
    let scene = cx.shown("teardown")?;
    let saved = scene.calls.iter().any(|call| call.name == "save" && call.arguments["step"] == step);
    if saved || scene.declared_hits.iter().any(|path| path.ends_with(step)) {
        return Ok(());
    }
    Err(Finding::violated(
        format!("a sign of life ({step})"),
        "neither the server nor the declared origin was asked",
    ))
}
