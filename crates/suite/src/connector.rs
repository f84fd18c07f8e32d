//! How sessions with the server are opened and ended in one revision, and how many processes may live meanwhile.

use std::sync::Arc;
use std::time::Duration;

use crate::lock::lock;
use protocol::{Era, Version};
use transport::Transport;
use transport::client::{
    Closing, Endpoint, Failure, Profile, RawSocket, Reply, Session, Target, await_connection,
};
use wire::{Direction, Recorder};

use crate::clients;
use crate::liveness::Liveness;
use crate::opened_sessions::OpenedSessions;
use crate::pace::MARGIN;
use crate::run_cx::{RunCx, Slot};
use crate::{Excerpt, Finding, Verdict};

/// How long the sessions have to end in order.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(4);
/// How long they have if there is no process to end, or the server was given up.
const SHORT_CLOSE_TIMEOUT: Duration = Duration::from_millis(400);

/// How long a server that refuses connections has to come back.
const RETURN_TIMEOUT: Duration = Duration::from_secs(2);

/// What to do about a server that answers with HTTP 401.
pub(crate) fn explain_unauthorized(target: &Target) -> &'static str {
    let sends_credentials = match target {
        Target::Url(endpoint) => {
            endpoint.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        }
        Target::Command(_) | Target::InProcess(_) => false,
    };
    if sends_credentials {
        "the server refused the token that it was sent, with HTTP 401: give a valid one with --bearer TOKEN, or in \
         YARDSTICK_BEARER"
    } else {
        "the server asks for a token, with HTTP 401: give one with --bearer TOKEN, or in YARDSTICK_BEARER"
    }
}

/// Opens and ends sessions with the server in one revision. Every session that it opens is recorded.
#[derive(Debug)]
pub(crate) struct Connector {
    version: Version,
    transport: Transport,
    pub(crate) run: Arc<RunCx>,
    pub(crate) liveness: Liveness,
    opened: OpenedSessions,
}

impl Connector {
    pub(crate) fn new(run: Arc<RunCx>, version: Version, transport: Transport) -> Self {
        let liveness = Liveness::new(Arc::clone(&run), version);
        Self { version, transport, run, liveness, opened: OpenedSessions::default() }
    }

    pub(crate) const fn version(&self) -> Version {
        self.version
    }

    /// Whether sessions are pipes, to processes or within this process.
    pub(crate) fn is_piped(&self) -> bool {
        self.transport == Transport::Stdio
    }

    /// Whether every session has a process of its own.
    pub(crate) fn starts_processes(&self) -> bool {
        self.run.slots.are_needed()
    }

    /// Takes over a session that is open already.
    pub(crate) fn take_over(&self, session: &Session, slot: Slot) {
        self.opened.add(session, slot, true);
    }

    /// A session of the usual client, after its handshake.
    pub(crate) async fn open_usual(&self, slot: Slot) -> Result<Session, Finding> {
        let session = self.connect_over(clients::usual(), self.transport).await?;
        self.opened.add(&session, slot, true);
        self.complete_handshake(session).await
    }

    /// A session of a client, after its handshake.
    pub(crate) async fn open(&self, profile: Profile) -> Result<Session, Finding> {
        let session = self.connect(profile).await?;
        self.complete_handshake(session).await
    }

    /// The same, where the passive checks do not read the session.
    pub(crate) async fn open_unjudged(&self) -> Result<Session, Finding> {
        let session = self.connect_more(Profile::default(), self.transport, false).await?;
        self.complete_handshake(session).await
    }

    /// Does the handshake. From the start of a process to its first answer only the limit of a start counts.
    pub(crate) async fn complete_handshake(&self, session: Session) -> Result<Session, Finding> {
        let begun = async {
            let reply = session.handshake().await.map_err(start_failure)?;
            self.judge_handshake(&session, &reply)
        };
        self.close_unless_ok(&session, begun.await).await?;
        Ok(session)
    }

