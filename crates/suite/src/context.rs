//! What a check has to work with.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;

use protocol::capability::{Capabilities, Capability};
use protocol::{Era, Version};
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use transport::client::{Endpoint, Failure, Limits, Profile, RawSocket, Reply, Session, Target, Transport};
use transport::serve::Via;
use wire::{Recorder, Transcript};

use crate::expect::Ask;
use crate::facts::{Fact, Facts, learn};
use crate::lent::Pool;
use crate::policy::Calls;
use crate::{Finding, Patience, Verdict};

/// How long the sessions have to end in order.
const CLOSING: Duration = Duration::from_secs(4);
/// How long they have where there is no process to end, or the server was given up.
const PARTING: Duration = Duration::from_millis(400);
/// What a handshake is called, whichever of the two it is.
const HANDSHAKE: &str = "the handshake";
/// How many processes may be starting at a time.
const STARTS: usize = 2;
/// How many pages of a list are read.
const PAGES: usize = 50;

/// What a server check has to work with: the server, in one revision.
#[derive(Debug)]
pub struct ServerCx {
    /// The revision.
    pub version: Version,
    /// The transport.
    pub via: Via,
    target: Target,
    limits: Limits,
    shared: OnceCell<Result<Session, Finding>>,
    pub(crate) pool: Pool,
    /// Every session that was opened, for the passive checks.
    opened: Mutex<Vec<Session>>,
    pub(crate) patience: Arc<Patience>,
    /// Turns at starting a process: many that start at once all start slowly.
    starts: Semaphore,
    pub(crate) facts: Facts,
    /// What the server shows of MCP Apps.
    pub(crate) surface: OnceCell<crate::checks::Surface>,
    rules: Calls,
}

impl ServerCx {
    /// The server at `target`, in `version`.
    pub fn new(target: Target, version: Version, via: Via, limits: Limits, patience: Arc<Patience>) -> Self {
        Self {
            version,
            via,
            target,
            limits,
            shared: OnceCell::new(),
            pool: Pool::new(via),
            opened: Mutex::default(),
            patience,
            starts: Semaphore::new(STARTS),
            facts: Facts::default(),
            surface: OnceCell::new(),
            rules: Calls::default(),
        }
    }

    /// With these rules about which tools are called.
    #[must_use]
    pub fn calling(mut self, rules: Calls) -> Self {
        self.rules = rules;
        self
    }

    /// Which tools are called, and with what.
    pub const fn rules(&self) -> &Calls {
        &self.rules
    }

    pub(crate) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The session that well-behaved requests share.
    pub async fn session(&self) -> Result<&Session, Finding> {
        let opened = self
            .shared
            .get_or_init(|| async { Box::pin(self.established()).await.map_err(Finding::into_obstacle) });
        opened.await.as_ref().map_err(Clone::clone)
    }

    /// The session that well-behaved requests share, if it has come about.
    pub(crate) fn opened_session(&self) -> Option<&Session> {
        self.shared.get()?.as_ref().ok()
    }

    /// A session with a server that has shown that it is one: by its handshake, or, where there is none, by a list.
    async fn established(&self) -> Result<Session, Finding> {
        let session = self.open(Profile::default()).await?;
        if self.version.era() == Era::Legacy || session.server().capabilities.is_object() {
            return Ok(session);
        }
        for (method, key) in
            [("tools/list", "tools"), ("resources/list", "resources"), ("prompts/list", "prompts")]
        {
            let reply = self.on(&session, method).send().await?.reply;
            if reply.result().is_some_and(|result| result[key].is_array()) {
                return Ok(session);
            }
        }
        Err(Finding::blocked("neither server/discover nor any list is answered"))
    }

    /// A session of one's own, for what would disturb the others.
    pub async fn fresh(&self) -> Result<Session, Finding> {
        self.fresh_as(Profile::default()).await
    }

    /// A session of one's own, as a client of another kind.
    pub async fn fresh_as(&self, profile: Profile) -> Result<Session, Finding> {
        self.session().await?;
        Box::pin(self.open(profile)).await
    }

    /// A session for what is provoked on purpose, as a client of another kind: the passive checks do not read it, so that
    /// one wrong is not counted twice.
    pub async fn apart_as(&self, profile: Profile) -> Result<Session, Finding> {
        self.session().await?;
        let session = self.dial(profile, self.transport()).await?;
        Box::pin(self.begin(session)).await
    }

