//! One request and its reply, which can be cancelled.

use std::future::Future;
use std::time::Duration;

use protocol::Era;
use serde_json::{Value, json};
use transport::client::{Failure, Message, Reply, Request, Session, Transport};

/// Longer than anybody waits: how long a request takes is decided by whoever gives it up.
const UNLIMITED: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a request is given up.
#[derive(Clone, Debug)]
pub(super) enum GivenUp {
    /// The person no longer wants it.
    Cancelled,
    /// It took longer than this, not counting the time for which the server waited for the person.
    TooLong(Duration),
}

impl GivenUp {
    const fn reason(&self) -> &'static str {
        match self {
            Self::Cancelled => "the person at the host cancelled it",
            Self::TooLong(_) => "it took too long",
        }
    }

    pub(super) fn failure(&self) -> Failure {
        Failure::Ours(match self {
            Self::Cancelled => "the call was cancelled".to_owned(),
            Self::TooLong(limit) => format!("the server gave no answer within {} s", limit.as_secs()),
        })
    }
}

/// Why there is no reply, and what the server was told about that.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) why: Failure,
    pub(super) notice: Option<Value>,
}

/// Sends a request and waits for its reply, unless it is given up before. `heard` gets every message as it comes.
pub(super) async fn run(
    session: &Session,
    request: Request,
    id: &Value,
    given_up: impl Future<Output = GivenUp>,
    heard: impl FnMut(&Message),
) -> Result<Reply, Unanswered> {
    tokio::select! {
        answered = follow(request, heard) => answered.map_err(|why| Unanswered { why, notice: None }),
        given_up = given_up => {
            let notice = cancel(session, id, given_up.reason()).await;
            Err(Unanswered { why: given_up.failure(), notice })
        }
    }
}

async fn follow(request: Request, mut heard: impl FnMut(&Message)) -> Result<Reply, Failure> {
    let mut pending = request.timeout(UNLIMITED).start().await?;
    let mut count = 0;
    while !pending.is_settled() {
        match pending.next().await? {
            Some(message) => {
                count += 1;
                heard(&message);
            }
            None => break,
        }
    }
    let reply = pending.response().await?;
    reply.messages.iter().skip(count).for_each(heard);
    Ok(reply)
}

/// Tells the server that nobody waits any more: with what. In the modern era of HTTP the end of the stream says it.
async fn cancel(session: &Session, id: &Value, reason: &str) -> Option<Value> {
    if session.transport() == Transport::StreamableHttp && session.version().era() == Era::Modern {
        return None;
    }
    let params = json!({ "requestId": id, "reason": reason });
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    let told = session.notification("notifications/cancelled").body(notice.to_string());
    // A server that does not even take this cannot be told.
    told.send().await.ok().map(|_| notice)
}

/// Whether a message that came with the reply to request `id` is part of it. Where all requests share one channel, whatever
/// else came in the meantime is among them, and is heard as what the server says unasked. Requests of the server are shown
/// where they are answered.
pub(super) fn is_own(session: &Session, message: &Value, id: &Value) -> bool {
    let is_notification = message.get("method").is_some();
    if is_notification && message.get("id").is_some() {
        return false;
    }
    session.transport() == Transport::StreamableHttp
        || !is_notification
        || &message["params"]["requestId"] == id
}
