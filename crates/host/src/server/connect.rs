//! Opens a session in the newest revision that both sides support, with as few connections as possible.

use protocol::Era;
use transport::client::{Failure, Limits, Profile, Session, Target};

/// Opens a session.
///
/// A second request to a URL is cheap, so the host tries the modern era first. A command is a process, and most
/// commands support the legacy era. So the host tries that first, and starts the process again only if the server
/// refuses.
pub(super) async fn open(target: &Target, profile: &Profile, limits: &Limits) -> Result<Session, Failure> {
    match target {
        Target::Command(_) => match legacy(target, profile, limits).await {
            Err(failure) if is_refusal(&failure) => {
                modern(target, profile, limits).await.map_err(|other| more_helpful(failure, other))
            }
            other => other,
        },
        Target::Url(_) | Target::InProcess(_) => match modern(target, profile, limits).await {
            Ok(session) => Ok(session),
            Err(failure) => {
                legacy(target, profile, limits).await.map_err(|other| more_helpful(other, failure))
            }
        },
    }
}

async fn modern(target: &Target, profile: &Profile, limits: &Limits) -> Result<Session, Failure> {
    let session = Session::connect(target, Era::Modern.newest(), profile.clone(), limits.clone()).await?;
    let reply = session.handshake().await?;
    match session.server().supported.iter().any(|version| version == Era::Modern.newest().as_str()) {
        true => Ok(session),
        false => Err(match reply.error() {
            Some(error) => Failure::Refused {
                doing: "server/discover".to_owned(),
                code: error.code.unwrap_or_default(),
                message: error.message.unwrap_or_default(),
            },
            None => Failure::NoResponse { doing: "server/discover".to_owned() },
        }),
    }
}

async fn legacy(target: &Target, profile: &Profile, limits: &Limits) -> Result<Session, Failure> {
    let open = |version| Session::open(target, version, profile.clone(), limits.clone());
    match open(Era::Legacy.newest()).await {
        Err(Failure::OtherVersion { offered, asked }) => match offered.parse() {
            Ok(version) => open(version).await,
            Err(_) => Err(Failure::OtherVersion { offered, asked }),
        },
        other => other,
    }
}

/// Whether the server responded but did not accept the handshake.
const fn is_refusal(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused { .. } | Failure::NoResponse { .. } | Failure::OtherVersion { .. })
}

/// Of two failures, the more helpful one: a broken connection says more than a refused handshake.
fn more_helpful(first: Failure, second: Failure) -> Failure {
    if is_refusal(&first) && !is_refusal(&second) { second } else { first }
}
