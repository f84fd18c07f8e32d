//! Errors that keep a host from starting.

use std::io;
use std::net::SocketAddr;

/// Why a host cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address can be reached from other machines.
    #[error(
        "{0} is not a loopback address; the test host runs foreign code, so only this machine may reach it"
    )]
    NotLoopback(SocketAddr),
    /// The port is taken, or the process may not listen on it.
    #[error("cannot listen on {address}: {why}; choose another port, or port 0 for a free one")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The operating system's error.
        why: io::Error,
    },
    /// The operating system has no source of random numbers.
    #[error("the system provides no random numbers")]
    NoRandom,
    /// There is no profile of that name.
    #[error("there is no host profile `{name}`; there are {known}")]
    NoProfile {
        /// The name that was asked for.
        name: String,
        /// The names of all profiles.
        known: String,
    },
    /// A built-in profile cannot be parsed.
    #[error("the host profile `{name}` cannot be read: {why}")]
    BadProfile {
        /// The name of the profile.
        name: &'static str,
        /// The parser's error.
        why: serde_json::Error,
    },
}
