//! Sends requests and judges single replies.

use std::time::Duration;

use serde_json::Value;
use transport::client::{Failure, PendingRequest, Reply, Request, Session};
use wire::{Direction, Entry, Frame, What};

use crate::checks::{CALL_IN_TIME, ONE_OBJECT};
use crate::connector::explain_unauthorized;
use crate::liveness::{Liveness, has_anonymous_error, lost_id};
use crate::session_pool::SessionPool;
use crate::upstream;
use crate::{Evidence, Excerpt, Finding, Verdict};

/// The obstacle where the error code is needed.
pub(crate) const NO_CODE: &str = "the error has no code that is an integer";

/// How often a request is sent again because the server no longer knew the shared session.
const MAX_RESENDS: usize = 6;

/// A request on its way, with the sessions that it may be sent on.
#[derive(Clone, Debug)]
pub struct Ask<'c> {
    pool: &'c SessionPool,
    pub(crate) session: Session,
    pub(crate) request: Request,
    pub(crate) method: String,
    /// Whether the server may take as long as it likes.
    pub(crate) may_take_long: bool,
}

/// A reply, with the session that recorded it.
#[derive(Debug)]
pub struct Answer {
    /// What came back.
    pub reply: Reply,
    session: Session,
}

impl<'c> Ask<'c> {
    pub(crate) fn new(pool: &'c SessionPool, session: Session, request: Request, method: &str) -> Self {
        Self { pool, session, request, method: method.to_owned(), may_take_long: method == "tools/call" }
    }

    const fn liveness(&self) -> &'c Liveness {
        &self.pool.connector.liveness
    }

    /// Says of a call that no tool runs for it, so that nothing in it takes long.
    #[must_use]
    pub const fn runs_no_tool(mut self) -> Self {
        self.may_take_long = false;
        self
    }

    /// Refines the request with any of the client's own words.
    #[must_use]
    pub fn with(mut self, refine: impl FnOnce(Request) -> Request) -> Self {
        self.request = refine(self.request);
        self
    }

    /// The parameters.
    #[must_use]
    pub fn params(self, params: Value) -> Self {
        self.with(|request| request.params(params))
    }

    /// An HTTP header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        self.with(|request| request.header(name, value))
    }

    /// How long to wait.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        self.with(|request| request.timeout(limit))
    }

    /// Sends it and waits for the answer. Where the server no longer knows the shared session, it is sent again on another.
    pub async fn send(mut self) -> Result<Answer, Finding> {
        let pool = self.pool;
        for _ in 0..MAX_RESENDS {
            let reply = Box::pin(pool.connector.liveness.answer_to(self.clone())).await?;
            self.probe_session(&reply).await;
            match Box::pin(pool.find_replacement(&self.session, Some(&reply))).await {
                Some(session) => self = self.in_session(session),
                None => return Ok(Answer { reply, session: self.session }),
            }
        }
        let session = self.session.clone();
        Ok(Answer { reply: Box::pin(pool.connector.liveness.answer_to(self)).await?, session })
    }

    /// Sends it, gives what the server asks for on the way, and waits until it is complete: the answer of every round.
    /// What takes too long is not held against the server. Where the server no longer knows the shared session, it is sent
    /// again on another.
    pub async fn through(mut self) -> Result<Vec<Answer>, Finding> {
        let pool = self.pool;
        for _ in 0..MAX_RESENDS {
            let answers = self.clone().all_rounds().await?;
            let last = answers.last().map(|answer| &answer.reply);
            match Box::pin(pool.find_replacement(&self.session, last)).await {
                Some(session) => self = self.in_session(session),
                None => return Ok(answers),
            }
        }
        self.all_rounds().await
    }

    /// Finds out whether the server still knows the session, where `reply` leaves that open: a request that a check has changed may
    /// be answered with 404 for another reason.
    async fn probe_session(&self, reply: &Reply) {
        let has_id = || self.session.server().session_id.is_some();
        if reply.is_session_unknown() && self.session.ended().is_none() && has_id() {
            // The session takes note of the answer.
            let _ = Box::pin(self.session.request(self.liveness().cheap_method()).exact().send()).await;
        }
    }

    fn in_session(mut self, session: &Session) -> Self {
        self.session = session.clone();
        self.with(|request| request.in_session(session))
    }

    async fn all_rounds(mut self) -> Result<Vec<Answer>, Finding> {
        let liveness = self.liveness();
        liveness.patience.allow_request(&self.method)?;
        let usual = self.request.limit_or(liveness.pace().limit());
        self.request = self.request.timeout(liveness.patience.limit(&self.method, usual));
        let mark = self.session.recorder().mark();
        let rounds = match Box::pin(self.request.send_through()).await {
            Ok(rounds) => rounds,
            Err(failure) if failure.is_timeout() && has_anonymous_error(&self.session, mark) => {
                liveness.patience.note_answer(&self.method);
                return Err(lost_id(&failure));
            }
            Err(Failure::TimedOut { after, .. }) => {
                liveness.patience.note_silence(&self.method, after);
                let why = format!("there was no answer within {} ms", after.as_millis());
                let is_call = self.method == "tools/call" && !liveness.patience.was_given_up();
                if is_call && liveness.is_awake(&self.session).await {
                    return Err(Finding::blocked_by(CALL_IN_TIME.id, why));
                }
                return Err(Finding::blocked(why));
            }
            Err(other) => return Err(liveness.note_failure(&self.method, other)),
        };
        liveness.patience.note_answer(&self.method);
        let answer = |reply| Answer { reply, session: self.session.clone() };
        Ok(rounds.replies.into_iter().map(answer).collect())
    }

    /// Sends it and watches what comes.
    pub async fn start(self) -> Result<PendingRequest, Finding> {
        let liveness = self.liveness();
        liveness.patience.allow_request(&self.method)?;
        let started = Box::pin(self.request.start()).await;
        started.map_err(|failure| liveness.note_failure(&self.method, failure))
    }
}

