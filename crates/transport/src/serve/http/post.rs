//! `POST /mcp`: one message, of either era.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderValue};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body as _;
use tokio::sync::mpsc;
use wire::{Frame, Payload};

use super::session::{self, Session};
use super::{Request, Response, Shared, Slip, finish, names_modern, reply};
use crate::MAX_MESSAGE;
use crate::serve::{Answer, Handler, Inbound, Opening, Out, Via, batch};

pub(super) async fn post<H: Handler>(shared: &Arc<Shared<H>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if let Err(refusal) = check_media(&head.headers) {
        return *refusal;
    }
    let body = match read(body).await {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    let payload = match Payload::parse(&body) {
        Ok(payload) => payload,
        Err(why) => {
            let refusal = answer_stateless(shared, shared.handler.malformed(None, &why), &head.headers);
            return finish(shared, None, refusal);
        }
    };
    let method = match &payload {
        Payload::Single(frame) => frame.method(),
        Payload::Batch(_) => None,
    };
    let response = dispatch(shared, payload, &head.headers);
    finish(shared, method.as_deref(), response)
}

/// Reads a body of bounded size.
pub(super) async fn read(body: hyper::body::Incoming) -> Result<Bytes, Box<Response>> {
    let mut body = Limited::new(body, MAX_MESSAGE);
    // Most bodies come in one piece, which then needs no copy.
    let first = match body.frame().await.transpose() {
        Ok(frame) => frame.and_then(|frame| frame.into_data().ok()).unwrap_or_default(),
        Err(error) => return Err(broken(&*error)),
    };
    if body.is_end_stream() {
        return Ok(first);
    }
    match body.collect().await {
        Ok(rest) => Ok([first, rest.to_bytes()].concat().into()),
        Err(error) => Err(broken(&*error)),
    }
}

fn broken(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Box<Response> {
    Box::new(if error.is::<LengthLimitError>() {
        reply::refused(413, &format!("a body of more than {MAX_MESSAGE} bytes"))
    } else {
        reply::refused(400, &format!("the body broke off: {error}"))
    })
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

fn dispatch<H: Handler>(shared: &Arc<Shared<H>>, payload: Payload<'_>, headers: &HeaderMap) -> Response {
    match payload {
        Payload::Single(frame) => match opening(&frame, headers) {
            opening @ Opening::Modern(_) => {
                let inbound = Inbound { frame, opening, headers: Some(headers) };
                answer_stateless(shared, shared.handler.handle(&shared.stateless, inbound), headers)
            }
            // A second handshake in one session is that session's to refuse.
            Opening::Initialize if session::session_id(headers).is_some() => {
                in_session(shared, Payload::Single(frame), headers)
            }
            Opening::Initialize => initialize(shared, frame, headers),
            Opening::Legacy => in_session(shared, Payload::Single(frame), headers),
        },
        batch @ Payload::Batch(_) => in_session(shared, batch, headers),
    }
}

/// A header that names a modern revision makes a message modern by itself, so that a missing `_meta` is reported as such,
/// and one that is there need not be read twice. A handshake is judged by what it carries.
fn opening(frame: &Frame<'_>, headers: &HeaderMap) -> Opening {
    let handshake = frame.method().is_some_and(|method| method == "initialize");
    if names_modern(headers) && !handshake {
        return Opening::Modern(String::new());
    }
    Opening::of(frame)
}

fn initialize<H: Handler>(shared: &Arc<Shared<H>>, frame: Frame<'_>, headers: &HeaderMap) -> Response {
    let session = Session::open(&*shared.handler, Via::StreamableHttp);
    let inbound = Inbound { frame, opening: Opening::Initialize, headers: Some(headers) };
    let answer = shared.handler.handle(&session.peer, inbound);
    let established = shared.handler.is_established(&session.peer);
    let mut response = answer_in(shared, &session, answer, headers);
    if established {
        let id =
            shared.sessions.insert(session, &shared.options).and_then(|id| HeaderValue::try_from(id).ok());
        let Some(id) = id else { return reply::refused(500, "no randomness for a session id") };
        response.headers_mut().insert("mcp-session-id", id);
    }
    response
}

fn in_session<H: Handler>(shared: &Arc<Shared<H>>, payload: Payload<'_>, headers: &HeaderMap) -> Response {
    let session = match session::find(shared, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let answer = batch::answer(&shared.handler, &session.peer, payload, Some(headers));
    answer_in(shared, &session, answer, headers)
}

fn answer_in<H: Handler>(
    shared: &Shared<H>,
    session: &Session<H::Peer>,
    answer: Answer,
    headers: &HeaderMap,
) -> Response {
    at_once(answer, headers).unwrap_or_else(|outs| {
        let primed = session::primes(shared.handler.version(&session.peer));
        session.answer(outs, primed, &shared.options)
    })
}

fn answer_stateless<H: Handler>(shared: &Shared<H>, answer: Answer, headers: &HeaderMap) -> Response {
    at_once(answer, headers).unwrap_or_else(|outs| {
        let stays = shared.options.slips(Slip::StaysOpen);
        reply::events(events(outs, shared.options.keep_alive, stays))
    })
}

/// The response to what is no stream, or to a client that takes none and gets the end of it alone.
fn at_once(answer: Answer, headers: &HeaderMap) -> Result<Response, mpsc::Receiver<Out>> {
    match answer {
        Answer::Accepted => Ok(reply::accepted()),
        Answer::Message { status, body } => Ok(reply::json(status, body)),
        Answer::Stream(outs) if session::accepts(headers, "text/event-stream") => Err(outs),
        Answer::Stream(outs) => Ok(reply::last(outs)),
    }
}

/// The events of a modern stream: no ids, nothing to resume, and closing it is the cancellation.
fn events(
    outs: mpsc::Receiver<Out>,
    keep_alive: Duration,
    stays: bool,
) -> impl futures_util::Stream<Item = Bytes> + Send + use<> {
    futures_util::stream::unfold(outs, move |mut outs| async move {
        loop {
            match tokio::time::timeout(keep_alive, outs.recv()).await {
                Ok(Some(Out::Message(message))) => {
                    return Some((Bytes::from(wire::sse::encode(None, &message)), outs));
                }
                Ok(Some(Out::Hangup { .. })) => {}
                Ok(None) if stays => tokio::time::sleep(keep_alive).await,
                Ok(None) => return None,
                Err(_) => return Some((Bytes::from_static(super::COMMENT), outs)),
            }
        }
    })
}
