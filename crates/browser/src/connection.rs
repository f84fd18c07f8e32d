//! Commands and their replies, and events, over one pipe.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncRead;
use tokio::sync::{mpsc, oneshot};

use crate::Error;
use crate::pipe::Messages;

/// Says how the browser ended, once its pipe is closed.
pub(crate) type Ending = Pin<Box<dyn Future<Output = Error> + Send>>;

/// Who wants to know what the browser says unasked. Called in the order of the pipe, before any later reply is given out.
pub(crate) trait Listener: Send + Sync {
    fn event(&self, session: Option<&str>, method: &str, params: &Value);
    fn gone(&self, why: &Error);
}

/// The commanding end of the pipe.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Inner>);

struct Inner {
    next: AtomicU64,
    out: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    calls: HashMap<u64, Call>,
    gone: Option<Error>,
}

struct Call {
    method: &'static str,
    session: Option<String>,
    reply: oneshot::Sender<Result<Value, Error>>,
}

/// A reply that is on its way.
pub(crate) struct Reply {
    connection: Connection,
    id: u64,
    method: &'static str,
    receiver: oneshot::Receiver<Result<Value, Error>>,
}

impl Connection {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (out, queue) = mpsc::unbounded_channel();
        (Self(Arc::new(Inner { next: AtomicU64::new(1), out, waiting: Mutex::default() })), queue)
    }

    /// Sends a command at once; the reply may be waited for, or not.
    pub(crate) fn send(&self, session: Option<&str>, method: &'static str, params: Value) -> Reply {
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
                waiting.calls.insert(id, Call { method, session: session.map(str::to_owned), reply });
            }
        }
        // When nobody writes any more, the reader finds out and tells all who wait.
        let _ = self.0.out.send(message.to_string().into_bytes());
        Reply { connection: self.clone(), id, method, receiver }
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, Error> {
        self.send(session, method, params).within(limit).await
    }

    /// Nothing that this session was asked will be answered any more.
    pub(crate) fn end_session(&self, session: &str, why: &Error) {
        let mut waiting = self.waiting();
        let lost = waiting.calls.extract_if(|_, call| call.session.as_deref() == Some(session));
        for (_, call) in lost {
            let _ = call.reply.send(Err(why.clone()));
        }
    }

    /// Reads until the pipe is closed or makes no sense; then everybody who waits is told.
    pub(crate) async fn read(
        self,
        from: impl AsyncRead + Unpin,
        listener: Arc<dyn Listener>,
        ending: Ending,
    ) {
        let mut messages = Messages::of(from);
        let why = loop {
            match messages.next().await {
                Ok(Some(text)) => {
                    if let Err(why) = self.take(text, &*listener) {
                        break why;
                    }
                }
                Ok(None) => break ending.await,
                Err(why) => break why,
            }
        };
        listener.gone(&why);
        self.end(&why);
    }

    /// Nothing will be answered any more.
    pub(crate) fn end(&self, why: &Error) {
        let mut waiting = self.waiting();
        waiting.gone.get_or_insert_with(|| why.clone());
        for (_, call) in waiting.calls.drain() {
            let _ = call.reply.send(Err(why.clone()));
        }
    }

    fn take(&self, text: &[u8], listener: &dyn Listener) -> Result<(), Error> {
        let garbled = |why: &dyn fmt::Display| {
            let start = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
            Error::Garbled { why: format!("{why}: {start:?}") }
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
        // Nobody waits any more: the limit was over, or nobody ever wanted to know.
        let Some(call) = self.waiting().calls.remove(&id) else { return };
        let result = match message["error"]["message"].as_str() {
            Some(reason) => Err(Error::Refused { method: call.method.into(), message: reason.into() }),
            None => Ok(message["result"].take()),
        };
        let _ = call.reply.send(result);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reply {
    /// The result, if it comes in time.
    pub(crate) async fn within(self, limit: Duration) -> Result<Value, Error> {
        match tokio::time::timeout(limit, self.receiver).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Error::Gone { how: "it was let go".into(), stderr: String::new() }),
            Err(_) => {
                self.connection.waiting().calls.remove(&self.id);
                Err(Error::Silent { waiting: self.method.into(), after: limit })
            }
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("waiting", &self.waiting().calls.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
