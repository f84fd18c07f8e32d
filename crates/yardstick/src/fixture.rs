//! A server that is made of two files: the HTML of an app, and what its tools answer.
//!
//! The fixture is a JSON object. Every member is optional: `arguments` and `result` of the tool that the app belongs to, `meta`
//! (what `_meta.ui` of the resource has: `csp`, `permissions`), and `tools`, the results of other tools by name, which the app
//! may call.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use transport::client::Target;

use crate::exit::Usage;

/// The only tool that the model may call, unless the fixture names it.
const DEFAULT_TOOL: &str = "app";
/// Where its document is.
const URI: &str = "ui://fixture/app.html";
const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// How many bytes may wait in the pipe.
const PIPE_BYTES: usize = 64 * 1024;

/// What the tools of an app answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fixture {
    /// The name of the tool that the app belongs to.
    tool: Option<String>,
    /// What the host calls it with.
    pub(crate) arguments: Map<String, Value>,
    /// What it answers.
    result: Option<Value>,
    /// What the resource declares, as in `_meta.ui`.
    meta: Option<Value>,
    /// What other tools answer, by name.
    tools: Map<String, Value>,
}

/// An app with its fixture.
#[derive(Debug)]
struct FixtureServer {
    html: String,
    fixture: Fixture,
}

impl Fixture {
    /// Reads `file`; without one, the tool answers with nothing.
    pub(crate) fn read(file: Option<&Path>) -> Result<Self, Usage> {
        let Some(file) = file else { return Ok(Self::default()) };
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Usage(format!("the fixture `{name}` cannot be read: {error}")))?;
        serde_json::from_str(&text)
            .map_err(|error| Usage(format!("the fixture `{name}` cannot be used: {error}")))
    }

    /// The name of the tool that the app belongs to.
    pub(crate) fn tool(&self) -> &str {
        self.tool.as_deref().unwrap_or(DEFAULT_TOOL)
    }

    /// The app in `html`, as a target.
    pub(crate) fn into_target(self, html: &Path) -> Result<Target, Usage> {
        let text = std::fs::read_to_string(html)
            .map_err(|error| Usage(format!("`{}` cannot be read: {error}", html.display())))?;
        let server = Arc::new(FixtureServer { html: text, fixture: self });
        Ok(Target::in_process(move || {
            let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
            tokio::spawn(serve(Arc::clone(&server), theirs));
            ours
        }))
    }
}

/// Answers line by line until the other end is closed.
async fn serve(server: Arc<FixtureServer>, stream: DuplexStream) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(answer) = server.answer(&message) else { continue };
        if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

impl FixtureServer {
    /// The answer to a message, if it is a request.
    fn answer(&self, message: &Value) -> Option<Value> {
        let id = message.get("id")?;
        let params = &message["params"];
        let result = match message["method"].as_str()? {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": { "tools": {}, "resources": {} },
                "serverInfo": { "name": "fixture", "version": env!("CARGO_PKG_VERSION") },
            }),
            "ping" => json!({}),
            "tools/list" => json!({ "tools": self.tools() }),
            "tools/call" => match self.call(params["name"].as_str().unwrap_or_default()) {
                Some(result) => result,
                None => {
                    return Some(refusal(id, -32602, &format!("the fixture has no tool {}", params["name"])));
                }
            },
            "resources/list" => json!({ "resources": [] }),
            "resources/read" if params["uri"] == URI => {
                let mut content = json!({ "uri": URI, "mimeType": MIME_TYPE, "text": self.html });
                if let Some(meta) = &self.fixture.meta {
                    content["_meta"] = json!({ "ui": meta });
                }
                json!({ "contents": [content] })
            }
            "resources/read" => return Some(refusal(id, -32602, "the fixture has no such resource")),
            _ => return Some(refusal(id, -32601, "the fixture has no such method")),
        };
        Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    fn tools(&self) -> Vec<Value> {
        let tool = |name: &str, ui: Value| {
            json!({
                "name": name,
                "inputSchema": { "type": "object" },
                "annotations": { "readOnlyHint": true },
                "_meta": { "ui": ui },
            })
        };
        let own = tool(self.fixture.tool(), json!({ "resourceUri": URI }));
        let others = self.fixture.tools.keys().filter(|name| *name != self.fixture.tool());
        [own].into_iter().chain(others.map(|name| tool(name, json!({ "visibility": ["app"] })))).collect()
    }

    fn call(&self, name: &str) -> Option<Value> {
        if let Some(result) = self.fixture.tools.get(name) {
            return Some(result.clone());
        }
        let empty = || json!({ "content": [{ "type": "text", "text": "" }] });
        (name == self.fixture.tool()).then(|| self.fixture.result.clone().unwrap_or_else(empty))
    }
}

fn refusal(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
