//! Sends requests to a server and records them in the timeline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use protocol::code;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use transport::client::{Failure, Message, Reply, Request, Session};
use wire::Kind;

use super::cancellations::Cancellable;
use super::exchange::{self, CancelReason};
use super::unsolicited::Unsolicited;
use super::{ConnectionState, SupervisedServer, required_urls};
use crate::Shared;
use crate::finding::PageFinding;
use crate::timeline::{NewEntry, TimelineParty};

/// Numbers the requests to all servers.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);
/// How long a request waits for a server that is not connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A request, and what caused it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Value,
    /// The View that made the request, if one did.
    pub(crate) view: Option<&'a str>,
    /// The run of a tool that the request belongs to.
    pub(crate) run: Option<&'a str>,
    /// The timeline entry that caused the request.
    pub(crate) cause: Option<u64>,
    /// The JSON-RPC id. With one given here, the request can be cancelled by it; otherwise the host makes one.
    pub(crate) id: Option<&'a str>,
    /// Cancels the request when nobody waits for its response any more.
    pub(crate) closed: Option<&'a CancellationToken>,
}

/// The result of a request, or its error.
pub(crate) type RequestResult = Result<Value, RpcRefusal>;

/// A JSON-RPC error: the server's own, or one that the host made because the server did not respond.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcRefusal {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcRefusal {
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

impl SupervisedServer {
    /// Sends a request and returns its result. On the way it answers the server's requests for input and records every
    /// message.
    pub(crate) async fn ask(&self, shared: &Shared, asking: OutgoingRequest<'_>) -> RequestResult {
        let cancelled = asking.closed.map(CancellationToken::child_token).unwrap_or_default();
        let _cancellable = asking.id.map(|id| self.cancellable(id, &cancelled)).transpose()?;
        let given_up = || Err(refusal(&CancelReason::Cancelled.failure()));
        let session = tokio::select! {
            session = self.ready() => session?,
            () = cancelled.cancelled() => return given_up(),
        };
        let mut id = asking.id.map_or_else(fresh_id, str::to_owned);
        let mut params = asking.params.clone();
        for left in (0..=session.limits().rounds).rev() {
            let request = self.request(&session, asking.method, &params, &id);
            let reply = self.send_recorded(shared, &session, &asking, request, &cancelled).await;
            let reply = reply.map_err(|failure| self.failed(&failure))?;
            let Some(asked) = reply.input_required().filter(|_| left > 0) else {
                let answered = result_of(&reply);
                self.show_required_urls(shared, &asking, session.version(), &answered);
                return answered;
            };
            let next = tokio::select! {
                next = self.give_input(shared, &asking, &params, &asked) => next?,
                () = cancelled.cancelled() => return given_up(),
                () = self.lost(&session) => {
                    let why = "the connection was lost while the server waited for the person";
                    return Err(RpcRefusal::new(code::INTERNAL_ERROR, why));
                }
            };
            (params, id) = (next, fresh_id());
        }
        Err(RpcRefusal::new(code::INTERNAL_ERROR, "the request was not sent"))
    }

