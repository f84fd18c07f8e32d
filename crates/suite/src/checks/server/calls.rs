//! Calling tools: those that the policy allows, and one that does not exist. No other tool is called.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use futures_util::stream;
use protocol::Span;
use protocol::capability::TOOLS;
use serde_json::{Value, json};
use server::fault::{calls, http, tools as fault};

use crate::arguments::{Kind, Wrong};
use crate::expect::Answer;
use crate::schema::{Judged, Unjudged};
use crate::sweep::last;
use crate::{
    Applies, CalledTool, Check, Finding, Run, ServerCx, Verdict, advice, advised, arguments, defined, must,
};

pub(in crate::checks) const CHECKS: &[Check] = &[
    UNKNOWN_TOOL,
    NAMELESS_CALL,
    CALL_ANSWERED,
    CALL_IN_TIME,
    CONTENT_PRESENT,
    ARGUMENTS_CHECKED,
    ARGUMENTS_OPTIONAL,
    FAILURE_IN_RESULT,
];

/// A tool of the official suite that only displays schema keywords: the official server does not check its arguments.
const SHOWN_ONLY: &str = "json_schema_2020_12_tool";
/// How many calls run at the same time.
const MAX_CONCURRENT_CALLS: usize = 8;

/// Tools, error handling: an unknown tool is a protocol error, shown by example as -32602. A result with `isError`
/// passes too, because it also tells the model that the call failed.
const UNKNOWN_TOOL: Check = Check {
    id: "server/tools/unknown-tool-refused",
    title: "calling a tool that does not exist is an error",
    cites: &[defined("server/tools#error-handling", Span::ALWAYS)],
    aliases: &["test_invalid_tool_name"],
    why: "a model that misspells a name would believe that it worked",
    fix: "answer -32602 and name the tool in the message",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_tool(cx))),
    fault: &fault::UNKNOWN_TOOL_SUCCEEDS,
};

async fn unknown_tool(cx: &ServerCx) -> Verdict {
    cx.needs(TOOLS).await?;
    let session = cx.session().await?;
    let unknown = cx.call_on(session, &json!({ "name": "yardstick-no-such-tool" }), &json!({}));
    let answer = unknown.runs_no_tool().send().await?;
    if is_refused(&answer) {
        return Ok(());
    }
    Err(answer.violated("error -32602, or a result with isError", "a result without isError"))
}

