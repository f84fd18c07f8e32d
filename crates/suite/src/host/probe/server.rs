//! The probe server behind its transports.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use protocol::{Version, code};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use transport::Transport;
use transport::serve::{Answer, Budget, Handler, Inbound, Out, Outbox};
use wire::Malformed;

use super::record::ProbeRecord;
use super::scene::{DocumentForm, SCENES, Scene, ToolAnswer, scene_named};

/// How long a tool that asks waits for an answer.
const ASKING_TIME: Duration = Duration::from_millis(2_500);
/// How long a tool that never answers keeps its stream.
const NEVER_TIME: Duration = Duration::from_secs(120);
/// How long Views wait for the driver of the host, unless somebody says otherwise.
const TIME_TO_ACT_MS: u64 = 8_000;
/// The media type of an app.
const APP_TYPE: &str = "text/html;profile=mcp-app";
const VIEW_SCRIPT: &str = include_str!("view.js");
const REACH_SCRIPT: &str = include_str!("reach.js");

/// The places that Views try to reach.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// An origin that some Views declare.
    pub declared: String,
    /// An origin that none declares.
    pub undeclared: String,
    /// An origin that is only named in hints to the browser.
    pub hints: String,
    /// Where a STUN server would be.
    pub stun: String,
    /// The zone of names that none declares.
    pub names: String,
}

/// The probe server. It serves the legacy era, which every host speaks.
#[derive(Debug)]
pub struct ProbeServer {
    name: &'static str,
    sites: Sites,
    record: Mutex<ProbeRecord>,
    streams: Arc<OpenStreams>,
    next: AtomicU64,
    /// How long Views wait for the driver of the host, in milliseconds.
    time_to_act: AtomicU64,
}

/// The open streams of calls, by the id of their request.
#[derive(Debug, Default)]
struct OpenStreams(Mutex<HashMap<String, mpsc::Sender<Out>>>);

impl OpenStreams {
    fn add(&self, id: &Value, sender: mpsc::Sender<Out>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string(), sender);
    }

    fn end(&self, id: &Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string());
    }
}

/// One connection.
#[derive(Debug)]
pub struct ProbePeer {
    version: Mutex<Option<Version>>,
}

impl ProbeServer {
    /// The server whose Views try to reach `sites`.
    pub fn new(sites: Sites) -> Arc<Self> {
        Arc::new(Self::named("yardstick-probe", sites))
    }

    /// A second server, whose tools no View of the first one may call.
    pub fn other() -> Arc<Self> {
        Arc::new(Self::named("yardstick-other", Sites::default()))
    }

    fn named(name: &'static str, sites: Sites) -> Self {
        Self {
            name,
            sites,
            record: Mutex::default(),
            streams: Arc::default(),
            next: AtomicU64::new(1),
            time_to_act: AtomicU64::new(TIME_TO_ACT_MS),
        }
    }

    /// Says how long the Views that are shown from now on wait for the driver of the host.
    pub(crate) fn set_time_to_act(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.time_to_act.store(millis, Ordering::Relaxed);
    }

    /// What it saw so far.
    pub fn seen(&self) -> ProbeRecord {
        self.record().clone()
    }

