//! Malformed requests, and many well-formed ones at once.

use futures_util::future::join_all;
use protocol::{Span, Version, code};
use serde_json::{Value, json};
use server::fault::base as fault;
use transport::Transport;
use transport::client::{Failure, Message};
use wire::Kind;

use super::base::{BROKEN, UNKNOWN_METHOD, broken_json};
use crate::expect::Answer;
use crate::knowledge::InvalidRequests;
use crate::{Applies, Check, Cite, Evidence, Excerpt, Finding, Party, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[IMPROPER_SURVIVED, IMPROPER_REFUSED, IMPROPER_CODE, OWN_ANSWERS, ALL_ANSWERED];

const MESSAGES: &[Cite] = &[
    must("basic/index#", Span::only(Version::V2024_11_05)),
    must("basic/index#messages", Span::since(Version::V2025_03_26)),
];
const RESPONSES: &[Cite] = &[
    must("basic/messages#responses", Span::only(Version::V2024_11_05)),
    must("basic/index#responses", Span::between(Version::V2025_03_26, Version::V2025_06_18)),
    must("basic/index#result-responses", Span::since(Version::V2025_11_25)),
];

/// Messages follow JSON-RPC 2.0, in which a message that is not a valid request gets an error. The pages imply this
/// rather than state it, and silence passes.
const IMPROPER_REFUSED: Check = Check {
    id: "server/base/invalid-request-refused",
    title: "a malformed request does not succeed",
    cites: BROKEN,
    aliases: &["test_request_format"],
    why: "a client whose messages are malformed would believe that they work, until it meets another server",
    fix: "check jsonrpc, method and params before anything else, and answer -32600",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(improper_refused(cx))),
    fault: &fault::INVALID_ANSWERED,
};

async fn improper_refused(cx: &ServerCx) -> Verdict {
    match answered(cx)
        .await?
        .iter()
        .find(|answer| answer.frames().iter().any(|frame| frame.kind() == Kind::Result))
    {
        Some(answer) => Err(Finding::violated_in(&answer.bytes, "an error", "a result")),
        None => Ok(()),
    }
}

/// JSON-RPC 2.0 has -32600 for invalid requests, -32602 for invalid params and -32700 for invalid JSON. -32601 and
/// -32020 (headers that do not match) pass too, as they also blame the message.
const IMPROPER_CODE: Check = Check {
    id: "server/base/invalid-request-code",
    title: "the error for a malformed request has a code that says so",
    cites: BROKEN,
    aliases: &[],
    why: "the code tells the client that its message is at fault, and that sending it again will not help",
    fix: "use -32600 for an invalid request, -32602 for params of the wrong type, -32700 for invalid JSON",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(improper_code(cx))),
    fault: &fault::INVALID_WRONG_CODE,
};

async fn improper_code(cx: &ServerCx) -> Verdict {
    let known = [
        code::INVALID_REQUEST,
        code::INVALID_PARAMS,
        code::PARSE_ERROR,
        code::HEADER_MISMATCH,
        code::METHOD_NOT_FOUND,
    ];
    for answer in answered(cx).await? {
        let errors =
            answer.frames().into_iter().filter_map(|frame| frame.error.map(|raw| raw.get().to_owned()));
        for error in errors {
            let error: Value = serde_json::from_str(&error).unwrap_or_default();
            // Whether codes are integers is another check's business.
            if ::wire::integer_of(&error["code"]).is_some_and(|code| !known.contains(&code)) {
                return Err(Finding::violated_in(
                    &answer.bytes,
                    "error -32600, -32601, -32602 or -32700",
                    format!("code {}", error["code"]),
                ));
            }
        }
    }
    Ok(())
}

/// Nothing in JSON-RPC 2.0 or in the pages lets one malformed message end a session: the next request is answered.
const IMPROPER_SURVIVED: Check = Check {
    id: "server/base/invalid-request-survived",
    title: "the server answers the next request after malformed ones",
    cites: BROKEN,
    aliases: &[],
    why: "one broken message must not take down everything else that the client does",
    fix: "catch what goes wrong with one message, and go on reading",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(improper_survived(cx))),
    fault: &fault::INVALID_DEAFENS,
};

async fn improper_survived(cx: &ServerCx) -> Verdict {
    let after = invalid_requests(cx).await?.after;
    if after.is_err() {
        // A server that does not survive invalid JSON either has one defect, not two.
        broken_json(cx).await?;
    }
    after
}

/// What came back for malformed requests. Not applicable when nothing did.
async fn answered(cx: &ServerCx) -> Result<Vec<Message>, Finding> {
    let outcome = invalid_requests(cx).await?;
    if outcome.answers.is_empty() && !outcome.refused {
        return Err(Finding::not_applicable("malformed requests are not answered at all"));
    }
    Ok(outcome.answers)
}

/// What became of malformed requests, which are sent once for all checks.
async fn invalid_requests(cx: &ServerCx) -> Result<InvalidRequests, Finding> {
    cx.known.facts().invalid_requests.get_or_init(|| send_invalid_requests(cx)).await.clone()
}

