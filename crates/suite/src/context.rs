//! What a check has to work with.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;

use protocol::capability::{Capabilities, Capability};
use protocol::{Era, Version};
use serde_json::{Value, json};
use transport::client::{Closing, Endpoint, Failure, Profile, RawSocket, Reply, Session, Target, Transport};
use transport::serve::Via;
use wire::{Direction, Recorder, Transcript};

use crate::clients;
use crate::exclusive::ExclusiveSessions;
use crate::expect::Ask;
use crate::facts::{Fact, Facts, learn};
use crate::pace::MARGIN;
use crate::policy::Calls;
use crate::run_cx::{RunCx, Slot};
use crate::shared::SharedSession;
use crate::{Finding, Pace, Patience, Verdict};

/// How long the sessions have to end in order.
const CLOSING: Duration = Duration::from_secs(4);
/// How long they have where there is no process to end, or the server was given up.
const PARTING: Duration = Duration::from_millis(400);
/// How many pages of a list are read.
const PAGES: usize = 50;

/// What a server check has to work with: the server, in one revision.
#[derive(Debug)]
pub struct ServerCx {
    /// The revision.
    pub version: Version,
    /// The transport.
    pub via: Via,
    pub(crate) run: Arc<RunCx>,
    pub(crate) patience: Patience,
    pub(crate) shared: SharedSession,
    pub(crate) exclusive: ExclusiveSessions,
    /// Every session that was opened.
    opened: Mutex<Vec<Arc<Opened>>>,
}

/// A session, and its right to a process.
#[derive(Debug)]
struct Opened {
    session: Session,
    slot: Arc<Mutex<Slot>>,
    /// Whether the passive checks read it.
    judged: bool,
    /// Whether we have ended it, and not the server.
    closed: AtomicBool,
}

impl ServerCx {
    /// The server of `run`, in `version`.
    pub fn new(run: Arc<RunCx>, version: Version, via: Via) -> Self {
        let patience = Patience::new(run.limits.request, run.memory.clone());
        Self {
            version,
            via,
            run,
            patience,
            shared: SharedSession::default(),
            exclusive: ExclusiveSessions::new(via),
            opened: Mutex::default(),
        }
    }

    /// With a session that is open already as the shared one.
    pub(crate) fn sharing(self, session: Session, slot: Slot) -> Self {
        self.keep(&session, slot, true);
        self.shared.set(session);
        self
    }

    /// Which tools are called, and with what.
    pub fn rules(&self) -> &Calls {
        &self.run.calls
    }

    /// How long this server takes.
    pub fn pace(&self) -> &Pace {
        &self.run.pace
    }

