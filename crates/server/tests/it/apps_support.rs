//! A client on the other end of a pipe, which holds every result against the schema of its revision.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::sync::Arc;

use protocol::capability::extension;
use protocol::{Era, Version, schema};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use transport::serve::{Handler, pipe};
use yardstick_server::Server;

/// The first revision, the last legacy one and the modern one.
pub(crate) const VERSIONS: [Version; 3] = [Version::V2024_11_05, Version::V2025_11_25, Version::V2026_07_28];

/// A client that is connected.
pub(crate) struct Talk {
    version: Version,
    /// What every modern request carries.
    meta: Value,
    /// The answer to the handshake, or to the first discovery.
    pub(crate) greeting: Value,
    /// Whether results are as the revision wants them.
    checked: bool,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    asked: u64,
}

/// The capabilities of a client that shows apps.
pub(crate) fn shows_apps() -> Value {
    json!({ "extensions": { extension::UI: { "mimeTypes": [protocol::apps::MIME_TYPE] } } })
}

/// The same, of one that also asks for OpenAI's metadata.
pub(crate) fn openai() -> Value {
    let mut capabilities = shows_apps();
    capabilities["experimental"] = json!({ "openai/visibility": { "enabled": true } });
    capabilities
}

impl Talk {
    /// Connects to a server in order.
    pub(crate) async fn to_server(version: Version, capabilities: Value) -> Self {
        Self::start(Server::new(), version, capabilities, json!({})).await
    }

    /// Connects; `meta` goes with the handshake, or with every modern request.
    pub(crate) async fn start<H: Handler>(
        handler: Arc<H>,
        version: Version,
        capabilities: Value,
        meta: Value,
    ) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(far);
        tokio::spawn(pipe::serve(handler, input, output));
        let (reader, writer) = tokio::io::split(near);
        let lines = BufReader::new(reader).lines();
        let mut talk = Self { version, meta, greeting: Value::Null, checked: true, lines, writer, asked: 0 };
        talk.greeting = talk.greet(capabilities).await;
        talk
    }

    /// The same, without a look at the schema.
    pub(crate) fn unchecked(mut self) -> Self {
        self.checked = false;
        self
    }

    async fn greet(&mut self, capabilities: Value) -> Value {
        let info = json!({ "name": "test", "version": "1" });
        match self.version.era() {
            Era::Legacy => {
                let mut params = json!({ "protocolVersion": self.version.as_str(), "capabilities": capabilities, "clientInfo": info });
                if self.meta != json!({}) {
                    params["_meta"] = self.meta.take();
                }
                let greeting = self.result("initialize", params).await;
                self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
                greeting
            }
            Era::Modern => {
                self.meta["io.modelcontextprotocol/protocolVersion"] = self.version.as_str().into();
                self.meta["io.modelcontextprotocol/clientInfo"] = info;
                self.meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
                self.result("server/discover", json!({})).await
            }
        }
    }

    /// The response to a request, whatever it is.
    pub(crate) async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.asked += 1;
        if self.version.era() == Era::Modern {
            let own = params["_meta"].take();
            params["_meta"] = self.meta.clone();
            if let (Some(all), Value::Object(own)) = (params["_meta"].as_object_mut(), own) {
                all.extend(own);
            }
        }
        self.send(json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params })).await;
        loop {
            let line = self.lines.next_line().await.unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.asked && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// The result of a request that succeeds.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut message = self.ask(method, params).await;
        assert!(message.get("error").is_none(), "{method}: {message}");
        let result = message["result"].take();
        if let Some(validator) = schema_of(method).and_then(|name| schema::validator(self.version, name)) {
            let flaws: Vec<_> = validator.check(&result).iter().map(ToString::to_string).collect();
            assert!(flaws.is_empty() || !self.checked, "{method} in {}: {flaws:?}", self.version);
        }
        result
    }

    /// The result of a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// All tools, by name.
    pub(crate) async fn tools(&mut self) -> Map<String, Value> {
        let result = self.result("tools/list", json!({})).await;
        let tools = result["tools"].as_array().unwrap();
        tools.iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool.clone())).collect()
    }

    /// All resources, through all pages.
    pub(crate) async fn resources(&mut self) -> Vec<Value> {
        let mut resources = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.result("resources/list", params).await;
            resources.extend(page["resources"].as_array().unwrap().iter().cloned());
            match page.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return resources,
            }
        }
    }

    /// The resources that are apps.
    pub(crate) async fn apps(&mut self) -> Vec<Value> {
        let mut apps = self.resources().await;
        apps.retain(|resource| resource["uri"].as_str().unwrap().starts_with("ui://"));
        apps
    }

    /// The contents of a resource.
    pub(crate) async fn read(&mut self, uri: &str) -> Vec<Value> {
        let mut result = self.result("resources/read", json!({ "uri": uri })).await;
        result["contents"].as_array_mut().map(std::mem::take).unwrap()
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

fn schema_of(method: &str) -> Option<&'static str> {
    Some(match method {
        "initialize" => "InitializeResult",
        "server/discover" => "DiscoverResult",
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "resources/list" => "ListResourcesResult",
        "resources/read" => "ReadResourceResult",
        _ => return None,
    })
}