impl Answer {
    /// What came back on `session`.
    pub(crate) const fn new(reply: Reply, session: Session) -> Self {
        Self { reply, session }
    }

    /// A violation that this exchange shows.
    pub fn violated(&self, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
        let mut evidence = Evidence::new(expected, actual);
        evidence.frames.extend(self.request());
        Finding::Violated(Box::new(evidence.with_reply(&self.reply)))
    }

    /// The result, which there must be.
    pub fn expect_result(&self) -> Result<Value, Finding> {
        // A client that is not admitted has seen nothing that could be wrong.
        if self.reply.status() == Some(401) {
            return Err(Finding::blocked(explain_unauthorized(self.session.target())));
        }
        if let Some(trouble) = self.upstream_trouble() {
            return Err(Finding::blocked(trouble));
        }
        self.expect_readable()?;
        self.reply.result().ok_or_else(|| self.violated("a result", self.summary()))
    }

    /// That a body which calls itself JSON can be read; if not, another check reports it.
    pub(crate) fn expect_readable(&self) -> Verdict {
        let is_unreadable = self.reply.frame().is_none()
            && matches!(self.reply.status(), Some(200..=299))
            && !self.reply.body.is_empty()
            && self.reply.media_type().as_deref() == Some("application/json");
        if is_unreadable { Err(Finding::blocked_by(ONE_OBJECT.id, "the body is not JSON")) } else { Ok(()) }
    }

    /// What an error tells of trouble that is not the server's own.
    pub(crate) fn upstream_trouble(&self) -> Option<String> {
        let error = self.reply.error()?;
        upstream::trouble(error.code, &error.message.unwrap_or_default())
    }

    /// A response, even an error: it shows that the server is alive.
    pub fn expect_response(&self) -> Verdict {
        if self.reply.frame().is_some() { Ok(()) } else { self.expect_result().map(drop) }
    }

    /// An error, with one of these codes.
    pub fn expect_error(&self, codes: &[i64]) -> Verdict {
        let code = self.reply.code();
        if code.is_some_and(|code| codes.contains(&code)) {
            return Ok(());
        }
        if let Some(trouble) = self.upstream_trouble() {
            return Err(Finding::blocked(trouble));
        }
        self.expect_readable()?;
        if self.reply.is_error() && code.is_none() {
            // That codes are integers is a rule of its own, and one wrong is one finding.
            return Err(Finding::blocked(NO_CODE));
        }
        let codes: Vec<_> = codes.iter().map(ToString::to_string).collect();
        Err(self.violated(format!("error {}", codes.join(" or ")), self.summary()))
    }

    /// An error, whatever its code.
    pub fn expect_any_error(&self) -> Verdict {
        if self.reply.is_error() { Ok(()) } else { Err(self.violated("an error", self.summary())) }
    }

    /// One of these HTTP statuses; nothing is expected where there is no HTTP.
    pub fn expect_status(&self, statuses: &[u16]) -> Verdict {
        match self.reply.status() {
            Some(status) if !statuses.contains(&status) => {
                let statuses: Vec<_> = statuses.iter().map(ToString::to_string).collect();
                Err(self.violated(format!("HTTP {}", statuses.join(" or ")), format!("HTTP {status}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What came back, in a few words.
    pub fn summary(&self) -> String {
        let http = self.reply.status().map(|status| format!(" with HTTP {status}")).unwrap_or_default();
        match (self.reply.error(), self.reply.result()) {
            (Some(error), _) => {
                let code = error.code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
                format!("error {code}{http}: {}", error.message.unwrap_or_default())
            }
            (None, Some(result)) if result["isError"] == true => format!("a result with isError{http}"),
            (None, Some(_)) => format!("a result{http}"),
            (None, None) => format!("no response{http}"),
        }
    }

    /// The request that was answered, with the headers that matter where it was sent over HTTP.
    fn request(&self) -> Option<Excerpt> {
        let message = self.sent();
        let exchange = message.as_ref().map_or(self.reply.exchange, |entry| entry.exchange);
        let transcript = self.session.recorder().transcript();
        let head = transcript.entries.iter().find(|entry| {
            entry.what == What::Head && entry.direction == Direction::ToServer && entry.exchange == exchange
        });
        match head {
            Some(head) => Some(Excerpt::request(head, message.as_ref())),
            None => message.as_ref().map(Excerpt::entry),
        }
    }

    /// The message that was answered.
    fn sent(&self) -> Option<Entry> {
        let transcript = self.session.recorder().transcript();
        let id = self.reply.frame().and_then(|frame| frame.id());
        transcript.entries.into_iter().rev().find(|entry| {
            let ours = entry.direction == Direction::ToServer && entry.what == What::Message;
            let same = match (self.reply.exchange, &id) {
                (0, Some(id)) => Frame::parse(&entry.bytes)
                    .is_ok_and(|f| f.method.is_some() && f.id().as_ref() == Some(id)),
                (0, None) => false,
                (exchange, _) => entry.exchange == exchange,
            };
            ours && same
        })
    }
}
