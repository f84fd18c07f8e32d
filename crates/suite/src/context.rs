//! What a check has to work with.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use protocol::capability::{Capabilities, Capability};
use protocol::{Era, Version};
use serde_json::{Value, json};
use tokio::sync::{MappedMutexGuard, MutexGuard, OnceCell};
use transport::client::{Failure, Limits, Message, Profile, Reply, Session, Target, Transport};
use transport::serve::Via;
use wire::Transcript;

use crate::expect::Ask;
use crate::{Finding, Verdict};

/// How many requests in a row may go unanswered before the server is given up.
const PATIENCE: u32 = 3;
/// How long the spare session may take to show that it is free.
const TURN: Duration = Duration::from_millis(500);
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
    spare: tokio::sync::Mutex<Option<Session>>,
    /// Every session that was opened, for the passive checks.
    opened: Mutex<Vec<Session>>,
    unanswered: AtomicU32,
    pub(crate) facts: Facts,
}

/// What has been learnt about the server, once for all checks.
#[derive(Debug, Default)]
pub struct Facts {
    tools: OnceCell<Result<Vec<Value>, Finding>>,
    resources: OnceCell<Result<Vec<Value>, Finding>>,
    prompts: OnceCell<Result<Vec<Value>, Finding>>,
    /// What came of messages that are no proper requests.
    pub(crate) improper: OnceCell<Result<Improper, Finding>>,
    /// The error for what is not JSON, if there was one.
    pub(crate) broken: OnceCell<Result<Option<Value>, Finding>>,
}

/// What came of messages that are no proper requests.
#[derive(Clone, Debug)]
pub(crate) struct Improper {
    pub(crate) answers: Vec<Message>,
    /// Whether they were refused, be it without a message.
    pub(crate) refused: bool,
    /// How the proper request after them went.
    pub(crate) after: Verdict,
}

/// What a passive check has to work with: one recorded session.
#[derive(Debug)]
pub struct WireCx<'a> {
    /// The revision that the session was opened in.
    pub version: Version,
    /// The transport.
    pub via: Via,
    /// What was said.
    pub transcript: &'a Transcript,
}

impl ServerCx {
    /// The server at `target`, in `version`.
    pub fn new(target: Target, version: Version, via: Via, limits: Limits) -> Self {
        Self {
            version,
            via,
            target,
            limits,
            shared: OnceCell::new(),
            spare: tokio::sync::Mutex::default(),
            opened: Mutex::default(),
            unanswered: AtomicU32::new(0),
            facts: Facts::default(),
        }
    }

    /// The session that well-behaved requests share.
    pub async fn session(&self) -> Result<&Session, Finding> {
        let opened = self.shared.get_or_init(|| async {
            self.established().await.map_err(|finding| match finding {
                Finding::Violated(evidence) => Finding::Blocked(evidence.actual),
                other => other,
            })
        });
        opened.await.as_ref().map_err(Clone::clone)
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
            let reply = session.request(method).send().await.map_err(|failure| self.noted(failure))?;
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
        self.open(profile).await
    }

