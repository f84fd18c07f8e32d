//! The first contact: is the target of the modern era?

use std::time::Duration;

use protocol::{Era, Version, code};
use serde_json::{Value, json};
use tokio::time::Instant;
use wire::{Direction, Mark, What};

use super::SpokenRevision;
use crate::Transport;
use crate::client::{Failure, Limits, Profile, Reply, Session, Target};

/// What the first contact showed.
#[derive(Debug)]
pub struct FirstContact {
    /// Whether the target is of the modern era.
    pub modern: Modern,
    /// The session, which is still open. A modern one can be used for more requests.
    pub session: Session,
    /// Whether `initialize` was sent on it too, because the discovery met silence.
    pub initialized: bool,
    /// How long the first answer took; a process that starts slowly does so again.
    pub took: Duration,
}

/// Whether a target is of the modern era, as far as the first contact shows.
#[derive(Debug)]
pub enum Modern {
    /// It answered the discovery.
    Spoken(Box<SpokenRevision>),
    /// It is of the modern era but does not support the revision that was asked in.
    Other {
        /// The revisions that it named.
        supported: Vec<String>,
        /// What it said.
        why: String,
    },
    /// It is not of the modern era, for this reason.
    Absent(String),
}

/// What the first contact showed about one modern revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModernClaim {
    /// The target answered a discovery in it. The session of the first contact can be used for it.
    Spoken,
    /// The target says that it supports it, but nothing was asked in it yet.
    Named,
    /// The target is of the modern era, and does not name it.
    Unnamed,
    /// The target supports no modern revision, for this reason.
    Absent(String),
}

impl Modern {
    /// The revisions that the target named.
    pub(super) fn supported(&self) -> &[String] {
        match self {
            Self::Spoken(spoken) => &spoken.server.supported,
            Self::Other { supported, .. } => supported,
            Self::Absent(_) => &[],
        }
    }

    /// What a discovery in the revision `asked` showed about `version`. One answer covers every modern revision: a
    /// target names those that it supports, even when it refuses the one that was asked in.
    pub fn claim(&self, asked: Version, version: Version) -> ModernClaim {
        let names = |supported: &[String]| supported.iter().any(|name| name == version.as_str());
        match self {
            Self::Spoken(spoken) if !names(&spoken.server.supported) => ModernClaim::Unnamed,
            Self::Spoken(_) if version == asked => ModernClaim::Spoken,
            Self::Spoken(_) => ModernClaim::Named,
            Self::Other { supported, .. } if version != asked && names(supported) => ModernClaim::Named,
            Self::Other { why, .. } | Self::Absent(why) => ModernClaim::Absent(why.clone()),
        }
    }
}

impl FirstContact {
    /// What it showed about `version`, a modern revision.
    pub fn claim(&self, version: Version) -> ModernClaim {
        self.modern.claim(self.session.version(), version)
    }
}

/// Asks a target for a discovery, as the compatibility rules of the specification say: a target that does not answer
/// like a modern server is of the legacy era.
pub async fn first_contact(target: &Target, limits: &Limits) -> Result<FirstContact, Failure> {
    let start = Instant::now();
    let mut initialized = false;
    let asked = Era::Modern.newest();
    let session = Session::connect(target, asked, Profile::default(), limits.clone()).await?;
    let discovery = session.request("server/discover").timeout(limits.start).send();
    tokio::pin!(discovery);
    let answer = match tokio::time::timeout(limits.probe, &mut discovery).await {
        Ok(answer) => Some(answer),
        // Silence means that it is legacy, or that it has not started yet. Now whichever request is answered decides.
        Err(_) => {
            initialized = session.transport() != Transport::StreamableHttp;
            let asked_again = session.recorder().mark();
            tokio::select! {
                biased;
                answer = &mut discovery => Some(answer.map_err(|failure| {
                    if has_said(&session, asked_again) { failure } else { session.as_timeout_on_pipe(failure) }
                })),
                answer = handshake(&session) => {
                    let refused = answer?.result().is_none();
                    // A server of both eras may answer the discovery later.
                    let patience = if refused { limits.probe } else { limits.probe / 4 };
                    tokio::time::timeout(patience, &mut discovery).await.ok().filter(Result::is_ok)
                }
                failure = await_noise_only(&session, asked_again) => return Err(failure),
            }
        }
    };
    let took = start.elapsed();
    let modern = match answer {
        Some(Ok(reply)) => judge_discovery(&session, &reply).await,
        Some(Err(failure)) if failure.is_unreachable() || failure.is_timeout() => return Err(failure),
        // A rate limit says nothing about the era.
        Some(Err(failure @ Failure::Unavailable { .. })) => return Err(failure),
        Some(Err(failure)) => Modern::Absent(failure.to_string()),
        None => Modern::Absent("server/discover was not answered".into()),
    };
    Ok(FirstContact { modern, session, initialized, took })
}

