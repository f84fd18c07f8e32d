//! The HTTP+SSE transport of 2024-11-05: one stream per client, and a second path to post to.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, Uri};
use hyper::body::Incoming;
use tokio::sync::OwnedMutexGuard;

use super::connections::Connection;
use super::finish::{Answered, Finished, finish};
use super::receive::Received;
use super::session::Session;
use super::{COMMENT, MESSAGES_PATH, Request, Response, Shared, post, receive, reply};
use crate::Transport;
use crate::serve::queue::Receiver;
use crate::serve::{Answer, Handler, batch, pipe};

/// The query parameter that names the session.
const PARAMETER: &str = "sessionId";

/// `GET /sse`: the stream, whose first event says where to post.
pub(super) fn open<H: Handler>(shared: &Arc<Shared<H>>) -> Response {
    let session = Session::open(shared, Transport::HttpSse);
    let permit = match session.stream_permit(shared) {
        Ok(permit) => permit,
        Err(refusal) => return *refusal,
    };
    let Some(messages) = session.take_outbox() else {
        return reply::refused(500, "the stream of a new session is already open");
    };
    let id = match shared.add(session.clone()) {
        Ok(id) => id,
        Err(refusal) => return refusal.response(),
    };
    let endpoint = format!("event: endpoint\ndata: {MESSAGES_PATH}?{PARAMETER}={id}\n\n");
    let sse = SseStream { shared: shared.clone(), session, id, first: Some(endpoint.into()), messages };
    let events = stream::unfold(sse, |mut sse| async move {
        let bytes = sse.next().await?;
        Some((bytes, sse))
    });
    reply::events(events, permit)
}

/// `POST /messages`: accepted here, answered on the stream.
pub(super) async fn post<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: Request,
    connection: &Connection,
) -> Finished {
    let (head, body) = request.into_parts();
    let headers = Arc::new(head.headers);
    let response = receive_post(shared, &head.uri, &headers, body, connection).await;
    let response = response.unwrap_or_else(|refusal| *refusal);
    finish(shared, Answered { transport: Transport::HttpSse, headers: &headers, method: None }, response)
}

async fn receive_post<H: Handler>(
    shared: &Arc<Shared<H>>,
    uri: &Uri,
    headers: &Arc<HeaderMap>,
    body: Incoming,
    connection: &Connection,
) -> Result<Response, Box<Response>> {
    let query = uri.query().unwrap_or_default();
    let id = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == PARAMETER);
    let Some(session) = id.and_then(|(_, id)| shared.sessions.get(id, Transport::HttpSse)) else {
        return Ok(reply::refused(404, "no such session: open the event stream first"));
    };
    let limits = &shared.options.limits;
    let work = &session.budgets.work;
    let received = receive::receive(body, headers, limits, work, connection).await?;
    let outcome = if post::is_light(&received) {
        handle_message(shared, &session, headers, received)
    } else {
        let (shared, session, headers) = (shared.clone(), session.clone(), headers.clone());
        let (offload, work) = (shared.offload.clone(), session.budgets.work.clone());
        let handle = move |received| handle_message(&shared, &session, &headers, received);
        post::handle_heavy(&offload, received, work, handle).await?
    };
    Ok(match outcome {
        PostOutcome::Done(response) => response,
        PostOutcome::Answer(message) => {
            // The client has closed its stream and gets no answer.
            let _ = session.sender.send(message).await;
            reply::accepted()
        }
    })
}

/// The outcome of a posted message.
enum PostOutcome {
    /// The whole response.
    Done(Response),
    /// An answer that belongs on the stream.
    Answer(Bytes),
}

/// Passes a message to the handler.
fn handle_message<H: Handler>(
    shared: &Shared<H>,
    session: &Session<H::Peer>,
    headers: &HeaderMap,
    received: Received,
) -> PostOutcome {
    let answer = match wire::Payload::parse(&received.bytes) {
        Ok(payload) => {
            let limits = &shared.options.limits;
            batch::answer(&shared.handler, &session.peer, payload, &received.bytes, Some(headers), limits)
        }
        Err(why) => shared.handler.malformed(Some(&session.peer), &why),
    };
    PostOutcome::Done(match answer {
        Answer::Accepted => reply::accepted(),
        Answer::Message { body, .. } if shared.options.answer_posts => reply::json(200, body),
        Answer::Message { body, .. } => {
            drop(received);
            match session.budgets.kept.hold(body) {
                Ok(body) => return PostOutcome::Answer(body),
                Err(why) => *reply::over_budget(&why),
            }
        }
        answer @ (Answer::Stream(_) | Answer::Later(_)) => {
            match post::hold_stream(received, &session.budgets.work) {
                Ok(held) => {
                    tokio::spawn(pipe::forward(answer, session.sender.clone(), held));
                    reply::accepted()
                }
                Err(refusal) => *refusal,
            }
        }
    })
}

/// The stream of one client; the session ends with it.
struct SseStream<H: Handler> {
    shared: Arc<Shared<H>>,
    session: Arc<Session<H::Peer>>,
    id: String,
    first: Option<Bytes>,
    messages: OwnedMutexGuard<Receiver>,
}

impl<H: Handler> SseStream<H> {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(endpoint) = self.first.take() {
            return Some(endpoint);
        }
        let received = tokio::select! {
            received = tokio::time::timeout(self.shared.options.keep_alive, self.messages.recv()) => received,
            () = self.session.ended.cancelled() => return None,
        };
        match received {
            Ok(message) => {
                let mut event = b"event: message\n".to_vec();
                event.extend(wire::sse::encode(None, &message?));
                // The message was dropped, and the event is charged instead. Without room for it the stream ends.
                self.session.budgets.kept.hold(event.into()).ok()
            }
            Err(_) => Some(Bytes::from_static(COMMENT)),
        }
    }
}

impl<H: Handler> Drop for SseStream<H> {
    fn drop(&mut self) {
        if let Some(session) = self.shared.sessions.remove(&self.id) {
            self.shared.end(&session);
        }
    }
}
