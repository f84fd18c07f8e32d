//! The test host: shows MCP Apps in the browser as a strict host would, and keeps every message that passes.
//!
//! Two listeners on loopback. One serves the page and its API; the other serves what must not share an origin with it: a
//! proxy document and the View's own document, each under a name of its own for every View. The page acts and
//! records; what may pass and what is wrong is decided here.

mod error;
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

pub use error::Error;
pub use profile::{Profile, profiles};

use feed::Feed;
use inquiries::Inquiries;
use prefetch::Prefetched;
use server::Servers;
use timeline::Timeline;
use view::Views;

/// The most bytes of one message of a server.
const MESSAGE: usize = 16 * 1024 * 1024;
/// How many bytes are kept of what was said in a session with a server.
pub(crate) const RECORD: usize = 32 * 1024 * 1024;

/// A server whose apps are shown.
#[derive(Clone, Debug)]
pub struct HostedServer {
    /// What the person calls it; otherwise it is called what it calls itself.
    pub name: Option<String>,
    /// How it is reached.
    pub target: Target,
}

impl From<Target> for HostedServer {
    fn from(target: Target) -> Self {
        Self { name: None, target }
    }
}

/// What a host is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the page is served; loopback, port 0 picks a free one.
    pub address: SocketAddr,
    /// The servers whose apps are shown.
    pub targets: Vec<HostedServer>,
    /// The name of the host profile that the page begins with.
    pub profile: String,
    /// Files and folders whose change restarts the servers.
    pub watch: Vec<PathBuf>,
    /// Whether apps and servers may ask the model, whom the person before the page plays.
    pub sampling: bool,
    /// The roots that servers are told of, as `Root` objects; with none the host declares none.
    pub roots: Vec<Value>,
    /// Every bound.
    pub limits: Limits,
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
            // People wait longer for a tool than a test does, and not at all for what may follow an answer. A session goes on
            // for as long as they like, so what comes is bounded message by message, and what is kept of it in all.
            limits: Limits {
                request: Duration::from_secs(60),
                linger: Duration::from_millis(5),
                message: MESSAGE,
                traffic: usize::MAX,
                record: RECORD,
                run: RunQuota::endless(),
                ..Limits::default()
            },
        }
    }
}

/// A host that runs until it is dropped or shut down.
#[derive(Debug)]
pub struct Host {
    shared: Arc<Shared>,
    stop: CancellationToken,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Where the page is.
    pub(crate) page: SocketAddr,
    /// Where the documents of the sandbox are.
    pub(crate) sandbox: SocketAddr,
    /// What a request to the API has to show.
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
    /// Listens, and connects to the servers in the background.
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
        let feed = Feed::without(secrets.reduce(|all, more| all.and(&more)).unwrap_or_default());
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
        tokio::spawn(http::listen(listener, shared.clone(), http::Side::Page, stop.clone()));
        tokio::spawn(http::listen(sandbox, shared.clone(), http::Side::Sandbox, stop.clone()));
        server::keep_all(&shared, &stop);
        watch::start(&shared, &stop);
        Ok(Self { shared, stop })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.shared.page)
    }

    /// What a request to the API has to show.
    pub fn token(&self) -> &str {
        &self.shared.token
    }

    /// Waits until every server is connected or has failed, for at most `limit`: one line for each.
    pub async fn settled(&self, limit: Duration) -> Vec<String> {
        self.shared.servers.settled(limit).await
    }

    /// Ends the connections to the servers and stops listening.
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
    /// The origins under which the page may be open.
    pub(crate) fn page_origins(&self) -> [String; 2] {
        let port = self.page.port();
        [format!("http://{}", self.page), format!("http://localhost:{port}")]
    }
}