    fn record(&self) -> MutexGuard<'_, ProbeRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_other(&self) -> bool {
        self.name == "yardstick-other"
    }

    fn tools(&self) -> Vec<Value> {
        if self.is_other() {
            return vec![plain_tool("elsewhere", Some(&["app"]))];
        }
        let mut tools: Vec<Value> = SCENES.iter().map(scene_tool).collect();
        tools.extend([
            plain_tool("report", Some(&["app"])),
            plain_tool("save", Some(&["app"])),
            plain_tool("early", Some(&["app"])),
            plain_tool("echo", Some(&["model", "app"])),
            plain_tool("unsaid", None),
            plain_tool("fails", Some(&["app"])),
            plain_tool("errors", Some(&["app"])),
            plain_tool("model-only", Some(&["model"])),
            untouched_tool(),
        ]);
        tools
    }

    fn answer(
        &self,
        peer: &ProbePeer,
        method: &str,
        params: &Value,
        id: &Value,
    ) -> Result<Value, (i64, String)> {
        match method {
            "initialize" => {
                let asked = params["protocolVersion"].as_str().and_then(|name| name.parse::<Version>().ok());
                let version = asked.filter(|it| *it <= Version::V2025_11_25).unwrap_or(Version::V2025_11_25);
                *peer.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
                self.record().initialize = Some(params.clone());
                let extensions = json!({ "io.modelcontextprotocol/ui": { "mimeTypes": [APP_TYPE] } });
                Ok(json!({
                    "protocolVersion": version.as_str(),
                    "capabilities": { "tools": {}, "resources": {}, "extensions": extensions },
                    "serverInfo": { "name": self.name, "version": env!("CARGO_PKG_VERSION") },
                }))
            }
            "ping" | "logging/setLevel" => Ok(json!({})),
            "tools/list" => {
                self.record().listed += 1;
                Ok(json!({ "tools": self.tools() }))
            }
            "resources/list" => Ok(json!({ "resources": self.resources() })),
            "resources/templates/list" => Ok(json!({ "resourceTemplates": [] })),
            "prompts/list" => Ok(json!({ "prompts": [] })),
            "resources/read" => self.read(params["uri"].as_str().unwrap_or_default()),
            "tools/call" => self.call(params, id),
            _ => Err((code::METHOD_NOT_FOUND, format!("the probe has no method {method}"))),
        }
    }

    fn resources(&self) -> Vec<Value> {
        if self.is_other() {
            return Vec::new();
        }
        let listed =
            |scene: &Scene| json!({ "uri": uri(scene), "name": scene.name, "mimeType": media_type(scene) });
        SCENES.iter().map(listed).collect()
    }

    fn read(&self, wanted: &str) -> Result<Value, (i64, String)> {
        let times = self.record().read(wanted);
        if wanted == "ui://yardstick/text" {
            let content =
                json!({ "uri": wanted, "mimeType": APP_TYPE, "text": "<!doctype html><title>text</title>" });
            return Ok(json!({ "contents": [content] }));
        }
        let scene = wanted.strip_prefix("ui://yardstick/").and_then(scene_named);
        let Some(scene) = scene.filter(|_| !self.is_other()) else {
            return Err((code::INVALID_PARAMS, format!("there is no resource {wanted}")));
        };
        let html = self.document(scene, times);
        let mut content = json!({ "uri": wanted, "mimeType": media_type(scene) });
        match scene.form {
            DocumentForm::Text | DocumentForm::Typed(_) => content["text"] = html.into(),
            DocumentForm::Blob => content["blob"] = STANDARD.encode(html).into(),
        }
        let meta = (scene.meta)(&self.sites);
        if !meta.is_null() {
            content["_meta"] = json!({ "ui": meta });
        }
        Ok(json!({ "contents": [content] }))
    }

    /// The document of a scene, with a nonce of its own for every time that it is read.
    fn document(&self, scene: &Scene, times: usize) -> String {
        let Sites { declared, undeclared, hints, stun, names } = &self.sites;
        let told = json!({
            "scene": scene.name, "nonce": self.next.fetch_add(1, Ordering::Relaxed), "read": times, "timeToAct": self.time_to_act.load(Ordering::Relaxed),
            "declared": declared, "undeclared": undeclared, "hints": hints, "stun": stun, "names": names,
        });
        // Within a script element `<` would end it.
        let told = told.to_string().replace('<', "\\u003c");
        format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>yardstick {name}</title></head>\n<body>\
             <h1>Probe {name}</h1><p>{about}</p><button style=\"width: 300px; height: 120px\">Click</button>\n\
             <script type=\"application/json\" id=\"probe\">{told}</script>\n<script>{VIEW_SCRIPT}</script>\n\
             <script>{REACH_SCRIPT}</script>\n<script>{script}</script></body></html>",
            name = scene.name,
            about = scene.about,
            script = scene.script,
        )
    }

    fn call(&self, params: &Value, id: &Value) -> Result<Value, (i64, String)> {
        let name = params["name"].as_str().unwrap_or_default();
        if name == "report" && !self.is_other() {
            self.record().report(params["arguments"]["report"].clone());
            return Ok(text_result("noted"));
        }
        self.record().call(params, id.clone());
        let known = self.tools().iter().any(|tool| tool["name"] == name);
        match name {
            _ if !known => Err((code::INVALID_PARAMS, format!("there is no tool {name}"))),
            "fails" => {
                let mut result = text_result("it failed");
                result["isError"] = true.into();
                Ok(result)
            }
            "errors" => Err((-32050, "the tool is out of order".to_owned())),
            _ => match scene_named(name).map(|scene| scene.result) {
                Some(ToolAnswer::Malformed) => Ok(json!({ "content": "none", "structuredContent": 7 })),
                Some(_) | None => Ok(full_result(name, &params["arguments"])),
            },
        }
    }

    /// An answer that takes its time, for the scenes that need one.
    fn stream(&self, params: &Value, id: &Value) -> Option<Answer> {
        let scene = scene_named(params["name"].as_str()?)?;
        let questions = match scene.result {
            ToolAnswer::Full | ToolAnswer::Malformed => return None,
            ToolAnswer::Never => None,
            ToolAnswer::Asking => Some(self.questions()),
        };
        self.record().call(params, id.clone());
        let (sender, receiver) = mpsc::channel(4);
        self.streams.add(id, sender.clone());
        let result = full_result(scene.name, &params["arguments"]);
        let (streams, id) = (self.streams.clone(), id.clone());
        tokio::spawn(async move {
            match questions {
                Some(questions) => {
                    for question in questions {
                        let _ = sender.send(Out::Message(Bytes::from(question.to_string()))).await;
                    }
                    tokio::time::sleep(ASKING_TIME).await;
                    let response = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                    let _ = sender.send(Out::Message(Bytes::from(response.to_string()))).await;
                }
                None => tokio::select! {
                    () = sender.closed() => {}
                    () = tokio::time::sleep(NEVER_TIME) => {}
                },
            }
            streams.end(&id);
        });
        Some(Answer::Stream(receiver))
    }

    /// What only the person can give, for hosts that say that they can ask for it.
    fn questions(&self) -> Vec<Value> {
        let declared =
            self.record().initialize.as_ref().map(|it| it["capabilities"].clone()).unwrap_or_default();
        let mut questions = Vec::new();
        if declared.get("elicitation").is_some() {
            let schema = json!({ "type": "object", "properties": { "confirm": { "type": "boolean" } }, "required": ["confirm"] });
            let params = json!({ "message": "Delete everything?", "requestedSchema": schema });
            questions.push(json!({ "jsonrpc": "2.0", "id": "elicitation", "method": "elicitation/create", "params": params }));
        }
        if declared.get("sampling").is_some() {
            let message =
                json!({ "role": "user", "content": { "type": "text", "text": "Say the password" } });
            let params = json!({ "messages": [message], "maxTokens": 10 });
            questions.push(json!({ "jsonrpc": "2.0", "id": "sampling", "method": "sampling/createMessage", "params": params }));
        }
        questions
    }
}

