//! A raw socket: it sends any bytes, and returns exactly what came back.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use wire::{Recorder, What};

use super::http::{Connector, Stream, head_end};
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::{Endpoint, Failure, Limits};

/// The most bytes that are read for one reply. The expected replies are short.
const MAX_REPLY_BYTES: usize = 512 * 1024;

/// A connection that sends any bytes, with TLS if the endpoint has it.
#[derive(Debug)]
pub struct RawSocket {
    stream: Stream,
    record: BoundedRecorder,
    exchange: u32,
    limits: Limits,
}

/// What came back on a raw socket.
#[derive(Clone, Debug)]
pub struct RawReply {
    /// Exactly the bytes.
    pub bytes: Bytes,
    /// Why no more was read.
    pub end: RawEnd,
    /// How long it took.
    pub took: Duration,
}

/// Why no more was read from a raw socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawEnd {
    /// The target closed its side.
    Closed,
    /// The connection broke; the system's reason.
    Broken(String),
    /// An HTTP response was complete.
    Complete,
    /// Nothing more came in time.
    Quiet,
    /// More came than the limits allow.
    Full,
}

impl RawSocket {
    /// Connects, and writes nothing yet.
    pub async fn open(endpoint: &Endpoint, recorder: &Recorder, limits: &Limits) -> Result<Self, Failure> {
        limits.run.admit_session()?;
        let stream = Connector::new(endpoint, limits.connect)?.connect_raw().await?;
        let record = BoundedRecorder::new(recorder.clone(), limits);
        Ok(Self { stream, exchange: 0, record, limits: limits.clone() })
    }

    /// Sends the bytes as they are.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.record.record_sent(What::Noise, self.exchange, Bytes::copy_from_slice(bytes));
        let written = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        match tokio::time::timeout(self.limits.request, written).await {
            Ok(result) => result.map_err(|why| Failure::closed("writing", why.to_string())),
            Err(_) => Err(Failure::timed_out("bytes that it does not read", self.limits.request)),
        }
    }

    /// Closes our side; the target may still answer.
    pub async fn half_close(&mut self) -> Result<(), Failure> {
        self.stream.shutdown().await.map_err(|why| Failure::closed("closing one side", why.to_string()))
    }

    /// Reads one HTTP response to the end of its framing; without a known length, until silence or the end of the
    /// connection.
    pub async fn response(&mut self, patience: Duration) -> RawReply {
        self.read_until(is_complete, patience).await
    }

    /// Reads until the target closes its side, or nothing comes for `patience`.
    pub async fn rest(&mut self, patience: Duration) -> RawReply {
        self.read_until(|_| false, patience).await
    }

    async fn read_until(&mut self, done: impl Fn(&[u8]) -> bool, patience: Duration) -> RawReply {
        let start = Instant::now();
        let mut bytes = BytesMut::new();
        let mut buffer = vec![0; 16 * 1024];
        // Slow single bytes would otherwise extend the wait for ever.
        let deadline = start + patience + self.limits.request;
        let end = loop {
            let until = deadline.min(Instant::now() + patience);
            match tokio::time::timeout_at(until, self.stream.read(&mut buffer)).await {
                Err(_) => break RawEnd::Quiet,
                Ok(Ok(0)) => break RawEnd::Closed,
                Ok(Err(why)) => break RawEnd::Broken(why.to_string()),
                Ok(Ok(count)) => bytes.extend_from_slice(&buffer[..count]),
            }
            if done(&bytes) {
                break RawEnd::Complete;
            }
            if bytes.len() >= self.limits.message.min(MAX_REPLY_BYTES) {
                break RawEnd::Full;
            }
        };
        let bytes = bytes.freeze();
        if !bytes.is_empty() {
            // The reply has all bytes; only the record is bounded.
            let _ = self.record.record_received(What::Noise, self.exchange, bytes.clone());
        }
        RawReply { bytes, end, took: start.elapsed() }
    }
}

impl RawReply {
    /// The status of the HTTP response, if it begins like one.
    pub fn status(&self) -> Option<u16> {
        let line = self.bytes.split(|b| *b == b'\n').next()?;
        let line = std::str::from_utf8(line).ok()?;
        let (version, rest) = line.split_once(' ')?;
        let status = rest.trim_end().split(' ').next()?;
        version.starts_with("HTTP/").then(|| status.parse().ok()).flatten()
    }

    /// What follows the head of the HTTP response, as it was on the wire.
    pub fn body(&self) -> &[u8] {
        head_end(&self.bytes, 0).map_or(&[], |end| &self.bytes[end..])
    }
}

/// Whether an HTTP response is complete, by its own framing.
fn is_complete(bytes: &[u8]) -> bool {
    let Some(end) = head_end(bytes, 0) else { return false };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let body = &bytes[end..];
    if header("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
        return body == b"0\r\n\r\n" || body.ends_with(b"\r\n0\r\n\r\n");
    }
    match header("content-length").map(|length| length.trim().parse::<usize>()) {
        Some(Ok(length)) => body.len() >= length,
        Some(Err(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_complete_by_its_own_framing() {
        assert!(!is_complete(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"));
        assert!(is_complete(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
        assert!(is_complete(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"));
        assert!(!is_complete(b"HTTP/1.1 200 OK\r\n\r\n{}"), "only its end tells");
    }

    #[test]
    fn status_and_body_are_found() {
        let bytes = Bytes::from_static(b"HTTP/1.1 400 Bad Request\r\nA: b\r\n\r\noops");
        let reply = RawReply { bytes, end: RawEnd::Closed, took: Duration::ZERO };
        assert_eq!((reply.status(), reply.body()), (Some(400), b"oops".as_slice()));
    }
}
