//! Multi round-trip requests of 2026-07-28: the server asks for input in an interim result, and the client retries with it.
//!
//! What the fixtures of the official suite do with each answer is known. Of a server's own tools only that they ask: such
//! a tool may ask again or fail, but not refuse what it asked for.

use protocol::Span;
use serde_json::json;
use server::fault::mrtr as fault;
use transport::client::Failure;

use super::asking::{AskingTool, asking_tools};
use super::fixture::{fixture, responses};
use crate::expect::Answer;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[COMPLETES, ASKED_AGAIN, EXTRA_IGNORED, RESPONSES_CHECKED, TAMPERED_REFUSED, STATE_BOUND];

const REQUIREMENTS: &str = "basic/patterns/mrtr#server-requirements";
const ERRORS: &str = "basic/patterns/mrtr#error-handling";

/// The fixtures that ask.
const ASKING: &[&str] = &[
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
];
/// The one that asks for a form and nothing else.
const ASKING_FORM: &[&str] = &["test_input_required_result_elicitation"];

/// MRTR, basic workflow: the client repeats its request with `inputResponses` and `requestState`, and the server
/// completes it from these alone.
const COMPLETES: Check = Check {
    id: "server/mrtr/retry-completes",
    title: "a request completes once its input was provided",
    cites: &[defined("basic/patterns/mrtr#basic-workflow", Span::MODERN)],
    aliases: &["test_elicitation_support"],
    why: "a tool that keeps asking for what it was given can never be used",
    fix: "take the answers from inputResponses by their keys, and your own state from requestState",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(completes(cx))),
    fault: &fault::ANSWERS_IGNORED,
};

async fn completes(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    for AskingTool { tool, is_fixture, rounds, .. } in asking_tools(cx, ASKING).await? {
        if !is_fixture {
            if let Some(last) = rounds.last().filter(|last| last.reply.is_error()) {
                last.expect_result()?;
            }
            continue;
        }
        let params = json!({ "name": tool["name"], "arguments": {} });
        cx.patience().allow_request("tools/call")?;
        let patience = cx.patience().limit("tools/call", cx.pace().limit());
        let rounds = session.request("tools/call").params(params).timeout(patience).send_through().await;
        // Tools may take as long as they like.
        let rounds = rounds.map_err(|failure| match failure {
            Failure::TimedOut { .. } => Finding::blocked(failure.to_string()),
            other => other.into(),
        })?;
        let last = rounds.last().and_then(transport::client::Reply::result).unwrap_or_default();
        if !rounds.complete || !last.is_object() || last["isError"] == true {
            let actual = match rounds.complete {
                true => format!("tool {}: {last}", tool["name"]),
                false => format!("tool {} still asks after {} rounds", tool["name"], rounds.replies.len()),
            };
            return Err(Finding::violated("a complete result", actual));
        }
    }
    Ok(())
}

/// MRTR, error handling: if a retry lacks input that the server needs, the server should ask for it again with another
/// interim result, instead of returning an error.
const ASKED_AGAIN: Check = Check {
    id: "server/mrtr/missing-asked-again",
    title: "input that is missing from a retry is asked for again",
    cites: &[should(ERRORS, Span::MODERN)],
    aliases: &[],
    why: "users close forms by mistake; an error makes them start all over",
    fix: "answer with another input_required that asks for what is missing",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(asked_again(cx))),
    fault: &fault::MISSING_ANSWER_REFUSED,
};

async fn asked_again(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    for tool in asking_tools(cx, ASKING_FORM).await? {
        expect_retry_served(&tool)?;
        let asked = tool.first_round(cx, session).await?;
        let answer = tool.retry(cx, session, &asked, json!({})).await?;
        let is_asked_again = answer.reply.result_type().as_deref() == Some("input_required");
        // Other tools than the fixture may do without.
        if !is_asked_again && (tool.is_fixture || answer.reply.is_error()) {
            return Err(answer.violated("input_required again", answer.summary()));
        }
    }
    Ok(())
}

/// MRTR, error handling: a server should ignore input responses that it does not recognize or need.
const EXTRA_IGNORED: Check = Check {
    id: "server/mrtr/extra-ignored",
    title: "input responses that were not asked for are ignored",
    cites: &[should(ERRORS, Span::MODERN)],
    aliases: &[],
    why: "clients may send what an older or newer server would ask for",
    fix: "look for the keys that you need, and leave the others alone",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(extra_ignored(cx))),
    fault: &fault::EXTRA_ANSWER_REFUSED,
};

