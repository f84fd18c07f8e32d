//! Elicitation: what a server does when the user declines or cancels.

use protocol::Span;
use serde_json::Value;
use server::fault::asks as fault;
use transport::client::Session;
use wire::Direction;

use crate::clients::{Reaction, User};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[DECLINE_HANDLED];

/// Elicitation, error handling (2026-07-28): a server must cope with a user who declines or cancels, and with a client
/// that fails to process the request. Here that means that the call is still answered.
const DECLINE_HANDLED: Check = Check {
    id: "server/elicitation/decline-handled",
    title: "a tool call is answered even if the user declines or cancels",
    cites: &[must("client/elicitation#error-handling", Span::MODERN)],
    aliases: &["test_elicitation_support"],
    why: "users say no; a server that counts on a yes leaves the client waiting",
    fix: "give a result, or an error, for decline and for cancel",
    applies: Applies::Everywhere,
    run: Run::OtherClient(|cx| Box::pin(decline_handled(cx))),
    fault: &fault::ELICIT_DECLINE_UNANSWERED,
};

async fn decline_handled(cx: &ServerCx) -> Verdict {
    let callable = cx.callable().await?;
    let fed = callable.into_iter().filter_map(|(tool, good)| Some((tool, good?)));
    let asking: Vec<_> = fed.filter(|(tool, _)| elicits(tool)).take(4).collect();
    let mut asked = false;
    if asking.is_empty() {
        return Err(cx.no_tool("asks the user").await);
    }
    let user = User::default();
    let session = cx.partial(&user).await?;
    for reaction in [Reaction::Decline, Reaction::Cancel] {
        user.reacts(reaction);
        let action = reaction.as_str();
        for (tool, good) in &asking {
            let before = refusals(&session, action);
            let answered = cx.call_on(&session, tool, good).through().await;
            let answers = answered.map_err(|finding| match finding {
                // A server that was silent before it asked is silent for another reason.
                Finding::Blocked(obstacle) if refusals(&session, action) > before => {
                    Finding::violated(format!("an answer after {action}"), obstacle.why)
                }
                other => other,
            })?;
            // Over HTTP an exchange may end without a message.
            let last = answers.last().filter(|_| refusals(&session, action) > before);
            if let Some(mute) = last.filter(|answer| answer.reply.frame().is_none()) {
                return Err(mute.violated(format!("an answer after {action}"), mute.summary()));
            }
            asked |= answers.len() > 1;
        }
    }
    if asked { Ok(()) } else { Err(cx.no_tool("asks the user").await) }
}

fn elicits(tool: &Value) -> bool {
    let name = tool["name"].as_str().unwrap_or_default().to_lowercase();
    name.contains("elicit") || name.contains("ask-") || name.contains("ask_")
}

/// How often the user has said no on `session`.
fn refusals(session: &Session, action: &str) -> usize {
    let transcript = session.recorder().transcript();
    let sent = transcript.messages().filter(|entry| entry.direction == Direction::ToServer);
    let no = format!("\"{action}\"");
    sent.filter(|entry| String::from_utf8_lossy(&entry.bytes).contains(&no)).count()
}