    /// Does the first half of the handshake.
    pub(crate) async fn initialize(&self, session: &Session) -> Verdict {
        let begun = async {
            let reply = session.initialize().await.map_err(start_failure)?;
            self.judge_handshake(session, &reply)
        };
        self.close_unless_ok(session, begun.await).await
    }

    /// Ends a session on which something failed, so that its process makes room for another.
    pub(crate) async fn close_unless_ok(&self, session: &Session, verdict: Verdict) -> Verdict {
        if verdict.is_err() {
            self.close_session(session).await;
        }
        verdict
    }

    /// Blocked unless `reply` is a handshake in this revision.
    fn judge_handshake(&self, session: &Session, reply: &Reply) -> Verdict {
        let modern = self.version.era() == Era::Modern;
        match (reply.result(), session.server().version) {
            _ if reply.status() == Some(401) => Err(Finding::blocked(explain_unauthorized(session.target()))),
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

    /// Connects and sends nothing. Everything is recorded from here on, even if the handshake fails.
    pub(crate) async fn connect(&self, profile: Profile) -> Result<Session, Finding> {
        if let Some((session, slot)) = self.run.take_spare(self.version) {
            return Ok(self.keep_session(session.with_profile(profile), slot, true));
        }
        self.connect_more(profile, self.transport, true).await
    }

    /// The same for a check that has a session for itself already.
    pub(crate) async fn connect_another(&self, profile: Profile) -> Result<Session, Finding> {
        let slot = self.run.slots.acquire_second().await;
        self.connect_in_slot(slot, profile, self.transport, true).await
    }

    /// A connection over plain HTTP, whichever transport is spoken there. The passive checks read it if it is `judged`.
    pub(crate) async fn connect_http(&self, judged: bool) -> Result<Session, Finding> {
        self.connect_more(Profile::default(), Transport::StreamableHttp, judged).await
    }

    /// Connects beside the shared session, once one more process may live.
    async fn connect_more(
        &self,
        profile: Profile,
        transport: Transport,
        judged: bool,
    ) -> Result<Session, Finding> {
        let slot = self.run.slots.acquire().await;
        self.connect_in_slot(slot, profile, transport, judged).await
    }

    async fn connect_in_slot(
        &self,
        slot: Slot,
        profile: Profile,
        transport: Transport,
        judged: bool,
    ) -> Result<Session, Finding> {
        let session = self.connect_over(profile, transport).await?;
        Ok(self.keep_session(session, slot, judged))
    }

    /// Keeps a session. When its process ends, for whatever reason, its slot is free.
    fn keep_session(&self, session: Session, slot: Slot, judged: bool) -> Session {
        let slot = self.opened.add(&session, slot, judged);
        if let Some(exited) = session.exited() {
            tokio::spawn(async move {
                exited.await;
                drop(lock(&slot).take());
            });
        }
        session
    }

    async fn connect_over(&self, profile: Profile, transport: Transport) -> Result<Session, Finding> {
        self.liveness.patience.allow_request("a session")?;
        let (target, limits) = (&self.run.target, self.run.limits.clone());
        let connected = Session::connect_over(target, transport, self.version, profile, limits).await;
        connected.map_err(Finding::from)
    }

    /// A raw socket, for bytes that are not ordinary HTTP.
    pub(crate) async fn raw_socket(&self) -> Result<RawSocket, Finding> {
        self.liveness.patience.allow_request("a connection")?;
        let socket = RawSocket::open(self.endpoint()?, &Recorder::new(), &self.run.limits).await;
        socket.map_err(Finding::from)
    }

    /// The endpoint, where there is one.
    pub(crate) fn endpoint(&self) -> Result<&Endpoint, Finding> {
        match &self.run.target {
            Target::Url(endpoint) => Ok(endpoint),
            Target::Command(_) | Target::InProcess(_) => {
                Err(Finding::not_applicable("there is no HTTP here"))
            }
        }
    }

    /// How long a process may take to exit, by the longest that one of this revision took from its start to its first message.
    pub(crate) fn exit_limit(&self) -> Duration {
        let first_message = |recorder: &Recorder| {
            let transcript = recorder.transcript();
            let mut received = transcript.messages().filter(|entry| entry.direction == Direction::ToClient);
            received.next().map(|entry| entry.at)
        };
        self.recorders().iter().filter_map(first_message).max().unwrap_or_default() * MARGIN
    }

    /// Ends one session and its process. Its record is kept.
    pub(crate) async fn close_session(&self, session: &Session) -> Closing {
        self.close_session_within(session, self.run.limits.shutdown).await
    }

    /// The same, with so much time for each step.
    pub(crate) async fn close_session_within(&self, session: &Session, step: Duration) -> Closing {
        self.opened.note_closing(session);
        let ended = session.close_within(step.max(self.run.limits.shutdown)).await;
        drop(self.take_slot(session));
        ended
    }

    /// The right to a process that a session has, if it has one.
    pub(crate) fn take_slot(&self, session: &Session) -> Slot {
        self.opened.take_slot(session)
    }

    /// How many sessions over HTTP the server has ended so far: it may do so at any time. Where a session is a process, that
    /// is somebody's fault.
    pub(crate) fn count_lost(&self) -> usize {
        match self.transport {
            Transport::Stdio => 0,
            Transport::StreamableHttp | Transport::HttpSse => self.opened.count_lost(),
        }
    }

    /// Finds out which sessions over HTTP the server has ended, before a verdict is put down to the server.
    pub(crate) async fn notice_lost(&self) {
        let method = self.liveness.cheap_method();
        // A server that has been given up is not asked again.
        if !self.is_piped() && self.liveness.patience.allow_request(method).is_ok() {
            self.opened.notice_lost(method, self.liveness.pace().limit()).await;
        }
    }

    /// What stands in the way of everything, if sessions on a pipe end by themselves. That is looked at once one was lost.
    pub(crate) async fn unprovoked_end(&self) -> Option<Finding> {
        if !self.is_piped() || self.opened.count_lost() == 0 {
            return None;
        }
        self.run.find_unprovoked_end(self.version).await
    }

    /// Whether a server that is reached by a URL takes no connections any more.
    pub(crate) async fn is_server_gone(&self) -> bool {
        let Target::Url(endpoint) = &self.run.target else { return false };
        if self.run.server_end.has_come() {
            return true;
        }
        matches!(await_connection(endpoint, RETURN_TIMEOUT).await, Err(Failure::Unreachable { .. }))
    }

    /// The requests over HTTP whose answer did not even begin, latest first.
    pub(crate) fn requests_without_response(&self) -> Vec<Excerpt> {
        self.opened.requests_without_response()
    }

    /// The recorder of each session, also after its end.
    pub(crate) fn recorders(&self) -> Vec<Recorder> {
        self.opened.recorders()
    }

    /// Ends every session.
    pub(crate) async fn close_all(&self) {
        let in_order = self.starts_processes() && !self.liveness.patience.is_used_up();
        self.opened.close_all(if in_order { CLOSE_TIMEOUT } else { SHORT_CLOSE_TIMEOUT }).await;
    }
}

/// The specification does not bound the time of a start, so a session that never starts is blocked, not failed.
pub(crate) fn start_failure(failure: Failure) -> Finding {
    if failure.is_timeout() { Finding::blocked(failure.at_start().to_string()) } else { failure.into() }
}

fn refusal(reply: &Reply) -> String {
    match (reply.error(), reply.status()) {
        (Some(error), _) => error.message.unwrap_or_else(|| "an error without a message".to_owned()),
        (None, Some(status)) => format!("HTTP {status}"),
        (None, None) => "no result".to_owned(),
    }
}
