//! The bounds of a client: every wait and every buffer has one.

use std::time::Duration;

use super::quota::RunQuota;
use super::rate_limit::RateLimitWaits;

/// A parsed message can take many times its bytes.
const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
const MAX_SESSION_BYTES: usize = 3 * MAX_MESSAGE_BYTES;

/// The bounds of one session or probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long connecting may take, TLS included.
    pub connect: Duration,
    /// How long the first answer may take; a process may have to be installed first.
    pub start: Duration,
    /// How long an answer may take, unless the request says otherwise.
    pub request: Duration,
    /// How long a probe waits before it takes silence for an answer.
    pub probe: Duration,
    /// How long each step of a shutdown may take: stdin closed, SIGTERM, SIGKILL.
    pub shutdown: Duration,
    /// How long a stream is read after the response, to see whether it ends.
    pub linger: Duration,
    /// The longest `retry` of an event stream that is respected.
    pub retry: Duration,
    /// How often a stream that ended early is resumed.
    pub resumptions: u32,
    /// How many rounds of input a request may ask for.
    pub rounds: u32,
    /// The most bytes of one message.
    pub message: usize,
    /// The most bytes that a target may send in one session. Each message counts with its overhead.
    pub traffic: usize,
    /// The most bytes that the record of a session keeps. Beyond that, the oldest entries are dropped.
    pub record: usize,
    /// Whether 429 and 503 are waited out, for how long together, and are a failure then.
    pub rate_limit: RateLimitWaits,
    /// What all sessions with these limits may receive together.
    pub run: RunQuota,
}

impl Limits {
    /// The same limits with unused quotas, for a run that judges answers.
    #[must_use]
    pub fn for_new_run(&self) -> Self {
        Self { run: RunQuota::default(), rate_limit: RateLimitWaits::bounded(), ..self.clone() }
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
            message: MAX_MESSAGE_BYTES,
            traffic: MAX_SESSION_BYTES,
            record: usize::MAX,
            rate_limit: RateLimitWaits::default(),
            run: RunQuota::default(),
        }
    }
}
