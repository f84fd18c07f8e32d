//! What can keep a host from running.

use std::io;
use std::net::SocketAddr;

/// What can keep a host from running.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody else may reach it.
    #[error("{0} is not loopback; a test host runs code of strangers and is for this machine alone")]
    NotLoopback(SocketAddr),
    /// Something else is there, or it may not listen.
    #[error("cannot listen on {address}: {why}; name another port, or port 0 for any")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        why: io::Error,
    },
    /// The system gave no random numbers.
    #[error("the system gives no random numbers")]
    NoRandom,
    /// There is no such profile.
    #[error("there is no host profile `{name}`; there are {known}")]
    NoProfile {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// One of our own data files.
    #[error("the host profile `{name}` cannot be read: {why}")]
    BadProfile {
        /// Which.
        name: &'static str,
        /// Why.
        why: serde_json::Error,
    },
}