    /// A session with a server that has shown that it is one: by its handshake, or, where there is none, by a list.
    pub(crate) async fn establish(&self, slot: Slot) -> Result<Session, Finding> {
        let session = self.shake_hands(slot).await?;
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

    /// A session of the usual client, after its handshake.
    pub(crate) async fn shake_hands(&self, slot: Slot) -> Result<Session, Finding> {
        let session = self.dial(clients::usual(), self.transport()).await?;
        self.keep(&session, slot, true);
        self.begin(session).await
    }

    /// Another session, with the usual client. Where each session is a process there is no such thing: what would disturb
    /// others is done on [`ServerCx::alone`].
    pub async fn another(&self) -> Result<Session, Finding> {
        self.session().await?;
        if self.via == Via::Pipe {
            return Err(Finding::Broke("a check starts a process that it does not need".to_owned()));
        }
        Box::pin(self.open(Profile::default())).await
    }

    /// A session over HTTP for what is provoked on purpose: the passive checks do not read it, so that one wrong is not
    /// counted twice.
    pub async fn apart(&self) -> Result<Session, Finding> {
        self.session().await?;
        let session = self.dial_more(Profile::default(), self.transport(), false).await?;
        Box::pin(self.begin(session)).await
    }

    pub(crate) async fn open(&self, profile: Profile) -> Result<Session, Finding> {
        let session = self.connect(profile).await?;
        self.begin(session).await
    }

    /// Does the handshake. From the start of a process to its first answer only the limit of a start counts.
    pub(crate) async fn begin(&self, session: Session) -> Result<Session, Finding> {
        let begun = async {
            let reply = session.handshake().await.map_err(not_begun)?;
            self.judge_handshake(&session, &reply)
        };
        self.close_unless_ok(&session, begun.await).await?;
        Ok(session)
    }

    /// Ends a session on which something did not come about, so that its process makes room for another.
    pub(crate) async fn close_unless_ok(&self, session: &Session, verdict: Verdict) -> Verdict {
        if verdict.is_err() {
            self.close_session(session).await;
        }
        verdict
    }

    /// Blocked unless `reply` is a handshake in this revision.
    pub(crate) fn judge_handshake(&self, session: &Session, reply: &Reply) -> Verdict {
        let modern = self.version.era() == Era::Modern;
        match (reply.result(), session.server().version) {
            _ if reply.status() == Some(401) => {
                Err(Finding::blocked(format!("the handshake was refused: {}", refusal(reply))))
            }
            // A modern server is spoken to request by request; that it has no discovery is for its check to say.
            _ if modern => Ok(()),
            (Some(_), Some(offered)) if offered == self.version.as_str() => Ok(()),
            (Some(_), offered) => {
                let offered = offered.unwrap_or_else(|| "none".to_owned());
                Err(Finding::blocked(format!(
                    "the server does not speak {}: it offers {offered}",
                    self.version
                )))
            }
            (None, _) => Err(Finding::blocked(format!("initialize was refused: {}", refusal(reply)))),
        }
    }

    /// Whether every session has a process of its own.
    pub(crate) fn starts_processes(&self) -> bool {
        self.run.starts_processes()
    }

    /// A connection on which nothing has been said yet. On a pipe it takes the place of the session that checks use one
    /// after the other.
    pub async fn unopened(&self) -> Result<Session, Finding> {
        if self.via == Via::Pipe {
            self.retire_exclusive().await;
        }
        Box::pin(self.connect(Profile::default())).await
    }

    /// Connects and says nothing. What comes is recorded from here on, whether or not a session comes about.
    pub(crate) async fn connect(&self, profile: Profile) -> Result<Session, Finding> {
        self.dial_more(profile, self.transport(), true).await
    }

    /// The same for a check that has a session for itself already.
    pub(crate) async fn connect_another(&self, profile: Profile) -> Result<Session, Finding> {
        let slot = self.run.second_slot().await;
        self.dial_in(slot, profile, self.transport(), true).await
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
        self.dial_more(Profile::default(), Some(Transport::StreamableHttp), true).await
    }

    /// A connection over plain HTTP for what is not MCP; the passive checks do not read what comes on it.
    pub async fn beside(&self) -> Result<Session, Finding> {
        self.dial_more(Profile::default(), Some(Transport::StreamableHttp), false).await
    }

    /// Connects beside the shared session, once one more process may live.
    async fn dial_more(
        &self,
        profile: Profile,
        via: Option<Transport>,
        judged: bool,
    ) -> Result<Session, Finding> {
        let slot = self.run.slot().await;
        self.dial_in(slot, profile, via, judged).await
    }

    async fn dial_in(
        &self,
        slot: Slot,
        profile: Profile,
        via: Option<Transport>,
        judged: bool,
    ) -> Result<Session, Finding> {
        let session = self.dial(profile, via).await?;
        let slot = self.keep(&session, slot, judged);
        // However its process comes to its end, the next one may live from then on.
        if let Some(exited) = session.exited() {
            tokio::spawn(async move {
                exited.await;
                drop(slot.lock().unwrap_or_else(PoisonError::into_inner).take());
            });
        }
        Ok(session)
    }

    async fn dial(&self, profile: Profile, via: Option<Transport>) -> Result<Session, Finding> {
        self.patience.left("a session")?;
        let (target, limits) = (&self.run.target, self.run.limits.clone());
        let connected = match via {
            Some(via) => Session::connect_via(target, via, self.version, profile, limits).await,
            None => Session::connect(target, self.version, profile, limits).await,
        };
        connected.map_err(Finding::from)
    }

    fn keep(&self, session: &Session, slot: Slot, judged: bool) -> Arc<Mutex<Slot>> {
        let slot = Arc::new(Mutex::new(slot));
        let (session, closed) = (session.clone(), AtomicBool::new(false));
        let opened = Opened { session, slot: Arc::clone(&slot), judged, closed };
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(opened));
        slot
    }

