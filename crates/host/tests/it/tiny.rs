//! A minimal server: it lists what it is given, and records the calls. A tool named `hang` never answers, an argument
//! `bytes` requests a text of that length, and a call with a progress token gets two progress notifications.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::watch;
use transport::client::Target;

/// A tiny server. Clones share its state.
#[derive(Clone, Debug)]
pub(crate) struct Tiny {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    tools: Mutex<Vec<Value>>,
    /// The contents of each URI: `{uri, mimeType, text, _meta?}`.
    resources: Vec<Value>,
    calls: Mutex<Vec<Value>>,
    /// Changes when all connections must end.
    ended: watch::Sender<u32>,
}

/// The target of a server whose every connection `serve` serves, within this process.
pub(crate) fn in_process<S, F>(server: &S, serve: fn(S, DuplexStream) -> F) -> Target
where
    S: Clone + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let server = server.clone();
    Target::in_process(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(serve(server.clone(), theirs));
        ours
    })
}

impl Tiny {
    pub(crate) fn new(name: &str, tools: Vec<Value>, resources: Vec<Value>) -> Self {
        let name = name.to_owned();
        let (tools, calls, ended) = (Mutex::new(tools), Mutex::default(), watch::Sender::default());
        Self { inner: Arc::new(Inner { name, tools, resources, calls, ended }) }
    }

    /// A server with one app behind one tool, `open`.
    pub(crate) fn app(name: &str, html: &str, meta: &Value) -> Self {
        Self::new(
            name,
            vec![tool("open", "ui://tiny/app", &["model", "app"])],
            vec![document("ui://tiny/app", html, meta)],
        )
    }

    /// The target for the host.
    pub(crate) fn target(&self) -> Target {
        in_process(self, Self::serve)
    }

    /// The parameters of each call so far.
    pub(crate) fn calls(&self) -> Vec<Value> {
        self.inner.calls.lock().unwrap().clone()
    }

    /// Changes the tools without a notification.
    pub(crate) fn offer(&self, tools: Vec<Value>) {
        *self.inner.tools.lock().unwrap() = tools;
    }

    /// Ends every connection, as a killed process would.
    pub(crate) fn die(&self) {
        self.inner.ended.send_modify(|times| *times += 1);
    }

    async fn serve(self, stream: DuplexStream) {
        let mut ended = self.inner.ended.subscribe();
        let (read, mut write) = tokio::io::split(stream);
        let mut lines = BufReader::new(read).lines();
        loop {
            let line = tokio::select! {
                line = lines.next_line() => line,
                _ = ended.changed() => return,
            };
            let Ok(Some(line)) = line else { return };
            let message = serde_json::from_str(&line).unwrap();
            for reply in progress(&message).into_iter().chain(self.answer(&message)) {
                if write.write_all(format!("{reply}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    }

    /// The answer to a message, if it is a request.
    pub(crate) fn answer(&self, message: &Value) -> Option<Value> {
        let id = message.get("id")?;
        let result = match message["method"].as_str()? {
            "initialize" => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {}, "resources": {} },
                "serverInfo": { "name": self.inner.name, "version": "1.0.0" },
            }),
            "ping" => json!({}),
            "tools/list" => json!({ "tools": *self.inner.tools.lock().unwrap() }),
            "tools/call" => {
                self.inner.calls.lock().unwrap().push(message["params"].clone());
                if message["params"]["name"] == "hang" {
                    return None;
                }
                let length = message["params"]["arguments"]["bytes"].as_u64().unwrap_or_default();
                let text =
                    if length > 0 { "x".repeat(usize::try_from(length).unwrap()) } else { "done".into() };
                json!({ "content": [{ "type": "text", "text": text }] })
            }
            "resources/list" => json!({ "resources": [] }),
            "resources/read" => {
                let wanted = |resource: &&Value| resource["uri"] == message["params"]["uri"];
                match self.inner.resources.iter().find(wanted) {
                    Some(resource) => json!({ "contents": [resource] }),
                    None => return Some(failure(id, -32602, "no such resource")),
                }
            }
            _ => return Some(failure(id, -32601, "no such method")),
        };
        Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }
}

fn progress(message: &Value) -> Vec<Value> {
    let Some(token) = message.pointer("/params/_meta/progressToken") else { return Vec::new() };
    let step = |done: u32| {
        let params = json!({ "progressToken": token, "progress": done, "total": 2 });
        json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
    };
    vec![step(1), step(2)]
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// A tool with a View.
pub(crate) fn tool(name: &str, uri: &str, who: &[&str]) -> Value {
    let ui = json!({ "resourceUri": uri, "visibility": who });
    json!({ "name": name, "inputSchema": { "type": "object" }, "_meta": { "ui": ui } })
}

/// A tool without a View.
pub(crate) fn plain(name: &str, who: &[&str]) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" }, "_meta": { "ui": { "visibility": who } } })
}

/// An app as in the result of `resources/read`; `meta` becomes `_meta.ui`.
pub(crate) fn document(uri: &str, html: &str, meta: &Value) -> Value {
    let mut content = json!({ "uri": uri, "mimeType": "text/html;profile=mcp-app", "text": html });
    if !meta.is_null() {
        content["_meta"] = json!({ "ui": meta });
    }
    content
}
