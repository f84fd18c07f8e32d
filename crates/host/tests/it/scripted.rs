//! A server that a test scripts: a function answers the messages that it wants to, a minimal server the others.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::broadcast;
use transport::client::Target;

use crate::tiny::{Tiny, in_process};

type Script = dyn Fn(&Value) -> Option<Vec<String>> + Send + Sync;

/// The scripted server. Clones share its state.
#[derive(Clone)]
pub(crate) struct Scripted {
    tiny: Tiny,
    script: Arc<Script>,
    /// Lines for every client; none ends the connection.
    pushed: broadcast::Sender<Option<String>>,
    heard: Arc<Mutex<Vec<Value>>>,
}

impl Scripted {
    /// `script` returns the lines that answer a message, or none if `tiny` shall answer it.
    pub(crate) fn new(
        tiny: Tiny,
        script: impl Fn(&Value) -> Option<Vec<String>> + Send + Sync + 'static,
    ) -> Self {
        Self { tiny, script: Arc::new(script), pushed: broadcast::Sender::new(32_768), heard: Arc::default() }
    }

    /// The target for the host.
    pub(crate) fn target(&self) -> Target {
        in_process(self, Self::serve)
    }

    /// Sends a message to every client.
    pub(crate) fn push(&self, message: &Value) {
        // Without a client there is nobody to tell.
        let _ = self.pushed.send(Some(message.to_string()));
    }

    /// Ends every connection, as a killed process would.
    pub(crate) fn die(&self) {
        let _ = self.pushed.send(None);
    }

    /// What the clients sent.
    pub(crate) fn heard(&self) -> Vec<Value> {
        self.heard.lock().unwrap().clone()
    }

    async fn serve(self, stream: DuplexStream) {
        let mut pushed = self.pushed.subscribe();
        let (read, mut write) = tokio::io::split(stream);
        let mut lines = BufReader::new(read).lines();
        loop {
            let replies = tokio::select! {
                line = lines.next_line() => {
                    let Ok(Some(line)) = line else { return };
                    self.answer(&serde_json::from_str(&line).unwrap())
                }
                line = pushed.recv() => match line.unwrap() {
                    Some(line) => vec![line],
                    None => return,
                },
            };
            for reply in replies {
                if write.write_all(format!("{reply}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    }

    fn answer(&self, message: &Value) -> Vec<String> {
        self.heard.lock().unwrap().push(message.clone());
        (self.script)(message)
            .unwrap_or_else(|| self.tiny.answer(message).into_iter().map(|reply| reply.to_string()).collect())
    }
}
