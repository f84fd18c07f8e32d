//! A legacy revision, tried by a handshake on a connection of its own.

use protocol::Version;

use crate::client::{Failure, Limits, Profile, Session, Target};

/// What a handshake in one revision came to.
#[derive(Debug)]
pub enum Settled {
    /// The target speaks the revision; the session is open.
    Spoken(Session),
    /// The target said that it does not.
    Absent(Failure),
    /// Something stood in the way, and a second try may tell.
    Unsettled(Failure),
}

/// Finds out by a handshake whether a target speaks `version`. Only the word of the target rules a revision out; silence and
/// broken connections do not.
pub async fn settle(target: &Target, version: Version, profile: Profile, limits: Limits) -> Settled {
    match Session::open(target, version, profile, limits).await {
        Ok(session) => Settled::Spoken(session),
        Err(failure) if is_refusal(&failure) => Settled::Absent(failure),
        Err(failure) => Settled::Unsettled(failure),
    }
}

/// Whether a failure is the word of the target that it does not speak the revision.
const fn is_refusal(failure: &Failure) -> bool {
    match failure {
        Failure::OtherVersion { .. } | Failure::Refused { .. } => true,
        // Who asks for a token, or for less haste, has not spoken of revisions.
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
        | Failure::BadEndpoint { .. }
        | Failure::TooLarge { .. }
        | Failure::Flooded { .. }
        | Failure::Ours(_) => false,
    }
}