    /// How long a process may take to exit, by the longest that one of this revision took from its start to its first message.
    pub(crate) fn exit_limit(&self) -> Duration {
        let first_message = |recorder: &Recorder| {
            let transcript = recorder.transcript();
            let mut heard = transcript.messages().filter(|entry| entry.direction == Direction::ToClient);
            heard.next().map(|entry| entry.at)
        };
        self.recorders().iter().filter_map(first_message).max().unwrap_or_default() * MARGIN
    }

    /// Ends one session, and its process with it. What was said on it stays known.
    pub(crate) async fn close_session(&self, session: &Session) -> Closing {
        self.close_session_within(session, self.run.limits.shutdown).await
    }

    /// The same, with so much time for each step.
    pub(crate) async fn close_session_within(&self, session: &Session, step: Duration) -> Closing {
        if let Some(opened) = self.find_opened(session).filter(|_| session.ended().is_none()) {
            opened.closed.store(true, Ordering::Release);
        }
        let ended = session.close_within(step.max(self.run.limits.shutdown)).await;
        drop(self.take_slot(session));
        ended
    }

    /// The right to a process that a session has, if it has one.
    pub(crate) fn take_slot(&self, session: &Session) -> Slot {
        self.find_opened(session)?.slot.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn find_opened(&self, session: &Session) -> Option<Arc<Opened>> {
        self.opened().into_iter().find(|one| one.session.is_same(session))
    }

    /// How many sessions over HTTP the server has ended so far: it may do so at any time. Where a session is a process, that
    /// is somebody's fault.
    pub(crate) fn lost_sessions(&self) -> usize {
        let is_lost = |one: &Opened| !one.closed.load(Ordering::Acquire) && one.session.ended().is_some();
        match self.via {
            Via::Pipe => 0,
            Via::StreamableHttp | Via::HttpSse => self.opened().iter().filter(|one| is_lost(one)).count(),
        }
    }

    fn opened(&self) -> Vec<Arc<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        self.listed(|facts| &facts.tools, "server/tools/listed", self.list("tools/list", "tools")).await
    }

