//! Opens sessions: connects, and does the handshake of the era.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use protocol::{Era, Version, code};
use serde_json::json;
use wire::Recorder;

use super::streamable::Streamable;
use super::{Channel, Inner, Server, Session, headers};
use crate::Transport;
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::link::http::Http;
use crate::client::link::{HttpSse, Pipe};
use crate::client::responder::Responder;
use crate::client::{Endpoint, Failure, Limits, Profile, Reply, Target};

impl Session {
    /// Opens a session in `version`: with the handshake in the legacy era, with a discovery in the modern era, which
    /// may fail. It is a failure if the target offers another revision.
    ///
    /// A URL is tried as Streamable HTTP, and if that is refused as HTTP+SSE; for 2024-11-05 in the other order.
    pub async fn open(
        target: &Target,
        version: Version,
        profile: Profile,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let recorder = Recorder::with_limit(limits.record);
        let mut first = None;
        for transport in Transport::candidates(target, version) {
            match Self::open_recorded(target, transport, version, &profile, &limits, &recorder).await {
                Ok(session) => return Ok(session),
                Err(failure) if transport.may_speak_another(&failure) => drop(first.get_or_insert(failure)),
                Err(failure) => return Err(first.unwrap_or(failure)),
            }
        }
        Err(first.unwrap_or_else(|| Failure::Ours("no transport fits the target".into())))
    }

    /// The same over a given transport, as a probe has found it.
    pub async fn open_over(
        target: &Target,
        transport: Transport,
        version: Version,
        profile: Profile,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let recorder = Recorder::with_limit(limits.record);
        Self::open_recorded(target, transport, version, &profile, &limits, &recorder).await
    }

    /// Connects and says nothing: no handshake, no discovery. For 2024-11-05 a URL means HTTP+SSE.
    pub async fn connect(
        target: &Target,
        version: Version,
        profile: Profile,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let transport = Transport::candidates(target, version).into_iter().next().unwrap_or(Transport::Stdio);
        Self::connect_over(target, transport, version, profile, limits).await
    }

    /// The same over a given transport.
    pub async fn connect_over(
        target: &Target,
        transport: Transport,
        version: Version,
        profile: Profile,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let recorder = Recorder::with_limit(limits.record);
        Self::connect_recorded(target, transport, version, profile, limits, &recorder).await
    }

    /// Connects, and does the first half of a legacy handshake: [`Self::initialized`] is left to the caller.
    pub async fn open_half(
        target: &Target,
        version: Version,
        profile: Profile,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let session = Self::connect(target, version, profile, limits).await?;
        let reply = session.initialize().await?;
        session.require_spoken(&reply)?;
        Ok(session)
    }

    /// Does the handshake of the era: `initialize` and `notifications/initialized`, or `server/discover`. The reply may
    /// be an error. What it says about the server is in [`Self::server`].
    pub async fn handshake(&self) -> Result<Reply, Failure> {
        let inner = &self.inner;
        match inner.version.era() {
            Era::Legacy => {
                let reply = self.initialize().await?;
                if reply.result().is_some() {
                    self.initialized().await?;
                }
                Ok(reply)
            }
            Era::Modern => {
                let reply = self.request("server/discover").timeout(inner.limits.start).send().await?;
                if let Some(result) = reply.result() {
                    self.learn_discovery(result);
                }
                Ok(reply)
            }
        }
    }

    /// The first half of a legacy handshake: sends `initialize`, and stores what the reply says about the server.
    pub async fn initialize(&self) -> Result<Reply, Failure> {
        let inner = &self.inner;
        let params = json!({
            "protocolVersion": inner.version,
            "capabilities": inner.profile.capabilities_in(inner.version),
            "clientInfo": inner.profile.info,
        });
        let reply = self.request("initialize").params(params).timeout(inner.limits.start).send().await?;
        if let Some(result) = reply.result() {
            inner.learn(|facts| facts.store_initialize_result(result));
            if let Channel::Streamable(http) = &*inner.channel {
                http.set_negotiated(inner.facts().version);
            }
        }
        Ok(reply)
    }

    /// The second half: sends `notifications/initialized`. From here on the client answers requests of the server.
    pub async fn initialized(&self) -> Result<(), Failure> {
        self.notify("notifications/initialized", None).await?;
        self.serve_requests().await;
        Ok(())
    }

    /// Stores what a discovery says about the server.
    pub(in crate::client) fn learn_discovery(&self, result: serde_json::Value) {
        self.inner.learn(|facts| facts.store_discovery(result));
    }

    async fn open_recorded(
        target: &Target,
        transport: Transport,
        version: Version,
        profile: &Profile,
        limits: &Limits,
        recorder: &Recorder,
    ) -> Result<Self, Failure> {
        let (profile, limits) = (profile.clone(), limits.clone());
        let session = Self::connect_recorded(target, transport, version, profile, limits, recorder).await?;
        session.begin().await?;
        Ok(session)
    }