/// Sends `initialize` after `server/discover` was not answered: on the same pipe, or over HTTP on another connection.
async fn handshake(session: &Session) -> Result<Reply, Failure> {
    let limits = session.limits().clone();
    let version = Era::Legacy.newest();
    if session.transport() == Transport::StreamableHttp {
        let legacy =
            Session::connect_over(session.target(), session.transport(), version, Profile::default(), limits)
                .await?;
        return legacy.handshake().await;
    }
    let profile = session.profile();
    let message = json!({
        "jsonrpc": "2.0",
        "id": "initialize",
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": profile.capabilities_in(version),
            "clientInfo": profile.info,
        },
    });
    session.request("initialize").body(message.to_string()).timeout(limits.start).send().await
}

/// Returns when both requests were followed by something that is not a message, because waiting longer is useless. A
/// server prints its start-up lines only once.
async fn await_noise_only(session: &Session, asked_again: Mark) -> Failure {
    let start = Instant::now();
    let babbled_before = session.only_noise().is_some();
    loop {
        tokio::time::sleep(session.limits().probe).await;
        if let Some(why) = session.only_noise().filter(|_| babbled_before && has_said(session, asked_again)) {
            return Failure::NotJsonRpc { doing: "initialize".into(), why, after: start.elapsed() };
        }
    }
}

/// Whether the target has said anything since `mark`, even if it is not a message.
fn has_said(session: &Session, mark: Mark) -> bool {
    let said = session.recorder().since(mark).entries;
    said.iter().any(|entry| {
        matches!(entry.what, What::Message | What::Noise) && entry.direction == Direction::ToClient
    })
}

async fn judge_discovery(session: &Session, reply: &Reply) -> Modern {
    if let Some(result) = reply.result() {
        return match result.get("supportedVersions").and_then(Value::as_array) {
            Some(_) => Modern::Spoken(Box::new(session.spoken(Some(result)))),
            None => Modern::Absent("its answer to server/discover names no supportedVersions".into()),
        };
    }
    let Some(error) = reply.error() else {
        return Modern::Absent(match reply.status() {
            Some(status) => format!("server/discover was answered with HTTP {status} and no JSON-RPC"),
            None => "server/discover was not answered".into(),
        });
    };
    let code = error.code.unwrap_or_default();
    let message = error.message.unwrap_or_default();
    let why = format!("server/discover was refused: {message} ({code})");
    match code {
        _ if !code::is_recognised_modern(reply.status(), code) => Modern::Absent(why),
        code::METHOD_NOT_FOUND => without_discovery(session, why).await,
        _ => {
            let supported = error.data.as_ref().and_then(|data| data.get("supported"));
            Modern::Other { supported: crate::client::session::versions(supported), why }
        }
    }
}

/// A modern server without the discovery answers 404 with -32601, but some legacy servers do so, too. A result with a
/// `resultType` decides.
async fn without_discovery(session: &Session, why: String) -> Modern {
    let reply = session.request("tools/list").send().await;
    match reply {
        Ok(reply) if reply.result_type().is_some() => {
            let mut spoken = session.spoken(None);
            spoken.server.supported = vec![spoken.version.as_str().to_owned()];
            Modern::Spoken(Box::new(spoken))
        }
        _ => Modern::Absent(why),
    }
}

impl Session {
    fn spoken(&self, result: Option<Value>) -> SpokenRevision {
        debug_assert_eq!(self.version().era(), Era::Modern);
        if let Some(result) = result {
            self.learn_discovery(result);
        }
        SpokenRevision { version: self.version(), transport: self.transport(), server: self.server() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Server;

    /// Stands for a second modern revision, which does not exist yet.
    const DUMMY: Version = Version::V2025_11_25;
    const ASKED: Version = Version::V2026_07_28;

    fn names(versions: &[Version]) -> Vec<String> {
        versions.iter().map(ToString::to_string).collect()
    }

    fn spoken(supported: &[Version]) -> Modern {
        let server = Server { supported: names(supported), ..Server::default() };
        Modern::Spoken(Box::new(SpokenRevision { version: ASKED, transport: Transport::Stdio, server }))
    }

    #[test]
    fn one_discovery_tells_of_every_modern_revision() {
        let claims = |modern: &Modern| [ASKED, DUMMY].map(|version| modern.claim(ASKED, version));
        use ModernClaim::{Absent, Named, Spoken, Unnamed};
        assert_eq!(claims(&spoken(&[ASKED, DUMMY])), [Spoken, Named]);
        assert_eq!(claims(&spoken(&[ASKED])), [Spoken, Unnamed]);
        assert_eq!(claims(&spoken(&[DUMMY])), [Unnamed, Named]);
        let why = || "refused".to_owned();
        let older = Modern::Other { supported: names(&[DUMMY]), why: why() };
        assert_eq!(claims(&older), [Absent(why()), Named]);
        assert_eq!(claims(&Modern::Absent(why())), [Absent(why()), Absent(why())]);
    }
}
