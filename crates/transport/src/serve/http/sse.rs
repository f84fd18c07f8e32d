//! The HTTP+SSE transport of 2024-11-05: one stream per client, and a second path to post to.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::sync::{OwnedMutexGuard, mpsc};
use wire::Payload;

use super::session::Session;
use super::{COMMENT, MESSAGES_PATH, Options, Request, Response, Shared, Slip, post, reply};
use crate::serve::{Answer, Handler, Via, batch, pipe};

/// The name by which the posting path tells its sessions apart.
const PARAMETER: &str = "sessionId";

/// `GET /sse`: the stream, whose first event says where to post.
pub(super) fn open<H: Handler>(shared: &Arc<Shared<H>>) -> Response {
    let session = Session::open(&*shared.handler, Via::HttpSse);
    let Some(messages) = session.take_outbox() else {
        return reply::refused(500, "the stream of a new session is taken");
    };
    let Some(id) = shared.sessions.insert(session, &shared.options) else {
        return reply::refused(500, "no randomness for a session id");
    };
    let endpoint = endpoint(&id, &shared.options);
    let connection = Connection { shared: shared.clone(), id, first: Some(endpoint.into()), messages };
    reply::events(stream::unfold(connection, |mut connection| async move {
        let bytes = connection.next().await?;
        Some((bytes, connection))
    }))
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
pub(super) async fn post<H: Handler>(shared: &Arc<Shared<H>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    let id = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == PARAMETER);
    let Some(session) = id.and_then(|(_, id)| shared.sessions.get(id)) else {
        return reply::refused(404, "no such session: open the event stream first");
    };
    let body = match post::read(body).await {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    let answer = match Payload::parse(&body) {
        Ok(payload) => batch::answer(&shared.handler, &session.peer, payload, Some(&head.headers)),
        Err(why) => shared.handler.malformed(Some(&session.peer), &why),
    };
    match answer {
        Answer::Accepted => {}
        Answer::Message { body, .. } if shared.options.slips(Slip::AnswersPost) => {
            return reply::json(200, body);
        }
        Answer::Message { body, .. } => {
            // Nobody reads any more: the client has closed its stream and wants no answer.
            let _ = session.sender.send(body).await;
        }
        Answer::Stream(outs) => {
            tokio::spawn(pipe::forward(outs, session.sender.clone()));
        }
    }
    reply::accepted()
}

/// The stream of one client; the session ends with it.
struct Connection<H: Handler> {
    shared: Arc<Shared<H>>,
    id: String,
    first: Option<Bytes>,
    messages: OwnedMutexGuard<mpsc::Receiver<Bytes>>,
}

impl<H: Handler> Connection<H> {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(endpoint) = self.first.take() {
            return Some(endpoint);
        }
        match tokio::time::timeout(self.shared.options.keep_alive, self.messages.recv()).await {
            Ok(message) => {
                let mut event = b"event: message\n".to_vec();
                event.extend(wire::sse::encode(None, &message?));
                Some(event.into())
            }
            Err(_) => Some(Bytes::from_static(COMMENT)),
        }
    }
}

impl<H: Handler> Drop for Connection<H> {
    fn drop(&mut self) {
        if let Some(session) = self.shared.sessions.remove(&self.id) {
            self.shared.handler.disconnect(&session.peer);
        }
    }
}
