//! A server and a client on every wire, and a look at every message that the server sent.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::collections::HashMap;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use protocol::schema::{Extension, Schema};
use protocol::{Span, Version, method};
use serde_json::{Value, json};
use transport::Transport;
use transport::client::{Limits, Message, Profile, Reply, Session, Target};
use transport::serve::http::{HttpServer, Options};
use transport::serve::pipe;
use wire::{Direction, Transcript};
use yardstick_server::Server;

/// Long enough for what comes at once, short enough to wait for what must not come.
pub(crate) const SHORT_WAIT: Duration = Duration::from_millis(150);

/// How client and server are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// A pipe, as stdio is.
    Pipe,
    /// Streamable HTTP.
    Http,
    /// The HTTP+SSE of 2024-11-05.
    Sse,
}

/// A server and a client that has opened a session with it.
pub(crate) struct World {
    pub(crate) server: Arc<Server>,
    pub(crate) http: Option<HttpServer>,
    target: Target,
    pub(crate) wire: Wire,
    pub(crate) session: Session,
}

impl Wire {
    /// The wires on which `version` can be spoken.
    pub(crate) fn of(version: Version) -> Vec<Self> {
        match version {
            Version::V2024_11_05 => vec![Self::Pipe, Self::Http, Self::Sse],
            _ => vec![Self::Pipe, Self::Http],
        }
    }
}

/// The versions from `since` on.
pub(crate) const fn since(since: Version) -> Span {
    Span::since(since)
}

/// A client that can do everything, tasks and tools in sampling included.
pub(crate) fn able() -> Profile {
    let profile = Profile::default();
    let mut capabilities = profile.capabilities.clone();
    capabilities["sampling"] = json!({ "tools": {} });
    capabilities["extensions"]["io.modelcontextprotocol/tasks"] = json!({});
    profile.with_capabilities(capabilities)
}

/// Runs `body` once per version and wire, each time with a server of its own, and looks at all that was said.
pub(crate) async fn everywhere<F>(span: Span, profile: &Profile, body: F)
where
    F: AsyncFn(&World),
{
    for version in span.versions() {
        for wire in Wire::of(version) {
            let world = World::open(version, wire, profile.clone()).await;
            body(&world).await;
            world.inspect();
        }
    }
}

impl World {
    pub(crate) async fn open(version: Version, wire: Wire, profile: Profile) -> Self {
        Self::with_options(version, wire, profile, Options::default()).await
    }

    pub(crate) async fn with_options(
        version: Version,
        wire: Wire,
        profile: Profile,
        options: Options,
    ) -> Self {
        let server = Server::new();
        let (target, http) = match wire {
            Wire::Pipe => (dial(&server), None),
            Wire::Http | Wire::Sse => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let http = HttpServer::bind(address, server.clone(), options).await.unwrap();
                let url = match wire {
                    Wire::Sse => format!("http://{}/sse", http.address()),
                    Wire::Pipe | Wire::Http => http.url(),
                };
                (Target::url(&url).unwrap(), Some(http))
            }
        };
        let session = open(&target, version, wire, profile).await;
        Self { server, http, target, wire, session }
    }

    /// Another client of the same server.
    pub(crate) async fn another(&self, version: Version, profile: Profile) -> Session {
        open(&self.target, version, self.wire, profile).await
    }

    /// The same, without a handshake or a discovery.
    pub(crate) async fn unopened(&self, version: Version, profile: Profile) -> Session {
        Session::connect_over(&self.target, transport(self.wire), version, profile, limits()).await.unwrap()
    }

    pub(crate) fn version(&self) -> Version {
        self.session.version()
    }

    /// Sends a request and takes what comes.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Reply {
        self.session
            .request(method)
            .params(params)
            .send()
            .await
            .unwrap_or_else(|failure| panic!("{self}: {failure}"))
    }

    /// The result of a request that succeeds; what the server asks for on the way is given.
    #[track_caller]
    pub(crate) fn result(&self, method: &str, params: Value) -> impl Future<Output = Value> {
        let request = self.session.request(method).params(params);
        let label = self.to_string();
        async move {
            let rounds = request.send_through().await.unwrap_or_else(|failure| panic!("{label}: {failure}"));
            let last = rounds.replies.last().unwrap();
            last.result().unwrap_or_else(|| panic!("{label}: {}", String::from_utf8_lossy(last.raw())))
        }
    }

    /// The result of a tool.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    /// The first text of a tool's result.
    pub(crate) async fn text(&self, name: &str, arguments: Value) -> String {
        text(&self.call(name, arguments).await)
    }

    /// The code of the error that a request gets.
    pub(crate) async fn code(&self, method: &str, params: Value) -> Option<i64> {
        self.ask(method, params).await.code()
    }

    /// The params of the next notification of `method` that belongs to no request.
    pub(crate) async fn told(&self, method: &str) -> Value {
        let told = self.heard(method, SHORT_WAIT * 20).await.unwrap_or_else(|| panic!("{self}: no {method}"));
        told.params().unwrap_or_default()
    }

    /// Whether there is no notification of `method` for a while.
    pub(crate) async fn hears_no(&self, method: &str) -> bool {
        self.heard(method, SHORT_WAIT).await.is_none()
    }

    async fn heard(&self, method: &str, patience: Duration) -> Option<Message> {
        while let Some(message) = self.session.incoming(patience).await.unwrap() {
            if message.is_notification(method) {
                return Some(message);
            }
        }
        None
    }

    /// Every message that the server sent is one of its revision.
    pub(crate) fn inspect(&self) {
        inspect(self.version(), &self.session.recorder().transcript(), &self.to_string());
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} over {:?}", self.version(), self.wire)
    }
}