/// Sends malformed requests, and a well-formed one after them.
async fn send_invalid_requests(cx: &ServerCx) -> Result<InvalidRequests, Finding> {
    let session = cx.exclusive_session().await?;
    let method = cx.cheap_method();
    let messages = [
        json!({ "jsonrpc": "1.0", "id": 71001, "method": method }),
        json!({ "jsonrpc": "2.0", "id": 71002 }),
        json!({ "jsonrpc": "2.0", "id": 71003, "method": 7 }),
        json!({ "jsonrpc": "2.0", "id": 71004, "method": "tools/list", "params": "none" }),
    ];
    let mut answers = Vec::new();
    let mut refused = false;
    for message in &messages {
        let line = format!("{message}\n");
        if cx.transport == Transport::Stdio {
            // A server that dies of the first message takes no others. What becomes of it is looked at below.
            let _ = session.send_bytes(line).await;
            continue;
        }
        match session.request(method).body(line).timeout(cx.pace().limit()).send().await {
            Ok(reply) => {
                refused |= reply.status().is_some_and(|status| status >= 400);
                answers.extend(reply.messages);
            }
            Err(Failure::TimedOut { .. }) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    if cx.transport == Transport::Stdio && !cx.has_caught_up(&session).await {
        let end = session.ended().map_or_else(|| "none".to_owned(), |end| end.to_string());
        let evidence = Evidence::new("an answer to the request after them", end);
        let sent =
            messages.iter().map(|message| Excerpt::from_bytes(Party::Client, message.to_string().as_bytes()));
        let after = Err(Finding::Violated(Box::new(sent.fold(evidence, Evidence::showing))));
        return Ok(InvalidRequests { answers, refused, after });
    }
    while cx.transport == Transport::Stdio && answers.len() < messages.len() {
        let Some(message) = session.incoming(cx.pace().moment()).await? else { break };
        if message.frames().iter().any(|frame| frame.method.is_none()) {
            answers.push(message);
        }
    }
    let after = cx.request_on(&session, method).send().await;
    let after = after.and_then(|answer| answer.expect_response());
    Ok(InvalidRequests { answers, refused, after })
}

/// A response must have the id of the request that it belongs to, also when several requests are in progress.
const OWN_ANSWERS: Check = Check {
    id: "server/base/parallel-own-answers",
    title: "each of many concurrent requests gets its own response",
    cites: RESPONSES,
    aliases: &["test_parallel_requests"],
    why: "clients send requests concurrently, and match responses by id alone",
    fix: "keep the id with its request from reading to answering; share nothing between requests",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(own_answers(cx))),
    fault: &fault::ANSWERS_MIXED_UP,
};

/// The concurrent requests, and the member that shows which of them a result belongs to.
const PARALLEL_REQUESTS: &[(&str, &str)] = &[
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("yardstick/no-such-method", ""),
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("yardstick/no-other-method", ""),
];

async fn own_answers(cx: &ServerCx) -> Verdict {
    for (answer, (method, member)) in
        ask_in_parallel(cx).await.map_err(Finding::into_obstacle)?.into_iter().zip(PARALLEL_REQUESTS)
    {
        let answer = answer.map_err(Finding::into_obstacle)?;
        let Some(result) = answer.reply.result() else { continue };
        let strange = PARALLEL_REQUESTS
            .iter()
            .any(|(_, other)| !other.is_empty() && other != member && result.get(other).is_some());
        if strange {
            let expected =
                if member.is_empty() { "an error".to_owned() } else { format!("{member} in the result") };
            return Err(answer.violated(expected, format!("another result for {method}: {result}")));
        }
    }
    Ok(())
}

/// All messages must follow JSON-RPC 2.0, in which every request gets a response, be it an error.
const ALL_ANSWERED: Check = Check {
    id: "server/base/parallel-all-answered",
    title: "every one of many concurrent requests is answered",
    cites: MESSAGES,
    aliases: &["test_parallel_requests"],
    why: "a request that is lost among others hangs until the client gives up",
    fix: "go on reading while you work, and answer each request, if only with an error",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(all_answered(cx))),
    fault: &fault::ONE_OF_MANY_LOST,
};

async fn all_answered(cx: &ServerCx) -> Verdict {
    for (answer, (method, _)) in
        ask_in_parallel(cx).await.map_err(Finding::into_obstacle)?.into_iter().zip(PARALLEL_REQUESTS)
    {
        let answer = match answer {
            Ok(answer) => answer,
            Err(finding) => return Err(unless_never_refused(cx, method, finding).await),
        };
        answer.expect_readable()?;
        // How HTTP refuses an unknown method is another check's business.
        let refused = answer.reply.status().is_some_and(|status| status >= 400);
        if answer.reply.result().is_none() && !answer.reply.is_error() && !refused {
            return Err(answer.violated(format!("an answer to {method}"), answer.summary()));
        }
    }
    Ok(())
}

/// The finding, unless the method does not exist and is not refused when asked for alone either: another check reports that.
async fn unless_never_refused(cx: &ServerCx, method: &str, finding: Finding) -> Finding {
    if !method.starts_with("yardstick/") {
        return finding;
    }
    let alone = match cx.request(method).await {
        Ok(ask) => ask.send().await,
        Err(finding) => Err(finding),
    };
    match alone {
        Ok(_) => finding,
        Err(_) => finding.into_obstacle_of(UNKNOWN_METHOD.id),
    }
}

async fn ask_in_parallel(cx: &ServerCx) -> Result<Vec<Result<Answer, Finding>>, Finding> {
    let session = cx.session().await?;
    let asks = PARALLEL_REQUESTS.iter().map(|(method, _)| cx.request_on(session, method).send());
    Ok(join_all(asks).await)
}
