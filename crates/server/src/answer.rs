//! Turns the outcome of a feature into what the transport sends: a message, or a stream.

use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use protocol::{Era, Version};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use transport::Transport;
use transport::serve::{Answer, Out};
use wire::{Frame, Id};

use crate::call::{Call, Reply, Stop, Work};
use crate::feature::{self, modern};
use crate::rpc::{self, RpcError};

/// How many streamed messages may be queued before a tool has to wait.
const MAX_QUEUED: usize = 16;

/// Answers a request: [`feature::dispatch`] finds its feature.
pub(crate) fn run(call: Call) -> Answer {
    match feature::dispatch(&call) {
        Ok(Reply::Done(result)) => answer(&call, Ok(result)),
        Ok(Reply::Text(text)) => {
            let body = rpc::text_result(&call.id, call.version().era(), &text).into();
            Answer::Message { status: 200, body }
        }
        Ok(Reply::Later(work)) => run_in_background(call, work),
        Err(stop) => answer(&call, Err(stop)),
    }
}

/// Refuses a message before it reaches the features.
pub(crate) fn refuse(frame: &Frame<'_>, version: Version, error: &RpcError) -> Answer {
    let id = frame.id.filter(|id| Id::allows(id));
    let mut body = rpc::error(id, error);
    // Before 2025-11-25 an error response had to have an id. JSON-RPC uses null for one that cannot be read.
    if id.is_none() && version < Version::V2025_11_25 {
        body = rpc::error(Some(RawValue::NULL), error);
    }
    Answer::Message { status: error.http_status(version), body: body.into() }
}

/// The result or error of a request, in the form of the client's revision.
pub(crate) fn conclude(call: &Call, outcome: Result<Value, Stop>) -> Result<Value, RpcError> {
    let mut result = match outcome {
        Ok(result) => result,
        Err(Stop::Input(requests)) => modern::input_required(call, &requests)?,
        Err(Stop::Error(error)) => return Err(error),
    };
    feature::finish(call, &mut result)?;
    Ok(result)
}

/// The final message of a request.
fn final_message(call: &Call, outcome: Result<Value, Stop>) -> (u16, Bytes) {
    match conclude(call, outcome) {
        Ok(result) if call.version().era() == Era::Modern => {
            (200, rpc::signed_result(&call.id, &result).into())
        }
        Ok(result) => (200, rpc::result(&call.id, &result).into()),
        Err(error) => (error.http_status(call.client.version), rpc::error(Some(&call.id), &error).into()),
    }
}

fn answer(call: &Call, outcome: Result<Value, Stop>) -> Answer {
    let (status, body) = final_message(call, outcome);
    Answer::Message { status, body }
}

/// Runs `work` in the background and streams its messages, unless the client cancels or disconnects.
///
/// Work that ends at the first poll is answered at once: a refusal keeps its HTTP status, and a question needs no
/// stream.
fn run_in_background(mut call: Call, work: Work) -> Answer {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED);
    call.out = Some(sender.clone());
    let mut work = work(call.clone());
    let running = can_be_cancelled(&call).then(|| call.peer.track_request(Id::from_raw(&call.id)));
    let first = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let work = match first {
        Poll::Ready(outcome) if receiver.is_empty() => return answer(&call, outcome),
        Poll::Ready(outcome) => Box::pin(std::future::ready(outcome)),
        Poll::Pending => work,
    };
    tokio::spawn(async move {
        let stop = running.as_ref().map(|running| running.stop.clone()).unwrap_or_default();
        let outcome = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = sender.closed() => return,
            outcome = work => outcome,
        };
        let (_, message) = final_message(&call, outcome);
        let message = call
            .peer
            .hold(message)
            .unwrap_or_else(|why| rpc::error(Some(&call.id), &RpcError::over_budget(why)).into());
        // The client has gone.
        let _ = sender.send(Out::Message(message)).await;
    });
    Answer::Stream(receiver)
}

/// Stateless HTTP cancels by closing the stream, and its ids have no meaning beyond it. `initialize` cannot be
/// cancelled, but it takes no time.
fn can_be_cancelled(call: &Call) -> bool {
    call.version().era() == Era::Legacy || call.peer.transport == Transport::Stdio
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::json;
    use transport::serve::{Budget, Handler, Inbound, Opening, Outbox};

    use bytes::Bytes;

    use super::*;
    use crate::{Peer, Server};

    fn called(server: &Server, peer: &Arc<Peer>, tool: &str) -> Answer {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let arguments = json!({ "name": tool, "_meta": meta });
        let text =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments }).to_string();
        let bytes = &Bytes::from(text);
        let frame = Frame::parse(bytes).unwrap();
        let opening = Opening::classify(&frame);
        server.handle(peer, Inbound { frame, bytes, opening, headers: None })
    }

    fn connected(server: &Server) -> Arc<Peer> {
        Arc::new(server.connect(Transport::StreamableHttp, Outbox::closed(), Budget::new(1_000_000)))
    }

    #[tokio::test]
    async fn what_is_done_at_once_is_no_stream() {
        let server = Server::new();
        let peer = connected(&server);
        assert!(matches!(called(&server, &peer, "picture"), Answer::Message { status: 200, .. }));
        let refused = called(&server, &peer, "sample");
        assert!(matches!(refused, Answer::Message { status: 400, .. }), "{refused:?}");
        assert!(matches!(called(&server, &peer, "countdown"), Answer::Stream(_)));
    }

    /// Work holds on to its peer, so that nobody else holds it when the work has ended.
    #[tokio::test]
    async fn work_ends_when_nobody_reads_its_stream() {
        let server = Server::new();
        let peer = connected(&server);
        let answer = called(&server, &peer, "countdown");
        assert!(Arc::strong_count(&peer) > 1);
        drop(answer);
        let ended = async {
            while Arc::strong_count(&peer) > 1 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        // Sooner than the countdown would be done.
        assert!(tokio::time::timeout(Duration::from_millis(60), ended).await.is_ok());
    }
}
