//! A session with a server, in the newest revision that both speak, on as few connections as possible.

use protocol::Version;
use transport::client::{Failure, Limits, Profile, Session, Target};

/// Opens a session.
///
/// A URL costs nothing to ask twice, so it is asked for the modern era first. A command is a process, and most speak the
/// legacy era: it is asked for that, and started again only if it refuses.
pub(super) async fn open(target: &Target, profile: &Profile, limits: &Limits) -> Result<Session, Failure> {
    match target {
        Target::Command(_) => match legacy(target, profile, limits).await {
            Err(failure) if is_refusal(&failure) => {
                modern(target, profile, limits).await.map_err(|other| worse(failure, other))
            }
            other => other,
        },
        Target::Url(_) | Target::InProcess(_) => match modern(target, profile, limits).await {
            Ok(session) => Ok(session),
            Err(failure) => legacy(target, profile, limits).await.map_err(|other| worse(other, failure)),
        },
    }
}

async fn modern(target: &Target, profile: &Profile, limits: &Limits) -> Result<Session, Failure> {
    let session = Session::connect(target, Version::LATEST, profile.clone(), limits.clone()).await?;
    let reply = session.handshake().await?;
    match session.server().supported.iter().any(|version| version == Version::LATEST.as_str()) {
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
    match open(Version::LATEST_LEGACY).await {
        Err(Failure::OtherVersion { offered, asked }) => match offered.parse() {
            Ok(version) => open(version).await,
            Err(_) => Err(Failure::OtherVersion { offered, asked }),
        },
        other => other,
    }
}

/// Whether the server is there and does not want the handshake.
const fn is_refusal(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused { .. } | Failure::NoResponse { .. } | Failure::OtherVersion { .. })
}

/// Of two reasons, the one that says more: what keeps a connection from coming about.
fn worse(first: Failure, second: Failure) -> Failure {
    if is_refusal(&first) && !is_refusal(&second) { second } else { first }
}