    pub(crate) async fn open(&self, profile: Profile) -> Result<Session, Finding> {
        let session = self.connect(profile).await?;
        self.begin(session).await
    }

    async fn begin(&self, session: Session) -> Result<Session, Finding> {
        let _turn = self.turn().await;
        let reply = session.handshake().await.map_err(|failure| match failure {
            // How long a start may take is not said anywhere; what never comes about cannot be tested.
            Failure::TimedOut { .. } => {
                let why = failure.to_string();
                self.noted(HANDSHAKE, failure);
                Finding::blocked(why)
            }
            failure => self.noted(HANDSHAKE, failure),
        })?;
        self.patience.greeted(HANDSHAKE);
        let modern = self.version.era() == Era::Modern;
        match (reply.result(), session.server().version) {
            _ if reply.status() == Some(401) => {
                Err(Finding::blocked(format!("the handshake was refused: {}", refusal(&reply))))
            }
            // A modern server is spoken to request by request; that it has no discovery is for its check to say.
            _ if modern => Ok(session),
            (Some(_), Some(offered)) if offered == self.version.as_str() => Ok(session),
            (Some(_), offered) => {
                let offered = offered.unwrap_or_else(|| "none".to_owned());
                Err(Finding::blocked(format!(
                    "the server does not speak {}: it offers {offered}",
                    self.version
                )))
            }
            (None, _) => Err(Finding::blocked(format!("initialize was refused: {}", refusal(&reply)))),
        }
    }

