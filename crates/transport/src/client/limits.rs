//! How long and how much: every wait and every buffer of this end has its bound here.

use std::time::Duration;

use super::quota::RunQuota;

/// What a message weighs once it is parsed can be many times its bytes.
const MESSAGE: usize = 8 * 1024 * 1024;
const SESSION: usize = 3 * MESSAGE;

/// The bounds of one session or probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Until a socket is connected, TLS included.
    pub connect: Duration,
    /// Until a fresh target gives its first answer; a process may have to be installed first.
    pub start: Duration,
    /// Until a request is answered, unless the request says otherwise.
    pub request: Duration,
    /// Until a probe takes silence for an answer.
    pub probe: Duration,
    /// For each rung of the shutdown: stdin closed, SIGTERM, SIGKILL.
    pub shutdown: Duration,
    /// How long a stream is still read after the response came, to see whether it ends.
    pub linger: Duration,
    /// The longest `retry` of an event stream that is respected.
    pub retry: Duration,
    /// How often a stream that ended early is resumed.
    pub resumptions: u32,
    /// How many rounds of input a request may ask for.
    pub rounds: u32,
    /// The most bytes of one message.
    pub message: usize,
    /// The most bytes that a target may send within one session; each message counts with its overhead.
    pub traffic: usize,
    /// The most bytes that the record of a session keeps; of more, the oldest entries are dropped.
    pub record: usize,
    /// What all sessions with these limits may receive together.
    pub run: RunQuota,
}

impl Limits {
    /// The same limits for another run.
    #[must_use]
    pub fn for_new_run(&self) -> Self {
        Self { run: RunQuota::default(), ..self.clone() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            start: Duration::from_secs(60),
            request: Duration::from_secs(10),
            probe: Duration::from_secs(2),
            shutdown: Duration::from_secs(2),
            linger: Duration::from_millis(100),
            retry: Duration::from_secs(5),
            resumptions: 5,
            rounds: 8,
            message: MESSAGE,
            traffic: SESSION,
            record: usize::MAX,
            run: RunQuota::default(),
        }
    }
}
