//! Tries a revision with a handshake on a connection of its own.

use protocol::Version;

use crate::client::{Failure, Limits, Profile, Session, Target};

/// The outcome of a handshake in one revision.
#[derive(Debug)]
pub enum Settled {
    /// The target speaks the revision; the session is open.
    Spoken(Session),
    /// The target said that it does not.
    Absent(Failure),
    /// Something went wrong, and a second try may tell.
    Unsettled(Failure),
}

/// Finds out with a handshake whether a target speaks `version`. Only an explicit refusal rules a revision out; silence
/// and broken connections do not.
pub async fn settle(target: &Target, version: Version, profile: Profile, limits: Limits) -> Settled {
    Session::open(target, version, profile, limits).await.into()
}

impl From<Result<Session, Failure>> for Settled {
    fn from(opened: Result<Session, Failure>) -> Self {
        match opened {
            Ok(session) => Self::Spoken(session),
            Err(failure) if is_refusal(&failure) => Self::Absent(failure),
            Err(failure) => Self::Unsettled(failure),
        }
    }
}

/// Whether the target has refused the revision explicitly.
const fn is_refusal(failure: &Failure) -> bool {
    match failure {
        Failure::OtherVersion { .. } | Failure::Refused { .. } => true,
        // A server that asks for a token, or for fewer requests, has not refused the revision.
        Failure::Status { status, .. } => {
            matches!(status, 400..=499) && !matches!(status, 401 | 403 | 408 | 429)
        }
        Failure::NoEndpoint { .. } => true,
        Failure::Unusable(_)
        | Failure::NotStarted { .. }
        | Failure::Unreachable { .. }
        | Failure::Tls { .. }
        | Failure::Closed { .. }
        | Failure::SessionLost { .. }
        | Failure::TimedOut { .. }
        | Failure::NotHttp { .. }
        | Failure::NotJsonRpc { .. }
        | Failure::NoResponse { .. }
        | Failure::Unavailable { .. }
        | Failure::BadEndpoint { .. }
        | Failure::TooLarge { .. }
        | Failure::Flooded { .. }
        | Failure::Ours(_) => false,
    }
}
