//! The body of a request: read into one buffer, within its limits of bytes and time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, timeout_at};

use super::connections::Connection;
use super::{Response, reply};
use crate::serve::{Budget, Limits, Reservation, cost};

/// The first size of the buffer.
const FIRST_CAPACITY: usize = 16 * 1024;

/// A body, and its reservation.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) bytes: Bytes,
    /// Only long bodies are charged while they are read. Short ones are bounded by the number of connections.
    pub(super) room: Option<Reservation>,
}

/// Reads the body of a request, or says why it is refused.
pub(super) async fn receive(
    body: Incoming,
    headers: &HeaderMap,
    limits: &Limits,
    work: &Budget,
    connection: &Connection,
) -> Result<Received, Box<Response>> {
    if announced_length(headers).is_some_and(|length| length > limits.message as u64) {
        return Err(too_long(limits));
    }
    connection.wait_for_client();
    let received = Receiving { body, limits, work, until: Instant::now() + limits.body }.whole().await;
    connection.start_handling();
    received
}

/// Whether the client announces a body that is not charged.
pub(super) fn is_announced_short(headers: &HeaderMap) -> bool {
    announced_length(headers).is_some_and(|length| length <= cost::SHORT_TEXT as u64)
}

/// The length that the client announces.
fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

struct Receiving<'a, B> {
    body: B,
    limits: &'a Limits,
    work: &'a Budget,
    until: Instant,
}

impl<B> Receiving<'_, B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::fmt::Display,
{
    async fn whole(mut self) -> Result<Received, Box<Response>> {
        let first = self.piece().await?.unwrap_or_default();
        // Most bodies come in one piece, which then needs no copy.
        if self.body.is_end_stream() {
            if first.len() > self.limits.message {
                return Err(too_long(self.limits));
            }
            return Ok(Received { bytes: first, room: None });
        }
        let mut whole = BytesMut::new();
        let mut room = self.work.reserve_nothing();
        let mut next = Some(first);
        while let Some(piece) = next {
            if whole.len() + piece.len() > self.limits.message {
                return Err(too_long(self.limits));
            }
            self.make_room(&mut whole, &mut room, piece.len())?;
            whole.extend_from_slice(&piece);
            // The piece keeps a larger buffer of the connection alive.
            drop(piece);
            next = self.piece().await?;
        }
        Ok(Received { bytes: whole.freeze(), room: Some(room) })
    }

    /// Lets the buffer grow, never beyond the longest message, and only within the budget.
    fn make_room(
        &self,
        whole: &mut BytesMut,
        room: &mut Reservation,
        more: usize,
    ) -> Result<(), Box<Response>> {
        let needed = whole.len() + more;
        if needed <= whole.capacity() {
            return Ok(());
        }
        let capacity = (whole.capacity() * 2).max(FIRST_CAPACITY).min(self.limits.message).max(needed);
        // Short bodies are read in any case.
        if capacity > cost::SHORT_TEXT {
            room.resize(capacity).map_err(|why| reply::over_budget(&why))?;
        }
        whole.reserve(capacity - whole.len());
        Ok(())
    }

    /// The next piece of data; none at the end.
    async fn piece(&mut self) -> Result<Option<Bytes>, Box<Response>> {
        loop {
            let until = (Instant::now() + self.limits.body_stall).min(self.until);
            match timeout_at(until, self.body.frame()).await {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => {
                    // Trailers are ignored.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Ok(Some(Err(error))) => {
                    return Err(Box::new(reply::refused(400, &format!("the body broke off: {error}"))));
                }
                Err(_) => return Err(too_slow(self.limits.body_stall, self.limits.body)),
            }
        }
    }
}

fn too_long(limits: &Limits) -> Box<Response> {
    Box::new(reply::refused(413, &format!("a body of more than {} bytes", limits.message)))
}

fn too_slow(stall: Duration, whole: Duration) -> Box<Response> {
    let (stall, whole) = (stall.as_secs(), whole.as_secs());
    let why = format!("the body did not come: nothing for {stall} s, or not all of it within {whole} s");
    Box::new(reply::closing(reply::refused(408, &why)))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::{StreamExt, stream};
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    use super::*;
    use crate::serve::Budgets;

    type Piece = Result<Frame<Bytes>, Infallible>;

    fn pieces(count: usize, size: usize) -> impl Body<Data = Bytes, Error = Infallible> + Unpin {
        let piece = move |_| Piece::Ok(Frame::data(Bytes::from(vec![b'x'; size])));
        StreamBody::new(stream::iter(0..count).map(piece).boxed())
    }

    async fn receive_within<B>(body: B, limits: &Limits, work: &Budget) -> Result<Received, u16>
    where
        B: Body<Data = Bytes, Error = Infallible> + Unpin,
    {
        let receiving = Receiving { body, limits, work, until: Instant::now() + limits.body };
        receiving.whole().await.map_err(|refusal| refusal.status().as_u16())
    }

    #[tokio::test]
    async fn a_body_in_single_bytes_costs_what_it_is() {
        let limits = Limits::default();
        let work = Budgets::of_process(&limits).work;
        let received = receive_within(pieces(100_000, 1), &limits, &work).await.unwrap();
        assert_eq!(received.bytes.len(), 100_000);
        let charged = work.used();
        assert!((100_000..=200_000).contains(&charged), "{charged}");
        drop(received);
        assert_eq!(work.used(), 0);
    }

    #[tokio::test]
    async fn what_is_too_long_or_has_no_room_is_refused_and_given_back() {
        let limits = Limits::default();
        let work = Budgets::of_process(&limits).work;
        let long = limits.message / 1024 + 1;
        assert_eq!(receive_within(pieces(long, 1024), &limits, &work).await.unwrap_err(), 413);
        assert_eq!(work.used(), 0);
        let session = work.for_session(1024 * 1024);
        let _other = session.reserve(900 * 1024).unwrap();
        assert_eq!(receive_within(pieces(200, 1024), &limits, &session).await.unwrap_err(), 429);
        assert_eq!(
            receive_within(pieces(12, 1024), &limits, &session).await.map(|r| r.bytes.len()),
            Ok(12 * 1024)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stalls_or_drips_is_given_up() {
        let limits = Limits::default();
        let work = Budgets::of_process(&limits).work;
        let stalled = stream::once(async { Piece::Ok(Frame::data(Bytes::from_static(b"{"))) });
        let stalled = StreamBody::new(stalled.chain(stream::pending()).boxed());
        let began = Instant::now();
        assert_eq!(receive_within(stalled, &limits, &work).await.unwrap_err(), 408);
        assert_eq!(began.elapsed(), limits.body_stall);
        let dripping = stream::repeat(()).then(|()| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Piece::Ok(Frame::data(Bytes::from_static(b" ")))
        });
        let began = Instant::now();
        assert_eq!(receive_within(StreamBody::new(dripping.boxed()), &limits, &work).await.unwrap_err(), 408);
        assert_eq!(began.elapsed(), limits.body);
    }
}
