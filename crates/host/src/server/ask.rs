//! Requests to a server, each with its place in the timeline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use protocol::code;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use transport::client::{Failure, Message, Reply, Request, Session};

use super::cancellations::Cancellable;
use super::exchange::{self, GivenUp};
use super::{Server, State};
use crate::Shared;
use crate::finding::Finding;
use crate::timeline::{Party, Said};

/// Numbers the requests of all servers.
static COUNT: AtomicU64 = AtomicU64::new(1);
/// How long a server may take to be there.
const READY: Duration = Duration::from_secs(5);

/// A request, and on whose behalf.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Value,
    /// The view that asks, if one does.
    pub(crate) view: Option<&'a str>,
    /// The run of a tool that it is part of.
    pub(crate) run: Option<&'a str>,
    /// The entry of the timeline that led to it.
    pub(crate) cause: Option<u64>,
    /// The id that it goes out with, under which it can be cancelled; otherwise it gets one.
    pub(crate) id: Option<&'a str>,
    /// Cancels it when nobody waits for the answer any more.
    pub(crate) closed: Option<&'a CancellationToken>,
}

/// A result, or why there is none.
pub(crate) type Answered = Result<Value, Refusal>;

/// A JSON-RPC error: the server's, or ours on its behalf.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl Refusal {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "error": error })
    }
}

impl Server {
    /// Asks the server, gives what it wants to know on the way, and shows what was said.
    pub(crate) async fn ask(&self, shared: &Shared, asking: Asking<'_>) -> Answered {
        let cancelled = asking.closed.map(CancellationToken::child_token).unwrap_or_default();
        let _cancellable = asking.id.map(|id| self.cancellable(id, &cancelled)).transpose()?;
        let given_up = || Err(refusal(&GivenUp::Cancelled.failure()));
        let session = tokio::select! {
            session = self.ready() => session?,
            () = cancelled.cancelled() => return given_up(),
        };
        let mut id = asking.id.map_or_else(fresh_id, str::to_owned);
        let mut params = asking.params.clone();
        for left in (0..=session.limits().rounds).rev() {
            let request = self.request(&session, asking.method, &params, &id);
            let reply = self.round(shared, &session, &asking, request, &cancelled).await;
            let reply = reply.map_err(|failure| self.failed(&failure))?;
            let Some(asked) = reply.input_required().filter(|_| left > 0) else { return read(&reply) };
            let next = tokio::select! {
                next = self.give_input(shared, &asking, &params, &asked) => next?,
                () = cancelled.cancelled() => return given_up(),
            };
            (params, id) = (next, fresh_id());
        }
        Err(Refusal::new(code::INTERNAL_ERROR, "the server was not asked"))
    }

    /// Cancels a request: whether there was one.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        self.calls.cancel(id)
    }

    fn cancellable(&self, id: &str, cancelled: &CancellationToken) -> Result<Cancellable<'_>, Refusal> {
        self.calls
            .enter(id, cancelled)
            .ok_or_else(|| Refusal::new(code::INVALID_REQUEST, format!("the call {id} is still under way")))
    }

    /// Waits until a request has taken too long. The time for which the server waits for the person does not count.
    async fn too_long(&self, shared: &Shared) -> GivenUp {
        let limit = shared.options.limits.request;
        loop {
            tokio::select! {
                () = tokio::time::sleep(limit) => return GivenUp::TooLong(limit),
                () = shared.inquiries.opened(&self.id) => {}
            }
            shared.inquiries.closed(&self.id).await;
        }
    }

    /// The session, once there is one that has not ended.
    async fn ready(&self) -> Result<Session, Refusal> {
        let mut now = self.now.subscribe();
        let live = async {
            loop {
                if now.borrow_and_update().state == State::Ready
                    && let Some(session) = self.session().filter(|session| session.ended().is_none())
                {
                    return Some(session);
                }
                now.changed().await.ok()?;
            }
        };
        let live = tokio::time::timeout(READY, live).await;
        live.ok().flatten().ok_or_else(|| {
            let now = self.now();
            let why = now.note.as_deref().unwrap_or("it is still connecting");
            Refusal::new(code::INTERNAL_ERROR, format!("the server is not there: {why}"))
        })
    }

    pub(super) fn request(&self, session: &Session, method: &str, params: &Value, id: &str) -> Request {
        let request = session.request(method).params(params.clone()).id(Value::from(id).to_string());
        match params["name"].as_str().and_then(|name| self.now().tool(name).cloned()) {
            Some(tool) => request.mirror(tool.member("inputSchema")),
            None => request,
        }
    }

    /// One request and its reply, both shown.
    pub(super) async fn round(
        &self,
        shared: &Shared,
        session: &Session,
        asking: &Asking<'_>,
        request: Request,
        cancelled: &CancellationToken,
    ) -> Result<Reply, Failure> {
        let tell = |from, to, message, cause, findings| {
            shared.timeline.add(Said {
                view: asking.view.map(str::to_owned),
                run: asking.run.map(str::to_owned),
                server: Some(self.id.clone()),
                cause,
                findings,
                ..Said::new(from, to, message)
            })
        };
        let shown: Value = serde_json::from_str(&request.message()).unwrap_or_default();
        let id = shown["id"].clone();
        let asked = tell(Party::Host, Party::Server, shown, asking.cause, Vec::new());
        let given_up = async {
            tokio::select! {
                () = cancelled.cancelled() => GivenUp::Cancelled,
                given_up = self.too_long(shared) => given_up,
            }
        };
        let heard = |message: &Message| {
            if let Some(message) = message.value().filter(|message| exchange::is_own(session, message, &id)) {
                self.notified(shared, &message);
                tell(Party::Server, Party::Host, message, Some(asked), Vec::new());
            }
        };
        let unanswered = match exchange::run(session, request, &id, given_up, heard).await {
            Ok(reply) => return Ok(reply),
            Err(unanswered) => unanswered,
        };
        if let Some(notice) = unanswered.notice {
            tell(Party::Host, Party::Server, notice, Some(asked), Vec::new());
        }
        let mut error = refusal(&unanswered.why).to_value();
        (error["jsonrpc"], error["id"]) = (json!("2.0"), id);
        let note = Finding::note("nothing came back; the host says so in the server's place");
        tell(Party::Server, Party::Host, error, Some(asked), vec![note]);
        Err(unanswered.why)
    }

    /// Lets a connection be made again that proved dead.
    fn failed(&self, failure: &Failure) -> Refusal {
        let lost = matches!(failure, Failure::Closed { .. } | Failure::Unreachable { .. })
            || matches!(failure, Failure::Status { status: 404, .. });
        if lost {
            self.broken.notify_one();
        }
        refusal(failure)
    }
}

/// What is said in the place of a server that gave no answer.
fn refusal(failure: &Failure) -> Refusal {
    Refusal::new(code::INTERNAL_ERROR, failure.to_string())
}

pub(super) fn fresh_id() -> String {
    format!("host-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn read(reply: &Reply) -> Answered {
    if let Some(result) = reply.result() {
        return Ok(result);
    }
    match reply.error() {
        Some(error) => Err(Refusal {
            code: error.code.unwrap_or(code::INTERNAL_ERROR),
            message: error.message.unwrap_or_else(|| "an error without a message".to_owned()),
            data: error.data,
        }),
        None => {
            let status = reply.status().map(|status| format!(" (HTTP {status})")).unwrap_or_default();
            Err(Refusal::new(code::INTERNAL_ERROR, format!("the server gave no answer{status}")))
        }
    }
}