/// A tools/call names the tool in `params.name`, a string. A request without it does not fit its definition, which the
/// section on errors counts among protocol errors.
const NAMELESS_CALL: Check = Check {
    id: "server/tools/nameless-call-refused",
    title: "a call that names no tool is an error",
    cites: &[defined("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "a server that guesses which tool was meant does something that nobody asked for",
    fix: "check that params has a name, a string, and answer -32602 if not",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(nameless_call(cx))),
    fault: &calls::NAMELESS_CALL_SUCCEEDS,
};

async fn nameless_call(cx: &ServerCx) -> Verdict {
    cx.needs(TOOLS).await?;
    for params in [json!({ "arguments": {} }), json!({ "name": 7, "arguments": {} })] {
        let ask = cx.request("tools/call").await?.params(params).runs_no_tool();
        let answer = match ask.send().await {
            // If the server answers no call at all, that is the finding.
            Err(finding) if !cx.patience().has_answered("tools/call") => {
                return Err(finding.into_obstacle_of(UNKNOWN_TOOL.id));
            }
            answer => answer?,
        };
        let refused = answer.reply.status().is_some_and(|status| status >= 400) || is_refused(&answer);
        if !refused {
            return Err(answer.violated("error -32602", answer.summary()));
        }
    }
    Ok(())
}

/// A client calls a listed tool with tools/call and gets a result. The page defines this by example, so a tool that
/// refuses is a warning.
const CALL_ANSWERED: Check = Check {
    id: "server/tools/call-answered",
    title: "a listed tool can be called",
    cites: &[advised("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &["test_tool_functionality", "test_each_tool"],
    why: "the model is offered the listed tools, and every call ends in an error",
    fix: "serve tools/call for every tool that tools/list names",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(call_answered(cx))),
    fault: &calls::CALLS_REFUSED,
};

/// One tool may refuse for a good reason. `test_simple_text` needs nothing and has none, and not all tools can have one.
async fn call_answered(cx: &ServerCx) -> Verdict {
    // A tool whose service is out of reach was not tested.
    let answered = |called: &&CalledTool| {
        let latest = called.answers.as_ref().ok().and_then(|answers| answers.last());
        latest.is_some_and(|answer| answer.upstream_trouble().is_none())
    };
    let calls: Vec<_> = cx.calls().await?.iter().filter(answered).collect();
    let refused = |called: &&CalledTool| last(&called.answers).is_none();
    let simple = calls.iter().find(|called| called.tool["name"] == "test_simple_text");
    let worst = match simple {
        Some(simple) => Some(simple).filter(|simple| refused(simple)),
        None => calls.first().filter(|_| calls.len() > 2 && calls.iter().all(refused)),
    };
    match worst.and_then(|called| called.answers.as_ref().ok()?.last()) {
        Some(answer) if answer.reply.is_error() => Err(answer.violated("a result", answer.summary())),
        Some(_) | None if calls.is_empty() => Err(Finding::not_applicable("no tool could be called")),
        Some(_) | None => Ok(()),
    }
}

/// No page sets a time limit for a tool call. We advise an answer within the limit that the run was given, because
/// clients are told to set timeouts and give up.
pub(crate) const CALL_IN_TIME: Check = Check {
    id: "server/tools/call-in-time",
    title: "a call is answered within the time limit of the run",
    cites: &[advice("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "a call that never ends holds up the model, and looks the same as one that was lost",
    fix: "answer every call; give up on what takes too long, and say so in a result with isError",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(call_in_time(cx))),
    fault: &http::CALLS_HANG,
};

async fn call_in_time(cx: &ServerCx) -> Verdict {
    let calls = cx.calls().await?;
    match calls.iter().find_map(|called| Some((called, why_lost(called)?))) {
        Some((called, why)) => {
            let actual = format!("{why}, for the tool {}; other requests were answered", called.tool["name"]);
            Err(Finding::violated("an answer", actual).showing_request(cx.session().await?, "tools/call"))
        }
        None => Ok(()),
    }
}

/// Why a call was never answered, if it was not.
fn why_lost(called: &CalledTool) -> Option<&str> {
    match &called.answers {
        Err(Finding::Blocked(obstacle)) if obstacle.because == Some(CALL_IN_TIME.id) => Some(&obstacle.why),
        Ok(_) | Err(_) => None,
    }
}

/// The definition of a tool's result requires `content`, an array of content blocks. It may be empty.
const CONTENT_PRESENT: Check = Check {
    id: "server/tools/content-present",
    title: "the result of a call has content",
    cites: &[defined("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &["test_tool_functionality"],
    why: "content is what the model reads; without it typed clients drop the whole result",
    fix: "return content, an array, even when it is empty",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(content_present(cx))),
    fault: &fault::CALL_WITHOUT_CONTENT,
};

async fn content_present(cx: &ServerCx) -> Verdict {
    each_call(cx, |_, result| match &result["content"] {
        Value::Array(_) => Ok(()),
        other => Err(("content, an array".to_owned(), format!("content: {other}"))),
    })
    .await
}

/// Tools, security considerations: a server must validate all inputs of a tool. How it refuses is left open: a protocol
/// error or a result with `isError`.
const ARGUMENTS_CHECKED: Check = Check {
    id: "server/tools/arguments-checked",
    title: "arguments that break the input schema are refused",
    cites: &[must("server/tools#security-considerations", Span::ALWAYS)],
    aliases: &[
        "test_tool_with_invalid_params",
        "test_invalid_tool_arguments",
        "test_enhanced_tool_validation",
    ],
    why: "models get arguments wrong; a tool that runs with them anyway does something that nobody asked for",
    fix: "validate arguments against inputSchema before the tool runs, and say what is wrong",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(arguments_checked(cx))),
    fault: &fault::ARGUMENTS_UNCHECKED,
};

async fn arguments_checked(cx: &ServerCx) -> Verdict {
    let (mut tries, mut unjudged) = (Vec::new(), Unjudged::default());
    for tool in cx.harmless_tools().await?.into_iter().filter(|tool| tool["name"] != SHOWN_ONLY) {
        let mistakes = unjudged.unless_judged(tool, "inputSchema", mistakes(cx, tool).await);
        for wrong in mistakes.unwrap_or_default() {
            tries.push(refuses(cx, tool, wrong));
        }
    }
    if tries.is_empty() {
        unjudged.verdict()?;
        return Err(cx.no_tool("has arguments that could be wrong").await);
    }
    // In order, so that the same mistake is reported each time.
    let mut judged = stream::iter(tries).buffered(MAX_CONCURRENT_CALLS);
    while let Some(verdict) = judged.next().await {
        verdict?;
    }
    unjudged.verdict()
}

/// One mistake of each kind. An undeclared member does not count: common validators drop it, which is as safe as refusing
/// it.
async fn mistakes(cx: &ServerCx, tool: &Value) -> Judged<Vec<Wrong>> {
    let mut seen = BTreeSet::from([Kind::Extra]);
    let all = arguments::invalid(&tool["inputSchema"], cx.version).await?;
    Ok(all.into_iter().filter(|wrong| seen.insert(wrong.kind)).collect())
}

async fn refuses(cx: &ServerCx, tool: &Value, wrong: Wrong) -> Verdict {
    let answer = call(cx, tool, &wrong.arguments).await?;
    if is_refused(&answer) {
        return Ok(());
    }
    let actual = format!("tool {} ran although {}", tool["name"], wrong.what);
    Err(answer.violated("a result with isError, or error -32602", actual))
}

/// The schema of tools/call makes `arguments` optional. No page tells a server to accept a call without it, so this is
/// advice.
const ARGUMENTS_OPTIONAL: Check = Check {
    id: "server/tools/arguments-optional",
    title: "a tool that requires no arguments can be called without the member",
    cites: &[advice("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "the schema of the request makes arguments optional, and clients leave them out where a tool has none",
    fix: "treat missing arguments as an empty object",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(arguments_optional(cx))),
    fault: &calls::ARGUMENTS_INSISTED_ON,
};

async fn arguments_optional(cx: &ServerCx) -> Verdict {
    let fed = cx.callable().await?;
    let is_bare = |tool: &Value| {
        fed.iter()
            .any(|(known, given)| *known == tool && given.as_ref().is_some_and(|given| *given == json!({})))
    };
    let mut called = cx.calls().await?.iter();
    let works = called.find(|called| {
        is_bare(&called.tool) && last(&called.answers).is_some_and(|(_, result)| result["isError"] != true)
    });
    let Some(works) = works else {
        return Err(cx.no_tool("works without arguments").await);
    };
    let ask = cx.request("tools/call").await?.params(json!({ "name": works.tool["name"] }));
    // The tool has shown that it does not take long.
    let answer = ask.runs_no_tool().send().await?;
    match answer.reply.result() {
        Some(result) if result["isError"] != true => Ok(()),
        Some(_) | None => Err(answer.violated("a result, as with empty arguments", answer.summary())),
    }
}

/// Tools, error handling: what fails while a tool runs is reported in its result, with `isError` true. Protocol errors
/// are for requests that are wrong in themselves.
const FAILURE_IN_RESULT: Check = Check {
    id: "server/tools/failure-in-result",
    title: "a tool that fails says so in its result, with isError",
    cites: &[advised("server/tools#error-handling", Span::ALWAYS)],
    aliases: &["test_tool_with_invalid_params"],
    why: "clients give results to the model, which can try again; protocol errors may never reach it",
    fix: "catch what goes wrong in the tool, and return it as content with isError true",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(failure_in_result(cx))),
    fault: &calls::FAILURE_UNMARKED,
};

async fn failure_in_result(cx: &ServerCx) -> Verdict {
    let failing = cx.calls().await?.iter().find(|called| called.tool["name"] == "test_error_handling");
    let Some(failing) = failing else {
        return Err(Finding::not_applicable("there is no tool test_error_handling, which always fails"));
    };
    let Some(answer) = failing.answers.as_ref().map_err(Clone::clone)?.last() else {
        return Err(Finding::blocked("the call was not answered"));
    };
    let result = answer.expect_result()?;
    if result["isError"] == true {
        return Ok(());
    }
    Err(answer.violated("isError: true", format!("isError: {}", result["isError"])))
}

fn is_refused(answer: &Answer) -> bool {
    answer.reply.is_error() || answer.reply.result().is_some_and(|result| result["isError"] == true)
}

/// Judges the result of every call that was made.
pub(super) async fn each_call(
    cx: &ServerCx,
    judge: impl Fn(&Value, &Value) -> Result<(), (String, String)>,
) -> Verdict {
    let mut judged = 0;
    for called in cx.calls().await? {
        let Some((answer, result)) = last(&called.answers) else { continue };
        judge(&called.tool, &result).map_err(|(expected, actual)| answer.violated(expected, actual))?;
        judged += 1;
    }
    if judged == 0 { Err(Finding::not_applicable("no call had a result")) } else { Ok(()) }
}

async fn call(cx: &ServerCx, tool: &Value, arguments: &Value) -> Result<Answer, Finding> {
    cx.call_on(cx.session().await?, tool, arguments).send().await
}
