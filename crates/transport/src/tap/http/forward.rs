//! One request on its way to the server, and the answer on its way back.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::sync::Mutex;
use wire::Direction;

use super::recorded_body::RecordedBody;
use super::{Shared, headers};
use crate::strip_hop_by_hop;
use crate::tap::note::Piece;

/// How long a reused connection may take to become ready.
const READY_TIMEOUT: Duration = Duration::from_millis(100);

/// The answer: the server's, or one of the tap's own.
pub(super) type Answer = Response<Either<RecordedBody, Full<Bytes>>>;

/// The connection to the server that belongs to one connection of the client.
#[derive(Debug, Default)]
pub(super) struct Upstream(Mutex<Option<http1::SendRequest<RecordedBody>>>);

/// Passes a request on and returns the answer, whose body may still be on its way.
pub(super) async fn forward(shared: &Shared, upstream: &Upstream, request: Request<Incoming>) -> Answer {
    if let Err(refusal) = shared.guard.admit(request.method(), request.headers(), request.uri()) {
        let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::FORBIDDEN);
        return answer_with_text(status, &refusal.to_string());
    }
    let number = shared.exchanges.fetch_add(1, Ordering::Relaxed);
    let (mut parts, body) = request.into_parts();
    let record = &shared.record;
    record.note(Direction::ToServer, number, Piece::Head(headers::request_head(&parts))).await;
    headers::redirect(shared, &mut parts);
    let body = RecordedBody::new(body, record.clone(), Direction::ToServer, number, false);
    match send(shared, upstream, Request::from_parts(parts, body)).await {
        Ok(response) => {
            let (mut parts, body) = response.into_parts();
            record.note(Direction::ToClient, number, Piece::Head(headers::response_head(&parts))).await;
            let kind =
                parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            let is_stream = kind.to_ascii_lowercase().starts_with("text/event-stream");
            strip_hop_by_hop(&mut parts.headers);
            let body = RecordedBody::new(body, record.clone(), Direction::ToClient, number, is_stream);
            Response::from_parts(parts, Either::Left(body))
        }
        Err(why) => {
            record.note(Direction::ToClient, number, Piece::End(Some(why.clone()))).await;
            answer_with_text(StatusCode::BAD_GATEWAY, &why)
        }
    }
}

/// Sends on the open connection, or on a new one.
async fn send(
    shared: &Shared,
    upstream: &Upstream,
    mut request: Request<RecordedBody>,
) -> Result<Response<Incoming>, String> {
    let mut held = upstream.0.lock().await;
    if let Some(mut sender) = held.take()
        && matches!(tokio::time::timeout(READY_TIMEOUT, sender.ready()).await, Ok(Ok(())))
    {
        match sender.try_send_request(request).await {
            Ok(response) => {
                *held = Some(sender);
                return Ok(response);
            }
            // The server had closed it before a byte was written, so the request may be sent on a new one.
            Err(mut unsent) => match unsent.take_message() {
                Some(back) => request = back,
                None => return Err(no_answer(&unsent.into_error())),
            },
        }
    }
    let stream = shared.connector.connect().await.map_err(|failure| failure.to_string())?;
    let mut builder = http1::Builder::new();
    builder.preserve_header_case(true);
    let (mut sender, driver) =
        builder.handshake(TokioIo::new(stream)).await.map_err(|why| no_answer(&why))?;
    // It ends with the sender or with the server. The exchange reports which.
    tokio::spawn(async move { drop(driver.await) });
    let response = sender.send_request(request).await.map_err(|why| no_answer(&why))?;
    *held = Some(sender);
    Ok(response)
}

fn no_answer(why: &hyper::Error) -> String {
    format!("the server gave no answer: {why}")
}

/// An answer of the tap's own.
fn answer_with_text(status: StatusCode, why: &str) -> Answer {
    let mut response = Response::new(Either::Right(Full::from(format!("yardstick tap: {why}\n"))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
