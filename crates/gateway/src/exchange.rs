//! What became of a message, in one line, for whoever watches the gateway.

use std::fmt;
use std::time::{Duration, Instant};

use serde_json::Value;
use transport::serve::Answer;
use wire::{Frame, Kind};

use crate::client_message::ClientMessage;

/// How much of the name of a method is shown.
const MAX_METHOD: usize = 80;

/// A message of a client and what came back. It has no part of the message but its method, so that no secret gets into a log.
#[derive(Debug)]
pub struct Exchange {
    what: String,
    sent: usize,
    outcome: Outcome,
    took: Duration,
}

/// A message whose answer has not come yet.
pub(crate) struct StartedExchange {
    what: String,
    sent: usize,
    started: Instant,
}

#[derive(Debug)]
enum Outcome {
    Accepted,
    Stream,
    Response { status: u16, bytes: usize, error: Option<(i64, Option<String>)> },
}

impl Exchange {
    /// Notes a message that is sent now.
    pub(crate) fn start(message: &ClientMessage) -> StartedExchange {
        let what = match (&message.method, message.kind) {
            (Some(method), _) => method.chars().take(MAX_METHOD).flat_map(char::escape_debug).collect(),
            (None, Kind::Result | Kind::Error) => "a response".to_owned(),
            (None, _) => "a message without a method".to_owned(),
        };
        StartedExchange { what, sent: message.bytes.len(), started: Instant::now() }
    }
}

impl StartedExchange {
    /// Notes what came back.
    pub(crate) fn finish(self, answer: &Answer) -> Exchange {
        let outcome = match answer {
            Answer::Accepted => Outcome::Accepted,
            Answer::Stream(_) | Answer::Later(_) => Outcome::Stream,
            Answer::Message { status, body } => {
                Outcome::Response { status: *status, bytes: body.len(), error: error_of(body) }
            }
        };
        Exchange { what: self.what, sent: self.sent, outcome, took: self.started.elapsed() }
    }
}

/// The code of an error and, if it is one of the gateway's own, who is to blame.
fn error_of(body: &[u8]) -> Option<(i64, Option<String>)> {
    let error = Frame::parse(body).ok()?.error?;
    let error: Value = serde_json::from_str(error.get()).ok()?;
    let blame = error["data"]["blame"].as_str().filter(|blame| matches!(*blame, "upstream" | "client"));
    Some((wire::integer_of(&error["code"]).unwrap_or_default(), blame.map(str::to_owned)))
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bytes: ", self.what, self.sent)?;
        match &self.outcome {
            Outcome::Accepted => f.write_str("accepted")?,
            Outcome::Stream => f.write_str("a stream")?,
            Outcome::Response { status, bytes, error } => {
                write!(f, "{status}, {bytes} bytes")?;
                match error {
                    Some((code, Some(blame))) => write!(f, ", error {code} ({blame})")?,
                    Some((code, None)) => write!(f, ", error {code}")?,
                    None => {}
                }
            }
        }
        write!(f, ", {:.1} ms", self.took.as_secs_f64() * 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn line(method: &str, answer: &Answer) -> String {
        let started = StartedExchange { what: method.to_owned(), sent: 40, started: Instant::now() };
        Exchange { took: Duration::from_micros(1500), ..started.finish(answer) }.to_string()
    }

    fn message(status: u16, body: &'static str) -> Answer {
        Answer::Message { status, body: Bytes::from_static(body.as_bytes()) }
    }

    #[test]
    fn a_line_says_what_became_of_a_message() {
        assert_eq!(line("ping", &message(200, r#"{"result":{}}"#)), "ping, 40 bytes: 200, 13 bytes, 1.5 ms");
        assert_eq!(line("x", &Answer::Accepted), "x, 40 bytes: accepted, 1.5 ms");
        let refused = message(200, r#"{"error":{"code":-32601,"message":"no"}}"#);
        assert_eq!(line("x", &refused), "x, 40 bytes: 200, 40 bytes, error -32601, 1.5 ms");
        let blamed = message(502, r#"{"error":{"code":-32603,"data":{"blame":"upstream"}}}"#);
        assert_eq!(line("x", &blamed), "x, 40 bytes: 502, 53 bytes, error -32603 (upstream), 1.5 ms");
    }
}
