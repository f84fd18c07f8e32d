//! The bounds of a server in bytes, numbers and time. What exceeds them is refused.

use std::time::Duration;

const MIB: usize = 1024 * 1024;

/// The bounds of a server. The defaults keep the whole process well below 200 MB, whatever clients do.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes of one message.
    pub message: usize,
    /// The most bytes of all messages that are being read, handled or written.
    pub work: usize,
    /// The part of [`Limits::work`] that one session may use.
    pub session_work: usize,
    /// The most bytes of what outlives requests: replay logs, queued messages, tasks, subscriptions.
    pub kept: usize,
    /// The part of [`Limits::kept`] that one session may use.
    pub session_kept: usize,
    /// The most messages of one batch.
    pub batch: usize,
    /// The most connections; by default as many as the descriptors of the process allow.
    pub connections: Option<usize>,
    /// The most sessions.
    pub sessions: usize,
    /// How many event streams one session may have open.
    pub session_streams: usize,
    /// How long a client may take for the head of a request, and how long a connection may be idle between two.
    pub head: Duration,
    /// How long a body may make no progress.
    pub body_stall: Duration,
    /// How long a whole body may take.
    pub body: Duration,
    /// How long a client may not read what was written to it. A silent event stream is not affected.
    pub write_stall: Duration,
    /// How long an unused session is kept.
    pub session_idle: Duration,
}

impl Limits {
    /// The limits for messages of at most `message` bytes. The budgets grow with them: a message is read, becomes a
    /// tree, and its answer may be as long.
    pub const fn for_messages(message: usize) -> Self {
        let message = if message < 64 * 1024 { 64 * 1024 } else { message };
        Self {
            message,
            work: message.saturating_mul(10),
            session_work: message.saturating_mul(5),
            kept: message.saturating_mul(8),
            session_kept: message.saturating_mul(2),
            batch: 256,
            connections: None,
            sessions: 10_000,
            session_streams: 64,
            head: Duration::from_secs(30),
            body_stall: Duration::from_secs(10),
            body: Duration::from_secs(60),
            write_stall: Duration::from_secs(20),
            session_idle: Duration::from_secs(3600),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::for_messages(4 * MIB)
    }
}
