//! Streamable HTTP of every revision, and HTTP+SSE beside it, on one port.
//!
//! `POST /mcp` carries both eras: a message that names its version in `_meta` (or in a modern
//! `MCP-Protocol-Version` header) is served statelessly, `initialize` opens a session, and anything else belongs
//! to one. `GET` and `DELETE /mcp` belong to sessions. `GET /sse` and `POST /messages` are the 2024-11-05 transport.

mod authority;
mod bearer;
mod body;
mod capitals;
mod connections;
mod guard;
mod log;
mod offload;
mod post;
mod receive;
mod refuse;
mod reply;
mod session;
mod sessions;
mod slip;
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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::body::Body;
use self::capitals::Capitals;
use self::connections::{Connection, Connections, Listed};
use self::offload::Offload;
use self::session::Session;
use self::sessions::{Sessions, Unopened};
use self::socket::Socket;
use self::workers::Workers;
use super::{Budgets, Handler, Limits, Outbox, Via};

pub use self::bearer::Bearer;
pub use self::guard::Guard;
pub use self::slip::Slip;

/// The path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";
/// The path of the event stream of the 2024-11-05 transport.
pub const SSE_PATH: &str = "/sse";
/// The path to which a client of the 2024-11-05 transport posts.
pub const MESSAGES_PATH: &str = "/messages";

/// The most bytes of the head of a request, and what is read or written ahead of need on a connection.
const BUFFER: usize = 32 * 1024;
/// How often unused sessions are looked for.
const SWEEP: Duration = Duration::from_secs(15);

/// A comment, which every reader of events skips.
const COMMENT: &[u8] = b":\n\n";

type Request = http::Request<hyper::body::Incoming>;
type Response = http::Response<Body>;

/// What an HTTP server insists on. The defaults are what the specification asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who may ask.
    pub guard: Guard,
    /// Whether legacy requests have to name their session.
    pub require_session: bool,
    /// Whether streams can be resumed with `Last-Event-ID`.
    pub resumable: bool,
    /// Whether a terminated session is forgotten.
    pub forget_sessions: bool,
    /// Whether an unknown `MCP-Protocol-Version` is refused.
    pub check_version: bool,
    /// After how long a silent stream gets a comment, so that nobody in between takes it for dead.
    pub keep_alive: Duration,
    /// How many threads of its own the server has; with none it shares the caller's runtime.
    pub workers: usize,
    /// The token that every request has to show, if any.
    pub bearer: Option<Bearer>,
    /// How much clients may ask for.
    pub limits: Limits,
    /// What is done wrong on purpose.
    pub slips: Vec<Slip>,
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

/// One of them, as long as it lives.
struct Counted(watch::Sender<usize>);

/// What every connection shares.
struct Shared<H: Handler> {
    handler: Arc<H>,
    options: Options,
    sessions: Sessions<H::Peer>,
    connections: Arc<Connections>,
    budgets: Budgets,
    offload: Offload,
    /// Stands for the client of every stateless request.
    stateless: Arc<H::Peer>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            guard: Guard::default(),
            require_session: true,
            resumable: true,
            forget_sessions: true,
            check_version: true,
            keep_alive: Duration::from_secs(15),
            workers: 0,
            bearer: None,
            limits: Limits::default(),
            slips: Vec::new(),
        }
    }
}

impl Options {
    /// Whether `slip` is made.
    pub(super) fn slips(&self, slip: Slip) -> bool {
        self.slips.contains(&slip)
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
            stateless: Arc::new(handler.connect(Via::StreamableHttp, Outbox::closed(), kept)),
            handler,
            sessions: Sessions::new(&options.limits),
            connections: Connections::new(options.limits.connections),
            budgets: budgets.clone(),
            offload: Offload::new(),
            options,
        });
        tokio::spawn(sweep(Arc::downgrade(&shared), stop.at_once.clone()));
        tokio::spawn(accept(listener, shared, workers, stop.clone()));
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

    /// The URL of the MCP endpoint, which leads there from this machine: an address that stands for all of them is
    /// none to connect to.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}{MCP_PATH}", SocketAddr::new(host, self.address.port()))
    }

    /// Runs until [`HttpServer::stop`] is called from elsewhere.
    pub async fn stopped(&self) {
        self.stop.at_once.cancelled().await;
    }

    /// Stops accepting and closes every connection.
    pub fn stop(&self) {
        self.stop.at_once.cancel();
    }

    /// Stops accepting, lets what is under way come to its end for at most `grace`, and closes what is left then.
    pub async fn shut_down(&self, grace: Duration) {
        self.stop.gently.cancel();
        let mut connections = self.stop.connections.subscribe();
        // Whoever has not come to an end by then is not waited for.
        let _ = tokio::time::timeout(grace, connections.wait_for(|count| *count == 0)).await;
        self.stop();
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Counted {
    fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

async fn accept<H: Handler>(listener: TcpListener, shared: Arc<Shared<H>>, workers: Workers, stop: Stop) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.gently.cancelled() => return,
            () = stop.at_once.cancelled() => return,
        };
        // A failed accept is the kernel's trouble of the moment (out of descriptors, peer gone), not ours.
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // Without this an event that follows the response head waits for the client's delayed ACK.
        let _ = stream.set_nodelay(true);
        let Some(listed) = shared.connections.admit(&stop.at_once).await else {
            refuse::too_many_connections(stream);
            continue;
        };
        let (shared, stop) = (shared.clone(), stop.clone());
        workers.spawn(stream, move |stream| connection(stream, shared, stop, listed));
    }
}

