//! The first contact: is the target of the modern era?

use std::time::Duration;

use protocol::{Era, Version, code};
use serde_json::{Value, json};
use tokio::time::Instant;
use wire::{Direction, What};

use super::Spoken;
use crate::client::{Failure, Limits, Profile, Reply, Session, Target, Transport};

/// What the first contact showed.
#[derive(Debug)]
pub struct FirstContact {
    /// What it showed of the modern era.
    pub modern: Modern,
    /// The session, still open. A modern one serves for more requests.
    pub session: Session,
    /// Whether `initialize` was sent on it too, because the discovery met silence.
    pub initialized: bool,
    /// How long the first answer took; a process that starts slowly does so again.
    pub took: Duration,
}

/// Whether a target is of the modern era, as far as the first contact shows it.
#[derive(Debug)]
pub enum Modern {
    /// It answered the discovery.
    Spoken(Box<Spoken>),
    /// It is of the modern era but does not take our revision.
    Other {
        /// The revisions that it named.
        supported: Vec<String>,
        /// What it said.
        why: String,
    },
    /// It is not of the modern era, for this reason.
    Absent(String),
}

/// Asks a target for a discovery, as the compatibility rules of the specification say: what is not answered in the way of
/// the modern era is of the legacy era.
pub async fn first_contact(target: &Target, limits: &Limits) -> Result<FirstContact, Failure> {
    let start = Instant::now();
    let mut initialized = false;
    let session = Session::connect(target, Version::LATEST, Profile::default(), limits.clone()).await?;
    let discovery = session.request("server/discover").timeout(limits.start).send();
    tokio::pin!(discovery);
    let answer = match tokio::time::timeout(limits.probe, &mut discovery).await {
        Ok(answer) => Some(answer),
        // Silence means legacy, or that it has not started yet: now either answer decides.
        Err(_) => {
            initialized = session.transport() != Transport::StreamableHttp;
            tokio::select! {
                biased;
                answer = &mut discovery => Some(answer),
                answer = handshake(&session) => {
                    let refused = answer?.result().is_none();
                    // A server of both eras may just be slower with the discovery.
                    let patience = if refused { limits.probe } else { limits.probe / 4 };
                    tokio::time::timeout(patience, &mut discovery).await.ok().filter(Result::is_ok)
                }
                failure = babble(&session) => return Err(failure),
            }
        }
    };
    let took = start.elapsed();
    let modern = match answer {
        Some(Ok(reply)) => read(&session, &reply).await,
        Some(Err(failure)) if failure.is_unreachable() || failure.is_timeout() => return Err(failure),
        Some(Err(failure)) => Modern::Absent(failure.to_string()),
        None => Modern::Absent("server/discover was not answered".into()),
    };
    Ok(FirstContact { modern, session, initialized, took })
}

/// `initialize` where `server/discover` met silence: on the same pipe, or beside it over HTTP.
async fn handshake(session: &Session) -> Result<Reply, Failure> {
    let limits = session.limits().clone();
    let version = Version::LATEST_LEGACY;
    if session.transport() == Transport::StreamableHttp {
        let legacy =
            Session::connect_via(session.target(), session.transport(), version, Profile::default(), limits)
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

/// Ends when both requests were followed by what is no message: to wait for more is idle. Whatever a server says while it
/// starts, it says once.
async fn babble(session: &Session) -> Failure {
    let start = Instant::now();
    let asked_again = session.recorder().mark();
    let babbled_before = session.only_noise().is_some();
    loop {
        tokio::time::sleep(session.limits().probe).await;
        let said = session.recorder().since(asked_again).entries;
        let again = said.iter().any(|entry| {
            matches!(entry.what, What::Message | What::Noise) && entry.direction == Direction::ToClient
        });
        if let Some(why) = session.only_noise().filter(|_| babbled_before && again) {
            return Failure::NotJsonRpc { doing: "initialize".into(), why, after: start.elapsed() };
        }
    }
}

async fn read(session: &Session, reply: &Reply) -> Modern {
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

/// 404 with -32601 is what a modern server says that lacks the discovery; some legacy servers say it too. A result that
/// has a `resultType` decides.
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
    fn spoken(&self, result: Option<Value>) -> Spoken {
        debug_assert_eq!(self.version().era(), Era::Modern);
        if let Some(result) = result {
            self.learn_discovery(result);
        }
        Spoken { version: self.version(), transport: self.transport(), server: self.server() }
    }
}
