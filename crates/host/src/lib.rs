//! The test host: shows MCP Apps in a browser the way a strict host does, and records every message.
//!
//! It listens twice on loopback. One listener serves the page and its API. The other serves everything that must not
//! share an origin with the page: for each View a proxy document and the View's own document, each under its own name.
//! The page acts and records; Rust code here decides what is allowed and what is wrong.

mod error;
mod fault_hooks;
mod feed;
mod finding;
mod http;
mod inquiries;
mod page;
mod prefetch;
mod profile;
mod random;
mod server;
mod state;
mod timeline;
mod trace;
mod view;
mod watch;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use transport::client::{Limits, RunQuota, Target};
use wire::recording::RecordedSession;

pub use error::Error;
pub use fault_hooks::FaultHooks;
pub use profile::{HostProfile, profiles};

use feed::Feed;
use inquiries::Inquiries;
use prefetch::Prefetched;
use server::Servers;
use timeline::Timeline;
use view::Views;

/// The largest message of a server, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// How many bytes of a session with a server are recorded.
pub(crate) const MAX_RECORD_BYTES: usize = 32 * 1024 * 1024;

/// A server whose apps the host shows.
#[derive(Clone, Debug)]
pub struct HostedServer {
    /// The name that the person gave the server; without one, the server's own name is used.
    pub name: Option<String>,
    /// How the server is reached.
    pub target: Target,
}

impl From<Target> for HostedServer {
    fn from(target: Target) -> Self {
        Self { name: None, target }
    }
}

/// The options of a host.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the page is served. The address must be loopback; port 0 picks a free port.
    pub address: SocketAddr,
    /// The servers whose apps the host shows.
    pub targets: Vec<HostedServer>,
    /// The name of the host profile that the page starts with.
    pub profile: String,
    /// Files and folders; when one changes, the host restarts the servers.
    pub watch: Vec<PathBuf>,
    /// Whether apps and servers may request sampling; the person in front of the page answers for the model.
    pub sampling: bool,
    /// The roots for servers, as `Root` objects. With an empty list the host does not declare the capability.
    pub roots: Vec<Value>,
    /// All limits on servers.
    pub limits: Limits,
    /// Changes what the host does, for those who test testers of hosts.
    pub fault_hooks: Option<Arc<dyn FaultHooks>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            targets: Vec::new(),
            profile: profile::STRICT.to_owned(),
            watch: Vec::new(),
            sampling: false,
            roots: Vec::new(),
            // A person waits longer for a tool than a test does, but does not wait for messages that may follow a
            // response. A session has no time limit, so the limits are on the size of each message and on the recorded
            // bytes.
            limits: Limits {
                request: Duration::from_secs(60),
                linger: Duration::from_millis(5),
                message: MAX_MESSAGE_BYTES,
                traffic: usize::MAX,
                record: MAX_RECORD_BYTES,
                run: RunQuota::endless(),
                ..Limits::default()
            },
            fault_hooks: None,
        }
    }
}

/// A running host. Dropping it stops it.
#[derive(Debug)]
pub struct Host {
    shared: Arc<Shared>,
    stop: CancellationToken,
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The address of the page's listener.
    pub(crate) page: SocketAddr,
    /// The address of the sandbox listener.
    pub(crate) sandbox: SocketAddr,
    /// The token that a request to the API has to carry.
    pub(crate) token: String,
    pub(crate) feed: Feed,
    pub(crate) timeline: Timeline,
    pub(crate) servers: Servers,
    pub(crate) views: Views,
    pub(crate) prefetched: Prefetched,
    pub(crate) inquiries: Inquiries,
    pub(crate) options: Options,
}

impl Host {
    /// Starts listening, and connects to the servers in the background.
    pub async fn start(options: Options) -> Result<Self, Error> {
        if !options.address.ip().is_loopback() {
            return Err(Error::NotLoopback(options.address));
        }
        profile::named(&options.profile)?;
        let bind = async |address: SocketAddr| {
            TcpListener::bind(address).await.map_err(|why| Error::Listen { address, why })
        };
        let listener = bind(options.address).await?;
        let sandbox = bind(SocketAddr::new(options.address.ip(), 0)).await?;
        let local = |listener: &TcpListener| {
            listener.local_addr().map_err(|why| Error::Listen { address: options.address, why })
        };
        let secrets = options.targets.iter().map(|hosted| hosted.target.secrets());
        let feed = Feed::masking(secrets.reduce(|all, more| all.and(&more)).unwrap_or_default());
        let shared = Arc::new(Shared {
            page: local(&listener)?,
            sandbox: local(&sandbox)?,
            token: random::hex(16)?,
            timeline: Timeline::new(feed.clone()),
            servers: Servers::new(&options.targets),
            views: Views::default(),
            prefetched: Prefetched::default(),
            inquiries: Inquiries::new(feed.clone()),
            feed,
            options,
        });
        let stop = CancellationToken::new();
        tokio::spawn(http::listen(listener, shared.clone(), http::ListenerRole::Page, stop.clone()));
        tokio::spawn(http::listen(sandbox, shared.clone(), http::ListenerRole::Sandbox, stop.clone()));
        server::supervise_all(&shared, &stop);
        watch::start(&shared, &stop);
        Ok(Self { shared, stop })
    }

    /// The URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.shared.page)
    }

    /// The token that a request to the API has to carry.
    pub fn token(&self) -> &str {
        &self.shared.token
    }

    /// Waits until every server is connected or has failed, for at most `limit`. Returns one line for each server.
    pub async fn settled(&self, limit: Duration) -> Vec<String> {
        self.shared.servers.settled(limit).await
    }

    /// The messages that were posted from and to a View so far, as the page reported them.
    pub fn session_of_view(&self, id: &str) -> Option<RecordedSession> {
        trace::of_view(&self.shared, id)
    }

    /// Closes the connections to the servers and stops listening.
    pub async fn shut_down(&self) {
        self.stop.cancel();
        self.shared.servers.close().await;
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Shared {
    /// The origins that the page may have.
    pub(crate) fn page_origins(&self) -> [String; 2] {
        let port = self.page.port();
        [format!("http://{}", self.page), format!("http://localhost:{port}")]
    }
}