async fn connection<H: Handler>(stream: TcpStream, shared: Arc<Shared<H>>, stop: Stop, listed: Listed) {
    let stream = Socket::new(stream, shared.options.limits.write_stall);
    if shared.options.slips(Slip::CapitalsLost) {
        return serve(Capitals(stream), shared, stop, &listed.connection).await;
    }
    serve(stream, shared, stop, &listed.connection).await;
}

async fn serve<H, S>(stream: S, shared: Arc<Shared<H>>, stop: Stop, listed: &Arc<Connection>)
where
    H: Handler,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let _counted = Counted::new(&stop.connections);
    let head = shared.options.limits.head;
    let service = service_fn(|request| {
        let (shared, listed) = (shared.clone(), listed.clone());
        async move { Ok::<_, Infallible>(route(&shared, request, &listed).await) }
    });
    let mut builder = http1::Builder::new();
    let connection = builder
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(BUFFER)
        .half_close(false)
        .writev(false)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let (evict, gently) = (&listed.evict, stop.gently.child_token());
    tokio::select! {
        biased;
        // What can go wrong here is the client's doing and has no one to be told to.
        _ = connection.as_mut() => return,
        () = evict.cancelled() => return,
        () = gently.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = evict.cancelled() => {}
    }
}

/// Ends the sessions that nobody uses, for as long as the server runs.
async fn sweep<H: Handler>(shared: Weak<Shared<H>>, stop: CancellationToken) {
    while tokio::time::timeout(SWEEP, stop.cancelled()).await.is_err() {
        let Some(shared) = shared.upgrade() else { return };
        for session in shared.sessions.sweep(&shared.budgets.kept) {
            shared.end(&session);
        }
    }
}

impl<H: Handler> Shared<H> {
    /// Gives a session its id, and ends those that make room for it.
    fn add(&self, session: Arc<Session<H::Peer>>) -> Result<String, Unopened> {
        let opened = self.sessions.insert(session, &self.options, &self.budgets.kept)?;
        opened.ended.iter().for_each(|session| self.end(session));
        Ok(opened.id)
    }

    /// A session is over, and nothing of it is kept.
    fn end(&self, session: &Session<H::Peer>) {
        session.ended.cancel();
        self.handler.disconnect(&session.peer);
    }
}

async fn route<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: Request,
    connection: &Arc<Connection>,
) -> Response {
    connection.work();
    let response = admitted(shared, request, connection).await;
    response.map(|body| body.on(connection))
}

async fn admitted<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: Request,
    connection: &Connection,
) -> Response {
    let guard = &shared.options.guard;
    let origin = match guard.admit(request.method(), request.headers(), request.uri()) {
        Ok(origin) => origin,
        Err(refusal) => return finish(shared, None, reply::refused(refusal.status(), &refusal.to_string())),
    };
    let turned_away = shared.options.bearer.as_ref().filter(|_| request.method() != http::Method::OPTIONS);
    if let Some(response) = turned_away.and_then(|bearer| bearer.answer(&request, &shared.options)) {
        return finish(shared, None, response);
    }
    let mut response = match (request.uri().path(), request.method().as_str()) {
        (_, "OPTIONS") => guard::preflight(),
        (MCP_PATH, "POST") => post::post(shared, request, connection).await,
        // The modern era has neither streams of that kind nor sessions to end.
        (MCP_PATH, "GET" | "DELETE")
            if names_modern(request.headers()) && !shared.options.slips(Slip::ModernGet) =>
        {
            finish(shared, None, reply::not_allowed("POST"))
        }
        (MCP_PATH, "GET") => finish(shared, None, session::listen(shared, &request)),
        (MCP_PATH, "DELETE") => finish(shared, None, session::delete(shared, &request)),
        (MCP_PATH, _) => reply::not_allowed("GET, POST, DELETE"),
        (SSE_PATH, "GET") => sse::open(shared),
        (SSE_PATH, _) => reply::not_allowed("GET"),
        (MESSAGES_PATH, "POST") => sse::post(shared, request, connection).await,
        (MESSAGES_PATH, _) => reply::not_allowed("POST"),
        _ => reply::refused(404, &format!("nothing here; the MCP endpoint is {MCP_PATH}")),
    };
    if let Some(origin) = origin {
        guard::allow(&origin, response.headers_mut());
    }
    response
}

/// Whether the headers name a revision of the modern era.
fn names_modern(headers: &HeaderMap) -> bool {
    let named = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    named.and_then(|text| text.parse::<Version>().ok()).is_some_and(|version| version.era() == Era::Modern)
}

fn finish<H: Handler>(shared: &Shared<H>, method: Option<&str>, response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    shared.handler.on_response(method, &mut head);
    Response::from_parts(head, body)
}
