//! One request on its way through the server, and what a tool can do with it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use protocol::capability::{self, Capability};
use protocol::meta::LogLevel;
use protocol::method::Method;
use protocol::{Era, Version, code};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use transport::serve::Out;

use crate::client::Client;
use crate::fault::lifecycle::CAPABILITY_ASSUMED;
use crate::fault::tools::LOG_UNWANTED;
use crate::feature::modern;
use crate::peer::Peer;
use crate::rpc::{self, RpcError};
use crate::server::Server;

/// How long a client may take to answer a request of ours.
const ASK_LIMIT: Duration = Duration::from_secs(60);

/// One request, with everything that it takes to answer it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) client: Client,
    pub(crate) id: Box<RawValue>,
    pub(crate) method: &'static Method,
    pub(crate) params: Value,
    pub(crate) progress: Option<Value>,
    /// Where messages before the response go, once the answer has become a stream.
    pub(crate) out: Option<mpsc::Sender<Out>>,
}

/// What becomes of a request.
pub(crate) enum Reply {
    /// The result, at once.
    Done(Value),
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
    /// Requests that the client has to answer first (2026-07-28), by key.
    Input(Map<String, Value>),
}

/// A request to the client, of whatever era.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// The key by which the answer is known in 2026-07-28.
    pub(crate) key: &'static str,
    pub(crate) method: &'static str,
    pub(crate) params: Value,
    /// What the client must have declared.
    pub(crate) needs: Capability,
}

impl From<RpcError> for Stop {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

impl Ask {
    pub(crate) const fn sampling(key: &'static str, params: Value) -> Self {
        Self { key, method: "sampling/createMessage", params, needs: capability::SAMPLING }
    }

    pub(crate) const fn form(key: &'static str, params: Value) -> Self {
        Self { key, method: "elicitation/create", params, needs: capability::ELICITATION_FORM }
    }

    pub(crate) const fn url(key: &'static str, params: Value) -> Self {
        Self { key, method: "elicitation/create", params, needs: capability::ELICITATION_URL }
    }

    pub(crate) const fn roots(key: &'static str) -> Self {
        Self { key, method: "roots/list", params: Value::Null, needs: capability::ROOTS }
    }
}

impl Call {
    pub(crate) const fn version(&self) -> Version {
        self.client.version
    }

    /// A string member of the params.
    pub(crate) fn text(&self, name: &str) -> Result<&str, RpcError> {
        let found = self.params.get(name).and_then(Value::as_str);
        found.ok_or_else(|| RpcError::invalid_params(format!("{}: `{name}` must be a string", self.method.name)))
    }

    /// Sends a notification ahead of the response.
    pub(crate) async fn notify(&self, method: &str, mut params: Value) {
        // A notification that the client's revision does not have is one that it cannot miss.
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
        let wanted = self.client.log_level.is_some_and(|least| level >= least);
        if wanted || self.server.is_broken(&LOG_UNWANTED) {
            let params = json!({ "level": level.as_str(), "logger": "yardstick", "data": data });
            self.notify("notifications/message", params).await;
        }
    }

    /// Has the client close its connection and come back (legacy Streamable HTTP).
    pub(crate) async fn hang_up(&self, retry_ms: u64) {
        if let Some(out) = &self.out {
            // The client has gone; there is nobody to tell.
            let _ = out.send(Out::Hangup { retry_ms }).await;
        }
    }

    /// Asks the client one thing. See [`Call::ask_all`].
    pub(crate) async fn ask(&self, ask: Ask) -> Result<Value, Stop> {
        let answers = self.ask_all(vec![ask]).await?;
        answers.into_iter().next().ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no answer").into())
    }

    /// Asks the client, as its era has it: a request of ours, or an interim result and a retry. In the second case
    /// the answers are there on the retry, and what has been asked before is remembered in the sealed state.
    pub(crate) async fn ask_all(&self, asks: Vec<Ask>) -> Result<Vec<Value>, Stop> {
        let missing: Vec<_> = asks.iter().filter(|a| !self.client.has(a.needs)).map(|a| a.needs).collect();
        if !missing.is_empty() && !self.server.is_broken(&CAPABILITY_ASSUMED) {
            return Err(modern::missing_capabilities(self.version(), &missing).into());
        }
        match self.version().era() {
            Era::Modern => modern::answers(self, &asks),
            Era::Legacy => {
                let mut answers = Vec::new();
                for ask in asks {
                    answers.push(self.ask_now(ask).await?);
                }
                Ok(answers)
            }
        }
    }

    async fn ask_now(&self, ask: Ask) -> Result<Value, Stop> {
        let (id, answer) = self.peer.ask();
        self.send(rpc::request(id, ask.method, &ask.params)).await;
        match tokio::time::timeout(ASK_LIMIT, answer).await {
            Ok(Ok(outcome)) => Ok(outcome?),
            Ok(Err(_)) | Err(_) => {
                let why = format!("the client did not answer {} in time", ask.method);
                Err(RpcError::new(code::INTERNAL_ERROR, why).into())
            }
        }
    }

    async fn send(&self, message: Vec<u8>) {
        if let Some(out) = &self.out {
            // The client has gone; there is nobody to tell.
            let _ = out.send(Out::Message(message.into())).await;
        }
    }
}