impl Handler for ProbeServer {
    type Peer = ProbePeer;

    fn connect(&self, _transport: Transport, _outbox: Outbox, _kept: Budget) -> ProbePeer {
        ProbePeer { version: Mutex::default() }
    }

    fn handle(&self, peer: &Arc<ProbePeer>, inbound: Inbound<'_>) -> Answer {
        let frame = &inbound.frame;
        let value = |raw: Option<&serde_json::value::RawValue>| {
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or(Value::Null)
        };
        let (params, id) = (value(frame.params), value(frame.id));
        let Some(method) = frame.method() else {
            let asked = id.as_str().unwrap_or_default().to_owned();
            let given = json!({ "result": value(frame.result), "error": value(frame.error) });
            self.record().answers.push((asked, given));
            return Answer::Accepted;
        };
        if frame.id.is_none() {
            if method == "notifications/cancelled" {
                let id = params["requestId"].clone();
                self.streams.end(&id);
                self.record().cancelled.push(id);
            }
            return Answer::Accepted;
        }
        if method == "tools/call"
            && let Some(answer) = self.stream(&params, &id)
        {
            return answer;
        }
        let mut response = json!({ "jsonrpc": "2.0", "id": id });
        match self.answer(peer, &method, &params, &id) {
            Ok(result) => response["result"] = result,
            Err((code, message)) => response["error"] = json!({ "code": code, "message": message }),
        }
        Answer::Message { status: 200, body: Bytes::from(response.to_string()) }
    }

    fn malformed(&self, _peer: Option<&ProbePeer>, why: &Malformed) -> Answer {
        let error = json!({ "code": code::PARSE_ERROR, "message": why.to_string() });
        let response = json!({ "jsonrpc": "2.0", "id": null, "error": error });
        Answer::Message { status: 400, body: Bytes::from(response.to_string()) }
    }

    fn is_established(&self, peer: &ProbePeer) -> bool {
        self.version(peer).is_some()
    }

    fn version(&self, peer: &ProbePeer) -> Option<Version> {
        *peer.version.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn uri(scene: &Scene) -> String {
    format!("ui://yardstick/{}", scene.name)
}

fn media_type(scene: &Scene) -> &'static str {
    match scene.form {
        DocumentForm::Text | DocumentForm::Blob => APP_TYPE,
        DocumentForm::Typed(name) => name,
    }
}

fn scene_tool(scene: &Scene) -> Value {
    json!({
        "name": scene.name,
        "title": format!("Probe {}", scene.name),
        "description": scene.about,
        "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": true },
        "_meta": { "ui": { "resourceUri": uri(scene), "visibility": ["model", "app"] } },
    })
}

fn plain_tool(name: &str, visibility: Option<&[&str]>) -> Value {
    let mut tool = json!({
        "name": name, "description": format!("the probe's {name}"), "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": true },
    });
    if let Some(visibility) = visibility {
        tool["_meta"] = json!({ "ui": { "visibility": visibility } });
    }
    tool
}

/// A tool that nobody asks for, and that a host must not run by itself.
fn untouched_tool() -> Value {
    json!({
        "name": "untouched",
        "description": "deletes what it is told to; no part of the probe asks for it",
        "inputSchema": { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] },
        "annotations": { "readOnlyHint": false, "destructiveHint": true },
        "_meta": { "ui": { "resourceUri": "ui://yardstick/again" } },
    })
}

fn text_result(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// A result with all that a result may have, so that a host that drops something is found out.
pub(crate) fn full_result(name: &str, arguments: &Value) -> Value {
    json!({
        "content": [
            { "type": "text", "text": format!("{name} ran"), "annotations": { "audience": ["user"], "priority": 0.5 } },
            { "type": "resource_link", "uri": "ui://yardstick/text", "name": "text" },
        ],
        "structuredContent": { "name": name, "arguments": arguments, "number": 0.1, "nothing": null },
        "isError": false,
        "_meta": { "yardstick.example/kept": [1, 2, 3] },
    })
}
