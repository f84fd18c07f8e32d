//! `POST /mcp`: one message, of either era.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderValue};
use tokio::sync::mpsc;
use wire::{Frame, Payload};

use super::connections::Connection;
use super::finish::{Answered, Finished, finish};
use super::offload::Offload;
use super::receive::{Received, is_announced_short, receive};
use super::session::{self, Session, StreamPermit};
use super::{Request, Response, Shared, names_modern, reply};
use crate::Transport;
use crate::serve::{Answer, Budget, Handler, Inbound, Opening, Out, Reservation, batch, cost};

/// Receives the body within its limits, has the handler answer it, here or, if it is long, on another thread, and makes a
/// response of the answer once that is known.
pub(super) async fn post<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: Request,
    connection: &Connection,
) -> Finished {
    let (head, body) = request.into_parts();
    let refuse = |refusal: Box<Response>| finish(shared, answered(&head.headers, None), *refusal);
    if let Err(refusal) = check_media(&head.headers) {
        return refuse(refusal);
    }
    // A request that names a session is charged to it; all others share one budget. Short messages are not charged.
    let named = session::session_id(&head.headers).filter(|_| !is_announced_short(&head.headers));
    let session = named.and_then(|id| shared.sessions.get(id, Transport::StreamableHttp));
    let work = session.as_ref().map_or(&shared.budgets.work, |session| &session.budgets.work);
    let received = match receive(body, &head.headers, &shared.options.limits, work, connection).await {
        Ok(received) => received,
        Err(refusal) => return refuse(refusal),
    };
    let handled = if is_light(&received) {
        dispatch(shared, &head.headers, received)
    } else {
        let (offload, work) = (shared.offload.clone(), work.clone());
        let dispatch = {
            let (shared, headers) = (shared.clone(), head.headers.clone());
            move |received| dispatch(&shared, &headers, received)
        };
        match handle_heavy(&offload, received, work, dispatch).await {
            Ok(handled) => handled,
            Err(refusal) => return refuse(refusal),
        }
    };
    let method = handled.method.clone();
    let response = handled.respond(shared, &head.headers, work).await;
    finish(shared, answered(&head.headers, method.as_deref()), response)
}

const fn answered<'a>(headers: &'a HeaderMap, method: Option<&'a str>) -> Answered<'a> {
    Answered { transport: Transport::StreamableHttp, headers, method }
}

/// Whether a body is so small that it is neither charged nor handled on another thread. A batch never is, because its
/// messages add up.
pub(super) fn is_light(received: &Received) -> bool {
    received.bytes.len() <= cost::SHORT_TEXT && !received.bytes.trim_ascii_start().starts_with(b"[")
}

/// Handles any other body on another thread, if there is room for it.
pub(super) async fn handle_heavy<T: Send + 'static>(
    offload: &Offload,
    mut received: Received,
    work: Budget,
    respond: impl FnOnce(Received) -> T + Send + 'static,
) -> Result<T, Box<Response>> {
    let handled = offload.run(move || charge(&mut received, &work).map(|()| respond(received))).await;
    handled.unwrap_or_else(|| {
        Err(Box::new(reply::refused(500, "the server broke while it handled the message")))
    })
}

/// Reserves what handling a message needs.
fn charge(received: &mut Received, work: &Budget) -> Result<(), Box<Response>> {
    let mut room = received.room.take().unwrap_or_else(|| work.reserve_nothing());
    room.resize(cost::estimate_handling(&received.bytes)).map_err(|why| reply::over_budget(&why))?;
    received.room = Some(room);
    Ok(())
}

/// What a stream reserves while it lasts: the handler keeps the request.
pub(super) fn hold_stream(received: Received, work: &Budget) -> Result<Reservation, Box<Response>> {
    let Received { bytes, room } = received;
    match room.filter(|_| bytes.len() > cost::SHORT_TEXT) {
        Some(room) => Ok(room),
        None => work.reserve(cost::estimate_handling(&bytes)).map_err(|why| reply::over_budget(&why)),
    }
}

