//! The DevTools connection: commands, their results, and events, over one pipe.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncRead;
use tokio::sync::{mpsc, oneshot};

use crate::BrowserError;
use crate::pipe::Messages;

/// Resolves to the reason for the browser's end, once its pipe is closed.
pub(crate) type EndingListener = Pin<Box<dyn Future<Output = BrowserError> + Send>>;

/// Receives events. It is called in the order of the pipe, and before any later result is delivered.
pub(crate) trait EventListener: Send + Sync {
    fn event(&self, session: Option<&str>, method: &str, params: &Value);
    fn connection_lost(&self, why: &BrowserError);
}

/// The connection's sending side. Clones share it.
#[derive(Clone)]
pub(crate) struct DevtoolsConnection(Arc<ConnectionParts>);

struct ConnectionParts {
    next: AtomicU64,
    out: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Mutex<PendingCommands>,
}

#[derive(Default)]
struct PendingCommands {
    calls: HashMap<u64, PendingCommand>,
    gone: Option<BrowserError>,
}

struct PendingCommand {
    method: &'static str,
    session: Option<String>,
    reply: oneshot::Sender<Result<Value, BrowserError>>,
}

/// The result of a command that was sent.
pub(crate) struct PendingReply {
    connection: DevtoolsConnection,
    id: u64,
    method: &'static str,
    receiver: oneshot::Receiver<Result<Value, BrowserError>>,
}

impl DevtoolsConnection {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (out, queue) = mpsc::unbounded_channel();
        (Self(Arc::new(ConnectionParts { next: AtomicU64::new(1), out, waiting: Mutex::default() })), queue)
    }

    /// Sends a command at once. The caller may wait for the reply or drop it.
    pub(crate) fn send(&self, session: Option<&str>, method: &'static str, params: Value) -> PendingReply {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (reply, receiver) = oneshot::channel();
        let mut message = json!({ "id": id, "method": method });
        message["params"] = params;
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        {
            let mut waiting = self.waiting();
            if let Some(why) = &waiting.gone {
                let _ = reply.send(Err(why.clone()));
            } else {
                waiting
                    .calls
                    .insert(id, PendingCommand { method, session: session.map(str::to_owned), reply });
            }
        }
        // If the writer has ended, the reader notices too and fails all pending commands.
        let _ = self.0.out.send(message.to_string().into_bytes());
        PendingReply { connection: self.clone(), id, method, receiver }
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        self.send(session, method, params).within(limit).await
    }

    /// Fails all pending commands of this session.
    pub(crate) fn end_session(&self, session: &str, why: &BrowserError) {
        let mut waiting = self.waiting();
        let lost = waiting.calls.extract_if(|_, call| call.session.as_deref() == Some(session));
        for (_, call) in lost {
            let _ = call.reply.send(Err(why.clone()));
        }
    }

    /// Reads messages until the pipe is closed or a message cannot be parsed. Then all pending commands fail.
    pub(crate) async fn read_messages(
        self,
        from: impl AsyncRead + Unpin,
        listener: Arc<dyn EventListener>,
        ending: EndingListener,
    ) {
        let mut messages = Messages::split(from);
        let why = loop {
            match messages.next().await {
                Ok(Some(text)) => {
                    if let Err(why) = self.handle_message(text, &*listener) {
                        break why;
                    }
                }
                Ok(None) => break ending.await,
                Err(why) => break why,
            }
        };
        listener.connection_lost(&why);
        self.end(&why);
    }

    /// Fails all pending commands, and all later ones.
    pub(crate) fn end(&self, why: &BrowserError) {
        let mut waiting = self.waiting();
        waiting.gone.get_or_insert_with(|| why.clone());
        for (_, call) in waiting.calls.drain() {
            let _ = call.reply.send(Err(why.clone()));
        }
    }

    fn handle_message(&self, text: &[u8], listener: &dyn EventListener) -> Result<(), BrowserError> {
        let garbled = |why: &dyn fmt::Display| {
            let start = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
            BrowserError::Garbled { why: format!("{why}: {start:?}") }
        };
        let mut message: Value = serde_json::from_slice(text).map_err(|why| garbled(&why))?;
        if let Some(id) = message["id"].as_u64() {
            self.reply(id, &mut message);
        } else if let Some(method) = message["method"].as_str() {
            listener.event(message["sessionId"].as_str(), method, &message["params"]);
        } else if message["error"].is_null() {
            return Err(garbled(&"neither a reply nor an event"));
        }
        Ok(())
    }

    fn reply(&self, id: u64, message: &mut Value) {
        // The command timed out, or its caller dropped the reply.
        let Some(call) = self.waiting().calls.remove(&id) else { return };
        let result = match message["error"]["message"].as_str() {
            Some(reason) => Err(BrowserError::Refused { method: call.method.into(), message: reason.into() }),
            None => Ok(message["result"].take()),
        };
        let _ = call.reply.send(result);
    }

    fn waiting(&self) -> MutexGuard<'_, PendingCommands> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingReply {
    /// Waits for the result, for at most `limit`.
    pub(crate) async fn within(self, limit: Duration) -> Result<Value, BrowserError> {
        match tokio::time::timeout(limit, self.receiver).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(BrowserError::Gone { how: "it was closed".into(), stderr: String::new() }),
            Err(_) => {
                self.connection.waiting().calls.remove(&self.id);
                Err(BrowserError::Silent { waiting: self.method.into(), after: limit })
            }
        }
    }
}

impl fmt::Debug for DevtoolsConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("waiting", &self.waiting().calls.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