    /// Cancels a request. Returns whether one with that id was open.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        self.calls.cancel(id)
    }

    fn cancellable(&self, id: &str, cancelled: &CancellationToken) -> Result<Cancellable<'_>, RpcRefusal> {
        self.calls.enter(id, cancelled).ok_or_else(|| {
            RpcRefusal::new(code::INVALID_REQUEST, format!("a request with the id {id} is still open"))
        })
    }

    /// Waits until the request has timed out. Time in which the server waits for the person does not count.
    async fn too_long(&self, shared: &Shared) -> CancelReason {
        let limit = shared.options.limits.request;
        loop {
            tokio::select! {
                () = tokio::time::sleep(limit) => return CancelReason::TooLong(limit),
                () = shared.inquiries.wait_for_open(&self.id) => {}
            }
            shared.inquiries.wait_for_none(&self.id).await;
        }
    }

    /// Waits until `session` is lost.
    async fn lost(&self, session: &Session) {
        let mut now = self.now.subscribe();
        while now.borrow_and_update().state == ConnectionState::Ready && session.ended().is_none() {
            if now.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits for a live session.
    async fn ready(&self) -> Result<Session, RpcRefusal> {
        let mut now = self.now.subscribe();
        let live = async {
            loop {
                if now.borrow_and_update().state == ConnectionState::Ready
                    && let Some(session) = self.session().filter(|session| session.ended().is_none())
                {
                    return Some(session);
                }
                now.changed().await.ok()?;
            }
        };
        let live = tokio::time::timeout(CONNECT_TIMEOUT, live).await;
        live.ok().flatten().ok_or_else(|| {
            let now = self.now();
            let why = now.note.as_deref().unwrap_or("the host is still connecting");
            RpcRefusal::new(code::INTERNAL_ERROR, format!("the server is not connected: {why}"))
        })
    }

    pub(super) fn request(&self, session: &Session, method: &str, params: &Value, id: &str) -> Request {
        let request = session.request(method).params(params.clone()).id(Value::from(id).to_string());
        match params["name"].as_str().and_then(|name| self.now().tool(name).cloned()) {
            Some(tool) => request.mirror(tool.member("inputSchema")),
            None => request,
        }
    }

    /// Sends one request, waits for its response, and records both.
    pub(super) async fn send_recorded(
        &self,
        shared: &Shared,
        session: &Session,
        asking: &OutgoingRequest<'_>,
        request: Request,
        cancelled: &CancellationToken,
    ) -> Result<Reply, Failure> {
        let tell = |from, to, message, cause, findings| {
            shared.timeline.add(NewEntry {
                view: asking.view.map(str::to_owned),
                run: asking.run.map(str::to_owned),
                server: Some(self.id.clone()),
                cause,
                findings,
                ..NewEntry::new(from, to, message)
            })
        };
        let shown: Value = serde_json::from_str(&request.message()).unwrap_or_default();
        let id = shown["id"].clone();
        let asked = tell(TimelineParty::Host, TimelineParty::Server, shown.clone(), asking.cause, Vec::new());
        let given_up = async {
            tokio::select! {
                () = cancelled.cancelled() => CancelReason::Cancelled,
                given_up = self.too_long(shared) => given_up,
            }
        };
        let heard = |message: &Message| {
            // Requests of the server are handled where they are answered.
            if message.frame().is_some_and(|frame| frame.kind() == Kind::Request) {
                return;
            }
            let Some(message) = message.value() else { return };
            // On every transport the response comes after this, so the View gets its progress in time.
            self.route_progress(&message);
            if exchange::is_own(session, &message, &shown) {
                self.route_cancellation(&message);
                self.route_completion(shared, &message);
                if message.get("method").is_some() && !self.unsolicited.admit(Unsolicited::Notification) {
                    return;
                }
                let findings = required_urls::findings_of(&message, session.version());
                tell(TimelineParty::Server, TimelineParty::Host, message, Some(asked), findings);
            }
        };
        let unanswered = match exchange::send(session, request, &id, given_up, heard).await {
            Ok(reply) => return Ok(reply),
            Err(unanswered) => unanswered,
        };
        if let Some(notice) = unanswered.notice {
            tell(TimelineParty::Host, TimelineParty::Server, notice, Some(asked), Vec::new());
        }
        let mut error = refusal(&unanswered.why).to_value();
        (error["jsonrpc"], error["id"]) = (json!("2.0"), id);
        let note = PageFinding::note("the server did not respond; the host made this error in its place");
        tell(TimelineParty::Server, TimelineParty::Host, error, Some(asked), vec![note]);
        Err(unanswered.why)
    }

    /// Converts a failure. If the connection is dead, the supervisor is woken to connect again.
    fn failed(&self, failure: &Failure) -> RpcRefusal {
        let lost = matches!(failure, Failure::Closed { .. } | Failure::Unreachable { .. })
            || matches!(failure, Failure::Status { status: 404, .. });
        if lost {
            self.broken.notify_one();
        }
        refusal(failure)
    }
}

/// The error that stands for a response that never came.
fn refusal(failure: &Failure) -> RpcRefusal {
    RpcRefusal::new(code::INTERNAL_ERROR, failure.to_string())
}

pub(super) fn fresh_id() -> String {
    format!("host-{}", NEXT_ID.fetch_add(1, Ordering::Relaxed))
}

fn result_of(reply: &Reply) -> RequestResult {
    if let Some(result) = reply.result() {
        return Ok(result);
    }
    match reply.error() {
        Some(error) => Err(RpcRefusal {
            code: error.code.unwrap_or(code::INTERNAL_ERROR),
            message: error.message.unwrap_or_else(|| "the error has no message".to_owned()),
            data: error.data,
        }),
        None => {
            let status = reply.status().map(|status| format!(" (HTTP {status})")).unwrap_or_default();
            Err(RpcRefusal::new(
                code::INTERNAL_ERROR,
                format!("the response has neither a result nor an error{status}"),
            ))
        }
    }
}
