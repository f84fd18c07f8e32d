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

/// Receives the body within its limits, and answers it here or, if it is long, on another thread.
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
    if is_light(&received) {
        return respond(shared, &head.headers, received, work);
    }
    let (offload, work) = (shared.offload.clone(), work.clone());
    let headers = Arc::new(head.headers);
    let respond = {
        let (shared, headers, work) = (shared.clone(), headers.clone(), work.clone());
        move |received| respond(&shared, &headers, received, &work)
    };
    let responded = handle_heavy(&offload, received, work, respond).await;
    responded.unwrap_or_else(|refusal| finish(shared, answered(&headers, None), *refusal))
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

/// Parses the body, has [`dispatch`] call the handler, and shows the response to the handler.
fn respond<H: Handler>(
    shared: &Arc<Shared<H>>,
    headers: &HeaderMap,
    received: Received,
    work: &Budget,
) -> Finished {
    let bytes = received.bytes.clone();
    let posted = PostedRequest { headers, received, work };
    let payload = match Payload::parse(&bytes) {
        Ok(payload) => payload,
        Err(why) => {
            let refusal = posted.answer_stateless(shared, shared.handler.malformed(None, &why));
            return finish(shared, answered(headers, None), refusal);
        }
    };
    let method = match &payload {
        Payload::Single(frame) => frame.method(),
        Payload::Batch(_) => None,
    };
    let response = dispatch(shared, payload, posted);
    finish(shared, answered(headers, method.as_deref()), response)
}

/// A request that is being answered.
struct PostedRequest<'a> {
    headers: &'a HeaderMap,
    received: Received,
    work: &'a Budget,
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

/// Chooses the era and the session of a message, and calls [`Handler::handle`].
fn dispatch<H: Handler>(
    shared: &Arc<Shared<H>>,
    payload: Payload<'_>,
    posted: PostedRequest<'_>,
) -> Response {
    let headers = posted.headers;
    match payload {
        Payload::Single(frame) => match opening(&frame, headers) {
            opening @ Opening::Modern(_) => {
                let inbound = Inbound { frame, opening, headers: Some(headers) };
                posted.answer_stateless(shared, shared.handler.handle(&shared.stateless, inbound))
            }
            // The session itself refuses a second handshake.
            Opening::Initialize if session::session_id(headers).is_some() => {
                in_session(shared, Payload::Single(frame), posted)
            }
            Opening::Initialize => initialize(shared, frame, posted),
            Opening::Legacy => in_session(shared, Payload::Single(frame), posted),
        },
        batch @ Payload::Batch(_) => in_session(shared, batch, posted),
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

fn initialize<H: Handler>(shared: &Arc<Shared<H>>, frame: Frame<'_>, posted: PostedRequest<'_>) -> Response {
    let session = Session::open(shared, Transport::StreamableHttp);
    let inbound = Inbound { frame, opening: Opening::Initialize, headers: Some(posted.headers) };
    let answer = shared.handler.handle(&session.peer, inbound);
    let established = shared.handler.is_established(&session.peer);
    let mut response = posted.answer_in(shared, &session, answer);
    if established {
        match shared.add(session).map(HeaderValue::try_from) {
            Ok(Ok(id)) => drop(response.headers_mut().insert("mcp-session-id", id)),
            Ok(Err(_)) => return reply::refused(500, "the id of the session cannot be a header"),
            Err(refusal) => return refusal.response(),
        }
    }
    response
}

fn in_session<H: Handler>(
    shared: &Arc<Shared<H>>,
    payload: Payload<'_>,
    posted: PostedRequest<'_>,
) -> Response {
    let session = match session::find(shared, posted.headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let limits = &shared.options.limits;
    let answer = batch::answer(&shared.handler, &session.peer, payload, Some(posted.headers), limits);
    posted.answer_in(shared, &session, answer)
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
            Answer::Accepted => return reply::accepted(),
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
