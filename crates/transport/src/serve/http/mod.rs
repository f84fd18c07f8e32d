//! Streamable HTTP of every revision, and HTTP+SSE beside it, on one port.
//!
//! `POST /mcp` carries both eras: a message that names its version in `_meta` (or in a modern
//! `MCP-Protocol-Version` header) is served statelessly, `initialize` opens a session, and anything else belongs
//! to one. `GET` and `DELETE /mcp` belong to sessions. `GET /sse` and `POST /messages` are the 2024-11-05 transport.

mod authority;
mod bearer;
mod body;
mod connections;
mod finish;
mod guard;
mod offload;
mod post;
mod receive;
mod refuse;
mod replay_log;
mod reply;
mod session;
mod sessions;
mod socket;
mod sse;
mod workers;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::HeaderMap;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use protocol::{Era, Version};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::connections::{Connection, Connections, ListedConnection};
use self::finish::{Finished, finish};
use self::offload::Offload;
use self::session::Session;
use self::sessions::{SessionRefusal, Sessions};
use self::socket::Socket;
use self::workers::Workers;
use super::{Budgets, Handler, Limits, Outbox};
use crate::Transport;
use crate::accept;

pub use self::bearer::{Authenticate, Bearer, shown_token};
pub use self::body::Body;
pub use self::finish::Answered;
pub use self::guard::Guard;

/// The path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";
/// The path of the event stream of the 2024-11-05 transport.
pub const SSE_PATH: &str = "/sse";
/// The path that a client of the 2024-11-05 transport posts to.
pub const MESSAGES_PATH: &str = "/messages";

/// The most bytes of the head of a request, and the size of the buffers of a connection.
const BUFFER_BYTES: usize = 32 * 1024;
/// How often the server looks for unused sessions.
const SWEEP_INTERVAL: Duration = Duration::from_secs(15);

/// A comment, which every reader of events ignores.
const COMMENT: &[u8] = b":\n\n";

type Request = http::Request<hyper::body::Incoming>;
/// A response of the server.
pub type Response = http::Response<Body>;

/// What an HTTP server insists on. The defaults are what the specification asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which hosts and origins are admitted.
    pub guard: Guard,
    /// Whether legacy requests have to name their session.
    pub require_session: bool,
    /// Whether streams can be resumed with `Last-Event-ID`.
    pub resumable: bool,
    /// Whether a broken connection cancels the legacy request that it carried.
    pub cancel_on_disconnect: bool,
    /// Whether HTTP+SSE answers in the body of the POST instead of on its stream.
    pub answer_posts: bool,
    /// After how long a silent stream gets a comment, so that no intermediary closes it.
    pub keep_alive: Duration,
    /// How many threads the server starts; with none it uses the caller's runtime.
    pub workers: usize,
    /// The token that every request has to carry, if any.
    pub bearer: Option<Bearer>,
    /// Decides whether a request carries that token.
    pub authenticate: Authenticate,
    /// Sees, and may change, the bytes of a connection before they are parsed as HTTP.
    pub on_received: Option<fn(&mut [u8])>,
    /// The bounds on what clients may use.
    pub limits: Limits,
}

/// A server that accepts connections until it is dropped or told to stop.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    stop: Stop,
    budgets: Budgets,
}

/// How an HTTP server is told to stop.
#[derive(Clone, Debug, Default)]
struct Stop {
    /// No new requests.
    gently: CancellationToken,
    /// No connections at all.
    at_once: CancellationToken,
    /// How many connections there are.
    connections: watch::Sender<usize>,
}

/// Counts one connection for as long as it is open.
struct OpenConnection(watch::Sender<usize>);

/// What every connection shares.
struct Shared<H: Handler> {
    handler: Arc<H>,
    options: Options,
    sessions: Sessions<H::Peer>,
    connections: Arc<Connections>,
    budgets: Budgets,
    offload: Offload,
    /// The peer of every stateless request.
    stateless: Arc<H::Peer>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            guard: Guard::default(),
            require_session: true,
            resumable: true,
            cancel_on_disconnect: false,
            answer_posts: false,
            keep_alive: Duration::from_secs(15),
            workers: 0,
            bearer: None,
            authenticate: |bearer, headers, _| bearer.is_shown_in(headers),
            on_received: None,
            limits: Limits::default(),
        }
    }
}