/// What the handler said to a posted body.
struct Handled<P> {
    /// The method, if the body is one message that has one.
    method: Option<Box<str>>,
    answer: Result<(Answer, Conversation<P>), Box<Response>>,
    received: Received,
}

/// The conversation that a message belongs to.
enum Conversation<P> {
    /// None: the message says everything itself.
    Stateless,
    /// A session that gets its id if the handler accepts the handshake.
    New(Arc<Session<P>>),
    /// An open session.
    Open(Arc<Session<P>>),
}

fn check_media(headers: &HeaderMap) -> Result<(), Box<Response>> {
    let content = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let media = content.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        return Err(Box::new(reply::refused(415, "send Content-Type: application/json")));
    }
    if session::accepts(headers, "application/json") || session::accepts(headers, "text/event-stream") {
        return Ok(());
    }
    Err(Box::new(reply::refused(406, "send Accept: application/json, text/event-stream")))
}

/// Parses the body, chooses the era and the session of its message, and calls [`Handler::handle`].
fn dispatch<H: Handler>(
    shared: &Arc<Shared<H>>,
    headers: &HeaderMap,
    received: Received,
) -> Handled<H::Peer> {
    let (method, answer) = match Payload::parse(&received.bytes) {
        Ok(payload) => {
            let method = match &payload {
                Payload::Single(frame) => frame.method().map(Into::into),
                Payload::Batch(_) => None,
            };
            (method, handle(shared, payload, &received.bytes, headers))
        }
        Err(why) => (None, Ok((shared.handler.malformed(None, &why), Conversation::Stateless))),
    };
    Handled { method, answer, received }
}

fn handle<H: Handler>(
    shared: &Arc<Shared<H>>,
    payload: Payload<'_>,
    bytes: &Bytes,
    headers: &HeaderMap,
) -> Result<(Answer, Conversation<H::Peer>), Box<Response>> {
    let frame = match payload {
        Payload::Single(frame) => frame,
        batch @ Payload::Batch(_) => return in_session(shared, batch, bytes, headers),
    };
    match opening(&frame, headers) {
        opening @ Opening::Modern(_) => {
            let inbound = Inbound { frame, bytes, opening, headers: Some(headers) };
            Ok((shared.handler.handle(&shared.stateless, inbound), Conversation::Stateless))
        }
        Opening::Initialize if session::session_id(headers).is_none() => {
            let session = Session::open(shared, Transport::StreamableHttp);
            let inbound = Inbound { frame, bytes, opening: Opening::Initialize, headers: Some(headers) };
            Ok((shared.handler.handle(&session.peer, inbound), Conversation::New(session)))
        }
        // The session itself refuses a second handshake.
        Opening::Initialize | Opening::Legacy => in_session(shared, Payload::Single(frame), bytes, headers),
    }
}

/// A header that names a modern revision makes a message modern, so that a missing `_meta` is reported as such and a
/// present one is not parsed twice. A handshake is judged by its own parameters.
fn opening(frame: &Frame<'_>, headers: &HeaderMap) -> Opening {
    let handshake = frame.method().is_some_and(|method| method == "initialize");
    if names_modern(headers) && !handshake {
        return Opening::Modern(String::new());
    }
    Opening::classify(frame)
}

fn in_session<H: Handler>(
    shared: &Arc<Shared<H>>,
    payload: Payload<'_>,
    bytes: &Bytes,
    headers: &HeaderMap,
) -> Result<(Answer, Conversation<H::Peer>), Box<Response>> {
    let session = session::find(shared, headers)?;
    let limits = &shared.options.limits;
    let answer = batch::answer(&shared.handler, &session.peer, payload, bytes, Some(headers), limits);
    Ok((answer, Conversation::Open(session)))
}

