//! Whether a server that gives no answer is silent, or only slow.

use std::sync::Arc;
use std::time::Duration;

use protocol::{Era, Version};
use serde_json::json;
use transport::client::{Failure, Reply, Request, Session};

use crate::checks::{CALL_IN_TIME, ERROR_ID};
use crate::expect::Ask;
use crate::run_cx::RunCx;
use crate::{Finding, Pace, Patience};

/// The least that a server is given to refuse nonsense.
const MIN_GRACE_PERIOD: Duration = Duration::from_secs(1);
/// How many answers show that a server has handled all earlier messages. One answer may overtake them, several do not.
const ROUND_TRIPS: usize = 3;
/// An answer that takes so long overtakes nothing.
const LONG_ANSWER: Duration = Duration::from_millis(500);
/// A method that no server has.
const UNKNOWN_METHOD: &str = "yardstick/are-you-there";
/// A tool that no server has.
const UNKNOWN_TOOL: &str = "yardstick-are-you-there";

/// What the silence after a request means.
#[derive(Clone, Copy)]
enum SilenceVerdict {
    /// An answer is due, and others come.
    Proven,
    /// Others come, but a tool may take as long as it likes.
    OfTool,
    /// Nothing else comes either.
    Unclear,
}

/// Whether the server answers in one revision: how long it takes, and what is left of the patience with it.
#[derive(Debug)]
pub(crate) struct Liveness {
    version: Version,
    run: Arc<RunCx>,
    pub(crate) patience: Patience,
}

/// Whether an error that names no request came since `mark`.
pub(crate) fn has_anonymous_error(session: &Session, mark: wire::Mark) -> bool {
    let said = session.recorder().since(mark).entries;
    said.iter()
        .filter(|entry| entry.direction == wire::Direction::ToClient)
        .any(|entry| wire::Frame::parse(&entry.bytes).is_ok_and(|frame| frame.is_anonymous_error()))
}

/// An answer that did not come because the error that came in its place names no request.
pub(crate) fn lost_id(failure: &Failure) -> Finding {
    Finding::blocked_by(ERROR_ID.id, format!("{failure}, but an error without an id came"))
}

impl Liveness {
    pub(crate) fn new(run: Arc<RunCx>, version: Version) -> Self {
        let patience = Patience::new(run.limits.request, run.memory.clone());
        Self { version, run, patience }
    }

    /// How long this server takes.
    pub(crate) fn pace(&self) -> &Pace {
        &self.run.pace
    }