impl HttpServer {
    /// Listens on `address` (port 0 picks a free one) and serves in the background.
    pub async fn bind<H: Handler>(
        address: SocketAddr,
        handler: Arc<H>,
        options: Options,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let stop = Stop::default();
        let workers = Workers::start(options.workers, &stop.at_once)?;
        let budgets = Budgets::of_process(&options.limits);
        let kept = budgets.kept.for_session(options.limits.session_kept);
        let shared = Arc::new(Shared {
            stateless: Arc::new(handler.connect(Transport::StreamableHttp, Outbox::closed(), kept)),
            handler,
            sessions: Sessions::new(&options.limits),
            connections: Connections::new(options.limits.connections),
            budgets: budgets.clone(),
            offload: Offload::new(),
            options,
        });
        tokio::spawn(sweep(Arc::downgrade(&shared), stop.at_once.clone()));
        tokio::spawn(accept_all(listener, shared, workers, stop.clone()));
        Ok(Self { address, stop, budgets })
    }

    /// The address it listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What its clients hold at the moment.
    pub const fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// The URL of the MCP endpoint for clients on this machine. The unspecified address is replaced by loopback,
    /// because nobody can connect to it.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}{MCP_PATH}", SocketAddr::new(host, self.address.port()))
    }

    /// Waits until [`HttpServer::stop`] is called.
    pub async fn stopped(&self) {
        self.stop.at_once.cancelled().await;
    }

    /// Stops accepting and closes every connection.
    pub fn stop(&self) {
        self.stop.at_once.cancel();
    }

    /// Stops accepting, lets requests finish for at most `grace`, and closes what is left.
    pub async fn shut_down(&self, grace: Duration) {
        self.stop.gently.cancel();
        let mut connections = self.stop.connections.subscribe();
        // After that nothing is waited for.
        let _ = tokio::time::timeout(grace, connections.wait_for(|count| *count == 0)).await;
        self.stop();
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl OpenConnection {
    fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

async fn accept_all<H: Handler>(listener: TcpListener, shared: Arc<Shared<H>>, workers: Workers, stop: Stop) {
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = stop.gently.cancelled() => return,
            () = stop.at_once.cancelled() => return,
        };
        let Some(listed) = shared.connections.admit(&stop.at_once).await else {
            refuse::too_many_connections(stream);
            continue;
        };
        let (shared, stop) = (shared.clone(), stop.clone());
        workers.spawn(stream, move |stream| serve(stream, shared, stop, listed));
    }
}

async fn serve<H: Handler>(stream: TcpStream, shared: Arc<Shared<H>>, stop: Stop, listed: ListedConnection) {
    let stream = Socket::new(stream, shared.options.limits.write_stall, shared.options.on_received);
    let listed = &listed.connection;
    let _open = OpenConnection::new(&stop.connections);
    let head = shared.options.limits.head;
    let service = service_fn(|request| {
        let (shared, listed) = (shared.clone(), listed.clone());
        async move { Ok::<_, Infallible>(answer_on(&shared, request, &listed).await) }
    });
    let mut builder = http1::Builder::new();
    let connection = builder
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(BUFFER_BYTES)
        .half_close(false)
        .writev(false)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let (evict, gently) = (&listed.evict, stop.gently.child_token());
    tokio::select! {
        biased;
        // Errors here are caused by the client, and there is nobody to report them to.
        _ = connection.as_mut() => return,
        () = evict.cancelled() => return,
        () = gently.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = evict.cancelled() => {}
    }
}

