//! One request, and what a tool can do while it is answered.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use protocol::capability::{Capability, required_by_input};
use protocol::meta::{LogLevel, RELATED_TASK};
use protocol::method::Method;
use protocol::{Era, Version, code};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use transport::serve::Out;

use crate::client::Client;
use crate::feature::modern;
use crate::feature::tasks::Task;
use crate::peer::Peer;
use crate::rpc::{self, RpcError};
use crate::server::Server;

/// How long a client may take to answer a request of ours.
const ASK_TIMEOUT: Duration = Duration::from_secs(60);

/// One request, with everything that is needed to answer it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) client: Client,
    pub(crate) id: Box<RawValue>,
    pub(crate) method: &'static Method,
    /// Shared by clones, because they may be long.
    pub(crate) params: Arc<Value>,
    pub(crate) progress: Option<Value>,
    /// Takes the messages before the response, once the answer is a stream.
    pub(crate) out: Option<mpsc::Sender<Out>>,
    /// The task that the request has become.
    pub(crate) task: Option<Arc<Task>>,
}

/// The outcome of a request.
pub(crate) enum Reply {
    /// The result, at once.
    Done(Value),
    /// The result of a tool with one text, at once.
    Text(String),
    /// The result after a while, with messages before it.
    Later(Work),
}

/// Work that takes time.
pub(crate) type Work = Box<dyn FnOnce(Call) -> Later + Send>;
/// The future of such work.
pub(crate) type Later = Pin<Box<dyn Future<Output = Result<Value, Stop>> + Send>>;

/// Why there is no result.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// An error.
    Error(RpcError),
    /// Questions that the client has to answer first (2026-07-28), by key.
    Input(Map<String, Value>),
}

