//! A server as small as can be: what it lists is what it is given, what is called is written down. A tool named `hang`
//! never answers, and an argument `bytes` asks for a text of that length.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::watch;
use transport::client::Target;

/// A tiny server; clones are the same one.
#[derive(Clone, Debug)]
pub(crate) struct Tiny {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    tools: Mutex<Vec<Value>>,
    /// What each URI holds: `{uri, mimeType, text, _meta?}`.
    resources: Vec<Value>,
    calls: Mutex<Vec<Value>>,
    /// Changes when all connections are to end.
    ended: watch::Sender<u32>,
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

    /// How it is reached.
    pub(crate) fn target(&self) -> Target {
        let server = self.clone();
        Target::in_process(move || -> DuplexStream {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            tokio::spawn(server.clone().serve(theirs));
            ours
        })
    }

    /// What was called so far: the parameters of each call.
    pub(crate) fn calls(&self) -> Vec<Value> {
        self.inner.calls.lock().unwrap().clone()
    }

    /// Has other tools from now on, and tells nobody.
    pub(crate) fn offer(&self, tools: Vec<Value>) {
        *self.inner.tools.lock().unwrap() = tools;
    }

    /// Ends every connection, as a process does that dies.
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
            let Some(answer) = self.answer(&serde_json::from_str(&line).unwrap()) else { continue };
            if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }

    /// What it answers to a message, if that is a request.
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

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// A tool with a view.
pub(crate) fn tool(name: &str, uri: &str, who: &[&str]) -> Value {
    let ui = json!({ "resourceUri": uri, "visibility": who });
    json!({ "name": name, "inputSchema": { "type": "object" }, "_meta": { "ui": ui } })
}

/// A tool without a view.
pub(crate) fn plain(name: &str, who: &[&str]) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" }, "_meta": { "ui": { "visibility": who } } })
}

/// An app as `resources/read` gives it; `meta` is what is said under `_meta.ui`.
pub(crate) fn document(uri: &str, html: &str, meta: &Value) -> Value {
    let mut content = json!({ "uri": uri, "mimeType": "text/html;profile=mcp-app", "text": html });
    if !meta.is_null() {
        content["_meta"] = json!({ "ui": meta });
    }
    content
}