/// The first text of a result.
pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}")).to_owned()
}

/// A way to a server within this process.
pub(crate) fn dial(server: &Arc<Server>) -> Target {
    let server = server.clone();
    Target::in_process(move || {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(far);
        tokio::spawn(pipe::serve(server.clone(), input, output));
        near
    })
}

async fn open(target: &Target, version: Version, wire: Wire, profile: Profile) -> Session {
    let opened = Session::open_over(target, transport(wire), version, profile, limits()).await;
    opened.unwrap_or_else(|failure| panic!("{version} over {wire:?}: {failure}"))
}

const fn transport(wire: Wire) -> Transport {
    match wire {
        Wire::Pipe => Transport::Stdio,
        Wire::Http => Transport::StreamableHttp,
        Wire::Sse => Transport::HttpSse,
    }
}

fn limits() -> Limits {
    Limits { linger: Duration::from_millis(50), ..Limits::default() }
}

fn inspect(version: Version, transcript: &Transcript, label: &str) {
    let schema = Schema::for_version(version).with(Extension::Tasks);
    let mut asked: HashMap<String, String> = HashMap::new();
    for entry in transcript.messages() {
        let Ok(message) = serde_json::from_slice::<Value>(&entry.bytes) else { continue };
        let id = message["id"].to_string();
        let method = message["method"].as_str();
        match (entry.direction, method) {
            (Direction::ToServer, Some(method)) => drop(asked.insert(id, method.to_owned())),
            (Direction::ToServer, None) => {}
            (Direction::ToClient, Some(method)) => {
                let row = method::find(version, method).unwrap_or_else(|| panic!("{label} has no {method}"));
                judge(schema, row.message, &message, label);
            }
            (Direction::ToClient, None) => {
                let Some(result) = message.get("result") else { continue };
                let row = asked.get(&id).and_then(|method| method::find(version, method));
                judge(schema, result_type(row.and_then(|row| row.result), result), result, label);
            }
        }
    }
}

/// What a result is by its own word.
fn result_type(of_method: Option<&'static str>, result: &Value) -> &'static str {
    match (result["resultType"].as_str(), result.get("task")) {
        (Some("input_required"), _) => "InputRequiredResult",
        (Some("task"), _) | (None, Some(_)) => "CreateTaskResult",
        _ => of_method.unwrap_or("Result"),
    }
}

fn judge(schema: Schema, name: &str, value: &Value, label: &str) {
    let validator = schema.validator(name).unwrap_or_else(|| panic!("{label} has no {name}"));
    let flaws: Vec<_> = validator.check(value).iter().map(ToString::to_string).collect();
    assert!(flaws.is_empty(), "{label}: {name} is flawed: {flaws:?}\n{value}");
}