    /// The server's resources, all pages.
    pub async fn resources(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::RESOURCES).await?;
        self.listed(
            |facts| &facts.resources,
            "server/resources/listed",
            self.list("resources/list", "resources"),
        )
        .await
    }

    /// The server's prompts, all pages.
    pub async fn prompts(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::PROMPTS).await?;
        self.listed(|facts| &facts.prompts, "server/prompts/listed", self.list("prompts/list", "prompts"))
            .await
    }

    /// The server's resource templates, all pages.
    pub async fn templates(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::RESOURCES).await?;
        self.listed(|facts| &facts.templates, "server/resources/listed", self.list_templates()).await
    }

    /// Templates are no part of what a server with resources has to have.
    async fn list_templates(&self) -> Result<Vec<Value>, Finding> {
        match self.list("resources/templates/list", "resourceTemplates").await {
            // It is not there.
            Err(Finding::NotApplicable(_)) => Ok(Vec::new()),
            listed => listed.map_err(Finding::into_obstacle),
        }
    }

    /// A list. One that cannot be read is what the check `owner` reports.
    async fn listed<'c>(
        &'c self,
        fact: impl Fn(&'c Facts) -> &'c Fact<Value>,
        owner: &'static str,
        list: impl Future<Output = Result<Vec<Value>, Finding>>,
    ) -> Result<&'c [Value], Finding> {
        self.once(fact, list).await.map_err(|obstacle| match obstacle {
            Finding::Blocked(found) if found.because.is_none() => Finding::blocked_by(owner, found.why),
            other => other,
        })
    }

    /// The tools that may be called.
    pub async fn harmless_tools(&self) -> Result<Vec<&Value>, Finding> {
        Ok(self.callable().await?.into_iter().map(|(tool, _)| tool).collect())
    }

    /// What was said on every session so far.
    pub fn transcripts(&self) -> Vec<Transcript> {
        self.recorders().iter().map(Recorder::transcript).collect()
    }

    /// What records each session, also after its end.
    pub(crate) fn recorders(&self) -> Vec<Recorder> {
        let opened = self.opened();
        opened.iter().filter(|one| one.judged).map(|one| one.session.recorder().clone()).collect()
    }

    /// Ends every session.
    pub async fn close(&self) {
        let limit = if self.starts_processes() && !self.patience.is_out() { CLOSING } else { PARTING };
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        // What has not ended by then ends with its session, which is dropped here.
        let _ = tokio::time::timeout(limit, join_all(opened.iter().map(|one| one.session.close()))).await;
    }

    /// A socket for what is no ordinary HTTP.
    pub async fn raw_socket(&self) -> Result<RawSocket, Finding> {
        self.patience.left("a connection")?;
        let socket = RawSocket::open(self.endpoint()?, &Recorder::new(), &self.run.limits).await;
        socket.map_err(Finding::from)
    }

    /// The endpoint, where there is one.
    pub fn endpoint(&self) -> Result<&Endpoint, Finding> {
        match &self.run.target {
            Target::Url(endpoint) => Ok(endpoint),
            Target::Command(_) | Target::InProcess(_) => {
                Err(Finding::not_applicable("there is no HTTP here"))
            }
        }
    }

    async fn list(&self, method: &str, key: &str) -> Result<Vec<Value>, Finding> {
        self.list_on(self.session().await?, method, key).await
    }

    /// A list as `session` shows it, all pages.
    pub(crate) async fn list_on(
        &self,
        session: &Session,
        method: &str,
        key: &str,
    ) -> Result<Vec<Value>, Finding> {
        Ok(self.pages_on(session, method, key).await?.concat())
    }

    /// The pages of a list, each with its items.
    pub(crate) async fn pages_on(
        &self,
        session: &Session,
        method: &str,
        key: &str,
    ) -> Result<Vec<Vec<Value>>, Finding> {
        let mut pages = Vec::new();
        let mut params = json!({});
        for _ in 0..PAGES {
            let answer = self.on(session, method).params(params).send().await?;
            if answer.reply.code() == Some(protocol::code::METHOD_NOT_FOUND) {
                // That what is declared is served is a rule of its own.
                return Err(Finding::not_applicable(format!("{method} is not there")));
            }
            let result = answer.expect_result()?;
            pages.push(result[key].as_array().cloned().unwrap_or_default());
            match result.get("nextCursor").filter(|cursor| cursor.is_string()) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        Ok(pages)
    }

    /// What `find_out` finds, or found when somebody asked before, be it before the server ended the shared session.
    pub(crate) async fn once<'c, T: 'c>(
        &'c self,
        fact: impl Fn(&'c Facts) -> &'c Fact<T>,
        find_out: impl Future<Output = Result<Vec<T>, Finding>>,
    ) -> Result<&'c [T], Finding> {
        let known = self.shared.all_facts().find_map(|facts| fact(facts).get()?.as_ref().ok());
        match known {
            Some(items) => Ok(items),
            None => learn(fact(self.facts()), find_out).await,
        }
    }

    /// Takes note of a failure and makes a finding of it.
    pub(crate) fn noted(&self, method: &str, failure: Failure) -> Finding {
        if let Failure::TimedOut { after, .. } | Failure::NotJsonRpc { after, .. } = &failure {
            self.patience.unanswered(method, *after);
        }
        failure.into()
    }
}

/// How long a start may take is not said anywhere; what never comes about cannot be tested.
pub(crate) fn not_begun(failure: Failure) -> Finding {
    match failure {
        Failure::TimedOut { .. } => {
            Finding::blocked(format!("{failure}; --start-timeout SECONDS waits longer for a start"))
        }
        failure => failure.into(),
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
