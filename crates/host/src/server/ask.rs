//! Requests to a server, each with its place in the timeline.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use protocol::{Era, code};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use transport::client::{Failure, Reply, Request, Session};

use super::{Server, State};
use crate::Shared;
use crate::finding::Finding;
use crate::timeline::{Party, Said};

/// Numbers the requests of all servers.
static COUNT: AtomicU64 = AtomicU64::new(1);
/// How long a server may take to be there.
const READY: Duration = Duration::from_secs(5);

/// A request, and on whose behalf.
#[derive(Clone, Debug)]
pub(crate) struct Asking<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Value,
    /// The view that asks, if one does.
    pub(crate) view: Option<&'a str>,
    /// The entry of the timeline that led to it.
    pub(crate) cause: Option<u64>,
    /// The name under which it can be taken back.
    pub(crate) call: Option<&'a str>,
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
    /// Asks the server, and shows what was said.
    pub(crate) async fn ask(&self, shared: &Shared, asking: Asking<'_>) -> Answered {
        let session = self.ready().await?;
        let id = format!("host-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let request = session.request(asking.method).params(asking.params.clone());
        let mut request = request.id(Value::from(id.as_str()).to_string());
        if let Some(tool) = asking.params["name"].as_str().and_then(|name| self.now().tool(name).cloned()) {
            request = request.mirror(&tool.listed["inputSchema"]);
        }
        let said = |from, to, message, cause| Said {
            view: asking.view.map(str::to_owned),
            server: Some(self.id.clone()),
            from,
            to,
            message,
            at: None,
            cause,
            findings: Vec::new(),
        };
        let shown = serde_json::from_str(&request.message()).unwrap_or_default();
        let asked = shared.timeline.add(said(Party::Host, Party::Server, shown, asking.cause));
        let answered = self.through(&session, request, asking.call).await;
        match answered {
            Ok(reply) => {
                for message in &reply.messages {
                    if let Some(value) = message.value() {
                        shared.timeline.add(said(Party::Server, Party::Host, value, Some(asked)));
                    }
                }
                read(&reply)
            }
            Err(failure) => {
                let refusal = self.failed(&failure);
                let shown = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": refusal.code, "message": refusal.message } });
                let mut told = said(Party::Server, Party::Host, shown, Some(asked));
                told.findings
                    .push(Finding::note("nothing came back; the host says so in the server's place"));
                shared.timeline.add(told);
                Err(refusal)
            }
        }
    }

    /// Takes a call back: whether there was one.
    pub(crate) fn cancel(&self, call: &str) -> bool {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.get(call).is_some_and(|token| {
            token.cancel();
            true
        })
    }

    /// The session, once there is one.
    async fn ready(&self) -> Result<Session, Refusal> {
        let mut now = self.now.subscribe();
        let ready = now.wait_for(|now| now.state == State::Ready);
        let ready = tokio::time::timeout(READY, ready).await.is_ok();
        match self.session().filter(|_| ready) {
            Some(session) => Ok(session),
            None => {
                let now = self.now();
                let why = now.note.as_deref().unwrap_or("it is still connecting");
                Err(Refusal::new(code::INTERNAL_ERROR, format!("the server is not there: {why}")))
            }
        }
    }

    async fn through(
        &self,
        session: &Session,
        request: Request,
        call: Option<&str>,
    ) -> Result<Reply, Failure> {
        let Some(call) = call else { return last(request).await };
        let token = CancellationToken::new();
        let calls = || self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls().insert(call.to_owned(), token.clone());
        let reply = match session.version().era() {
            Era::Modern => tokio::select! {
                reply = last(request) => reply,
                () = token.cancelled() => Err(Failure::Ours("the call was taken back".to_owned())),
            },
            Era::Legacy => cancellable(request, &token).await,
        };
        calls().remove(call);
        reply
    }

    fn failed(&self, failure: &Failure) -> Refusal {
        let lost = matches!(failure, Failure::Closed { .. } | Failure::Unreachable { .. })
            || matches!(failure, Failure::Status { status: 404, .. });
        if lost {
            self.broken.notify_one();
        }
        Refusal::new(code::INTERNAL_ERROR, failure.to_string())
    }
}

/// The reply, after all rounds of input that the server asks for.
async fn last(request: Request) -> Result<Reply, Failure> {
    let mut rounds = request.send_through().await?;
    rounds.replies.pop().ok_or_else(|| Failure::Ours("a request without a reply".to_owned()))
}

async fn cancellable(request: Request, token: &CancellationToken) -> Result<Reply, Failure> {
    let mut pending = request.start().await?;
    while !pending.is_settled() {
        let next = tokio::select! {
            next = pending.next() => next?,
            () = token.cancelled() => {
                pending.cancel("the person at the host took it back").await?;
                return Err(Failure::Ours("the call was taken back".to_owned()));
            }
        };
        if next.is_none() {
            break;
        }
    }
    pending.response().await
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