async fn extra_ignored(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    for tool in asking_tools(cx, ASKING_FORM).await? {
        expect_retry_served(&tool)?;
        let asked = tool.first_round(cx, session).await?;
        let mut given = responses(session, &asked["inputRequests"]);
        given["yardstick-extra"] = json!({ "action": "accept", "content": { "extra": true } });
        tool.retry(cx, session, &asked, given).await?.expect_result()?;
    }
    Ok(())
}

/// MRTR, error handling: a server should validate that the client sent proper `InputResponses`, and should answer an
/// invalid schema with a JSON-RPC error.
const RESPONSES_CHECKED: Check = Check {
    id: "server/mrtr/responses-checked",
    title: "inputResponses that are not an object are refused",
    cites: &[should(ERRORS, Span::MODERN)],
    aliases: &[],
    why: "a client whose retries are malformed would be asked for ever, without knowing why",
    fix: "answer -32602 when inputResponses is not an object",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(responses_checked(cx))),
    fault: &fault::ANSWERS_UNCHECKED,
};

async fn responses_checked(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    for tool in asking_tools(cx, ASKING_FORM).await? {
        let asked = tool.first_round(cx, session).await?;
        tool.retry(cx, session, &asked, json!("yes")).await?.expect_any_error()?;
    }
    Ok(())
}

/// A server must treat `requestState` as controlled by an attacker. If it influences authorization, access or logic,
/// the server must protect its integrity and refuse what does not verify.
const TAMPERED_REFUSED: Check = Check {
    id: "server/mrtr/tampered-state-refused",
    title: "a requestState that was tampered with is refused",
    cites: &[
        must(REQUIREMENTS, Span::MODERN),
        must("basic/patterns/mrtr#security-considerations", Span::MODERN),
    ],
    aliases: &[],
    why: "the state passes through the client; whoever can change it can make the server believe anything",
    fix: "seal the state with a MAC or encrypt it, and refuse what does not verify",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(tampered_refused(cx))),
    fault: &fault::STATE_UNVERIFIED,
};

/// Only this fixture is known to have a state that matters.
async fn tampered_refused(cx: &ServerCx) -> Verdict {
    let tool = AskingTool::fixture(fixture(cx, "test_input_required_result_tampered_state").await?);
    let session = cx.session().await?;
    let mut asked = tool.first_round(cx, session).await?;
    let Some(state) = asked["requestState"].as_str() else {
        return Err(Finding::not_applicable("the tool sends no requestState"));
    };
    asked["requestState"] = tampered(state).into();
    let given = responses(session, &asked["inputRequests"]);
    let answer = tool.retry(cx, session, &asked, given).await?;
    refused(&answer, "a refusal of the changed state")
}

/// Against replay, a server should seal an identifier of the original request into `requestState`, and refuse the state
/// on a request that does not match.
const STATE_BOUND: Check = Check {
    id: "server/mrtr/state-bound",
    title: "the requestState of one request is refused in another",
    cites: &[should(REQUIREMENTS, Span::MODERN)],
    aliases: &[],
    why: "what was confirmed for one thing would be taken as confirmed for another",
    fix: "seal the method and the arguments into the state, and compare them when it comes back",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(state_bound(cx))),
    fault: &fault::STATE_UNBOUND,
};

async fn state_bound(cx: &ServerCx) -> Verdict {
    let one = AskingTool::fixture(fixture(cx, "test_input_required_result_request_state").await?);
    let other = AskingTool::fixture(fixture(cx, "test_input_required_result_tampered_state").await?);
    let session = cx.session().await?;
    let asked = one.first_round(cx, session).await?;
    if !asked["requestState"].is_string() {
        return Err(Finding::not_applicable("the tool sends no requestState"));
    }
    let given = responses(session, &asked["inputRequests"]);
    let answer = other.retry(cx, session, &asked, given).await?;
    refused(&answer, "a refusal of the other request's state")
}

/// That the tool did not refuse a proper retry when every tool was called; if it did, another check reports it.
fn expect_retry_served(tool: &AskingTool<'_>) -> Verdict {
    match tool.rounds.last().is_some_and(|last| last.reply.is_error()) {
        true => Err(Finding::blocked_by(COMPLETES.id, "what was asked for is refused as well")),
        false => Ok(()),
    }
}

fn refused(answer: &Answer, expected: &str) -> Verdict {
    let accepted = answer
        .reply
        .result()
        .is_some_and(|result| result["isError"] != true && result["resultType"] != "input_required");
    if accepted { Err(answer.violated(expected, answer.summary())) } else { Ok(()) }
}

/// The same text with some of its characters changed, in the middle as at the ends.
fn tampered(state: &str) -> String {
    let swap = |c: char| if c == 'A' { 'B' } else { 'A' };
    let middle = state.chars().count() / 2;
    state.chars().enumerate().map(|(at, c)| if at == 0 || at == middle { swap(c) } else { c }).collect()
}