    async fn connect_recorded(
        target: &Target,
        transport: Transport,
        version: Version,
        profile: Profile,
        limits: Limits,
        recorder: &Recorder,
    ) -> Result<Self, Failure> {
        limits.run.admit_session()?;
        let record = BoundedRecorder::new(recorder.clone(), &limits);
        let responder = Responder::new(profile.clone(), version.era());
        let channel = match (transport, target) {
            (Transport::StreamableHttp, Target::Url(endpoint)) => {
                let http = Streamable::new(endpoint, version, &limits, record.clone(), responder.clone())?;
                Channel::Streamable(Box::new(http))
            }
            (Transport::HttpSse, Target::Url(endpoint)) => {
                http_sse(endpoint, &limits, &record, responder.clone()).await?
            }
            (Transport::Stdio, _) => match Pipe::open(target, &limits, &record, responder.clone()) {
                Some(pipe) => Channel::Pipe(pipe?),
                None => return Err(Failure::Unusable("a URL has no standard streams".into())),
            },
            (Transport::StreamableHttp | Transport::HttpSse, Target::Command(_) | Target::InProcess(_)) => {
                return Err(Failure::Unusable("only a URL speaks HTTP".into()));
            }
        };
        let inner = Inner {
            target: target.clone(),
            transport,
            version,
            profile,
            limits,
            record,
            facts: Mutex::new(Server::default()),
            ids: Arc::new(AtomicU64::new(0)),
            turns: Arc::default(),
            responder,
            channel: Arc::new(channel),
        };
        Ok(Self { inner: inner.into() })
    }

    /// Does the handshake. It fails if the session cannot be used afterwards.
    async fn begin(&self) -> Result<(), Failure> {
        let reply = self.handshake().await?;
        self.require_spoken(&reply)
    }

    /// Fails unless `reply`, to the handshake, shows that the server speaks the revision that was asked for.
    fn require_spoken(&self, reply: &Reply) -> Result<(), Failure> {
        let asked = self.inner.version;
        match asked.era() {
            Era::Legacy => {
                require_result(reply, "initialize")?;
                match self.server().version {
                    Some(offered) if offered == asked.as_str() => Ok(()),
                    Some(offered) => Err(Failure::OtherVersion { asked, offered }),
                    None => Err(Failure::NoResponse { doing: "initialize".into() }),
                }
            }
            Era::Modern => match reply.error() {
                Some(error) if error.code == Some(code::UNSUPPORTED_PROTOCOL_VERSION) => {
                    let offered =
                        super::facts::versions(error.data.as_ref().and_then(|data| data.get("supported")));
                    Err(Failure::OtherVersion { asked, offered: offered.join(", ") })
                }
                _ => Ok(()),
            },
        }
    }
}

impl Transport {
    /// The transports that a target may speak `version` over, the likeliest first.
    pub fn candidates(target: &Target, version: Version) -> Vec<Self> {
        match (target, version.era()) {
            (Target::Command(_) | Target::InProcess(_), _) => vec![Self::Stdio],
            (Target::Url(_), Era::Modern) => vec![Self::StreamableHttp],
            (Target::Url(_), Era::Legacy) if version == Version::V2024_11_05 => {
                vec![Self::HttpSse, Self::StreamableHttp]
            }
            (Target::Url(_), Era::Legacy) => vec![Self::StreamableHttp, Self::HttpSse],
        }
    }

    /// Whether the target may speak another transport, given this failure.
    const fn may_speak_another(self, failure: &Failure) -> bool {
        match self {
            Self::Stdio => false,
            Self::HttpSse => !failure.is_unreachable(),
            Self::StreamableHttp => {
                matches!(failure, Failure::Status { status: 400..=499, .. } | Failure::Refused { .. })
            }
        }
    }
}

async fn http_sse(
    endpoint: &Endpoint,
    limits: &Limits,
    record: &BoundedRecorder,
    responder: Responder,
) -> Result<Channel, Failure> {
    let http = Http::new(endpoint, limits, record.clone())?;
    let base = headers::base(endpoint)?;
    let sse = HttpSse::open(endpoint, &http, &base, limits, responder).await?;
    Ok(Channel::HttpSse { http, sse, base })
}

/// Fails unless the reply is a response without an error.
pub(crate) fn require_result(reply: &Reply, doing: &str) -> Result<(), Failure> {
    let doing = || doing.to_owned();
    if let Some(error) = reply.error() {
        let message = error.message.unwrap_or_else(|| "an error without a message".into());
        return Err(Failure::Refused { doing: doing(), code: error.code.unwrap_or_default(), message });
    }
    if reply.frame().is_some() {
        return Ok(());
    }
    match (reply.status(), reply.messages.last()) {
        (Some(status), _) if !(200..300).contains(&status) => Err(Failure::Status { doing: doing(), status }),
        (_, Some(last)) => match last.payload() {
            Err(why) => Err(Failure::NotJsonRpc { doing: doing(), why, after: reply.elapsed }),
            Ok(_) => Err(Failure::NoResponse { doing: doing() }),
        },
        (_, None) if !reply.body.is_empty() => match wire::Payload::parse(&reply.body) {
            Err(why) => Err(Failure::NotJsonRpc { doing: doing(), why, after: reply.elapsed }),
            Ok(_) => Err(Failure::NoResponse { doing: doing() }),
        },
        (_, None) => Err(Failure::NoResponse { doing: doing() }),
    }
}
