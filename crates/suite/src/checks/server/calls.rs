//! Calling tools: those that may be called, and one that does not exist.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use futures_util::stream;
use protocol::Span;
use protocol::capability::TOOLS;
use serde_json::{Value, json};
use server::fault::{calls, http, tools as fault};

use crate::arguments::{Kind, Wrong};
use crate::expect::Answer;
use crate::liveness::CALL_IN_TIME_CHECK;
use crate::schema::{Judged, Unjudged};
use crate::sweep::last;
use crate::{Called, Check, Finding, On, Run, ServerCx, Verdict, advice, advised, arguments, defined, must};

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

/// The official suite's tool that is there for the keywords of its schema: its own server has no code behind them.
const SHOWN_ONLY: &str = "json_schema_2020_12_tool";
/// How many calls are under way at a time.
const ABREAST: usize = 8;

const UNKNOWN_TOOL: Check = Check {
    id: "server/tools/unknown-tool-refused",
    title: "calling a tool that does not exist is an error",
    cites: &[defined("server/tools#error-handling", Span::ALWAYS)],
    aliases: &["test_invalid_tool_name"],
    why: "a model that misspells a name would believe that it worked",
    fix: "answer -32602 and name the tool in the message",
    on: On::Any,
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

const NAMELESS_CALL: Check = Check {
    id: "server/tools/nameless-call-refused",
    title: "a call that names no tool is an error",
    cites: &[defined("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "a server that guesses which tool was meant does something that nobody asked for",
    fix: "check that params has a name, a string, and answer -32602 if not",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(nameless_call(cx))),
    fault: &calls::NAMELESS_CALL_SUCCEEDS,
};

async fn nameless_call(cx: &ServerCx) -> Verdict {
    cx.needs(TOOLS).await?;
    for params in [json!({ "arguments": {} }), json!({ "name": 7, "arguments": {} })] {
        let ask = cx.request("tools/call").await?.params(params).runs_no_tool();
        let answer = match ask.send().await {
            // Where no call is answered at all, that is what is wrong.
            Err(finding) if !cx.patience.has_answered("tools/call") => {
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

const CALL_ANSWERED: Check = Check {
    id: "server/tools/call-answered",
    title: "a listed tool can be called",
    cites: &[advised("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &["test_tool_functionality", "test_each_tool"],
    why: "the model is offered what is listed, and every try ends in an error",
    fix: "serve tools/call for every tool that tools/list names",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(call_answered(cx))),
    fault: &calls::CALLS_REFUSED,
};

/// One tool that refuses may have its reasons; the one that needs nothing has none, and all of them cannot have.
async fn call_answered(cx: &ServerCx) -> Verdict {
    let answered = |called: &&Called| called.answers.as_ref().is_ok_and(|answers| !answers.is_empty());
    let calls: Vec<_> = cx.calls().await?.iter().filter(answered).collect();
    let refused = |called: &&Called| last(&called.answers).is_none();
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

const CALL_IN_TIME: Check = Check {
    id: CALL_IN_TIME_CHECK,
    title: "a call is answered within the time limit of the run",
    // No page sets a limit; how long a person waits is what the run was told.
    cites: &[advice("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "a call that never ends holds up the model, and nobody can tell it from one that is lost",
    fix: "answer every call; give up on what takes too long, and say so in a result with isError",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(call_in_time(cx))),
    fault: &http::CALLS_HANG,
};

async fn call_in_time(cx: &ServerCx) -> Verdict {
    let calls = cx.calls().await?;
    let lost = calls.iter().find_map(|called| match &called.answers {
        Err(Finding::Blocked(obstacle)) if obstacle.because == Some(CALL_IN_TIME_CHECK) => {
            Some((called, &obstacle.why))
        }
        Ok(_) | Err(_) => None,
    });
    match lost {
        Some((called, why)) => {
            let actual = format!("{why}, for the tool {}; other requests were answered", called.tool["name"]);
            Err(Finding::violated("an answer", actual).showing_request(cx.session().await?, "tools/call"))
        }
        None => Ok(()),
    }
}

const CONTENT_PRESENT: Check = Check {
    id: "server/tools/content-present",
    title: "the result of a call has content",
    cites: &[defined("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &["test_tool_functionality"],
    why: "content is what the model reads; without it typed clients drop the whole result",
    fix: "return content, an array, even when it is empty",
    on: On::Any,
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
    on: On::Any,
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
    let mut judged = stream::iter(tries).buffer_unordered(ABREAST);
    while let Some(verdict) = judged.next().await {
        verdict?;
    }
    unjudged.verdict()
}

/// One mistake of each kind. A member that is not declared is none of them: the usual validators drop it, which is as
/// safe as refusing it.
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

const ARGUMENTS_OPTIONAL: Check = Check {
    id: "server/tools/arguments-optional",
    title: "a tool that requires no arguments can be called without the member",
    cites: &[advice("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "the schema of the request makes arguments optional, and clients leave them out where a tool has none",
    fix: "take a missing arguments for an empty object",
    on: On::Any,
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
        return Err(Finding::not_applicable("no tool that may be called works without arguments"));
    };
    let ask = cx.request("tools/call").await?.params(json!({ "name": works.tool["name"] }));
    // The tool has shown that it does not take long.
    let answer = ask.runs_no_tool().send().await?;
    match answer.reply.result() {
        Some(result) if result["isError"] != true => Ok(()),
        Some(_) | None => Err(answer.violated("a result, as with empty arguments", answer.summary())),
    }
}

const FAILURE_IN_RESULT: Check = Check {
    id: "server/tools/failure-in-result",
    title: "a tool that fails says so in its result, with isError",
    cites: &[advised("server/tools#error-handling", Span::ALWAYS)],
    aliases: &["test_tool_with_invalid_params"],
    why: "the model reads results and can try again; it never sees protocol errors",
    fix: "catch what goes wrong in the tool, and return it as content with isError true",
    on: On::Any,
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
