//! What a view asks of its own server, by way of the page.
//!
//! A browser opens few connections to one host, and calls may take long: who says `later` gets a connection back soon, and
//! fetches with one request what all its open calls have come to.

use std::sync::Arc;
use std::time::Duration;

use protocol::code;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::{Outcome, parsed, server_of, view_of};
use super::{Request, reply};
use crate::Shared;
use crate::server::{Answered, Asking, Refusal, Server};
use crate::view::{View, for_apps, may_ask};

/// How long a request that can be answered later holds its connection.
const SOON: Duration = Duration::from_millis(150);
/// How long the one that waits for answers holds its connection.
const WAITING: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ask {
    method: String,
    #[serde(default)]
    params: Value,
    /// The id of the request to the server, under which it can be taken back.
    call_id: Option<String>,
    /// The page's number of the message that asks.
    seq: Option<u64>,
    /// Whether an answer that takes its time may be fetched later, under its `callId`.
    #[serde(default)]
    later: bool,
}

/// Asks the server of a view.
pub(super) async fn asked(shared: &Arc<Shared>, id: &str, request: Request) -> Outcome {
    let ask: Ask = parsed(request).await?;
    let view = view_of(shared, id)?;
    let server = server_of(shared, &view.server)?;
    let Some(call) = ask.call_id.clone().filter(|_| ask.later) else {
        return Ok(reply::json(200, &answer(shared, &server, &view, ask).await));
    };
    let (host, asker) = (shared.clone(), view.clone());
    let mut work = tokio::spawn(async move { answer(&host, &server, &asker, ask).await });
    match tokio::time::timeout(SOON, &mut work).await {
        Ok(answer) => Ok(reply::json(200, &answer.unwrap_or_else(|_| broken()))),
        Err(_) => {
            tokio::spawn(async move { view.answers.add(call, work.await.unwrap_or_else(|_| broken())) });
            Ok(reply::json(202, &json!({ "later": true })))
        }
    }
}

/// What the calls of a view have come to after number `after`, as soon as there is anything.
pub(super) async fn answers(shared: &Shared, id: &str, after: Option<&str>) -> Outcome {
    let view = view_of(shared, id)?;
    let after = after.and_then(|n| n.parse().ok()).unwrap_or(0);
    let there = tokio::time::timeout(WAITING, view.answers.after(after));
    tokio::select! {
        there = there => Ok(reply::json(200, &json!({ "answers": there.unwrap_or_default() }))),
        () = view.closed.cancelled() => Err(reply::refused(404, &format!("the view {id} was closed"))),
    }
}

async fn answer(shared: &Shared, server: &Server, view: &View, ask: Ask) -> Value {
    let answered = pass_on(shared, server, view, ask).await;
    answered.map_or_else(|refusal| refusal.to_value(), |result| json!({ "result": result }))
}

fn broken() -> Value {
    Refusal::new(code::INTERNAL_ERROR, "the host itself failed on this call").to_value()
}

async fn pass_on(shared: &Shared, server: &Server, view: &View, ask: Ask) -> Answered {
    let Ok(_permit) = view.calls.clone().try_acquire_owned() else {
        return Err(Refusal::new(code::INTERNAL_ERROR, "too many calls of this app are under way"));
    };
    let openai = view.openai.as_ref();
    may_ask(&server.now(), openai, &ask.method, &ask.params)?;
    let mut params = if ask.params.is_null() { json!({}) } else { ask.params };
    let _following = server.follow_progress(&view.id, &mut params);
    let cause = match ask.seq {
        Some(seq) => view.entry(seq).await,
        None => None,
    };
    let asking = Asking {
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
        // What is shown to an app has to be known when it is called.
        if !server.now().knows(tools) {
            server.read_again(shared, cause).await;
        }
        tools.retain(|tool| for_apps(tool, openai));
    }
    Ok(result)
}
