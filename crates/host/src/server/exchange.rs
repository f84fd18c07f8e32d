//! One request and its reply, which can be taken back.

use std::future::Future;

use protocol::Era;
use serde_json::{Value, json};
use transport::client::{Failure, Reply, Request, Session, Transport};

/// What a server is told of a request that is taken back.
const REASON: &str = "the person at the host took it back";

/// Why there is no reply, and what the server was told about that.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) why: Failure,
    pub(super) notice: Option<Value>,
}

/// Sends a request and waits for its reply, unless it is taken back before.
pub(super) async fn run(
    session: &Session,
    request: Request,
    id: &Value,
    given_up: impl Future<Output = ()>,
) -> Result<Reply, Unanswered> {
    tokio::select! {
        answered = request.send() => answered.map_err(|why| Unanswered { why, notice: None }),
        () = given_up => {
            Err(Unanswered { why: taken_back(), notice: take_back(session, id).await })
        }
    }
}

/// Why there is no reply to a request that was taken back.
pub(super) fn taken_back() -> Failure {
    Failure::Ours("the call was taken back".to_owned())
}

/// Tells the server that nobody waits any more: with what. In the modern era of HTTP the end of the stream says it.
async fn take_back(session: &Session, id: &Value) -> Option<Value> {
    if session.transport() == Transport::StreamableHttp && session.version().era() == Era::Modern {
        return None;
    }
    let params = json!({ "requestId": id, "reason": REASON });
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    let told = session.notification("notifications/cancelled").body(notice.to_string());
    // A server that does not even take this is past telling.
    told.send().await.ok().map(|_| notice)
}

/// The messages of a reply that are its own. Where all requests share one channel, whatever else came in the meantime is in
/// every reply, and is heard as what the server says unasked.
pub(super) fn own_messages(session: &Session, reply: &Reply, id: &Value) -> Vec<Value> {
    let own_stream = session.transport() == Transport::StreamableHttp;
    let is_own = |message: &Value| {
        own_stream || message.get("method").is_none() || &message["params"]["requestId"] == id
    };
    reply.messages.iter().filter_map(|message| message.value().filter(is_own)).collect()
}
