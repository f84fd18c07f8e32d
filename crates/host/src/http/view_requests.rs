//! Requests of a View to its own server, passed on by the page.
//!
//! A browser opens few connections to one origin, and a call may take long. A request with `later` frees its
//! connection soon. The page then collects the answers to all its open calls with one long-polling request.

use std::sync::Arc;
use std::time::Duration;

use protocol::code;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::{ApiResult, parsed, server_of, view_of};
use super::{Request, reply};
use crate::Shared;
use crate::server::{OutgoingRequest, RequestResult, RpcRefusal, SupervisedServer};
use crate::view::{View, check_request, for_apps};

/// How long a request with `later` holds its connection.
const LATER_AFTER: Duration = Duration::from_millis(150);
/// The code of the refusal when an app has too many open calls, the same as in the page.
const TOO_MANY_CALLS: i64 = -32_000;
/// How long the long-polling request holds its connection.
const POLL_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AskBody {
    method: String,
    #[serde(default)]
    params: Value,
    /// The id of the request to the server. The page cancels the request by this id.
    call_id: Option<String>,
    /// The sequence number that the page gave to the message of the View.
    seq: Option<u64>,
    /// Whether a slow answer may be collected later by its `callId`.
    #[serde(default)]
    later: bool,
}

/// Passes a View's request on to its server.
pub(super) async fn forward_request(shared: &Arc<Shared>, id: &str, request: Request) -> ApiResult {
    let ask: AskBody = parsed(request).await?;
    let view = view_of(shared, id)?;
    let server = server_of(shared, &view.server)?;
    let Some(call) = ask.call_id.clone().filter(|_| ask.later) else {
        return Ok(reply::json(200, &answer(shared, &server, &view, ask).await));
    };
    let (host, asker) = (shared.clone(), view.clone());
    let mut work = tokio::spawn(async move { answer(&host, &server, &asker, ask).await });
    match tokio::time::timeout(LATER_AFTER, &mut work).await {
        Ok(answer) => {
            let mut answer = answer.unwrap_or_else(|_| broken());
            answer["progress"] = view.answers.take_progress(&call).into();
            Ok(reply::json(200, &answer))
        }
        Err(_) => {
            tokio::spawn(async move { view.answers.add(call, work.await.unwrap_or_else(|_| broken())) });
            Ok(reply::json(202, &json!({ "later": true })))
        }
    }
}

/// The answers to a View's calls after number `after`, as soon as there are any.
pub(super) async fn answers(shared: &Shared, id: &str, after: Option<&str>) -> ApiResult {
    let view = view_of(shared, id)?;
    let after = after.and_then(|n| n.parse().ok()).unwrap_or(0);
    let there = tokio::time::timeout(POLL_TIMEOUT, view.answers.after(after));
    tokio::select! {
        there = there => Ok(reply::json(200, &json!({ "answers": there.unwrap_or_default() }))),
        () = view.closed.cancelled() => Err(reply::refused(404, &format!("the view {id} was closed"))),
    }
}

async fn answer(shared: &Shared, server: &SupervisedServer, view: &Arc<View>, ask: AskBody) -> Value {
    let answered = pass_on(shared, server, view, ask).await;
    answered.map_or_else(|refusal| refusal.to_value(), |result| json!({ "result": result }))
}

fn broken() -> Value {
    RpcRefusal::new(code::INTERNAL_ERROR, "the host failed to handle this call").to_value()
}

async fn pass_on(
    shared: &Shared,
    server: &SupervisedServer,
    view: &Arc<View>,
    ask: AskBody,
) -> RequestResult {
    let Ok(_permit) = view.calls.clone().try_acquire_owned() else {
        return Err(RpcRefusal::new(TOO_MANY_CALLS, "this app has too many open calls"));
    };
    let openai = view.openai.as_ref();
    check_request(&server.now(), openai, &ask.method, &ask.params)?;
    let mut params = if ask.params.is_null() { json!({}) } else { ask.params };
    let _following = server.follow_progress(view, ask.call_id.as_deref().unwrap_or_default(), &mut params);
    let cause = match ask.seq {
        Some(seq) => view.entry(seq).await,
        None => None,
    };
    let asking = OutgoingRequest {
        method: &ask.method,
        params,
        view: Some(&view.id),
        run: view.run.as_deref(),
        cause,
        id: ask.call_id.as_deref(),
        closed: Some(&view.closed),
    };
    let mut result = server.ask(shared, asking).await?;
    if ask.method == "tools/list"
        && let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut)
    {
        // An app may call a tool that it was just shown, so the host has to know that tool as well.
        if !server.now().has_tools(tools) {
            server.read_again(shared, cause).await;
        }
        tools.retain(|tool| for_apps(tool, openai));
    }
    Ok(result)
}