    /// A session for what would disturb the others and needs no server of its own, one check at a time: to start
    /// one more process costs more than to wait for a turn.
    pub async fn spare(&self) -> Result<MappedMutexGuard<'_, Session>, Finding> {
        self.session().await?;
        let mut spare = self.spare.lock().await;
        let usable = match spare.as_ref().filter(|session| session.ended().is_none()) {
            Some(session) => self.is_settled(session).await,
            None => false,
        };
        if !usable {
            *spare = Some(self.open(Profile::default()).await?);
        }
        MutexGuard::try_map(spare, Option::as_mut).map_err(|_| Finding::Broke("no spare session".to_owned()))
    }

    /// Whether a session still answers. What came late for those before is out of the way then.
    async fn is_settled(&self, session: &Session) -> bool {
        let probe = if self.version.era() == Era::Legacy { "ping" } else { "server/discover" };
        let answered = session.request(probe).timeout(TURN).send().await.is_ok();
        if self.via == Via::Pipe {
            while let Ok(Some(_)) = session.incoming(Duration::ZERO).await {}
        }
        answered
    }

    async fn open(&self, profile: Profile) -> Result<Session, Finding> {
        let session = self.connect(profile).await?;
        let reply = session.handshake().await.map_err(|failure| self.noted(failure))?;
        self.answered();
        let modern = self.version.era() == Era::Modern;
        match (reply.result(), session.server().version) {
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

    /// A connection on which nothing has been said yet.
    pub async fn unopened(&self) -> Result<Session, Finding> {
        self.connect(Profile::default()).await
    }

    /// Connects and says nothing. What comes is recorded from here on, whether or not a session comes about.
    async fn connect(&self, profile: Profile) -> Result<Session, Finding> {
        self.still_answers()?;
        let via = match self.via {
            Via::StreamableHttp => Some(Transport::StreamableHttp),
            Via::HttpSse => Some(Transport::HttpSse),
            Via::Pipe => None,
        };
        let limits = self.limits.clone();
        let connected = match via {
            Some(via) => Session::connect_via(&self.target, via, self.version, profile, limits).await,
            None => Session::connect(&self.target, self.version, profile, limits).await,
        };
        let session = connected.map_err(|failure| self.noted(failure))?;
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(session.clone());
        Ok(session)
    }

    /// A request on the shared session.
    pub async fn request(&self, method: &str) -> Result<Ask<'_>, Finding> {
        Ok(self.on(self.session().await?, method))
    }

    /// A request on `session`.
    pub fn on(&self, session: &Session, method: &str) -> Ask<'_> {
        Ask::new(self, session.clone(), session.request(method))
    }

    /// A notification on `session`.
    pub fn notification_on(&self, session: &Session, method: &str) -> Ask<'_> {
        Ask::new(self, session.clone(), session.notification(method))
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

    /// The tools that say that calling them changes nothing.
    pub async fn harmless_tools(&self) -> Result<Vec<&Value>, Finding> {
        let tools = self.tools().await?;
        let harmless: Vec<_> =
            tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true).collect();
        if harmless.is_empty() {
            return Err(Finding::not_applicable("no tool says that it is read-only"));
        }
        Ok(harmless)
    }

    /// What was said on every session so far.
    pub fn transcripts(&self) -> Vec<Transcript> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|session| session.recorder().transcript()).collect()
    }

    /// Ends every session.
    pub async fn close(&self) {
        let sessions = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        for session in sessions {
            session.close().await;
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

    /// Blocked when the server has not answered for a while.
    pub(crate) fn still_answers(&self) -> Verdict {
        if self.unanswered.load(Ordering::Relaxed) < PATIENCE {
            return Ok(());
        }
        Err(Finding::blocked(format!(
            "the server left {PATIENCE} requests in a row unanswered and was given up"
        )))
    }

    pub(crate) fn answered(&self) {
        self.unanswered.store(0, Ordering::Relaxed);
    }

    /// Takes note of a failure and makes a finding of it.
    pub(crate) fn noted(&self, failure: Failure) -> Finding {
        if matches!(failure, Failure::TimedOut { .. }) {
            self.unanswered.fetch_add(1, Ordering::Relaxed);
        }
        failure.into()
    }
}

async fn learn(
    cell: &OnceCell<Result<Vec<Value>, Finding>>,
    find_out: impl Future<Output = Result<Vec<Value>, Finding>>,
) -> Result<&[Value], Finding> {
    match cell.get_or_init(|| find_out).await {
        Ok(items) => Ok(items),
        // The check of the list itself reports the violation; for the others it is what stands in the way.
        Err(Finding::Violated(evidence)) => Err(Finding::Blocked(evidence.actual.clone())),
        Err(other) => Err(other.clone()),
    }
}

fn refusal(reply: &Reply) -> String {
    match (reply.error(), reply.status()) {
        (Some(error), _) => error.message.unwrap_or_else(|| "an error without a message".to_owned()),
        (None, Some(status)) => format!("HTTP {status}"),
        (None, None) => "no result".to_owned(),
    }
}
