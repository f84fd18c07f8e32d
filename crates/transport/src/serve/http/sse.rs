//! The HTTP+SSE transport of 2024-11-05: one stream per client, and a second path to post to.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::sync::OwnedMutexGuard;

use super::connections::Connection;
use super::receive::Received;
use super::session::Session;
use super::{COMMENT, MESSAGES_PATH, Options, Request, Response, Shared, Slip, post, receive, reply};
use crate::serve::queue::Receiver;
use crate::serve::{Answer, Handler, Via, batch, pipe};

/// The name by which the posting path tells its sessions apart.
const PARAMETER: &str = "sessionId";

/// `GET /sse`: the stream, whose first event says where to post.
pub(super) fn open<H: Handler>(shared: &Arc<Shared<H>>) -> Response {
    let session = Session::open(shared, Via::HttpSse);
    let permit = match session.stream_permit(shared) {
        Ok(permit) => permit,
        Err(refusal) => return *refusal,
    };
    let Some(messages) = session.take_outbox() else {
        return reply::refused(500, "the stream of a new session is taken");
    };
    let id = match shared.add(session.clone()) {
        Ok(id) => id,
        Err(unopened) => return unopened.response(),
    };
    let endpoint = endpoint(&id, &shared.options);
    let listening = Listening { shared: shared.clone(), session, id, first: Some(endpoint.into()), messages };
    let events = stream::unfold(listening, |mut listening| async move {
        let bytes = listening.next().await?;
        Some((bytes, listening))
    });
    reply::events(events, permit)
}

/// The event that says where to post.
fn endpoint(id: &str, options: &Options) -> String {
    let origin = if options.slips(Slip::ForeignEndpoint) { "http://attacker.example" } else { "" };
    let name = if options.slips(Slip::NoEndpoint) { "hello" } else { "endpoint" };
    let uri = format!("{origin}{MESSAGES_PATH}?{PARAMETER}={id}");
    let data = if options.slips(Slip::JsonEndpoint) { json!({ "uri": uri }).to_string() } else { uri };
    format!("event: {name}\ndata: {data}\n\n")
}

/// `POST /messages`: taken in here, answered on the stream.
pub(super) async fn post<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: Request,
    connection: &Connection,
) -> Response {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    let id = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == PARAMETER);
    let Some(session) = id.and_then(|(_, id)| shared.sessions.get(id, Via::HttpSse)) else {
        return reply::refused(404, "no such session: open the event stream first");
    };
    let limits = &shared.options.limits;
    let work = &session.budgets.work;
    let received = match receive::receive(body, &head.headers, limits, work, connection).await {
        Ok(received) => received,
        Err(refusal) => return *refusal,
    };
    let taken = if post::is_light(&received) {
        Ok(take_in(shared, &session, &head.headers, received))
    } else {
        let (shared, session) = (shared.clone(), session.clone());
        let (offload, work) = (shared.offload.clone(), session.budgets.work.clone());
        let take = move |received| take_in(&shared, &session, &head.headers, received);
        post::handle_heavy(&offload, received, work, take).await
    };
    match taken {
        Ok(Taken::Done(response)) => response,
        Ok(Taken::Answer(message)) => {
            // Nobody reads any more: the client has closed its stream and wants no answer.
            let _ = session.sender.send(message).await;
            reply::accepted()
        }
        Err(refusal) => *refusal,
    }
}

/// What has become of a message.
enum Taken {
    /// All that there is to say.
    Done(Response),
    /// An answer that belongs on the stream.
    Answer(Bytes),
}

/// Has a message handled.
fn take_in<H: Handler>(
    shared: &Shared<H>,
    session: &Session<H::Peer>,
    headers: &http::HeaderMap,
    received: Received,
) -> Taken {
    let answer = match wire::Payload::parse(&received.bytes) {
        Ok(payload) => {
            batch::answer(&shared.handler, &session.peer, payload, Some(headers), &shared.options.limits)
        }
        Err(why) => shared.handler.malformed(Some(&session.peer), &why),
    };
    Taken::Done(match answer {
        Answer::Accepted => reply::accepted(),
        Answer::Message { body, .. } if shared.options.slips(Slip::AnswersPost) => reply::json(200, body),
        Answer::Message { body, .. } => {
            drop(received);
            match session.budgets.kept.hold(body) {
                Ok(body) => return Taken::Answer(body),
                Err(why) => *reply::over_budget(&why),
            }
        }
        Answer::Stream(outs) => match post::hold_stream(received, &session.budgets.work) {
            Ok(held) => {
                tokio::spawn(pipe::forward(outs, session.sender.clone(), held));
                reply::accepted()
            }
            Err(refusal) => *refusal,
        },
    })
}

/// The stream of one client; the session ends with it.
struct Listening<H: Handler> {
    shared: Arc<Shared<H>>,
    session: Arc<Session<H::Peer>>,
    id: String,
    first: Option<Bytes>,
    messages: OwnedMutexGuard<Receiver>,
}

impl<H: Handler> Listening<H> {
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
                // The message is gone, and the event is charged in its place. Without room for it the stream is over.
                self.session.budgets.kept.hold(event.into()).ok()
            }
            Err(_) => Some(Bytes::from_static(COMMENT)),
        }
    }
}

impl<H: Handler> Drop for Listening<H> {
    fn drop(&mut self) {
        if let Some(session) = self.shared.sessions.remove(&self.id) {
            self.shared.end(&session);
        }
    }
}