    /// A method that every server of the revision answers at once.
    pub(crate) const fn cheap_method(&self) -> &'static str {
        match self.version.era() {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        }
    }

    /// Sends a request and waits for its answer. When none has come in time the server is asked whether it is there,
    /// and the wait goes on meanwhile: a late answer is an answer.
    pub(crate) async fn answer_to(&self, ask: Ask<'_>) -> Result<Reply, Finding> {
        let Ask { session, request, method, may_take_long, .. } = ask;
        self.patience.allow_request(&method)?;
        let outstanding = self.pace().begin_request();
        let limit = self.patience.limit(&method, request.limit_or(self.pace().limit()));
        let grace = self.grace_period();
        // A call that runs no tool may still wait behind one that does.
        let (mut awake, mut in_line) = (false, method == "tools/call");
        let mark = session.recorder().mark();
        let turn = session.turn();
        let look = async {
            turn.silent_for(limit).await;
            awake = self.is_awake(&session).await;
            in_line = in_line && !(awake && self.answers_calls(&session).await);
            std::future::pending::<()>().await;
        };
        let answer = tokio::select! {
            // On the heap, as all that goes through the transport: checks nest, and their futures would grow with it.
            answer = Box::pin(request.in_turn(&turn).timeout(limit + grace).send()) => answer,
            () = look => unreachable!("it waits for ever"),
        };
        match answer {
            Ok(reply) => {
                if method != "tools/call" {
                    outstanding.note_answer(reply.elapsed);
                }
                self.patience.note_answer(&method);
                Ok(reply)
            }
            Err(failure) if failure.is_timeout() && has_anonymous_error(&session, mark) => {
                self.patience.note_answer(&method);
                Err(lost_id(&failure))
            }
            Err(failure) => {
                let silence = match (awake, may_take_long) {
                    (true, false) if in_line && self.patience.has_answered(&method) => {
                        SilenceVerdict::Unclear
                    }
                    (true, false) => SilenceVerdict::Proven,
                    (true, true) => SilenceVerdict::OfTool,
                    (false, _) => SilenceVerdict::Unclear,
                };
                let finding = self.judge_failure(&method, failure, silence);
                Err(finding.showing_request(&session, &method))
            }
        }
    }

    /// What to make of a request that failed. Silence counts against a server only if an answer is due and it answers something
    /// else in the meantime; otherwise it may just be slow, as everything is on a busy machine.
    fn judge_failure(&self, method: &str, failure: Failure, silence: SilenceVerdict) -> Finding {
        let Failure::TimedOut { after, .. } = failure else { return self.note_failure(method, failure) };
        let given_up = self.patience.was_given_up();
        self.patience.note_silence(method, after);
        match silence {
            SilenceVerdict::Proven if !given_up => failure.into(),
            SilenceVerdict::OfTool if !given_up => Finding::blocked_by(CALL_IN_TIME.id, failure.to_string()),
            SilenceVerdict::Proven | SilenceVerdict::OfTool | SilenceVerdict::Unclear => {
                Finding::blocked(failure.to_string())
            }
        }
    }

    /// Takes note of a failure and makes a finding of it.
    pub(crate) fn note_failure(&self, method: &str, failure: Failure) -> Finding {
        if let Failure::TimedOut { after, .. } | Failure::NotJsonRpc { after, .. } = &failure {
            self.patience.note_silence(method, *after);
        }
        failure.into()
    }

    /// How long the server has to show that it is there.
    fn grace_period(&self) -> Duration {
        self.pace().longest().max(MIN_GRACE_PERIOD)
    }

    /// Whether the server answers on this session. The session must not have ended. A server that ignores what it does
    /// not know answers the other request, and one that is broken in that other way refuses what it does not know.
    pub(crate) async fn is_awake(&self, session: &Session) -> bool {
        self.answers_any(session.request(UNKNOWN_METHOD), session.request(self.cheap_method()).exact()).await
    }

    /// Whether the server answers calls that no tool runs for, while another one goes unanswered: calls do not wait in line then.
    async fn answers_calls(&self, session: &Session) -> bool {
        let call = |params| session.request("tools/call").params(params);
        self.answers_any(call(json!({ "name": UNKNOWN_TOOL, "arguments": {} })), call(json!({}))).await
    }

    async fn answers_any(&self, one: Request, other: Request) -> bool {
        let (one, other) =
            (one.timeout(self.grace_period()).send(), other.timeout(self.grace_period()).send());
        let (one, other) = (Box::pin(one), Box::pin(other));
        futures_util::future::select_ok([one, other]).await.is_ok()
    }

    /// Waits until the server has dealt with everything that was sent so far on `session`: it answers a few requests that
    /// cost nothing, one after the other. False when it does not.
    pub(crate) async fn has_caught_up(&self, session: &Session) -> bool {
        for _ in 0..ROUND_TRIPS {
            let outstanding = self.pace().begin_request();
            let sent = session.request(self.cheap_method()).exact().timeout(self.pace().limit()).send().await;
            match sent {
                Ok(reply) if reply.frame().is_some() => {
                    outstanding.note_answer(reply.elapsed);
                    self.pace().note_round_trip(reply.elapsed);
                    if reply.elapsed >= LONG_ANSWER {
                        break;
                    }
                }
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }
}