/// Ends unused sessions, for as long as the server runs.
async fn sweep<H: Handler>(shared: Weak<Shared<H>>, stop: CancellationToken) {
    while tokio::time::timeout(SWEEP_INTERVAL, stop.cancelled()).await.is_err() {
        let Some(shared) = shared.upgrade() else { return };
        for session in shared.sessions.sweep(&shared.budgets.kept) {
            shared.end(&session);
        }
    }
}

impl<H: Handler> Shared<H> {
    /// Gives a session its id, and ends those that were evicted for it.
    fn add(&self, session: Arc<Session<H::Peer>>) -> Result<String, SessionRefusal> {
        let opened = self.sessions.insert(session, &self.budgets.kept)?;
        opened.ended.iter().for_each(|session| self.end(session));
        Ok(opened.id)
    }

    /// Ends a session and forgets it.
    fn end(&self, session: &Session<H::Peer>) {
        session.ended.cancel();
        self.handler.disconnect(&session.peer);
    }
}

/// Answers a request of a connection, which counts as busy meanwhile.
async fn answer_on<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: Request,
    connection: &Arc<Connection>,
) -> Response {
    connection.start_handling();
    let response = answer_request(shared, request, connection).await.into_response();
    response.map(|body| body.on_connection(connection))
}

/// Answers a request: admits it by its head, then routes it by path and method. `POST /mcp` goes on in `post.rs`. A browser
/// at an admitted origin may read the answer.
async fn answer_request<H: Handler>(
    shared: &Arc<Shared<H>>,
    mut request: Request,
    connection: &Connection,
) -> Finished {
    let transport = match request.uri().path() {
        SSE_PATH | MESSAGES_PATH => Transport::HttpSse,
        _ => Transport::StreamableHttp,
    };
    let done = |request: &Request, response| {
        finish(shared, Answered { transport, headers: request.headers(), method: None }, response)
    };
    let guard = &shared.options.guard;
    let origin = match guard.admit(request.method(), request.headers(), request.uri()) {
        Ok(origin) => origin,
        Err(refusal) => return done(&request, reply::refused(refusal.status(), &refusal.to_string())),
    };
    let bearer = shared.options.bearer.as_ref().filter(|_| request.method() != http::Method::OPTIONS);
    if let Some(response) = bearer.and_then(|bearer| bearer.answer(&request, &shared.options)) {
        return done(&request, response);
    }
    let finished = if let Some(response) = shared.handler.on_request(&mut request) {
        done(&request, response)
    } else {
        match (request.uri().path(), request.method().as_str()) {
            (MCP_PATH, "POST") => post::post(shared, request, connection).await,
            (MESSAGES_PATH, "POST") => sse::post(shared, request, connection).await,
            _ => done(&request, answer_without_body(shared, &request)),
        }
    };
    match origin {
        Some(origin) => finished.for_browser_at(&origin),
        None => finished,
    }
}

/// Answers a request whose body does not matter.
fn answer_without_body<H: Handler>(shared: &Arc<Shared<H>>, request: &Request) -> Response {
    match (request.uri().path(), request.method().as_str()) {
        (_, "OPTIONS") => guard::preflight(),
        // The modern era has neither GET streams nor sessions to end.
        (MCP_PATH, "GET" | "DELETE") if names_modern(request.headers()) => reply::not_allowed("POST"),
        (MCP_PATH, "GET") => session::listen(shared, request),
        (MCP_PATH, "DELETE") => session::delete(shared, request),
        (MCP_PATH, _) => reply::not_allowed("GET, POST, DELETE"),
        (SSE_PATH, "GET") => sse::open(shared),
        (SSE_PATH, _) => reply::not_allowed("GET"),
        (MESSAGES_PATH, _) => reply::not_allowed("POST"),
        _ => reply::refused(404, &format!("nothing here; the MCP endpoint is {MCP_PATH}")),
    }
}

/// Whether the headers name a revision of the modern era.
fn names_modern(headers: &HeaderMap) -> bool {
    let named = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    named.and_then(|text| text.parse::<Version>().ok()).is_some_and(|version| version.era() == Era::Modern)
}