impl<P: Send + Sync + 'static> Handled<P> {
    /// Makes a response of the answer, once it is known.
    async fn respond<H: Handler<Peer = P>>(
        self,
        shared: &Shared<H>,
        headers: &HeaderMap,
        work: &Budget,
    ) -> Response {
        let (answer, conversation) = match self.answer {
            Ok(answer) => answer,
            Err(refusal) => return *refusal,
        };
        let answer = answer.known().await;
        let posted = PostedRequest { headers, received: self.received, work };
        match conversation {
            Conversation::Stateless => posted.answer_stateless(shared, answer),
            Conversation::Open(session) => posted.answer_in(shared, &session, answer),
            Conversation::New(session) => {
                let response = posted.answer_in(shared, &session, answer);
                if shared.handler.is_established(&session.peer) {
                    name_session(shared, session, response)
                } else {
                    response
                }
            }
        }
    }
}

/// Gives a new session its id, and adds it to the response to its handshake.
fn name_session<H: Handler>(
    shared: &Shared<H>,
    session: Arc<Session<H::Peer>>,
    mut response: Response,
) -> Response {
    match shared.add(session).map(HeaderValue::try_from) {
        Ok(Ok(id)) => drop(response.headers_mut().insert("mcp-session-id", id)),
        Ok(Err(_)) => return reply::refused(500, "the id of the session cannot be a header"),
        Err(refusal) => return refusal.response(),
    }
    response
}

/// A request that is being answered.
struct PostedRequest<'a> {
    headers: &'a HeaderMap,
    received: Received,
    work: &'a Budget,
}

impl PostedRequest<'_> {
    fn answer_in<H: Handler>(
        self,
        shared: &Shared<H>,
        session: &Session<H::Peer>,
        answer: Answer,
    ) -> Response {
        let primed = session::primes_streams(shared.handler.version(&session.peer));
        PostedRequest { work: &session.budgets.work, ..self }.answer(answer, |outs, held| {
            let permit = session.stream_permit(shared)?;
            Ok(session.answer(outs, primed, &shared.options, (permit, held)))
        })
    }

    fn answer_stateless<H: Handler>(self, shared: &Shared<H>, answer: Answer) -> Response {
        self.answer(answer, |outs, held| {
            let permit = StreamPermit::of_server(shared)?;
            Ok(reply::events(events(outs, shared.options.keep_alive, held), permit))
        })
    }

    /// Responds to an answer that is not a stream, or to a client that accepts no stream and gets only the last
    /// message. `stream` makes the response for all others.
    fn answer(
        self,
        answer: Answer,
        stream: impl FnOnce(mpsc::Receiver<Out>, Reservation) -> Result<Response, Box<Response>>,
    ) -> Response {
        let Self { headers, received, work } = self;
        let outs = match answer {
            Answer::Accepted | Answer::Later(_) => return reply::accepted(),
            Answer::Message { status, body } => {
                // The tree was dropped, and its room is free for the answer.
                drop(received);
                return reply::charged_json(status, body, work);
            }
            Answer::Stream(outs) => outs,
        };
        let response = hold_stream(received, work).and_then(|held| {
            if session::accepts(headers, "text/event-stream") {
                stream(outs, held)
            } else {
                Ok(reply::last_message(outs, held))
            }
        });
        response.unwrap_or_else(|refusal| *refusal)
    }
}

/// The events of a modern stream. They have no ids and cannot be resumed; closing the stream cancels the request.
fn events(
    outs: mpsc::Receiver<Out>,
    keep_alive: Duration,
    held: Reservation,
) -> impl futures_util::Stream<Item = Bytes> + Send + use<> {
    futures_util::stream::unfold((outs, held), move |(mut outs, held)| async move {
        loop {
            match tokio::time::timeout(keep_alive, outs.recv()).await {
                Ok(Some(Out::Message(message))) => {
                    return Some((Bytes::from(wire::sse::encode(None, &message)), (outs, held)));
                }
                Ok(Some(Out::Hangup { .. })) => {}
                Ok(None) => return None,
                Err(_) => return Some((Bytes::from_static(super::COMMENT), (outs, held))),
            }
        }
    })
}
