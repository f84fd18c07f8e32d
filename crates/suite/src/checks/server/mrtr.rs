//! Input that a server asks for by an interim result, and the retry that brings it (2026-07-28).

use protocol::Span;
use serde_json::{Value, json};
use server::fault::mrtr as fault;
use transport::client::{Failure, Session};

use super::fixture::{call, fixture, fixtures, responses};
use crate::expect::Answer;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, must, should};

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

const COMPLETES: Check = Check {
    id: "server/mrtr/retry-completes",
    title: "a request that asked for input completes once the input is there",
    cites: &[defined("basic/patterns/mrtr#basic-workflow", Span::MODERN)],
    aliases: &["test_elicitation_support"],
    why: "a tool that keeps asking for what it was given can never be used",
    fix: "take the answers from inputResponses by their keys, and what you knew before from requestState",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(completes(cx))),
    fault: &fault::ANSWERS_IGNORED,
};

async fn completes(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    for tool in fixtures(cx, ASKING).await? {
        let params = json!({ "name": tool["name"], "arguments": {} });
        cx.patience.left("tools/call")?;
        let patience = cx.patience.limit("tools/call", cx.pace().limit());
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

const ASKED_AGAIN: Check = Check {
    id: "server/mrtr/missing-asked-again",
    title: "what a retry does not bring is asked for again",
    cites: &[should(ERRORS, Span::MODERN)],
    aliases: &[],
    why: "users close forms by mistake; an error makes them start all over",
    fix: "answer with another input_required that asks for what is missing",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(asked_again(cx))),
    fault: &fault::MISSING_ANSWER_REFUSED,
};

async fn asked_again(cx: &ServerCx) -> Verdict {
    let tool = fixture(cx, ASKING[0]).await?;
    let session = cx.session().await?;
    let asked = first_round(cx, session, tool).await?;
    let answer = retry(cx, session, tool, &asked, Some(json!({}))).await?;
    if answer.reply.result_type().as_deref() == Some("input_required") {
        return Ok(());
    }
    Err(answer.violated("input_required again", answer.summary()))
}

const EXTRA_IGNORED: Check = Check {
    id: "server/mrtr/extra-ignored",
    title: "answers that nobody asked for are ignored",
    cites: &[should(ERRORS, Span::MODERN)],
    aliases: &[],
    why: "clients may send what an older or newer server would ask for",
    fix: "look for the keys that you need, and leave the others alone",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(extra_ignored(cx))),
    fault: &fault::EXTRA_ANSWER_REFUSED,
};

async fn extra_ignored(cx: &ServerCx) -> Verdict {
    let tool = fixture(cx, ASKING[0]).await?;
    let session = cx.session().await?;
    let asked = first_round(cx, session, tool).await?;
    let mut given = responses(session, &asked["inputRequests"]);
    given["yardstick-extra"] = json!({ "action": "accept", "content": { "extra": true } });
    let answer = retry(cx, session, tool, &asked, Some(given)).await?;
    answer.expect_result().map(drop)
}

const RESPONSES_CHECKED: Check = Check {
    id: "server/mrtr/responses-checked",
    title: "inputResponses that are no object are refused",
    cites: &[should(ERRORS, Span::MODERN)],
    aliases: &[],
    why: "a client whose retries are malformed would be asked for ever, without knowing why",
    fix: "answer -32602 when inputResponses is no object",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(responses_checked(cx))),
    fault: &fault::ANSWERS_UNCHECKED,
};

async fn responses_checked(cx: &ServerCx) -> Verdict {
    let tool = fixture(cx, ASKING[0]).await?;
    let session = cx.session().await?;
    let asked = first_round(cx, session, tool).await?;
    retry(cx, session, tool, &asked, Some(json!("yes"))).await?.expect_any_error()
}

const TAMPERED_REFUSED: Check = Check {
    id: "server/mrtr/tampered-state-refused",
    title: "requestState that was changed on its way is refused",
    cites: &[
        must(REQUIREMENTS, Span::MODERN),
        must("basic/patterns/mrtr#security-considerations", Span::MODERN),
    ],
    aliases: &[],
    why: "the state passes through the client; whoever can change it can make the server believe anything",
    fix: "seal the state with a MAC or encrypt it, and refuse what does not verify",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(tampered_refused(cx))),
    fault: &fault::STATE_UNVERIFIED,
};

/// Only of this fixture it is known that its state matters.
async fn tampered_refused(cx: &ServerCx) -> Verdict {
    let tool = fixture(cx, "test_input_required_result_tampered_state").await?;
    let session = cx.session().await?;
    let mut asked = first_round(cx, session, tool).await?;
    let Some(state) = asked["requestState"].as_str() else {
        return Err(Finding::not_applicable("the tool sends no requestState"));
    };
    asked["requestState"] = tampered(state).into();
    let given = responses(session, &asked["inputRequests"]);
    let answer = retry(cx, session, tool, &asked, Some(given)).await?;
    refused(&answer, "a refusal of the changed state")
}

const STATE_BOUND: Check = Check {
    id: "server/mrtr/state-bound",
    title: "requestState of one request is refused in another",
    cites: &[should(REQUIREMENTS, Span::MODERN)],
    aliases: &[],
    why: "what was confirmed for one thing would be taken as confirmed for another",
    fix: "seal the method and the arguments into the state, and compare them when it comes back",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(state_bound(cx))),
    fault: &fault::STATE_UNBOUND,
};

async fn state_bound(cx: &ServerCx) -> Verdict {
    let one = fixture(cx, "test_input_required_result_request_state").await?;
    let other = fixture(cx, "test_input_required_result_tampered_state").await?;
    let session = cx.session().await?;
    let asked = first_round(cx, session, one).await?;
    if !asked["requestState"].is_string() {
        return Err(Finding::not_applicable("the tool sends no requestState"));
    }
    let given = responses(session, &asked["inputRequests"]);
    let answer = retry(cx, session, other, &asked, Some(given)).await?;
    refused(&answer, "a refusal of the other request's state")
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

/// The interim result of a first call.
async fn first_round(cx: &ServerCx, session: &Session, tool: &Value) -> Result<Value, Finding> {
    let answer = call(cx, session, tool, &json!({})).send().await?;
    let result = answer.reply.result().unwrap_or_default();
    if result["resultType"] == "input_required" {
        return Ok(result);
    }
    Err(Finding::blocked(format!("tool {} did not ask for input: {}", tool["name"], answer.summary())))
}

async fn retry(
    cx: &ServerCx,
    session: &Session,
    tool: &Value,
    asked: &Value,
    responses: Option<Value>,
) -> Result<Answer, Finding> {
    let mut params = json!({ "name": tool["name"], "arguments": {} });
    if let Some(state) = asked.get("requestState") {
        params["requestState"] = state.clone();
    }
    if let Some(responses) = responses {
        params["inputResponses"] = responses;
    }
    cx.on(session, "tools/call").params(params).send().await
}