    /// A turn at the first word to a process, which only then shows how long it takes to start.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        if self.starts_processes() { self.starts.acquire().await.ok() } else { None }
    }

    /// Whether every session has a process of its own.
    pub(crate) const fn starts_processes(&self) -> bool {
        match self.target {
            Target::Command(_) => true,
            Target::Url(_) | Target::InProcess(_) => false,
        }
    }

    /// A connection on which nothing has been said yet.
    pub async fn unopened(&self) -> Result<Session, Finding> {
        Box::pin(self.connect(Profile::default())).await
    }

    /// Connects and says nothing. What comes is recorded from here on, whether or not a session comes about.
    async fn connect(&self, profile: Profile) -> Result<Session, Finding> {
        self.connect_via(profile, self.transport()).await
    }

    const fn transport(&self) -> Option<Transport> {
        match self.via {
            Via::StreamableHttp => Some(Transport::StreamableHttp),
            Via::HttpSse => Some(Transport::HttpSse),
            Via::Pipe => None,
        }
    }

    /// A connection over plain HTTP, whichever transport is spoken there.
    pub async fn plain_http(&self) -> Result<Session, Finding> {
        self.connect_via(Profile::default(), Some(Transport::StreamableHttp)).await
    }

    /// A connection over plain HTTP for what is no MCP; the passive checks do not read what comes on it.
    pub async fn beside(&self) -> Result<Session, Finding> {
        self.dial(Profile::default(), Some(Transport::StreamableHttp)).await
    }

    async fn connect_via(&self, profile: Profile, via: Option<Transport>) -> Result<Session, Finding> {
        let session = self.dial(profile, via).await?;
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(session.clone());
        Ok(session)
    }

    async fn dial(&self, profile: Profile, via: Option<Transport>) -> Result<Session, Finding> {
        self.patience.left(HANDSHAKE)?;
        let limits = self.limits.clone();
        let connected = match via {
            Some(via) => Session::connect_via(&self.target, via, self.version, profile, limits).await,
            None => Session::connect(&self.target, self.version, profile, limits).await,
        };
        connected.map_err(|failure| self.noted(HANDSHAKE, failure))
    }

    /// A request on the shared session.
    pub async fn request(&self, method: &str) -> Result<Ask<'_>, Finding> {
        Ok(self.on(self.session().await?, method))
    }

    /// A request on `session`.
    pub fn on(&self, session: &Session, method: &str) -> Ask<'_> {
        Ask::new(self, session.clone(), session.request(method), method)
    }

    /// A notification on `session`.
    pub fn notification_on(&self, session: &Session, method: &str) -> Ask<'_> {
        Ask::new(self, session.clone(), session.notification(method), method)
    }

    /// The server's capabilities.
    pub async fn capabilities(&self) -> Result<Value, Finding> {
        Ok(self.session().await?.server().capabilities)
    }

    /// Not applicable unless the server declares `capability`.
    pub async fn needs(&self, capability: Capability) -> Verdict {
        let declared = self.capabilities().await?;
        if Capabilities::of(&declared).has(capability) {
            return Ok(());
        }
        Err(Finding::not_applicable(format!("the server does not declare {}", capability.path().join("."))))
    }

    /// The server's tools, all pages.
    pub async fn tools(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::TOOLS).await?;
        learn(&self.facts.tools, self.list("tools/list", "tools")).await
    }

    /// The server's resources, all pages.
    pub async fn resources(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::RESOURCES).await?;
        learn(&self.facts.resources, self.list("resources/list", "resources")).await
    }

    /// The server's prompts, all pages.
    pub async fn prompts(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::PROMPTS).await?;
        learn(&self.facts.prompts, self.list("prompts/list", "prompts")).await
    }

    /// The server's resource templates, all pages.
    pub async fn templates(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::RESOURCES).await?;
        learn(&self.facts.templates, self.list("resources/templates/list", "resourceTemplates")).await
    }

    /// The tools that may be called.
    pub async fn harmless_tools(&self) -> Result<Vec<&Value>, Finding> {
        Ok(self.callable().await?.into_iter().map(|(tool, _)| tool).collect())
    }

    /// What was said on every session so far.
    pub fn transcripts(&self) -> Vec<Transcript> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|session| session.recorder().transcript()).collect()
    }

    /// What records each session, also after its end.
    pub(crate) fn recorders(&self) -> Vec<Recorder> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|session| session.recorder().clone()).collect()
    }

    /// Ends every session.
    pub async fn close(&self) {
        let sessions = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        let limit = match self.target {
            Target::Command(_) if !self.patience.is_out() => CLOSING,
            Target::Command(_) | Target::Url(_) | Target::InProcess(_) => PARTING,
        };
        // What has not ended by then ends with its session, which is dropped here.
        let _ = tokio::time::timeout(limit, join_all(sessions.iter().map(Session::close))).await;
    }

    /// A socket for what is no ordinary HTTP.
    pub async fn raw_socket(&self) -> Result<RawSocket, Finding> {
        self.patience.left(HANDSHAKE)?;
        let socket = RawSocket::open(self.endpoint()?, &Recorder::new(), &self.limits).await;
        socket.map_err(|failure| self.noted(HANDSHAKE, failure))
    }

    /// The endpoint, where there is one.
    pub fn endpoint(&self) -> Result<&Endpoint, Finding> {
        match &self.target {
            Target::Url(endpoint) => Ok(endpoint),
            Target::Command(_) | Target::InProcess(_) => {
                Err(Finding::not_applicable("there is no HTTP here"))
            }
        }
    }

    async fn list(&self, method: &str, key: &str) -> Result<Vec<Value>, Finding> {
        let mut items = Vec::new();
        let mut params = json!({});
        for _ in 0..PAGES {
            let answer = self.request(method).await?.params(params).send().await?;
            let result = answer.expect_result()?;
            items.extend(result[key].as_array().cloned().unwrap_or_default());
            match result.get("nextCursor").filter(|cursor| cursor.is_string()) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        Ok(items)
    }

    /// What `find_out` finds, or found when somebody asked before.
    pub(crate) async fn once<'c, T>(
        &self,
        fact: &'c Fact<T>,
        find_out: impl Future<Output = Result<Vec<T>, Finding>>,
    ) -> Result<&'c [T], Finding> {
        learn(fact, find_out).await
    }

    /// Takes note of a failure and makes a finding of it.
    pub(crate) fn noted(&self, method: &str, failure: Failure) -> Finding {
        if let Failure::TimedOut { after, .. } | Failure::NotJsonRpc { after, .. } = &failure {
            self.patience.unanswered(method, *after);
        }
        failure.into()
    }
}

/// What to do about a server that wants to know who asks.
pub(crate) const ASKS_FOR_TOKEN: &str =
    "HTTP 401, it asks for a token: give one with --bearer TOKEN, or in YARDSTICK_BEARER";

fn refusal(reply: &Reply) -> String {
    match (reply.error(), reply.status()) {
        (_, Some(401)) => ASKS_FOR_TOKEN.to_owned(),
        (Some(error), _) => error.message.unwrap_or_else(|| "an error without a message".to_owned()),
        (None, Some(status)) => format!("HTTP {status}"),
        (None, None) => "no result".to_owned(),
    }
}