/// A question to the client, in either era.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// The key of the answer in 2026-07-28.
    pub(crate) key: &'static str,
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl From<RpcError> for Stop {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

impl Ask {
    pub(crate) const fn sampling(key: &'static str, params: Value) -> Self {
        Self { key, method: "sampling/createMessage", params }
    }

    /// A form, or with `"mode": "url"` a page to visit.
    pub(crate) const fn elicitation(key: &'static str, params: Value) -> Self {
        Self { key, method: "elicitation/create", params }
    }

    pub(crate) fn roots(key: &'static str) -> Self {
        Self { key, method: "roots/list", params: json!({}) }
    }

    /// What the client must have declared.
    fn needs(&self) -> Vec<Capability> {
        required_by_input(self.method, &self.params)
    }

    /// The entry in `inputRequests`.
    pub(crate) fn as_input(&self) -> Value {
        json!({ "method": self.method, "params": self.params })
    }

    /// Whether `answer` has the right form. If not, the question is asked again.
    pub(crate) fn is_answered_by(&self, answer: &Value) -> bool {
        match self.method {
            "elicitation/create" => {
                matches!(answer["action"].as_str(), Some("accept" | "decline" | "cancel"))
            }
            "sampling/createMessage" => answer["role"].is_string() && !answer["content"].is_null(),
            _ => answer["roots"].is_array(),
        }
    }
}

impl Call {
    pub(crate) const fn version(&self) -> Version {
        self.client.version
    }

    /// A string member of the params.
    pub(crate) fn text(&self, name: &str) -> Result<&str, RpcError> {
        let found = self.params.get(name).and_then(Value::as_str);
        found.ok_or_else(|| {
            RpcError::invalid_params(format!("{}: `{name}` must be a string", self.method.name))
        })
    }

    /// Sends a notification ahead of the response.
    pub(crate) async fn notify(&self, method: &str, mut params: Value) {
        if let Some(task) = &self.task {
            params["_meta"][RELATED_TASK] = json!({ "taskId": task.id });
        }
        // A notification that the client's revision does not have is not sent.
        if self.client.shape().notification(method, &mut params).is_ok() {
            self.send(rpc::notification(method, &params)).await;
        }
    }

    /// Reports progress, if the client asked for it.
    pub(crate) async fn progress(&self, progress: u32, total: u32, message: &str) {
        if let Some(token) = &self.progress {
            let params = json!({
                "progressToken": token, "progress": progress, "total": total, "message": message,
            });
            self.notify("notifications/progress", params).await;
        }
    }

    /// Logs, if the client wants messages of this level.
    pub(crate) async fn log(&self, level: LogLevel, data: Value) {
        if self.client.log_level.is_some_and(|least| level >= least) {
            let params = json!({ "level": level.as_str(), "logger": "yardstick", "data": data });
            self.notify("notifications/message", params).await;
        }
    }

    /// Closes the connection and asks the client to reconnect, in the revision that has this (2025-11-25, HTTP).
    pub(crate) async fn hang_up(&self, retry_ms: u64) {
        if let Some(out) = self.out.as_ref().filter(|_| self.version() == Version::V2025_11_25) {
            // The client has gone.
            let _ = out.send(Out::Hangup { retry_ms }).await;
        }
    }

    /// Asks the client one question. See [`Call::ask_all`].
    pub(crate) async fn ask(&self, ask: Ask) -> Result<Value, Stop> {
        let answers = self.ask_all(vec![ask]).await?;
        answers.into_iter().next().ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no answer").into())
    }

    /// Asks the client in the way of its era: with a request, or with an interim result and a retry. The retry carries
    /// the answers, and the sealed state keeps earlier ones. A modern task shows its questions to clients that poll it.
    pub(crate) async fn ask_all(&self, mut asks: Vec<Ask>) -> Result<Vec<Value>, Stop> {
        let needs = asks.iter().flat_map(Ask::needs).filter(|needed| !self.client.has(*needed));
        let missing: Vec<_> = needs.collect();
        if !missing.is_empty() {
            return Err(modern::missing_capabilities(self.version(), &missing).into());
        }
        for ask in &mut asks {
            let shaped = self.client.shape().request(ask.method, &mut ask.params);
            shaped.map_err(|unfit| RpcError::new(code::INTERNAL_ERROR, unfit.to_string()))?;
        }
        match (self.version().era(), &self.task) {
            (Era::Modern, Some(task)) => Ok(task.ask(&self.server, &asks).await),
            (Era::Modern, None) => modern::answers(self, &asks),
            (Era::Legacy, _) => {
                let mut answers = Vec::new();
                for ask in asks {
                    answers.push(self.ask_now(ask.method, ask.params).await?);
                }
                Ok(answers)
            }
        }
    }

    /// Pings the client, in revisions that allow it.
    pub(crate) async fn ping(&self) -> Result<(), Stop> {
        self.ask_now("ping", json!({})).await.map(drop)
    }

    async fn ask_now(&self, method: &str, mut params: Value) -> Result<Value, Stop> {
        if !self.peer.is_ready() && method != "ping" {
            let why =
                format!("the client may not be asked for {method} before it sends notifications/initialized");
            return Err(RpcError::invalid_request(why).at(200).into());
        }
        let (id, answer) = self.peer.register_request();
        let Some(task) = &self.task else {
            self.send(rpc::request(id, method, &params)).await;
            return Ok(await_answer(answer, method).await?);
        };
        params["_meta"][RELATED_TASK] = json!({ "taskId": task.id });
        // The task's time to live bounds the wait.
        let answer = async { answer.await.unwrap_or_else(|_| Err(unanswered(method))) };
        Ok(task.hand_over(&self.server, rpc::request(id, method, &params).into(), answer).await?)
    }

    /// Sends a message before the response. The messages of a task belong to no request, because its own was answered.
    /// In the modern era a task sends none.
    async fn send(&self, message: Vec<u8>) {
        match (&self.out, &self.task) {
            (_, Some(_)) | (None, None) if self.version().era() == Era::Legacy => {
                self.peer.send(message.into());
            }
            (Some(out), None) => {
                // A message without room is dropped, which is allowed.
                if let Ok(message) = self.peer.hold(message.into()) {
                    // The client has gone.
                    let _ = out.send(Out::Message(message)).await;
                }
            }
            (_, Some(_)) | (None, None) => {}
        }
    }
}

/// The answer to our request, if it comes in time.
async fn await_answer(
    answer: oneshot::Receiver<Result<Value, RpcError>>,
    method: &str,
) -> Result<Value, RpcError> {
    match tokio::time::timeout(ASK_TIMEOUT, answer).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) | Err(_) => Err(unanswered(method)),
    }
}

fn unanswered(method: &str) -> RpcError {
    RpcError::new(code::INTERNAL_ERROR, format!("the client did not answer {method} in time"))
}
