//! One cancellable request and its response. Nothing is recorded in the timeline here.

use std::future::Future;
use std::time::Duration;

use protocol::Era;
use serde_json::{Value, json};
use transport::Transport;
use transport::client::{Failure, Message, Reply, Request, Session};

/// Practically unlimited: the caller decides when a request is given up.
const UNLIMITED: Duration = Duration::from_secs(24 * 60 * 60);

/// Why the host gave up a request.
#[derive(Clone, Debug)]
pub(super) enum CancelReason {
    /// The person cancelled it.
    Cancelled,
    /// It took longer than this. Time in which the server waited for the person does not count.
    TooLong(Duration),
}

impl CancelReason {
    const fn reason(&self) -> &'static str {
        match self {
            Self::Cancelled => "the person at the host cancelled it",
            Self::TooLong(_) => "it took too long",
        }
    }

    pub(super) fn failure(&self) -> Failure {
        Failure::Ours(match self {
            Self::Cancelled => "the call was cancelled".to_owned(),
            Self::TooLong(limit) => format!("the server did not respond within {} s", limit.as_secs()),
        })
    }
}

/// Why there is no response, and the notification that the server got about it.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) why: Failure,
    pub(super) notice: Option<Value>,
}

/// Sends a request and waits for its response or for `given_up`. Every message goes to `heard` as it arrives.
pub(super) async fn send(
    session: &Session,
    request: Request,
    id: &Value,
    given_up: impl Future<Output = CancelReason>,
    heard: impl FnMut(&Message),
) -> Result<Reply, Unanswered> {
    tokio::select! {
        answered = receive(request, heard) => answered.map_err(|why| Unanswered { why, notice: None }),
        given_up = given_up => {
            let notice = cancel(session, id, given_up.reason()).await;
            Err(Unanswered { why: given_up.failure(), notice })
        }
    }
}

async fn receive(request: Request, mut heard: impl FnMut(&Message)) -> Result<Reply, Failure> {
    let mut pending = request.timeout(UNLIMITED).start().await?;
    while !pending.is_settled() {
        match pending.next().await? {
            Some(message) => {
                heard(&message);
                pending.forget_messages();
            }
            None => break,
        }
    }
    let reply = pending.response().await?;
    reply.messages.iter().for_each(heard);
    Ok(reply)
}

/// Cancels the request at the server, and returns the notification that was sent. In the modern era of HTTP there is
/// none: closing the stream cancels the request.
async fn cancel(session: &Session, id: &Value, reason: &str) -> Option<Value> {
    if session.transport() == Transport::StreamableHttp && session.version().era() == Era::Modern {
        return None;
    }
    let params = json!({ "requestId": id, "reason": reason });
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    let told = session.notification("notifications/cancelled").body(notice.to_string());
    // If even this cannot be sent, the server is unreachable and nothing more can be done.
    told.send().await.ok().map(|_| notice)
}

/// Whether a message that arrived before the response to `request` belongs to it. On a shared channel other messages
/// arrive in between; `Notifications` handles those.
pub(super) fn is_own(session: &Session, message: &Value, request: &Value) -> bool {
    let is_notification = message.get("method").is_some();
    let (params, token) = (&message["params"], request.pointer("/params/_meta/progressToken"));
    session.transport() == Transport::StreamableHttp
        || !is_notification
        || params["requestId"] == request["id"]
        || (token.is_some() && params.get("progressToken") == token)
}
